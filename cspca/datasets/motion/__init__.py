"""People in motion: joints in space, a descriptor of every pose, and a generator of both."""

from cspca.datasets.motion.performers import make_motion
from cspca.datasets.motion.poses import as_motion, motion_descriptor
from cspca.datasets.record import Skeleton

__all__ = ["Skeleton", "as_motion", "make_motion", "motion_descriptor"]
