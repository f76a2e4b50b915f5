"""Guide: the same files that the repository and the package hold."""

from importlib.resources import files

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import fields, frame, state

ORDER = ("using", "python", "shell", "theory", "benchmarks", "operating", "contributing")


def body(view: state.View, dataset: Dataset) -> None:
    texts = {name: (files("cspca") / "guide" / f"{name}.md").read_text("utf-8") for name in ORDER}
    heads = {name: text.splitlines()[0].removeprefix("# ") for name, text in texts.items()}
    chosen = fields.views("Part", heads, "guide_part", wrap=True)
    with st.container(width=860):
        st.markdown(texts[chosen].partition("\n")[2])


frame.page("Guide", "How to use it, from the browser, from Python and from the shell.", body)
