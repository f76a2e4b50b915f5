"""Few pixels: where α leaves some of them and the trace norm hardly counts, only their rows.

Errors and rows enter by the parabolas that touch their norms from above, as in Algorithm 1. For
given lengths of these Z solves a linear system; in the lengths of the rows, one number a pixel,
the problem is smooth and convex, and Newton's method finds which are zero (theory.md §7). The trace
norm has a copy as in ADMM. Every step says which pixels are missing, and every check certifies the
*whole* problem. ADMM sorts pixels that are much alike in hundreds of iterations; where they turn
out to be many it takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy

from cspca.problem import OBJECTIVE_ACCURACY, Problem, ReducedData
from cspca.problem.certificate import ROUNDS, Lengths
from cspca.proximal import (
    FloatArray,
    gram,
    projected,
    row_norms,
    shrink_singular_values,
    singular_values,
    solve_definite,
)
from cspca.solvers.admm.few_columns import PADDING, SUBSPACE
from cspca.solvers.admm.starts import (
    SPECTRAL_SCALE,
    DiagonalGuess,
    diagonal_guess,
)
from cspca.solvers.admm.state import State
from cspca.solvers.iterate import relative_gap

FEW_DIRECTIONS, FEW_PIXELS = 0.08, 0.03
"""Shares of all directions and pixels up to which the guess uses few."""

MINOR_TRACE, MINOR_TRACE_OF_MANY = 0.41, 0.16
"""Largest shares of α at which the weighted β is minor: with at most as many images as pixels, and
with more. Up to the first, few pixels took 0.09 to 1.4 times as long as all on faces, and 0.5 to
2.6 times on ORL; up to the second, 0.09 to 0.4 times on COIL20, and 0.9 to 5.5 times beyond it,
where few directions are in use."""

HEAVINESS, LEAST_WEIGHT = 0.6, 0.5
"""β is multiplied by this power of W's weight, or of the least that counts. Both iterations were
timed at 83 places of faces and digits, with β from 5 to 150 % of α, and at 29 of ORL and COIL20."""

TRACE_WITHIN = 1.1
"""Longest row of G₁ over α from which the trace norm gets its copy."""

FIRST_PIXELS = 64
"""Most pixels that are taken in at first; later, as many as there are."""

MOST_ROWS, MOST_PIXELS, MOST_STEPS = 1.5, 0.5, 80
"""Pixels for a direction, share of all pixels, and iterations from which ADMM is as fast."""

FINEST_GAP = 1e-4
"""Least gap at β > 0: digits of the trace norm come slowly here."""

CHECK_EVERY = 5
"""Most iterations from one check to the next."""


@dataclass(kw_only=True)
class FewRowsState(State):
    """Rows of Z of the `pixels` in the model, errors E, and what the next ones are made of.

    The parabolas touch at the lengths `errors` of images and `lengths` of rows, which Newton's step
    has moved since the rows were made; `norms` are those of G₁ on all pixels. Q is the trace norm's
    copy of the rows and G₂ its multiplier, on all pixels too; `rho` is 0 as long as it is left out.
    `pull` is ``AᵀΛ`` as of the last check.
    """

    images: FloatArray
    pixels: FloatArray
    rows: FloatArray
    E: FloatArray
    errors: FloatArray
    lengths: FloatArray
    norms: FloatArray
    Q: FloatArray
    G2: FloatArray
    tolerance: float
    pull: FloatArray
    best_coefficients: FloatArray
    expected_gap: float = 1.0
    near: FloatArray | None = None
    right: FloatArray | None = None
    rho: float = 0.0
    ended: bool = False

    def entries(self) -> tuple[FloatArray, FloatArray]:
        """``AᵀΛ`` and no slack: no image is reproduced."""
        return self.pull, np.zeros(len(self.pull))

    def warm_start(self, problem: Problem) -> Self | None:
        """Begin under other penalties of the same data from here."""
        guess = diagonal_guess(problem)
        if not pixels_are_few(problem, guess):
            return None
        fresh = {"guess": guess, "ended": False, "expected_gap": 1.0, "next_check": 0}
        return self.for_penalties(problem, best_objective=self.best_objective_for(problem), **fresh)

    def step(self) -> None:
        """The rows for the lengths as they are, then other lengths; which pixels are missing."""
        self.number += 1
        self._admit()
        data, dtype, alpha = self.problem.in_memory, self.images.dtype, self.problem.alpha
        # No image is reproduced exactly with few pixels.
        self.errors = np.maximum(self._lengths(self.E), 1e-6 * self.guess.error)
        A, Y = self.images[:, self.pixels], data.basis_rows(dtype)
        roots = (1.0 / np.sqrt(self.errors)).astype(dtype)[:, None]
        weighted = A * roots
        H, B = gram(weighted).astype(np.float64), (weighted.T @ (Y * roots)).astype(np.float64)
        if self.rho > 0.0:
            H[np.diag_indices_from(H)] += self.rho
            B += self.rho * self.Q - self.G2[self.pixels]
        try:
            self._solve(H, B)
        except np.linalg.LinAlgError:
            # Images that are reproduced after all leave nothing of the others in H.
            self.rows, self.ended = np.zeros_like(B), True
        self.E = A @ self.rows.astype(dtype) - Y
        pull = self.images.T @ self._multipliers(self.E).astype(dtype)
        self.norms = row_norms(pull + self.G2)
        objective = float(self._lengths(self.E).sum()) + alpha * float(row_norms(self.rows).sum())
        near = self.rho > 0.0 or self.norms.max() <= TRACE_WITHIN * alpha
        if self.problem.beta > 0.0 and near and self.rows.any():
            objective += self._shrink(pull)
            self.norms = row_norms(pull + self.G2)
        bound = -float(np.vdot(pull, data.U)) * alpha / max(alpha, float(self.norms.max()))
        self.expected_gap = relative_gap(min(objective, self.best_objective), bound)
        if self.at_its_end or self.expected_gap <= self.tolerance:
            self.next_check = self.number

    def objective(self, tolerance: float) -> float:
        """That of the rows, whose errors the step has left."""
        errors = float(self._lengths(self.E).sum(dtype=np.float64))
        return self.problem.value(errors, self.rows.astype(np.float64), 0.01 * tolerance)

    def check(self, tolerance: float) -> float:
        """Certify the whole problem; the objective."""
        problem, data, dtype = self.problem, self.problem.in_memory, self.images.dtype
        self.tolerance = tolerance
        self.next_check = self.number + CHECK_EVERY
        self.ended |= problem.beta > 0.0 and tolerance < FINEST_GAP
        E, objective = self._offer_rows(self.rows)
        if self.right is not None and self.right.shape[1]:
            # Of the rank of the copy, where that is as good.
            self._offer_rows(*projected(self.rows, self.right))
        L = self._multipliers(E)
        self.pull = data.pull(L)
        enough = self.best_objective * (1.0 - tolerance)
        if self.near is not None:
            # What the few directions of the copy have missed.
            self.G2 = self.G2 - shrink_singular_values(self.G2, problem.beta).value
        G1 = -(self.pull.astype(dtype) + self.G2)
        multipliers = self.pull, Lengths.of(L), G1, self.G2
        rounds = ROUNDS if self.expected_gap <= tolerance else 0
        self.bounded(problem.bound_of(*multipliers, enough, rounds=rounds, least=self.dual_bound))
        return objective

    def _offer_rows(
        self, rows: FloatArray, span: FloatArray | None = None
    ) -> tuple[FloatArray, float]:
        """E and the objective of rows of the pixels, or of their coordinates: a candidate."""
        problem, data = self.problem, self.problem.in_memory
        whole = rows if span is None else rows @ span.T
        E = data.A[:, self.pixels] @ whole - data.Y
        errors = self._lengths(E)
        objective = problem.value(
            float(errors.sum()), rows, min(OBJECTIVE_ACCURACY, 0.01 * self.tolerance)
        )
        Z = np.zeros_like(data.U)
        Z[self.pixels] = whole
        self.offer(objective, Z, errors, span)
        return E, objective

    def _lengths(self, E: FloatArray) -> FloatArray:
        """``‖e_i‖``, what lies outside the basis included."""
        lengths: FloatArray = np.sqrt(np.square(row_norms(E)) + self.problem.data.outside)
        return lengths

    def _multipliers(self, E: FloatArray) -> FloatArray:
        """Λ of the rows that were solved for, cut to its limit."""
        return E / np.maximum(self.errors, self._lengths(E))[:, None]

    def _solve(self, H: FloatArray, B: FloatArray) -> None:
        """Rows that solve ``(H + α / lengths) Z = B``, and Newton's next lengths."""
        alpha, root = self.problem.alpha, np.sqrt(self.lengths)
        # Lengths may be zero.
        scaled = root[:, None] * H
        system = scaled * root
        system[np.diag_indices_from(system)] += alpha
        factor = scipy.linalg.cholesky(system, lower=True, check_finite=False)
        self.rows = root[:, None] * scipy.linalg.cho_solve((factor, True), root[:, None] * B)
        # What pulls at each row, and how much of it goes as lengths grow.
        pull = B - H @ self.rows
        taken = scipy.linalg.solve_triangular(factor, scaled, lower=True, check_finite=False)
        left = H - taken.T @ taken
        # What is lost to round-off in the difference; pixels that are the same share a length.
        left[np.diag_indices_from(left)] += 10.0 * np.finfo(self.images.dtype).eps * np.diag(H)
        self.lengths = _newton(self.lengths, left * (pull @ pull.T), row_norms(pull), alpha)

    def _shrink(self, pull: FloatArray) -> float:
        """The step of the trace norm, its copy and G₂, of pixels left out too; what it is of Z."""
        alpha, beta = self.problem.alpha, self.problem.beta
        # What it pulls with over what it pulls at.
        sigma = singular_values(self.rows)
        trace = beta * float(sigma.sum())
        self.rho = SPECTRAL_SCALE * trace / float(np.square(sigma).sum())
        # Of a pixel that is left out it takes what α cannot hold, as far as its limit lets it.
        excess = np.clip(self.norms - alpha, 0.0, beta) / np.maximum(self.norms, alpha)
        hat = self.G2 - (pull + self.G2) * excess.astype(pull.dtype)[:, None]
        hat[self.pixels] = self.G2[self.pixels] + self.rho * self.rows
        shrunk = shrink_singular_values(hat, beta, self.near)
        self.G2, self.Q = hat - shrunk.value, shrunk.value[self.pixels] / self.rho
        self.right = shrunk.right[:, : shrunk.rank]
        few = shrunk.right[:, : shrunk.rank + PADDING]
        self.near = few if SUBSPACE * few.shape[1] <= len(few) else None
        return trace

    def _admit(self) -> None:
        """Leave out pixels without a length, and take in those whose row of G₁ exceeds α most."""
        norms = self.norms.copy()
        norms[self.pixels] = 0.0
        missing = np.flatnonzero(norms > (1.0 + 0.1 * self.tolerance) * self.problem.alpha)
        most = max(FIRST_PIXELS, len(self.pixels))
        new = missing[np.argsort(-norms[missing], kind="stable")[:most]]
        used = self.lengths > 0.0
        self.pixels = np.concatenate([self.pixels[used], new])
        self.lengths = np.concatenate([self.lengths[used], np.zeros(len(new))])
        # There are at most so many directions as pixels.
        self.rank = min(len(self.pixels), self.problem.data.rank)
        self.Q = np.vstack([self.Q[used], np.zeros((len(new), self.Q.shape[1]), self.Q.dtype)])

    @property
    def at_its_end(self) -> bool:
        """Whether ADMM is as fast: the pixels are many, or the steps."""
        data = self.problem.data
        most = min(MOST_ROWS * data.rank, MOST_PIXELS * data.shape[1])
        many = int(np.count_nonzero(self.lengths)) > most
        return many or self.ended or self.number >= MOST_STEPS


