"""What a kept run has found, for people and for machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cspca.runs.findings import STARTS, findings, header, records_csv
from cspca.shell.errors import ShellError
from cspca.shell.files import npz_bytes, suffix_of, write
from cspca.shell.terminal import number, say, say_table

if TYPE_CHECKING:
    from cspca.runs.store import RunRecord, Store

__all__ = ["EXPORTS", "export", "findings", "header", "show"]

EXPORTS: Mapping[str, tuple[str, ...]] = {
    "comparison": (".csv", ".tex", ".zip"),
    "sensitivity": (".csv", ".npz", ".zip"),
    "starts": (".csv", ".zip"),
    "fit": (".npz", ".zip"),
    "checks": (".zip",),
}
"""Files that can be made of each kind of run."""

_HEADS = {"accuracy": "ACC %", "nmi": "NMI %", "nmi_max": "NMI max %"}


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
        say_table(STARTS, [[_cell(row[name]) for name in STARTS] for row in values["starts"]])
    elif values["kind"] == "checks":
        lines = [
            [check, name, _cell(value)]
            for check, found in values["checks"].items()
            for name, value in found.items()
        ]
        say_table(["check", "measured", "value"], lines)
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
        write(path, records_csv(values["points" if run.kind == "sensitivity" else "starts"]))


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
