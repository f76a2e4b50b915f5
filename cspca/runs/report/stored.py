"""The report of a kept run, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cspca.datasets import Dataset, DatasetError
from cspca.runs.comparison_export import plan_lines
from cspca.runs.export import python_lines
from cspca.runs.paper import (
    PAPER,
    Reproduction,
    findings_of,
    protocol_of,
    reproduction_command,
    reproduction_lines,
)
from cspca.runs.recipes import stored_recipe
from cspca.runs.records import FitSpec
from cspca.runs.report.about import About
from cspca.runs.report.comparison import comparison_report
from cspca.runs.report.fit import FitFindings, fit_report
from cspca.runs.report.paper import about_reproduction, paper_report
from cspca.runs.report.said import said_plan, said_settings
from cspca.runs.report.sensitivity import sensitivity_report
from cspca.runs.report.starts import starts_report
from cspca.runs.sensitivity_export import sensitivity_lines
from cspca.runs.starts_export import starts_lines
from cspca.runs.store import RunRecord, Store, StoreError
from cspca.runs.sweeps import (
    Sweep,
    comparison_of,
    fit_of,
    sensitivity_of,
    starts_of,
    sweep_of,
)

__all__ = ["about_run", "run_report", "said_plan", "said_settings"]


def run_report(store: Store, run_id: str) -> str:
    """Write the report of a kept run, as far as it got.

    Parameters
    ----------
    store : Store
    run_id : str

    Returns
    -------
    str
        HTML that needs nothing beside it. The run's id is not in it: whoever has that may delete
        the run.

    Raises
    ------
    StoreError
        When there is no such run, nothing of it is finished, or no report is known of its kind.
    """
    run, sweep = store.get(run_id), sweep_of(store, run_id)
    if not run.n_done:
        raise StoreError(f"Nothing of {run.name} is finished yet: resume it first.")
    about = about_run(run, sweep)
    if sweep.kind == "comparison":
        return comparison_report(comparison_of(store, run_id), about)
    if sweep.kind == "sensitivity":
        return sensitivity_report(sensitivity_of(store, run_id), about)
    if sweep.kind == "starts":
        return starts_report(starts_of(store, run_id), about)
    if sweep.kind == "fit":
        details, arrays = fit_of(store, run_id)
        found = FitFindings.of_arrays(details, arrays, _parameters(sweep).get("solver", "admm"))
        dataset = _dataset(store, run)
        return fit_report(
            found,
            about,
            names=None if dataset is None else dataset.feature_names,
            skeleton=None if dataset is None else dataset.skeleton,
        )
    if sweep.kind == "checks":
        return _checks_report(store, run)
    raise StoreError(f"There is no report of runs of the kind {sweep.kind}: export it as .zip.")


def _checks_report(store: Store, run: RunRecord) -> str:
    """The claims that rest on these checks; runs beside it may be somebody else's."""
    known = Reproduction(protocol_of(run) or PAPER, {run.kind: run})
    found, recipe = findings_of(store, known), stored_recipe(run.data)
    lines = reproduction_lines(known.protocol, recipe, (run.kind,))
    about = about_reproduction(found, lines=lines, bring=recipe.bring)
    about = replace(about, settings=[("Run", run.name), *about.settings])
    command = reproduction_command(known.protocol, recipe, (run.kind,))
    return paper_report(found, about, command=command, alone=True)


def about_run(run: RunRecord, sweep: Sweep) -> About:
    """Return what a report says of a kept run beside its results.

    Parameters
    ----------
    run : RunRecord
    sweep : Sweep
    """
    recipe = stored_recipe(run.data)
    return About(
        data=run.data,
        settings=_settings(run, sweep),
        lines=_lines(sweep, recipe),
        bring=recipe.bring,
        seeds=run.seeds if sweep.plan.seeds else (),
        versions=run.versions,
        made=run.updated,
        seconds=run.seconds,
    )


def _lines(sweep: Sweep, recipe: Any) -> str:
    if sweep.kind == "comparison":
        return plan_lines(sweep.plan, sweep.labelled, recipe)
    if sweep.kind == "sensitivity":
        return sensitivity_lines(sweep, recipe)
    if sweep.kind == "starts":
        return starts_lines(sweep, recipe)
    if sweep.kind == "fit":
        return _fit_lines(_parameters(sweep), recipe)
    return ""


def _fit_lines(asked: Mapping[str, Any], recipe: Any) -> str:
    names = ("penalty_scale", "solver", "center", "normalize", "tol", "max_iter")
    spec = FitSpec("", asked["alpha"], asked["beta"], **{n: asked[n] for n in names if n in asked})
    return python_lines(spec, recipe, iterations=asked.get("max_iter"))


def _parameters(sweep: Sweep) -> dict[str, Any]:
    """What a fit was asked for."""
    return dict(sweep.plan.methods[0].grid[0])


def _settings(run: RunRecord, sweep: Sweep) -> list[tuple[str, str]]:
    plan = sweep.plan
    asked = _parameters(sweep) | dict(sweep.asked) if sweep.kind != "comparison" else {}
    leave_out = {"sensitivity": ("alpha", "beta"), "starts": ("init", "solver", "tol", "max_iter")}
    for name in leave_out.get(sweep.kind, ()):
        asked.pop(name, None)
    pairs = [("Run", run.name), *said_settings(asked)]
    pairs += said_plan(plan)
    if run.n_failed:
        pairs.append(("Could not be computed", f"{run.n_failed:,} of {run.n_cells:,} cells"))
    if not run.complete:
        pairs.append(("So far", f"{run.n_done:,} of {run.n_cells:,} cells"))
    return pairs


def _dataset(store: Store, run: RunRecord) -> Dataset | None:
    """The data, where the store has them or they are built in: for names of features."""
    if not (run.data.kept or run.data.builtin):
        return None
    try:
        return store.dataset(run.data.sha256)
    except (StoreError, DatasetError):
        # The report holds without names.
        return None
