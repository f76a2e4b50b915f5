"""The convex problem: its exact reduction, objective, certificate and the ends of its path.

Orientation, said once for the whole library: the paper writes images as columns of ``X`` (d × n);
here, as in scikit-learn, **rows are images**: ``A`` (n_samples × n_features) is the paper's ``Xᵀ``
after preprocessing. Both ℓ2,1 norms sum the Euclidean norms of **rows**::

    P(W) = ‖A W − A‖₂,₁ + α ‖W‖₂,₁ + β ‖W‖_*                         W is d × d

Row i of ``A W − A`` is the reconstruction error of image i; row j of ``W`` is the weight of pixel
j. An optimal W has the form ``Z Uᵀ`` with Z of shape (d, r), and is never formed (theory.md §2).
"""

from cspca.problem.problem import OBJECTIVE_ACCURACY, Problem, zero_bound
from cspca.problem.reduction import CHUNK, ReducedData, Reduction, row_slices

__all__ = [
    "CHUNK",
    "OBJECTIVE_ACCURACY",
    "Problem",
    "ReducedData",
    "Reduction",
    "row_slices",
    "zero_bound",
]
