"""General-purpose solvers on the same reduced problem, each treated kindly.

Both get our reduction for nothing, and are stopped by our knowledge of the optimum: neither has a
certificate of its own to wait for.
"""

import contextlib
from collections.abc import Callable

import numpy as np

from cspca.problem import Problem
from tests.benchmarks.measure import Run, Watch


class _Stopped(Exception):  # noqa: N818
    """Raised out of a library's loop, which has no other way to end early."""


def primal_dual(problem: Problem, Z: np.ndarray, goal: float, limit: float) -> Run | None:
    """PDHG (Chambolle–Pock) of pyproximal until the objective is at most `goal`.

    ``β‖Z‖_*`` is taken by its proximal step; ``‖A Z − Y‖₂,₁`` and ``α ‖Z‖₂,₁`` through their duals,
    with A divided by its norm, so that the two rows of the operator weigh alike. The ratio of the
    two steps is that of the sizes of the primal and of the dual solution, known from our own
    solution `Z`: the best that theory has to offer. Objectives are evaluated off the clock. None
    when pyproximal is not installed.
    """
    try:
        import pylops
        import pyproximal
        from pyproximal.optimization.primaldual import PrimalDual
    except ImportError:
        return None
    data = problem.data
    (n, d), r = data.shape, data.rank
    scale = float(data.singular_values[0])
    # The library's groups are columns: everything is transposed, unknowns are r × d.
    loss = pyproximal.L21(r, sigma=scale).precomposition(1.0, -(data.Y.T / scale).ravel())
    rows = pyproximal.L21(r, sigma=problem.alpha)
    stack = pyproximal.VStack([loss, rows], nn=[r * n, r * d])
    nuclear = pyproximal.Nuclear((r, d), sigma=problem.beta)
    right = np.ascontiguousarray(data.A.T) / scale
    operator = pylops.VStack([_RightProduct(pylops, right, r), pylops.Identity(r * d)])
    dual = np.sqrt(scale**2 * n + problem.alpha**2 * d)
    balance = float(np.linalg.norm(Z)) / float(dual)
    value, count, watch = float("inf"), 0, Watch()

    def look(x: np.ndarray) -> None:
        nonlocal value, count
        watch.pause()
        count += 1
        if count % 5 == 0 or watch.cpu > limit:
            value = min(value, problem.objective(np.ascontiguousarray(x.reshape(r, d).T)))
        if value <= goal or watch.cpu > limit:
            raise _Stopped
        watch.resume()

    start = np.zeros(r * d)
    with contextlib.suppress(_Stopped):
        PrimalDual(
            nuclear,
            stack,
            operator,
            start,
            tau=0.99 * balance / 2**0.5,
            mu=0.99 / balance / 2**0.5,
            niter=10**6,
            callback=look,
        )
    return Run(watch.cpu, watch.wall, count, value, None, value <= goal, "pyproximal PDHG")


def _RightProduct(pylops, right: np.ndarray, rows: int):
    """X ↦ X `right` as an operator on flat arrays, without pylops' copies."""

    class Product(pylops.LinearOperator):
        def _matvec(self, x: np.ndarray) -> np.ndarray:
            return (x.reshape(rows, -1) @ right).ravel()

        def _rmatvec(self, x: np.ndarray) -> np.ndarray:
            return (x.reshape(rows, -1) @ right.T).ravel()

    shape = rows * right.shape[1], rows * right.shape[0]
    return Product(dtype=np.float64, shape=shape)


def conic(problem: Problem, goal: float) -> Run:
    """cvxpy on the reduced problem: the faster of Clarabel and SCS at the loosest setting that gets
    there; setting up the model is not counted, only the call to ``solve``."""
    import cvxpy as cp

    data = problem.data
    runs = []
    settings: list[tuple[str, Callable[[float], dict[str, float]]]] = [
        (cp.CLARABEL, lambda eps: {"tol_gap_rel": eps, "tol_gap_abs": eps, "tol_feas": eps}),
        (cp.SCS, lambda eps: {"eps_abs": eps, "eps_rel": eps}),
    ]
    for solver, options in settings:
        for accuracy in (1e-3, 1e-4, 1e-5):
            Z = cp.Variable(data.U.shape)
            loss = cp.sum(cp.norm(data.A @ Z - data.Y, 2, axis=1))
            penalty = problem.alpha * cp.sum(cp.norm(Z, 2, axis=1)) + problem.beta * cp.normNuc(Z)
            model, watch = cp.Problem(cp.Minimize(loss + penalty)), Watch()
            model.solve(solver=solver, **options(accuracy))
            watch.pause()
            value = problem.objective(np.asarray(Z.value))
            steps = int(model.solver_stats.num_iters or 0)
            name = f"cvxpy {solver}"
            runs.append(Run(watch.cpu, watch.wall, steps, value, None, value <= goal, name))
            if value <= goal:
                break
    return min(runs, key=lambda run: (not run.reached, run.cpu))
