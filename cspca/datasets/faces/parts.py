"""The face: bumps and hollows, brows, eyes, nose, mouth, beard and glasses, and where hair ends.

What is painted works in the rows and columns that it needs and no others.
"""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.canvas import MIN_LINE, Canvas, bell, blend, bump, clamp, landscape
from cspca.datasets.faces.people import Floats

EYE_Y = -0.01
"""Where the eyes are, in head coordinates."""

FRONT = 0.5
"""Depth of the face's surface, by which a turn of the head moves it."""

NOSE_TIP = 0.75


def relief(canvas: Canvas) -> Floats:
    """Bumps and hollows of the face: (n, height, width)."""
    people, shots = canvas.people, canvas.shots
    x, y = canvas.x_at(FRONT), canvas.y_at(FRONT)
    nose_x, nose_y = canvas.x_at(NOSE_TIP), canvas.y_at(NOSE_TIP)
    side, gap = np.abs(x), people.eye_gap
    ridge_y = y - (EYE_Y - 0.13 - 0.03 * shots.brow_raise)
    tip = EYE_Y + people.nose_length
    # The nose is a bridge that rises to the tip, and its wings.
    along = clamp((nose_y - (EYE_Y - 0.08)) / (people.nose_length + 0.08))
    bridge_y = along**1.3 * bell(np.maximum(nose_y - tip, 0), 0.045)
    wing_x = np.abs(nose_x) - people.nose_width
    smile = np.maximum(shots.smile, 0)
    cheek_y = y - (0.19 - 0.03 * smile)
    mouth = tip + people.mouth_drop
    corner_x = side - (people.mouth_width + 0.09)
    wide = people.mouth_width * (1 + 0.2 * smile) * 0.75
    thick, open_by = people.lip_thick, 0.07 * shots.mouth_open
    lower_y = y - (mouth + 0.6 * thick + open_by)
    groove_y = y - (mouth + 1.6 * thick + open_by)
    chin_y = y - (people.head_height - 0.11 + 0.035 * shots.mouth_open)
    bumps = [
        # Brow ridge, sockets and the eyeballs in them.
        bump(side - gap * 0.85, 0.17, ridge_y, 0.075, people.brow_ridge),
        bump(side - gap, 0.15, y - EYE_Y + 0.01, 0.085, -0.085),
        bump(side - gap, 0.085, y - EYE_Y, 0.065, 0.045),
        (bell(nose_x, people.nose_width * 1.15), bridge_y, people.nose_depth),
        bump(nose_x, people.nose_width * 0.9, nose_y - (tip - 0.02), 0.06, 0.04),
        bump(wing_x, 0.04, nose_y - tip, 0.045, 0.05),
        # Cheeks rise and round when smiling; hollows beside the mouth.
        bump(side - 0.27, 0.13, cheek_y, 0.12, people.cheek + 0.035 * smile),
        bump(corner_x, 0.07, y - mouth, 0.11, -0.03),
        # Lips, the groove between them and below, the chin, the forehead.
        bump(x, wide, y - (mouth - 0.5 * thick), thick * 0.6, 0.030),
        bump(x, wide * 0.9, lower_y, thick * 0.7, 0.036),
        bump(x, wide, y - mouth, 0.016, -0.020),
        bump(x, 0.15, groove_y, 0.035, -0.03),
        bump(x, 0.13, chin_y, 0.08, people.chin),
        bump(x, 0.3, y + 0.38, 0.2, 0.02),
    ]
    return landscape(bumps)


def occlusion(canvas: Canvas) -> Floats:
    """Soft darkness where little light gets in, in [0, 1]: (n, height, width)."""
    people = canvas.people
    x, y = canvas.x_at(FRONT), canvas.y_at(FRONT)
    side = np.abs(x)
    tip = EYE_Y + people.nose_length
    under = 1.7 * people.lip_thick + 0.07 * canvas.shots.mouth_open
    bumps = [
        bump(side - people.eye_gap * 0.8, 0.11, y - EYE_Y + 0.05, 0.06, 0.26),
        bump(side - 0.095, 0.045, y - EYE_Y, 0.07, 0.24),
        bump(x, 0.10, y - tip - 0.055, 0.03, 0.22),
        bump(side - people.nose_width * 1.45, 0.035, y - tip + 0.01, 0.055, 0.16),
        bump(x, 0.13, y - (tip + people.mouth_drop) - under, 0.03, 0.24),
    ]
    return landscape(bumps)


