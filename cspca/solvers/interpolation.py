"""Penalties so small that every image is reproduced: the loss is gone, and a constraint is left.

``min α ‖Z‖₂,₁ + β ‖Z‖_*`` over ``UᵀZ = I`` has nothing of the conditioning of the data in it. There
the trace norm enters by its gradient, and the rows are shrunk (Davis–Yin splitting; theory.md §11).
The best dual variables for given rows have a closed form, which may be proof enough at ``Z = U``
without an iteration (§12).
"""

from __future__ import annotations

import numpy as np
import scipy

from cspca.problem import Problem
from cspca.problem.certificate import ROUND_OFF
from cspca.proximal import (
    FloatArray,
    gram,
    row_norms,
    shrink_rows,
    solve_definite,
    spectral_norm_bound,
)
from cspca.solvers.admm.starts import DiagonalGuess
from cspca.solvers.iterate import CertifiedSolution, relative_gap


def interpolate(
    problem: Problem, guess: DiagonalGuess, target: float, limit: int
) -> tuple[CertifiedSolution | None, int]:
    """Solve where all images are reproduced; None where they are not, or the limit was reached.

    And the iterations made: 0 where a formula was enough, or said that this is not the regime.
    """
    data, alpha, beta = problem.data, problem.alpha, problem.beta
    if data.full_column_rank or alpha + beta == 0.0:
        return None, 0
    U, r = data.U, data.rank
    norms = row_norms(U)
    if alpha * float(norms.sum()) + beta * r > guess.objective:
        return None, 0
    # The subgradient at Z = U proves all there is to prove where α is small next to β.
    G1 = alpha * (U / np.maximum(norms, np.finfo(np.float64).tiny)[:, None])
    bound, largest = _bound(problem, G1, U, float("inf"))
    # Then not all images are reproduced.
    if largest > 1.2:
        return None, 0
    objective = problem.objective(U)
    if relative_gap(objective, bound) <= target:
        return CertifiedSolution(U.copy(), objective, bound, r), 0
    if alpha == 0.0:
        return None, 0
    run = _Splitting(problem, G1, np.dtype(np.float32 if target >= 3e-4 else np.float64))
    best, Z = objective, U
    for number in range(1, limit + 1):
        run.step(number % _EVERY == 0)
        if number % _EVERY and number != limit:
            continue
        candidate = _reproducing(problem, run.P)
        objective = problem.objective(candidate)
        if objective < best:
            best, Z = objective, candidate
        found, largest = _bound(problem, run.subgradient(), run.polar, best * (1.0 - target))
        bound = max(bound, found)
        if relative_gap(best, bound) <= target:
            return CertifiedSolution(Z, best, bound, r), number
        if largest > 1.0 + target:
            return None, number
    return None, limit


class _Splitting:
    """Three operators: the projection on ``UᵀZ = I``, a gradient there, and rows shrunk, P."""

    def __init__(self, problem: Problem, G1: FloatArray, dtype: np.dtype[np.floating]) -> None:
        U, r = problem.data.U, problem.data.rank
        self.alpha, self.beta = problem.alpha, problem.beta
        # Near β and below it the steps are too long for the gradient of the trace norm.
        typical = problem.alpha * float(row_norms(U).sum()) / r
        # Half the curvature of the rows at Z = U certifies 10⁻³ soonest; 0.6 β does not converge.
        self.penalty = max(0.5 * typical, 1.5 * problem.beta)
        self.U = U.astype(dtype)
        self.P, self.polar = self.U, self.U
        # From where the first step finds P = U and the multiplier G₁.
        self.point = (U - (G1 + problem.beta * U) / self.penalty).astype(dtype)
        self.excess = self.point

    def step(self, exact: bool) -> None:
        """One over-relaxed step; the gradient is renewed where it matters or `exact` asks."""
        U, dtype = self.U, self.U.dtype
        Z = self.point + U @ (np.eye(U.shape[1], dtype=dtype) - U.T @ self.point)
        if self.beta > 0.0 and (exact or self.beta > 0.02 * self.penalty):
            self.polar = polar_factor(Z)
        reflected = 2.0 * Z - self.point
        if self.beta > 0.0:
            reflected -= self.polar * dtype.type(self.beta / self.penalty)
        self.P = shrink_rows(reflected, self.alpha / self.penalty)
        self.excess = reflected - self.P
        self.point += 1.6 * (self.P - Z)

    def subgradient(self) -> FloatArray:
        """G₁ of the rows, each within α."""
        G1 = self.penalty * self.excess.astype(np.float64)
        return G1 * min(1.0, self.alpha / float(row_norms(G1).max()))


def polar_factor(Z: FloatArray) -> FloatArray:
    """``Z (ZᵀZ)^-½``; directions that Z hardly has are left out."""
    squared, T = scipy.linalg.eigh(gram(Z), check_finite=False, driver="evd")
    keep = squared > 1e-6 * squared[-1]
    inverse = np.where(keep, 1.0 / np.sqrt(np.where(keep, squared, 1.0)), 0.0).astype(Z.dtype)
    factor: FloatArray = Z @ ((T * inverse) @ T.T)
    return factor


def _reproducing(problem: Problem, P: FloatArray) -> FloatArray:
    """P moved to ``UᵀZ = I``, each row by the more the longer it is; zero rows stay zero."""
    U, P = problem.data.U, P.astype(np.float64)
    missing = np.eye(U.shape[1]) - U.T @ P
    weights = row_norms(P)
    try:
        found = solve_definite(gram(U * np.sqrt(weights)[:, None]), missing)
        Z: FloatArray = P + weights[:, None] * (U @ found)
    except np.linalg.LinAlgError:
        # Too few rows are left to reproduce everything.
        Z = P + U @ missing
    return Z


def _bound(
    problem: Problem, G1: FloatArray, polar: FloatArray, enough: float
) -> tuple[float, float]:
    """Proven lower bound from G₁ and the gradient of the trace norm; the largest ``‖λ_i‖``."""
    data, alpha, beta = problem.in_memory, problem.alpha, problem.beta
    K = data.U.T @ G1
    outside = G1 - data.U @ K
    closed = False
    if beta > 0.0:
        squared, T = scipy.linalg.eigh(gram(outside), check_finite=False, driver="evd")
        closed = squared[-1] < beta**2
        if closed:
            K = K + (T * np.sqrt(beta**2 - np.maximum(squared, 0.0))) @ T.T
        else:
            K = K + beta * (data.U.T @ polar)
    L = data.Y @ (K / -np.square(data.singular_values)[:, None])
    pull, largest = data.A.T @ L, float(row_norms(L).max())
    if not closed:
        G1, G2 = G1.astype(polar.dtype), beta * polar
        return problem.bound_of(pull, largest, G1, G2, enough), largest
    rows = float(row_norms(G1).max())
    spectral = spectral_norm_bound(pull + G1, beta)
    scale = min(1.0, 1.0 / largest, beta / spectral, alpha / rows if rows > 0.0 else 1.0)
    return max(0.0, -float(np.vdot(pull, data.U)) * scale * ROUND_OFF), largest


_EVERY = 4
"""Iterations between two certificates."""
