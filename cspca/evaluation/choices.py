"""What the long table says: choices of parameters and number of features, and their differences.

The best mean over a grid, reported as the paper does, is too good: the luck of the starts it was
chosen on is part of it. So a choice is also made on one half of the seeds and scored on the other,
both ways round; over all runs that figure can never exceed the best of the grid. It still chooses
by the labels. A choice without labels takes the clustering with the best silhouette.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cspca.evaluation.lloyd import FloatArray
from cspca.evaluation.metrics import METRICS
from cspca.evaluation.statistics import (
    Interval,
    Summary,
    mark_best,
    paired_difference,
    summarise,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Choice(Summary):
    """Runs of one choice: parameters (as the long table says them) and a number of features."""

    parameters: str = ""
    n_features: int = 0


@dataclass(frozen=True)
class Row:
    """One method in a table of one metric.

    `best` has the best mean over all runs, as the paper reports it; in `other_starts` every run has
    the choice made on the half of the starts that it is not in (`other_choices` are the two; None
    with a single seed); `label_free` has the best mean silhouette, where there are any.
    `difference` is that of `runs` from All-Features, in pairs, and `mark` says "best" by them or
    "close", not significantly worse. `selection_seconds` is the mean over the parameters,
    `clustering_seconds` the sum of all `n_choices` parameter sets × numbers of features.
    """

    method: str
    title: str
    best: Choice
    other_starts: Summary | None
    other_choices: tuple[Choice, ...]
    label_free: Choice | None
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
        """What is reported first: chosen on other starts, where there are any."""
        return self.other_starts or self.best

    @property
    def runs(self) -> FloatArray:
        """Of what is reported first: what differences and marks are made of."""
        return self.shown.runs


def measured(table: pd.DataFrame) -> tuple[str, ...]:
    """Metrics that every row of the long table has."""
    return tuple(name for name in METRICS if len(table) and table[name].notna().all())


def scores(table: pd.DataFrame, method: str, metric: str) -> pd.DataFrame:
    """Every finished choice (parameters, n_features) of a method and its runs, a column a seed.

    Only choices whose seeds are all there count, so that runs stay paired.
    """
    import pandas as pd

    if metric not in METRICS or (len(table) and metric not in measured(table)):
        raise ValueError(
            f"{metric!r} was not measured here: choose from {', '.join(measured(table))}."
        )
    of_method = table[table["method"] == method]
    choice = ["parameters", "n_features"]
    wide = of_method.pivot(index=choice, columns="seed", values=metric)
    in_order = pd.MultiIndex.from_frame(of_method[choice].drop_duplicates())
    return wide.reindex(index=in_order, columns=table["seed"].unique()).dropna()


def best_choice(scores: ArrayLike, *, larger_is_better: bool = True) -> int:
    """Row of choices × seeds with the best mean; the first of equal ones."""
    means = _checked(scores).mean(axis=1)
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
    table = _checked(scores)
    if table.shape[1] < 2:
        raise ValueError("Two halves need at least two seeds.")
    by_even = best_choice(table[:, 0::2], larger_is_better=larger_is_better)
    by_odd = best_choice(table[:, 1::2], larger_is_better=larger_is_better)
    runs = np.empty(table.shape[1])
    runs[1::2] = table[by_even, 1::2]
    runs[0::2] = table[by_odd, 0::2]
    return runs, (by_even, by_odd)


def _checked(scores: ArrayLike) -> FloatArray:
    table: FloatArray = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"scores must be choices × seeds, got shape {table.shape}.")
    return table


def choose(
    table: pd.DataFrame, metric: str, *, baseline: str | None = "all", confidence: float = 0.95
) -> tuple[Row, ...]:
    """One row for every method that has finished choices, in the table's order."""
    if not len(table):
        return ()
    larger = METRICS[metric].larger_is_better if metric in METRICS else True
    by_silhouette = "silhouette" in measured(table)
    found: dict[str, Row] = {}
    for method, rows in table.groupby("method", sort=False):
        wide = scores(table, method, metric)
        if wide.empty:
            continue
        others, free = None, None
        two: tuple[Choice, ...] = ()
        if wide.shape[1] > 1:
            mixed, places = chosen_on_other_starts(wide, larger_is_better=larger)
            others, two = summarise(mixed), tuple(choice_at(wide, place) for place in places)
        if by_silhouette:
            free = choice_at(wide, best_choice(scores(table, method, "silhouette")))
        fits = rows.drop_duplicates("parameters")["selection_seconds"].dropna()
        found[method] = Row(
            method=method,
            title=str(rows["title"].iloc[0]),
            best=choice_at(wide, best_choice(wide, larger_is_better=larger)),
            other_starts=others,
            other_choices=two,
            label_free=free,
            difference=None,
            mark="",
            n_choices=len(wide),
            selection_seconds=float(fits.mean()) if len(fits) else None,
            clustering_seconds=float(rows["seconds"].sum()),
        )
    runs = {method: row.runs for method, row in found.items()}
    marks = mark_best(runs, confidence=confidence, larger_is_better=larger)
    for method, row in found.items():
        apart = None
        if baseline in runs and method != baseline and len(row.runs) > 1:
            apart = paired_difference(row.runs, runs[baseline], confidence=confidence)
        found[method] = replace(row, difference=apart, mark=marks[method])
    return tuple(found.values())


def choice_at(wide: pd.DataFrame, place: int) -> Choice:
    """One row of :func:`scores`, by its place."""
    parameters, n_features = wide.index[place]
    of_runs = vars(summarise(wide.iloc[place]))
    return Choice(**of_runs, parameters=parameters, n_features=int(n_features))
