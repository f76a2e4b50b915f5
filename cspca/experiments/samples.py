"""Samples on two components of a fit and along a film, as points or counted in cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cspca.experiments.film import MOST_SENT, VALUES, n_axes
from cspca.experiments.settings import setting

if TYPE_CHECKING:
    from cspca.experiments.film import Film
    from cspca.fitted import Fit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ComparedClasses:
    """Which groups of samples are compared: the chosen and the others, or two classes.

    Classes are counted from 0, in the order of their names in the data set.
    """

    kind: ClassVar[str] = "samples"

    groups: str = setting("chosen", choices=("chosen", "classes"))
    first: int = setting(0, limits=(0, math.inf), query="first-class")
    second: int = setting(1, limits=(0, math.inf), query="second-class")


def coordinates(fit: Fit, X: NDArray[np.floating[Any]], components: Sequence[int]) -> Floats:
    """Return columns of ``fit.transform(X)`` without computing the others.

    One that the fit does not have is zero: there is no component along which samples differ.

    Parameters
    ----------
    fit : Fit
        The fit, with its map.
    X : ndarray of shape (n_samples, n_features)
        Raw samples.
    components : sequence of int
        Which columns, from 0.
    """
    values = np.zeros((len(X), len(components)))
    there = [place for place, number in enumerate(components) if number < len(fit.components)]
    values[:, there] = fit.transform(X, [components[place] for place in there])
    return values


def axis_title(ratios: NDArray[np.float64], component: int) -> str:
    """Title of an axis: a component, by its number from 0, and what it explains."""
    if component >= len(ratios):
        return f"No component {component + 1}"
    return f"Component {component + 1}, explains {100 * float(ratios[component]):.1f} %"


def has_film(n_samples: int, n_features: int, components: Sequence[int]) -> bool:
    """Whether a film of samples on these components is kept, and small enough to be sent."""
    is_small = 8 * n_samples * len(VALUES) <= MOST_SENT
    return is_small and max(components) < n_axes(n_features)


def samples_film(
    film: Film, fit: Fit, X: NDArray[np.floating[Any]], components: Sequence[int]
) -> dict[str, Any]:
    """What a script needs to move samples along a film, as far as it is there.

    Parameters
    ----------
    film : Film
        A film along a penalty.
    fit : Fit
        A fit of the same film, by which the samples are prepared.
    X : ndarray of shape (n_samples, n_features)
        Raw samples.
    components : sequence of int
        The two components, from 0.

    Returns
    -------
    dict
        The values of the film and the indices that are there; the extent of all frames; of each
        frame the coordinates, in single precision, and the titles of the axes.
    """
    prepared = fit.prepared(X).astype(np.float32)
    frame_axes = [frame.axes for frame in film.frames if frame.axes is not None]
    points = np.zeros((len(frame_axes), len(X), len(components)), dtype="<f4")
    for frame, axes in enumerate(frame_axes):
        for place, number in enumerate(components):
            if number < len(axes.weights):
                points[frame, :, place] = prepared @ axes.weights[number]
    return {
        "along": film.along,
        "values": list(film.values),
        "there": list(film.there),
        "extent": extent(points.reshape(-1, 2).astype(np.float64)),
        "points": points,
        "titles": [
            [axis_title(axes.ratios, number) for number in components] for axes in frame_axes
        ],
    }


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