def cold_start(problem: Problem, guess: DiagonalGuess, dtype: np.dtype[Any]) -> FewRowsState | None:
    """Begin with no pixel; None where there are many, or the trace norm counts."""
    data = problem.data
    if not isinstance(data, ReducedData) or not pixels_are_few(problem, guess):
        return None
    pull, rows = data.origin_pull(), np.zeros((0, data.rank), dtype)
    return FewRowsState(
        problem=problem,
        guess=guess,
        images=data.A.astype(dtype, copy=False),
        pixels=np.zeros(0, dtype=np.intp),
        rows=rows,
        E=-data.basis_rows(dtype),
        errors=data.sample_norms,
        lengths=np.zeros(0),
        norms=row_norms(pull),
        Q=rows,
        G2=np.zeros(data.U.shape, dtype),
        tolerance=1e-3,
        pull=pull,
        best_coefficients=np.zeros_like(data.U),
        best_objective=float(data.sample_norms.sum()),
        best_errors=data.sample_norms,
        next_check=5,
    )


def pixels_are_few(problem: Problem, guess: DiagonalGuess) -> bool:
    """Whether few pixels are to be expected, and β is minor beside α.

    The sum of the guess's factors is how many directions it keeps in full.
    """
    data, weight = problem.data, float(guess.factors.sum())
    most = min(FEW_DIRECTIONS * data.rank, FEW_PIXELS * data.shape[1])
    # The heavier W is, the more the trace norm holds it together.
    weighted_beta = problem.beta * max(weight, LEAST_WEIGHT) ** HEAVINESS
    share = MINOR_TRACE if data.shape[0] <= data.shape[1] else MINOR_TRACE_OF_MANY
    return weighted_beta <= share * problem.alpha and weight <= most


def _newton(
    lengths: FloatArray, curvature: FloatArray, norms: FloatArray, alpha: float
) -> FloatArray:
    """Lengths at which what pulls at each row, of such `norms`, has come to α, or that are zero.

    A step of Newton's method for 1 / norm = 1 / α, where the curve is nearly straight. Lengths that
    would be negative are zero, and the others have another step without them.
    """
    excess = np.square(norms) * (norms - alpha)
    free = np.ones(len(lengths), dtype=bool)
    for _ in range(3):
        left = excess[free] + curvature[np.ix_(free, ~free)] @ lengths[~free]
        step = lengths[free] + solve_definite(curvature[np.ix_(free, free)], left)
        new = np.zeros(len(lengths))
        new[free] = np.maximum(step, 0.0)
        if (step > 0.0).all():
            break
        free = new > 0.0
    return new
