"""Condat–Vũ, written out: what a careful user of general-purpose methods would have.

L. Condat, *A primal–dual splitting method…*, J. Optim. Theory Appl. 2013, algorithm 3.1. None of
our three terms is smooth, so it is Chambolle and Pock's method with the over-relaxation that
Condat proved. It is treated kindly: it gets our reduction for nothing, steps from the norm of the
operator and from the sizes of our own solution (the best that theory has to offer), plain products
and our own singular-value shrinkage, and stands on the clock for its iterations alone.
"""

import numpy as np

from cspca.problem import Problem
from cspca.proximal import row_norms, shrink_singular_values
from tests.benchmarks.measure import Run, Watch

RELAXATION = 1.9

TILTS = (1.0, 3.0)
"""Factors tried on the theoretical ratio of primal to dual steps; on digits, faces and ORL 1/3 is
slower than both."""


def _clip_rows(B: np.ndarray, most: float) -> np.ndarray:
    """Rows longer than `most` are cut to it: the proximal step of the conjugate of a norm."""
    return B * (most / np.maximum(row_norms(B), most))[:, None]


def certify(
    problem: Problem, solution: np.ndarray, gap: float, limit: float, tilt: float = 1.0
) -> Run:
    """Run until its own dual variables prove the gap, or `limit` CPU seconds are over.

    The ratio of the steps is `tilt` times the sizes' of `solution` and of the dual variables, which
    has the best bound on the number of iterations (Chambolle and Pock, 2011).
    """
    data = problem.in_memory
    (n, d), scale = data.shape, float(data.singular_values[0])
    L, Y = data.A / scale, data.Y / scale
    dual_size = np.sqrt(scale**2 * n + problem.alpha**2 * d)
    ratio = tilt * float(np.linalg.norm(solution)) / float(dual_size)
    # The stacked operator (L, I) has norm √2.
    tau, sigma = 0.99 * ratio / 2**0.5, 0.99 / ratio / 2**0.5
    Z = np.zeros_like(data.U)
    loss, rows = np.zeros_like(Y), np.zeros_like(Z)
    number, value, bound, watch = 0, float("inf"), 0.0, Watch()
    while True:
        new = shrink_singular_values(Z - tau * (L.T @ loss + rows), tau * problem.beta).value
        ahead = 2.0 * new - Z
        new_loss = _clip_rows(loss + sigma * (L @ ahead - Y), scale)
        new_rows = _clip_rows(rows + sigma * ahead, problem.alpha)
        Z += RELAXATION * (new - Z)
        loss += RELAXATION * (new_loss - loss)
        rows += RELAXATION * (new_rows - rows)
        number += 1
        over = watch.pause().cpu > limit
        if number % 5 == 0 or over:
            multiplier = new_loss / scale
            G2 = -(data.A.T @ multiplier) - new_rows
            value = min(value, problem.objective(new))
            bound = max(bound, problem.dual_bound(multiplier, new_rows, G2).value)
            reached = value - bound <= gap * value
            if reached or over:
                return Run(watch.cpu, watch.wall, number, value, 1.0 - bound / value, reached)
        watch.resume()
