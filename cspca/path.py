"""A whole grid of penalties: what one solution proves about the others, and the rest solved.

Every point that is solved bounds every other one from both sides at no cost (theory.md §13). Where
the two are within the tolerance the point is certified without an iteration: that covers steps that
are small next to it, W = 0 and W = I (§10).

Everything else is solved by ADMM: from the last fit under the same β, where the change of α moves
the objective little, and cold elsewhere. From a fit under another β new directions are missing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from cspca.fitted import advice, identity_bound, is_reproduced, map_scores, regime
from cspca.preprocessing import reduction_of
from cspca.problem import Problem, ReducedData, zero_bound
from cspca.problem.certificate import round_off
from cspca.problem.identity import EDGE_ITERATIONS, identity_is_optimal
from cspca.proximal import FloatArray, count_rank, singular_values
from cspca.solvers import ADMM
from cspca.solvers.iterate import relative_gap
from cspca.threads import blas_threads

__all__ = ["PathPoint", "PathResult", "cspca_path", "iter_path"]


@dataclass(frozen=True)
class PathPoint:
    """One point of the grid, certified.

    `row` and `column` are indices into the α and the β of the grid, `alpha` and `beta` absolute,
    `scores` the row norms ‖w_j‖. `n_iter` is 0 where a point solved before, or theory, certifies
    this one; `seconds` were spent on this point, the reduction apart.
    """

    row: int
    column: int
    alpha: float
    beta: float
    objective: float
    dual_objective: float
    gap: float
    rank: int
    regime: str
    scores: FloatArray = field(repr=False)
    n_iter: int
    seconds: float


@dataclass(frozen=True)
class PathResult:
    """The solved grid: what :class:`PathPoint` says of each point, as arrays.

    `alphas`, shape (n_alphas,), and `betas`, shape (n_betas,), are absolute; ``W = 0`` is optimal
    whenever ``α/alpha_max + β/beta_max ≥ 1``. The others have shape (n_alphas, n_betas), `scores`
    with n_features beside; `n_zero` counts the pixels left out.
    """

    alphas: FloatArray
    betas: FloatArray
    alpha_max: float
    beta_max: float
    objective: FloatArray
    dual_objective: FloatArray
    gap: FloatArray
    rank: FloatArray
    n_zero: FloatArray
    n_iter: FloatArray
    regime: FloatArray
    scores: FloatArray
    seconds: FloatArray


@dataclass(frozen=True)
class _Map:
    """A W with the affine function of (α, β) that its objective is, and what is shown of it."""

    loss: float
    rows: float
    trace: float
    rank: int
    scores: FloatArray
    reproduced: bool

    def objective(self, alpha: float, beta: float) -> float:
        """The problem's objective of this W under other penalties."""
        return self.loss + alpha * self.rows + beta * self.trace


class _Bounds:
    """What is known of the optimum over the whole (α, β) plane (theory.md §13)."""

    def __init__(self, data: ReducedData) -> None:
        self.data = data
        nothing = np.zeros(data.shape[1])
        self.zero = _Map(float(data.sample_norms.sum()), 0.0, 0.0, 0, nothing, reproduced=False)
        self.zero_bound = zero_bound(data)
        scores = data.live.astype(np.float64)
        # All pixels tie, exactly, and not but for the round-off of a basis.
        total = float(scores.sum())
        self.identity = _Map(0.0, total, total, data.rank, scores, reproduced=True)
        self.identity_up_to, self.identity_share = -1.0, 1.0
        self.maps: list[_Map] = []
        self.points: list[tuple[float, float]] = []
        self.lower: list[float] = []

    def add_identity(self, problem: Problem, bound: float) -> None:
        """Take note of a Λ that proves W = I, with AᵀΛ a multiple of I.

        It does so for every sum of penalties up to this one, however they are split (§10): but for
        the round-off, which the larger of the two can take, so that it counts at most twice.
        """
        total = problem.alpha + problem.beta
        if total > self.identity_up_to:
            self.identity_up_to = total
            objective = self.identity.objective(problem.alpha, problem.beta)
            self.identity_share = 1.0 - 2.0 * relative_gap(objective, bound)

    def certify(self, problem: Problem, tol: float) -> tuple[float, float, _Map] | None:
        """Objective, bound and the W that is good enough here; None when it must be solved."""
        alpha, beta = problem.alpha, problem.beta
        if problem.zero_is_optimal:
            return self.zero.loss, self.zero_bound, self.zero
        if alpha + beta <= self.identity_up_to:
            objective = self.identity.objective(alpha, beta)
            return objective, self.identity_share * objective, self.identity
        # Of no pixel, or of all of them with equal weight, a mere tolerance is no proof.
        best = min([self.zero, *self.maps], key=lambda one: one.objective(alpha, beta))
        if not best.rank or best is self.identity:
            return None
        objective, bound = best.objective(alpha, beta), self.below(alpha, beta)
        return None if relative_gap(objective, bound) > tol else (objective, bound, best)

    def below(self, alpha: float, beta: float) -> float:
        """The concave, non-decreasing hull of the dual values, 0 at the origin."""
        data = self.data
        share = alpha / data.alpha_max + beta / data.beta_max
        bound = self.zero_bound * min(1.0, share)
        # A penalty of 0 can only be compared with others of 0.
        here, places = np.array([alpha, beta]), np.array(self.points)
        asked = here > 0.0
        usable = (places[:, ~asked] == 0.0).all(axis=1)
        if not usable.any():
            return bound
        values = np.array(self.lower)[usable]
        relative = places[usable][:, asked] / here[asked]
        use = np.vstack([relative.T, np.ones(len(values))])
        found = linprog(-values, A_ub=use, b_ub=np.ones(len(use)), method="highs")
        if found.x is None:
            return bound
        shares = np.maximum(found.x, 0.0)
        # Whatever the accuracy of the linear program, shares that fit prove the bound.
        shares /= max(1.0, float((use @ shares).max()))
        return max(bound, float(shares @ values) * (1.0 - round_off(len(values))))


