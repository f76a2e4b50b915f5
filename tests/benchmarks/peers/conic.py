"""cvxpy with its best solver, at sizes that it can hold."""

from collections.abc import Callable

import numpy as np

from cspca.problem import Problem
from tests.benchmarks.measure import Run, Watch


def conic(problem: Problem, goal: float) -> Run:
    """cvxpy on the reduced problem: the faster of Clarabel and SCS at the loosest setting that gets
    there; setting up the model is not counted, only the call to ``solve``."""
    import cvxpy as cp

    data = problem.in_memory
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
