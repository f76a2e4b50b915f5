"""What to do with values that are missing or not finite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft
from cspca.datasets.files.question import Answer, Answers, Question
from cspca.datasets.files.questions.colours import precision
from cspca.datasets.record import DatasetError, nouns_of

_TEXT: Final = "What becomes of missing values?"


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Ask where values are missing; each answer says how much it leaves out."""
    foreign.check_values(draft.data.shape, draft.parsed.file)
    data = draft.data
    if data.dtype.kind not in "fc" or not data.size or _all_finite(data):
        return []
    finite = np.isfinite(data)
    bad_samples, bad_features = ~finite.all(axis=1), ~finite.all(axis=0)
    nouns = nouns_of(draft.shape)
    cells = int(np.count_nonzero(~finite))
    first = int(np.flatnonzero(bad_samples)[0]) + 1
    rows = nouns.count_samples(int(bad_samples.sum()))
    columns = nouns.count_features(int(bad_features.sum()))
    options: tuple[Answer, ...] = (
        Answer("rows", f"Leave out {rows}", example=f"{rows} of {len(data):,}"),
        Answer("columns", f"Leave out {columns}", example=f"{columns} of {data.shape[1]:,}"),
        Answer(
            "mean", f"Put the mean of its {nouns.feature} in place of each", example=f"{cells:,}"
        ),
        Answer("median", f"Put the median of its {nouns.feature} in place of each"),
    )
    are = "value is" if cells == 1 else "values are"
    if draft.skeleton is not None:  # every joint and distance is needed
        options = tuple(option for option in options if option.value != "columns")
    text = f"{cells:,} {are} missing or infinite, the first in {nouns.sample} {first:,}. {_TEXT}"
    return [Question("missing", text, options, "open")]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Make the values floating point, without missing ones."""
    # In place of what the parser held: a large array must not be kept twice.
    data = np.require(
        draft.data.astype(precision(draft.data.size), order="C", copy=False), requirements="W"
    )
    draft.data = data
    nouns = nouns_of(draft.shape)
    question = questions.get("missing")
    if question is not None:
        finite = np.isfinite(data)
        if question.value == "rows":
            _keep_samples(draft, np.asarray(finite.all(axis=1)))
        elif question.value == "columns":
            _keep_features(draft, np.asarray(finite.all(axis=0)))
        else:
            _fill(draft, finite, question.value)
    n_samples, n_features = draft.data.shape
    if n_samples < 2 or n_features < 1:
        raise DatasetError(
            f"{draft.parsed.file} holds {'only one' if n_samples else 'no'} {nouns.sample} (of "
            f"{nouns.count_features(n_features)}): bring at least two {nouns.samples}."
        )


def _all_finite(data: Array) -> bool:
    # NaN comes through both, and neither needs another array.
    return bool(np.isfinite(data.min()) and np.isfinite(data.max()))


def _keep_samples(draft: Draft, good: Array) -> None:
    nouns = nouns_of(draft.shape)
    draft.data = draft.data[good]
    draft.labels = None if draft.labels is None else draft.labels[good]
    if draft.sample_names is not None:
        draft.sample_names = tuple(np.array(draft.sample_names, dtype=object)[good])
    count = nouns.count_samples(int((~good).sum()))
    draft.notes.append(f"{count} with missing values left out.")


def _keep_features(draft: Draft, good: Array) -> None:
    if draft.shape is not None:
        raise DatasetError(
            f"{draft.parsed.file}: pixels cannot be left out of pictures: leave out samples, or "
            "put the mean in place of what is missing."
        )
    count = int((~good).sum())
    draft.data = np.ascontiguousarray(draft.data[:, good])
    if draft.feature_names is not None:
        draft.feature_names = tuple(np.array(draft.feature_names, dtype=object)[good])
    if draft.axis is not None:
        draft.axis = type(draft.axis)(
            tuple(np.array(draft.axis.values)[good].tolist()), draft.axis.unit
        )
    nouns = nouns_of(None)
    draft.notes.append(f"{nouns.count_features(count)} with missing values left out.")


def _fill(draft: Draft, finite: Array, how: str) -> None:
    for place in np.flatnonzero(~finite.all(axis=0)):
        column, good = draft.data[:, place], finite[:, place]
        if not good.any():
            raise DatasetError(
                f"{draft.parsed.file}: column {place + 1} holds no number at all: leave it out."
            )
        column[~good] = np.mean(column[good]) if how == "mean" else np.median(column[good])
    count = int(np.count_nonzero(~finite))
    are = "value was" if count == 1 else "values were"
    draft.notes.append(f"{count:,} missing {are} filled with the {how} of its column.")
