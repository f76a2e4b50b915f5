"""How much the penalties matter: a value over the grid of α and β, flat or as the paper's bars.

Both axes are those of the grid, one step a value, however far apart the values are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, on_page
from cspca.figures.style import (
    CLEAR,
    FONT,
    SMALL,
    add_cells,
    colour_bar,
    colour_scale,
    escape,
    figure,
    legend_below,
    legend_key,
    named_axis,
    palette,
)
from cspca.figures.words import minus, power

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Names = list[list[str]]
Cell = tuple[int, int]

REGIMES: dict[str, tuple[str, str, str]] = {
    "zero": ("x-thin-open", "W = 0", "the map is zero"),
    "sparse": ("", "sparse", "some features are exactly zero"),
    "dense": ("circle-open", "no exact zeros", "no feature is exactly zero"),
    "identity": ("line-ne-open", "identity", "every feature is kept as it is"),
}
"""Symbol in the corner of a cell, name in the legend, and words on hover, of each regime.

The sparse regime is the usual one and goes without a symbol.
"""


def penalty_grid(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None = None,
    *,
    value_title: str,
    bars: bool = False,
    selected: Cell | None = None,
    digits: int = 3,
    dark: bool = False,
) -> go.Figure:
    """Draw a value over the grid as a heatmap with the regimes over it, or as bars in space.

    `table` is (a, b), NaN where there is none yet; regimes are keys of `REGIMES`. A click comes
    from the trace "cells"; its ``customdata`` is ``[index of α, index of β, α, β]``.
    """
    values, names = _checked(alphas, betas, table, regimes)
    if selected is not None and not (
        0 <= selected[0] < len(alphas) and 0 <= selected[1] < len(betas)
    ):
        raise ValueError(
            f"The selected cell {selected} lies outside the grid of {len(alphas)} × {len(betas)}."
        )

    def said(cell: Cell) -> str:
        value, regime = values[cell], names[cell[0]][cell[1]]
        score = _brief(value, digits + 1) if np.isfinite(value) else "not computed yet"
        lines = [f"α = {power(alphas[cell[0]])}, β = {power(betas[cell[1]])}"]
        lines.append(f"{escape(value_title)}: {score}")
        if regime:
            lines.append(f"{REGIMES[regime][1]}: {REGIMES[regime][2]}")
        return "<br>".join(lines)

    drawn = figure(
        "Where do α and β matter?",
        _alt(alphas, betas, values, names, value_title, selected, digits),
        dark=dark,
        height=520 if bars else 44 * max(2, len(betas)) + 170,
        bar=True,
    )
    axes = [power(value) for value in alphas], [power(value) for value in betas]
    words = {cell: said(cell) for cell in _cells(values)}
    if bars:
        _add_bars(drawn, values, words, value_title, dark)
        _set_scene(drawn, *axes, dark)
        return drawn
    _add_map(drawn, values, names, value_title, selected, digits, dark)
    _add_targets(drawn, alphas, betas, words, palette(dark).ink)
    for update, title, shown in (
        (drawn.update_xaxes, "α", axes[0]),
        (drawn.update_yaxes, "β", axes[1]),
    ):
        ends = [-0.5, max(1, len(shown)) - 0.5]
        update(named_axis(dark, shown, title_text=title, range=ends, tickangle=0))
    fixed = {"itemclick": False, "itemdoubleclick": False, "entrywidth": 90}
    drawn.update_layout(
        margin_r=18,
        margin_b=84,
        hoverdistance=-1,
        showlegend=any(map(any, names)),
        legend=legend_below(dark) | fixed,
    )
    return drawn


def _alt(
    alphas: Sequence[float],
    betas: Sequence[float],
    values: Floats,
    names: Names,
    value_title: str,
    selected: Cell | None,
    digits: int,
) -> str:
    missing = int((~np.isfinite(values)).sum())
    text = f"{value_title} over {len(alphas)} × {len(betas)} values of α and β: "
    if missing == values.size:
        return f"{text}nothing is computed yet."

    def at(cell: Any) -> str:
        i, j = (int(index) for index in cell)
        return f"{_brief(values[i, j], digits)} at α = {power(alphas[i])} and β = {power(betas[j])}"

    least, most = (
        np.unravel_index(int(end(values)), values.shape) for end in (np.nanargmin, np.nanargmax)
    )
    if values[least] == values[most]:
        text += f"{_brief(values[most], digits)} everywhere"
    else:
        text += f"from {at(least)} to {at(most)}"
    if missing:
        text += f"; {missing} of {values.size} not computed yet"
    counts = {key: sum(row.count(key) for row in names) for key in REGIMES}
    regimes = [f"{REGIMES[key][1]} in {count}" for key, count in counts.items() if count]
    if regimes:
        text += f"; {', '.join(regimes)}"
    if selected is not None:
        text += f"; selected: {at(selected)}"
    return f"{text}."


def _add_map(
    drawn: go.Figure,
    values: Floats,
    names: Names,
    value_title: str,
    selected: Cell | None,
    digits: int,
    dark: bool,
) -> None:
    look = palette(dark)
    inks = add_cells(
        drawn,
        values.T,
        _ends(values),
        lambda i, j: _brief(values[i, j], digits),
        size=SMALL - 1 if len(values) > 6 else SMALL + 1,
        dark=dark,
        hoverinfo="skip",
        colorbar=colour_bar(dark, value_title, nticks=5, ticklabeloverflow="allow"),
    )
    # A light line in a dark one, or the reverse, is seen on every colour of the map.
    borders = list(_borders(names))
    _add_halved(drawn, borders, (look.page, 5), (look.ink, 2), "borders of regimes")
    _add_symbols(drawn, names, inks, look.ink)
    if selected is not None:
        i, j = selected
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        frame = [(i + x / 2, j + y / 2) for x, y in corners]
        _add_halved(drawn, frame, (look.page, 7), (on_page(ACCENT, dark), 4), "selected")


def _borders(names: Names) -> Iterator[tuple[float | None, float | None]]:
    """Give a line wherever two neighbouring cells are of different regimes."""
    for i, column in enumerate(names):
        for j, (below, above) in enumerate(pairwise(column)):
            if below != above and below and above:
                yield from ((i - 0.5, j + 0.5), (i + 0.5, j + 0.5), (None, None))
    for i, (left, right) in enumerate(pairwise(names)):
        for j, (here, beside) in enumerate(zip(left, right, strict=True)):
            if here != beside and here and beside:
                yield from ((i + 0.5, j - 0.5), (i + 0.5, j + 0.5), (None, None))


def _add_halved(
    drawn: go.Figure,
    points: Sequence[tuple[float | None, float | None]],
    halo: tuple[str, float],
    line: tuple[str, float],
    name: str,
) -> None:
    for colour, width in (halo, line):
        drawn.add_scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            mode="lines",
            line={"color": colour, "width": width},
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
            name=name,
        )


def _add_symbols(drawn: go.Figure, names: Names, inks: dict[Cell, str], legend_ink: str) -> None:
    for key, (symbol, title, _) in REGIMES.items():
        own = [(i, j) for i, j in inks if names[i][j] == key]
        if not own or not symbol:
            continue

        def mark(size: int, colour: Any, symbol: str = symbol) -> dict[str, Any]:
            line = {"width": 1.5, "color": colour}
            return {"symbol": symbol, "size": size, "color": colour, "line": line}

        drawn.add_scatter(
            x=[i + 0.34 for i, _ in own],
            y=[j + 0.32 for _, j in own],
            mode="markers",
            marker=mark(7, [inks[cell] for cell in own]),
            unselected={"marker": {"opacity": 1}},
            name=title,
            hoverinfo="skip",
            showlegend=False,
        )
        # The legend stands on the page, not on a cell: it has an ink of its own.
        legend_key(drawn, title, mode="markers", marker=mark(9, legend_ink))


def _add_targets(
    drawn: go.Figure,
    alphas: Sequence[float],
    betas: Sequence[float],
    words: dict[Cell, str],
    ink: str,
) -> None:
    """Lay an unseen marker on every cell, to point at and to click: a heatmap tells no click."""
    unseen = {"marker": {"opacity": 0}}
    drawn.add_scatter(
        name="cells",
        x=[i for i, _ in words],
        y=[j for _, j in words],
        mode="markers",
        # Small, for Plotly takes the last of all markers under the pointer: with small ones and
        # no limit of distance it is the nearest centre, so the cell itself, at any width.
        marker={"symbol": "square", "size": 6, "opacity": 0, "color": ink},
        selected=unseen,
        unselected=unseen,
        customdata=[[i, j, float(alphas[i]), float(betas[j])] for i, j in words],
        hovertext=list(words.values()),
        hoverinfo="text",
        showlegend=False,
    )


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


def _add_bars(
    drawn: go.Figure, values: Floats, words: dict[Cell, str], value_title: str, dark: bool
) -> None:
    """Draw boxes that stand on zero: 8 corners, 12 triangles and their edges each."""
    cells = [cell for cell in _cells(values) if np.isfinite(values[cell])]
    low, high = _ends(values)
    boxes = [_CORNERS * (0.36, 0.36, values[cell]) + (*cell, 0) for cell in cells]
    corners = np.array(boxes).reshape(-1, 3)
    first = len(_CORNERS) * np.arange(len(cells))
    sides = (_SIDES + first[:, None, None]).reshape(-1, 3)
    gap = np.full(3, np.nan)
    edges = np.array([gap if at is None else box[at] for box in boxes for at in _EDGES])
    edges = edges.reshape(-1, 3)
    drawn.add_mesh3d(
        **dict(zip("xyz", corners.T, strict=True)),
        **dict(zip("ijk", sides.T, strict=True)),
        intensity=np.repeat([values[cell] for cell in cells], len(_SIDES)),
        intensitymode="cell",
        cmin=low,
        cmax=high,
        colorscale=colour_scale(),
        flatshading=True,
        lighting={"ambient": 0.75, "diffuse": 0.4, "specular": 0, "fresnel": 0},
        hovertext=np.repeat(np.array([words[cell] for cell in cells], object), len(_CORNERS)),
        hoverinfo="text",
        colorbar=colour_bar(dark, value_title, nticks=5, x=0.03, len=0.94),
    )
    drawn.add_scatter3d(
        **dict(zip("xyz", edges.T, strict=True)),
        mode="lines",
        line={"color": palette(dark).page, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )


def _set_scene(drawn: go.Figure, alphas: list[str], betas: list[str], dark: bool) -> None:
    look = palette(dark)
    plain = {
        "backgroundcolor": CLEAR,
        "showbackground": False,
        "gridcolor": look.line,
        "zerolinecolor": look.line,
        "linecolor": look.quiet,
        "tickfont": {"family": FONT, "size": SMALL - 1, "color": look.quiet},
        "color": look.ink,
        "showspikes": False,
    }

    def side(title: str, names: list[str]) -> dict[str, Any]:
        return plain | {
            "title": {"text": title},
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "range": [-0.6, max(1, len(names)) - 0.4],
        }

    drawn.update_layout(
        margin={"l": 0, "r": 0, "b": 0},
        # Here a drag turns the figure, so it does not scroll the page.
        dragmode="orbit",
        scene={
            "xaxis": side("α", alphas),
            "yaxis": side("β", betas),
            "zaxis": plain | {"title": {"text": ""}, "rangemode": "tozero", "nticks": 5},
            "aspectmode": "manual",
            "aspectratio": {"x": 1, "y": 1, "z": 0.7},
            "camera": {"eye": {"x": -1.35, "y": -1.45, "z": 0.95}, "center": {"z": -0.12}},
        },
    )


def _cells(values: Floats) -> Iterator[Cell]:
    return iter(np.ndindex(values.shape))


def _ends(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    return (low, high) if high > low else (low - 0.5 * (abs(low) or 1), high)


def _brief(value: float, digits: int) -> str:
    return minus(f"{value:.{digits}g}") if np.isfinite(value) else "·"


def _checked(
    alphas: Sequence[float],
    betas: Sequence[float],
    table: ArrayLike,
    regimes: Sequence[Sequence[str | None]] | None,
) -> tuple[Floats, Names]:
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
