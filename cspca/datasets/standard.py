"""A data set whose columns all have the same mean and the same spread."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cspca.datasets.record import Dataset, DatasetError, Floats
from cspca.datasets.steps import ARRAY


@dataclass(frozen=True, eq=False)
class Standardised:
    """Columns brought to mean 0 and standard deviation 1, and all of them to 0 – 1 alike.

    Parameters
    ----------
    mean, spread : array of shape (n_features,)
        Of each column; a spread of infinity stands for a column that never changes.
    largest : float
        Greatest absolute value of the standardised columns.
    noun : str
        What a column is called, such as ``pixel``.
    """

    mean: Floats = field(metadata=ARRAY)
    spread: Floats = field(metadata=ARRAY)
    largest: float
    noun: str = "feature"

    def apply(self, values: Floats) -> Floats:
        """Return the standardised values, in the precision of `values`."""
        standard = (values - self.mean) / self.spread
        half: Floats = 0.5 + standard / (2.0 * self.largest)
        return half.astype(values.dtype, copy=False)

    @property
    def sentence(self) -> str:
        """What was done, with its numbers."""
        least, greatest = float(self.mean.min()), float(self.mean.max())
        return (
            f"Every {self.noun} was standardised: its mean, {least:.3g} to {greatest:.3g} of "
            "0 – 1, taken off, and divided by its standard deviation; then "
            f"−{self.largest:.3g} … {self.largest:.3g} became 0 – 1."
        )


def standardised(dataset: Dataset) -> Dataset:
    """Standardise every column: mean 0 and standard deviation 1, then all brought to 0 – 1 alike.

    Values of a data set lie in [0, 1]. So the standardised columns are divided by one number and
    moved by a half; a fit by relative penalties is what it is of mean 0 and standard deviation 1.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    Dataset
        A column that never changes is a half. `Dataset.truth` and `Dataset.skeleton`, which are
        of the values as they were, are not carried over.

    Raises
    ------
    DatasetError
        If no column changes.

    Examples
    --------
    >>> from cspca.datasets import load
    >>> standardised(load("digits")).data[:, 20].mean().round(6)
    np.float64(0.5)
    """
    data, nouns = dataset.data, dataset.nouns
    spread = data.std(axis=0, dtype=np.float64)
    # What the rounding of a mean leaves of a constant is no spread.
    changes = (data != data[0]).any(axis=0)
    if not changes.any():
        raise DatasetError(
            f"{dataset.name}: no {nouns.feature} changes from one {nouns.sample} to the next, so "
            "none can be standardised."
        )
    spread[~changes] = np.inf
    mean = data.mean(axis=0, dtype=np.float64)
    largest = float(np.abs((data - mean) / spread).max())
    change = Standardised(mean, spread, largest, nouns.feature)
    return dataset.rescaled_by(change, "standardised")
