"""The paper's three figures in a report, as slices of a reproduction's runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cspca.evaluation.former import Comparison
from cspca.evaluation.paper_evidence import curve_at
from cspca.evaluation.statistics import summarise
from cspca.figures.colours import ACCENT, CONTRAST
from cspca.figures.comparison import comparison_curves
from cspca.figures.convergence import Course, convergence
from cspca.figures.penalty_grid import penalty_grid
from cspca.runs.paper import sensitivity_at
from cspca.runs.report.blocks import Block, Chart
from cspca.runs.sweeps import StartRow
from cspca.selection import METHODS

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["courses_of", "curve_figure", "paper_figures"]

_SOLVERS: Final = {
    "reweighted": ("Algorithm 1", CONTRAST),
    "admm": ("Certified solver", ACCENT),
}


def paper_figures(
    comparison: Comparison | None, starts: Sequence[StartRow], features: str
) -> list[Block]:
    """Return those of the figures whose runs are there.

    Parameters
    ----------
    comparison : Comparison or None
    starts : sequence of StartRow
    features : str
        What columns of the data are called.
    """
    found: list[Block] = []
    if comparison is not None:
        found += [*_features(comparison, features), *_sensitivity(comparison)]
    return [*found, *_convergence(starts)]


def curve_figure(comparison: Comparison, features: str, *, dark: bool) -> go.Figure | None:
    """Draw CSPCA at one α and β against the number of features, beside all of them."""
    sums = {k: summarise(runs) for k, runs in curve_at(comparison).items()}
    if not sums:
        return None
    choices, runs = comparison.scores("all", "accuracy")
    shown = [("all", choices[0].n_features, summarise(runs[0]))] if choices else []
    shown += [("cspca", n, one) for n, one in sums.items()]
    table = {
        "title": [METHODS[key].title for key, _, _ in shown],
        "colour": [METHODS[key].colour for key, _, _ in shown],
        "marker": [METHODS[key].marker for key, _, _ in shown],
        "n_features": [n for _, n, _ in shown],
        "mean": [one.mean for _, _, one in shown],
        "std": [one.std for _, _, one in shown],
    }
    level, band = METHODS["all"].title, METHODS["cspca"].title
    return comparison_curves(table, "ACC", level=level, band=band, features=features, dark=dark)


def courses_of(rows: Sequence[StartRow], init: str) -> list[Course]:
    """Return the longest course of each solver from one start."""
    longest: dict[str, StartRow] = {}
    for row in rows:
        if row.init != init or not row.history:
            continue
        if row.solver not in longest or row.iterations > longest[row.solver].iterations:
            longest[row.solver] = row
    return [
        Course(*look, longest[solver].history)
        for solver, look in _SOLVERS.items()
        if solver in longest
    ]


def _features(comparison: Comparison, features: str) -> list[Block]:
    if not curve_at(comparison):
        return []
    return [
        Chart(
            "number-of-features",
            lambda dark: curve_figure(comparison, features, dark=dark),
            f"How many {features}?",
            "CSPCA at α = β = 1, as the paper’s figure fixes them; bands: ± standard deviation "
            "over the starts of K-means. ACC rests on labels.",
        )
    ]


def _sensitivity(comparison: Comparison) -> list[Block]:
    grid = sensitivity_at(comparison)
    if grid is None:
        return []
    axes, values = (grid.alphas, grid.betas), 100.0 * grid.means["accuracy"]
    return [
        Chart(
            "sensitivity",
            lambda dark: penalty_grid(*axes, values, grid.regimes, value_title="ACC, %", dark=dark),
            "Where do α and β matter?",
            f"Absolute α and β, as printed; the best {grid.n_features:,} of each fit. ACC rests "
            "on labels.",
        )
    ]


def _convergence(starts: Sequence[StartRow]) -> list[Block]:
    courses = courses_of(starts, starts[0].init) if starts else []
    if not courses:
        return []
    return [
        Chart(
            "convergence",
            lambda dark: convergence(courses, dark=dark, log_x=True),
            "Does it converge?",
            f"The objective at α = β = 1 from the start {starts[0].init}, its proven lower bound "
            "dashed. What looks flat after ten iterations need not have arrived.",
        )
    ]
