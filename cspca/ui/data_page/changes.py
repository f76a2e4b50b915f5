"""Changes of the data set in use: leave samples out, standardise, and undo."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset, derivative, leave_out, snv, standardised
from cspca.datasets.numbering import samples_in_text
from cspca.ui import keys, programs, state, visitor
from cspca.ui.plain import button, plain
from cspca.ui.services import services

_MOST_CLASSES: Final = 200

_STAYS: Final = (
    *(keys.FIT_ALPHA, keys.FIT_BETA, keys.VIEW_MODE, keys.VIEW_K, keys.VIEW_PRESET),
    *(f"view_{name}" for name in state.WORDS),
)
"""Session keys of what stays where a data set is changed."""


def changes(dataset: Dataset) -> None:
    """Draw the possible changes of the data set in use, for the Data page."""
    restore(dataset)
    with st.container(horizontal=True, gap="small"):
        _by_number(dataset)
        with (box := programs.fold(st.popover, "Scale", "scale", icon=":material/equalizer:")):
            if programs.is_drawn(box):
                _scale(dataset)


def _scale(dataset: Dataset) -> None:
    """Draw the scales that the values can be brought to."""
    nouns, recipe = dataset.nouns, dataset.recipe
    st.markdown("On all pages; links, exports and the lines of Python carry it.")
    button(
        f"Standardise {nouns.features}",
        "standardise_button",
        "equalizer",
        lambda: _instead(standardised(dataset)),
        disabled=recipe is not None and recipe.function == "standardised",
        help=f"Every {nouns.feature} gets mean 0 and standard deviation 1, so that all count "
        f"alike, those too that change in few {nouns.samples}; then all values are brought to "
        "0 – 1 together.",
    )
    if dataset.kind in ("axis", "columns"):
        button(
            f"Standardise {nouns.samples} (SNV)",
            "snv_button",
            "vertical_align_center",
            lambda: _instead(snv(dataset)),
            disabled=recipe is not None and recipe.function == "snv",
            help=f"Every {nouns.sample} gets mean 0 and standard deviation 1: (x − mean) ÷ "
            "deviation, with n − 1. It takes off what scatter does to a whole spectrum, an offset "
            "and a factor.",
        )
    if dataset.axis is not None:
        for order, title in ((1, "First derivative"), (2, "Second derivative")):
            button(
                title,
                f"derivative_{order}_button",
                "show_chart",
                lambda order=order: _instead(derivative(dataset, order)),
                help="Along the axis, by polynomials of degree 2 in windows of 11 points (Savitzky "
                "and Golay). The first takes off an offset, the second a slope too; both raise "
                "noise.",
            )


def refit_without(dataset: Dataset, numbers: tuple[int, ...]) -> None:
    """Use the data set without the samples of these indices, on all pages."""
    _instead(leave_out(dataset, numbers))


def restore(dataset: Dataset) -> None:
    """Offer the original of a data set with samples left out or values on another scale."""
    whole = st.session_state.get(keys.LEFT_OUT_OF, {}).get(state.data_in_use())
    if whole is None or whole not in services().library:
        return
    before = services().library.get(whole)
    missing = before.n_samples - dataset.n_samples
    note = f"{dataset.nouns.count_samples(missing)} left out of {before.n_samples:,}, on all pages."
    if not missing and not dataset.steps.changes:
        return
    if not missing:
        note = plain(f"{dataset.steps.changes[-1].sentence} On all pages.")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(note)
        button("Put back", "odd_restore", "undo", _use_alike, whole)


def _by_number(dataset: Dataset) -> None:
    nouns = dataset.nouns
    label, icon = f"Leave {nouns.samples} out", ":material/person_remove:"
    with (box := programs.fold(st.popover, label, "leave_out", icon=icon)):
        if not programs.is_drawn(box):
            return
        text = st.text_input(
            f"Numbers of {nouns.samples}, from 1 to {dataset.numbers[-1]:,}",
            key="leave_out_numbers",
            placeholder="3, 17, 40-45",
            help="The set without them is taken in use on all pages; links, exports and the lines "
            "of Python carry it.",
        )
        classes: list[int] = []
        if 1 < dataset.n_classes <= _MOST_CLASSES:
            name = dataset.class_name
            classes = st.multiselect(
                "Whole classes",
                range(dataset.n_classes),
                format_func=name,
                # Classes are renumbered where one is gone.
                key=f"leave_out_classes_{dataset.sha256[:8]}",
                placeholder="None",
            )
        call, idle = (_refit_without_named, dataset, text, classes), not (text.strip() or classes)
        button("Leave them out", "leave_out_button", "check", *call, disabled=idle)


def _refit_without_named(dataset: Dataset, text: str, classes: list[int]) -> None:
    mask = samples_in_text(text, dataset.numbers, dataset.nouns)
    if dataset.target is not None:
        mask |= np.isin(dataset.target, classes)
    if not mask.any():
        raise ValueError("No number was written: write one such as 3, or a range such as 40-45.")
    refit_without(dataset, tuple(np.flatnonzero(mask).tolist()))


def _instead(changed: Dataset) -> None:
    """Use a changed data set in place of the one in use."""
    data = services().library.add(changed, visitor.secret())
    whole = state.data_in_use()
    _use_alike(data)
    st.session_state.setdefault(keys.LEFT_OUT_OF, {})[data] = whole


def _use_alike(data: str) -> None:
    """Use a data set that was made of the one in use, or that it was made of.

    The penalties, the number of features that are highlighted and the lesson stay.
    """
    session = st.session_state
    stays = {key: session[key] for key in _STAYS if key in session}
    state.use_data(data)
    session.update(stays)
