"""Compare: methods held against each other by K-means on the features they select."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS, Comparison, Metric, Plan, Ranking
from cspca.evaluation.choices import N_REPEATS
from cspca.evaluation.comparison import BAND, IDENTITY, TIE, WITHIN, Row, Task, parameters_text
from cspca.evaluation.halves import N_HALVINGS, check_units
from cspca.evaluation.metrics import REPRODUCIBILITY
from cspca.evaluation.statistics import FEWEST_STARTS, NO_INTERVAL, NO_MARK
from cspca.evaluation.steps import looks_at_samples, plan, resolve_methods
from cspca.experiments import comparison_table, steps
from cspca.experiments.experiment import Cell, Finding, Result, Results
from cspca.experiments.exports import slug
from cspca.experiments.ledger import FullError, Memory
from cspca.experiments.memory import owner_of
from cspca.experiments.records import Described
from cspca.experiments.reproducibility import Reproducibility
from cspca.experiments.settings import again, setting
from cspca.experiments.steps import OnFits, OnSteps
from cspca.figures import comparison as drawn
from cspca.figures.words import gap_in_words, listed, power
from cspca.fitted import ahead_of_cut
from cspca.selection import METHODS
from cspca.selection.given import GivenScores, own_scores
from cspca.selection.rankings import RankedFeatures, RankingError
from cspca.selection.registry import (
    METHODS_IN_PAPER,
    OWN,
    RANDOM,
    REFERENCES,
    is_own,
    method_of,
    own_key,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from cspca.datasets import Dataset

_OWN = "cspca:own"
"""The key of CSPCA at penalties of one's own."""

MOST = 6
"""So many rankings can be brought at once."""

_MARKERS = ("star", "star-open", "cross-open", "diamond-open", "square-open", "triangle-up-open")
"""By which methods are told apart that the registry does not know."""

