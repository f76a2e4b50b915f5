"""Slider steps and whole grids, against as many cold fits of their own."""

import statistics
from dataclasses import dataclass

import numpy as np

from cspca import CSPCA
from cspca.path import iter_path
from cspca.preprocessing import reduce_data
from tests.benchmarks.measure import Watch

STEP = 1.25
BEGIN = (0.1, 0.01)
RANGES = ((0.01, 0.003), (0.6, 0.3))
"""Where the page begins, and between which fractions of α_max and β_max places are drawn: from
nearly all directions in W to a handful of pixels."""

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

    def ratio(self, *, few: bool | None = None) -> float:
        """Median; of those with at most an eighth of all directions in W, or the others."""
        ratios = [
            step.warm / (step.cold + self.reduction)
            for step in self.steps
            if few is None or (8 * step.rank <= self.directions) == few
        ]
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


def slider(A: np.ndarray, places: int, each: int = 4) -> Steps:
    """From some places of the two sliders, `each` steps by a factor, as the page takes them.

    The first place is where the page begins; the others are spread over the sliders' ranges by
    their logarithms.
    """
    watch = Watch()
    reduced = reduce_data(A)
    reduction = watch.pause().cpu
    rng = np.random.default_rng(0)
    steps = []
    for place in range(places):
        alpha, beta = BEGIN if place == 0 else np.exp(rng.uniform(*np.log(RANGES)))
        last = CSPCA(alpha, beta, warm_start=True)
        _timed(last, A, reduced=reduced)
        for _ in range(each):
            factors = rng.permutation([STEP ** rng.choice([-1, 1]), 1.0])
            alpha, beta = np.minimum((alpha, beta) * factors, 1.0)
            model = CSPCA(alpha, beta, warm_start=True)
            warm = _timed(model, A, start=last, reduced=reduced)
            cold = _timed(CSPCA(alpha, beta), A, reduced=reduced)
            steps.append(Step(alpha, beta, model.rank_, warm, cold))
            last = model
    return Steps(steps, reduction, reduced.rank)


def grid(A: np.ndarray, name: str, max_iter: int = 300) -> Grid:
    """A 7 × 7 path against 49 whole fits, each with its own reduction, as `fit` makes it."""
    scale, values = GRIDS[name]
    watch = Watch()
    points = list(iter_path(A, values, values, penalty_scale=scale, max_iter=max_iter))
    path = watch.pause().cpu
    watch = Watch()
    for alpha in values:
        for beta in values:
            model = CSPCA(alpha, beta, penalty_scale=scale, max_iter=max_iter)
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
