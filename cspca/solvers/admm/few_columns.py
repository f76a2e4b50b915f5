"""ADMM on few columns: where W has low rank, most of Z is zero and need not be carried along.

``Z = C Vᵀ`` is restricted to k orthonormal directions V: what lies outside is a constant of each
image, and an iteration costs a fraction k / r of a whole one. Its multipliers extend to all, so
every check certifies the *whole* problem and says which directions V lacks (theory.md §7). Where
the rank turns out too high, or more digits are asked for than single precision has, the state is
unfolded and ADMM goes on with all columns.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import scipy

from cspca.problem import CHECKED, Problem, ReducedData
from cspca.problem.certificate import Lengths, reflect_rows
from cspca.proximal import (
    FloatArray,
    right_spectrum,
    row_norms,
    shrink_errors,
    shrink_singular_values,
)
from cspca.solvers.admm.starts import (
    DiagonalGuess,
    concentration,
    diagonal_guess,
    initial_rho,
)
from cspca.solvers.admm.state import ADMMState, Splitting, make_operators
from cspca.solvers.admm.tuning import TUNING, Tuning
from cspca.solvers.blocks import LossSide

_WORK = np.dtype(np.float32)


@dataclass(kw_only=True)
class FewColumnsState(Splitting):
    """Copies and scaled multipliers of the restricted problem, in single precision.

    The span of V holds all rows of every Z so far. E and u are apart here. `within` is Y V, `rest`
    what lies outside V of each image, `target` and `outside` the same two in single precision.
    `pulled` says when AᵀΛ was last computed, and that.
    """

    V: FloatArray
    within: FloatArray
    target: FloatArray
    rest: FloatArray
    outside: FloatArray
    E: FloatArray
    u: FloatArray
    Y: FloatArray
    explorations: int = 0
    pulled: tuple[int, FloatArray] | None = None

    @property
    def data(self) -> ReducedData:
        """The data, which are in memory."""
        return self.problem.in_memory

    def coefficients(self) -> FloatArray:
        """Z of all columns, shape (n_features, rank of the data)."""
        Z: FloatArray = self.P @ self.V.astype(_WORK).T
        return Z

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over those without one."""
        inside = self.outside <= self.tuning.exact * self.data.sample_norms
        exact = (row_norms(self.E) == 0.0) & inside
        if self.pulled is not None and self.pulled[0] == self.number and not exact.any():
            return self.pulled[1], np.zeros(len(self.P))
        L = self._multipliers()
        L[exact] = 0.0
        return self.data.A.T @ L, np.abs(self.data.A[exact]).sum(axis=0)

    def step(self) -> None:
        """One over-relaxed iteration."""
        relaxation = self.tuning.relaxation
        asked = self.Y.T @ (self.E - self.u)
        asked += self.operators[1][:, None] * self.V.astype(_WORK)
        M, Z = self.centre(asked)
        hat = relaxation * (self.Y @ M - self.target)
        hat -= (relaxation - 1.0) * self.E
        hat += self.u
        self.E = shrink_errors(hat, self.outside, 1.0 / self.loss_rho)
        self.u = hat - self.E
        self.follow(Z)

    def explore(self) -> None:
        """Widen V by what a check would miss in it now, without the proof and at half its cost.

        The first time, ρ of the rows is corrected by what P shows of their number.
        """
        if not self.explorations:
            factor = _WORK.type(concentration(self.P, self.problem, self.guess, self.tuning))
            self.row_rho *= float(factor)
            self.p = self.p / factor
        V, weights = self.V.astype(_WORK), self._rest_weights()[:, None]
        # (ρ u + w Y V) Vᵀ − w Y is Λ: its part in V and, beside it, that outside V.
        L = (_WORK.type(self.loss_rho) * self.u + weights * self.target) @ V.T
        L -= weights * self.Y
        pull = self.operators[0] @ (self.Y.T @ L)
        inverse = -pull - (_WORK.type(self.row_rho) * self.p) @ V.T
        sigma, right = right_spectrum(inverse)
        missing = right[:, : np.count_nonzero(sigma > self.problem.beta)]
        self._widen(self._joined(missing), pull)
        self.explorations += 1
        tuning = self.tuning
        self.next_check = self.number
        self.next_check += tuning.next_exploration if self.explores else tuning.between

    def check(self, tolerance: float) -> float:
        """Certify the whole problem, widen V by the directions that stand in the way; the
        objective.
        """
        C = self.candidate()
        errors = self.errors(C)
        objective = self.problem.value(float(errors.sum()), C, min(CHECKED, 0.01 * tolerance))
        self.offer(objective, C @ self.V.T, errors)
        if self.best_errors is None:
            # The start is still the best: its value was rounded up so far.
            Z = np.asarray(self.best_coefficients, dtype=np.float64)
            self.best_errors = self.data.residual_norms(Z)
            self.best_objective = self.problem.value(float(self.best_errors.sum()), Z)
        L = self._multipliers()
        pull = self.data.pull(L)
        self.pulled = self.number, pull
        enough = self.best_objective * (1.0 - tolerance)
        bound, V = self._certify(pull, Lengths.of(L), enough)
        before, gap = self.gap, self.bounded(bound)
        self.slow_checks = self.slow_checks + 1 if gap > self.tuning.few_slow * before else 0
        self.next_check = self.number + self.tuning.between
        if gap > tolerance:
            self._widen(V, pull)
        return objective

    def _certify(
        self, pull: FloatArray, lengths: Lengths, enough: float
    ) -> tuple[float, FloatArray]:
        """Bound of the whole problem, and V with the directions that it found to be missing."""
        problem, V = self.problem, self.V.astype(_WORK)
        G1 = (_WORK.type(self.row_rho) * self.p) @ V.T
        inverse = -(pull.astype(_WORK) + G1)
        # A step of subspace iteration, so that what exceeds β outside V is seen.
        near = V if self.tuning.subspace * V.shape[1] <= len(V) else None
        shrunk = shrink_singular_values(inverse, problem.beta, near)
        # The first round of the split is done; reflect, as between two rounds of it.
        G1 = reflect_rows(G1 + shrunk.value, problem.alpha)
        few = shrunk.right[:, : shrunk.rank + self.rank + self.tuning.padding]
        near = few if self.tuning.subspace * few.shape[1] <= len(V) else None
        G2, rounds = inverse - shrunk.value, self.tuning.rounds
        bound = problem.bound_of(pull, lengths, G1, G2, enough, near, rounds)
        return bound, self._joined(shrunk.right[:, : shrunk.rank])

    def warmed(self, problem: Problem) -> Self | None:
        """Begin under other penalties of the same data from here.

        None where the directions are too many, by now or in use, or not yet gathered.
        """
        few = 0 < max(self.tuning.most * self.rank, 2 * self.V.shape[1]) <= problem.data.rank
        if self.explores or not few:
            return None
        guess = diagonal_guess(problem, self.guess, self.tuning)
        C = self.candidate()
        errors = self.errors(C)
        best = {
            "best_coefficients": C @ self.V.T,
            "best_errors": errors,
            "best_objective": problem.value(float(errors.sum()), C),
        }
        return self.under(problem, guess, pulled=None, **best)

    @property
    def explores(self) -> bool:
        """Whether V is still to be widened before a certificate is worth while."""
        return self.explorations < self.tuning.explorations

    @property
    def at_its_end(self) -> bool:
        """Whether all columns are needed: single precision is at its end, or the gap stands."""
        return self.gap < self.tuning.single or self.slow_checks >= self.tuning.few_slow_checks

    def unfold(self) -> ADMMState:
        """The same point with all columns."""
        data, V = self.data, self.V.astype(_WORK)
        loss_side = LossSide(data, _WORK)
        N = self.operators[0].T @ self.coefficients() - np.eye(data.rank, dtype=_WORK)
        loss_side.begin(N, self.loss_rho, self.tuning.short * self.guess.error)
        pull = data.A.T @ loss_side.multiplier(self.loss_rho)
        G1 = self.row_rho * (self.p @ V.T)
        inverse = (-(pull + G1)).astype(_WORK)
        G2 = inverse - shrink_singular_values(inverse, self.problem.beta).value
        same = {one.name: getattr(self, one.name) for one in fields(Splitting)}
        return ADMMState(
            **same
            | {
                "P": self.P @ V.T,
                "p": self.p @ V.T,
                "Q": self.Q @ V.T,
                "right": None,
                "q": G2 / _WORK.type(self.spectral_rho),
                "next_check": self.number + self.tuning.between,
                "slow_checks": 0,
                "checked": self.number,
            },
            loss=loss_side,
        )

    def errors(self, C: FloatArray) -> FloatArray:
        """``‖e_i‖`` of each image under ``Z = C Vᵀ``, in double precision."""
        inside = self.data.A @ C
        inside -= self.within
        norms: FloatArray = np.sqrt(np.square(row_norms(inside)) + np.square(self.rest))
        return norms

    def _multipliers(self) -> FloatArray:
        """Λ with all columns, in double precision."""
        weights = self._rest_weights().astype(np.float64)[:, None]
        inside = (self.loss_rho * self.u).astype(np.float64)
        inside += weights * self.within
        L: FloatArray = inside @ self.V.T
        L -= weights * self.data.Y
        return L

    def _rest_weights(self) -> FloatArray:
        """1 / ‖e_i‖, errors outside V included; 0 for images without an error."""
        errors = np.hypot(row_norms(self.E), self.outside)
        floor = self.tuning.short * self.guess.error
        weights: FloatArray = np.where(errors > floor, 1.0 / np.maximum(errors, floor), 0.0)
        return weights

    def _joined(self, right: FloatArray) -> FloatArray:
        """V and the directions of `right` that it lacks, orthonormal."""
        extra = right.astype(np.float64)
        # The basis holds only what is missing, twice cleaned.
        for _ in range(2):
            extra = extra - self.V @ (self.V.T @ extra)
        basis, triangle, _ = scipy.linalg.qr(
            extra, mode="economic", pivoting=True, check_finite=False
        )
        # Even a slight turn of V counts where β dominates: rows of AᵀΛ are far longer than α then.
        missing = basis[:, np.abs(np.diag(triangle)) > self.tuning.missing]
        missing = missing - self.V @ (self.V.T @ missing)
        return np.hstack([self.V, missing])

    def _widen(self, V: FloatArray, pull: FloatArray) -> None:
        """Go on with more directions: nothing moves, E and the multipliers gain their parts."""
        new = V[:, self.V.shape[1] :]
        if not new.shape[1]:
            return
        part = self.data.Y @ new
        weights = self._rest_weights()[:, None]
        lost = -(pull @ new).astype(_WORK)

        def wider(B: FloatArray, extra: FloatArray | None = None) -> FloatArray:
            columns = np.zeros((len(B), new.shape[1])) if extra is None else extra
            return np.hstack([B, columns.astype(_WORK)])

        self.E = wider(self.E, -part)
        self.u = wider(self.u, -part * weights / self.loss_rho)
        self.P, self.p, self.Q = wider(self.P), wider(self.p), wider(self.Q)
        self.right = None
        G2 = wider(_WORK.type(self.spectral_rho) * self.q, lost)
        G2 -= shrink_singular_values(G2, self.problem.beta).value
        self.q = G2 / _WORK.type(self.spectral_rho)
        for name, value in _along(self.data, V, self.tuning).items():
            setattr(self, name, value)


