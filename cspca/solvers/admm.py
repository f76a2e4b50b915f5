"""The certified solver: ADMM on the reduced problem, with a duality gap on every check.

Splitting ``E = A Z − Y``, ``P = Z``, ``Q = Z``: the three norms act on copies of their own, whose
proximal steps are row shrinkage (E, P: exact zeros) and singular-value shrinkage (Q: exact rank).
The scaled multipliers give feasible dual variables up to a remainder that
:meth:`cspca.problem.Problem.dual_bound` removes.

Boyd et al., *Distributed Optimization and Statistical Learning via ADMM* (2011), §3.4.3 for the
over-relaxation, §3.4.1 for the residual balancing, here one penalty for the loss and one for the
regularisers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cspca.problem import Problem
from cspca.proximal import FloatArray, row_norms, shrink_rows, shrink_singular_values
from cspca.solvers.iterate import Iterate, relative_gap
from cspca.solvers.starts import Start, make_start

_ARRAYS = ("E", "u", "P", "p", "Q", "q")


@dataclass
class ADMMState:
    """Everything the next iteration needs: copies, scaled multipliers, penalties, best bounds."""

    problem: Problem
    E: FloatArray
    u: FloatArray
    P: FloatArray
    p: FloatArray
    Q: FloatArray
    q: FloatArray
    loss_penalty: float
    weight_penalty: float
    rank: int
    operators: tuple[FloatArray, FloatArray, FloatArray]
    number: int = 0
    seconds: float = 0.0
    best_coefficients: FloatArray | None = None
    best_objective: float = float("inf")
    dual_bound: float = 0.0
    proven: bool = False
    next_check: int = 0
    stalled: int = 0

    @property
    def multiplier(self) -> FloatArray:
        """Λ = ρ₁ u, shape (n_samples, rank): row norms at most 1."""
        return np.asarray(self.loss_penalty * self.u, dtype=np.float64)

    @property
    def reproduced(self) -> FloatArray:
        """Which images are reproduced exactly, shape (n_samples,): their λ is not unique."""
        exact: FloatArray = (row_norms(self.E) == 0.0) & (self.problem.data.sample_norms > 0)
        return exact

    def rank_of(self, sigma: FloatArray) -> int:
        """Rank of W: exact, from the shrunk copy Q, whatever the singular values of P are."""
        return self.rank

    def prove(self, Z: FloatArray, objective: float, rank: int) -> None:
        """Take coefficients that are known to be optimal: from here on there is nothing to do."""
        self.best_coefficients, self.best_objective, self.dual_bound = Z, objective, objective
        self.rank = rank
        self.proven = True

    @property
    def single(self) -> bool:
        """Whether the iterations are in single precision."""
        return self.E.dtype == np.float32

    def promote(self) -> None:
        """Go on in double precision."""
        for name in _ARRAYS:
            setattr(self, name, getattr(self, name).astype(np.float64))
        self.operators = _operators(self.problem, np.dtype(np.float64))

    def rebalance(self, loss: float, weights: float) -> None:
        """Multiply the penalties; the unscaled multipliers stay what they are."""
        self.loss_penalty *= loss
        self.u = self.u / self.u.dtype.type(loss)
        self.weight_penalty *= weights
        self.p = self.p / self.p.dtype.type(weights)
        self.q = self.q / self.q.dtype.type(weights)


@dataclass
class ADMM:
    """Alternating directions on the reduced problem.

    Parameters
    ----------
    relaxation : float, default=1.6
        Over-relaxation of every step, in (0, 2).
    check_every : int, default=5
        Iterations between two evaluations of the objective and of the certificate.
    balance_until : int, default=30
        Iterations during which the two penalties follow the residuals; fixed afterwards, which is
        what the convergence proof needs.
    watch : float, default=inf
        Seconds after which the objective is evaluated, for a live curve, although no certificate
        is due. It changes nothing of the fit.
    precision : {"mixed", "single", "double"}, default="mixed"
        Of the iterations; the certificate is always taken in double. Mixed begins in single, which
        is a third faster, and goes on in double once the gap nears what single can hold, or does
        not shrink any more.
    random_state : int, Generator, RandomState or None, default=None
        Seeds ``start="random"``.
    """

    relaxation: float = 1.6
    check_every: int = 5
    balance_until: int = 30
    watch: float = float("inf")
    precision: str = "mixed"

    state_type: ClassVar[type[Any]] = ADMMState

    @classmethod
    def configured(cls, *, smoothing: object, watch: float, random_state: Any) -> ADMM:
        """Make the solver from the estimator's options; it has nothing to smooth."""
        return cls(watch=watch, random_state=random_state)

    random_state: Any = None

    def iterate(
        self, problem: Problem, start: ADMMState | Start | FloatArray | str | None = None
    ) -> Iterator[Iterate]:
        """Run until the caller stops.

        Parameters
        ----------
        problem : Problem
        start : None, ADMMState, Start, ndarray or str
            None starts cold. A state of the same problem resumes it exactly; a state of the same
            data under other penalties starts warm, multipliers included. Else W₀: a matrix of
            shape (n_features, n_features), a name of the paper's initialisations, or a Start.

        Yields
        ------
        Iterate
        """
        began = time.perf_counter()
        state = self._prepare(problem, start)
        before = seen = state.seconds
        if not state.proven:
            self._settle(problem, state)
        while True:
            objective = float("nan")
            if state.proven:
                state.number += 1
                primal = dual = 0.0
            else:
                primal, dual = self._step(problem, state)
                if state.number >= state.next_check:
                    objective = self._check(problem, state)
                elif before + time.perf_counter() - began - seen > self.watch:
                    objective = problem.objective(state.P)
            if state.proven:
                objective = state.best_objective
            spent = time.perf_counter() - began
            state.seconds = before + spent
            if not np.isnan(objective):
                seen = state.seconds
            best = state.best_coefficients if state.best_coefficients is not None else state.P
            yield Iterate(
                number=state.number,
                seconds=state.seconds,
                objective=objective,
                best_objective=state.best_objective,
                dual_bound=state.dual_bound,
                primal_residual=primal,
                dual_residual=dual,
                rank=state.rank,
                smoothed_objective=None,
                state=state,
                Z=best,
            )
            began, before = time.perf_counter(), state.seconds

    def _prepare(
        self, problem: Problem, start: ADMMState | Start | FloatArray | str | None
    ) -> ADMMState:
        """State to begin from: resumed, warm, or made from coefficients."""
        data = problem.data
        if isinstance(start, ADMMState):
            return start if start.problem.same_as(problem) else self._warm(problem, start)
        if start is None:
            Z = np.zeros_like(data.U)
        else:
            Z = make_start(start, data, self.random_state).coefficients(data)
        return self._from_coefficients(problem, Z)

    def _from_coefficients(self, problem: Problem, Z: FloatArray) -> ADMMState:
        data, dtype = problem.data, self._dtype(problem)
        E = (data.A @ Z - data.Y).astype(dtype)
        errors = row_norms(E)
        loss_penalty, weight_penalty = initial_penalties(problem)
        unit = 1.0 / (loss_penalty * np.maximum(errors, np.finfo(dtype).tiny))
        Z = Z.astype(dtype)
        return ADMMState(
            problem=problem,
            E=E,
            u=(E * np.where(errors > 0, unit, 0.0)[:, None]).astype(dtype),
            P=Z,
            p=np.zeros_like(Z),
            Q=Z.copy(),
            q=np.zeros_like(Z),
            loss_penalty=loss_penalty,
            weight_penalty=weight_penalty,
            rank=0,
            operators=_operators(problem, dtype),
        )

    def _dtype(self, problem: Problem) -> np.dtype[Any]:
        """Precision to begin in; double for data whose squares single precision cannot hold."""
        values = problem.data.singular_values
        fits = values[0] < 1e15 and values[-1] > 1e-15
        return np.dtype(np.float32 if self.precision != "double" and fits else np.float64)

    def _warm(self, problem: Problem, old: ADMMState) -> ADMMState:
        """Same data, other penalties: keep the multipliers, scaled into their new bounds."""
        if old.problem.data is not problem.data:
            return self._from_coefficients(problem, np.asarray(old.P, dtype=np.float64))
        row = min(1.0, problem.alpha / old.problem.alpha) if old.problem.alpha > 0 else 0.0
        spectral = min(1.0, problem.beta / old.problem.beta) if old.problem.beta > 0 else 0.0
        dtype = self._dtype(problem)
        copy = {name: getattr(old, name).astype(dtype) for name in _ARRAYS}
        copy["p"] *= dtype.type(row)
        copy["q"] *= dtype.type(spectral)
        return ADMMState(
            problem=problem,
            **copy,
            loss_penalty=old.loss_penalty,
            weight_penalty=old.weight_penalty,
            rank=old.rank,
            operators=(old.operators if old.E.dtype == dtype else _operators(problem, dtype)),
        )

    def _step(self, problem: Problem, state: ADMMState) -> tuple[float, float]:
        """One iteration in place; returns relative primal and dual residuals (NaN if not due)."""
        U, Y, squared = state.operators
        rho1, rho2, relax = state.loss_penalty, state.weight_penalty, self.relaxation
        # Z-step: inside the range of U by a diagonal solve, outside it a plain average. Keeping
        # the two apart avoids a cancellation that single precision does not survive.
        C = state.P - state.p
        C += state.Q
        C -= state.q
        inner = U.T @ C
        target = state.E - state.u
        target += Y
        weight = (rho1 * squared + 2.0 * rho2)[:, None]
        M = (rho1 * (Y.T @ target) + rho2 * inner) / weight
        Z = U @ (M - 0.5 * inner)
        C *= 0.5
        Z += C
        residual = Y @ M
        residual -= Y

        hat = relax * residual
        hat -= (relax - 1.0) * state.E
        hat += state.u
        E = shrink_rows(hat, 1.0 / rho1)
        hat -= E
        u = hat

        hat = relax * Z
        p = hat - (relax - 1.0) * state.P
        p += state.p
        P = shrink_rows(p, problem.alpha / rho2)
        p -= P
        hat -= (relax - 1.0) * state.Q
        hat += state.q
        spectral = shrink_singular_values(hat, problem.beta / rho2)
        Q = spectral.value
        hat -= Q
        q = hat

        number = state.number + 1
        residuals = (float("nan"), float("nan"))
        balance = number <= self.balance_until and number % 3 == 0
        if balance or number >= state.next_check:
            loss = (_change(residual, E), _change(E, state.E, _norm(u)))
            moved = _change(P, state.P, 1.0), _change(Q, state.Q, 1.0)
            weights = (
                max(_change(Z, P), _change(Z, Q)),
                _dual_residual(moved, (_norm(p), _norm(q))),
            )
            residuals = (max(loss[0], weights[0]), max(loss[1], weights[1]))
        state.number = number
        state.E, state.u, state.P, state.p, state.Q, state.q = E, u, P, p, Q, q
        state.rank = spectral.rank
        if balance:
            state.rebalance(_balance_factor(*loss), _balance_factor(*weights))
        return residuals

    def _check(self, problem: Problem, state: ADMMState) -> float:
        """Evaluate objective and certificate in double precision; returns the objective."""
        before = relative_gap(state.best_objective, state.dual_bound)
        objective = problem.objective(state.P)
        if objective < state.best_objective:
            state.best_objective, state.best_coefficients = objective, state.P
        rho2 = state.weight_penalty
        bound = problem.dual_bound(state.multiplier, rho2 * state.p, rho2 * state.q)
        state.dual_bound = max(state.dual_bound, bound)
        state.next_check = state.number + self.check_every
        gap = relative_gap(state.best_objective, state.dual_bound)
        state.stalled = 0 if gap < 0.9 * before else state.stalled + 1
        if self.precision == "mixed" and state.single and (gap < _SINGLE or state.stalled >= 4):
            state.promote()
        live = row_norms(state.P)[problem.data.live]
        if problem.data.full_column_rank and np.abs(live - 1.0).max() < 0.1:
            self._try_identity(problem, state, state.multiplier)
        return objective

    def _settle(self, problem: Problem, state: ADMMState) -> None:
        """Recognise the regimes whose optimum is known beforehand: W = 0 and W = I."""
        data = problem.data
        if problem.alpha == 0.0 and problem.beta == 0.0:
            # Without penalties every image is reproduced: the optimum is 0 and U Uᵀ attains it.
            state.prove(data.U, 0.0, data.rank)
        elif problem.alpha / data.alpha_max + problem.beta / data.beta_max >= 1.0:
            state.prove(np.zeros_like(data.U), problem.zero_bound(), 0)
        elif problem.alpha + problem.beta < np.abs(data.A[:, data.live]).sum(axis=0).min():
            self._try_identity(problem, state, None)

    def _try_identity(
        self, problem: Problem, state: ADMMState, multiplier: FloatArray | None
    ) -> None:
        """Take W = I when it is proven optimal: the iteration alone would creep towards it."""
        bound = problem.identity_bound(multiplier)
        state.dual_bound = max(state.dual_bound, bound)
        objective = (problem.alpha + problem.beta) * problem.data.rank
        if problem.data.full_column_rank and relative_gap(objective, bound) <= _EXACT:
            state.prove(problem.data.U, objective, problem.data.rank)


