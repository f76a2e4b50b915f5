"""FSPCA: principal components of few features, all components of the same ones."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orth
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from cspca.estimator import COUNT
from cspca.proximal import FloatArray, row_norms
from cspca.selection.base import FeatureSelector, Scores, varying
from cspca.selection.loadings import leading_components


@dataclass(repr=False, eq=False)
class FSPCA(FeatureSelector):
    """Feature-sparse PCA: the k features that carry the most variance in m directions.

    With S the covariance of the samples it seeks W of shape (n_features, m) with at most k rows
    that are not zero, k being `n_features_to_select`, that ::

        maximises  Tr(Wᵀ S W),    WᵀW = I

    "go" takes the k largest ``Σ_i λ_i v_ij²`` over the m leading eigenvectors v_i of S, as
    :class:`PCALoadings` does, and the best W on them: the global optimum where S has rank ≤ m.
    "ipu" repeats, from W: the k largest ``M_j (WᵀSW)⁺ M_jᵀ`` with M = SW, then the best W on them,
    until the features are the same. The variance never falls; where it ends depends on the start.
    The selection for one k is no part of that for a larger one.

    Parameters
    ----------
    n_components : int, default=10
        m; as many as features are selected if that is fewer.
    solver : {"ipu", "go"}, default="ipu"
    n_init : int, default=10
        Starts of "ipu", of which the best is kept: the answer of "go", and random ones.
    max_iter : int, default=50
        Largest number of repetitions of "ipu" from a start.
    random_state : int, RandomState instance or None, default=0
        Seeds the random starts.
    n_features_to_select : int or None, default=None
        k; None is half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, 0 for features that are not selected; these are ordered by the last criterion.
    objective_ : list of float
        ``Tr(WᵀSW)`` after each repetition of the best start, rising.
    n_iter_ : int

    References
    ----------
    L. Tian, F. Nie, R. Wang, X. Li, Learning Feature Sparse Principal Subspace, NeurIPS 2020,
    Algorithms 1 and 2.
    """

    nested = False

    n_components: Annotated[int, COUNT] = 10
    _: KW_ONLY
    solver: Annotated[str, [StrOptions({"ipu", "go"})]] = "ipu"
    n_init: Annotated[int, COUNT] = 10
    max_iter: Annotated[int, COUNT] = 50
    random_state: Annotated[Any, ["random_state"]] = 0

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        A = centred / np.sqrt(len(X))
        m = min(self.n_components, self._n_selected(), A.shape[1])
        best = self._climb(A, A @ leading_components(A, m)[1])
        if self.solver == "ipu":
            drawn = check_random_state(self.random_state)
            for _ in range(self.n_init - 1):
                W, _ = np.linalg.qr(drawn.standard_normal((A.shape[1], m)))
                best = max(best, self._climb(A, A @ W), key=lambda end: end.objective[-1])
        self.objective_ = best.objective
        self.n_iter_ = len(self.objective_)
        scores = np.zeros(A.shape[1])
        scores[best.chosen] = row_norms(best.loadings)
        return Scores(scores, best.criterion / best.criterion.max(), live)

    def _climb(self, A: FloatArray, directions: FloatArray) -> _End:
        """Select and decompose in turn, from n_samples × m `directions` AW; once for "go"."""
        objective: list[float] = []
        before: list[int] = []
        for _ in range(self.max_iter if self.solver == "ipu" else 1):
            # M_j (WᵀSW)⁺ M_jᵀ is the squared length of feature j along the directions.
            criterion = row_norms(A.T @ orth(directions)) ** 2
            chosen = np.sort(np.argsort(-criterion, kind="stable")[: self._n_selected()])
            if chosen.tolist() == before:
                break
            values, loadings = leading_components(A[:, chosen], directions.shape[1])
            directions = A[:, chosen] @ loadings
            objective.append(float(values.sum()))
            before = chosen.tolist()
        return _End(objective, chosen, loadings, criterion)


class _End(NamedTuple):
    """Where repetitions end: the features that are selected, and their rows of W."""

    objective: list[float]
    chosen: NDArray[np.intp]
    loadings: FloatArray
    criterion: FloatArray
