"""People in motion: poses in numbers, bones guessed, and performers who do not exist.

The paper's Table 1 gives its motion data 168 variables without saying which. For 16 joints,
48 coordinates and 120 distances make 168: that is our own reading of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.datasets.record import Dataset, DatasetError, Skeleton, check_count, check_finite

Floats = NDArray[np.float64]
Angles = dict[str, Floats]

N_JOINTS: Final = 16
"""Joints of a pose, as in the paper's motion data."""


def as_motion(
    poses: ArrayLike,
    target: ArrayLike | None = None,
    *,
    skeleton: Skeleton | None = None,
    target_names: tuple[str, ...] | None = None,
    name: str = "motion",
    **about: Any,
) -> Dataset:
    """Make a data set of poses: their descriptors, scaled to 0 – 1 by one length for all.

    Parameters
    ----------
    poses : array-like (n, J, 3) or (n, 48)
        As for `motion_descriptor`; the first joint is the root.
    target : array-like of n int, optional
        Class of each frame, from 0.
    skeleton : Skeleton, optional
        Names and bones; guessed from the poses when left out.
    target_names, name, **about
        As for `Dataset`: also ``source``, ``licence`` and ``description``.

    Raises
    ------
    DatasetError
        If shapes do not fit, or a coordinate is not finite.
    """
    joints = as_poses(poses)
    check_finite(joints.reshape(len(joints), -1), name)
    known = skeleton if skeleton is not None else guess_skeleton(joints)
    if known.n_joints != joints.shape[1]:
        raise DatasetError(
            f"{name}: the skeleton has {known.n_joints} joints and a pose {joints.shape[1]}: give "
            "a skeleton of the same joints."
        )
    described = motion_descriptor(joints)
    length = descriptor_length(described, known.n_joints)
    return Dataset(
        data=scaled_to_unit(described, known.n_joints),
        target=target,  # type: ignore[arg-type]  # checked there
        target_names=target_names,
        name=name,
        feature_names=known.feature_names,
        skeleton=known,
        **about,
    ).prepared_by(
        "Poses are described by their coordinates from the root joint on and by the distances "
        f"between all joints; lengths were divided by {length:.4g}, and coordinates moved by 0.5."
    )


