"""Where ADMM on few columns begins: from the best diagonal map, or from a fit that is near."""

from __future__ import annotations

import numpy as np

from cspca.problem import Problem, ReducedData
from cspca.proximal import FloatArray, right_singular_vectors, row_norms, shrink_singular_values
from cspca.solvers.admm_state import concentration, initial_penalties, make_operators, near_by
from cspca.solvers.diagonal import DiagonalGuess, diagonal_guess
from cspca.solvers.few_columns import EXPLORATIONS, FIRST, SHORT, WORK, FewColumnsState, along


def few_columns_cold(problem: Problem, guess: DiagonalGuess) -> FewColumnsState | None:
    """Begin from the best diagonal map in the directions that it uses; None where they are many."""
    if not _fits(problem):
        return None
    used = int(np.count_nonzero(guess.factors))
    k, r = used + _SPARE, problem.data.rank
    if not used or _MOST * k > r:
        return None
    V = np.eye(r)[:, np.argsort(-guess.factors, kind="stable")[:k]]
    operators, Y = make_operators(problem, WORK), problem.in_memory.basis_rows(WORK)
    C = (operators[0] * guess.factors.astype(WORK)) @ V.astype(WORK)
    E = Y @ ((guess.factors - 1.0)[:, None] * V).astype(WORK)
    state = _begin(problem, guess, V, C, E, operators, Y)
    # A candidate like any other: a fit that is stopped at once has this to show.
    state.best_coefficients = problem.data.U * guess.factors
    state.best_objective = guess.objective
    state.next_check = FIRST
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
    if old.explores or not few or not near_by(problem, before, _FAR):
        return None
    wide = _WIDE * old.V.shape[1] > problem.data.rank
    if wide and concentration(old.P, before, old.guess) < _FEW_PIXELS:
        # Which pixels are in use changes, and with them many directions.
        return None
    V, P, p = _in_use(old)
    target = old.Y @ V.astype(WORK)
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
    state.p[idle] = p[idle] * WORK.type(scale)
    # Something to show until the first check, rounded up from single precision.
    errors = np.hypot(row_norms(E), state.outside).sum(dtype=np.float64)
    rows = norms.sum(dtype=np.float64)
    objective = float(errors + problem.alpha * rows + problem.beta * trace)
    state.best_objective = objective * (1.0 + _ROUNDED)
    state.best_coefficients = state.coefficients()
    state.next_check, state.explorations = _FIRST_WARM, EXPLORATIONS
    if old.rank * _TURNS > problem.data.rank:
        state.next_check, state.explorations = _EARLY, EXPLORATIONS - 1
    return state


def _in_use(old: FewColumnsState) -> tuple[FloatArray, FloatArray, FloatArray]:
    """V without the directions that the fit turned out not to need, and P and p in the rest.

    What a singular value of G₂ lacks of β is how far a direction is from being used.
    """
    limit = _NEARLY * old.problem.beta / old.spectral_penalty
    turn = right_singular_vectors(old.Q + old.q, limit, old.rank + _SPARE_WARM)
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
    constant = np.square(row_norms(old.Y)) + problem.in_memory.outside.astype(WORK)
    square, cross, pixels = np.square(mapped), mapped * wanted, np.square(C)
    least = np.float32(SHORT * problem.data.sample_norms.mean()) ** 2
    alpha, beta = WORK.type(problem.alpha), WORK.type(problem.beta)
    s = np.ones(C.shape[1], WORK)
    for _ in range(_PASSES):
        errors = np.sqrt(np.maximum(square @ (s * s) - 2 * (cross @ s) + constant, least))
        rows = np.sqrt(pixels @ (s * s) + np.float32(SHORT**2))
        gain = (1 / errors) @ cross - beta * sigma
        cost = (1 / errors) @ square + alpha * ((1 / rows) @ pixels)
        s = np.maximum(gain / np.maximum(cost, np.float32(1e-30)), 0)
    return (C * s) @ T.T, float(sigma @ s)


def _fits(problem: Problem) -> bool:
    in_memory = isinstance(problem.data, ReducedData)
    return in_memory and problem.alpha > 0.0 and problem.beta > 0.0


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
    parts = along(problem.in_memory, V)
    errors = np.maximum(np.hypot(row_norms(E), parts["outside"]), SHORT * guess.error)
    L = (E / errors[:, None]).astype(WORK)
    norms = row_norms(C)
    G1 = C * (problem.alpha / np.maximum(norms, SHORT * norms.max())).astype(WORK)[:, None]
    # What is left for G₂, as far as its bound lets it.
    left = -(operators[0] @ (Y.T @ L)) - G1
    left -= shrink_singular_values(left, problem.beta).value
    return FewColumnsState(
        **parts,
        problem=problem,
        guess=guess,
        E=E,
        u=L / WORK.type(loss),
        P=C,
        p=G1 / WORK.type(rows),
        Q=C,
        q=left / WORK.type(spectral),
        loss_penalty=loss,
        row_penalty=rows,
        spectral_penalty=spectral,
        rank=C.shape[1],
        operators=operators,
        Y=Y,
    )


_MOST = 3
"""At most one direction in so many may be in use at the start."""

_SPARE = 8
"""Directions more than are in use, to begin with."""

_FIRST_WARM, _FAR = 8, 1.3
"""Iterations to the first certificate after a step of a slider, and the largest step, as a factor
in a penalty, that is taken from where the last fit ended."""

_TURNS, _EARLY = 8, 3
"""Where more than one direction in so many is in use, so many of them turn in a step that V is
widened early: after the second number of iterations."""

_WIDE, _FEW_PIXELS = 4, 0.5
"""More than one direction in so many carried along, and so few pixels in use, that a cold start is
as near."""

_NEARLY, _SPARE_WARM = 0.8, 24
"""Share of β from which on a direction is kept for the next fit, and how many more than the rank
are kept at least."""

_ROUNDED = 1e-5
"""More than single precision can be wrong by in an objective."""

_PASSES = 15
"""Rounds of reweighting for the best rescaling."""
