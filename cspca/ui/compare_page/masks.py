"""Which features each method picks: masks over one face, or names where there are no pictures."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison, Ranking, jaccard
from cspca.evaluation.starts import IntArray
from cspca.figures.pictures import face_alt, grey, mask_alt, masked_rgb
from cspca.selection import METHODS
from cspca.ui import keys, pictures
from cspca.ui.compare_page.words import METRICS
from cspca.ui.panels import faces

LISTED: Final = 12
"""Features listed by name."""

FEW: Final = 4
"""Selections are shown from this many features on."""


def selected(comparison: Comparison, dataset: Dataset, metric: str) -> int:
    """Draw what every method selects, and return the number of features that was chosen."""
    if dataset.image_shape is None:
        k = number_switch(comparison, dataset)
        names(comparison, dataset, k, metric)
        return k
    left, right = st.columns([3, 2], gap="large")
    with left:
        k = number_switch(comparison, dataset)
    with right:
        index = faces.face_slider(dataset)
    masks(comparison, dataset, dataset.image_shape, k, index, metric)
    if any(len(plan.grid) > 1 for plan in comparison.plan.methods):
        st.caption(
            f"Every method with the parameters of its best {METRICS[metric].short} at this number "
            f"of {dataset.nouns.features}."
        )
    return k


def number_switch(comparison: Comparison, dataset: Dataset) -> int:
    """Draw the choice of a number of features and return it."""
    counts = sorted({k for plan in comparison.plan.methods if not plan.keeps_all
                     for k in plan.n_features}) or [dataset.n_features]  # fmt: skip
    if st.session_state.get(keys.COMPARE_K) not in counts:
        # One or two features say little of a method, and all of them nothing.
        some = [k for k in counts if k < dataset.n_features] or counts
        st.session_state[keys.COMPARE_K] = next((k for k in some if k >= FEW), some[-1])
    chosen = st.segmented_control(
        f"Selected {dataset.nouns.features}",
        counts,
        format_func=lambda k: f"{k:,}",
        key=keys.COMPARE_K,
        required=True,
        persist_state="session",
    )
    return int(chosen or counts[0])


@lru_cache(maxsize=64)
def selections(comparison: Comparison, k: int, metric: str) -> dict[str, IntArray]:
    """Return what every method selects, All features left out."""
    ranked = {ranking.method for ranking in comparison.rankings}
    return {
        plan.method: comparison.selection(plan.method, k, metric)
        for plan in comparison.plan.methods
        if plan.method in ranked and not plan.keeps_all
    }


def masks(
    comparison: Comparison,
    dataset: Dataset,
    shape: tuple[int, int],
    k: int,
    index: int,
    metric: str,
) -> None:
    """Draw the selections side by side on the same face."""
    image = dataset.image(index)
    shown = [
        pictures.figure(
            grey(image), face_alt(image), f"Original: {faces.face_name(dataset, index)}"
        )
    ]
    for method, chosen in selections(comparison, k, metric).items():
        mask = np.zeros(dataset.n_features, dtype=bool)
        mask[chosen] = True
        mask = mask.reshape(shape)
        title = METHODS[method].title
        shown.append(
            pictures.figure(
                masked_rgb(image, mask),
                f"{title}: {mask_alt(mask)}",
                title + _ties(comparison, method, chosen),
            )
        )
    with st.container(key=keys.BOX_MASKS):
        st.html(f'<div class="cspca-masks">{"".join(shown)}</div>')


def names(comparison: Comparison, dataset: Dataset, k: int, metric: str) -> None:
    """List the first features of every method by name."""
    known = dataset.feature_names
    columns = []
    for method, chosen in selections(comparison, k, metric).items():
        listed = [
            f"feature {number + 1}" if known is None else known[number]
            for number in chosen[:LISTED].tolist()
        ]
        items = "".join(f"<li>{escape(name)}</li>" for name in listed)
        title = escape(METHODS[method].title + _ties(comparison, method, chosen))
        columns.append(f'<div class="cspca-said"><b>{title}</b><ol>{items}</ol></div>')
    with st.container(key=keys.BOX_MASKS):
        st.html(f'<div class="cspca-masks">{"".join(columns)}</div>')
    if k > LISTED:
        st.caption(f"The first {LISTED} of {k:,}, best first.")


@lru_cache(maxsize=16)
def twins(comparison: Comparison, metric: str) -> list[tuple[str, str]]:
    """Return pairs of methods that select the same features at every number compared."""
    counts = {k for p in comparison.plan.methods if not p.keeps_all for k in p.n_features}
    most = comparison.rankings[0].order.size if comparison.rankings else 0
    found: list[tuple[str, str]] = []
    by_count = [selections(comparison, k, metric) for k in sorted(counts) if k < most]
    if not by_count:
        return found
    methods = list(by_count[0])
    for i, first in enumerate(methods):
        found += [
            (METHODS[first].title, METHODS[second].title)
            for second in methods[i + 1 :]
            if all(jaccard(at[first], at[second]) == 1.0 for at in by_count)
        ]
    return found


@lru_cache(maxsize=16)
def undecided(comparison: Comparison, metric: str) -> list[tuple[str, int]]:
    """Return methods whose best features tie, more than are selected, and how many do."""
    found = []
    for plan in comparison.plan.methods:
        if plan.keeps_all:
            continue
        fewest = min(plan.n_features)
        chosen = selections(comparison, fewest, metric).get(plan.method)
        ranking = None if chosen is None else _ranking(comparison, plan.method, chosen)
        if ranking is not None:
            n_tied = int(np.count_nonzero(ranking.scores == ranking.scores[ranking.order[0]]))
            if n_tied > fewest:
                found.append((plan.title, n_tied))
    return found


def _ranking(comparison: Comparison, method: str, chosen: IntArray) -> Ranking | None:
    """Return the ranking that a selection begins."""
    for ranking in comparison.rankings:
        if ranking.method == method and np.array_equal(ranking.order[: len(chosen)], chosen):
            return ranking
    return None


def _ties(comparison: Comparison, method: str, chosen: IntArray) -> str:
    """Say so when features outside the selection score the same as its last."""
    ranking, k = _ranking(comparison, method, chosen), len(chosen)
    if ranking is None or k == len(ranking.order):
        return ""
    last, following = ranking.scores[ranking.order[[k - 1, k]]]
    return " (its last ones tie with others)" if last == following else ""
