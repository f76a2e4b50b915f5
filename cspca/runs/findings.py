"""What a kept run has found, as plain values: for machines, for files, for a look at two."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cspca.evaluation.former import Comparison, Row
    from cspca.runs.store import RunRecord, Store
    from cspca.runs.sweeps import Sensitivity

__all__ = ["STARTS", "findings", "header", "json_text", "plain_values", "records_csv"]

STARTS = (
    "solver", "init", "iterations", "n_iter", "objective", "gap", "excess", "agreement", "overlap",
    "spearman", "accuracy", "accuracy_std", "nmi", "nmi_std",
)  # fmt: skip
"""What is said of every start."""


def header(run: RunRecord) -> dict[str, Any]:
    """What a run is, as plain values.

    Parameters
    ----------
    run : RunRecord
    """
    return {
        "run": run.id,
        "kind": run.kind,
        "name": run.name,
        "state": str(run.state),
        "created": run.created,
        "updated": run.updated,
        "deleted": run.deleted,
        "data": {
            "name": run.data.name,
            "n_samples": run.data.n_samples,
            "n_features": run.data.n_features,
            "n_classes": run.data.n_classes,
            "sha256": run.data.sha256,
        },
        "n_cells": run.n_cells,
        "n_done": run.n_done,
        "n_failed": run.n_failed,
        "seconds": run.seconds,
        "error": run.error,
    }


def findings(store: Store, run: RunRecord) -> dict[str, Any]:
    """All of a run: :func:`header` and what it found so far.

    Parameters
    ----------
    store : Store
    run : RunRecord
    """
    # A shell that says its help needs none of it.
    from cspca.runs.sweeps import checks_of, comparison_of, fit_of, sensitivity_of, starts_of

    values = header(run)
    if run.kind == "comparison":
        values |= _of_comparison(comparison_of(store, run.id))
    elif run.kind == "sensitivity":
        values["points"] = _points(sensitivity_of(store, run.id))
    elif run.kind == "starts":
        values["starts"] = [
            {name: getattr(row, name) for name in STARTS} for row in starts_of(store, run.id)
        ]
    elif run.kind == "fit" and run.n_done:
        details, arrays = fit_of(store, run.id)
        values |= {**details, "feature_order": arrays["order"]}
    elif run.kind == "checks":
        values["checks"] = checks_of(store, run.id)
    return values | {"parameters": dict(run.request.get("asked", {}))}


def _of_comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "metrics": {
            metric: [_row(row) for row in comparison.table(metric)] for metric in comparison.metrics
        },
        "failures": [
            {"method": method, "parameters": dict(parameters), "error": sentence}
            for (method, parameters), sentence in comparison.failures.items()
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    """One line of a table as plain values; records become objects."""
    found: dict[str, Any] = {field.name: getattr(row, field.name) for field in fields(row)}
    for name in ("best", "honest", "label_free"):
        one = found[name]
        found[name] = None if one is None else {"mean": one.mean, "std": one.std, "n": one.n}
    for name in ("best_choice", "label_free_choice"):
        found[name] = _choice(found[name])
    found["honest_choices"] = [_choice(one) for one in row.honest_choices]
    apart = row.difference
    found["difference"] = apart and {
        "difference": apart.difference, "low": apart.low, "high": apart.high,
        "confidence": apart.confidence,
    }  # fmt: skip
    return found


def _choice(choice: Any) -> dict[str, Any] | None:
    if choice is None:
        return None
    return {"parameters": dict(choice.parameters), "n_features": choice.n_features}


def _points(grid: Sensitivity) -> list[dict[str, Any]]:
    """One record a point of the grid that is fitted."""
    points = []
    for i, alpha in enumerate(grid.alphas):
        for j, beta in enumerate(grid.betas):
            if grid.regimes[i][j] is None:
                continue
            point: dict[str, Any] = {"alpha": alpha, "beta": beta, "regime": grid.regimes[i][j]}
            for name, values in grid.fits.items():
                value = float(values[i, j])
                point[name] = int(value) if name in ("rank", "n_zero", "n_iter") else value
            for name, values in grid.means.items():
                point[name] = float(values[i, j])
                point[f"{name}_std"] = float(grid.stds[name][i, j])
            points.append(point)
    return points


def plain_values(value: Any) -> Any:
    """Return what JSON knows: NumPy's values as Python's, None for what is not finite.

    Parameters
    ----------
    value : object
    """
    if isinstance(value, Mapping):
        return {str(key): plain_values(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(one) for one in value]
    if hasattr(value, "tolist"):
        return plain_values(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_text(value: Any) -> str:
    """Write plain values as one JSON document; null for what is not finite.

    Parameters
    ----------
    value : object
        NumPy's values too.
    """
    return json.dumps(plain_values(value), indent=2, ensure_ascii=False, allow_nan=False)


def records_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Write records as a CSV, one line each; what one of them lacks is empty.

    Parameters
    ----------
    records : sequence of mapping
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()
