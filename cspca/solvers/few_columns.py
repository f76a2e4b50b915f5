"""ADMM on few columns: where W has low rank, most of Z is zero and need not be carried along.

Let V (r × k) hold orthonormal directions and restrict ``Z = C Vᵀ`` to them. Then the images'
errors within V move, what lies outside is a constant of each image, and the problem reads

    min_C  Σ_i √(‖a_i C − y_i V‖² + h_i²)  +  α ‖C‖₂,₁  +  β ‖C‖_* ,    h_i = ‖y_i (I − V Vᵀ)‖ ,

the same three blocks with k columns in place of r: an iteration costs a fraction k / r of a whole
one. Its multipliers extend to all columns, ``λ_i = e_i / ‖e_i‖`` with the constant part included,
so every check certifies the *whole* problem. What exceeds β there says which directions are
missing: V is widened by them, as in column generation. A few rounds of that suffice. Where the
rank turns out too high, or more digits are asked for than single precision has, the state is
unfolded and ADMM goes on with all columns.

The optimum restricted to V is that of the whole problem as soon as V contains its row space.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.linalg import qr

from cspca.problem import Problem, ReducedData
from cspca.problem.certificate import reflect_rows
from cspca.proximal import (
    FloatArray,
    right_singular_vectors,
    row_norms,
    shrink_errors,
    shrink_singular_values,
)
from cspca.solvers.admm_state import (
    SHORT,
    ADMMState,
    Splitting,
    concentration,
    initial_penalties,
    make_operators,
    near_by,
)
from cspca.solvers.blocks import LossRows
from cspca.solvers.diagonal import DiagonalGuess, diagonal_guess
from cspca.solvers.iterate import relative_gap

_WORK = np.dtype(np.float32)


@dataclass(kw_only=True)
class FewColumnsState(Splitting):
    """Copies and scaled multipliers of the restricted problem, in single precision.

    The span of V holds all rows of every Z so far. E and u are apart here. `within` is Y V, `rest`
    what lies outside V of each image, `target` and `outside` the same two in single precision.
    `missing` are directions that the last certificate would have added to V, `pulled` when AᵀΛ was
    last computed, and that.
    """

    V: FloatArray
    within: FloatArray
    target: FloatArray
    rest: FloatArray
    outside: FloatArray
    E: FloatArray
    u: FloatArray
    Y: FloatArray
    gap: float = 1.0
    explorations: int = 0
    missing: FloatArray | None = None
    pulled: tuple[int, FloatArray] | None = None

    proven = False

    def __copy__(self) -> FewColumnsState:
        """A state that another run may go on from; no array is changed in place."""
        return replace(self)

    @property
    def data(self) -> ReducedData:
        """The data, which are in memory."""
        return self.problem.in_memory

    def coefficients(self) -> FloatArray:
        """Z of all columns, shape (n_features, rank of the data)."""
        Z: FloatArray = self.P @ self.V.astype(_WORK).T
        return Z

    def rank_of(self, sigma: FloatArray) -> int:
        """Rank of W: exact, from the shrunk copy Q."""
        return self.rank

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over those without one."""
        exact = (row_norms(self.E) == 0.0) & (self.outside <= _NONE * self.data.sample_norms)
        if self.pulled is not None and self.pulled[0] == self.number and not exact.any():
            return self.pulled[1], np.zeros(len(self.P))
        L = self._multipliers()
        L[exact] = 0.0
        return self.data.A.T @ L, np.abs(self.data.A[exact]).sum(axis=0)

    def step(self, relaxation: float) -> None:
        """One over-relaxed iteration."""
        pull = self.Y.T @ (self.E - self.u)
        pull += self.operators[1][:, None] * self.V.astype(_WORK)
        rows, spectral = self.row_penalty, self.spectral_penalty
        C = rows * (self.P - self.p) + spectral * (self.Q - self.q)
        M, Z = self.centre(pull, C / (rows + spectral))
        hat = relaxation * (self.Y @ M - self.target)
        hat -= (relaxation - 1.0) * self.E
        hat += self.u
        self.E = shrink_errors(hat, self.outside, 1.0 / self.loss_penalty)
        self.u = hat - self.E
        self.follow(Z, relaxation)

    def explore(self) -> None:
        """Widen V by what a check would miss in it now, without the proof and at half its cost.

        The first time, the rows' penalty is corrected by what P shows of their number.
        """
        if not self.explorations:
            factor = _WORK.type(concentration(self.P, self.problem, self.guess))
            self.row_penalty *= float(factor)
            self.p = self.p / factor
        V, weights = self.V.astype(_WORK), self._rest_weights()[:, None]
        # (ρ u + w Y V) Vᵀ − w Y is Λ: its part in V and, beside it, that outside V.
        L = (_WORK.type(self.loss_penalty) * self.u + weights * self.target) @ V.T
        L -= weights * self.Y
        pull = self.operators[0] @ (self.Y.T @ L)
        inverse = -pull - (_WORK.type(self.row_penalty) * self.p) @ V.T
        self._widen(self._joined(right_singular_vectors(inverse, self.problem.beta)), pull)
        self.explorations += 1
        self.next_check = self.number + (_NEXT if self.explores else _BETWEEN)

    def check(self, tolerance: float) -> float:
        """Certify the whole problem, widen V by the directions that stand in the way; the
        objective.
        """
        errors = self.errors()
        objective = self.problem.value(float(errors.sum()), self.P.astype(np.float64))
        if objective < self.best_objective:
            self.best_objective, self.best_coefficients = objective, self.coefficients()
            self.best_errors = errors
        elif self.best_errors is None:
            # The start is still the best: its value was rounded up so far.
            Z = np.asarray(self.best_coefficients, dtype=np.float64)
            self.best_errors = self.data.residual_norms(Z)
            self.best_objective = self.problem.value(float(self.best_errors.sum()), Z)
        L = self._multipliers()
        pull = self.data.A.T @ L
        self.pulled = self.number, pull
        largest = float(row_norms(L).max())
        enough = self.best_objective * (1.0 - tolerance)
        bound, V = self._certify(pull, largest, enough)
        self.dual_bound = max(self.dual_bound, bound)
        gap = relative_gap(self.best_objective, self.dual_bound)
        self.slow_checks = self.slow_checks + 1 if gap > 0.7 * self.gap else 0
        self.gap = gap
        self.next_check = self.number + _BETWEEN
        self.missing = V[:, self.V.shape[1] :]
        if gap > tolerance:
            self._widen(V, pull)
        return objective

    def _certify(self, pull: FloatArray, largest: float, enough: float) -> tuple[float, FloatArray]:
        """Bound of the whole problem, and V with the directions that it found to be missing."""
        problem, V = self.problem, self.V.astype(_WORK)
        G1 = (_WORK.type(self.row_penalty) * self.p) @ V.T
        inverse = -(pull.astype(_WORK) + G1)
        shrunk = shrink_singular_values(inverse, problem.beta)
        # The first round of the split is done; reflect, as between two rounds of it.
        G1 = reflect_rows(G1 + shrunk.value, problem.alpha)
        bound = problem.bound_of(pull, largest, G1, inverse - shrunk.value, enough)
        return bound, self._joined(shrunk.right)

    @property
    def explores(self) -> bool:
        """Whether V is still to be widened before a certificate is worth while."""
        return self.explorations < _EXPLORATIONS

    @property
    def at_its_end(self) -> bool:
        """Whether all columns are needed: V is wide, single precision or the gap at its end."""
        wide = self.V.shape[1] > 0.75 * self.V.shape[0]
        return wide or self.gap < 3e-4 or self.slow_checks >= 2

    def unfold(self) -> ADMMState:
        """The same point with all columns."""
        data, V = self.data, self.V.astype(_WORK)
        loss_side = LossRows(data, _WORK)
        N = self.operators[0].T @ self.coefficients() - np.eye(data.rank, dtype=_WORK)
        loss_side.begin(N, self.loss_penalty, SHORT * self.guess.error)
        pull = data.A.T @ loss_side.multiplier(self.loss_penalty)
        G1 = self.row_penalty * (self.p @ V.T)
        inverse = (-(pull + G1)).astype(_WORK)
        G2 = inverse - shrink_singular_values(inverse, self.problem.beta).value
        same = {one.name: getattr(self, one.name) for one in fields(Splitting)}
        return ADMMState(
            **same
            | {
                "P": self.P @ V.T,
                "p": self.p @ V.T,
                "Q": self.Q @ V.T,
                "q": G2 / _WORK.type(self.spectral_penalty),
                "next_check": self.number + _BETWEEN,
                "slow_checks": 0,
            },
            rows=loss_side,
            checked=(self.number, self.gap),
        )

    def errors(self) -> FloatArray:
        """``‖e_i‖`` of each image, in double precision."""
        inside = self.data.A @ self.P.astype(np.float64)
        inside -= self.within
        norms: FloatArray = np.sqrt(np.square(row_norms(inside)) + np.square(self.rest))
        return norms

    def _multipliers(self) -> FloatArray:
        """Λ with all columns, in double precision."""
        weights = self._rest_weights().astype(np.float64)[:, None]
        inside = (self.loss_penalty * self.u).astype(np.float64)
        inside += weights * self.within
        L: FloatArray = inside @ self.V.T
        L -= weights * self.data.Y
        return L

    def _rest_weights(self) -> FloatArray:
        """1 / ‖e_i‖, errors outside V included; 0 for images without an error."""
        errors = np.hypot(row_norms(self.E), self.outside)
        floor = SHORT * self.guess.error
        weights: FloatArray = np.where(errors > floor, 1.0 / np.maximum(errors, floor), 0.0)
        return weights

    def _joined(self, right: FloatArray) -> FloatArray:
        """V and the directions of `right` that it lacks, orthonormal."""
        extra = right.astype(np.float64)
        # The basis holds only what is missing, twice cleaned.
        for _ in range(2):
            extra = extra - self.V @ (self.V.T @ extra)
        basis, triangle, _ = qr(extra, mode="economic", pivoting=True, check_finite=False)
        # Even a slight turn of V counts where β dominates: rows of AᵀΛ are far longer than α then.
        missing = basis[:, np.abs(np.diag(triangle)) > 1e-3]
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
        self.u = wider(self.u, -part * weights / self.loss_penalty)
        self.P, self.p, self.Q = wider(self.P), wider(self.p), wider(self.Q)
        G2 = wider(_WORK.type(self.spectral_penalty) * self.q, lost)
        G2 -= shrink_singular_values(G2, self.problem.beta).value
        self.q = G2 / _WORK.type(self.spectral_penalty)
        for name, value in _along(self.data, V).items():
            setattr(self, name, value)


