"""Read an order of the features, or a selection, off a fitted selector of any library.

Selectors have many names for the same attribute, and large may be good or bad. What a selector
selects decides: the first of an order are the features of its mask, or it is read the other way.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import VarianceThreshold

from cspca.evaluation.kmeans import FloatArray, IntArray, check_features

_PICKS = ("selected_indices_", "selected_idx_", "indices_")
"""Attributes that list features in the order in which they were picked."""

_SCORES = (
    "selection_scores_", "feature_scores_", "scores_", "feature_importances_", "variances_",
)  # fmt: skip
"""Attributes that have one number a feature."""

_REMEDY = "Give it feature_order_, the features best first."
"""How a selector that cannot be read is mended."""


@dataclass(frozen=True, eq=False)
class FeatureOrder:
    """Features best first, all or some, and their scores, of which large is good.

    A selection without an order has its size in `own_size`: its features stand first, and tie.
    """

    order: IntArray
    scores: FloatArray
    own_size: int | None = None


def read_order(fitted: Any, X: ArrayLike) -> FeatureOrder:
    """Read the order of the features off a selector that is fitted to X.

    ``feature_order_``, lists of picks, ``ranking_`` and scores are tried in turn, and the first
    that agrees with the selection is taken; without any, the selection has no order.

    Raises
    ------
    ValueError
        One sentence, when there is none, or none that agrees with the selection.
    """
    name, n_features = type(fitted).__name__, np.shape(X)[1]
    mask = _selection(fitted, n_features)
    disagree: list[str] = []
    for attribute, picks in _orders(fitted, n_features):
        if attribute != "feature_order_" and not _is_order(fitted, picks, n_features):
            if mask is None:
                mask = np.isin(np.arange(n_features), picks)
            continue
        for order in (picks, picks[::-1]):
            if _begins_with(order, mask):
                return FeatureOrder(order, _scores_of(fitted, order, n_features))
        disagree.append(attribute)
    unreadable: list[str] = []
    for attribute, values in _numbers(fitted, X, n_features):
        if values.shape != (n_features,):
            unreadable.append(f"{attribute} of shape {values.shape}")
            continue
        for scores in (_without_gaps(values), _without_gaps(-values)):
            order = np.argsort(-scores, kind="stable")
            if _agrees(scores, mask):
                return FeatureOrder(order, scores)
        disagree.append(attribute)
    if disagree and mask is not None:
        raise ValueError(
            f"{name} contradicts itself: read either way, {' and '.join(disagree)} does not have "
            f"the {np.count_nonzero(mask)} features first that it selects. {_REMEDY}"
        )
    if mask is not None:
        return _unordered(name, mask)
    if unreadable:
        raise ValueError(
            f"{name} has {' and '.join(unreadable)} for {n_features} features, and does not say "
            f"which of them it selects. {_REMEDY}"
        )
    raise ValueError(
        f"{name} says no order of the features: it needs feature_order_ or selection_scores_ after "
        "fit, or what scikit-learn's selectors have."
    )


def needs_labels(selector: Any) -> bool:
    """Whether ``fit`` cannot be called without labels."""
    y = inspect.signature(selector.fit).parameters.get("y")
    return y is not None and y.default is y.empty and y.kind is y.POSITIONAL_OR_KEYWORD


def _selection(fitted: Any, n_features: int) -> NDArray[np.bool_] | None:
    """Mask of the selected features; None where the selector has none."""
    masks = [fitted.get_support()] if hasattr(fitted, "get_support") else []
    masks += [_by_column(fitted, attribute, n_features) for attribute in ("support_", *_PICKS)]
    for mask in map(np.asarray, masks):
        if mask.dtype == bool and mask.shape == (n_features,):
            return mask
    # What mlxtend selects, in the order of the columns.
    selected = getattr(fitted, "k_feature_idx_", None)
    return None if selected is None else np.isin(np.arange(n_features), selected)


def _orders(fitted: Any, n_features: int) -> Iterator[tuple[str, IntArray]]:
    """Name and features of attributes that may list picks; ``feature_order_`` must be an order."""
    if getattr(fitted, "feature_order_", None) is not None:
        name = type(fitted).__name__
        order = check_features(fitted.feature_order_, n_features, f"feature_order_ of {name}")
        if len(np.unique(order)) < len(order):
            raise ValueError(f"{name} orders a feature twice.")
        yield "feature_order_", order
    get_support = getattr(fitted, "get_support", None)
    if get_support is not None and "ordered" in inspect.signature(get_support).parameters:
        yield "get_support", np.asarray(get_support(indices=True, ordered=True), dtype=np.intp)
    for attribute in _PICKS:
        picks = np.asarray(getattr(fitted, attribute, ()))
        if picks.dtype.kind not in "iu" or picks.ndim != 1 or not picks.size:
            continue
        if len(np.unique(picks)) == len(picks) and 0 <= picks.min() <= picks.max() < n_features:
            yield attribute, picks.astype(np.intp)


def _is_order(fitted: Any, picks: IntArray, n_features: int) -> bool:
    """Whether a list of features says in which order they were picked.

    One that rises may only name them, unless there are as many scores as picks.
    """
    if len(picks) < 2 or (np.diff(picks) < 0).any():
        return True
    return len(picks) < n_features and np.shape(getattr(fitted, "scores_", ())) == picks.shape


def _by_column(fitted: Any, attribute: str, n_features: int) -> NDArray[Any]:
    """An attribute as an array; a Series of as many values as features goes by its labels."""
    values = getattr(fitted, attribute, ())
    if hasattr(values, "reindex") and np.shape(values) == (n_features,):
        names = getattr(fitted, "feature_names_in_", None)
        try:
            return _by_label(values, names)
        except KeyError:
            name = type(fitted).__name__
            raise ValueError(
                f"{attribute} of {name} is a Series whose labels are not the columns that {name} "
                "was fitted to: make it an array in the order of the columns."
            ) from None
    return np.asarray(values)


def _by_label(series: Any, names: Any) -> NDArray[Any]:
    """A Series in the order of the columns, by their names or numbers; KeyError for others."""
    if type(series.index).__name__ == "RangeIndex" and series.index.is_monotonic_increasing:
        return np.asarray(series)
    labels = list(series.index)
    columns = list(names) if names is not None and set(names) == set(labels) else range(len(labels))
    places = {label: place for place, label in enumerate(labels)}
    return np.asarray(series)[[places[column] for column in columns]]


def _numbers(fitted: Any, X: ArrayLike, n_features: int) -> Iterator[tuple[str, FloatArray]]:
    """Name and values of attributes with one number a feature; large is taken to be good."""
    ranks = _by_column(fitted, "ranking_", n_features)
    if ranks.dtype.kind in "iuf" and ranks.size and ranks.min() >= 1:
        yield "ranking_", -ranks.astype(np.float64)
    for attribute in _SCORES:
        values = _by_column(fitted, attribute, n_features)
        if not values.size or values.dtype.kind not in "iuf":
            continue
        if attribute == "variances_" and isinstance(fitted, VarianceThreshold):
            # Its own are the smaller of variance and range, at the threshold 0.
            values = np.nanvar(np.asarray(X, dtype=np.float64), axis=0)
        yield attribute, values.astype(np.float64)


def _scores_of(fitted: Any, order: IntArray, n_features: int) -> FloatArray:
    """Scores that go with an order: the selector's own, where they do, else its places."""
    has_ties = np.shape(getattr(fitted, "feature_ties_", ())) == (n_features,)
    for attribute in ("signed_scores_", *_SCORES):
        values = _by_column(fitted, attribute, n_features)
        if values.shape != (n_features,) or values.dtype.kind not in "iuf":
            continue
        # Ours go with an order by ties, within which they need not fall.
        goes_by_ties = attribute == "signed_scores_" and has_ties
        if np.isfinite(values).all() and (goes_by_ties or (np.diff(values[order]) <= 0).all()):
            return values.astype(np.float64)
    scores = np.zeros(n_features)
    scores[order] = np.arange(len(order), 0, -1) / len(order)
    return scores