_SINGLE = 3e-4
"""Gap from which on single precision no longer pays: its round-off shows from 1e-4 on."""

_EXACT = 1e-9
"""A known optimum counts as proven when its bound agrees to this relative distance."""


def initial_penalties(problem: Problem) -> tuple[float, float]:
    """First guess of the penalties (ρ₁ for the loss, ρ₂ for the weights).

    An image of typical norm moves by a third of itself, a pixel weight by a fifth of 1; the
    balancing then needs about ten iterations where a guess of 1 needs thirty.
    """
    norms = problem.data.sample_norms
    typical = float(norms[norms > 0].mean())
    return 3.0 / typical, 5.0 * (problem.alpha + problem.beta / problem.data.rank**0.5)


def _operators(problem: Problem, dtype: np.dtype[Any]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """U, Y and the squared singular values in the precision of the iterations."""
    data = problem.data
    return (
        data.U.astype(dtype, copy=False),
        data.Y.astype(dtype, copy=False),
        (data.singular_values**2).astype(dtype, copy=False),
    )


def _norm(B: FloatArray) -> float:
    return float(np.linalg.norm(B))


def _change(new: FloatArray, old: FloatArray, scale: float | None = None) -> float:
    """‖new − old‖ relative to `scale`, by default the larger of the two norms; 0 for 0 / 0."""
    if scale is None:
        scale = max(_norm(new), _norm(old))
    difference = _norm(new - old)
    return difference / scale if scale > 0.0 else 0.0


def _dual_residual(moved: tuple[float, float], pulls: tuple[float, float]) -> float:
    """How much the two copies of Z still move, relative to their multipliers.

    The geometric mean of two readings: both blocks as one, and the worse of the two on its own.
    The first overlooks a block of weak penalty, the second sees nothing else; at α = 0.3 α_max,
    β = 10⁻⁴ β_max either needs over 150 iterations on the rendered faces, their mean 60.
    """
    together = float(np.hypot(*pulls))
    if together == 0.0:
        return 0.0
    apart = max(m / pull for m, pull in zip(moved, pulls, strict=True) if pull > 0.0)
    return float(np.sqrt(np.hypot(*moved) / together * apart))


def _balance_factor(primal: float, dual: float) -> float:
    """Factor for a penalty: up when copies disagree, down when multipliers still move."""
    if primal <= 0.0 or dual <= 0.0:
        # All residuals zero (next to W = I, say): the ratio says nothing.
        return 1.0
    factor = float(np.clip(np.sqrt(primal / dual), 0.2, 5.0))
    return 1.0 if 1 / 1.2 < factor < 1.2 else factor
