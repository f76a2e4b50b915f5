"""Who the people are, and how each picture was taken."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Table: TypeAlias = Any  # a `numpy.recarray` of single precision, one row a person or a picture

# Hair is one shape with an opening for the face.
_STYLE_COLUMNS = (
    "hairline",  # top of the opening: 0 at the brows, 1 at the crown
    "opening",  # half-width of the opening, in head widths
    "squareness",  # of the opening: 1 is a straight fringe
    "parting",  # slope of the hairline
    "volume_top",
    "volume_side",
    "hair_end",  # y where the sides end
    "roundness",  # 1: the sides end in a ball
    "curl",
)
_STYLES = {
    "bald": (0.80, 1.05, 0.0, 0.0, 0.00, 0.00, -0.30, 0.0, 0.0),
    "buzz": (0.66, 0.97, 0.35, 0.0, 0.015, 0.005, -0.06, 0.0, 0.2),
    "short": (0.62, 0.95, 0.3, 0.15, 0.06, 0.02, 0.00, 0.0, 0.3),
    "quiff": (0.74, 0.95, 0.1, -0.2, 0.12, 0.01, -0.04, 0.0, 0.2),
    "receding": (0.90, 0.95, 0.0, 0.0, 0.01, 0.05, 0.06, 0.0, 0.4),
    "fringe": (0.24, 0.91, 1.0, 0.0, 0.10, 0.05, 0.06, 0.0, 0.1),
    "parted": (0.50, 0.93, 0.1, 0.6, 0.09, 0.035, 0.02, 0.0, 0.1),
    "bob": (0.26, 0.80, 0.9, 0.0, 0.10, 0.14, 0.52, 0.3, 0.0),
    "long": (0.58, 0.82, 0.0, 0.15, 0.08, 0.13, 1.30, 0.0, 0.1),
    "long fringe": (0.18, 0.82, 0.8, 0.0, 0.08, 0.12, 1.30, 0.0, 0.1),
    "curls": (0.48, 0.88, 0.3, 0.0, 0.10, 0.15, 0.42, 0.9, 1.0),
    "cloud": (0.55, 0.92, 0.2, 0.0, 0.14, 0.21, 0.40, 1.0, 1.0),
}

# A gallery of people who are easy to tell apart: their style, and these; what is not listed here is
# drawn at random.
_LOOKS = ("skin", "hair_tone", "beard", "moustache", "goatee", "wears_glasses")
_CAST = (
    ("short", 0.74, 0.10, 0.0, 0.0, 0.0, 0),
    ("long", 0.86, 0.42, 0.0, 0.0, 0.0, 0),
    ("bald", 0.52, 0.08, 0.9, 0.9, 0.0, 0),
    ("fringe", 0.80, 0.07, 0.0, 0.0, 0.0, 1),
    ("curls", 0.46, 0.05, 0.0, 0.0, 0.0, 0),
    ("receding", 0.82, 0.72, 0.0, 0.9, 0.0, 1),
    ("bob", 0.78, 0.16, 0.0, 0.0, 0.0, 0),
    ("quiff", 0.66, 0.24, 0.45, 0.45, 0.0, 0),
    ("cloud", 0.36, 0.06, 0.0, 0.0, 0.0, 0),
    ("parted", 0.86, 0.50, 0.0, 0.0, 0.0, 1),
    ("long fringe", 0.60, 0.06, 0.0, 0.0, 0.0, 0),
    ("buzz", 0.40, 0.05, 0.0, 0.8, 0.9, 0),
    ("bald", 0.84, 0.50, 0.0, 0.0, 0.0, 1),
    ("short", 0.52, 0.66, 0.95, 0.9, 0.0, 0),
    ("long", 0.46, 0.09, 0.0, 0.0, 0.0, 1),
    ("parted", 0.72, 0.12, 0.0, 0.95, 0.0, 0),
    ("bob", 0.86, 0.60, 0.0, 0.0, 0.0, 1),
    ("quiff", 0.80, 0.36, 0.0, 0.0, 0.9, 0),
    ("fringe", 0.50, 0.30, 0.0, 0.0, 0.0, 0),
    ("buzz", 0.70, 0.14, 0.5, 0.5, 0.0, 1),
)

# Least and greatest value of what is drawn at random; lengths are in half picture sides.
_RANGES = {
    "head_width": (0.47, 0.575),
    "head_height": (0.68, 0.755),
    "jaw": (0.0, 1.0),  # 0 pointed, 1 square
    "taper": (0.04, 0.26),  # how much narrower the jaw is than the temples
    "chin": (0.02, 0.075),
    "cheek": (0.02, 0.085),
    "brow_ridge": (0.01, 0.06),
    "eye_gap": (0.205, 0.255),
    "eye_width": (0.105, 0.14),
    "eye_height": (0.052, 0.078),
    "eye_slant": (-0.16, 0.16),
    "brow_lift": (0.135, 0.185),
    "brow_thick": (0.018, 0.042),
    "brow_arch": (0.005, 0.05),
    "brow_slant": (-0.16, 0.22),
    "nose_length": (0.27, 0.37),
    "nose_width": (0.06, 0.10),
    "nose_depth": (0.13, 0.21),
    "mouth_drop": (0.13, 0.17),
    "mouth_width": (0.165, 0.25),
    "lip_thick": (0.034, 0.068),
    "ear": (0.85, 1.2),  # not drawn any more: kept so that the others stay what they are
    "lip_tone": (0.42, 0.66),
    "iris": (0.05, 0.34),
    "glasses_round": (0.0, 1.0),
}


def make_people(n_people: int, random_state: int) -> Table:
    """Draw people that differ; person k does not depend on how many there are."""
    casts = range(-(-n_people // len(_CAST)))
    draws = [np.random.default_rng([random_state, number]) for number in casts]
    return _table([_draw_cast(rng) for rng in draws])[:n_people]


def _draw_cast(rng: np.random.Generator) -> dict[str, Floats]:
    """Draw the whole cast, in another order and with other faces each time."""
    n = len(_CAST)
    drawn: dict[str, Floats] = {}
    for name, (low, high) in _RANGES.items():
        even = (rng.permutation(n) + rng.random(n)) / n
        drawn[name] = low + (high - low) * even
    styles, *looks = zip(*(_CAST[one] for one in rng.permutation(n)), strict=True)
    of_styles = np.array([_STYLES[style] for style in styles])
    for name, values in zip(_STYLE_COLUMNS, of_styles.T, strict=True):
        wobble = 0.015 * rng.standard_normal(n) if name.startswith("vol") else 0.0
        drawn[name] = values + wobble
    drawn["hair"] = np.array([float(style != "bald") for style in styles])
    drawn |= {name: np.array(values) for name, values in zip(_LOOKS, looks, strict=True)}
    for name in ("skin", "hair_tone"):
        drawn[name] = drawn[name] * rng.uniform(0.94, 1.06, n)
    # Half of the block is mirrored, so that partings differ too.
    drawn["parting"] = drawn["parting"] * rng.choice([-1.0, 1.0], n)
    return drawn


LIGHT = ("light_azimuth", "light_elevation", "light_strength")
EXPRESSION = ("smile", "mouth_open", "brow_raise", "eye_closure")
# Mild light from above, a still face, no glasses.
_NEUTRAL = dict(zip(LIGHT, (0.25, 0.42, 1.0), strict=True)) | dict.fromkeys(EXPRESSION, 0.0)
_NEUTRAL |= {"glasses": 0.0, "shift_x": 0.0, "shift_y": 0.0, "scale": 1.0, "yaw": 0.0, "pitch": 0.0}


def neutral(n_shots: int, **changed: Floats | float) -> Table:
    """Pictures with nothing going on but what is `changed`, a number for all or each."""
    values = _NEUTRAL | changed
    return _table([{name: np.full(n_shots, value) for name, value in values.items()}])


def make_shots(wears_glasses: Floats, n_per_person: int, random_state: int) -> Table:
    """Draw pictures of each person, the first a calm one, lights evenly from left to right."""
    draws = [np.random.default_rng([random_state, one, 1]) for one in range(len(wears_glasses))]
    pairs = zip(wears_glasses, draws, strict=True)
    return _table([_draw_shots(owner, n_per_person, rng) for owner, rng in pairs])


def _draw_shots(owner: float, n: int, rng: np.random.Generator) -> dict[str, Floats]:
    across = (rng.permutation(n) + rng.random(n)) / n * 2 - 1
    strong = rng.random(n) < 0.7  # the others keep a still face
    closed = np.where(rng.random(n) < 0.12, rng.uniform(0.7, 1.0, n), 0.25 * rng.random(n))
    drawn: dict[str, Floats] = {
        "light_azimuth": 1.05 * across,  # radians; positive from the viewer's right
        "light_elevation": rng.uniform(0.05, 0.80, n),  # positive from above
        "light_strength": rng.uniform(0.88, 1.1, n),
        "smile": strong * rng.uniform(-0.5, 1.0, n),  # -0.5 is sad
        "mouth_open": (rng.random(n) < 0.35) * rng.uniform(0.2, 1.0, n),
        "brow_raise": strong * rng.uniform(-0.5, 1.0, n),
        "eye_closure": closed,  # 0 open, 1 shut
        "glasses": owner * (np.arange(n) % 2),
        "shift_x": rng.normal(0, 0.012, n),  # half picture sides
        "shift_y": rng.normal(0, 0.012, n),
        "scale": rng.normal(1.0, 0.012, n),
        "yaw": np.clip(rng.normal(0, 0.07, n), -0.15, 0.15),  # radians
        "pitch": np.clip(rng.normal(0, 0.05, n), -0.1, 0.1),
    }
    for name, values in drawn.items():
        np.clip(values, -1.2, 1.2, out=values)
        if name in EXPRESSION or name == "light_azimuth":
            values[0] = _NEUTRAL[name]
    return drawn


def _table(blocks: list[dict[str, Floats]]) -> Table:
    """Rows of all blocks, in single precision, so that every processor has the same."""
    columns = [np.concatenate([block[name] for block in blocks]) for name in blocks[0]]
    return np.rec.fromarrays(columns, dtype=[(name, np.float32) for name in blocks[0]])
