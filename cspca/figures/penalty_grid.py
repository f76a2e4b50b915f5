"""Effect of the penalties: a value over the grid of α and β, as a heatmap or as the paper's bars.

Both axes have one step per grid value, however far apart the values are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cspca.figures import style
from cspca.figures.style import ACCENT, LIGHT, SMALL, escape
from cspca.figures.words import PLAIN, Nouns, minus, power

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Cell = tuple[int, int]
Names = Mapping[Cell, str]
Point = tuple[float, float]

REGIMES: dict[str, tuple[str, str, str]] = {
    "zero": ("x-thin-open", "W = 0", "the map is zero"),
    "sparse": ("", "sparse", "some {features} are exactly zero"),
    "dense": ("circle-open", "no exact zeros", "no {feature} is exactly zero"),
    "reproduced": (
        "diamond-open",
        "reproduced",
        "every {sample} is rebuilt exactly: the map depends on<br>"
        "the span of the {samples} alone, not on how they vary within it",
    ),
    "identity": ("line-ne-open", "identity", "every {feature} is kept as it is"),
}
"""Symbol in the corner of a cell, name in the legend, and hover text of each regime, with nouns.

The sparse regime is the usual one and has no symbol.
"""


def penalty_grid(
    alphas: Sequence[float],
    betas: Sequence[float],
    value_of: Mapping[Point, float],
    regime_of: Mapping[Point, str],
    *,
    value_title: str,
    bars: bool = False,
    selected: Cell | None = None,
    no_ranking: Mapping[Point, str] | None = None,
    nouns: Nouns = PLAIN,
) -> go.Figure:
    """Draw a value over the grid as a heatmap with its regimes, or as bars in 3-D.

    `value_of` and `regime_of` are keyed by α and β; regimes are keys of `REGIMES`. Cells of
    `no_ranking`, each with a reason, are hatched. A click comes from the trace "cells"; its
    ``customdata`` are the indices of α and β.
    """
    values = np.full((len(alphas), len(betas)), np.nan)
    regimes: dict[Cell, str] = {}
    names = {"α": [power(value) for value in alphas], "β": [power(value) for value in betas]}
    words = {}
    of_data = {name: getattr(nouns, name) for name in ("sample", "samples", "feature", "features")}
    in_words = {regime: meaning.format(**of_data) for regime, (_, _, meaning) in REGIMES.items()}
    unranked: dict[Cell, str] = {}
    for i, j in np.ndindex(values.shape):
        point = alphas[i], betas[j]
        value, regime = float(value_of.get(point, np.nan)), regime_of.get(point)
        values[i, j] = value
        reason = (no_ranking or {}).get(point, "")
        if reason:
            unranked[i, j] = reason
        missing = f"no ranking, {escape(reason)}" if reason else "not computed yet"
        score = _brief(value, 4) if np.isfinite(value) else missing
        words[i, j] = f"{_at(names, (i, j), ', ')}<br>{escape(value_title)}: {score}"
        if regime is not None:
            regimes[i, j] = regime
            words[i, j] += f"<br>{REGIMES[regime][1]}: {in_words[regime]}"
    drawn = style.figure(
        "Effect of α and β",
        _alt(names, values, regimes, value_title, selected, unranked),
        height=520 if bars else 44 * max(2, len(betas)) + 170,
        bar=True,
    )
    scale = {"title_text": escape(value_title)}
    if bars:
        _add_bars(drawn, names, values, words, scale)
        return drawn
    _add_map(drawn, values, regimes, scale, selected, unranked)
    style.add_clickable(drawn, words)
    style.name_both_axes(drawn, names)
    # Below the tick labels, also where the title stands between two of them.
    drawn.update_xaxes(title_standoff=24)
    drawn.update_layout(
        margin_r=18,
        margin_b=84,
        showlegend=bool(regimes or unranked),
        legend={"itemclick": False, "itemdoubleclick": False, "entrywidth": 110},
    )
    return drawn


def _at(names: dict[str, list[str]], cell: Cell, between: str = " and ") -> str:
    """Return the penalties of a cell as text."""
    values = zip(names.items(), cell, strict=True)
    return between.join(f"{letter} = {shown[index]}" for (letter, shown), index in values)


def _alt(
    names: dict[str, list[str]],
    values: Floats,
    regimes: Names,
    value_title: str,
    selected: Cell | None,
    unranked: Names,
) -> str:
    sizes = " × ".join(str(len(shown)) for shown in names.values())
    text = f"{value_title} over {sizes} values of α and β: "
    computed = np.argwhere(np.isfinite(values)).tolist()
    if not computed:
        nothing = "no cell has a ranking" if unranked else "nothing is computed yet"
        return f"{text}{nothing}."

    def describe(cell: Sequence[int]) -> str:
        i, j = cell
        shown = "no ranking" if (i, j) in unranked else _brief(values[i, j])
        return f"{shown} at {_at(names, (i, j))}"

    low, high = (end(computed, key=lambda cell: values[tuple(cell)]) for end in (min, max))
    if values[tuple(low)] == values[tuple(high)]:
        text += f"{_brief(values[tuple(high)])} everywhere"
    else:
        text += f"from {describe(low)} to {describe(high)}"
    if unranked:
        text += f"; no ranking in {len(unranked)}"
    waiting = values.size - len(computed) - len(unranked)
    if waiting:
        text += f"; {waiting} of {values.size} not computed yet"
    counts = Counter(regimes.values())
    regime_counts = [f"{REGIMES[key][1]} in {counts[key]}" for key in REGIMES if counts[key]]
    if regime_counts:
        text += f"; {', '.join(regime_counts)}"
    if selected is not None:
        text += f"; selected: {describe(selected)}"
    return f"{text}."


def _add_map(
    drawn: go.Figure,
    values: Floats,
    regimes: Names,
    scale: dict[str, Any],
    selected: Cell | None,
    unranked: Names,
) -> None:
    if unranked:
        hatch = {"shape": "/", "size": 7, "solidity": 0.3}
        hatch |= {"fgcolor": LIGHT.quiet, "bgcolor": LIGHT.line}
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        x, y = (
            [cell[at] + c[at] / 2.1 if c else None for cell in unranked for c in (*corners, None)]
            for at in (0, 1)
        )
        drawn.add_scatter(
            x=x, y=y, mode="lines", line_width=0, fill="toself", fillpattern=hatch,
            name="no ranking", hoverinfo="skip",
        )  # fmt: skip
        square = {"symbol": "square", "size": 12, "color": LIGHT.line}
        square["line"] = {"width": 1, "color": LIGHT.quiet}
        style.legend_key(drawn, "no ranking", mode="markers", marker=square)
    inks = style.add_cells(
        drawn,
        values.T,
        _ends(values),
        lambda i, j: "" if (i, j) in unranked else _brief(values[i, j]),
        size=SMALL - 1 if len(values) > 6 else SMALL + 1,
        hoverinfo="skip",
        colorbar=scale,
    )
    still: dict[str, Any] = {"hoverinfo": "skip", "cliponaxis": False}

    def add_line(points: Sequence[tuple[Any, Any]], name: str, colour: str, width: int) -> None:
        # A coloured line on a wider light one is visible on every colour of the map.
        x, y = [x for x, _ in points], [y for _, y in points]
        for line in ({"color": LIGHT.page, "width": width + 3}, {"color": colour, "width": width}):
            drawn.add_scatter(x=x, y=y, mode="lines", line=line, name=name, **still)

    borders = _borders(regimes)
    add_line(borders, "borders of regimes", LIGHT.ink, 2)
    if borders:
        style.legend_key(
            drawn, "regime boundary", mode="lines", line={"color": LIGHT.ink, "width": 2}
        )
    for key, (symbol, title, _) in REGIMES.items():
        own = [cell for cell in inks if regimes.get(cell) == key]
        if not own or not symbol:
            continue
        mark = {"symbol": symbol, "line": {"width": 1.5}}
        drawn.add_scatter(
            x=[i + 0.34 for i, _ in own],
            y=[j + 0.32 for _, j in own],
            mode="markers",
            marker=mark | {"size": 7, "color": [inks[cell] for cell in own]},
            unselected={"marker": {"opacity": 1}},
            name=title,
            **still,
        )
        # The legend stands on the page, not on a cell: its text colour differs.
        own_ink = mark | {"size": 9, "color": LIGHT.ink}
        style.legend_key(drawn, title, mode="markers", marker=own_ink)
    if selected is not None:
        i, j = selected
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        add_line([(i + x / 2, j + y / 2) for x, y in corners], "selected", ACCENT, 4)


def _borders(regimes: Names) -> list[tuple[float | None, float | None]]:
    """Return a line wherever two neighbouring cells are of different regimes."""
    lines: list[tuple[float | None, float | None]] = []
    for (i, j), regime in regimes.items():
        for x, y in ((0, 1), (1, 0)):
            if regimes.get((i + x, j + y), regime) != regime:
                start = (i + x - 0.5, j + y - 0.5)
                lines += [start, (i + 0.5, j + 0.5), (None, None)]
    return lines


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
# Around the top, and down each vertical edge.
_EDGES = (4, 5, 6, 7, 4, None, 0, 4, None, 1, 5, None, 2, 6, None, 3, 7, None)


def _add_bars(
    drawn: go.Figure,
    axes: dict[str, list[str]],
    values: Floats,
    words: dict[Cell, str],
    scale: dict[str, Any],
) -> None:
    """Draw boxes that stand on zero, each with 8 corners, 12 triangles and its edges."""
    cells = [cell for cell in words if np.isfinite(values[cell])]
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
        colorscale=style.colour_scale(),
        flatshading=True,
        lighting={"ambient": 0.75, "diffuse": 0.4, "specular": 0, "fresnel": 0},
        hovertext=np.repeat(np.array([words[cell] for cell in cells], object), len(_CORNERS)),
        colorbar=scale | {"x": 0.03, "len": 0.94},
    )
    drawn.add_scatter3d(
        **dict(zip("xyz", edges.T, strict=True)),
        mode="lines",
        line={"color": LIGHT.page, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    plain = {
        "showbackground": False,
        "gridcolor": LIGHT.line,
        "zerolinecolor": LIGHT.line,
        "linecolor": LIGHT.quiet,
        "tickfont": {"size": SMALL - 1, "color": LIGHT.quiet},
        "color": LIGHT.ink,
        "showspikes": False,
    }
    along, back = (
        plain
        | style.named_axis(names, title_text=title, range=[-0.6, len(names) - 0.4], showgrid=True)
        for title, names in axes.items()
    )
    drawn.update_layout(
        margin={"l": 0, "r": 0, "b": 0},
        # A drag rotates the figure, so it does not scroll the page.
        dragmode="orbit",
        scene={
            "xaxis": along,
            "yaxis": back,
            "zaxis": plain | {"title_text": "", "rangemode": "tozero", "nticks": 5},
            "aspectratio": {"x": 1, "y": 1, "z": 0.7},
            "camera": {"eye": {"x": -1.35, "y": -1.45, "z": 0.95}, "center": {"z": -0.12}},
        },
    )


def _ends(values: Floats) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5 * (abs(low) or 1), high)


def _brief(value: float, digits: int = 3) -> str:
    return minus(f"{value:.{digits}g}") if np.isfinite(value) else "·"
