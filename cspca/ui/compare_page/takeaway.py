"""What can be taken away from a comparison: report, tables as files, charts, the Python."""

from __future__ import annotations

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.runs.comparison_export import comparison_arrays, comparison_lines, plan_lines
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.npz import npz_bytes
from cspca.ui import keys, state
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, report_file, take_away

_CHARTS = (
    Chart("compare_bars", "Methods with error bars", "bars"),
    Chart("compare_curves", "By number selected", "curves"),
    Chart("compare_overlap", "Overlap of the selections", "overlap"),
    Chart("compare_times", "Times", "times"),
)


def takeaway(
    view: state.View, dataset: Dataset, request: ComparisonRequest | None, comparison: Comparison
) -> None:
    """Draw it.

    Parameters
    ----------
    view : View
    dataset : Dataset
    request : ComparisonRequest or None
        What the page asked for; None where its settings cannot say it.
    comparison : Comparison
    """
    recipe = recipe_of(view.data, dataset)
    labelled = "accuracy" in comparison.metrics
    source = (
        plan_lines(comparison.plan, labelled, recipe)
        if request is None
        else comparison_lines(request, recipe)
    )
    lines = Lines(source, recipe, ("These lines give the same numbers; only times differ.",))
    take_away(dataset.name, _files(dataset, comparison, lines), charts=_CHARTS, lines=lines)


def _files(dataset: Dataset, comparison: Comparison, lines: Lines) -> list[File]:
    return [
        report_file(keys.COMPARE_REPORT, lambda: _report(dataset, comparison, lines)),
        File(
            keys.COMPARE_SUMMARY,
            "Table, CSV",
            "comparison.csv",
            comparison.to_csv,
            "One line a metric and method, every figure of the table with all its digits.",
        ),
        File(
            keys.COMPARE_CELLS,
            "Every run, CSV",
            "runs.csv",
            comparison.cells_to_csv,
            "One line a clustering: method, parameters, number selected, seed and what came out.",
        ),
        File(
            keys.COMPARE_LATEX,
            "Table, LaTeX",
            "comparison.tex",
            lambda: comparison.to_latex(caption=f"Comparison on {dataset.name}."),
            "Needs the package booktabs.",
        ),
        File(
            keys.COMPARE_NPZ,
            "Arrays, NPZ",
            "comparison.npz",
            lambda: npz_bytes(comparison_arrays(comparison)),
            "For numpy.load: every run of every method, and every ranking.",
        ),
    ]


def _report(dataset: Dataset, comparison: Comparison, lines: Lines) -> str:
    # The first who asks waits for it, not everybody who looks at the page.
    from cspca.runs.report import About, about_dataset, comparison_report
    from cspca.runs.report.stored import said_plan

    plan = comparison.plan
    return comparison_report(
        comparison,
        About(
            about_dataset(dataset),
            said_plan(plan),
            lines=lines.source,
            bring=lines.recipe.bring,
            notes=lines.notes,
            seeds=plan.seeds,
        ),
    )
