"""What ADMM holds between two iterations, and how it begins: cold, from a matrix, or warm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cspca.problem import OBJECTIVE_ACCURACY, Problem, ReducedData, Reduction, zero_bound
from cspca.problem.certificate import NOTHING_PROVEN, Bound, Lengths, round_off
from cspca.problem.identity import identity_is_optimal
from cspca.proximal import (
    FloatArray,
    gram,
    projected,
    row_norms,
    shrink_rows,
    shrink_singular_values,
    solve_definite,
)
from cspca.solvers.admm.starts import (
    SHORT,
    DiagonalGuess,
    diagonal_guess,
    initial_rho,
    least_error,
    nearest_multiple,
)
from cspca.solvers.blocks import LossSide
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from cspca.solvers.iterate import EXACT, PROVEN_GAP, SolverState, relative_gap

RELAXATION = 1.6
"""Over-relaxation; with 1, a third more iterations."""

LOSS_PASSES = 3
"""Passes of reweighting in a step of Z where the loss has no copy (theory.md §6)."""

SINGLE_GAP = 3e-4
"""Gap below which iterations are in double precision."""

BALANCE = 1.5
"""Most that balancing multiplies a ρ by."""

STALE = 2.0
"""Change of the first ρ of the loss from which a state of other penalties is no start."""

AFRESH = 0.4
"""Power of a first ρ under new penalties in that of a warm start; the rest is the old one."""


@dataclass(kw_only=True)
class State(SolverState):
    """What every state of this solver has besides.

    `gap` is as of the last check, `slow_checks` how many there were without much progress,
    `evaluated` the seconds when the objective was last evaluated.
    """

    guess: DiagonalGuess
    rank: int = 0
    gap: float = 1.0
    next_check: int = 0
    checked: int = 0
    slow_checks: int = 0
    evaluated: float = 0.0

    def __copy__(self) -> Self:
        """A state that another run may go on from; no array is changed in place."""
        return replace(self)

    def objective(self, tolerance: float) -> float:
        """That of where it stands, for a live curve: nothing is proven, nothing kept.

        A hundredth of the `tolerance` of the gap is exact enough for the trace norm.
        """
        return self.problem.objective(self.coefficients(), 0.01 * tolerance)

    def offer(
        self,
        objective: float,
        Z: FloatArray,
        errors: FloatArray | None = None,
        span: FloatArray | None = None,
    ) -> None:
        """Take Z for the best so far if it is."""
        if objective < self.best_objective:
            self.best_objective, self.best_coefficients = objective, Z
            self.best_errors, self.span = errors, span

    def offer_projector(self) -> None:
        """Take W = U Uᵀ, W = I at full column rank, where the best is not better than it."""
        problem = self.problem
        if problem.data.projects_evenly:
            objective = problem.projector_objective
            if objective <= self.best_objective * (1.0 + EXACT):
                self.best_objective, self.best_coefficients = objective, problem.data.U
                self.best_errors = self.span = None

    def best_objective_for(self, problem: Problem) -> float:
        """The objective of the best Z under other penalties of the same data."""
        assert self.best_coefficients is not None
        if self.best_errors is None:
            return problem.objective(self.best_coefficients, OBJECTIVE_ACCURACY)
        Z = self.best_coefficients if self.span is None else self.best_coefficients @ self.span
        return problem.value(float(self.best_errors.sum()), Z, OBJECTIVE_ACCURACY)

    def bounded(self, bound: Bound) -> float:
        """Take note of a bound; the gap that it leaves."""
        self.bound = self.bound.or_greater(bound)
        self.gap = relative_gap(self.best_objective, self.dual_bound)
        return self.gap

    def for_penalties(self, problem: Problem, **changes: Any) -> Self:
        """The same point under other penalties of the same data, at the beginning of a run."""
        fresh: dict[str, Any] = {
            "number": 0,
            "seconds": 0.0,
            "bound": NOTHING_PROVEN,
            "gap": 1.0,
            "slow_checks": 0,
        }
        return replace(self, problem=problem, evaluated=0.0, **fresh | changes)


@dataclass(kw_only=True)
class ADMMState(State):
    """What ADMM carries: copies, scaled multipliers and ρ, on all columns or on few.

    `V` are the columns, orthonormal, ``Z = C Vᵀ`` with C in place of Z below (theory.md §7); None
    is all of them. E and its multiplier u are in `loss`, and may be anywhere; the rest is small.
    The three ρ belong to ``E = A Z − Y``, ``P = Z`` and ``Q = Z``; a block whose term is absent
    (α = 0 or β = 0) has ρ = 0 and is left out. `cold` is 0, or, where it began from the optimum
    under other penalties, the iterations of the last fit that did not; `lowered` is how often ρ of
    the rows was lowered for the bound, `explorations` how often few columns were widened without a
    certificate. `right` holds the directions of Q, where it has just been shrunk, `before` P and Q
    as they were.
    """

    Z: FloatArray
    P: FloatArray
    p: FloatArray
    Q: FloatArray
    q: FloatArray
    loss_rho: float
    row_rho: float
    spectral_rho: float
    operators: tuple[FloatArray, FloatArray]
    loss: LossSide
    right: FloatArray | None = None
    cold: int = 0
    V: FloatArray | None = None
    before: tuple[FloatArray, FloatArray] | None = None
    lowered: int = 0
    explorations: int = 0

    @classmethod
    def begin(
        cls,
        problem: Problem,
        guess: DiagonalGuess,
        Z: FloatArray,
        N: FloatArray,
        V: FloatArray | None = None,
    ) -> Self:
        """At Z, with ``E = Y N``, before there are multipliers of the penalties."""
        loss_rho, row_rho, spectral_rho = initial_rho(problem, guess)
        loss = make_loss(problem.data, Z.dtype)
        loss.begin(N, loss_rho, SHORT * guess.error, V)
        return cls(
            problem=problem,
            guess=guess,
            loss=loss,
            V=V,
            Z=Z,
            P=Z,
            p=np.zeros_like(Z),
            Q=Z,
            q=np.zeros_like(Z),
            loss_rho=loss_rho,
            row_rho=row_rho,
            spectral_rho=spectral_rho,
            rank=min(Z.shape[1], int(np.count_nonzero(row_norms(Z)))),
            operators=make_operators(problem, Z.dtype),
        )

    def continue_from(self, state: State) -> Self:
        """Go on from what another state of the problem, of another kind, has found and proven."""
        assert state.best_coefficients is not None
        self.offer(state.best_objective, state.best_coefficients, state.best_errors, state.span)
        self.number = self.checked = state.number
        self.seconds = self.evaluated = state.seconds
        self.bound, self.next_check = state.bound, state.number + self.next_check
        return self

    def __copy__(self) -> Self:
        """A state that another run may go on from: the loss side is stepped in place."""
        return replace(self, loss=self.loss.copy())

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over those without one."""
        return self.loss.entries(self.loss_rho)

    def for_penalties(self, problem: Problem, **changes: Any) -> Self:
        """The same point under other penalties of the same data.

        ρ grows with its penalty, as its first guess does. So does ρp, which on rows in use is α
        times a direction; ρq is brought within its new bound. Whoever calls gives the new
        objective.
        """
        before = self.problem
        rows = problem.alpha / before.alpha if before.alpha > 0.0 else 1.0
        spectral = problem.beta / before.beta if before.beta > 0.0 else 1.0
        q = self.q
        if problem.beta > 0.0:
            # In units of the old ρ, which are those of q.
            q = q - shrink_singular_values(q, problem.beta / self.spectral_rho).value
        fresh: dict[str, Any] = {
            "q": q / q.dtype.type(spectral),
            "row_rho": self.row_rho * rows,
            "spectral_rho": self.spectral_rho * spectral,
            "cold": self.cold or self.number,
            "loss": self.loss.copy(),
        }
        return super().for_penalties(problem, **fresh | changes)

    def move_rho(self, rows: float, spectral: float = 1.0) -> None:
        """Multiply each ρ of the copies by a factor; G₁ and G₂ stay what they are."""
        self.row_rho *= rows
        self.p = self.p / self.p.dtype.type(rows)
        self.spectral_rho *= spectral
        self.q = self.q / self.q.dtype.type(spectral)

    def step(self) -> None:
        """One over-relaxed iteration."""
        self.before = P, Q = self.P, self.Q
        U, squared = self.operators
        loss, both = self.loss_rho, self.row_rho + self.spectral_rho
        # The Z-step. Inside the range of U it is M, outside it the average C of what the copies ask
        # for: kept apart there is no cancellation, which single precision would not survive.
        C = (P - self.p) * (self.row_rho / both)
        C += (Q - self.q) * (self.spectral_rho / both)
        inner, V = U.T @ C, self.columns
        if self.loss.minimised:
            M = self.loss.minimise(inner, both, loss, LOSS_PASSES).astype(P.dtype) + V
        else:
            # YᵀY is diagonal.
            M = loss * (self.loss.right_side() + squared[:, None] * V) + both * inner
            M /= (loss * squared + both)[:, None]
            self.loss.step(M - V, loss, RELAXATION)
        self.Z = Z = U @ (M - inner)
        Z += C
        self.follow(Z)

    def objective(self, tolerance: float) -> float:
        """On the rows and columns that it carries, errors in the precision of the iterations.

        A is not gone over for it: in the basis what they are of is at hand.
        """
        rows = self.P.any(axis=1)
        U, C = self.operators[0][rows], self.Z[rows]
        errors = self.loss.total(U.T @ C - self.columns)
        return self.problem.value(errors, C.astype(np.float64), 0.01 * tolerance)

    def evaluate(self, tolerance: float) -> tuple[float, FloatArray, Lengths]:
        """The objective, and ``AᵀΛ`` with the lengths of Λ.

        It is that of Z on the rows of P and in the directions of Q: what these set to zero is zero
        in it. Z itself reproduces the images as E does, long before P has come to it; without a
        copy of the loss what the zero rows held of that is given to the others, if no direction is
        left out.
        """
        C = np.asarray(self.sparse(), dtype=np.float64)
        if self.loss.minimised and self.rank == self.problem.data.rank:
            # Of an image that is reproduced what is left is round-off, or next to it.
            some = self.loss.reproduced() < self.problem.data.shape[0]
            C, self.right = completed(C, self.problem.data.U, self.loss.N * some), None
        inside, span = C, None
        if self.right is not None:
            inside, span = projected(C, self.right)
            C = inside @ span.T
        errors, pull, lengths = self.loss.check(C, self.loss_rho)
        objective = self.problem.value(errors, inside, min(OBJECTIVE_ACCURACY, 0.01 * tolerance))
        if objective < self.best_objective:
            if self.V is not None:
                C, span = C @ self.V.T, self.V if span is None else self.V @ span
            self.offer(objective, C, self.loss.errors, span)
        return objective, pull, lengths

    def sparse(self) -> FloatArray:
        """Z on the rows that are not zero in P."""
        rows: FloatArray = np.asarray(self.P.any(axis=1))
        return self.Z * rows[:, None]

    def guessed_pull(self, N: FloatArray) -> FloatArray:
        """``Yᵀu`` where nothing has moved since E was set to ``Y N``, shape (rank, columns)."""
        return self.operators[1][:, None] * N - self.loss.right_side()

    def follow(self, Z: FloatArray) -> None:
        """The steps of P and Q, over-relaxed, and of their multipliers."""
        problem = self.problem

        def ahead(copy: FloatArray, multiplier: FloatArray) -> FloatArray:
            hat: FloatArray = RELAXATION * Z
            hat -= (RELAXATION - 1.0) * copy
            hat += multiplier
            return hat

        if self.row_rho > 0.0:
            hat = ahead(self.P, self.p)
            self.P = shrink_rows(hat, problem.alpha / self.row_rho)
            self.p = hat - self.P
        else:
            self.P = Z
        if self.spectral_rho > 0.0:
            hat = ahead(self.Q, self.q)
            limit = problem.beta / self.spectral_rho
            shrunk = shrink_singular_values(hat, limit)
            self.Q, self.rank = shrunk.value, shrunk.rank
            self.right = shrunk.right[:, : shrunk.rank]
            self.q = hat - self.Q
        self.number += 1

    def warm_start(self, problem: Problem) -> Self | None:
        """Begin under other penalties from here, on all columns; None where errors are others."""
        unchecked: dict[str, Any] = {"proven": False, "checked": 0, "lowered": 0}
        guess = diagonal_guess(problem)
        loss_rho, *fresh = initial_rho(problem, guess)
        if not 1.0 / STALE < loss_rho / self.loss_rho < STALE:
            return None
        # Something to show before the first check.
        objective = self.best_objective_for(problem)
        state = self.for_penalties(problem, guess=guess, best_objective=objective, **unchecked)
        state.choose_loss()
        # What balancing made of ρ belongs to the data, and to the old penalties: some of it stays.
        old = state.row_rho, state.spectral_rho
        moves = [a / b if b > 0.0 else 1.0 for a, b in zip(fresh, old, strict=True)]
        state.move_rho(*(move**AFRESH for move in moves))
        return state

    def coefficients(self) -> FloatArray:
        """Z of all columns, shape (n_features, rank of the data)."""
        return self.sparse() if self.V is None else self.sparse() @ self.columns.T

    @property
    def columns(self) -> FloatArray:
        """V, or I, in the precision of the iterations, shape (rank, columns)."""
        V = np.eye(self.problem.data.rank) if self.V is None else self.V
        return V.astype(self.P.dtype)

    @property
    def subgradients(self) -> tuple[FloatArray, FloatArray]:
        """G₁ and G₂ of the two penalties, shape (n_features, rank) each."""
        return self.row_rho * self.p, self.spectral_rho * self.q

    def recognise_regime(self) -> None:
        """Recognise the regimes whose optimum is known beforehand: W = 0, and W = U Uᵀ."""
        problem, data = self.problem, self.problem.data
        if problem.alpha == 0.0 and problem.beta == 0.0:
            # Without penalties U Uᵀ attains the optimum, 0, but for directions that U leaves out.
            self.prove(data.U, data.left_out, 0.0, data.rank)
        elif problem.zero_is_optimal:
            total = float(data.sample_norms.sum())
            self.prove(np.zeros_like(data.U), total, zero_bound(data), 0)
        elif not data.full_column_rank or problem.alpha + problem.beta < data.least_column():
            self.try_projector(None)

    def try_projector(self, pull: FloatArray | None) -> None:
        """Take W = U Uᵀ, W = I at full column rank, where it is proven to be optimal.

        The iteration alone would creep towards it. `pull` is ``AᵀΛ`` of the multipliers; None
        starts from Λ = 0.
        """
        problem, data = self.problem, self.problem.data
        objective = problem.projector_objective
        if not data.projects_evenly or objective > self.best_objective * (1.0 + OBJECTIVE_ACCURACY):
            return
        if identity_is_optimal(problem):
            # At most the lower end of t*: no W has less, however the data are conditioned.
            self.prove(data.U, objective, objective * (1.0 - round_off(1)), data.rank)
            return
        G1, G2 = problem.alpha * data.unit_rows, problem.beta * data.U
        # What is left of AᵀΛ + G₁ + G₂ is Λ's (theory.md §4).
        rho = 0.0 if pull is None else self.loss_rho
        pull = np.zeros_like(G1) if pull is None else pull
        missing = np.zeros((data.rank, data.rank))
        # Twice: the weakest directions of YᵀY, which is diagonal to half their digits, need it.
        for _ in range(2):
            missing += data.U.T @ (pull + G1 + G2) / (data.singular_values**2)[:, None]
            pull, lengths = self.loss.shifted(rho, missing)
        bound = problem.bound_of(pull, lengths, G1, G2)
        self.bound = self.bound.or_greater(bound)
        if relative_gap(objective, bound.value) <= PROVEN_GAP:
            self.prove(data.U, objective, bound.value, data.rank)

    def prove(self, Z: FloatArray, objective: float, bound: float, rank: int) -> None:
        """Take coefficients that are known to be optimal: from here on there is nothing to do.

        In these regimes a ceiling on a single pixel says nothing.
        """
        self.best_coefficients, self.best_objective, self.bound = Z, objective, Bound(bound)
        self.best_errors = self.span = None
        self.rank = rank
        self.proven = True

    @property
    def single(self) -> bool:
        """Whether the iterations are in single precision."""
        return self.operators[0].dtype == np.float32

    def cast(self, dtype: np.dtype[Any]) -> None:
        """Go on in another precision."""
        # Without a copy Λ jumps where single precision cannot follow.
        self.loss.cast(np.dtype(np.float64) if self.loss.minimised else dtype)
        if self.operators[0].dtype == dtype:
            return
        for name in ("Z", "P", "p", "Q", "q"):
            setattr(self, name, getattr(self, name).astype(dtype))
        self.operators = make_operators(self.problem, dtype)

    def choose_loss(self) -> Self:
        """The same, with a copy of the errors, or without one where most are next to nothing."""
        self.loss.minimise_over(least_error(self.problem, self.guess))
        self.cast(self.operators[0].dtype)
        return self

    def rebalance(self) -> None:
        """Move ρ of the copies by what their residuals ask for."""
        assert self.before is not None
        copies = zip((self.P, self.Q), self.before, (self.p, self.q), strict=True)
        factors = [balance_factor(self.Z, *copy) for copy in copies]
        self.move_rho(*np.clip(factors, 1.0 / BALANCE, BALANCE).tolist())