def iter_path(
    X: ArrayLike,
    alphas: ArrayLike,
    betas: ArrayLike,
    *,
    penalty_scale: str = "relative",
    center: bool = True,
    normalize: bool = False,
    tol: float = 1e-3,
    max_iter: int = 1000,
    order: Sequence[tuple[int, int]] | None = None,
    reduced: ReducedData | None = None,
) -> Iterator[PathPoint]:
    """Solve a grid point by point: progress for whoever looks on, and ``close()`` cancels.

    Everything is as in :func:`cspca_path`; points are yielded in the order solved.
    """
    data = reduction_of(X, center, normalize, reduced)
    options: dict[str, Any] = {"penalty_scale": penalty_scale, "tol": tol, "max_iter": max_iter}
    return _iter_path(data, alphas, betas, order=order, **options)


def _iter_path(
    data: ReducedData,
    alphas: ArrayLike,
    betas: ArrayLike,
    *,
    penalty_scale: str,
    tol: float,
    max_iter: int,
    order: Sequence[tuple[int, int]] | None,
) -> Iterator[PathPoint]:
    """Solve a grid point by point, on data that are reduced."""
    rows, columns = _axis("alphas", alphas), _axis("betas", betas)
    if penalty_scale not in ("relative", "absolute"):
        raise ValueError(f"penalty_scale must be 'relative' or 'absolute', got {penalty_scale!r}.")
    if not (np.isfinite(tol) and tol >= 0.0):
        raise ValueError(f"tol must be a number of at least 0, got {tol!r}.")
    if not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be a whole number of at least 1, got {max_iter!r}.")
    if penalty_scale == "relative":
        rows, columns = rows * data.alpha_max, columns * data.beta_max
    visits = _visits(order, rows / data.alpha_max, columns / data.beta_max)
    return _walk(data, rows, columns, visits, tol, int(max_iter))


def cspca_path(
    X: ArrayLike,
    alphas: ArrayLike,
    betas: ArrayLike,
    *,
    penalty_scale: str = "relative",
    center: bool = True,
    normalize: bool = False,
    tol: float = 1e-3,
    max_iter: int = 1000,
    order: Sequence[tuple[int, int]] | None = None,
    reduced: ReducedData | None = None,
) -> PathResult:
    """Solve a whole grid of penalties to a certified gap, with one reduction for all.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Images as rows.
    alphas : array-like of shape (n_alphas,)
    betas : array-like of shape (n_betas,)
        Penalties, ≥ 0; see `penalty_scale`.
    penalty_scale : {"relative", "absolute"}, default="relative"
    center, normalize : bool, default=True, False
        All three as in :class:`cspca.CSPCA`.
    tol : float, default=1e-3
        Certified relative gap of every point.
    max_iter : int, default=1000
        Largest number of iterations spent on one point.
    order : sequence of (int, int) or None, default=None
        Index pairs (row of α, column of β), each of the grid once; None takes the order in which
        the most is known beforehand, from the largest penalties down.
    reduced : ReducedData or None, default=None
        The reduction of `X` with the same `center` and `normalize`, where it is at hand (see
        :func:`cspca.preprocessing.reduce_data`).

    Returns
    -------
    PathResult

    Raises
    ------
    ValueError
        When a penalty is negative or not finite, an option is unknown, `order` does not visit the
        grid once, `reduced` was made of other data or with another `center` or `normalize`, or `X`
        holds nothing to explain. Where `max_iter` is reached, a ConvergenceWarning says so, and
        `gap` how far it came.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca import cspca_path
    >>> path = cspca_path(load_digits().data / 16, [0.1, 0.5, 1.0], [0.01, 0.1])
    >>> str(path.regime[2, 0])
    'zero'
    """
    data = reduction_of(X, center, normalize, reduced)
    options: dict[str, Any] = {"penalty_scale": penalty_scale, "tol": tol, "max_iter": max_iter}
    solved = _iter_path(data, alphas, betas, order=order, **options)
    points = sorted(solved, key=lambda point: (point.row, point.column))
    shape = points[-1].row + 1, points[-1].column + 1

    def grid(name: str) -> FloatArray:
        values: FloatArray = np.array([getattr(point, name) for point in points])
        return values.reshape(shape + values.shape[1:])

    late = [point for point in points if point.gap > tol]
    if late:
        worst = max(late, key=lambda point: point.gap)
        warnings.warn(
            f"{len(late)} of {len(points)} points stopped after {max_iter} iterations at a "
            f"certified gap above tol={tol:.1e}, the largest {worst.gap:.1e}: "
            + advice(data, worst.objective, worst.dual_objective),
            ConvergenceWarning,
            stacklevel=2,
        )
    names = ("objective", "dual_objective", "gap", "rank", "n_iter", "regime", "seconds")
    scores = grid("scores")
    return PathResult(
        alphas=grid("alpha")[:, 0],
        betas=grid("beta")[0],
        alpha_max=data.alpha_max,
        beta_max=data.beta_max,
        n_zero=np.count_nonzero(scores == 0.0, axis=2),
        scores=scores,
        **{name: grid(name) for name in names},
    )


