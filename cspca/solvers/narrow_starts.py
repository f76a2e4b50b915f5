"""Where ADMM on few columns begins: from the best diagonal map, or from a fit that is near."""

from __future__ import annotations

import numpy as np

from cspca.problem import Problem, ReducedData
from cspca.proximal import FloatArray, row_norms, shrink_singular_values
from cspca.solvers.admm_state import initial_penalties, make_operators, near_by
from cspca.solvers.diagonal import DiagonalGuess, diagonal_guess
from cspca.solvers.narrow import EXPLORATIONS, FIRST, SHORT, WORK, NarrowState


def narrow_cold(problem: Problem, guess: DiagonalGuess) -> NarrowState | None:
    """Begin from the best diagonal map in the directions that it uses; None where they are many.

    Parameters
    ----------
    problem : Problem
    guess : DiagonalGuess

    Returns
    -------
    NarrowState or None
    """
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


def narrow_warm(problem: Problem, old: NarrowState) -> NarrowState | None:
    """Same data, other penalties: the best rescaling of the singular directions of the old map.

    Among ``C T diag(s) Tᵀ``, T the right singular vectors of C, the objective is as simple in s as
    that of a diagonal map, and its minimum lies a tenth of a percent above the new optimum after a
    step of a quarter in a penalty.

    Parameters
    ----------
    problem : Problem
    old : NarrowState
        Of the same data under other penalties.

    Returns
    -------
    NarrowState or None
        None where the step is so far that a cold start is as near, where too little of `old` is
        left, or where its directions are too many or not yet gathered.
    """
    before, V = old.problem, old.V
    near = near_by(problem, before, _FAR)
    if not near or old.explores or not old.rank or 2 * V.shape[1] > problem.data.rank:
        return None
    C = _rescaled(problem, old)
    if not C.any():
        return None
    E = old.Y @ (old.operators[0].T @ C) - old.target
    state = _begin(problem, diagonal_guess(problem), V, C, E, old.operators, old.Y)
    # Rows without weight keep the multipliers that they had.
    norms = row_norms(C)
    idle = norms <= SHORT * norms.max()
    scale = old.row_penalty * problem.alpha / (before.alpha * state.row_penalty)
    state.p[idle] = old.p[idle] * WORK.type(scale)
    state.best_errors = state.errors()
    state.best_objective = state.objective(state.best_errors)
    state.best_coefficients = state.coefficients()
    state.next_check, state.explorations = _FIRST_WARM, EXPLORATIONS
    return state


def _rescaled(problem: Problem, old: NarrowState) -> FloatArray:
    """The best ``C T diag(s) Tᵀ``, by reweighting; everything but s is squared once."""
    spectrum = shrink_singular_values(old.P, 0.0)
    T, sigma = spectrum.right, spectrum.values
    C = old.P @ T
    wanted, mapped = old.target @ T, old.Y @ (old.operators[0].T @ C)
    rest = np.square(row_norms(old.target)) - np.square(row_norms(wanted))
    constant = np.square(row_norms(wanted)) + np.square(old.outside) + np.maximum(rest, 0.0)
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
    rescaled: FloatArray = (C * s) @ T.T
    return rescaled


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
) -> NarrowState:
    """At C, with the multipliers that belong to it."""
    loss, rows, spectral = initial_penalties(problem, guess)
    state = NarrowState(
        problem=problem,
        guess=guess,
        V=V,
        target=E,
        rest=E[:, 0],
        outside=E[:, 0],
        E=E,
        u=E,
        P=C,
        p=C,
        Q=C,
        q=C,
        loss_penalty=loss,
        row_penalty=rows,
        spectral_penalty=spectral,
        rank=C.shape[1],
        operators=operators,
        Y=Y,
    )
    state.direct(V)
    errors = np.maximum(np.hypot(row_norms(E), state.outside), SHORT * guess.error)
    state.u = (E / (loss * errors)[:, None]).astype(WORK)
    norms = row_norms(C)
    G1 = C * (problem.alpha / np.maximum(norms, SHORT * norms.max())).astype(WORK)[:, None]
    state.p = G1 / WORK.type(rows)
    U = state.operators[0]
    # What is left for G₂, as far as its bound lets it.
    left = -(U @ (state.Y.T @ (WORK.type(loss) * state.u))) - G1
    left -= shrink_singular_values(left, problem.beta).value
    state.q = left / WORK.type(spectral)
    return state


_MOST = 3
"""Fewer than one direction in so many must be in use at the start."""

_SPARE = 8
"""Directions more than are in use, to begin with."""

_FIRST_WARM, _FAR = 7, 1.3
"""Iterations to the first certificate after a step of a slider, and the largest step, as a factor
in a penalty, that is taken from where the last fit ended."""

_PASSES = 15
"""Rounds of reweighting for the best rescaling."""
