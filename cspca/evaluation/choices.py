"""What the long table says: choices of parameters and number of features, and their differences.

The best mean over a grid, reported as the paper does, is too good: the luck of the starts it was
chosen on is part of it. So a choice is also made on one half of the seeds and scored on the other,
both ways round; over all runs that figure can never exceed the best of the grid. It still chooses
by the labels. A choice without labels takes the clustering with the best silhouette.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cspca.evaluation.metrics import METRICS
from cspca.evaluation.starts import FloatArray
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

    Attributes
    ----------
    method, title : str
    best : Choice
        With the best mean over all runs, as the paper reports it.
    other_starts : Summary or None
        Over all runs, each with the choice made on the half of the starts that it is not in. None
        with a single seed. Also called `honest`.
    other_choices : tuple of Choice
        The two choices; empty with a single seed.
    label_free : Choice or None
        With the best mean silhouette. None without silhouettes.
    difference : Interval or None
        Paired difference of `runs` from those of All-Features. None for itself, without it, or with
        a single seed.
    mark : {"best", "close", ""}
        Best by `runs`, or not significantly worse.
    n_choices : int
        How many parameter sets × numbers of features were chosen from.
    selection_seconds : float or None
        Time of the fits, mean over the parameters.
    clustering_seconds : float
        Time of all clusterings.
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
    """Every finished choice of a method, a row, and its runs.

    Only choices whose seeds are all there count, so that runs stay paired.

    Parameters
    ----------
    table : DataFrame
        The long table.
    method : str
    metric : str

    Returns
    -------
    DataFrame
        Indexed by parameters and n_features; columns are the seeds.

    Raises
    ------
    ValueError
        When the metric was not measured.
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

    Parameters
    ----------
    scores : array-like of shape (n_choices, n_seeds)
        At least two seeds. The halves are those in even and in odd places.
    larger_is_better : bool, default=True

    Returns
    -------
    runs : ndarray of shape (n_seeds,)
        Score of each run with the choice of the half that it is not in.
    choices : tuple of int
        Row chosen on the runs in even places (scored on the odd), and the reverse.

    Raises
    ------
    ValueError
        When there are no choices, or fewer than two seeds.
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
    """One row for every method that has finished choices, in the table's order.

    Parameters
    ----------
    table : DataFrame
        The long table.
    metric : str
    baseline : str or None, default="all"
        The method that differences are taken from.
    confidence : float, default=0.95
        Of intervals and marks.
    """
    if not len(table):
        return ()
    larger = METRICS[metric].larger_is_better if metric in METRICS else True
    by_silhouette = "silhouette" in measured(table)
    chosen: dict[str, dict[str, Any]] = {}
    runs: dict[str, FloatArray] = {}
    for method, rows in table.groupby("method", sort=False):
        wide = scores(table, method, metric)
        if wide.empty:
            continue
        best = _choice(wide, best_choice(wide, larger_is_better=larger))
        others, free = None, None
        two: tuple[Choice, ...] = ()
        if wide.shape[1] > 1:
            mixed, places = chosen_on_other_starts(wide, larger_is_better=larger)
            others, two = summarise(mixed), tuple(_choice(wide, place) for place in places)
        if by_silhouette:
            free = _choice(wide, best_choice(scores(table, method, "silhouette")))
        fits = rows.drop_duplicates("parameters")["selection_seconds"].dropna()
        runs[method] = (others or best).runs
        chosen[method] = {
            "method": method,
            "title": str(rows["title"].iloc[0]),
            "best": best,
            "other_starts": others,
            "other_choices": two,
            "label_free": free,
            "n_choices": len(wide),
            "selection_seconds": float(fits.mean()) if len(fits) else None,
            "clustering_seconds": float(rows["seconds"].sum()),
        }
    marks = mark_best(runs, confidence=confidence, larger_is_better=larger)
    found = []
    for method, values in chosen.items():
        apart = None
        if baseline in runs and method != baseline and len(runs[method]) > 1:
            apart = paired_difference(runs[method], runs[baseline], confidence=confidence)
        found.append(Row(**values, difference=apart, mark=marks[method]))
    return tuple(found)


def _choice(wide: pd.DataFrame, place: int) -> Choice:
    parameters, n_features = wide.index[place]
    values = summarise(wide.iloc[place])
    return Choice(values.mean, values.std, values.n, values.runs, parameters, int(n_features))


def curve(table: pd.DataFrame, method: str, metric: str) -> tuple[Choice, ...]:
    """The best parameters at every number of features, from the long table."""
    wide = scores(table, method, metric)
    larger = METRICS[metric].larger_is_better
    found = []
    for _, at in wide.groupby("n_features"):
        found.append(_choice(at, best_choice(at, larger_is_better=larger)))
    return tuple(found)


def summary(
    table: pd.DataFrame, *, baseline: str | None = "all", confidence: float = 0.95
) -> pd.DataFrame:
    """One row a metric and method, with all that :func:`choose` says, in plain columns."""
    import pandas as pd

    lines = [
        _line(metric, row)
        for metric in measured(table)
        for row in choose(table, metric, baseline=baseline, confidence=confidence)
    ]
    found = pd.DataFrame(lines, columns=list(SUMMARY))
    return found.astype({"label_free_n_features": "Int64"})


SUMMARY = (
    "metric", "method", "title", "best_mean", "best_std", "best_n_features", "best_parameters",
    "honest_mean", "honest_std", "label_free_mean", "label_free_std", "label_free_n_features",
    "label_free_parameters", "difference_to_all", "difference_low", "difference_high",
    "confidence", "mark", "n_runs", "n_choices", "selection_seconds", "clustering_seconds",
)  # fmt: skip
"""Columns of :func:`summary`; ``honest_…`` is chosen on other starts."""


def _line(metric: str, row: Row) -> dict[str, Any]:
    line: dict[str, Any] = {
        "metric": metric,
        "method": row.method,
        "title": row.title,
        "mark": row.mark,
        "n_runs": row.best.n,
        "n_choices": row.n_choices,
        "selection_seconds": row.selection_seconds,
        "clustering_seconds": row.clustering_seconds,
    }
    for name, one in (
        ("best", row.best),
        ("honest", row.other_starts),
        ("label_free", row.label_free),
    ):
        if one is not None:
            line |= {f"{name}_mean": one.mean, f"{name}_std": one.std}
        if isinstance(one, Choice):
            line[f"{name}_n_features"] = one.n_features
            line[f"{name}_parameters"] = one.parameters
    apart = row.difference
    if apart is not None:
        line |= {
            "difference_to_all": apart.difference,
            "difference_low": apart.low,
            "difference_high": apart.high,
            "confidence": apart.confidence,
        }
    return line
