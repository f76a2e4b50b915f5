"""Condat–Vũ, written out: what a careful user of general-purpose methods would have.

L. Condat, *A primal–dual splitting method…*, J. Optim. Theory Appl. 2013, algorithm 3.1. None of
our three terms is smooth, so it is Chambolle and Pock's method with the over-relaxation that
Condat proved. Plain products and our own singular-value shrinkage, no library in between.
"""

import numpy as np

from cspca.problem import Problem
from cspca.proximal import row_norms, shrink_singular_values
from tests.benchmarks.measure import Run
from tests.benchmarks.peers.race import Balance, Duals, Race

RELAXATION = 1.9


def _clip_rows(B: np.ndarray, most: float) -> np.ndarray:
    """Rows longer than `most` are cut to it: the proximal step of the conjugate of a norm."""
    return B * (most / np.maximum(row_norms(B), most))[:, None]


def condat_vu(problem: Problem, balance: Balance, goal: float, limit: float) -> Run:
    """Until the objective is at most `goal` and its own duals certify that, or `limit` is over."""
    data, scale = problem.in_memory, balance.scale
    L, Y = data.A / scale, data.Y / scale
    tau, sigma = balance.primal_step, balance.dual_step
    Z = np.zeros_like(data.U)
    loss, rows = np.zeros_like(Y), np.zeros_like(Z)
    race = Race(problem, goal, limit)
    while True:
        pulled = Z - tau * (L.T @ loss + rows)
        new = shrink_singular_values(pulled, tau * problem.beta).value
        ahead = 2.0 * new - Z
        new_loss = _clip_rows(loss + sigma * (L @ ahead - Y), scale)
        new_rows = _clip_rows(rows + sigma * ahead, problem.alpha)
        Z += RELAXATION * (new - Z)
        loss += RELAXATION * (new_loss - loss)
        rows += RELAXATION * (new_rows - rows)

        def coefficients(found: np.ndarray = new) -> np.ndarray:
            return found

        def duals(found: Duals = (new_loss, new_rows)) -> Duals:
            return found[0] / scale, found[1]

        if race.look(coefficients, duals):
            return race.result("Condat–Vũ")
