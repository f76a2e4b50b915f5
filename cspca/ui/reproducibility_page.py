"""The tab Reproducible of Explore: which features random halves of the samples select again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import caution, proven
from cspca.experiments.live import SETTLED
from cspca.experiments.reproducibility import Certainty, Reproducibility
from cspca.figures.pictures import MOST_POINTED, certainty_map
from cspca.ui import explore_page, export, fields, fit_parts, follow, keys, state
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import plain, table

if TYPE_CHECKING:
    from cspca.fitted import Fit as Fitted

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
    """Halves at the penalties of the view, and as many best features as its slider says."""
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
    _proven(outcome, dataset)
    if state.bare():
        return
    for finding in details:
        st.markdown(f"- {plain(finding.sentence)}")
    for title, frame in outcome.printed.items():
        table(frame, title)


def _proven(outcome: Outcome, dataset: Dataset) -> None:
    """Draw which features are proven and reproducible, or what to press to see it."""
    nouns, experiment = dataset.nouns, cast(Reproducibility, outcome.experiment)
    view: state.View = st.session_state[keys.VIEW_OPENED]
    progress = fit_parts.attach(view, dataset)
    st.header(f"Which {nouns.features} are proven and reproducible?", anchor=False)
    settings = _settings_of_fit(view, dataset)
    if any(getattr(experiment, name) != value for name, value in settings.items()):
        st.caption("The halves are of other settings than the fit: fit the halves at these.")
        return
    follow.follow_job(progress)
    fit = progress.snapshot.fits.get("admm")
    if fit is not None and fit.regime == "zero" and fit.duality_gap <= SETTLED:
        # Of single features no more can be said than of the whole map.
        st.caption(caution(fit.regime, nouns, fit.duality_gap))
        return
    ceilings, share, _ = proven(fit, nouns)
    if fit is not None and fit.alpha == 0.0:
        st.caption(f"At α = 0 nothing can be proven of single {nouns.features}: raise α.")
        return
    if share is None or fit is None or not _proves_enough(fit, ceilings, share):
        sentence = f"Too little is proven yet of single {nouns.features}"
        if progress.active:
            st.caption(f"{sentence}: the fit is at work.")
        elif fit is not None and fit.duality_gap <= SETTLED:
            st.caption(f"{sentence}, and at this gap there is no more to be had.")
        else:
            st.caption(f"{sentence}: press **{explore_page.PRECISELY}**.")
            explore_page.solve_more_precisely(view, progress, nouns)
        return
    frequency = experiment.fits(outcome.results, dataset).kept.frequency
    certainty = Certainty(frequency, ceilings, share, experiment.threshold)
    shape = dataset.image_shape
    if shape is not None and dataset.n_features <= MOST_POINTED:
        question = f"Which {nouns.features} are proven, and which reproducible?"
        drawn = certainty_map(certainty.classes.reshape(shape), question)
        export.show(drawn, "certainty_map", of=dataset.name)
    st.markdown(plain(certainty.words(nouns, int(np.count_nonzero(fit.is_constant)))))
    if not progress.active:
        explore_page.solve_more_precisely(view, progress, nouns)


def _proves_enough(fit: Fitted, ceilings: NDArray[Any], ceiling: float) -> bool:
    """Whether half of the features that a fit leaves out have such a ceiling, or no more can."""
    of_zeros = ceilings[fit.feature_scores == 0.0]
    has_half = 2 * int(np.count_nonzero(of_zeros <= ceiling)) >= len(of_zeros)
    return has_half or fit.duality_gap <= SETTLED


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
