"""Reading a ranking: which column ranks the features, and what is good in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.rankings.answers import (
    Meaning,
    OwnRanking,
    RankingAnswer,
    RankingError,
    UndecidedRankingError,
    listed,
    short,
)
from cspca.selection.rankings.keys import Key, KeyFinder
from cspca.selection.rankings.table import (
    RankedFeatures,
    RankingColumn,
    filled,
    labels_of,
    turned,
)
from cspca.selection.rankings.words import (
    OWN_SCORES,
    declared_first,
    declared_places,
    kind_of,
    may_be_signed,
    tells_order,
)

_FEWEST_SORTED: Final = 6  # scores in falling order that are no accident


def read_ranking(
    columns: Sequence[RankingColumn],
    features: RankedFeatures,
    name: str = "The ranking",
    answer: RankingAnswer | None = None,
) -> OwnRanking:
    """Understand a table that ranks features.

    Raises
    ------
    UndecidedRankingError
        If its columns do not tell how to read it.
    RankingError
        If it is no ranking of these features: one sentence.
    """
    answer = answer or RankingAnswer()
    columns = turned(filled(columns), features)
    columns = KeyFinder(columns, features, name, answer).with_header()
    return _Reader(columns, features, name, answer).ranking()


@dataclass(frozen=True)
class _Reader:
    """The steps of reading: who the rows are, which column ranks them, and what is good in it."""

    columns: Sequence[RankingColumn]
    features: RankedFeatures
    name: str
    answer: RankingAnswer

    def ranking(self) -> OwnRanking:
        """Return the ranking as it is understood."""
        if not self.columns:
            raise RankingError(f"{self.name} holds nothing.", "Write a score for every feature.")
        key = self._keys.find()
        if key is None:
            listing = self._listing()
            if listing is not None:
                return listing
            key = self._keys.by_row()
        used = {id(column) for column in key.columns}
        others = [
            column
            for column in self.columns
            if column.numbers is not None and id(column) not in used
        ]
        may_rank = [column for column in others if not self._only_numbers(column, key)]
        has_answer = self.answer.column is not None
        if key.kind != "rows" and not (others if has_answer else may_rank):
            return self._listed_names(key)
        column = self._score_column(others, key)
        if key.kind == "names" and self.answer.meaning == "order" and column.wholes is not None:
            return self._listed(self._keys.numbered(column, column.wholes), column, "order")
        meaning = self._meaning(column, others, key)
        left_out = tuple(
            unused.title
            for unused in others
            if unused is not column and not self._only_numbers(unused, key)
        )
        values = self._valued(column, key, meaning)
        key = self._unpaired(key, values)
        return self._result(key, values, column, meaning, left_out)

    @property
    def _keys(self) -> KeyFinder:
        return KeyFinder(self.columns, self.features, self.name, self.answer)

    # Lists of features

    def _listing(self) -> OwnRanking | None:
        """A ranking whose only column of numbers lists features, best first."""
        d = self.features.n_features
        numeric = [column for column in self.columns if column.numbers is not None]
        listing = [column for column in numeric if not column.counts_rows or column.name]
        listing = listing or numeric[:1]
        if len(listing) != 1 or listing[0].wholes is None:
            return None
        (column,) = listing
        kind, meaning = kind_of(column.name), self.answer.meaning
        if kind in ("number", "order") and meaning in (None, "order", "selection"):
            meaning = meaning or "order"
        elif meaning is None and kind == "" and column.counts_all(d):
            raise UndecidedRankingError(
                f"{self.name}: {column.title} holds every whole number up to {d:,} once: it may "
                f"list the {self.features.nouns}, best first, or hold their ranks or scores.",
                self._answers(column, ("order", "small", "large")),
            )
        elif meaning is None and kind == "" and len(column.values) < d and self._may_number(column):
            raise UndecidedRankingError(
                f"{self.name}: {column.title} may list "
                f"{len(column.values):,} of the {self.features.count(d)}, best first, or without "
                "an order.",
                self._answers(column, ("order", "selection")),
            )
        elif meaning not in ("order", "selection"):
            return None
        assert column.wholes is not None
        return self._listed(self._keys.numbered(column, column.wholes), column, meaning)

    def _may_number(self, column: RankingColumn) -> bool:
        whole = column.wholes
        assert whole is not None
        return bool(whole.min() >= 0 and whole.max() <= self.features.n_features)

    def _listed_names(self, key: Key) -> OwnRanking:
        """Names, or numbers of features, without any score."""
        column, d = key.columns[0], self.features.n_features
        self._check_no_scores(key)
        meaning = self.answer.meaning
        is_turned = len(key.positions) == d and bool((np.diff(key.positions) < 0).any())
        if meaning is None and (tells_order(column.name) or is_turned):
            meaning = "order"
        if meaning not in ("order", "selection"):
            raise UndecidedRankingError(
                f"{self.name} lists {len(key.positions):,} of the {self.features.count(d)} without "
                "a score: best first, or without an order.",
                self._answers(column, ("order", "selection")),
            )
        return self._listed(key, column, meaning)

    def _check_no_scores(self, key: Key) -> None:
        """Refuse scores beside names that are written as no numbers."""
        for column in self.columns:
            is_number = column.numbers is not None and self._only_numbers(column, key)
            if column in key.columns or is_number:
                continue
            labels = [str(label) for label in labels_of(column)]
            with_digits = sum(any(letter.isdigit() for letter in label) for label in labels)
            if (
                kind_of(column.name) in ("score", "rank", "p-value")
                or with_digits > len(labels) / 2
            ):
                raise RankingError(
                    f"{self.name}: {column.title} holds words, such as {short(labels[-1])}.",
                    "Write its scores as plain numbers.",
                )

    def _listed(self, key: Key, column: RankingColumn, meaning: Meaning) -> OwnRanking:
        n_listed, d = len(key.positions), self.features.n_features
        if meaning == "selection" and n_listed == d:
            raise RankingError(
                f"{self.name} lists all {self.features.count(d)} without an order.",
                "List those that are selected, or scores.",
            )
        values = np.ones(n_listed) if meaning == "selection" else np.arange(n_listed, 0.0, -1.0)
        return self._result(key, values, column, meaning, ())

    # Which column ranks, and what is good in it

    def _score_column(self, others: Sequence[RankingColumn], key: Key) -> RankingColumn:
        if self.answer.column is not None:
            for column in self.columns:
                if self.answer.column in (column.name, column.title, f"column {column.place}"):
                    if column.numbers is None:
                        raise RankingError(f"{self.name}: {column.title} holds no numbers.")
                    return column
            titles = listed([column.title for column in others], len(others))
            raise RankingError(
                f"{self.name} has no column {short(self.answer.column)}.",
                f"Its columns of numbers are {titles}.",
            )
        candidates = [column for column in others if not self._only_numbers(column, key)]
        usable = [column for column in candidates if kind_of(column.name) != "spread"]
        if not usable:
            return self._nothing_to_rank_by(candidates)
        if len(usable) > 1:
            usable = [column for column in usable if _varies(column)] or usable[:1]
        by_kind: dict[str, list[RankingColumn]] = {}
        for column in usable:
            by_kind.setdefault(kind_of(column.name), []).append(column)
        for header in OWN_SCORES:
            for column in usable:
                if column.name == header:
                    return column
        for kind in ("score", "rank"):
            if kind in by_kind:
                return self._score_among(by_kind[kind])
        unknown = by_kind.get("", []) + by_kind.get("row", []) + by_kind.get("column", [])
        unknown += by_kind.get("number", []) + by_kind.get("order", [])
        unknown += by_kind.get("ambiguous", []) + by_kind.get("log p-value", [])
        if not unknown:
            masks, p_values = by_kind.get("mask", []), by_kind.get("p-value", [])
            return self._score_among(p_values or masks)
        return self._score_among([column for column in usable if kind_of(column.name) != "mask"])

    def _nothing_to_rank_by(self, candidates: Sequence[RankingColumn]) -> RankingColumn:
        if candidates:
            raise UndecidedRankingError(
                f"{self.name} has no column of scores: "
                f"{listed([column.title for column in candidates])} "
                f"{'tells a spread' if len(candidates) == 1 else 'tell spreads'}.",
                [self._answer_for(column) for column in candidates],
            )
        raise RankingError(
            f"{self.name} has no column of scores.",
            f"Write a score for every {self.features.noun}.",
        )

    def _score_among(self, columns: Sequence[RankingColumn]) -> RankingColumn:
        """The only column, or the first of some that are equal."""
        first, *others = columns
        if all(np.array_equal(first.values, column.values) for column in others):
            return first
        titles = listed([column.title for column in columns], 6)
        raise UndecidedRankingError(
            f"{self.name} has {len(columns)} columns that may be the score: {titles}.",
            [self._answer_for(column) for column in columns],
        )

    def _answer_for(self, column: RankingColumn) -> RankingAnswer:
        return replace(self.answer, column=self._unique_title(column))

    def _unique_title(self, column: RankingColumn) -> str:
        """Header of a column, or its place where another one has that header."""
        is_unique = [header.name for header in self.columns].count(column.name) == 1
        return column.title if is_unique else f"column {column.place}"

    def _answers(
        self, column: RankingColumn, meanings: Sequence[Meaning]
    ) -> tuple[RankingAnswer, ...]:
        return tuple(
            replace(self.answer, column=self._unique_title(column), meaning=meaning)
            for meaning in meanings
        )

    def _only_numbers(self, column: RankingColumn, key: Key) -> bool:
        """Whether a column only numbers rows or features that are identified already."""
        kind = kind_of(column.name)
        if key.kind == "rows":
            return column.counts_rows and kind in ("", "number") and len(self.columns) > 1
        if kind in ("row", "column") and declared_first(column.name) is not None:
            return True
        whole = column.wholes
        if whole is None or kind not in ("", "number", "order"):
            return False
        is_numbering = any(np.array_equal(whole - first, key.positions) for first in (0, 1)) or (
            declared_places(column.name) is not None
        )
        return is_numbering or (column.counts_rows and not column.name)

    def _meaning(self, column: RankingColumn, others: Sequence[RankingColumn], key: Key) -> Meaning:
        """What is good in a column: its header says so, or it is asked."""
        if self.answer.meaning in ("large", "small", "magnitude"):
            return self.answer.meaning
        kind, d = kind_of(column.name), self.features.n_features
        is_log_of_p = kind == "log p-value" and not (column.values > 0).any()
        if kind in ("rank", "p-value") or is_log_of_p:
            return "small"
        if self.answer.meaning is not None:
            raise RankingError(
                f"{self.name}: {column.title} holds scores beside what says whose they are, and no "
                "list.",
                "Say that large or small is good.",
            )
        if kind == "log p-value":
            raise UndecidedRankingError(
                f"{self.name}: {column.title} has values above 0, which no logarithm of a p-value "
                "has: its sign may be turned, or be that of an effect.",
                self._answers(column, ("large", "small", "magnitude")),
            )
        if kind == "ambiguous":
            raise UndecidedRankingError(
                f"{self.name}: large may be good in {column.title}, or small: its header leaves "
                "that open.",
                self._answers(column, ("large", "small")),
            )
        if kind == "" and column.counts_all(d):
            raise UndecidedRankingError(
                f"{self.name}: {column.title} holds every whole number up to {d:,} once: they may "
                "be ranks, of which small is good, or scores.",
                self._answers(column, ("small", "large")),
            )
        if kind == "order" and key.kind == "names" and column.counts_all(d):
            raise UndecidedRankingError(
                f"{self.name}: {column.title} holds every whole number up to {d:,} once beside the "
                f"names: they may be ranks of these {self.features.nouns}, or list the "
                f"{self.features.nouns} by their numbers, best first.",
                self._answers(column, ("small", "order")),
            )
        if may_be_signed(column.name) and (column.values < 0).any():
            raise UndecidedRankingError(
                f"{self.name}: {column.title} has values below 0: what is far from 0 may be good, "
                "or what is large.",
                self._answers(column, ("magnitude", "large")),
            )
        for ranks in others:
            if kind_of(ranks.name) == "rank" and _opposes(column, ranks):
                raise UndecidedRankingError(
                    f"{self.name}: by {ranks.title} the best {self.features.noun} has the lowest "
                    f"{column.title}, so that small may be good in it.",
                    self._answers(column, ("small", "large")),
                )
        if key.kind == "rows" and self.answer.places is None and _is_sorted(column.values):
            raise UndecidedRankingError(
                f"{self.name} lists its scores from one end to the other and has no names, so that "
                f"it does not say which {self.features.noun} each score is of.",
                [replace(self.answer, places="set")],
            )
        return "large"

    def _valued(self, column: RankingColumn, key: Key, meaning: Meaning) -> FloatArray:
        """The values of the rows, large being good."""
        values = column.values
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            names, at = self.features.names, int(key.positions[wrong[0]])
            which = f"{self.features.noun} {at}, counted from 0,"
            if names is not None:
                which = short(str(names[at]))
            raise RankingError(
                f"{self.name}: the score of {which} is {values[wrong[0]]}.",
                f"Give every {self.features.noun} a finite number, or leave its row out.",
            )
        if meaning == "magnitude":
            return np.abs(values)
        return -values if meaning == "small" else values.copy()

    def _unpaired(self, key: Key, values: FloatArray) -> Key:
        """Tell an order beside scores of all features from numbers beside their own scores.

        MATLAB's selectors return both: the features best first, and the score of each feature.
        """
        n_features = self.features.n_features
        has_both = key.kind == "numbers" and len(values) == n_features
        if not has_both or declared_places(key.columns[0].name) is not None:
            return key
        is_paired = bool((np.diff(values) <= 0).all())
        if not is_paired and bool((np.diff(values[key.positions]) <= 0).all()):
            return replace(key, kind="rows", positions=np.arange(n_features))
        return key

    def _result(
        self,
        key: Key,
        values: FloatArray,
        column: RankingColumn,
        meaning: Meaning,
        left_out: tuple[str, ...],
    ) -> OwnRanking:
        n_features, n_listed = self.features.n_features, len(key.positions)
        if n_listed < n_features and values.min() <= 0:
            # Places among those that are listed: all above the 0 of the others.
            values = np.unique(values, return_inverse=True)[1] + 1.0
        scores = np.zeros(n_features)
        scores[key.positions] = values
        if np.ptp(scores) == 0:
            raise RankingError(
                f"{self.name}: all scores are the same, so that they order no "
                f"{self.features.nouns}.",
                "Bring scores that differ.",
            )
        return OwnRanking(
            scores=scores,
            key=key.kind,
            title=column.title if left_out else column.name,
            meaning=meaning,
            first=key.first,
            places=key.places,
            left_out=left_out,
            n_unranked=n_features - n_listed,
            noun=self.features.noun,
        )


def _varies(column: RankingColumn) -> bool:
    finite = column.values[np.isfinite(column.values)]
    return bool(len(finite) and np.ptp(finite) > 0)


def _is_sorted(values: FloatArray) -> bool:
    steps = np.diff(values)
    is_monotonic = bool((steps <= 0).all() or (steps >= 0).all())
    return is_monotonic and len(np.unique(values)) >= _FEWEST_SORTED


def _opposes(column: RankingColumn, rank: RankingColumn) -> bool:
    """Whether a column rises with the rank all along."""
    if not np.isfinite(column.values + rank.values).all() or not _varies(rank):
        return False
    by_rank = column.values[np.argsort(rank.values, kind="stable")]
    return bool((np.diff(by_rank) >= 0).all() and np.ptp(by_rank) > 0)
