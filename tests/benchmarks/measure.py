"""What is timed: our fit, Algorithm 1 in both forms, and the memory of a fit.

One BLAS thread, so that CPU seconds are what an idle machine would take; ratios use them, because
a shared machine stretches those of the wall at random.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from cspca.solvers import Reweighted
from tests import real_data
from tests.benchmarks import printed_algorithm
from tests.benchmarks.cases import CASES, Case
from tests.oracles import direct

GAPS = (1e-2, 1e-3, 1e-4)
MOST_ITERATIONS = 500

SCHEDULES = ((1.0, 1e-3, 12), (1.0, 1e-4, 25), (0.3, 1e-5, 50))
"""Continuations of ε tried for the best form of Algorithm 1: first, last, steps."""


@dataclass(frozen=True)
class Run:
    """One timed run. `reached` is False where it was stopped first: the times are lower bounds."""

    cpu: float
    wall: float
    iterations: int
    objective: float
    gap: float | None = None
    reached: bool = True


class Watch:
    """CPU and wall seconds since it was made, less what was spent while paused."""

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0
        self.resume()

    def resume(self) -> None:
        """Go on counting."""
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def pause(self) -> Self:
        """Stop counting."""
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall
        return self


def demand(label: str, *, met: bool) -> bool:
    """Print whether a demand is met; return it."""
    print(f"  {'met   ' if met else 'MISSED'}  {label}", flush=True)
    return met


def model_of(case: Case, gap: float) -> CSPCA:
    """The estimator of a case; the data come centred where they should be."""
    scale = "relative" if case.relative else "absolute"
    return CSPCA(
        case.alpha, case.beta, penalty_scale=scale, center=False, tol=gap, max_iter=MOST_ITERATIONS
    )


def ours(A: np.ndarray, case: Case, gap: float) -> tuple[Run, CSPCA]:
    """A whole fit, from the array to the certified gap, its reduction included."""
    model, watch = model_of(case, gap), Watch()
    model.fit(A)
    watch.pause()
    reached = model.duality_gap_ <= gap
    run = Run(watch.cpu, watch.wall, model.n_iter_, model.objective_, model.duality_gap_, reached)
    return run, model


def printed(A: np.ndarray, alpha: float, beta: float, count: int = 10) -> Run:
    """The printed Algorithm 1 after so many iterations; nothing else is on the clock."""
    iterates, watch = printed_algorithm.iterate(A, alpha, beta), Watch()
    for _ in range(count):
        W = next(iterates)
    watch.pause()
    return Run(watch.cpu, watch.wall, count, direct.objective(A, W, alpha, beta))


def best_form(A: np.ndarray, alpha: float, beta: float, goal: float, limit: float) -> Run:
    """Algorithm 1 on the reduction, ε continued, until its objective is at most `goal`.

    The fastest of a few schedules, each given `limit` CPU seconds, or what the fastest before it
    took. It need not prove that it is there.
    """
    runs: list[Run] = []
    for schedule in SCHEDULES:
        watch = Watch()
        problem = Problem(ReducedData(A), alpha, beta)
        for iterate in Reweighted(smoothing=schedule, check_every=10**9).iterate(problem):
            spent = watch.pause().cpu
            watch.resume()
            if iterate.best_objective <= goal or spent > limit:
                break
        reached = iterate.best_objective <= goal
        value = iterate.best_objective
        runs.append(Run(watch.cpu, watch.wall, iterate.number, value, None, reached))
        if reached:
            limit = min(limit, watch.cpu)
    return min(runs, key=lambda run: (not run.reached, run.cpu))


def memory(case: Case) -> float:
    """Peak megabytes of a fit to 1e-3 above the process with its data, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.measure", case.name]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=real_data.REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    return float(done.stdout)


def _status(field: str) -> float:
    """A field of /proc/self/status in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(field + ":"))
    return float(line.split()[1]) / 1024


def _print_peak(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    A = case.pixels()
    # Libraries and their buffers are the base, so a tiny fit goes first.
    CSPCA(0.1, 0.1).fit(np.random.default_rng(0).random((20, 10)))
    Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark to what is held now
    base = _status("VmRSS")
    model_of(case, 1e-3).fit(A)
    print(_status("VmHWM") - base)


if __name__ == "__main__":
    _print_peak(sys.argv[1])
