"""What can be taken away: the scores as a file, the fit as a few lines of Python."""

from __future__ import annotations

import re

import streamlit as st

from cspca.datasets import BUILTIN, Dataset, Recipe
from cspca.runs.export import python_lines, scores_csv
from cspca.runs.records import FitResult
from cspca.ui import keys, state
from cspca.ui.plain import plain as plain_words


def takeaway(view: state.View, dataset: Dataset, result: FitResult | None, *, stale: bool) -> None:
    """Draw the download button and the code; both wait for a result."""
    ready = result is not None and not stale
    plain = re.sub(r"[^A-Za-z0-9]+", "-", dataset.name).strip("-").lower() or "data"

    def scores() -> str:
        return "" if result is None else _csv(result, dataset)

    st.download_button(
        "Scores as CSV",
        # Written on the click: a file made on every run would be gone by the time of the next.
        data=scores,
        file_name=f"cspca-{plain}-scores.csv",
        mime="text/csv",
        icon=":material/download:",
        key=keys.DOWNLOAD,
        disabled=not ready,
        on_click="ignore",
        help=_columns(dataset),
    )
    if result is None:
        st.caption("The lines of Python that repeat this fit appear here when it is done.")
        return
    recipe = recipe_of(view.data, dataset)
    alpha = float(result.model.alpha) if result.spec.keep is not None else None
    st.code(
        python_lines(result.spec, recipe, alpha, int(result.model.n_iter_)),
        language="python",
        wrap_lines=True,
    )
    if recipe.bring:
        st.caption(plain_words(f"Run them in a folder that holds {recipe.bring}."))
    if result.warm or result.spec.keep is not None:
        st.caption(
            "This fit started from an earlier one; these lines start afresh. Both are within "
            "their certified gap of the optimum, so the scores agree to about that, not to the "
            "last digit: a smaller tolerance brings them together."
        )


def recipe_of(data: str, dataset: Dataset) -> Recipe:
    """Return how a data set is made; for one that does not know, how one of its kind is opened."""
    if dataset.recipe is not None:
        return dataset.recipe
    if data in BUILTIN:
        return Recipe("load", (data,))
    file = dataset.source.removeprefix("file ") or dataset.name
    return Recipe("load_file", (file,), bring=file)


def _csv(result: FitResult, dataset: Dataset) -> str:
    return scores_csv(result, dataset.image_shape, dataset.feature_names)


def _columns(dataset: Dataset) -> str:
    """Say what the columns of the CSV are."""
    one = dataset.nouns.feature
    where = "feature (its column in the data, counted from 0 as in Python) and its name"
    if dataset.image_shape is not None:
        where = (
            "feature (its column in the data), row and column, all three counted from 0 as in "
            "Python (the map counts rows and columns from 1)"
        )
    return (
        f"One line a {one}, best first: {where}; feature_score "
        f"‖w_j‖, dual_score (how near a zero {one} is to entering), selection_score, and rank, "
        "counted from 1."
    )
