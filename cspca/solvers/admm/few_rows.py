"""Few pixels: where α leaves a handful of them and the trace norm hardly counts, only their rows.

Errors and trace norm enter by the parabolas that touch them from above, as in Algorithm 1, the
latter smoothed; rows are solved one by one with exact zeros. Every check certifies the *whole*
problem, and pixels that would enter at more than α are those that are missing (theory.md §14).
ADMM sorts pixels that are much alike in hundreds of iterations. Where the pixels turn out to be
many it takes over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cspca.problem import Problem, ReducedData
from cspca.problem.certificate import Lengths
from cspca.proximal import FloatArray, gram, row_norms
from cspca.solvers.admm.starts import DiagonalGuess
from cspca.solvers.admm.state import Direct
from cspca.solvers.admm.tuning import Tuning


@dataclass(kw_only=True)
class FewRowsState(Direct):
    """Rows of Z of the `pixels` in the model, errors E, and what is proven by them.

    No image is reproduced exactly with few pixels.
    """

    pixels: FloatArray
    rows: FloatArray
    E: FloatArray
    fine: bool = False

    def __copy__(self) -> FewRowsState:
        """A state that another run may go on from."""
        return replace(self, rows=self.rows.copy())

    @property
    def rank(self) -> int:
        """At most so many directions as pixels."""
        return min(len(self.pixels), self.problem.data.rank)

    def warmed(self, problem: Problem) -> Self | None:
        """Begin under other penalties of the same data from here."""
        if not _few(problem, self.guess, self.tuning):
            return None
        best = problem.objective(self.best_coefficients)
        return self.again(problem, rows=self.rows.copy(), best_objective=best, next_check=0)

    def step(self, measure: bool = False) -> None:
        """Renew the parabolas and go over the rows until they settle; those at zero are left."""
        self.number += 1
        self.next_check = self.number + 1
        data, alpha = self.problem.in_memory, self.problem.alpha
        A = data.A[:, self.pixels]
        weighted = A * self._weights()[:, None]
        H, Z = A.T @ weighted + self._trace_weights(), self.rows
        B = weighted.T @ data.Y
        for _ in range(max(10, self.tuning.sweeps // max(1, len(Z)))):
            largest = 0.0
            for j, curvature in enumerate(np.diag(H)):
                row = B[j] - H[j] @ Z + curvature * Z[j]
                norm = float(np.sqrt(row @ row))
                row *= max(0.0, 1.0 - alpha / norm) / curvature if norm > 0.0 else 0.0
                largest = max(largest, float(np.abs(row - Z[j]).max()))
                Z[j] = row
            if largest < self.tuning.settled * np.abs(Z).max():
                break
        used = Z.any(axis=1)
        self.pixels, self.rows = self.pixels[used], Z[used]
        self.E = A[:, used] @ self.rows - data.Y

    def check(self, tolerance: float) -> float:
        """Certify the whole problem and take in the pixels that are missing; the objective."""
        problem, data = self.problem, self.problem.in_memory
        # The smoothed gradient of the trace norm has no more digits.
        self.fine = problem.beta > 0.0 and tolerance < self.tuning.coarse
        errors = np.sqrt(np.square(row_norms(self.E)) + data.outside)
        objective = problem.value(float(errors.sum()), self.rows)
        Z = np.zeros_like(data.U)
        Z[self.pixels] = self.rows
        self.offer(objective, Z, errors)
        L = self.E * self._weights()[:, None]
        self.pull = data.pull(L)
        G2 = np.zeros_like(data.U)
        right = np.linalg.qr(self.rows.T)[0]
        norms = problem.entry_norms(self.pull, right)
        # Outside the directions of W the trace norm takes what keeps a pixel out.
        over = row_norms(self.pull) > problem.alpha
        outside = self.pull[over] - (self.pull[over] @ right) @ right.T
        lengths = row_norms(outside)[:, None]
        G2[over] = -outside * (problem.beta / np.maximum(lengths, problem.beta or 1.0))
        G2[self.pixels] = self._trace_weights() @ self.rows
        G1 = -(self.pull + G2)
        norms[self.pixels] = row_norms(G1[self.pixels])
        value = -float(np.vdot(self.pull, data.U)) * min(1.0, problem.alpha / float(norms.max()))
        enough = self.best_objective * (1.0 - tolerance)
        bound = self.dual_bound
        if problem.beta == 0.0 or value >= enough or self.number % 5 == 0:
            # With a trace norm a proof is dear.
            bound = problem.bound_of(self.pull, Lengths.of(L), G1, G2, enough)
        self.bounded(bound)
        norms[self.pixels] = 0.0
        self._admit(norms)
        return objective

    def _admit(self, norms: FloatArray) -> None:
        """Take in the pixels whose row of G₁ is the furthest beyond α: at most half as many."""
        missing = np.flatnonzero(norms > self.problem.alpha)
        most = max(1, len(self.pixels) // 2)
        new = missing[np.argsort(-norms[missing], kind="stable")[:most]]
        self.pixels = np.concatenate([self.pixels, new])
        self.rows = np.vstack([self.rows, np.zeros((len(new), self.rows.shape[1]))])

    def _weights(self) -> FloatArray:
        """1 / ‖e_i‖."""
        data = self.problem.data
        errors = np.sqrt(np.square(row_norms(self.E)) + data.outside)
        weights: FloatArray = 1.0 / np.maximum(errors, 1e-6 * self.guess.error)
        return weights

    def _trace_weights(self) -> FloatArray:
        """``β (Z Zᵀ)^-½`` of the rows, smoothed: times them a gradient of norm at most β."""
        if self.problem.beta == 0.0 or not self.rows.any():
            return np.zeros((len(self.rows), len(self.rows)))
        squared, T = np.linalg.eigh(gram(self.rows.T))
        # With a hundredth of that a row grows for thirty iterations.
        inverse = 1.0 / np.sqrt(np.maximum(squared, 0.0) + self.tuning.smooth_trace * squared[-1])
        weights: FloatArray = (T * (self.problem.beta * inverse)) @ T.T
        return weights

    @property
    def at_its_end(self) -> bool:
        """Whether ADMM is as fast: the pixels are many, or the steps."""
        many = len(self.pixels) > self.tuning.most_rows * self.problem.data.rank
        return many or self.fine or self.number >= self.tuning.few_rows_steps


def few_rows_cold(problem: Problem, guess: DiagonalGuess, tuning: Tuning) -> FewRowsState | None:
    """Begin with no pixel; None where there are many, or the trace norm counts."""
    data = problem.data
    if not isinstance(data, ReducedData) or not _few(problem, guess, tuning):
        return None
    pull = data.origin_pull()
    state = FewRowsState(
        problem=problem,
        guess=guess,
        tuning=tuning,
        pixels=np.zeros(0, dtype=np.intp),
        rows=np.zeros((0, data.rank)),
        E=-data.Y,
        pull=pull,
        best_coefficients=np.zeros_like(data.U),
        best_objective=float(data.sample_norms.sum()),
        best_errors=data.sample_norms,
    )
    state._admit(row_norms(pull))
    return state


def _few(problem: Problem, guess: DiagonalGuess, tuning: Tuning) -> bool:
    """Whether few pixels are to be expected, and β is next to nothing beside α."""
    data = problem.data
    minor = problem.beta <= tuning.minor_trace * problem.alpha
    return minor and problem.alpha >= tuning.few_pixels * data.alpha_max
