"""What clusterings say of methods: choices of parameters and numbers of features, and tables.

The best mean over a grid, reported as the paper does, is too good: the luck of the starts it was
chosen on is part of it. So a choice is also made on one half of the seeds and scored on the other,
both ways round; over all runs that figure can never exceed the best of the grid. It still chooses
by the labels. A choice without labels takes the clustering with the best silhouette.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from cspca.evaluation import statistics
from cspca.evaluation.kmeans import FloatArray, IntArray
from cspca.evaluation.metrics import METRICS
from cspca.evaluation.statistics import Interval, Summary, summarise
from cspca.evaluation.tables import Strong, to_csv, to_latex

COLUMNS = (
    "method", "title", "parameters", "n_features", "seed", "n_clusters", "init", "inertia",
    "n_iter", "seconds", *METRICS, "selection_seconds",
)  # fmt: skip
"""Columns of the long table, one row a clustering.

``parameters`` is JSON, ``""`` for a method's defaults; ``inertia`` is within the selected features,
``seconds`` a clustering's share of those that ran together, ``selection_seconds`` the time of the
fit that ranked the features. A metric that was not measured is NaN.
"""

_SUMMARY = (
    "metric", "method", "title", "best_mean", "best_std", "best_n_features", "best_parameters",
    "honest_mean", "honest_std", "label_free_mean", "label_free_std", "label_free_n_features",
    "label_free_parameters", "difference_to_all", "difference_low", "difference_high",
    "confidence", "mark", "n_runs", "n_choices", "selection_seconds", "clustering_seconds",
)  # fmt: skip

_RENAMED = {
    "other_starts_mean": "honest_mean",
    "other_starts_std": "honest_std",
    "difference_difference": "difference_to_all",
    "difference_confidence": "confidence",
    "best_n": "n_runs",
}


@dataclass(frozen=True)
class Task:
    """One ranking to make, and the numbers of its best features to cluster on."""

    method: str
    title: str
    parameters: Mapping[str, Any]
    n_features: tuple[int, ...]

    @property
    def text(self) -> str:
        """The parameters as the long table has them."""
        return parameters_text(self.parameters)


@dataclass(frozen=True)
class Plan:
    """A comparison to run: every ranking × number of features × seed."""

    tasks: tuple[Task, ...]
    seeds: tuple[int, ...]
    n_clusters: int
    init: str = "random"
    silhouette: bool = True
    baseline: str | None = None
    """The method that keeps all features, if it is compared."""

    @property
    def titles(self) -> dict[str, str]:
        """Methods on screen, by key."""
        return {task.method: task.title for task in self.tasks}

    @property
    def n_clusterings(self) -> int:
        """How many there are in all."""
        return len(self.seeds) * sum(len(task.n_features) for task in self.tasks)


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a fitted selector says of the features.

    ``scores`` are the order in numbers, large is good. ``details`` are what the fit says of itself,
    where it does: duality_gap, rank, objective, n_iter, and n_zero, the number of features scored
    exactly zero.
    """

    order: IntArray
    scores: FloatArray
    seconds: float
    details: Mapping[str, float]


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Parameters as one line of JSON with sorted names; empty for none."""

    def plain(value: Any) -> Any:
        return value.item() if isinstance(value, np.generic) else repr(value)

    return json.dumps(parameters, default=plain, sort_keys=True) if parameters else ""


def long_table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as the long table with all its :data:`COLUMNS`."""
    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return table.astype(dict.fromkeys(METRICS, np.float64))


@dataclass(frozen=True)
class Row:
    """One method in a table of one metric.

    `best` has the best mean over all runs, as the paper reports it; in `other_starts` every run has
    the choice made on the half of the starts that it is not in (None with a single seed);
    `label_free` has the best mean silhouette, where there are any. `difference` is that of `shown`
    from All-Features, in pairs, and `mark` says "best" by them or "close", not significantly worse.
    `selection_seconds` is the mean over the parameters, `clustering_seconds` the sum of all
    `n_choices` parameter sets × numbers of features.
    """

    method: str
    title: str
    best: Summary
    other_starts: Summary | None
    label_free: Summary | None
    difference: Interval | None
    mark: str
    n_choices: int
    selection_seconds: float | None
    clustering_seconds: float

    @property
    def honest(self) -> Summary | None:
        """The former name of `other_starts`."""
        return self.other_starts

    @property
    def shown(self) -> Summary:
        """What is reported first, and differences and marks are made of: chosen on other starts."""
        return self.other_starts or self.best


