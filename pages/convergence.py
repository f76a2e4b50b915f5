"""Convergence and starts: both solvers from the paper's seven starts, against the optimum."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.paper_recognition import recognise
from cspca.runs.comparison_records import has_classes
from cspca.runs.starts_findings import StartsFindings
from cspca.runs.sweeps import SweepView, sweep_of
from cspca.ui import frame, keys, state
from cspca.ui.plain import plain
from cspca.ui.sensitivity_page.reading import failure_of
from cspca.ui.services import sweeps
from cspca.ui.starts_page import live
from cspca.ui.starts_page.figure import figure
from cspca.ui.starts_page.reading import findings_of
from cspca.ui.starts_page.regime import regime
from cspca.ui.starts_page.request import StartsRequest, request_of
from cspca.ui.starts_page.settings import settings
from cspca.ui.starts_page.table import table
from cspca.ui.starts_page.takeaway import takeaway


def body(view: state.View, dataset: Dataset) -> None:
    run = live.attach(view, dataset)
    with st.container(key=keys.BOX_STARTS):
        side, main = st.columns([4, 13], gap="large")
    with side:
        asked = settings(dataset)
        live.buttons(view, run, asked)
    with main:
        if run is None:
            empty(dataset)
            return
        found = progress(run, dataset, asked)
        if found is None:
            return
        regime(found, dataset)
        figure(found, dataset)
    starts(found, dataset)
    st.subheader("Take it with you", anchor=False)
    takeaway(view, dataset, run, found)


def progress(run: SweepView, dataset: Dataset, asked: StartsRequest) -> StartsFindings | None:
    """Draw where the run stands and the answer; return what is found, None before anything is."""
    live.follow(run)
    failure = failure_of(run)
    if failure is not None:
        st.warning(f"Some could not be computed: {plain(failure)}", icon=":material/warning:")
    if not run.active and request_of(sweep_of(sweeps().store, run.run.id), dataset) != asked:
        st.info(
            "The settings differ from those of this run: press Run both solvers for theirs.",
            icon=":material/info:",
        )
    found = findings_of(run)
    headline = found.headline()
    if headline:
        st.markdown(f"#### {headline}")
    return found if found.rows else None


def starts(found: StartsFindings, dataset: Dataset) -> None:
    """Draw the table of the seven starts and what it says."""
    st.subheader("Does the start matter?", anchor=False)
    known = recognise(dataset.n_samples, dataset.n_features, dataset.n_classes, dataset.name)
    beside = known.paper_set if known.same_data else None
    for sentence in found.sentences(dataset.nouns, beside):
        st.markdown(f"- {sentence}")
    table(found, dataset, beside)
    if not has_classes(dataset):
        st.caption("Without classes there is no ACC: it is left out.")


def empty(dataset: Dataset) -> None:
    """Say what to do, and what will happen."""
    st.info("Press **Run both solvers**. Starts fill in as they finish.", icon=":material/start:")
    steps = [
        "The paper’s Algorithm 1 goes fifty iterations from each of its seven starts: W diagonal, "
        "W all of one number, and W random.",
        "The certified solver goes from the same starts until it has proved how close to the "
        "optimum it is. That proof measures both.",
    ]
    if has_classes(dataset):
        steps.append(
            f"K-means clusters the {dataset.nouns.samples} by the k best {dataset.nouns.features} "
            "of each, and the clusters are held against the classes."
        )
    steps.append(
        "Every step is kept on the server’s disk as it finishes: stop, close the page or restart "
        "the server, and go on later from this page’s address. Whoever has the address can see it."
    )
    st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))


frame.page(
    title="Is ten iterations enough?",
    lead=lambda nouns: (
        "The paper stops Algorithm 1 after ten iterations, where its curve looks flat, and says "
        "that the start does not matter. Here the optimum is proved, and both are measured."
    ),
    body=body,
)
