"""Paper: its tables, figures and claims on the data set in use, ours beside, kept."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.paper import Findings, recognised
from cspca.runs.store import StoreError
from cspca.ui import frame, keys, state
from cspca.ui.paper_page import live
from cspca.ui.paper_page.claims import claims
from cspca.ui.paper_page.figures import figures
from cspca.ui.paper_page.reading import findings
from cspca.ui.paper_page.sets import data_sets
from cspca.ui.paper_page.starts import starts
from cspca.ui.paper_page.tables import tables
from cspca.ui.paper_page.takeaway import takeaway
from cspca.ui.plain import plain

VIEWS = {
    "claims": "Claims",
    "tables": "Tables",
    "figures": "Figures",
    "starts": "Starts",
    "sets": "Data sets",
}


def body(view: state.View, dataset: Dataset) -> None:
    recognition = recognised(dataset)
    with st.container(key=keys.BOX_PAPER):
        side, main = st.columns([4, 11], gap="large")
    with side:
        st.markdown(plain(recognition.sentence))
        protocol, parts = live.settings(dataset)
        try:
            found = live.attach(dataset, protocol)
            live.buttons(view.data, dataset, found, protocol, parts)
        except StoreError as problem:
            found = None
            st.error(plain(str(problem)), icon=":material/error:")
    with main:
        if found is not None:
            live.follow(found)
        chosen = st.segmented_control(
            "What to look at",
            list(VIEWS),
            format_func=VIEWS.__getitem__,
            key=keys.PAPER_VIEW,
            required=True,
            default="claims",
            persist_state="session",
            label_visibility="collapsed",
        )
        known = None if found is None else findings(found)
        show(str(chosen), known, dataset)
        if known is not None and chosen != "sets":
            takeaway(view, dataset, known, charts=chosen == "figures")


def show(chosen: str, known: Findings | None, dataset: Dataset) -> None:
    """Draw one part of the paper."""
    if chosen == "sets":
        data_sets(dataset)
    elif chosen == "tables":
        tables(known)
    elif known is None:
        st.info(
            "Press **Run**. The paper’s experiments are run on these data, step by step; tables, "
            "figures and verdicts fill as results come in. The same from a shell: "
            "`python -m cspca reproduce`.",
            icon=":material/start:",
        )
        if chosen == "claims":
            claims(None)
    elif chosen == "claims":
        claims(known)
    elif chosen == "figures":
        figures(known, dataset)
    else:
        starts(known)


frame.page(
    title="Does the paper hold?",
    lead="What the paper claims, its numbers beside ours, computed here and kept.",
    body=body,
)
