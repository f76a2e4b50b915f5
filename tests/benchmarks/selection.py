"""Seconds of the selectors, from the array on, the graph included; one BLAS thread.

    python -m tests.benchmarks.selection [--repetitions 3] [--only SPEC]

Medians by the clock, processor seconds beside them. Data that are not here are skipped with the
reason. The exit status is 1 when a demand is missed.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits

from cspca.datasets import make_faces
from cspca.selection import METHODS
from tests import real_data
from tests.benchmarks.measure import demand


def _yale_like() -> np.ndarray:
    """Rendered faces of Extended Yale B's size: 2,414 pictures of 1,024 pixels."""
    return np.array(make_faces(38, 64, 32, random_state=0).data[:2414])


PIXELS: dict[str, Callable[[], np.ndarray]] = {"faces": _yale_like}


@dataclass(frozen=True)
class Row:
    """One selector on one data set, and the most seconds by the clock that it may take there."""

    method: str
    data: str
    n_clusters: int
    most: float
    parameters: dict[str, object] = field(default_factory=dict)


ROWS = (
    Row("spec", "USPS", 10, 4.0, {"function": "phi1"}),
    Row("spec", "USPS", 10, 4.0),
    Row("laplacian", "USPS", 10, 2.0),
    Row("mcfs", "COIL20", 20, 2.0, {"n_nonzero": 290}),
    Row("udfs", "faces", 38, 20.0, {"tol": 0.0}),
)


def measure(row: Row, repetitions: int) -> bool:
    """Time a row and print it; whether its demand is met."""
    X = PIXELS[row.data]() if row.data in PIXELS else real_data.pixels(row.data)
    wall, processor = [], []
    for _ in range(repetitions):
        model = METHODS[row.method].make(row.n_clusters, **row.parameters)
        began, worked = time.perf_counter(), time.process_time()
        model.fit(X)
        wall.append(time.perf_counter() - began)
        processor.append(time.process_time() - worked)
    seconds = statistics.median(wall)
    settings = "".join(f", {name} = {value}" for name, value in row.parameters.items())
    return demand(
        f"{METHODS[row.method].title}{settings}, {row.data} {X.shape[0]} × {X.shape[1]}: "
        f"{seconds:.2f} s of at most {row.most:g} ({statistics.median(processor):.2f} s of the "
        "processor)",
        met=seconds <= row.most,
    )


def main() -> int:
    """Time the rows asked for; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.selection")
    parser.add_argument("--repetitions", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--only", default="", help="methods whose key contains this")
    options = parser.parse_args()
    met = True
    for row in ROWS:
        if options.only.lower() not in row.method:
            continue
        reason = real_data.why_absent(row.data)
        if reason is not None:
            print(f"{row.method}: skipped: {reason}")
            continue
        with threadpool_limits(1):
            met &= measure(row, options.repetitions)
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
