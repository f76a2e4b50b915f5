"""Toy figure: a dot a value."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from cspca.figures.style import axis, figure


def toy_dots(values: ArrayLike, *, dark: bool = False) -> Any:
    """Draw a dot a value."""
    drawn = figure("How large are the toy means?", "Toy dots.", dark=dark, height=200)
    drawn.add_scatter(y=list(values), mode="markers")
    drawn.update_yaxes(axis(dark, "Toy mean"))
    return drawn
