"""What a fit knows, read off a solver's iterate: scores, total order, rank, regime, residuals."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

from cspca.problem import Problem
from cspca.proximal import FloatArray, right_spectrum, row_norms
from cspca.solvers import Iterate
from cspca.solvers.iterate import relative_gap


class OrderedScores(np.ndarray):
    """Signed scores in which only the order counts: their ``np.abs`` leaves them as they are.

    scikit-learn's ``SelectFromModel`` takes the absolute value of whatever ``importance_getter``
    names. Of scores that are negative for pixels left out, that would choose dead pixels first,
    silently. In every other respect this is an ndarray, and whatever is computed from it is one.
    """

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """Pass ``np.abs`` through, hand everything else to plain arrays."""
        plain = tuple(np.asarray(x) if isinstance(x, OrderedScores) else x for x in inputs)
        if ufunc is np.absolute and method == "__call__" and out is None:
            return plain[0].copy()
        if out is not None:
            kwargs["out"] = tuple(np.asarray(x) if isinstance(x, OrderedScores) else x for x in out)
        return getattr(ufunc, method)(*plain, **kwargs)


class IterationRecord(TypedDict):
    """One line of ``CSPCA.history_``."""

    number: int
    seconds: float
    objective: float
    dual_bound: float
    gap: float
    smoothed_objective: float | None


def record(iterate: Iterate) -> IterationRecord:
    """The numbers of an iterate, without its arrays."""
    return IterationRecord(
        number=iterate.number,
        seconds=iterate.seconds,
        objective=iterate.objective,
        dual_bound=iterate.dual_bound,
        gap=iterate.gap,
        smoothed_objective=iterate.smoothed_objective,
    )


def regime(problem: Problem, scores: FloatArray, gap: float) -> str:
    """Name of the regime a fit is in (MATH: where α and β mean anything).

    Parameters
    ----------
    problem : Problem
    scores : ndarray of shape (n_features,)
        Row norms of the fitted W.
    gap : float
        Certified relative gap.

    Returns
    -------
    {"zero", "sparse", "dense", "identity"}
        Identity only when it is proven optimal; sparse when a live pixel has weight exactly 0.
    """
    live = scores[problem.data.live]
    if not live.any():
        return "zero"
    if (live == 0.0).any():
        return "sparse"
    proven = problem.data.full_column_rank and gap <= 1e-9
    return "identity" if proven and np.abs(live - 1.0).max() <= 1e-9 else "dense"


def spectrum(problem: Problem, Z: FloatArray, state: Any) -> tuple[int, FloatArray]:
    """Rank of the fit and the right singular vectors of Z, the largest singular value first.

    Parameters
    ----------
    problem : Problem
    Z : ndarray of shape (n_features, r)
    state : state of a solver
        Says what rank is in its terms.

    Returns
    -------
    rank : int
        Of the spectrally shrunk iterate for admm; the number of singular values above ε for
        Algorithm 1, which shrinks none to zero.
    right : ndarray of shape (r, rank)
    """
    Z, V = np.asarray(Z, dtype=np.float64), getattr(state, "directions", None)
    # Few columns hold all of Z where the solver says which.
    sigma, vectors = right_spectrum(Z if V is None else Z @ V)
    if V is not None:
        vectors = V @ vectors
    # The row-sparse iterate P and the low-rank iterate Q agree only to the tolerance; W cannot
    # have a larger rank than it has non-zero rows, nor rank 0 when it has any.
    rows = int(np.count_nonzero(row_norms(Z)))
    rank = min(max(state.rank_of(sigma), 1), rows)
    return rank, vectors[:, :rank]


def entry_scores(
    problem: Problem, pull: FloatArray, slack: FloatArray, right: FloatArray, pixels: FloatArray
) -> FloatArray:
    """How close pixels are to entering the model: the smallest row of G₁ it alone admits, / α.

    Images reproduced exactly have a λ_i that is not unique, so they are left out of the sum and
    counted in full in the denominator.

    Parameters
    ----------
    problem : Problem
    pull : ndarray of shape (n_features, r)
        ``AᵀΛ`` over the images that are not reproduced exactly, Λ unscaled.
    slack : ndarray of shape (n_features,)
        ``Σ |a_ij|`` over the images that are.
    right : ndarray of shape (r, rank)
        Right singular vectors of Z.
    pixels : ndarray of bool, shape (n_features,)
        Those that are asked for.

    Returns
    -------
    ndarray of shape (n_pixels,)
        In [0, 1]; 0 for dead pixels. With α = 0 nothing keeps a live pixel out: 1.
    """
    if problem.alpha == 0.0:
        return problem.data.live[pixels].astype(np.float64)
    pull, slack = pull[pixels], slack[pixels]
    coordinates = pull @ right
    inside = np.einsum("ij,ij->i", coordinates, coordinates)
    outside = np.sqrt(np.maximum(np.einsum("ij,ij->i", pull, pull) - inside, 0.0))
    norms = np.sqrt(inside + np.maximum(outside - problem.beta, 0.0) ** 2)
    scores: FloatArray = np.minimum(norms / (problem.alpha + slack), 1.0)
    return scores


def _entries(problem: Problem, Z: FloatArray, state: Any) -> tuple[FloatArray, FloatArray]:
    """``AᵀΛ`` and the slack of :func:`entry_scores`."""
    if not Z.any():
        return problem.data.origin_pull(), np.zeros(len(Z))
    pull, slack = state.entries()
    return pull, slack


def _residuals(problem: Problem, iterate: Iterate, Z: FloatArray) -> FloatArray:
    """Reconstruction errors of the images; where a check has them they are not computed again."""
    seen: FloatArray | None = getattr(iterate.state, "best_errors", None)
    return problem.residual_norms(Z) if seen is None else seen.copy()


def describe_fit(problem: Problem, iterate: Iterate, tol: float) -> dict[str, Any]:
    """Fitted attributes of CSPCA that follow from the problem and an iterate.

    Parameters
    ----------
    problem : Problem
    iterate : Iterate
    tol : float
        Gap at which the fit counts as converged.

    Returns
    -------
    dict
        Attribute names (ending in an underscore, see :class:`cspca.CSPCA`) to values; ``_Z`` and
        ``_projection`` serve its methods.
    """
    data = problem.data
    Z = np.asarray(iterate.Z, dtype=np.float64)
    scores = row_norms(Z)
    where = regime(problem, scores, relative_gap(iterate.best_objective, iterate.dual_bound))
    if where == "identity":
        # Exact ties, not the round-off of a basis: a ranking must not be read from it.
        scores[data.live] = 1.0
    rank, right = spectrum(problem, Z, iterate.state)
    entry, idle = np.ones(len(scores)), scores == 0.0
    if idle.any():
        pull, slack = _entries(problem, Z, iterate.state)
        entry[idle] = entry_scores(problem, pull, slack, right, idle)
    selection = np.where(scores > 0, scores, entry - 1.0)
    objective = iterate.best_objective
    # Above the objective by round-off the bound is met.
    bound = min(iterate.dual_bound, objective)
    gap = relative_gap(objective, bound)
    return {
        "feature_scores_": scores,
        "dual_scores_": entry,
        "selection_scores_": selection.view(OrderedScores),
        "feature_order_": np.argsort(-selection, kind="stable"),
        "objective_": objective,
        "dual_objective_": bound,
        "duality_gap_": gap,
        "converged_": gap <= tol,
        "n_iter_": iterate.number,
        "rank_": rank,
        "regime_": where,
        "alpha_": problem.alpha,
        "beta_": problem.beta,
        "alpha_max_": data.alpha_max,
        "beta_max_": data.beta_max,
        "sample_residuals_": _residuals(problem, iterate, Z),
        "components_": right.T @ data.U.T,
        "_projection": Z @ right,
        "_Z": Z,
        "_U": data.U,
        "_n_features_out": rank,
    }
