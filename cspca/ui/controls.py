"""What can be set on Explore: penalties or a number of pixels, k, the solver, Stop and Continue."""

from __future__ import annotations

import math
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.fits import FitProgress
from cspca.ui import keys, live, scale, state

_SOLVERS: Final = {"admm": "Certified", "reweighted": "Algorithm 1", "both": "Both"}


def controls(view: state.View, dataset: Dataset, progress: FitProgress) -> None:
    """Draw the controls; their values live in the session and are read by `open_view`."""
    one, many = dataset.nouns.feature, dataset.nouns.features
    modes = {"penalties": "α and β", "path": "Together", "keep": many.capitalize()}
    with st.container(key=keys.BOX_CONTROLS):
        st.segmented_control(
            "Set",
            state.MODES,
            format_func=modes.__getitem__,
            key=keys.MODE,
            required=True,
            persist_state="session",
            help=f"α and β apart, both by one slider from every {one} to none, or the number of "
            f"{many} to keep, for which α is then found.",
        )
        _penalties(view, dataset, progress)
        st.select_slider(
            f"k, {many} to mark",
            scale.count_options(dataset.n_features),
            key=keys.TOP_K,
            persist_state="session",
            help=f"The k best {many} are marked on the map and "
            f"{'listed' if dataset.image_shape is None else 'on the picture'} below.",
        )
        st.segmented_control(
            "Solver",
            state.SOLVERS,
            format_func=_SOLVERS.__getitem__,
            key=keys.SOLVER,
            required=True,
            persist_state="session",
            disabled=view.mode == "keep",
            help="Certified: ADMM with a duality gap. Algorithm 1: the paper's reweighted least "
            "squares. Both: on one chart, taking turns.",
        )
        _stop_or_continue(progress)
        _more(dataset)


def _penalties(view: state.View, dataset: Dataset, progress: FitProgress) -> None:
    one, many = dataset.nouns.feature, dataset.nouns.features
    alpha_max, beta_max = _limits(dataset, progress)
    if view.mode == "path":
        _penalty(
            f"α = β ({_absolute(view.alpha, alpha_max)}, "
            f"{_absolute(view.beta, beta_max)} absolute)",
            keys.PATH,
            "Fraction of α_max for α and of β_max for β. From left to right: "
            f"every {one} kept, some exactly zero, none left.",
        )
        return
    if view.mode == "keep":
        found = progress.snapshot.alpha
        st.select_slider(
            f"{many.capitalize()} to keep (α = {found:.4g} absolute)"
            if math.isfinite(found)
            else f"{many.capitalize()} to keep (α is being found)",
            scale.count_options(state.live_pixels(dataset)),
            key=keys.KEEP,
            persist_state="session",
            help=f"About this many {many} get a row of W that is not exactly zero; α is found by "
            "a few warm fits.",
        )
    else:
        _penalty(
            f"α, row sparsity ({_absolute(view.alpha, alpha_max)} absolute)",
            keys.ALPHA,
            "Weight of ‖W‖₂,₁ as a fraction of α_max: more of it sets more "
            f"{many} to exactly zero. At 1 every {one} is zero.",
        )
    _penalty(
        f"β, low rank ({_absolute(view.beta, beta_max)} absolute)",
        keys.BETA,
        "Weight of the trace norm ‖W‖_* as a fraction of β_max: more of it gives W a lower rank. "
        f"At 1 every {one} is zero.",
    )


def _penalty(label: str, key: str, meaning: str) -> None:
    st.select_slider(
        label,
        scale.PENALTIES,
        format_func=scale.say,
        key=key,
        persist_state="session",
        help=meaning,
    )


def _limits(dataset: Dataset, progress: FitProgress) -> tuple[float, float]:
    """α_max and β_max: of this fit, or of the last one with the same preparation."""
    snapshot = progress.snapshot
    if math.isfinite(snapshot.alpha_max):
        return snapshot.alpha_max, snapshot.beta_max
    last = state.last_result(dataset)
    if last is not None and (last.spec.center, last.spec.normalize) == (
        snapshot.spec.center,
        snapshot.spec.normalize,
    ):
        return float(last.model.alpha_max_), float(last.model.beta_max_)
    return math.nan, math.nan


def _absolute(relative: float, largest: float) -> str:
    return f"{relative * largest:.4g}" if math.isfinite(largest) else "…"


def _stop_or_continue(progress: FitProgress) -> None:
    if progress.active:
        st.button(
            "Stopping…" if progress.job.stopping else "Stop",
            key=keys.STOP,
            icon=":material/stop_circle:",
            on_click=live.stop,
            disabled=progress.job.stopping or not state.is_mine(progress.job),
            width="stretch",
            help="Stop now and keep what has been reached.",
        )
        return
    certified = progress.snapshot.certified
    st.button(
        "Continue",
        key=keys.CONTINUE,
        icon=":material/play_circle:",
        on_click=live.resume,
        disabled=not progress.can_continue,
        width="stretch",
        help="Go on from here to a gap ten times smaller."
        if certified
        else "Go on from where the fit stands.",
    )


def _more(dataset: Dataset) -> None:
    with st.expander("More", icon=":material/settings:"):
        st.select_slider(
            "Stop at a gap of",
            scale.TOLERANCES,
            format_func=lambda tol: f"{100 * tol:g} %",
            key=keys.TOLERANCE,
            persist_state="session",
            help="The certified relative distance to the global optimum at which a fit is done.",
        )
        st.segmented_control(
            "Chart over",
            ("seconds", "iteration"),
            format_func={"seconds": "Seconds", "iteration": "Iterations"}.__getitem__,
            key=keys.AXIS,
            required=True,
            persist_state="session",
            help="What runs along the bottom of the convergence chart.",
        )
        if dataset.truth is not None:
            st.toggle(
                "Show what is known",
                key=keys.TRUTH,
                persist_state="session",
                help="The faces are rendered, so it is known which pixels carry identity, light "
                "and expression.",
            )
        st.toggle(
            f"Subtract the mean {dataset.nouns.sample}",
            key=keys.CENTER,
            persist_state="session",
            help="As PCA does. The paper's experiments do not say.",
        )
        st.toggle(
            f"Scale every {dataset.nouns.sample} to unit norm",
            key=keys.NORMALIZE,
            persist_state="session",
            help=f"{'Large and small' if dataset.image_shape is None else 'Bright and dark'} "
            f"{dataset.nouns.samples} then count the same.",
        )
