"""Geometric median subspace: the directions in which a convex map of trace 1 leaves samples."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from cspca.estimator import COUNT, NOT_NEGATIVE
from cspca.problem import ReducedData
from cspca.problem.identity import identity_edge
from cspca.proximal import FloatArray
from cspca.robust.base import RobustSubspace, say_unfinished


@dataclass(repr=False, eq=False)
class GeometricMedianSubspace(RobustSubspace):
    """The directions that a convex map maps nearest to zero.

    With the samples as the rows of A, which must span all pixels that are not zero in every sample
    (there are more samples than those; otherwise the span of the data takes their place, and says
    little unless it is small) ::

        t* = min ‖A W‖₂,₁    over tr W = 1

    The subspace belongs to the smallest eigenvalues of W in the span of the data: a pixel that is
    zero in every sample takes no part. The minimum t* is the largest α + β at which convex sparse
    PCA of the same data returns W = I (theory.md §10).

    Its theory is of outliers that fill the complement of the subspace: a single one, of whatever
    norm, may be taken for a direction of it.

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    tol : float, default=1e-4
        Stop when t* is known to this, relative to it.
    max_iter : int, default=500
        Largest number of iterations; reaching it is a ConvergenceWarning.
    center : bool, default=False
        As in `RobustMethod`, where the other fitted attributes are.

    Attributes
    ----------
    t_star_, t_star_bound_ : float
        t* is in the interval [t_star_bound_, t_star_]. Both are 0 where the pixels that are not
        zero in every image are linearly dependent: then W = I is optimal at no penalties.
    objective_, dual_objective_ : float
        The same of the problem that is solved, in the span of the data.
    duality_gap_ : float
        ``(objective_ − dual_objective_) / objective_``.

    References
    ----------
    T. Zhang, G. Lerman, A novel M-estimator for robust PCA, JMLR 15 (2014), algorithm 2.
    """

    _: KW_ONLY
    tol: Annotated[float, NOT_NEGATIVE] = 1e-4
    max_iter: Annotated[int, COUNT] = 500

    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        data = ReducedData(A)
        spans = data.full_column_rank
        # Where pixels depend on each other, coordinates in the span of the data take their place.
        edge = identity_edge(data if spans else ReducedData(data.Y), self.tol, self.max_iter)
        self.n_iter_, self.duality_gap_ = edge.n_iter, edge.gap
        self.objective_, self.dual_objective_ = edge.high, edge.low
        self.t_star_, self.t_star_bound_ = (edge.high, edge.low) if spans else (0.0, 0.0)
        if edge.gap > self.tol:
            say_unfinished(self, f"t* is known to {edge.gap:.2g} of it")
        k = min(self.n_components, len(edge.V))
        smallest = edge.smallest_directions(k)
        return self._onto(A, smallest if spans else data.U @ smallest)