def _walk(
    data: ReducedData,
    alphas: FloatArray,
    betas: FloatArray,
    visits: list[tuple[int, int]],
    tol: float,
    max_iter: int,
) -> Iterator[PathPoint]:
    """Certify from what is known, else solve and know more."""
    bounds = _Bounds(data)
    states: dict[float, Any] = {}
    for row, column in visits:
        began = time.perf_counter()
        alpha, beta = float(alphas[row]), float(betas[column])
        problem, steps = Problem(data, alpha, beta), 0
        with blas_threads():
            found = bounds.certify(problem, tol)
            if found is None:
                found, steps = _solve(problem, tol, max_iter, bounds, states)
        objective, bound, best = found
        bound = min(bound, objective)
        gap, where = relative_gap(objective, bound), "identity"
        if best is not bounds.identity:
            where = regime(problem, best.scores, best.loss, objective, best.reproduced)
        yield PathPoint(
            row=row,
            column=column,
            alpha=alpha,
            beta=beta,
            objective=objective,
            dual_objective=bound,
            gap=gap,
            rank=best.rank,
            regime=where,
            scores=best.scores,
            n_iter=steps,
            seconds=time.perf_counter() - began,
        )


def _solve(
    problem: Problem, tol: float, max_iter: int, bounds: _Bounds, states: dict[float, Any]
) -> tuple[tuple[float, float, _Map], int]:
    """Objective, bound and W by ADMM, and its iterations; what they say elsewhere is noted.

    `states` are where ADMM stands that may go on, by β.
    """
    data = problem.in_memory
    solver = ADMM(target=tol, limit=max_iter)
    steps = solver.iterate(problem, states.get(problem.beta))
    last = next(
        one for one in steps if one.gap <= tol or one.state.proven or one.number >= max_iter
    )
    # At most 40 MB an array.
    if max(data.Y.size, data.U.size) <= 10**7:
        states[problem.beta] = last.state
    objective, bound = last.best_objective, last.dual_bound
    proven = identity_bound(problem, objective, bound, EDGE_ITERATIONS)
    if proven is not None:
        best, bound = bounds.identity, proven
        if last.state.proven or identity_is_optimal(problem):
            bounds.add_identity(problem, proven)
    else:
        Z, span = data.averaged(np.asarray(last.Z, dtype=np.float64)), last.span
        sigma = singular_values(Z if span is None or data.copies else Z @ span)
        scores, errors = map_scores(data, Z), data.residual_norms(Z)
        best = _Map(
            float(errors.sum()),
            float(scores.sum()),
            float(sigma.sum()),
            count_rank(sigma),
            scores,
            is_reproduced(data, errors),
        )
    bounds.maps.append(best)
    bounds.points.append((problem.alpha, problem.beta))
    bounds.lower.append(bound)
    return (objective, bound, best), last.number


def _axis(name: str, values: ArrayLike) -> FloatArray:
    """Penalties of one axis, checked."""
    axis = np.asarray(values, dtype=np.float64)
    if axis.ndim != 1 or axis.size == 0:
        raise ValueError(f"{name} must be a non-empty list of penalties, got shape {axis.shape}.")
    if not np.isfinite(axis).all() or (axis < 0.0).any():
        raise ValueError(f"{name} must hold finite penalties of at least 0, got {axis.tolist()}.")
    return axis


def _visits(
    order: Sequence[tuple[int, int]] | None, alphas: FloatArray, betas: FloatArray
) -> list[tuple[int, int]]:
    """Index pairs in the order to solve them; penalties relative to where W = 0."""
    grid = [(row, column) for row in range(len(alphas)) for column in range(len(betas))]
    if order is None:
        return sorted(grid, key=lambda place: -(alphas[place[0]] + betas[place[1]]))
    wanted = [(int(row), int(column)) for row, column in order]
    if sorted(wanted) == grid:
        return wanted
    raise ValueError(
        f"order must visit each of the {len(alphas)} × {len(betas)} points of the grid once, "
        f"got {len(wanted)} pairs."
    )
