"""What a fit knows, as one record from the solver to the pages, the store, the report and shell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cspca.problem import Problem, Reduction
from cspca.problem.identity import identity_is_optimal
from cspca.problem.influence import least_norms, sample_influence
from cspca.problem.reduction import EQUAL, image_norms
from cspca.problem.terms import LOSSES
from cspca.proximal import FloatArray, count_rank, right_spectrum, row_norms
from cspca.solvers.iterate import COLUMNS, EXACT, HISTORY, PROVEN_GAP, Iterate, relative_gap

_ARRAY = {"array": True}
"""Marks a field of :class:`Fit` that is stored as an array."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit as far as it got: numbers, scores, residuals, course, and the row-sparse map.

    Everything is as the attribute of the same name of :class:`cspca.CSPCA` says; `alpha` and `beta`
    are absolute. ``W = Z Uᵀ``; a fit that was stored without its map has neither of the two.
    """

    solver: str
    normalize: bool
    tol: float
    objective: float
    dual_objective: float
    duality_gap: float
    converged: bool
    n_iter: int
    rank: int
    regime: str
    alpha: float
    beta: float
    alpha_max: float
    beta_max: float
    feature_scores: FloatArray = field(repr=False, metadata=_ARRAY)
    dual_scores: FloatArray = field(repr=False, metadata=_ARRAY)
    signed_scores: FloatArray = field(repr=False, metadata=_ARRAY)
    feature_order: NDArray[np.int64] = field(repr=False, metadata=_ARRAY)
    feature_ties: NDArray[np.int64] = field(repr=False, metadata=_ARRAY)
    feature_score_bounds: FloatArray = field(repr=False, metadata=_ARRAY)
    sample_residuals: FloatArray = field(repr=False, metadata=_ARRAY)
    sample_influence: FloatArray = field(repr=False, metadata=_ARRAY)
    mean: FloatArray = field(repr=False, metadata=_ARRAY)
    components: FloatArray = field(repr=False, metadata=_ARRAY)
    explained_variance_ratio: FloatArray = field(repr=False, metadata=_ARRAY)
    singular_values: FloatArray = field(repr=False, metadata=_ARRAY)
    weight_singular_values: FloatArray = field(repr=False, metadata=_ARRAY)
    history: NDArray[Any] = field(repr=False)
    Z: FloatArray | None = field(default=None, repr=False)
    U: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        problem: Problem,
        iterate: Iterate,
        tol: float,
        *,
        mean: FloatArray,
        dtype: np.dtype[Any],
        center: bool,
        edge_iterations: int = 0,
        solver: str,
        normalize: bool,
        history: NDArray[Any],
    ) -> Self:
        """Read a fit off any iterate of a solver; scores and residuals are in `dtype`.

        The map stays in double precision: rounded, it would be another one, with another objective.
        `center` says whether `mean` was subtracted because it is the mean. At most so many
        `edge_iterations` are made to see whether W = I is proven to be optimal, where it is the
        map.
        """
        data, Z = problem.data, np.asarray(iterate.Z, dtype=np.float64)
        limits = data.limits(problem.loss)
        objective, span = iterate.best_objective, iterate.span
        seen = iterate.state.best_errors
        if data.copies:
            Z, span = data.averaged(Z), None
            errors = data.residual_norms(Z)
            loss = LOSSES[problem.loss].value(errors[:, None])
            objective = min(objective, problem.value(loss, Z))
        else:
            # Where a check has the errors they are not computed again.
            errors = data.residual_norms(Z) if seen is None else seen.copy()
        # Above the objective by round-off the bound is met.
        bound = min(iterate.dual_bound, objective)
        scores = map_scores(data, Z)
        proven = identity_bound(problem, objective, bound, edge_iterations)
        if proven is not None:
            bound = min(proven, objective)
        gap = relative_gap(objective, bound)
        where = "identity"
        if proven is None:
            where = regime(
                problem, scores, float(errors.sum()), objective, is_reproduced(data, errors)
            )
        sigma, right = right_spectrum(Z if span is None else Z @ span)
        right = right if span is None else span @ right
        rank = count_rank(sigma)
        axes, singular_values, explained = principal_axes(data, Z, right[:, :rank])
        # A constant feature never enters, also where Algorithm 1 gives it a weight.
        entry, idle = data.live.astype(np.float64), (scores == 0.0) & data.live
        if idle.any():
            if Z.any() or problem.loss != "norms":
                pull, slack = iterate.state.entries()
            else:
                pull, slack = data.origin_pull(), np.zeros(len(Z))
            entry[idle] = entry_scores(problem, pull, slack, right[:, :rank], idle)
        for places, _ in data.copies:
            entry[places] = entry[places].max()
        # Only a constant feature is exactly 0.
        entry[data.live] = np.maximum(entry[data.live], np.finfo(np.float32).tiny)
        signed = np.where(scores > 0, scores, entry - 1.0)
        # Algorithm 1 shows its own map, of which nothing is to be read where all features tie.
        distinct = np.ones_like(signed) if where == "identity" else signed
        ranked = np.where(data.live, distinct, _CONSTANT)
        ties = tie_groups(ranked, np.argsort(-ranked, kind="stable"))

        def rounded(array: FloatArray) -> FloatArray:
            return array.astype(dtype, copy=False)

        return cls(
            tol=tol,
            objective=objective,
            dual_objective=bound,
            duality_gap=gap,
            converged=gap <= tol,
            n_iter=iterate.number,
            rank=rank,
            regime=where,
            alpha=problem.alpha,
            beta=problem.beta,
            alpha_max=limits[0],
            beta_max=limits[1],
            feature_scores=rounded(scores),
            dual_scores=rounded(entry),
            signed_scores=rounded(signed),
            feature_order=np.argsort(ties, kind="stable"),
            feature_ties=ties,
            # In double precision: rounded, a ceiling might be too low.
            feature_score_bounds=problem.score_bounds(objective, iterate.bound),
            sample_residuals=rounded(errors),
            sample_influence=rounded(sample_influence(data, center)),
            mean=mean,
            components=axes,
            explained_variance_ratio=explained,
            singular_values=singular_values,
            weight_singular_values=sigma[:rank],
            Z=Z,
            U=data.U,
            solver=solver,
            normalize=normalize,
            history=history,
        )

    @property
    def n_kept(self) -> int:
        """Features with a row that is not exactly zero."""
        return int(np.count_nonzero(self.feature_scores))

    @property
    def n_zero(self) -> int:
        """Features with a row that is exactly zero."""
        return len(self.feature_scores) - self.n_kept

    @property
    def selection_scores(self) -> FloatArray:
        """The order as plain numbers, see :func:`place_scores`."""
        return place_scores(self.feature_ties, self.is_constant)

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Mark the features that are 0 in every sample once the mean, if any, is subtracted."""
        constant: NDArray[np.bool_] = self.dual_scores == 0.0
        return constant

    @property
    def seconds(self) -> float:
        """Time inside the solver."""
        return float(self.history["seconds"][-1]) if len(self.history) else 0.0

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Place of every feature, 1 for the best; features that tie share their first place."""
        return shared_places(self.feature_ties)

    @property
    def map(self) -> tuple[FloatArray, FloatArray]:
        """Z and U of ``W = Z Uᵀ``; a ValueError where they were not stored."""
        if self.Z is None or self.U is None:
            raise ValueError(
                "This fit was kept without its map W: fit the same data again to rebuild samples."
            )
        return self.Z, self.U

    def coordinate_weights(self) -> FloatArray:
        """Weights that read the coordinates off the features, (n_features, rank): ``W V``."""
        Z, U = self.map
        weights: FloatArray = Z @ (U.T @ self.components.T)
        return weights

    def transform(self, X: FloatArray, components: Sequence[int] | None = None) -> FloatArray:
        """Coordinates of raw images, shape (n_samples, rank), in their precision.

        With `components` only those of them, without computing the others.
        """
        (A, _), (Z, U) = self._prepared(X), self.map
        if components is not None:
            return _like(X, A @ (Z @ (U.T @ self.components[list(components)].T)))
        return _like(X, (A @ Z) @ (U.T @ self.components.T))

    def inverse_transform(self, T: FloatArray) -> FloatArray:
        """Images from coordinates.

        On the scale on which images have unit norm where the fit normalizes.
        """
        return _like(T, T @ self.components + self.mean)

    def reconstruct(self, X: FloatArray) -> FloatArray:
        """W applied to raw images."""
        (A, norms), (Z, U) = self._prepared(X), self.map
        return _like(X, ((A @ Z) @ U.T + self.mean) * norms)

    def weight_row(self, feature: int) -> FloatArray:
        """Row of W: what one feature contributes to every other of a reconstruction."""
        n_features = len(self.feature_scores)
        if not 0 <= feature < n_features:
            raise IndexError(f"feature must be between 0 and {n_features - 1}, got {feature}.")
        Z, U = self.map
        row: FloatArray = Z[feature] @ U.T
        return row

    def prepared(self, X: FloatArray) -> FloatArray:
        """Images as W sees them: of unit norm where the fit normalizes, without the mean."""
        return self._prepared(X)[0]

    def _prepared(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Images as W sees them, and the norms they had, shape (n_samples, 1)."""
        A = np.asarray(X, dtype=np.float64)
        norms = image_norms(A) if self.normalize else np.ones((len(A), 1))
        return A / norms - self.mean, norms

    def measured_by(self, bound: float) -> Self:
        """The same fit against a bound that another one of the same problem has proven.

        Algorithm 1 is judged by the certified solver's: its own, from smoothed norms, is loose.
        """
        bound = min(max(bound, self.dual_objective), self.objective)
        gap = relative_gap(self.objective, bound)
        return replace(self, dual_objective=bound, duality_gap=gap, converged=gap <= self.tol)

    def numbers(self) -> dict[str, Any]:
        """Everything but the arrays, as plain JSON."""
        return {name: getattr(self, name) for name in _NUMBERS} | {"n_zero": self.n_zero}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, plain ones, without the map, which is large and quickly made."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return arrays | {f"history_{name}": self.history[name] for name in COLUMNS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], numbers: Mapping[str, Any]) -> Self:
        """The fit that :meth:`to_arrays` and :meth:`numbers` describe."""
        history = np.zeros(len(arrays["history_number"]), dtype=HISTORY)
        for name in COLUMNS:
            history[name] = arrays[f"history_{name}"]
        stored: dict[str, Any] = {name: arrays[name] for name in _ARRAYS}
        return cls(**stored, **{name: numbers[name] for name in _NUMBERS}, history=history)


