"""Joints in space, recognised in a file: (n, 16, 3) for sure, (n, 48) when somebody says so."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from cspca.datasets.files import limits
from cspca.datasets.files.choices import ReadChoices, SampleAxis
from cspca.datasets.motion import (
    N_JOINTS,
    as_poses,
    guess_skeleton,
    motion_descriptor,
    scaled_to_unit,
)
from cspca.datasets.record import AXES, DatasetError, Floats, Skeleton

_POSE = (N_JOINTS, 3)
_COORDINATE = re.compile(r"(.+?)[\s_.\-]*([xyz])", re.IGNORECASE)


def poses_wanted(
    shape: tuple[int, ...], choices: ReadChoices, name: str, *, may_be: bool = True
) -> tuple[bool, bool]:
    """Say whether samples of this shape are read as poses, and whether they could be."""
    sure = shape[1:] == _POSE
    possible = may_be and (sure or shape[1:] == (3 * N_JOINTS,))
    if choices.poses and not possible:
        words = " × ".join(f"{side:,}" for side in shape)
        raise DatasetError(
            f"{name}: the data are {words}, not poses of {N_JOINTS} joints: give (frames, "
            f"{N_JOINTS}, 3) or (frames, {3 * N_JOINTS})."
        )
    guessed = possible and sure and choices.image_shape is None
    return (guessed if choices.poses is None else choices.poses), possible


def sample_axis(shape: tuple[int, ...]) -> SampleAxis | None:
    """Return along which axis poses follow each other, ``first`` or ``last``; None: no poses."""
    if len(shape) != 3:
        return None
    if shape[1:] == _POSE:
        return "first"
    return "last" if shape[:2] == _POSE else None


def described(
    data: Floats, feature_names: tuple[str, ...] | None, name: str
) -> tuple[Floats, Skeleton]:
    """Return the descriptors of poses, in 0 – 1, and the skeleton they are drawn on."""
    # What is too large to be squared is found by the check for values that are not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        poses = as_poses(data)
        limits.check_values((len(poses), N_JOINTS * (N_JOINTS + 5) // 2), name)
        skeleton = guess_skeleton(poses)
        values = scaled_to_unit(motion_descriptor(poses), N_JOINTS)
    names = _joint_names(feature_names)
    if names is not None:
        skeleton = replace(
            skeleton,
            joints=names,
            note="Bones are guessed: the pairs of joints whose distance changes least.",
        )
    return values, skeleton


def _joint_names(feature_names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the joints' names, if every three columns are x, y and z of one joint."""
    found = [_COORDINATE.fullmatch(one) for one in feature_names or ()]
    if len(found) != 3 * N_JOINTS:
        return None
    joints = []
    for start in range(0, len(found), 3):
        three = [one for one in found[start : start + 3] if one is not None]
        if tuple(one[2].lower() for one in three) != AXES or len({one[1] for one in three}) > 1:
            return None
        joints.append(three[0][1].replace("_", " "))
    return tuple(joints) if len(set(joints)) == N_JOINTS else None
