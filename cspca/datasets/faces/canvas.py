"""The fine grid that heads are drawn on, and the few strokes they are drawn with.

Coordinates: x to the right and y down, 0 in the middle of the head and 1 about half the shorter
side of the picture away from it.
Most shapes here are sums or products of a function of x and a function of y, so that the costly
functions are taken along two edges of the picture and not over its area.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cspca.datasets.faces.people import Floats, Table

MIN_FINE = 48

ZOOM = 1.14
"""How much larger a head is drawn than its own coordinates say."""

_MIDDLE = 0.05  # heads sit a little low, to leave room for hair


@dataclass(frozen=True)
class Canvas:
    """Grid coordinates of some pictures, each seen from its own head; a row of both a picture."""

    people: Table
    shots: Table
    image_size: tuple[int, int]

    @cached_property
    def oversampling(self) -> int:
        """Fine samples along the side of one finished pixel."""
        return max(2, -(-MIN_FINE // min(self.image_size)))

    @cached_property
    def pixel(self) -> float:
        """Side of one fine pixel in head coordinates: the width of a soft edge."""
        return 2.0 / (min(self.image_size) * self.oversampling * ZOOM)

    @cached_property
    def x(self) -> Floats:
        """(n, width) from the middle of the head."""
        return (self._axis(1) - column(self.shots.shift_x)) / column(self.shots.scale * ZOOM)

    @cached_property
    def y(self) -> Floats:
        """(n, height) from the middle of the head."""
        moved = self._axis(0) - _MIDDLE - column(self.shots.shift_y)
        return moved / column(self.shots.scale * ZOOM)

    def x_at(self, depth: float | Floats) -> Floats:
        """Return x as seen by a feature that stands ``depth`` in front of the neck."""
        return self.x - column(self.shots.yaw * depth)

    def y_at(self, depth: float | Floats) -> Floats:
        """Return y as seen by a feature that stands ``depth`` in front of the neck."""
        return self.y + column(self.shots.pitch * depth)

    def window(
        self, rows: tuple[float, float], columns: tuple[float, float], depth: float
    ) -> tuple[tuple[slice, ...], Floats, Floats]:
        """Return where that part of the pictures is, and its x and y at some depth."""
        down_to, along = self.rows(*rows), self.columns(*columns)
        place = (slice(None), down_to, along)
        return place, self.x_at(depth)[:, along], self.y_at(depth)[:, down_to]

    def rows(self, top: float, bottom: float) -> slice:
        """Rows that reach from ``top`` to ``bottom`` in the picture of any of the heads."""
        room = 0.8 * float(np.abs(self.shots.pitch).max())
        return _span(self.y, top - room, bottom + room)

    def columns(self, left: float, right: float) -> slice:
        """Columns that reach from ``left`` to ``right`` in the picture of any of the heads."""
        room = 0.8 * float(np.abs(self.shots.yaw).max())
        return _span(self.x, left - room, right + room)

    def soft(self, inside: Floats) -> Floats:
        """Coverage in [0, 1] from the distance inside an edge; works in place."""
        inside /= self.pixel * 1.3
        inside += 0.5
        return np.clip(inside, 0, 1, out=inside)

    def _axis(self, axis: int) -> Floats:
        sides = self.image_size
        n = sides[axis] * self.oversampling
        step = 2.0 / (min(sides) * self.oversampling)
        return ((np.arange(n, dtype=np.float32) + 0.5 - n / 2) * step)[None, :]


def column(values: Floats) -> Floats:
    """(n,) as (n, 1), to stand against an edge of the picture."""
    return values[:, None]


def across(values: Floats) -> Floats:
    """(n, width) as (n, 1, width)."""
    return values[:, None, :]


def down(values: Floats) -> Floats:
    """(n, height) as (n, height, 1)."""
    return values[:, :, None]


def whole(values: Floats) -> Floats:
    """(n,) as (n, 1, 1)."""
    return values[:, None, None]


def bell(values: Floats, width: float | Floats) -> Floats:
    """exp(-(v/width)²)."""
    scaled = values / width
    return np.exp(-scaled * scaled)


def blend(below: Floats, above: float | Floats, coverage: Floats) -> Floats:
    """Paint ``above`` over ``below``, in place."""
    below += coverage * (above - below)
    return below


def _span(values: Floats, low: float, high: float) -> slice:
    # The grids of all pictures are shifted copies: an index is wanted if any of them wants it.
    wanted = np.flatnonzero((values.max(axis=0) >= low) & (values.min(axis=0) <= high))
    return slice(int(wanted[0]), int(wanted[-1]) + 1) if len(wanted) else slice(0, 0)
