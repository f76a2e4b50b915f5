"""Drawing of what an answer to a question about a file would give."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cspca.datasets.files.preview import Preview
from cspca.ui import pictures

_WIDTH, _HEIGHT = 160, 40


def preview_html(preview: Preview, caption: str) -> str:
    """Return the HTML of the first samples that an answer gives; names from files escaped."""
    if preview.refusal:
        return _figure(f"<p>{escape(preview.refusal)}</p>", caption)
    if preview.pictures is not None:
        return pictures.figure(preview.pictures, f"First pictures by {caption}.", caption)
    if preview.curves:
        return _figure(_curves(preview.curves, f"First samples by {caption}."), caption)
    return _figure(_table(preview.rows), caption)


def caption_of(words: str, preview: Preview) -> str:
    """Return the words of an answer with the size of the set that it gives."""
    return f"{words}: {preview.words}" if preview.words else words


def _figure(inner: str, caption: str) -> str:
    below = f"<figcaption>{escape(caption)}</figcaption>"
    return f'<figure class="cspca-figure cspca-answer">{inner}{below}</figure>'


def _curves(curves: Sequence[Sequence[float]], alt: str) -> str:
    low, high = min(map(min, curves)), max(map(max, curves))
    reach = (high - low) or 1.0
    lines = []
    for curve in curves:
        step = _WIDTH / max(1, len(curve) - 1)
        points = " ".join(
            f"{number * step:.1f},{_HEIGHT * (high - value) / reach:.1f}"
            for number, value in enumerate(curve)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="currentColor"/>')
    return (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="-1 -1 {_WIDTH + 2} {_HEIGHT + 2}">'
        f"{''.join(lines)}</svg>"
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="cspca-scroll"><table class="cspca-table">{lines}</table></div>'
