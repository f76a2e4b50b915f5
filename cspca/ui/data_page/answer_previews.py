"""Drawing of what an answer to a question about a file would give."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Final

from cspca.datasets.files.preview import Preview
from cspca.ui import pictures

_WIDTH, _HEIGHT = 240, 48
_COLOUR: Final = "#3d8fc9"


def preview_html(preview: Preview, caption: str) -> str:
    """Return the HTML of the first samples that an answer gives; names from files escaped."""
    if preview.refusal:
        return _figure(f"<p>{escape(preview.refusal)}</p>", caption)
    if preview.pictures is not None:
        alt = f"First pictures by {caption}."
        return pictures.figure(preview.pictures, alt, caption, kind="answer")
    if preview.curves:
        alt = f"First samples by {caption}."
        return pictures.figure(_curves(preview.curves), alt, caption, kind="answer")
    return _figure(_table(preview.rows), caption)


def caption_of(words: str, preview: Preview) -> str:
    """Return the words of an answer with the size of the set that it gives."""
    return f"{words}: {preview.words}" if preview.words else words


def _figure(inner: str, caption: str) -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>"
    return f'<figure class="cspca-figure cspca-answer">{inner}{below}</figure>'


def _curves(curves: Sequence[Sequence[float]]) -> pictures.Encoded:
    """Return curves as a picture, in a colour that is seen on light and on dark."""
    low, high = min(map(min, curves)), max(map(max, curves))
    reach = (high - low) or 1.0
    lines = []
    for curve in curves:
        step = _WIDTH / max(1, len(curve) - 1)
        points = " ".join(
            f"{number * step:.1f},{_HEIGHT * (high - value) / reach:.1f}"
            for number, value in enumerate(curve)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{_COLOUR}"/>')
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {_WIDTH + 2} {_HEIGHT + 2}" '
        f'width="{_WIDTH}" height="{_HEIGHT}">{"".join(lines)}</svg>'
    )
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode('ascii')}"
    return pictures.Encoded(source, _HEIGHT, _WIDTH)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="cspca-scroll"><table class="cspca-table">{lines}</table></div>'
