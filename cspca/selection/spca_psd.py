"""SPCA-PSD: sparse PCA over positive semidefinite matrices."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.proximal import FloatArray, gram, row_norms, shrink_rows
from cspca.selection.base import FeatureSelector, Scores

_RELAXATION = 1.6


@dataclass(repr=False, eq=False)
class SPCAPSD(FeatureSelector):
    """Sparse PCA on the positive semidefinite cone.

    With A the centred `X`, rows as samples, it minimises ::

        ‖A − AΩ‖_F² + λ ‖Ω‖₂,₁ + η tr Ω    over symmetric Ω ⪰ 0

    to a certified distance from the global optimum: the problem is convex.

    Parameters
    ----------
    row_penalty : float, default=1.0
        λ, weight of the row sparsity, > 0, in the squared unit of `X`; the loss that it is weighed
        against grows with the number of samples.
    trace_penalty : float, default=1.0
        η, weight of the trace, which lowers the rank on the whole, ≥ 0; its unit is that of λ.
    tol : float, default=1e-3
        Stop when the certified relative gap to the global optimum is at most this.
    max_iter : int, default=1000
        Largest number of iterations; reaching it is a ConvergenceWarning that states the gap.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖ω_j‖``, exactly 0 for features left out; these are ordered by the norm of their row of
        the multiplier as a fraction of λ.
    objective_ : list of float
        Best objective of a feasible, row-sparse Ω so far, at each check (every ten iterations).
    dual_objective_ : float
        Best proven lower bound of the global optimum.
    duality_gap_ : float
        ``(objective_[-1] − dual_objective_) / objective_[-1]``.
    n_iter_ : int

    Notes
    -----
    Solved by ADMM in consensus form: a copy of Ω for the squared loss, one for the row norms, one
    for the cone and the trace. It has two blocks, the first and the other two, and converges for
    any ρ > 0. With Θ = I − Ω of the first copy and M_A the multiplier of the second (no row longer
    than λ), ::

        2 tr(SΘ) − tr(ΘᵀSΘ) − max(0, e) P / (λ + η),    S = AᵀA

    bounds the optimum from below, where e is the largest eigenvalue of the symmetric part of
    ``2SΘ − M_A`` minus η and P any objective reached: ``tr Ω ≤ P / (λ + η)`` at the optimum.

    References
    ----------
    J. Zheng, X. Zhang, Y. Liu, W. Jiang, K. Huo, L. Liu, Fast Sparse PCA via Positive Semidefinite
    Projection for Unsupervised Feature Selection, arXiv 2309.06202. (Their algorithm projects the
    solution without the cone onto it, which is not the optimum over the cone; this is.)
    S. Boyd et al., Distributed Optimization and Statistical Learning via ADMM, 2011, section 7.1.
    """

    row_penalty: Annotated[float, POSITIVE] = 1.0
    trace_penalty: Annotated[float, NOT_NEGATIVE] = 1.0
    _: KW_ONLY
    tol: Annotated[float, NOT_NEGATIVE] = 1e-3
    max_iter: Annotated[int, COUNT] = 1000

    def _score(self, X: FloatArray) -> Scores:
        live = np.ptp(X, axis=0) > 0
        centred = X[:, live] - X[:, live].mean(axis=0)
        admm = _Admm(gram(centred), float(self.row_penalty), float(self.trace_penalty))
        best, self.dual_objective_ = np.zeros_like(admm.S), 0.0
        lowest = admm.objective(best)
        self.objective_: list[float] = []
        for number in range(1, self.max_iter + 1):
            admm.step()
            if number % 10 and number != self.max_iter:
                continue
            candidate = admm.feasible()
            value = admm.objective(candidate)
            if value < lowest:
                lowest, best = value, candidate
            self.objective_.append(lowest)
            self.dual_objective_ = max(self.dual_objective_, admm.lower_bound(lowest))
            self.duality_gap_ = (lowest - self.dual_objective_) / lowest
            if self.duality_gap_ <= self.tol:
                break
            # ADMM with a fixed ρ converges.
            if number < 300:
                admm.balance()
        self.n_iter_ = number
        if self.duality_gap_ > self.tol:
            warnings.warn(
                f"SPCAPSD stopped after {number} iterations at a certified gap of "
                f"{self.duality_gap_:.1e}, above tol={self.tol:.1e}: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        pull = np.minimum(row_norms(admm.row_multiplier) / admm.row_penalty, 1.0)
        return Scores(row_norms(best), pull, live)


class _Admm:
    """The problem of the class's notes, and consensus ADMM on three copies of Ω; S is AᵀA."""

    def __init__(self, S: FloatArray, row_penalty: float, trace_penalty: float) -> None:
        self.S, self.row_penalty, self.trace_penalty = S, row_penalty, trace_penalty
        values, self.basis = eigh(S, check_finite=False, driver="evd")
        self.values = np.maximum(values, 0.0)
        self.free = np.zeros_like(S)
        self.rows, self.cone = self.free, self.free
        self.u_rows, self.u_cone = np.zeros_like(self.free), np.zeros_like(self.free)
        self.rho = 1.0
        self._set_rho(max(float(self.values.mean()), float(np.finfo(np.float64).tiny)))
        self.primal = self.dual = 0.0

    @property
    def row_multiplier(self) -> FloatArray:
        """Multiplier of the row copy: no row is longer than λ."""
        return self.rho * self.u_rows

    def objective(self, omega: FloatArray) -> float:
        """Value at a symmetric Ω ⪰ 0."""
        product = self.S @ omega
        # tr ((I − Ω)ᵀ S (I − Ω)), without the difference of nearly equal numbers
        rest = self.S - product
        loss = float(np.trace(rest) - np.vdot(omega, rest))
        rows = float(row_norms(omega).sum())
        return loss + self.row_penalty * rows + self.trace_penalty * float(np.trace(omega))

    def lower_bound(self, reached: float) -> float:
        """The bound of the class's notes, from the free copy and the row multiplier."""
        rest = self.S - self.S @ self.free  # SΘ
        cone = 2.0 * rest - self.row_multiplier
        last = len(cone) - 1
        largest = eigh(
            (cone + cone.T) / 2,
            eigvals_only=True,
            subset_by_index=(last, last),
            check_finite=False,
        )[0]
        excess = max(0.0, float(largest) - self.trace_penalty)
        # 2 tr(SΘ) − tr(ΘᵀSΘ) = tr(SΘ) + tr(ΩᵀSΘ)
        value = float(np.trace(rest) + np.vdot(self.free, rest))
        return value - excess * reached / (self.row_penalty + self.trace_penalty)

    def step(self) -> None:
        """One iteration."""
        rho = self.rho
        anchor = 0.5 * (self.rows - self.u_rows + self.cone - self.u_cone)
        # (S + ρI)⁻¹ (S + ρ anchor) = anchor + (S + ρI)⁻¹ S (I − anchor)
        self.free = anchor + self.filter - self.filter @ anchor
        relaxed = _RELAXATION * self.free
        before = self.rows + self.cone
        rows = relaxed + (1 - _RELAXATION) * self.rows + self.u_rows
        cone = relaxed + (1 - _RELAXATION) * self.cone + self.u_cone
        self.rows = shrink_rows(rows, self.row_penalty / rho)
        self.cone = _shrink_eigenvalues((cone + cone.T) / 2, self.trace_penalty / rho)
        self.u_rows, self.u_cone = rows - self.rows, cone - self.cone
        self.primal = float(
            np.hypot(np.linalg.norm(self.free - self.rows), np.linalg.norm(self.free - self.cone))
        )
        self.dual = rho * float(np.linalg.norm(self.rows + self.cone - before))

    def feasible(self) -> FloatArray:
        """The cone copy, without the rows and columns that the row copy leaves out: still PSD."""
        kept = row_norms(self.rows) > 0
        omega: FloatArray = np.where(kept[:, None] & kept, self.cone, 0.0)
        return omega

    def balance(self) -> None:
        """Move ρ towards equal residuals, both relative to what they are residuals of."""
        size = max(float(np.linalg.norm(self.free)), 1e-12)
        pull = self.rho * float(np.linalg.norm(self.u_rows + self.u_cone))
        primal, dual = self.primal / size, self.dual / max(pull, 1e-300)
        if primal > 3.0 * dual:
            self._set_rho(2.0 * self.rho)
        elif dual > 3.0 * primal:
            self._set_rho(0.5 * self.rho)

    def _set_rho(self, rho: float) -> None:
        self.u_rows *= self.rho / rho
        self.u_cone *= self.rho / rho
        self.rho = rho
        # (S + ρI)⁻¹ S
        self.filter = (self.basis * (self.values / (self.values + rho))) @ self.basis.T


def _shrink_eigenvalues(B: FloatArray, threshold: float) -> FloatArray:
    """The minimiser of ``½‖Z − B‖² + threshold · tr Z`` over Z ⪰ 0."""
    values, vectors = eigh(B, check_finite=False, driver="evd")
    first = int(np.searchsorted(values, threshold, side="right"))
    kept = vectors[:, first:] * np.sqrt(values[first:] - threshold)
    shrunk: FloatArray = kept @ kept.T
    return shrunk
