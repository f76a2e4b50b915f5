"""What a report is made of, as plain values for the template, which escapes all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

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


def words(text: str, *, small: bool = False) -> Block:
    """A paragraph, or a caption."""
    return {"words": text, "small": small}


def notice(text: str) -> Block:
    """A sentence that must not be missed."""
    return {"notice": text}


def facts(pairs: Sequence[tuple[str, str]], *, large: bool = False) -> Block:
    """Names and what they are; large numbers are the answer of the report."""
    return {"facts": [(name, value) for name, value in pairs if value], "large": large}


def code(source: str) -> Block:
    """Lines of Python or BibTeX."""
    return {"code": source}


def row(*blocks: Block) -> Block:
    """Blocks beside each other, where there is room."""
    return {"row": blocks}


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


def drawing(light: str, dark: str) -> Block:
    """An SVG of ours, which has escaped the names in it, for light and for dark paper."""
    return {"drawing": (light, dark)}


def table(frame: pd.DataFrame) -> Block:
    """A table of text; the first column names the row, columns may have two levels."""
    levels = frame.columns.nlevels
    heads: list[list[tuple[str, int]]] = []
    for level in range(levels):
        line: list[tuple[str, int]] = []
        for text in frame.columns.get_level_values(level):
            same = line and line[-1][0] == text and level < levels - 1
            line = [*line[:-1], (text, line[-1][1] + 1)] if same else [*line, (str(text), 1)]
        heads.append(line)
    rows = frame.to_numpy(dtype=object).tolist()
    return {"table": {"heads": heads, "rows": rows, "note": frame.attrs.get("note", "")}}


def chart(title: str, figure: go.Figure) -> Block:
    """A figure of Plotly's for both papers, drawn by the reader's browser."""
    take_title(figure)
    papers = {"light": figure, "dark": on_dark(figure)}
    shown = {name: json.loads(one.to_json()) for name, one in papers.items()}
    text = json.dumps(shown, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    # Nothing in it can end the script that holds it.
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return {
        "chart": {
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
            "title": title,
            "alt": (figure.layout.meta or {}).get("alt", title),
            "height": int(figure.layout.height or 360),
            "json": Markup(safe),
        }
    }
