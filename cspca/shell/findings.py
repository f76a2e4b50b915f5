"""What a kept run has found, for people and for machines."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from cspca.shell.errors import ShellError
from cspca.shell.files import npz_bytes, suffix_of, write
from cspca.shell.terminal import number, say, say_table

if TYPE_CHECKING:
    from cspca.evaluation import Comparison, Row
    from cspca.runs.store import RunRecord, Store
    from cspca.runs.sweeps import Sensitivity

__all__ = ["EXPORTS", "export", "findings", "header", "show"]

EXPORTS: Mapping[str, tuple[str, ...]] = {
    "comparison": (".csv", ".tex", ".zip"),
    "sensitivity": (".csv", ".npz", ".zip"),
    "starts": (".csv", ".zip"),
    "fit": (".npz", ".zip"),
}
"""Files that can be made of each kind of run."""

_HEADS = {"accuracy": "ACC %", "nmi": "NMI %", "nmi_max": "NMI max %"}
_STARTS = (
    "solver", "init", "iterations", "n_iter", "objective", "gap", "excess", "agreement",
    "accuracy", "accuracy_std", "nmi", "nmi_std",
)  # fmt: skip


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
    from cspca.runs.sweeps import comparison_of, sensitivity_of, starts_of

    values = header(run)
    if run.kind == "comparison":
        values |= _of_comparison(comparison_of(store, run.id))
    elif run.kind == "sensitivity":
        values["points"] = _points(sensitivity_of(store, run.id))
    elif run.kind == "starts":
        values["starts"] = [
            {name: getattr(row, name) for name in _STARTS} for row in starts_of(store, run.id)
        ]
    elif run.kind == "fit" and run.n_done:
        from cspca.runs.sweeps import fit_of

        details, arrays = fit_of(store, run.id)
        values |= {**details, "feature_order": arrays["order"]}
    return values | {"parameters": dict(run.request.get("asked", {}))}


def show(values: Mapping[str, Any]) -> None:
    """Write what :func:`findings` returned for people.

    Parameters
    ----------
    values : mapping
    """
    done = f"{values['n_done']:,} of {values['n_cells']:,} cells"
    failed = f", {values['n_failed']:,} failed" if values["n_failed"] else ""
    say(f"{values['name']} ({values['run']}): {values['state']}, {done}{failed}")
    if values["kind"] == "comparison":
        _show_comparison(values["metrics"])
    elif values["kind"] == "sensitivity":
        names = list(dict.fromkeys(name for point in values["points"] for name in point))
        say_table(
            [*names], [[_cell(point.get(name)) for name in names] for point in values["points"]]
        )
    elif values["kind"] == "starts":
        say_table(_STARTS, [[_cell(row[name]) for name in _STARTS] for row in values["starts"]])
    elif "objective" in values:
        show_fit(values)


def show_fit(values: Mapping[str, Any]) -> None:
    """Write the numbers of a fit.

    Parameters
    ----------
    values : mapping
        objective, dual_objective, duality_gap, …
    """
    certified = "certified" if values["converged"] else "not certified"
    total = values["data"]["n_features"]
    relative = [
        number(values[name] / values[f"{name}_max"] if values[f"{name}_max"] else None)
        for name in ("alpha", "beta")
    ]
    for name, text in (
        ("objective", f"{values['objective']:.8g}"),
        ("lower bound", f"{values['dual_objective']:.8g}"),
        ("gap", f"{values['duality_gap']:.2e} ({certified})"),
        ("iterations", f"{values['n_iter']:,}"),
        ("rank", f"{values['rank']:,}"),
        ("zeros", f"{values['n_zero']:,} of {total:,} features"),
        ("regime", values["regime"]),
        ("alpha", f"{number(values['alpha'], 6)} ({relative[0]} of its limit)"),
        ("beta", f"{number(values['beta'], 6)} ({relative[1]} of its limit)"),
        ("best", " ".join(str(one) for one in list(values["feature_order"])[:10])),
    ):
        say(f"{name:<12}{text}")


def export(store: Store, run: RunRecord, path: str) -> None:
    """Write a run to a file whose suffix says the form.

    Parameters
    ----------
    store : Store
    run : RunRecord
    path : str

    Raises
    ------
    ShellError
        When there is no such form of this kind of run, or it cannot be written.
    """
    from cspca.runs.store.export import run_archive
    from cspca.runs.sweeps import comparison_of, fit_of, sensitivity_of

    suffix = suffix_of(path, EXPORTS.get(run.kind, (".zip",)))
    if suffix == ".zip":
        write(path, run_archive(store, run.id))
    elif run.kind == "comparison":
        comparison = comparison_of(store, run.id)
        if not comparison.results:
            raise ShellError(f"{run.name} has no results yet: resume it first.", 1)
        caption = f"Feature selection on {run.data.name}."
        write(
            path, comparison.to_csv() if suffix == ".csv" else comparison.to_latex(caption=caption)
        )
    elif run.kind == "fit":
        write(path, npz_bytes(dict(fit_of(store, run.id)[1])))
    elif suffix == ".npz":
        grid = sensitivity_of(store, run.id)
        arrays = {"alphas": grid.alphas, "betas": grid.betas, **grid.fits}
        arrays |= {f"{name}_mean": values for name, values in grid.means.items()}
        arrays |= {f"{name}_std": values for name, values in grid.stds.items()}
        arrays["regime"] = [[one or "" for one in row] for row in grid.regimes]
        write(path, npz_bytes(arrays))
    else:
        values = findings(store, run)
        write(path, _csv(values["points" if run.kind == "sensitivity" else "starts"]))


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


def _show_comparison(metrics: Mapping[str, list[dict[str, Any]]]) -> None:
    shown = [name for name in ("accuracy", "nmi") if name in metrics] or list(metrics)
    rows: dict[str, list[str]] = {}
    for metric in shown:
        factor, digits = (100, 1) if metric in _HEADS else (1, 3)
        for row in metrics[metric]:
            cells = rows.setdefault(row["method"], [row["title"]])
            for one in (row["honest"] or row["best"], row["best"]):
                cells.append(
                    f"{factor * one['mean']:.{digits}f} ± {factor * one['std']:.{digits}f}"
                )
            cells[-2] += {"best": " *", "close": " ~"}.get(row["mark"], "")
    heads = ["method", *(h for m in shown for h in (_HEADS.get(m, m), "best of grid"))]
    say_table(heads, [cells for cells in rows.values() if len(cells) == len(heads)])
    if rows:
        say("Mean ± std over the seeds. * best, ~ not significantly worse.")


def _cell(value: Any) -> str:
    if isinstance(value, float) or value is None:
        return number(value)
    return str(value)


def _csv(records: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()
