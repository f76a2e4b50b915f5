"""Solvers: one file each, all endless iterators of :class:`Iterate` records."""

from cspca.solvers.admm import ADMM
from cspca.solvers.admm_state import ADMMState
from cspca.solvers.iterate import HISTORY, History, Iterate, Solver
from cspca.solvers.reweighted import Reweighted, ReweightedState
from cspca.solvers.starts import STARTS, Start, make_start

SOLVERS: dict[str, type[ADMM] | type[Reweighted]] = {"admm": ADMM, "reweighted": Reweighted}
"""Every solver by the name that ``CSPCA(solver=…)`` knows it by.

A solver has ``configured(smoothing=…, tol=…, max_iter=…, watch=…, random_state=…)``,
``iterate(problem, start)`` and a ``state_type`` whose states give ``problem``, ``entries()``
(``AᵀΛ`` over the images with an error, and ``Σ |a_ij|`` over the others) and ``rank_of(sigma)``.
"""

__all__ = [
    "ADMM",
    "HISTORY",
    "SOLVERS",
    "STARTS",
    "ADMMState",
    "History",
    "Iterate",
    "Reweighted",
    "ReweightedState",
    "Solver",
    "Start",
    "make_start",
]
