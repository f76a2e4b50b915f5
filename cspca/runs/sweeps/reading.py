"""What a sweep has found so far, as tables for a page, a figure or a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation.former import Comparison, jaccard
from cspca.evaluation.former.cells import CellResult, Parameters, Ranking
from cspca.runs.store import CellState, Store, StoreError
from cspca.runs.sweeps.kinds import CLUSTER, RANK, Sweep, ranked_by

__all__ = [
    "Sensitivity",
    "StartRow",
    "checks_of",
    "comparison_of",
    "fit_of",
    "ranking_of",
    "sensitivity_of",
    "starts_of",
    "sweep_of",
]

Floats = NDArray[np.float64]

_OF_CLUSTERS = ("accuracy", "nmi", "stability", "reconstruction_error")
_OF_FITS = ("duality_gap", "rank", "n_zero", "objective", "dual_objective", "n_iter")


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Values over the grid of α and β; NaN where there is none yet.

    Attributes
    ----------
    alphas, betas : tuple of float
        On the scale of `penalty_scale`.
    penalty_scale : {"relative", "absolute"}
    n_features : int or None
        Features that were clustered on.
    means, stds : mapping of str to ndarray of shape (n_alphas, n_betas)
        Over the seeds: accuracy, nmi, or what needs no labels. Fractions, not per cent; the
        standard deviation is that of a sample, 0 for a single seed.
    fits : mapping of str to ndarray of shape (n_alphas, n_betas)
        duality_gap, rank, n_zero (rows of W that are exactly zero), objective, dual_objective,
        n_iter.
    regimes : tuple of tuple of str or None
        "zero", "sparse", "dense" or "identity".
    """

    alphas: tuple[float, ...]
    betas: tuple[float, ...]
    penalty_scale: str
    n_features: int | None
    means: Mapping[str, Floats]
    stds: Mapping[str, Floats]
    fits: Mapping[str, Floats]
    regimes: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, eq=False)
class StartRow:
    """Where a solver got to from one start.

    Attributes
    ----------
    solver : {"reweighted", "admm"}
    init : str
    iterations : int
        Asked for at most.
    n_iter : int
        Done.
    objective, gap : float
        Reached; `gap` is what this run's own bound proves.
    excess : float
        Relative distance of the objective to the best lower bound that any of the runs proved.
    agreement : float or None
        Jaccard overlap of its best features with those of the most accurate run.
    overlap : float or None
        Share of its best features that are among those of the most accurate run; None where a
        fit ranks nothing, because all features tie.
    spearman : float or None
        Rank correlation of its scores with those of the most accurate run; None likewise.
    accuracy, accuracy_std, nmi, nmi_std : float or None
        Over the seeds.
    history : mapping of str to ndarray
        number, seconds, objective, dual_bound, gap of every iteration.
    regime : str
        "zero", "sparse", "dense" or "identity".
    rank, n_zero : int
        Of W; its rows that are exactly zero.
    n_tied : int
        Features whose score is within a thousandth of that of the last one selected: which of
        them are selected means nothing.
    dual_objective : float
        The lower bound that this run proved.
    seconds : float
        Spent on the iterations.
    """

    solver: str
    init: str
    iterations: int
    n_iter: int
    objective: float
    gap: float
    excess: float
    agreement: float | None
    accuracy: float | None
    accuracy_std: float | None
    nmi: float | None
    nmi_std: float | None
    history: Mapping[str, Floats]
    overlap: float | None = None
    spearman: float | None = None
    regime: str = "sparse"
    rank: int = 0
    n_zero: int = 0
    n_tied: int = 0
    dual_objective: float = 0.0
    seconds: float = 0.0


def sweep_of(store: Store, run_id: str) -> Sweep:
    """Return what was asked of a run.

    Parameters
    ----------
    store : Store
    run_id : str
    """
    return Sweep.from_record(store.get(run_id).request)


