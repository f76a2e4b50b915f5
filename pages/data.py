"""Data: choose, fetch or bring images, see what was recognised, and take them in use."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.ui import frame, keys, state
from cspca.ui.data_page import draft
from cspca.ui.data_page.close_up import close_up
from cspca.ui.data_page.preview import preview, statistics
from cspca.ui.data_page.recognised import recognised, size_chooser
from cspca.ui.data_page.sources import sources
from cspca.ui.data_page.waiting import waiting
from cspca.ui.plain import words


def body(view: state.View, in_use: Dataset) -> None:
    reading = draft.loading()
    sources(view.data)
    waiting(reading)
    subject = draft.subject(view.data, in_use)
    dataset = subject.dataset
    asked = reading.snapshot.choices if reading is not None else None
    st.divider()
    left, right = st.columns([4, 7], gap="large")
    with left:
        about(subject, frame.title_of(view.data, dataset) if subject.in_use else dataset.name)
        if subject.opened is not None:
            recognised(subject.opened, asked)
        else:
            words(dataset.recognised)
        if dataset.image_shape is not None:
            size_chooser(subject.opened, dataset.image_shape, asked)
    with right:
        preview(dataset)
    st.subheader("Where do the images differ?", anchor=False)
    statistics(dataset)
    if dataset.image_shape is not None:
        st.subheader("What happens to one picture?", anchor=False)
        close_up(dataset, subject.opened.before if subject.opened is not None else None)


def about(subject: draft.Subject, name: str) -> None:
    """Say what is shown and whether it is in use; offer the next step."""
    words(name, "h3")
    if subject.in_use:
        st.page_link("pages/explore.py", label="In use: explore it", icon=":material/tune:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use this set",
            key=keys.USE_DRAFT,
            type="primary",
            icon=":material/check:",
            on_click=draft.use,
            help="Takes it in use on all pages at once.",
        )
        st.button("Put it away", key=keys.PUT_AWAY, on_click=draft.put_away, type="tertiary")


frame.page(
    title="Which images?",
    lead="Take a set that is here, fetch one, or bring your own. What was recognised is said in "
    "words, and every guess can be changed.",
    body=body,
)
