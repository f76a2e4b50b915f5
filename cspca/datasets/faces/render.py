"""From people and shots to pictures: compose, light, and average down to pixels."""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.canvas import (
    Canvas,
    across,
    bell,
    blend,
    column,
    down,
    ellipse,
    hair_outline,
    head_outline,
    nose_shadow,
    occlusion,
    relief,
    strands,
    whole,
)
from cspca.datasets.faces.parts import (
    face_opening,
    paint_beard,
    paint_brows,
    paint_eyes,
    paint_glasses,
    paint_mouth,
    paint_nostrils,
)
from cspca.datasets.faces.people import Floats, Table

BACKGROUND = 0.13
AMBIENT = 0.28
GAMMA = 1 / 1.6
_CLOTH = 0.16
_STEEPEST = 4.0
# Fine pixels drawn at once: few enough that the dozen arrays of a batch stay in the cache.
_BATCH = 60_000


def render(people: Table, shots: Table, image_size: tuple[int, int]) -> Floats:
    """Draw pictures of (height, width), a row of both each: (n, height, width) in [0, 1]."""
    height, width = image_size
    fine = Canvas(people.take(slice(0, 1)), shots.take(slice(0, 1)), image_size).oversampling
    step = max(1, _BATCH // (height * width * fine * fine))
    pictures = np.empty((len(shots), height, width), dtype=np.float32)
    for start in range(0, len(shots), step):
        rows = slice(start, start + step)
        canvas = Canvas(people.take(rows), shots.take(rows), image_size)
        pictures[rows] = _finish(_draw(canvas), canvas)
    return pictures


def _finish(lit: Floats, canvas: Canvas) -> Floats:
    """Average fine pixels and turn light into grey levels as a camera does."""
    height, width = canvas.image_size
    fine = canvas.oversampling
    coarse = lit.reshape(len(lit), height, fine, width, fine).mean(axis=(2, 4))
    grey: Floats = np.clip(coarse, 0, 1) ** np.float32(GAMMA)
    return grey


def _draw(canvas: Canvas) -> Floats:
    people = canvas.people
    x = canvas.x
    skin = whole(people.skin)

    body, surface, tone = _bust(canvas)
    outline = head_outline(canvas)
    q = across(x) * down(1 / outline.half_width)
    q2 = np.minimum(q * q, 1)
    head = canvas.soft((1 - np.abs(q)) * down(outline.half_width))
    head *= down((outline.swell > 0).astype(np.float32))
    # A little flatter in front than a ball.
    round_off = np.sqrt(1 - q2 * (0.72 + 0.28 * q2))
    face = round_off * down(0.62 * outline.swell)
    face += relief(canvas) * np.clip(round_off * 1.6 - 0.25, 0, 1)
    blend(surface, face, head)

    opening = face_opening(canvas)
    face_tone = np.broadcast_to(skin, q.shape).copy()
    shine = np.zeros_like(face_tone)
    paint_beard(canvas, face_tone)
    paint_nostrils(canvas, face_tone)
    paint_mouth(canvas, face_tone)
    paint_eyes(canvas, face_tone, shine)
    paint_brows(canvas, face_tone)
    face_tone *= 1 - occlusion(canvas) * (1 - 0.7 * shine)
    # The fringe throws a soft shadow on the forehead.
    face_tone *= 1 - whole(0.4 * people.hair) * np.clip(1 - opening * 4, 0, 1)
    blend(tone, face_tone, head)
    np.maximum(body, head, out=body)

    _comb(canvas, body, surface, tone, opening)

    lit = tone * _light(canvas, surface, head)
    paint_glasses(canvas, lit)
    background = np.full_like(lit, BACKGROUND)
    return blend(background, lit, body)


def _bust(canvas: Canvas) -> tuple[Floats, Floats, Floats]:
    """Neck, shoulders and ears, behind the head: (coverage, height, tone)."""
    people, x, y = canvas.people, canvas.x, canvas.y
    skin = whole(people.skin)
    neck_width = column(people.head_width) * 0.66
    flare = np.maximum(y - 0.72, 0)
    width = neck_width + 1.1 * flare**1.3 + 2.2 * np.maximum(y - 0.83, 0)
    q = across(x) * down(1 / width)
    coverage = canvas.soft((1 - np.abs(q)) * down(width))
    coverage *= down(np.clip((y - 0.3) * 20, 0, 1))
    surface = (np.sqrt(np.maximum(1 - q * q, 0)) - 1) * 0.35
    # Under the chin it is dark.
    gloom = np.clip(1.0 - (y - column(people.head_height) - 0.02) / 0.22, 0, 1)
    tone = skin * down(1 - 0.5 * gloom) + 0 * across(x)
    cloth = canvas.soft(down(y) - 0.9 - across(0.10 - 0.5 * np.minimum(x * x, 0.3)))
    blend(tone, _CLOTH, cloth)
    # Ears.
    rows = canvas.rows(-0.25, 0.35)
    ear_x = np.abs(x) - column(people.head_width + 0.012)
    ear_y = y[:, rows] - 0.06
    ear = ellipse(canvas, ear_x, ear_y, 0.065, 0.135)
    bowl = ellipse(canvas, ear_x - 0.012, ear_y + 0.01, 0.03, 0.075)
    window = tone[:, rows]
    blend(window, skin * (0.92 - 0.35 * bowl), ear)
    blend(surface[:, rows], 0.02 - across(ear_x * ear_x) * 8 - down(ear_y * ear_y) * 3, ear)
    np.maximum(coverage[:, rows], ear, out=coverage[:, rows])
    return coverage, surface, tone


def _comb(canvas: Canvas, body: Floats, surface: Floats, tone: Floats, opening: Floats) -> None:
    """Lay the hair over head and neck, in place."""
    people, x, y = canvas.people, canvas.x, canvas.y
    if not people.hair.any():
        return
    outline = hair_outline(canvas)
    q = across(x) * down(1 / outline.half_width)
    locks = strands(canvas, q)
    # Curls make the edge uneven.
    inside = (1 - np.abs(q)) * down(outline.half_width) + locks * whole(0.018 * people.curl)
    hair = canvas.soft(inside)
    hair *= down(np.clip((column(people.hair_end) - y) / 0.12 + 0.5, 0, 1) * (outline.swell > 0))
    # Locks hang over the edge of the opening.
    opening = opening + 0.08 * locks
    hair *= 1 - np.clip(opening * 6 + 0.5, 0, 1) * body
    hair *= whole(people.hair)
    shape = np.sqrt(1 - np.minimum(q * q, 1)) * down(0.66 * outline.swell) + 0.03
    shape += locks * whole(0.004 + 0.012 * people.curl)
    # It rises gently from the hairline: a step there would look like the rim of a cap.
    sides = down(np.clip((y + 0.3) * 5, 0, 1))
    lift = np.maximum(np.maximum(np.clip(-3 * opening, 0, 1), 1 - body), sides)
    blend(surface, shape, hair * lift)
    colour = whole(people.hair_tone) * (1 + 0.2 * locks)
    colour *= down(1 + 0.5 * bell(y + 0.5, 0.13) - 0.25 * bell(y + 0.2, 0.2))
    # Hair behind the neck is in shadow.
    colour *= 1 - 0.55 * down(np.clip((y - 0.35) * 2.5, 0, 1)) * (np.abs(q) < 0.75)
    blend(tone, colour, hair)
    np.maximum(body, hair, out=body)


def _light(canvas: Canvas, surface: Floats, head: Floats) -> Floats:
    """Lambert's law with ambient light, a soft highlight and the shadow of the nose."""
    shots = canvas.shots
    scale = whole(shots.scale) / (2 * canvas.pixel)
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
    facing = (whole(to_viewer) - slope_x * whole(to_right) + slope_y * whole(upward)) * normal
    # Clay is not black where the light only grazes it.
    direct = np.maximum(facing * 0.9 + 0.1, 0)
    direct = direct * _shadow(canvas, head)
    lit = AMBIENT * (0.6 + 0.4 * normal) + (1.08 - AMBIENT) * direct
    lit *= whole(shots.light_strength)
    gleam = np.maximum(facing, 0) ** 8
    return lit + 0.10 * gleam


def _shadow(canvas: Canvas, head: Floats) -> Floats:
    nose_x, nose_y, cast_x, cast_y = nose_shadow(canvas)
    cast = across(cast_x) * down(cast_y) - 1.3 * across(nose_x) * down(nose_y)
    return 1 - 0.62 * np.clip(cast * 1.5, 0, 1) * head
