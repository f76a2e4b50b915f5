"""A whole grid of penalties, each point certified, with one reduction for all.

W = 0, and W = I once it is proven for penalties of a larger sum, need no iteration (theory.md §10).
All other points are solved by ADMM: from the last fit under the same β, where the change of α moves
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
from sklearn.exceptions import ConvergenceWarning

from cspca.fitted import advice, identity_bound, is_reproduced, map_scores, regime
from cspca.preprocessing import reduction_of
from cspca.problem import Problem, ReducedData, zero_bound
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
    `scores` the row norms ‖w_j‖. `n_iter` is 0 where the solution is known without an iteration;
    `seconds` were spent on this point, the reduction apart.
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
class _Solution:
    """The W of a point: its objective, a proven lower bound, and what is shown of it."""

    objective: float
    bound: float
    rank: int
    regime: str
    scores: FloatArray
    n_iter: int = 0


class _Walk:
    """The points of a grid that were solved so far, as far as they help with the next ones."""

    def __init__(self, data: ReducedData, tol: float, max_iter: int) -> None:
        self.data, self.tol, self.max_iter = data, tol, max_iter
        total = float(data.sample_norms.sum())
        self.zero = _Solution(
            objective=total,
            bound=min(zero_bound(data), total),
            rank=0,
            regime="zero",
            scores=np.zeros(data.shape[1]),
        )
        self.states: dict[float, Any] = {}
        """Where ADMM stands that may go on, by β."""
        self.identity_up_to, self.identity_share = -1.0, 1.0
        """Largest α + β for which W = I is proven, and the share of its objective that is."""

    def solution(self, problem: Problem) -> _Solution:
        """The solution of a point: known beforehand, or by ADMM."""
        if problem.zero_is_optimal:
            return self.zero
        if problem.alpha + problem.beta <= self.identity_up_to:
            objective = (problem.alpha + problem.beta) * self.data.rank
            return self._identity(objective, self.identity_share * objective)
        return self._solve(problem)

    def _solve(self, problem: Problem) -> _Solution:
        """By ADMM; what may help with other points is noted."""
        data = self.data
        solver = ADMM(target=self.tol, limit=self.max_iter)
        for last in solver.iterate(problem, self.states.get(problem.beta)):
            if last.gap <= self.tol or last.state.proven or last.number >= self.max_iter:
                break
        # At most 40 MB an array.
        if max(data.Y.size, data.U.size) <= 10**7:
            self.states[problem.beta] = last.state
        objective, bound = last.best_objective, last.dual_bound
        proven = identity_bound(problem, objective, bound, EDGE_ITERATIONS)
        if proven is not None:
            if last.state.proven or identity_is_optimal(problem):
                self._note_identity(problem, proven)
            return self._identity(objective, proven, last.number)
        Z, span = data.averaged(np.asarray(last.Z, dtype=np.float64)), last.span
        sigma = singular_values(Z if span is None or data.copies else Z @ span)
        scores, errors = map_scores(data, Z), data.residual_norms(Z)
        reproduced = is_reproduced(data, errors)
        return _Solution(
            objective=objective,
            bound=min(bound, objective),
            rank=count_rank(sigma),
            regime=regime(problem, scores, float(errors.sum()), objective, reproduced),
            scores=scores,
            n_iter=last.number,
        )

    def _identity(self, objective: float, bound: float, n_iter: int = 0) -> _Solution:
        """W = I: all live pixels tie, exactly, and not but for the round-off of a basis."""
        scores, bound = self.data.live.astype(np.float64), min(bound, objective)
        return _Solution(objective, bound, self.data.rank, "identity", scores, n_iter)

    def _note_identity(self, problem: Problem, bound: float) -> None:
        """Take note of a Λ that proves W = I, with AᵀΛ a multiple of I.

        It does so for every sum of penalties up to this one, however they are split (§10): but for
        the round-off, which the larger of the two can take, so that it counts at most twice.
        """
        total = problem.alpha + problem.beta
        if total > self.identity_up_to:
            self.identity_up_to = total
            self.identity_share = 1.0 - 2.0 * relative_gap(total * self.data.rank, bound)


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
    return _checked_walk(data, alphas, betas, penalty_scale, tol, max_iter, order)


def _checked_walk(
    data: ReducedData,
    alphas: ArrayLike,
    betas: ArrayLike,
    penalty_scale: str,
    tol: float,
    max_iter: int,
    order: Sequence[tuple[int, int]] | None,
) -> Iterator[PathPoint]:
    """Check the arguments at once, and walk over the grid."""
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
        Index pairs (row of α, column of β), each of the grid once; None goes from the largest
        penalties down, so that a proof of W = I comes first.
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
    walk = _checked_walk(data, alphas, betas, penalty_scale, tol, max_iter, order)
    points = sorted(walk, key=lambda point: (point.row, point.column))
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
    """The points in the order of the visits."""
    walk = _Walk(data, tol, max_iter)
    for row, column in visits:
        began = time.perf_counter()
        alpha, beta = float(alphas[row]), float(betas[column])
        with blas_threads():
            solution = walk.solution(Problem(data, alpha, beta))
        yield PathPoint(
            row=row,
            column=column,
            alpha=alpha,
            beta=beta,
            objective=solution.objective,
            dual_objective=solution.bound,
            gap=relative_gap(solution.objective, solution.bound),
            rank=solution.rank,
            regime=solution.regime,
            scores=solution.scores,
            n_iter=solution.n_iter,
            seconds=time.perf_counter() - began,
        )


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
    visits = [(int(row), int(column)) for row, column in order]
    if sorted(visits) == grid:
        return visits
    raise ValueError(
        f"order must visit each of the {len(alphas)} × {len(betas)} points of the grid once, "
        f"got {len(visits)} pairs."
    )
