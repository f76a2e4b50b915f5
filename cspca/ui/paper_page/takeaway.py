"""What can be taken away: the tables, the figures on screen, the Python and the command."""

from __future__ import annotations

import shlex
from typing import Final

import streamlit as st

from cspca.datasets import BUILTIN, Dataset
from cspca.evaluation.paper_tables import to_csv, to_latex
from cspca.runs.paper import PAPER, QUICK, Findings, Protocol, reproduction_lines
from cspca.ui import keys, state
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, take_away

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
    protocol = known.reproduction.protocol
    take_away(
        dataset.name,
        [
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
        ],
        charts=CHARTS if charts and known.starts and tables else (),
        lines=Lines(
            reproduction_lines(protocol, recipe),
            recipe,
            ("These lines give the same numbers; only times differ.",),
        ),
        ready=bool(tables),
    )
    if protocol in (PAPER, QUICK):
        st.code(_command(view.data, recipe.bring, protocol), language="sh", wrap_lines=True)
        st.caption("The same from a shell; what it computes is found here too.")


def _command(data: str, bring: str, protocol: Protocol) -> str:
    what = data if data in BUILTIN else bring or data
    words = ["python", "-m", "cspca", "reproduce", what]
    return shlex.join([*words, *(["--quick"] if protocol == QUICK else [])])
