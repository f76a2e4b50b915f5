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
    found = minimiser(A, alpha, beta, lambda E, W: rows(E))
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
    penalty = alpha * rows(W) + beta * cp.normNuc(W)
    _minimise(more(A @ W - A, W) + penalty)
    return np.asarray(W.value)


def split(A: np.ndarray, weight: float, sparse: Callable[[cp.Expression], cp.Expression]) -> float:
    """The least ‖L‖_* + weight · sparse(A − L), at the L that was found."""
    scale, L = np.abs(A).max(), cp.Variable(A.shape)
    value = cp.normNuc(L) + weight * sparse(A / scale - L)
    _minimise(value, tolerance=1e-8)
    return scale * float(value.value)


def rows(B: cp.Expression) -> cp.Expression:
    """Sum of the norms of the rows."""
    return cp.sum(cp.norm(B, 2, axis=1))


def entries(B: cp.Expression) -> cp.Expression:
    """Sum of the absolute values of the entries."""
    return cp.sum(cp.abs(B))


def identity_edge(A: np.ndarray) -> float:
    """The least ‖A W‖₂,₁ over tr W = 1."""
    scale, W = np.abs(A).max(), cp.Variable((A.shape[1], A.shape[1]))
    value = rows(A / scale @ W)
    _minimise(value, cp.trace(W) == 1, tolerance=1e-8)
    return scale * float(value.value) / np.trace(W.value)


def _minimise(value: cp.Expression, *constraints: cp.Constraint, tolerance: float = 1e-9) -> None:
    problem = cp.Problem(cp.Minimize(value), constraints)
    # The last digit is not always to be had, which hangs on the processor's kernels.
    for asked in (tolerance, 10 * tolerance):
        problem.solve(
            solver=cp.CLARABEL,
            tol_gap_abs=asked,
            tol_gap_rel=asked,
            tol_feas=asked,
            max_iter=200,
        )
        if problem.status == cp.OPTIMAL:
            return
    raise RuntimeError(f"the conic solver stopped with status {problem.status!r}")
