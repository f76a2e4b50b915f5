"""Widgets of an experiment's settings, which declare their bounds, help and defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from cspca.datasets import Dataset, Nouns
from cspca.experiments.fit import Fit
from cspca.experiments.settings import PENALTIES as PENALTIES
from cspca.experiments.settings import STEPS, declared, text_of
from cspca.ui import context, keys

E = TypeVar("E")

TOLERANCES: tuple[float, ...] = (1e-2, 1e-3, 1e-4, 1e-5)


def key(cls: type[Any], name: str) -> str:
    """Return the session key of a field, which is the key of its widget."""
    return f"{cls.kind}_{name}"


def persistent(key: str) -> dict[str, Any]:
    """Return the arguments of a widget whose value persists on all pages.

    Parameters
    ----------
    key : str
        Session key of the widget.

    Returns
    -------
    dict of str to object
        ``key`` and ``persist_state``; :func:`carry_over` then carries the value to the next page.
    """
    st.session_state.setdefault(keys.PERSISTENT_KEYS, set()).add(key)
    return {"key": key, "persist_state": "session"}


def carry_over() -> None:
    """Set persistent values again when a page is opened, before its widgets are drawn.

    Otherwise a widget that was on the page before would start at its first option in the browser,
    and the browser's next message would set that option (Streamlit 1.67).
    """
    session, page = st.session_state, context.page_shown()
    if session.get(keys.PAGE_DRAWN) != page:
        session[keys.PAGE_DRAWN] = page
        for key in session.get(keys.PERSISTENT_KEYS, ()):
            if key in session:
                session[key] = session[key]


def show(experiment: Any, *, only_missing: bool = False) -> None:
    """Set the widgets to the settings of an experiment, before they are drawn."""
    cls = type(experiment)
    for name, field in declared(cls).items():
        at, value = key(cls, name), getattr(experiment, name)
        if only_missing and at in st.session_state:
            continue
        if field.many:
            value = list(value) if field.kind is str else text_of(value).replace(",", ", ")
        st.session_state[at] = value
        st.session_state.get(keys.NUMBERS_CORRECTED, {}).pop(at, None)


def read(cls: type[E], **fixed: Any) -> E:
    """Read an experiment from its widgets; ValueError describes an invalid setting."""
    keys = {name: key(cls, name) for name in declared(cls)}
    values = {name: st.session_state[at] for name, at in keys.items() if at in st.session_state}
    return cls(**values | fixed)


def number(
    cls: type[Any],
    name: str,
    label: str = "",
    *,
    most: float | None = None,
    least: float | None = None,
    help: str = "",
    place: Any = st,
    **widget_options: Any,
) -> Any:
    """Draw a number field with limits; it may be empty where None is a value.

    The widget itself has no limits: Streamlit would silently reset a number beyond them to the
    widget's default.
    """
    field, at = declared(cls)[name], key(cls, name)
    low, high = field.limits or (0.0, math.inf)
    low = low if least is None else least
    high = high if most is None else most
    label = label or field.label
    # An empty field that must have a value gets its default.
    value = st.session_state.setdefault(at, None if field.optional else field.default)
    if value is None and not field.optional:
        value = st.session_state[at] = field.default
    correction = ""
    if value is not None:
        # A value of a link, or of other data, may lie beyond the limits of these data.
        used = field.kind(max(low, min(value, high)))
        corrections = st.session_state.setdefault(keys.NUMBERS_CORRECTED, {})
        if not low <= value <= high:
            bound = "most" if value > high else "least"
            sentence = (
                f"{label}: {value:,.10g} was asked for; {used:,.10g} is the {bound} here, "
                "so that is used."
            )
            corrections[at] = used, sentence
        elif corrections.get(at, (used,))[0] != used:
            # Another number was entered since.
            del corrections[at]
        st.session_state[at] = used
        correction = corrections.get(at, (used, ""))[1]
    widget_options |= {"format": "%g", "step": 0.01} if field.kind is float else {"step": 1}
    with place.container(gap="xsmall"):
        number = st.number_input(
            label,
            value=None,
            help=help or field.help or None,
            **persistent(at),
            **widget_options,
        )
        if correction:
            st.caption(f":orange[{correction}]")
    return number


def clusters(cls: type[Any], dataset: Dataset, help: str) -> None:
    """Draw the number of features for clustering, and the number of K-means starts."""
    left, right = st.columns(2, vertical_alignment="bottom")
    label, most = f"Best {dataset.nouns.features}", dataset.n_features
    number(cls, "n_features", label, most=most, help=help, place=left)
    number(cls, "n_seeds", most=100, least=1, place=right)


def switch(
    label: str,
    options: Iterable[Any],
    key: str,
    *,
    start: Any = None,
    draw: Callable[..., Any] = st.segmented_control,
    **widget_options: Any,
) -> Any:
    """Draw a choice of one of a few values, with labels from a mapping; return the chosen one.

    An earlier choice is kept while it is offered; otherwise the choice is `start`, or the first.
    """
    values = list(options)
    if st.session_state.get(key) not in values:
        st.session_state[key] = values[0] if start is None else start
    widget_options |= {"format_func": options.__getitem__} if isinstance(options, Mapping) else {}
    widget_options |= {"required": True} if draw is st.segmented_control else {}
    return draw(label, values, **persistent(key), **widget_options)


def views(label: str, options: Iterable[Any], key: str, **widget_options: Any) -> Any:
    """Draw a choice of views side by side; the label is for screen readers."""
    return switch(label, options, key, label_visibility="collapsed", **widget_options)


def choice(
    cls: type[Any], name: str, titles: Mapping[Any, str], label: str = "", **widget_options: Any
) -> Any:
    """Draw a choice of one value of a field, or of several if the field has many."""
    field, at = declared(cls)[name], key(cls, name)
    arguments = {"help": field.help or None, "wrap": True} | widget_options
    if not field.many:
        return switch(label or field.label, titles, at, **arguments)
    arguments |= {"selection_mode": "multi", "format_func": titles.__getitem__}
    return st.pills(field.label, list(titles), **persistent(at), **arguments)


def toggle(cls: type[Any], name: str, label: str = "", *, help: str = "") -> None:
    """Draw a switch."""
    field, at = declared(cls)[name], key(cls, name)
    st.toggle(label or field.label, help=help or field.help, **persistent(at))


def slider(cls: type[Any], name: str, options: Sequence[Any], words: Callable[[Any], str]) -> None:
    """Draw a slider with stops, at the stop nearest to the current value."""
    field, at = declared(cls)[name], key(cls, name)
    value = st.session_state[at]
    if value not in options:
        st.session_state[at] = min(options, key=lambda option: abs(option - value))
    st.select_slider(
        field.label,
        options,
        format_func=words,
        help=field.help or None,
        **persistent(at),
    )


def preparation(nouns: Nouns) -> None:
    """Draw the switches of the samples' preparation, which hold on all pages."""
    for name in ("center", "normalize"):
        field = declared(Fit)[name]
        label = field.label.replace("sample", nouns.sample)
        toggle(Fit, name, label, help=f"{field.help} The choice holds on all pages.")


def stops(value: float) -> list[float]:
    """Return the stops of a slider of penalties, its own value among them."""
    return sorted({*PENALTIES, value})


def snap(value: float, options: Sequence[float] = PENALTIES) -> float:
    """Return the option nearest to `value` in ratio; 0 only for 0."""
    if value <= 0:
        return options[0]
    return min((o for o in options if o > 0), key=lambda penalty: abs(math.log(penalty / value)))


def count_options(n_features: int) -> list[int]:
    """Return round numbers of pixels from 1 to `n_features`, finer where they are few."""
    decades = range(len(str(n_features)))
    rounded = {round(step * 10**decade) for decade in decades for step in STEPS}
    return sorted({1, n_features} | {count for count in rounded if count < n_features})


def say(value: float) -> str:
    """Write a penalty with few digits."""
    return f"{value:.3g}" if value >= 1e-4 or value == 0 else f"{value:.2g}".replace("e-0", "e-")
