"""What is known about the features and samples of a generated set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class FeatureTruth:
    """What each feature of a generated set carries, and what was drawn for each sample.

    Parameters
    ----------
    parts : tuple of str
        Part of the set that each feature belongs to, such as ``"class"`` or ``"noise"``.
    deviations : mapping of str to array of shape (n_features,)
        Standard deviation of each feature when one thing alone changes, by the name of that thing;
        in the units of `Dataset.data`.
    factors : mapping of str to array of shape (n_samples,)
        What was drawn for each sample, by name.
    outlier : bool array of shape (n_samples,)
        Which samples are gross outliers.

    Examples
    --------
    >>> from cspca.datasets import make_spectra
    >>> truth = make_spectra().truth
    >>> truth.where("noise").sum()
    np.int64(125)
    """

    parts: tuple[str, ...]
    deviations: Mapping[str, Floats]
    factors: Mapping[str, NDArray[Any]]
    outlier: NDArray[np.bool_]

    def where(self, *parts: str) -> NDArray[np.bool_]:
        """Return which features belong to one of these parts, of shape (n_features,)."""
        return np.isin(self.parts, parts)


def drawn_alike(values: Floats) -> Floats:
    """Round values to multiples of 2⁻²⁰: every processor then draws the same bits."""
    rounded: Floats = np.round(values * 2**20) / 2**20
    return rounded