def _along(data: ReducedData, V: FloatArray) -> dict[str, Any]:
    """What a state carries for its directions V, by the names of its fields."""
    within = data.Y @ V
    whole = np.square(row_norms(data.Y))
    rest = np.maximum(whole - np.square(row_norms(within)), 0.0)
    # The round-off of the difference.
    rest[rest <= np.square(_NONE) * whole] = 0.0
    rest = np.sqrt(rest + data.outside)
    return {
        "V": V,
        "within": within,
        "target": within.astype(_WORK),
        "rest": rest,
        "outside": rest.astype(_WORK),
    }


def few_columns_cold(problem: Problem, guess: DiagonalGuess) -> FewColumnsState | None:
    """Begin from the best diagonal map in the directions that it uses; None where they are many."""
    if not isinstance(problem.data, ReducedData) or not problem.alpha or not problem.beta:
        return None
    used = int(np.count_nonzero(guess.factors))
    # A few directions more than are in use, to begin with.
    k, r = used + 8, problem.data.rank
    if not used or _MOST * k > r:
        return None
    V = np.eye(r)[:, np.argsort(-guess.factors, kind="stable")[:k]]
    operators, Y = make_operators(problem, _WORK), problem.in_memory.basis_rows(_WORK)
    C = (operators[0] * guess.factors.astype(_WORK)) @ V.astype(_WORK)
    E = Y @ ((guess.factors - 1.0)[:, None] * V).astype(_WORK)
    state = _begin(problem, guess, V, C, E, operators, Y)
    # A candidate like any other: a fit that is stopped at once has this to show.
    state.best_coefficients = problem.data.U * guess.factors
    state.best_objective = guess.objective
    state.next_check = _FIRST
    return state


