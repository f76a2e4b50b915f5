"""Bringing one's own data: read it, keep it under an unguessable id, or say what was wrong."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import DatasetError, load_file
from cspca.runs.library import DatasetLibrary
from cspca.runs.opened import check_varies
from cspca.ui import keys, state
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import services

SUFFIXES = ("mat", "npz", "npy")


def uploader(where: str) -> None:
    """Draw the upload widget; a good file becomes the data set in use.

    Parameters
    ----------
    where : str
        Tells the widgets of two places on one page apart.
    """
    key = f"{keys.UPLOAD}_{where}"
    st.file_uploader(
        "A .mat file (fea/gnd or X/Y), .npz or .npy",
        type=list(SUFFIXES),
        key=key,
        on_change=_arrived,
        args=(key,),
        help="Images as rows, or images × height × width. The file stays on this server, in "
        "memory, and is reachable only through the address of your page.",
    )
    place, error = st.session_state.get(keys.UPLOAD_ERROR, (None, None))
    if place == key and error is not None:
        st.error(plain(error), icon=":material/error:")


@guarded
def _arrived(key: str) -> None:
    """Read what has just been uploaded, before the page is drawn."""
    file = st.session_state.get(key)
    error = None if file is None else take(services().library, file.getvalue(), file.name)
    st.session_state[keys.UPLOAD_ERROR] = key, error


def take(library: DatasetLibrary, content: bytes, name: str) -> str | None:
    """Take a file in use; None, or the sentence that says why it was not. Nothing else changes."""
    try:
        dataset = load_file(content, name)
        check_varies(dataset, name)
        data = library.add(dataset)
    except DatasetError as problem:
        return str(problem)
    state.use_data(data)
    return None
