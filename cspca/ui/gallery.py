"""The data-set gallery: what is built in, and one's own file."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import BUILTIN
from cspca.ui import keys, pictures, state
from cspca.ui.data_page import upload
from cspca.ui.services import services


def gallery(in_use: str) -> None:
    """Draw one card a built-in data set and one for an upload."""
    with st.container(key=keys.BOX_GALLERY):
        cells = st.columns(len(BUILTIN) + 1)
        for (name, entry), cell in zip(BUILTIN.items(), cells, strict=False):
            with cell.container(border=True, height="stretch"):
                st.markdown(f"**{entry.title}**")
                pictures.strip(services().library.get(name), count=16, columns=8)
                st.caption(f"{entry.description} {entry.size}. {entry.licence}.")
                st.button(
                    "In use" if in_use == name else "Use these",
                    key=f"use_{name}",
                    on_click=state.use_data,
                    args=(name,),
                    disabled=in_use == name,
                    width="stretch",
                )
        with cells[-1].container(border=True, height="stretch"):
            st.markdown("**Your own**")
            upload.uploader("gallery")
            state.link("pages/data.py", "See it first: the Data page", ":material/photo_library:")
            upload.kept_place("gallery")
