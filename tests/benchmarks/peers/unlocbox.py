"""PyUnLocBoX's primal-dual solver, MLFBF, on the same reduced problem."""

import contextlib

import numpy as np

from cspca.problem import Problem
from cspca.proximal import shrink_rows, shrink_singular_values
from tests.benchmarks.measure import Run
from tests.benchmarks.peers.race import Balance, Race, Stopped


def forward_backward_forward(
    problem: Problem, balance: Balance, goal: float, limit: float
) -> Run | None:
    """``f(x) + g(L x)`` with f the trace norm and g the two sums of row norms, stacked.

    Its only step size serves both sides, so the unknown is Z / `balance.size`, which comes to the
    same as two steps of the best ratio. The library's own nuclear norm takes square matrices only
    and its ℓ2,1 norm has one weight, so both functions are ours. None when it is not installed.
    """
    try:
        from pyunlocbox import functions, solvers
    except ImportError:
        return None
    data = problem.in_memory
    n, size = data.shape[0], balance.size
    target = data.Y / balance.scale
    race = Race(problem, goal, limit)

    class Trace(functions.func):
        def _prox(self, x: np.ndarray, step: float) -> np.ndarray:
            return shrink_singular_values(x, problem.beta * size * step).value

        def _eval(self, x: np.ndarray) -> float:
            # Called once an iteration, which makes it the place to stop at. The library goes on to
            # form L x for the value of g, which nobody asked for: off the clock.
            if race.look(lambda: size * x):
                raise Stopped
            race.watch.pause()
            return 0.0

    class Rows(functions.func):
        def _prox(self, x: np.ndarray, step: float) -> np.ndarray:
            loss = target + shrink_rows(x[:n] - target, balance.scale * step)
            return np.vstack([loss, shrink_rows(x[n:], problem.alpha * step)])

        def _eval(self, x: np.ndarray) -> float:
            race.watch.resume()
            return 0.0

    L = data.A * (size / balance.scale)

    def stacked(x: np.ndarray) -> np.ndarray:
        return np.vstack([L @ x, size * x])

    def adjoint(z: np.ndarray) -> np.ndarray:
        return L.T @ z[:n] + size * z[n:]

    zero = np.zeros((sum(data.shape), data.rank))
    solver = solvers.mlfbf(L=stacked, Lt=adjoint, step=0.99 / (size * 2**0.5), d0=zero)
    with contextlib.suppress(Stopped):
        solvers.solve(
            [Trace(), Rows(), functions.dummy()],
            np.zeros_like(data.U),
            solver,
            rtol=None,
            maxit=10**9,
            verbosity="NONE",
        )
    return race.result("PyUnLocBoX MLFBF")
