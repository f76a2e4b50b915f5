"""Solvers: endless iterators of :class:`Iterate` records, ``solver.iterate(problem, start)``.

**Correctness rests on two files**, :mod:`cspca.problem.problem` (the objective) and
:mod:`cspca.problem.certificate` (a lower bound from any guess of the dual variables), both in
double precision; where W = I is proven also on :mod:`cspca.problem.identity` (§10). Trusted besides
are the sums over the images that they are given: AᵀΛ with the lengths of the rows of Λ, and the sum
of the errors (§4). All else here may be wrong and costs only time: a fit says how far from the
optimum it is proven to be. To see why, read the two with theory.md §1 to §4 and §15; how
the solver gets there, in this order:

========================== ===================================================================
to read                    for
========================== ===================================================================
:mod:`.iterate`            what a solver and its state are, what it yields, and its loop
:mod:`cspca.problem.terms` a loss or a penalty: value, proximal step, conjugate (§4)
:mod:`.plain`              the textbook's ADMM and its own certificate, of any terms (§4, §5)
:mod:`.admm.solver`        which columns, when to check, when to move ρ (§5)
:mod:`.admm.state`         an iteration, on all columns or on few, and how it begins
:mod:`.blocks`             the errors of the images, row by row, on all columns and on few
:mod:`.admm.few_columns`   what few columns need besides (§7)
:mod:`.admm.few_rows`      an iteration on few pixels (§7)
:mod:`.admm.starts`        the first guess, and the first ρ from it (§8)
========================== ===================================================================

``solver="plain"`` needs the first three alone and has a bound of its own, made of the conjugates of
its terms; all else knows the paper's three norms. Another penalty is a class of
:mod:`cspca.problem.terms`, which ``Plain(penalties=[…])`` takes.

Every number that is a choice stands at the top of the file that uses it, with its reason; no bound
rests on one, so that a bad one costs time alone.

What runs when, for ``solver="admm"``: the first line that fits.

=========================================================== ====================================
α = β = 0, or α/α_max + β/β_max ≥ 1                         a formula, no iteration (§10)
a state of the same problem                                 goes on
a state of the same data, under penalties that are near     goes on under the new ones
other coefficients to begin from                            all columns
β ≪ α, a guess of low weight; target ≥ 1e-4, or β = 0        few pixels in memory; if many, next
  (β still less where there are more images than pixels)
target ≥ 5e-4, α > 0, β > 0, a third of the directions used few columns; all columns if it fails
anything else                                               all columns; W = I where it is proven
=========================================================== ====================================

All columns begin in single precision, where it holds the data, and go on in double below a gap of
3e-4; where most images are next to being reproduced the errors have no copy, and are in double
(§6, §11, §12). Rows are in memory but for tall data of 2²⁴ values or more, read block by block
(:mod:`.blocks_data`), and Dask arrays (:mod:`.distributed`, on a cluster). ``solver="plain"``,
which tests hold all of this against, has one loop for everything. The paper's Algorithm 1,
:mod:`.reweighted`, is there to compare with, and so are its seven starts, :mod:`.starts`.
"""

from cspca.solvers.admm import ADMM, ADMMState
from cspca.solvers.iterate import HISTORY, History, Iterate, Solver
from cspca.solvers.plain import Plain
from cspca.solvers.reweighted import Reweighted
from cspca.solvers.starts import STARTS, Start

SOLVERS: dict[str, type[Solver]] = {"admm": ADMM, "plain": Plain, "reweighted": Reweighted}
"""Every solver by the name that ``CSPCA(solver=…)`` knows it by: a new one is one line here."""

__all__ = [
    "ADMM",
    "HISTORY",
    "SOLVERS",
    "STARTS",
    "ADMMState",
    "History",
    "Iterate",
    "Plain",
    "Reweighted",
    "Solver",
    "Start",
]
