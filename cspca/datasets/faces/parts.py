"""What is painted on a head: brows, eyes, mouth, beard, hair and glasses.

Each part works in the rows and columns that it needs and no others.
"""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.canvas import (
    EYE_Y,
    FRONT,
    NOSE_TIP,
    Canvas,
    across,
    blend,
    column,
    down,
    ellipse,
    whole,
)
from cspca.datasets.faces.people import Floats

MIN_LINE = 0.7
"""Lines are at least this many fine pixels thick: thinner ones would flicker away."""


def paint_beard(canvas: Canvas, tone: Floats) -> None:
    """Beard, moustache and goatee, as strong as each person wears them."""
    people = canvas.people
    place, x, y = canvas.window((-0.2, 0.85), (-0.6, 0.6), FRONT)
    side = np.abs(x) / column(people.head_width)
    nose = column(EYE_Y + people.nose_length)
    mouth = nose + column(people.mouth_drop)
    window = tone[place]
    # The edge climbs from under the mouth's corners to the ears.
    edge = mouth - 0.075 - 1.5 * np.maximum(side - 0.5, 0) ** 1.3
    full = np.clip((down(y) - across(edge)) / 0.07 + 0.5, 0, 1) * whole(people.beard)
    spread = 0.22 * np.sqrt(np.clip(side / 0.55, 0, 1)) ** 2
    upper, lower = nose + 0.055 + 0.6 * spread, mouth - 0.004 + spread
    band = canvas.soft(np.minimum(down(y) - across(upper), across(lower) - down(y)))
    band *= across(np.clip((0.55 - side) / 0.06, 0, 1)) * whole(people.moustache)
    tuft = ellipse(canvas, x, y - mouth - 0.13, 0.165, 0.21) * whole(people.goatee)
    coverage = np.maximum(np.maximum(full, band), tuft)
    blend(window, whole(people.hair_tone * 0.9), coverage * 0.92)


def paint_eyes(canvas: Canvas, tone: Floats, shade: Floats) -> None:
    """Eyes, lids, lashes and a glint; ``shade`` is 1 where light does not fall as on skin."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((EYE_Y - 0.13, EYE_Y + 0.13), (-0.48, 0.48), FRONT)
    window = tone[place]
    aside = np.abs(x) - column(people.eye_gap)
    t = aside / column(people.eye_width)
    almond = 1 - t * t
    squint = 1 - 0.25 * np.maximum(shots.smile, 0)
    wide = 1 + 0.18 * np.maximum(shots.brow_raise, 0)
    height = people.eye_height * (1 - shots.eye_closure) * squint * wide
    tilt = EYE_Y - column(people.eye_slant) * aside
    lower = tilt + column(people.eye_height * 0.62 * squint) * almond
    upper = (
        tilt
        - column(height * 1.08) * almond
        + column(people.eye_height * 0.55 * shots.eye_closure) * almond
    )
    from_top, from_bottom = down(y) - across(upper), across(lower) - down(y)
    eye = canvas.soft(np.minimum(from_top, from_bottom))
    blend(window, 0.80, eye)
    radius = 0.064
    r2 = across(aside * aside) + down((y - EYE_Y + 0.006) ** 2)
    disc = canvas.soft((radius**2 - r2) / (2 * radius)) * eye
    blend(window, whole(people.iris), disc)
    pupil = canvas.soft((0.028**2 - r2) / (2 * 0.028)) * eye
    blend(window, 0.015, pupil)
    # One glint on the same side of both eyes: it makes them look wet and awake.
    centre = np.sign(x) * column(people.eye_gap)
    glint = ellipse(canvas, x - centre + 0.02, y - EYE_Y + 0.026, 0.014, 0.014) * eye
    blend(window, 1.0, glint)
    shade[place] = eye
    # Lashes above, the rim of the lid below, a crease over the lid.
    inside = np.clip((1.08 - np.abs(t)) * 6, 0, 1)
    line = _line(canvas, from_top, 0.016) * across(inside)
    blend(window, 0.04, line * 0.9)
    rim = _line(canvas, from_bottom, 0.006) * across(inside)
    blend(window, whole(people.skin * 0.45), rim * 0.35)
    crease = _line(canvas, from_top + whole(0.026 + 0.35 * height), 0.007)
    blend(window, whole(people.skin * 0.5), crease * across(inside) * 0.45)


def paint_brows(canvas: Canvas, tone: Floats) -> None:
    """Eyebrows, thinner outwards, lifted by the brow and drawn together when lowered."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((-0.36, -0.02), (-0.48, 0.48), FRONT)
    aside = np.abs(x) - column(people.eye_gap * 1.03)
    half = column(people.eye_width * 1.22)
    t = aside / half
    lift = people.brow_lift + 0.055 * shots.brow_raise
    slant = column(people.brow_slant - 0.35 * np.minimum(shots.brow_raise, 0) * 0.6)
    centre = EYE_Y - column(lift) - column(people.brow_arch) * (1 - t * t) - slant * aside
    thick = column(people.brow_thick) * np.clip(1.05 - 0.4 * t, 0.4, 1.4)
    thick = thick * np.sqrt(np.clip((1.02 - np.abs(t)) * 2.5, 0, 1))
    thick = np.maximum(thick, MIN_LINE * canvas.pixel)
    coverage = canvas.soft(across(thick) - np.abs(down(y) - across(centre)))
    coverage *= across(np.clip((1 - np.abs(t)) * 5, 0, 1))
    colour = np.minimum(people.hair_tone * 0.7, people.skin * 0.62)
    blend(tone[place], whole(colour), coverage * 0.92)