_COMPARISONS: Memory[Hashable, tuple[tuple[Any, ...], Comparison]] = Memory(most=32 << 20)
"""Comparisons, and of what, by whose they are and which results: everybody who watches a run on the
same data has their own."""


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
        help="How many features are selected, each in turn; 10, 20, 50, 100, … and half of all "
        "unless given.",
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
    n_draws: int = setting(
        30,
        label="Random picks",
        limits=(0, 1000),
        before=0,
        help="Random selections that every figure stands among; an even grid goes with "
        "them. 0 for none.",
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
    beside: bool = setting(
        True,
        label="Reconstruction and neighbours",
        before=False,
        help="Measure reconstruction and nearest neighbours beside clusters held against labels.",
    )
    bootstrap: int = setting(
        200,
        label="Resamples",
        limits=(0, 2000),
        before=0,
        help="Times that the samples are drawn again with replacement, clustered as they are, for "
        "the spread of scores over them; 0 for none.",
    )
    n_pairs: int = again(
        Reproducibility,
        "n_pairs",
        0,
        limits=(0, 1000),
        before=0,
        help="Pairs of random halves of the samples, the same for every method, to each half of "
        "which it is fitted again: how far the halves select the same is its reproducibility. 25 "
        "are 50 fits a method and parameter set; 0 for none.",
    )
    groups: tuple[int, ...] = again(
        OnFits,
        "groups",
        help="Group of each sample (subject, replicate, video), kept whole in halves and "
        "resamples; only numbers are kept. Without groups copies stay in one half.",
    )
    random_state: int = again(OnFits, "random_state")
    settle: bool = setting(
        False,
        label="A tighter fit of CSPCA",
        before=False,
        help="Where two scores at a cut are within 1 %, fit CSPCA on to a hundredth of its "
        "tolerance: a selection that this changes has no score. It takes several times as long.",
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
    scores: dict[str, list[float]] | None = setting(  # noqa: RUF009
        None,
        label="Own rankings",
        query="",
        help="Scores of all features by name, large is good: each is compared as a method of its "
        "own.",
    )
    confidence: float = setting(
        0.95, label="Confidence", help="Of intervals and marks.", limits=(0.5, 0.999)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.own) not in (0, 2):
            raise ValueError("own must be two numbers, α and β, or nothing.")
        if len(self.scores or ()) > MOST:
            raise ValueError(f"scores must be {MOST} rankings at most: leave some out.")
        # In the order in which a store gives them back.
        plain = {
            name: _plain_scores(scores, name)
            for name, scores in sorted((self.scores or {}).items())
        }
        object.__setattr__(self, "scores", plain or None)

    def plan(self, data: Dataset) -> Plan:
        """All that is to be computed; ValueError says in one sentence what does not fit."""
        methods = resolve_methods(self.methods or None)
        # A grid for a method of the registry that is not compared this time only waits.
        waits = METHODS.keys() - methods.keys()
        grids = {key: sets for key, sets in (self.grids or {}).items() if key not in waits}
        X: Any = np.broadcast_to(0.0, (data.n_samples, data.n_features))
        n_clusters = self.n_clusters
        if not isinstance(data, Described):
            X = data.data
            if self.labels and data.has_classes:
                n_clusters = n_clusters or len(np.unique(data.labelled_target))
        else:  # Of data that are not kept there is a description alone, which does for a plan.
            n_clusters = n_clusters or data.n_classes
        same: tuple[str, ...] = ("n_seeds", "init", "tune", "silhouette", "beside", "n_pairs")
        same += ("n_draws", "bootstrap", "scores", "random_state")
        options = {name: getattr(self, name) for name in same} | {"image_shape": data.image_shape}
        options["groups"] = self.groups or None
        counts = self.n_features or None
        planned = plan(X, None, methods, counts, n_clusters=n_clusters, grids=grids, **options)
        ks = tuple(Comparison(planned).counts)
        if not self.own or not ks:
            return planned
        alpha, beta = map(power, self.own)
        title = f"{METHODS['cspca'].title} at α = {alpha}, β = {beta}"
        own = Task(_OWN, title, dict(zip(("alpha", "beta"), self.own, strict=True)), ks)
        tasks = sorted((*planned.tasks, own), key=lambda task: task.method in REFERENCES)
        return replace(planned, tasks=tuple(tasks))

    def words(self) -> str:
        """How many methods, numbers of features and starts."""
        counts = f"{len(self.n_features)} numbers of features, " if self.n_features else ""
        n_methods = len(self.methods or METHODS_IN_PAPER) + len(self.scores or ())
        return (
            f"{n_methods} methods, {counts}{self.n_draws} random picks,"
            f" {self.n_seeds} starts of K-means"
        )

    def _starts_words(self) -> str:
        """How many starts, and how choices were made by them."""
        if self.n_seeds == 1:
            return (
                f"one {self.init} start (seed 0), the same for every method, so that there is no "
                "spread. Numbers and parameters are those of the best score."
            )
        return (
            f"{self.n_seeds} {self.init} starts (seeds 0 to {self.n_seeds - 1}), the same for "
            "every method. Means and standard deviations are over these starts; differences are "
            f"paired, with {self._intervals_words()}. "
            "Numbers and parameters were chosen on one half of the starts and scored on the other."
        )

    def protocol(self, data: Dataset) -> str:
        """Methods, numbers, starts, what is measured and what it is held against."""
        planned, nouns = self.plan(data), data.nouns
        counts = Comparison(planned).counts
        aside = {planned.baseline, *REFERENCES, *map(own_key, self.scores or ())}
        named = [title for key, title in planned.titles.items() if key not in aside]
        tuning = "the whole grid of each method" if self.tune else "default parameters"
        ranked = f"The best {listed(_each(counts))} {nouns.features} were kept"
        if named:
            ranked = (
                f"{listed(named)} ranked the {nouns.features} without labels, with {tuning} and "
                f"random seed 0; the best {listed(_each(counts))} were kept"
            )
        sentence = (
            f"{ranked}. K-means with {planned.n_clusters} clusters ran from {self._starts_words()}"
        )
        if self.scores:
            files = [f"{name} (SHA-256 {_digest(scores)})" for name, scores in self.scores.items()]
            sentence += f" Beside them stands what was ranked elsewhere: {listed(files)}."
        if self.n_draws:
            sentence += (
                f" Every score was held against {self.n_draws} random selections (seeds 0 to "
                f"{self.n_draws - 1}) scored alike; a percentile is the share of them below, ties "
                "by half."
            )
        if self.beside or not (self.labels and data.has_classes):
            sentence += self._halves_words(data, planned)
        if self.labels and data.has_classes and data.n_unlabelled:
            labelled = data.nouns.count_samples(len(data.labelled_target))
            sentence += f" ACC, NMI and nearest neighbours count the {labelled} that have a label."
        units = f"groups of {nouns.samples}" if planned.groups else nouns.samples
        if self.bootstrap and self.labels and data.has_classes and not planned.has_few_groups:
            sentence += (
                f" Spreads over {nouns.samples} rest on {self.bootstrap} resamples of the {units} "
                "with replacement, the same for every method, with the clusters as they are, "
                "shifted to have their mean at the score."
            )
        if self.n_pairs:
            whole = "whole groups" if planned.groups else f"{nouns.samples}, copies together"
            sentence += (
                f" Every method was fitted again on the same {2 * self.n_pairs} random halves of "
                f"the {nouns.samples} ({self.n_pairs} complementary pairs of {whole}, seed "
                f"{self.random_state}); Nogueira's index of what the halves select has jackknife "
                "intervals."
            )
        return sentence

    def _intervals_words(self) -> str:
        """What the intervals of differences are, for the protocol."""
        if self.n_seeds < FEWEST_STARTS:
            return NO_INTERVAL
        return (
            f"{100 * self.confidence:g} % t intervals, whose standard error, where numbers or "
            "parameters are chosen, is that of "
            f"{N_REPEATS:,} choices repeated on starts drawn again"
        )

    def _halves_words(self, data: Dataset, planned: Plan) -> str:
        """How halves of the samples were drawn, in a sentence."""
        whole = "copies in one half"
        if planned.groups:
            whole = f"each of {planned.n_groups:,} groups in one half"
        measured = "Reconstruction is"
        if self.labels and data.has_classes:
            measured = "Reconstruction and, by class, nearest neighbours are"
        return (
            f" {measured} measured on held-out halves of the {data.nouns.samples}, drawn at random "
            f"{N_HALVINGS} times (seed {self.random_state}), {whole}."
        )

    def outline(self, data: Dataset) -> Iterator[tuple[Cell, int]]:
        """Of each ranking the middle one of its numbers of features, and one pair of halves."""
        planned = self.plan(data)
        for task in planned.tasks:
            smaller_task = replace(
                task, n_features=task.n_features[len(task.n_features) // 2 :][:1]
            )
            for cell in self._cells(
                data, replace(planned, tasks=(smaller_task,)), min(self.n_pairs, 1)
            ):
                alike = {"rank": 1, "rank-halves": self.n_pairs}
                yield cell, alike.get(cell.step, len(task.n_features))

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """A ranking a method and parameter set, and its clusterings by number of features."""
        yield from self._cells(data, self.plan(data), self.n_pairs)

    def _cells(self, data: Dataset, planned: Plan, n_pairs: int) -> Iterator[Cell]:
        labels = steps.labels_digest(data) if self.labels else None
        shared = {"n_clusters": planned.n_clusters, "init": self.init, "labels": labels}
        shared |= {"silhouette": self.silhouette}
        for task in planned.tasks:
            ranking = self._ranking(task, planned)
            yield ranking
            n_resamples = planned.bootstrap_of(task) if labels is not None else 0
            drawn = self.drawn_by(halves=labels is None) if n_resamples or labels is None else {}
            parameters = shared | drawn | ({"bootstrap": n_resamples} if n_resamples else {})
            if self.settle and ranking.parameters["method"] == "cspca":
                parameters = parameters | {"settle": True}
            for k in task.n_features:
                yield steps.cluster_cell(ranking, planned.seeds, n_features=k, **parameters)
                if self.beside and labels is not None:
                    halves = self.drawn_by(halves=True)
                    yield steps.beside_cell(ranking, k, labels, **halves)
        if n_pairs:
            check_units(self.together(data), data.nouns.samples)
        for task in planned.tasks if n_pairs else ():
            if not looks_at_samples(task.method, planned):
                continue
            ranking = self._ranking(task, planned)
            for number in range(n_pairs):
                yield steps.halves_cell(ranking, number, **self.drawn_by(halves=True))

    def _ranking(self, task: Task, planned: Plan) -> Cell:
        """The cell that ranks the features for a task."""
        method = "cspca" if task.method == _OWN else task.method
        cell = steps.rank_cell(method, task.parameters, planned.n_clusters)
        parameters = dict(cell.parameters)
        if is_own(method) and self.scores:
            parameters["scores"] = _digest(self.scores[method.removeprefix(own_key(""))])
        return replace(cell, parameters=parameters, title=task.title)

    def compute(self, cell: Cell, data: Dataset, needed: Results) -> Result:
        """As the other experiments on these steps; a ranking that was brought is there."""
        method = str(cell.parameters.get("method", ""))
        if not is_own(method) or not self.scores:
            return super().compute(cell, data, needed)
        return steps.ranked(GivenScores(self.scores[method.removeprefix(own_key(""))]), data.data)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a clustering; own penalties of CSPCA are a method of their own."""
        return self._compared(results, Plan((), (), 0, n_pairs=self.n_pairs)).results

    def _compared(self, results: Results, planned: Plan) -> Comparison:
        """What is there; what fits to halves of the samples say stands beside the clusterings."""
        table = super().table(results)
        table = table[table["init"] == self.init]
        if self.own:
            keys = [
                self._key(*row) for row in zip(table["method"], table["parameters"], strict=True)
            ]
            table["method"] = [method for method, _ in keys]
        unsettled = table.loc[table["no_ranking"] == WITHIN, ["method", "parameters", "n_features"]]
        cuts = unsettled.groupby(["method", "parameters"])["n_features"].agg(set).to_dict()
        rankings: dict[tuple[str, str], Ranking] = {}
        halves: dict[tuple[str, str], list[Ranking]] = {}
        over_images = {}
        for cell, result in steps.of(results, "cluster", "rank"):
            if cell.parameters["init"] != self.init:
                continue
            ranking_parameters = cell.needs[0].parameters
            key = self._key(
                ranking_parameters["method"], parameters_text(ranking_parameters["parameters"])
            )
            over_images[*key, cell.parameters["n_features"]] = result.arrays
        for cell in results:
            if cell.step not in ("rank", "rank-halves"):
                continue
            result = results[cell]
            # The record leaves out where random draws fell.
            if not result.arrays:
                continue
            text = parameters_text(cell.parameters["parameters"])
            key = self._key(cell.parameters["method"], text)
            if cell.step == "rank-halves":
                halves.setdefault(key, []).extend(steps.rankings_of_halves(result))
            else:
                ranking = steps.ranking_of(result)
                unsettled_cuts = cuts.get(key, set())
                rankings[key] = replace(ranking, unsettled=(*ranking.unsettled, *unsettled_cuts))
        return Comparison(planned, table, rankings, {}, self.confidence, halves, over_images)

    def _key(self, method: str, parameters: str) -> tuple[str, str]:
        """What a ranking is known by."""
        own_parameters = dict(zip(("alpha", "beta"), self.own, strict=False))
        own = method == "cspca" and parameters and parameters == parameters_text(own_parameters)
        return (_OWN if own else method), parameters

    def comparison(self, results: Results, data: Dataset) -> Comparison:
        """What is there so far, as :func:`cspca.evaluation.compare` returns it."""
        # Tables, figures and findings of one outcome read the same one, whose intervals take time.
        arguments = (self, data, results, len(results))
        owner = owner_of(data)
        # What is kept holds its results: no others have their id.
        key = owner, data.sha256, id(results)
        cached = _COMPARISONS.get(key)
        if cached is not None and cached[0] == arguments:
            return cached[1]
        # Of data on which it cannot run nothing is there either.
        planned = self.plan(data) if results else Plan((), (), 0)
        comparison = self._compared(results, planned)
        with suppress(FullError):
            _COMPARISONS.put(key, (arguments, comparison), owner)
        return comparison

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """All that is said of every method, the fits, and how much the selections share."""
        done, fits = self.comparison(results, data), []
        for (method, parameters), ranking in done.rankings.items():
            if method in REFERENCES:
                continue
            about = {"method": method, "parameters": parameters, "seconds": ranking.seconds}
            fits.append(about | dict(ranking.details))
        tables = {"Summary": done.summary(), "Fits": pd.DataFrame(fits)}
        if done.rankings_of_halves:
            tables["Reproducibility"] = done.reproducibility()
        for title, scores in self._own_rankings():
            numbers = range(len(scores))
            tables[title] = pd.DataFrame({"feature_from_0": numbers, "score": scores})
        if _overlapping(done):
            k = telling(done)
            overlap = done.overlap(k)
            tables[f"Overlap of the best {k}"] = overlap.rename_axis("method").reset_index()
        return tables

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables, by what was computed."""
        done = self.comparison(results, data)
        return (
            "Summary",
            "Fits",
            *(["Reproducibility"] if done.rankings_of_halves else []),
            *(title for title, _ in self._own_rankings()),
            *([f"Overlap of the best {telling(done)}"] if _overlapping(done) else []),
        )

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """One table a metric, one row a method."""
        done = self.comparison(results, data)
        return {
            shown_metric.title: read(done, name)
            for name, shown_metric in metrics_shown(done).items()
        }

    def typeset(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The tables to read, each followed by the scores at every number of features."""
        done = self.comparison(results, data)
        tables: dict[str, pd.DataFrame] = {}
        for name, metric in metrics_shown(done).items():
            tables[metric.title] = read(done, name)
            if len(done.counts) > 1:
                title = f"{metric.title} by number of {data.nouns.features}"
                tables[title] = comparison_table.by_number(done, name, data.nouns.features)
        return tables

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """Which is best, by how much, and where a method leaves the choice open."""
        done = self.comparison(results, data)
        metric, shown_metric = next(iter(metrics_shown(done).items()), ("", None))
        if shown_metric is None or not done.table(metric):
            return [Finding(text) for text in unranked_words(done, data, self.tune)]
        rows = done.table(metric)
        numbers = {row.method: row.shown.mean for row in rows}
        findings = [Finding(lead(done, metric, data), numbers=numbers)]
        findings.append(Finding(how_compared(done, data), numbers=numbers))
        unit = "percentage points" if shown_metric.percent else "units"
        for row in rows:
            apart = row.difference
            if apart is not None and row.method not in REFERENCES:
                unit_and = unit if apart.excludes_zero else f"{unit}, which is no clear difference"
                ends: tuple[str, ...] = ("low", "high")
                if not apart.has_ends:
                    unit_and, ends = f"{unit}; {NO_INTERVAL}", ()
                words = f"{shown_metric.short}: {shown_metric.apart(apart)}"
                sentence = f"{row.title} against All features by {words}"
                numbers = {name: getattr(apart, name) for name in ("difference", *ends)}
                over, beside = row.difference_over_images, ""
                if over is not None:
                    beside = f" Over {data.nouns.samples}: {shown_metric.ends(over, '+')}."
                    numbers |= {"images_low": over.low, "images_high": over.high}
                findings.append(Finding(f"{sentence} {unit_and}.{beside}", numbers=numbers))
        return findings + [Finding(note) for note in self.notes(done, metric, data)]

    def notes(self, done: Comparison, metric: str, data: Dataset) -> list[str]:
        """What is to be said of the methods by one metric: beside chance, and beside each other."""
        notes = [*unranked_words(done, data, self.tune), *_against_chance(done, metric, data)]
        if METRICS[metric].by_labels and data.about_unlabelled:
            notes.append(data.about_unlabelled)
        notes += few_distinct_words(done, data)
        if about := comparison_table.about_halves(done, data.nouns.samples):
            notes.append(about)
        return [
            *notes,
            *_not_reproducible_words(done, metric),
            *_alike_or_stopped(done, metric, data),
        ]

    def _own_rankings(self) -> Iterator[tuple[str, list[float]]]:
        """The rankings that were brought, each by the title of its table, which names its file."""
        for number, (name, scores) in enumerate((self.scores or {}).items(), 1):
            yield f"Scores {number} {name}", scores

    def snippet(self, data: Dataset) -> str:
        """Lines of Python that give the same numbers; rankings that were brought are files."""
        if not self.scores:
            return super().snippet(data)
        files = [
            f'    {name!r}: read_scores("{self.kind}-{slug(title)}.csv", d),'
            for name, (title, _) in zip(self.scores, self._own_rankings(), strict=True)
        ]
        lines = replace(self, scores=None).snippet(data).splitlines()
        lines[1] = "from cspca.experiments import Compare, read_scores, run"
        lines[3:3] = ["# The files are exported beside these lines.", "scores = {", *files, "}"]
        return "\n".join(lines).replace("run(Compare(", "run(Compare(scores=scores, ")

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """Scores and curves by every metric, then what is shared and what it costs."""
        done = self.comparison(results, data)
        figures: dict[str, go.Figure] = {}
        for name in metrics_shown(done):
            figures |= self.metric_figures(done, name, data)
        return figures | self.other_figures(done, data) if figures else figures

    def metric_figures(
        self, done: Comparison, metric: str, data: Dataset, n_features: int | None = None
    ) -> dict[str, go.Figure]:
        """Every method by one metric: with its spread, and against the number of features."""
        shown_metric = METRICS[metric]
        bars = [
            look(row.method, row.title, mean=row.shown.mean, std=row.shown.std, mark=row.mark)
            for row in done.table(metric, n_features)
        ]
        band = _band(done.draws(metric, n_features))
        enough = f"How many {data.nouns.features} are enough by {shown_metric.short}?"
        if metric == REPRODUCIBILITY:
            enough = f"How reproducible is each number of {data.nouns.features}?"
        return {
            f"How far are they apart by {shown_metric.short}?": drawn.comparison_bars(
                bars, shown_metric, band
            ),
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
        figures = {"What does it cost?": drawn.comparison_times(times)}
        k = n_features or telling(done)
        overlap = done.overlap(k, metric)
        if len(overlap) < 2:
            return figures
        title = f"Do they agree on the best {data.nouns.count_features(k)}?"
        names = [done.plan.titles[key] for key in overlap]
        shared = drawn.comparison_overlap(names, overlap.to_numpy(), title=title)
        return {title: shared, **figures}


def _plain_scores(ranking: Any, name: str) -> list[float]:
    """Scores as a list; labels without numbers of features need a data set to go by."""
    n_features = len(ranking) if hasattr(ranking, "__len__") else 1
    try:
        scores = own_scores(ranking, RankedFeatures(n_features), name)
    except RankingError as error:
        raise ValueError(
            f"{error.problem} Give read_scores(ranking, data) of cspca.experiments in its place."
        ) from error
    plain: list[float] = np.ravel(scores).tolist()
    return plain


def _digest(scores: Sequence[float]) -> str:
    """A fingerprint of a ranking that was brought."""
    return hashlib.sha256(np.asarray(scores, "<f8").tobytes()).hexdigest()[:16]


def metrics_shown(done: Comparison) -> dict[str, Metric]:
    """Metrics that are drawn and printed; files have them all."""
    return {name: METRICS[name] for name in done.metrics if name != "nmi_max"}


def _overlapping(done: Comparison) -> bool:
    """Whether there are selections of several methods."""
    return sum(method not in REFERENCES for method in done.ranked) > 1


def telling(done: Comparison) -> int:
    """The least number of features that says something of a method; 0 where nothing selects."""
    # Fewer features than clusters may leave fewer different samples than clusters; three or fewer
    # say little, and all features nothing.
    enough = max(4, done.plan.n_clusters)
    candidates = [k for k in done.counts if k > 3]
    largest = max(done.counts, default=0)
    return next((k for k in candidates if k >= enough), next(iter(candidates), largest))


def curves(done: Comparison, metric: str, data: Dataset) -> go.Figure:
    """Every method by one metric against the number of features."""
    methods, titles, markers = [], done.plan.titles, cycle(_MARKERS)
    for method in done.results["method"].unique():
        points = done.curve(method, metric) if method != RANDOM else ()
        if points:
            names = ("n_features", "mean", "std")
            columns = {name: [getattr(point, name) for point in points] for name in names}
            drawn_as = look(method, titles[method], **columns)
            if method.partition(":")[0] not in {**METHODS, **REFERENCES}:
                drawn_as["marker"] = next(markers)
            methods.append(drawn_as)
    level, band = (titles.get(key or "", "") for key in (done.plan.baseline, "cspca"))
    bands = {k: _band(done.draws(metric, k)) for k in done.counts}
    about = {"level": level, "band": band, "features": data.nouns.features}
    chance = {k: ends for k, ends in bands.items() if ends}
    return drawn.comparison_curves(methods, METRICS[metric], chance=chance, **about)


def _band(draws: NDArray[np.float64]) -> tuple[float, ...]:
    """Of random draws the mean, the two ends of their band, and how many there are."""
    return (draws.mean(), *np.quantile(draws, BAND), len(draws)) if len(draws) else ()


def look(method: str, title: str, **properties: Any) -> dict[str, Any]:
    """How a method is drawn, and what of it."""
    try:
        entry = method_of("cspca" if method == _OWN else method)
    except KeyError:  # somebody else's
        entry = OWN
    marker = entry.marker + ("-open" if method == _OWN else "")
    return {"title": title, "colour": entry.colour, "marker": marker} | properties


def read(done: Comparison, metric: str, n_features: int | None = None) -> pd.DataFrame:
    """The table by one metric, with what is proven of the fits that say so."""
    printed = comparison_table.printed(done, metric, n_features)
    rows = done.table(metric, n_features)
    fits = [done.rankings.get((row.method, row.best.parameters)) for row in rows]
    gaps = [math.nan if fit is None else fit.details.get("duality_gap", math.nan) for fit in fits]
    if not np.isnan(gaps).all():
        proven = ["" if math.isnan(gap) else gap_in_words(gap) for gap in gaps]
        proven += [""] * (len(printed) - len(proven))
        printed.insert(len(printed.columns) - 1, "Distance from optimum", proven)
    return printed


def _spread(row: Row, metric: Metric) -> str:
    return metric.spread(row.shown.mean, row.shown.std, row.shown.n) + (
        " %" if metric.percent else ""
    )


def lead(done: Comparison, metric: str, data: Dataset, n_features: int | None = None) -> str:
    """Which is best, at one number of features or at any, and how many random picks it beats.

    Below ten starts no method is called best, and the one with the highest mean is named. Empty
    while nothing can be said.
    """
    shown_metric, rows = METRICS[metric], done.table(metric, n_features)
    if metric == REPRODUCIBILITY:
        return _highest_index(done, data, n_features)
    if not rows:
        return ""
    marked = [row for row in rows if row.mark == "best"]
    # What is better when small, the reconstruction error, rests on no start: it has a mark.
    first = marked[0] if marked else max(rows, key=lambda row: row.shown.mean)
    close = [row.title for row in rows if row.mark == "close"]
    at, picks = "", "random picks"
    if n_features is not None:
        features = data.nouns.count_features(n_features)
        at, picks = f" at {features}", f"random picks of {features}"
    place = "Best" if marked else "Highest mean"
    sentence = f"{place} by {shown_metric.short}{at}: {first.title}, {_spread(first, shown_metric)}"
    if first.chance is not None:
        sentence += f", better than {first.chance.words} {picks}"
    sentence += "."
    if close:
        sentence += f" Not significantly worse: {', '.join(close)}."
    if not marked:
        sentence += f" {NO_MARK}"
    if not done.complete:
        sentence += " These are the results so far."
    return sentence


def _highest_index(done: Comparison, data: Dataset, n_features: int | None) -> str:
    """Which methods have the highest index of reproducibility, and whose interval overlaps it."""
    nouns, rows = data.nouns, done.table(REPRODUCIBILITY, n_features)
    so_far = "" if done.complete else " These are the results so far."
    if not rows:
        reasons = done.not_reproducible(n_features) | done.unranked(n_features)
        if not reasons:
            return ""
        at = "" if n_features is None else f" at {nouns.count_features(n_features)}"
        why = " or ".join(dict.fromkeys(reasons.values()))
        return f"No method has an index of reproducibility{at}: {why}.{so_far}"
    indices = done.reproducibility().set_index(["method", "parameters", "n_features"])
    places = [(row.method, row.best.parameters, row.best.n_features) for row in rows]
    best = indices.loc[places].reset_index()
    index = best[REPRODUCIBILITY]
    is_first = np.isclose(index, index.max(), rtol=0.0, atol=1e-9)
    first, others = best[is_first], best[~is_first]
    counts = [nouns.count_features(k) for k in first["n_features"].unique()]
    named = []
    for line in first.to_dict("records"):
        of = f" at {nouns.count_features(line['n_features'])}" if len(counts) > 1 else ""
        of += f" with {METRICS[REPRODUCIBILITY].say(line[REPRODUCIBILITY])}"
        if not math.isnan(line["low"]):
            percent = f"{100 * done.confidence:g} %"
            of += f" ({percent} interval {line['low']:.3f} to {line['high']:.3f})"
        named.append(line["title"] + of)
    at = f" at {counts[0]}" if len(counts) == 1 else ""
    return (
        f"Highest index{at}: {listed(named)}, over {2 * done.plan.n_pairs:,} halves of the "
        f"{nouns.samples}, the same for every method. Differences are not tested"
        f"{_overlap_words(first, others)}. Reproducible is not right.{so_far}"
    )


def _overlap_words(first: pd.DataFrame, others: pd.DataFrame) -> str:
    """Which other methods have an interval that overlaps that of the highest index; else empty."""
    lowest = first["low"].fillna(first[REPRODUCIBILITY]).min()
    overlapping = others.loc[others["high"] >= lowest, "title"].tolist()
    if not overlapping:
        return ""
    has_no_interval, is_tie = first["low"].isna().all(), len(first) > 1
    if len(overlapping) == 1:
        title = overlapping[0]
        if has_no_interval:
            return f", and the interval of {title} includes this index"
        if is_tie:
            return f", and the interval of {title} overlaps theirs"
        return f", and the interval of {title} overlaps its"
    titles = listed(overlapping)
    if has_no_interval:
        return f", and the intervals of {titles} include this index"
    if is_tie:
        return f", and the intervals of {titles} overlap theirs"
    return f", and the intervals of {titles} overlap its"


def how_compared(done: Comparison, data: Dataset) -> str:
    """How it was compared."""
    plan, nouns = done.plan, data.nouns
    n_own = sum(map(is_own, plan.titles))
    n_methods = len(plan.titles.keys() - REFERENCES.keys() - {plan.baseline}) - n_own
    starts = f"{len(plan.seeds):,} starts" if len(plan.seeds) > 1 else "one start"
    sentence = f"K-means clusters the {nouns.samples} by the best {nouns.features} from {starts}."
    if n_methods:
        select = f"{n_methods} methods select" if n_methods > 1 else "1 method selects"
        sentence = (
            f"{select} {nouns.features} without seeing a label; K-means clusters the "
            f"{nouns.samples} by them from {starts}."
        )
    if n_own:
        sentence += " Whether what made yours saw labels is not known here."
    return sentence


def _against_chance(done: Comparison, metric: str, data: Dataset) -> list[str]:
    """Where the choice does not matter, and where CSPCA lies below random picks."""
    many, shown_metric = data.nouns.features, METRICS[metric]
    inside, below = [], []
    for k in done.counts:
        rows = [row for row in done.table(metric, k) if row.chance is not None]
        if shown_metric.by_start and any(row.best.n < FEWEST_STARTS for row in rows):
            continue
        means = {row.method: row.shown.mean for row in rows if row.method not in REFERENCES}
        if not means:
            continue
        low, high = np.quantile(done.draws(metric, k), BAND)
        if all(low <= mean <= high for mean in means.values()):
            inside.append(k)
        own_mean = means.get("cspca", low)
        if own_mean < low if shown_metric.larger_is_better else own_mean > high:
            below.append(k)
    sentences = []
    if inside:
        where = "at every number" if inside == done.counts else f"at {listed(_each(inside))}"
        sentences.append(
            f"By {shown_metric.short} all methods lie in the band of random picks of as many "
            f"{many} {where}: here the choice of {many} does not matter."
        )
    if below:
        sentence = (
            f"By {shown_metric.short} CSPCA does worse than random picks at "
            f"{listed(_each(below))} {many}."
        )
        sentences.append(sentence + _rebuilt(done, metric, below, data))
    return sentences


def _rebuilt(done: Comparison, metric: str, counts: Sequence[int], data: Dataset) -> str:
    """Whether what CSPCA keeps, which it chooses for rebuilding, rebuilds better than chance."""
    by = "reconstruction_error"
    if by not in done.metrics or metric == by:
        return ""
    rows = {k: row for k in counts for row in done.table(by, k) if row.method == "cspca"}
    beaten = [row.percentile for row in rows.values() if row.percentile is not None]
    if not beaten:
        return ""
    say, (low, high), nouns = METRICS[by].say, BAND, data.nouns
    comparison = f"Its {nouns.features} rebuild the {nouns.samples} about as well as they do"
    if min(beaten) >= high:
        comparison = f"What it keeps is what rebuilds the {nouns.samples}, better than they do"
    elif max(beaten) <= low:
        comparison = f"Nor do its best {nouns.features} alone rebuild the {nouns.samples} better"
    shares = [
        f"{say(rows[k].shown.mean)} against {say(float(done.draws(by, k).mean()))} at {k:,}"
        for k in sorted({min(rows), max(rows)})
    ]
    return f" {comparison}: reconstruction error {listed(shares)}."


def _each(numbers: Sequence[int]) -> list[str]:
    return [f"{number:,}" for number in numbers]


def unranked_words(done: Comparison, data: Dataset, tune: bool = False) -> list[str]:
    """Where methods have no ranking and so no score, and why, a sentence a method.

    With `tune` the parameters were tried already that could tell apart what ties.
    """
    sentences = []
    many = data.nouns.features
    table = done.results[["method", "parameters", "n_features", "no_ranking"]].drop_duplicates()
    for method, choices in table.groupby("method", sort=False):
        unranked = choices[choices["no_ranking"] != ""]
        if unranked.empty or method in REFERENCES:
            continue
        where = f"with {listed(_each(sorted(unranked['n_features'].unique())))} {many}"
        if len(choices) > 1:
            where = f"for {len(unranked):,} of its {len(choices):,} choices"
        if 1 < len(choices) == len(unranked):
            where = "for any of its choices"
        reasons = " or ".join(unranked["no_ranking"].unique())
        sentences.append(
            f"{done.plan.titles[method]} has no ranking, so no score, {where}: {reasons}."
            f"{_tie_words(done, unranked, many)}{_advice(str(method), unranked, tune)}"
        )
    return sentences


def few_distinct_words(done: Comparison, data: Dataset) -> list[str]:
    """A sentence for each method by whose features fewer samples differ than there are clusters."""
    sentences = []
    few, nouns = done.few_distinct(), data.nouns
    for method, choices in few[~few["method"].isin(REFERENCES.keys())].groupby(
        "method", sort=False
    ):
        least = choices.loc[choices["n_distinct"].idxmin()]
        sentences.append(
            f"By the {nouns.count_features(int(least['n_features']))} of "
            f"{done.plan.titles[str(method)]} only {int(least['n_distinct']):,} "
            f"{nouns.samples} differ, fewer than the {int(least['n_clusters']):,} clusters asked "
            "for: some clusters are empty."
        )
    return sentences


def _tie_words(done: Comparison, unranked: pd.DataFrame, many: str) -> str:
    """Say how many features tie at the first of the cuts that end in a tie; empty without one."""
    for row in unranked.itertuples():
        ranking = done.rankings.get((row.method, row.parameters))
        if ranking is None:
            continue
        k, ranks = int(row.n_features), ranking.ranks
        last = int(np.count_nonzero(ranks <= k))
        ahead = ahead_of_cut(ranks, k)
        if ahead < k < last:
            return (
                f" Of the {last - ahead:,} {many} that tie at places {ahead + 1:,} to {last:,} it "
                f"would take {k - ahead:,} for its best {k:,}: which ones means nothing."
            )
    return ""


def _advice(method: str, unranked: pd.DataFrame, tune: bool) -> str:
    """What may tell apart features that tie; empty where the method has nothing to set."""
    entry = METHODS.get(method)
    tells_apart = entry is not None and entry.grid and not tune
    if not tells_apart or {TIE, IDENTITY}.isdisjoint(unranked["no_ranking"]):
        return ""
    return " Other parameters may tell them apart: try the paper’s grid."


def _not_reproducible_words(done: Comparison, metric: str) -> list[str]:
    """Which methods have no index of reproducibility, and why, a sentence a method."""
    unranked, titles = done.unranked(), done.plan.titles
    sentences = [
        f"{titles[method]} has no index of reproducibility: {reason}."
        for method, reason in done.not_reproducible().items()
        if method not in unranked
    ]
    if metric == REPRODUCIBILITY:
        sentences += [
            f"{title} is not fitted to halves: it was ranked elsewhere."
            for method, title in titles.items()
            if is_own(method)
        ]
    return sentences


def _alike_or_stopped(done: Comparison, metric: str, data: Dataset) -> list[str]:
    """Methods that select the same wherever they select, and those that were stopped."""
    many, counts = data.nouns.features, [k for k in done.counts if k < data.n_features]
    if not counts:
        return []
    chosen: dict[str, list[set[int]]] = {}
    same, stopped = [], []
    for key, title in done.ranked.items():
        if key in REFERENCES:
            continue
        if done.ranking(key, counts[0], metric).details.get("stopped"):
            stopped.append(f"{title} was stopped before it settled: its scores are its last ones.")
        if any(done.ranking(key, k, metric).no_ranking(k) for k in counts):
            continue
        sets = [set(done.selection(key, k, metric).tolist()) for k in counts]
        for title_before in (
            title_before for title_before, chosen_sets in chosen.items() if chosen_sets == sets
        ):
            why = " SPEC’s φ₂ is the Laplacian Score." if "SPEC" in (title, title_before) else ""
            same.append(
                f"{title_before} and {title} select the same {many} at every number here, so their "
                f"figures are equal.{why}"
            )
        chosen[title] = sets
    return same + stopped
