"""The plain solver: ADMM with two blocks, as in textbooks, and its certificate. Read it first.

It minimises ``P(Z) = ℓ(A Z − Y) + Σ_k f_k(Z)`` over Z of shape (d, r), with any loss ℓ and any
penalties f_k of :mod:`cspca.problem.terms`: those of the problem, or ``Plain(penalties=…)``. On the
reduction, ``Y = A U`` and ``W = Z Uᵀ``, that is the problem in W (theory.md §2).

**Iteration.** With copies ``E = A Z − Y`` and ``X_k = Z`` the terms come apart. Z is one block, all
copies together are the other, and ADMM with two blocks converges for all ρ > 0 that stay (§5; Boyd
et al., *Distributed Optimization and Statistical Learning via ADMM*, 2011, §3.2). Here it is
over-relaxed (their §3.4.3), and the ρ of each copy is tuned in the first iterations (§3.4.1).

**Certificate.** Let ``AᵀΛ + Σ G_k = 0``. By the definition of the conjugates ℓ* and f_k* ::

    P(Z) ≥ ⟨Λ, A Z − Y⟩ − ℓ*(Λ) + Σ_k (⟨G_k, Z⟩ − f_k*(G_k)) = −⟨Λ, Y⟩ − ℓ*(Λ) − Σ_k f_k*(G_k):

a bound of the optimum from below, over all W too (§3, §4). That of a norm is 0 while the dual norm
of G_k is within its limit, to which all multipliers are scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cspca.problem import Problem, ReducedData
from cspca.problem.certificate import Bound, round_off, underflow
from cspca.problem.terms import LOSSES, Loss, RowNorms, Term, TraceNorm
from cspca.proximal import FloatArray, count_rank, projected
from cspca.solvers.iterate import EXACT, Solver, SolverState
from cspca.solvers.starts import Start, make_start

TUNING_ITERATIONS = 200
"""Iterations after which every ρ stays: that it does is what the proof of convergence needs."""

CHECK_INTERVAL = 10
"""Iterations from one certificate to the next; each costs about two of them."""


def norm(B: FloatArray) -> float:
    """``‖B‖_F``."""
    return float(np.linalg.norm(B))


@dataclass(frozen=True)
class Copy:
    """What a term sees in place of ``A Z − Y`` or Z; its ρ; and its multiplier, Λ or G_k.

    The multiplier is ρ times the scaled one of theory.md §5.
    """

    term: Term
    X: FloatArray
    G: FloatArray
    rho: float

    def advance(self, target: FloatArray, tune: bool) -> Copy:
        """The copy after an iteration; `target` is the new ``A Z − Y``, or Z."""
        relaxed = 1.6 * target - 0.6 * self.X + self.G / self.rho
        X = self.term.prox(relaxed, 1.0 / self.rho)
        G, rho = self.rho * (relaxed - X), self.rho
        if tune:
            # How far it is from its target, over how much it has moved; both relative.
            primal = norm(target - X) * norm(G)
            dual = rho * norm(X - self.X) * norm(X)
            if primal > 0.0 and dual > 0.0:
                rho *= float(np.clip(np.sqrt(primal / dual), 0.5, 2.0))
        return Copy(self.term, X, G, rho)

    def error(self, G: FloatArray, slip: float) -> float:
        """What G, which may be wrong by `slip`, and norms computed of it may be wrong by."""
        return slip + round_off(sum(G.shape)) * norm(G) + underflow(G.size)

    def scale(self, G: FloatArray, slip: float) -> float:
        """The factor that brings G, which may be wrong by `slip`, within the limit of the term."""
        return float(self.term.limit / (self.term.dual_norm(G) + self.error(G, slip)))

    def conjugate(self, G: FloatArray, slip: float) -> float:
        """``f*(G)`` of a G within the limit, which may be wrong by `slip`, or more."""
        return self.term.conjugate(G, self.error(G, slip)) * (1.0 + round_off(G.size))


def lower_bound(data: ReducedData, loss: Loss, errors: Copy, copies: Sequence[Copy]) -> float:
    """A bound of the optimum, from below, from any multipliers: they are made feasible.

    What rounding may have done is taken off (theory.md §15).
    """
    if not all(np.isfinite(copy.G).all() for copy in (errors, *copies)):
        return 0.0
    L, pull = errors.G, data.A.T @ errors.G
    remainder = pull + sum(copy.G for copy in copies)
    # What AᵀΛ, and the sum of it and the parts below, may be wrong by (an error a sum, a product).
    slip = round_off(len(L)) * norm(data.A) * (norm(L) + underflow(L.size))
    slip += round_off(len(copies)) * (norm(pull) + sum(norm(copy.G) for copy in copies))
    # What is left of AᵀΛ + Σ G_k comes off the G_k, in proportion to how much each could take.
    capacities = np.array([copy.scale(remainder, slip) for copy in copies])
    if np.isinf(capacities).any():
        capacities = np.isinf(capacities).astype(float)
    shares = capacities / (capacities.sum() or 1.0)
    parts = [copy.G - share * remainder for copy, share in zip(copies, shares, strict=True)]
    # One factor brings all of them, and Λ, within their limits; np.min is NaN where one of them is.
    scales = [copy.scale(part, slip) for copy, part in zip(copies, parts, strict=True)]
    scale = float(np.min([1.0, errors.scale(L, 0.0), *scales]))
    # −⟨Λ, Y⟩ = −⟨AᵀΛ, U⟩
    lost = slip + round_off(pull.size) * norm(pull)
    gain = -float(np.vdot(pull, data.U)) - lost * norm(data.U)
    gain *= scale / data.basis_norm * (1.0 - round_off(0))
    cost = loss.conjugate(scale * L) * (1.0 + round_off(L.size))
    for copy, part in zip(copies, parts, strict=True):
        cost += copy.conjugate(scale * part, scale * slip)
    # NaN gives 0, for it comes second.
    return max(0.0, gain - cost * (1.0 + round_off(len(copies))))


class PlainState(SolverState):
    """The copies with their multipliers, and the best so far. No array is changed in place."""

    projector_objective = float("inf")

    def __init__(
        self, data: ReducedData, loss: Loss, penalties: Sequence[Term], Z: FloatArray
    ) -> None:
        self.data, self.loss, self.penalties = data, loss, penalties
        # ρ: a step over all of Y makes a whole Λ, one over W = I a whole AᵀΛ.
        slope = loss.slope(-data.Y)
        self.pull = data.A.T @ slope
        error_rho, rho = norm(slope) / norm(data.Y), norm(self.pull) / norm(data.U)
        E = data.A @ Z - data.Y
        self.errors = Copy(loss, E, loss.slope(E), error_rho)
        self.copies = [Copy(term, Z, np.zeros_like(Z), rho) for term in penalties]
        # No answer is worse than W = 0.
        self.best_coefficients = np.zeros_like(Z)
        self.best_objective = self.objective(self.best_coefficients)
        self.check()

    def step(self) -> None:
        """One iteration."""
        data, E = self.data, self.errors
        # Z minimises ½ρ_E ‖A Z − Y − E + Λ/ρ_E‖² + Σ ½ρ_k ‖Z − X_k + G_k/ρ_k‖². Outside the range
        # of U it is the mean C of X_k − G_k/ρ_k; within, where AᵀA is diagonal, it is M.
        total = sum(copy.rho for copy in self.copies)
        C = sum(copy.rho * copy.X - copy.G for copy in self.copies) / total
        within = data.U.T @ C
        M = data.Y.T @ (E.rho * (E.X + data.Y) - E.G) + total * within
        M /= (E.rho * data.singular_values**2 + total)[:, None]
        Z = C + data.U @ (M - within)
        self.number += 1
        tune = self.number <= TUNING_ITERATIONS and self.number % 5 == 0
        self.errors = E.advance(data.A @ Z - data.Y, tune)
        self.copies = [copy.advance(Z, tune) for copy in self.copies]

    def objective(self, Z: FloatArray) -> float:
        """P at Z, with what of each image lies outside the basis U."""
        E = np.column_stack([self.data.A @ Z - self.data.Y, np.sqrt(self.data.outside)])
        return float(self.loss.value(E) + sum(copy.term.value(Z) for copy in self.copies))

    def check(self) -> float:
        """Evaluate the certificate, and the objective of a Z with what the copies set to zero.

        The first has rows of zeros, the last, one with low rank, the directions to keep of it.
        """
        sigma, right = np.linalg.svd(self.copies[-1].X, full_matrices=False)[1:]
        self.rank = count_rank(sigma)
        inside, basis = projected(self.copies[0].X, right[: self.rank].T)
        Z = inside @ basis.T
        objective = self.objective(Z)
        if objective < self.best_objective:
            self.best_objective, self.best_coefficients = objective, Z
        bound = lower_bound(self.data, self.loss, self.errors, self.copies)
        self.bound = self.bound.or_greater(Bound(bound))
        return objective

    def offer_projector(self) -> None:
        """Take W = U Uᵀ where the best is not better than it."""
        if self.projector_objective <= self.best_objective * (1.0 + EXACT):
            self.best_objective, self.best_coefficients = self.projector_objective, self.data.U

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over those without one (§14)."""
        if not self.coefficients().any():
            return self.pull, np.zeros(len(self.pull))
        A, exact = self.data.A, ~self.errors.X.any(axis=1)
        return A[~exact].T @ self.errors.G[~exact], np.abs(A[exact]).sum(axis=0)


