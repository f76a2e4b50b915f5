"""A whole grid of penalties: what one solution proves about the others, and the rest solved.

Every point that is solved bounds every other one from both sides at no cost (theory.md §13). Where
the two are within the tolerance the point is certified without an iteration: that covers steps that
are small next to it, penalties too small to matter (§11), W = 0 and W = I (§10).

Everything else is solved by ADMM. Where α hardly pulls and W has low rank, W stays much the same
under a smaller α, and ADMM goes on from there, in half the time. Else it starts cold: from a solved
neighbour, or the secant through two of them, it is slower on ORL in five settings of six.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from cspca.fitted import regime
from cspca.preprocessing import reduce_data
from cspca.problem import Problem, ReducedData, zero_bound
from cspca.problem.certificate import round_off
from cspca.proximal import FloatArray, row_norms, singular_values
from cspca.solvers import ADMM
from cspca.solvers.admm.few_columns import FewColumnsState
from cspca.solvers.admm.starts import diagonal_guess
from cspca.solvers.iterate import relative_gap
from cspca.threads import blas_threads

__all__ = ["PathPoint", "PathResult", "cspca_path", "iter_path"]


@dataclass(frozen=True)
class PathPoint:
    """One point of the grid, certified.

    `row` and `column` are indices into the α and the β of the grid, `alpha` and `beta` absolute,
    `scores` the row norms ‖w_j‖. `n_iter` is 0 where a point solved before, or theory, certifies
    this one; `seconds` were spent on this point.
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
    """The solved grid; each array begins with the axes (n_alphas, n_betas).

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        Absolute.
    betas : ndarray of shape (n_betas,)
        Absolute.
    alpha_max, beta_max : float
        ``W = 0`` is optimal whenever ``α/alpha_max + β/beta_max ≥ 1``.
    objective, dual_objective, gap : ndarray of shape (n_alphas, n_betas)
    rank, n_zero, n_iter : ndarray of int, shape (n_alphas, n_betas)
        `n_zero` counts the pixels left out.
    regime : ndarray of str, shape (n_alphas, n_betas)
    scores : ndarray of shape (n_alphas, n_betas, n_features)
    seconds : ndarray of shape (n_alphas, n_betas)
        The reduction, made once, is not among them.
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
class _Known:
    """A W with the affine function of (α, β) that its objective is, and what was read off it."""

    loss: float
    rows: float
    trace: float
    rank: int
    scores: FloatArray
    identity: bool = False

    def objective(self, alpha: float, beta: float) -> float:
        """The problem's objective of this W under other penalties."""
        return self.loss + alpha * self.rows + beta * self.trace


