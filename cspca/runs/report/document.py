"""The file itself: head, style, blocks, and Plotly once where a figure needs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from cspca.runs.report.blocks import Section

__all__ = ["document"]

_HERE = files("cspca.report")

# The file may draw and may save what it drew; it may not ask anybody for anything.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


def document(title: str, lead: str, sections: Sequence[Section], *, stem: str) -> str:
    """Write a report.

    Parameters
    ----------
    title, lead : str
        What it is of, and its answer in a sentence or two. Escaped, like all else.
    sections : sequence of Section
    stem : str
        Beginning of the names of pictures that are saved from it.

    Returns
    -------
    str
        HTML.
    """
    charts = any(section.charts for section in sections)
    scripts = f"<script>{_plotly()}</script>\n<script>{_text('page.js')}</script>" if charts else ""
    without = (
        "<noscript><p class='notice'>The figures are drawn by JavaScript, which is off here; the "
        "numbers are in the tables.</p></noscript>"
        if charts
        else ""
    )
    body = "\n".join(section.html() for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en" data-stem="{escape(stem)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="CSPCA Studio">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{_text("page.css")}</style>
</head>
<body>
<main>
<header>
<p class="studio">CSPCA Studio</p>
<h1>{escape(title)}</h1>
<p class="lead">{escape(lead)}</p>
{without}</header>
{body}
</main>
{scripts}
</body>
</html>
"""


@cache
def _text(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
