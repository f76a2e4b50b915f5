"""The paper's result tables: printed, ours, the difference, the honest figure."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from cspca.evaluation.paper import INDEPENDENT_SOURCE, METHODS_IN_PAPER, PAPER_SETS, Printed
from cspca.evaluation.paper_tables import METRIC_TITLES, PaperRow
from cspca.evaluation.paper_words import say_difference, say_ours, say_printed
from cspca.runs.paper import Findings
from cspca.selection import METHODS
from cspca.ui import keys
from cspca.ui.paper_page.reading import best_of_each, findings

_HEADS: Final = (
    ("Method", ""),
    ("Paper", "As printed: mean ± standard deviation over 30 starts"),
    ("Ours", "Best of the grid, as the paper reports it: chosen by the labels on these very runs"),
    ("Difference", "Ours less the paper’s, in percentage points"),
    ("Honest", "Ours, chosen on one half of the starts and scored on the other"),
    ("Without labels", "Ours, chosen by the silhouette, which sees no label"),
    ("Independent", INDEPENDENT_SOURCE),
    ("Choices", "Parameter sets × numbers of features that were chosen from"),
)


def tables(known: Findings | None) -> None:
    """Draw the table of the data set in use, and the paper's own of all six."""
    metric = str(
        st.segmented_control(
            "Metric",
            list(METRIC_TITLES),
            format_func=METRIC_TITLES.__getitem__,
            key=keys.PAPER_METRIC,
            required=True,
            default="accuracy",
            persist_state="session",
            label_visibility="collapsed",
        )
    )
    rows = () if known is None else known.tables.get(metric, ())
    if rows:
        _own(rows, metric, known)
    else:
        st.info(
            "No accuracies of ours yet: press **Run**. Below is what the paper prints.",
            icon=":material/start:",
        )
    _all_six(metric)


def _own(rows: tuple[PaperRow, ...], metric: str, known: Findings | None) -> None:
    assert known is not None
    printed = any(row.printed for row in rows)
    other = any(row.independent for row in rows)
    apart = printed and known.recognition.same_data
    hidden = {
        "Paper": not printed,
        "Difference": not apart,
        "Independent": not other,
    }
    heads = [(name, help_) for name, help_ in _HEADS if not hidden.get(name, False)]
    lines = []
    for row in rows:
        cells = {
            "Paper": say_printed(row.printed),
            "Ours": f"{say_ours(row.best)}{_at(row)}",
            "Difference": say_difference(row.difference),
            "Honest": f"{say_ours(row.honest)}{' <b>best</b>' if row.mark == 'best' else ''}",
            "Without labels": say_ours(row.label_free),
            "Independent": say_printed(row.independent),
            "Choices": f"{row.n_choices:,}" if row.n_choices else "–",
        }
        kind = ' class="cspca-best"' if row.method == "cspca" else ""
        body = "".join(f"<td>{cells[name]}</td>" for name, _ in heads[1:])
        lines.append(f'<tr{kind}><th scope="row">{escape(row.title)}</th>{body}</tr>')
    with st.container(key=keys.BOX_PAPER_TABLE):
        title = f"{METRIC_TITLES[metric]} in per cent, paper and ours"
        st.html(_table(title, heads, lines))
    runs = next((row.best.n for row in rows if row.best), 0)
    st.caption(
        f"{METRIC_TITLES[metric]} in per cent, mean ± standard deviation over {runs} starts of "
        "K-means, the same for every method. **Ours** is the best of the grid, as the paper "
        "reports it: the labels choose parameters and number of features on the very runs that "
        "are shown. **Honest**: they choose on one half of the runs, and the other half is shown. "
        "**Without labels**: the silhouette chooses. SPEC is its φ₁; the mean is subtracted, and "
        "α and β absolute, as printed."
    )


def _all_six(metric: str) -> None:
    """Draw the paper's table with ours under each number that was computed here."""
    ours: dict[str, dict[str, PaperRow]] = {}
    short: set[str] = set()
    for kept in best_of_each():
        found = findings(kept)
        of = found.recognition.paper_set
        if of is not None and found.recognition.same_data and of.key not in ours:
            ours[of.key] = {row.method: row for row in found.tables.get(metric, ())}
            if not kept.protocol.is_the_papers:
                short.add(of.title)
    st.subheader("All six data sets of the paper", anchor=False)
    heads = [("Method", ""), *((one.title, "") for one in PAPER_SETS.values())]
    lines = []
    for key in METHODS_IN_PAPER:
        cells = []
        for name, one in PAPER_SETS.items():
            printed: Printed = getattr(one, metric)[key]
            row = ours.get(name, {}).get(key)
            below = f"<br><small>ours {say_ours(row.best)}</small>" if row and row.best else ""
            cells.append(f"<td>{say_printed(printed)}{below}</td>")
        kind = ' class="cspca-best"' if key == "cspca" else ""
        title = escape(METHODS[key].title)
        lines.append(f'<tr{kind}><th scope="row">{title}</th>{"".join(cells)}</tr>')
    st.html(_table(f"{METRIC_TITLES[metric]} on all six data sets", heads, lines))
    words = "As printed; ours below, where it is computed on the same data."
    if short:
        words += f" By a shortened protocol: {', '.join(sorted(short))}."
    st.caption(words)


def _table(caption: str, heads: list[tuple[str, str]], lines: list[str]) -> str:
    head = "".join(f'<th scope="col" title="{escape(t)}">{escape(h)}</th>' for h, t in heads)
    return (
        f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _at(row: PaperRow) -> str:
    return "" if row.n_features is None else f" <small>at {row.n_features:,}</small>"
