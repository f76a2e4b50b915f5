"""Figures on a page, and its export: one menu of files, and the lines of Python.

Files are made on the click. A chart is saved as a PNG by the visitor's own browser, with the button
that Plotly draws in its corner; the report saves each of its figures as PNG and as SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from cspca.experiments import exports
from cspca.experiments.exports import File, file_name
from cspca.figures.style import enlarged, on_dark, palette, take_title
from cspca.ui import fields, state
from cspca.ui.plain import is_dark, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.experiments.experiment import Outcome

SCALE: Final = 3
"""Pixels of a PNG for each on the screen."""


def show(
    figure: go.Figure,
    box: str,
    *,
    of: str,
    name: str = "",
    heading: bool = False,
    **more: Any,
) -> None:
    """Draw a figure in a container; `of` and `name`, else `box`, name the file it is saved as.

    With `heading` the question that it answers stands above it, else the page has one of its own.
    """
    title, file = take_title(figure), file_name(of, name or box.replace("_", "-"))
    figure = on_dark(figure) if is_dark() else figure
    # A saved chart is read on any paper: on none of its own, light letters vanish on white.
    figure.update_layout(paper_bgcolor=palette(is_dark()).page)
    if state.bare():
        figure = enlarged(figure, 1.4)
    more = {"key": f"{box}_plot"} | more
    with st.container(key=box):
        if heading:
            st.markdown(f"**{title}**")
        st.plotly_chart(
            figure,
            alt=figure.layout.meta["alt"],
            # Colours and type are its own.
            theme=None,
            config={
                "displayModeBar": "hover",
                "displaylogo": False,
                # The browser itself says that it saved something.
                "displayNotifier": False,
                # Without a size it is as large as it is drawn.
                "modeBarButtons": [["toImage"]],
                "toImageButtonOptions": {
                    "format": "png",
                    "filename": file,
                    "width": None,
                    "height": None,
                    "scale": SCALE,
                },
            },
            width="stretch",
            **more,
        )


def beside(figures: Mapping[str, go.Figure], kind: str, of: str, **labels: str) -> None:
    """Draw figures beside each other, each under its question; on a bare page the one chosen."""
    if state.bare():
        known = dict(zip(labels, figures.values(), strict=False))
        at = fields.views("Picture", {one: labels[one] for one in known}, f"{kind}_alone")
        show(known[at], f"{kind}_{at}", of=of, heading=True)
        return
    cells = zip(st.columns(2, gap="large"), figures.items(), labels, strict=False)
    for place, (question, figure), at in cells:
        with place:
            st.header(question, anchor=False)
            show(figure, f"{kind}_{at}", of=of)


def offer(
    outcome: Outcome,
    *,
    note: str = "",
    lines: str = "",
    ready: bool = True,
    more: Sequence[File] = (),
    **about: Any,
) -> None:
    """Draw the menu of all that can be taken from an outcome, the report first, and the Python.

    Until it is `ready` the menu sleeps; `note` is on the lines of Python, `lines` follow those
    that make a model, `more` are files of the page, `about` is what else its report says.
    """

    def written() -> str:
        # The first who asks waits for it, not everybody who looks at the page.
        from cspca.report import report

        return report(outcome, **about)

    said = (
        "One HTML file that needs no network: the figures, the numbers, settings, seeds, versions, "
        "the data’s fingerprint, the Python and how to cite. For a PDF, print it."
    )
    found = [File("Report", "report.html", written, said), *exports.files(outcome), *more]
    file_buttons(outcome.data.name, found, key=outcome.experiment.kind, ready=ready)
    if not outcome.results:
        return
    python = outcome.snippet
    if lines and "model = " in python:
        python += f"\n{lines}"
    st.code(python, language="python", wrap_lines=True)
    made = outcome.data.recipe
    bring = outcome.data.name if made is None else made.bring
    hint = f"Run them in a folder that holds {bring}. " if bring else ""
    st.caption(plain(hint + (note or "These lines give the same numbers; only times differ.")))


def file_buttons(of: str, files: Sequence[File], *, key: str, ready: bool = True) -> None:
    """Draw one menu of files; where there is only one file, its button."""
    if len(files) == 1:
        _button(of, files[0], key, ready)
        return
    with st.popover("Download", icon=":material/download:", disabled=not ready):
        for file in files:
            _button(of, file, key, ready)


def _button(of: str, file: File, key: str, ready: bool) -> None:
    is_report = file.suffix == ".html"
    st.download_button(
        file.label,
        # Written on the click: a file made on every run would be gone by the next.
        data=file.make,
        file_name=file_name(of, file.name),
        mime=guess_type(file.name)[0] or "application/octet-stream",
        icon=":material/description:" if is_report else ":material/download:",
        type="primary" if is_report else "secondary",
        key=f"{key}_{'report' if is_report else file.name.replace('.', '_')}",
        disabled=not ready,
        on_click="ignore",
        help=file.help or None,
        width="stretch",
    )
