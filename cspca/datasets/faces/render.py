"""From people and shots to pictures: heads are composed, lit, and averaged down to pixels.

Coordinates: x to the right, y down, 0 in the middle of the head, 1 about half a picture away. A
number a picture has shape (n, 1, 1), what runs along x (n, 1, width), along y (n, height, 1): most
shapes are sums or products of these, which NumPy spreads over the pictures. What is painted works
in the rows and columns that it needs and no others.
"""

from __future__ import annotations

import numpy as np

from cspca.datasets.faces.people import Floats, Table

Width = Floats | float
Bump = tuple[Floats, Floats]  # along x, and along y

ZOOM = 1.14  # how much larger a head is drawn than its own coordinates say
MIN_LINE = 0.7  # fine pixels: thinner lines would flicker away
MIN_FINE = 48  # fine pixels along the shorter side of a picture, at least
# Fine pixels drawn at once: few enough that the dozen arrays of a batch stay in the cache.
_BATCH = 60_000

# Where the eyes are, and how far in front of the neck a part stands: a turn of the head moves it.
EYE_Y = -0.01
FRONT = 0.5
NOSE_TIP = 0.75

_LEVELS = 2.0**20
_AMBIENT = 0.28
_STEEPEST = 4.0


def render(people: Table, shots: Table, image_size: tuple[int, int]) -> Floats:
    """Draw pictures of (height, width), a row of both each: (n, height, width) in [0, 1]."""
    height, width = image_size
    fine = max(2, -(-MIN_FINE // min(image_size)))
    step = max(1, _BATCH // (height * width * fine * fine))
    pictures = np.empty((len(shots), height, width), dtype=np.float64)
    for start in range(0, len(shots), step):
        rows = slice(start, start + step)
        lit = _draw(Heads(people[rows], shots[rows], image_size, fine))
        coarse = lit.reshape(len(lit), height, fine, width, fine).mean(axis=(2, 4))
        # Light becomes grey levels as in a camera.
        pictures[rows] = clamp(coarse) ** (1 / 1.6)
    # Other processors differ in the last of sixteen digits: the pictures are the same, to the bit.
    return np.round(pictures * _LEVELS) / _LEVELS


def _draw(heads: Heads) -> Floats:
    """Compose the parts from back to front, and light them."""
    body, surface, tone = _bust(heads)
    half_width, swell = _head_outline(heads)
    q = heads.x * (1 / half_width)
    q2 = np.minimum(q * q, 1)
    head = heads.soft((1 - np.abs(q)) * half_width)
    head *= swell > 0
    # A little flatter in front than a ball.
    round_off = np.sqrt(1 - q2 * (0.72 + 0.28 * q2))
    face = round_off * (0.62 * swell)
    face += relief(heads) * clamp(round_off * 1.6 - 0.25)
    blend(surface, face, head)

    opening = face_opening(heads)
    face_tone = np.broadcast_to(heads.skin, q.shape).copy()
    shine = np.zeros_like(face_tone)
    paint_beard(heads, face_tone)
    paint_nostrils(heads, face_tone)
    paint_mouth(heads, face_tone)
    paint_eyes(heads, face_tone, shine)
    paint_brows(heads, face_tone)
    face_tone *= 1 - occlusion(heads) * (1 - 0.7 * shine)
    # The fringe throws a soft shadow on the forehead.
    face_tone *= 1 - 0.4 * heads.hair * clamp(1 - opening * 4)
    blend(tone, face_tone, head)
    np.maximum(body, head, out=body)
    if heads.hair.any():
        _comb(heads, body, surface, tone, opening)

    lit = tone * _light(heads, surface, head)
    paint_glasses(heads, lit)
    picture = np.full_like(lit, 0.13)
    blend(picture, lit, body)
    return picture


class Heads:
    """Some pictures of `fine` samples along the side of a pixel, each seen from its own head.

    Every column of people and shots is an attribute, (n, 1, 1).
    """

    def __init__(self, people: Table, shots: Table, image_size: tuple[int, int], fine: int) -> None:
        self._columns: dict[str, Floats] = {
            name: table[name][:, None, None].astype(np.float64)
            for table in (people, shots)
            for name in table.dtype.names
        }
        step = 2.0 / (min(image_size) * fine)
        # Side of one fine pixel in head coordinates: the width of a soft edge.
        self.pixel = 2.0 / (min(image_size) * fine * ZOOM)
        down, across = (
            (np.arange(side * fine) + 0.5 - side * fine / 2) * step for side in image_size
        )
        size = self.scale * ZOOM
        self.x: Floats = (across - self.shift_x) / size
        # Heads sit a little low, to leave room for hair.
        self.y: Floats = (down[:, None] - 0.05 - self.shift_y) / size
        self.tip = EYE_Y + self.nose_length
        self.mouth = self.tip + self.mouth_drop

    def __getattr__(self, name: str) -> Floats:
        return self._columns[name]

    def at(self, depth: float) -> tuple[Floats, Floats]:
        """Return x and y as seen by a feature that stands ``depth`` in front of the neck."""
        return self.x - self.yaw * depth, self.y + self.pitch * depth

    def window(
        self, rows: tuple[float, float], columns: tuple[float, float], depth: float
    ) -> tuple[tuple[slice, ...], Floats, Floats]:
        """Return where that part of the pictures is, and its x and y at some depth."""
        down, along = self.rows(*rows), _span(self.x, self.yaw, *columns)
        x, y = self.at(depth)
        return (slice(None), down, along), x[:, :, along], y[:, down]

    def rows(self, top: float, bottom: float) -> slice:
        """Rows that reach from ``top`` to ``bottom`` in the picture of any of the heads."""
        return _span(self.y, self.pitch, top, bottom)

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


def _span(values: Floats, turn: Floats, low: float, high: float) -> slice:
    """Where any of the pictures, which are shifted copies and turned, is between two values."""
    room = 0.8 * float(np.abs(turn).max())
    least, most = values.min(axis=0).ravel(), values.max(axis=0).ravel()
    wanted = np.flatnonzero((most >= low - room) & (least <= high + room))
    return slice(int(wanted[0]), int(wanted[-1]) + 1) if len(wanted) else slice(0, 0)


def clamp(values: Floats) -> Floats:
    """Keep values within 0 and 1."""
    return np.clip(values, 0, 1)


def bell(values: Floats, width: Width) -> Floats:
    """exp(-(v/width)²)."""
    scaled = values / width
    return np.exp(-scaled * scaled)


def blend(below: Floats, above: Width, coverage: Floats) -> None:
    """Paint ``above`` over ``below``, in place."""
    below += coverage * (above - below)


def bump(x: Floats, wide: Width, y: Floats, high: Width, height: Width) -> Bump:
    """A bell along x times a bell along y."""
    return bell(x, wide), bell(y, high) * height


def landscape(*bumps: Bump) -> Floats:
    """The sum of bumps over the whole pictures, as one product of thin matrices."""
    along_x, along_y = zip(*bumps, strict=True)
    surface: Floats = np.concatenate(along_y, axis=2) @ np.concatenate(along_x, axis=1)
    return surface


def relief(heads: Heads) -> Floats:
    """Bumps and hollows of the face: (n, height, width)."""
    (x, y), (nose_x, nose_y) = heads.at(FRONT), heads.at(NOSE_TIP)
    side, gap = np.abs(x), heads.eye_gap
    ridge_y = y - (EYE_Y - 0.13 - 0.03 * heads.brow_raise)
    tip, mouth = heads.tip, heads.mouth
    # The nose is a bridge that rises to the tip, and its wings.
    along = clamp((nose_y - (EYE_Y - 0.08)) / (heads.nose_length + 0.08))
    bridge_y = along**1.3 * bell(np.maximum(nose_y - tip, 0), 0.045)
    wing_x = np.abs(nose_x) - heads.nose_width
    smile = np.maximum(heads.smile, 0)
    cheek_y = y - (0.19 - 0.03 * smile)
    corner_x = side - (heads.mouth_width + 0.09)
    wide = heads.mouth_width * (1 + 0.2 * smile) * 0.75
    thick, open_by = heads.lip_thick, 0.07 * heads.mouth_open
    lower_y = y - (mouth + 0.6 * thick + open_by)
    groove_y = y - (mouth + 1.6 * thick + open_by)
    chin_y = y - (heads.head_height - 0.11 + 0.035 * heads.mouth_open)
    return landscape(
        # Brow ridge, sockets and the eyeballs in them.
        bump(side - gap * 0.85, 0.17, ridge_y, 0.075, heads.brow_ridge),
        bump(side - gap, 0.15, y - EYE_Y + 0.01, 0.085, -0.085),
        bump(side - gap, 0.085, y - EYE_Y, 0.065, 0.045),
        (bell(nose_x, heads.nose_width * 1.15), bridge_y * heads.nose_depth),
        bump(nose_x, heads.nose_width * 0.9, nose_y - (tip - 0.02), 0.06, 0.04),
        bump(wing_x, 0.04, nose_y - tip, 0.045, 0.05),
        # Cheeks rise and round when smiling; hollows beside the mouth.
        bump(side - 0.27, 0.13, cheek_y, 0.12, heads.cheek + 0.035 * smile),
        bump(corner_x, 0.07, y - mouth, 0.11, -0.03),
        # Lips, the groove between them and below, the chin, the forehead.
        bump(x, wide, y - (mouth - 0.5 * thick), thick * 0.6, 0.030),
        bump(x, wide * 0.9, lower_y, thick * 0.7, 0.036),
        bump(x, wide, y - mouth, 0.016, -0.020),
        bump(x, 0.15, groove_y, 0.035, -0.03),
        bump(x, 0.13, chin_y, 0.08, heads.chin),
        bump(x, 0.3, y + 0.38, 0.2, 0.02),
    )


def occlusion(heads: Heads) -> Floats:
    """Soft darkness where little light gets in, in [0, 1]: (n, height, width)."""
    x, y = heads.at(FRONT)
    side, tip = np.abs(x), heads.tip
    under = 1.7 * heads.lip_thick + 0.07 * heads.mouth_open
    return landscape(
        bump(side - heads.eye_gap * 0.8, 0.11, y - EYE_Y + 0.05, 0.06, 0.26),
        bump(side - 0.095, 0.045, y - EYE_Y, 0.07, 0.24),
        bump(x, 0.10, y - tip - 0.055, 0.03, 0.22),
        bump(side - heads.nose_width * 1.45, 0.035, y - tip + 0.01, 0.055, 0.16),
        bump(x, 0.13, y - heads.mouth - under, 0.03, 0.24),
    )


def paint_beard(heads: Heads, tone: Floats) -> None:
    """Beard, moustache and goatee, as strong as each person wears them."""
    place, x, y = heads.window((-0.2, 0.85), (-0.6, 0.6), FRONT)
    side = np.abs(x) / heads.head_width
    nose, mouth = heads.tip, heads.mouth
    # The edge climbs from under the mouth's corners to the ears.
    edge = mouth - 0.075 - 1.5 * np.maximum(side - 0.5, 0) ** 1.3
    full = clamp((y - edge) / 0.07 + 0.5) * heads.beard
    spread = 0.22 * np.sqrt(clamp(side / 0.55)) ** 2
    band = heads.band(y, nose + 0.055 + 0.6 * spread, mouth - 0.004 + spread)
    band *= clamp((0.55 - side) / 0.06) * heads.moustache
    tuft = heads.ellipse(x, y - mouth - 0.13, 0.165, 0.21) * heads.goatee
    coverage = np.maximum(np.maximum(full, band), tuft)
    blend(tone[place], heads.hair_tone * 0.9, coverage * 0.92)


def paint_eyes(heads: Heads, tone: Floats, shade: Floats) -> None:
    """Eyes, lids, lashes and a glint; ``shade`` is 1 where light does not fall as on skin."""
    place, x, y = heads.window((EYE_Y - 0.13, EYE_Y + 0.13), (-0.48, 0.48), FRONT)
    window = tone[place]
    aside = np.abs(x) - heads.eye_gap
    t = aside / heads.eye_width
    almond = 1 - t * t
    squint = 1 - 0.25 * np.maximum(heads.smile, 0)
    wide = 1 + 0.18 * np.maximum(heads.brow_raise, 0)
    height = heads.eye_height * (1 - heads.eye_closure) * squint * wide
    tilt = EYE_Y - heads.eye_slant * aside
    lid = heads.eye_height * 0.55 * heads.eye_closure
    upper = tilt - height * 1.08 * almond + lid * almond
    lower = tilt + heads.eye_height * 0.62 * squint * almond
    eye = heads.band(y, upper, lower)
    blend(window, 0.80, eye)
    r2 = aside * aside + (y - EYE_Y + 0.006) ** 2
    for radius, grey in ((0.064, heads.iris), (0.028, 0.015)):
        blend(window, grey, heads.soft((radius**2 - r2) / (2 * radius)) * eye)
    # One glint on the same side of both eyes: it makes them look wet and awake.
    centre = np.sign(x) * heads.eye_gap
    glint = heads.ellipse(x - centre + 0.02, y - EYE_Y + 0.026, 0.014, 0.014) * eye
    blend(window, 1.0, glint)
    shade[place] = eye
    # Lashes above, the rim of the lid below, a crease over the lid.
    inside = clamp((1.08 - np.abs(t)) * 6)
    line = heads.line(y - upper, 0.016) * inside
    blend(window, 0.04, line * 0.9)
    rim = heads.line(lower - y, 0.006) * inside
    blend(window, heads.skin * 0.45, rim * 0.35)
    crease = heads.line(y - upper + (0.026 + 0.35 * height), 0.007)
    blend(window, heads.skin * 0.5, crease * inside * 0.45)


def paint_brows(heads: Heads, tone: Floats) -> None:
    """Eyebrows, thinner outwards, lifted by the brow and drawn together when lowered."""
    place, x, y = heads.window((-0.36, -0.02), (-0.48, 0.48), FRONT)
    aside = np.abs(x) - heads.eye_gap * 1.03
    t = aside / (heads.eye_width * 1.22)
    lift = heads.brow_lift + 0.055 * heads.brow_raise
    slant = heads.brow_slant - 0.35 * np.minimum(heads.brow_raise, 0) * 0.6
    centre = EYE_Y - lift - heads.brow_arch * (1 - t * t) - slant * aside
    thick = heads.brow_thick * np.clip(1.05 - 0.4 * t, 0.4, 1.4)
    thick = thick * np.sqrt(clamp((1.02 - np.abs(t)) * 2.5))
    thick = np.maximum(thick, MIN_LINE * heads.pixel)
    coverage = heads.soft(thick - np.abs(y - centre))
    coverage *= clamp((1 - np.abs(t)) * 5)
    colour = np.minimum(heads.hair_tone * 0.7, heads.skin * 0.62)
    blend(tone[place], colour, coverage * 0.92)


def paint_mouth(heads: Heads, tone: Floats) -> None:
    """Lips that curve with the smile, teeth or dark between them, and folds when smiling."""
    place, x, y = heads.window((0.2, 0.72), (-0.36, 0.36), FRONT)
    window = tone[place]
    smile = heads.smile
    half = heads.mouth_width * (1 + 0.22 * smile - 0.12 * heads.mouth_open)
    t = x / half
    arch = np.maximum(1 - t * t, 0)
    curve = heads.mouth - (0.012 + 0.075 * smile) * (np.minimum(t * t, 1.3) - 0.45)
    gap = (0.095 * heads.mouth_open + 0.028 * np.maximum(smile - 0.4, 0)) * arch
    bow = 1 - 0.3 * np.exp(-((t / 0.22) ** 2))
    top = curve - heads.lip_thick * 0.85 * np.sqrt(arch) * bow - 0.25 * gap
    bottom = curve + gap * 0.9 + heads.lip_thick * 1.05 * np.sqrt(arch)
    lips = heads.band(y, top, bottom) * clamp((1 - np.abs(t)) * 8)
    blend(window, heads.skin * heads.lip_tone, lips)
    inner_top = curve - 0.2 * gap
    inside = heads.band(y, inner_top, curve + 0.8 * gap) * clamp(gap / (heads.pixel * 0.8))
    blend(window, 0.03, inside)
    teeth = inside * heads.soft(inner_top + 0.55 * gap - y)
    blend(window, 0.85, teeth * np.clip(smile * 2, 0.25, 1.0))
    line = heads.line(y - curve, 0.011) * clamp((1.02 - np.abs(t)) * 8)
    blend(window, heads.skin * 0.22, line * (1 - inside) * 0.8)
    fold = clamp(1 - np.abs(np.abs(x) - half * 1.12) / 0.05)
    fold = fold * clamp(1 - np.abs(y - heads.mouth + 0.07) / 0.11)
    blend(window, heads.skin * 0.7, fold * (np.maximum(smile, 0) * 0.45))


def paint_nostrils(heads: Heads, tone: Floats) -> None:
    """Two dark spots under the tip of the nose."""
    place, x, y = heads.window((0.15, 0.48), (-0.24, 0.24), NOSE_TIP)
    aside = np.abs(x) - heads.nose_width * 0.62
    spots = heads.ellipse(aside, y - (heads.tip + 0.025), 0.032, 0.018)
    blend(tone[place], heads.skin * 0.2, spots * 0.75)


def face_opening(heads: Heads) -> Floats:
    """How far inside the opening of the hair: 1 in its middle, 0 at its edge, negative beyond."""
    x, y = heads.at(0.3)[0], heads.y
    top = -heads.head_height + (1 - heads.hairline) * (heads.head_height - 0.16)
    middle = 0.08
    u = x / (heads.opening * heads.head_width)
    # A parting leans the hairline; below its middle the opening has no end.
    v = np.minimum(y - middle, 0) / (middle - top)
    lean = -heads.parting * x * 0.8 * -v
    square = heads.squareness
    along_x = (1 - square) * u**2 + square * u**6
    along_y = (1 - square) * v**2 + square * v**6
    inside: Floats = 1 - along_x - along_y - lean * 2.2
    return inside


def paint_glasses(heads: Heads, picture: Floats) -> None:
    """Dark frames around both eyes, a bridge, arms and a faint sheen; over the lit picture."""
    worn = heads.glasses
    place, x, y = heads.window((-0.24, 0.24), (-0.62, 0.62), FRONT + 0.15)
    window = picture[place]
    side, gap = np.abs(x), heads.eye_gap
    aside = side - (gap + 0.005)
    high = y - EYE_Y - 0.015
    radius = 0.168
    u, v = aside / radius, high / 0.135
    # Between an ellipse and a rounded box.
    round_ = heads.glasses_round
    size = round_ * u**2 + (1 - round_) * u**4 + (round_ * v**2 + (1 - round_) * v**4)
    edge = (1 - size) * (0.15 / (2 * round_ + 4 * (1 - round_)))  # about how far inside the rim
    half_thick = max(0.021, MIN_LINE * heads.pixel)
    frame = heads.soft(half_thick - np.abs(edge))
    bar = heads.soft(half_thick * 0.9 - np.abs(high + 0.045) + 0 * x)
    bridge = bar * clamp((gap - radius + 0.01 - side) * 40)
    behind = clamp((heads.head_width * 0.985 - side) * 40)
    arms = bar * (clamp((side - (gap + radius)) * 40) * behind)
    lens = clamp(edge / 0.03) * worn
    sheen = clamp(1 - np.abs(aside + high + 0.05) / 0.05)
    blend(window, 0.9, lens * (0.05 + 0.13 * sheen))
    blend(window, 0.025, np.maximum(np.maximum(frame, bridge), arms) * worn)


def _head_outline(
    heads: Heads, grow_top: Width = 0.0, grow_side: Width = 0.0
) -> tuple[Floats, Floats]:
    """Egg, an ellipse above, a jaw below: half its width at each row, and 1 to 0 at its ends."""
    y, drop = heads.y, 0.035 * heads.mouth_open
    u = np.where(y < 0, y / (heads.head_height + grow_top), y / (heads.head_height + drop))
    size = np.minimum(np.abs(u), 1)
    upper = np.sqrt(np.maximum(1 - np.abs(u) ** 2.3, 0))
    jaw = np.sqrt(np.maximum(1 - size ** (2.2 + 1.6 * heads.jaw), 0))
    jaw = jaw * (1 - heads.taper * size)
    half_width = (heads.head_width + grow_side) * np.where(y < 0, upper, jaw)
    swell = np.sqrt(np.maximum(1 - size**4, 0))
    return np.maximum(half_width, 1e-3), swell


def _hair_outline(heads: Heads) -> tuple[Floats, Floats]:
    """The head grown by the volume of the hair, hanging straight or ending in a ball."""
    y = heads.y
    egg, swell = _head_outline(heads, heads.volume_top, heads.volume_side)
    end = np.maximum(heads.hair_end, 0.05)
    ball = np.sqrt(np.maximum(1 - np.minimum(np.abs(y) / end, 1) ** 2, 0))
    hanging = heads.head_width + heads.volume_side
    fall = hanging * (1 - heads.roundness * (1 - ball))
    long = clamp(heads.volume_side / 0.08)
    below = long * fall + (1 - long) * egg
    half_width = np.where(y < 0, egg, below)
    return np.maximum(half_width, 1e-3), np.where(y < 0, swell, 1.0)


def _bust(heads: Heads) -> tuple[Floats, Floats, Floats]:
    """Neck, shoulders and ears, behind the head: (coverage, height, tone)."""
    x, y = heads.x, heads.y
    flare = np.maximum(y - 0.72, 0)
    width = heads.head_width * 0.66 + 1.1 * flare**1.3 + 2.2 * np.maximum(y - 0.83, 0)
    q = x * (1 / width)
    coverage = heads.soft((1 - np.abs(q)) * width)
    coverage *= clamp((y - 0.3) * 20)
    surface = (np.sqrt(np.maximum(1 - q * q, 0)) - 1) * 0.35
    # Under the chin it is dark.
    gloom = clamp(1.0 - (y - heads.head_height - 0.02) / 0.22)
    tone = heads.skin * (1 - 0.5 * gloom) + 0 * x
    cloth = heads.soft(y - 0.9 - (0.10 - 0.5 * np.minimum(x * x, 0.3)))
    blend(tone, 0.16, cloth)
    # Ears.
    rows = heads.rows(-0.25, 0.35)
    ear_x = np.abs(x) - (heads.head_width + 0.012)
    ear_y = y[:, rows] - 0.06
    ear = heads.ellipse(ear_x, ear_y, 0.065, 0.135)
    bowl = heads.ellipse(ear_x - 0.012, ear_y + 0.01, 0.03, 0.075)
    blend(tone[:, rows], heads.skin * (0.92 - 0.35 * bowl), ear)
    blend(surface[:, rows], 0.02 - ear_x * ear_x * 8 - ear_y * ear_y * 3, ear)
    np.maximum(coverage[:, rows], ear, out=coverage[:, rows])
    return coverage, surface, tone


def _comb(heads: Heads, body: Floats, surface: Floats, tone: Floats, opening: Floats) -> None:
    """Lay the hair over head and neck, in place."""
    y = heads.y
    half_width, swell = _hair_outline(heads)
    q = heads.x * (1 / half_width)
    # Locks or curls, in about [-1, 1].
    locks: Floats = np.sin(q * (15 + 3 * heads.squareness))
    locks += 0.6 * np.sin(q * 37 + y)
    locks *= 0.65 * (1 - heads.curl)
    locks += np.sin(25 * heads.x + 1) * (np.sin(23 * y) * heads.curl)
    # Curls make the edge uneven.
    hair = heads.soft((1 - np.abs(q)) * half_width + locks * (0.018 * heads.curl))
    hair *= clamp((heads.hair_end - y) / 0.12 + 0.5) * (swell > 0)
    # Locks hang over the edge of the opening.
    opening = opening + 0.08 * locks
    hair *= 1 - clamp(opening * 6 + 0.5) * body
    hair *= heads.hair
    shape = np.sqrt(1 - np.minimum(q * q, 1)) * (0.66 * swell) + 0.03
    shape += locks * (0.004 + 0.012 * heads.curl)
    # It rises gently from the hairline: a step there would look like the rim of a cap.
    lift = np.maximum(np.maximum(clamp(-3 * opening), 1 - body), clamp((y + 0.3) * 5))
    blend(surface, shape, hair * lift)
    colour = heads.hair_tone * (1 + 0.2 * locks)
    colour *= 1 + 0.5 * bell(y + 0.5, 0.13) - 0.25 * bell(y + 0.2, 0.2)
    # Hair behind the neck is in shadow.
    colour *= 1 - 0.55 * clamp((y - 0.35) * 2.5) * (np.abs(q) < 0.75)
    blend(tone, colour, hair)
    np.maximum(body, hair, out=body)


def _light(heads: Heads, surface: Floats, head: Floats) -> Floats:
    """Lambert's law with ambient light, a soft highlight and the shadow of the nose."""
    scale = heads.scale / (2 * heads.pixel)
    slope_x, slope_y = np.zeros_like(surface), np.zeros_like(surface)
    slope_x[:, :, 1:-1] = (surface[:, :, 2:] - surface[:, :, :-2]) * scale
    slope_y[:, 1:-1, :] = (surface[:, 2:, :] - surface[:, :-2, :]) * scale
    # The steps between one part and another are no slopes that light could fall on.
    np.clip(slope_x, -_STEEPEST, _STEEPEST, out=slope_x)
    np.clip(slope_y, -_STEEPEST, _STEEPEST, out=slope_y)
    level, turn = np.cos(heads.light_elevation), heads.light_azimuth
    to_right, to_viewer = level * np.sin(turn), level * np.cos(turn)
    upward = np.sin(heads.light_elevation)
    normal = 1 / np.sqrt(1 + slope_x * slope_x + slope_y * slope_y)
    facing = (to_viewer - slope_x * to_right + slope_y * upward) * normal
    # Where the nose is thrown by the light and does not stand itself.
    x, y = heads.at(NOSE_TIP)
    y = y - (EYE_Y + heads.nose_length * 0.68)
    wide, high = heads.nose_width * 1.1, heads.nose_length * 0.42
    throw = heads.nose_depth * 0.62
    to_x = throw * np.tan(np.clip(heads.light_azimuth, -1, 1))
    to_y = throw * np.tan(np.clip(heads.light_elevation, -1, 1))
    cast = bell(x + to_x, wide) * bell(y - to_y, high)
    shadow = clamp((cast - 1.3 * bell(x, wide) * bell(y, high)) * 1.5)
    # Clay is not black where the light only grazes it.
    direct = np.maximum(facing * 0.9 + 0.1, 0)
    direct = direct * (1 - 0.62 * shadow * head)
    lit: Floats = _AMBIENT * (0.6 + 0.4 * normal) + (1.08 - _AMBIENT) * direct
    lit *= heads.light_strength
    lit += 0.10 * np.maximum(facing, 0) ** 8
    return lit
