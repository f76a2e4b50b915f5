"""Which feature each row of a ranking is of: by name, by place in a picture, by number, by row."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from cspca.selection.rankings.answers import (
    First,
    KeyKind,
    Places,
    RankingAnswer,
    RankingError,
    UndecidedRankingError,
    short,
)
from cspca.selection.rankings.table import (
    Numbers,
    RankedFeatures,
    RankingColumn,
    labels_of,
    numbers_of,
)
from cspca.selection.rankings.words import (
    declared_first,
    declared_places,
    kind_of,
    numbers_in_names,
    tells_names,
)

_PIXEL_NAME: Final = re.compile(r"r(\d{1,6})c(\d{1,6})")


@dataclass(frozen=True)
class Key:
    """Which feature each row is of."""

    kind: KeyKind
    positions: Numbers
    columns: tuple[RankingColumn, ...] = ()
    first: int = 0
    places: Places = "set"


@dataclass(frozen=True)
class KeyFinder:
    """The ways to find out which feature each row is of."""

    columns: Sequence[RankingColumn]
    features: RankedFeatures
    name: str
    answer: RankingAnswer

    def find(self) -> Key | None:
        """Go by names, else by places in a picture, else by numbers; None without any."""
        return self._by_name() or self._by_pixel() or self._by_number()

    def with_header(self) -> Sequence[RankingColumn]:
        """The columns, named by the first row of a table of words where that names no feature."""
        if any(column.numbers is not None or column.name for column in self.columns):
            return self.columns
        for column in self.columns:
            positions = self._named(column)
            if len(positions) > 1 and positions[0] is None and None not in positions[1:]:
                return [
                    RankingColumn.of(str(labels_of(words)[0]), labels_of(words)[1:], words.place)
                    for words in self.columns
                ]
        return self.columns

    def _by_name(self) -> Key | None:
        """Go by a column that holds names of the features, each once."""
        best: tuple[int, RankingColumn, list[int | None]] | None = None
        for column in self.columns:
            if column.labels is None and kind_of(column.name) != "":
                continue
            stands_alone = column.numbers is not None and len(self.columns) == 1
            if stands_alone and kind_of(column.name) not in ("number", "order"):
                # Names that are numbers may be scores or ranks as well.
                continue
            positions = self._named(column)
            n_matches = sum(position is not None for position in positions)
            if n_matches and (best is None or n_matches > best[0]):
                best = n_matches, column, positions
        words = [column for column in self.columns if column.numbers is None]
        if best is None:
            self._check_unknown(words)
            return None
        n_matches, column, positions = best
        self._check_same_order(words, column, positions)
        unknown = [
            str(label)
            for label, position in zip(labels_of(column), positions, strict=True)
            if position is None
        ]
        if unknown:
            if column.numbers is not None:
                return None
            self._refuse_unknown(unknown, set(positions), column)
        matched = [position for position in positions if position is not None]
        places = np.array(matched, dtype=np.intp)
        self._check_once(places, column)
        return Key("names", places, (column,))

    def _check_same_order(
        self, words: Sequence[RankingColumn], column: RankingColumn, positions: list[int | None]
    ) -> None:
        """Refuse a table with several lists of names, such as one a class."""
        if None in positions:
            return
        for word_column in words:
            also = self._named(word_column)
            if word_column is not column and None not in also and also != positions:
                raise RankingError(
                    f"{self.name} has names of {self.features.nouns} in {column.title} and in "
                    f"{word_column.title}, in different orders.",
                    "Keep one of these columns.",
                )

    def _named(self, column: RankingColumn) -> list[int | None]:
        """The feature of each label of a column, None where there is no such name."""
        names = self.features.reference_names
        labels = labels_of(column)
        if len(set(names)) < len(names) or not names:
            return [None] * len(labels)
        exact = {name: at for at, name in enumerate(names)}
        matched = [exact.get(label) for label in labels]
        if None not in matched:
            return matched
        if column.numbers is not None:
            if kind_of(column.name) not in ("", "number"):
                return [None] * len(labels)
            numbers = numbers_of([str(name) for name in names])
            if numbers is None or np.isnan(numbers).any():
                return [None] * len(labels)
            by_number = {number: at for at, number in enumerate(numbers.tolist())}
            numeric = [by_number.get(value) for value in column.values.tolist()]
            return numeric if None not in numeric else [None] * len(labels)
        for spelling in (_stripped, _folded, _folded_of_r):
            spelled = [spelling(name) for name in names]
            if len(set(spelled)) < len(spelled):
                continue
            by_spelling = {name: at for at, name in enumerate(spelled)}
            candidate = [by_spelling.get(spelling(label)) for label in labels]
            if candidate.count(None) < matched.count(None):
                matched = candidate
        return matched

    def _check_unknown(self, words: Sequence[RankingColumn]) -> None:
        """Refuse a column of names of which these features have none."""
        numbered = any(
            column.wholes is not None and kind_of(column.name) in ("number", "order")
            for column in self.columns
        )
        for column in words:
            labels = [str(label) for label in labels_of(column) if label != ""]
            if not labels or (numbered and not self.features.names):
                continue
            if numbers_in_names(labels) is not None or self._are_pixels(column):
                continue
            if len(set(labels)) == len(labels) > 1 or tells_names(column.name):
                self._refuse_unknown(labels, set(), column)

    def _refuse_unknown(
        self, unknown: Sequence[str], matched: set[int | None], column: RankingColumn
    ) -> None:
        features = self.features
        names = features.reference_names
        lacks = [str(name) for at, name in enumerate(names) if at not in matched]
        if features.names is None and not matched - {None}:
            raise RankingError(
                f"{self.name} has names in {column.title}, such as {short(unknown[0])}, which are "
                f"not those of the {features.nouns} here.",
                f"Put one score a row in the order of the {features.nouns}, or number and score.",
            )
        are = "is" if len(unknown) == 1 else "are"
        missing = "all names of these data stand in it"
        advice = "Leave such rows out."
        if lacks:
            lack = "is" if len(lacks) == 1 else "are"
            advice = "Write the names of these data."
            missing = (
                f"{len(lacks):,} of the {features.count(len(names))} {lack} not in it, such as "
                f"{short(lacks[0])}"
            )
        n_names = len(labels_of(column))
        names_here = (
            f"{len(unknown):,} of the {n_names:,} names in {column.title} {are} unknown here"
        )
        if len(unknown) == n_names:
            names_here = f"none of the {n_names:,} names in {column.title} is known here"
        raise RankingError(
            f"{self.name}: {names_here}, such as {short(unknown[0])}, and {missing}.",
            advice,
        )

    def _check_once(self, positions: Numbers, column: RankingColumn) -> None:
        values, counts = np.unique(positions, return_counts=True)
        if (counts > 1).any():
            at = int(values[np.argmax(counts > 1)])
            names = self.features.reference_names
            label = short(str(names[at])) if names else f"{self.features.noun} {at}"
            raise RankingError(
                f"{self.name}: {label} stands in {int(counts.max()):,} rows by {column.title}.",
                f"Keep one row a {self.features.noun}.",
            )

    def _are_pixels(self, column: RankingColumn) -> bool:
        labels = [str(label) for label in labels_of(column)]
        return all(_PIXEL_NAME.fullmatch(label) for label in labels)

    def _by_pixel(self) -> Key | None:
        """Go by row and column of a picture."""
        if self.features.image_shape is None:
            return None
        pair = self._of_kinds("row", "column") or self._of_names("y", "x")
        if pair is None:
            return None
        row, column = pair
        height, width = self.features.image_shape
        candidates: dict[First, Numbers] = {}
        for first in (0, 1):
            bases = {declared_first(row.name), declared_first(column.name), self.answer.first}
            rows, places = row.values - first, column.values - first
            is_whole = np.isfinite(rows + places).all() and (np.r_[rows, places] % 1 == 0).all()
            is_inside = (np.r_[rows, places] >= 0) & (np.r_[rows >= height, places >= width] == 0)
            if bases <= {None, first} and is_whole and is_inside.all():
                candidates[first] = (rows * width + places).astype(np.intp)
        if not candidates:
            raise RankingError(
                f"{self.name}: {row.title} and {column.title} go beyond the {height} × {width} "
                "pixels of these pictures.",
                "Rank the pixels of pictures of this size.",
            )
        if len(candidates) > 1:
            raise UndecidedRankingError(
                f"{self.name}: {row.title} and {column.title} may count from 0 or from 1.",
                [replace(self.answer, first=first) for first in candidates],
            )
        ((first, positions),) = candidates.items()
        self._check_once(positions, column)
        return Key("pixels", positions, (row, column), first)

    def _of_kinds(self, *kinds: str) -> list[RankingColumn] | None:
        """The first column of numbers of each kind, unless one is missing."""
        numeric = [column for column in self.columns if column.numbers is not None]
        by_kind = [
            [
                column
                for column in numeric
                if kind_of(column.name) == kind and declared_places(column.name) != "file"
            ]
            for kind in kinds
        ]
        return [columns[0] for columns in by_kind] if all(by_kind) else None

    def _of_names(self, *names: str) -> list[RankingColumn] | None:
        """The column of numbers of each name, unless one is missing."""
        by_name = {
            column.name.lower(): column for column in self.columns if column.numbers is not None
        }
        return [by_name[name] for name in names] if by_name.keys() >= set(names) else None

    def _by_number(self) -> Key | None:
        """Go by a column of numbers of features beside scores, or of names such as f0."""
        for column in self.columns:
            if column.numbers is None:
                numbers = numbers_in_names([str(label) for label in labels_of(column)])
                if numbers is not None:
                    return self.numbered(column, np.array(numbers, dtype=np.intp))
        numbering = self._number_column()
        if numbering is None:
            return None
        if numbering.wholes is None:
            raise self._no_numbers(numbering)
        return self.numbered(numbering, numbering.wholes)

    def _number_column(self) -> RankingColumn | None:
        """The column that numbers the features beside others: by its header, or by its values."""
        numeric = [column for column in self.columns if column.numbers is not None]
        others = [column for column in numeric if column.name or not column.counts_rows]
        if len(numeric) < 2 or not others:
            return None
        for column in numeric:
            if declared_places(column.name) is not None:
                return column
        for column in others:
            if kind_of(column.name) in ("number", "order"):
                return column if len(others) > 1 else None
        d, first = self.features.n_features, numeric[0]
        if kind_of(first.name) == "" and first in others and len(others) > 1:
            few = first.wholes is not None and len(first.values) <= d and not first.name
            has_fractions = any((column.values % 1 != 0).any() for column in others[1:])
            if first.counts_all(d) or (few and has_fractions and len(others) == 2):
                return first
        for column in others:
            may_number = kind_of(column.name) == "" and column.counts_all(d) and len(others) > 1
            scores = [score for score in others if score is not column]
            if may_number and not any(is_ranked_by(score, column) for score in scores):
                return column
        return None

    def _no_numbers(self, column: RankingColumn) -> RankingError:
        d = self.features.n_features
        return RankingError(
            f"{self.name}: {column.title} should number the {self.features.nouns}, each once, from "
            f"0 to {d - 1:,} or from 1 to {d:,}.",
            "Mend its numbers, or leave it out and put one score a row.",
        )

    def numbered(self, column: RankingColumn, numbers: Numbers) -> Key:
        """Find out from where numbers count, and what."""
        features, answer = self.features, self.answer
        candidates: dict[tuple[int, ...], tuple[First, Places]] = {}
        for places in features.numberings:
            counted = features.file_columns if places == "file" else range(features.n_features)
            position_of = {number: at for at, number in enumerate(counted or ())}
            for first in (0, 1):
                stated = (
                    (first, declared_first(column.name)),
                    (first, answer.first),
                    (places, declared_places(column.name) or answer.places),
                )
                if any(value is not None and value != own for own, value in stated):
                    continue
                positions = [position_of.get(number - first) for number in numbers.tolist()]
                if None not in positions:
                    matched = tuple(at for at in positions if at is not None)
                    candidates.setdefault(matched, (first, places))
        if not candidates or len(set(numbers.tolist())) < len(numbers):
            raise self._no_numbers(column)
        if len(candidates) == 1:
            ((matched, (first, places)),) = candidates.items()
            return Key("numbers", np.array(matched), (column,), first, places)
        bases = {first for first, _ in candidates.values()}
        numberings = {places for _, places in candidates.values()}
        answers = [
            replace(
                answer,
                first=first if len(bases) > 1 else answer.first,
                places=places if len(numberings) > 1 else answer.places,
            )
            for first, places in candidates.values()
        ]
        if len(numberings) > 1:
            problem = (
                f"{self.name}: {column.title} may number the {features.nouns} as they stand here, "
                "or the columns of their file, which stand in another order."
            )
        else:
            problem = (
                f"{self.name}: {column.title} holds neither 0 nor {features.n_features:,}, so that "
                f"it may count the {features.nouns} from 0 or from 1."
            )
        raise UndecidedRankingError(problem, answers)

    def by_row(self) -> Key:
        """Go by the order of the rows, which have to be as many as the features."""
        features, n_rows = self.features, len(labels_of(self.columns[0]))
        d = features.n_features
        if n_rows != d:
            raise RankingError(
                f"{self.name} has {n_rows:,} scores for {features.count(d)} and no names of them.",
                f"Write one row a {features.noun}, or its name or number beside the score.",
            )
        places = self.answer.places
        if len(features.orders) > 1 and places is None:
            raise UndecidedRankingError(
                f"{self.name} has no names, and the columns of the file of these data stand in "
                f"another order than the {features.nouns} here: its rows may follow either.",
                [replace(self.answer, places=order) for order in features.orders],
            )
        positions = np.arange(d)
        if places == "file" and features.file_columns is not None:
            positions = np.argsort(features.file_columns)
        return Key("rows", positions, (), 0, places or "set")


def is_ranked_by(column: RankingColumn, ranks: RankingColumn) -> bool:
    """Whether a column rises or falls all along with the ranks in another."""
    values = column.values[np.argsort(ranks.values, kind="stable")]
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return False
    return bool((np.diff(values) >= 0).all() or (np.diff(values) <= 0).all())


def _stripped(name: Hashable) -> str:
    return str(name).strip().strip("\"'").strip()


def _folded(name: Hashable) -> str:
    """A name without punctuation, which programs replace by dots and underscores."""
    return re.sub(r"[\W_]+", "", str(name).casefold())


def _folded_of_r(name: Hashable) -> str:
    """The same without the X that R puts before a digit."""
    return re.sub(r"^x(?=\d)", "", _folded(name))
