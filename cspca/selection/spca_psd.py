"""SPCA-PSD: sparse PCA over positive semidefinite matrices."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning

from cspca.estimator import COUNT, NOT_NEGATIVE, POSITIVE
from cspca.problem.terms import Norm, RowNorms
from cspca.proximal import FloatArray, gram, row_norms
from cspca.selection.base import FeatureSelector, Scores, varying
from cspca.solvers.plain import TUNING_ITERATIONS, Copy

_CHECKED = 10
"""Iterations from one certificate to the next."""


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
        live, centred = varying(X)
        problem = _Problem(gram(centred), float(self.row_penalty), float(self.trace_penalty))
        best, self.dual_objective_ = np.zeros_like(problem.S), 0.0
        lowest = problem.objective(best)
        self.objective_: list[float] = []
        rho = max(float(problem.values.mean()), float(np.finfo(np.float64).tiny))
        rows = Copy(RowNorms(problem.row_penalty), best, best, rho)
        cone = Copy(_ConeTrace(problem.trace_penalty), best, best, rho)
        for number in range(1, self.max_iter + 1):
            free = problem.minimise(rows, cone)
            checked = number % _CHECKED == 0 or number == self.max_iter
            # ADMM with ρ that stay converges.
            tune = number <= TUNING_ITERATIONS and number % 5 == 0
            rows, cone = rows.advance(free, tune), cone.advance(free, tune)
            if not checked:
                continue
            candidate = _without_zero_rows(cone.X, rows.X)
            value = problem.objective(candidate)
            if value < lowest:
                lowest, best = value, candidate
            self.objective_.append(lowest)
            bound = problem.lower_bound(free, rows.G, lowest)
            self.dual_objective_ = max(self.dual_objective_, bound)
            self.duality_gap_ = (lowest - self.dual_objective_) / lowest
            if self.duality_gap_ <= self.tol:
                break
        self.n_iter_ = number
        if self.duality_gap_ > self.tol:
            warnings.warn(
                f"SPCAPSD stopped after {number} iterations at a certified gap of "
                f"{self.duality_gap_:.1e}, above tol={self.tol:.1e}: raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        pull = np.minimum(row_norms(rows.G) / problem.row_penalty, 1.0)
        return Scores(row_norms(best), pull, live)


class _Problem:
    """The problem of the class's notes; S is AᵀA."""

    def __init__(self, S: FloatArray, row_penalty: float, trace_penalty: float) -> None:
        self.S, self.row_penalty, self.trace_penalty = S, row_penalty, trace_penalty
        values, self.basis = eigh(S, check_finite=False, driver="evd")
        self.values = np.maximum(values, 0.0)
        self.rho = 0.0

    def objective(self, omega: FloatArray) -> float:
        """Value at a symmetric Ω ⪰ 0."""
        # tr ((I − Ω)ᵀ S (I − Ω)), without the difference of nearly equal numbers
        rest = self.S - self.S @ omega
        loss = float(np.trace(rest) - np.vdot(omega, rest))
        rows = float(row_norms(omega).sum())
        return loss + self.row_penalty * rows + self.trace_penalty * float(np.trace(omega))

    def lower_bound(self, free: FloatArray, row_multiplier: FloatArray, reached: float) -> float:
        """The bound of the class's notes, from the free copy and the row multiplier."""
        rest = self.S - self.S @ free  # SΘ
        largest = _largest_eigenvalue(2.0 * rest - row_multiplier)
        excess = max(0.0, largest - self.trace_penalty)
        # 2 tr(SΘ) − tr(ΘᵀSΘ) = tr(SΘ) + tr(ΩᵀSΘ)
        value = float(np.trace(rest) + np.vdot(free, rest))
        return value - excess * reached / (self.row_penalty + self.trace_penalty)

    def minimise(self, *copies: Copy) -> FloatArray:
        """The Ω with the least squared loss and distance from the copies, at their ρ."""
        total = sum(copy.rho for copy in copies)
        if total != self.rho:
            self.rho = total
            # (S + ½ρI)⁻¹ S
            self.filter = (self.basis * (self.values / (self.values + 0.5 * total))) @ self.basis.T
        mean = sum(copy.rho * copy.X - copy.G for copy in copies) / total
        # (S + ½ρI)⁻¹ (S + ½ρ mean) = mean + (S + ½ρI)⁻¹ S (I − mean)
        omega: FloatArray = mean + self.filter - self.filter @ mean
        return omega


@dataclass
class _ConeTrace(Norm):
    """``limit · tr B`` over symmetric B ⪰ 0, infinite elsewhere."""

    limit: float

    def value(self, B: FloatArray) -> float:
        return self.limit * float(np.trace(B))

    def prox(self, B: FloatArray, step: float) -> FloatArray:
        threshold = step * self.limit
        values, vectors = eigh((B + B.T) / 2, check_finite=False, driver="evd")
        first = int(np.searchsorted(values, threshold, side="right"))
        roots = vectors[:, first:] * np.sqrt(values[first:] - threshold)
        shrunk: FloatArray = roots @ roots.T
        return shrunk

    def dual_norm(self, G: FloatArray) -> float:
        return max(0.0, _largest_eigenvalue(G))


def _largest_eigenvalue(B: FloatArray) -> float:
    """Of the symmetric part of B."""
    last = len(B) - 1
    values = eigh(
        (B + B.T) / 2, eigvals_only=True, subset_by_index=(last, last), check_finite=False
    )
    return float(values[0])


def _without_zero_rows(omega: FloatArray, rows: FloatArray) -> FloatArray:
    """Ω without the rows and columns that are zero in `rows`: still PSD."""
    selected = row_norms(rows) > 0
    feasible: FloatArray = np.where(selected[:, None] & selected, omega, 0.0)
    return feasible