def few_columns_warm(problem: Problem, old: FewColumnsState) -> FewColumnsState | None:
    """Same data, other penalties: the best rescaling of the singular directions of the old map.

    Among ``C T diag(s) Tᵀ``, T the right singular vectors of C, the objective is as simple in s as
    that of a diagonal map, and its minimum lies a tenth of a percent above the new optimum after a
    step of a quarter in a penalty.

    None where the step is so far that a cold start is as near, where too little of `old` is left,
    or where its directions are too many, not yet gathered, or about to change.
    """
    before = old.problem
    few = 0 < _MOST * old.rank <= problem.data.rank
    # A step of a slider; beyond it a cold start is as near.
    if old.explores or not few or not near_by(problem, before, 1.3):
        return None
    wide = 4 * old.V.shape[1] > problem.data.rank
    if wide and concentration(old.P, before, old.guess) < 0.5:
        # Which pixels are in use changes, and with them many directions.
        return None
    V, P, p = _in_use(old)
    target = old.Y @ V.astype(_WORK)
    C, trace = _rescaled(problem, P, target, old)
    if trace == 0.0:
        return None
    E = old.Y @ (old.operators[0].T @ C) - target
    guess = diagonal_guess(problem, old.guess)
    state = _begin(problem, guess, V, C, E, old.operators, old.Y)
    state.warm = True
    # Rows without weight keep the multipliers that they had.
    norms = row_norms(C)
    idle = norms <= SHORT * norms.max()
    scale = old.row_penalty * problem.alpha / (before.alpha * state.row_penalty)
    state.p[idle] = p[idle] * _WORK.type(scale)
    # Something to show until the first check, rounded up from single precision.
    errors = np.hypot(row_norms(E), state.outside).sum(dtype=np.float64)
    rows = norms.sum(dtype=np.float64)
    objective = float(errors + problem.alpha * rows + problem.beta * trace)
    # More than single precision can be wrong by in an objective.
    state.best_objective = objective * (1.0 + 1e-5)
    state.best_coefficients = state.coefficients()
    state.next_check, state.explorations = 8, _EXPLORATIONS
    # So many of the directions turn in a step then that V is widened early.
    if old.rank * 8 > problem.data.rank:
        state.next_check, state.explorations = 3, _EXPLORATIONS - 1
    return state


