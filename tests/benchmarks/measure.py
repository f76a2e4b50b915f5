"""Stop-watches: our fit, Algorithm 1 in both forms, memory. Seconds of CPU beside those on a wall.

One BLAS thread, so that CPU seconds are what an idle machine would take; ratios use them, because
a shared machine stretches the others at random.
"""

import itertools
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from scipy.linalg import eigh

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from cspca.solvers import Reweighted
from tests.benchmarks import printed_algorithm
from tests.benchmarks.cases import CASES, Case
from tests.oracles import direct

REPOSITORY = Path(__file__).resolve().parents[2]
GAPS = (1e-2, 1e-3, 1e-4)
MOST_ITERATIONS = 500


@dataclass(frozen=True)
class Run:
    """One timed run. `reached` is False where it was stopped first: the times are lower bounds.

    Of a peer that has dual variables at hand, `certified` is the CPU seconds after which these
    prove the gap (None: they did not), and `stopped` those after which nobody looked any more.
    """

    cpu: float
    wall: float
    iterations: int
    objective: float
    gap: float | None = None
    reached: bool = True
    name: str = ""
    certified: float | None = None
    stopped: float | None = None


class Watch:
    """CPU and wall seconds since it was made, less what was spent while paused."""

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0
        self._start()

    def _start(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def pause(self) -> Self:
        """Stop counting."""
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall
        return self

    def resume(self) -> None:
        """Go on counting."""
        self._start()


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
    found = model.duality_gap_
    run = Run(watch.cpu, watch.wall, model.n_iter_, model.objective_, found, found <= gap)
    return run, model


def printed(A: np.ndarray, alpha: float, beta: float, counts: tuple[int, ...]) -> list[Run]:
    """The printed Algorithm 1 after each of `counts` iterations; nothing else is on the clock."""
    runs, done = [], 0
    iterates, watch = printed_algorithm.iterate(A, alpha, beta), Watch()
    for count in counts:
        for _ in range(count - done):
            W = next(iterates)
        watch.pause()
        value = direct.objective(A, W, alpha, beta)
        runs.append(Run(watch.cpu, watch.wall, count, value))
        done = count
        watch.resume()
    return runs


SCHEDULES = ((1.0, 1e-3, 12), (1.0, 1e-4, 25), (0.3, 1e-5, 50))
"""Continuations of ε tried for the best form of Algorithm 1: first, last, steps."""


def best_form(A: np.ndarray, alpha: float, beta: float, goal: float, limit: float) -> Run:
    """Algorithm 1 on the reduction, ε continued, until its objective is at most `goal`.

    The fastest of a few schedules, each given `limit` CPU seconds, or what the fastest before it
    took; without certificates, which it does not need to be told that it is there.
    """
    runs: list[Run] = []
    for schedule in SCHEDULES:
        watch = Watch()
        problem = Problem(ReducedData(A), alpha, beta)
        solver = Reweighted(smoothing=schedule, check_every=10**9)
        for iterate in solver.iterate(problem):
            spent = watch.pause().cpu
            watch.resume()
            if iterate.best_objective <= goal or spent > limit:
                break
        value = iterate.best_objective
        name = f"ε {schedule[0]:g} → {schedule[1]:g} in {schedule[2]}"
        runs.append(Run(watch.cpu, watch.wall, iterate.number, value, None, value <= goal, name))
        if value <= goal:
            limit = min(limit, watch.cpu)
    return min(runs, key=lambda run: (not run.reached, run.cpu if run.reached else run.objective))


def eigh_seconds(size: int) -> float:
    """CPU seconds of one ``eigh`` as a printed iteration needs it, on a matrix of this size."""
    factor = np.random.default_rng(0).standard_normal((size, size))
    matrix, watch = factor @ factor.T, Watch()
    eigh(matrix, overwrite_a=True, check_finite=False)
    return watch.pause().cpu


def seconds_per_iteration(A: np.ndarray, alpha: float, beta: float, count: int = 9) -> float:
    """Median CPU seconds of one iteration of ours, certificate not included."""
    from cspca.solvers import ADMM

    data = ReducedData(A)
    problem = Problem(data, alpha * data.alpha_max, beta * data.beta_max)
    times, before = [], time.process_time()
    for _ in itertools.islice(ADMM(check_every=10**9, precision="single").iterate(problem), count):
        now = time.process_time()
        times.append(now - before)
        before = now
    return float(np.median(times[2:]))


def memory(case: Case) -> float | None:
    """Peak megabytes of a fit to 1e-3 above the process with its data, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.measure", case.name]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def _status(field: str) -> float:
    """A field of /proc/self/status in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return float(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no {field}: peak memory is measured on Linux only.")


def _child(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    A = case.pixels()
    # Libraries and their buffers are the base, so a tiny fit goes first.
    CSPCA(0.1, 0.1).fit(np.random.default_rng(0).random((20, 10)))
    Path("/proc/self/clear_refs").write_text("5")  # sets the high-water mark to what is held now
    base = _status("VmRSS")
    model_of(case, 1e-3).fit(A)
    print(_status("VmHWM") - base)


if __name__ == "__main__":
    _child(sys.argv[1])