def completed(C: FloatArray, U: FloatArray, N: FloatArray) -> FloatArray:
    """C with ``UᵀC = I + N``: each row moves by the more the longer it is (theory.md §11)."""
    missing = N + np.eye(len(N)) - U.T @ C
    weights = row_norms(C)[:, None]
    try:
        shift = solve_definite(gram(U * np.sqrt(weights)), missing)
    except np.linalg.LinAlgError:
        # Too few rows are left.
        return C
    whole: FloatArray = C + weights * (U @ shift)
    return whole


def balance_factor(
    Z: FloatArray, copy: FloatArray, before: FloatArray, multiplier: FloatArray
) -> float:
    """Factor for ρ: above 1 when Z and its copy disagree, below 1 when multipliers still move.

    Relative to the copy's size and the multiplier's (Boyd et al., §3.4.1).
    """
    apart, size, moved = (float(np.linalg.norm(B)) for B in (Z - copy, multiplier, copy - before))
    if min(apart, size, moved) == 0.0:
        # All residuals zero (next to W = I, say), or no such block: the ratio says nothing.
        return 1.0
    largest = max(float(np.linalg.norm(B)) for B in (Z, copy))
    return float(np.sqrt(apart / largest * size / moved))


def make_loss(data: Reduction, dtype: np.dtype[Any]) -> LossSide:
    """The loss side of `data`, in memory or wherever they are."""
    assert isinstance(data, (ReducedData, BlockData))
    if isinstance(data, ReducedData) or type(data.blocks) is LocalBlocks:
        return LossSide(data, dtype)
    from cspca.solvers.distributed.blocks import DaskBlocks, DistributedLoss

    assert isinstance(data.blocks, DaskBlocks)
    return DistributedLoss(data.blocks, data, dtype)


