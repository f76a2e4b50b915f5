"""Sensitivity: a grid of α and β on the data set in use."""

import html
import math
from typing import Any

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import Fit
from cspca.experiments.sensitivity import Measure, Sensitivity, measures
from cspca.experiments.service import RunView
from cspca.experiments.steps import has_classes
from cspca.figures.penalty_grid import REGIMES
from cspca.figures.words import power
from cspca.selection import PAPER_GRID, RELATIVE_GRID
from cspca.ui import charts, fields, frame, keys, scale, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.export import Chart
from cspca.ui.theme import is_dark

GRIDS = {"relative": RELATIVE_GRID, "absolute": PAPER_GRID}
SCALES = {"relative": "Fractions", "absolute": "The paper’s grid"}
LOOKS = {"map": "Map", "bars": "Bars, as in the paper"}
BOX = "grid_figure"


def usual(dataset: Dataset) -> Sensitivity:
    k = max(1, dataset.n_features // 2)
    return Sensitivity(n_features=k if has_classes(dataset) else None)


def controls(dataset: Dataset) -> Sensitivity:
    nouns = dataset.nouns
    fractions = ", ".join(f"{value:g}" for value in RELATIVE_GRID)
    name = fields.choice(
        Sensitivity,
        "penalty_scale",
        SCALES,
        "Values of α and β",
        help=f"Fractions of the penalties at which no {nouns.feature} is left: {fractions}. The "
        "paper’s: 10⁻⁶, 10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, whatever the size of the data.",
    )
    grid = GRIDS[name]
    n = len(grid)
    if name == "relative":
        st.caption(f"{n} × {n} fractions of α_max and β_max: they mean the same on any data.")
    else:
        of = f"the number and size of the {nouns.samples}"
        if dataset.image_shape is not None:
            of = f"how many {nouns.samples} there are and how bright they are"
        st.caption(f"{n} × {n} absolute values, as printed. What they do depends on {of}.")
    if not has_classes(dataset):
        st.info(
            f"These {nouns.samples} have no classes, and ACC and NMI need them: the grid shows "
            f"what the fits themselves say, such as rank and {nouns.features} that are exactly "
            "zero."
        )
        return fields.asked(Sensitivity, alphas=grid, betas=grid, n_features=None)
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        fields.number(
            Sensitivity,
            "n_features",
            f"k, {nouns.features}",
            most=dataset.n_features,
            help=f"K-means clusters the {nouns.samples} by the k best {nouns.features} of every "
            "fit.",
        )
    with right:
        fields.number(Sensitivity, "n_seeds", most=100, least=1)
    return fields.asked(Sensitivity, alphas=grid, betas=grid)


def body(outcome: Outcome, dataset: Dataset, run: RunView) -> None:
    grid, results = outcome.experiment, outcome.results
    assert isinstance(grid, Sensitivity)
    cell = selected(outcome)
    left, right = st.columns([7, 4], gap="large")
    with left:
        name, measure = measure_switch(dataset)
        look = looks()
        drawn = grid.figure(
            results, name, measure, bars=look == "bars", dark=is_dark(), selected=cell
        )
        with st.container(key=BOX):
            key = f"grid_{look}_{run.run.id}"
            events: dict[str, Any] = {}
            if look == "map":
                events = {"on_select": lambda: clicked(key, grid), "selection_mode": "points"}
            charts.show(drawn, key, of=dataset.name, name="sensitivity", **events)
        unit = "fractions of α_max and β_max" if grid.penalty_scale == "relative" else "absolute"
        st.caption(f"{measure.words} α and β are {unit}.")
        if measure.judged:
            for found in outcome.findings[1:2]:
                st.markdown(found.sentence)
    with right:
        cell_panel(outcome, cell, dataset)


def measure_switch(dataset: Dataset) -> tuple[str, Measure]:
    known = measures(dataset.nouns, has_classes(dataset))
    if st.session_state.get(keys.GRID_MEASURE) not in known:
        st.session_state[keys.GRID_MEASURE] = next(iter(known))
    name = st.segmented_control(
        "Colour by",
        list(known),
        format_func=lambda one: known[one].label,
        key=keys.GRID_MEASURE,
        required=True,
        wrap=True,
        persist_state="session",
    )
    return str(name), known[str(name)]


def looks() -> str:
    st.session_state.setdefault(keys.GRID_LOOK, "map")
    look = st.segmented_control(
        "Drawn as",
        list(LOOKS),
        format_func=LOOKS.__getitem__,
        key=keys.GRID_LOOK,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(look)


def clicked(key: str, grid: Sensitivity) -> None:
    """Look at the cell that was clicked (a chart's callback)."""
    event = st.session_state.get(key) or {}
    for point in event.get("selection", {}).get("points", []):
        if point.get("customdata"):
            i, j = (int(one) for one in point["customdata"][:2])
            st.session_state[keys.GRID_CELL] = grid.alphas[i], grid.betas[j]
            return


def selected(outcome: Outcome) -> tuple[int, int]:
    """The cell that is looked at: the one chosen, else the best, else one in the middle."""
    grid = outcome.experiment
    assert isinstance(grid, Sensitivity)
    chosen = st.session_state.get(keys.GRID_CELL)
    if chosen is not None and chosen[0] in grid.alphas and chosen[1] in grid.betas:
        return grid.alphas.index(chosen[0]), grid.betas.index(chosen[1])
    # While it runs the best one changes, and with it what is shown, until one is chosen.
    return grid.best(outcome.results) or (len(grid.alphas) // 2, len(grid.betas) // 2)


def cell_panel(outcome: Outcome, cell: tuple[int, int], dataset: Dataset) -> None:
    """Draw the choice of a cell, what it says, and the button that opens it in Explore."""
    grid = outcome.experiment
    assert isinstance(grid, Sensitivity)
    session, many = st.session_state, dataset.nouns.features
    alpha, beta = grid.alphas[cell[0]], grid.betas[cell[1]]
    with st.container(key="grid_cell_panel"):
        st.subheader("One point of it", anchor=False)
        st.caption("Click a cell of the map, or choose here.")
        session[keys.GRID_ALPHA], session[keys.GRID_BETA] = alpha, beta
        for place, sign, values, key in zip(
            st.columns(2), "αβ", (grid.alphas, grid.betas), (keys.GRID_ALPHA, keys.GRID_BETA),
            strict=True,
        ):  # fmt: skip
            with place:
                st.selectbox(sign, values, format_func=power, key=key, on_change=by_hand)
        points = grid.means(outcome.results)
        here = points[(points["alpha"] == alpha) & (points["beta"] == beta)]
        if here.empty:
            st.info("This point is not computed yet.", icon=":material/hourglass_empty:")
            return
        row = here.iloc[0]
        lines = "".join(
            f"<span>{html.escape(name)} <b>{html.escape(value)}</b></span>"
            for name, value in facts(row, dataset)
        )
        st.html(f'<div class="cspca-facts">{lines}</div>')
        if row["regime"] == "zero":
            st.caption(
                f"W is zero: no {dataset.nouns.feature} is used, and the best k are only those "
                "that would be used first."
            )
        elif row["regime"] == "identity":
            st.caption(
                f"W is the identity: all {many} tie, so which of them are the best k means nothing."
            )
        open_in_explore(grid, row)


def by_hand() -> None:
    session = st.session_state
    session[keys.GRID_CELL] = session[keys.GRID_ALPHA], session[keys.GRID_BETA]


def facts(row: Any, dataset: Dataset) -> list[tuple[str, str]]:
    found = [
        (title, f"{100 * row[f'{name}_mean']:.1f} ± {100 * row[f'{name}_std']:.1f} %")
        for name, title in (("accuracy", "ACC"), ("nmi", "NMI"))
        if math.isfinite(row.get(f"{name}_mean", math.nan))
    ]
    gap = row["duality_gap"]
    return [
        *found,
        ("certified gap", f"{100 * gap:.2g} %" if gap > 1e-9 else "0 %"),
        ("rank", f"{row['rank']:,}"),
        ("exactly zero", f"{row['n_zero']:,} of "
         f"{dataset.nouns.count_features(dataset.n_features)}"),
        ("objective", f"{row['objective']:.6g}"),
        ("iterations", f"{row['n_iter']:,}"),
        ("regime", REGIMES[row["regime"]][1]),
    ]  # fmt: skip


def open_in_explore(grid: Sensitivity, row: Any) -> None:
    """The button that sets Explore's sliders to the stops nearest to a point."""
    alpha, beta = row["alpha"], row["beta"]
    absolute = grid.penalty_scale == "absolute"
    if absolute:
        alpha, beta = alpha / row["alpha_max"], beta / row["beta_max"]
    at = scale.snap(alpha), scale.snap(beta)
    pressed = st.button(
        "Open in Explore",
        key=keys.GRID_OPEN,
        icon=":material/tune:",
        on_click=state.open_fit,
        args=(
            Fit(alpha=at[0], beta=at[1], center=grid.center, normalize=grid.normalize),
            grid.n_features,
        ),
        width="stretch",
    )
    if absolute:
        st.caption(
            f"Explore counts in fractions: α is {alpha:.3g} of α_max = {row['alpha_max']:.4g} and "
            f"β is {beta:.3g} of β_max = {row['beta_max']:.4g}. It opens at the nearest stops of "
            f"its sliders, {scale.say(at[0])} and {scale.say(at[1])}."
        )
    if pressed:
        st.switch_page("pages/explore.py", query_params=state.address())


def steps(dataset: Dataset) -> list[str]:
    nouns = dataset.nouns
    found = [
        "CSPCA is fitted at every pair of α and β, each from a cold start, with a proof of how "
        "close to the optimum it is."
    ]
    if has_classes(dataset):
        found.append(
            f"K-means clusters the {nouns.samples} by the k best {nouns.features} of each fit, and "
            "the clusters are held against the classes."
        )
    return found


PAGE = ExperimentPage(
    kind=Sensitivity,
    button="Run the grid",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    charts=lambda outcome: [Chart(BOX, "The figure", "sensitivity")],
)

frame.page(
    title="Where do α and β matter?",
    lead=lambda nouns: (
        f"The same {nouns.samples} at every pair of penalties: where the colour is even, α and β "
        "hardly matter."
    ),
    body=PAGE.show,
)
