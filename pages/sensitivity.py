"""Sensitivity: a grid of α and β on the data set in use, kept and resumed."""

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.runs.sweeps import Sensitivity, SweepView, sweep_of
from cspca.ui import frame, keys, state
from cspca.ui.plain import plain
from cspca.ui.sensitivity_page import live
from cspca.ui.sensitivity_page.cell import cell_panel, selected_cell
from cspca.ui.sensitivity_page.figure import figure, measure_switch
from cspca.ui.sensitivity_page.measures import measures
from cspca.ui.sensitivity_page.reading import failure_of, grid_of, limits_of
from cspca.ui.sensitivity_page.request import GridRequest, request_of
from cspca.ui.sensitivity_page.settings import settings
from cspca.ui.sensitivity_page.takeaway import takeaway
from cspca.ui.services import sweeps


def body(view: state.View, dataset: Dataset) -> None:
    run = live.attach(view, dataset)
    with st.container(key=keys.BOX_GRID):
        side, main = st.columns([4, 11], gap="large")
    with side:
        asked = settings(dataset)
        live.buttons(view, run, asked)
    with main:
        if run is None:
            empty(dataset)
            return
        grid, name = results(run, dataset, asked)
    st.subheader("Take it with you", anchor=False)
    takeaway(view, dataset, run, grid, name, measures(dataset.nouns)[name].label)


def results(run: SweepView, dataset: Dataset, asked: GridRequest) -> tuple[Sensitivity, str]:
    """Draw where the run stands, the grid, and one cell of it; return what coloured it."""
    live.follow(run)
    failure = failure_of(run)
    if failure is not None:
        st.warning(
            f"Some points could not be computed: {plain(failure)}", icon=":material/warning:"
        )
    if not run.active and request_of(sweep_of(sweeps().store, run.run.id)) != asked:
        st.info(
            "The settings have changed since: press Run the grid for results of the new ones.",
            icon=":material/info:",
        )
    grid = grid_of(run)
    cell = selected_cell(grid)
    left, right = st.columns([7, 4], gap="large")
    with left:
        name = measure_switch(dataset, grid.n_features is not None)
        figure(grid, name, dataset, run.run.id, cell)
    with right:
        cell_panel(grid, cell, dataset, limits_of(run))
    return grid, name


def empty(dataset: Dataset) -> None:
    """Say what to do, and what will happen."""
    nouns = dataset.nouns
    st.info("Press **Run the grid**. Cells fill as they finish.", icon=":material/start:")
    steps = [
        "CSPCA is fitted at every pair of α and β, each from a cold start, with a proof of how "
        "close to the optimum it is.",
    ]
    if has_classes(dataset):
        steps.append(
            f"K-means clusters the {nouns.samples} by the k best {nouns.features} of each fit, and "
            "the clusters are held against the classes."
        )
    steps.append(
        "Every step is kept on the server’s disk as it finishes: stop, close the page or restart "
        "the server, and go on later from this page’s address. Whoever has the address can see it."
    )
    st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))


frame.page(
    title="Where do α and β matter?",
    lead=lambda nouns: (
        f"The same {nouns.samples} at every pair of penalties: where results stand still the "
        "choice is free, where they change it is not."
    ),
    body=body,
)
