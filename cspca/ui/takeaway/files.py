"""Files to take away: what they are called, and a button each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from cspca.ui.takeaway.sorry import or_sorry

_MIME: Final = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "npz": "application/octet-stream",
    "png": "image/png",
    "py": "text/x-python",
    "svg": "image/svg+xml",
    "tex": "text/x-tex",
    "zip": "application/zip",
}


@dataclass(frozen=True)
class File:
    """One file.

    Attributes
    ----------
    key : str
        Of its button, from :mod:`cspca.ui.keys`.
    label : str
        On the button.
    name : str
        The end of its name, such as ``scores.csv``; its suffix says the kind.
    make : callable
        Makes the content, on the click and in another thread: nothing of Streamlit in it.
    help : str
        What is in it.
    """

    key: str
    label: str
    name: str
    make: Callable[[], str | bytes]
    help: str = ""

    @property
    def suffix(self) -> str:
        """The kind of file, without the dot."""
        return self.name.rpartition(".")[2]


def report_file(key: str, make: Callable[[], str]) -> File:
    """Return the report of a page, which every page calls the same.

    Parameters
    ----------
    key : str
    make : callable
        Makes the HTML.
    """
    return File(
        key,
        "Report",
        "report.html",
        make,
        "One HTML file that needs no network: the figures, the numbers, settings, seeds, versions, "
        "the data’s fingerprint, the Python and how to cite. For a PDF, print it.",
    )


def file_name(of: str, name: str) -> str:
    """Return the name of a file about something, such as ``cspca-orl-scores.csv``.

    Parameters
    ----------
    of : str
        What it is about: the name of a data set, anything.
    name : str
        The end.
    """
    stem = re.sub(r"[^A-Za-z0-9]+", "-", of).strip("-").lower()[:60] or "data"
    return f"cspca-{stem}-{name}"


def file_buttons(of: str, files: Sequence[File], *, ready: bool) -> None:
    """Draw a button a file, the report first among them as the main one."""
    with st.container(horizontal=True, gap="small"):
        for file in files:
            main = file.suffix == "html"
            st.download_button(
                file.label,
                # Written on the click: a file made on every run would be gone by the next.
                data=or_sorry(file.make, file.suffix),
                file_name=file_name(of, file.name),
                mime=_MIME[file.suffix],
                icon=":material/description:" if main else ":material/download:",
                type="primary" if main else "secondary",
                key=file.key,
                disabled=not ready,
                on_click="ignore",
                help=file.help or None,
            )
