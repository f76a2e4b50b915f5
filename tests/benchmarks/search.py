"""The plane of penalties: fits at random places, steps of a slider, a whole grid.

    python -m tests.benchmarks.search [--points 200] [--only ORL] [--steps 0] [--grid]

Relative penalties are drawn over [1e-4, 1]² by their logarithms, the same for every image set, raw
and centred. Each is fitted cold to 1e-3 with the default settings; the reduction is made once a set
and not counted. With ``--steps`` places as many steps of a slider are made from each, × 1.25 or
÷ 1.25, and compared with cold fits of their own; ``--grid`` compares a 7 × 7 path of relative
penalties, 0.3 to 100 %, with 49 fits. Seconds are of the processor, one BLAS thread. The exit
status is 1 when a point needs more than 1,000 iterations, or more than ten times the median seconds
of its set.
"""

import argparse
import itertools
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from cspca import CSPCA
from cspca.datasets import make_faces
from cspca.path import iter_path
from cspca.preprocessing import reduce_data
from tests import real_data
from tests.benchmarks.measure import Watch, demand

RANGE = (1e-4, 1.0)
MOST_ITERATIONS = 1000
MOST_TIMES_THE_MEDIAN = 10.0
TOLERANCE = 1e-3
STEP = 1.25

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


def timed(model: CSPCA, A: np.ndarray, **options: object) -> Point:
    """Fit a model; no warning where `max_iter` is reached."""
    watch = Watch()
    for _ in model.iterate(A, **options):
        pass
    seconds = watch.pause().cpu
    return Point(model.alpha, model.beta, model.n_iter_, model.duality_gap_, seconds)


def search(A: np.ndarray, drawn: np.ndarray, *, center: bool) -> list[Point]:
    """Fit every place, cold."""
    reduced = reduce_data(A, center)
    return [
        timed(
            CSPCA(alpha, beta, center=center, tol=TOLERANCE, max_iter=MOST_ITERATIONS),
            A,
            reduced=reduced,
        )
        for alpha, beta in drawn.tolist()
    ]


def report(name: str, points: list[Point]) -> bool:
    """Print a set's line and its dearest points; whether it meets the demand."""
    median = statistics.median(point.seconds for point in points)
    dearest = sorted(points, key=lambda point: point.seconds)[-3:]
    times, late = dearest[-1].seconds / median, sum(not point.arrived for point in points)
    most = max(point.iterations for point in points)
    met = demand(
        f"{name:16} {len(points)} points, {late} not to {TOLERANCE:g}; median {median:.3f} s, "
        f"dearest {times:.1f} times it; most iterations {most}",
        met=late == 0 and times <= MOST_TIMES_THE_MEDIAN,
    )
    for point in reversed(dearest):
        print(
            f"          α = {point.alpha:.3g}, β = {point.beta:.3g}: {point.iterations} "
            f"iterations, {point.seconds:.2f} s, gap {point.gap:.1e}"
        )
    return met


def slider(A: np.ndarray, drawn: np.ndarray, each: int = 4, *, center: bool) -> list[float]:
    """Seconds of steps from places of the two sliders, as shares of cold fits with reduction."""
    watch = Watch()
    reduced = reduce_data(A, center)
    reduction, rng, ratios = watch.pause().cpu, np.random.default_rng(0), []
    for place in drawn:
        last = CSPCA(*place, center=center, warm_start=True)
        timed(last, A, reduced=reduced)
        penalties = place
        for _ in range(each):
            factors = rng.permutation([STEP ** rng.choice([-1, 1]), 1.0])
            penalties = np.minimum(penalties * factors, 1.0)
            model = CSPCA(*penalties, center=center, warm_start=True)
            warm = timed(model, A, start=last, reduced=reduced).seconds
            cold = timed(CSPCA(*penalties, center=center), A, reduced=reduced).seconds
            ratios.append(warm / (cold + reduction))
            last = model
    return ratios


def grid(A: np.ndarray, values: np.ndarray, *, center: bool) -> float:
    """Seconds of a path over all pairs of relative penalties, as a share of as many whole fits."""
    options = {"penalty_scale": "relative", "max_iter": 300, "center": center}
    watch = Watch()
    list(iter_path(A, values, values, **options))
    path, watch = watch.pause().cpu, Watch()
    for penalties in itertools.product(values, values):
        timed(CSPCA(*penalties, **options), A)
    return path / watch.pause().cpu


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
    parser.add_argument("--steps", type=int, default=0, metavar="PLACES", help="steps of a slider")
    parser.add_argument("--grid", action="store_true", help="a path over 7 × 7 penalties")
    options = parser.parse_args()
    met = True
    for title, A, center in sets_here(options.only):
        met &= report(title, search(A, places(options.points), center=center))
        if options.steps:
            ratios = slider(A, places(options.steps), center=center)
            print(f"          a step takes {statistics.median(ratios):.2f} of a cold fit")
        if options.grid:
            ratio = grid(A, np.geomspace(3e-3, 1.0, 7), center=center)
            print(f"          the path takes {ratio:.2f} of 49 cold fits")
    return 0 if met else 1


if __name__ == "__main__":
    with threadpool_limits(1):
        sys.exit(main())
