"""Slider steps and whole grids, against as many cold fits of their own."""

import statistics
from dataclasses import dataclass

import numpy as np

from cspca import CSPCA
from cspca.path import iter_path
from cspca.preprocessing import reduce_data
from tests.benchmarks.measure import Watch

STEP = 1.25
GRIDS = {
    "the paper's grid 10⁻⁶ … 10⁶": ("absolute", np.geomspace(1e-6, 1e6, 7)),
    "relative 0.3 % … 100 %": ("relative", np.geomspace(3e-3, 1.0, 7)),
}


@dataclass(frozen=True)
class Steps:
    """CPU seconds of slider steps, from where the last one ended and cold, and the median ratio.

    Cold fits are given the reduction; `reduction` is what it takes, and `whole` the median ratio
    to a cold fit that makes its own.
    """

    warm: list[float]
    cold: list[float]
    ratio: float
    reduction: float
    whole: float


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


def slider(A: np.ndarray, count: int) -> Steps:
    """`count` steps of α or β by a factor, to and fro, as the page takes them, data reduced."""
    watch = Watch()
    reduced = reduce_data(A)
    reduction = watch.pause().cpu
    alpha, beta = 0.1, 0.01
    options = {"warm_start": True}
    last = CSPCA(alpha, beta, **options)
    _timed(last, A, reduced=reduced)
    warm, cold = [], []
    rng = np.random.default_rng(0)
    for _ in range(count):
        factor = STEP if rng.random() < 0.5 else 1.0 / STEP
        if rng.random() < 0.5:
            alpha = float(np.clip(alpha * factor, 0.01, 0.6))
        else:
            beta = float(np.clip(beta * factor, 0.001, 0.3))
        model = CSPCA(alpha, beta, **options)
        warm.append(_timed(model, A, start=last, reduced=reduced))
        cold.append(_timed(CSPCA(alpha, beta), A, reduced=reduced))
        last = model

    def ratio(more: float) -> float:
        return statistics.median(w / (c + more) for w, c in zip(warm, cold, strict=True))

    return Steps(warm, cold, ratio(0.0), reduction, ratio(reduction))


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
