"""How metrics and numbers are said on the Compare page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cspca.datasets.nouns import Nouns
from cspca.evaluation.former import Comparison, Point, Row, Summary
from cspca.evaluation.former.cells import Parameters
from cspca.evaluation.starts import FloatArray
from cspca.selection import METHODS
from cspca.ui.badge import badge_text

_FAILED: Final = " failed: "

TOLERANCE: Final = 1e-3
"""Gap at which the methods that prove one stop by default."""


@dataclass(frozen=True)
class Metric:
    """A metric on screen.

    Attributes
    ----------
    short, title : str
    percent : bool
        Shown in per cent.
    meaning : str
        One sentence.
    """

    short: str
    title: str
    percent: bool
    meaning: str


METRICS: Final = {
    "accuracy": Metric(
        "ACC",
        "Accuracy (ACC)",
        True,
        "ACC: the share of {samples} in the right cluster, under the best one-to-one map of "
        "clusters to classes.",
    ),
    "nmi": Metric(
        "NMI",
        "Normalised mutual information (NMI)",
        True,
        "NMI: what clusters and classes say of each other, over the geometric mean of their "
        "entropies.",
    ),
    "silhouette": Metric(
        "Silhouette",
        "Silhouette",
        False,
        "Silhouette: how much nearer {a_sample} is to its own cluster than to the next, from −1 "
        "to 1, measured with all {features}; it needs no labels.",
    ),
    "stability": Metric(
        "Stability",
        "Stability (adjusted Rand index)",
        False,
        "Stability: how far two starts of K-means agree (adjusted Rand index; 1 is the same "
        "clusters); it needs no labels.",
    ),
    "reconstruction_error": Metric(
        "Reconstruction error",
        "Reconstruction error",
        False,
        "Reconstruction error: the share of the variance of all {features} that the selected ones "
        "leave unexplained in {samples} they were not fitted on; less is better. It does not "
        "depend on the start.",
    ),
}
"""Metrics in the order they are offered."""


@lru_cache(maxsize=16)
def rows_of(comparison: Comparison, metric: str) -> tuple[Row, ...]:
    """Return the table of one metric; a bootstrap is not drawn again at every run of the page."""
    return comparison.table(metric)


@lru_cache(maxsize=128)
def curve_of(comparison: Comparison, method: str, metric: str) -> tuple[Point, ...]:
    """Return one method against the number of features, looked up once."""
    return comparison.curve(method, metric)


@lru_cache(maxsize=32)
def overlap_of(
    comparison: Comparison, n_features: int, metric: str
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the methods that select, by title, and how much their selections share."""
    methods, shared = comparison.overlap(n_features, metric)
    return tuple(METHODS[key].title for key in methods), shared


def certificate(comparison: Comparison, method: str, parameters: Parameters) -> str:
    """Say how close to the best possible a fit is proven to be; empty where nothing is proven."""
    for ranking in comparison.rankings:
        if (ranking.method, ranking.parameters) == (method, parameters):
            gap = ranking.details.get("duality_gap")
            return "" if gap is None else badge_text(gap, gap <= TOLERANCE, active=False)[0]
    return ""


def failures(comparison: Comparison, nouns: Nouns) -> list[str]:
    """Say what failed, once a reason, with all the methods that it stopped."""
    stopped: dict[str, list[str]] = {}
    for sentence in dict.fromkeys(comparison.failures.values()):
        title, _, reason = sentence.partition(_FAILED)
        stopped.setdefault(reason, []).append(title)
    return [
        _listed(titles) + _FAILED + reason + _here(reason, len(titles), nouns)
        for reason, titles in stopped.items()
    ]


def _here(reason: str, n_methods: int, nouns: Nouns) -> str:
    """What can be done on this page, where a reason speaks of what only Python can set."""
    if "n_neighbors" not in reason:
        return ""
    these = "this method" if n_methods == 1 else "these methods"
    return (
        " This page takes the usual 5 neighbours: "
        f"bring more {nouns.samples}, or leave {these} out."
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def said(summary: Summary | None, metric: Metric) -> str:
    """Say mean ± std, in the unit of the metric."""
    if summary is None:
        return "–"
    factor, digits = (100.0, 1) if metric.percent else (1.0, 3)
    mean = f"{factor * summary.mean:.{digits}f}".replace("-", "−")
    return f"{mean} ± {factor * summary.std:.{digits}f}"


def signed(value: float, metric: Metric) -> str:
    """Say a difference with its sign."""
    factor, digits = (100.0, 1) if metric.percent else (1.0, 3)
    text = f"{factor * value:+.{digits}f}"
    if float(text) == 0.0:
        text = text[1:]
    return text.replace("-", "−")


def seconds(value: float | None) -> str:
    """Say a time."""
    if value is None:
        return "–"
    if value < 0.01:
        return "< 0.01 s"
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def parameters_in_words(parameters: Parameters) -> str:
    """Say parameters as a person would write them; empty for the defaults."""
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in parameters
    )
