"""The fine grid that heads are drawn on, the few strokes, and heads as height fields.

Coordinates: x to the right, y down, 0 in the middle of the head, 1 about half a picture away. Most
shapes are sums or products of a function of x and one of y, taken along two edges of the picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

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


EYE_Y = -0.01
"""Where the eyes are, in head coordinates."""

FRONT = 0.5
"""Depth of the face's surface, by which a turn of the head moves it."""

NOSE_TIP = 0.75

Term = tuple[Floats, Floats, Floats | float]
"""A bump: along x, along y, and its height."""


class Outline(NamedTuple):
    """Half-width of a shape at each row, and how it rounds off at the top and bottom."""

    half_width: Floats  # (n, height), at least a little over 0
    swell: Floats  # (n, height), 1 in the middle and 0 at top and bottom


def head_outline(
    canvas: Canvas, grow_top: Floats | float = 0.0, grow_side: Floats | float = 0.0
) -> Outline:
    """Egg: an ellipse above, a jaw below."""
    people, y = canvas.people, canvas.y
    drop = 0.035 * canvas.shots.mouth_open
    top = column(people.head_height + grow_top)
    bottom = column(people.head_height + drop)
    u = np.where(y < 0, y / top, y / bottom)
    size = np.minimum(np.abs(u), 1)
    upper = np.sqrt(np.maximum(1 - np.abs(u) ** 2.3, 0))
    square = column(people.jaw)
    jaw = np.sqrt(np.maximum(1 - size ** (2.2 + 1.6 * square), 0))
    jaw = jaw * (1 - column(people.taper) * size)
    profile = np.where(y < 0, upper, jaw)
    half_width = column(people.head_width + grow_side) * profile
    swell = np.sqrt(np.maximum(1 - size**4, 0))
    return Outline(np.maximum(half_width, 1e-3), swell)


def hair_outline(canvas: Canvas) -> Outline:
    """The head grown by the volume of the hair, hanging straight or ending in a ball."""
    people, y = canvas.people, canvas.y
    egg = head_outline(canvas, people.volume_top, people.volume_side)
    end = column(np.maximum(people.hair_end, 0.05))
    hanging = column(people.head_width + people.volume_side)
    ball = np.sqrt(np.maximum(1 - np.minimum(np.abs(y) / end, 1) ** 2, 0))
    fall = hanging * (1 - column(people.roundness) * (1 - ball))
    long = column(np.clip(people.volume_side / 0.08, 0, 1))
    below = long * fall + (1 - long) * egg.half_width
    return Outline(
        np.maximum(np.where(y < 0, egg.half_width, below), 1e-3),
        np.where(y < 0, egg.swell, 1.0),
    )


def relief(canvas: Canvas) -> Floats:
    """Bumps and hollows of the face, a sum of products of bells: (n, height, width)."""
    people, shots = canvas.people, canvas.shots
    x, y = canvas.x_at(FRONT), canvas.y_at(FRONT)
    nose_x, nose_y = canvas.x_at(NOSE_TIP), canvas.y_at(NOSE_TIP)
    tip = EYE_Y + people.nose_length
    mouth = tip + people.mouth_drop
    smile = np.maximum(shots.smile, 0)
    gap, side = column(people.eye_gap), np.abs(x)
    terms: list[Term] = []

    def add(along_x: Floats, along_y: Floats, height: Floats | float) -> None:
        terms.append((along_x, along_y, height))

    # Brow ridge, sockets and the eyeballs in them.
    ridge_y = y - column(EYE_Y - 0.13 - 0.03 * shots.brow_raise)
    add(bell(side - gap * 0.85, 0.17), bell(ridge_y, 0.075), people.brow_ridge)
    add(bell(side - gap, 0.15), bell(y - EYE_Y + 0.01, 0.085), -0.085)
    add(bell(side - gap, 0.085), bell(y - EYE_Y, 0.065), 0.045)
    # Nose: a bridge that rises to the tip, and its wings.
    along = np.clip((nose_y - (EYE_Y - 0.08)) / column(people.nose_length + 0.08), 0, 1)
    below = bell(np.maximum(nose_y - column(tip), 0), 0.045)
    add(bell(nose_x, column(people.nose_width * 1.15)), along**1.3 * below, people.nose_depth)
    wing, ball = column(people.nose_width), column(people.nose_width * 0.9)
    add(bell(nose_x, ball), bell(nose_y - column(tip - 0.02), 0.06), 0.04)
    add(bell(np.abs(nose_x) - wing, 0.04), bell(nose_y - column(tip), 0.045), 0.05)
    # Cheeks rise and round when smiling; hollows beside the mouth.
    cheek_y = column(0.19 - 0.03 * smile)
    add(bell(side - 0.27, 0.13), bell(y - cheek_y, 0.12), people.cheek + 0.035 * smile)
    add(bell(side - column(people.mouth_width + 0.09), 0.07), bell(y - column(mouth), 0.11), -0.03)
    # Lips, the groove between them and below, the chin.
    wide = column(people.mouth_width * (1 + 0.2 * smile)) * 0.75
    open_by = 0.07 * shots.mouth_open
    thick = people.lip_thick
    add(bell(x, wide), bell(y - column(mouth - 0.5 * thick), column(thick * 0.6)), 0.030)
    lower = y - column(mouth + 0.6 * thick + open_by)
    add(bell(x, wide * 0.9), bell(lower, column(thick * 0.7)), 0.036)
    add(bell(x, wide), bell(y - column(mouth), 0.016), -0.020)
    add(bell(x, 0.15), bell(y - column(mouth + 1.6 * thick + open_by), 0.035), -0.03)
    chin_y = column(people.head_height - 0.11 + 0.035 * shots.mouth_open)
    add(bell(x, 0.13), bell(y - chin_y, 0.08), people.chin)
    # Forehead.
    add(bell(x, 0.3), bell(y + 0.38, 0.2), 0.02)
    return _sum_of_products(terms)


