"""Toy figure: a dot a value."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from cspca.figures.style import figure


def toy_dots(values: ArrayLike) -> Any:
    """Draw a dot a value."""
    drawn = figure("How large are the toy means?", "Toy dots.", height=200)
    drawn.add_scatter(y=list(values), mode="markers")
    drawn.update_yaxes(title_text="Toy mean")
    return drawn