@dataclass(frozen=True, eq=False)
class Comparison:
    """Finished clusterings of a plan, all or some, and what they say.

    Only choices whose seeds are all done count, so that runs stay paired; a comparison that was
    stopped says the same of what it has.

    Rankings and failures (one sentence each) are known by method and parameters, as the long table
    says them; `confidence` is that of intervals and marks.
    """

    plan: Plan
    results: pd.DataFrame = field(default_factory=lambda: long_table([]))
    rankings: Mapping[tuple[str, str], Ranking] = field(default_factory=dict)
    failures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    confidence: float = 0.95
    _tables: dict[str, tuple[Row, ...]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        # Thousands of rows are no answer to a person who asks what this is.
        return (
            f"<Comparison of {len(self.plan.titles)} methods: {len(self.results):,} of "
            f"{self.plan.n_clusterings:,} clusterings done, {len(self.failures)} failures>"
        )

    @property
    def complete(self) -> bool:
        """Whether every clustering of the plan is finished."""
        return len(self.results) == self.plan.n_clusterings

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that were measured, in a fixed order."""
        table = self.results
        return tuple(name for name in METRICS if len(table) and table[name].notna().all())

    @property
    def counts(self) -> list[int]:
        """Numbers of features that are selected."""
        tasks = (task for task in self.plan.tasks if task.method != self.plan.baseline)
        return sorted({k for task in tasks for k in task.n_features})

    @property
    def ranked(self) -> dict[str, str]:
        """Titles of the methods that select and have a ranking, by key."""
        known = {method for method, _ in self.rankings} - {self.plan.baseline}
        return {key: title for key, title in self.plan.titles.items() if key in known}

    def to_frame(self) -> pd.DataFrame:
        """The long table, one row a clustering."""
        return self.results

    def scores(self, method: str, metric: str) -> pd.DataFrame:
        """Runs of every finished choice (parameters, n_features) of a method, a column a seed."""
        table = self.results
        if metric not in METRICS or (len(table) and metric not in self.metrics):
            raise ValueError(
                f"{metric!r} was not measured here: choose from {', '.join(self.metrics)}."
            )
        of_method = table[table["method"] == method]
        choice = ["parameters", "n_features"]
        wide = of_method.pivot(index=choice, columns="seed", values=metric)
        in_order = pd.MultiIndex.from_frame(of_method[choice].drop_duplicates())
        return wide.reindex(index=in_order, columns=table["seed"].unique()).dropna()

    def table(self, metric: str = "accuracy") -> tuple[Row, ...]:
        """One row for every method that has finished choices, in the plan's order."""
        if metric not in self._tables:
            self._tables[metric] = self._rows(metric)
        return self._tables[metric]

    def _rows(self, metric: str) -> tuple[Row, ...]:
        larger = metric not in METRICS or METRICS[metric].larger_is_better
        found: dict[str, Row] = {}
        for method, rows in self.results.groupby("method", sort=False):
            wide = self.scores(method, metric)
            if wide.empty:
                continue
            others, free = None, None
            if wide.shape[1] > 1:
                others = summarise(chosen_on_other_starts(wide, larger_is_better=larger)[0])
            if "silhouette" in self.metrics:
                free = _choice(wide, best_choice(self.scores(method, "silhouette")))
            fits = rows.drop_duplicates("parameters")["selection_seconds"].dropna()
            found[method] = Row(
                method=method,
                title=str(rows["title"].iloc[0]),
                best=_choice(wide, best_choice(wide, larger_is_better=larger)),
                other_starts=others,
                label_free=free,
                difference=None,
                mark="",
                n_choices=len(wide),
                selection_seconds=float(fits.mean()) if len(fits) else None,
                clustering_seconds=float(rows["seconds"].sum()),
            )
        runs = {method: row.shown.runs for method, row in found.items()}
        marks = statistics.mark_best(runs, confidence=self.confidence, larger_is_better=larger)
        baseline = runs.get(self.plan.baseline or "")
        for method, row in found.items():
            apart = None
            if baseline is not None and method != self.plan.baseline and len(baseline) > 1:
                ours = runs[method]
                apart = statistics.paired_difference(ours, baseline, confidence=self.confidence)
            found[method] = replace(row, difference=apart, mark=marks[method])
        return tuple(found.values())

    def summary(self) -> pd.DataFrame:
        """One row a metric and method: best of grid, chosen on other starts, label-free."""
        lines = [
            {"metric": metric, **asdict(row)}
            for metric in self.metrics
            for row in self.table(metric)
        ]
        flat = pd.json_normalize(lines, sep="_").rename(columns=_RENAMED)
        return flat.reindex(columns=list(_SUMMARY)).astype({"label_free_n_features": "Int64"})

    def curve(self, method: str, metric: str = "accuracy") -> tuple[Summary, ...]:
        """Mean ± std against the number of features, with the best parameters at each."""
        wide = self.scores(method, metric)
        larger = METRICS[metric].larger_is_better
        return tuple(
            _choice(at, best_choice(at, larger_is_better=larger))
            for _, at in wide.groupby("n_features")
        )

    def ranking(self, method: str, n_features: int, metric: str | None = None) -> Ranking:
        """The ranking that a method selects by, that of its best parameters there.

        The parameters are best by `metric`, the first measured by default; KeyError when the method
        has no ranking here.
        """
        at_hand = [parameters for key, parameters in self.rankings if key == method]
        if not at_hand:
            raise KeyError(method)
        parameters = at_hand[0]
        if self.metrics:
            points = self.curve(method, metric or self.metrics[0])
            near = sorted(points, key=lambda point: abs(point.n_features - n_features))
            parameters = next((p.parameters for p in near if p.parameters in at_hand), parameters)
        return self.rankings[method, parameters]

    def selection(self, method: str, n_features: int, metric: str | None = None) -> IntArray:
        """Features that a method selects by its :meth:`ranking`, best first."""
        return self.ranking(method, n_features, metric).order[:n_features]

    def overlap(self, n_features: int, metric: str | None = None) -> pd.DataFrame:
        """Jaccard overlap of the methods' selections, methods by methods; without All-Features."""
        keys = list(self.ranked)
        chosen = [self.selection(key, n_features, metric) for key in keys]
        shared = [[statistics.jaccard(a, b) for b in chosen] for a in chosen]
        return pd.DataFrame(shared, index=keys, columns=keys, dtype=np.float64)

    def to_csv(self) -> str:
        """:meth:`summary` as CSV; text that a spreadsheet takes for a formula is made harmless."""
        return to_csv(self.summary())

    def cells_to_csv(self) -> str:
        """The long table as CSV, one line a clustering."""
        return to_csv(self.results)

    def printed(self, metric: str) -> pd.DataFrame:
        """The table of one metric as it is read; columns of which nothing is known are left out."""
        how, by_labels = METRICS[metric], metric in ("accuracy", "nmi", "nmi_max")

        def at(choice: Summary | None) -> str:
            if choice is None:
                return "–"
            return f"{how.spread(choice.mean, choice.std)} at {choice.n_features:,}"

        lines = []
        for row in self.table(metric):
            shown = how.spread(row.shown.mean, row.shown.std)
            marked = {"best": Strong(f"{shown} (best)"), "close": f"{shown} ≈"}
            took, text = row.selection_seconds, row.best.parameters or "{}"
            given = json.loads(text, parse_float=lambda number: f"{float(number):g}")
            line = {
                "Method": row.title,
                how.unit: marked.get(row.mark, shown),
                "Best of grid": at(row.best),
                "Chosen without labels": at(row.label_free) if by_labels else "",
                "Against all": how.apart(row.difference),
                "Choices": f"{row.n_choices:,}",
                "Parameters of the best": ", ".join(f"{key} = {one}" for key, one in given.items()),
                "Time to rank": "–" if took is None else f"{took:.2g} s",
            }
            lines.append(line)
        printed = pd.DataFrame(lines, dtype=object)
        for column in ("Chosen without labels", "Parameters of the best"):
            if set(printed[column]) <= {"", "–"}:
                del printed[column]
        words = (
            f"Mean ± standard deviation over {len(self.plan.seeds):,} runs from the same starts "
            "for every method, with numbers and parameters chosen on one half of the starts and "
            "scored on the other. Best of grid: chosen on the very runs that are reported, as the "
            "paper does. Against all: paired difference from All features with its "
            f"{100 * self.confidence:g} % interval. ≈: not significantly worse than the best."
        )
        if by_labels:
            words += (
                " ACC and NMI rest on labels, and by them numbers and parameters are chosen; where "
                "it says without labels, the silhouette chooses."
            )
        printed.attrs["note"] = words if how.larger_is_better else words + " Less is better."
        return printed

    def to_latex(self, metrics: Sequence[str] | None = None, *, caption: str = "") -> str:
        """A booktabs table a metric, with a row a method: mean ± std, best bold.

        By default of accuracy and NMI where there are labels, of all that is measured otherwise.
        """
        usual = [name for name in ("accuracy", "nmi") if name in self.metrics]
        names = metrics or usual or self.metrics
        return "\n".join(to_latex(self.printed(name), caption=caption) for name in names)


def best_choice(scores: ArrayLike, *, larger_is_better: bool = True) -> int:
    """Row of choices × seeds with the best mean; the first of equal ones."""
    table: FloatArray = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"scores must be choices × seeds, got shape {table.shape}.")
    means = table.mean(axis=1)
    return int(means.argmax() if larger_is_better else means.argmin())


def chosen_on_other_starts(
    scores: ArrayLike, *, larger_is_better: bool = True
) -> tuple[FloatArray, tuple[int, int]]:
    """Choose on one half of the runs, score on the other, both ways round.

    Each run is scored with the choice of the half that it is not in; the rows chosen by the runs in
    even and in odd places come with the runs.

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
    larger_is_better : bool, default=True
    """
    table: FloatArray = np.array(scores, dtype=np.float64, ndmin=2)
    if table.shape[1] < 2:
        raise ValueError("Two halves need at least two seeds.")
    even, odd = table[:, 0::2], table[:, 1::2]
    by_even = best_choice(even, larger_is_better=larger_is_better)
    by_odd = best_choice(odd, larger_is_better=larger_is_better)
    runs = np.empty(table.shape[1])
    runs[0::2], runs[1::2] = even[by_odd], odd[by_even]
    return runs, (by_even, by_odd)


def _choice(wide: pd.DataFrame, place: int) -> Summary:
    """One row of :meth:`Comparison.scores`, by its place."""
    parameters, n_features = wide.index[place]
    return summarise(wide.iloc[place], parameters, int(n_features))