def _like(images: FloatArray, result: FloatArray) -> FloatArray:
    """The result in single precision if the images are."""
    return result.astype(np.result_type(images, np.float32), copy=False)


_ROUNDING = 1e-14
"""Share of the largest score within which any two are equal: the rounding of that one."""

_CONSTANT = -2.0
"""Below every signed score, which is above -1: constant features are a group of their own."""

_ROUND_OFF = 1e-13
"""Share of the largest norm up to which the error of any sample is round-off."""

REPRODUCED = 1e-6
"""Share of its norm up to which the error of a sample that is reproduced may be."""

_LARGE = ("history", "Z", "U")
"""Arrays that are stored on their own, or not at all."""

_ARRAYS = tuple(part.name for part in fields(Fit) if part.metadata.get("array"))
_NUMBERS = tuple(part.name for part in fields(Fit) if part.name not in (*_ARRAYS, *_LARGE))


def principal_axes(
    data: Reduction, Z: FloatArray, row_space: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Principal axes of the images that a map rebuilds, ``R = A W``, in falling order (§22).

    Parameters
    ----------
    data : Reduction
        The images A in a basis U of their row space.
    Z : ndarray of shape (n_features, data.rank)
        The map, ``W = Z Uᵀ``.
    row_space : ndarray of shape (data.rank, rank)
        Orthonormal columns: a basis of the row space of W, in coordinates of U.

    Returns
    -------
    axes : ndarray of shape (rank, n_features)
        Right singular vectors of R, orthonormal, completed to a basis of the row space of W where
        the rank of R is less. Each points along the principal axis of A that it is nearest to, and
        of that the largest entry is positive: while that is the same one it does not turn over.
    singular_values : ndarray of shape (rank,)
        Singular values of R.
    explained : ndarray of shape (rank,)
        What each axis takes off the unexplained share, ``(2 ⟨A v, R v⟩ − ‖R v‖²) / ‖A‖²``. The sum
        is ``1 − ‖A − R‖² / ‖A‖²`` exactly; single ones may be negative or out of order.
    """
    norm = float(np.linalg.norm(data.sample_norms))
    # Columns of A U are orthogonal, of these lengths, so R need not be formed.
    lengths = (data.singular_values / norm)[:, None]
    rebuilt = lengths * (data.U.T @ (Z @ row_space))
    _, singular_values, rotation = np.linalg.svd(rebuilt, full_matrices=False)
    directions = row_space @ rotation.T
    shared = np.einsum("ij,ij->j", lengths * directions, rebuilt @ rotation.T)
    axes = directions.T @ data.U.T
    if axes.size:
        numbers = np.arange(len(axes))
        nearest = np.abs(directions).argmax(axis=0)
        principal = data.U[:, nearest]
        largest = principal[np.abs(principal).argmax(axis=0), numbers]
        axes *= (np.sign(largest) * np.sign(directions[nearest, numbers]))[:, None]
    return axes, norm * singular_values, 2.0 * shared - singular_values**2


def tie_groups(scores: FloatArray, order: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Group of every feature, counted from 0 in an order by scores: equal ones are one group.

    Two scores are equal within 1e-10 of themselves, or 1e-14 of the largest: less is rounding.
    Features that are not in the order are one more group.
    """
    places, values = np.asarray(order, dtype=np.intp), np.asarray(scores, dtype=np.float64)
    ordered = np.abs(values[places])
    rounding = _ROUNDING * np.abs(values).max(initial=0.0)
    near = EQUAL * np.maximum(ordered[1:], ordered[:-1]) + rounding
    groups = np.zeros(len(places), dtype=np.int64)
    groups[1:] = np.cumsum(np.abs(np.diff(values[places])) > near)
    ties = np.full(len(values), groups.max(initial=-1) + 1, dtype=np.int64)
    ties[places] = groups
    return ties


def place_scores(
    ties: NDArray[np.integer[Any]], constant: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Scores in [0, 1] that say an order and nothing else, from its groups of ties.

    1 for the best group, equal within a group, in even steps down to 1 over the number of groups;
    0 for constant features, whose groups come after those of all others.
    """
    n_groups = int(ties[~constant].max(initial=-1)) + 1
    scores = np.zeros(len(ties))
    scores[~constant] = (n_groups - ties[~constant]) / max(n_groups, 1)
    return scores


def shared_places(ties: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Place of every feature, 1 for the best; those of one group that tie share its first place."""
    sizes = np.bincount(ties)
    places: NDArray[np.int64] = (np.cumsum(sizes) - sizes + 1)[ties]
    return places


def ahead_of_cut(ranks: NDArray[Any], k: int) -> int:
    """Count the features that are ahead of a cut at k, by ranks that ties share.

    It is k where no tie crosses the cut; else it is how many features are ahead of that tie.
    """
    inside = ranks[ranks <= k]
    return min(k, len(ranks)) if len(inside) <= k else int(inside.max()) - 1


def map_scores(data: Reduction, Z: FloatArray) -> FloatArray:
    """``‖w_j‖`` of a map that `averaged` has left as it is; equal where rounding tells them apart.

    Those are the rows of copies and, of W = U Uᵀ, rows whose lengths are the same.
    """
    scores = row_norms(Z)
    if data.projects_evenly and np.array_equal(Z, data.U):
        places = np.argsort(scores, kind="stable")
        steps = np.diff(scores[places]) > EQUAL * scores.max()
        for group in np.split(places, np.flatnonzero(steps) + 1):
            scores[group] = scores[group].max()
        if data.full_column_rank:
            scores[data.live] = 1.0
    for places, _ in data.copies:
        scores[places] = scores[places].max()
    return scores


def identity_bound(
    problem: Problem, objective: float, bound: float, edge_iterations: int = 0
) -> float | None:
    """Lower bound where W = I is proven to be the optimum, and is no worse than a fit; else None.

    It is proven by the threshold (theory.md §10), or by a gap that is round-off: a gap within the
    tolerance is no proof, for W = I may be near the optimum, and not be it.
    """
    whole = problem.projector_objective
    if not problem.data.full_column_rank or whole > objective * (1.0 + EXACT):
        return None
    if relative_gap(whole, bound) <= PROVEN_GAP:
        return bound
    if identity_is_optimal(problem, edge_iterations):
        # No W has less, whatever the multipliers of the fit prove.
        return max(bound, whole * (1.0 - EXACT))
    return None


def is_reproduced(data: Reduction, errors: FloatArray) -> bool:
    """Whether each of the `errors` is at most 1e-6 of the sample's norm, or round-off.

    A norm that one far sample has given by moving the mean does not count (:func:`least_norms`).
    """
    floor = _ROUND_OFF * float(data.sample_norms.max())
    if (errors > REPRODUCED * data.sample_norms + floor).any():
        return False
    return bool((errors <= REPRODUCED * least_norms(data) + floor).all())


def regime(
    problem: Problem, scores: FloatArray, errors: float, objective: float, reproduced: bool
) -> str:
    """Name of the regime of a map other than a W = I that is proven, from its scores and errors.

    Reproduced: every sample is, and the `errors` sum up to next to nothing of the objective
    (theory.md §11). Sparse: a live pixel weighs exactly 0.
    """
    data = problem.data
    live = scores[data.live]
    if not live.any():
        return "zero"
    whole = data.full_column_rank and bool((live == 1.0).all())
    if not whole and reproduced and (objective == 0.0 or errors <= 0.01 * objective):
        return "reproduced"
    return "sparse" if (live == 0.0).any() else "dense"


def advice(data: Reduction, objective: float, bound: float) -> str:
    """What to do about a gap that is too large: more iterations do not help where U limits it."""
    if 2.0 * data.left_out < objective - bound:
        return "raise max_iter or tol."
    return (
        "scale the columns of X, for directions below 3e-7 of the strongest are left out, and "
        f"the samples hold {data.left_out:.3g} in them."
    )


def entry_scores(
    problem: Problem, pull: FloatArray, slack: FloatArray, right: FloatArray, pixels: FloatArray
) -> FloatArray:
    """How close `pixels` are to entering the model: the s_j of theory.md §14.

    `pull` is ``AᵀΛ``, Λ unscaled, without images reproduced exactly; `slack` is their ``Σ |a_ij|``.
    `right` are the right singular vectors of Z. In [0, 1], 0 for dead pixels; with α = 0 nothing
    keeps a live pixel out: 1.
    """
    if problem.alpha == 0.0:
        return problem.data.live[pixels].astype(np.float64)
    norms = problem.entry_norms(pull[pixels], right)
    return np.minimum(norms / (problem.alpha + slack[pixels]), 1.0)
