"""The step of CSPCA itself: a fit from a cold start, looked at after some numbers of iterations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments import steps
from cspca.experiments.experiment import Cell, Experiment, Result, Results
from cspca.experiments.memory import reduction
from cspca.experiments.settings import clean, setting

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset

REVISION = 1
"""Raised when the numbers of a fit change."""


@dataclass(frozen=True, kw_only=True)
class OnFits(Experiment):
    """What all experiments on fits of CSPCA are asked alike: of the fits and their clusterings."""

    penalty_scale: str = setting(
        "relative",
        label="Scale of α and β",
        choices=("relative", "absolute"),
        help="Fractions of α_max and β_max, or the values of the formula.",
    )
    n_features: int | None = setting(
        None,
        label="Best features",
        limits=(1, math.inf),
        help="How many of the best features rankings are compared by and K-means sees; half of "
        "them by default.",
    )
    n_seeds: int = setting(
        10,
        label="Repetitions",
        limits=(0, 1000),
        help="Starts of K-means a fit, the same for every fit; 0 for none. The paper takes 30.",
    )
    n_clusters: int | None = setting(
        None,
        label="Clusters",
        limits=(1, math.inf),
        help="The number of classes by default; without either nothing is clustered.",
    )
    init: str = setting(
        "random",
        label="Starts of K-means",
        choices=("random", "k-means++"),
        help="How K-means starts.",
    )
    tol: float = setting(
        1e-3,
        label="Tolerance, relative gap",
        limits=(0.0, 1.0),
        help="Gap at which the certified solver stops.",
    )
    max_iter: int = setting(
        1000, label="Iterations at most", limits=(1, math.inf), help="Of the certified solver."
    )
    center: bool = setting(True, label="Mean sample subtracted", help="Subtract the mean sample.")
    normalize: bool = setting(
        False, label="Samples of unit norm", help="Scale every sample to norm 1."
    )

    def __post_init__(self) -> None:
        clean(self)

    def path(self, data: Dataset, checkpoints: Sequence[int], **parameters: Any) -> Iterator[Cell]:
        """CSPCA of some parameters, looked at after numbers of iterations; then its clusterings."""
        asked = {
            **parameters,
            "penalty_scale": self.penalty_scale,
            "center": self.center,
            "normalize": self.normalize,
            "tol": parameters.get("tol", self.tol),
            "checkpoints": sorted(checkpoints),
        }
        path = Cell("path", asked, REVISION, title="CSPCA", size=len(checkpoints))
        yield path
        n_clusters = self.n_clusters or data.n_classes
        if not self.n_seeds or not n_clusters:
            return
        k = self.n_features or max(1, data.n_features // 2)
        if k > data.n_features:
            raise ValueError(
                f"n_features must be at most {data.n_features}, the number of "
                f"{data.nouns.features}, got {k}."
            )
        for row in range(len(checkpoints)):
            yield steps.cluster_cell(
                path,
                k,
                tuple(range(self.n_seeds)),
                n_clusters,
                labels=steps.labels_digest(data),
                init=self.init,
                silhouette=False,
                row=row,
            )

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """Fit along a path, or cluster."""
        return compute(cell, data, needed)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a clustering, or a fit where nothing is clustered."""
        found, runs = fits(results), _clustered(results)
        if runs.empty or found.empty:
            return found
        keys = list(self.told_apart)
        new = [*keys, *(name for name in runs if name not in found)]
        return found.merge(runs[new], on=keys, how="left")

    def means(self, results: Results) -> pd.DataFrame:
        """One row a fit, with mean and standard deviation of what its clusterings measured."""
        import pandas as pd

        found, runs = fits(results), _clustered(results)
        if runs.empty or found.empty:
            return found
        keys = list(self.told_apart)
        groups = runs.groupby(keys, sort=False)
        columns = {"n_features": groups["n_features"].first()}
        for name in ("accuracy", "nmi", "stability", "reconstruction_error"):
            if name in runs and runs[name].notna().any():
                columns[f"{name}_mean"] = groups[name].mean()
                columns[f"{name}_std"] = groups[name].std(ddof=1).fillna(0.0)
        return found.merge(pd.DataFrame(columns).reset_index(), on=keys, how="left")


def compute(cell: Cell, data: Dataset, needed: Results) -> Result:
    """Compute a path, or a cell of those that experiments share."""
    return _path(cell, data) if cell.step == "path" else steps.compute(cell, data, needed)


def _path(cell: Cell, data: Dataset) -> Result:
    """Fit; one row a checkpoint, and their orders, scores and course as arrays."""
    from cspca.estimator import CSPCA

    given = dict(cell.parameters)
    checkpoints = given.pop("checkpoints")
    reduced = reduction(data, given["center"], given["normalize"])
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


def _clustered(results: Results) -> pd.DataFrame:
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


def spread(mean: float, std: float, name: str) -> str:
    """A mean with its standard deviation, as it is read: per cent where it is a share."""
    from cspca.evaluation import METRICS

    return "–" if mean != mean else METRICS[name].spread(mean, std)
