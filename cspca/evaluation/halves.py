"""Halves of the samples, drawn at random: whole groups, and by class where classes are judged.

What is fitted on one half is measured on the other. Halves by the order of the rows would leak or
break wherever that order means something: replicates side by side, case and control in turn. These
depend on it by chance alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.evaluation.kmeans import IntArray
from cspca.labels import parse_labels
from cspca.preprocessing import distinct_rows

Marks = NDArray[np.bool_]

N_HALVINGS: Final = 5
"""Halvings that a figure is the mean over: another order of the rows moves the figure of a single
halving twice as far."""

MOST_SAMPLES: Final = 4000
"""Samples that are drawn for the halvings of a score where there are more."""

FEWEST_GROUPS: Final = 5
"""Groups below which drawing them again tells nothing."""

FEWEST_IN_HALF: Final = 4
"""Different samples, or groups, that a half needs to be fitted."""


@dataclass(frozen=True, eq=False)
class SampleGroups:
    """Which samples stay in one half together.

    Parameters
    ----------
    numbers : int array of shape (n_samples,)
        Group of each sample, from 0: of those that were given, else of equal rows.
    n_copies : int
        Samples that equal an earlier one in every feature; where groups were given, samples that
        equal one of another group.
    explicit : bool, default=False
        Whether the groups were given.
    """

    numbers: IntArray
    n_copies: int
    explicit: bool = False

    @property
    def units(self) -> IntArray | None:
        """Groups that are drawn whole wherever samples are drawn; None draws single samples."""
        return self.numbers if self.explicit else None


@dataclass(frozen=True, eq=False)
class Halving:
    """Two halves of the samples.

    Parameters
    ----------
    first : bool array of shape (n_samples,)
        Marks the samples of the first half.
    rows : tuple of two int arrays
        Samples of each half that are used, in random order.
    """

    first: Marks
    rows: tuple[IntArray, IntArray]

    @property
    def ways(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        """Rows to fit and rows to measure, both ways round."""
        return self.rows, self.rows[::-1]


def number_groups(groups: ArrayLike, n_samples: int | None = None) -> IntArray:
    """Number groups from 0 by their first sample, so that names have no part in what is drawn.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        Group of each sample: text, numbers, anything that labels may be.
    n_samples : int or None, default=None
        How many there must be.

    Raises
    ------
    ValueError
        One sentence, if there is not one a sample, one is missing, or all are the same.
    """
    if np.ndim(groups) == 1 and n_samples not in (None, np.size(groups)):
        raise ValueError(
            f"groups has {np.size(groups)} entries for {n_samples} samples: give one a sample."
        )
    parsed = parse_labels(groups, "groups")
    if parsed.n_unlabelled:
        raise ValueError(
            f"groups has missing entries, {parsed.n_unlabelled} of {len(parsed.numbers)}: give "
            "every sample a group, one of its own where it belongs to no other."
        )
    if len(parsed.classes) < 2:
        raise ValueError(
            "groups has a single group: two halves need at least two. Leave groups out, or give "
            "the samples that belong together a group of their own."
        )
    number_of: dict[int, int] = {}
    numbers = [number_of.setdefault(group, len(number_of)) for group in parsed.numbers.tolist()]
    return np.array(numbers, dtype=np.intp)


def sample_groups(X: ArrayLike, groups: ArrayLike | None = None) -> SampleGroups:
    """Samples that stay together: those of one of the given groups, else copies of each other.

    A copy in the other half would be measured against itself. Where groups are given they alone
    decide: to treat equal samples as independent, give each a group of its own.
    """
    first, copy_of = distinct_rows(np.asarray(X))
    n_distinct = len(first)
    if groups is not None:
        numbers = number_groups(groups, len(copy_of))
        lowest, highest = np.full(n_distinct, len(numbers)), np.full(n_distinct, -1)
        np.minimum.at(lowest, copy_of, numbers)
        np.maximum.at(highest, copy_of, numbers)
        return SampleGroups(numbers, int((lowest < highest)[copy_of].sum()), explicit=True)
    n_copies = len(copy_of) - n_distinct
    # Where all samples are the same nothing can be kept apart.
    numbers = copy_of if n_distinct > 1 else np.arange(len(copy_of))
    return SampleGroups(numbers, n_copies)


def check_seed(random_state: Any) -> int:
    """A seed of halves, refused where it is none."""
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(f"random_state must be a whole number from 0, got {random_state!r}.")
    return int(random_state)


def draw_halvings(
    groups: IntArray,
    classes: IntArray | None = None,
    *,
    random_state: int = 0,
    start: int = 0,
    n_halvings: int = N_HALVINGS,
    max_samples: int | None = None,
) -> Iterator[Halving]:
    """Deal whole groups to two halves at random, several times.

    Each group goes to the half that has fewer samples so far, by class to the one that has fewer of
    its most frequent class. The halves depend on the seed, the number of the halving, the sizes of
    the groups and the place of each sample: other orders of the rows give other halves of the same
    distribution.

    Parameters
    ----------
    groups : int array of shape (n_samples,)
        Of :func:`sample_groups`.
    classes : int array of shape (n_samples,) or None, default=None
        Classes from 0 that each half shall have its share of.
    random_state : int, default=0
        Seed.
    start : int, default=0
        Number of the first halving that is drawn.
    n_halvings : int, default=5
    max_samples : int or None, default=None
        Samples that are used of both halves together; None is all.

    Yields
    ------
    Halving
    """
    check_seed(random_state)
    if not isinstance(n_halvings, Integral) or n_halvings < 1:
        raise ValueError(f"n_halvings must be a whole number from 1, got {n_halvings!r}.")
    _, groups = np.unique(groups, return_inverse=True)
    sizes = np.bincount(groups)
    class_of_group = np.zeros(len(sizes), dtype=np.intp)
    if classes is not None:
        class_of_group = _most_frequent(groups, classes)
    for number in range(start, start + n_halvings):
        rng = np.random.default_rng([random_state, number])
        first = _deal(sizes, class_of_group, rng)[groups]
        most = None if max_samples is None else max_samples // 2
        rows = [rng.permutation(np.flatnonzero(half))[:most] for half in (first, ~first)]
        yield Halving(first, (rows[0], rows[1]))


def check_units(together: SampleGroups, samples: str = "samples") -> None:
    """Refuse samples of which two halves would have too few that differ, or too few groups."""
    n_units = int(together.numbers.max()) + 1
    if n_units < 2 * FEWEST_IN_HALF:
        raise ValueError(
            f"Each half needs at least {FEWEST_IN_HALF} {_units(together, samples)}, and the data "
            f"have {n_units} in all: bring more, or fit them without halves."
        )


def draw_pair(
    X: NDArray[Any],
    together: SampleGroups,
    number: int,
    *,
    random_state: int = 0,
    samples: str = "samples",
) -> tuple[IntArray, IntArray]:
    """Rows of two complementary halves to be fitted, in their order; classes have no part.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    together : SampleGroups
        Samples that stay in one half.
    number : int
        Number of the pair.
    random_state : int, default=0
        Seed.
    samples : str, default="samples"
        Their name in an error.

    Raises
    ------
    ValueError
        One sentence, if a half has too few different samples or groups, or does not vary.
    """
    (halving,) = draw_halvings(
        together.numbers, random_state=random_state, start=number, n_halvings=1
    )
    for half in halving.rows:
        n_units = np.unique(together.numbers[half]).size
        if n_units < FEWEST_IN_HALF:
            raise ValueError(
                f"A half of pair {number + 1} has {n_units} {_units(together, samples)}, and at "
                f"least {FEWEST_IN_HALF} are needed: the groups differ too much in size. Split the "
                "largest, or leave groups out."
            )
        if not np.ptp(X[half], axis=0).any():
            raise ValueError(
                f"All {samples} of a half of pair {number + 1} are the same: give groups that "
                "differ within a half."
            )
    first, second = halving.rows
    return np.sort(first), np.sort(second)


def _units(together: SampleGroups, samples: str) -> str:
    return "groups" if together.explicit else f"different {samples}"


def _most_frequent(groups: IntArray, classes: IntArray) -> IntArray:
    """Most frequent class of each group."""
    n_classes = int(classes.max()) + 1
    pairs, counts = np.unique(groups * n_classes + classes, return_counts=True)
    of_group, of_class = np.divmod(pairs, n_classes)
    by_count = np.lexsort((counts, of_group))
    last = np.flatnonzero(np.diff(of_group[by_count], append=-1))
    most_frequent: IntArray = of_class[by_count[last]]
    return most_frequent


def _deal(sizes: IntArray, class_of_group: IntArray, rng: np.random.Generator) -> Marks:
    """Mark the groups of the first half."""
    order = rng.permutation(len(sizes))
    order = order[np.argsort(class_of_group[order], kind="stable")]
    first = np.zeros(len(sizes), dtype=bool)
    # By how many samples the first half leads, in all and in the class at hand.
    lead = class_lead = 0
    current = -1
    for group, of_class, size in zip(
        order.tolist(), class_of_group[order].tolist(), sizes[order].tolist(), strict=True
    ):
        if of_class != current:
            current, class_lead = of_class, 0
        to_first = class_lead < 0 or (class_lead == 0 and lead <= 0)
        first[group] = to_first
        lead += size if to_first else -size
        class_lead += size if to_first else -size
    return first


def copies_across_groups_words(n_copies: int, n_samples: int, samples: str) -> str:
    """How many samples have a copy in another group, and what to do, in a sentence."""
    return (
        f"{n_copies:,} of {n_samples:,} {samples} equal one of another group, and may be measured "
        f"against it in held-out halves: give equal {samples} one group."
    )
