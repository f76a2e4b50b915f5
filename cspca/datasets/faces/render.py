"""From people and shots to pictures: compose, light, and average down to pixels."""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces import parts
from cspca.datasets.faces.canvas import Canvas, bell, blend, clamp
from cspca.datasets.faces.people import Floats, Table

MIN_FINE = 48
"""Least number of fine samples along the shorter side of a picture."""

_AMBIENT = 0.28
_BACKGROUND = 0.13
_GAMMA = 1 / 1.6
_CLOTH = 0.16
_STEEPEST = 4.0
# Fine pixels drawn at once: few enough that the dozen arrays of a batch stay in the cache.
_BATCH = 60_000


def render(people: Table, shots: Table, image_size: tuple[int, int]) -> Floats:
    """Draw pictures of (height, width), a row of both each: (n, height, width) in [0, 1]."""
    height, width = image_size
    fine = max(2, -(-MIN_FINE // min(image_size)))
    step = max(1, _BATCH // (height * width * fine * fine))
    pictures = np.empty((len(shots), height, width), dtype=np.float32)
    for start in range(0, len(shots), step):
        rows = slice(start, start + step)
        lit = _draw(Canvas(people[rows], shots[rows], image_size, fine))
        coarse = lit.reshape(len(lit), height, fine, width, fine).mean(axis=(2, 4))
        # Light becomes grey levels as in a camera.
        pictures[rows] = clamp(coarse) ** np.float32(_GAMMA)
    return pictures


def _draw(canvas: Canvas) -> Floats:
    """Compose the parts from back to front, and light them."""
    people = canvas.people
    body, surface, tone = _bust(canvas)
    half_width, swell = _head_outline(canvas)
    q = canvas.x * (1 / half_width)
    q2 = np.minimum(q * q, 1)
    head = canvas.soft((1 - np.abs(q)) * half_width)
    head *= (swell > 0).astype(np.float32)
    # A little flatter in front than a ball.
    round_off = np.sqrt(1 - q2 * (0.72 + 0.28 * q2))
    face = round_off * (0.62 * swell)
    face += parts.relief(canvas) * clamp(round_off * 1.6 - 0.25)
    blend(surface, face, head)

    opening = parts.face_opening(canvas)
    face_tone = np.broadcast_to(people.skin, q.shape).copy()
    shine = np.zeros_like(face_tone)
    parts.paint_beard(canvas, face_tone)
    parts.paint_nostrils(canvas, face_tone)
    parts.paint_mouth(canvas, face_tone)
    parts.paint_eyes(canvas, face_tone, shine)
    parts.paint_brows(canvas, face_tone)
    face_tone *= 1 - parts.occlusion(canvas) * (1 - 0.7 * shine)
    # The fringe throws a soft shadow on the forehead.
    face_tone *= 1 - 0.4 * people.hair * clamp(1 - opening * 4)
    blend(tone, face_tone, head)
    np.maximum(body, head, out=body)
    if people.hair.any():
        _comb(canvas, body, surface, tone, opening)

    lit = tone * _light(canvas, surface, head)
    parts.paint_glasses(canvas, lit)
    picture = np.full_like(lit, _BACKGROUND)
    blend(picture, lit, body)
    return picture


def _head_outline(
    canvas: Canvas, grow_top: Floats | float = 0.0, grow_side: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Egg, an ellipse above, a jaw below: half its width at each row, and 1 to 0 at its ends."""
    people, y = canvas.people, canvas.y
    drop = 0.035 * canvas.shots.mouth_open
    u = np.where(y < 0, y / (people.head_height + grow_top), y / (people.head_height + drop))
    size = np.minimum(np.abs(u), 1)
    upper = np.sqrt(np.maximum(1 - np.abs(u) ** 2.3, 0))
    jaw = np.sqrt(np.maximum(1 - size ** (2.2 + 1.6 * people.jaw), 0))
    jaw = jaw * (1 - people.taper * size)
    half_width = (people.head_width + grow_side) * np.where(y < 0, upper, jaw)
    swell = np.sqrt(np.maximum(1 - size**4, 0))
    return np.maximum(half_width, 1e-3), swell


def _hair_outline(canvas: Canvas) -> tuple[Floats, Floats]:
    """The head grown by the volume of the hair, hanging straight or ending in a ball."""
    people, y = canvas.people, canvas.y
    egg, swell = _head_outline(canvas, people.volume_top, people.volume_side)
    end = np.maximum(people.hair_end, 0.05)
    ball = np.sqrt(np.maximum(1 - np.minimum(np.abs(y) / end, 1) ** 2, 0))
    hanging = people.head_width + people.volume_side
    fall = hanging * (1 - people.roundness * (1 - ball))
    long = clamp(people.volume_side / 0.08)
    below = long * fall + (1 - long) * egg
    half_width = np.where(y < 0, egg, below)
    return np.maximum(half_width, 1e-3), np.where(y < 0, swell, 1.0)


def _strands(canvas: Canvas, q: Floats) -> Floats:
    """Hair texture in about [-1, 1]: locks or curls; ``q`` is x in half-widths of the hair."""
    x, y, people = canvas.x, canvas.y, canvas.people
    straight: Floats = np.sin(q * (15 + 3 * people.squareness))
    straight += 0.6 * np.sin(q * 37 + y)
    straight *= 0.65 * (1 - people.curl)
    straight += np.sin(25 * x + 1) * (np.sin(23 * y) * people.curl)
    return straight


def _bust(canvas: Canvas) -> tuple[Floats, Floats, Floats]:
    """Neck, shoulders and ears, behind the head: (coverage, height, tone)."""
    people, x, y = canvas.people, canvas.x, canvas.y
    flare = np.maximum(y - 0.72, 0)
    width = people.head_width * 0.66 + 1.1 * flare**1.3 + 2.2 * np.maximum(y - 0.83, 0)
    q = x * (1 / width)
    coverage = canvas.soft((1 - np.abs(q)) * width)
    coverage *= clamp((y - 0.3) * 20)
    surface = (np.sqrt(np.maximum(1 - q * q, 0)) - 1) * 0.35
    # Under the chin it is dark.
    gloom = clamp(1.0 - (y - people.head_height - 0.02) / 0.22)
    tone = people.skin * (1 - 0.5 * gloom) + 0 * x
    cloth = canvas.soft(y - 0.9 - (0.10 - 0.5 * np.minimum(x * x, 0.3)))
    blend(tone, _CLOTH, cloth)
    # Ears.
    rows = canvas.rows(-0.25, 0.35)
    ear_x = np.abs(x) - (people.head_width + 0.012)
    ear_y = y[:, rows] - 0.06
    ear = canvas.ellipse(ear_x, ear_y, 0.065, 0.135)
    bowl = canvas.ellipse(ear_x - 0.012, ear_y + 0.01, 0.03, 0.075)
    blend(tone[:, rows], people.skin * (0.92 - 0.35 * bowl), ear)
    blend(surface[:, rows], 0.02 - ear_x * ear_x * 8 - ear_y * ear_y * 3, ear)
    np.maximum(coverage[:, rows], ear, out=coverage[:, rows])
    return coverage, surface, tone


def _comb(canvas: Canvas, body: Floats, surface: Floats, tone: Floats, opening: Floats) -> None:
    """Lay the hair over head and neck, in place."""
    people, y = canvas.people, canvas.y
    half_width, swell = _hair_outline(canvas)
    q = canvas.x * (1 / half_width)
    locks = _strands(canvas, q)
    # Curls make the edge uneven.
    hair = canvas.soft((1 - np.abs(q)) * half_width + locks * (0.018 * people.curl))
    hair *= clamp((people.hair_end - y) / 0.12 + 0.5) * (swell > 0)
    # Locks hang over the edge of the opening.
    opening = opening + 0.08 * locks
    hair *= 1 - clamp(opening * 6 + 0.5) * body
    hair *= people.hair
    shape = np.sqrt(1 - np.minimum(q * q, 1)) * (0.66 * swell) + 0.03
    shape += locks * (0.004 + 0.012 * people.curl)
    # It rises gently from the hairline: a step there would look like the rim of a cap.
    lift = np.maximum(np.maximum(clamp(-3 * opening), 1 - body), clamp((y + 0.3) * 5))
    blend(surface, shape, hair * lift)
    colour = people.hair_tone * (1 + 0.2 * locks)
    colour *= 1 + 0.5 * bell(y + 0.5, 0.13) - 0.25 * bell(y + 0.2, 0.2)
    # Hair behind the neck is in shadow.
    colour *= 1 - 0.55 * clamp((y - 0.35) * 2.5) * (np.abs(q) < 0.75)
    blend(tone, colour, hair)
    np.maximum(body, hair, out=body)


def _light(canvas: Canvas, surface: Floats, head: Floats) -> Floats:
    """Lambert's law with ambient light, a soft highlight and the shadow of the nose."""
    shots = canvas.shots
    scale = shots.scale / (2 * canvas.pixel)
    slope_x, slope_y = np.zeros_like(surface), np.zeros_like(surface)
    slope_x[:, :, 1:-1] = (surface[:, :, 2:] - surface[:, :, :-2]) * scale
    slope_y[:, 1:-1, :] = (surface[:, 2:, :] - surface[:, :-2, :]) * scale
    # The steps between one part and another are no slopes that light could fall on.
    np.clip(slope_x, -_STEEPEST, _STEEPEST, out=slope_x)
    np.clip(slope_y, -_STEEPEST, _STEEPEST, out=slope_y)
    level, turn = np.cos(shots.light_elevation), shots.light_azimuth
    to_right, to_viewer = level * np.sin(turn), level * np.cos(turn)
    upward = np.sin(shots.light_elevation)
    normal = 1 / np.sqrt(1 + slope_x * slope_x + slope_y * slope_y)
    facing = (to_viewer - slope_x * to_right + slope_y * upward) * normal
    # Clay is not black where the light only grazes it.
    direct = np.maximum(facing * 0.9 + 0.1, 0)
    direct = direct * (1 - 0.62 * _nose_shadow(canvas) * head)
    lit: Floats = _AMBIENT * (0.6 + 0.4 * normal) + (1.08 - _AMBIENT) * direct
    lit *= shots.light_strength
    lit += 0.10 * np.maximum(facing, 0) ** 8
    return lit


def _nose_shadow(canvas: Canvas) -> Floats:
    """Where the nose is thrown by the light and does not stand itself, in [0, 1]."""
    people, shots = canvas.people, canvas.shots
    x = canvas.x_at(parts.NOSE_TIP)
    y = canvas.y_at(parts.NOSE_TIP) - (parts.EYE_Y + people.nose_length * 0.68)
    wide, high = people.nose_width * 1.1, people.nose_length * 0.42
    throw = people.nose_depth * 0.62
    to_x = throw * np.tan(np.clip(shots.light_azimuth, -1, 1))
    to_y = throw * np.tan(np.clip(shots.light_elevation, -1, 1))
    cast = bell(x + to_x, wide) * bell(y - to_y, high)
    return clamp((cast - 1.3 * bell(x, wide) * bell(y, high)) * 1.5)
