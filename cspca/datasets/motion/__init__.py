"""People in motion: joints in space, a descriptor of every pose, and a generator of both."""

from cspca.datasets.motion.performers import make_motion
from cspca.datasets.motion.poses import Skeleton, as_motion, motion_descriptor

__all__ = ["Skeleton", "as_motion", "make_motion", "motion_descriptor"]
