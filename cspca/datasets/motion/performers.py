"""Performers who do not exist, their five motions, and where that puts their joints.

x points to the performer's left, y up, z to the front; angles are in radians.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.motion.poses import as_motion
from cspca.datasets.record import Dataset, Skeleton, check_count

_TAKE: Final = 50
"""Frames, 20 a second, that follow each other; then the performer turns, and begins anew."""

JOINTS: Final = (
    "pelvis", "spine", "neck", "head",
    "left shoulder", "left elbow", "left hand",
    "right shoulder", "right elbow", "right hand",
    "left hip", "left knee", "left foot",
    "right hip", "right knee", "right foot",
)  # fmt: skip
"""The joints of the rendered performers, in the order of their coordinates."""

BONES: Final = (
    (0, 1), (1, 2), (2, 3),
    (2, 4), (4, 5), (5, 6),
    (2, 7), (7, 8), (8, 9),
    (0, 10), (10, 11), (11, 12),
    (0, 13), (13, 14), (14, 15),
)  # fmt: skip
"""The bones of the rendered performers."""

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


class Performer:
    """Person `number`, from 0, who does not depend on how many there are.

    Lengths are in metres (of shoulders and hips half the width), angles in radians.
    """

    def __init__(self, number: int, random_state: int) -> None:
        rng = np.random.default_rng((random_state, number))
        stature = rng.uniform(1.58, 1.92)
        self.lengths = {
            name: stature * share * rng.normal(1, 0.03) for name, share in _SHARES.items()
        }
        # How fast and how wide the movements are; 1 is the average.
        self.tempo = rng.uniform(0.88, 1.12)
        self.size = rng.uniform(0.85, 1.15)
        # Habits: how far torso and elbows bend and legs are apart beyond the average.
        self.lean = rng.normal(0, 0.04)
        self.elbow = rng.normal(0, 0.12)
        self.stance = rng.normal(0, 0.03)


def joint_positions(performer: Performer, angles: Mapping[str, Floats]) -> Floats:
    """Place the joints by each of `ANGLES`, (n,) each: (n, 16, 3) in metres from the pelvis."""
    lengths = performer.lengths
    pelvis = _turn("y", angles["heading"] + angles["hip_twist"])
    chest = pelvis @ _turn("y", angles["twist"]) @ _turn("z", angles["sway"])
    chest = chest @ _turn("x", angles["lean"])
    head = chest @ _turn("y", angles["look"]) @ _turn("x", angles["nod"])
    spine = pelvis @ _turn("x", angles["lean"] / 2)
    place = {"pelvis": np.zeros((len(pelvis), 3))}
    place["spine"] = _along(spine, lengths["lower_torso"])
    place["neck"] = place["spine"] + _along(chest, lengths["upper_torso"])
    place["head"] = place["neck"] + _along(head, lengths["head"])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        angle = {name: angles[f"{side}_{name}"] for name in _OF_A_SIDE}
        wide = lengths["shoulders"]
        shoulder = place["neck"] + _along(chest, -0.15 * wide, sign * wide)
        upper = chest @ _turn("z", sign * angle["arm_out"]) @ _turn("x", -angle["arm_forward"])
        upper = upper @ _turn("y", sign * angle["arm_roll"])
        elbow = shoulder + _along(upper, -lengths["upper_arm"])
        forearm = upper @ _turn("x", -angle["elbow"])
        place[f"{side} shoulder"], place[f"{side} elbow"] = shoulder, elbow
        place[f"{side} hand"] = elbow + _along(forearm, -lengths["forearm"])
        hip = _along(pelvis, -0.4 * lengths["hips"], sign * lengths["hips"])
        thigh = pelvis @ _turn("z", sign * angle["leg_out"]) @ _turn("x", -angle["leg_forward"])
        knee = hip + _along(thigh, -lengths["thigh"])
        shin = thigh @ _turn("x", angle["knee"])
        place[f"{side} hip"], place[f"{side} knee"] = hip, knee
        place[f"{side} foot"] = knee + _along(shin, -lengths["shin"])
    return np.stack([place[joint] for joint in JOINTS], axis=1)


def _along(turn: Floats, up: float, aside: float = 0.0) -> Floats:
    offset: Floats = turn @ np.array([aside, up, 0.0])
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


def make_motion(n_frames: int = 2000, performers: int = 2, random_state: int = 0) -> Dataset:
    """Make five motions of people who do not exist: they walk, jog, box, gesture and throw.

    Skeletons of 16 joints are moved by forward kinematics: each performer has limbs, tempo and
    habits of their own, each take its direction, tempo and size, and every angle trembles a little.

    Parameters
    ----------
    n_frames : int, default=2000
        Frames in all, at least one a class; the paper's motion data have 10,000.
    performers : int, default=2
        Number of people, 1 to 100; there are five classes each, such as ``jog, performer 2``.
    random_state : int, default=0
        The same number gives the same frames.

    Returns
    -------
    Dataset
        168 features, see `motion_descriptor`, in double precision; its ``skeleton`` is known.

    Raises
    ------
    DatasetError
        If a number is out of range.
    """
    check_count("performers", performers, 1, 100)
    check_count("random_state", random_state, 0)
    n_classes = len(MOTIONS) * performers
    check_count("n_frames", n_frames, n_classes, 200_000)
    people = [Performer(number, random_state) for number in range(performers)]
    counts = [len(part) for part in np.array_split(np.arange(n_frames), n_classes)]
    classes = [(motion, number) for motion in MOTIONS for number in range(performers)]
    poses = []
    for (motion, number), count in zip(classes, counts, strict=True):
        # Every class has its own numbers, and takes are always whole: no frame depends on the
        # other classes, nor on how many are wanted.
        rng = np.random.default_rng((random_state, number, list(MOTIONS).index(motion), 1))
        takes = [_take(people[number], motion, rng) for _ in range(0, count, _TAKE)]
        poses.append(np.concatenate(takes)[:count])
    return as_motion(
        np.concatenate(poses),
        np.repeat(np.arange(n_classes), counts),
        skeleton=Skeleton(JOINTS, BONES, _at_ease(people[0])),
        target_names=tuple(f"{motion}, performer {number + 1}" for motion, number in classes),
        name="motion",
        source="rendered by this program",
        licence="BSD-3-Clause",
        description="Skeletons of 16 joints that walk, jog, box, gesture and throw.",
    )


def _at_ease(performer: Performer) -> Floats:
    """Return a pose (16, 3), seen from the front, in which no joint hides another."""
    angles = {name: np.zeros(1) for name in ANGLES}
    for side in ("left", "right"):
        angles[f"{side}_arm_out"] = np.array([0.5])
        angles[f"{side}_leg_out"] = np.array([0.12])
    # The viewer faces the performer, whose left is then on the right: x stays as it is.
    pose: Floats = joint_positions(performer, angles)[0]
    return pose


def _take(performer: Performer, motion: str, rng: np.random.Generator) -> Floats:
    moves, cycles = MOTIONS[motion]
    tempo = performer.tempo * rng.normal(1, 0.06) * cycles
    size = performer.size * rng.normal(1, 0.08)
    seconds = np.arange(_TAKE) / 20
    phase = 2 * np.pi * (rng.uniform(0, 10) + tempo * seconds)
    moving = moves(phase, size)
    heading = rng.normal(0, 0.25)
    angles = {}
    for name in ANGLES:
        # A habit of the day and a tremor, of variance 1 together.
        trembling = 0.8 * rng.normal() + 0.6 * rng.normal(size=_TAKE)
        angles[name] = moving.get(name, 0.0) + 0.035 * trembling
    angles["heading"] += heading
    angles["lean"] += performer.lean
    for side in ("left", "right"):
        angles[f"{side}_leg_out"] += 0.06 + performer.stance
        angles[f"{side}_elbow"] = np.maximum(angles[f"{side}_elbow"] + performer.elbow, 0)
        angles[f"{side}_knee"] = np.maximum(angles[f"{side}_knee"], 0)
    return joint_positions(performer, angles)