def _along(data: ReducedData, V: FloatArray, tuning: Tuning) -> dict[str, Any]:
    """What a state carries for its directions V, by the names of its fields."""
    within = data.Y @ V
    whole = np.square(row_norms(data.Y))
    rest = np.maximum(whole - np.square(row_norms(within)), 0.0)
    # The round-off of the difference.
    rest[rest <= np.square(tuning.exact) * whole] = 0.0
    rest = np.sqrt(rest + data.outside)
    return {
        "V": V,
        "within": within,
        "target": within.astype(_WORK),
        "rest": rest,
        "outside": rest.astype(_WORK),
    }


def few_columns_cold(
    problem: Problem, guess: DiagonalGuess, tuning: Tuning = TUNING
) -> FewColumnsState | None:
    """Begin from the best diagonal map in the directions that it uses; None where they are many."""
    if not isinstance(problem.data, ReducedData) or not problem.alpha or not problem.beta:
        return None
    used = int(np.count_nonzero(guess.factors))
    # A few directions more than are in use, to begin with.
    k, r = used + tuning.spare, problem.data.rank
    if not used or tuning.most * k > r:
        return None
    V = np.eye(r)[:, np.argsort(-guess.factors, kind="stable")[:k]]
    operators, Y = make_operators(problem, _WORK), problem.in_memory.basis_rows(_WORK)
    C = (operators[0] * guess.factors.astype(_WORK)) @ V.astype(_WORK)
    E = Y @ ((guess.factors - 1.0)[:, None] * V).astype(_WORK)
    state = _begin(problem, guess, V, C, E, operators, Y, tuning)
    # A candidate like any other: a fit that is stopped at once has this to show.
    state.best_coefficients = problem.data.U * guess.factors
    state.best_objective = guess.objective
    state.next_check = tuning.first_exploration
    return state


