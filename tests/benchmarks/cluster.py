"""One machine against a Dask cluster on it, with as many threads: two BLAS threads, two workers.

    python -m tests.benchmarks.cluster [--samples 70000] [--repetitions 1]

The two alternate in one run. Seconds on the wall, and of the CPUs for all processes together.
"""

import argparse
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
from distributed import Client, wait

from cspca import CSPCA
from cspca.threads import ENVIRONMENT_VARIABLE
from tests.benchmarks.synthetic import synthetic_digits, synthetic_digits_dask
from tests.solvers.dask_cluster import real_cluster

LIMIT = 1.5
"""Most times the seconds of one machine that two local workers may take."""

GAP = 1e-3


def _processes() -> list[psutil.Process]:
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def _cpu() -> float:
    return sum(sum(process.cpu_times()[:2]) for process in _processes())


def _peaks() -> list[int]:
    """High-water marks of all processes, in megabytes; this one's holds the data twice."""
    texts = [Path(f"/proc/{process.pid}/status").read_text() for process in _processes()]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("VmHWM")]
    return [int(line.split()[1]) // 1024 for line in lines]


@contextmanager
def _threads(count: int):
    before = os.environ.get(ENVIRONMENT_VARIABLE)
    os.environ[ENVIRONMENT_VARIABLE] = str(count)
    try:
        yield
    finally:
        del os.environ[ENVIRONMENT_VARIABLE]
        if before is not None:
            os.environ[ENVIRONMENT_VARIABLE] = before


def _timed(X: object) -> tuple[CSPCA, float, float]:
    cpu, began = _cpu(), time.perf_counter()
    model = CSPCA(0.05, 0.05, tol=GAP).fit(X)
    return model, time.perf_counter() - began, _cpu() - cpu


def compare(samples: int, repetitions: int, scratch: Path) -> list[float]:
    """Print one line a repetition; return the ratios of seconds on the wall."""
    ratios = []
    X = synthetic_digits(samples)
    with real_cluster(scratch, "--no-nanny") as cluster, Client(cluster.address) as client:
        client.wait_for_workers(2, timeout=60)
        there = synthetic_digits_dask(samples).persist()
        wait(there)
        for _ in range(repetitions):
            with _threads(2):
                here, wall, cpu = _timed(X)
            with _threads(1):
                found, their_wall, their_cpu = _timed(there)
            ratios.append(their_wall / wall)
            apart = abs(found.objective_ - here.objective_) / here.objective_
            scores = np.abs(found.feature_scores_ - here.feature_scores_).max()
            print(
                f"memory {wall:.1f} s (CPU {cpu:.1f}), {here.n_iter_} iterations, "
                f"gap {here.duality_gap_:.1e}; "
                f"Dask {their_wall:.1f} s (CPU {their_cpu:.1f}), {found.n_iter_} iterations, "
                f"gap {found.duality_gap_:.1e}; ratio {ratios[-1]:.2f}; "
                f"objectives {apart:.1e} apart, scores {scores:.1e}",
                flush=True,
            )
            assert max(here.duality_gap_, found.duality_gap_) <= GAP
            assert apart <= GAP
        print(f"peak memory in MB: {_peaks()}; load {os.getloadavg()[0]:.1f}")
    return ratios


def main() -> int:
    """Exit status 1 when the cluster takes too long."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=70_000)
    parser.add_argument("--repetitions", type=int, default=1)
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        ratios = compare(wishes.samples, wishes.repetitions, Path(scratch))
    return int(min(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