def paint_mouth(canvas: Canvas, tone: Floats) -> None:
    """Lips that curve with the smile, and teeth or dark between them."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((0.2, 0.72), (-0.36, 0.36), FRONT)
    window = tone[place]
    smile = shots.smile
    half = column(people.mouth_width * (1 + 0.22 * smile - 0.12 * shots.mouth_open))
    t = x / half
    arch = np.maximum(1 - t * t, 0)
    mouth = column(EYE_Y + people.nose_length + people.mouth_drop)
    curve = mouth - column(0.012 + 0.075 * smile) * (np.minimum(t * t, 1.3) - 0.45)
    gap = column(0.095 * shots.mouth_open + 0.028 * np.maximum(smile - 0.4, 0)) * arch
    bow = 1 - 0.3 * np.exp(-((t / 0.22) ** 2))
    top = curve - column(people.lip_thick * 0.85) * np.sqrt(arch) * bow - 0.25 * gap
    bottom = curve + gap * 0.9 + column(people.lip_thick * 1.05) * np.sqrt(arch)
    lips = canvas.soft(np.minimum(down(y) - across(top), across(bottom) - down(y)))
    lips *= across(np.clip((1 - np.abs(t)) * 8, 0, 1))
    blend(window, whole(people.skin * people.lip_tone), lips)
    inner_top, inner_bottom = curve - 0.2 * gap, curve + 0.8 * gap
    inside = canvas.soft(
        np.minimum(down(y) - across(inner_top), across(inner_bottom) - down(y))
    ) * across(np.clip(gap / (canvas.pixel * 0.8), 0, 1))
    blend(window, 0.03, inside)
    showing = np.clip(smile * 2, 0.25, 1.0)
    teeth = inside * canvas.soft(across(inner_top + 0.55 * gap) - down(y))
    blend(window, 0.85, teeth * whole(showing))
    ends = np.clip((1.02 - np.abs(t)) * 8, 0, 1)
    line = _line(canvas, down(y) - across(curve), 0.011) * across(ends)
    blend(window, whole(people.skin * 0.22), line * (1 - inside) * 0.8)
    # Folds from the nose past the mouth when smiling, and the nostrils.
    fold_at = np.abs(np.abs(x) - half * 1.12)
    fold = across(np.clip(1 - fold_at / 0.05, 0, 1)) * down(
        np.clip(1 - np.abs(y - mouth + 0.07) / 0.11, 0, 1)
    )
    blend(window, whole(people.skin * 0.7), fold * whole(np.maximum(smile, 0) * 0.45))


def paint_nostrils(canvas: Canvas, tone: Floats) -> None:
    """Two dark spots under the tip of the nose."""
    people = canvas.people
    place, x, y = canvas.window((0.15, 0.48), (-0.24, 0.24), NOSE_TIP)
    aside = np.abs(x) - column(people.nose_width * 0.62)
    tip = column(EYE_Y + people.nose_length + 0.025)
    spots = ellipse(canvas, aside, y - tip, 0.032, 0.018)
    blend(tone[place], whole(people.skin * 0.2), spots * 0.75)


def face_opening(canvas: Canvas) -> Floats:
    """How far inside the opening of the hair: 1 in its middle, 0 at its edge, negative beyond."""
    people, y, x = canvas.people, canvas.y, canvas.x_at(0.3)
    half = column(people.opening * people.head_width)
    crown = -(people.head_height)
    top = column(crown + (1 - people.hairline) * (people.head_height - 0.16))
    middle = 0.08
    u = x / half
    # A parting leans the hairline; below its middle the opening has no end.
    v = np.minimum(y - middle, 0) / (middle - top)
    lean = across(-column(people.parting) * x * 0.8) * down(-v)
    square = column(people.squareness)
    along_x = (1 - square) * u**2 + square * u**6
    along_y = (1 - square) * v**2 + square * v**6
    inside: Floats = 1 - across(along_x) - down(along_y) - lean * 2.2
    return inside


def paint_glasses(canvas: Canvas, picture: Floats) -> None:
    """Dark frames around both eyes, a bridge, arms and a faint sheen; over the lit picture."""
    people = canvas.people
    worn = canvas.shots.glasses
    place, x, y = canvas.window((-0.24, 0.24), (-0.62, 0.62), FRONT + 0.15)
    window = picture[place]
    aside = np.abs(x) - column(people.eye_gap + 0.005)
    high = y - EYE_Y - 0.015
    radius_x, radius_y = 0.168, 0.135
    u, v = aside / radius_x, high / radius_y
    round_ = column(people.glasses_round)
    # Between an ellipse and a rounded box.
    size = across(round_ * u**2 + (1 - round_) * u**4) + down(round_ * v**2 + (1 - round_) * v**4)
    slope = whole(2 * people.glasses_round + 4 * (1 - people.glasses_round))
    edge = (1 - size) * (0.15 / slope)  # about the distance inside the rim
    half_thick = max(0.021, MIN_LINE * canvas.pixel)
    frame = canvas.soft(half_thick - np.abs(edge))
    bar = canvas.soft(half_thick * 0.9 - np.abs(down(high + 0.045)) + 0 * across(x))
    bridge = bar * across(
        np.clip((column(people.eye_gap) - radius_x + 0.01 - np.abs(x)) * 40, 0, 1)
    )
    outer = column(people.eye_gap) + radius_x
    arms = bar * across(
        np.clip((np.abs(x) - outer) * 40, 0, 1)
        * np.clip((column(people.head_width) * 0.985 - np.abs(x)) * 40, 0, 1)
    )
    lens = np.clip(edge / 0.03, 0, 1) * whole(worn)
    sheen = np.clip(1 - np.abs(across(aside) + down(high) + 0.05) / 0.05, 0, 1)
    blend(window, 0.9, lens * (0.05 + 0.13 * sheen))
    blend(window, 0.025, np.maximum(np.maximum(frame, bridge), arms) * whole(worn))


def _line(canvas: Canvas, distance: Floats, half_thick: float) -> Floats:
    """Coverage of a soft line where ``distance`` is 0."""
    thin = max(half_thick, MIN_LINE * canvas.pixel)
    # A line that had to be thickened is made fainter in proportion.
    return np.clip(1.4 - np.abs(distance) / thin, 0, 1) * min(1.0, 0.35 + half_thick / thin)
