"""The report of a grid of α and β."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cspca.figures.penalty_grid import REGIMES, penalty_grid
from cspca.figures.words import percent, power
from cspca.runs.report.about import About, closing
from cspca.runs.report.blocks import Block, Chart, Notice, Row, Section, Table, Words
from cspca.runs.report.document import document
from cspca.runs.report.names import stem_of
from cspca.runs.sweeps import Sensitivity

__all__ = ["sensitivity_report"]

_CLUSTERED = {"accuracy": "ACC", "nmi": "NMI"}
_LONG = {"accuracy": "Accuracy", "nmi": "Normalised mutual information"}
_UNLABELLED = {"stability": "Stability", "reconstruction_error": "Reconstruction error"}


def sensitivity_report(grid: Sensitivity, about: About) -> str:
    """Write the report of a grid.

    Parameters
    ----------
    grid : Sensitivity
        All of it or what there is.
    about : About

    Returns
    -------
    str
        HTML that needs nothing beside it.
    """
    sections = [*_clusters(grid, about), _fits(grid, about), _points(grid, about)]
    return document(
        f"Where do α and β matter in {about.data.name}?",
        _lead(grid),
        [*sections, *closing(about)],
        stem=stem_of(about.data.name),
    )


def _lead(grid: Sensitivity) -> str:
    known = sum(regime is not None for row in grid.regimes for regime in row)
    total = len(grid.alphas) * len(grid.betas)
    gaps = grid.fits["duality_gap"]
    sure = (
        f" Every fit is proven to be within {percent(float(np.nanmax(gaps)))} of its optimum."
        if known
        else ""
    )
    done = f"{total} points" if known == total else f"{known} of {total} points so far"
    unit = "fractions of α_max and β_max" if grid.penalty_scale == "relative" else "absolute values"
    return f"CSPCA at {done} of a grid of α and β, {unit}, each from a cold start.{sure}"


def _chart(
    grid: Sensitivity, name: str, title: str, values: NDArray[np.float64], heading: str
) -> Chart:
    axes = grid.alphas, grid.betas
    return Chart(
        name,
        lambda dark: penalty_grid(*axes, values, grid.regimes, value_title=title, dark=dark),
        heading,
    )


def _clusters(grid: Sensitivity, about: About) -> list[Section]:
    nouns = about.nouns
    names = {**_CLUSTERED, **_UNLABELLED}
    found = [name for name in names if name in grid.means and np.isfinite(grid.means[name]).any()]
    if not found:
        return []
    charts: list[Block] = []
    for name in found:
        percents = name in _CLUSTERED
        values = (100.0 if percents else 1.0) * grid.means[name]
        title = names[name] + ", %" * percents
        charts.append(
            _chart(grid, name.replace("_", "-"), title, values, _LONG.get(name, names[name]))
        )
    k = "" if grid.n_features is None else f"{grid.n_features:,} best "
    blocks: list[Block] = [
        Words(
            f"K-means clusters the {nouns.samples} by the {k}{nouns.features} of each fit; means "
            f"over {max(len(about.seeds), 1)} starts, the same at every point."
        ),
        Row(charts),
    ]
    if found[0] == "accuracy":
        blocks += [_best(grid), _bars(grid)]
    return [Section("What do the clusters say?", blocks)]


def _best(grid: Sensitivity) -> Notice:
    values = grid.means["accuracy"]
    i, j = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return Notice(
        f"Best of the grid: ACC {100 * values[i, j]:.1f} ± "
        f"{100 * grid.stds['accuracy'][i, j]:.1f} % at α = {power(grid.alphas[int(i)])}, "
        f"β = {power(grid.betas[int(j)])}. It is the largest of {np.isfinite(values).sum()} "
        "numbers and chosen by the labels, so it is too good: an honest figure chooses α and β on "
        "other runs."
    )


def _bars(grid: Sensitivity) -> Chart:
    axes, values = (grid.alphas, grid.betas), 100.0 * grid.means["accuracy"]
    return Chart(
        "accuracy-bars",
        lambda dark: penalty_grid(
            *axes, values, grid.regimes, value_title="ACC, %", bars=True, dark=dark
        ),
        "ACC as the paper draws it",
    )


def _fits(grid: Sensitivity, about: About) -> Section:
    many = about.nouns.features
    charts = [
        _chart(grid, name.replace("_", "-"), title, grid.fits[name], heading)
        for name, title, heading in (
            ("n_zero", f"{many.capitalize()} exactly zero", "Sparsity"),
            ("rank", "Rank of W", "Rank"),
        )
    ]
    words = " · ".join(f"{name}: {meaning}" for _, name, meaning in REGIMES.values())
    return Section("What do the fits say?", [Row(charts), Words(words, small=True)])


def _points(grid: Sensitivity, about: About) -> Section:
    clustered = [name for name in (*_CLUSTERED, *_UNLABELLED) if name in grid.means]
    titles = {**_CLUSTERED, **_UNLABELLED}
    heads = [
        "α", "β", *(titles[name] + " %" * (name in _CLUSTERED) for name in clustered),
        "Objective", "Gap", "Rank", "Exact zeros", "Regime",
    ]  # fmt: skip
    rows = [
        [
            power(alpha),
            power(grid.betas[j]),
            *_scores(grid, clustered, (i, j)),
            *_numbers(grid, (i, j)),
        ]
        for i, alpha in enumerate(grid.alphas)
        for j in range(len(grid.betas))
        if grid.regimes[i][j] is not None
    ]
    return Section("Every point", [Table(heads, rows)])


def _scores(grid: Sensitivity, names: Sequence[str], at: tuple[int, int]) -> list[str]:
    found = []
    for name in names:
        factor, digits = (100.0, 1) if name in _CLUSTERED else (1.0, 3)
        mean, std = factor * grid.means[name][at], factor * grid.stds[name][at]
        found.append(f"{mean:.{digits}f} ± {std:.{digits}f}" if np.isfinite(mean) else "–")
    return found


def _numbers(grid: Sensitivity, at: tuple[int, int]) -> list[str]:
    fits = grid.fits
    regime = grid.regimes[at[0]][at[1]] or ""
    return [
        f"{fits['objective'][at]:.6g}",
        f"{fits['duality_gap'][at]:.1e}" if fits["duality_gap"][at] > 0 else "0",
        f"{int(fits['rank'][at]):,}",
        f"{int(fits['n_zero'][at]):,}",
        REGIMES[regime][1] if regime in REGIMES else regime,
    ]