def comparison_of(store: Store, run_id: str) -> Comparison:
    """Return what a run's clusterings and rankings say, whatever its kind, as far as it got.

    Parameters
    ----------
    store : Store
    run_id : str

    Returns
    -------
    Comparison
        With its tables, curves, overlaps and exports.
    """
    sweep = sweep_of(store, run_id)
    results = [
        CellResult.from_record(cell.result)
        for cell in store.cells(run_id, step=CLUSTER, state=CellState.DONE)
        if cell.result is not None
    ]
    failures: dict[tuple[str, Parameters], str] = {}
    for cell in store.cells(run_id, state=CellState.FAILED):
        of = ranked_by(cell.needs or cell.key)
        failures.setdefault(of, cell.error or "It failed.")
    rankings = [
        ranking_of(cell.key, cell.result, store.arrays(run_id, cell.key))
        for cell in store.cells(run_id, step=RANK, state=CellState.DONE)
        if cell.result is not None
    ]
    return Comparison(sweep.plan, tuple(results), tuple(rankings), failures)


def sensitivity_of(store: Store, run_id: str) -> Sensitivity:
    """Return the grid of a sensitivity run, as far as it got.

    Parameters
    ----------
    store : Store
    run_id : str

    Raises
    ------
    StoreError
        When the run is of another kind.
    """
    sweep = _of_kind(store, run_id, "sensitivity")
    alphas, betas = tuple(sweep.asked["alphas"]), tuple(sweep.asked["betas"])
    place = {(a, b): (i, j) for i, a in enumerate(alphas) for j, b in enumerate(betas)}
    shape = len(alphas), len(betas)
    fits = {name: np.full(shape, np.nan) for name in _OF_FITS}
    regimes: list[list[str | None]] = [[None] * len(betas) for _ in alphas]
    for cell in store.cells(run_id, step=RANK, state=CellState.DONE):
        given = dict(ranked_by(cell.key)[1])
        i, j = place[given["alpha"], given["beta"]]
        details = (cell.result or {})["details"]
        regimes[i][j] = details["regime"]
        for name in _OF_FITS:
            fits[name][i, j] = details[name]
    means: dict[str, Floats] = {}
    stds: dict[str, Floats] = {}
    for parameters, values in _clustered(store, run_id).items():
        given = dict(parameters)
        at = place[given["alpha"], given["beta"]]
        for name, found in values.items():
            means.setdefault(name, np.full(shape, np.nan))[at] = np.mean(found)
            stds.setdefault(name, np.full(shape, np.nan))[at] = _spread(found)
    counts = sweep.plan.methods[0].n_features
    return Sensitivity(
        alphas,
        betas,
        sweep.asked["penalty_scale"],
        counts[0] if counts else None,
        means,
        stds,
        fits,
        tuple(tuple(row) for row in regimes),
    )


def starts_of(store: Store, run_id: str) -> tuple[StartRow, ...]:
    """Return one row for every start, solver and number of iterations that is finished.

    Parameters
    ----------
    store : Store
    run_id : str

    Raises
    ------
    StoreError
        When the run is of another kind.
    """
    sweep = _of_kind(store, run_id, "starts")
    cells = store.cells(run_id, step=RANK, state=CellState.DONE)
    if not cells:
        return ()
    details = {cell.key: (cell.result or {})["details"] for cell in cells}
    bound = max(found["dual_objective"] for found in details.values())
    arrays = {cell.key: store.arrays(run_id, cell.key) for cell in cells}
    counts = sweep.plan.methods[0].n_features
    k = counts[0] if counts else len(next(iter(arrays.values()))["order"]) // 2
    surest = min(details, key=lambda key: details[key]["duality_gap"])
    best = arrays[surest]["order"][:k]
    ranks = "identity" not in (found["regime"] for found in details.values())
    clustered = _clustered(store, run_id)
    rows = []
    for key, found in details.items():
        parameters = ranked_by(key)[1]
        given = dict(parameters)
        values = clustered.get(parameters, {})
        kept = arrays[key]
        history = {
            name.removeprefix("history_"): column
            for name, column in kept.items()
            if name.startswith("history_")
        }
        objective = found["objective"]
        same = len(set(kept["order"][:k].tolist()) & set(best.tolist()))
        rows.append(
            StartRow(
                solver=given["solver"],
                init=given["init"],
                iterations=given["max_iter"],
                n_iter=found["n_iter"],
                objective=objective,
                gap=found["duality_gap"],
                excess=max(0.0, (objective - bound) / objective) if objective > 0 else 0.0,
                agreement=jaccard(kept["order"][:k], best),
                accuracy=_mean(values, "accuracy"),
                accuracy_std=_std(values, "accuracy"),
                nmi=_mean(values, "nmi"),
                nmi_std=_std(values, "nmi"),
                history=history,
                overlap=same / k if ranks and k else None,
                spearman=_spearman(kept["scores"], arrays[surest]["scores"]) if ranks else None,
                regime=found["regime"],
                rank=found["rank"],
                n_zero=found["n_zero"],
                n_tied=_tied(kept["feature_scores"], k),
                dual_objective=found["dual_objective"],
                seconds=float(history["seconds"][-1]) if history["seconds"].size else 0.0,
            )
        )
    return tuple(rows)


