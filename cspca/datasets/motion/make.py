"""Data sets of poses: of anybody's, and of people who do not exist."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from cspca.datasets.motion.descriptor import (
    as_poses,
    guess_skeleton,
    motion_descriptor,
    scaled_to_unit,
)
from cspca.datasets.motion.kinematics import (
    ANGLES,
    MOTIONS,
    Floats,
    Performer,
    joint_positions,
    make_performer,
)
from cspca.datasets.motion.skeleton import BONES, JOINTS, Skeleton
from cspca.datasets.record import Dataset, DatasetError, check_count, check_finite, shape_in_words

FRAMES_PER_SECOND: Final = 20
MOST_FRAMES: Final = 200_000
MOST_PERFORMERS: Final = 100

_TAKE: Final = 50
"""Frames that follow each other; then the performer turns, and begins anew."""
_TREMOR: Final = 0.035
_TURNED: Final = 0.25


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
    n_classes = 0 if target is None else len(target_names or np.unique(target))
    words = shape_in_words(len(joints), known.n_features, None, n_classes)
    return Dataset(
        data=scaled_to_unit(motion_descriptor(joints), known.n_joints),
        target=target,  # type: ignore[arg-type]  # checked there
        target_names=target_names,
        name=name,
        feature_names=known.feature_names,
        skeleton=known,
        recognised=f"{words}; {known.reading}.",
        **about,
    )


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
    check_count("performers", performers, 1, MOST_PERFORMERS)
    check_count("random_state", random_state, 0)
    n_classes = len(MOTIONS) * performers
    check_count("n_frames", n_frames, n_classes, MOST_FRAMES)
    people = [make_performer(number, random_state) for number in range(performers)]
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
    seconds = np.arange(_TAKE) / FRAMES_PER_SECOND
    phase = 2 * np.pi * (rng.uniform(0, 10) + tempo * seconds)
    moving = moves(phase, size)
    heading = rng.normal(0, _TURNED)
    angles = {}
    for name in ANGLES:
        # A habit of the day and a tremor, of variance 1 together.
        trembling = 0.8 * rng.normal() + 0.6 * rng.normal(size=_TAKE)
        angles[name] = moving.get(name, 0.0) + _TREMOR * trembling
    angles["heading"] += heading
    angles["lean"] += performer.lean
    for side in ("left", "right"):
        angles[f"{side}_leg_out"] += 0.06 + performer.stance
        angles[f"{side}_elbow"] = np.maximum(angles[f"{side}_elbow"] + performer.elbow, 0)
        angles[f"{side}_knee"] = np.maximum(angles[f"{side}_knee"], 0)
    return joint_positions(performer, angles)
