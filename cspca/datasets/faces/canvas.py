"""The fine grid that heads are drawn on, and the few strokes.

Coordinates: x to the right, y down, 0 in the middle of the head, 1 about half a picture away. A
number a picture has shape (n, 1, 1), what runs along x (n, 1, width), along y (n, height, 1): most
shapes are sums or products of these, which NumPy spreads over the pictures.
"""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.people import Floats, Table

ZOOM = 1.14
"""How much larger a head is drawn than its own coordinates say."""

MIN_LINE = 0.7
"""Lines are at least this many fine pixels thick: thinner ones would flicker away."""

_MIDDLE = 0.05  # heads sit a little low, to leave room for hair

Width = Floats | float
Bump = tuple[Floats, Floats, Width]
"""Along x, along y, and its height."""


class Canvas:
    """Some pictures of `fine` samples along the side of a pixel, each seen from its own head."""

    def __init__(self, people: Table, shots: Table, image_size: tuple[int, int], fine: int) -> None:
        self.people: Table = people[:, None, None]
        self.shots: Table = shots[:, None, None]
        self.pixel = 2.0 / (min(image_size) * fine * ZOOM)
        """Side of one fine pixel in head coordinates: the width of a soft edge."""
        step = 2.0 / (min(image_size) * fine)
        down, across = (
            (np.arange(side * fine, dtype=np.float32) + 0.5 - side * fine / 2) * step
            for side in image_size
        )
        size = self.shots.scale * ZOOM
        self.x: Floats = (across - self.shots.shift_x) / size
        self.y: Floats = (down[:, None] - _MIDDLE - self.shots.shift_y) / size

    def x_at(self, depth: float) -> Floats:
        """Return x as seen by a feature that stands ``depth`` in front of the neck."""
        moved: Floats = self.x - self.shots.yaw * depth
        return moved

    def y_at(self, depth: float) -> Floats:
        """Return y as seen by a feature that stands ``depth`` in front of the neck."""
        moved: Floats = self.y + self.shots.pitch * depth
        return moved

    def window(
        self, rows: tuple[float, float], columns: tuple[float, float], depth: float
    ) -> tuple[tuple[slice, ...], Floats, Floats]:
        """Return where that part of the pictures is, and its x and y at some depth."""
        down, along = self.rows(*rows), _span(self.x, self.shots.yaw, *columns)
        x, y = self.x_at(depth)[:, :, along], self.y_at(depth)[:, down]
        return (slice(None), down, along), x, y

    def rows(self, top: float, bottom: float) -> slice:
        """Rows that reach from ``top`` to ``bottom`` in the picture of any of the heads."""
        return _span(self.y, self.shots.pitch, top, bottom)

    def soft(self, inside: Floats) -> Floats:
        """Coverage in [0, 1] from the distance inside an edge; works in place."""
        inside /= self.pixel * 1.3
        inside += 0.5
        return np.clip(inside, 0, 1, out=inside)

    def band(self, y: Floats, top: Floats, bottom: Floats) -> Floats:
        """Coverage of what lies between two edges."""
        return self.soft(np.minimum(y - top, bottom - y))

    def ellipse(self, x: Floats, y: Floats, radius_x: float, radius_y: float) -> Floats:
        """Coverage of an ellipse around the origin of ``x`` and ``y``."""
        u, v = x / radius_x, y / radius_y
        return self.soft((1 - u * u - v * v) * (0.5 * min(radius_x, radius_y)))

    def line(self, distance: Floats, half_thick: float) -> Floats:
        """Coverage of a soft line where ``distance`` is 0."""
        thin = max(half_thick, MIN_LINE * self.pixel)
        # A line that had to be thickened is made fainter in proportion.
        return clamp(1.4 - np.abs(distance) / thin) * min(1.0, 0.35 + half_thick / thin)


def clamp(values: Floats) -> Floats:
    """Keep values within 0 and 1."""
    return np.clip(values, 0, 1)


def bell(values: Floats, width: Width) -> Floats:
    """exp(-(v/width)²)."""
    scaled = values / width
    return np.exp(-scaled * scaled)


def blend(below: Floats, above: float | Floats, coverage: Floats) -> None:
    """Paint ``above`` over ``below``, in place."""
    below += coverage * (above - below)


def bump(x: Floats, wide: Width, y: Floats, high: Width, height: Width) -> Bump:
    """A bell along x times a bell along y."""
    return bell(x, wide), bell(y, high), height


def landscape(bumps: list[Bump]) -> Floats:
    """Σ height · f(x) · g(y) over the whole pictures, as one product of thin matrices."""
    along_x = np.concatenate([x for x, _, _ in bumps], axis=1)
    along_y = np.concatenate([y * height for _, y, height in bumps], axis=2)
    surface: Floats = np.matmul(along_y, along_x)
    return surface


def _span(values: Floats, turn: Floats, low: float, high: float) -> slice:
    """Where any of the pictures, which are shifted copies and turned, is between two values."""
    room = 0.8 * float(np.abs(turn).max())
    least, most = values.min(axis=0).ravel(), values.max(axis=0).ravel()
    wanted = np.flatnonzero((most >= low - room) & (least <= high + room))
    return slice(int(wanted[0]), int(wanted[-1]) + 1) if len(wanted) else slice(0, 0)
