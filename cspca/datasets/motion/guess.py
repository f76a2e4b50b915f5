"""The skeleton of poses of which only the coordinates are known."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.motion.descriptor import motion_descriptor
from cspca.datasets.motion.skeleton import Skeleton

_ENOUGH: Final = 500
"""Frames that are looked at."""

_LENGTH: Final = 0.05
"""What the length of a bone counts beside its change: of two rigid pairs the nearer is the bone."""

NOTE: Final = (
    "Bones are guessed: the pairs of joints whose distance changes least. The file does not name "
    "the joints."
)


def guess_skeleton(poses: NDArray[np.float64]) -> Skeleton:
    """Guess bones from rigidity, and which way is up from the longer side of the body.

    The first joint is taken for the root; the pose is the frame that is most like the mean.
    """
    poses = poses[np.isfinite(poses).all(axis=(1, 2))]
    count = poses.shape[1]
    names = tuple(f"joint {number + 1}" for number in range(count))
    if not len(poses):
        return Skeleton(names, (), np.zeros((count, 3)), NOTE)
    some = poses[np.linspace(0, len(poses) - 1, min(len(poses), _ENOUGH)).astype(int)]
    described = motion_descriptor(some)
    apart = described[:, 3 * count :]
    bones = _rigid_tree(apart.std(axis=0) + _LENGTH * apart.mean(axis=0), count)
    likest = int(((described - described.mean(axis=0)) ** 2).sum(axis=1).argmin())
    tall = np.ptp(some, axis=1).mean(axis=0)
    up = int(tall.argmax())
    side, depth = sorted((axis for axis in range(3) if axis != up), key=lambda axis: -tall[axis])
    pose = some[likest][:, [side, up, depth]]
    return Skeleton(names, bones, pose - pose[0], NOTE)


def _rigid_tree(costs: NDArray[np.float64], count: int) -> tuple[tuple[int, int], ...]:
    """Return the cheapest tree over all joints, from the costs of their pairs."""
    # Here, not above: no page waits for it before it is drawn.
    from scipy.sparse.csgraph import minimum_spanning_tree

    ranks = np.zeros((count, count))
    # By rank, since SciPy takes a cost of 0 for no pair.
    ranks[np.triu_indices(count, k=1)] = np.argsort(np.argsort(costs, kind="stable")) + 1
    bones = np.argwhere(minimum_spanning_tree(ranks).toarray())
    return tuple((int(first), int(second)) for first, second in bones)
