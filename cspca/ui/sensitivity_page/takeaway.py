"""What can be taken away from a grid: report, tables, arrays, the figure, the Python."""

from __future__ import annotations

from dataclasses import replace

from cspca.datasets import Dataset
from cspca.runs.npz import npz_bytes
from cspca.runs.sensitivity_export import (
    sensitivity_arrays,
    sensitivity_csv,
    sensitivity_latex,
    sensitivity_lines,
)
from cspca.runs.sweeps import Sensitivity, SweepView, sweep_of
from cspca.ui import keys, state
from cspca.ui.services import sweeps
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, report_file, take_away


def takeaway(
    view: state.View, dataset: Dataset, run: SweepView, grid: Sensitivity, name: str, label: str
) -> None:
    """Draw it.

    Parameters
    ----------
    view : View
    dataset : Dataset
    run : SweepView
    grid : Sensitivity
    name, label : str
        The measure that the page shows, as it is kept and as it is called.
    """
    sweep = sweep_of(sweeps().store, run.run.id)
    recipe = recipe_of(view.data, dataset)
    lines = Lines(sensitivity_lines(sweep, recipe), recipe, ("These lines give the same numbers.",))

    def report() -> str:
        # The first who asks waits for it, not everybody who looks at the page.
        from cspca.runs.report import about_dataset, sensitivity_report
        from cspca.runs.report.stored import about_run

        known = about_run(run.run, sweep)
        here = replace(known, data=about_dataset(dataset), lines=lines.source, bring=recipe.bring)
        return sensitivity_report(grid, here)

    files = [
        report_file(keys.GRID_REPORT, report),
        File(
            keys.GRID_CSV,
            "Grid, CSV",
            "sensitivity.csv",
            lambda: sensitivity_csv(grid),
            "One line a point of the grid, every number with all its digits; fractions, not per "
            "cent.",
        ),
        File(
            keys.GRID_LATEX,
            f"{label}, LaTeX",
            "sensitivity.tex",
            lambda: sensitivity_latex(grid, name, caption=f"{label} on {dataset.name}."),
            "What colours the grid now, as a table. Needs the package booktabs.",
        ),
        File(
            keys.GRID_NPZ,
            "Arrays, NPZ",
            "sensitivity.npz",
            lambda: npz_bytes(sensitivity_arrays(grid)),
            "For numpy.load: every measure as an array of α × β.",
        ),
    ]
    chart = Chart(keys.BOX_GRID_FIGURE, "The figure", "sensitivity")
    take_away(dataset.name, files, charts=[chart], lines=lines, ready=bool(run.run.n_done))
