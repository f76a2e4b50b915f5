"""What the joints are called, which of them a bone joins, and a pose to draw them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

N_JOINTS: Final = 16
"""Joints of a pose, as in the paper's motion data."""

AXES: Final = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The joints behind a pose descriptor, for its names and for drawing.

    Parameters
    ----------
    joints : tuple of J str
        What they are called; the first is the root.
    bones : tuple of (int, int)
        Pairs of joints, counted from 0.
    pose : array (J, 3)
        The pose to draw: x to the right, y up, z towards the viewer, in any unit. Kept read-only.
    note : str
        What is guessed about it, in a sentence; empty when it is known.

    Raises
    ------
    ValueError
        If the parts do not fit together.
    """

    joints: tuple[str, ...]
    bones: tuple[tuple[int, int], ...]
    pose: Floats = field(repr=False)
    note: str = ""

    def __post_init__(self) -> None:
        pose = np.array(self.pose, dtype=np.float64)
        if pose.shape != (self.n_joints, 3) or not np.isfinite(pose).all():
            raise ValueError(
                f"The pose of {self.n_joints} joints has shape {pose.shape} or holes in it; give "
                "three finite coordinates a joint."
            )
        for first, second in self.bones:
            if first == second or not {first, second} <= set(range(self.n_joints)):
                raise ValueError(
                    f"There is no bone from joint {first} to joint {second}; name two of the "
                    f"{self.n_joints} joints, counted from 0."
                )
        pose.flags.writeable = False
        object.__setattr__(self, "pose", pose)

    @property
    def n_joints(self) -> int:
        """Number of joints, J."""
        return len(self.joints)

    @property
    def n_features(self) -> int:
        """Length of the descriptor: 3 J coordinates and J (J − 1) / 2 distances."""
        return 3 * self.n_joints + self.n_joints * (self.n_joints - 1) // 2

    @property
    def reading(self) -> str:
        """What the descriptor is, in words, for wherever it is shown."""
        return (
            f"{3 * self.n_joints} root-centred joint coordinates and "
            f"{self.n_features - 3 * self.n_joints} distances between joints, our own reading of "
            "the paper’s 168 variables"
        )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Name of every entry of the descriptor, such as ``left knee y``."""
        coordinates = [f"{joint} {axis}" for joint in self.joints for axis in AXES]
        distances = [
            f"distance {self.joints[first]} – {self.joints[second]}"
            for first, second in zip(*np.triu_indices(self.n_joints, k=1), strict=True)
        ]
        return (*coordinates, *distances)


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
