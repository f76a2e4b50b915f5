"""The certified solver: ADMM on the reduced problem, with a duality gap on every check.

``E = A Z − Y``, ``P = Z``, ``Q = Z``: each norm acts on a copy of its own, whose proximal step is
the shrinkage of rows (E, P: exact zeros) or of singular values (Q: exact rank). Two blocks in all,
hence convergence (theory.md §5); the scaled multipliers are the certificate's guess (§4).

Boyd et al., *Distributed Optimization and Statistical Learning via ADMM* (2011), §3.4.3 for the
over-relaxation, §3.4.1 for the residual balancing, here with a ρ of its own for each copy. It
begins from the best map that is diagonal in the basis of the data (:mod:`.starts`), whose sizes
also give ρ, which stays as it is unless the gap stops falling. :mod:`cspca.solvers` says when it
carries few columns or few rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cspca.problem import Problem
from cspca.proximal import FloatArray
from cspca.solvers.admm import few_columns, few_rows
from cspca.solvers.admm.few_rows import FINEST_GAP, FewRowsState, pixels_are_few
from cspca.solvers.admm.starts import DiagonalGuess, diagonal_guess
from cspca.solvers.admm.state import (
    SINGLE_GAP,
    ADMMState,
    State,
    cold_state,
    state_from,
)
from cspca.solvers.iterate import Solver
from cspca.solvers.starts import Start, make_start

GUESS_GAP = 0.06
"""Gap that the first guess is expected to leave, which says when to check first."""

LEAST_WAIT, WAIT = 2, 4
"""Iterations between checks: at least so many, and one more for every four so far."""

FASTEST = 0.3
"""Fastest fall of the gap in an iteration that is seen after a warm start."""

NEAR = 0.5
"""Change of the objective, as a share of it, up to which a state of other penalties is a start."""

SLOW, SLOW_CHECKS = 0.9, 4
"""Fall of the gap, an iteration, above which ρ is wrong; so many such checks are round-off."""

ROUND_OFF_GAP = 3e-3
"""Gap from which such a check may be round-off of single precision."""

SETTLED, LOWER, LOWERINGS = 0.05, 0.4, 5
"""Where the objective changes by less than this share of the gap its bound lags, and ρ of the rows
is multiplied by the second number, a few times (theory.md §11)."""

BALANCED = 200
"""Iterations after which every ρ stays: that it does is what the proof of convergence needs."""

_AnyState = ADMMState | FewRowsState


@dataclass
class ADMM(Solver):
    """Alternating directions on the reduced problem.

    A state of the same data under other penalties starts warm, multipliers included; of one of
    other data W is taken. A start that is worse than W = 0 is scaled first. Objective and
    certificate are evaluated every `check_every` iterations at the latest, and on the
    last one before `limit`. The `target`, the gap that the caller is after, says when to look, what
    is good enough, and from 5e-4 on that few columns may do. After `watch` seconds without it the
    objective is evaluated for a live curve, which changes nothing of the fit. It begins in single
    precision, which is a third faster, where that holds the data, and goes on in double once the
    gap nears what single can hold, or does not shrink any more; the certificate is always taken in
    double.
    `random_state` seeds ``start="random"``.
    """

    check_every: int = 5
    target: float = 0.0
    limit: int | None = None
    watch: float = float("inf")
    random_state: Any = None

    title: ClassVar[str] = "Certified solver"
    colour: ClassVar[str] = "#0072B2"
    state_type: ClassVar[type[Any]] = State

    def prepare(self, problem: Problem, start: Any) -> _AnyState:
        """State to begin from: known, warm, or made from coefficients."""
        data = problem.data
        if isinstance(start, _AnyState) and start.problem.data is not data:
            start = Start(0.0, start.coefficients() @ (start.problem.data.U.T @ data.U), data.U)
        if problem.alpha + problem.beta == 0.0 or problem.zero_is_optimal:
            state: _AnyState = self._all_columns(problem, diagonal_guess(problem))
        elif isinstance(start, _AnyState):
            state = self._warm(problem, start)
        else:
            state = self._cold(problem, start)
        if isinstance(state, ADMMState) and state.V is None:
            state.recognise_regime()
        return state

    def advance(self, state: _AnyState, last: bool) -> tuple[_AnyState, float]:
        """One iteration, and a check where one is due."""
        if state.proven:
            state.number += 1
            return state, state.best_objective
        problem, objective = state.problem, float("nan")
        state.step()
        due = last or state.number >= state.next_check
        if due:
            state, objective = self._check_or_switch(state, last)
        elif state.seconds - state.evaluated >= self.watch:
            objective = state.objective(self.target)
        if not np.isnan(objective):
            state.evaluated = state.seconds
        nothing = float(problem.data.sample_norms.sum())
        if state.best_objective > nothing:
            # W = 0 is a candidate like any other.
            state.offer(nothing, np.zeros_like(problem.data.U))
        state.offer_projector()
        return state, state.best_objective if state.proven else objective

    def _check_or_switch(self, state: _AnyState, last: bool) -> tuple[_AnyState, float]:
        """Check a state, or go on from it as another kind; the objective, NaN where it is early."""
        if isinstance(state, FewRowsState):
            objective = state.check(self.target)
            if state.at_its_end and state.gap > self.target:
                return self._columns(state.problem, state.guess).continue_from(state), objective
        elif state.V is None:
            objective = self._check(state)
        elif few_columns.is_early(state) and not last:
            few_columns.explore(state)
            objective = float("nan")
        else:
            objective = few_columns.check(state, self.target)
            if few_columns.is_exhausted(state) and state.gap > self.target:
                return few_columns.unfold(state), objective
        return state, objective

    def _cold(self, problem: Problem, start: Any = None) -> _AnyState:
        """From coefficients, or from the best diagonal map: on few columns where it uses few."""
        data, guess = problem.data, diagonal_guess(problem)
        if start is not None:
            Z = make_start(start, data, self.random_state).coefficients(data)
            return self._all_columns(problem, guess, Z)
        fine = self.target < SINGLE_GAP
        dtype = np.dtype(np.float64) if fine else problem.data.coarse
        if self._few_rows_do(problem):
            state = few_rows.cold_start(problem, guess, dtype)
            if state is not None:
                return state
        return self._columns(problem, guess)

    def _columns(self, problem: Problem, guess: DiagonalGuess) -> ADMMState:
        """On few columns where the guess uses few directions, else on all."""
        if self._few_columns_do(problem):
            state = few_columns.cold_start(problem, guess)
            if state is not None:
                return state
        return self._all_columns(problem, guess)

    def _all_columns(
        self, problem: Problem, guess: DiagonalGuess, Z: FloatArray | None = None
    ) -> ADMMState:
        """On all columns, from the guess or from coefficients."""
        state = cold_state(problem, guess) if Z is None else state_from(Z, problem, guess)
        state.next_check = self._first_check(GUESS_GAP)
        return state

    def _few_rows_do(self, problem: Problem) -> bool:
        """Whether few rows have the digits: those of the trace norm come slowly there."""
        return problem.beta == 0.0 or self.target >= FINEST_GAP

    def _few_columns_do(self, problem: Problem) -> bool:
        """Whether the gap is one that few columns, in single precision, can certify."""
        return self.target >= few_columns.COARSE_GAP and problem.data.coarse == np.float32

    def _warm(self, problem: Problem, old: _AnyState) -> _AnyState:
        """From the optimum under other penalties, where that is nearer than a cold start."""
        present, before = (
            (penalties.alpha > 0.0, penalties.beta > 0.0) for penalties in (problem, old.problem)
        )
        if present != before:
            return self._cold(problem)
        if isinstance(old, FewRowsState):
            return old.warm_start(problem) or self._cold(problem)
        change = abs(old.best_objective_for(problem) / old.best_objective - 1.0)
        # A check on few columns costs as much as several iterations.
        soon = self._first_check(min(change, 1.0)) + int(old.V is not None)
        if change > NEAR or not self._warm_start_pays(old, problem, soon):
            return self._cold(problem)
        state = old.warm_start(problem) if old.V is None else few_columns.warm_start(old, problem)
        if state is None:
            return self._cold(problem)
        if state.V is None:
            state.cast(problem.data.coarse)
        state.next_check = soon
        return state

    def _warm_start_pays(self, old: ADMMState, problem: Problem, soon: int) -> bool:
        """Whether a state of other penalties is to go on, if it is checked so `soon`."""
        if soon + 1 >= (old.cold or old.number):
            return False
        if self._few_rows_do(problem) and pixels_are_few(problem, old.guess):
            return False
        few = few_columns.MOST_COLUMNS * old.rank <= problem.data.rank
        return (few and self._few_columns_do(problem)) == (old.V is not None)

    def _check(self, state: ADMMState) -> float:
        """Evaluate objective and certificate in double precision; returns the objective."""
        problem, best = state.problem, state.best_objective
        objective, pull, lengths = state.evaluate(self.target)
        enough = state.best_objective * (1.0 - self.target) if self.target > 0.0 else float("inf")
        # Splits are tried in single precision where that is enough for the target.
        dtype = np.dtype(np.float64) if self.target < SINGLE_GAP else problem.data.coarse
        G1, G2 = (G.astype(dtype, copy=False) for G in state.subgradients)
        bound = problem.bound_of(pull, lengths, G1, G2, enough, least=state.dual_bound)
        before = state.gap
        self._schedule(state, before, state.bounded(bound), abs(objective / best - 1.0))
        state.try_projector(pull)
        return objective

    def _schedule(self, state: ADMMState, before: float, gap: float, change: float) -> None:
        """Choose the next check; act on a gap that does not fall as it should.

        `change` is that of the objective, as a share of it.
        """
        steps = max(1, state.number - state.checked)
        fall = (gap / before) ** (1.0 / steps) if before > 0.0 else 1.0
        state.checked = state.number
        state.next_check = state.number + self._ahead(state, gap)
        # Slower than this ρ is wrong.
        slow = fall > SLOW
        state.slow_checks = state.slow_checks + 1 if slow else 0
        settled = state.row_rho > 0.0 and change < SETTLED * gap
        # Near the end it has met its round-off; after four such checks that is likely anywhere.
        round_off = (slow and gap < ROUND_OFF_GAP) or state.slow_checks >= SLOW_CHECKS
        if state.single and (gap < SINGLE_GAP or round_off):
            state.cast(np.dtype(np.float64))
        elif slow and settled and state.lowered < LOWERINGS:
            # W has settled, and the bound lags (theory.md §11).
            state.move_rho(LOWER)
            state.lowered += 1
        elif slow and state.number <= BALANCED:
            # That they stay in the end is what the proof of convergence needs (theory.md §5).
            state.rebalance()

    def _ahead(self, state: ADMMState, gap: float) -> int:
        """Iterations until the next check, which costs as much as two: a share of those so far.

        These say little of a warm start: it waits for as many as the fastest fall would take.
        """
        if not 0.0 < self.target < gap:
            return self.check_every
        wait = state.number // WAIT
        if state.cold:
            soonest = np.log(self.target / gap) / np.log(FASTEST)
            wait = max(wait, int(np.ceil(soonest)))
        return int(np.clip(wait, LEAST_WAIT, self.check_every))

    def _first_check(self, gap: float) -> int:
        """When a start of about this gap is likely to have arrived, if an iteration halves it."""
        if self.target <= 0.0:
            return self.check_every
        return max(2, int(np.ceil(np.log2(max(gap, self.target) / self.target))))
