"""Compare: every method on the data set in use, by clustering on what it selects."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.ui import frame, keys, state
from cspca.ui.compare_page import charts, live, masks
from cspca.ui.compare_page.settings import settings
from cspca.ui.compare_page.table import metric_switch, table
from cspca.ui.compare_page.takeaway import takeaway
from cspca.ui.compare_page.words import failures
from cspca.ui.plain import plain


def body(view: state.View, dataset: Dataset) -> None:
    progress = live.attach(view, dataset)
    with st.container(key=keys.BOX_COMPARE):
        side, main = st.columns([4, 11], gap="large")
    with side:
        request = settings(dataset).request
        live.buttons(view, progress, request)
    if progress is None:
        with main:
            empty(dataset)
        return
    snapshot = progress.snapshot
    comparison = snapshot.comparison
    with main:
        live.follow(progress)
        metric = metric_switch(comparison, snapshot.request.labelled)
        table(snapshot, metric, dataset, active=progress.active)
        if not snapshot.askable:
            st.info(
                "This comparison was asked for in Python or a shell, with more than the settings "
                "of this page can say.",
                icon=":material/info:",
            )
        elif not progress.active and request is not None and request != snapshot.request:
            st.info(
                "The settings have changed since: press Compare for results of the new ones.",
                icon=":material/info:",
            )
    if comparison is None:
        return
    for sentence in failures(comparison, dataset.nouns):
        st.warning(plain(sentence), icon=":material/warning:")
    comparison = live.drawn(progress)
    if comparison is None or metric not in comparison.metrics:
        return
    for first, second in masks.twins(comparison, metric):
        st.info(
            f"{first} and {second} select the same {dataset.nouns.features} at every number here, "
            "so their figures are equal."
            + (" SPEC’s φ₂ is the Laplacian Score." if "SPEC" in (first, second) else ""),
            icon=":material/info:",
        )
    many = dataset.nouns.features
    for title, n_tied in masks.undecided(comparison, metric):
        st.info(
            f"{title} scores its best {n_tied:,} {many} all the same here: which of them it "
            "selects means nothing. Other parameters may tell them apart"
            + ("." if snapshot.request.tune else ": try the paper’s grid."),
            icon=":material/info:",
        )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("How far are they apart?", anchor=False)
        charts.bars(comparison, metric)
    with right:
        st.subheader(f"How many {many} are enough?", anchor=False)
        charts.curves(comparison, metric, dataset)
    st.subheader(f"Which {many} does each method select?", anchor=False)
    k = masks.selected(comparison, dataset, metric)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Do they agree?", anchor=False)
        charts.overlap(comparison, k, metric, dataset)
    with right:
        st.subheader("What does it cost?", anchor=False)
        charts.times(comparison, metric)
    st.subheader("Take it with you", anchor=False)
    takeaway(view, dataset, snapshot.request if snapshot.askable else None, comparison)


def empty(dataset: Dataset) -> None:
    """Say what to do, and what will happen."""
    nouns = dataset.nouns
    judged = "The clusters are held against the classes"
    if not has_classes(dataset):
        judged = "The clusters are judged by themselves"
    st.info("Press **Compare**. Results appear here as they finish.", icon=":material/start:")
    st.markdown(
        f"1. Each method ranks the {nouns.features} without seeing any label.\n"
        f"2. The {nouns.samples} are clustered by K-means on the best {nouns.features} of each "
        "method, many times, from the same starts for all.\n"
        f"3. {judged}, and every figure comes with its spread, its paired difference from using "
        "everything, and a mark for what is best.\n"
        "4. Every step is kept on the server’s disk as it finishes: stop, close the page or "
        "restart the server, and go on later from this page’s address. Whoever has the address can "
        "see it."
    )


frame.page(
    title=lambda nouns: f"Which method picks the best {nouns.features}?",
    lead=lambda nouns: (
        f"Every method selects {nouns.features}, K-means clusters the {nouns.samples} by them, and "
        "the clusters are compared: the same starts for all, with error bars."
    ),
    body=body,
)
