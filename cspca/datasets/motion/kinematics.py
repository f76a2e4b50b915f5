"""Performers who do not exist, and from the angles of their joints to where the joints are.

x points to the performer's left, y up, z to the front; angles are in radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.motion.skeleton import JOINTS

Floats = NDArray[np.float64]

_OF_A_SIDE: Final = (
    "arm_forward", "arm_out", "arm_roll", "elbow", "leg_forward", "leg_out", "knee",
)  # fmt: skip

ANGLES: Final = (
    "heading", "hip_twist", "lean", "sway", "twist", "nod", "look",
    *(f"{side}_{angle}" for side in ("left", "right") for angle in _OF_A_SIDE),
)  # fmt: skip
"""Every angle of a pose. Elbows and knees bend from 0, straight; arms and legs hang at 0.

``arm_roll`` turns the upper arm about itself: at 0 the forearm bends to the front, at π/2 a
forearm of an arm held out sideways bends upwards.
"""


@dataclass(frozen=True)
class Performer:
    """One person; lengths in metres (of shoulders and hips half the width), angles in radians."""

    lower_torso: float
    upper_torso: float
    head: float
    shoulders: float
    hips: float
    upper_arm: float
    forearm: float
    thigh: float
    shin: float
    tempo: float  # how fast and how wide the movements are; 1 is the average
    size: float
    lean: float  # habits: how far torso and elbows bend and legs are apart beyond the average
    elbow: float
    stance: float


# Shares of the stature (after Drillis and Contini's segment lengths), to the wrist and the ankle.
_SHARES = {
    "lower_torso": 0.13,
    "upper_torso": 0.17,
    "head": 0.115,
    "shoulders": 0.115,
    "hips": 0.058,
    "upper_arm": 0.172,
    "forearm": 0.157,
    "thigh": 0.245,
    "shin": 0.246,
}


def make_performer(number: int, random_state: int) -> Performer:
    """Draw person `number`, from 0, who does not depend on how many there are."""
    rng = np.random.default_rng((random_state, number))
    stature = rng.uniform(1.58, 1.92)
    limbs = {name: stature * share * rng.normal(1, 0.03) for name, share in _SHARES.items()}
    return Performer(
        **limbs,
        tempo=rng.uniform(0.88, 1.12),
        size=rng.uniform(0.85, 1.15),
        lean=rng.normal(0, 0.04),
        elbow=rng.normal(0, 0.12),
        stance=rng.normal(0, 0.03),
    )


def joint_positions(performer: Performer, angles: Mapping[str, Floats]) -> Floats:
    """Place the joints by each of `ANGLES`, (n,) each: (n, 16, 3) in metres from the pelvis."""
    one = performer
    n = len(angles["heading"])
    place = dict.fromkeys(JOINTS, np.zeros((n, 3)))
    pelvis = _turn("y", angles["heading"] + angles["hip_twist"])
    chest = (
        pelvis
        @ _turn("y", angles["twist"])
        @ _turn("z", angles["sway"])
        @ _turn("x", angles["lean"])
    )
    place["spine"] = _along(pelvis @ _turn("x", angles["lean"] / 2), 0, one.lower_torso, 0)
    place["neck"] = place["spine"] + _along(chest, 0, one.upper_torso, 0)
    head = chest @ _turn("y", angles["look"]) @ _turn("x", angles["nod"])
    place["head"] = place["neck"] + _along(head, 0, one.head, 0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        angle = {name: angles[f"{side}_{name}"] for name in _OF_A_SIDE}
        shoulder = place["neck"] + _along(chest, sign * one.shoulders, -0.15 * one.shoulders, 0)
        upper = (
            chest
            @ _turn("z", sign * angle["arm_out"])
            @ _turn("x", -angle["arm_forward"])
            @ _turn("y", sign * angle["arm_roll"])
        )
        elbow = shoulder + _along(upper, 0, -one.upper_arm, 0)
        forearm = upper @ _turn("x", -angle["elbow"])
        place[f"{side} shoulder"], place[f"{side} elbow"] = shoulder, elbow
        place[f"{side} hand"] = elbow + _along(forearm, 0, -one.forearm, 0)
        hip = _along(pelvis, sign * one.hips, -0.4 * one.hips, 0)
        thigh = pelvis @ _turn("z", sign * angle["leg_out"]) @ _turn("x", -angle["leg_forward"])
        knee = hip + _along(thigh, 0, -one.thigh, 0)
        place[f"{side} hip"], place[f"{side} knee"] = hip, knee
        place[f"{side} foot"] = knee + _along(thigh @ _turn("x", angle["knee"]), 0, -one.shin, 0)
    return np.stack([place[joint] for joint in JOINTS], axis=1)


def _along(turn: Floats, x: float, y: float, z: float) -> Floats:
    offset: Floats = turn @ np.array([x, y, z])
    return offset


def _turn(axis: str, angle: Floats) -> Floats:
    """Rotations (n, 3, 3) about an axis."""
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    turn = np.zeros((len(angle), 3, 3))
    turn[:] = np.eye(3)
    turn[:, first, first] = turn[:, second, second] = np.cos(angle)
    turn[:, second, first] = np.sin(angle)
    turn[:, first, second] = -turn[:, second, first]
    return turn
