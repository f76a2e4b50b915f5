"""Outlier pursuit: images of low rank, and images that are wrong as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.terms import RowNorms
from cspca.robust.decomposition import ConvexSplit


@dataclass(repr=False, eq=False)
class OutlierPursuit(ConvexSplit):
    """Split images into a part of low rank and one in which few images are not zero.

    With the samples as the rows of A, and the ℓ2,1 norm that sums the norms of rows ::

        min ‖L‖_* + λ ‖C‖₂,₁    over A = L + C

    Rows of `sparse_` that are exactly zero are those of inliers. It is transductive: unseen images
    have no split, so there is no ``transform``. Every sample twice is λ times √2.

    Parameters
    ----------
    sparsity : float or None, default=None
        λ; None takes 1 / √(log n_samples). The source's 3 / (7 √(γ n)), for a share γ of outliers,
        is so small that L = 0 is the optimum on most data.
    growth : float, default=1.1
        Factor from one penalty of the augmented Lagrangian to the next, as in `PCP`.
    tol : float, default=1e-7
        Stop when ``‖A − L − C‖_F`` is at most this part of ``‖A‖_F``.
    max_iter : int, default=1000
        Largest number of iterations; reaching it is a ConvergenceWarning.
    center : bool, default=False
        As in `RobustMethod`, where the other fitted attributes are.

    Attributes
    ----------
    sparsity_ : float
        λ as used.
    objective_, dual_objective_ : float
        The objective at (L, A − L), and a proven lower bound of the optimum: ``⟨A, Y⟩`` with
        ``‖Y‖₂ ≤ 1`` and no row of Y longer than λ.
    duality_gap_ : float
        ``(objective_ − dual_objective_) / objective_``.

    References
    ----------
    H. Xu, C. Caramanis, S. Sanghavi, Robust PCA via outlier pursuit, NIPS 2010 (IEEE Transactions
    on Information Theory 58, 2012), eq. 3.
    """

    term = RowNorms(1.0)

    def _usual_sparsity(self, shape: tuple[int, ...]) -> float:
        # Two samples have a logarithm below 1.
        return float(1.0 / np.sqrt(max(1.0, np.log(shape[0]))))
