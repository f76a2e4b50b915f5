"""Fast median subspace: least distances to a subspace, by reweighted PCA."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray
from cspca.robust.base import RobustSubspace, distances, on_the_sphere, principal_directions


@dataclass(repr=False, eq=False)
class FastMedianSubspace(RobustSubspace):
    """The subspace with the least sum of distances from the samples, brought to unit norm.

    Not convex; found by reweighted PCA from that of all samples on, ::

        w_i = 1 / max(dist(x_i, V), ε),    V = leading right singular vectors of diag(√w) A

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    smallest : float, default=1e-10
        ε, the distance below which samples count the same.
    tol : float, default=1e-9
        Stop when no principal angle of a step has a sine above this.
    max_iter : int, default=200
        Largest number of iterations; reaching it is a ConvergenceWarning.
    center : bool, default=False
        As in `RobustMethod`, where the fitted attributes are, too.

    References
    ----------
    G. Lerman, T. Maunu, Fast, robust and non-convex subspace recovery, Information and Inference
    7 (2018), algorithm 1 (arXiv 1406.6145, 2014). With an ε that falls along the way the scheme
    converges from any start on such data: arXiv 2506.20533.
    """

    _: KW_ONLY
    smallest: Annotated[float, POSITIVE] = 1e-10
    tol: Annotated[float, NOT_NEGATIVE] = 1e-9
    max_iter: Annotated[int, COUNT] = 200

    def _directions(self, A: FloatArray, k: int) -> FloatArray:
        B = on_the_sphere(A)

        def step(V: FloatArray) -> FloatArray:
            weights = 1.0 / np.maximum(distances(B, V), self.smallest)
            return principal_directions(B, k, weights)

        return self._settled(principal_directions(B, k), step, self.tol, self.max_iter)
