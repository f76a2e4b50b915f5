"""Two results of one kind side by side: what was asked differently, and what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.experiment import Outcome
from cspca.experiments.settings import said

if TYPE_CHECKING:
    import pandas as pd


def asked(first: Outcome, second: Outcome) -> pd.DataFrame:
    """Data and settings of both in words: columns name, first and second."""
    import pandas as pd

    words = [
        {
            "Data": f"{one.data.name}, {one.data.n_samples:,} × {one.data.n_features:,} "
            f"({one.data.sha256[:8]})",
            **said(one.experiment),
        }
        for one in (first, second)
    ]
    names = list(dict.fromkeys([*words[0], *words[1]]))
    rows = [(name, words[0].get(name, ""), words[1].get(name, "")) for name in names]
    return pd.DataFrame(rows, columns=["name", "first", "second"])


def metrics(first: Outcome, second: Outcome) -> tuple[str, ...]:
    """What the clusterings of both have measured."""
    from cspca.evaluation import METRICS

    tables = first.table, second.table
    return tuple(
        name
        for name in METRICS
        if all(name in table and "seed" in table and table[name].notna().any() for table in tables)
    )


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
    import pandas as pd

    if first.experiment.kind != second.experiment.kind:
        raise ValueError(
            f"{first.data.name} has a {first.experiment.kind} and {second.data.name} a "
            f"{second.experiment.kind}: choose two of one kind."
        )
    measured = metrics(first, second)
    if not measured or not first.experiment.told_apart:
        return pd.DataFrame(_numbers(first, second), columns=list(COLUMNS))
    chosen = metric if metric in measured else measured[0]
    seeds = shared_seeds(first, second)
    runs = [_runs(one, chosen, seeds) for one in (first, second)]
    labels = [label for label in runs[0] if label in runs[1]]
    rows = [_row(label, runs[0][label], runs[1][label], len(seeds)) for label in labels]
    if len(rows) > 1 and first.experiment.told_apart != ("title",):
        means = [np.mean([of[label] for label in labels], axis=0) for of in runs]
        title = f"Mean of the {len(rows):,} that both have"
        rows.insert(0, _row(title, means[0], means[1], len(seeds)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


COLUMNS = ("label", "first", "second", "difference", "low", "high")
"""Columns of :func:`differences`."""


def _runs(outcome: Outcome, metric: str, seeds: list[int]) -> dict[str, Any]:
    """Runs on the shared seeds, or on all where there are none, by their label."""
    from cspca.evaluation import METRICS, chosen_on_other_starts
    from cspca.evaluation.choices import best_choice

    table = outcome.table.dropna(subset=[metric])
    larger = METRICS[metric].larger_is_better
    choice = [name for name in ("parameters", "n_features") if name in table]
    columns = seeds or [int(seed) for seed in table["seed"].unique()]
    told_apart = list(outcome.experiment.told_apart)
    found = {}
    for values, rows in table.groupby(told_apart, sort=False):
        wide = rows.pivot(index=choice, columns="seed", values=metric).reindex(columns=columns)
        runs = wide.dropna().to_numpy()
        if not len(runs):
            continue
        label = outcome.experiment.called(dict(zip(told_apart, values, strict=True)))
        several = len(runs) > 1 and len(seeds) > 1
        found[label] = (
            chosen_on_other_starts(runs, larger_is_better=larger)[0]
            if several
            else runs[best_choice(runs, larger_is_better=larger)]
        )
    return found


def _row(label: str, first: Any, second: Any, n_shared: int) -> dict[str, Any]:
    from cspca.evaluation import paired_difference

    means: dict[str, Any] = {
        "label": label,
        "first": float(np.mean(first)),
        "second": float(np.mean(second)),
    }
    if n_shared < 2:
        return means | {"difference": means["second"] - means["first"]}
    apart = paired_difference(second, first)
    return means | {"difference": apart.difference, "low": apart.low, "high": apart.high}


def _numbers(first: Outcome, second: Outcome) -> list[dict[str, Any]]:
    """Numbers of results of a single row."""
    if len(first.table) != 1 or len(second.table) != 1:
        return []
    one, other = first.table.iloc[0].to_dict(), second.table.iloc[0].to_dict()
    return [
        _row(name.replace("_", " "), value, other[name], 0)
        for name, value in one.items()
        if isinstance(value, int | float) and isinstance(other.get(name), int | float)
    ]
