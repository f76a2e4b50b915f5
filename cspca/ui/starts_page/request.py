"""What starts are asked for: plain values, and the sweep that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.runs.sweeps import Sweep, starts_sweep
from cspca.solvers import STARTS

Scale = Literal["absolute", "relative"]

USUAL: Final[dict[Scale, tuple[float, float]]] = {"absolute": (1.0, 1.0), "relative": (0.1, 0.01)}
"""Penalties: the paper's, and those of the Explore page."""

CHECKPOINTS: Final = (10, 20, 50)
TOLERANCE: Final = 1e-4
USUAL_SEEDS: Final = 10
PAPER_SEEDS: Final = 30
MOST_SEEDS: Final = 100
LARGEST: Final = 1e6


@dataclass(frozen=True)
class StartsRequest:
    """Fits from the seven starts.

    Attributes
    ----------
    scale : {"absolute", "relative"}
    alpha, beta : float
    center : bool
    n_features : int or None
        Features clustered on; None without labels, where nothing is clustered.
    n_seeds : int
        Clusterings a fit; 0 without labels.
    """

    scale: Scale
    alpha: float
    beta: float
    center: bool
    n_features: int | None
    n_seeds: int

    @property
    def n_clusterings(self) -> int:
        """Clusterings in all."""
        return len(STARTS) * (len(CHECKPOINTS) + 1) * self.n_seeds

    @property
    def n_steps(self) -> int:
        """Fits and clusterings."""
        return len(STARTS) * (len(CHECKPOINTS) + 1) + self.n_clusterings

    def sweep(self, dataset: Dataset) -> Sweep:
        """Return the sweep that computes it."""
        return starts_sweep(
            dataset,
            self.alpha,
            self.beta,
            penalty_scale=self.scale,
            checkpoints=CHECKPOINTS,
            n_features=self.n_features,
            n_seeds=self.n_seeds,
            tol=TOLERANCE,
            center=self.center,
        )


def usual(dataset: Dataset) -> StartsRequest:
    """Return what is asked for unless something else is chosen: the paper's penalties, raw data."""
    alpha, beta = USUAL["absolute"]
    k, seeds = None, 0
    if has_classes(dataset):
        k, seeds = max(1, dataset.n_features // 2), USUAL_SEEDS
    return StartsRequest("absolute", alpha, beta, False, k, seeds)


def request_of(sweep: Sweep, dataset: Dataset) -> StartsRequest | None:
    """Return the request behind a sweep; None when it was asked for otherwise, in a shell say."""
    plan, asked = sweep.plan, sweep.asked
    counts, given = plan.methods[0].n_features, dict(plan.methods[0].grid[0])
    request = StartsRequest(
        cast(Scale, asked["penalty_scale"]),
        float(asked["alpha"]),
        float(asked["beta"]),
        bool(given["center"]),
        counts[0] if counts else None,
        len(plan.seeds),
    )
    try:
        same = request.sweep(dataset)
    except ValueError:
        return None
    # In whatever order: the numbers are the same.
    alike = set(same.plan.methods[0].grid) == set(plan.methods[0].grid)
    return request if alike and same.context == sweep.context else None