def fit_of(store: Store, run_id: str) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    """Return what a kept fit says of itself, and its arrays.

    Parameters
    ----------
    store : Store
    run_id : str

    Returns
    -------
    details : mapping
        objective, duality_gap, rank, regime, …
    arrays : mapping of str to ndarray
        order, scores, feature_scores, sample_residuals and the columns of the history.

    Raises
    ------
    StoreError
        When the run is of another kind, or not finished.
    """
    _of_kind(store, run_id, "fit")
    cells = store.cells(run_id, step=RANK, state=CellState.DONE)
    if not cells or cells[0].result is None:
        raise StoreError("This fit is not finished: resume it first.")
    return cells[0].result["details"], store.arrays(run_id, cells[0].key)


def checks_of(store: Store, run_id: str) -> dict[str, Mapping[str, float]]:
    """Return what the experiments behind the paper's other claims measured, by check.

    Parameters
    ----------
    store : Store
    run_id : str

    Raises
    ------
    StoreError
        When the run is of another kind.
    """
    _of_kind(store, run_id, "checks")
    return {
        ranked_by(cell.key)[0]: (cell.result or {})["details"]
        for cell in store.cells(run_id, step=RANK, state=CellState.DONE)
    }


def _of_kind(store: Store, run_id: str, kind: str) -> Sweep:
    sweep = sweep_of(store, run_id)
    if sweep.kind != kind:
        raise StoreError(f"This run is a {sweep.kind}, not a {kind}: choose another one.")
    return sweep


def ranking_of(key: str, result: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Ranking:
    """Return the ranking that a finished cell holds.

    Parameters
    ----------
    key : str
        Of the cell.
    result : mapping
    arrays : mapping of str to ndarray
    """
    method, parameters = ranked_by(key)
    details = {
        name: float(value)
        for name, value in result["details"].items()
        if isinstance(value, int | float)
    }
    return Ranking(
        method,
        parameters,
        np.asarray(arrays["order"], dtype=np.intp),
        np.asarray(arrays["scores"], dtype=np.float64),
        float(result["seconds"]),
        details,
    )


def _clustered(store: Store, run_id: str) -> dict[Parameters, dict[str, list[float]]]:
    """What was measured, by parameters: one value a seed."""
    found: dict[Parameters, dict[str, list[float]]] = {}
    for cell in store.cells(run_id, step=CLUSTER, state=CellState.DONE):
        if cell.result is None:
            continue
        result = CellResult.from_record(cell.result)
        values = found.setdefault(result.cell.parameters, {})
        for name in _OF_CLUSTERS:
            value = getattr(result, name)
            if value is not None:
                values.setdefault(name, []).append(value)
    return found


def _mean(values: Mapping[str, list[float]], name: str) -> float | None:
    return float(np.mean(values[name])) if name in values else None


def _std(values: Mapping[str, list[float]], name: str) -> float | None:
    return _spread(values[name]) if name in values else None


def _tied(scores: Floats, k: int) -> int:
    """How many scores are, to a thousandth, that of the k-th best; 0 where that one is 0."""
    last = float(np.sort(scores)[::-1][k - 1]) if k else 0.0
    return int(np.count_nonzero(np.abs(scores - last) <= _ALIKE * last)) if last > 0.0 else 0


_ALIKE = 1e-3


def _spearman(first: Floats, second: Floats) -> float | None:
    """Rank correlation with mean ranks for ties; None where all of one tie."""
    from scipy.stats import rankdata

    one, other = (rankdata(values) - (len(values) + 1) / 2 for values in (first, second))
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size > 0.0 else None


def _spread(values: list[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
