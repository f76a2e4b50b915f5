"""Figures on outliers: exact recovery of a hidden subspace, and rankings of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.figures import style
from cspca.figures.style import LIGHT, SMALL, escape
from cspca.figures.words import minus, power

if TYPE_CHECKING:
    import plotly.graph_objects as go

Record = Mapping[str, Any]

MARKERS = {"residual": "circle", "relative": "diamond", "norm": "line-ns-open"}
"""Marker of each of the three scores."""


LEAST = 1e-16
"""Smallest sine that is drawn as it is; anything below is rounding error."""


def sine_rows(rows: Sequence[Record], exact: float) -> go.Figure:
    """Draw the sine of the largest angle to the true subspace of each method on a log axis.

    A row has title, colour, marker and sine; a sine below `exact` is an exact recovery.
    """
    exact_titles = [row["title"] for row in rows if row["sine"] < exact]
    sine_texts = [f"{row['title']} {power(row['sine'])}" for row in rows]
    drawn = style.figure(
        "How far off is the subspace?",
        f"Sine of the largest angle to the true subspace: {'; '.join(sine_texts)}. "
        f"Exact: {', '.join(exact_titles) or 'none'}.",
        height=30 * max(2, len(rows)) + 60,
    )
    drawn.add_vrect(
        x0=LEAST / 3, x1=exact, line_width=0, fillcolor=LIGHT.line, opacity=0.35, layer="below"
    )
    drawn.add_vline(x=exact, line={"color": LIGHT.quiet, "width": 1, "dash": "dot"})
    drawn.add_annotation(
        x=np.log10(exact),
        y=-0.75,
        text="exact",
        xanchor="right",
        xshift=-4,
        font={"size": SMALL, "color": LIGHT.quiet},
    )
    for at, (row, words) in enumerate(zip(rows, sine_texts, strict=True)):
        drawn.add_scatter(
            x=[max(row["sine"], LEAST)],
            y=[at],
            mode="markers",
            marker={
                "symbol": row["marker"],
                "size": 13,
                "color": row["colour"],
                "line": {"width": 2, "color": row["colour"]},
            },
            hovertext=escape(words),
        )
    drawn.update_xaxes(
        title_text="Sine of the largest angle (left is better)",
        type="log",
        range=[np.log10(LEAST / 3), 0.3],
        exponentformat="power",
        nticks=6,
    )
    names = [escape(row["title"]) for row in rows]
    drawn.update_yaxes(style.named_axis(names, range=[len(names) - 0.4, -1.1]))
    return drawn


def window(betas: Sequence[float], sines: Sequence[float], now: float, exact: float) -> go.Figure:
    """Draw the sine of CSPCA over β, with the threshold `exact` and the current β, `now`."""
    inside = [f"{beta:g}" for beta, sine in zip(betas, sines, strict=True) if sine < exact]
    drawn = style.figure(
        "Where in β is it exact?",
        f"CSPCA’s sine at {len(betas)} values of β ÷ β_max; exact at "
        f"{', '.join(inside) or 'none'}.",
        height=200,
    )
    drawn.add_hline(y=exact, line={"color": LIGHT.quiet, "width": 1, "dash": "dot"})
    drawn.add_vline(x=now, line={"color": style.ACCENT, "width": 1})
    drawn.add_scatter(
        x=list(betas),
        y=[max(sine, LEAST) for sine in sines],
        mode="lines+markers",
        line={"color": style.ACCENT, "width": 2},
        marker={"size": 8},
        hovertext=[f"β {b:g}: sine {power(s)}" for b, s in zip(betas, sines, strict=True)],
    )
    drawn.update_xaxes(title_text="β ÷ β_max", range=[0, 1], nticks=6)
    low = np.log10(max(min([*sines, exact]), LEAST)) - 0.7
    drawn.update_yaxes(
        title_text="Sine", type="log", range=[low, 0.5], exponentformat="power", nticks=5
    )
    return drawn


def phase_map(
    shares: Sequence[float],
    levels: Sequence[float],
    exact: Mapping[tuple[float, float], float],
    *,
    method: str,
    axis: str,
) -> go.Figure:
    """Draw the share of exact recoveries over the share of outliers and a second quantity.

    `exact` is keyed by both; `axis` names the second one. A click comes from the trace "cells",
    whose ``customdata`` are the two indices.
    """
    values = np.array([[exact.get((x, y), np.nan) for y in levels] for x in shares])
    drawn = style.figure(
        f"Where is {method} exact?",
        _map_alt(shares, levels, values, method, axis),
        height=34 * max(2, len(levels)) + 150,
        bar=True,
    )

    def printed(i: int, j: int) -> str:
        return f"{100 * values[i, j]:.0f}" if np.isfinite(values[i, j]) else ""

    scale = {"title_text": "Exact, in per cent of the repetitions"}
    heat: dict[str, Any] = {"hoverinfo": "skip", "colorbar": scale}
    style.add_cells(drawn, 100 * values.T, (0, 100), printed, size=SMALL, **heat)
    words = {
        (i, j): f"{100 * shares[i]:g} % outliers, {escape(axis)} {levels[j]:g}<br>"
        + (f"exact in {printed(i, j)} %" if printed(i, j) else "not computed yet")
        for i, j in np.ndindex(values.shape)
    }
    style.add_clickable(drawn, words)
    names = {"Share of outliers (%)": [f"{100 * share:g}" for share in shares]}
    style.name_both_axes(drawn, names | {escape(axis): [f"{value:g}" for value in levels]})
    return drawn.update_layout(margin_r=18, margin_b=60)


def _map_alt(
    shares: Sequence[float], levels: Sequence[float], values: Any, method: str, axis: str
) -> str:
    computed = np.isfinite(values)
    if not computed.any():
        return f"{method}: nothing is computed yet."
    always = int(np.count_nonzero(values[computed] == 1.0))
    return (
        f"{method}, {len(shares)} shares of outliers by {len(levels)} values of {axis}: exact "
        f"every time in {always} of {int(computed.sum())} cells, never in "
        f"{int(np.count_nonzero(values[computed] == 0.0))}."
    )


def ranking_rows(rows: Sequence[Record], scores: Mapping[str, str]) -> go.Figure:
    """Draw AUCs with their intervals, one row per method and one mark per score.

    A row has title, colour, score (a key of `scores`), and value, low and high of the AUC.
    """
    names = list(dict.fromkeys(row["title"] for row in rows))
    auc_texts = [
        f"{row['title']}, {scores[row['score']].lower()}: {row['value']:.3f} "
        f"({row['low']:.3f} to {row['high']:.3f})"
        for row in rows
    ]
    drawn = style.figure(
        "Who ranks the wrong pictures first?",
        f"AUC of the ranking: {'; '.join(auc_texts)}.",
        height=34 * max(2, len(names)) + 120,
    )
    drawn.add_vline(x=0.5, line={"color": LIGHT.quiet, "width": 1, "dash": "dot"})
    for shift, (score, title) in enumerate(scores.items()):
        own = [row for row in rows if row["score"] == score]
        ends = [(row["high"] - row["value"], row["value"] - row["low"]) for row in own]
        look = {"symbol": MARKERS[score], "size": 10, "line": {"width": 2}}
        drawn.add_scatter(
            x=[row["value"] for row in own],
            y=[names.index(row["title"]) + 0.22 * (shift - 1) for row in own],
            mode="markers",
            marker=look | {"color": [row["colour"] for row in own]},
            error_x={
                "array": [up for up, _ in ends],
                "arrayminus": [down for _, down in ends],
                "color": LIGHT.quiet,
                "thickness": 1,
                "width": 0,
            },
            name=title,
            hovertext=[text.replace("; ", "<br>") for text, row in zip(auc_texts, rows, strict=True)
                       if row["score"] == score],
        )  # fmt: skip
        style.legend_key(drawn, title, mode="markers", marker=look | {"color": LIGHT.ink})
    drawn.update_xaxes(title_text="AUC; 0.5 is chance", range=[-0.02, 1.02], nticks=6)
    drawn.update_yaxes(
        style.named_axis([escape(name) for name in names], range=[len(names) - 0.4, -0.6])
    )
    return drawn.update_layout(showlegend=True, margin_b=90, legend={"entrywidth": 130})


def ranking_curves(
    curves: Mapping[str, Any], colours: Mapping[str, str], *, roc: bool, chance: float
) -> go.Figure:
    """Draw the ROC curve, or precision over recall, of each method; `curves` are keyed by title.

    A curve has false_alarms, recall and precision. `chance` is the share of outliers, which is
    the precision of a random ranking.
    """
    drawn = style.figure(
        "How many false alarms for how many found?" if roc else "How many of the first are wrong?",
        f"{'ROC' if roc else 'Precision over recall'} of {', '.join(curves) or 'no method'}.",
        height=320,
    )
    across = [0, 1]
    drawn.add_scatter(
        x=across,
        y=across if roc else [chance, chance],
        mode="lines",
        line={"color": LIGHT.quiet, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    for title, curve in curves.items():
        x, y = (curve.false_alarms, curve.recall) if roc else (curve.recall, curve.precision)
        x, y = (np.insert(x, 0, 0.0), np.insert(y, 0, 0.0)) if roc else (x, y)
        drawn.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": colours[title], "width": 2},
            name=style.short(title, style.IN_LEGEND),
            showlegend=True,
            hovertext=[
                f"{escape(title)}<br>{100 * a:.0f} %, {minus(f'{100 * b:.0f}')} %"
                for a, b in zip(x, y, strict=True)
            ],
        )
    names = ("False alarms", "Outliers found") if roc else ("Outliers found", "Of the first, wrong")
    drawn.update_xaxes(title_text=names[0], range=[-0.02, 1.02], tickformat=".0%", nticks=6)
    drawn.update_yaxes(title_text=names[1], range=[-0.02, 1.02], tickformat=".0%", nticks=6)
    return style.show_legend(drawn.update_layout(margin_b=100))