def motion_descriptor(poses: ArrayLike, root: int = 0) -> Floats:
    """Describe every pose by its joints' coordinates and by the distances between them.

    Parameters
    ----------
    poses : array-like (n, J, 3) or (n, 48)
        Coordinates in one unit of length; flat ones joint by joint, x, y, z each, for 16 joints.
    root : int, default=0
        The joint at the origin. Where a person stands does not change the descriptor.

    Returns
    -------
    ndarray (n, 3 J + J (J − 1) / 2), float64
        x, y, z of joint 0, of joint 1, …, relative to the root; then the distances of joints
        (0, 1), (0, 2), …, (J − 2, J − 1): 168 for 16 joints. NaN where a coordinate is.

    Raises
    ------
    DatasetError
        If the shape is neither of the two, values are no real numbers, or there is no such root.

    Examples
    --------
    >>> motion_descriptor([[[1, 1, 0], [4, 5, 0]]]).tolist()
    [[0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 5.0]]
    """
    joints = as_poses(poses)
    n, count = joints.shape[:2]
    if not 0 <= root < count:
        raise DatasetError(f"There is no joint {root}: the root is one of 0 to {count - 1}.")
    described = np.empty((n, 3 * count + count * (count - 1) // 2))
    described[:, : 3 * count] = (joints - joints[:, root : root + 1]).reshape(n, -1)
    at = 3 * count
    # One joint at a time: all the pairs at once would take three times the result again.
    for joint in range(count - 1):
        apart = joints[:, joint + 1 :] - joints[:, joint : joint + 1]
        described[:, at : at + count - 1 - joint] = np.sqrt((apart**2).sum(axis=2))
        at += count - 1 - joint
    return described


def as_poses(poses: ArrayLike) -> Floats:
    """Return poses as (n, J, 3) in double precision; errors as in `motion_descriptor`."""
    array = np.asarray(poses)
    if array.dtype.kind not in "fiub":
        raise DatasetError(f"Joint coordinates must be real numbers, not {array.dtype.name}.")
    if array.ndim == 2 and array.shape[1] == 3 * N_JOINTS:
        array = array.reshape(-1, N_JOINTS, 3)
    if array.ndim != 3 or array.shape[2] != 3 or array.shape[1] < 2:
        words = " × ".join(str(side) for side in array.shape)
        raise DatasetError(
            f"The poses are {words or 'a single number'}: give (frames, joints, 3), or (frames, "
            f"{3 * N_JOINTS}) for {N_JOINTS} joints."
        )
    if not len(array):
        raise DatasetError("There are no poses: give at least one frame.")
    return array.astype(np.float64, copy=False)


def descriptor_length(described: Floats, n_joints: int) -> float:
    """Return the length by which descriptors lie in 0 – 1, coordinates about a half."""
    coordinates = described[:, : 3 * n_joints]
    reach = np.abs(coordinates)[np.isfinite(coordinates)].max(initial=0.0)
    apart = described[:, 3 * n_joints :]
    return float(max(2 * reach, apart[np.isfinite(apart)].max(initial=0.0)))


def scaled_to_unit(described: Floats, n_joints: int, length: float | None = None) -> Floats:
    """Bring a descriptor to 0 – 1 by one length for all, coordinates about a half; NaN stays.

    By a length that is not its own, some may come to lie beyond.
    """
    own = descriptor_length(described, n_joints) if length is None else length
    unit: Floats = described / own if own > 0 else described.copy()
    unit[:, : 3 * n_joints] += 0.5
    # Half plus half may round to a little more than one.
    return np.clip(unit, 0, 1, out=unit) if length is None else unit


_NOTE: Final = (
    "Bones are guessed: the pairs of joints whose distance changes least. The file does not name "
    "the joints."
)


def guess_skeleton(poses: Floats, root: int = 0) -> Skeleton:
    """Guess bones from rigidity, and up from the longer side; coordinates are from the root."""
    # Here, not above: no page waits for it before it is drawn.
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.stats import rankdata

    poses = poses[np.isfinite(poses).all(axis=(1, 2))]
    count = poses.shape[1]
    names = tuple(f"joint {number + 1}" for number in range(count))
    if not len(poses):
        return Skeleton(names, (), np.zeros((count, 3)), _NOTE)
    some = poses[np.linspace(0, len(poses) - 1, min(len(poses), 500)).astype(int)]
    described = motion_descriptor(some)
    apart = described[:, 3 * count :]
    # The cheapest tree over all joints: of two rigid pairs the nearer is the bone. By rank, since
    # SciPy takes a cost of 0 for no pair.
    costs = apart.std(axis=0) + 0.05 * apart.mean(axis=0)
    ranks = np.zeros((count, count))
    ranks[np.triu_indices(count, k=1)] = rankdata(costs, method="ordinal")
    tree = np.argwhere(minimum_spanning_tree(ranks).toarray()).tolist()
    bones = tuple((first, second) for first, second in tree)
    likest = int(((described - described.mean(axis=0)) ** 2).sum(axis=1).argmin())
    tall = np.ptp(some, axis=1).mean(axis=0)
    up = int(tall.argmax())
    side, depth = sorted((axis for axis in range(3) if axis != up), key=lambda axis: -tall[axis])
    pose = some[likest][:, [side, up, depth]]
    return Skeleton(names, bones, pose - pose[root], _NOTE)


# x points to the performer's left, y up, z to the front; angles are in radians.

# Frames, 20 a second, that follow each other; then the performer turns, and begins anew.
_TAKE = 50

JOINTS: Final = (
    "pelvis", "spine", "neck", "head",
    "left shoulder", "left elbow", "left hand",
    "right shoulder", "right elbow", "right hand",
    "left hip", "left knee", "left foot",
    "right hip", "right knee", "right foot",
)  # fmt: skip
BONES: Final = (
    (0, 1), (1, 2), (2, 3),
    (2, 4), (4, 5), (5, 6),
    (2, 7), (7, 8), (8, 9),
    (0, 10), (10, 11), (11, 12),
    (0, 13), (13, 14), (14, 15),
)  # fmt: skip

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

    def along(turn: Floats, up: float, aside: float = 0.0) -> Floats:
        return np.asarray(turn @ np.array([aside, up, 0.0]))

    pelvis = _turn("y", angles["heading"] + angles["hip_twist"])
    chest = pelvis @ _turn("y", angles["twist"]) @ _turn("z", angles["sway"])
    chest = chest @ _turn("x", angles["lean"])
    head = chest @ _turn("y", angles["look"]) @ _turn("x", angles["nod"])
    spine = pelvis @ _turn("x", angles["lean"] / 2)
    place = {"pelvis": np.zeros((len(pelvis), 3))}
    place["spine"] = along(spine, lengths["lower_torso"])
    place["neck"] = place["spine"] + along(chest, lengths["upper_torso"])
    place["head"] = place["neck"] + along(head, lengths["head"])
    for side, sign in (("left", 1.0), ("right", -1.0)):
        angle = {name: angles[f"{side}_{name}"] for name in _OF_A_SIDE}
        wide = lengths["shoulders"]
        shoulder = place["neck"] + along(chest, -0.15 * wide, sign * wide)
        upper = chest @ _turn("z", sign * angle["arm_out"]) @ _turn("x", -angle["arm_forward"])
        upper = upper @ _turn("y", sign * angle["arm_roll"])
        elbow = shoulder + along(upper, -lengths["upper_arm"])
        forearm = upper @ _turn("x", -angle["elbow"])
        place[f"{side} shoulder"], place[f"{side} elbow"] = shoulder, elbow
        place[f"{side} hand"] = elbow + along(forearm, -lengths["forearm"])
        hip = along(pelvis, -0.4 * lengths["hips"], sign * lengths["hips"])
        thigh = pelvis @ _turn("z", sign * angle["leg_out"]) @ _turn("x", -angle["leg_forward"])
        knee = hip + along(thigh, -lengths["thigh"])
        shin = thigh @ _turn("x", angle["knee"])
        place[f"{side} hip"], place[f"{side} knee"] = hip, knee
        place[f"{side} foot"] = knee + along(shin, -lengths["shin"])
    return np.stack([place[joint] for joint in JOINTS], axis=1)


def _turn(axis: str, angle: Floats) -> Floats:
    """Rotations (n, 3, 3) about an axis."""
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    turn = np.zeros((len(angle), 3, 3))
    turn[:] = np.eye(3)
    turn[:, first, first] = turn[:, second, second] = np.cos(angle)
    turn[:, second, first] = np.sin(angle)
    turn[:, first, second] = -turn[:, second, first]
    return turn


def _gait(
    phase: Floats,
    size: float,
    *,
    swings: tuple[float, ...],
    rests: tuple[float, ...],
    lean: float = 0.0,
    sway: float = 0.0,
) -> Angles:
    """A walk or a run: a knee bends while its leg swings to the front, arms go against the legs.

    Swings are of leg, knee, arm, chest and hips; leg, knee and elbow have angles at rest.
    """
    leg, knee, arm, chest, hips = (size * swing for swing in swings)
    angles = {
        "twist": chest * np.sin(phase),
        "hip_twist": -hips * np.sin(phase),
        "sway": sway * size * np.cos(phase),
        "lean": np.full_like(phase, lean),
    }
    for side, ahead, behind in (("left", 0.0, np.pi), ("right", np.pi, 0.0)):
        angles[f"{side}_leg_forward"] = rests[0] + leg * np.sin(phase + ahead)
        angles[f"{side}_knee"] = rests[1] + knee * np.maximum(np.cos(phase + ahead + 0.3), 0) ** 2
        angles[f"{side}_arm_forward"] = arm * np.sin(phase + behind)
        angles[f"{side}_arm_out"] = np.full_like(phase, 0.12)
        angles[f"{side}_elbow"] = rests[2] + 0.2 * np.sin(phase + behind)
    return angles


_walk = partial(_gait, swings=(0.42, 0.7, 0.4, 0.1, 0.08), rests=(0.04, 0.1, 0.3), sway=0.03)
_jog = partial(_gait, swings=(0.62, 1.15, 0.6, 0.18, 0.1), rests=(0.2, 0.4, 1.5), lean=0.16)


def _box(phase: Floats, size: float) -> Angles:
    left, right = (np.maximum(side * np.sin(phase), 0) ** 2 for side in (1, -1))
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
    # catches with both hands: from one pose to the next and round again, at rest in each.
    at = np.array([0.0, 0.3, 0.45, 0.6, 0.85, 1.0])
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
    share = phase / (2 * np.pi) % 1
    last = np.searchsorted(at, share, side="right") - 1
    step = (share - at[last]) / (at[last + 1] - at[last])
    angles = {}
    for name, values in poses.items():
        levels = np.array([*values, values[0]])
        rise = (levels[last + 1] - levels[last]) * step**2 * (3 - 2 * step)
        angles[name] = values[0] + size * (levels[last] + rise - values[0])
    return angles


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
    # In a pose in which no joint hides another. The viewer faces the performer, whose left is then
    # on the right: x stays as it is.
    angles = {name: np.zeros(1) for name in ANGLES}
    for side in ("left", "right"):
        angles[f"{side}_arm_out"] += 0.5
        angles[f"{side}_leg_out"] += 0.12
    at_ease = joint_positions(people[0], angles)[0]
    return as_motion(
        np.concatenate(poses),
        np.repeat(np.arange(n_classes), counts),
        skeleton=Skeleton(JOINTS, BONES, at_ease),
        target_names=tuple(f"{motion}, performer {number + 1}" for motion, number in classes),
        name="motion",
        source="rendered by this program",
        licence="BSD-3-Clause",
        description="Rendered performers walk, jog, box, gesture and throw; every pose is 168 "
        "numbers, our own reading of the paper’s.",
    )


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
