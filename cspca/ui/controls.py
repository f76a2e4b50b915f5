"""What can be set on Explore: penalties or a number of pixels, k, the solver, Stop and Continue."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset, Nouns
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job
from cspca.experiments.settings import declared
from cspca.solvers import SOLVERS
from cspca.ui import fields, keys, live, scale, state

_SOLVERS: Final = {
    **{name: one.title.removesuffix(" solver") for name, one in SOLVERS.items()},
    "both": "Both",
}


def controls(view: state.View, dataset: Dataset, progress: Job) -> None:
    """Draw the controls; their values live in the session and are read by `open_view`."""
    nouns = dataset.nouns
    one, many = nouns.feature, nouns.features
    modes = {"penalties": "α and β", "path": "Together", "keep": many.capitalize()}
    with st.container(key=keys.BOX_CONTROLS):
        fields.switch(
            "Set",
            modes,
            keys.MODE,
            help=f"α and β apart, both by one slider from every {one} to none, or the number of "
            f"{many} to keep, for which α is then found.",
        )
        _penalties(view, dataset, progress)
        where = "are listed" if dataset.image_shape is None else "are seen on the picture"
        _slider(
            f"k, {many} to highlight",
            keys.TOP_K,
            scale.count_options(dataset.n_features),
            f"The k best {many} {where} below; the map’s button shows them alone.",
        )
        said = declared(Fit)["solver"]
        fields.switch(
            said.label,
            _SOLVERS,
            keys.SOLVER,
            help=said.help,
            disabled=view.mode == "keep",
        )
        _stop_or_continue(progress)
        with st.expander("More", icon=":material/settings:"):
            _more(dataset)


def preparation(nouns: Nouns) -> None:
    """Draw the switches of how samples are prepared; they hold on all pages."""
    labels = {
        "center": f"Subtract the mean {nouns.sample}",
        "normalize": f"Scale every {nouns.sample} to unit norm",
    }
    for name, label in labels.items():
        st.toggle(
            label,
            key=state.FIELDS[name],
            persist_state="session",
            help=f"{declared(Fit)[name].help} The choice holds on all pages.",
        )


def _penalties(view: state.View, dataset: Dataset, progress: Job) -> None:
    nouns = dataset.nouns
    alpha_max, beta_max = _limits(dataset, progress)
    alpha = _absolute(view.fit.alpha, alpha_max)
    beta = _absolute(view.fit.beta, beta_max)
    if view.mode == "path":
        _penalty(
            f"α = β ({alpha}, {beta} absolute)",
            keys.PATH,
            "Fraction of α_max for α and of β_max for β. From left to right: "
            f"every {nouns.feature} kept, some exactly zero, none left.",
        )
        return
    if view.mode == "keep":
        found = progress.snapshot.alpha
        how = f"α = {found:.4g} absolute" if math.isfinite(found) else "α is being found"
        _slider(
            f"{nouns.features.capitalize()} to keep ({how})",
            keys.KEEP,
            scale.count_options(state.live_pixels(dataset)),
            _help("keep", nouns),
        )
    else:
        _penalty(
            f"{declared(Fit)['alpha'].label} ({alpha} absolute)", keys.ALPHA, _help("alpha", nouns)
        )
    _penalty(f"{declared(Fit)['beta'].label} ({beta} absolute)", keys.BETA, _help("beta", nouns))


def _help(name: str, nouns: Nouns) -> str:
    """What is declared of a setting, in the words of the data."""
    said = declared(Fit)[name].help
    return said.replace("features", nouns.features).replace("feature", nouns.feature)


def _penalty(label: str, key: str, meaning: str) -> None:
    _slider(label, key, scale.PENALTIES, meaning, scale.say)


def _slider(
    label: str,
    key: str,
    options: Sequence[Any],
    meaning: str,
    say: Callable[[Any], str] = str,
) -> None:
    st.select_slider(
        label, options, format_func=say, key=key, persist_state="session", help=meaning
    )


def _limits(dataset: Dataset, progress: Job) -> tuple[float, float]:
    """α_max and β_max: of this fit, or of the last one with the same preparation."""
    now, last = progress.snapshot, state.last_result(dataset)
    prepared = now.asked.center, now.asked.normalize
    if math.isfinite(now.alpha_max) or last is None:
        return now.alpha_max, now.beta_max
    same = (last.asked.center, last.asked.normalize) == prepared
    return (last.alpha_max, last.beta_max) if same else (math.nan, math.nan)


def _absolute(relative: float, largest: float) -> str:
    return f"{relative * largest:.4g}" if math.isfinite(largest) else "…"


def _stop_or_continue(progress: Job) -> None:
    if progress.state.active:
        st.button(
            "Stopping…" if progress.stopping else "Stop",
            key=keys.STOP,
            icon=":material/stop_circle:",
            on_click=live.stop,
            disabled=progress.stopping or not state.is_mine(progress),
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
        disabled=not progress.snapshot.can_continue,
        width="stretch",
        help="Go on from here to a gap ten times smaller."
        if certified
        else "Go on from where the fit stands.",
    )


def _more(dataset: Dataset) -> None:
    tol = declared(Fit)["tol"]
    _slider(tol.label, keys.TOLERANCE, scale.TOLERANCES, tol.help, lambda tol: f"{100 * tol:g} %")
    fields.switch(
        "Chart over",
        {"iteration": "Iterations", "seconds": "Seconds"},
        keys.AXIS,
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
    preparation(dataset.nouns)
