"""Curves that are sampled on an axis of their own each: joined to one row a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from cspca.datasets.files.parsed import Array, Table

_MOST_UNEVEN: Final = 0.5  # median change between steps of a sampled axis, as a share of the step


class UnlikeAxesError(Exception):
    """Curves at points of their own each, without steps: lists of peaks."""


def _is_sampled(axis: Array) -> bool:
    """Whether the steps of an axis change little from one to the next, as those of peaks do not."""
    steps = np.abs(np.diff(np.sort(axis)))
    changes = np.abs(np.diff(steps))
    return bool(np.median(changes) <= _MOST_UNEVEN * np.median(steps))


def joined_curves(curves: Sequence[tuple[Array, Array]]) -> tuple[Array, Array, str]:
    """Join curves on one axis: the first one's, where the others lie within half a step of it.

    Returns
    -------
    axis, values : array
        The axis, and one row a curve; NaN where a curve does not reach.
    note : str
        What was done where the axes differ, as a sentence.

    Raises
    ------
    UnlikeAxesError
        If the axes differ and none has steps that a curve could be interpolated between.
    """
    first = curves[0][0]
    step = float(np.median(np.abs(np.diff(first))))
    same = all(len(axis) == len(first) for axis, _ in curves)
    if same:
        largest = max(float(np.abs(axis - first).max()) for axis, _ in curves)
        if largest <= step / 2:
            values = np.array([curve for _, curve in curves], dtype=np.float64)
            if largest == 0:
                return first, values, ""
            return (
                first,
                values,
                (
                    f"The axes differ by up to {largest:.3g}, less than half a step: the first is "
                    "taken for all."
                ),
            )
    if not any(_is_sampled(axis) for axis, _ in curves):
        raise UnlikeAxesError
    low = max(float(axis.min()) for axis, _ in curves)
    high = min(float(axis.max()) for axis, _ in curves)
    common = first[(first >= low) & (first <= high)]
    rows = []
    for axis, curve in curves:
        order = np.argsort(axis)
        rows.append(np.interp(common, axis[order], curve[order]))
    note = (
        f"The axes differ: values were interpolated at the {len(common):,} points of the first "
        "axis that all curves reach."
    )
    return common, np.array(rows, dtype=np.float64), note


def curve_table(
    axis: Array, numbers: Array, beside: Mapping[str, tuple[Sequence[str], str]]
) -> Table:
    """A table of one curve a row, whose columns are the values of their axis.

    `beside` has further columns of words by their name, and the role of each, or "".
    """
    return feature_table(
        [f"{value:.10g}" for value in axis], numbers, beside, "Each row is a curve."
    )


def feature_table(
    heads: Sequence[str],
    numbers: Array,
    beside: Mapping[str, tuple[Sequence[str], str]],
    evidence: str,
) -> Table:
    """A table of one sample a row, whose columns of numbers are features of these names.

    `beside` is as for `curve_table`; `evidence` says why each row is a sample.
    """
    words: dict[int, Array] = {}
    declared = dict.fromkeys(range(len(heads)), "feature")
    for place, (column, role) in enumerate(beside.values(), len(heads)):
        words[place] = np.array(column, dtype=object)
        if role:
            declared[place] = role
    return Table(
        names=[*heads, *beside],
        first_row=[],
        numbers=numbers,
        number_places=list(range(len(heads))),
        words=words,
        declared=declared,
        samples="rows",
        evidence=evidence,
        names_are_written=True,
        is_as_in_file=False,
    )
