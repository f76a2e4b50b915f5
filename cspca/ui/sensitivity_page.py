"""The Sensitivity tab of Compare: a grid of α and β, and its selected cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import streamlit as st

from cspca import selection
from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import Fit, caution
from cspca.experiments.sensitivity import MEASURES, Sensitivity, said
from cspca.figures.meanings import MEANINGS, Meaning
from cspca.figures.words import above, power
from cspca.ui import export, fields, keys, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import facts

_MEANT = {
    **{"accuracy_mean": "accuracy", "nmi_mean": "nmi", "n_zero": "zeros", "rank": "rank"},
    **{"duality_gap": "gap", "objective": "objective"},
}
"""Key of the meaning of each measure of the grid."""


def usual(dataset: Dataset) -> Sensitivity:
    """Return the grid with clustering on half of the features, where there are labels."""
    k, grid = max(1, dataset.n_features // 2), selection.RELATIVE_GRID
    return Sensitivity(alphas=grid, betas=grid, n_features=k if dataset.has_classes else None)


def quick(dataset: Dataset) -> Iterator[Sensitivity]:
    """Yield parts of the grid without the smallest penalties, whose fits take longest."""
    whole = usual(dataset)
    large = tuple(alpha for alpha in whole.alphas if alpha >= 0.01)
    for penalties in (large, large[:2] + large[3:], large[::2], large[1::2]):
        yield replace(whole, alphas=penalties, betas=penalties)


def controls(dataset: Dataset) -> Sensitivity:
    """Draw the settings and return the experiment."""
    nouns, grid = dataset.nouns, selection.RELATIVE_GRID
    fractions = ", ".join(f"{value:g}" for value in grid)
    of = f"the number and size of the {nouns.samples}"
    if dataset.kind == "pixels":
        of = f"how many {nouns.samples} there are and how bright they are"
    name = fields.choice(
        Sensitivity,
        "penalty_scale",
        {"relative": "Fractions", "absolute": "The paper’s"},
        "Values of α and β",
        help=f"Fractions of the penalties at which no {nouns.feature} is left, which mean the same "
        f"on any data: {fractions}. The paper’s, absolute, as printed: 10⁻⁶, 10⁻⁴, 10⁻², 1, 10², "
        f"10⁴ and 10⁶; what they do depends on {of}.",
    )
    if name == "absolute":
        grid = selection.PAPER_GRID
    if not dataset.has_classes:
        st.info(
            f"{dataset.without_scores}, so ACC and NMI are left out: the grid shows what the "
            f"fits themselves say, such as rank and {nouns.features} that are exactly zero."
        )
        return fields.read(Sensitivity, alphas=grid, betas=grid, n_features=None)
    help = f"K-means clusters the {nouns.samples} by this many best {nouns.features} of every fit."
    fields.clusters(Sensitivity, dataset, help)
    return fields.read(Sensitivity, alphas=grid, betas=grid)


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the results."""
    grid: Any = outcome.experiment
    cell = _selected(grid, outcome)
    left, right = (st.container(), None) if state.bare() else st.columns([7, 4], gap="large")
    with left:
        judged = ("accuracy_mean", "nmi_mean")
        labels = {name: measure.label for name, measure in MEASURES.items()}
        if not dataset.has_classes:
            labels = {name: label for name, label in labels.items() if name not in judged}
        measures, drawn_as = st.columns(2, vertical_alignment="bottom")
        with measures:
            name = fields.switch("Colour by", labels, "grid_measure", draw=st.selectbox)
        with drawn_as:
            hint = "The paper draws bars."
            look = fields.views("Drawn as", {"map": "Map", "bars": "Bars"}, "grid_look", help=hint)
        drawn = grid.figure(
            outcome.results, name, bars=look == "bars", selected=cell, nouns=dataset.nouns
        )
        key = f"grid_{look}_{run.id}"
        options: dict[str, Any] = {"key": key, "name": "sensitivity"}
        if look == "map":
            options |= {"on_select": lambda: _clicked(key, grid), "selection_mode": "points"}
        export.show(drawn, "grid_figure", of=dataset.name, **options)
        unit = "fractions of α_max and β_max" if grid.penalty_scale == "relative" else "absolute"
        meaning = MEASURES[name].meaning.format(features=dataset.nouns.features)
        hatched = ""
        points = grid.means(outcome.results)
        if name in judged and "no_ranking" in points and (points["no_ranking"] != "").any():
            hatched = (
                " Hatched cells have no ranking, so no score: the model is empty, W = I, or "
                f"{dataset.nouns.features} tie at the cut."
            )
        st.caption(f"{meaning} α and β are {unit}.{hatched}")
        if name in judged:
            for finding in outcome.findings[1:2]:
                st.markdown(finding.sentence)
    if right is None:
        return
    with right, st.container(key="grid_cell_panel"):
        # While the best cell changes, each cell has its own widgets: a late message of the browser
        # still has the cell before, which the visitor has not chosen.
        moves = run.active and keys.GRID_CELL_CHOSEN not in st.session_state
        _point(grid, outcome, cell, dataset, "_{}_{}".format(*cell) if moves else "")


