"""The certified solver: alternating directions on the reduced problem."""

from cspca.solvers.admm.solver import ADMM
from cspca.solvers.admm.state import ADMMState

__all__ = ["ADMM", "ADMMState"]
