"""What can be taken away: report, tables, the figures on screen, the Python and the command."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.paper_tables import to_csv, to_latex
from cspca.runs.paper import Findings, reproduction_command, reproduction_lines
from cspca.ui import keys, state
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, report_file, take_away

CHARTS: Final = (
    Chart(keys.BOX_PAPER_CURVE, "Number of features", "paper-features"),
    Chart(keys.BOX_PAPER_COURSE, "Convergence", "paper-convergence"),
    Chart(keys.BOX_PAPER_GRID, "Sensitivity", "paper-sensitivity"),
)


def takeaway(view: state.View, dataset: Dataset, known: Findings, *, charts: bool) -> None:
    """Draw it.

    Parameters
    ----------
    view : View
    dataset : Dataset
    known : Findings
    charts : bool
        Whether the figures are on screen.
    """
    st.subheader("Take it away", anchor=False)
    tables = known.tables
    recipe = recipe_of(view.data, dataset)
    reproduction = known.reproduction
    lines = Lines(
        reproduction_lines(reproduction.protocol, recipe),
        recipe,
        ("These lines give the same numbers; only times differ.",),
    )
    command = reproduction_command(reproduction.protocol, recipe)

    def report() -> str:
        # The first who asks waits for it, not everybody who looks at the page.
        from cspca.runs.report import about_dataset, about_reproduction, paper_report

        about = about_reproduction(
            known, lines=lines.source, bring=recipe.bring, data=about_dataset(dataset)
        )
        return paper_report(known, about, command=command)

    files = [
        report_file(keys.PAPER_REPORT, report),
        File(
            keys.PAPER_CSV,
            "Tables, CSV",
            "paper.csv",
            lambda: to_csv(tables),
            "ACC and NMI in per cent, the paper’s numbers beside ours.",
        ),
        File(
            keys.PAPER_LATEX,
            "Tables, LaTeX",
            "paper.tex",
            lambda: to_latex(tables, caption=f"{dataset.name}: the paper and ours."),
            "Needs the package booktabs.",
        ),
    ]
    take_away(
        dataset.name,
        # Claims are there before the tables are.
        files if tables or not reproduction.n_done else files[:1],
        charts=CHARTS if charts and known.starts and tables else (),
        lines=lines,
        ready=bool(reproduction.n_done),
    )
    if command:
        st.code(command, language="sh", wrap_lines=True)
        st.caption("The same from a shell; what it computes is found here too.")