class _Bounds:
    """What is known of the optimum over the whole (α, β) plane."""

    def __init__(self, data: ReducedData) -> None:
        self.data = data
        self.total = float(data.sample_norms.sum())
        self.total_bound = zero_bound(data)
        self.identity_up_to = -1.0
        self.upper: list[_Known] = []
        self.points: list[tuple[float, float]] = []
        self.lower: list[float] = []

    def add(self, alpha: float, beta: float, bound: float, known: Sequence[_Known]) -> None:
        """Take note of a solved point."""
        self.upper += known
        self.points.append((alpha, beta))
        self.lower.append(bound)
        if known[0].identity:
            # W = I is optimal exactly when α + β is at most a constant of the data.
            self.identity_up_to = max(self.identity_up_to, alpha + beta)

    def certify(self, alpha: float, beta: float, tol: float) -> tuple[float, float, _Known] | None:
        """Objective, bound and the W that is good enough here; None when it must be solved."""
        data = self.data
        if alpha / data.alpha_max + beta / data.beta_max >= 1.0:
            zero = _Known(self.total, 0.0, 0.0, 0, np.zeros(data.shape[1]))
            return self.total, self.total_bound, zero
        if alpha + beta <= self.identity_up_to:
            known = next(known for known in self.upper if known.identity)
            objective = (alpha + beta) * data.rank
            return objective, objective, known
        if not self.upper:
            return None
        known = min(self.upper, key=lambda known: known.objective(alpha, beta))
        objective = known.objective(alpha, beta)
        # Of no pixel, or of all of them with equal weight, a mere tolerance is no proof.
        if known.identity or not known.rank:
            return None
        bound = self.below(alpha, beta)
        return None if relative_gap(objective, bound) > tol else (objective, bound, known)

    def below(self, alpha: float, beta: float) -> float:
        """The concave, non-decreasing hull of the dual values, 0 at the origin (theory.md §13)."""
        data = self.data
        share = alpha / data.alpha_max + beta / data.beta_max
        bound = self.total_bound * min(1.0, share)
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
    rows, columns = _axis("alphas", alphas), _axis("betas", betas)
    if penalty_scale not in ("relative", "absolute"):
        raise ValueError(f"penalty_scale must be 'relative' or 'absolute', got {penalty_scale!r}.")
    if not (np.isfinite(tol) and tol >= 0.0):
        raise ValueError(f"tol must be a number of at least 0, got {tol!r}.")
    if not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be a whole number of at least 1, got {max_iter!r}.")
    data = reduced if reduced is not None else reduce_data(X, center, normalize)
    if reduced is not None and np.shape(X) != data.shape:
        raise ValueError(
            f"reduced was made from data of shape {data.shape}, X has {np.shape(X)}: make it with "
            "reduce_data from the same X, or leave it out."
        )
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
        The reduction of `X` (see :func:`cspca.preprocessing.reduce_data`), where it is at hand.

    Returns
    -------
    PathResult

    Raises
    ------
    ValueError
        When a penalty is negative or not finite, an option is unknown, `order` does not visit the
        grid once, `reduced` has another shape, or `X` holds nothing to explain.

    Warns
    -----
    ConvergenceWarning
        When `max_iter` was reached at some points; `gap` says how far they came.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca import cspca_path
    >>> path = cspca_path(load_digits().data / 16, [0.1, 0.5, 1.0], [0.01, 0.1])
    >>> str(path.regime[2, 0])
    'zero'
    """
    if reduced is None:
        reduced = reduce_data(X, center, normalize)
    points = list(
        iter_path(
            X,
            alphas,
            betas,
            penalty_scale=penalty_scale,
            tol=tol,
            max_iter=max_iter,
            order=order,
            reduced=reduced,
        )
    )
    points.sort(key=lambda point: (point.row, point.column))
    shape = points[-1].row + 1, points[-1].column + 1

    def grid(name: str) -> FloatArray:
        values: FloatArray = np.array([getattr(point, name) for point in points])
        return values.reshape(shape + values.shape[1:])

    late = [point for point in points if point.gap > tol]
    if late:
        warnings.warn(
            f"{len(late)} of {len(points)} points stopped after {max_iter} iterations at a "
            f"certified gap above tol={tol:.1e}, the largest {max(p.gap for p in late):.1e}: "
            "raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=2,
        )
    names = ("objective", "dual_objective", "gap", "rank", "n_iter", "regime", "seconds")
    scores = grid("scores")
    return PathResult(
        alphas=grid("alpha")[:, 0],
        betas=grid("beta")[0],
        alpha_max=reduced.alpha_max,
        beta_max=reduced.beta_max,
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
    states: _States = {}
    for row, column in visits:
        began = time.perf_counter()
        alpha, beta = float(alphas[row]), float(betas[column])
        problem = Problem(data, alpha, beta)
        with blas_threads():
            found, steps = bounds.certify(alpha, beta, tol), 0
            edge = _edge(problem, tol) if found is None else None
            if edge is not None:
                # The bound below an axis point holds for every penalty above it.
                _, lower, steps, maps = _solve(edge, tol / 2, max_iter, states)
                bounds.add(edge.alpha, edge.beta, lower, maps)
                found = bounds.certify(alpha, beta, tol)
            if found is None:
                objective, lower, more, maps = _solve(problem, tol, max_iter, states)
                known = maps[0]
                steps += more
                bounds.add(alpha, beta, lower, maps)
            else:
                objective, lower, known = found
        lower = min(lower, objective)
        gap = relative_gap(objective, lower)
        yield PathPoint(
            row=row,
            column=column,
            alpha=alpha,
            beta=beta,
            objective=objective,
            dual_objective=lower,
            gap=gap,
            rank=known.rank,
            regime=regime(problem, known.scores, gap),
            scores=known.scores,
            n_iter=steps,
            seconds=time.perf_counter() - began,
        )


def _edge(problem: Problem, tol: float) -> Problem | None:
    """The problem without a penalty that is too small to matter; None when both matter.

    It is easier, and a whole row or column of the grid shares it (theory.md §11).
    """
    d, r = problem.data.U.shape
    least = 0.25 * tol * diagonal_guess(problem).objective
    if 0.0 < problem.alpha * (d * r) ** 0.5 <= least and problem.beta > 0.0:
        return Problem(problem.data, 0.0, problem.beta)
    if 0.0 < problem.beta * r <= least and problem.alpha > 0.0:
        return Problem(problem.data, problem.alpha, 0.0)
    return None


_States = dict[float, FewColumnsState]
"""Where ADMM on few columns stands that may go on, by β."""


def _solve(
    problem: Problem, tol: float, max_iter: int, states: _States
) -> tuple[float, float, int, list[_Known]]:
    """Objective, bound, iterations and what W says elsewhere.

    Where W of ADMM reproduces the images but for a little, the nearest map that does so entirely is
    given as well: it is as good under all smaller penalties of the same ratio.
    """
    data = problem.data
    solver = ADMM(target=tol, limit=max_iter)
    for iterate in solver.iterate(problem, states.get(problem.beta)):
        if iterate.gap <= tol or iterate.number >= max_iter:
            break
    state, Z = iterate.state, np.asarray(iterate.Z, dtype=np.float64)
    # At most 40 MB an array.
    if isinstance(state, FewColumnsState) and state.E.size <= 10**7:
        states[problem.beta] = state
    # Few columns hold all of Z where the solver says which.
    V = getattr(state, "V", None)
    sigma = singular_values(Z if V is None else Z @ V)
    known = _known(problem, Z, float(sigma.sum()), state.rank_of(sigma))
    if regime(problem, known.scores, iterate.gap) == "identity":
        # Exact ties, not the round-off of a basis.
        scores = data.live.astype(np.float64)
        known = replace(known, rows=float(scores.sum()), scores=scores, identity=True)
    maps = [known]
    # What is left of the loss is the solver's tolerance, by and large.
    if known.loss <= 1e-2 * iterate.best_objective and not data.full_column_rank:
        Z += data.U @ (np.eye(data.rank) - data.U.T @ Z)
        maps.append(_known(problem, Z, float(singular_values(Z).sum()), data.rank))
    return iterate.best_objective, iterate.dual_bound, iterate.number, maps


def _known(problem: Problem, Z: FloatArray, trace: float, rank: int) -> _Known:
    """What a map of trace norm `trace` says elsewhere."""
    scores = row_norms(Z)
    rank = min(max(rank, 1), int(np.count_nonzero(scores)))
    loss = float(problem.data.residual_norms(Z).sum())
    return _Known(loss, float(scores.sum()), trace, rank, scores)


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
    if sorted(wanted) != grid:
        raise ValueError(
            f"order must visit each of the {len(alphas)} × {len(betas)} points of the grid once, "
            f"got {len(wanted)} pairs."
        )
    return wanted
