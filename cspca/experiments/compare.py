"""Compare: methods held against each other by K-means on the features they select."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS, Comparison, Metric, Plan, Ranking
from cspca.evaluation.comparison import Row, Task, parameters_text
from cspca.evaluation.steps import plan, resolve_methods
from cspca.experiments import steps
from cspca.experiments.experiment import Cell, Finding, Results
from cspca.experiments.settings import again, setting
from cspca.experiments.steps import OnFits, OnSteps
from cspca.figures import comparison as drawn
from cspca.figures.words import gap_in_words, power
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.datasets import Dataset

_OWN = "cspca:own"
"""The key of CSPCA at penalties of one's own."""

_last: list[tuple[tuple[Any, ...], Comparison]] = []
"""The comparisons that were made last, and of what."""


@dataclass(frozen=True)
class Compare(OnSteps):
    """Compare methods of feature selection by K-means on the features they select.

    All is as in :func:`cspca.evaluation.compare`.
    """

    question = "Which method picks the best {data.nouns.features} in {data.name}?"
    told_apart = ("title",)

    methods: tuple[str, ...] = setting(
        (), label="Methods", help="Methods that are compared; the paper's unless given."
    )
    n_features: tuple[int, ...] = setting(
        (),
        label="Numbers of features",
        help="How many features are selected, each in turn; ¼, ½ and ¾ of all unless given.",
        limits=(1, math.inf),
    )
    n_seeds: int = again(
        OnFits,
        "n_seeds",
        30,
        limits=(1, 1000),
        help="Starts of K-means, the same for every method, so that differences are paired. The "
        "paper takes 30.",
    )
    n_clusters: int | None = again(
        OnFits,
        "n_clusters",
        help="Of K-means, and of the methods that need a number of clusters; the number of classes "
        "unless given.",
    )
    init: str = again(OnFits, "init")
    tune: bool = setting(
        False,
        label="The paper's grid",
        help="Try every parameter of the methods over the paper's grid in place of its default.",
    )
    labels: bool = setting(
        True, label="Labels", help="Hold clusters against the labels, where there are some."
    )
    silhouette: bool = setting(
        True,
        label="Silhouettes",
        help="Measure silhouettes beside labels, so that a choice without labels can be reported.",
    )
    grids: dict[str, list[dict[str, Any]]] | None = setting(  # noqa: RUF009
        None, label="Own grids", help="Parameter sets to try of single methods, as JSON."
    )
    own: tuple[float, ...] = setting(
        (),
        label="Own α and β",
        limits=(0.0, 1.0),
        help="CSPCA at these two fractions of their maxima too, as a method of its own.",
    )
    confidence: float = setting(
        0.95, label="Confidence", help="Of intervals and marks.", limits=(0.5, 0.999)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.own) not in (0, 2):
            raise ValueError("own must be two numbers, α and β, or nothing.")

    def plan(self, data: Dataset) -> Plan:
        """All that is to be computed; ValueError says in one sentence what does not fit."""
        methods = resolve_methods(self.methods or None)
        # A grid for a method of the registry that is not compared this time only waits.
        waits = METHODS.keys() - methods.keys()
        grids = {key: sets for key, sets in (self.grids or {}).items() if key not in waits}
        X: Any = np.broadcast_to(0.0, (data.n_samples, data.n_features))
        y, n_clusters = None, self.n_clusters
        if hasattr(data, "data"):
            X, y = data.data, data.target if self.labels and data.has_classes else None
        else:  # Of data that are not kept there is a description alone, which does for a plan.
            n_clusters = n_clusters or data.n_classes
        more = {name: getattr(self, name) for name in ("n_seeds", "init", "tune", "silhouette")}
        counts = self.n_features or None
        planned = plan(X, y, methods, counts, n_clusters=n_clusters, grids=grids, **more)
        ks = [task.n_features for task in planned.tasks if task.method != planned.baseline]
        if not self.own or not ks:
            return planned
        alpha, beta = map(power, self.own)
        title = f"{METHODS['cspca'].title} at α = {alpha}, β = {beta}"
        own = Task(_OWN, title, dict(zip(("alpha", "beta"), self.own, strict=True)), ks[0])
        return replace(planned, tasks=(*planned.tasks, own))

    def words(self) -> str:
        """How many methods, numbers of features and starts."""
        counts = len(self.n_features) or 3
        return (
            f"{len(self.methods or METHODS_IN_PAPER)} methods, {counts} numbers of features, "
            f"{self.n_seeds} starts of K-means"
        )

    def cells(self, data: Dataset) -> Iterable[Cell]:
        """A ranking a method and parameter set, and its clusterings by number of features."""
        planned = self.plan(data)
        given = {"n_clusters": planned.n_clusters, "init": self.init}
        given |= {"labels": steps.labels_digest(data) if self.labels else None}
        given |= {"silhouette": self.silhouette}
        for task in planned.tasks:
            method, _, _ = task.method.partition(":")
            ranking = steps.rank_cell(method, task.parameters, planned.n_clusters)
            ranking = replace(ranking, title=task.title)
            yield ranking
            for k in task.n_features:
                yield steps.cluster_cell(ranking, planned.seeds, n_features=k, **given)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a clustering; own penalties of CSPCA are a method of their own."""
        found = super().table(results)
        if self.own:
            mine = [
                self._key(*one) for one in zip(found["method"], found["parameters"], strict=True)
            ]
            found["method"] = [method for method, _ in mine]
        return found

    def _key(self, method: str, parameters: str) -> tuple[str, str]:
        """What a ranking is known by."""
        asked = dict(zip(("alpha", "beta"), self.own, strict=False))
        own = method == "cspca" and parameters and parameters == parameters_text(asked)
        return (_OWN if own else method), parameters

    def comparison(self, results: Results, data: Dataset) -> Comparison:
        """What is there so far, as :func:`cspca.evaluation.compare` returns it."""
        # Tables, figures and findings of one outcome read the same one, whose intervals take time.
        asked = (self, data, results, len(results))
        found = next((done for known, done in _last if known == asked), None)
        if found is None:
            rankings = {}
            for cell, one in steps.of(results, "rank"):
                text = parameters_text(cell.parameters["parameters"])
                key = self._key(cell.parameters["method"], text)
                order, scores = one.arrays["order"], one.arrays["scores"]
                rankings[key] = Ranking(order, scores, one.seconds, one.rows[0])
            table = self.table(results)
            # Of data on which it cannot run nothing is there either.
            planned = self.plan(data) if results else Plan((), (), 0)
            found = Comparison(planned, table, rankings, {}, self.confidence)
            _last[:] = [(asked, found), *_last[:2]]
        return found

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """All that is said of every method, the fits, and how much the selections share."""
        done, fits = self.comparison(results, data), []
        for (method, parameters), one in done.rankings.items():
            about = {"method": method, "parameters": parameters, "seconds": one.seconds}
            fits.append(about | dict(one.details))
        found = {"Summary": done.summary(), "Fits": pd.DataFrame(fits)}
        k = telling(done)
        overlap = done.overlap(k)
        if len(overlap) > 1:
            found[f"Overlap of the best {k}"] = overlap.rename_axis("method").reset_index()
        return found

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """One table a metric, one row a method."""
        done = self.comparison(results, data)
        return {how.title: _printed(done, name) for name, how in _shown(done).items()}

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """Which is best, by how much, and where a method leaves the choice open."""
        done = self.comparison(results, data)
        metric, how = next(iter(_shown(done).items()), ("", None))
        if how is None or not done.table(metric):
            return []
        rows = done.table(metric)
        numbers = {row.method: row.shown.mean for row in rows}
        found = [Finding(_lead(done, rows, how), numbers=numbers)]
        found.append(Finding(_about(done, rows, how, data), numbers=numbers))
        unit = "percentage points" if how.percent else "units"
        for row in rows:
            apart = row.difference
            if apart is not None:
                unit_and = unit if apart.excludes_zero else f"{unit}, which is no clear difference"
                sentence = f"{row.title} against All features by {how.short}: {how.apart(apart)}"
                numbers = {name: getattr(apart, name) for name in ("difference", "low", "high")}
                found.append(Finding(f"{sentence} {unit_and}.", numbers=numbers))
        return found + [Finding(one) for one in _open(done, metric, data, self.tune)]

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """Scores and curves by every metric, then what is shared and what it costs."""
        done = self.comparison(results, data)
        found: dict[str, go.Figure] = {}
        for name in _shown(done):
            found |= self.metric_figures(done, name, data)
        return found | self.other_figures(done, data) if found else found

    def metric_figures(self, done: Comparison, metric: str, data: Dataset) -> dict[str, go.Figure]:
        """Every method by one metric: with its spread, and against the number of features."""
        how = METRICS[metric]
        bars = [
            look(row.method, row.title, mean=row.shown.mean, std=row.shown.std, mark=row.mark)
            for row in done.table(metric)
        ]
        enough = f"How many {data.nouns.features} are enough by {how.short}?"
        return {
            f"How far are they apart by {how.short}?": drawn.comparison_bars(bars, how),
            enough: curves(done, metric, data),
        }

    def other_figures(
        self,
        done: Comparison,
        data: Dataset,
        *,
        n_features: int | None = None,
        metric: str | None = None,
    ) -> dict[str, go.Figure]:
        """What the selections share, and what every method costs."""
        times = [
            look(
                *(row.method, row.title),
                selection=row.selection_seconds,
                clustering=row.clustering_seconds,
            )
            for row in done.table(metric or done.metrics[0])
        ]
        found = {"What does it cost?": drawn.comparison_times(times)}
        k = n_features or telling(done)
        overlap = done.overlap(k, metric)
        if len(overlap) < 2:
            return found
        title = f"Do they agree on the best {data.nouns.count_features(k)}?"
        names = [done.plan.titles[key] for key in overlap]
        shared = drawn.comparison_overlap(names, overlap.to_numpy(), title=title)
        return {title: shared, **found}


def _shown(done: Comparison) -> dict[str, Metric]:
    """Metrics that are drawn and printed; files have them all."""
    return {name: METRICS[name] for name in done.metrics if name != "nmi_max"}


def telling(done: Comparison) -> int:
    """The number of features by which selections differ most; 0 where nothing selects."""
    # Three or fewer say little of a method, and all of them nothing.
    return next((k for k in done.counts if k > 3), max(done.counts, default=0))


def curves(done: Comparison, metric: str, data: Dataset) -> go.Figure:
    """Every method by one metric against the number of features."""
    methods, titles = [], done.plan.titles
    for method in done.results["method"].unique():
        points = done.curve(method, metric)
        if points:
            names = ("n_features", "mean", "std")
            columns = {name: [getattr(point, name) for point in points] for name in names}
            methods.append(look(method, titles[method], **columns))
    features = data.nouns.features
    level, band = (titles.get(key or "", "") for key in (done.plan.baseline, "cspca"))
    return drawn.comparison_curves(
        methods, METRICS[metric], level=level, band=band, features=features
    )


def look(method: str, title: str, **more: Any) -> dict[str, Any]:
    """How a method is drawn, and what of it."""
    key, own, _ = method.partition(":")
    marker = METHODS[key].marker + ("-open" if own else "")
    return {"title": title, "colour": METHODS[key].colour, "marker": marker} | more


def _printed(done: Comparison, metric: str) -> pd.DataFrame:
    """The table by one metric, with what is proven of the fits that say so."""
    printed = done.printed(metric)
    fits = [done.rankings.get((row.method, row.best.parameters)) for row in done.table(metric)]
    gaps = [math.nan if fit is None else fit.details.get("duality_gap", math.nan) for fit in fits]
    if not np.isnan(gaps).all():
        proven = ["" if math.isnan(gap) else gap_in_words(gap) for gap in gaps]
        printed.insert(list(printed).index("Choices"), "Proven gap", proven)
    return printed


def _spread(row: Row, how: Metric) -> str:
    return how.spread(row.shown.mean, row.shown.std) + (" %" if how.percent else "")


def _lead(done: Comparison, rows: tuple[Row, ...], how: Metric) -> str:
    best = next(row for row in rows if row.mark == "best")
    close = [row.title for row in rows if row.mark == "close"]
    said = f"Best by {how.short}: {best.title}, {_spread(best, how)}."
    if close:
        said += f" Not significantly worse: {', '.join(close)}."
    if not done.complete:
        said += f" {len(done.results):,} of {done.plan.n_clusterings:,} so far."
    return said


def _about(done: Comparison, rows: tuple[Row, ...], how: Metric, data: Dataset) -> str:
    """How it was compared; and what CSPCA is for, where it is not among the best."""
    nouns, n_methods = data.nouns, len(done.plan.titles)
    select = f"{n_methods} methods select" if n_methods > 1 else "1 method selects"
    said = (
        f"{select} {nouns.features} without seeing a label; K-means clusters the {nouns.samples} "
        f"by them from {len(done.plan.seeds):,} starts."
    )
    behind = {row.method: row for row in rows if not row.mark}
    if "cspca" in behind:
        said += (
            f" CSPCA seeks {nouns.features} that rebuild the {nouns.samples}, not those that tell "
            f"clusters apart: {_spread(behind['cspca'], how)}"
        )
        simple = next((row for row in rows if row.method == "variance"), None)
        said += "." if simple is None else f"; plain variance: {_spread(simple, how)}."
    return said


def _open(done: Comparison, metric: str, data: Dataset, tune: bool) -> list[str]:
    """Methods that select the same, and those that do not decide between their best features."""
    many, counts = data.nouns.features, [k for k in done.counts if k < data.n_features]
    if not counts:
        return []
    chosen: dict[str, list[set[int]]] = {}
    same, even = [], []
    for key, title in done.ranked.items():
        sets = [set(done.selection(key, k, metric).tolist()) for k in counts]
        for other in (other for other, theirs in chosen.items() if theirs == sets):
            why = " SPEC’s φ₂ is the Laplacian Score." if "SPEC" in (title, other) else ""
            same.append(
                f"{other} and {title} select the same {many} at every number here, so their "
                f"figures are equal.{why}"
            )
        chosen[title] = sets
        ranking = done.ranking(key, counts[0], metric)
        tied = int(np.count_nonzero(ranking.scores == ranking.scores[ranking.order[0]]))
        if tied > counts[0]:
            even.append(
                f"{title} scores its best {tied:,} {many} all the same here: which of them it "
                "selects means nothing. Other parameters may tell them apart"
                + ("." if tune else ": try the paper’s grid.")
            )
    return same + even
