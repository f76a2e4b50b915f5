"""Rankings of the features that a person brings to a comparison, from files and from Python.

`cspca.selection.rankings` understands them; here they are read for a data set, and what is left
open becomes a sentence for Python and the shell, or a choice on the page.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files.foreign import clean_name
from cspca.datasets.files.reading import FileColumns, Source, read_columns
from cspca.datasets.record import DatasetError
from cspca.selection.rankings import (
    MEANINGS,
    PLACES,
    First,
    Meaning,
    OwnRanking,
    Places,
    RankedFeatures,
    RankingAnswer,
    RankingColumn,
    RankingError,
    UndecidedRankingError,
    answers_in_words,
    columns_of,
    read_ranking,
)

if TYPE_CHECKING:
    from cspca.datasets import Dataset

SUFFIXES: Final = ("csv", "tsv", "txt", "gz", "xlsx", "parquet", "feather", "json")
"""Kinds of files that a ranking may come in."""

_FIRSTS: Final[dict[str, First]] = {"from-0": 0, "from-1": 1}


class UndecidedScoresError(DatasetError):
    """A ranking that may be read in several ways.

    Parameters
    ----------
    problem : str
        What is open, a sentence.
    answers : sequence of RankingAnswer
        The answers that fit.
    advice : str
        How to give one of them.
    """

    def __init__(self, problem: str, answers: Sequence[RankingAnswer], advice: str) -> None:
        super().__init__(f"{problem} {advice}")
        self.problem = problem
        self.answers = tuple(answers)


def read_scores(
    ranking: Source | Any,
    data: Dataset,
    name: str | None = None,
    *,
    column: str | None = None,
    meaning: Meaning | None = None,
    first: First | None = None,
    places: Places | None = None,
) -> list[float]:
    r"""Read a ranking of the features of a data set.

    Parameters
    ----------
    ranking : path, bytes, binary file object, Series, DataFrame, mapping or array-like
        A file is a table of text, an Excel workbook, a Parquet or Feather file, or JSON. Scores go
        by the names of the features where a column, the labels of pandas or the keys of a mapping
        hold them, in any order; else by their numbers beside the scores; else by their order. A
        column that lists numbers of features is an order, best first, where its header says so.
        Features that are not in the ranking tie last, which a warning says.
    data : Dataset
        What is ranked.
    name : str or None, default=None
        What to call the ranking in messages.
    column : str or None, default=None
        Header of the column that ranks the features, where several may.
    meaning : {"large", "small", "magnitude", "order", "selection"} or None, default=None
        What is good in it: large or small values, or values far from 0; or it lists features, best
        first, or without an order. None goes by the header: small is good in ranks, p-values and
        their logarithms, else large; a header such as ``loss`` or ``rank_score`` is asked about.
    first : {0, 1} or None, default=None
        Number of the first feature. None goes by the numbers: 0 is there, or the number of
        features.
    places : {"set", "file"} or None, default=None
        Whether rows and numbers go by the features of `data`, or by the columns of its file, where
        those stand in another order.

    Returns
    -------
    list of float
        The scores in the order of the features, large is good, for ``Compare(scores={NAME: …})``.

    Raises
    ------
    UndecidedScoresError
        If the ranking may be read in several ways: `answers` are those that fit.
    DatasetError
        One sentence: what is wrong with the ranking, or with scores of these data.

    Examples
    --------
    >>> from cspca.datasets import load
    >>> from cspca.experiments import read_scores
    >>> digits = load("digits")
    >>> table = "\n".join(map(str, digits.data.var(axis=0)))
    >>> len(read_scores(table.encode(), digits, "variance.csv"))
    64
    """
    answer = RankingAnswer(column, meaning, first, places)
    try:
        own = read_own_ranking(ranking, data, name, answer)
    except UndecidedRankingError as error:
        advice = f"Say which: {' or '.join(map(call_of, error.answers[:6]))}."
        raise UndecidedScoresError(error.problem, error.answers, advice) from None
    if own.n_unranked:
        warnings.warn(f"{name or 'The ranking'}: {own.sentence}", UserWarning, stacklevel=2)
    scores: list[float] = own.scores.tolist()
    return scores


def read_own_ranking(
    ranking: Source | Any,
    data: Dataset,
    name: str | None = None,
    answer: RankingAnswer | None = None,
) -> OwnRanking:
    """Read a ranking with what was understood of it.

    Raises
    ------
    UndecidedRankingError
        If the ranking may be read in several ways.
    DatasetError
        If it is none of these data.
    """
    if isinstance(ranking, str | os.PathLike | bytes) or hasattr(ranking, "read"):
        file: Source = ranking
        return understood(read_columns(file, name), data, answer)
    title = name or "The ranking"
    columns = columns_of(ranking)
    if columns is None:
        values = np.asarray(ranking)
        if values.ndim != 1 or values.dtype.kind not in "fiub":
            raise DatasetError(f"{title} is no list of numbers: give one score a feature.")
        # The features best first, such as `feature_order_`, are no scores.
        may_be_order = RankingColumn.of("", values.astype(np.float64)).counts_all(data.n_features)
        is_sorted = bool((np.diff(values.astype(np.float64)) > 0).all())
        name_of_values = "" if may_be_order and not is_sorted else "score"
        columns = [RankingColumn.of(name_of_values, values.astype(np.float64))]
        answer = answer or RankingAnswer()
        if answer.places is None:
            answer = RankingAnswer(answer.column, answer.meaning, answer.first, "set")
    return _understood(columns, data, title, answer)


def understood(file: FileColumns, data: Dataset, answer: RankingAnswer | None = None) -> OwnRanking:
    """Understand the columns of a file as a ranking of the features of a data set."""
    columns = [
        RankingColumn.of(header, values, place)
        for place, (header, values) in enumerate(file.columns, start=1)
    ]
    return _understood(columns, data, file.file, answer)


def _understood(
    columns: Sequence[RankingColumn], data: Dataset, name: str, answer: RankingAnswer | None
) -> OwnRanking:
    from cspca.selection.given import constant_above

    nouns = data.nouns
    skeleton_names = data.skeleton.feature_names if data.skeleton is not None else None
    features = RankedFeatures(
        n_features=data.n_features,
        names=data.feature_names or skeleton_names,
        image_shape=data.image_shape,
        file_columns=data.file_columns,
        noun=nouns.feature,
    )
    try:
        own = read_ranking(columns, features, name, answer)
    except UndecidedRankingError:
        raise
    except RankingError as error:
        raise DatasetError(str(error)) from None
    constant = constant_above(own.scores, data.data)
    if constant is not None:
        names = features.names
        which = f"{nouns.feature} {constant}, counted from 0," if names is None else names[constant]
        raise DatasetError(
            f"{name}: {which} is the same in every {nouns.sample}, and its score is above those of "
            f"other {nouns.features}: score it lowest, or mend the order of the scores."
        )
    return own


def call_of(answer: RankingAnswer) -> str:
    """How an answer is given in Python."""
    values = {question.name: getattr(answer, question.name) for question in fields(answer)}
    arguments = [f"{name}={value!r}" for name, value in values.items() if value is not None]
    return f"read_scores(…, {', '.join(arguments)})"


def option_of(file: str, answer: RankingAnswer) -> str:
    """How an answer is given in the shell, behind the name of the file."""
    first = None if answer.first is None else f"from-{answer.first}"
    words = [word for word in (answer.meaning, first, answer.places) if word is not None]
    return f"{file}#{':'.join([answer.column or '', *words])}"


def file_and_answer(text: str) -> tuple[str, RankingAnswer]:
    """What `option_of` wrote; the whole text is the name of a file where there is such a file."""
    if Path(text).exists() or "#" not in text:
        return text, RankingAnswer()
    marks = [at for at, letter in enumerate(text) if letter == "#"]
    at = next((at for at in marks if Path(text[:at]).exists()), marks[0])
    parts = text[at + 1 :].split(":")
    choices: dict[str, Any] = {}
    while len(parts) > 1:
        word = parts[-1]
        for name, values in (("meaning", MEANINGS), ("places", PLACES), ("first", _FIRSTS)):
            if word in values and name not in choices:
                choices[name] = _FIRSTS[word] if name == "first" else word
                break
        else:
            break
        parts.pop()
    return text[:at], RankingAnswer(column=":".join(parts) or None, **choices)


def title_of_file(file: str) -> str:
    """What a ranking is called that comes in a file."""
    return clean_name(Path(file).stem, 40) or "scores"


@dataclass(frozen=True, eq=False)
class OpenRanking:
    """An uploaded ranking that waits for an answer.

    Parameters
    ----------
    columns : FileColumns
    problem : str
        What is open, a sentence.
    answers : tuple of RankingAnswer
        The answers that fit.
    sha256 : str
        Fingerprint of the data set that is ranked.
    """

    columns: FileColumns = field(repr=False)
    problem: str
    answers: tuple[RankingAnswer, ...]
    sha256: str

    @property
    def labels(self) -> tuple[str, ...]:
        """Each answer in a few words."""
        return tuple(answers_in_words(self.answers))


@dataclass(frozen=True, eq=False)
class Uploads:
    """What is made of uploaded rankings.

    Parameters
    ----------
    rankings : mapping of str to OwnRanking
        Those that are understood, by what to call them.
    undecided : tuple of OpenRanking
        Those that wait for an answer.
    """

    rankings: Mapping[str, OwnRanking]
    undecided: tuple[OpenRanking, ...] = ()


def read_uploads(
    files: Sequence[tuple[str, bytes]],
    data: Dataset,
    present: Mapping[str, Sequence[float]] | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> Uploads:
    """Read rankings from files.

    A ranking whose name another one has, of these files or of those `present`, gets a number; the
    same scores under the same name are there once.
    """
    columns = [read_columns(content, name, cancelled=cancelled) for name, content in files]
    return understood_together([(file, None) for file in columns], data, present)


def understood_together(
    files: Sequence[tuple[FileColumns, RankingAnswer | None]],
    data: Dataset,
    present: Mapping[str, Sequence[float]] | None = None,
) -> Uploads:
    """Understand files as rankings, each by the answer that it was given."""
    rankings: dict[str, OwnRanking] = {}
    undecided: list[OpenRanking] = []
    taken = dict(present or {})
    for file, answer in files:
        try:
            own = understood(file, data, answer)
        except UndecidedRankingError as error:
            undecided.append(OpenRanking(file, error.problem, error.answers, data.sha256))
            continue
        scores = own.scores.tolist()
        title = _free_name(title_of_file(file.file), scores, taken)
        rankings[title], taken[title] = own, scores
    return Uploads(rankings, tuple(undecided))


def _free_name(title: str, scores: list[float], taken: Mapping[str, Sequence[float]]) -> str:
    """The title, with a number where another ranking has it."""
    numbered = (title if number == 1 else f"{title} ({number})" for number in count(1))
    return next(name for name in numbered if name not in taken or list(taken[name]) == scores)