def _begin(
    problem: Problem,
    guess: DiagonalGuess,
    V: FloatArray,
    C: FloatArray,
    E: FloatArray,
    operators: tuple[FloatArray, FloatArray],
    Y: FloatArray,
    tuning: Tuning,
) -> FewColumnsState:
    """At C, with the multipliers that belong to it."""
    loss, rows, spectral = initial_rho(problem, guess, tuning)
    parts = _along(problem.in_memory, V, tuning)
    errors = np.maximum(np.hypot(row_norms(E), parts["outside"]), tuning.short * guess.error)
    L = (E / errors[:, None]).astype(_WORK)
    norms = row_norms(C)
    G1 = C * (problem.alpha / np.maximum(norms, tuning.short * norms.max())).astype(_WORK)[:, None]
    # What is left for G₂, as far as its bound lets it.
    left = -(operators[0] @ (Y.T @ L)) - G1
    left -= shrink_singular_values(left, problem.beta).value
    return FewColumnsState(
        **parts,
        problem=problem,
        guess=guess,
        tuning=tuning,
        E=E,
        u=L / _WORK.type(loss),
        P=C,
        p=G1 / _WORK.type(rows),
        Q=C,
        q=left / _WORK.type(spectral),
        loss_rho=loss,
        row_rho=rows,
        spectral_rho=spectral,
        rank=C.shape[1],
        operators=operators,
        Y=Y,
    )
