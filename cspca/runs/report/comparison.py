"""The report of a comparison of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cspca.evaluation.former import METRICS, Choice, Comparison, Point, Row, Summary
from cspca.evaluation.former.cells import Parameters
from cspca.figures.colours import NEUTRAL
from cspca.figures.comparison import (
    comparison_bars,
    comparison_curves,
    comparison_overlap,
    comparison_times,
)
from cspca.figures.pictures import mask_alt, mask_rgb, top_mask
from cspca.figures.words import duration
from cspca.runs.report import blocks
from cspca.runs.report.about import About, closing
from cspca.runs.report.blocks import Block, Chart, Images, Notice, Section, Table, Words
from cspca.runs.report.document import document
from cspca.runs.report.names import stem_of
from cspca.selection import METHODS

__all__ = ["bars_table", "comparison_report", "curves_table", "standing", "times_table"]


@dataclass(frozen=True)
class _Metric:
    short: str
    title: str
    percent: bool = False


_METRICS: Final = {
    "accuracy": _Metric("ACC", "Accuracy (ACC)", True),
    "nmi": _Metric("NMI", "Normalised mutual information (NMI)", True),
    "silhouette": _Metric("Silhouette", "Silhouette"),
    "stability": _Metric("Stability", "Stability (adjusted Rand index)"),
    "reconstruction_error": _Metric("Reconstruction error", "Reconstruction error"),
}

_MARKS = {"best": " (best)", "close": " ≈"}


def comparison_report(comparison: Comparison, about: About) -> str:
    """Write the report of a comparison.

    Parameters
    ----------
    comparison : Comparison
        All of it or what there is.
    about : About

    Returns
    -------
    str
        HTML that needs nothing beside it.
    """
    measured = [name for name in _METRICS if name in comparison.metrics]
    sections = [_metric(comparison, about, name, first=name == measured[0]) for name in measured]
    if measured:
        sections += [_choices(comparison, about, measured[0])]
    failed = list(dict.fromkeys(comparison.failures.values()))
    if failed:
        sections.append(Section("What could not be computed", [Notice(one) for one in failed]))
    return document(
        f"Which method picks the best {about.nouns.features} in {about.data.name}?",
        _lead(comparison, about, measured),
        [*sections, *closing(about)],
        stem=stem_of(about.data.name),
    )


def _lead(comparison: Comparison, about: About, measured: Sequence[str]) -> str:
    plan = comparison.plan
    if not measured:
        return "Nothing of it is finished yet."
    how = _METRICS[measured[0]]
    best = next(row for row in comparison.table(measured[0]) if row.mark == "best")
    part = (
        "" if comparison.complete else f" {len(comparison.results):,} of {plan.n_cells:,} so far."
    )
    close = [row.title for row in comparison.table(measured[0]) if row.mark == "close"]
    tied = f" Not significantly worse: {', '.join(close)}." if close else ""
    return (
        f"{len(plan.methods)} methods select {about.nouns.features} without seeing a label, and "
        f"K-means clusters the {about.nouns.samples} by them from {len(plan.seeds)} starts. Best "
        f"by {how.short}: {best.title}, {_said(best.honest or best.best, how)}"
        f"{' %' if how.percent else ''}.{tied}{part}"
    )


def _metric(comparison: Comparison, about: About, name: str, *, first: bool) -> Section:
    how, rows = _METRICS[name], comparison.table(name)
    bars = bars_table(rows)
    curves = curves_table(rows, [comparison.curve(row.method, name) for row in rows])
    many = about.nouns.features
    inner: list[Block] = [
        _table(rows, how, about),
        blocks.Row(
            [
                Chart(
                    f"{_slug(name)}-bars",
                    lambda dark: comparison_bars(
                        bars, how.title, dark=dark, as_percent=how.percent
                    ),
                    "How far are they apart?",
                ),
                Chart(
                    f"{_slug(name)}-curves",
                    lambda dark: comparison_curves(
                        curves,
                        how.title,
                        **standing(rows),
                        dark=dark,
                        as_percent=how.percent,
                        features=many,
                    ),
                    f"How many {many} are enough?",
                ),
            ]
        ),
    ]
    if first:
        words = _EXPLAINED.format(runs=len(comparison.plan.seeds))
        inner.insert(1, Words(words + (_LABELLED if name in _BY_LABELS else ""), small=True))
    less = "" if METRICS[name] else ", less is better"
    return Section(f"{how.title}{less}", inner)


_EXPLAINED = (
    "Mean ± standard deviation over {runs} runs from the same starts for every method. Honest: "
    "numbers and parameters chosen on one half of the runs and scored on the other. Best of grid: "
    "chosen on the very runs that are reported, as the paper does. Against all: paired difference "
    "from All features with its interval. ≈: not significantly worse than the best."
)

_BY_LABELS = ("accuracy", "nmi", "nmi_max")

_LABELLED = (
    " ACC and NMI rest on labels, and by them numbers and parameters are chosen; where it says "
    "without labels, the silhouette chooses."
)


def _named(rows: Sequence[Row]) -> dict[str, list[Any]]:
    looks = [METHODS.get(row.method) for row in rows]
    return {
        "title": [row.title for row in rows],
        "colour": [NEUTRAL if look is None else look.colour for look in looks],
        "marker": ["circle" if look is None else look.marker for look in looks],
    }


def bars_table(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the columns that the bars are drawn from."""
    shown = [row.honest or row.best for row in rows]
    return _named(rows) | {
        "mean": [one.mean for one in shown],
        "std": [one.std for one in shown],
        "mark": [row.mark for row in rows],
    }


