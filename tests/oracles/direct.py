"""The problem in its d x d form, in the plainest NumPy there is: no reduction, no certificate.

    P(W) = ‖A W − A‖₂,₁ + α ‖W‖₂,₁ + β ‖W‖_*

Rows of ``A`` are images; both ℓ2,1 norms sum the 2-norms of rows.
"""

import numpy as np


def row_norms(M: np.ndarray) -> np.ndarray:
    """2-norm of every row."""
    return np.sqrt((M * M).sum(axis=1))


def objective(A: np.ndarray, W: np.ndarray, alpha: float, beta: float) -> float:
    """The objective at a (d, d) matrix W."""
    return float(
        row_norms(A @ W - A).sum()
        + alpha * row_norms(W).sum()
        + beta * np.linalg.svd(W, compute_uv=False).sum()
    )


def smoothed_objective(
    A: np.ndarray, W: np.ndarray, alpha: float, beta: float, epsilon: float
) -> float:
    """The objective with every norm x replaced by √(x² + ε²): what the printed algorithm lowers."""
    return float(
        np.sqrt((((A @ W) - A) ** 2).sum(axis=1) + epsilon**2).sum()
        + alpha * np.sqrt((W * W).sum(axis=1) + epsilon**2).sum()
        + beta * np.sqrt(np.linalg.svd(W, compute_uv=False) ** 2 + epsilon**2).sum()
    )


def penalty_limits(A: np.ndarray) -> tuple[float, float]:
    """(α_max, β_max) of M = Σ a aᵀ / ‖a‖: its largest row norm and its spectral norm."""
    M = np.zeros((A.shape[1], A.shape[1]))
    for a in A:
        length = np.linalg.norm(a)
        if length > 0:
            M += np.outer(a, a) / length
    return float(row_norms(M).max()), float(np.linalg.norm(M, 2))
