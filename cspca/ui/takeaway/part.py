"""The part itself: files, charts, and the lines of Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from cspca.datasets import Recipe
from cspca.ui.plain import plain
from cspca.ui.takeaway.charts import Chart, chart_buttons
from cspca.ui.takeaway.files import File, file_buttons


@dataclass(frozen=True)
class Lines:
    """The Python that gives the numbers on the page.

    Attributes
    ----------
    source : str
    recipe : Recipe
        How the data are made; what it needs beside it is said.
    notes : tuple of str
        Sentences about how far the numbers agree.
    """

    source: str
    recipe: Recipe
    notes: tuple[str, ...] = ()


def take_away(
    of: str,
    files: Sequence[File],
    *,
    charts: Sequence[Chart] = (),
    lines: Lines | None = None,
    ready: bool = True,
) -> None:
    """Draw what can be taken away from a page.

    Parameters
    ----------
    of : str
        What it is about, for the names of the files: the data set's name.
    files : sequence of File
        In the order of the buttons: the report first.
    charts : sequence of Chart
        Those on the page that can be kept as pictures.
    lines : Lines, optional
    ready : bool, default=True
        Whether there is something to take; until then the buttons are there, but sleep.
    """
    file_buttons(of, files, ready=ready)
    if charts:
        chart_buttons(of, charts)
    if lines is None:
        return
    st.code(lines.source, language="python", wrap_lines=True)
    bring = lines.recipe.bring
    notes = [*([f"Run them in a folder that holds {bring}."] if bring else []), *lines.notes]
    if notes:
        st.caption(plain(" ".join(notes)))