def occlusion(canvas: Canvas) -> Floats:
    """Soft darkness where little light gets in, in [0, 1]: (n, height, width)."""
    people, shots = canvas.people, canvas.shots
    x, y = canvas.x_at(FRONT), canvas.y_at(FRONT)
    tip = column(EYE_Y + people.nose_length)
    mouth = tip + column(people.mouth_drop)
    under = column(1.7 * people.lip_thick + 0.07 * shots.mouth_open)
    side = np.abs(x)
    terms: list[Term] = [
        (bell(side - column(people.eye_gap) * 0.8, 0.11), bell(y - EYE_Y + 0.05, 0.06), 0.26),
        (bell(side - 0.095, 0.045), bell(y - EYE_Y, 0.07), 0.24),
        (bell(x, 0.10), bell(y - tip - 0.055, 0.03), 0.22),
        (bell(side - column(people.nose_width) * 1.45, 0.035), bell(y - tip + 0.01, 0.055), 0.16),
        (bell(x, 0.13), bell(y - mouth - under, 0.03), 0.24),
    ]
    return _sum_of_products(terms)


def strands(canvas: Canvas, q: Floats) -> Floats:
    """Hair texture in about [-1, 1]: locks or curls; ``q`` is x in half-widths of the hair."""
    x, y, curl = canvas.x, canvas.y, canvas.people.curl
    straight = np.sin(q * whole(15 + 3 * canvas.people.squareness))
    straight += 0.6 * np.sin(q * 37 + down(y))
    straight *= whole(0.65 * (1 - curl))
    curly = _sum_of_products([(np.sin(25 * x + 1), np.sin(23 * y) * column(curl), 1.0)])
    return straight + curly


def nose_shadow(canvas: Canvas) -> tuple[Floats, Floats, Floats, Floats]:
    """Along x and y: the nose, and the nose as thrown aside by the light."""
    people, shots = canvas.people, canvas.shots
    x, y = canvas.x_at(NOSE_TIP), canvas.y_at(NOSE_TIP)
    middle = column(EYE_Y + people.nose_length * 0.68)
    wide, high = column(people.nose_width * 1.1), column(people.nose_length * 0.42)
    throw = column(people.nose_depth * 0.62)
    to_x = throw * column(np.tan(np.clip(shots.light_azimuth, -1, 1)))
    to_y = throw * column(np.tan(np.clip(shots.light_elevation, -1, 1)))
    return (
        bell(x, wide),
        bell(y - middle, high),
        bell(x + to_x, wide),
        bell(y - middle - to_y, high),
    )


def _sum_of_products(terms: list[Term]) -> Floats:
    """Σ height · f(x) · g(y) over the whole picture, as one product of thin matrices."""
    n = len(terms[0][0])
    along_x = np.stack([term[0] for term in terms], axis=1)
    along_y = np.stack(
        [term[1] * np.broadcast_to(np.asarray(term[2], np.float32), n)[:, None] for term in terms],
        axis=2,
    )
    surface: Floats = np.matmul(along_y.astype(np.float32), along_x.astype(np.float32))
    return surface


def ellipse(
    canvas: Canvas, x: Floats, y: Floats, radius_x: Floats | float, radius_y: Floats | float
) -> Floats:
    """Coverage of an ellipse around the origin of ``x`` (n, w) and ``y`` (n, h)."""
    u, v = x / radius_x, y / radius_y
    size = float(np.min(np.minimum(radius_x, radius_y)))
    return canvas.soft((1 - across(u * u) - down(v * v)) * (0.5 * size))
