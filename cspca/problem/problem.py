"""One problem: a reduction under two penalties; its objective and its bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.problem.certificate import ROUND_OFF, feasible_scale
from cspca.problem.reduction import ReducedData, Reduction
from cspca.proximal import FloatArray, row_norms, singular_values


@dataclass
class Problem:
    """``min_Z ‖A Z − Y‖₂,₁ + α ‖Z‖₂,₁ + β ‖Z‖_*``, the paper's problem on its exact reduction.

    Parameters
    ----------
    data : Reduction
        :class:`ReducedData`, or the blocks of data that are too large for it.
    alpha : float
        Absolute weight of the ℓ2,1 penalty, ≥ 0 (paper, eq. 7).
    beta : float
        Absolute weight of the trace norm, ≥ 0 (paper, eq. 7).

    Raises
    ------
    ValueError
        When a penalty is negative or not finite.
    """

    data: Reduction
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number ≥ 0, got {value}.")

    def same_as(self, other: Problem) -> bool:
        """Whether `other` is this very problem: the same reduction under the same penalties.

        Parameters
        ----------
        other : Problem

        Returns
        -------
        bool
        """
        same = self.data is other.data
        return same and (self.alpha, self.beta) == (other.alpha, other.beta)

    def residual_norms(self, Z: FloatArray) -> FloatArray:
        """Reconstruction error ‖e_i‖ of every image under ``W = Z Uᵀ``.

        Parameters
        ----------
        Z : ndarray of shape (n_features, rank)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.data.residual_norms(Z)

    def objective(self, Z: FloatArray) -> float:
        """Value of the original problem at ``W = Z Uᵀ``, parts outside the basis included.

        Parameters
        ----------
        Z : ndarray of shape (n_features, rank)

        Returns
        -------
        float
        """
        Z = np.asarray(Z, dtype=np.float64)
        return self.value(float(self.residual_norms(Z).sum()), Z)

    def value(self, errors: float, Z: FloatArray) -> float:
        """Value of the problem where the sum of the reconstruction errors is known.

        Parameters
        ----------
        errors : float
            ``Σ ‖e_i‖``, as of :meth:`residual_norms`.
        Z : ndarray of shape (n_features, rank), float64

        Returns
        -------
        float
        """
        value = errors
        if self.alpha > 0:
            value += self.alpha * float(row_norms(Z).sum())
        if self.beta > 0:
            value += self.beta * float(singular_values(Z).sum())
        return value

    def dual_bound(
        self, multiplier: FloatArray, G1: FloatArray, G2: FloatArray, *, single: bool = False
    ) -> float:
        """Proven lower bound of the global optimum from any guess of the dual variables.

        The dual maximises ``−⟨Λ, Y⟩`` over ``‖λ_i‖ ≤ 1``, ``AᵀΛ + G₁ + G₂ = 0``, row norms of G₁
        ≤ α, spectral norm of G₂ ≤ β. The guess is made feasible by placing its remainder in G₁
        and G₂ and scaling all three, so the value returned is a bound whatever came in. It is a
        bound for the data as given, not for their truncation: ``Λ Uᵀ`` is feasible for the
        unreduced dual with the same value.

        Parameters
        ----------
        multiplier : ndarray of shape (n_samples, rank)
            Guess of Λ, the multiplier of ``E = A Z − Y``.
        G1, G2 : ndarray of shape (n_features, rank)
            Guesses of the subgradients of the two penalties.
        single : bool, default=False
            Look for a feasible split in single precision, which takes half the time and costs
            about 1e-6 of the bound. What is found is checked in double either way.

        Returns
        -------
        float
            At least 0, which is always a bound.
        """
        L = np.asarray(multiplier, dtype=np.float64)
        pull = self.in_memory.A.T @ L
        return self.bound_of(pull, float(row_norms(L).max()), G1, G2, single=single)

    @property
    def in_memory(self) -> ReducedData:
        """The data, where all of them are in memory.

        Raises
        ------
        ValueError
            When they are read block by block.
        """
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
        *,
        single: bool = False,
        enough: float = float("inf"),
        subspace: FloatArray | None = None,
    ) -> float:
        """:meth:`dual_bound` from all that it needs of Λ, sums over the images.

        Parameters
        ----------
        pull : ndarray of shape (n_features, rank), float64
            ``AᵀΛ``.
        largest : float
            Largest ``‖λ_i‖``.
        G1, G2 : ndarray of shape (n_features, rank)
        single : bool, default=False
        enough : float, default=inf
            A bound with which the caller would be content: no better one is looked for.
        subspace : ndarray of shape (rank, k) or None, default=None
            A hint, see :func:`cspca.problem.certificate.feasible_scale`.

        Returns
        -------
        float
        """
        # ⟨Λ, Y⟩ = ⟨Λ, A U⟩ = ⟨AᵀΛ, U⟩
        value = -float(np.vdot(pull, self.data.U))
        if value <= 0.0:
            return 0.0
        scale = feasible_scale(
            pull,
            G1,
            G2,
            self.alpha,
            self.beta,
            single=single,
            enough=min(1.0, enough / (value * ROUND_OFF)),
            subspace=subspace,
        )
        return value * min(scale, 1.0 / largest) * ROUND_OFF

    def zero_bound(self) -> float:
        """Lower bound of the optimum that is met by ``W = 0`` beyond the ends of the path.

        Returns
        -------
        float
            ``Σ ‖a_i‖``, the objective of ``W = 0``, times ``min(1, α/α_max + β/β_max)``.
        """
        data = self.data
        share = self.alpha / data.alpha_max + self.beta / data.beta_max
        return float(data.sample_norms.sum()) * min(1.0, share)

    def identity_bound(self, multiplier: FloatArray | None = None) -> float:
        """Lower bound of the optimum that is met by ``W = I`` when that is optimal.

        ``Λ`` is moved to the nearest solution of ``AᵀΛ = −(α + β) U`` (the condition for ``I``)
        and scaled until feasible.

        Parameters
        ----------
        multiplier : ndarray of shape (n_samples, rank) or None, default=None
            Guess of Λ; None takes the solution of least norm.

        Returns
        -------
        float
            0 when the live pixels are linearly dependent: then I is not of interest.
        """
        data = self.data
        if not data.full_column_rank or self.alpha + self.beta == 0.0:
            return 0.0
        Y = self.in_memory.Y
        L = np.zeros_like(Y) if multiplier is None else np.asarray(multiplier, np.float64)
        L = L - Y @ self.identity_shift(self.in_memory.A.T @ L)
        return self.dual_bound(L, self.alpha * data.U, self.beta * data.U)

    def identity_shift(self, pull: FloatArray | None) -> FloatArray:
        """K for which ``Λ − Y K`` is the nearest solution of ``AᵀΛ = −(α + β) U``.

        Parameters
        ----------
        pull : ndarray of shape (n_features, rank) or None
            ``AᵀΛ``; None for Λ = 0.

        Returns
        -------
        ndarray of shape (rank, rank)
        """
        data = self.data
        missing = (self.alpha + self.beta) * np.eye(data.rank)
        if pull is not None:
            missing += data.U.T @ pull
        shift: FloatArray = missing / (data.singular_values**2)[:, None]
        return shift
