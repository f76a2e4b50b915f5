"""What clusterings say of methods: choices of parameters and numbers of features, and tables.

The best mean over a grid, reported as the paper does, is too good: the luck of the starts it was
chosen on is part of it. So a choice is also made on one half of the seeds and scored on the other,
both ways round; over all runs that figure can never exceed the best of the grid. It still chooses
by the labels. A choice without labels takes the clustering with the best silhouette.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from cspca.evaluation import statistics
from cspca.evaluation.choices import best_choice, chosen_on_other_starts, runs_of_choice
from cspca.evaluation.halves import FEWEST_GROUPS
from cspca.evaluation.kmeans import FloatArray, IntArray
from cspca.evaluation.metrics import METRICS, REPRODUCIBILITY
from cspca.evaluation.reproducibility import selection_reproducibility
from cspca.evaluation.statistics import (
    Interval,
    Standing,
    Summary,
    over_resamples,
    standing,
    summarise,
)
from cspca.evaluation.tables import to_html
from cspca.fitted import ahead_of_cut, shared_places, tie_groups
from cspca.selection.registry import RANDOM, REFERENCES, is_own

COLUMNS = (
    "method", "title", "parameters", "n_features", "seed", "n_clusters", "init", "inertia",
    "n_iter", "seconds", *METRICS,
    "selection_seconds", "no_ranking",
)  # fmt: skip
"""Columns of the long table, one row a clustering.

