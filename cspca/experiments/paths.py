"""The step of CSPCA itself: a fit from a cold start, looked at after some numbers of iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments import steps
from cspca.experiments.experiment import Cell, Result, Results
from cspca.experiments.once import once

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset

REVISION = 1
"""Raised when the numbers of a fit change."""

PER_CENT = ("accuracy", "nmi")
"""What is shown in per cent and kept as a fraction."""


def path_cell(parameters: Mapping[str, Any], checkpoints: Sequence[int]) -> Cell:
    """One path: CSPCA of these parameters, looked at after each number of iterations."""
    asked = {**parameters, "checkpoints": sorted(checkpoints)}
    return Cell("path", asked, REVISION, title="CSPCA", size=len(checkpoints))


def compute(cell: Cell, data: Dataset, needed: Results) -> Result:
    """Compute a cell of :func:`path_cell`, or one that experiments share."""
    return _path(cell, data) if cell.step == "path" else steps.compute(cell, data, needed)


def _path(cell: Cell, data: Dataset) -> Result:
    """Fit; one row a checkpoint, and their orders, scores and course as arrays."""
    from cspca.estimator import CSPCA
    from cspca.preprocessing import reduce_data

    given = dict(cell.parameters)
    checkpoints = given.pop("checkpoints")
    center, normalize = given["center"], given["normalize"]
    reduced = once(
        (data.sha256, "reduced", center, normalize),
        lambda: reduce_data(data.data, center=center, normalize=normalize),
    )
    model = CSPCA(random_state=0, **given, warm_start=len(checkpoints) > 1)
    reached, rows, arrays = 0, [], []
    for wanted in checkpoints:
        if reached < wanted and not (reached and model.converged_):
            model.set_params(max_iter=wanted - reached)
            # Fitted when the loop is over; and no warning, for the gap is part of the result.
            for _ in model.iterate(data.data, reduced=reduced):
                pass
            reached = model.n_iter_
        rows.append({"iterations": wanted, **_numbers(model)})
        arrays.append(
            {
                "order": np.array(model.feature_order_),
                "scores": np.array(model.selection_scores_, dtype=np.float64),
                "feature_scores": np.array(model.feature_scores_, dtype=np.float64),
                "sample_residuals": np.array(model.sample_residuals_, dtype=np.float64),
            }
        )
    together = {name: np.stack([one[name] for one in arrays]) for name in arrays[0]}
    history = model.history_
    for name in ("number", "seconds", "objective", "dual_bound", "gap"):
        together[f"history_{name}"] = np.array([one[name] for one in history], dtype=np.float64)
    return Result(tuple(rows), together)


def _numbers(model: Any) -> dict[str, Any]:
    return {
        "n_iter": int(model.n_iter_),
        "objective": float(model.objective_),
        "dual_objective": float(model.dual_objective_),
        "duality_gap": float(model.duality_gap_),
        "rank": int(model.rank_),
        "n_zero": int(np.count_nonzero(np.asarray(model.feature_scores_) == 0.0)),
        "regime": str(model.regime_),
        "converged": bool(model.converged_),
        "alpha_absolute": float(model.alpha_),
        "beta_absolute": float(model.beta_),
        "alpha_max": float(model.alpha_max_),
        "beta_max": float(model.beta_max_),
    }


def clusters_of(path: Cell, asked: Any, data: Dataset) -> Iterator[Cell]:
    """The clusterings on the best features of every checkpoint, where any are asked for."""
    n_clusters = asked.n_clusters or data.n_classes
    if not asked.n_seeds or not n_clusters:
        return
    k = asked.n_features or max(1, data.n_features // 2)
    if k > data.n_features:
        raise ValueError(
            f"n_features must be at most {data.n_features}, the number of "
            f"{data.nouns.features}, got {k}."
        )
    for row in range(len(path.parameters["checkpoints"])):
        yield steps.cluster_cell(
            path,
            k,
            tuple(range(asked.n_seeds)),
            n_clusters,
            labels=steps.labels_digest(data),
            init=asked.init,
            silhouette=False,
            row=row,
        )


def fits(results: Results) -> pd.DataFrame:
    """One row a checkpoint of every path: its parameters and what the fit says of itself."""
    import pandas as pd

    return pd.DataFrame(
        [
            {**_point(cell), **row}
            for cell, result in results.items()
            if cell.step == "path"
            for row in result.rows
        ]
    )


def clustered(results: Results) -> pd.DataFrame:
    """One row a clustering, with the parameters of the fit whose ranking it rests on."""
    import pandas as pd

    rows = []
    for cell, result in results.items():
        if cell.step == "cluster":
            path = cell.needs[0]
            at = path.parameters["checkpoints"][cell.parameters.get("row") or 0]
            k = cell.parameters["n_features"]
            point = {**_point(path), "iterations": at, "n_features": k}
            # A fit's start is no start of K-means, which has the same name.
            rows += [{**row, **point} for row in result.rows]
    return pd.DataFrame(rows)


def _point(cell: Cell) -> dict[str, Any]:
    return {name: value for name, value in cell.parameters.items() if name != "checkpoints"}


def joined(results: Results, keys: Sequence[str]) -> pd.DataFrame:
    """The long table of fits and their clusterings: one row a clustering, or a fit without any."""
    found, runs = fits(results), clustered(results)
    if runs.empty or found.empty:
        return found
    new = [*keys, *(name for name in runs if name not in found)]
    return found.merge(runs[new], on=list(keys), how="left")


def means(results: Results, keys: Sequence[str]) -> pd.DataFrame:
    """Fits with mean and standard deviation of what their clusterings measured, one row each."""
    found, runs = fits(results), clustered(results)
    if runs.empty or found.empty:
        return found
    measured = [
        name
        for name in ("accuracy", "nmi", "stability", "reconstruction_error")
        if name in runs and runs[name].notna().any()
    ]
    groups = runs.groupby(list(keys), sort=False)
    columns = {"n_features": groups["n_features"].first()}
    for name in measured:
        columns[f"{name}_mean"] = groups[name].mean()
        columns[f"{name}_std"] = groups[name].std(ddof=1).fillna(0.0)
    import pandas as pd

    return found.merge(pd.DataFrame(columns).reset_index(), on=list(keys), how="left")


def spread(mean: float, std: float, name: str) -> str:
    """A mean with its standard deviation, as it is read: per cent where it is a share."""
    if mean != mean:
        return "–"
    factor, digits = (100.0, 1) if name in PER_CENT else (1.0, 3)
    return f"{factor * mean:.{digits}f} ± {factor * std:.{digits}f}"
