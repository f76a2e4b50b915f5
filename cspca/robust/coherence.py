"""Coherence pursuit: the span of the samples that are most like others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np

from cspca.estimator import COUNT
from cspca.preprocessing import distinct_rows
from cspca.proximal import FloatArray, gram
from cspca.robust.base import RobustSubspace, on_the_sphere, principal_directions

_APART = 1e-3
"""Sine of the angle from which on a sample is a direction of its own: repeats of a measurement,
which differ by its noise, are none."""


@dataclass(repr=False, eq=False)
class CoherencePursuit(RobustSubspace):
    """PCA of the samples that go best with all others.

    Inliers share a subspace and so have large inner products with each other; outliers have none
    with anybody. With samples brought to unit norm, sample i has the coherence ::

        ‖(⟨x_i, x_j⟩)_{j ≠ i}‖ = √(x_iᵀ (AᵀA) x_i − 1)

    Exact copies of a sample count as one. The subspace is that of PCA of the most coherent samples:
    `n_coherent` of them, and further down the list until as many as the dimension are independent,
    each at least 0.001 away from the span of those before.

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    n_coherent : int or None, default=None
        How many of the most coherent samples span it, at least; None takes two a dimension.
    center : bool, default=False
        As in `RobustMethod`, where the fitted attributes are, too.

    Attributes
    ----------
    coherence_ : ndarray of shape (n_samples,)
        Of each sample: small for outliers, 0 for a sample of zeros.

    References
    ----------
    M. Rahmani, G. Atia, Coherence pursuit: fast, simple, and robust principal component analysis,
    IEEE Transactions on Signal Processing 65 (2017), algorithm 1 (arXiv 1609.04789, 2016).
    """

    _: KW_ONLY
    n_coherent: Annotated[int | None, [*COUNT, None]] = None

    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        first, copy_of = distinct_rows(A)
        super()._split(A[first])
        self.coherence_: FloatArray = self.coherence_[copy_of]
        return self._onto(A, self.components_.T)

    def _directions(self, A: FloatArray, k: int) -> FloatArray:
        self.n_iter_ = 1
        B = on_the_sphere(A)
        squared = np.einsum("ij,ij->i", B @ gram(B), B)
        self.coherence_ = np.sqrt(np.maximum(squared - 1.0, 0.0))
        B = B[np.argsort(-self.coherence_, kind="stable")]
        return principal_directions(B[: max(self.n_coherent or 2 * k, _spanning(B, k))], k)


def _spanning(B: FloatArray, k: int) -> int:
    """Number of first rows, of unit norm or zero, among which k are independent; else of all."""
    basis = np.zeros((0, B.shape[1]))
    for number, row in enumerate(B, start=1):
        rest = row - (basis @ row) @ basis
        rest -= (basis @ rest) @ basis
        length = float(np.linalg.norm(rest))
        if length > _APART:
            basis = np.vstack([basis, rest / length])
        if len(basis) == k:
            return number
    return len(B)
