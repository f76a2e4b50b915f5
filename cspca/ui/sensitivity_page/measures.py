"""What the grid can be coloured by, what each of it rests on, and its numbers in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import Nouns
from cspca.runs.sweeps import Sensitivity

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """One colour of the grid.

    Attributes
    ----------
    label : str
        On the switch.
    title : str
        At the figure's scale, with the unit.
    factor : float
        From the kept value to the shown one.
    clustered : bool
        Whether it is a mean over clusterings held against labels.
    words : str
        What it is and what it rests on.
    """

    label: str
    title: str
    factor: float
    clustered: bool
    words: str


def measures(nouns: Nouns) -> dict[str, Measure]:
    """Return all measures, by the names under which the values are kept."""
    many = nouns.features
    judged = (
        "Rests on labels: the fits never see them, but the clusters are held against them, so a "
        "choice of α and β by this figure is made by labels."
    )
    return {
        "accuracy": Measure("ACC", "ACC, %", 100.0, True, judged),
        "nmi": Measure("NMI", "NMI, %", 100.0, True, judged),
        "duality_gap": Measure(
            "Gap",
            "Certified gap, %",
            100.0,
            False,
            "How far each fit is from the global optimum at most, which its own bound proves. "
            "Needs no labels. Fits end below 0.1 %.",
        ),
        "rank": Measure("Rank", "Rank of W", 1.0, False, "Rank of W. Needs no labels."),
        "n_zero": Measure(
            "Exact zeros",
            f"{many.capitalize()} exactly zero",
            1.0,
            False,
            f"{many.capitalize()} whose row of W is exactly zero. Needs no labels.",
        ),
        "objective": Measure(
            "Objective",
            "Objective",
            1.0,
            False,
            "The value that is minimised. It grows with α and β, so it says nothing about which "
            "point is better. Needs no labels.",
        ),
    }


OF_CLUSTERS: Final = ("accuracy", "nmi")


def table(grid: Sensitivity, name: str, measure: Measure) -> Floats:
    """Return the values of a measure in the unit shown; NaN where there is none yet."""
    source = grid.means if measure.clustered else grid.fits
    shape = len(grid.alphas), len(grid.betas)
    values: Floats = measure.factor * source.get(name, np.full(shape, np.nan))
    return values


def best_cell(grid: Sensitivity, name: str) -> tuple[int, int] | None:
    """Return the cell with the largest mean; None before there is one."""
    values = grid.means.get(name)
    if values is None or not np.isfinite(values).any():
        return None
    i, j = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return int(i), int(j)


def with_spread(grid: Sensitivity, name: str, cell: tuple[int, int]) -> str:
    """Write a mean over clusterings with its standard deviation, in per cent."""
    return f"{100 * grid.means[name][cell]:.1f} ± {100 * grid.stds[name][cell]:.1f} %"
