"""What grid is asked for: plain values, and the sweep that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.runs.sweeps import Sweep, sensitivity_sweep
from cspca.selection import PAPER_GRID, RELATIVE_GRID

Scale = Literal["relative", "absolute"]

FRACTIONS: Final = RELATIVE_GRID
"""Fractions of α_max and β_max, those of the shell. Stops of Explore's sliders, so that a cell
opens there as it is."""

GRIDS: Final[dict[Scale, tuple[float, ...]]] = {"relative": FRACTIONS, "absolute": PAPER_GRID}

USUAL_SEEDS: Final = 10
PAPER_SEEDS: Final = 30
MOST_SEEDS: Final = 100


@dataclass(frozen=True)
class GridRequest:
    """A grid of fits.

    Attributes
    ----------
    scale : {"relative", "absolute"}
    n_features : int or None
        Features clustered on; None without labels, where nothing is clustered.
    n_seeds : int
        Clusterings a point; 0 without labels.
    """

    scale: Scale
    n_features: int | None
    n_seeds: int

    @property
    def n_fits(self) -> int:
        """Points of the grid."""
        return len(GRIDS[self.scale]) ** 2

    @property
    def n_clusterings(self) -> int:
        """Clusterings in all."""
        return self.n_fits * self.n_seeds

    def sweep(self, dataset: Dataset) -> Sweep:
        """Return the sweep that computes it."""
        grid = GRIDS[self.scale]
        return sensitivity_sweep(
            dataset,
            grid,
            grid,
            penalty_scale=self.scale,
            n_features=self.n_features,
            n_seeds=self.n_seeds,
        )


def usual(dataset: Dataset) -> GridRequest:
    """Return what is asked for unless something else is chosen."""
    if not has_classes(dataset):
        return GridRequest("relative", None, 0)
    return GridRequest("relative", max(1, dataset.n_features // 2), USUAL_SEEDS)


def request_of(sweep: Sweep) -> GridRequest | None:
    """Return the request behind a sweep; None when its grid is none of the page's."""
    plan, asked = sweep.plan, sweep.asked
    scale = cast(Scale, asked["penalty_scale"])
    counts = plan.methods[0].n_features
    request = GridRequest(scale, counts[0] if counts else None, len(plan.seeds))
    axes = tuple(asked["alphas"]), tuple(asked["betas"])
    return request if axes == (GRIDS[scale], GRIDS[scale]) else None
