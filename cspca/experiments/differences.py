"""Two results of one kind side by side: what was asked differently, and what came out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS, paired_difference
from cspca.evaluation.choices import runs_of_choice
from cspca.experiments.experiment import Outcome
from cspca.experiments.settings import said


def asked(first: Outcome, second: Outcome) -> pd.DataFrame:
    """Data and settings of both in words: columns name, first and second."""
    words = []
    for outcome in (first, second):
        size = (
            f"{outcome.data.n_samples:,} × {outcome.data.n_features:,} ({outcome.data.sha256[:8]})"
        )
        words.append({"Data": f"{outcome.data.name}, {size}", **said(outcome.experiment)})
    columns = pd.DataFrame(words, index=["first", "second"]).fillna("").T
    return columns.rename_axis("name").reset_index()


def metrics(first: Outcome, second: Outcome) -> tuple[str, ...]:
    """What the clusterings of both have measured."""
    columns_by_run = [
        outcome.table.dropna(axis="columns", how="all").columns for outcome in (first, second)
    ]
    return tuple(name for name in METRICS if all(name in columns for columns in columns_by_run))


def shared_seeds(first: Outcome, second: Outcome) -> list[int]:
    """Seeds that both have, in the order of the first."""
    first_seeds, second_seeds = (
        outcome.table.get("seed", pd.Series(dtype=float)) for outcome in (first, second)
    )
    return [int(seed) for seed in first_seeds.dropna().unique() if seed in set(second_seeds)]


def differences(first: Outcome, second: Outcome, metric: str = "") -> pd.DataFrame:
    """One row for each thing that both have: the mean of both, and the second less the first.

    Things are methods, points of a grid or starts, as the kind tells them apart; where a method has
    several choices each run has the one made on the other half of the shared seeds. `low` and
    `high` are the ends of the paired 95 % interval, NaN with fewer than ten seeds in common and of
    what does not depend on the start. That is measured on held-out halves: by other groups or
    another seed of the halves it is another measure, and its difference NaN. Where
    nothing was clustered the numbers themselves are compared, of results of a single row; the
    difference is NaN of those that mean something else in each.
    """
    if first.experiment.kind != second.experiment.kind:
        raise ValueError(
            f"{first.data.name} has a {first.experiment.kind} and {second.data.name} a "
            f"{second.experiment.kind}: choose two of one kind."
        )
    measured, seeds = metrics(first, second), shared_seeds(first, second)
    larger = by_start = True
    told_apart = first.experiment.told_apart
    if measured and told_apart:
        chosen = metric if metric in measured else measured[0]
        larger, by_start = METRICS[chosen].larger_is_better, METRICS[chosen].by_start
        runs = [_runs(outcome, chosen, seeds) for outcome in (first, second)]
    else:
        # Numbers of a result of a single row.
        runs = []
        for outcome in (first, second):
            row = outcome.table.iloc[0].to_dict() if len(outcome.table) == 1 else {}
            shown = {name: of for name, of in row.items() if type(of) in (int, float)}
            runs.append({name.replace("_", " "): of for name, of in shown.items()})
    both = {label: (of, runs[1][label]) for label, of in runs[0].items() if label in runs[1]}
    if measured and len(both) > 1 and told_apart not in ((), ("title",)):
        means = [
            np.mean([_shown(runs, larger) for runs in of], axis=0)
            for of in zip(*both.values(), strict=True)
        ]
        both = {f"Mean of the {len(both):,} that both have": (means[0], means[1]), **both}
    # Numbers of a single row are of its data: clusterings are shares, of any.
    same_data = bool(measured) or first.data.sha256 == second.data.sha256
    rows = []
    for label, (first_runs, second_runs) in both.items():
        mean, second_mean = (
            float(np.mean(_shown(runs, larger))) for runs in (first_runs, second_runs)
        )
        apart = (second_mean - mean, math.nan, math.nan)
        if not (same_data and first.experiment.comparable(second.experiment, label)):
            apart = (math.nan, math.nan, math.nan)
        if np.ndim(first_runs):
            comparison = paired_difference(
                second_runs, first_runs, larger_is_better=larger, by_start=by_start
            )
            apart = comparison.difference, comparison.low, comparison.high
        if measured and not by_start:
            # The ends would be the difference, as if it were known of other halves too.
            apart = (apart[0] if _same_halves(first, second) else math.nan, math.nan, math.nan)
        rows.append((label, mean, second_mean, *apart))
    return pd.DataFrame(rows, columns=["label", "first", "second", "difference", "low", "high"])


def _same_halves(first: Outcome, second: Outcome) -> bool:
    """Whether two results on the same samples have the same groups and seed of halves."""
    if first.data.sha256 != second.data.sha256:
        return True
    halves = [
        (getattr(outcome.experiment, "groups", ()), getattr(outcome.experiment, "random_state", 0))
        for outcome in (first, second)
    ]
    return bool(halves[0] == halves[1])


def _runs(outcome: Outcome, metric: str, seeds: list[int]) -> dict[str, Any]:
    """Choices × shared seeds, or the best mean over all seeds where there are none, by label."""
    table = outcome.table.dropna(subset=[metric])
    larger = METRICS[metric].larger_is_better
    choice = [name for name in ("parameters", "n_features") if name in table]
    columns = seeds or table["seed"].unique()
    told_apart = list(outcome.experiment.told_apart)
    runs_by_label = {}
    for values, rows in table.groupby(told_apart, sort=False):
        wide = rows.pivot(index=choice, columns="seed", values=metric).reindex(columns=columns)
        runs = wide.dropna().to_numpy()
        if not len(runs):
            continue
        label = outcome.experiment.called(dict(zip(told_apart, values, strict=True)))
        means = runs.mean(axis=1)
        runs_by_label[label] = runs
        if len(seeds) < 2:
            runs_by_label[label] = float(means.max() if larger else means.min())
    return runs_by_label


def _shown(scores: Any, larger_is_better: bool) -> Any:
    """Runs chosen on other starts, or a number as it is."""
    return runs_of_choice(scores, larger_is_better=larger_is_better) if np.ndim(scores) else scores
