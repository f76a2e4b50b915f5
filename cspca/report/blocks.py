"""What a report is made of, as plain values for the template, which escapes all of them.

A block is its one key: ``words`` (`small` for a caption), ``notice`` for what must not be missed,
``facts``, ``code``, ``row`` for blocks beside each other, ``images``, ``drawing`` for an SVG of
ours, light and dark, ``table`` and ``chart``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cspca.figures.pictures import Picture, data_uri
from cspca.figures.style import on_dark, take_title

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

Block = dict[str, Any]
Section = dict[str, Any]


def section(title: str, *blocks: Block) -> Section:
    """A heading and what stands under it."""
    return {"title": title, "blocks": blocks}


def facts(pairs: Sequence[tuple[str, str]], *, large: bool = False) -> Block:
    """Names and what they are; large numbers are the answer of the report."""
    return {"facts": [(name, value) for name, value in pairs if value], "large": large}


def images(shown: Sequence[tuple[Picture, str, str]], *, large: bool = False) -> Block:
    """Pictures with their alternative text and caption."""
    found = [
        {
            "source": data_uri(picture),
            "alt": alt,
            "caption": caption,
            "height": picture.shape[0],
            "width": picture.shape[1],
        }
        for picture, alt, caption in shown
    ]
    return {"images": found, "large": large}


def table(frame: pd.DataFrame) -> Block:
    """A table of text; the first column names the row, columns may have two levels."""
    last = frame.columns.nlevels - 1
    heads = [
        [(text, len(list(same))) for text, same in groupby(frame.columns.get_level_values(level))]
        for level in range(last)
    ]
    heads.append([(str(text), 1) for text in frame.columns.get_level_values(last)])
    rows = frame.to_numpy(dtype=object).tolist()
    return {"table": {"heads": heads, "rows": rows, "note": frame.attrs.get("note", "")}}


def chart(title: str, figure: go.Figure) -> Block:
    """A figure of Plotly's for both papers, drawn by the reader's browser."""
    take_title(figure)
    papers = {"light": figure, "dark": on_dark(figure)}
    return {
        "chart": {
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
            "title": title,
            "alt": (figure.layout.meta or {}).get("alt", title),
            "height": int(figure.layout.height or 360),
            "json": {name: json.loads(one.to_json()) for name, one in papers.items()},
        }
    }
