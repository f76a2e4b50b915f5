"""Data: choose, fetch or upload images, check how they were read, and use them."""

from html import escape
from typing import Any

import streamlit as st

from cspca.datasets import BUILTIN, Dataset
from cspca.experiments.exports import data_files, may_be_shown
from cspca.ui import erasing, frame, state
from cspca.ui.data_page import draft
from cspca.ui.data_page.changes import changes
from cspca.ui.data_page.preview import close_up, preview, statistics
from cspca.ui.data_page.questions import draw_reading
from cspca.ui.data_page.scales import draw_scales
from cspca.ui.data_page.sources import sources, waiting
from cspca.ui.export import file_buttons
from cspca.ui.plain import button, plain
from cspca.ui.steps_box import draw_steps


def body(view: state.View, in_use: Dataset) -> None:
    opened = draft.shown(in_use)
    dataset, file = opened.proposed, opened.source.name
    used = dataset is in_use
    name = draft.title_of(in_use) if used else file if dataset is None else dataset.name
    stays = f"{file}{', in use' if used else ''}"
    sources(view.data, stays, shows_upload=bool(opened.source.files))
    # A file that is used at once has its progress bar in the sidebar.
    reading = draft.reading()
    # The bar replaces the divider, so that nothing moves when it appears and disappears.
    with st.container(height=60, border=False):
        if reading is None:
            st.divider()
        else:
            waiting(reading, "page")
    left, right = st.columns([5, 7], gap="large")
    with left:
        st.html(f'<h2 class="cspca-words">{escape(name)}</h2>')
        if file != name or not used:
            st.caption(plain(f"From {file}{'' if used else ', not in use yet'}."))
        if dataset is not None and used:
            state.link("explore", "Explore this data set", ":material/tune:")
            changes(dataset)
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                help_text = "Takes it in use on all pages at once."
                if not opened.is_decided:
                    help_text = "Answer the open questions below first."
                is_open = not opened.is_decided
                options: dict[str, Any] = {
                    "type": "primary",
                    "help": help_text,
                    "disabled": is_open,
                }
                button("Use this set", "use_draft_button", "check", draft.use, **options)
                st.button(
                    "Remove", key="remove_draft_button", on_click=draft.dismiss, type="tertiary"
                )
        draw_reading(opened, None if reading is None else reading.snapshot.answers)
        if dataset is not None:
            draw_steps(dataset, "Every step, with its numbers", "steps_of_set")
    if dataset is not None:
        with right:
            preview(dataset)
        look_closer(dataset, opened.before)
    if dataset is not None and used:
        draw_scales(view, dataset)
    if used:
        export(view.data, in_use)
    st.divider()
    erasing.report()
    erasing.offer("data")


def look_closer(dataset: Dataset, before: Dataset | None) -> None:
    """Draw where samples differ, and what the preprocessing does to one picture."""
    nouns = dataset.nouns
    st.header(f"Where do the {nouns.samples} differ?", anchor=False)
    statistics(dataset)
    if dataset.kind == "pixels":
        st.header("What happens to one image?", anchor=False)
        close_up(dataset, before)


def export(data: str, dataset: Dataset) -> None:
    """Offer the data as they were read; fetched data only where their terms allow it."""
    nouns = dataset.nouns
    st.header(f"Export the {nouns.samples}", anchor=False)
    fetched = dataset.recipe is not None and "fetch" in dataset.recipe.names
    is_restricted = data not in BUILTIN and fetched and not may_be_shown(dataset.licence)
    terms = (
        f"As they were read: values from 0 to 1, one row {nouns.a_sample}. Terms: "
        f"{dataset.licence or 'not known'}."
    )
    if is_restricted:
        terms = f"These {nouns.samples} come from elsewhere, on these terms: {dataset.licence}. "
        terms += "Take them from there."
    st.caption(plain(terms))
    if is_restricted:
        return
    file_buttons(dataset.name, data_files(dataset), key="data")


frame.page(
    "data",
    question=lambda nouns: f"Which {nouns.samples}?",
    lead="Take a set that is here, fetch one, or bring your own. We show how your "
    "file was read; correct anything.",
    body=body,
)
