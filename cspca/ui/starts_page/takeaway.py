"""What can be taken away from the starts: report, tables, curves, figures, the Python."""

from __future__ import annotations

from dataclasses import replace

from cspca.datasets import Dataset
from cspca.runs.starts_export import starts_lines
from cspca.runs.starts_findings import StartsFindings
from cspca.runs.starts_tables import starts_csv, starts_curves_csv, starts_latex
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import keys, state
from cspca.ui.services import sweeps
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, report_file, take_away


def takeaway(view: state.View, dataset: Dataset, run: SweepView, found: StartsFindings) -> None:
    """Draw it."""
    sweep = sweep_of(sweeps().store, run.run.id)
    recipe = recipe_of(view.data, dataset)
    notes = ("They give the same numbers; only seconds differ.",)
    lines = Lines(starts_lines(sweep, recipe), recipe, notes)

    def report() -> str:
        # The first who asks waits for it, not everybody who looks at the page.
        from cspca.runs.report import about_dataset, starts_report
        from cspca.runs.report.stored import about_run

        known = about_run(run.run, sweep)
        here = replace(known, data=about_dataset(dataset), lines=lines.source, bring=recipe.bring)
        return starts_report(found.rows, here)

    files = [
        report_file(keys.STARTS_REPORT, report),
        File(
            keys.STARTS_CSV,
            "Table, CSV",
            "starts.csv",
            lambda: starts_csv(found),
            "One line a start, solver and number of iterations, every number with all its digits; "
            "fractions, not per cent.",
        ),
        File(
            keys.STARTS_CURVES,
            "Curves, CSV",
            "convergence.csv",
            lambda: starts_curves_csv(found),
            "One line an iteration of every run: objective, lower bound, gap and seconds.",
        ),
        File(
            keys.STARTS_LATEX,
            "Table, LaTeX",
            "starts.tex",
            lambda: starts_latex(found, caption=f"Seven initialisations on {dataset.name}."),
            "Needs the package booktabs.",
        ),
    ]
    charts = [
        Chart(keys.BOX_STARTS_FAR, "As the paper draws it", "convergence"),
        Chart(keys.BOX_STARTS_NEAR, "Near the optimum", "convergence-near"),
    ]
    take_away(dataset.name, files, charts=charts, lines=lines, ready=bool(run.run.n_done))
