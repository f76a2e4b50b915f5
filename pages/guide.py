"""Guide: the same files that the repository and the package hold."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import fields, frame, keys, programs, state
from cspca.ui.plain import button, guide

ORDER = ("using", "teaching", "python", "shell", "benchmarks", "operating", "contributing")
# For whoever runs a server or changes the program; a string here would be drawn on the page.
FOR_FEW = ("operating", "contributing")


def body(view: state.View, dataset: Dataset) -> None:
    texts = {name: guide(name) for name in ORDER}
    part = state.linked_part()
    if part in ORDER:
        st.session_state[keys.GUIDE_PART] = part
    heads = {name: text.splitlines()[0].removeprefix("# ") for name, text in texts.items()}
    opened = st.session_state.get(keys.GUIDE_PART)
    offered = {name: head for name, head in heads.items() if name not in FOR_FEW or name == opened}
    chosen = fields.views("Part", offered, keys.GUIDE_PART, wrap=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("For whoever runs a server, or changes the program:", width="content")
        for name in FOR_FEW:
            if name != chosen:
                button(heads[name], f"guide_{name}", "menu_book", open_part, name, type="tertiary")
    state.show_part("" if chosen == ORDER[0] else chosen)
    text = texts[chosen].partition("\n")[2]
    if programs.reads():
        opening, *sections = text.split("\n## ")
        parts = {"Opening": opening} | {
            section.partition("\n")[0]: section.partition("\n")[2] for section in sections
        }
        text = parts[fields.switch("Section", list(parts), f"guide_{chosen}", draw=st.selectbox)]
    with st.container(width=860):
        st.markdown(text)


def open_part(name: str) -> None:
    st.session_state[keys.GUIDE_PART] = name


frame.page("guide", "", "How to use it, from the browser, from Python and from the shell.", body)
