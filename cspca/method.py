"""What every registry of methods says of a method, whatever the method does."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class MethodEntry:
    """A method as a page, a chart or an experiment names it.

    Parameters
    ----------
    key : str
        Its name in code, files and addresses.
    title : str
        Its name on screen.
    colour : str
        As #rrggbb, the method's own in every figure.
    marker : str
        By Plotly's name: colour alone cannot tell so many methods apart.
    note : str
        One sentence for the screen.
    revision : int, default=1
        Raised when the numbers of the method change: cached results of before are not mixed in.
    """

    key: str
    title: str
    colour: str
    marker: str
    note: str
    _: KW_ONLY
    revision: int = 1
