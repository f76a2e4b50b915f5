"""General-purpose solvers on the same reduced problem, each treated kindly.

All get our reduction for nothing, step sizes from the norm of the operator and from the sizes of
our own solution (the best that theory has to offer), and stand on the clock for their iterations
alone: objectives and certificates are evaluated off it. They are there as soon as their objective
is within the gap of the optimum, which they are told; those that have dual variables are also
timed until these certify it.
"""

from tests.benchmarks.peers.condat_vu import condat_vu
from tests.benchmarks.peers.conic import conic
from tests.benchmarks.peers.proximal import primal_dual
from tests.benchmarks.peers.race import Balance
from tests.benchmarks.peers.unlocbox import forward_backward_forward

__all__ = ["Balance", "condat_vu", "conic", "forward_backward_forward", "primal_dual"]
