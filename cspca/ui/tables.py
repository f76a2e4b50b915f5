"""Tables to read: text in columns, the first of which names the row."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from cspca.evaluation.tables import Strong

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd


def table(frame: pd.DataFrame, label: str, *, best: Collection[int] = ()) -> None:
    """Draw a table of text and the note on it; `best` are rows that stand out.

    A line break in a cell puts what follows it below, in small.
    """
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in frame.columns)
    lines = []
    for at, row in enumerate(frame.itertuples(index=False)):
        name, *cells = (_cell(one) for one in row)
        kind = ' class="cspca-best"' if at in best else ""
        body = "".join(f"<td>{one}</td>" for one in cells)
        lines.append(f'<tr{kind}><th scope="row">{name}</th>{body}</tr>')
    st.html(
        f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    if frame.attrs.get("note"):
        st.caption(frame.attrs["note"])


def _cell(value: object) -> str:
    first, _, rest = str(value).partition("\n")
    text = f"<b>{escape(first)}</b>" if isinstance(value, Strong) else escape(first)
    return f"{text}<br><small>{escape(rest)}</small>" if rest else text
