"""A data set as arrays and as a table, which the readers here, and anybody else, can open again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.datasets.record import Dataset

if TYPE_CHECKING:
    import pandas as pd


def may_be_shown(licence: str) -> bool:
    """Whether a licence lets anybody pass single images on; what is not surely free does not."""
    return licence.startswith(("BSD-3-Clause", "CC BY", "CC0"))


def dataset_table(dataset: Dataset) -> pd.DataFrame:
    """Return one line a sample.

    Columns are the features by name, or ``r3c12`` for row 3, column 12 of a picture (from 1); the
    last is ``class`` where there are labels, by name where they have one.
    """
    import pandas as pd

    names = dataset.feature_names
    if names is None and dataset.image_shape is not None:
        names = tuple(f"r{row + 1}c{column + 1}" for row, column in np.ndindex(dataset.image_shape))
    elif names is None:
        names = tuple(f"feature {number + 1}" for number in range(dataset.n_features))
    table = pd.DataFrame(dataset.data.astype(np.float64), columns=names)
    labels: Any = dataset.target
    if labels is not None:
        if dataset.target_names is not None:
            labels = np.array(dataset.target_names, dtype=object)[labels]
        table.insert(len(names), "class", labels, allow_duplicates=True)
    return table


def dataset_arrays(dataset: Dataset) -> dict[str, Any]:
    """Return a data set as arrays, for an ``.npz``: X (pictures with their shape), y and words."""
    shape = dataset.image_shape
    data = dataset.data if shape is None else dataset.images
    found: dict[str, Any] = {"X": data, "source": dataset.source, "licence": dataset.licence}
    if dataset.target is not None:
        found["y"] = dataset.target
    for name in ("target_names", "feature_names"):
        values = getattr(dataset, name)
        if values is not None:
            found[name] = list(values)
    return found
