"""The plain solver: textbook ADMM with two blocks, and its certificate. Read it before the others.

It minimises ``P(Z) = ℓ(A Z − Y) + Σ_k h_k(Z)`` over Z of shape (d, r), where the loss ℓ and each
penalty ``h_k = limit_k · norm_k`` are a small class: a new one is one more class. On the reduction,
``Y = A U`` and ``W = Z Uᵀ``, this is the problem in W whenever no term changes under a rotation of
the columns or grows under their projection. Norms of rows and of singular values do neither.

**Iteration.** With copies ``E = A Z − Y`` and ``X_k = Z`` the terms come apart. Z is one block, all
copies together are the other, and ADMM with two blocks converges for every fixed ρ > 0 (theory.md
§5; Boyd et al., *Distributed Optimization and Statistical Learning via ADMM*, 2011, §3.2). Here it
is over-relaxed (their §3.4.3), and ρ is tuned in the first iterations (§3.4.1), then stays.

**Certificate.** Take any Λ and G_k with ``AᵀΛ + Σ G_k = 0`` and ``dual_norm_k(G_k) ≤ limit_k``. By
the definitions of the conjugate ℓ* and of a dual norm, every Z has ::

    ℓ(A Z − Y) ≥ ⟨Λ, A Z − Y⟩ − ℓ*(Λ)     and     h_k(Z) ≥ ⟨G_k, Z⟩,

and the sum of them all is ``P(Z) ≥ −⟨Λ, Y⟩ − ℓ*(Λ)``: a bound of the optimum from below.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from cspca.problem import Problem, ReducedData, Reduction
from cspca.proximal import FloatArray, row_norms, shrink_rows
from cspca.solvers.iterate import Iterate
from cspca.solvers.starts import Start, make_start


class Term(ABC):
    """A convex term f of the objective."""

    @abstractmethod
    def value(self, B: FloatArray) -> float:
        """``f(B)``."""

    @abstractmethod
    def prox(self, B: FloatArray, step: float) -> FloatArray:
        """The X that minimises ``step · f(X) + ½‖X − B‖_F²``."""


class Loss(Term):
    """ℓ, what the errors of the images cost."""

    @abstractmethod
    def slope(self, E: FloatArray) -> FloatArray:
        """A subgradient at E."""

    @abstractmethod
    def dual_value(self, gain: float, L: FloatArray, most: float) -> float:
        """The largest ``c · gain − ℓ*(c Λ)`` over c between 0 and `most`."""


@dataclass(frozen=True)
class Penalty(Term):
    """``limit · norm(Z)``."""

    limit: float

    @abstractmethod
    def dual_norm(self, G: FloatArray) -> float:
        """The largest ``⟨G, Z⟩`` over Z with ``norm(Z) ≤ 1``."""


class ErrorNorms(Loss):
    """``Σ_i ‖e_i‖``, the paper's loss. ℓ*(Λ) is 0 where all ``‖λ_i‖ ≤ 1``, else infinite."""

    def value(self, B: FloatArray) -> float:
        return float(row_norms(B).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        return shrink_rows(B, step)

    def slope(self, E: FloatArray) -> FloatArray:
        directions: FloatArray = E / np.maximum(row_norms(E), _TINY)[:, None]
        return directions

    def dual_value(self, gain: float, L: FloatArray, most: float) -> float:
        return gain * min(most, 1.0 / max(float(row_norms(L).max()), _TINY))


class SquaredError(Loss):
    """``½‖E‖_F²``, the twin that is not robust: one ruined image rules. ``ℓ*(Λ) = ½‖Λ‖_F²``."""

    def value(self, B: FloatArray) -> float:
        return 0.5 * float(np.vdot(B, B))

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        return B / (1.0 + step)

    def slope(self, E: FloatArray) -> FloatArray:
        return E

    def dual_value(self, gain: float, L: FloatArray, most: float) -> float:
        squared = float(np.vdot(L, L))
        scale = min(most, gain / max(squared, _TINY))
        return scale * gain - 0.5 * scale**2 * squared


class RowNorms(Penalty):
    """``α Σ_j ‖z_j‖``: its copy has rows that are exactly zero."""

    def value(self, B: FloatArray) -> float:
        return self.limit * float(row_norms(B).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        return shrink_rows(B, step * self.limit)

    def dual_norm(self, G: FloatArray) -> float:
        return float(row_norms(G).max())


class TraceNorm(Penalty):
    """``β Σ_k σ_k(Z)``: its copy has singular values that are exactly zero."""

    def value(self, B: FloatArray) -> float:
        return self.limit * float(np.linalg.svd(B, compute_uv=False).sum())

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        left, sigma, right = np.linalg.svd(B, full_matrices=False)
        shrunk: FloatArray = (left * np.maximum(sigma - step * self.limit, 0.0)) @ right
        return shrunk

    def dual_norm(self, G: FloatArray) -> float:
        return float(np.linalg.svd(G, compute_uv=False)[0])


LOSSES: dict[str, type[Loss]] = {"norms": ErrorNorms, "squared": SquaredError}
"""Every loss by the name that ``CSPCA(loss=…)`` knows it by: a new one is one line here."""

_TUNED = 200
"""Iterations after which ρ stays: that it does is what the proof of convergence needs."""

_CHECKED = 10
"""Iterations from one certificate to the next; each costs about two of them."""

_TINY = 1e-200
"""Takes the place of a divisor that is zero."""


def penalty_limits(data: Reduction, loss: str) -> tuple[float, float]:
    """α_max and β_max: ``W = 0`` is optimal whenever ``α/α_max + β/β_max ≥ 1``.

    With Λ the slope of the loss at W = 0, ``G₁ = −s AᵀΛ`` and ``G₂ = −(1 − s) AᵀΛ`` are within
    their limits for some s exactly then, and the bound is P(0).
    """
    if loss == "norms" or not isinstance(data, ReducedData):
        # The reduction knows them, of blocks too.
        return data.alpha_max, data.beta_max
    pull = data.A.T @ LOSSES[loss]().slope(-data.Y)
    return RowNorms(1.0).dual_norm(pull), TraceNorm(1.0).dual_norm(pull)


def lower_bound(
    data: ReducedData,
    loss: Loss,
    penalties: Sequence[Penalty],
    L: FloatArray,
    G: FloatArray,
) -> float:
    """A bound of the optimum, from below, from any guess of Λ and the G_k.

    What they leave of ``AᵀΛ + Σ G_k = 0`` is taken off the G_k. Then all are scaled by one factor
    that brings each G_k within its limit.
    """
    left = data.A.T @ L + G.sum(axis=0)
    gain = -float(np.vdot(L, data.Y))
    if gain <= 0.0:
        return 0.0
    room = np.array([one.limit / max(one.dual_norm(left), _TINY) for one in penalties])
    best = 0.0
    # One penalty takes all that is left, or each of them according to its room.
    for shares in (*np.eye(len(room)), room / max(room.sum(), _TINY)):
        most = min(
            one.limit / max(one.dual_norm(part - share * left), _TINY)
            for one, part, share in zip(penalties, G, shares, strict=True)
        )
        best = max(best, loss.dual_value(gain, L, most))
    # Lower by more than the round-off of these lines.
    return best * (1.0 - 1e-12)


class PlainState:
    """The copies E and X, their multipliers Λ and G, and the best so far.

    X and G have shape (number of penalties, d, r). No array is changed in place.
    """

    def __init__(
        self,
        data: ReducedData,
        loss: Loss,
        penalties: Sequence[Penalty],
        Z: FloatArray,
        problem: Problem | None = None,
    ) -> None:
        self.data, self.loss, self.penalties, self.problem = data, loss, penalties, problem
        self.X = np.array([Z for _ in penalties])
        self.G = np.zeros_like(self.X)
        self.E = data.A @ Z - data.Y
        self.L = loss.slope(self.E)
        # ρ of E and of X: a step over all of Y makes a whole Λ, one over W = I a whole AᵀΛ.
        self.slope = loss.slope(-data.Y)
        self.pull = data.A.T @ self.slope
        self.error_rho = float(np.linalg.norm(self.slope) / np.linalg.norm(data.Y))
        self.rho = float(np.linalg.norm(self.pull) / np.sqrt(data.rank))
        self.number, self.seconds, self.rank = 0, 0.0, 0
        # No answer is worse than W = 0.
        self.best_coefficients = np.zeros_like(Z)
        self.best_objective, self.dual_bound = self.objective(self.best_coefficients), 0.0
        self.check()

    def step(self) -> None:
        """One iteration."""
        data, error_rho, rho = self.data, self.error_rho, self.rho
        # Z: the minimum of ½ρ_E ‖A Z − Y − E + Λ/ρ_E‖² + ½ρ Σ ‖Z − X_k + G_k/ρ‖². Within the
        # range of U, where AᵀA is diagonal, and outside it, where the mean of the copies is left.
        mean = (self.X - self.G / rho).mean(axis=0)
        total = rho * len(self.penalties)
        within = data.U.T @ mean
        M = data.Y.T @ (error_rho * (data.Y + self.E) - self.L) + total * within
        M /= (error_rho * data.singular_values**2 + total)[:, None]
        Z = mean + data.U @ (M - within)
        # The copies, over-relaxed, and their multipliers.
        before, errors = (self.E, self.X), data.A @ Z - data.Y
        ahead = 1.6 * errors - 0.6 * self.E + self.L / error_rho
        self.E = self.loss.prox(ahead, 1.0 / error_rho)
        self.L = error_rho * (ahead - self.E)
        ahead = 1.6 * Z - 0.6 * self.X + self.G / rho
        self.X = np.array(
            [one.prox(B, 1.0 / rho) for one, B in zip(self.penalties, ahead, strict=True)]
        )
        self.G = rho * (ahead - self.X)
        self.number += 1
        if self.number <= _TUNED and self.number % 5 == 0:
            self.error_rho *= correction(errors, self.E, before[0], self.L / error_rho)
            self.rho *= correction(Z, self.X, before[1], self.G / rho)

    def objective(self, Z: FloatArray) -> float:
        """P at Z, with what of each image lies outside the basis U."""
        E = np.column_stack([self.data.A @ Z - self.data.Y, np.sqrt(self.data.outside)])
        return self.loss.value(E) + sum(one.value(Z) for one in self.penalties)

    def check(self) -> float:
        """Evaluate the certificate, and the objective at the first penalty's copy."""
        objective = self.objective(self.X[0])
        if objective < self.best_objective:
            self.best_objective, self.best_coefficients = objective, self.X[0]
        bound = lower_bound(self.data, self.loss, self.penalties, self.L, self.G)
        self.dual_bound = max(self.dual_bound, bound)
        sigma = np.linalg.svd(self.X[-1], compute_uv=False)
        self.rank = int(np.count_nonzero(sigma > 1e-6 * sigma[0]))
        return objective

    def rank_of(self, sigma: FloatArray) -> int:
        """Rank of the last penalty's copy: singular values above a millionth of the largest."""
        return self.rank

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over those without one."""
        A, exact = self.data.A, ~self.E.any(axis=1)
        if not self.best_coefficients.any():
            return self.pull, np.zeros(A.shape[1])
        return A[~exact].T @ self.L[~exact], np.abs(A[exact]).sum(axis=0)


def correction(of: FloatArray, copy: FloatArray, before: FloatArray, scaled: FloatArray) -> float:
    """Factor of ρ: above 1 where a copy is far from what it copies, below where it moves much.

    The first is relative to the copy, the second to its multiplier over ρ, `scaled`.
    """
    apart = np.linalg.norm(of - copy) * np.linalg.norm(scaled)
    moved = np.linalg.norm(copy - before) * np.linalg.norm(copy)
    if apart == 0.0 or moved == 0.0:
        return 1.0
    return float(np.clip(np.sqrt(apart / moved), 0.5, 2.0))


@dataclass
class Plain:
    """ADMM on the reduced problem, in double precision, with nothing that makes it faster.

    Objective and certificate are evaluated every ten iterations, on the first, and on the last
    before `limit`. `random_state` seeds ``start="random"``.
    """

    limit: int | None = None
    random_state: Any = None

    title: ClassVar[str] = "Plain solver"
    colour: ClassVar[str] = "#009E73"
    state_type: ClassVar[tuple[type[Any], ...]] = (PlainState,)

    @classmethod
    def configured(
        cls, *, smoothing: object, tol: float, max_iter: int, watch: float, random_state: Any
    ) -> Self:
        """Make the solver from the estimator's options."""
        return cls(limit=max_iter, random_state=random_state)

    def iterate(
        self, problem: Problem, start: PlainState | Start | FloatArray | str | None = None
    ) -> Iterator[Iterate]:
        """Run until the caller stops.

        None starts at W = 0. A state of the same problem resumes it; one of another problem on the
        same data gives its coefficients. Else as for ADMM.
        """
        data = problem.in_memory
        if isinstance(start, PlainState):
            if start.problem is not None and start.problem.same_as(problem):
                return self.run(start)
            start = Start(0.0, start.best_coefficients, start.data.U)
        Z = np.zeros_like(data.U)
        if start is not None:
            Z = make_start(start, data, self.random_state).coefficients(data)
        penalties: list[Penalty] = [RowNorms(problem.alpha), TraceNorm(problem.beta)]
        # A penalty of 0 is left out; without any, W = U Uᵀ reproduces every image.
        active = [one for one in penalties if one.limit > 0.0] or penalties[:1]
        state = PlainState(data, LOSSES[problem.loss](), active, Z, problem)
        if problem.alpha == problem.beta == 0.0:
            state.best_objective, state.best_coefficients = 0.0, data.U
        return self.run(state)

    def run(self, state: PlainState) -> Iterator[Iterate]:
        """Run from a state, of any loss and any penalties."""
        last = None if self.limit is None else state.number + self.limit
        before = state.seconds
        while True:
            began = time.perf_counter()
            state.step()
            checked = state.number % _CHECKED == 0 or state.number in (1, last)
            objective = state.check() if checked else float("nan")
            state.seconds = before = before + time.perf_counter() - began
            yield Iterate.of(state, objective, rank=state.rank)
