"""How much every feature of a table varies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures.colours import on_page
from cspca.figures.vega import Spec, frame

MOST_NAMED: Final = 16
"""Features up to which the axis bears their names; beyond, their numbers."""

MOST_DRAWN: Final = 500
"""Features up to which each is drawn; beyond, the first ones."""

_LONGEST: Final = 24


def feature_spread_spec(
    names: Sequence[str],
    deviation: ArrayLike,
    dark: bool,
    *,
    height: int = 240,
    standalone: bool = False,
) -> Spec:
    """Draw one bar a feature: its standard deviation.

    Parameters
    ----------
    names : sequence of str
        May come from a file: they are drawn as text.
    deviation : array (n_features,)
        Standard deviation of every feature.
    dark : bool
        Whether the page is dark.
    height : int, default=240
        In pixels.
    standalone : bool, default=False
        Whether the chart brings its own colours of text.

    Returns
    -------
    dict
        A vega-lite spec with its values.
    """
    values = np.asarray(deviation, dtype=np.float64)
    spec = frame(
        "Which features vary most?",
        height,
        dark,
        standalone,
        "Standard deviation of each feature, one bar a feature.",
        feature_spread_alt(names, values),
    )
    named = len(names) <= MOST_NAMED
    shown = _short(names) if named else [str(number + 1) for number in range(len(names))]
    rows = [
        {"number": number, "shown": short, "name": name, "deviation": float(value)}
        for number, (short, name, value) in enumerate(
            zip(shown, names, values, strict=True), start=1
        )
    ][:MOST_DRAWN]
    size = {"field": "deviation", "type": "quantitative", "title": "Standard deviation"}
    if named:
        # Names lie beside their bars, where they are read without turning the head.
        where = {"field": "shown", "type": "nominal", "title": None, "sort": {"field": "number"}}
        few_ticks = {"axis": {"tickCount": 5, "labelFlush": False}}
        encoding = {"y": {**where, "axis": {"labelLimit": 170}}, "x": {**size, **few_ticks}}
    else:
        where = {"field": "number", "type": "quantitative", "title": "Feature (number)"}
        scale = {"domain": [0.5, len(rows) + 0.5], "nice": False}
        encoding = {"x": {**where, "scale": scale}, "y": size}
    spec |= {
        "data": {"values": rows},
        "mark": {
            "type": "bar",
            "color": on_page("#0072B2", dark),
            **({} if named else {"binSpacing": 0, "width": {"expr": f"width / {len(rows)}"}}),
        },
        "encoding": {
            **encoding,
            "tooltip": [
                {"field": "name", "type": "nominal", "title": "Feature"},
                {**size, "format": ".3g"},
            ],
        },
    }
    return spec


def feature_spread_alt(names: Sequence[str], deviation: ArrayLike) -> str:
    """Describe the chart in one sentence.

    Parameters
    ----------
    names, deviation
        As for `feature_spread_spec`.

    Returns
    -------
    str
    """
    values = np.asarray(deviation, dtype=np.float64)
    if not values.size:
        return "There are no features."
    still = int((values == 0).sum())
    least, most = float(values.min()), float(values.max())
    ends = f"Standard deviations run from {least:.3g} to {most:.3g} ({names[int(values.argmax())]})"
    verb = "never changes" if still == 1 else "never change"
    return f"{ends}; {still:,} of {values.size:,} features {verb}." if still else f"{ends}."


def _short(names: Sequence[str]) -> list[str]:
    """Cut long names, and keep apart what then looks the same: each has its own bar."""
    cut = [name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…" for name in names]
    return [
        name if cut.count(name) == 1 else f"{name} ({number})"
        for number, name in enumerate(cut, start=1)
    ]
