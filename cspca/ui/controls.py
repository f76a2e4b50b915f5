"""What can be set on Explore: penalties or a number of pixels, k, the solver, Stop and Continue."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset, Nouns
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.settings import declared
from cspca.solvers import SOLVERS
from cspca.ui import fields, live, scale, state
from cspca.ui.guard import button

_SOLVERS: Final = {
    **{name: one.title.removesuffix(" solver") for name, one in SOLVERS.items()},
    "both": "Both",
}


def controls(view: state.View, dataset: Dataset, progress: Job) -> None:
    """Draw the controls; their values live in the session and are read by `open_view`."""
    one, many = dataset.nouns.feature, dataset.nouns.features
    with st.container(key="controls"):
        fields.switch(
            "Choose by",
            {"penalties": "α and β", "path": "Together", "keep": many.capitalize()},
            "view_mode",
            help=f"α and β apart, both by one slider from every {one} to none, or the number of "
            f"{many} to keep, for which α is then found.",
        )
        _penalties(view, dataset, progress)
        where = "are listed" if dataset.image_shape is None else "are seen on the picture"
        _slider(
            f"k, {many} to highlight",
            "view_k",
            scale.count_options(dataset.n_features),
            f"The k best {many} {where} below; the map’s button shows them alone.",
        )
        fields.choice(Fit, "solver", _SOLVERS, wrap=False, disabled=view.mode == "keep")
        _stop_or_continue(view, progress)
        with st.expander("More", icon=":material/settings:"):
            _more(dataset)


def preparation(nouns: Nouns) -> None:
    """Draw the switches of how samples are prepared; they hold on all pages."""
    labels = {
        "center": f"Subtract the mean {nouns.sample}",
        "normalize": f"Scale every {nouns.sample} to unit norm",
    }
    for name, label in labels.items():
        said = f"{declared(Fit)[name].help} The choice holds on all pages."
        fields.toggle(Fit, name, label, help=said)


def _penalties(view: state.View, dataset: Dataset, progress: Job) -> None:
    nouns = dataset.nouns
    absolute = _absolute(view.fit, progress.snapshot, state.last_result(dataset))
    penalties, options, say = ["alpha", "beta"], scale.PENALTIES, scale.say
    if view.mode == "path":
        _slider(
            f"α = β ({absolute['alpha']}, {absolute['beta']} in the formula)",
            "fit_alpha",
            options,
            "Fraction of α_max for α and of β_max for β. From left to right: "
            f"every {nouns.feature} kept, some exactly zero, none left.",
            say,
        )
        return
    if view.mode == "keep":
        found = progress.snapshot.alpha
        how = f"α = {found:.4g} in the formula" if math.isfinite(found) else "α is being found"
        counts = scale.count_options(state.live_pixels(dataset.sha256, dataset))
        label = f"{nouns.features.capitalize()} to keep ({how})"
        _slider(label, "fit_keep", counts, _help("keep", nouns))
        penalties = ["beta"]
    for name in penalties:
        what = f"α: fewer {nouns.features}" if name == "alpha" else "β: lower rank"
        label = f"{what} ({absolute[name]} in the formula)"
        _slider(label, f"fit_{name}", options, _help(name, nouns), say)


def _help(name: str, nouns: Nouns) -> str:
    """What is declared of a setting, in the words of the data."""
    said = declared(Fit)[name].help
    return said.replace("features", nouns.features).replace("feature", nouns.feature)


def _slider(
    label: str, key: str, options: Sequence[Any], help: str, say: Callable[[Any], str] = str
) -> None:
    st.select_slider(label, options, format_func=say, key=key, persist_state="session", help=help)


def _absolute(fit: Fit, now: LiveFit, last: LiveFit | None) -> dict[str, str]:
    """α and β in absolute terms, known of this fit or of the last one of the same preparation."""
    known = now
    if last is not None and not math.isfinite(now.alpha_max):
        prepared = now.asked.center, now.asked.normalize
        known = last if (last.asked.center, last.asked.normalize) == prepared else now
    values = {"alpha": fit.alpha * known.alpha_max, "beta": fit.beta * known.beta_max}
    return {name: f"{one:.4g}" if math.isfinite(one) else "…" for name, one in values.items()}


def _stop_or_continue(view: state.View, progress: Job) -> None:
    if progress.state.active:
        button(
            "Stopping…" if progress.stopping else "Stop",
            "stop_button",
            "stop_circle",
            live.stop,
            progress,
            disabled=progress.stopping or not state.is_mine(progress),
            width="stretch",
            help="Stop now and keep what has been reached.",
        )
        return
    said = "Go on from where the fit stands."
    if progress.snapshot.certified:
        said = "Go on from here to a gap ten times smaller."
    call = live.resume, view.data, progress
    off = not progress.snapshot.can_continue
    how: dict[str, Any] = {"disabled": off, "width": "stretch", "help": said}
    button("Continue", "continue_button", "play_circle", *call, **how)


def _more(dataset: Dataset) -> None:
    tol = declared(Fit)["tol"]
    _slider(tol.label, "fit_tol", scale.TOLERANCES, tol.help, lambda tol: f"{100 * tol:g} %")
    fields.switch(
        "Chart over",
        {"iteration": "Iterations", "seconds": "Seconds"},
        "view_axis",
        help="What runs along the bottom of the convergence chart.",
    )
    if dataset.truth is not None:
        st.toggle(
            "Show what is known",
            key="view_truth",
            persist_state="session",
            help="The faces are rendered, so it is known which pixels carry identity, light "
            "and expression.",
        )
    preparation(dataset.nouns)
