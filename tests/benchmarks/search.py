"""Every corner of the plane of penalties: α and β at random, each certified, none much dearer.

    python -m tests.benchmarks.search [--points 200] [--only ORL] [--worst 3]

Relative penalties are drawn over [1e-4, 1]² by their logarithms, the same for every image set, raw
and centred. Each is fitted cold to 1e-3 with the default settings; the reduction is made once a set
and not counted. Seconds are of the processor. The exit status is 1 when a point needs more than
1,000 iterations, or more than ten times the median seconds of its set.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.preprocessing import reduce_data
from tests import real_data

RANGE = (1e-4, 1.0)
MOST_ITERATIONS = 1000
MOST_TIMES_THE_MEDIAN = 10.0
TOLERANCE = 1e-3

SETS: dict[str, Callable[[], np.ndarray]] = {
    "faces": lambda: make_faces().data.astype(np.float64),
    "digits": lambda: real_data.pixels("digits"),
    "ORL": lambda: real_data.pixels("ORL"),
    "COIL20": lambda: real_data.pixels("COIL20"),
}


@dataclass(frozen=True)
class Point:
    """One fit; penalties are relative, `seconds` of the processor."""

    alpha: float
    beta: float
    iterations: int
    gap: float
    seconds: float

    @property
    def arrived(self) -> bool:
        """Whether the gap was reached within the iterations."""
        return self.gap <= TOLERANCE


def places(count: int, seed: int = 0) -> np.ndarray:
    """Relative (α, β), shape (count, 2)."""
    return np.exp(np.random.default_rng(seed).uniform(*np.log(RANGE), (count, 2)))


def search(A: np.ndarray, drawn: np.ndarray, *, center: bool) -> list[Point]:
    """Fit every place, cold."""
    reduced = reduce_data(A, center)
    points = []
    for alpha, beta in drawn.tolist():
        model = CSPCA(alpha, beta, center=center, tol=TOLERANCE, max_iter=MOST_ITERATIONS)
        began = time.process_time()
        for _ in model.iterate(A, reduced=reduced):  # does not warn where max_iter is reached
            pass
        seconds = time.process_time() - began
        points.append(Point(alpha, beta, model.n_iter_, model.duality_gap_, seconds))
    return points


def times_the_median(points: list[Point]) -> list[float]:
    """Seconds of every point, in medians of its set."""
    median = statistics.median(point.seconds for point in points)
    return [point.seconds / median for point in points]


def report(name: str, points: list[Point], worst: int) -> bool:
    """Print a set's line and its dearest points; whether it meets the demand."""
    times = times_the_median(points)
    late = sum(not point.arrived for point in points)
    met = late == 0 and max(times) <= MOST_TIMES_THE_MEDIAN
    median = statistics.median(point.seconds for point in points)
    most = max(point.iterations for point in points)
    print(
        f"{'met' if met else 'MISSED':6}  {name:16} {len(points)} points, {late} not to "
        f"{TOLERANCE:g}; median {median:.3f} s, dearest {max(times):.1f} times it; most "
        f"iterations {most}",
        flush=True,
    )
    for k in np.argsort(times)[::-1][:worst]:
        point = points[k]
        print(
            f"        α = {point.alpha:.3g}, β = {point.beta:.3g}: {point.iterations} iterations, "
            f"{point.seconds:.2f} s, gap {point.gap:.1e}",
            flush=True,
        )
    return met


def sets_here(only: str | None) -> Iterator[tuple[str, np.ndarray, bool]]:
    """Every set, or one, centred and raw: a title, its pixels, whether to centre them.

    Of what is not here it is said why.
    """
    for name in SETS if only is None else [only]:
        reason = real_data.why_absent(name)
        if reason is not None:
            print(f"skipped: {reason}")
            continue
        A = SETS[name]()
        yield f"{name}, centred", A, True
        yield f"{name}, raw", A, False


def main() -> int:
    """Search all sets that are here."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.search",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--points", type=int, default=200, help="a set (default: %(default)s)")
    parser.add_argument("--only", choices=sorted(SETS), help="one image set")
    parser.add_argument("--worst", type=int, default=3, help="dearest points to print")
    wishes = parser.parse_args()
    met = True
    for title, A, center in sets_here(wishes.only):
        points = search(A, places(wishes.points), center=center)
        met &= report(title, points, wishes.worst)
    return 0 if met else 1


if __name__ == "__main__":
    with threadpool_limits(1):
        sys.exit(main())