def make_operators(problem: Problem, dtype: np.dtype[Any]) -> tuple[FloatArray, FloatArray]:
    """U and the squared singular values in the precision of the iterations."""
    data = problem.data
    squared = (data.singular_values**2).astype(dtype, copy=False)
    return data.U.astype(dtype, copy=False), squared


def cold_state(problem: Problem, guess: DiagonalGuess) -> ADMMState:
    """Begin from the best diagonal map, with the multipliers that belong to it."""
    dtype = problem.data.coarse
    U, N = problem.data.U.astype(dtype, copy=False), np.diag(guess.factors - 1.0)
    Z = U * guess.factors.astype(dtype)
    state = ADMMState.begin(problem, guess, Z, N)
    if guess.rows > 0.0 or guess.trace > 0.0:
        # What is left for G₂ on the diagonal; the rest of the remainder sorts itself out.
        G1 = guessed_rows(Z, problem.alpha, SHORT)
        left = -dtype.type(state.loss_rho) * np.diag(state.guessed_pull(N.astype(dtype)))
        left -= np.einsum("ij,ij->j", U, G1)
        if state.row_rho > 0.0:
            state.p = G1 / dtype.type(state.row_rho)
        if state.spectral_rho > 0.0:
            bounded = np.clip(left, -problem.beta, problem.beta) / state.spectral_rho
            state.q = U * bounded.astype(dtype)
        # A candidate like any other: a fit that is stopped at once has this to show.
        state.offer(guess.objective, problem.data.U * guess.factors)
    return state.choose_loss()


def state_from(Z: FloatArray, problem: Problem, guess: DiagonalGuess) -> ADMMState:
    """Begin from given coefficients; what is worse than W = 0 is scaled first.

    A step moves a row by at most α/ρ: a start a thousand times too large would take thousands.
    """
    if problem.objective(Z) > float(problem.data.sample_norms.sum()):
        Z = nearest_multiple(problem.data, Z)
    N = problem.data.U.T @ Z - np.eye(problem.data.rank)
    state = ADMMState.begin(problem, guess, Z.astype(problem.data.coarse), N)
    state.offer(problem.objective(Z), Z)
    return state.choose_loss()


def guessed_rows(Z: FloatArray, alpha: float, least: float) -> FloatArray:
    """G₁ at Z: α times the directions of its rows, less for rows that are shorter than `least`."""
    G1: FloatArray = Z * (alpha / np.maximum(row_norms(Z), least)).astype(Z.dtype)[:, None]
    return G1
