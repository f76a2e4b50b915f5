"""How much the penalties matter: a value over the grid of α and β, flat or as the paper's bars.

Both axes are those of the grid, one step a value, however far apart the values are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, IMPORTANCE, on_page, rgb_to_hex, to_rgb
from cspca.figures.plotly_style import (
    FONT,
    SMALL,
    axis,
    colour_bar,
    colour_scale,
    escape,
    figure,
    ink_on,
    legend_below,
    palette,
    power,
)

Floats = NDArray[np.float64]

REGIMES: dict[str, tuple[str, str, str]] = {
    "zero": ("x-thin-open", "W = 0", "the map is zero"),
    "sparse": ("", "sparse", "some features are exactly zero"),
    "dense": ("circle-open", "no exact zeros", "no feature is exactly zero"),
    "identity": ("line-ne-open", "identity", "every feature is kept as it is"),
}
"""Symbol in the corner of a cell, name in the legend, and words on hover, of each regime.

The sparse regime is the usual one and goes without a symbol.
"""

_CELL = 44


def sensitivity_heatmap(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None = None,
    *,
    value_title: str,
    dark: bool,
    selected: tuple[int, int] | None = None,
    digits: int = 3,
) -> go.Figure:
    """Draw a value over the grid as a heatmap, with the regimes over it, each cell to be clicked.

    Parameters
    ----------
    alphas : sequence of float, length a
        Along the bottom.
    betas : sequence of float, length b
        Upwards.
    table : array-like of shape (a, b)
        The values, in the unit of `value_title`; NaN where there is none yet.
    regimes : sequence of a sequences of b str, optional
        Keys of `REGIMES`; empty or None where not known.
    value_title : str
        What the values are, with the unit.
    dark : bool
        Whether the page is dark.
    selected : (int, int), optional
        Indices (of α, of β) of the cell to outline.
    digits : int, default=3
        Significant digits printed.

    Returns
    -------
    plotly.graph_objects.Figure
        A clicked point comes from the trace named "cells"; its ``customdata`` is
        ``[index of α, index of β, α, β]``. In Streamlit: ``on_select="rerun"``,
        ``selection_mode="points"``.

    Raises
    ------
    ValueError
        If the table or the regimes do not fit the grid, or `selected` lies outside it.
    """
    values, names = _checked(alphas, betas, table, regimes)
    if selected is not None and not (
        0 <= selected[0] < len(alphas) and 0 <= selected[1] < len(betas)
    ):
        raise ValueError(
            f"The selected cell {selected} lies outside the grid of {len(alphas)} × {len(betas)}."
        )
    look = palette(dark)
    drawn = figure(dark, _CELL * max(2, len(betas)) + 170)
    low, high = _ends(values)
    drawn.add_heatmap(
        z=values.T,
        x=np.arange(len(alphas)),
        y=np.arange(len(betas)),
        zmin=low,
        zmax=high,
        colorscale=colour_scale(),
        xgap=1,
        ygap=1,
        hoverinfo="skip",
        colorbar=colour_bar(dark, value_title, nticks=5, ticklabeloverflow="allow"),
    )
    cells = [(i, j) for i in range(len(alphas)) for j in range(len(betas))]
    inks = [
        ink_on(rgb_to_hex(to_rgb([values[cell]], IMPORTANCE, low, high)[0]))
        if np.isfinite(values[cell])
        else look.quiet
        for cell in cells
    ]
    _add_borders(drawn, names, look.page, look.ink)
    _add_symbols(drawn, cells, names, inks, look.ink)
    # One trace an ink: a click dims what is not selected, unless each trace says its one colour.
    for ink in sorted(set(inks)):
        own = [cell for cell, colour in zip(cells, inks, strict=True) if colour == ink]
        drawn.add_scatter(
            x=[i for i, _ in own],
            y=[j for _, j in own],
            mode="text",
            text=[_brief(values[cell], digits) for cell in own],
            textfont={"color": ink, "size": SMALL - 1 if len(alphas) > 6 else SMALL + 1},
            unselected={"textfont": {"color": ink}},
            hoverinfo="skip",
            showlegend=False,
        )
    if selected is not None:
        _add_frame(drawn, selected, on_page(ACCENT, dark), look.page)
    unseen = {"marker": {"opacity": 0}}
    drawn.add_scatter(
        name="cells",
        x=[i for i, _ in cells],
        y=[j for _, j in cells],
        mode="markers",
        # Small, for Plotly takes the last of all markers under the pointer: with small ones and
        # no limit of distance it is the nearest centre, so the cell itself, at any width.
        marker={"symbol": "square", "size": 6, "opacity": 0, "color": look.ink},
        selected=unseen,
        unselected=unseen,
        customdata=[[i, j, float(alphas[i]), float(betas[j])] for i, j in cells],
        hovertext=[
            _words(alphas[i], betas[j], values[i, j], names[i][j], value_title, digits)
            for i, j in cells
        ],
        hoverinfo="text",
        showlegend=False,
    )
    for update, title, grid in (
        (drawn.update_xaxes, "α", alphas),
        (drawn.update_yaxes, "β", betas),
    ):
        update(
            axis(
                dark,
                title,
                grid=False,
                range=[-0.5, max(1, len(grid)) - 0.5],
                tickmode="array",
                tickvals=list(range(len(grid))),
                ticktext=[power(value) for value in grid],
                tickangle=0,
            )
        )
    shown = {name for row in names for name in row if name}
    drawn.update_layout(
        margin_r=18,
        margin_b=84,
        hoverdistance=-1,
        showlegend=bool(shown),
        legend=legend_below(dark)
        | {"itemclick": False, "itemdoubleclick": False, "entrywidth": 90},
    )
    return drawn


def sensitivity_bars(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None = None,
    *,
    value_title: str,
    dark: bool,
    digits: int = 3,
) -> go.Figure:
    """Draw a value over the grid as bars in space, as the paper's sensitivity figure does.

    Parameters
    ----------
    alphas, betas, table, regimes, value_title, dark, digits
        As for `sensitivity_heatmap`. Regimes show on hover.

    Returns
    -------
    plotly.graph_objects.Figure
        Cells without a value have no bar.

    Raises
    ------
    ValueError
        If the table or the regimes do not fit the grid.
    """
    values, names = _checked(alphas, betas, table, regimes)
    look = palette(dark)
    drawn = figure(dark, 520)
    cells = [tuple(cell) for cell in np.argwhere(np.isfinite(values)).tolist()]
    low, high = _ends(values)
    corners, sides, edges = _boxes(cells, values)
    heights = [float(values[i, j]) for i, j in cells]
    words = [
        _words(alphas[i], betas[j], values[i, j], names[i][j], value_title, digits)
        for i, j in cells
    ]
    drawn.add_mesh3d(
        x=corners[:, 0],
        y=corners[:, 1],
        z=corners[:, 2],
        i=sides[:, 0],
        j=sides[:, 1],
        k=sides[:, 2],
        intensity=np.repeat(heights, len(_SIDES)),
        intensitymode="cell",
        cmin=low,
        cmax=high,
        colorscale=colour_scale(),
        flatshading=True,
        lighting={"ambient": 0.75, "diffuse": 0.4, "specular": 0, "fresnel": 0},
        hovertext=np.repeat(np.array(words, dtype=object), len(_CORNERS)),
        hoverinfo="text",
        colorbar=colour_bar(dark, value_title, nticks=5, x=0.03, len=0.94),
    )
    drawn.add_scatter3d(
        x=edges[:, 0],
        y=edges[:, 1],
        z=edges[:, 2],
        mode="lines",
        line={"color": look.page, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )

    def side(title: str, grid: Sequence[float]) -> dict[str, Any]:
        return {
            "title": {"text": title},
            "tickmode": "array",
            "tickvals": list(range(len(grid))),
            "ticktext": [power(value) for value in grid],
            "range": [-0.6, max(1, len(grid)) - 0.4],
        }

    plain = {
        "backgroundcolor": "rgba(0,0,0,0)",
        "showbackground": False,
        "gridcolor": look.line,
        "zerolinecolor": look.line,
        "linecolor": look.quiet,
        "tickfont": {"family": FONT, "size": SMALL - 1, "color": look.quiet},
        "color": look.ink,
        "showspikes": False,
    }
    drawn.update_layout(
        margin={"l": 0, "r": 0, "t": 8, "b": 0},
        # Here a drag turns the figure, so it does not scroll the page.
        dragmode="orbit",
        scene={
            "xaxis": plain | side("α", alphas),
            "yaxis": plain | side("β", betas),
            "zaxis": plain | {"title": {"text": ""}, "rangemode": "tozero", "nticks": 5},
            "aspectmode": "manual",
            "aspectratio": {"x": 1, "y": 1, "z": 0.7},
            "camera": {"eye": {"x": -1.35, "y": -1.45, "z": 0.95}, "center": {"z": -0.12}},
        },
    )
    return drawn


def alt_sensitivity(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None = None,
    *,
    value_title: str,
    dark: bool = False,
    selected: tuple[int, int] | None = None,
    digits: int = 3,
) -> str:
    """Describe `sensitivity_heatmap` or `sensitivity_bars` in one sentence.

    Parameters
    ----------
    alphas, betas, table, regimes, value_title, dark, selected, digits
        As drawn; `dark` changes nothing.

    Returns
    -------
    str
    """
    values, names = _checked(alphas, betas, table, regimes)
    known = np.isfinite(values)
    size = f"{len(alphas)} × {len(betas)} values of α and β"
    if not known.any():
        return f"{value_title} over {size}: nothing is computed yet."
    least = np.unravel_index(int(np.nanargmin(values)), values.shape)
    most = np.unravel_index(int(np.nanargmax(values)), values.shape)

    def at(cell: tuple[np.intp, ...]) -> str:
        i, j = (int(index) for index in cell)
        return f"{_brief(values[i, j], digits)} at α = {power(alphas[i])} and β = {power(betas[j])}"

    text = f"{value_title} over {size}: "
    if values[least] == values[most]:
        text += f"{_brief(values[most], digits)} everywhere"
    else:
        text += f"from {at(least)} to {at(most)}"
    missing = int((~known).sum())
    if missing:
        text += f"; {missing} of {values.size} not computed yet"
    counts = {key: sum(row.count(key) for row in names) for key in REGIMES}
    said = [f"{REGIMES[key][1]} in {count}" for key, count in counts.items() if count]
    if said:
        text += f"; {', '.join(said)}"
    if selected is not None:
        text += f"; selected: {at((np.intp(selected[0]), np.intp(selected[1])))}"
    return f"{text}."


def _add_borders(drawn: go.Figure, names: Sequence[Sequence[str]], halo: str, line: str) -> None:
    """Draw a line wherever two neighbouring cells are of different regimes."""
    x: list[float | None] = []
    y: list[float | None] = []
    for i, column in enumerate(names):
        for j, (below, above) in enumerate(pairwise(column)):
            if below != above and below and above:
                x += [i - 0.5, i + 0.5, None]
                y += [j + 0.5, j + 0.5, None]
    for i, (left, right) in enumerate(pairwise(names)):
        for j, (here, beside) in enumerate(zip(left, right, strict=True)):
            if here != beside and here and beside:
                x += [i + 0.5, i + 0.5, None]
                y += [j - 0.5, j + 0.5, None]
    # A light line in a dark one, or the reverse, is seen on every colour of the map.
    for colour, width in ((halo, 5), (line, 2)):
        drawn.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": colour, "width": width},
            hoverinfo="skip",
            showlegend=False,
            name="borders of regimes",
        )


def _add_symbols(
    drawn: go.Figure,
    cells: Sequence[tuple[int, int]],
    names: Sequence[Sequence[str]],
    inks: Sequence[str],
    legend_ink: str,
) -> None:
    for key, (symbol, title, _) in REGIMES.items():
        own = [
            (cell, ink) for cell, ink in zip(cells, inks, strict=True) if _at(names, cell) == key
        ]
        if not own or not symbol:
            continue
        drawn.add_scatter(
            x=[i + 0.34 for (i, _), _ in own],
            y=[j + 0.32 for (_, j), _ in own],
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 7,
                "color": [ink for _, ink in own],
                "line": {"width": 1.5, "color": [ink for _, ink in own]},
            },
            unselected={"marker": {"opacity": 1}},
            name=title,
            hoverinfo="skip",
            showlegend=False,
        )
        # The legend stands on the page, not on a cell: it has an ink of its own.
        drawn.add_scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={
                "symbol": symbol,
                "size": 9,
                "color": legend_ink,
                "line": {"width": 1.5, "color": legend_ink},
            },
            name=title,
            hoverinfo="skip",
            showlegend=True,
        )


def _add_frame(drawn: go.Figure, cell: tuple[int, int], colour: str, halo: str) -> None:
    i, j = cell
    x = [i - 0.5, i + 0.5, i + 0.5, i - 0.5, i - 0.5]
    y = [j - 0.5, j - 0.5, j + 0.5, j + 0.5, j - 0.5]
    for line, width in ((halo, 7), (colour, 4)):
        drawn.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": line, "width": width},
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
            name="selected",
        )


_HALF = 0.36
_CORNERS = np.array(
    [[x, y, z] for z in (0, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], dtype=np.float64
)
_SIDES = np.array(
    [
        *([0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]),
        *([side, (side + 1) % 4, 4 + (side + 1) % 4] for side in range(4)),
        *([side, 4 + (side + 1) % 4, 4 + side] for side in range(4)),
    ]
)
# Round the top, and down each side.
_EDGES = (4, 5, 6, 7, 4, None, 0, 4, None, 1, 5, None, 2, 6, None, 3, 7, None)


def _boxes(
    cells: Sequence[tuple[int, ...]], values: Floats
) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Give corners (8 a box), triangles (12 a box) and edges of boxes that stand on zero."""
    corners = np.empty((len(cells), len(_CORNERS), 3))
    for place, (i, j) in enumerate(cells):
        corners[place] = _CORNERS * (_HALF, _HALF, values[i, j]) + (i, j, 0)
    first = len(_CORNERS) * np.arange(len(cells))
    sides = (_SIDES + first[:, None, None]).reshape(-1, 3)
    gap = np.full(3, np.nan)
    edges = [gap if at is None else box[at] for box in corners for at in _EDGES]
    return corners.reshape(-1, 3), sides, np.array(edges).reshape(-1, 3)


