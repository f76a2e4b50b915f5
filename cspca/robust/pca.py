"""PCA in the shape of the robust methods: what they are held against."""

from __future__ import annotations

from dataclasses import dataclass

from cspca.proximal import FloatArray
from cspca.robust.base import RobustSubspace, principal_directions


@dataclass(repr=False, eq=False)
class PlainPCA(RobustSubspace):
    """The subspace with the least sum of squared distances, which one outlier can turn anywhere.

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    center : bool, default=False
        As in `RobustMethod`, where the fitted attributes are, too.

    References
    ----------
    K. Pearson, On lines and planes of closest fit to systems of points in space, 1901.
    """

    def _directions(self, A: FloatArray, k: int) -> FloatArray:
        self.n_iter_ = 1
        return principal_directions(A, k)
