"""The table of the seven starts: one measure at a time, a column a number of iterations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from cspca.datasets import Dataset, Nouns
from cspca.evaluation.paper import PaperSet
from cspca.figures.words import percent
from cspca.runs.starts_findings import START_NAMES, StartsFindings, measured
from cspca.runs.sweeps import StartRow
from cspca.ui import keys


@dataclass(frozen=True)
class Measure:
    """What the table can show.

    Attributes
    ----------
    label : str
        On the switch.
    words : str
        What it is, under the table.
    cell : callable
        A row's entry, as text.
    value : callable
        The number behind it, from which the spread over the starts is taken; None for none.
    spread : callable
        The spread as text, from the least and the largest.
    """

    label: str
    words: str
    cell: Callable[[StartRow], str]
    value: Callable[[StartRow], float | None]
    spread: Callable[[float, float], str]


def measures(found: StartsFindings, nouns: Nouns) -> dict[str, Measure]:
    """Return what the rows can be compared by; ACC only where it was measured."""
    known: dict[str, Measure] = {
        "above": Measure(
            "Above the optimum",
            "How far the objective is above the best lower bound that any run proved. Needs no "
            "labels.",
            lambda row: _measured(found.above(row)),
            found.above,
            lambda low, high: measured(high - low),
        ),
        "objective": Measure(
            "Objective",
            "The value that is minimised.",
            lambda row: f"{row.objective:,.7g}",
            lambda row: row.objective,
            lambda low, high: f"{high - low:,.3g}",
        ),
        "gap": Measure(
            "Own proof",
            "The gap that each run proves by itself, without the others. Algorithm 1 has no stop "
            "by it: the bound is taken from its own weights.",
            lambda row: _percent(row.gap),
            lambda row: row.gap,
            lambda low, high: _percent(high - low),
        ),
        "agreement": Measure(
            "Ranking",
            f"Left: share of the k best {nouns.features} that are also among those of the most "
            "accurate certified run. Right: rank correlation (Spearman) of all scores with it. "
            "Needs no labels.",
            lambda row: (
                "–"
                if row.overlap is None
                else f"{100 * row.overlap:.0f} % "
                f"<small>{'–' if row.spearman is None else f'{row.spearman:.3f}'}</small>"
            ),
            lambda row: row.overlap,
            lambda low, high: f"{100 * (high - low):.0f} points",
        ),
        "accuracy": Measure(
            "ACC",
            "Mean ± standard deviation over the starts of K-means, in per cent. Rests on labels: "
            "the fits never see them, but the clusters are held against them.",
            _score,
            lambda row: row.accuracy,
            lambda low, high: f"{100 * (high - low):.1f} points",
        ),
    }
    if not any(row.accuracy is not None for row in found.rows):
        del known["accuracy"]
    return known


_DEFAULT: Final = "above"


def table(found: StartsFindings, dataset: Dataset, paper_set: PaperSet | None) -> None:
    """Draw the switch and the table."""
    known = measures(found, dataset.nouns)
    if st.session_state.get(keys.STARTS_MEASURE) not in known:
        st.session_state[keys.STARTS_MEASURE] = _DEFAULT
    name = str(
        st.segmented_control(
            "Show",
            list(known),
            format_func=lambda one: known[one].label,
            key=keys.STARTS_MEASURE,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
            wrap=True,
        )
    )
    measure = known[name]
    printed = paper_set if name == "accuracy" else None
    steps: list[int | None] = [*found.checkpoints, None]
    heads = ["Start", *([f"Paper, {printed.title}"] if printed else [])]
    heads += [f"{step} iterations" if step is not None else "Certified solver" for step in steps]
    lines = []
    for number, init in enumerate(START_NAMES, 1):
        cells = [f"{printed.every_start:.1f}"] if printed else []
        for step in steps:
            row = found.row(init, step)
            cells.append("…" if row is None else measure.cell(row))
        body = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{number} · {START_NAMES[init]}</th>{body}</tr>')
    spreads = ["0.0 points"] if printed else []
    for step in steps:
        numbers = [measure.value(row) for row in found.column(step)]
        there = [one for one in numbers if one is not None and math.isfinite(one)]
        spreads.append(measure.spread(min(there), max(there)) if len(there) > 1 else "–")
    spread = "".join(f"<td>{one}</td>" for one in spreads)
    lines.append(f'<tr class="cspca-best"><th scope="row">From start to start</th>{spread}</tr>')
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    label = f"Seven starts: {measure.label}"
    with st.container(key=keys.BOX_STARTS_TABLE):
        st.html(
            f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
            f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table></div>"
        )
    st.caption(
        f"{measure.words} Columns of iterations: the paper’s Algorithm 1, whose norms are smoothed "
        "with ε = 10⁻⁴, for as printed it divides by zero. The certified solver runs until its "
        f"own gap is below {percent(found.tol)}."
    )


def _score(row: StartRow) -> str:
    if row.accuracy is None:
        return "–"
    return f"{100 * row.accuracy:.1f} <small>± {100 * (row.accuracy_std or 0.0):.1f}</small>"


def _measured(share: float) -> str:
    return "–" if not math.isfinite(share) else measured(share)


def _percent(share: float) -> str:
    return "–" if not math.isfinite(share) else percent(share)
