"""The paper's Algorithm 1 as it is printed, d x d: the thing to beat, and an oracle for ours.

    W ← (Aᵀ D₁ A + α D₂ + β D₃)⁻¹ Aᵀ D₁ A
    D₁ = diag(1 / 2‖e_i‖),  D₂ = diag(1 / 2‖w_j‖),  D₃ = ½ (W Wᵀ)^(-1/2)

with each norm smoothed (√(‖·‖² + ε²), (W Wᵀ + ε² I)^(-1/2)), for as printed it divides by zero as
soon as there are fewer images than pixels. One iteration costs one ``eigh`` of W Wᵀ and one
Cholesky solve, in double precision.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

SMOOTHING = 1e-4


def iterate(
    A: np.ndarray,
    alpha: float,
    beta: float,
    *,
    W: np.ndarray | None = None,
    smoothing: float = SMOOTHING,
) -> Iterator[np.ndarray]:
    """Yield W after every iteration, without end; W starts at ½ I unless given."""
    d = A.shape[1]
    W = 0.5 * np.eye(d) if W is None else W
    square = smoothing**2
    while True:
        E = A @ W - A
        loss_weight = 0.5 / np.sqrt(np.einsum("ij,ij->i", E, E) + square)
        row_weight = 0.5 / np.sqrt(np.einsum("ij,ij->i", W, W) + square)
        values, vectors = eigh(W @ W.T, overwrite_a=True, check_finite=False)
        # rounding may leave the smallest eigenvalues a little below zero
        spectral_weight = 0.5 / np.sqrt(np.maximum(values, 0.0) + square)

        target = A.T @ (loss_weight[:, None] * A)
        system = target + beta * ((vectors * spectral_weight) @ vectors.T)
        system[np.diag_indices(d)] += alpha * row_weight
        factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        W = cho_solve(factor, target, check_finite=False)
        yield W
