"""The paper's Algorithm 1, iteratively reweighted least squares, on the reduced problem.

As printed, ::

    W ← (Aᵀ D₁ A + α D₂ + β D₃)⁻¹ Aᵀ D₁ A
    D₁ = diag(1 / 2‖e_i‖),  D₂ = diag(1 / 2‖w_j‖),  D₃ = ½ (W Wᵀ)^{-1/2}

is undefined as soon as a row, a residual or a singular value is zero. Here every norm is replaced
by its smoothed form ``√(‖·‖² + ε²)``; each step then minimises a majoriser of the smoothed
objective, which therefore never rises (theory.md §16). With ``W = Z Uᵀ`` only Z (d × r) is kept.
For n < d the system is solved through its n × n Schur complement, otherwise as a d × d one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cspca.problem import OBJECTIVE_ACCURACY, Problem
from cspca.proximal import FloatArray, gram, row_norms, solve_definite
from cspca.solvers.iterate import Solver, SolverState
from cspca.solvers.starts import Start, make_start


@dataclass
class Weights:
    """What a step sees of the current W: smoothed norms of residuals, rows and spectrum.

    ``(W Wᵀ + ε² I)^½ = floor · I + F Fᵀ``, a sum of positive parts: nothing cancels.
    """

    residuals: FloatArray
    rows: FloatArray
    floor: float
    F: FloatArray


@dataclass(kw_only=True)
class ReweightedState(SolverState):
    """Coefficients and the weights they give."""

    Z: FloatArray
    weights: Weights
    multiplier: FloatArray | None = None

    def coefficients(self) -> FloatArray:
        """Z, shape (n_features, rank)."""
        return self.Z

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ``, and 0: smoothing keeps every residual positive, no image is reproduced."""
        assert self.multiplier is not None
        data = self.problem.in_memory
        return data.A.T @ self.multiplier, np.zeros(data.shape[1])


@dataclass
class Reweighted(Solver):
    """Algorithm 1 of the paper, smoothed.

    `smoothing` is ε. A tuple (first, last, n_steps) continues it geometrically and keeps it at
    `last` from there on; a fixed small ε freezes rows early, a large one biases them. While it
    stays the same the smoothed objective never rises. The dual bound is evaluated every
    `check_every` iterations, the objective, which comes for free, on each. It starts at ``½ I``,
    the paper's first, or from the coefficients of a state; `random_state` seeds ``"random"``.

    References
    ----------
    Chang, Nie, Yang, Huang, arXiv 1411.6233, Algorithm 1 and Theorem 3.
    Lu, Lin, Yan, Smoothed Low Rank and Sparse Matrix Recovery by Iteratively Reweighted Least
    Squares Minimization, IEEE Trans. Image Processing, 2015.
    """

    smoothing: float | tuple[float, float, int] = 1e-4
    check_every: int = 1
    random_state: Any = None

    title: ClassVar[str] = "Algorithm 1"
    colour: ClassVar[str] = "#D55E00"
    state_type: ClassVar[type[Any]] = ReweightedState

    def __post_init__(self) -> None:
        values = self.smoothing if isinstance(self.smoothing, tuple) else (self.smoothing,)
        if len(values) not in (1, 3) or not all(np.isfinite(v) and v > 0 for v in values):
            raise ValueError(
                f"smoothing must be a positive number or (first, last, n_steps), all positive, "
                f"got {self.smoothing!r}."
            )

    def epsilon(self, number: int) -> float:
        """ε of iteration `number` (from 1)."""
        if not isinstance(self.smoothing, tuple):
            return float(self.smoothing)
        first, last, steps = self.smoothing
        share = min(1.0, (number - 1) / max(1, int(steps) - 1))
        return float(first * (last / first) ** share)

    def prepare(
        self, problem: Problem, start: ReweightedState | Start | FloatArray | str | None
    ) -> ReweightedState:
        """The state to begin from."""
        data = problem.in_memory
        if isinstance(start, ReweightedState):
            start = Start(0.0, start.Z, data.U)
        epsilon = self.epsilon(1)
        matrix = make_start("diagonal-0.5" if start is None else start, data, self.random_state)
        Z, weights = matrix.coefficients(data), _weights_of_start(matrix, problem, epsilon)
        return ReweightedState(problem=problem, Z=Z, weights=weights)

    def advance(self, state: ReweightedState, last: bool) -> tuple[ReweightedState, float]:
        """One reweighted least-squares solve."""
        problem = state.problem
        wide = problem.data.shape[0] < problem.data.shape[1]
        if problem.alpha == 0.0 and problem.beta == 0.0:
            state.Z = problem.data.U
        else:
            try:
                state.Z = (_solve_wide if wide else _solve_tall)(problem, state.weights)
            except np.linalg.LinAlgError:
                raise ValueError(
                    "Algorithm 1's linear system is singular in double precision at these "
                    'penalties: raise alpha, beta or smoothing, or use solver="admm".'
                ) from None
        state.number += 1
        epsilons = self.epsilon(state.number + 1), self.epsilon(state.number)
        state.weights, objective, state.smoothed_objective, state.multiplier = _weights(
            problem, state.Z, *epsilons
        )
        if objective < state.best_objective:
            state.best_objective, state.best_coefficients = objective, state.Z
        if (state.number - 1) % self.check_every == 0:
            # From the gradients of the smoothed norms, which meet the certificate's limits.
            G1 = problem.alpha * state.Z / state.weights.rows[:, None]
            G2 = -state.entries()[0] - G1
            bound = problem.dual_bound(state.multiplier, G1, G2)
            state.bound = state.bound.or_greater(bound)
        return state, objective


