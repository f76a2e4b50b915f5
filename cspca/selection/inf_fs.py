"""Inf-FS: features that paths of every length through all others lead to."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Annotated

import numpy as np
from scipy.linalg import eigh, solve
from scipy.stats import rankdata
from sklearn.utils._param_validation import Interval

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores

_SHARE = [Interval(Real, 0, 1, closed="both")]


@dataclass(repr=False, eq=False)
class InfFS(FeatureSelector):
    """Infinite feature selection, unsupervised: features that vary and are unlike the others.

    Features are the nodes of a graph, with σ their standard deviations and ρ Spearman's rank
    correlation, ::

        A_ij = α · (max(σ_i, σ_j) − min) / (max − min) + (1 − α) (1 − |ρ_ij|)

    and the score is the weight of all paths that begin at a feature, ``((I − rA)⁻¹ − I) 1`` with r
    at 0.9 of where the sum over lengths no longer ends.

    Parameters
    ----------
    alpha : float, default=0.5
        α, in [0, 1].
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Notes
    -----
    The published code divides A by its largest row sum twice, so that paths of more than one step
    hardly count and its ranking is nearly that of plain row sums. This is the method as defined.
    Constant features are nodes too, with no correlation, but come last.

    References
    ----------
    G. Roffo, S. Melzi, U. Castellani, A. Vinciarelli, M. Cristani, Infinite Feature Selection: A
    Graph-based Feature Filtering Approach, TPAMI 2020.
    """

    alpha: Annotated[float, _SHARE] = 0.5

    def _score(self, X: FloatArray) -> Scores:
        d, live = X.shape[1], np.ptp(X, axis=0) > 0
        spread = X.std(axis=0) * live
        larger = np.maximum.outer(spread, spread) - spread.min()
        larger /= larger.max() or 1.0
        alike = np.zeros((d, d))
        alike[np.ix_(live, live)] = np.corrcoef(rankdata(X[:, live], axis=0), rowvar=False)
        A = self.alpha * larger + (1.0 - self.alpha) * (1.0 - np.abs(alike))
        (most,) = eigh(A, eigvals_only=True, subset_by_index=(d - 1, d - 1), check_finite=False)
        if most <= d * np.finfo(np.float64).eps:
            # One feature, or copies of one: no two differ, and no path is longer than another.
            return Scores(np.zeros(d))
        paths = solve(np.eye(d) - 0.9 / most * A, np.ones(d), assume_a="pos", check_finite=False)
        return Scores(paths - 1.0)
