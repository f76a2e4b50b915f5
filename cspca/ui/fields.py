"""Widgets made from an experiment's settings: bounds, help and defaults are declared there."""

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
    """The session key under which a field is set, that of its widget."""
    return f"{cls.kind}_{name}"


def persistent(key: str) -> dict[str, Any]:
    """Return the arguments of a widget whose value holds on all pages.

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
    """Set again what is set, once a page is opened and before its widgets are drawn.

    A widget that stood on the page before would else begin at its first option in the browser, and
    the next message from there would set that (Streamlit 1.67).
    """
    session, page = st.session_state, context.page_shown()
    if session.get(keys.PAGE_DRAWN) != page:
        session[keys.PAGE_DRAWN] = page
        for key in session.get(keys.PERSISTENT_KEYS, ()):
            if key in session:
                session[key] = session[key]


def show(experiment: Any, *, only_missing: bool = False) -> None:
    """Make the widgets say what an experiment asks for; before they are drawn."""
    cls = type(experiment)
    for name, said in declared(cls).items():
        at, value = key(cls, name), getattr(experiment, name)
        if only_missing and at in st.session_state:
            continue
        if said.many:
            value = list(value) if said.kind is str else text_of(value).replace(",", ", ")
        st.session_state[at] = value
        st.session_state.get(keys.NUMBERS_CORRECTED, {}).pop(at, None)


def read(cls: type[E], **fixed: Any) -> E:
    """Read an experiment from its widgets; ValueError says in one sentence what is wrong."""
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
    **more: Any,
) -> Any:
    """A number with its limits; empty where None is a value.

    The limits are kept here and not by the widget: Streamlit puts a number beyond them at the
    widget's default without a word.
    """
    said, at = declared(cls)[name], key(cls, name)
    low, high = said.limits or (0.0, math.inf)
    low = low if least is None else least
    high = high if most is None else most
    label = label or said.label
    # Where it was emptied although it has to have a value, that is the usual one.
    value = st.session_state.setdefault(at, None if said.optional else said.default)
    if value is None and not said.optional:
        value = st.session_state[at] = said.default
    correction = ""
    if value is not None:
        # A value of a link, or of other data, may lie beyond what these have.
        used = said.kind(max(low, min(value, high)))
        corrections = st.session_state.setdefault(keys.NUMBERS_CORRECTED, {})
        if not low <= value <= high:
            bound = "most" if value > high else "least"
            sentence = (
                f"{label}: {value:,.10g} was asked for; {used:,.10g} is the {bound} here, "
                "so that is used."
            )
            corrections[at] = used, sentence
        elif corrections.get(at, (used,))[0] != used:
            # Another number was asked for since.
            del corrections[at]
        st.session_state[at] = used
        correction = corrections.get(at, (used, ""))[1]
    more |= {"format": "%g", "step": 0.01} if said.kind is float else {"step": 1}
    with place.container(gap="xsmall"):
        number = st.number_input(
            label,
            value=None,
            help=help or said.help or None,
            **persistent(at),
            **more,
        )
        if correction:
            st.caption(f":orange[{correction}]")
    return number


def clusters(cls: type[Any], dataset: Dataset, help: str) -> None:
    """On how many features is clustered, and how often."""
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
    **more: Any,
) -> Any:
    """One of a few values, which a mapping says in words; `draw` may be another widget.

    What was chosen before holds while it is offered, else `start` does, or the first.
    """
    values = list(options)
    if st.session_state.get(key) not in values:
        st.session_state[key] = values[0] if start is None else start
    more |= {"format_func": options.__getitem__} if isinstance(options, Mapping) else {}
    more |= {"required": True} if draw is st.segmented_control else {}
    return draw(label, values, **persistent(key), **more)


def views(label: str, options: Iterable[Any], key: str, **more: Any) -> Any:
    """What to look at, side by side; the label is for those who do not see them."""
    return switch(label, options, key, label_visibility="collapsed", **more)


def choice(
    cls: type[Any], name: str, titles: Mapping[Any, str], label: str = "", **more: Any
) -> Any:
    """One of the values of a field, or any of them where there are many, side by side."""
    said, at = declared(cls)[name], key(cls, name)
    how = {"help": said.help or None, "wrap": True} | more
    if not said.many:
        return switch(label or said.label, titles, at, **how)
    how |= {"selection_mode": "multi", "format_func": titles.__getitem__}
    return st.pills(said.label, list(titles), **persistent(at), **how)


def toggle(cls: type[Any], name: str, label: str = "", *, help: str = "") -> None:
    """Yes or no."""
    said, at = declared(cls)[name], key(cls, name)
    st.toggle(label or said.label, help=help or said.help, **persistent(at))


def slider(cls: type[Any], name: str, options: Sequence[Any], words: Callable[[Any], str]) -> None:
    """Draw a number on the stops of a slider, at the nearest to what is asked."""
    said, at = declared(cls)[name], key(cls, name)
    value = st.session_state[at]
    if value not in options:
        st.session_state[at] = min(options, key=lambda one: abs(one - value))
    st.select_slider(
        said.label,
        options,
        format_func=words,
        help=said.help or None,
        **persistent(at),
    )


def preparation(nouns: Nouns) -> None:
    """Draw the switches of how samples are prepared; they hold on all pages."""
    for name in ("center", "normalize"):
        said = declared(Fit)[name]
        label = said.label.replace("sample", nouns.sample)
        toggle(Fit, name, label, help=f"{said.help} The choice holds on all pages.")


def stops(value: float) -> list[float]:
    """Return the stops of a slider of penalties, its own value among them."""
    return sorted({*PENALTIES, value})


def snap(value: float, options: Sequence[float] = PENALTIES) -> float:
    """Return the option nearest to `value` in ratio; 0 only for 0."""
    if value <= 0:
        return options[0]
    return min((o for o in options if o > 0), key=lambda option: abs(math.log(option / value)))


def count_options(n_features: int) -> list[int]:
    """Return round numbers of pixels from 1 to `n_features`, finer where they are few."""
    decades = range(len(str(n_features)))
    rounded = {round(step * 10**decade) for decade in decades for step in STEPS}
    return sorted({1, n_features} | {count for count in rounded if count < n_features})


def say(value: float) -> str:
    """Write a penalty with as few digits as it has."""
    return f"{value:.3g}" if value >= 1e-4 or value == 0 else f"{value:.2g}".replace("e-0", "e-")
