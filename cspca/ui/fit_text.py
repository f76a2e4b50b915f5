"""Content of the stage as text: for programs, and for screen readers."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.addresses import file_address
from cspca.experiments.fit import best_of, feature_name, no_order_words, tie_at_cut_words
from cspca.experiments.live import LiveFit
from cspca.figures.words import from_optimum
from cspca.ui import fields, keys
from cspca.ui.plain import plain

MOST_LISTED = 10
"""Most pixels in the table."""


def show(dataset: Dataset, result: LiveFit | None) -> None:
    """Draw the numbers of a fit, its best pixels and the picked one, in an expander.

    Features that are not pixels have their own list on the page.
    """
    images = dataset.kind == "pixels"
    label = "The map as text: its numbers and best pixels" if images else "The map as text"
    with st.expander(label, icon=":material/format_list_numbered:"):
        if result is None:
            st.markdown("The numbers appear here when the fit is done.")
            return
        st.markdown(plain(numbers(dataset, result)))
        picked = st.session_state.get(keys.SELECTED_PIXEL)
        if picked is not None and picked < dataset.n_features:
            st.markdown(plain(f"Picked: {_feature(dataset, result, picked)}."))
        if dataset.kind == "pixels":
            st.markdown(best_pixels(dataset, result, dataset.picture_shape[1]))


def numbers(dataset: Dataset, result: LiveFit) -> str:
    """Return the penalties of a fit, what it keeps, and its distance to the optimum."""
    fit, settings = result.fit, result.found
    return (
        f"α = {fields.say(settings.alpha)}, β = {fields.say(settings.beta)}: {fit.n_kept:,} of "
        f"{dataset.nouns.count_features(dataset.n_features)} in use, rank {fit.rank:,}, objective "
        f"{fit.objective:,.6g}, {from_optimum(result.gap)}."
    )


def best_pixels(dataset: Dataset, result: LiveFit, columns: int) -> str:
    """Return the best pixels as a table in Markdown, or the reason why there are none."""
    fit, nouns = result.fit, dataset.nouns
    listed = best_of(fit, MOST_LISTED)
    reasons = [no_order_words(fit, nouns) or tie_at_cut_words(fit, MOST_LISTED, nouns)]
    if not listed:
        return plain(reasons[0])
    has_address = bool(file_address(dataset, listed[0]))
    lines = ["| Rank | Row | Column | Score |", "| --- | --- | --- | --- |"]
    if has_address:
        lines = ["| Rank | Row | Column | In the file | Score |", "| --- | --- | --- | --- | --- |"]
    for pixel in listed:
        row, column = divmod(pixel, columns)
        score = f"{fit.feature_scores[pixel]:.4g}"
        address = f" {plain(file_address(dataset, pixel))} |" if has_address else ""
        lines.append(f"| {fit.ranks[pixel]:,} | {row + 1} | {column + 1} |{address} {score} |")
    below = [plain(reason) for reason in (*reasons, "Rows and columns count from 1.") if reason]
    return "\n".join(lines) + "\n\n" + " ".join(below)


def _feature(dataset: Dataset, result: LiveFit, feature: int) -> str:
    fit, name = result.fit, feature_name(dataset, feature)
    address = file_address(dataset, feature)
    if address:
        name += f" ({address})"
    score = float(fit.feature_scores[feature])
    value = "exactly zero" if score == 0.0 else f"score {score:.4g}"
    if no_order_words(fit, dataset.nouns):
        return f"{name}, {value}"
    rank = f"rank {fit.ranks[feature]:,} of {dataset.n_features:,}"
    return f"{name}, {value}, {rank}"
