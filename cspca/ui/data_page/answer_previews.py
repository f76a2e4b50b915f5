"""Drawing of what an answer to a question about a file would give."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cspca.datasets.files.preview import Preview
from cspca.ui import pictures

_WIDTH, _HEIGHT = 240, 48


def preview_html(preview: Preview, caption: str) -> str:
    """Return the HTML of the first samples that an answer gives; names from files escaped."""
    if preview.refusal:
        return _figure(f"<p>{escape(preview.refusal)}</p>", caption)
    if preview.pictures is not None:
        alt = f"First pictures by {caption}."
        return pictures.figure(preview.pictures, alt, caption, kind="answer")
    if preview.curves:
        alt = f"First samples by {caption}."
        return pictures.figure(
            pictures.curves(preview.curves, _WIDTH, _HEIGHT), alt, caption, kind="answer"
        )
    return _figure(_table(preview.rows), caption)


def caption_of(words: str, preview: Preview) -> str:
    """Return the words of an answer with the size of the set that it gives."""
    return f"{words}: {preview.words}" if preview.words else words


def _figure(inner: str, caption: str) -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>"
    return f'<figure class="cspca-figure cspca-answer">{inner}{below}</figure>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="cspca-scroll"><table class="cspca-table">{lines}</table></div>'