def _weights_of_start(start: Start, problem: Problem, epsilon: float) -> Weights:
    """Weights of a W₀ that need not be of the form Z Uᵀ."""
    return Weights(
        np.sqrt(start.residual_norms(problem.in_memory) ** 2 + epsilon**2),
        np.sqrt(start.row_norms() ** 2 + epsilon**2),
        float(np.hypot(start.scale, epsilon)),
        _spectral_factor(start.left, epsilon)[0],
    )


def _spectral_factor(Z: FloatArray, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """F with ``(ZZᵀ + ε²I)^½ = εI + FFᵀ``, and the singular values of Z."""
    squared, vectors = np.linalg.eigh(gram(Z))
    squared = np.maximum(squared, 0.0)
    root = np.sqrt(squared + epsilon**2)
    F: FloatArray = Z @ (vectors / np.sqrt(root + epsilon))
    return F, np.sqrt(squared)


def _weights(
    problem: Problem, Z: FloatArray, epsilon: float, now: float
) -> tuple[Weights, float, float, FloatArray]:
    """Weights for the next step; objective, plain and smoothed by `now`; residuals' multiplier."""
    data = problem.in_memory
    E = data.A @ Z - data.Y
    errors = np.einsum("ij,ij->i", E, E) + data.outside
    rows = row_norms(Z) ** 2
    F, sigma = _spectral_factor(Z, epsilon)
    objective = problem.value(float(np.sqrt(errors).sum()), Z, OBJECTIVE_ACCURACY)
    smoothed = float(
        np.sqrt(errors + now**2).sum()
        + problem.alpha * np.sqrt(rows + now**2).sum()
        + problem.beta * (np.sqrt(sigma**2 + now**2).sum() + (len(Z) - len(sigma)) * now)
    )
    weights = Weights(np.sqrt(errors + epsilon**2), np.sqrt(rows + epsilon**2), epsilon, F)
    return weights, objective, smoothed, E / np.sqrt(errors + now**2)[:, None]


def _solve_tall(problem: Problem, weights: Weights) -> FloatArray:
    """Z from the d × d system; for n ≥ d."""
    data = problem.in_memory
    scaled = data.A / (2.0 * weights.residuals)[:, None]
    H = data.A.T @ scaled
    H.flat[:: len(H) + 1] += problem.alpha / (2.0 * weights.rows)
    F, floor = weights.F, weights.floor
    inner = gram(F)
    inner.flat[:: len(inner) + 1] += floor
    each = problem.beta / (2.0 * floor)
    H -= each * (F @ solve_definite(inner, F.T))
    H.flat[:: len(H) + 1] += each
    return solve_definite(H, scaled.T @ data.Y)


def _solve_wide(problem: Problem, weights: Weights) -> FloatArray:
    """Z from the n × n Schur complement; for n < d.

    With ``K = α D₂ + β D₃``: ``Z = K⁻¹Aᵀ (D₁⁻¹ + A K⁻¹ Aᵀ)⁻¹ Y``.
    """
    data = problem.in_memory
    B = _penalty_solve(problem, weights)
    inner = data.A @ B
    inner = 0.5 * (inner + inner.T)
    inner.flat[:: len(inner) + 1] += 2.0 * weights.residuals
    return B @ solve_definite(inner, data.Y)


def _penalty_solve(problem: Problem, weights: Weights) -> FloatArray:
    """``K⁻¹ Aᵀ``, from the parallel sum of the inverses of K's two parts.

    The textbook form updates ``(D₂ + I/ε)⁻¹``, and loses as many digits as ε has; here
    nothing is divided by ε.
    """
    At, F = problem.in_memory.A.T, weights.F
    rows = problem.alpha / (2.0 * weights.rows)
    if problem.beta == 0.0:
        return At / rows[:, None]
    both = rows * weights.floor + problem.beta / 2.0
    G = F * (rows / both)[:, None]
    spectral = weights.floor * At + F @ (F.T @ At)
    core = F.T @ G
    core.flat[:: len(core) + 1] += 1.0
    solution: FloatArray = (spectral - F @ solve_definite(core, G.T @ spectral)) / both[:, None]
    return solution
