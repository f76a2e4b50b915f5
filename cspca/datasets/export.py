"""A data set as a file that the readers here, and anybody else, can open again."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from cspca.datasets.record import Dataset, DatasetError

MOST_IN_CSV: Final = 5_000_000
"""Numbers up to which a data set is written as text."""

_FREE: Final = ("BSD-3-Clause", "CC BY", "CC0")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def may_be_shown(licence: str) -> bool:
    """Whether a licence lets anybody pass single images on; what is not surely free does not."""
    return licence.startswith(_FREE)


def dataset_csv(dataset: Dataset) -> str:
    """Write one line a sample, every number with all its digits.

    A header first: names of the features, or ``r3c12`` for row 3, column 12 of a picture (from 1);
    the last column is ``class`` where there are labels, by name where they have one.
    """
    if dataset.data.size > MOST_IN_CSV:
        raise DatasetError(
            f"{dataset.name} holds {dataset.data.size:,} numbers, too many for a CSV: take the "
            ".npz."
        )
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [_cell(name) for name in _names(dataset)]
    labelled = dataset.target is not None
    writer.writerow([*names, *(["class"] if labelled else [])])
    for i in range(dataset.n_samples):
        values = map(repr, dataset.data[i].tolist())
        writer.writerow([*values, *([_label(dataset, i)] if labelled else [])])
    return out.getvalue()


def dataset_arrays(dataset: Dataset) -> dict[str, Any]:
    """Return a data set as arrays, for an ``.npz``: X (pictures with their shape), y and words."""
    shape = dataset.image_shape
    data = dataset.data if shape is None else dataset.data.reshape(dataset.n_samples, *shape)
    found: dict[str, Any] = {"X": data, "source": dataset.source, "licence": dataset.licence}
    if dataset.target is not None:
        found["y"] = dataset.target
    for name in ("target_names", "feature_names"):
        values = getattr(dataset, name)
        if values is not None:
            found[name] = list(values)
    return found


def _names(dataset: Dataset) -> list[str]:
    if dataset.feature_names is not None:
        return list(dataset.feature_names)
    if dataset.image_shape is None:
        return [f"feature {number + 1}" for number in range(dataset.n_features)]
    height, width = dataset.image_shape
    return [f"r{row + 1}c{column + 1}" for row in range(height) for column in range(width)]


def _label(dataset: Dataset, sample: int) -> str:
    assert dataset.target is not None
    label = int(dataset.target[sample])
    names = dataset.target_names
    return f"{label}" if names is None else _cell(names[label])


def _cell(name: str) -> str:
    """Keep a name from a file from being computed by the spreadsheet that opens it."""
    return f"'{name}" if name.startswith(_FORMULA) else name