def paint_beard(canvas: Canvas, tone: Floats) -> None:
    """Beard, moustache and goatee, as strong as each person wears them."""
    people = canvas.people
    place, x, y = canvas.window((-0.2, 0.85), (-0.6, 0.6), FRONT)
    side = np.abs(x) / people.head_width
    nose = EYE_Y + people.nose_length
    mouth = nose + people.mouth_drop
    # The edge climbs from under the mouth's corners to the ears.
    edge = mouth - 0.075 - 1.5 * np.maximum(side - 0.5, 0) ** 1.3
    full = clamp((y - edge) / 0.07 + 0.5) * people.beard
    spread = 0.22 * np.sqrt(clamp(side / 0.55)) ** 2
    band = canvas.band(y, nose + 0.055 + 0.6 * spread, mouth - 0.004 + spread)
    band *= clamp((0.55 - side) / 0.06) * people.moustache
    tuft = canvas.ellipse(x, y - mouth - 0.13, 0.165, 0.21) * people.goatee
    coverage = np.maximum(np.maximum(full, band), tuft)
    blend(tone[place], people.hair_tone * 0.9, coverage * 0.92)


def paint_eyes(canvas: Canvas, tone: Floats, shade: Floats) -> None:
    """Eyes, lids, lashes and a glint; ``shade`` is 1 where light does not fall as on skin."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((EYE_Y - 0.13, EYE_Y + 0.13), (-0.48, 0.48), FRONT)
    window = tone[place]
    aside = np.abs(x) - people.eye_gap
    t = aside / people.eye_width
    almond = 1 - t * t
    squint = 1 - 0.25 * np.maximum(shots.smile, 0)
    wide = 1 + 0.18 * np.maximum(shots.brow_raise, 0)
    height = people.eye_height * (1 - shots.eye_closure) * squint * wide
    tilt = EYE_Y - people.eye_slant * aside
    lid = people.eye_height * 0.55 * shots.eye_closure
    upper = tilt - height * 1.08 * almond + lid * almond
    lower = tilt + people.eye_height * 0.62 * squint * almond
    eye = canvas.band(y, upper, lower)
    blend(window, 0.80, eye)
    r2 = aside * aside + (y - EYE_Y + 0.006) ** 2
    for radius, grey in ((0.064, people.iris), (0.028, 0.015)):
        blend(window, grey, canvas.soft((radius**2 - r2) / (2 * radius)) * eye)
    # One glint on the same side of both eyes: it makes them look wet and awake.
    centre = np.sign(x) * people.eye_gap
    glint = canvas.ellipse(x - centre + 0.02, y - EYE_Y + 0.026, 0.014, 0.014) * eye
    blend(window, 1.0, glint)
    shade[place] = eye
    # Lashes above, the rim of the lid below, a crease over the lid.
    inside = clamp((1.08 - np.abs(t)) * 6)
    line = canvas.line(y - upper, 0.016) * inside
    blend(window, 0.04, line * 0.9)
    rim = canvas.line(lower - y, 0.006) * inside
    blend(window, people.skin * 0.45, rim * 0.35)
    crease = canvas.line(y - upper + (0.026 + 0.35 * height), 0.007)
    blend(window, people.skin * 0.5, crease * inside * 0.45)


def paint_brows(canvas: Canvas, tone: Floats) -> None:
    """Eyebrows, thinner outwards, lifted by the brow and drawn together when lowered."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((-0.36, -0.02), (-0.48, 0.48), FRONT)
    aside = np.abs(x) - people.eye_gap * 1.03
    t = aside / (people.eye_width * 1.22)
    lift = people.brow_lift + 0.055 * shots.brow_raise
    slant = people.brow_slant - 0.35 * np.minimum(shots.brow_raise, 0) * 0.6
    centre = EYE_Y - lift - people.brow_arch * (1 - t * t) - slant * aside
    thick = people.brow_thick * np.clip(1.05 - 0.4 * t, 0.4, 1.4)
    thick = thick * np.sqrt(clamp((1.02 - np.abs(t)) * 2.5))
    thick = np.maximum(thick, MIN_LINE * canvas.pixel)
    coverage = canvas.soft(thick - np.abs(y - centre))
    coverage *= clamp((1 - np.abs(t)) * 5)
    colour = np.minimum(people.hair_tone * 0.7, people.skin * 0.62)
    blend(tone[place], colour, coverage * 0.92)


