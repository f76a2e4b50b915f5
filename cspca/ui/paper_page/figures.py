"""The paper's three figures, as slices of what is kept: features, penalties, convergence."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.evaluation.paper_evidence import curve_at
from cspca.evaluation.statistics import summarise
from cspca.figures.colours import ACCENT
from cspca.figures.compare import Curve as FeatureCurve
from cspca.figures.compare import alt_feature_curves, feature_curves
from cspca.figures.convergence import Curve, convergence_alt
from cspca.figures.sensitivity import alt_sensitivity, sensitivity_bars, sensitivity_heatmap
from cspca.figures.starts import convergence_static
from cspca.runs.paper import Findings, sensitivity_at
from cspca.runs.sweeps import StartRow
from cspca.ui import keys
from cspca.ui.paper_page.starts import NAMES
from cspca.ui.takeaway import chart_config
from cspca.ui.theme import is_dark

_LOOKS: Final = {"map": "Map", "bars": "Bars"}
_OTHER: Final = "#D55E00"


def figures(known: Findings, dataset: Dataset) -> None:
    """Draw all three, as far as there is something to draw."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(f"How many {dataset.nouns.features}?", anchor=False)
        _features(known.comparison, dataset)
        st.subheader("Does it converge?", anchor=False)
        _convergence(known.starts, dataset)
    with right:
        st.subheader("Where do α and β matter?", anchor=False)
        _sensitivity(known.comparison, dataset)


def _waiting(part: str) -> None:
    st.info(f"Not computed yet: press **Run** with “{part}” chosen.", icon=":material/start:")


def _features(comparison: Comparison | None, dataset: Dataset) -> None:
    curve = {} if comparison is None else curve_at(comparison)
    if comparison is None or not curve:
        _waiting("Tables and sensitivity")
        return
    many = dataset.nouns.features
    sums = {k: summarise(runs) for k, runs in curve.items()}
    shown = []
    choices, runs = comparison.scores("all", "accuracy")
    if choices:
        level = summarise(runs[0])
        shown.append(
            FeatureCurve(
                "All features", "AllFeatures", [choices[0].n_features], [level.mean], [level.std]
            )
        )
    shown.append(
        FeatureCurve(
            "CSPCA",
            "CSPCA",
            list(sums),
            [one.mean for one in sums.values()],
            [one.std for one in sums.values()],
        )
    )
    with st.container(key=keys.BOX_PAPER_CURVE):
        st.plotly_chart(
            feature_curves(shown, "ACC", dark=is_dark(), features=many),
            key="paper_features",
            alt=alt_feature_curves(shown, "ACC", features=many),
            theme=None,
            config=chart_config(dataset.name, "paper-features"),
            width="stretch",
        )
    st.caption(
        "CSPCA at α = β = 1, as the paper’s figure fixes them; bands: ± standard deviation over "
        "the starts of K-means."
    )


def _sensitivity(comparison: Comparison | None, dataset: Dataset) -> None:
    first = None if comparison is None else sensitivity_at(comparison)
    if comparison is None or first is None:
        _waiting("Tables and sensitivity")
        return
    counts = comparison.plan.method("cspca").n_features
    if st.session_state.get(keys.PAPER_K) not in counts:
        st.session_state[keys.PAPER_K] = first.n_features
    st.session_state.setdefault(keys.PAPER_LOOK, "map")
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        k = st.selectbox(
            f"Number of {dataset.nouns.features}", counts, key=keys.PAPER_K,
            persist_state="session",
        )  # fmt: skip
    with right:
        look = st.segmented_control(
            "Drawn as",
            list(_LOOKS),
            format_func=_LOOKS.__getitem__,
            key=keys.PAPER_LOOK,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
            help="The paper draws bars.",
        )
    grid = sensitivity_at(comparison, int(k))
    assert grid is not None
    axes, values = (grid.alphas, grid.betas), 100.0 * grid.means["accuracy"]
    draw = sensitivity_bars if look == "bars" else sensitivity_heatmap
    with st.container(key=keys.BOX_PAPER_GRID):
        st.plotly_chart(
            draw(*axes, values, grid.regimes, value_title="ACC, %", dark=is_dark()),
            key=f"paper_grid_{look}",
            alt=alt_sensitivity(*axes, values, grid.regimes, value_title="ACC, %"),
            theme=None,
            config=chart_config(dataset.name, "paper-sensitivity"),
            width="stretch",
        )
    flat = [name for row in grid.regimes for name in row if name is not None]
    words = f"Absolute α and β, as printed. Of {len(flat)} pairs "
    words += f"{flat.count('zero')} give W = 0"
    if "identity" in flat:
        words += f" and {flat.count('identity')} give W = I"
    words += (
        f", where every {dataset.nouns.feature} ties in the map itself; "
        f"{flat.count('sparse')} have some {dataset.nouns.features} exactly zero."
    )
    if np.isfinite(values).all():
        words += f" ACC goes from {values.min():.1f} to {values.max():.1f} %."
    st.caption(words)


def _convergence(starts: tuple[StartRow, ...], dataset: Dataset) -> None:
    longest: dict[tuple[str, str], StartRow] = {}
    for row in starts:
        kept = longest.get((row.init, row.solver))
        if kept is None or row.iterations > kept.iterations:
            longest[row.init, row.solver] = row
    inits = list(dict.fromkeys(init for init, _ in longest))
    if not inits:
        _waiting("Seven starts and convergence")
        return
    if st.session_state.get(keys.PAPER_START) not in inits:
        st.session_state[keys.PAPER_START] = inits[0]
    init = st.selectbox(
        "Start", inits, format_func=lambda one: NAMES.get(one, one), key=keys.PAPER_START,
        persist_state="session",
    )  # fmt: skip
    pairs = (("reweighted", "Algorithm 1", _OTHER), ("admm", "Certified solver", ACCENT))
    curves = [
        _curve(name, colour, longest[init, solver])
        for solver, name, colour in pairs
        if (init, solver) in longest
    ]
    with st.container(key=keys.BOX_PAPER_COURSE):
        st.plotly_chart(
            convergence_static(curves, dark=is_dark(), log_x=True, zoom=True),
            key="paper_convergence",
            alt=convergence_alt(curves),
            theme=None,
            config=chart_config(dataset.name, "paper-convergence"),
            width="stretch",
        )
    st.caption(
        "The objective at α = β = 1 against the iteration, its proven lower bound dashed. What "
        "looks flat after ten iterations need not have arrived."
    )


def _curve(name: str, colour: str, row: StartRow) -> Curve:
    columns = (
        np.asarray(row.history[key], dtype=np.float64).tolist()
        for key in ("number", "seconds", "objective", "dual_bound", "gap")
    )
    return Curve(name, colour, *columns)
