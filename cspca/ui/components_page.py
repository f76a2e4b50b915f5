"""The tab Components of Explore: the components of the fit beside those of PCA, and the scree."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from cspca import fitted
from cspca.datasets import Dataset
from cspca.experiments.components import (
    ComponentPairs,
    captioned,
    component_files,
    component_film,
    component_pairs,
    explained_words,
    film_words,
    n_played,
    share_words,
)
from cspca.experiments.film import Film
from cspca.experiments.fit import feature_name
from cspca.experiments.jobs import Job
from cspca.figures.components import scree
from cspca.figures.curves import component_curves
from cspca.figures.words import minus
from cspca.ui import explore_page, export, fields, films, fit_parts, follow, keys, state
from cspca.ui.components.axes import axes
from cspca.ui.plain import is_dark, table

COUNTS: Final = (3, 6, 12)
"""Numbers of components that can be shown."""

_LISTED: Final = 8
"""Features that are listed for each component of data that are no images."""


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the tab below its title."""
    nouns = dataset.nouns
    progress = fit_parts.attach(view, dataset)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        explore_page.penalty_sliders(view, dataset, progress)
        n_shown = fields.switch(
            "Components", {count: f"{count}" for count in COUNTS}, keys.COMPONENTS_SHOWN, start=6
        )
        shown = fields.switch(
            "Drawn",
            {"components": "Components", "weights": "Weights"},
            keys.COMPONENTS_DRAWN,
            help=f"Components are what every {nouns.sample} is rebuilt from. Weights are how much "
            f"each {nouns.feature} counts when it is read: exactly zero where the certified solver "
            f"leaves {nouns.a_feature} out. For PCA both are the same.",
        )
    with main:
        follow.follow_job(progress)
        fit_parts.status(progress, dataset)
        result = state.last_result(dataset)
        if result is None:
            st.skeleton(height=420)
            return
        fit_parts.earlier(progress, dataset)
        pairs = component_pairs(result.fit, result.asked, dataset)
        if not len(pairs.components):
            st.info("W = 0 at these penalties: there is no component.", icon=":material/info:")
            return
        weights = shown == "weights"
        drawn = (result.fit.coordinate_weights().T if weights else pairs.components)[:n_shown]
        entries = _largest_entries(pairs, drawn, dataset, shown)
        if dataset.axis is not None:
            figure = component_curves(
                dataset.axis,
                drawn,
                pairs.pca[: len(drawn)],
                [share_words(number, pairs.ratios[number]) for number in range(len(drawn))],
                are_weights=weights,
            )
            export.show(figure, "component_curves", of=dataset.name, heading=True)
        if dataset.kind != "pixels":
            with st.container(key="component_entries"):
                table(entries, f"{nouns.features.capitalize()} of each component")
        else:
            _pictures(view, dataset, progress, result.fit, pairs, drawn, weights=weights)
            text = st.expander("The components as text", icon=":material/notes:")
            with text, st.container(key="component_entries"):
                table(entries, "Components as text")
        heading = "How much do they explain?"
        export.show(
            scree(pairs.ratios, pairs.pca_ratios, heading),
            "component_scree",
            of=dataset.name,
            heading=True,
        )
        st.caption(explained_words(nouns))
        export.file_buttons(
            dataset.name,
            component_files(result.fit, result.asked, dataset),
            key="components",
        )


def _pictures(
    view: state.View,
    dataset: Dataset,
    progress: Job,
    fit: fitted.Fit,
    pairs: ComponentPairs,
    drawn: np.ndarray,
    *,
    weights: bool,
) -> None:
    """Draw the first components of the fit, below each the one of PCA, and the film of them."""
    count, shape = len(drawn), dataset.picture_shape
    pictures, pca_pictures = captioned(pairs, count, shape, drawn)

    def content(film: Film) -> dict[str, Any]:
        return component_film(film, pairs, count, shape, weights=weights)

    name = f"{count} weights" if weights else f"{count} components"
    shown = films.Shown(name, "", content)
    plays = n_played(count, shape) > 0
    acted = axes(
        pictures,
        pca_pictures,
        key="component_axes",
        label=f"Components of {dataset.name}, each above the one of PCA",
        words=film_words(pairs.ratios, fit.n_kept, dataset.n_features, fit.duality_gap),
        films=films.offers(view, dataset, progress, shown) if plays else None,
        asked={"alpha": view.fit.alpha, "beta": view.fit.beta},
        stale=not progress.snapshot.fits,
        dark=is_dark(),
        on_let_go=partial(films.take, view),
        on_wish=partial(films.wish, view, dataset, progress),
    )
    if plays:
        films.feed(view, dataset, progress, shown)
    else:
        st.caption("Images of this size are too large for a film of their components.")
    if acted:
        # The sliders are above: they show where the film was let go.
        st.rerun()


def _largest_entries(
    pairs: ComponentPairs, axes: np.ndarray, dataset: Dataset, shown: str
) -> pd.DataFrame:
    """List the features with the largest entries of each component, or the largest weights."""
    rows = []
    for number, weights in enumerate(axes):
        best = np.argsort(-np.abs(weights), kind="stable")[:_LISTED]
        rows.append(
            {
                "Component": f"{number + 1}",
                "Explains": f"{100 * pairs.ratios[number]:.1f} %",
                "PCA explains": f"{100 * pairs.pca_ratios[number]:.1f} %",
                "Cosine with PCA’s": f"{pairs.cosines[number]:.3f}",
                "Largest weights" if shown == "weights" else "Largest entries": ", ".join(
                    feature_name(dataset, int(feature)) + minus(f" {weights[feature]:+.2f}")
                    for feature in best
                    if weights[feature] != 0.0
                ),
            }
        )
    return pd.DataFrame(rows)
