"""Poses in numbers: joints seen from the root, and how far they are apart; bones are guessed.

The paper's Table 1 gives its motion data 168 variables without saying which. For 16 joints,
48 coordinates and 120 distances make 168: that is our own reading of it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.datasets.record import (
    Dataset,
    DatasetError,
    Skeleton,
    check_finite,
    shape_in_words,
)

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


def motion_descriptor(poses: ArrayLike, root: int = 0) -> NDArray[np.float64]:
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


def as_poses(poses: ArrayLike) -> NDArray[np.float64]:
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


def scaled_to_unit(described: NDArray[np.float64], n_joints: int) -> NDArray[np.float64]:
    """Bring a descriptor to 0 – 1 by one length for all, coordinates about a half; NaN stays."""
    coordinates = described[:, : 3 * n_joints]
    reach = np.abs(coordinates)[np.isfinite(coordinates)].max(initial=0.0)
    apart = described[:, 3 * n_joints :]
    length = max(2 * reach, apart[np.isfinite(apart)].max(initial=0.0))
    unit: NDArray[np.float64] = described / length if length > 0 else described.copy()
    unit[:, : 3 * n_joints] += 0.5
    # Half plus half may round to a little more than one.
    return np.clip(unit, 0, 1, out=unit)


_NOTE: Final = (
    "Bones are guessed: the pairs of joints whose distance changes least. The file does not name "
    "the joints."
)


def guess_skeleton(poses: NDArray[np.float64]) -> Skeleton:
    """Guess bones from rigidity, and up from the longer side; the first joint is the root."""
    # Here, not above: no page waits for it before it is drawn.
    from scipy.sparse.csgraph import minimum_spanning_tree

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
    ranks[np.triu_indices(count, k=1)] = np.argsort(np.argsort(costs, kind="stable")) + 1
    tree = np.argwhere(minimum_spanning_tree(ranks).toarray()).tolist()
    bones = tuple((first, second) for first, second in tree)
    likest = int(((described - described.mean(axis=0)) ** 2).sum(axis=1).argmin())
    tall = np.ptp(some, axis=1).mean(axis=0)
    up = int(tall.argmax())
    side, depth = sorted((axis for axis in range(3) if axis != up), key=lambda axis: -tall[axis])
    pose = some[likest][:, [side, up, depth]]
    return Skeleton(names, bones, pose - pose[0], _NOTE)
