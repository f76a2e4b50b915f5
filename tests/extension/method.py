"""Toy method: the range of every feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


@dataclass(repr=False, eq=False, kw_only=True)
class ToyRange(FeatureSelector):
    """Keep the features of the largest range."""

    def _score(self, X: FloatArray) -> Scores:
        return Scores(np.ptp(X, axis=0))
