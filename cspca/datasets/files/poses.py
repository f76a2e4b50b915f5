"""Whether an array holds points that keep their distances, as the joints of a body do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.motion import motion_descriptor

Array = NDArray[Any]
Layout = Literal["nJ3", "n3J", "3Jn", "J3n"]
"""Order of the sides: frames (n), points (J) and coordinates (3; a fourth may be all ones)."""

LAYOUTS: Final[tuple[Layout, ...]] = ("nJ3", "n3J", "3Jn", "J3n")
FEWEST_POINTS, MOST_POINTS = 5, 150
FEWEST_FRAMES: Final = 10
STEADIEST: Final = 15
"""Distances that are looked at: those that change least."""

MOST_SPREAD: Final = 0.15
"""Spread of the steadiest distances over their mean: poses 0.00 to 0.06, EEG 0.36 to 0.44."""

MOST_LOOSE: Final = 0.25
"""Middle over the points of the least change of a distance over how far its two ends move: poses
0.00 to 0.15, points that move apart from each other about fixed places 0.52, EEG 0.42."""

MOST_LONELY: Final = 0.11
"""Spread of the steadiest distance of a point, at most over all points: poses 0.00 to 0.09, smooth
curves 0.19, since each of their points has neighbours on one side alone."""

LESS_CENTRAL: Final = 1.5
"""Distance of the first point from the middle over that of the most central one, to prefer it."""

_MOST_LOOKED_AT: Final = 500


@dataclass(frozen=True)
class PoseReading:
    """What an array holds when read as frames of points.

    Parameters
    ----------
    layout : str
        Order of its sides.
    spread : float
        Mean over the steadiest distances of their standard deviation over their mean.
    is_jointed : bool
        Whether points move together with a partner, each of them, as joints do.
    has_confidences : bool
        Whether the third number of each point is a confidence beside coordinates of pixels.
    """

    layout: Layout
    spread: float
    is_jointed: bool
    has_confidences: bool

    @property
    def is_measured(self) -> bool:
        """Whether the values show joints."""
        return self.spread < MOST_SPREAD and self.is_jointed and not self.has_confidences

    @property
    def evidence(self) -> str:
        """What speaks for joints, or against them, as a sentence."""
        if self.has_confidences:
            return (
                "The third number of each point lies between 0 and 1 beside much larger ones, as "
                "a confidence does."
            )
        if self.is_measured:
            return (
                f"Distances between points keep their length (the {STEADIEST} steadiest change by "
                f"{100 * self.spread:.0f} %) while others change."
            )
        return (
            f"Distances between points do not keep their length as those between joints do (the "
            f"{STEADIEST} steadiest change by {100 * self.spread:.0f} %)."
        )


def read_poses(array: Array) -> list[PoseReading]:
    """Read an array with three sides in every order in which it may hold frames of points."""
    if array.ndim != 3 or array.dtype.kind not in "fiu":
        return []
    readings = [_read(array, layout) for layout in LAYOUTS if _fits(array.shape, layout)]
    return sorted(readings, key=lambda reading: (not reading.is_measured, reading.spread))


def _fits(shape: tuple[int, ...], layout: Layout) -> bool:
    sides = dict(zip(layout, shape, strict=True))
    return (
        sides["3"] in (3, 4)
        and FEWEST_POINTS <= sides["J"] <= MOST_POINTS
        and sides["n"] >= FEWEST_FRAMES
    )


def frames_of_points(array: Array, layout: Layout) -> Array:
    """Return a view (n, J, 3 or 4)."""
    return array.transpose([layout.index(side) for side in "nJ3"])


def coordinates_of(points: Array) -> Array:
    """Return (n, J, 3) of points with a fourth number that is the same in all."""
    return points[..., :3]


def always_at_origin(points: Array) -> Array:
    """Which joints lie at (0, 0, 0) in most frames: the origin of the coordinates does."""
    return np.asarray((points == 0).all(axis=2).mean(axis=0) > 0.5)


def at_origin(points: Array, always: Array | None = None) -> Array:
    """Which points (n, J) lie at (0, 0, 0) exactly, but for joints that always do."""
    is_zero: Array = (points == 0).all(axis=2)
    is_zero[:, always_at_origin(points) if always is None else always] = False
    return is_zero


def _read(array: Array, layout: Layout) -> PoseReading:
    points = frames_of_points(array, layout)
    few = points[np.linspace(0, len(points) - 1, min(len(points), _MOST_LOOKED_AT)).astype(int)]
    few = few.astype(float)
    if few.shape[2] == 4 and np.ptp(few[..., 3]) > 0:
        return PoseReading(layout, 1.0, False, False)
    few = coordinates_of(few)
    is_whole = np.asarray(np.isfinite(few).all(axis=(1, 2)))
    few = few[np.flatnonzero(is_whole & ~at_origin(few).any(axis=1))]
    if few.shape[0] < FEWEST_FRAMES:
        return PoseReading(layout, 1.0, False, False)
    spread, is_jointed = _steadiness(few)
    third = few[..., 2]
    others = np.ptp(few[..., :2].reshape(-1, 2), axis=0).min()
    has_confidences = bool(third.min() >= 0 and third.max() <= 1 and others > 20)
    return PoseReading(layout, spread, is_jointed, has_confidences)


def _steadiness(points: Array) -> tuple[float, bool]:
    """Spread of the steadiest distances, and whether each point moves with a partner."""
    if points.shape[1] > 60:
        points = points[:, :: -(-points.shape[1] // 60)]
    n_points = points.shape[1]
    first, second = np.triu_indices(n_points, k=1)
    distances = motion_descriptor(points)[:, 3 * n_points :]
    # Two points at one place always, such as a joint that is listed twice, say nothing.
    apart = distances.any(axis=0)
    first, second, distances = first[apart], second[apart], distances[:, apart]
    if not apart.any():
        return 1.0, False
    changes = distances.std(axis=0)
    spreads = changes / distances.mean(axis=0)
    centred = points - points.mean(axis=1, keepdims=True)
    moved = centred.var(axis=0).sum(axis=1)
    if not (moved > 0).all():
        return 1.0, False
    loose = changes / np.sqrt(moved[first] + moved[second])
    lonely, loosest = np.full(n_points, np.inf), np.full(n_points, np.inf)
    for ends in (first, second):
        np.minimum.at(lonely, ends, spreads)
        np.minimum.at(loosest, ends, loose)
    is_jointed = np.median(loosest) < MOST_LOOSE and lonely.max() < MOST_LONELY
    return float(np.sort(spreads)[:STEADIEST].mean()), bool(is_jointed)


def frozen_frames(points: Array) -> int:
    """Number of frames in which a point has the very place that it had five frames before."""
    if len(points) < 12:
        return 0
    same = (np.diff(points, axis=0) == 0).all(axis=2)
    windows = np.lib.stride_tricks.sliding_window_view(same, 5, axis=0)
    runs = np.asarray(windows.all(axis=-1))
    moving = np.asarray(~same.all(axis=1))
    # Where all stand still together, a frame was written twice.
    frozen = runs & moving[: runs.shape[0], None]
    frozen &= ~(same.mean(axis=0) > 0.5)
    return int(frozen.any(axis=1).sum())


def central_point(points: Array) -> int:
    """Return the point to measure coordinates from: the first, unless another is far more central.

    A hip lies nearest to the middle of all points; a hand, a foot or a head does not.
    """
    few = points[np.linspace(0, len(points) - 1, min(len(points), _MOST_LOOKED_AT)).astype(int)]
    few = few[np.isfinite(few).all(axis=(1, 2))]
    if not len(few):
        return 0
    centred = few - few.mean(axis=1, keepdims=True)
    reach = np.sqrt((centred**2).sum(axis=2)).mean(axis=0)
    best = int(reach.argmin())
    return best if reach[0] > LESS_CENTRAL * reach[best] else 0