def require_same_when_turned(term: Term, shape: tuple[int, int]) -> None:
    """Refuse a penalty that changes as its argument is turned: of W its bound would not hold.

    A convex f with ``f(BQ) = f(B)`` for all orthogonal Q has ``f(BΠ) ≤ f(B)``, for Π is the mean of
    I and a reflection; and without it ``f(Z)`` depends on which basis U of the images was taken.
    One random B and Q are compared: this finds sums over entries, not every such penalty.
    """
    rng = np.random.default_rng(0)
    rank = shape[1]
    B = rng.standard_normal(shape)
    Q = np.linalg.qr(rng.standard_normal((rank, rank)))[0]
    straight, turned = term.value(B), term.value(B @ Q)
    if not np.isclose(straight, turned, rtol=1e-6):
        raise ValueError(
            f"the penalty {type(term).__name__} is {straight:.6g} at a matrix B and {turned:.6g} "
            "at BQ with an orthogonal Q; only a penalty that is the same at both has a bound that "
            "holds for every W"
        )


@dataclass
class Plain(Solver):
    """ADMM on the reduced problem, in double precision, with nothing that makes it faster.

    It starts at W = 0; of a state of another problem it takes the coefficients. Objective and
    certificate are evaluated every ten iterations, on the first, and on the last before `limit`.
    `random_state` seeds ``start="random"``. `penalties` take the place of the problem's α and β:
    the first has rows of zeros, the last, low rank, as far as they have any. Each is the same at B
    and at BQ for every orthogonal Q, or it is refused.
    """

    limit: int | None = None
    random_state: Any = None
    penalties: Sequence[Term] | None = None

    title: ClassVar[str] = "Plain solver"
    colour: ClassVar[str] = "#009E73"
    state_type: ClassVar[type[Any]] = PlainState

    def terms(self, problem: Problem) -> Sequence[Term]:
        """The penalties to minimise under; those of 0 are left out, but for one."""
        penalties = self.penalties
        if penalties is None:
            penalties = [RowNorms(problem.alpha), TraceNorm(problem.beta)]
        return [term for term in penalties if term.limit > 0.0] or penalties[:1]

    def resumes(self, start: Any, problem: Problem) -> bool:
        """Whether `start` is a state of this very problem, under the same penalties."""
        return super().resumes(start, problem) and start.penalties == self.terms(problem)

    def prepare(
        self, problem: Problem, start: PlainState | Start | FloatArray | str | None
    ) -> PlainState:
        """The state to begin from.

        Raises
        ------
        ValueError
            If one of `penalties` changes as its argument is turned.
        """
        data = problem.in_memory
        if isinstance(start, PlainState):
            start = Start(0.0, start.coefficients(), data.U)
        Z = np.zeros_like(data.U)
        if start is not None:
            Z = make_start(start, data, self.random_state).coefficients(data)
        penalties = self.terms(problem)
        for term in self.penalties or ():
            require_same_when_turned(term, Z.shape)
        state = PlainState(data, LOSSES[problem.loss], penalties, Z)
        state.problem = problem
        if penalties[0].limit == 0.0:
            # Without a penalty W = I reproduces every image (§4), and U Uᵀ attains the optimum, 0,
            # but for directions that U leaves out.
            state.best_objective = state.objective(data.U) if data.left_out else 0.0
            state.best_coefficients, state.proven = data.U, True
        elif data.projects_evenly:
            # And none is worse than W = U Uᵀ, which is W = I at full column rank.
            state.projector_objective = state.objective(data.U)
            state.offer_projector()
        return state

    def advance(self, state: PlainState, last: bool) -> tuple[PlainState, float]:
        """One iteration."""
        state.step()
        checked = last or state.number == 1 or state.number % CHECK_INTERVAL == 0
        objective = state.check() if checked else float("nan")
        state.offer_projector()
        return state, objective