def curves_table(rows: Sequence[Row], curves: Sequence[Sequence[Point]]) -> dict[str, list[Any]]:
    """Return the columns that the curves are drawn from; each row has its points."""
    pairs = [(row, point) for row, curve in zip(rows, curves, strict=True) for point in curve]
    return _named([row for row, _ in pairs]) | {
        "n_features": [point.n_features for _, point in pairs],
        "mean": [point.summary.mean for _, point in pairs],
        "std": [point.summary.std for _, point in pairs],
    }


def standing(rows: Sequence[Row]) -> dict[str, str]:
    """Return which title is the level and which has a band."""
    titles = {row.method: row.title for row in rows}
    return {"level": titles.get("all", ""), "band": titles.get("cspca", "")}


def times_table(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the columns that the times are drawn from."""
    return _named(rows) | {
        "selection": [row.selection_seconds for row in rows],
        "clustering": [row.clustering_seconds for row in rows],
    }


def _table(rows: Sequence[Row], how: _Metric, about: About) -> Table:
    unit = " %" if how.percent else ""
    blind = any(row.label_free is not None for row in rows) and how.short in ("ACC", "NMI")
    heads = [
        "Method", f"{how.short}{unit}, honest", f"Best of grid{unit}",
        *(["Chosen without labels"] if blind else []), "Against all", "Choices", "Time to rank",
    ]  # fmt: skip
    lines = [
        [
            row.title,
            _said(row.honest or row.best, how) + _MARKS.get(row.mark, ""),
            f"{_said(row.best, how)} {_at(row.best_choice)}",
            *([f"{_said(row.label_free, how)} {_at(row.label_free_choice)}"] if blind else []),
            _apart(row, how),
            f"{row.n_choices:,}",
            "–" if row.selection_seconds is None else duration(row.selection_seconds),
        ]
        for row in rows
    ]
    return Table(heads, lines, [row.mark == "best" for row in rows])


def _said(summary: Summary | None, how: _Metric) -> str:
    if summary is None:
        return "–"
    factor, digits = (100.0, 1) if how.percent else (1.0, 3)
    mean = f"{factor * summary.mean:.{digits}f}".replace("-", "−")
    return f"{mean} ± {factor * summary.std:.{digits}f}"


def _at(choice: Choice | None) -> str:
    return "" if choice is None else f"at {choice.n_features:,}"


def _apart(row: Row, how: _Metric) -> str:
    if row.difference is None:
        return "–"
    factor, digits = (100.0, 1) if how.percent else (1.0, 3)
    middle, low, high = (
        f"{factor * value:+.{digits}f}".replace("-", "−")
        for value in (row.difference.difference, row.difference.low, row.difference.high)
    )
    return f"{middle} ({low} to {high})"


def _choices(comparison: Comparison, about: About, metric: str) -> Section:
    """What the methods select, and what that took."""
    rows = comparison.table(metric)
    counts = sorted(
        {k for one in comparison.plan.methods if not one.keeps_all for k in one.n_features}
    )
    times = times_table(rows)
    cost = Chart("times", lambda dark: comparison_times(times, dark=dark), "What does it cost?")
    many = about.nouns.features
    title = f"Which {many} does each method select?"
    tried = [_tried(row, comparison) for row in rows]
    chosen = Table(
        ["Method", f"{many.capitalize()}", "Parameters of the best"],
        [line for line in tried if line[2]],
    )
    after: list[Block] = [chosen] if chosen.rows else []
    if not counts:
        return Section(title, [cost, *after])
    k = counts[len(counts) // 2]
    methods, shared = comparison.overlap(k, metric)
    titles = [comparison.plan.method(key).title for key in methods]
    parts: list[Block] = [cost]
    if len(titles) > 1:
        parts.insert(
            0,
            Chart(
                "overlap",
                lambda dark: comparison_overlap(titles, shared, dark=dark),
                f"Do they agree on the best {k:,}?",
            ),
        )
    return Section(
        title, [*_masks(comparison, about, methods, k, metric), blocks.Row(parts), *after]
    )


def _masks(
    comparison: Comparison, about: About, methods: Sequence[str], k: int, metric: str
) -> list[Block]:
    shape = about.data.image_shape
    if shape is None or not methods:
        return []
    shown = []
    for key in methods:
        chosen = comparison.selection(key, about.data.n_features, metric)
        mask = top_mask(chosen, k, shape)
        shown.append((mask_rgb(mask), mask_alt(mask), comparison.plan.method(key).title))
    return [
        Images(shown),
        Words(f"The best {k:,} pixels of each, light. No image of the data is shown.", small=True),
    ]


def _tried(row: Row, comparison: Comparison) -> list[str]:
    return [row.title, f"{row.best_choice.n_features:,}", _parameters(row.best_choice.parameters)]


def _parameters(parameters: Parameters) -> str:
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in parameters
    )


def _slug(name: str) -> str:
    return name.replace("_", "-")
