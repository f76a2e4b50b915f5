"""People in motion: joints in space, a descriptor of every pose, and a generator of both."""

from cspca.datasets.motion.descriptor import motion_descriptor
from cspca.datasets.motion.make import as_motion, make_motion
from cspca.datasets.motion.skeleton import Skeleton

__all__ = ["Skeleton", "as_motion", "make_motion", "motion_descriptor"]