def _in_use(old: FewColumnsState) -> tuple[FloatArray, FloatArray, FloatArray]:
    """V without the directions that the fit turned out not to need, and P and p in the rest.

    What a singular value of G₂ lacks of β is how far a direction is from being used.
    """
    limit = 0.8 * old.problem.beta / old.spectral_penalty
    turn = right_singular_vectors(old.Q + old.q, limit, old.rank + 24)
    V, P, p = old.V @ turn.astype(np.float64), old.P @ turn, old.p @ turn
    for _ in range(2):
        # Orthonormal in single precision so far; each of these steps doubles the digits.
        V = 1.5 * V - 0.5 * (V @ (V.T @ V))
    if old.missing is not None and old.missing.shape[1]:
        more = ((0, 0), (0, old.missing.shape[1]))
        V, P, p = np.hstack([V, old.missing]), np.pad(P, more), np.pad(p, more)
    return V, P, p


def _rescaled(
    problem: Problem, P: FloatArray, target: FloatArray, old: FewColumnsState
) -> tuple[FloatArray, float]:
    """The best ``P T diag(s) Tᵀ``, by reweighting, and its trace norm.

    Everything but s is squared once.
    """
    spectrum = shrink_singular_values(P, 0.0)
    T, sigma = spectrum.right, spectrum.values
    C = P @ T
    wanted, mapped = target @ T, old.Y @ (old.operators[0].T @ C)
    constant = np.square(row_norms(old.Y)) + problem.in_memory.outside.astype(_WORK)
    square, cross, pixels = np.square(mapped), mapped * wanted, np.square(C)
    least = np.float32(SHORT * problem.data.sample_norms.mean()) ** 2
    alpha, beta = _WORK.type(problem.alpha), _WORK.type(problem.beta)
    s = np.ones(C.shape[1], _WORK)
    for _ in range(15):
        errors = np.sqrt(np.maximum(square @ (s * s) - 2 * (cross @ s) + constant, least))
        rows = np.sqrt(pixels @ (s * s) + np.float32(SHORT**2))
        gain = (1 / errors) @ cross - beta * sigma
        cost = (1 / errors) @ square + alpha * ((1 / rows) @ pixels)
        s = np.maximum(gain / np.maximum(cost, np.float32(1e-30)), 0)
    return (C * s) @ T.T, float(sigma @ s)


def _begin(
    problem: Problem,
    guess: DiagonalGuess,
    V: FloatArray,
    C: FloatArray,
    E: FloatArray,
    operators: tuple[FloatArray, FloatArray],
    Y: FloatArray,
) -> FewColumnsState:
    """At C, with the multipliers that belong to it."""
    loss, rows, spectral = initial_penalties(problem, guess)
    parts = _along(problem.in_memory, V)
    errors = np.maximum(np.hypot(row_norms(E), parts["outside"]), SHORT * guess.error)
    L = (E / errors[:, None]).astype(_WORK)
    norms = row_norms(C)
    G1 = C * (problem.alpha / np.maximum(norms, SHORT * norms.max())).astype(_WORK)[:, None]
    # What is left for G₂, as far as its bound lets it.
    left = -(operators[0] @ (Y.T @ L)) - G1
    left -= shrink_singular_values(left, problem.beta).value
    return FewColumnsState(
        **parts,
        problem=problem,
        guess=guess,
        E=E,
        u=L / _WORK.type(loss),
        P=C,
        p=G1 / _WORK.type(rows),
        Q=C,
        q=left / _WORK.type(spectral),
        loss_penalty=loss,
        row_penalty=rows,
        spectral_penalty=spectral,
        rank=C.shape[1],
        operators=operators,
        Y=Y,
    )


_FIRST, _NEXT, _EXPLORATIONS = 4, 3, 2
"""V is widened after four iterations, which are cheap here, and again after three; any later than
that costs more iterations than it finds directions."""

_BETWEEN = 4
"""Iterations from there to a certificate, and to the next one."""


_NONE = 1e-7
"""Share of an image outside V that is round-off."""

_MOST = 3
"""At most one direction in so many may be in use at the start."""