``parameters`` is JSON, ``""`` for a method's defaults; ``inertia`` is within the selected features,
``seconds`` a clustering's share of those that ran together, ``selection_seconds`` the time of the
fit that ranked the features. A metric that was not measured is NaN. ``no_ranking`` says why a
clustering has no score, ``""`` for one that has.
"""

_OCCASIONAL = ("n_distinct", "n_copies")
"""Columns that are there where a row has them: the number of distinct samples where there are
fewer of them than clusters, and the number of copies among the samples of halves."""

_SUMMARY = (
    "metric", "method", "title", "best_mean", "best_std", "best_n_features", "best_parameters",
    "other_starts_mean", "other_starts_std", "label_free_mean", "label_free_std",
    "label_free_n_features", "label_free_parameters", "difference_to_all", "difference_low",
    "difference_high", "confidence", "mark", "n_runs", "n_choices", "selection_seconds",
    "clustering_seconds", "percentile", "n_draws", "rebuilt_mean", "rebuilt_std",
    "rebuilt_n_features", "rebuilt_parameters", "images_low", "images_high",
    "difference_images_low", "difference_images_high", "no_ranking",
)  # fmt: skip

_REPRODUCIBILITY = (
    "method", "title", "parameters", "n_features", REPRODUCIBILITY, "low", "high", "n_halves",
    "no_ranking",
)  # fmt: skip

EMPTY_MODEL = "empty model"
"""Why there is no ranking: the model keeps no feature."""

IDENTITY = "W = I"
"""Why there is no ranking: W = I keeps every feature as it is, so all tie."""

TIE = "tie at the cut"
"""Why there is no ranking: the last feature that is taken scores as the first that is left out."""

WITHIN = "tie within the solver's tolerance"
"""Why there is no ranking: the tolerance of the fit decides which features are taken."""

REPRODUCED = "every sample is rebuilt exactly"
"""Why there is no reproducible ranking: then scores do not say how the samples differ."""

ALL_SELECTED = "there is nothing to agree on where all features are selected"
"""Why there is no index of reproducibility: every half selects the same, whatever it says."""

UNORDERED = "one selection of {size:,}, without an order"
"""Why there is no ranking: a selector says which features it selects, and not in which order."""

BAND = (0.05, 0.95)
"""Shares of the random draws below the ends of their band."""

_ERROR = "reconstruction_error"

_RENAMED = {
    "difference_difference": "difference_to_all",
    "difference_confidence": "confidence",
    "best_n": "n_runs",
    "chance_n": "n_draws",
    **{f"over_images_{end}": f"images_{end}" for end in ("low", "high")},
    **{f"difference_over_images_{end}": f"difference_images_{end}" for end in ("low", "high")},
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
    beside: bool = True
    n_pairs: int = 0
    """Pairs of halves of the samples on which every method is fitted again."""
    bootstrap: int = 0
    baseline: str | None = None
    """The method that keeps all features, if it is compared."""
    n_samples: int = 0
    groups: tuple[int, ...] = ()
    """Group of each sample, numbered from 0; empty where none were given."""
    random_state: int = 0
    """Seed of the halves."""

    @property
    def titles(self) -> dict[str, str]:
        """Methods on screen, by key; random draws are none."""
        return {task.method: task.title for task in self.tasks if task.method != RANDOM}

    def bootstrap_of(self, task: Task) -> int:
        """Resamples of the samples for a task; of random draws their own spread says enough.

        Of too few groups there are none: drawn again they are nearly the same.
        """
        return 0 if task.method == RANDOM or self.has_few_groups else self.bootstrap

    @property
    def n_groups(self) -> int:
        """Number of groups that samples are in; 0 where none were given."""
        return len(set(self.groups))

    @property
    def has_few_groups(self) -> bool:
        """Whether the groups are too few to be drawn again."""
        return 0 < self.n_groups < FEWEST_GROUPS

    @property
    def n_clusterings(self) -> int:
        """How many there are in all."""
        return len(self.seeds) * sum(len(task.n_features) for task in self.tasks)


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a fitted selector says of the features.

    ``scores`` are the order in numbers, large is good. ``details`` are what the fit says of itself,
    where it does: duality_gap, rank, objective, n_iter, stopped (1 before it had settled), and
    n_zero, the number of features scored exactly zero, identity (1 where W = I is optimal) and
    reproduced (1 where every sample is rebuilt exactly).
    ``ties`` are the groups of features that are not told apart, counted from 0 in the order; None
    are those of equal scores. ``unsettled`` are cuts at which the tolerance of the fit decides.
    ``own_size`` is the number of features of a selection without an order.
    """

    order: IntArray
    scores: FloatArray
    seconds: float
    details: Mapping[str, float]
    ties: IntArray | None = None
    unsettled: tuple[int, ...] = ()
    own_size: int | None = None

    @cached_property
    def groups(self) -> IntArray:
        """Group of every feature, shape (n_features_in,), counted from 0 in the order."""
        return tie_groups(self.scores, self.order) if self.ties is None else self.ties

    @cached_property
    def ranks(self) -> IntArray:
        """Place of every feature, 1 for the best; features that tie share their first place."""
        return shared_places(self.groups)

    def no_ranking(self, n_features: int) -> str:
        """Why its best `n_features` are no selection; empty where they are one."""
        if self.details.get("n_zero", 0) >= len(self.scores):
            return EMPTY_MODEL
        if self.own_size is not None and n_features != self.own_size:
            return UNORDERED.format(size=self.own_size)
        # Where all are taken nothing is left out, and nothing is asked of the scores.
        if n_features < len(self.order) and ahead_of_cut(self.ranks, n_features) < n_features:
            return IDENTITY if self.details.get("identity") else TIE
        return WITHIN if n_features in self.unsettled else ""


def _reasons(table: pd.DataFrame, n_features: int | None) -> dict[str, str]:
    """Reasons of the methods none of whose choices, of `n_features` if given, has a ranking."""
    if n_features is not None:
        table = table[table["n_features"] == n_features]
    reasons = {}
    for method, rows in table.groupby("method", sort=False):
        if (rows["no_ranking"] != "").all():
            reasons[str(method)] = ", ".join(rows["no_ranking"].unique())
    return reasons


