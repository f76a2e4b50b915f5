"""Slider steps and whole grids, against as many cold fits of their own.

    python -m tests.benchmarks.paths [--only ORL] [--places 12]

A line for every image set, centred and raw; the ratios are of processor seconds, one BLAS thread.
"""

import argparse
import statistics
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from cspca import CSPCA
from cspca.path import iter_path
from cspca.preprocessing import reduce_data
from tests.benchmarks.measure import Watch
from tests.benchmarks.search import SETS, sets_here

STEP = 1.25
BEGIN = (0.1, 0.01)
RANGES = ((1e-4, 1e-4), (0.7, 0.7))
"""Where the page begins, and between which fractions of α_max and β_max places are drawn: from
all images reproduced to a handful of pixels."""

GRIDS = {
    "the paper's grid 10⁻⁶ … 10⁶": ("absolute", np.geomspace(1e-6, 1e6, 7)),
    "relative 0.3 % … 100 %": ("relative", np.geomspace(3e-3, 1.0, 7)),
}


@dataclass(frozen=True)
class Step:
    """CPU seconds of one slider step, from where the last one ended and cold.

    Cold without the reduction, which both are given; `rank` is that of the new answer.
    """

    alpha: float
    beta: float
    rank: int
    warm: float
    cold: float


@dataclass(frozen=True)
class Steps:
    """Slider steps; ratios are to a cold fit from the array, that is, with its `reduction`."""

    steps: list[Step]
    reduction: float
    directions: int

    def ratios(self, *, few: bool | None = None) -> list[float]:
        """One a step; of those with at most an eighth of all directions in W, or the others."""
        return [
            step.warm / (step.cold + self.reduction)
            for step in self.steps
            if few is None or (8 * step.rank <= self.directions) == few
        ]

    def ratio(self, *, few: bool | None = None) -> float:
        """Their median."""
        ratios = self.ratios(few=few)
        return statistics.median(ratios) if ratios else float("nan")

    def median(self, name: str) -> float:
        """Of the steps' `name`."""
        return statistics.median(getattr(step, name) for step in self.steps)


@dataclass(frozen=True)
class Grid:
    """CPU seconds of a path and of single fits of its points; `unfinished` missed the gap."""

    name: str
    path: float
    cold: float
    solved: int
    unfinished: int
    ratio: float


def _timed(model: CSPCA, A: np.ndarray, **options: object) -> float:
    watch = Watch()
    for _ in model.iterate(A, **options):
        pass
    return watch.pause().cpu


def slider(A: np.ndarray, places: int, each: int = 4, *, center: bool = True) -> Steps:
    """From some places of the two sliders, `each` steps by a factor, as the page takes them.

    The first place is where the page begins; the others are spread over the sliders' ranges by
    their logarithms.
    """
    watch = Watch()
    reduced = reduce_data(A, center)
    reduction = watch.pause().cpu
    rng = np.random.default_rng(0)
    steps = []
    for place in range(places):
        alpha, beta = BEGIN if place == 0 else np.exp(rng.uniform(*np.log(RANGES)))
        last = CSPCA(alpha, beta, center=center, warm_start=True)
        _timed(last, A, reduced=reduced)
        for _ in range(each):
            factors = rng.permutation([STEP ** rng.choice([-1, 1]), 1.0])
            alpha, beta = np.minimum((alpha, beta) * factors, 1.0)
            model = CSPCA(alpha, beta, center=center, warm_start=True)
            warm = _timed(model, A, start=last, reduced=reduced)
            cold = _timed(CSPCA(alpha, beta, center=center), A, reduced=reduced)
            steps.append(Step(alpha, beta, model.rank_, warm, cold))
            last = model
    return Steps(steps, reduction, reduced.rank)


def grid(A: np.ndarray, name: str, max_iter: int = 300, *, center: bool = True) -> Grid:
    """A 7 × 7 path against 49 whole fits, each with its own reduction, as `fit` makes it."""
    scale, values = GRIDS[name]
    watch = Watch()
    options = {"penalty_scale": scale, "max_iter": max_iter, "center": center}
    points = list(iter_path(A, values, values, **options))
    path = watch.pause().cpu
    watch = Watch()
    for alpha in values:
        for beta in values:
            model = CSPCA(alpha, beta, **options)
            for _ in model.iterate(A):  # does not warn where max_iter is reached
                pass
    cold = watch.pause().cpu
    return Grid(
        name,
        path,
        cold,
        sum(point.n_iter > 0 for point in points),
        sum(point.gap > 1e-3 for point in points),
        path / cold,
    )


def main() -> None:
    """Print both ratios of every image set that is here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(SETS), help="one image set")
    parser.add_argument("--places", type=int, default=12, help="where slider steps begin")
    wishes = parser.parse_args()
    for title, A, center in sets_here(wishes.only):
        steps = slider(A, wishes.places, center=center)
        ratios = steps.ratios()
        whole = grid(A, "relative 0.3 % … 100 %", center=center)
        print(
            f"{title}: slider step × {STEP} median {steps.ratio():.2f}, "
            f"{sum(one <= 1 / 3 for one in ratios)} of {len(ratios)} at most 1/3; "
            f"7 × 7 path {whole.ratio:.2f} of 49 cold fits, {whole.unfinished} late",
            flush=True,
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
