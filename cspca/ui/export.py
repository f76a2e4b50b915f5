"""Figures on a page, and its export: files, charts as pictures, and the lines of Python.

Files are made on the click. A chart is drawn by the visitor's own browser, so the server needs
none: a Plotly chart exports itself, the course of a fit is an SVG, and a small script puts both
behind the same two buttons.
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
from cspca.ui.components import component
from cspca.ui.plain import is_dark, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.experiments.experiment import Outcome

SCALE: Final = 3
"""Pixels of a PNG for each on the screen."""

_MAIN: Final = (".html", ".csv", ".tex", ".txt", ".npz", ".png", ".svg", ".gif")

_MOUNT: Final = component("save_charts")


def show(
    figure: go.Figure,
    box: str,
    *,
    of: str,
    name: str = "",
    label: str = "",
    heading: bool = False,
    **more: Any,
) -> None:
    """Draw a figure in a container; `of` and `name`, else `box`, name the file it is saved as.

    With a `label` the page's export offers it too; with `heading` the question that it answers
    stands above it, else the page has one of its own.
    """
    title, file = take_title(figure), file_name(of, name or box.replace("_", "-"))
    figure = on_dark(figure) if is_dark() else figure
    if state.presenting():
        figure = enlarged(figure, 1.4)
    more = {"key": f"{box}_plot"} | more
    with st.container(key=box):
        if heading:
            st.markdown(f"**{title}**")
        if label:
            drawn(box, label, file)
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
                # The script that saves charts presses this button too; without a size it is as
                # large as it is drawn.
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
    cells = zip(st.columns(2, gap="large"), figures.items(), labels.items(), strict=False)
    for place, (question, figure), (at, label) in cells:
        with place:
            st.header(question, anchor=False)
            show(figure, f"{kind}_{at}", of=of, label=label)


def drawn(box: str, label: str, file: str) -> None:
    """Let the chart in a container be saved by the page's export."""
    known = st.session_state.setdefault("charts_drawn", {})
    known[box] = {"box": box, "label": label, "name": file}


def offer(
    outcome: Outcome,
    *,
    note: str = "",
    lines: str = "",
    ready: bool = True,
    more: Sequence[File] = (),
    **about: Any,
) -> None:
    """Draw all that can be taken from an outcome and of the charts that were drawn before.

    Until it is `ready` the buttons sleep; `note` is on the lines of Python, `lines` follow those
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
    charts = list(st.session_state.get("charts_drawn", {}).values())
    if charts:
        # On the page's own colour: on none, dark letters vanish on dark paper.
        page = palette(is_dark()).page
        _MOUNT(key="save_charts", data=[{"charts": charts, "page": page, "scale": SCALE}])
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
    """Draw a button a file, the report as the main one; what few people want folds away."""
    more = [one for one in files if one.suffix not in _MAIN]
    with st.container(horizontal=True, gap="small"):
        for one in files:
            if one not in more:
                _button(of, one, key, ready)
        if more:
            with st.popover("More files", disabled=not ready):
                for one in more:
                    _button(of, one, key, ready)


def _button(of: str, one: File, key: str, ready: bool) -> None:
    main = one.suffix == ".html"
    st.download_button(
        one.label,
        # Written on the click: a file made on every run would be gone by the next.
        data=one.make,
        file_name=file_name(of, one.name),
        mime=guess_type(one.name)[0] or "application/octet-stream",
        icon=":material/description:" if main else ":material/download:",
        type="primary" if main else "secondary",
        key=f"{key}_{'report' if main else one.name.replace('.', '_')}",
        disabled=not ready,
        on_click="ignore",
        help=one.help or None,
    )
