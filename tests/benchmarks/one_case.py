"""Everything that is measured of one data set under one pair of penalties."""

import statistics
from dataclasses import dataclass, field, replace

import numpy as np

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from tests.benchmarks import measure, peers
from tests.benchmarks.cases import Case
from tests.benchmarks.measure import GAPS, Run
from tests.benchmarks.shares import shares

PEER_RATIO = 5.0

TILTS = (1.0, 3.0)
"""Factors tried on the theoretical ratio of a peer's primal to its dual steps; on digits, faces
and ORL 1/3 is slower than both."""


@dataclass
class Result:
    """All runs of one case. `ratio` is of ours to ten printed iterations, by turns."""

    name: str
    shape: tuple[int, int]
    alpha: float
    beta: float
    ours: dict[str, list[Run]]
    printed: list[Run] = field(default_factory=list)
    best_form: Run | None = None
    peers: list[Run] = field(default_factory=list)
    conic: Run | None = None
    megabytes: float | None = None
    ratio: float | None = None
    shares: dict[str, float] = field(default_factory=dict)
    demands: dict[str, bool] = field(default_factory=dict)


def median(runs: list[Run]) -> Run:
    """The run in the middle by CPU seconds."""
    return sorted(runs, key=lambda run: run.cpu)[len(runs) // 2]


def measure_case(case: Case, repetitions: int, patience: float) -> Result:
    """Ours and the printed algorithm by turns, then each rival between runs of ours.

    Rivals are stopped after `patience` times our own CPU seconds to a certified 1e-3.
    """
    A = case.pixels()
    mine: dict[str, list[Run]] = {f"{gap:g}": [] for gap in GAPS}
    ratios, printed = [], []
    for repetition in range(repetitions):
        for gap in GAPS:
            run, model = measure.ours(A, case, gap)
            mine[f"{gap:g}"].append(run)
        if case.printed:
            counts = (10, 20) if repetition == 0 else (10,)
            printed += measure.printed(A, model.alpha_, model.beta_, counts)
            ten = [run for run in printed if run.iterations == 10][-1]
            ratios.append(mine["0.001"][-1].cpu / ten.cpu)
    result = Result(case.name, A.shape, model.alpha_, model.beta_, mine, printed)
    result.megabytes = measure.memory(case)
    result.shares = shares(lambda: measure.ours(A, case, 1e-3))
    # The optimum lies between these two, and all others need only come within 1e-3 of the lower.
    goal = model.dual_objective_ / (1.0 - 1e-3)
    limit = patience * max(median(mine["0.001"]).cpu, 0.1)
    A64 = np.asarray(A, dtype=np.float64)
    if case.printed:
        result.ratio = statistics.median(ratios)
        result.best_form = measure.best_form(A64, model.alpha_, model.beta_, goal, limit)
    if case.peer:
        problem = Problem(ReducedData(A64), model.alpha_, model.beta_)
        result.peers = _race(problem, model, goal, limit)
        mine["0.001"].append(measure.ours(A, case, 1e-3)[0])
        if case.conic:
            result.conic = peers.conic(problem, goal)
    result.demands = _demands(case, result, model.dual_objective_)
    return result


def _race(problem: Problem, model: CSPCA, goal: float, limit: float) -> list[Run]:
    """Condat–Vũ at its best ratio of steps, for each of its times, and the libraries at that."""
    Z = model.fit_.Z @ (model.fit_.U.T @ problem.data.U)
    found, most = {}, limit
    for tilt in TILTS:
        balance = peers.Balance.of(problem, Z, tilt)
        found[tilt] = run = peers.condat_vu(problem, balance, goal, most)
        most = min(most, run.certified or limit)
    tilt = min(found, key=lambda tilt: best_first(found[tilt]))
    proofs = [run.certified for run in found.values() if run.certified is not None]
    best = replace(found[tilt], certified=min(proofs, default=None))
    balance = peers.Balance.of(problem, Z, tilt)
    libraries = (
        peers.primal_dual(problem, balance, goal, limit),
        peers.forward_backward_forward(problem, balance, goal, limit),
    )
    return [best, *(run for run in libraries if run is not None)]


def best_first(run: Run) -> tuple[bool, float]:
    """Sorts by time those that arrived, then by objective those that did not."""
    return not run.reached, run.cpu if run.reached else run.objective


def _demands(case: Case, result: Result, bound: float) -> dict[str, bool]:
    found = {
        f"certified to {gap}": all(run.reached for run in runs) for gap, runs in result.ours.items()
    }
    middle = median(result.ours["0.001"])
    if result.printed:
        worst = max(run.objective for run in result.ours["0.001"])
        best = min(run.objective for run in result.printed)
        found["certified 1e-3 is no higher than the printed algorithm ends"] = (
            worst <= best + 1e-3 * bound
        )
    if case.ratio is not None and result.ratio is not None:
        name = f"at most {case.ratio:.3g} of ten printed iterations (is {result.ratio:.3f})"
        found[name] = result.ratio <= case.ratio
    if case.seconds is not None:
        name = f"at most {case.seconds:g} s (is {middle.cpu:.2f} CPU, {middle.wall:.2f} wall)"
        found[name] = middle.cpu <= case.seconds
    if case.megabytes is not None and result.megabytes is not None:
        name = f"at most {case.megabytes:g} MB (is {result.megabytes:.0f})"
        found[name] = result.megabytes <= case.megabytes
    others = [run for run in (*result.peers, result.conic) if run is not None]
    return found | dict(_faster(other, middle.cpu) for other in others)


def _faster(other: Run, seconds: float) -> tuple[str, bool]:
    """At equal gap: certified by its own duals where these are at hand, else told the optimum.

    One that was stopped by the clock has needed more than it shows.
    """
    told = _times(other.cpu / seconds, exact=other.reached)
    name = f"{PEER_RATIO:g} × faster than {other.name}"
    if other.stopped is None:
        return f"{name} ({told})", other.cpu >= PEER_RATIO * seconds
    spent = other.stopped if other.certified is None else other.certified
    equal = _times(spent / seconds, exact=other.certified is not None)
    return f"{name}, both certified ({equal}; {told} when told the optimum)", (
        spent >= PEER_RATIO * seconds
    )


def _times(ratio: float, *, exact: bool) -> str:
    return f"{'is' if exact else 'more than'} {ratio:.1f} ×"
