"""What tells two groups of samples apart: the difference of the means, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FEWEST: Final = 3
"""Samples of both groups together, of which a deviation within the groups can be told."""

_ROUND_OFF: Final = 1e-12
"""Share of the larger mean up to which a deviation is the rounding of equal values."""

_ROWS: Final = 4096
"""Rows that are taken at a time, so that no copy of a large data set is made."""


@dataclass(frozen=True, eq=False)
class GroupContrast:
    """Two groups of samples, feature by feature.

    Parameters
    ----------
    first_mean, second_mean : ndarray of shape (n_features,)
        Means of the two groups.
    deviation : ndarray of shape (n_features,)
        Pooled standard deviation within the groups; 0 where it is only round-off.
    """

    first_mean: Floats
    second_mean: Floats
    deviation: Floats

    @property
    def values(self) -> Floats:
        """Difference of the means over the deviation; NaN where that is 0."""
        values = np.full(len(self.deviation), np.nan)
        difference = self.first_mean - self.second_mean
        np.divide(difference, self.deviation, out=values, where=self.deviation > 0.0)
        return values

    @property
    def order(self) -> NDArray[np.intp]:
        """Features with a value, the largest absolute one first."""
        size = np.abs(self.values)
        order = np.argsort(-np.nan_to_num(size, nan=-1.0), kind="stable")
        return order[: np.count_nonzero(~np.isnan(size))]


def group_contrast(X: ArrayLike, first: ArrayLike, second: ArrayLike) -> GroupContrast:
    """Compare the means of two groups of samples, in units of the deviation within them.

    It describes the samples at hand. Where the groups were chosen by looking at them it is no test.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples as rows.
    first : array-like of bool, shape (n_samples,)
        Marks the samples of one group.
    second : array-like of bool, shape (n_samples,)
        Marks the samples of the other.

    Returns
    -------
    GroupContrast
        With n samples in the groups the pooled variance is the sum of the squared distances from
        the mean of the own group over n − 2.

    Raises
    ------
    ValueError
        If a group is empty, a sample is in both, or both have fewer than three samples together.

    Examples
    --------
    >>> from cspca.evaluation import group_contrast
    >>> X = [[0.0, 1.0], [2.0, 1.0], [4.0, 1.0], [6.0, 1.0]]
    >>> contrast = group_contrast(X, [False, False, True, True], [True, True, False, False])
    >>> [round(float(value), 3) for value in contrast.values]
    [2.828, nan]
    """
    samples = np.asarray(X)
    marks = [np.asarray(group, dtype=bool) for group in (first, second)]
    if (marks[0] & marks[1]).any():
        raise ValueError("A sample is in both groups: choose groups that share none.")
    sizes = [int(np.count_nonzero(mark)) for mark in marks]
    if not all(sizes):
        raise ValueError("A group is empty: choose at least one sample for each.")
    if sum(sizes) < FEWEST:
        raise ValueError("Two samples have no deviation within their groups: choose more.")
    (first_mean, first_squares), (second_mean, second_squares) = (
        _moments(samples, np.flatnonzero(mark)) for mark in marks
    )
    deviation = np.sqrt((first_squares + second_squares) / (sum(sizes) - 2))
    largest = np.maximum(np.abs(first_mean), np.abs(second_mean))
    deviation[deviation <= _ROUND_OFF * largest] = 0.0
    return GroupContrast(first_mean, second_mean, deviation)


def _moments(samples: NDArray[Any], rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return means of rows, and sums of squared distances from them: exactly 0 for equal values."""
    # Distances from a row of the group itself: it is at most √n deviations from the mean, so that
    # little cancels, and equal values give zeros.
    origin = samples[rows[0]].astype(np.float64)
    total, squares = np.zeros_like(origin), np.zeros_like(origin)
    for start in range(0, len(rows), _ROWS):
        shifted = samples[rows[start : start + _ROWS]] - origin
        total += shifted.sum(axis=0)
        squares += np.einsum("ij,ij->j", shifted, shifted)
    mean = total / len(rows)
    return origin + mean, np.maximum(squares - len(rows) * mean**2, 0.0)
