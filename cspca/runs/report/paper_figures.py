"""The paper's three figures in a report, as slices of a reproduction's runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cspca.evaluation.former import Comparison
from cspca.evaluation.paper_evidence import curve_at
from cspca.evaluation.statistics import summarise
from cspca.figures.colours import ACCENT
from cspca.figures.compare import Curve as FeatureCurve
from cspca.figures.compare import alt_feature_curves, feature_curves
from cspca.figures.convergence import Curve, convergence_alt
from cspca.figures.sensitivity import alt_sensitivity, sensitivity_heatmap
from cspca.figures.starts import convergence_static
from cspca.runs.paper import sensitivity_at
from cspca.runs.report.blocks import Block, Chart
from cspca.runs.sweeps import StartRow

__all__ = ["paper_figures"]

_SOLVERS: Final = {
    "reweighted": ("Algorithm 1", "#D55E00"),
    "admm": ("Certified solver", ACCENT),
}
_COLUMNS: Final = ("number", "seconds", "objective", "dual_bound", "gap")


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


def _features(comparison: Comparison, features: str) -> list[Block]:
    sums = {k: summarise(runs) for k, runs in curve_at(comparison).items()}
    if not sums:
        return []
    shown = []
    choices, runs = comparison.scores("all", "accuracy")
    if choices:
        level = summarise(runs[0])
        at = [choices[0].n_features]
        shown.append(FeatureCurve("All features", "AllFeatures", at, [level.mean], [level.std]))
    means, stds = ([getattr(one, name) for one in sums.values()] for name in ("mean", "std"))
    shown.append(FeatureCurve("CSPCA", "CSPCA", list(sums), means, stds))
    return [
        Chart(
            "number-of-features",
            lambda dark: feature_curves(shown, "ACC", dark=dark, features=features),
            alt_feature_curves(shown, "ACC", features=features),
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
            lambda dark: sensitivity_heatmap(
                *axes, values, grid.regimes, value_title="ACC, %", dark=dark
            ),
            alt_sensitivity(*axes, values, grid.regimes, value_title="ACC, %"),
            "Where do α and β matter?",
            f"Absolute α and β, as printed; the best {grid.n_features:,} of each fit. ACC rests "
            "on labels.",
        )
    ]


def _convergence(starts: Sequence[StartRow]) -> list[Block]:
    longest: dict[str, StartRow] = {}
    for row in starts:
        if row.init != starts[0].init or not row.history:
            continue
        if row.solver not in longest or row.iterations > longest[row.solver].iterations:
            longest[row.solver] = row
    curves = [
        Curve(
            name,
            colour,
            *(np.asarray(longest[solver].history[key], float).tolist() for key in _COLUMNS),
        )
        for solver, (name, colour) in _SOLVERS.items()
        if solver in longest
    ]
    if not curves:
        return []
    return [
        Chart(
            "convergence",
            lambda dark: convergence_static(curves, dark=dark, log_x=True, zoom=True),
            convergence_alt(curves),
            "Does it converge?",
            f"The objective at α = β = 1 from the start {starts[0].init}, its proven lower bound "
            "dashed. What looks flat after ten iterations need not have arrived.",
        )
    ]
