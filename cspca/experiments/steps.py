"""Steps that several experiments share, as cells: features ranked, and clustered on the best."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.experiment import Cell, Result, Results
from cspca.experiments.memory import ONCE

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset
    from cspca.evaluation.steps import Plan


def has_classes(data: Dataset) -> bool:
    """Whether clusters can be held against labels: there are some, and not all are the same."""
    return data.target is not None and bool(np.ptp(data.target) > 0)


def labels_digest(data: Dataset) -> str | None:
    """A fingerprint of the labels, which are no part of what a method sees; None without any."""
    if data.target is None or not has_classes(data):
        return None
    return hashlib.sha256(data.target.astype("<i8").tobytes()).hexdigest()[:16]


def rank_cell(method: str, parameters: Mapping[str, Any], n_clusters: int) -> Cell:
    """The features ranked by a method of the registry, told the number of clusters if it asks."""
    from cspca.selection import METHODS

    known = METHODS[method]
    given: dict[str, Any] = {"method": method, "parameters": dict(parameters)}
    if known.needs_clusters:
        given["n_clusters"] = n_clusters
    return Cell("rank", given, known.revision, title=known.title)


def cluster_cell(
    ranking: Cell,
    n_features: int,
    seeds: Sequence[int],
    n_clusters: int,
    *,
    labels: str | None,
    init: str = "random",
    silhouette: bool = True,
    row: int | None = None,
) -> Cell:
    """K-means from all seeds on the best features of a ranking.

    `labels` is their digest, None clusters as if there were none; `row` says which order is meant
    where `ranking` has several.
    """
    given = {
        "ranking": [ranking.step, ranking.revision, ranking.parameters],
        "n_features": n_features,
        "seeds": list(seeds),
        "n_clusters": n_clusters,
        "init": init,
        "labels": labels,
        "silhouette": silhouette,
        **({} if row is None else {"row": row}),
    }
    return Cell("cluster", given, needs=(ranking,), title=ranking.title, size=len(seeds))


def compute(cell: Cell, data: Dataset, needed: Results) -> Result:
    """Compute a cell of :func:`rank_cell` or :func:`cluster_cell`."""
    return _rank(cell, data) if cell.step == "rank" else _cluster(cell, data, needed)


def _rank(cell: Cell, data: Dataset) -> Result:
    from cspca.evaluation.steps import rank_features
    from cspca.selection import METHODS

    given = cell.parameters
    selector = METHODS[given["method"]].make(
        n_clusters=given.get("n_clusters"), random_state=0, **given["parameters"]
    )
    found = rank_features(selector, data.data)
    arrays = {"order": found.order, "scores": found.scores}
    return Result((dict(found.details),), arrays, found.seconds)


def _cluster(cell: Cell, data: Dataset, needed: Results) -> Result:
    from cspca.evaluation.metrics import codes
    from cspca.evaluation.steps import cluster
    from cspca.evaluation.unlabelled import Silhouette

    given, target = cell.parameters, data.target
    order = needed[cell.needs[0]].arrays["order"]
    silhouette = None
    if given["silhouette"] or given["labels"] is None:
        silhouette = ONCE.get_or_make(("silhouette", data.sha256), lambda: Silhouette(data.data))
    rows = cluster(
        data.data,
        None if given["labels"] is None or target is None else codes(target),
        order[given["row"]] if "row" in given else order,
        given["n_features"],
        given["seeds"],
        given["n_clusters"],
        init=given["init"],
        silhouette=silhouette,
    )
    return Result(tuple(rows))


def clusterings(results: Results) -> pd.DataFrame:
    """The long table of :mod:`cspca.evaluation` from all cluster cells in `results`."""
    from cspca.evaluation.steps import long_table, parameters_text

    rows: list[dict[str, Any]] = []
    for cell, result in results.items():
        if cell.step != "cluster":
            continue
        _, _, ranking = cell.parameters["ranking"]
        given = dict(ranking.get("parameters", {}))
        if "row" in cell.parameters:
            given["row"] = cell.parameters["row"]
        about = {
            "method": ranking.get("method", cell.needs[0].step),
            "title": cell.title,
            "parameters": parameters_text(given),
        }
        if cell.needs[0] in results:
            about["selection_seconds"] = results[cell.needs[0]].seconds
        rows += [about | row for row in result.rows]
    return long_table(rows)


def plan_of(results: Results) -> Plan:
    """The plan of what is there, of data that are not."""
    from cspca.evaluation.steps import Plan, Task
    from cspca.selection import METHODS, AllFeatures

    counts: dict[Cell, list[int]] = {}
    given: Mapping[str, Any] = {"seeds": (), "n_clusters": 0, "init": ""}
    for cell in (cell for cell in results if cell.step == "cluster"):
        given = cell.parameters
        counts.setdefault(cell.needs[0], []).append(given["n_features"])
    tasks = []
    for ranking, known in counts.items():
        method, parameters = ranking.parameters["method"], ranking.parameters["parameters"]
        tasks.append(Task(method, ranking.title, parameters, tuple(known)))
    whole = [task.method for task in tasks if METHODS[task.method].selector is AllFeatures]
    baseline = whole[0] if whole else None
    seeds, n_clusters, init = (given[name] for name in ("seeds", "n_clusters", "init"))
    return Plan(tuple(tasks), tuple(seeds), n_clusters, init, baseline=baseline)
