"""How each picture was taken: light, expression, glasses and the small turns of a head."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cspca.datasets.faces.people import Floats, Table

LIGHT = ("light_azimuth", "light_elevation", "light_strength")
EXPRESSION = ("smile", "mouth_open", "brow_raise", "eye_closure")
_GLASSES = ("glasses",)
_POSE = ("shift_x", "shift_y", "scale", "yaw", "pitch")
_NEUTRAL = {"light_elevation": 0.42, "light_azimuth": 0.25, "light_strength": 1.0, "scale": 1.0}


def neutral(n_shots: int) -> Table:
    """Pictures with nothing going on: mild light from above, a still face, no glasses."""
    names = (*LIGHT, *EXPRESSION, *_GLASSES, *_POSE)
    levels = {name: _NEUTRAL.get(name, 0.0) for name in names}
    return Table(**{name: np.full(n_shots, level, np.float32) for name, level in levels.items()})


def make_shots(wears_glasses: Floats, n_per_person: int, random_state: int) -> Table:
    """Draw ``n_per_person`` pictures of each person; the first of each is a calm one.

    Lights come evenly from left to right; who owns glasses wears them in every second picture.
    """
    n = n_per_person
    parts: dict[str, list[Floats]] = defaultdict(list)
    for person, owner in enumerate(wears_glasses):
        rng = np.random.default_rng([random_state, person, 1])
        across = (rng.permutation(n) + rng.random(n)) / n * 2 - 1
        strong = rng.random(n) < 0.7  # the others keep a still face
        closed = np.where(rng.random(n) < 0.12, rng.uniform(0.7, 1.0, n), 0.25 * rng.random(n))
        drawn = {
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
            values = np.clip(values, -1.2, 1.2)
            if name in EXPRESSION or name == "light_azimuth":
                values[0] = _NEUTRAL.get(name, 0.0)
            parts[name].append(values)
    drawn = {name: np.concatenate(values) for name, values in parts.items()}
    return Table(**{name: values.astype(np.float32) for name, values in drawn.items()})
