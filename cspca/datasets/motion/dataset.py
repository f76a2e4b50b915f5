"""From poses to a `Dataset` that knows its skeleton."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cspca.datasets.motion.descriptor import as_poses, motion_descriptor, scaled_to_unit
from cspca.datasets.motion.guess import guess_skeleton
from cspca.datasets.motion.skeleton import Skeleton
from cspca.datasets.record import Dataset, DatasetError, check_finite, shape_in_words


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
    target_names : tuple of str, optional
    name : str, default="motion"
    **about
        ``source``, ``licence`` and ``description`` of the `Dataset`.

    Returns
    -------
    Dataset

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
    data = scaled_to_unit(motion_descriptor(joints), known.n_joints)
    data.flags.writeable = False
    n_classes = 0 if target is None else len(target_names or np.unique(target))
    words = shape_in_words(len(data), data.shape[1], None, n_classes)
    return Dataset(
        data=data,
        target=target,  # type: ignore[arg-type]  # checked there
        target_names=target_names,
        name=name,
        feature_names=known.feature_names,
        skeleton=known,
        recognised=f"{words}; {known.reading}.",
        **about,
    )