def _ends(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low, high) if high > low else (low - 0.5 * (abs(low) or 1), high)


def _at(names: Sequence[Sequence[str]], cell: tuple[int, int]) -> str:
    return names[cell[0]][cell[1]]


def _brief(value: float, digits: int) -> str:
    if not np.isfinite(value):
        return "·"
    return f"{value:.{digits}g}".replace("-", "−")


def _words(
    alpha: float, beta: float, value: float, regime: str, value_title: str, digits: int
) -> str:
    score = _brief(value, digits + 1) if np.isfinite(value) else "not computed yet"
    lines = [f"α = {power(alpha)}, β = {power(beta)}", f"{escape(value_title)}: {score}"]
    if regime:
        lines.append(f"{REGIMES[regime][1]}: {REGIMES[regime][2]}")
    return "<br>".join(lines)


def _checked(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None,
) -> tuple[Floats, list[list[str]]]:
    shape = (len(alphas), len(betas))
    values = np.array(table, dtype=np.float64)
    if values.size == 0 and 0 in shape:
        values = np.empty(shape)
    if values.shape != shape:
        raise ValueError(
            f"The table has shape {values.shape}; a grid of {shape[0]} values of α and "
            f"{shape[1]} of β needs {shape}."
        )
    values[~np.isfinite(values)] = np.nan
    if regimes is None:
        return values, [[""] * shape[1] for _ in alphas]
    names = [[name or "" for name in row] for row in regimes]
    if [len(row) for row in names] != [shape[1]] * shape[0]:
        raise ValueError(f"The regimes do not fit a grid of {shape[0]} × {shape[1]}.")
    unknown = {name for row in names for name in row} - {"", *REGIMES}
    if unknown:
        raise ValueError(f"{sorted(unknown)[0]!r} is not a regime: use {', '.join(REGIMES)}.")
    return values, names
