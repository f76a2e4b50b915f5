"""One problem: a reduction under two penalties; its objective and its bounds (theory.md §1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.certificate import ROUND_OFF, Bound, feasible_scale
from cspca.problem.reduction import ReducedData, Reduction
from cspca.proximal import FloatArray, row_norms, singular_values


@dataclass
class Problem:
    """``min_Z ‖A Z − Y‖₂,₁ + α ‖Z‖₂,₁ + β ‖Z‖_*``, the paper's problem on its exact reduction.

    The penalties are absolute, ≥ 0 (paper, eq. 7), and 0 where double precision cannot tell them
    from it, below 1e-14 of what makes W = 0 optimal; `data` are in memory, or blocks of what is too
    large for it.
    """

    data: Reduction
    alpha: float
    beta: float
    loss: str = "norms"

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number ≥ 0, got {value}.")
        self.alpha = self.alpha if self.alpha >= 1e-14 * self.data.alpha_max else 0.0
        self.beta = self.beta if self.beta >= 1e-14 * self.data.beta_max else 0.0

    def same_as(self, other: Problem) -> bool:
        """Whether `other` is this very problem: the same reduction under the same penalties."""
        same = self.data is other.data
        return same and (self.alpha, self.beta, self.loss) == (other.alpha, other.beta, other.loss)

    def objective(self, Z: FloatArray) -> float:
        """Value of the original problem at ``W = Z Uᵀ``, parts outside the basis included."""
        Z = np.asarray(Z, dtype=np.float64)
        return self.value(float(self.data.residual_norms(Z).sum()), Z)

    def value(self, errors: float, Z: FloatArray) -> float:
        """Value of the problem where the sum of the reconstruction errors is known."""
        value = errors
        if self.alpha > 0:
            value += self.alpha * float(row_norms(Z).sum())
        if self.beta > 0:
            value += self.beta * float(singular_values(Z).sum())
        return value

    def dual_bound(self, multiplier: FloatArray, G1: FloatArray, G2: FloatArray) -> Bound:
        """Proven lower bound of the global optimum from any guess of the dual variables.

        Λ is `multiplier`, shape (n_samples, rank). Whatever comes in is made feasible; what is
        returned bounds the problem of the data as given, not of their truncation (theory.md §4).
        """
        L = np.asarray(multiplier, dtype=np.float64)
        pull = self.in_memory.A.T @ L
        return self.bound_of(pull, float(row_norms(L).max()), G1, G2)

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
        largest: float,
        G1: FloatArray,
        G2: FloatArray,
        enough: float = float("inf"),
        near: FloatArray | None = None,
        rounds: int = 6,
    ) -> Bound:
        """:meth:`dual_bound` from all that it needs of Λ, sums over the images.

        That is ``AᵀΛ`` in double, as `pull`, and the `largest` ``‖λ_i‖``. A bound of `enough` is
        not improved upon; `near` and `rounds` are as in
        :func:`cspca.problem.certificate.feasible_scale`.
        """
        # ⟨Λ, Y⟩ = ⟨Λ, A U⟩ = ⟨AᵀΛ, U⟩
        value = -float(np.vdot(pull, self.data.U))
        scale, rows = 0.0, np.zeros(len(pull))
        if value > 0.0:
            wanted = min(1.0, enough / (value * ROUND_OFF))
            scale, rows = feasible_scale(pull, G1, G2, self.alpha, self.beta, wanted, near, rounds)
            scale = min(scale, 1.0 / largest)
        bound = Bound(max(value, 0.0) * scale * ROUND_OFF)
        bound.rows = scale * rows
        return bound

    def score_bounds(self, objective: float, bound: float) -> FloatArray:
        """Proven ceilings of ``‖w_j‖`` in every optimum, shape (n_features,); inf for none.

        From the row norms that prove `bound`, and any objective reached (theory.md §14).
        """
        ceilings = np.full(self.data.shape[1], np.inf)
        if isinstance(bound, Bound):
            # Round-off in the difference of two numbers of this size must not help.
            room = self.alpha * ROUND_OFF - bound.rows
            some = room > 0.0
            ceilings[some] = (objective / ROUND_OFF - bound) / room[some]
        return ceilings
