"""pyproximal's primal-dual solver, PDHG (Chambolle–Pock), on the same reduced problem."""

import contextlib

import numpy as np

from cspca.problem import Problem
from tests.benchmarks.measure import Run
from tests.benchmarks.peers.race import Balance, Duals, Race, Stopped


def primal_dual(problem: Problem, balance: Balance, goal: float, limit: float) -> Run | None:
    """Until the objective is at most `goal` and its own duals certify that, or `limit` is over.

    ``β‖Z‖_*`` is taken by its proximal step; ``‖A Z − Y‖₂,₁`` and ``α ‖Z‖₂,₁`` through their duals.
    None when pyproximal is not installed.
    """
    try:
        import pylops
        import pyproximal
        from pyproximal.optimization.primaldual import PrimalDual
    except ImportError:
        return None
    data, scale = problem.in_memory, balance.scale
    (n, d), r = data.shape, data.rank
    # The library's groups are columns: everything is transposed, unknowns are r × d.
    loss = pyproximal.L21(r, sigma=scale).precomposition(1.0, -(data.Y.T / scale).ravel())
    rows = pyproximal.L21(r, sigma=problem.alpha)
    stack = pyproximal.VStack([loss, rows], nn=[r * n, r * d])
    nuclear = pyproximal.Nuclear((r, d), sigma=problem.beta)
    right = np.ascontiguousarray(data.A.T) / scale
    operator = pylops.VStack([_RightProduct(pylops, right, r), pylops.Identity(r * d)])
    race = Race(problem, goal, limit)

    def look(x: np.ndarray, y: np.ndarray) -> None:
        def coefficients() -> np.ndarray:
            return np.ascontiguousarray(x.reshape(r, d).T)

        def duals() -> Duals:
            return y[: r * n].reshape(r, n).T / scale, y[r * n :].reshape(r, d).T

        if race.look(coefficients, duals):
            raise Stopped

    with contextlib.suppress(Stopped):
        PrimalDual(
            nuclear,
            stack,
            operator,
            np.zeros(r * d),
            tau=balance.primal_step,
            mu=balance.dual_step,
            niter=10**6,
            callback=look,
            callbacky=True,
        )
    return race.result("pyproximal PDHG")


def _RightProduct(pylops, right: np.ndarray, rows: int):
    """X ↦ X `right` as an operator on flat arrays, without pylops' copies."""

    class Product(pylops.LinearOperator):
        def _matvec(self, x: np.ndarray) -> np.ndarray:
            return (x.reshape(rows, -1) @ right).ravel()

        def _rmatvec(self, x: np.ndarray) -> np.ndarray:
            return (x.reshape(rows, -1) @ right.T).ravel()

    shape = rows * right.shape[1], rows * right.shape[0]
    return Product(dtype=np.float64, shape=shape)
