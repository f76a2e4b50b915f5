"""Penalties so small that every image is reproduced: the loss is gone, and a constraint is left.

``min α ‖Z‖₂,₁ + β ‖Z‖_*`` over ``UᵀZ = I`` has nothing of the conditioning of the data in it. There
the trace norm enters by its gradient, and the rows are shrunk (Davis–Yin splitting; theory.md §11).
The best dual variables for given rows have a closed form, which may prove ``Z = U`` at once (§12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cspca.problem import Problem, ReducedData
from cspca.problem.certificate import Lengths
from cspca.proximal import FloatArray, eigh, gram, row_norms, shrink_rows, solve_definite
from cspca.solvers.admm.starts import DiagonalGuess
from cspca.solvers.admm.state import Direct
from cspca.solvers.admm.tuning import Tuning
from cspca.solvers.iterate import relative_gap


@dataclass(kw_only=True)
class Reproducing(Direct):
    """Three operators: the projection on ``UᵀZ = I``, a gradient there, and rows shrunk, P.

    `point` is what the splitting iterates on, `excess` what the shrinkage took off, `polar` the
    gradient of the trace norm, `largest` the ``‖λ_i‖`` of the last check: above 1 not all images
    are reproduced. `number` 1 is the closed form at ``Z = U``. The constraint
    determines ``AᵀΛ`` although no λ_i is.
    """

    U: FloatArray
    P: FloatArray
    polar: FloatArray
    point: FloatArray
    excess: FloatArray
    rho: float
    largest: float
    tolerance: float

    @property
    def rank(self) -> int:
        """Rank of W: all directions, or an image would not be reproduced."""
        return self.problem.data.rank

    def warmed(self, problem: Problem) -> None:
        """A cold start is as near."""
        return

    def step(self, measure: bool = False) -> None:
        """One over-relaxed step; the gradient is renewed where it matters."""
        self.number += 1
        if self.number == 1:
            return
        U, dtype, beta = self.U, self.U.dtype, self.problem.beta
        Z = self.point + U @ (np.eye(U.shape[1], dtype=dtype) - U.T @ self.point)
        exact = self.number + 1 >= self.next_check
        if beta > 0.0 and (exact or beta > self.tuning.renewed * self.rho):
            self.polar = polar_factor(Z)
        reflected = 2.0 * Z - self.point
        if beta > 0.0:
            reflected -= self.polar * dtype.type(beta / self.rho)
        self.P = shrink_rows(reflected, self.problem.alpha / self.rho)
        self.excess = reflected - self.P
        self.point = self.point + self.tuning.relaxation * (self.P - Z)

    def check(self, tolerance: float) -> float:
        """Certify; the objective of P, moved to where it reproduces all images."""
        self.tolerance, objective = tolerance, self.best_objective
        self.next_check = self.number + self.tuning.interpolation_check
        if self.number == 1:
            return objective
        Z = _reproducing(self.problem, self.P)
        objective = self.problem.objective(Z)
        self.offer(objective, Z)
        G1 = self.rho * self.excess.astype(np.float64)
        alpha = self.problem.alpha
        G1 *= alpha / max(alpha or 1.0, float(row_norms(G1).max()))
        enough = self.best_objective * (1.0 - tolerance)
        bound, self.largest, self.pull = _bound(self.problem, G1, self.polar, enough)
        before, gap = self.gap, self.bounded(bound)
        self.slow_checks = self.slow_checks + 1 if gap > self.tuning.stuck * before else 0
        least = self.tuning.trace_scale * self.problem.beta
        if self.slow_checks and self.rho > 3.0 * least:
            # W settles first: what lags is the bound, for which ρ is too large.
            self.rho /= 3.0
            self.point = self.P + 3.0 * (self.point - self.P)
        if tolerance < self.tuning.single:
            for name in ("U", "P", "polar", "point", "excess"):
                setattr(self, name, getattr(self, name).astype(np.float64))
        return objective

    @property
    def at_its_end(self) -> bool:
        """Whether not all images are reproduced after all, or it does not get any further."""
        allowed = self.tuning.nearly if self.number == 1 else 1.0 + self.tolerance
        return (
            self.problem.alpha == 0.0
            or self.largest > allowed
            or self.slow_checks >= self.tuning.stuck_checks
        )


def reproducing_cold(
    problem: Problem,
    guess: DiagonalGuess,
    dtype: np.dtype[Any],
    tuning: Tuning,
    start: FloatArray | None = None,
) -> Reproducing | None:
    """Begin at ``Z = U``, or at a start moved to ``UᵀZ = I``; None if not all is reproduced."""
    data, alpha, beta = problem.data, problem.alpha, problem.beta
    if not isinstance(data, ReducedData) or data.full_column_rank:
        return None
    U, norms = data.U, row_norms(data.U)
    typical = alpha * float(norms.sum()) / data.rank
    if data.rank * (typical + beta) > guess.objective:
        return None
    # The subgradient at Z = U proves all there is to prove where α is small next to β.
    G1 = alpha * (U / np.maximum(norms, np.finfo(np.float64).tiny)[:, None])
    bound, largest, pull = _bound(problem, G1, U, float("inf"))
    # A bound that is no number proves nothing.
    bound = max(0.0, bound)
    # Then not all images are reproduced; without rows there is nothing to iterate on.
    if not largest <= tuning.nearly or (alpha == 0.0 and largest > 1.0):
        return None
    # Half the curvature of the rows at Z = U certifies 10⁻³ soonest. Near β and below it the steps
    # are too long for the gradient of the trace norm: 0.6 β does not converge.
    rho = max(tuning.rows_scale * typical, tuning.trace_scale * beta)
    Z, polar = U, U
    if start is not None:
        Z = start + U @ (np.eye(data.rank) - U.T @ start)
        polar = polar_factor(Z)
    # From where the first step finds P = Z and, at Z = U, the multiplier G₁.
    point = (Z - (G1 + beta * polar) / rho).astype(dtype)
    objective = problem.objective(Z)
    return Reproducing(
        problem=problem,
        guess=guess,
        tuning=tuning,
        U=U.astype(dtype),
        P=Z.astype(dtype),
        polar=polar.astype(dtype),
        point=point,
        excess=point,
        rho=rho,
        best_coefficients=Z.copy(),
        best_objective=objective,
        pull=pull,
        dual_bound=bound,
        largest=largest,
        gap=relative_gap(objective, bound),
        tolerance=0.2,
        next_check=1,
    )


def polar_factor(Z: FloatArray) -> FloatArray:
    """``Z (ZᵀZ)^-½``; directions that Z hardly has are left out."""
    squared, T = eigh(gram(Z))
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
) -> tuple[float, float, FloatArray]:
    """Proven lower bound from G₁ and the gradient of the trace norm; largest ``‖λ_i‖``, AᵀΛ."""
    data, beta = problem.in_memory, problem.beta
    K = data.U.T @ G1
    outside = G1 - data.U @ K
    closed = False
    if beta > 0.0:
        squared, T = np.linalg.eigh(gram(outside))
        closed = squared[-1] < beta**2
        if closed:
            K = K + (T * np.sqrt(beta**2 - np.maximum(squared, 0.0))) @ T.T
        else:
            K = K + beta * (data.U.T @ polar)
    L = data.Y @ (K / -np.square(data.singular_values)[:, None])
    pull, lengths = data.pull(L), Lengths.of(L)
    G2 = None if closed else beta * polar
    G1 = G1 if closed else G1.astype(polar.dtype)
    return problem.bound_of(pull, lengths, G1, G2, enough), lengths.longest, pull
