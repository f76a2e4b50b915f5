"""The paper's seven initialisations: where each solver gets to from each of them."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from cspca.runs.paper import Findings
from cspca.runs.sweeps import StartRow

NAMES: Final = {
    "diagonal-0.5": "1 · diagonal 0.5",
    "diagonal-1": "2 · diagonal 1",
    "diagonal-2": "3 · diagonal 2",
    "constant-0.5": "4 · all 0.5",
    "constant-1": "5 · all 1",
    "constant-2": "6 · all 2",
    "random": "7 · random",
}
"""The paper's starts, by its numbers."""


def starts(known: Findings) -> None:
    """Draw one line a start."""
    rows = {(row.solver, row.init, row.iterations): row for row in known.starts}
    if not rows:
        st.info(
            "Nothing from the starts yet: press **Run** with that part chosen.",
            icon=":material/start:",
        )
        return
    of = known.recognition.paper_set
    steps = sorted({number for solver, _, number in rows if solver == "reweighted"})
    most = max((number for solver, _, number in rows if solver == "admm"), default=0)
    heads = ["Start", *(["Paper"] if of else [])]
    heads += [f"Algorithm 1, {n} iterations" for n in steps] + ["Certified solver"]
    lines = []
    for init in dict.fromkeys(row.init for row in known.starts):
        cells = [f"ACC {of.every_start:.1f}"] if of else []
        cells += [_cell(rows.get(("reweighted", init, n))) for n in steps]
        cells.append(_cell(rows.get(("admm", init, most)), proven=True))
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{escape(NAMES.get(init, init))}</th>{body}</tr>')
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    st.html(
        '<div class="cspca-scroll" tabindex="0" role="region" aria-label="Seven starts">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    words = (
        "α = β = 1, absolute, as in the paper. Above: how far the objective ends above the best "
        "lower bound that any run proved. ACC in per cent: mean over the starts of K-means, on "
        "the better features of each map. As printed Algorithm 1 divides by zero; its norms are "
        "smoothed with ε = 10⁻⁴. The certified solver runs until its own gap is below 0.01 %."
    )
    if of is not None:
        words += f" The paper prints {of.every_start:.1f} % from all seven starts."
    st.caption(words)


def _cell(row: StartRow | None, *, proven: bool = False) -> str:
    if row is None:
        return "–"
    score = "–" if row.accuracy is None else f"{100 * row.accuracy:.1f}"
    what = "proven" if proven else "above"
    far = f"{100 * (row.gap if proven else row.excess):.2g} %"
    return f"ACC {score}<br><small>{far} {what}</small>"