def _not_reproducible(fits: Sequence[Ranking], n_features: int) -> str:
    """Why fits to halves have no reproducible best features; empty where they have."""
    if n_features >= len(fits[0].scores):
        return ALL_SELECTED
    reasons = [
        fit.no_ranking(n_features) or (REPRODUCED if fit.details.get("reproduced") else "")
        for fit in fits
    ]
    present = [reason for reason in reasons if reason]
    if not present:
        return ""
    return f"{' or '.join(dict.fromkeys(present))} on {len(present)} of {len(fits)} halves"


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Parameters as one line of JSON with sorted names; empty for none."""

    def plain(value: Any) -> Any:
        return value.item() if isinstance(value, np.generic) else repr(value)

    return json.dumps(parameters, default=plain, sort_keys=True) if parameters else ""


def long_table(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as the long table with all its :data:`COLUMNS`."""
    rows = list(rows)
    occasional = [name for name in _OCCASIONAL if any(name in row for row in rows)]
    table = pd.DataFrame(rows, columns=[*COLUMNS, *occasional])
    table["no_ranking"] = table["no_ranking"].astype(object).where(table["no_ranking"].notna(), "")
    return table.astype(dict.fromkeys(_measured(table), np.float64))


def _measured(table: pd.DataFrame) -> list[str]:
    """The metrics that a long table has columns of."""
    return [name for name in METRICS if name in table]