def paint_mouth(canvas: Canvas, tone: Floats) -> None:
    """Lips that curve with the smile, teeth or dark between them, and folds when smiling."""
    people, shots = canvas.people, canvas.shots
    place, x, y = canvas.window((0.2, 0.72), (-0.36, 0.36), FRONT)
    window = tone[place]
    smile = shots.smile
    half = people.mouth_width * (1 + 0.22 * smile - 0.12 * shots.mouth_open)
    t = x / half
    arch = np.maximum(1 - t * t, 0)
    mouth = EYE_Y + people.nose_length + people.mouth_drop
    curve = mouth - (0.012 + 0.075 * smile) * (np.minimum(t * t, 1.3) - 0.45)
    gap = (0.095 * shots.mouth_open + 0.028 * np.maximum(smile - 0.4, 0)) * arch
    bow = 1 - 0.3 * np.exp(-((t / 0.22) ** 2))
    top = curve - people.lip_thick * 0.85 * np.sqrt(arch) * bow - 0.25 * gap
    bottom = curve + gap * 0.9 + people.lip_thick * 1.05 * np.sqrt(arch)
    lips = canvas.band(y, top, bottom) * clamp((1 - np.abs(t)) * 8)
    blend(window, people.skin * people.lip_tone, lips)
    inner_top = curve - 0.2 * gap
    inside = canvas.band(y, inner_top, curve + 0.8 * gap) * clamp(gap / (canvas.pixel * 0.8))
    blend(window, 0.03, inside)
    teeth = inside * canvas.soft(inner_top + 0.55 * gap - y)
    blend(window, 0.85, teeth * np.clip(smile * 2, 0.25, 1.0))
    line = canvas.line(y - curve, 0.011) * clamp((1.02 - np.abs(t)) * 8)
    blend(window, people.skin * 0.22, line * (1 - inside) * 0.8)
    fold = clamp(1 - np.abs(np.abs(x) - half * 1.12) / 0.05)
    fold = fold * clamp(1 - np.abs(y - mouth + 0.07) / 0.11)
    blend(window, people.skin * 0.7, fold * (np.maximum(smile, 0) * 0.45))


def paint_nostrils(canvas: Canvas, tone: Floats) -> None:
    """Two dark spots under the tip of the nose."""
    people = canvas.people
    place, x, y = canvas.window((0.15, 0.48), (-0.24, 0.24), NOSE_TIP)
    aside = np.abs(x) - people.nose_width * 0.62
    spots = canvas.ellipse(aside, y - (EYE_Y + people.nose_length + 0.025), 0.032, 0.018)
    blend(tone[place], people.skin * 0.2, spots * 0.75)


def face_opening(canvas: Canvas) -> Floats:
    """How far inside the opening of the hair: 1 in its middle, 0 at its edge, negative beyond."""
    people, y, x = canvas.people, canvas.y, canvas.x_at(0.3)
    top = -people.head_height + (1 - people.hairline) * (people.head_height - 0.16)
    middle = 0.08
    u = x / (people.opening * people.head_width)
    # A parting leans the hairline; below its middle the opening has no end.
    v = np.minimum(y - middle, 0) / (middle - top)
    lean = -people.parting * x * 0.8 * -v
    square = people.squareness
    along_x = (1 - square) * u**2 + square * u**6
    along_y = (1 - square) * v**2 + square * v**6
    inside: Floats = 1 - along_x - along_y - lean * 2.2
    return inside


def paint_glasses(canvas: Canvas, picture: Floats) -> None:
    """Dark frames around both eyes, a bridge, arms and a faint sheen; over the lit picture."""
    people, worn = canvas.people, canvas.shots.glasses
    place, x, y = canvas.window((-0.24, 0.24), (-0.62, 0.62), FRONT + 0.15)
    window = picture[place]
    side, gap = np.abs(x), people.eye_gap
    aside = side - (gap + 0.005)
    high = y - EYE_Y - 0.015
    radius = 0.168
    u, v = aside / radius, high / 0.135
    # Between an ellipse and a rounded box.
    round_ = people.glasses_round
    size = round_ * u**2 + (1 - round_) * u**4 + (round_ * v**2 + (1 - round_) * v**4)
    edge = (1 - size) * (0.15 / (2 * round_ + 4 * (1 - round_)))  # about how far inside the rim
    half_thick = max(0.021, MIN_LINE * canvas.pixel)
    frame = canvas.soft(half_thick - np.abs(edge))
    bar = canvas.soft(half_thick * 0.9 - np.abs(high + 0.045) + 0 * x)
    bridge = bar * clamp((gap - radius + 0.01 - side) * 40)
    behind = clamp((people.head_width * 0.985 - side) * 40)
    arms = bar * (clamp((side - (gap + radius)) * 40) * behind)
    lens = clamp(edge / 0.03) * worn
    sheen = clamp(1 - np.abs(aside + high + 0.05) / 0.05)
    blend(window, 0.9, lens * (0.05 + 0.13 * sheen))
    blend(window, 0.025, np.maximum(np.maximum(frame, bridge), arms) * worn)
