"""Figures on a page, and its export: a menu of files, and lines of Python.

Files are created when they are downloaded. A program, which cannot press a button, is sent their
addresses in the opened menu. The visitor's browser saves a chart as PNG, with the button in the
chart's corner; the report saves each of its figures as PNG and as SVG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from cspca.experiments import exports
from cspca.experiments.exports import File, file_name
from cspca.figures.style import as_seen, enlarged, on_dark, palette, take_title, text_length
from cspca.ui import downloads, fields, programs, state
from cspca.ui.plain import is_dark, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.experiments.experiment import Outcome

SCALE: Final = 3
"""Pixels of a PNG for each pixel on the screen."""


def show(
    figure: go.Figure,
    box: str,
    *,
    of: str,
    name: str = "",
    heading: bool = False,
    **options: Any,
) -> None:
    """Draw a figure in a container; `of` and `name`, or `box`, give the name of its file.

    With `heading` the title of the figure is shown above it; otherwise the page has a heading.
    """
    title, file = take_title(figure), file_name(of, name or box.replace("_", "-"))
    alt = str(figure.layout.meta["alt"])
    figure = on_dark(figure) if is_dark() else figure
    # A saved chart needs a background: on white paper its light letters would be invisible.
    figure.update_layout(paper_bgcolor=palette(is_dark()).page)
    if state.bare():
        figure = enlarged(figure, 1.4)
    options = {"key": f"{box}_plot"} | options
    with st.container(key=box):
        if heading:
            st.markdown(f"**{title}**")
        if programs.reads():
            _show_to_program(figure, box, alt, **options)
        else:
            _draw(figure, file, alt, **options)


def _show_to_program(figure: go.Figure, box: str, alt: str, **options: Any) -> None:
    """Send a program a figure as text: its alt and, where that is long, its numbers on request."""
    figure = as_seen(figure)
    if text_length(figure) <= programs.MOST_OF_A_CHART:
        _draw(figure, "", alt, **options)
        return
    with (numbers := programs.fold(st.expander, "The chart in numbers", f"{box}_numbers")):
        if programs.is_drawn(numbers):
            _draw(figure, "", alt, **options)
    if not programs.is_drawn(numbers):
        st.caption(plain(alt))


def _draw(figure: go.Figure, file: str, alt: str, **options: Any) -> None:
    st.plotly_chart(
        figure,
        alt=alt,
        # The figure has its own colours and fonts.
        theme=None,
        config={
            "displayModeBar": "hover",
            "displaylogo": False,
            # The browser itself reports a download.
            "displayNotifier": False,
            # Without a size the file has the size on the screen.
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
        **options,
    )


def beside(figures: Mapping[str, go.Figure], kind: str, of: str, **labels: str) -> None:
    """Draw figures side by side, each below its question; on a bare page the selected one."""
    if state.bare():
        shown = dict(zip(labels, figures.values(), strict=False))
        at = fields.views("Picture", {label: labels[label] for label in shown}, f"{kind}_alone")
        show(shown[at], f"{kind}_{at}", of=of, heading=True)
        return
    # Charts of one height stand side by side also where one of their questions takes two lines.
    heights = [figure.layout.height for figure in figures.values()][:2]
    is_even = len(set(heights)) == 1
    columns = st.columns(2, gap="large", vertical_alignment="bottom" if is_even else "top")
    cells = zip(columns, figures.items(), labels, strict=False)
    for place, (question, figure), at in cells:
        with place:
            st.header(question, anchor=False)
            show(figure, f"{kind}_{at}", of=of)


def offer(
    outcome: Outcome,
    *,
    lines: str = "",
    ready: bool = True,
    page_files: Sequence[File] = (),
    **about: Any,
) -> None:
    """Draw the menu of an outcome's files, the report first, and the lines of Python.

    The menu is disabled until the outcome is `ready`. `lines` are added to Python that makes a
    model, `page_files` are files of the page, `about` is for the report.
    """

    def written() -> str:
        # Imported when the report is downloaded, so that the page does not wait for it.
        from cspca.report import report

        return report(outcome, **about)

    help = (
        "One HTML file that needs no network: the figures, the numbers, settings, seeds, versions, "
        "the data’s fingerprint, the Python and how to cite. For a PDF, print it."
    )
    kind = outcome.experiment.kind
    report_file = File("Report", f"{kind}-report.html", written, help, is_large=True)
    files = [report_file, *exports.files(outcome), *page_files]
    file_buttons(outcome.data.name, files, key=kind, ready=ready)
    if not outcome.results:
        return
    python = outcome.experiment.snippet(outcome.data)
    if lines and "model = " in python:
        python += f"\n{lines}"
    st.code(python, language="python", wrap_lines=True)
    recipe = outcome.data.recipe
    bring = outcome.data.name if recipe is None else recipe.bring
    hint = f"Run them in a folder that holds {bring}. " if bring else ""
    note = outcome.python_note or "These lines give the same numbers; only times differ."
    st.caption(plain(hint + note))


def file_buttons(of: str, files: Sequence[File], *, key: str, ready: bool = True) -> None:
    """Draw a menu of files, or the button of a single file."""
    if len(files) == 1:
        _button(of, files[0], key, ready)
        return
    look: dict[str, Any] = {"icon": ":material/download:", "disabled": not ready}
    with (menu := programs.fold(st.popover, "Download", f"{key}_files", **look)):
        if programs.is_drawn(menu):
            for file in files:
                _button(of, file, key, ready)


def _button(of: str, file: File, key: str, ready: bool) -> None:
    is_report = file.suffix == ".html"
    name = file_name(of, file.name)
    data: Callable[[], str | bytes] | str | bytes = file.make
    if programs.reads() and ready:
        if file.is_large:
            address = downloads.address(file, name, f"{key}_{file.name}")
            st.link_button(file.label, address, help=file.help or None, width="stretch")
            return
        data = file.make()
    st.download_button(
        file.label,
        # Created on the click: a file created in every run of the page would be gone in the next.
        data=data,
        file_name=name,
        mime=guess_type(file.name)[0] or "application/octet-stream",
        icon=":material/description:" if is_report else ":material/download:",
        type="primary" if is_report else "secondary",
        key=f"{key}_{'report' if is_report else file.name.replace('.', '_')}",
        disabled=not ready,
        on_click="ignore",
        help=file.help or None,
        width="stretch",
    )
