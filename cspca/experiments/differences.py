"""Two results of one kind side by side: what was asked differently, and what came out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS, chosen_on_other_starts, paired_difference
from cspca.evaluation.comparison import best_choice
from cspca.experiments.experiment import Outcome
from cspca.experiments.settings import said


def asked(first: Outcome, second: Outcome) -> pd.DataFrame:
    """Data and settings of both in words: columns name, first and second."""
    words = []
    for one in (first, second):
        size = f"{one.data.n_samples:,} × {one.data.n_features:,} ({one.data.sha256[:8]})"
        words.append({"Data": f"{one.data.name}, {size}", **said(one.experiment)})
    columns = pd.DataFrame(words, index=["first", "second"]).fillna("").T
    return columns.rename_axis("name").reset_index()


def metrics(first: Outcome, second: Outcome) -> tuple[str, ...]:
    """What the clusterings of both have measured."""
    tables = [one.table for one in (first, second) if "seed" in one.table]
    known = [set(table.columns[table.notna().any()]) for table in tables]
    return tuple(name for name in METRICS if len(known) == 2 and name in known[0] & known[1])


def shared_seeds(first: Outcome, second: Outcome) -> list[int]:
    """Seeds that both have, in the order of the first."""
    if "seed" not in first.table or "seed" not in second.table:
        return []
    theirs = set(second.table["seed"].dropna())
    return [int(seed) for seed in first.table["seed"].dropna().unique() if seed in theirs]


def differences(first: Outcome, second: Outcome, metric: str = "") -> pd.DataFrame:
    """One row for each thing that both have: the mean of both, and the second less the first.

    Things are methods, points of a grid or starts, as the kind tells them apart; where a method has
    several choices each run has the one made on the other half of the shared seeds. `low` and
    `high` are the ends of the paired 95 % interval, NaN with fewer than two seeds in common. Where
    nothing was clustered the numbers themselves are compared, of results of a single row.
    """
    if first.experiment.kind != second.experiment.kind:
        raise ValueError(
            f"{first.data.name} has a {first.experiment.kind} and {second.data.name} a "
            f"{second.experiment.kind}: choose two of one kind."
        )
    measured, seeds = metrics(first, second), shared_seeds(first, second)
    told_apart = first.experiment.told_apart
    if measured and told_apart:
        chosen = metric if metric in measured else measured[0]
        runs = [_runs(one, chosen, seeds) for one in (first, second)]
    else:
        runs = [_numbers(one) for one in (first, second)]
    labels = [label for label in runs[0] if label in runs[1]]
    rows = [_row(label, runs[0][label], runs[1][label]) for label in labels]
    if measured and len(rows) > 1 and told_apart not in ((), ("title",)):
        means = [np.mean([of[label] for label in labels], axis=0) for of in runs]
        rows.insert(0, _row(f"Mean of the {len(labels):,} that both have", means[0], means[1]))
    return pd.DataFrame(rows, columns=["label", "first", "second", "difference", "low", "high"])


def _runs(outcome: Outcome, metric: str, seeds: list[int]) -> dict[str, Any]:
    """Runs on the shared seeds, or their mean over all where there are none, by their label."""
    table = outcome.table.dropna(subset=[metric])
    larger = METRICS[metric].larger_is_better
    choice = [name for name in ("parameters", "n_features") if name in table]
    columns = seeds or table["seed"].unique()
    told_apart = list(outcome.experiment.told_apart)
    found = {}
    for values, rows in table.groupby(told_apart, sort=False):
        wide = rows.pivot(index=choice, columns="seed", values=metric).reindex(columns=columns)
        runs = wide.dropna().to_numpy()
        if not len(runs):
            continue
        if len(runs) > 1 and len(seeds) > 1:
            one = chosen_on_other_starts(runs, larger_is_better=larger)[0]
        else:
            one = runs[best_choice(runs, larger_is_better=larger)]
        label = outcome.experiment.called(dict(zip(told_apart, values, strict=True)))
        found[label] = one if len(seeds) > 1 else one.mean()
    return found


def _numbers(outcome: Outcome) -> dict[str, Any]:
    """Numbers of a result of a single row."""
    row = outcome.table.iloc[0].to_dict() if len(outcome.table) == 1 else {}
    return {
        name.replace("_", " "): value
        for name, value in row.items()
        if isinstance(value, int | float)
    }


def _row(label: str, first: Any, second: Any) -> tuple[str, float, float, float, float, float]:
    means = float(np.mean(first)), float(np.mean(second))
    if np.ndim(first) == 0:
        return label, *means, means[1] - means[0], math.nan, math.nan
    apart = paired_difference(second, first)
    return label, *means, apart.difference, apart.low, apart.high
