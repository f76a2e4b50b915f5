"""Principal component pursuit: images of low rank, and pixels that are wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.terms import Entries
from cspca.proximal import FloatArray
from cspca.robust.decomposition import ConvexSplit


@dataclass(repr=False, eq=False)
class PCP(ConvexSplit):
    """Split images into a part of low rank and one in which few pixels are not zero.

    With the samples as the rows of A ::

        min ‖L‖_* + λ ‖S‖₁    over A = L + S

    It is transductive: unseen images have no split, so there is no ``transform``.

    Every sample twice is λ times √2; with the λ of `sparsity` = None that is nothing new where
    there are at least as many samples as pixels.

    Parameters
    ----------
    sparsity : float or None, default=None
        λ; None takes 1 / √max(n_samples, n_features), without pixels that are zero in every sample.
    growth : float, default=1.1
        Factor from one penalty of the augmented Lagrangian to the next, until L and S miss A by no
        more than 1e-4 of it, and at least 1.5, as in the source, from there on. A smaller one ends
        with a smaller gap, after more steps.
    tol : float, default=1e-7
        Stop when ``‖A − L − S‖_F`` is at most this part of ``‖A‖_F``.
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
        ``‖Y‖₂ ≤ 1`` and no entry of Y above λ.
    duality_gap_ : float
        ``(objective_ − dual_objective_) / objective_``.

    References
    ----------
    E. Candès, X. Li, Y. Ma, J. Wright, Robust principal component analysis?, JACM 58 (2011),
    eq. 1.1; solved by Z. Lin, M. Chen, Y. Ma, arXiv 1009.5055, algorithm 5.
    """

    term = Entries(1.0)

    def _usual_sparsity(self, shape: tuple[int, ...]) -> float:
        return float(1.0 / np.sqrt(max(shape)))

    def _first_penalty(self, A: FloatArray, spectral_norm: float) -> float:
        # A fourth of what Candès et al. take throughout (section 5), for it grows.
        return 0.0625 / float(np.abs(A).mean())
