"""Samples on two components of a fit: a cloud that does not flip from one fit to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cspca.problem.reduction import image_norms

if TYPE_CHECKING:
    from cspca.fitted import Fit

Floats = NDArray[np.float64]


def aligned_signs(components: Floats, previous: Floats | None) -> Floats:
    """Return signs, 1 or -1, with which components point as those of an earlier fit do.

    Nothing else is changed: components stay in their own order, and the order may be another.

    Parameters
    ----------
    components : ndarray of shape (rank, n_features)
        Of the fit.
    previous : ndarray of shape (previous_rank, n_features) or None
        Of the earlier one, with its own signs.
    """
    signs = np.ones(len(components))
    if previous is not None:
        shared = min(len(components), len(previous))
        cosines = np.sum(components[:shared] * previous[:shared], axis=1)
        signs[:shared][cosines < 0.0] = -1.0
    return signs


def coordinates(
    fit: Fit, X: NDArray[np.floating[Any]], components: Sequence[int], signs: Floats
) -> Floats:
    """Return columns of ``fit.transform(X)``, with signs, without computing the others.

    Parameters
    ----------
    fit : Fit
        The fit, with its map.
    X : ndarray of shape (n_samples, n_features)
        Raw samples.
    components : sequence of int
        Which columns, from 0.
    signs : ndarray of shape (rank,)
        Of all components.
    """
    chosen = list(components)
    weights = fit.coordinate_weights()[:, chosen] * signs[chosen]
    projected: Floats = X @ weights
    if fit.normalize:
        projected /= image_norms(X)
    return projected - fit.mean @ weights


def density(
    points: Floats, shape: tuple[int, int], within: tuple[float, float, float, float]
) -> NDArray[np.int64]:
    """Count points in cells that fill a rectangle: left, right, bottom, top."""
    left, right, bottom, top = within
    counts, _, _ = np.histogram2d(
        points[:, 1], points[:, 0], bins=shape, range=((bottom, top), (left, right))
    )
    return counts[::-1].astype(np.int64)


def extent(points: Floats) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of a drawing: the range of the points, and some room."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, 0.04 * (high - low), 1.0)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    return left, right, bottom, top
