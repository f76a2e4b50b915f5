"""The problem given to a general conic solver, d x d and unreduced: slow, and right.

Clarabel at 1e-9 on a dozen pixels takes well under a second and agrees with any other
interior-point solver to better than 1e-8, which is what the tests of the certificate lean on.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from tests.oracles import direct


@dataclass(frozen=True)
class ConicAnswer:
    """The global optimum and a (d, d) matrix that attains it."""

    value: float
    W: np.ndarray


def solve(A: np.ndarray, alpha: float, beta: float) -> ConicAnswer:
    """Minimise P(W) over all d x d matrices."""
    found = minimiser(A, alpha, beta, lambda E, W: cp.sum(cp.norm(E, 2, axis=1)))
    return ConicAnswer(direct.objective(A, found, alpha, beta), found)


def minimiser(
    A: np.ndarray,
    alpha: float,
    beta: float,
    more: Callable[[cp.Expression, cp.Variable], cp.Expression],
) -> np.ndarray:
    """The W that minimises both penalties and `more`, of the errors A W − A and of W."""
    d = A.shape[1]
    W = cp.Variable((d, d))
    penalty = alpha * cp.sum(cp.norm(W, 2, axis=1)) + beta * cp.normNuc(W)
    problem = cp.Problem(cp.Minimize(more(A @ W - A, W) + penalty))
    problem.solve(
        solver=cp.CLARABEL,
        tol_gap_abs=1e-9,
        tol_gap_rel=1e-9,
        tol_feas=1e-9,
        max_iter=200,
    )
    if problem.status != cp.OPTIMAL:
        raise RuntimeError(f"the conic solver stopped with status {problem.status!r}")
    return np.asarray(W.value)
