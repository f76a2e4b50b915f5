"""Do the methods choose the same features: Jaccard overlaps of their selections."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import IMPORTANCE, rgb_to_hex, to_rgb
from cspca.figures.plotly_style import (
    SMALL,
    axis,
    colour_bar,
    colour_scale,
    escape,
    figure,
    ink_on,
    palette,
    short,
)

_CELL = 34


def overlap_heatmap(titles: Sequence[str], table: ArrayLike, *, dark: bool) -> go.Figure:
    """Draw how much every two selections share, in per cent, printed in each cell.

    Parameters
    ----------
    titles : sequence of str, length m
        The methods.
    table : array-like of shape (m, m)
        Jaccard overlaps in 0…1: features in both over features in either. NaN where not known.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
        A method with itself says nothing, so the diagonal stays without colour.

    Raises
    ------
    ValueError
        If the table has another shape.
    """
    overlap = 100 * _checked(titles, table)
    count = len(titles)
    look = palette(dark)
    drawn = figure(dark, _CELL * max(2, count) + 130)
    coloured = overlap.copy()
    np.fill_diagonal(coloured, np.nan)
    words = [
        [
            f"{escape(a)} and {escape(b)}<br>Jaccard overlap: {_cell(overlap[i, j])}"
            if i != j
            else escape(a)
            for j, b in enumerate(titles)
        ]
        for i, a in enumerate(titles)
    ]
    drawn.add_heatmap(
        z=coloured,
        x=np.arange(count),
        y=np.arange(count),
        zmin=0,
        zmax=100,
        colorscale=colour_scale(),
        xgap=1,
        ygap=1,
        hovertext=words,
        hoverinfo="text",
        hoverongaps=True,
        colorbar=colour_bar(
            dark,
            "Jaccard overlap (%)",
            tickvals=[0, 25, 50, 75, 100],
            ticklabeloverflow="allow",
        ),
    )
    row, column = (at.ravel() for at in np.indices((count, count)))
    inside = [
        look.quiet
        if not np.isfinite(value)
        else ink_on(rgb_to_hex(to_rgb([value], IMPORTANCE, 0, 100)[0]))
        for value in coloured.ravel().tolist()
    ]
    drawn.add_scatter(
        x=column,
        y=row,
        mode="text",
        text=[
            "–" if i == j else _cell(overlap[i, j], unit=False)
            for i, j in zip(row.tolist(), column.tolist(), strict=True)
        ],
        textfont={"color": inside, "size": SMALL if count > 7 else SMALL + 2},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
    names = {
        "tickmode": "array",
        "tickvals": list(range(count)),
        "tickfont": {"size": SMALL, "color": look.ink},
    }
    # Below, the methods go by their number: turned names would take half of a phone's screen.
    drawn.update_xaxes(
        axis(
            dark,
            grid=False,
            range=[-0.5, max(1, count) - 0.5],
        )
        | names
        | {"ticktext": [str(i + 1) for i in range(count)]}
    )
    drawn.update_yaxes(
        axis(dark, grid=False, range=[max(1, count) - 0.5, -0.5])
        | names
        | {"ticktext": [f"{short(title, 17)}  {i + 1}" for i, title in enumerate(titles)]}
    )
    # Plotly puts the title of this axis over its labels when names take much room on the left.
    drawn.add_annotation(
        text="Methods by number",
        x=0.5,
        xref="paper",
        y=0,
        yref="paper",
        yanchor="top",
        yshift=-24,
        showarrow=False,
    )
    drawn.update_layout(margin_r=18)
    return drawn


def alt_overlap(titles: Sequence[str], table: ArrayLike, *, dark: bool = False) -> str:
    """Describe `overlap_heatmap` in one sentence.

    Parameters
    ----------
    titles, table, dark
        As drawn; `dark` changes nothing.

    Returns
    -------
    str
    """
    overlap = 100 * _checked(titles, table)
    pairs = [
        (overlap[i, j], titles[i], titles[j])
        for i in range(len(titles))
        for j in range(i)
        if np.isfinite(overlap[i, j])
    ]
    if not pairs:
        return "There are no two selections to compare."
    most, least = max(pairs, key=lambda p: p[0]), min(pairs, key=lambda p: p[0])
    text = f"Jaccard overlap: most between {most[2]} and {most[1]} ({_cell(most[0])})"
    if len(pairs) > 1:
        text += f", least between {least[2]} and {least[1]} ({_cell(least[0])})"
    return f"{text}."


def _cell(percent: float, unit: bool = True) -> str:
    if not np.isfinite(percent):
        return "not known" if unit else "·"
    # 100 is said only of equal selections, 0 only of disjoint ones.
    whole = min(99, max(1, round(percent))) if 0 < percent < 100 else round(percent)
    return f"{whole} %" if unit else str(whole)


def _checked(titles: Sequence[str], table: ArrayLike) -> NDArray[np.float64]:
    overlap = np.array(table, dtype=np.float64)
    if not titles and not overlap.size:
        return np.empty((0, 0))
    if overlap.shape != (len(titles), len(titles)):
        raise ValueError(
            f"The table of overlaps has shape {overlap.shape}; {len(titles)} methods need "
            f"({len(titles)}, {len(titles)})."
        )
    return overlap
