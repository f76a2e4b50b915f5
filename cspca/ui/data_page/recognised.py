"""What was recognised, in words, and every guess in it to be changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final
from zlib import crc32

import streamlit as st

from cspca.datasets import NO_LABELS, NOT_PICTURES, Candidate, Options, ReadChoices
from cspca.datasets.files import sizes_below
from cspca.experiments.loading import Opened
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.data_page.reading import refused_answer
from cspca.ui.plain import plain

_SAMPLES: Final = {"first": "Rows", "last": "Columns"}
_ORDERS: Final = {"row": "Rows", "column": "Columns"}
_SCALES: Final = {
    "unit": "0 – 1 already",
    "signed": "−1 … 1",
    "16": "0 – 16",
    "255": "0 – 255",
    "65535": "0 – 65,535",
    "stretch": "Least to greatest",
    "columns": "Column by column",
}
_GREYS: Final = {
    "luma": "As the eye sees",
    "mean": "Mean of the three",
    "red": "Red alone",
    "green": "Green alone",
    "blue": "Blue alone",
}
_MOST_NAMES: Final = 200
_MOST_SEEN: Final = 3
"""Candidates up to which all are seen at once, each with its words."""

_TYPED: Final = re.compile(r"\s*(\d{1,6})(?:\s*(?:[x×*,]|by|\s)\s*(\d{1,6}))?\s*", re.IGNORECASE)


def recognised(opened: Opened, asked: ReadChoices | None) -> None:
    """Draw what was understood, and the choices; `asked` are answers that are read by now."""
    read = opened.recognised
    asked_for = [part for part in read.said if part.startswith("not sure")]
    items = "".join(f"<li>{escape(part)}</li>" for part in read.said if part not in asked_for)
    st.html(f'<ul class="cspca-said">{items}</ul>')
    for part in asked_for:
        st.info(f"{part[0].upper()}{part[1:]} below.", icon=":material/help:")
    told = "; ".join(read.said)
    if any(part not in told for part in read.left_out):
        passed = "".join(f"<li>{escape(part)}</li>" for part in read.left_out)
        st.html(
            f"<details class='cspca-said'><summary>{len(read.left_out):,} passed over</summary>"
            f"<ul>{passed}</ul></details>"
        )
    answers = _Answers(read.used, asked or opened.choices)
    with st.container(key=keys.BOX_RECOGNISED, gap="small"):
        _meaning(answers, read.options)
        _names(answers, opened)


class _Answers:
    """The answers to show: what the person has said, else what was used."""

    def __init__(self, used: ReadChoices, asked: ReadChoices) -> None:
        self._used, self._asked = used, asked

    def __getitem__(self, field: str) -> Any:
        asked = getattr(self._asked, field)
        return getattr(self._used, field) if asked is None else asked


def _meaning(answers: _Answers, options: Options) -> None:
    if len(options.data) > 1:
        _candidates("Images", "data", options.data, answers)
    if options.labels:
        none = Candidate(NO_LABELS, "")
        _candidates("Classes", "labels", (*options.labels, none), answers)
    questions: list[Callable[[], None]] = []

    def ask(wanted: object, draw: Callable[..., None], *given: Any) -> None:
        if wanted:
            questions.append(lambda: draw(*given))

    shapes = (*options.image_shapes, NOT_PICTURES)
    ask(options.image_shapes, _typed, "Height × width", "image_shape", shapes, answers, "28 × 20")
    scales = options.scales, answers, _SCALES.__getitem__
    ask(options.scales, _select, "Values run over", "scale", *scales)
    samples = options.samples, answers, _SAMPLES
    ask(len(options.samples) > 1, _switch, "Samples are in", "samples", *samples)
    ask(options.poses, _toggle, "3-D poses of 16 joints", "poses", answers)
    ask(options.header, _toggle, "Header row", "header", answers)
    greys = options.greys, answers, _GREYS.__getitem__
    ask(len(options.greys) > 1, _select, "Grey of colours", "grey", *greys)
    # Last, for it comes and goes with another answer: the others keep their places.
    orders = options.orders, answers, _ORDERS
    ask(len(options.orders) > 1, _switch, "Pixels run along", "order", *orders)
    for start in range(0, len(questions), 2):
        pair = questions[start : start + 2]
        for cell, question in zip(st.columns(2, gap="small"), pair, strict=False):
            with cell:
                question()
    if options.columns:
        _left_out(answers, options.columns)


def _candidates(label: str, field: str, candidates: Sequence[Candidate], answers: _Answers) -> None:
    names = [one.name for one in candidates]
    now = answers[field]
    now = NO_LABELS if now is None and field == "labels" else now
    if len(names) > _MOST_SEEN or now not in names:
        words = {
            one.name: f"{one.name} ({one.words})" if one.words else one.name for one in candidates
        }
        words[NO_LABELS] = "none"
        _select(label, field, names, answers, lambda name: words[name])
        return
    key = _show(field, now, names)
    st.radio(
        label,
        names,
        format_func=lambda name: plain(name) or "none",
        captions=[plain(one.words) for one in candidates],
        key=key,
        on_change=_changed,
        args=(field, key),
    )
    refused_answer(field, lambda name: name or "none")


def _select(
    label: str, field: str, options: Sequence[Any], answers: _Answers, words: Callable[[Any], str]
) -> None:
    now = answers[field]
    now = NO_LABELS if now is None and field == "labels" else now
    choices = list(options) if now in options else [now, *options]
    key = _show(field, now, choices)
    st.selectbox(
        label,
        choices,
        format_func=lambda one: words(one) if one in options else str(one),
        key=key,
        on_change=_changed,
        args=(field, key),
    )
    refused_answer(field, words)


def _typed(
    label: str, field: str, sizes: Sequence[tuple[int, int]], answers: _Answers, example: str
) -> None:
    """Draw a choice of sizes to which any other may be typed."""
    now = answers[field]
    choices = list(sizes) if now in sizes else [now, *sizes]
    key = _show(field, now, choices)
    st.selectbox(
        label,
        choices,
        format_func=size_in_words,
        key=key,
        accept_new_options=True,
        help=f"Choose one, or type your own: {example}.",
        on_change=_typed_in,
        args=(field, key, sizes[0], example),
    )
    refused_answer(field, size_in_words)


def _switch(
    label: str, field: str, options: Sequence[str], answers: _Answers, words: dict[str, str]
) -> None:
    key = _show(field, answers[field], options)
    st.segmented_control(
        label,
        list(options),
        format_func=words.__getitem__,
        key=key,
        required=True,
        on_change=_changed,
        args=(field, key),
    )
    refused_answer(field, words.__getitem__)


def _toggle(label: str, field: str, answers: _Answers) -> None:
    key = _show(field, bool(answers[field]))
    st.toggle(label, key=key, on_change=_changed, args=(field, key))
    refused_answer(field, lambda on: "on" if on else "off")


def _left_out(answers: _Answers, columns: Sequence[Candidate]) -> None:
    names = [one.name for one in columns]
    now = [one for one in answers["leave_out"] or () if one in names]
    key = _show("leave_out", now, names)
    st.multiselect(
        "Columns to leave out",
        names,
        key=key,
        placeholder="None",
        on_change=_changed,
        args=("leave_out", key),
    )
    refused_answer("leave_out", lambda columns: f"without {', '.join(columns)}")


def _names(answers: _Answers, opened: Opened) -> None:
    names = answers["class_names"]
    if not names or len(names) > _MOST_NAMES or opened.source.dataset is not None:
        return
    # What was typed stays to be mended when it was refused.
    refusal = draft.refusal("class_names")
    key = _show("class_names", "\n".join(names if refusal is None else refusal.asked.answer))
    with st.expander("Names of the classes", expanded=refusal is not None):
        st.text_area(
            "One name a line, in the order of the classes",
            key=key,
            height=180,
            on_change=_changed,
            args=("class_names", key),
        )
        refused_answer("class_names", None)


def size_chooser(opened: Opened | None, shape: tuple[int, int], asked: ReadChoices | None) -> None:
    """Draw the choice of another size than `shape`, by the mean over the area of each new pixel.

    `opened` is None for a set in use that has not been opened here.
    """
    used = ReadChoices(size=shape, fit="stretch")
    options = Options(sizes=sizes_below(shape))
    choices = asked or ReadChoices()
    if opened is not None:
        used, options = opened.recognised.used, opened.recognised.options
        choices = asked or opened.choices
    if not options.sizes:
        return
    answers = _Answers(used, choices)
    left, right = st.columns(2, gap="small")
    with left:
        _typed(
            "Size to work with",
            "size",
            options.sizes,
            answers,
            "40 × 30, or 40 for the longer side",
        )
    with right:
        if options.fits and answers["size"] is not None:
            labels = {"stretch": "Stretch", "crop": "Crop"}
            _switch("Other proportions", "fit", options.fits, answers, labels)


def size_in_words(size: Any) -> str:
    """Say a size, or that there are no pictures."""
    if size is None:
        return "as it is"
    if isinstance(size, str):
        return size
    return "not pictures" if size == NOT_PICTURES else f"{size[0]} × {size[1]}"


def _show(field: str, value: Any, options: Sequence[Any] = ()) -> str:
    """Set what a widget shows; it keeps its key, and with it the keyboard's place."""
    # With other options it must be another widget: a browser that still holds an answer from
    # among the old ones would take the first of the new ones for what the visitor wants.
    key = f"{keys.CHOICE}_{field}_{crc32(repr(options).encode()):08x}"
    st.session_state[key] = value
    return key


def _changed(field: str, key: str) -> None:
    value = st.session_state[key]
    if field == "class_names":
        value = tuple(line.strip() for line in value.strip().splitlines())
    elif field == "leave_out":
        value = tuple(value)
    draft.choose(field, value)


def _typed_in(field: str, key: str, whole: tuple[int, int], example: str) -> None:
    value = st.session_state[key]
    if isinstance(value, str):
        size = _understood(value, whole if field == "size" else None)
        if size is None:
            sentence = f"Type a height and a width in pixels, each at least 1: {example}."
            draft.not_understood(field, value[:40], sentence)
            return
        value = size
    draft.choose(field, value)


def _understood(text: str, whole: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the height and width that were typed; one number is the longer side of ``whole``."""
    match = _TYPED.fullmatch(text)
    if match is None:
        return None
    first = int(match[1])
    if match[2] is not None:
        size = first, int(match[2])
    elif whole is not None:
        size = round(whole[0] * first / max(whole)), round(whole[1] * first / max(whole))
        size = (max(size[0], min(first, 1)), max(size[1], min(first, 1)))
    else:
        return None
    return size if min(size) >= 1 else None
