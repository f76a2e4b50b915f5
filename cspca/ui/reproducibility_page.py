"""The tab Reproducible of Explore: which features random halves of the samples select again."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.reproducibility import Reproducibility
from cspca.ui import explore_page, export, fields, fit_parts, follow, keys, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import plain, table

THRESHOLDS: Final = tuple(round(0.01 * percent, 2) for percent in range(55, 101, 5))
"""Stops of the slider of the share of halves."""


def draw(view: state.View, dataset: Dataset) -> None:
    """Draw the tab below its title; where α is searched for, once it is found."""
    progress = fit_parts.attach(view, dataset)
    if view.fit.keep is None or (progress.snapshot.fits and not progress.active):
        PAGE.show(view, dataset)
        return
    explore_page.penalty_sliders(view, dataset, progress)
    follow.follow_job(progress)
    fit_parts.status(progress, dataset)


def _settings_of_fit(view: state.View, dataset: Dataset) -> dict[str, Any]:
    """Return the settings that halves share with the fit of the view, at the α that was found."""
    result = state.last_result(dataset)
    fit = view.fit if view.fit.keep is None or result is None else result.found
    names = ("alpha", "beta", "penalty_scale", "center", "normalize")
    return {name: getattr(fit, name) for name in names}


def usual(dataset: Dataset) -> Reproducibility:
    """Halves at the penalties of the view, and as many best features as it highlights."""
    view: state.View = st.session_state[keys.VIEW_OPENED]
    return Reproducibility(**_settings_of_fit(view, dataset), n_features=view.k)


def controls(dataset: Dataset) -> Reproducibility:
    """Draw the settings and return the experiment."""
    nouns, view = dataset.nouns, st.session_state[keys.VIEW_OPENED]
    explore_page.penalty_sliders(view, dataset, fit_parts.attach(view, dataset))
    fields.number(
        Reproducibility, "n_features", f"Best {nouns.features}", most=dataset.n_features, least=1
    )
    fields.slider(Reproducibility, "threshold", THRESHOLDS, "{:.0%}".format)
    fields.number(Reproducibility, "n_pairs", most=100, least=2)
    return fields.read(Reproducibility, **_settings_of_fit(view, dataset))


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