def _unordered(name: str, mask: NDArray[np.bool_]) -> FeatureOrder:
    """A selection without an order."""
    if not mask.any():
        raise ValueError(f"{name} selects no feature.")
    scores = mask.astype(np.float64)
    return FeatureOrder(np.argsort(-scores, kind="stable"), scores, int(mask.sum()))


def _begins_with(order: IntArray, mask: NDArray[np.bool_] | None) -> bool:
    """Whether the features of the mask are the first of an order."""
    if mask is None:
        return True
    n_selected = int(mask.sum())
    return len(order) >= n_selected and bool(mask[order[:n_selected]].all())


def _agrees(scores: FloatArray, mask: NDArray[np.bool_] | None) -> bool:
    """Whether no feature outside the mask has a larger score than one inside."""
    if mask is None or mask.all() or not mask.any():
        return True
    return bool(scores[mask].min() >= scores[~mask].max())


def _without_gaps(scores: FloatArray) -> FloatArray:
    """Finite scores in the same order: NaN is below all others, and ranks replace infinite ones."""
    if np.isfinite(scores).all():
        return scores
    _, ranks = np.unique(np.where(np.isnan(scores), -np.inf, scores), return_inverse=True)
    finite: FloatArray = ranks.astype(np.float64) - np.isnan(scores)
    return finite
