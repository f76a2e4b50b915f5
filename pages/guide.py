"""Guide: the same files that the repository and the package hold."""

from importlib.resources import files

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import frame, state

ORDER = ("using", "python", "shell", "benchmarks", "operating", "contributing")


def body(view: state.View, dataset: Dataset) -> None:
    texts = {name: (files("cspca") / "guide" / f"{name}.md").read_text("utf-8") for name in ORDER}
    heads = {name: text.splitlines()[0].removeprefix("# ") for name, text in texts.items()}
    chosen = st.segmented_control(
        "Part",
        ORDER,
        format_func=heads.__getitem__,
        default=ORDER[0],
        required=True,
        wrap=True,
        key="guide_part",
        label_visibility="collapsed",
        persist_state="session",
    )
    with st.container(width=860):
        st.markdown(texts[chosen or ORDER[0]].partition("\n")[2])


frame.page("Guide", "How to use it, from the browser, from Python and from the shell.", body)
