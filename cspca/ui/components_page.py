"""The tab Components of Explore: the components of the fit beside those of PCA, and the scree."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.components import ComponentPairs, component_pairs
from cspca.experiments.exports import File, to_csv
from cspca.experiments.fit import feature_name
from cspca.figures.components import scree
from cspca.figures.pictures import signed_alt, signed_rgb
from cspca.ui import explore_page, export, fields, fit_parts, follow, keys, pictures, state
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
            f"leaves a {nouns.feature} out. For PCA both are the same.",
        )
    with main:
        follow.follow_job(progress)
        fit_parts.status(progress, dataset)
        result, stale = state.last_result(dataset), not progress.snapshot.fits
        if result is None:
            st.skeleton(height=420)
            return
        fit_parts.earlier(progress, dataset)
        pairs = component_pairs(result.fit, result.asked, dataset)
        if not len(pairs.components):
            st.info("W = 0 at these penalties: there is no component.", icon=":material/info:")
            return
        _pictures(pairs, n_shown, dataset, weights=shown == "weights", stale=stale)
        heading = "How much do they explain?"
        export.show(
            scree(pairs.ratios, pairs.pca_ratios, heading),
            "component_scree",
            of=dataset.name,
            heading=True,
        )
        st.caption(
            f"Each component takes its share off what is left unexplained of the {nouns.samples}. "
            f"They stand in the order of how much of the rebuilt {nouns.samples} lies along them, "
            "so a share may be out of order or, since the penalties shrink W, negative. No map of "
            "the same rank can explain more than PCA. On the whole a larger β ends the list "
            "earlier, and a larger α sets more weights to zero, in all components at once; the "
            f"components themselves are not sparse, for a {nouns.feature} that is not read is "
            "still rebuilt from the others. An explained share is no accuracy: what varies "
            "most need not tell classes apart (Theory, section 22)."
        )
        export.file_buttons(
            dataset.name,
            [
                File(
                    "Shares, CSV",
                    "components.csv",
                    lambda: to_csv(pairs.table()),
                    "One line a component.",
                ),
                File(
                    "Components, CSV",
                    "component-loadings.csv",
                    lambda: to_csv(_loadings(pairs, dataset)),
                    f"One line a {nouns.feature}, one column a component.",
                ),
            ],
            key="components",
        )


def _pictures(
    pairs: ComponentPairs, n_shown: int, dataset: Dataset, *, weights: bool, stale: bool
) -> None:
    """Draw the first components of the fit, and below each the one of PCA."""
    count, shape = min(n_shown, len(pairs.components)), dataset.image_shape
    axes = pairs.weights if weights else pairs.components
    if shape is None:
        entries = "weights" if weights else "entries"
        table(_largest_entries(pairs, axes, count, dataset, entries), "Features of each component")
        return
    dark, kind = is_dark(), "stale" if stale else ""

    def picture(axis: np.ndarray, caption: str) -> str:
        plane = axis.reshape(shape)
        return pictures.figure(signed_rgb(plane, dark=dark), signed_alt(plane), caption, kind=kind)

    for first in range(0, count, 6):
        numbers = range(first, min(first + 6, count))
        pictures.row(
            [
                picture(axes[number], f"CSPCA {number + 1}: {100 * pairs.ratios[number]:.1f} %")
                for number in numbers
            ]
        )
        pictures.row(
            [
                picture(
                    pairs.pca[number],
                    f"PCA {number + 1}: {100 * pairs.pca_ratios[number]:.1f} %, "
                    f"cosine of the components {abs(pairs.cosines[number]):.3f}",
                )
                for number in numbers
            ]
        )


def _largest_entries(
    pairs: ComponentPairs, axes: np.ndarray, count: int, dataset: Dataset, entries: str
) -> pd.DataFrame:
    """List the features with the largest entries of each component, with these."""
    rows = []
    for number in range(count):
        weights = axes[number]
        best = np.argsort(-np.abs(weights), kind="stable")[:_LISTED]
        rows.append(
            {
                "Component": f"{number + 1}",
                "Explains": f"{100 * pairs.ratios[number]:.1f} %",
                "PCA explains": f"{100 * pairs.pca_ratios[number]:.1f} %",
                "Cosine with PCA’s": f"{abs(pairs.cosines[number]):.3f}",
                f"Largest {entries}": ", ".join(
                    f"{feature_name(dataset, int(feature))} {weights[feature]:+.2f}"
                    for feature in best
                    if weights[feature] != 0.0
                ),
            }
        )
    return pd.DataFrame(rows)


def _loadings(pairs: ComponentPairs, dataset: Dataset) -> pd.DataFrame:
    """One row a feature, one column a component."""
    columns = {f"component_{number}": axis for number, axis in enumerate(pairs.components, start=1)}
    names = [feature_name(dataset, feature) for feature in range(dataset.n_features)]
    return pd.DataFrame({"feature_from_0": np.arange(dataset.n_features), "name": names, **columns})
