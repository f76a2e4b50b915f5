"""What all feature selectors share: a score for every feature, and from it one order."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from cspca.estimator import COUNT, POSITIVE, Estimator, Unsupervised
from cspca.fitted import place_scores, tie_groups
from cspca.preprocessing import distinct_rows
from cspca.proximal import FloatArray
from cspca.selection.graph import WEIGHTS, IntArray, resolve_graph, too_few_samples


def varying(X: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
    """Which features vary, and those, centred."""
    live = np.ptp(X, axis=0) > 0
    return live, X[:, live] - X[:, live].mean(axis=0)


def evenly(rows: NDArray[Any], most: int) -> NDArray[Any]:
    """All rows, or so many of them at even distances."""
    n = len(rows)
    return rows if n <= most else rows[np.linspace(0, n - 1, most).astype(np.intp)]


@dataclass(frozen=True)
class Scores:
    """Large is good, NaN says nothing; `tie_breaker`, in [0, 1], orders the lowest scores.

    They are of the features that the mask `among` marks; None are all.
    """

    feature_scores: FloatArray
    tie_breaker: FloatArray | None = None
    among: NDArray[np.bool_] | None = None


@dataclass(repr=False, eq=False, kw_only=True)
class FeatureSelector(SelectorMixin, Estimator, Unsupervised):
    """Score the features, order them, keep the first `n_features_to_select`.

    A method is a subclass with one more function, `_score`; labels are never used.

    Unless the method says otherwise, the order of samples and of features, the unit of the data,
    constant features and a copy of every sample change no score but for rounding, and a copy of a
    feature ties with it. A single sample that is there twice counts twice, but as one where
    neighbours are looked for.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        The method's score, large is good. A constant feature has 0, or the lowest if negative.
    signed_scores_ : ndarray of shape (n_features,)
        The scores behind the order: as `feature_scores_`, but those that share the lowest one are
        told apart where the method can (score − 1 + a tie breaker in [0, 1]).
    selection_scores_ : ndarray of shape (n_features,)
        The order alone, as numbers in [0, 1] that stay in order when they are squared: 1 for the
        best group of `feature_ties_`, in even steps down, 0 for constant features.
        ``SelectFromModel(…, threshold=-np.inf, importance_getter="selection_scores_",
        max_features=m)`` takes it, and so does ``RFE``.
    feature_order_ : ndarray of shape (n_features,)
        Feature indices, best first. Within a group of `feature_ties_` the order is that of the
        columns, and says nothing.
    feature_ties_ : ndarray of shape (n_features,)
        The number of each feature's group, counted from 0 in that order: scores within 1e-10 of
        themselves are a tie, for less is rounding.
    n_features_in_, feature_names_in_
        What was fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca.selection import MCFS
    >>> MCFS(n_clusters=10, n_features_to_select=20).fit_transform(load_digits().data).shape
    (1797, 20)
    """

    _alike = "Every feature of X is constant: there is nothing to select."

    _power = 4

    _works_in_double: ClassVar[bool] = True
    """Whether _score gets float64 whatever came in; otherwise the precision of X."""

    nested: ClassVar[bool] = True
    """Whether a smaller selection is the head of a larger one; otherwise it is fitted for each."""

    n_features_to_select: Annotated[int | None, [*COUNT, None]] = None

    @abstractmethod
    def _score(self, X: FloatArray) -> Scores:
        """Score the columns of X, finite and with at least one that varies."""

    def _fit(self, samples: FloatArray, varies: NDArray[np.bool_]) -> None:
        self._n_selected()
        working = samples.astype(np.float64, copy=False) if self._works_in_double else samples
        self._order(self._score(working), ~varies)

    def _order(self, scores: Scores, dead: NDArray[np.bool_]) -> None:
        """Set the fitted attributes from the method's scores."""
        among = slice(None) if scores.among is None else scores.among
        values = np.full(len(dead), np.nan)
        values[among] = scores.feature_scores
        mute = dead | np.isnan(values)
        lowest = float(values[~mute].min()) if not mute.all() else 0.0
        values[mute] = min(0.0, lowest)
        selection = values.copy()
        if scores.tie_breaker is not None:
            tied = values == lowest
            if tied.sum() > 1:
                ties = np.zeros(len(dead))
                ties[among] = scores.tie_breaker
                selection[tied] += ties[tied] - 1.0
        if mute.any() and not mute.all():
            floor = float(selection[~mute].min())
            if selection[mute].max() >= floor:
                selection[mute] = floor - 1.0
        # Features without a score come after all that have one, and constant ones last.
        groups = np.where(dead, len(dead) + 1, len(dead))
        scored = selection[~mute]
        groups[~mute] = tie_groups(scored, np.argsort(-scored, kind="stable"))
        self.feature_scores_ = values
        self.signed_scores_ = selection
        self.feature_ties_: IntArray = np.unique(groups, return_inverse=True)[1]
        self.feature_order_ = np.argsort(self.feature_ties_, kind="stable")
        self.selection_scores_ = place_scores(self.feature_ties_, dead)

    def _n_selected(self) -> int:
        """How many features are kept, checked against how many there are."""
        d: int = self.n_features_in_
        requested = self.n_features_to_select
        if requested is None:
            return max(1, d // 2)
        if requested > d:
            raise ValueError(
                f"n_features_to_select={requested} but X has only {d} features: ask for at most "
                f"{d}."
            )
        return requested

    def _check_clusters(self, n_clusters: int, n_samples: int, what: str = "samples") -> None:
        """Refuse more clusters than samples."""
        if n_clusters > n_samples:
            raise ValueError(
                f"n_clusters={n_clusters} but X has only {n_samples} {what}: lower n_clusters or "
                "give more samples."
            )

    def _distinct(
        self, X: FloatArray, n_neighbors: int, needed: int, n_clusters: int = 1
    ) -> tuple[FloatArray, IntArray]:
        """The samples without exact copies, and for every sample which of them it is.

        Copies count as one in a graph of neighbours: with more copies than neighbours a sample
        would have no neighbour but itself. An error where fewer than `needed` are left, or fewer
        than clusters.
        """
        first, copy_of = distinct_rows(X)
        what = "samples" if len(first) == len(X) else "samples that differ"
        self._check_clusters(n_clusters, len(first), what)
        if len(first) < needed:
            raise too_few_samples(n_neighbors, needed, len(first), what)
        return X[first], copy_of

    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Mark the first of the order; `n_features_to_select` may be changed after the fit."""
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.feature_order_[: self._n_selected()]] = True
        return mask


@dataclass(repr=False, eq=False, kw_only=True)
class GraphSelector(FeatureSelector):
    """A selector whose method looks at neighbours: it has the four parameters of the graph.

    Exact copies of a sample count as one, unless a ready `graph` of all samples is given.
    """

    n_neighbors: Annotated[int, COUNT] = 5
    weight: Annotated[str, [StrOptions(set(WEIGHTS))]] = "heat"
    width: Annotated[str | float, [*POSITIVE, StrOptions({"median"})]] = "median"
    graph: Annotated[Any, ["sparse matrix", None]] = None

    def _joined(self, X: FloatArray, n_clusters: int = 1) -> tuple[FloatArray, csr_array, IntArray]:
        """The samples of the graph, their affinity, and for every sample which of them it is."""
        copy_of = np.arange(len(X))
        if self.graph is None:
            X, copy_of = self._distinct(X, self.n_neighbors, self.n_neighbors + 1, n_clusters)
        else:
            self._check_clusters(n_clusters, len(X))
        making = {name: getattr(self, name) for name in ("n_neighbors", "weight", "width")}
        return X, resolve_graph(X, self.graph, **making), copy_of
