"""Where in its file a feature is, as the owner of the file counts: from 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cspca.datasets.resize import Resized, crop_to

if TYPE_CHECKING:
    from cspca.datasets.record import Dataset


def file_line(dataset: Dataset) -> str:
    """Say what a feature is in its table or array: a ``column``, or a ``row`` of a turned one."""
    return "row" if dataset.steps.samples == "columns" else "column"


def file_address(dataset: Dataset, feature: int) -> str:
    r"""Say where a feature is in its file, in words.

    Parameters
    ----------
    dataset : Dataset
    feature : int
        Its index, from 0.

    Returns
    -------
    str
        Such as ``column 518 of fea``, or ``the mean of rows 5-8, columns 1-4 of each image before
        it was resized``; empty where nothing else than the feature itself tells.

    Examples
    --------
    >>> from cspca.datasets import load_file
    >>> table = b"name,height,width\nann,1,20\nbob,2,40\ncid,3,10\n"
    >>> file_address(load_file(table, "people.csv", scale="columns"), 1)
    'column 3 of the file'
    """
    steps = dataset.steps
    if dataset.file_columns is not None:
        array = steps.array if steps.source == "arrays" and steps.array.isidentifier() else ""
        return (
            f"{file_line(dataset)} {dataset.file_columns[feature] + 1:,} of {array or 'the file'}"
        )
    resizing = list(_resizing(dataset))
    if dataset.image_shape is None or not resizing:
        return ""
    spans = [(place, place + 1) for place in divmod(feature, dataset.image_shape[1])]
    for change in reversed(resizing):
        spans = _spans_before(change, spans)
    rows, columns = (_span_text(*span) for span in spans)
    return f"the mean of row{rows}, column{columns} of each image before it was resized"


def _resizing(dataset: Dataset) -> Iterator[Resized]:
    """Changes of the size of pictures, from the file on."""
    steps = dataset.steps
    if steps.shape is not None and steps.size is not None:
        yield Resized(steps.shape, steps.size, steps.crop)
    for change in steps.changes:
        if isinstance(change, Resized):
            yield change


def _spans_before(change: Resized, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Rows and columns of a picture that those of a resized one are made of, at least in part."""
    margins = crop_to(change.shape, change.size) if change.crop else None
    before = []
    for side, (first, end) in enumerate(spans):
        start, length = 0, change.shape[side]
        if margins is not None:
            start, length = margins[side].start, margins[side].stop - margins[side].start
        size = change.size[side]
        before.append((start + first * length // size, start + math.ceil(end * length / size)))
    return before


def _span_text(first: int, end: int) -> str:
    return f" {end}" if end == first + 1 else f"s {first + 1}-{end}"
