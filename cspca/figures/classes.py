"""How many samples each class has."""

from __future__ import annotations

from collections.abc import Sequence

from cspca.figures.colours import on_page
from cspca.figures.vega import Spec, frame

MOST_NAMED = 40
"""Classes up to which the axis bears their names; beyond, their numbers."""

MOST_DRAWN = 500
"""Classes up to which each has a bar of its own."""

_LONGEST = 18


def class_balance_spec(
    names: Sequence[str],
    counts: Sequence[int],
    dark: bool,
    *,
    height: int = 240,
    standalone: bool = False,
) -> Spec:
    """Draw one bar a class.

    Parameters
    ----------
    names : sequence of str
        May come from a file: they are drawn as text.
    counts : sequence of int
        Samples of each class.
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
    spec = frame(
        "Are the classes of one size?",
        height,
        dark,
        standalone,
        "Samples of each class, one bar a class.",
        class_balance_alt(names, counts),
    )
    named = len(names) <= MOST_NAMED
    rows = [
        {"number": number, "name": short, "full": name, "count": int(count)}
        for number, (short, name, count) in enumerate(
            zip(_short(names), names, counts, strict=True), start=1
        )
    ][:MOST_DRAWN]
    x = (
        {"field": "name", "type": "ordinal", "title": "Class", "sort": {"field": "number"},
         "axis": {"labelAngle": -40 if sum(map(len, names)) > 90 else 0, "labelOverlap": True}}
        if named
        else {"field": "number", "type": "quantitative", "title": "Class (number)",
              "scale": {"domain": [0.5, len(rows) + 0.5], "nice": False}}
    )  # fmt: skip
    spec |= {
        "data": {"values": rows},
        "mark": {
            "type": "bar",
            "color": on_page("#0072B2", dark),
            **({} if named else {"binSpacing": 0, "width": {"expr": f"width / {len(rows)}"}}),
        },
        "encoding": {
            "x": x,
            "y": {"field": "count", "type": "quantitative", "title": "Samples"},
            "tooltip": [
                {"field": "full", "type": "nominal", "title": "Class"},
                {"field": "count", "type": "quantitative", "title": "Samples"},
            ],
        },
    }
    return spec


def class_balance_alt(names: Sequence[str], counts: Sequence[int]) -> str:
    """Describe the chart in one sentence.

    Parameters
    ----------
    names, counts
        As for `class_balance_spec`.

    Returns
    -------
    str
    """
    if not counts:
        return "There are no classes."
    least, most = min(counts), max(counts)
    if least == most:
        return f"All {len(names)} classes have {most:,} samples each."
    return f"{len(names)} classes of {least:,} to {most:,} samples."


def _short(names: Sequence[str]) -> list[str]:
    """Cut long names, and keep apart what then looks the same: each has its own bar."""
    cut = [name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…" for name in names]
    return (
        [
            name if cut.count(name) == 1 else f"{name} ({number})"
            for number, name in enumerate(cut, start=1)
        ]
        if len(cut) <= MOST_NAMED
        else cut
    )