@dataclass(frozen=True)
class Row:
    """One method in a table of one metric.

    `best` has the best mean over all runs, as the paper reports it; in `other_starts` every run has
    the choice made on the half of the starts that it is not in (None with a single seed);
    `label_free` has the best mean silhouette, `rebuilt` the least reconstruction error of samples
    held out, where there are any: neither looks at labels. `difference` is that of `shown`
    from All-Features, in pairs, and `mark` says "best" by them or "close", not significantly worse;
    below ten starts `difference` has no ends and nothing is marked.
    `chance` is where `shown` stands among random draws that went through the same choice: a method
    with many parameters among choices from as many draws. `over_images` has the spread of
    `shown`, and `difference_over_images` that of the difference in pairs, over resamples of the
    samples, with clusters and choices as they are. `selection_seconds` is the mean over the
    parameters, `clustering_seconds` the sum of all `n_choices` parameter sets × numbers of
    features.
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
    chance: Standing | None = None
    rebuilt: Summary | None = None
    over_images: Interval | None = None
    difference_over_images: Interval | None = None

    @property
    def percentile(self) -> float | None:
        """The share of random draws that `shown` is better than, ties by half; None without any."""
        return None if self.chance is None else self.chance.percentile

    @property
    def shown(self) -> Summary:
        """What is reported first, and differences and marks are made of: chosen on other starts."""
        return self.other_starts or self.best


@dataclass(frozen=True, eq=False)
class Comparison:
    """Finished clusterings of a plan, all or some, and what they say.

    Only choices whose seeds are all done count, so that runs stay paired; a comparison that was
    stopped says the same of what it has. A clustering on features that were not ranked, of an empty
    model or where scores tie at the cut, has no score: `results` has the reason in its place.

    Rankings and failures (one sentence each) are known by method and parameters, as the long table
    says them; `confidence` is that of intervals and marks.
    """

    plan: Plan
    results: pd.DataFrame = field(default_factory=lambda: long_table([]))
    rankings: Mapping[tuple[str, str], Ranking] = field(default_factory=dict)
    failures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    confidence: float = 0.95
    rankings_of_halves: Mapping[tuple[str, str], Sequence[Ranking]] = field(default_factory=dict)
    """Rankings of fits to both halves of each pair, by method and parameters."""
    over_images: Mapping[tuple[str, str, int], Mapping[str, Any]] = field(default_factory=dict)
    """What metrics are on resamples of the samples, by method, parameters and n_features."""
    _tables: dict[tuple[str, int | None], tuple[Row, ...]] = field(
        default_factory=dict, init=False, repr=False
    )
    _drawn: dict[str, list[pd.DataFrame]] = field(default_factory=dict, init=False, repr=False)
    _wide: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict, init=False, repr=False)
    _curves: dict[tuple[str, str], tuple[Summary, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        self._leave_out_unranked()
        reproduced = self.reproducibility()
        if reproduced[REPRODUCIBILITY].notna().any():
            keys = ["method", "parameters", "n_features"]
            table = self.results.drop(columns=REPRODUCIBILITY)
            table = table.merge(reproduced[[*keys, REPRODUCIBILITY]], on=keys, how="left")
            object.__setattr__(self, "results", table[list(self.results)])

    def _leave_out_unranked(self) -> None:
        """Put the reason in place of every score that rests on no ranking."""
        names = ["method", "parameters", "n_features"]
        reasons = {
            (method, parameters, k): self.rankings[method, parameters].no_ranking(k)
            for method, parameters, k in self.results[names].drop_duplicates().to_numpy().tolist()
            if (method, parameters) in self.rankings
        }
        if not any(reasons.values()):
            return
        table = self.results.copy()
        keys = zip(*(table[name] for name in names), strict=True)
        reason = pd.Series([reasons.get(key, "") for key in keys], table.index, dtype=object)
        unranked = reason != ""
        table.loc[unranked, _measured(table)] = np.nan
        table.loc[unranked, "no_ranking"] = reason[unranked]
        object.__setattr__(self, "results", table)

    def unranked(self, n_features: int | None = None) -> dict[str, str]:
        """Why methods have no score, by key: those none of whose choices there has a ranking."""
        return _reasons(self.results, n_features)

    def not_reproducible(self, n_features: int | None = None) -> dict[str, str]:
        """Why methods have no index of reproducibility, by key: those with none for any choice."""
        return _reasons(self.reproducibility(), n_features)

    def few_distinct(self) -> pd.DataFrame:
        """Choices whose selected features tell apart fewer samples than there are clusters.

        One row a choice: method, title, parameters, n_features, n_distinct, n_clusters.
        """
        names = ["method", "title", "parameters", "n_features", "n_distinct", "n_clusters"]
        if "n_distinct" not in self.results:
            return pd.DataFrame(columns=names)
        few = self.results[self.results["n_distinct"].notna()]
        return few[names].drop_duplicates(ignore_index=True).astype({"n_distinct": int})

    @property
    def n_copies(self) -> int:
        """Samples that equal an earlier one in every feature, where halves were measured.

        With groups, samples that equal one of another group.
        """
        if "n_copies" not in self.results:
            return 0
        return int(self.results["n_copies"].max())

    def __repr__(self) -> str:
        # Thousands of rows are no answer to a person who asks what this is.
        return (
            f"<Comparison of {len(self.plan.titles)} methods: {len(self.results):,} of "
            f"{self.plan.n_clusterings:,} clusterings done, {len(self.failures)} failures>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: what is done, and the summary."""
        return f"<p>{escape(repr(self)[1:-1])}</p>\n{to_html(self.summary(), 'Summary')}"

    @property
    def complete(self) -> bool:
        """Whether every clustering of the plan is finished."""
        return len(self.results) == self.plan.n_clusterings

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that were measured, in a fixed order."""
        return tuple(name for name in _measured(self.results) if self.results[name].notna().any())

    @property
    def counts(self) -> list[int]:
        """Numbers of features that are selected."""
        tasks = (task for task in self.plan.tasks if task.method != self.plan.baseline)
        return sorted({k for task in tasks for k in task.n_features})

    @property
    def ranked(self) -> dict[str, str]:
        """Titles of the methods that select and have a ranking, by key."""
        ranked = {method for method, _ in self.rankings} - {self.plan.baseline}
        # Random draws have no title.
        return {key: title for key, title in self.plan.titles.items() if key in ranked}

    def scores(self, method: str, metric: str) -> pd.DataFrame:
        """Runs of every finished choice (parameters, n_features) of a method, a column a seed."""
        table = self.results
        # Where no choice has a ranking nothing is measured, and the reasons stand in the table.
        is_measured = bool(self.metrics) and len(table) > 0
        if metric not in METRICS or (is_measured and metric not in self.metrics):
            raise ValueError(
                f"{metric!r} was not measured here: choose from {', '.join(self.metrics)}."
            )
        if (method, metric) in self._wide:
            return self._wide[method, metric]
        of_method = table[table["method"] == method]
        choice = ["parameters", "n_features"]
        wide = of_method.pivot(index=choice, columns="seed", values=metric)
        in_order = pd.MultiIndex.from_frame(of_method[choice].drop_duplicates())
        complete = wide.reindex(index=in_order, columns=table["seed"].unique()).dropna()
        self._wide[method, metric] = complete
        return complete

    def draws(
        self, metric: str = "accuracy", n_features: int | None = None, n_sets: int = 1
    ) -> FloatArray:
        """One figure a random draw, found as a method's is; at one number of features, or at all.

        Of a method with several parameter sets the like are choices from as many draws, drawn
        with replacement. While fewer than ten of them are done there are none.
        """
        if metric not in self._drawn:
            wide = self.scores(RANDOM, metric)
            whole = [draw for _, draw in wide.groupby("parameters", sort=False)]
            most = max(map(len, whole), default=0)
            whole = [draw.droplevel("parameters") for draw in whole if len(draw) == most]
            planned = sum(task.method == RANDOM for task in self.plan.tasks)
            self._drawn[metric] = whole if len(whole) >= min(10, planned) else []
        whole = self._drawn[metric]
        if n_features is not None:
            whole = [draw.loc[[n_features]] for draw in whole if n_features in draw.index]
        tables = np.array([draw.to_numpy() for draw in whole])
        if n_sets > 1 and len(tables):
            picked = np.random.default_rng(0).integers(len(tables), size=(len(tables), n_sets))
            tables = tables[picked].reshape(len(tables), -1, tables.shape[-1])
        larger = METRICS[metric].larger_is_better
        return np.array([runs_of_choice(draw, larger_is_better=larger).mean() for draw in tables])

    def _at(self, method: str, metric: str, n_features: int | None) -> pd.DataFrame:
        """:meth:`scores` at one number of features, where one is asked for."""
        wide = self.scores(method, metric)
        if n_features is None or method == self.plan.baseline:
            return wide
        return wide[wide.index.get_level_values("n_features") == n_features]

    def table(self, metric: str = "accuracy", n_features: int | None = None) -> tuple[Row, ...]:
        """One row for every method that has finished choices, in the plan's order.

        At one number of features, or with that number chosen too.
        """
        at = metric, n_features
        if at not in self._tables:
            self._tables[at] = self._rows(metric, n_features)
        return self._tables[at]

    def best(self, metric: str) -> dict[str, Summary]:
        """The best mean of every method, as rows have it, without what they say beside."""
        larger = METRICS[metric].larger_is_better
        wide = {method: self.scores(method, metric) for method in self.plan.titles}
        return {
            method: _choice(table, best_choice(table, larger_is_better=larger))
            for method, table in wide.items()
            if len(table)
        }

    def _rows(self, metric: str, n_features: int | None) -> tuple[Row, ...]:
        methods = [method for method in self.results["method"].unique() if method != RANDOM]
        wide, marks = self._scores_and_marks(methods, metric, n_features)
        return tuple(self._row(method, metric, n_features, wide, marks[method]) for method in wide)

    def _scores_and_marks(
        self, methods: Iterable[str], metric: str, n_features: int | None
    ) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
        """Scores of the methods that have some, and their marks."""
        wide = {method: self._at(method, metric, n_features) for method in methods}
        wide = {method: table for method, table in wide.items() if not table.empty}
        if metric == REPRODUCIBILITY:
            # What is most reproducible need not be best.
            return wide, dict.fromkeys(wide, "")
        return wide, statistics.mark_best(wide, **self._options(metric))

    def marked(self, metric: str, n_features: int) -> dict[str, tuple[Summary, str, int]]:
        """Score, mark and number of choices of every method at one number of features."""
        wide, marks = self._scores_and_marks(self.plan.titles, metric, n_features)
        larger = METRICS[metric].larger_is_better
        return {
            method: (
                summarise(runs_of_choice(table, larger_is_better=larger)),
                marks[method],
                len(table),
            )
            for method, table in wide.items()
        }

    def _options(self, metric: str) -> dict[str, Any]:
        """How differences by a metric are judged."""
        kind = METRICS[metric]
        return {
            "confidence": self.confidence,
            "larger_is_better": kind.larger_is_better,
            "by_start": kind.by_start,
        }

    def _row(
        self,
        method: str,
        metric: str,
        n_features: int | None,
        tables: Mapping[str, pd.DataFrame],
        mark: str,
    ) -> Row:
        wide, larger = tables[method], METRICS[metric].larger_is_better
        rows = self.results[self.results["method"] == method]
        shown = summarise(runs_of_choice(wide, larger_is_better=larger))
        label_free = rebuilt = chance = difference = over_images = difference_over_images = None
        if "silhouette" in self.metrics:
            silhouettes = self._at(method, "silhouette", n_features).loc[wide.index]
            label_free = _choice(wide, best_choice(silhouettes))
        if _ERROR in self.metrics:
            errors = self._at(method, _ERROR, n_features).reindex(wide.index)
            if errors.notna().all(axis=None):
                rebuilt = _choice(wide, best_choice(errors, larger_is_better=False))
        if method != self.plan.baseline:
            n_sets = -(-len(wide) // wide.index.get_level_values("n_features").nunique())
            draws = self.draws(metric, n_features, n_sets)
            chance = standing(shown.mean, draws, larger_is_better=larger)
        resampled = self._resampled(method, metric, wide, larger)
        if resampled is not None:
            over_images = over_resamples(shown.mean, resampled, confidence=self.confidence)
        baseline = self.plan.baseline or ""
        n_runs = min(table.shape[1] for table in tables.values())
        if baseline in tables and method != baseline and n_runs > 1:
            difference = statistics.paired_difference(
                wide, tables[baseline], **self._options(metric)
            )
            of_all = self._resampled(baseline, metric, tables[baseline], larger)
            if resampled is not None and of_all is not None:
                difference_over_images = over_resamples(
                    difference.difference, resampled - of_all, confidence=self.confidence
                )
        fits = rows.drop_duplicates("parameters")["selection_seconds"].dropna()
        return Row(
            method=method,
            title=str(rows["title"].iloc[0]),
            best=_choice(wide, best_choice(wide, larger_is_better=larger)),
            other_starts=shown if wide.shape[1] > 1 else None,
            label_free=label_free,
            difference=difference,
            mark=mark,
            n_choices=len(wide),
            selection_seconds=None if fits.empty or is_own(method) else float(fits.mean()),
            clustering_seconds=float(rows["seconds"].sum()),
            chance=chance,
            rebuilt=rebuilt,
            over_images=over_images,
            difference_over_images=difference_over_images,
        )

    def _resampled(
        self, method: str, metric: str, wide: pd.DataFrame, larger: bool
    ) -> FloatArray | None:
        """What is shown of a method on resamples of the samples, with its choices as they are."""
        figures = [self.over_images.get((method, *at), {}).get(metric) for at in wide.index]
        if any(values is None for values in figures):
            return None
        n, places = wide.shape[1], (best_choice(wide, larger_is_better=larger),) * 2
        if n > 1:
            _, places = chosen_on_other_starts(wide, larger_is_better=larger)
        # What the starts in even places choose is scored on those in odd ones.
        of_each = np.array([figures[place] for place in places], dtype=np.float64)
        return np.average(of_each, axis=0, weights=(n // 2, n - n // 2))

    def summary(self) -> pd.DataFrame:
        """One row a metric and method: best of grid, chosen on other starts, label-free."""
        lines = [
            {"metric": metric, "percentile": row.percentile, **asdict(row)}
            for metric in self.metrics
            for row in self.table(metric)
        ]
        lines += [
            {"metric": metric, "method": method, "title": self.plan.titles[method]}
            | {"no_ranking": reason}
            for metric in self.metrics or ("",)
            for method, reason in self._without_score(metric).items()
        ]
        flat = pd.json_normalize(lines, sep="_").rename(columns=_RENAMED)
        return flat.reindex(columns=list(_SUMMARY)).astype(
            dict.fromkeys(("label_free_n_features", "rebuilt_n_features"), "Int64")
        )

    def curve(self, method: str, metric: str = "accuracy") -> tuple[Summary, ...]:
        """Mean ± std against the number of features, with the best parameters at each."""
        if (method, metric) not in self._curves:
            wide = self.scores(method, metric)
            larger = METRICS[metric].larger_is_better
            self._curves[method, metric] = tuple(
                _choice(at, best_choice(at, larger_is_better=larger))
                for _, at in wide.groupby("n_features")
            )
        return self._curves[method, metric]

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
        """Features that a method selects by its :meth:`ranking`, best first.

        Where ``ranking(…).no_ranking(n_features)`` has a reason they are no selection.
        """
        return self.ranking(method, n_features, metric).order[:n_features]

    def overlap(self, n_features: int, metric: str | None = None) -> pd.DataFrame:
        """Jaccard overlap of the methods' selections, methods by methods; without references."""
        keys = [key for key in self.ranked if key not in REFERENCES]
        keys = [k for k in keys if not self.ranking(k, n_features, metric).no_ranking(n_features)]
        chosen = [self.selection(key, n_features, metric) for key in keys]
        shared = [[statistics.jaccard(a, b) for b in chosen] for a in chosen]
        return pd.DataFrame(shared, index=keys, columns=keys, dtype=np.float64)

    def _without_score(self, metric: str) -> dict[str, str]:
        """Why methods have no score by a metric, by key."""
        reasons = self.unranked()
        return self.not_reproducible() | reasons if metric == REPRODUCIBILITY else reasons

    def reproducibility(self) -> pd.DataFrame:
        """How far halves of the samples select the same, a row a method and number of features.

        Nogueira's index with its interval over `n_halves` halves, the same for every method; a row
        is there once all of them are fitted. Where a half has no ranking, or all features are
        selected, the row has no number, and ``no_ranking`` says why.
        """
        return self._reproducibility.copy()

    @cached_property
    def _reproducibility(self) -> pd.DataFrame:
        n_halves = 2 * self.plan.n_pairs
        fitted = {
            key: fits for key, fits in self.rankings_of_halves.items() if len(fits) == n_halves > 0
        }
        ranked = self.results[self.results["no_ranking"] == ""] if fitted else self.results[:0]
        keys = ["method", "title", "parameters", "n_features"]
        lines: list[dict[str, Any]] = []
        for values in ranked[keys].drop_duplicates().itertuples(index=False):
            method, _, parameters, k = values
            fits = fitted.get((method, parameters), ())
            if not fits:
                continue
            line = dict(zip(keys, values, strict=True)) | {"n_halves": n_halves}
            if reason := _not_reproducible(fits, k):
                line["no_ranking"] = reason
            else:
                selected = np.zeros((n_halves, len(fits[0].scores)), dtype=bool)
                for row, fit in zip(selected, fits, strict=True):
                    row[fit.order[:k]] = True
                index = selection_reproducibility(selected, confidence=self.confidence)
                line |= {REPRODUCIBILITY: index.difference, "low": index.low, "high": index.high}
            lines.append(line)
        table = pd.DataFrame(lines, columns=list(_REPRODUCIBILITY))
        reasons = table["no_ranking"].astype(object)
        numbers = dict.fromkeys((REPRODUCIBILITY, "low", "high"), np.float64)
        return table.assign(no_ranking=reasons.where(reasons.notna(), "")).astype(numbers)


def _choice(wide: pd.DataFrame, place: int) -> Summary:
    """One row of :meth:`Comparison.scores`, by its place."""
    parameters, n_features = wide.index[place]
    return summarise(wide.iloc[place], parameters, int(n_features))
