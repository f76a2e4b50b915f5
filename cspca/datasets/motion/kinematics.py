"""Performers who do not exist, their five motions, and where that puts their joints.

x points to the performer's left, y up, z to the front; angles are in radians.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

    lengths: dict[str, float]
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
    lengths = {name: stature * share * rng.normal(1, 0.03) for name, share in _SHARES.items()}
    return Performer(
        lengths,
        tempo=rng.uniform(0.88, 1.12),
        size=rng.uniform(0.85, 1.15),
        lean=rng.normal(0, 0.04),
        elbow=rng.normal(0, 0.12),
        stance=rng.normal(0, 0.03),
    )


def joint_positions(performer: Performer, angles: Mapping[str, Floats]) -> Floats:
    """Place the joints by each of `ANGLES`, (n,) each: (n, 16, 3) in metres from the pelvis."""
    lengths = performer.lengths
    n = len(angles["heading"])
    place = dict.fromkeys(JOINTS, np.zeros((n, 3)))
    pelvis = _turn("y", angles["heading"] + angles["hip_twist"])
    chest = (
        pelvis
        @ _turn("y", angles["twist"])
        @ _turn("z", angles["sway"])
        @ _turn("x", angles["lean"])
    )
    place["spine"] = _along(pelvis @ _turn("x", angles["lean"] / 2), 0, lengths["lower_torso"], 0)
    place["neck"] = place["spine"] + _along(chest, 0, lengths["upper_torso"], 0)
    head = chest @ _turn("y", angles["look"]) @ _turn("x", angles["nod"])
    place["head"] = place["neck"] + _along(head, 0, lengths["head"], 0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        angle = {name: angles[f"{side}_{name}"] for name in _OF_A_SIDE}
        shoulder = place["neck"] + _along(
            chest, sign * lengths["shoulders"], -0.15 * lengths["shoulders"], 0
        )
        upper = (
            chest
            @ _turn("z", sign * angle["arm_out"])
            @ _turn("x", -angle["arm_forward"])
            @ _turn("y", sign * angle["arm_roll"])
        )
        elbow = shoulder + _along(upper, 0, -lengths["upper_arm"], 0)
        forearm = upper @ _turn("x", -angle["elbow"])
        place[f"{side} shoulder"], place[f"{side} elbow"] = shoulder, elbow
        place[f"{side} hand"] = elbow + _along(forearm, 0, -lengths["forearm"], 0)
        hip = _along(pelvis, sign * lengths["hips"], -0.4 * lengths["hips"], 0)
        thigh = pelvis @ _turn("z", sign * angle["leg_out"]) @ _turn("x", -angle["leg_forward"])
        knee = hip + _along(thigh, 0, -lengths["thigh"], 0)
        place[f"{side} hip"], place[f"{side} knee"] = hip, knee
        place[f"{side} foot"] = knee + _along(
            thigh @ _turn("x", angle["knee"]), 0, -lengths["shin"], 0
        )
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


Angles = dict[str, Floats]


_Pair = tuple[float, float]


def _gait(phase: Floats, legs: _Pair, knees: _Pair, arms: _Pair, twists: _Pair) -> Angles:
    """A walk or a run: a knee bends while its leg swings to the front, arms go against the legs.

    Pairs are swing and rest (of arms that of the elbows), and the twists of chest and hips.
    """
    angles = {"twist": twists[0] * np.sin(phase), "hip_twist": -twists[1] * np.sin(phase)}
    other = phase + np.pi
    for side, leg, arm in (("left", phase, other), ("right", other, phase)):
        angles[f"{side}_leg_forward"] = legs[1] + legs[0] * np.sin(leg)
        angles[f"{side}_knee"] = knees[1] + knees[0] * _above(np.cos(leg + 0.3)) ** 2
        angles[f"{side}_arm_forward"] = arms[0] * np.sin(arm)
        angles[f"{side}_arm_out"] = np.full_like(phase, 0.12)
        angles[f"{side}_elbow"] = arms[1] + 0.2 * np.sin(arm)
    return angles


def _walk(phase: Floats, size: float) -> Angles:
    twists = 0.1 * size, 0.08 * size
    angles = _gait(phase, (0.42 * size, 0.04), (0.7 * size, 0.1), (0.4 * size, 0.3), twists)
    angles["sway"] = 0.03 * size * np.cos(phase)
    return angles


def _jog(phase: Floats, size: float) -> Angles:
    twists = 0.18 * size, 0.1 * size
    angles = _gait(phase, (0.62 * size, 0.2), (1.15 * size, 0.4), (0.6 * size, 1.5), twists)
    angles["lean"] = np.full_like(phase, 0.16)
    return angles


def _box(phase: Floats, size: float) -> Angles:
    left, right = _above(np.sin(phase)) ** 2, _above(-np.sin(phase)) ** 2
    angles = {"twist": size * (0.45 * right - 0.45 * left) - 0.2}
    for side, punch in (("left", left), ("right", right)):
        angles[f"{side}_arm_forward"] = 0.5 + size * 0.95 * punch
        angles[f"{side}_arm_out"] = 0.25 - 0.15 * punch
        angles[f"{side}_elbow"] = 2.2 - np.minimum(1, size) * 2.0 * punch
    bounce = 0.06 * np.sin(2 * phase)
    angles["left_leg_forward"] = 0.35 + bounce
    angles["right_leg_forward"] = -0.2 + bounce
    angles["left_knee"], angles["right_knee"] = 0.3 + 2 * bounce, 0.35 + 2 * bounce
    angles["lean"] = 0.1 + 0.1 * size * (left + right)
    angles["nod"] = np.full_like(phase, 0.15)
    return angles


def _gesture(phase: Floats, size: float) -> Angles:
    # Waves with the right hand, which rises and sinks as every greeting begins and ends.
    up = 0.5 - 0.5 * np.cos(phase / 5)
    wave = np.sin(phase)
    return {
        "right_arm_out": 0.2 + up * (1.2 + 0.15 * size * wave),
        "right_arm_roll": up * 1.45,
        "right_elbow": 0.35 + up * (1.15 + 0.5 * size * wave),
        "left_arm_out": np.full_like(phase, 0.1),
        "left_elbow": 0.25 + 0.05 * wave,
        "sway": 0.06 * size * up,
        "look": -0.15 * up,
        "left_leg_forward": np.full_like(phase, 0.03),
    }


def _throw(phase: Floats, size: float) -> Angles:
    # Holds the ball before the chest, winds up, throws with the right arm, follows through, and
    # catches with both hands.
    at = (0.0, 0.3, 0.45, 0.6, 0.85)
    poses = {
        "right_arm_forward": (0.6, -0.3, 1.7, 0.8, 1.25),
        "right_arm_out": (0.1, 1.3, 0.6, -0.1, 0.1),
        "right_arm_roll": (-0.3, 1.3, 0.2, 0.0, -0.1),
        "right_elbow": (1.6, 1.7, 0.2, 0.3, 0.7),
        "left_arm_forward": (0.6, 1.0, 0.3, -0.2, 1.25),
        "left_arm_out": (0.1, 0.4, 0.3, 0.3, 0.1),
        "left_elbow": (1.6, 0.5, 0.9, 0.6, 0.7),
        "twist": (0.0, -0.6, 0.35, 0.5, 0.0),
        "lean": (0.05, -0.08, 0.2, 0.35, 0.05),
        "left_leg_forward": (0.05, 0.5, 0.4, 0.35, 0.05),
        "left_knee": (0.15, 0.6, 0.25, 0.3, 0.15),
        "right_leg_forward": (0.0, -0.05, -0.3, -0.25, 0.0),
        "right_knee": (0.15, 0.25, 0.3, 0.5, 0.15),
    }
    share = phase / (2 * np.pi)
    return {
        name: poses[name][0] + size * (_between(share, at, values) - poses[name][0])
        for name, values in poses.items()
    }


def _above(values: Floats) -> Floats:
    return np.maximum(values, 0)


def _between(share: Floats, at: tuple[float, ...], values: tuple[float, ...]) -> Floats:
    """Go from one key pose to the next and round again, at rest in each."""
    places = np.array([*at, 1 + at[0]])
    levels = np.array([*values, values[0]])
    share = share % 1
    last = np.searchsorted(places, share, side="right") - 1
    step = (share - places[last]) / (places[last + 1] - places[last])
    smooth: Floats = levels[last] + (levels[last + 1] - levels[last]) * step**2 * (3 - 2 * step)
    return smooth


MOTIONS: Final[Mapping[str, tuple[Callable[[Floats, float], Angles], float]]] = {
    "walk": (_walk, 0.9),
    "jog": (_jog, 1.35),
    "box": (_box, 0.8),
    "gesture": (_gesture, 1.4),
    "throw": (_throw, 0.45),
}
"""The five motions of the paper's motion data: the angles that are not 0, by phase (a cycle is 2 π)
and size, and cycles a second."""
