"""The tab Reproducible of Explore: which features random halves of the samples select again."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import Fit
from cspca.experiments.reproducibility import Reproducibility
from cspca.ui import export, fields, keys, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import plain, table

THRESHOLDS: Final = tuple(round(0.01 * percent, 2) for percent in range(55, 101, 5))
"""Stops of the slider of the share of halves."""


def _fit_of_view(dataset: Dataset) -> Fit:
    """Return the fit of the view; ValueError while a search for its α has not ended."""
    view: state.View = st.session_state[keys.VIEW_OPENED]
    if view.fit.keep is None:
        return view.fit
    result = state.last_result(dataset)
    if result is None or not result.same_but_for_accuracy(view.fit, dataset.sha256):
        raise ValueError(
            f"α follows from the number of {dataset.nouns.features} to keep: let it be found on "
            "the tab Importance first."
        )
    return result.found


def usual(dataset: Dataset) -> Reproducibility:
    """Halves at the penalties of the view, and as many best features as it highlights."""
    view: state.View = st.session_state[keys.VIEW_OPENED]
    try:
        fit = _fit_of_view(dataset)
    except ValueError:
        # The controls say so.
        return Reproducibility(n_features=view.k)
    return Reproducibility(
        alpha=fit.alpha,
        beta=fit.beta,
        center=fit.center,
        normalize=fit.normalize,
        n_features=view.k,
    )


def penalty_sliders(view: state.View, dataset: Dataset) -> None:
    """Draw the sliders of α and β of the fit in use; where another control sets them, say both."""
    if view.mode == "penalties":
        labels = {
            "alpha": f"α: fewer {dataset.nouns.features} on the whole",
            "beta": "β: lower rank on the whole",
        }
        for name, label in labels.items():
            fields.slider(Fit, name, fields.stops(getattr(view.fit, name)), fields.say, label)
        return
    fit = _fit_of_view(dataset)
    st.caption(f"At α = {fields.say(fit.alpha)}, β = {fields.say(fit.beta)}, as set on the map.")


def controls(dataset: Dataset) -> Reproducibility:
    """Draw the settings and return the experiment; ValueError says what is wrong."""
    nouns = dataset.nouns
    penalty_sliders(st.session_state[keys.VIEW_OPENED], dataset)
    fields.number(
        Reproducibility, "n_features", f"Best {nouns.features}", most=dataset.n_features, least=1
    )
    fields.slider(Reproducibility, "threshold", THRESHOLDS, "{:.0%}".format)
    fields.number(Reproducibility, "n_pairs", most=100, least=2)
    fit = _fit_of_view(dataset)
    return fields.read(
        Reproducibility,
        alpha=fit.alpha,
        beta=fit.beta,
        penalty_scale="relative",
        center=fit.center,
        normalize=fit.normalize,
    )


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the findings, the figures and the table."""
    headline, *details = outcome.findings
    st.markdown(f"**{plain(headline.sentence)}**")
    experiment: Any = outcome.experiment
    figures = experiment.keyed_figures(outcome.results, dataset)
    export.beside(
        {figure.layout.meta["title"]: figure for figure in figures.values()},
        "reproducibility",
        dataset.name,
        **{key: key.capitalize() for key in figures},
    )
    if state.bare():
        return
    for finding in details:
        st.markdown(f"- {plain(finding.sentence)}")
    for title, frame in outcome.printed.items():
        table(frame, title)


PAGE = ExperimentPage(
    kind=Reproducibility,
    button="Fit the halves",
    usual=usual,
    controls=controls,
    body=body,
    quick=lambda dataset: (),
    question=lambda nouns: f"Do other {nouns.samples} select the same {nouns.features}?",
    lead=lambda nouns: (
        f"What random halves of the {nouns.samples} select again is reproducible, which is not "
        "the same as proven."
    ),
)