def _clicked(key: str, grid: Sensitivity) -> None:
    """Select the cell that was clicked (a chart's callback)."""
    event = st.session_state.get(key) or {}
    for point in event.get("selection", {}).get("points", []):
        if point.get("customdata"):
            i, j = (int(index) for index in point["customdata"][:2])
            st.session_state[keys.GRID_CELL_CHOSEN] = grid.alphas[i], grid.betas[j]
            return


def _selected(grid: Sensitivity, outcome: Outcome) -> tuple[int, int]:
    """Return the selected cell: the chosen one, else the best, else the middle one."""
    chosen = st.session_state.get(keys.GRID_CELL_CHOSEN)
    if chosen is not None and chosen[0] in grid.alphas and chosen[1] in grid.betas:
        return grid.alphas.index(chosen[0]), grid.betas.index(chosen[1])
    # While the grid runs, the best cell may change, and with it the selection.
    return grid.best(outcome.results) or (len(grid.alphas) // 2, len(grid.betas) // 2)


def _point(
    grid: Sensitivity, outcome: Outcome, cell: tuple[int, int], dataset: Dataset, of: str
) -> None:
    """Draw the choice of a cell, its numbers, and the button that opens it in Explore."""
    session = st.session_state
    st.header("Selected cell", anchor=False)
    st.caption("Click a cell of the map, or choose here.")
    alpha, beta = grid.alphas[cell[0]], grid.betas[cell[1]]
    at_alpha, at_beta = f"grid_cell_alpha{of}", f"grid_cell_beta{of}"
    session[at_alpha], session[at_beta] = alpha, beta
    left, right = st.columns(2)

    def by_hand() -> None:
        session[keys.GRID_CELL_CHOSEN] = session[at_alpha], session[at_beta]

    options: dict[str, Any] = {"format_func": power, "on_change": by_hand}
    left.selectbox("α", grid.alphas, key=at_alpha, **options)
    right.selectbox("β", grid.betas, key=at_beta, **options)
    points = grid.means(outcome.results)
    here = points[(points["alpha"] == alpha) & (points["beta"] == beta)]
    if here.empty:
        st.info("This point is not computed yet.", icon=":material/hourglass_empty:")
        return
    row = here.iloc[0]
    st.html(facts(_meant(row, grid.n_seeds, dataset)))
    if sentence := caution(row["regime"], dataset.nouns, row["duality_gap"]):
        st.caption(sentence)
    _open_in_explore(grid, row)


def _meant(row: Any, n_seeds: int, dataset: Dataset) -> Iterator[tuple[str, str, Meaning | None]]:
    """Yield the numbers of a grid point, each with its meaning."""
    names = {MEASURES[name].label: meant for name, meant in _MEANT.items()} | {
        "Iterations": "iterations"
    }
    count, bound = dataset.n_features, row["objective"] * (1 - row["duality_gap"])
    values = {
        **{"title": "This point", "n_seeds": n_seeds, "count": count, "bound": bound},
        **{"zeros": row["n_zero"], "rank": row["rank"]},
        **{"objective": row["objective"], "gap": above(row["duality_gap"])},
    }
    for name, value in said(row).items():
        mean, _, std = value.partition(" ± ")
        meaning = MEANINGS.get(names.get(name, ""))
        yield name, value, meaning and meaning.said(dataset.nouns, **values, mean=mean, std=std)


def _open_in_explore(grid: Sensitivity, row: Any) -> None:
    """Draw the button that sets Explore's sliders to a grid point."""
    fit = Fit(
        alpha=row["alpha"],
        beta=row["beta"],
        penalty_scale=grid.penalty_scale,
        center=grid.center,
        normalize=grid.normalize,
    ).relative(row)
    # From 1 on, W is zero.
    fit = replace(fit, alpha=min(1.0, fit.alpha), beta=min(1.0, fit.beta))
    if st.button(
        "Open in Explore", key="open_cell_button", icon=":material/tune:", width="stretch"
    ):
        view = state.View(data=state.data_in_use(), fit=fit)
        state.go("explore", state.address_of(view))
    if grid.penalty_scale == "absolute":
        st.caption(
            f"Explore counts in fractions: α is {fit.alpha:.3g} of α_max = {row['alpha_max']:.4g} "
            f"and β is {fit.beta:.3g} of β_max = {row['beta_max']:.4g}."
        )


PAGE = ExperimentPage(
    kind=Sensitivity,
    button="Run the grid",
    usual=usual,
    controls=controls,
    body=body,
    quick=quick,
    question="What is the effect of α and β?",
    lead=lambda nouns: (
        f"The same {nouns.samples} at every pair of penalties: where the colour is even, α and β "
        "hardly matter."
    ),
)
