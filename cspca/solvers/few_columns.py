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
from typing import TypedDict

import numpy as np
from scipy.linalg import qr

from cspca.problem import ReducedData
from cspca.problem.certificate import reflect_rows
from cspca.proximal import (
    FloatArray,
    right_singular_vectors,
    row_norms,
    shrink_errors,
    shrink_singular_values,
)
from cspca.solvers.admm_state import ADMMState, Splitting, concentration
from cspca.solvers.blocks import LossRows
from cspca.solvers.iterate import relative_gap

WORK = np.dtype(np.float32)


@dataclass(kw_only=True)
class FewColumnsState(Splitting):
    """Copies and scaled multipliers of the restricted problem, in single precision.

    E and u are apart here. `within` is Y V, `rest` what lies outside V of each image, `target` and
    `outside` the same two in single precision. `missing` are directions that the last certificate
    would have added to V, `pulled` when AᵀΛ was last computed, and that.
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
    def directions(self) -> FloatArray:
        """Columns whose span holds all rows of every Z so far, shape (rank of the data, k)."""
        return self.V

    @property
    def data(self) -> ReducedData:
        """The data, which are in memory."""
        return self.problem.in_memory

    def coefficients(self) -> FloatArray:
        """Z of all columns, shape (n_features, rank of the data)."""
        Z: FloatArray = self.P @ self.V.astype(WORK).T
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
        pull += self.operators[1][:, None] * self.V.astype(WORK)
        M, Z = self.centre(pull)
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
            factor = WORK.type(concentration(self.P, self.problem, self.guess))
            self.row_penalty *= float(factor)
            self.p = self.p / factor
        V, weights = self.V.astype(WORK), self._rest_weights()[:, None]
        # (ρ u + w Y V) Vᵀ − w Y is Λ: its part in V and, beside it, that outside V.
        L = (WORK.type(self.loss_penalty) * self.u + weights * self.target) @ V.T
        L -= weights * self.Y
        pull = self.operators[0] @ (self.Y.T @ L)
        inverse = -pull - (WORK.type(self.row_penalty) * self.p) @ V.T
        self._widen(self._joined(right_singular_vectors(inverse, self.problem.beta)), pull)
        self.explorations += 1
        self.next_check = self.number + (_NEXT if self.explores else _BETWEEN)

    def check(self, tolerance: float) -> float:
        """Certify the whole problem, widen V by the directions that stand in the way; the
        objective.
        """
        errors = self.errors()
        objective = self.objective(errors)
        if objective < self.best_objective:
            self.best_objective, self.best_coefficients = objective, self.coefficients()
            self.best_errors = errors
        elif self.best_errors is None:
            # The start is still the best: its value was rounded up so far.
            Z = np.asarray(self.best_coefficients, dtype=np.float64)
            self.best_errors = self.problem.residual_norms(Z)
            self.best_objective = self.problem.value(float(self.best_errors.sum()), Z)
        L = self._multipliers()
        pull = self.data.A.T @ L
        self.pulled = self.number, pull
        largest = float(row_norms(L).max())
        enough = self.best_objective * (1.0 - tolerance)
        bound, V = self._certify(pull, largest, enough)
        self.dual_bound = max(self.dual_bound, bound)
        gap = relative_gap(self.best_objective, self.dual_bound)
        self.slow_checks = self.slow_checks + 1 if gap > _SLOW * self.gap else 0
        self.gap = gap
        self.next_check = self.number + _BETWEEN
        self.missing = V[:, self.V.shape[1] :]
        if gap > tolerance:
            self._widen(V, pull)
        return objective

    def _certify(self, pull: FloatArray, largest: float, enough: float) -> tuple[float, FloatArray]:
        """Bound of the whole problem, and V with the directions that it found to be missing."""
        problem, V = self.problem, self.V.astype(WORK)
        G1 = (WORK.type(self.row_penalty) * self.p) @ V.T
        inverse = pull.astype(WORK)
        inverse += G1
        np.negative(inverse, out=inverse)
        near = inverse.T @ (inverse @ V) if _QUICK * V.shape[1] <= len(V) else None
        if near is not None:
            # A step of subspace iteration, so that what exceeds β outside V is seen.
            near /= np.maximum(row_norms(near.T), _TINY)
        shrunk = shrink_singular_values(
            inverse, problem.beta, subspace=near, padding=self.rank + _PADDING
        )
        # The first round of the split is done; reflect, as between two rounds of it.
        bound = problem.bound_of(
            pull,
            largest,
            reflect_rows(G1 + shrunk.value, problem.alpha),
            inverse - shrunk.value,
            single=True,
            enough=enough,
            subspace=shrunk.subspace,
        )
        return bound, self._joined(shrunk.right)

    @property
    def explores(self) -> bool:
        """Whether V is still to be widened before a certificate is worth while."""
        return self.explorations < EXPLORATIONS

    @property
    def at_its_end(self) -> bool:
        """Whether all columns are needed to come nearer."""
        wide = self.V.shape[1] > _WIDEST * self.V.shape[0]
        return wide or self.gap < _SINGLE or self.slow_checks >= _PATIENCE

    def unfold(self) -> ADMMState:
        """The same point with all columns."""
        data, V = self.data, self.V.astype(WORK)
        loss_side = LossRows(data, WORK)
        N = self.operators[0].T @ self.coefficients() - np.eye(data.rank, dtype=WORK)
        loss_side.begin(N, self.loss_penalty, SHORT * self.guess.error)
        pull = data.A.T @ loss_side.multiplier(self.loss_penalty)
        G1 = self.row_penalty * (self.p @ V.T)
        inverse = (-(pull + G1)).astype(WORK)
        G2 = inverse - shrink_singular_values(inverse, self.problem.beta).value
        same = {one.name: getattr(self, one.name) for one in fields(Splitting)}
        return ADMMState(
            **same
            | {
                "P": self.P @ V.T,
                "p": self.p @ V.T,
                "Q": self.Q @ V.T,
                "q": G2 / WORK.type(self.spectral_penalty),
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

    def objective(self, errors: FloatArray) -> float:
        """Of the original problem, in double precision."""
        C = self.P.astype(np.float64)
        return self.problem.value(float(errors.sum()), C)

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
        missing = basis[:, np.abs(np.diag(triangle)) > _NEW]
        missing = missing - self.V @ (self.V.T @ missing)
        return np.hstack([self.V, missing])

    def _widen(self, V: FloatArray, pull: FloatArray) -> None:
        """Go on with more directions: nothing moves, E and the multipliers gain their parts."""
        new = V[:, self.V.shape[1] :]
        if not new.shape[1]:
            return
        part = self.data.Y @ new
        weights = self._rest_weights()[:, None]
        lost = -(pull @ new).astype(WORK)

        def wider(B: FloatArray, extra: FloatArray | None = None) -> FloatArray:
            columns = np.zeros((len(B), new.shape[1])) if extra is None else extra
            return np.hstack([B, columns.astype(WORK)])

        self.E = wider(self.E, -part)
        self.u = wider(self.u, -part * weights / self.loss_penalty)
        self.P, self.p, self.Q = wider(self.P), wider(self.p), wider(self.Q)
        G2 = wider(WORK.type(self.spectral_penalty) * self.q, lost)
        G2 -= shrink_singular_values(G2, self.problem.beta).value
        self.q = G2 / WORK.type(self.spectral_penalty)
        for name, value in along(self.data, V).items():
            setattr(self, name, value)


class Along(TypedDict):
    """V and what depends on it alone, by the names of :class:`FewColumnsState`."""

    V: FloatArray
    within: FloatArray
    target: FloatArray
    rest: FloatArray
    outside: FloatArray


def along(data: ReducedData, V: FloatArray) -> Along:
    """What a state carries for its directions V."""
    within = data.Y @ V
    whole = np.square(row_norms(data.Y))
    rest = np.maximum(whole - np.square(row_norms(within)), 0.0)
    # The round-off of the difference.
    rest[rest <= np.square(_NONE) * whole] = 0.0
    rest = np.sqrt(rest + data.outside)
    return {
        "V": V,
        "within": within,
        "target": within.astype(WORK),
        "rest": rest,
        "outside": rest.astype(WORK),
    }


FIRST, _NEXT, EXPLORATIONS = 4, 3, 2
"""V is widened after four iterations, which are cheap here, and again after three; any later than
that costs more iterations than it finds directions."""

_BETWEEN = 4
"""Iterations from there to a certificate, and to the next one."""

_QUICK = 4
"""Where V has at most one in so many directions, checks look around it first."""

_PADDING = 12
"""Directions that a split looks at beyond twice the rank or so."""

_TINY = np.finfo(WORK).tiny

_NEW = 1e-3
"""Directions nearer than this to the span of V are not new. Even a slight turn of V counts where
β dominates: rows of AᵀΛ are then a hundred times longer than α."""

_WIDEST = 0.75
"""Share of all directions from which on carrying only V no longer pays."""

_SLOW, _PATIENCE = 0.7, 2
"""Checks in a row that leave more than this share of the gap before all columns are taken."""

_SINGLE = 3e-4
"""Gap from which on single precision no longer pays."""

SHORT = 1e-3
"""Norms below this, relative to their typical size, do not say where a subgradient points."""

_NONE = 1e-7
"""Share of an image outside V that is round-off."""
