"""Solvers: endless iterators of :class:`Iterate` records, ``solver.iterate(problem, start)``.

**Correctness rests on two files**, :mod:`cspca.problem.problem` (the objective) and
:mod:`cspca.problem.certificate` (a lower bound from any guess of the dual variables), both in
double precision. Everything in this room may be wrong and costs only time: a fit says how far from
the optimum it is proven to be. Read :mod:`.iterate`, :mod:`.admm.solver`, :mod:`.admm.state`, then
what it begins from (:mod:`.admm.starts`), when it certifies (:mod:`.admm.schedule`) and where its
rows are (:mod:`.blocks`).

====================== ======================================================================
:mod:`.admm`           always, but for what follows; rows in memory, in blocks or on a cluster
:mod:`.admm.few_columns` its iterations while W has low rank, both penalties pull, 5e-4 is enough
:mod:`.blocks_data`    its rows: tall data of 16 million values on, a memmap, a Dask array
:mod:`.admm.interpolation` penalties so small that every image is reproduced
:mod:`.reweighted`     ``solver="reweighted"``: the paper's Algorithm 1, to compare with
====================== ======================================================================
"""

from cspca.solvers.admm import ADMM, ADMMState
from cspca.solvers.iterate import HISTORY, History, Iterate, Solver
from cspca.solvers.reweighted import Reweighted, ReweightedState
from cspca.solvers.starts import STARTS, Start, make_start

SOLVERS: dict[str, type[Solver]] = {"admm": ADMM, "reweighted": Reweighted}
"""Every solver by the name that ``CSPCA(solver=…)`` knows it by: a new one is one line here."""

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
