"""One problem: a reduction under two penalties; its objective and its bounds (theory.md §1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.certificate import (
    ROUNDS,
    Bound,
    Lengths,
    dual_value,
    feasible_scale,
    round_off,
)
from cspca.problem.reduction import ReducedData, Reduction
from cspca.proximal import FloatArray, row_norms, trace_norm


@dataclass
class Problem:
    """``min_Z ‖A Z − Y‖₂,₁ + α ‖Z‖₂,₁ + β ‖Z‖_*``, the paper's problem on its exact reduction.

    Of another `loss` it knows the limits; objective and bounds are then the plain solver's own.
    The penalties are absolute, ≥ 0 (paper, eq. 7), and 0 where double precision cannot tell them
    from it, below 1e-14 of what makes W = 0 optimal. `data` are in memory, or read block by block.
    """

    data: Reduction
    alpha: float
    beta: float
    loss: str = "norms"

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number ≥ 0, got {value}.")
        alpha_max, beta_max = self.data.limits(self.loss)
        # NumPy's scalars would make double precision of single.
        self.alpha = float(self.alpha) if self.alpha >= 1e-14 * alpha_max else 0.0
        self.beta = float(self.beta) if self.beta >= 1e-14 * beta_max else 0.0

    @property
    def zero_is_optimal(self) -> bool:
        """Whether the penalties are so large that W = 0 is known to be optimal (theory.md §10)."""
        alpha_max, beta_max = self.data.limits(self.loss)
        return self.alpha / alpha_max + self.beta / beta_max >= 1.0

    def same_as(self, problem: Problem) -> bool:
        """Whether `problem` is this very one: the same reduction under the same penalties."""
        if problem.data is not self.data or problem.loss != self.loss:
            return False
        return (problem.alpha, problem.beta) == (self.alpha, self.beta)

    @property
    def projector_objective(self) -> float:
        """Value at ``W = U Uᵀ``, which is W = I at full column rank; of any loss, there."""
        data = self.data
        if data.full_column_rank:
            return (self.alpha + self.beta) * data.rank
        rows = self.alpha * float(data.row_lengths.sum())
        return float(np.sqrt(data.outside).sum()) + rows + self.beta * data.rank

    def objective(self, Z: FloatArray, precision: float = 1e-12) -> float:
        """Value of the original problem at ``W = Z Uᵀ``, parts outside the basis included."""
        Z = np.asarray(Z, dtype=np.float64)
        return self.value(float(self.data.residual_norms(Z).sum()), Z, precision)

    def value(self, errors: float, Z: FloatArray, precision: float = 1e-12) -> float:
        """Value of the problem where the sum of the reconstruction errors is known.

        A Gram matrix must not make the trace norm wrong by more than `precision` of it. Solvers
        ask for :data:`OBJECTIVE_ACCURACY`, or a hundredth of their tolerance.
        """
        value = errors
        if self.alpha > 0:
            value += self.alpha * float(row_norms(Z).sum())
        if self.beta > 0:
            value += self.beta * trace_norm(Z, max(precision, 1e-12) * value / self.beta)
        return value

    def entry_norms(self, pull: FloatArray, right: FloatArray) -> FloatArray:
        """The α below which each row of zeros would be used, others being as they are.

        `pull` are rows of ``AᵀΛ``; `right` spans the rows of Z, with columns that are orthonormal:
        outside it the trace norm can take up to β (theory.md §14).
        """
        coordinates = pull @ right
        inside = np.einsum("ij,ij->i", coordinates, coordinates)
        outside = np.sqrt(np.maximum(np.einsum("ij,ij->i", pull, pull) - inside, 0.0))
        norms: FloatArray = np.sqrt(inside + np.maximum(outside - self.beta, 0.0) ** 2)
        return norms

    def dual_bound(self, multiplier: FloatArray, G1: FloatArray, G2: FloatArray) -> Bound:
        """Proven lower bound of the global optimum from any guess of the dual variables.

        Λ is `multiplier`, shape (n_samples, rank). Whatever comes in is made feasible; what is
        returned bounds the problem of the data as given, not of their truncation (theory.md §4).
        """
        # What is no number, or has no square, is no guess.
        L, G1, G2 = (np.where(np.abs(B) < 1e150, B, 0.0) for B in (multiplier, G1, G2))
        return self.bound_of(self.in_memory.pull(L), Lengths.of(L), G1, G2)

    @property
    def in_memory(self) -> ReducedData:
        """The data, where all of them are in memory; a ValueError where they are not."""
        if not isinstance(self.data, ReducedData):
            raise ValueError(
                "Data that are read block by block are fitted by the certified solver only: "
                'use solver="admm", or an array in memory.'
            )
        return self.data

    def bound_of(
        self,
        pull: FloatArray,
        lengths: Lengths,
        G1: FloatArray,
        G2: FloatArray | None,
        enough: float = float("inf"),
        near: FloatArray | None = None,
        rounds: int = ROUNDS,
        least: float = 0.0,
    ) -> Bound:
        """:meth:`dual_bound` from all that it needs of Λ, sums over the images.

        That is ``AᵀΛ`` in double, as `pull`, and the `lengths` of its rows. A bound of `enough` is
        not improved upon, one not above `least` may be 0; G₂, `near` and `rounds` are as in
        :func:`cspca.problem.certificate.feasible_scale`.
        """
        data = self.data
        slip = data.slip(lengths)
        # ⟨Λ, Y⟩ = ⟨Λ, A U⟩ = ⟨AᵀΛ, U⟩
        value = dual_value(pull, slip, data.U, data.basis_norm)
        scale, rows = 0.0, slip
        if value > 0.0:
            scale, rows = feasible_scale(
                pull,
                slip,
                G1,
                G2,
                self.alpha,
                self.beta,
                enough=min(1.0, enough / value),
                near=near,
                rounds=rounds,
                least=least / value,
            )
            scale = min(scale, 1.0 / max(lengths.longest, 1.0))
        return Bound(value * scale, scale * rows)

    def score_bounds(self, objective: float, bound: Bound) -> FloatArray:
        """Proven ceilings of ``‖w_j‖`` in every optimum, shape (n_features,); inf for none.

        From the row norms that prove `bound`, and any objective reached (theory.md §14).
        """
        ceilings = np.full(self.data.shape[1], np.inf)
        if bound.rows is not None:
            room = self.alpha * (1.0 - round_off(self.data.rank)) - bound.rows
            some = room > 0.0
            # What the objective may be wrong by must not help.
            above = (
                objective + OBJECTIVE_ACCURACY * float(self.data.sample_norms.sum()) - bound.value
            )
            ceilings[some] = above / room[some]
        return ceilings


OBJECTIVE_ACCURACY = 1e-9
"""What a Gram matrix may make an objective wrong by while a solver runs, as a share of it."""


def zero_bound(data: Reduction) -> float:
    """Proven lower bound of the optimum wherever W = 0 is known to be optimal.

    By the multipliers of W = 0 under either penalty alone, at its limit; between the two the
    optimum is concave, and beyond them it does not fall.
    """
    pull, n = data.origin_pull(), data.shape[0]
    # λ_i = −y_i / ‖a_i‖, with what the product A U may be wrong by.
    longest = data.basis_norm * (1.0 + round_off(data.shape[1]) * (1.0 + data.rank**0.5))
    lengths = Lengths(longest, longest * n**0.5)
    rows, spectral = Problem(data, data.alpha_max, 0.0), Problem(data, 0.0, data.beta_max)
    bounds = [alone.bound_of(pull, lengths, pull, None).value for alone in (rows, spectral)]
    # That the shares of the limits sum to 1 is computed, too.
    return min(bounds) * (1.0 - round_off(1))
