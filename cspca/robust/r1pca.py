"""R1-PCA: principal directions of samples that weigh less the farther they are."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import qr

from cspca.estimator import COUNT, NOT_NEGATIVE
from cspca.proximal import FloatArray
from cspca.robust.base import RobustSubspace, distances, principal_directions


@dataclass(repr=False, eq=False)
class R1PCA(RobustSubspace):
    """PCA whose loss is that of Huber in the distance of each sample from the subspace.

    With ``r_i`` the distance of sample i, c the median distance from the subspace of PCA, ::

        w_i = min(1, c / r_i),    V ← orth(Aᵀ diag(w) A V)

    A sample of large norm draws the subspace of PCA, from which this starts, to itself: near it, it
    keeps its whole weight.

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    tol : float, default=1e-7
        Stop when no principal angle of a step has a sine above this.
    max_iter : int, default=1000
        Largest number of iterations; reaching it is a ConvergenceWarning.
    center : bool, default=False
        As in `RobustMethod`, where the fitted attributes are, too.

    References
    ----------
    C. Ding, D. Zhou, X. He, H. Zha, R1-PCA: rotational invariant L1-norm principal component
    analysis for robust subspace factorization, ICML 2006, algorithm 1.
    """

    _: KW_ONLY
    tol: Annotated[float, NOT_NEGATIVE] = 1e-7
    max_iter: Annotated[int, COUNT] = 1000

    def _directions(self, A: FloatArray, k: int) -> FloatArray:
        V = principal_directions(A, k)
        cut = float(np.median(distances(A, V)))

        def step(V: FloatArray) -> FloatArray:
            weights = cut / np.maximum(distances(A, V), cut) if cut > 0.0 else np.ones(len(A))
            stretched = A.T @ (weights[:, None] * (A @ V))
            return np.asarray(qr(stretched, mode="economic", check_finite=False)[0])

        return self._settled(V, step, self.tol, self.max_iter)
