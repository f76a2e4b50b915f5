"""Description of how a file was read, with a control to correct every guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from zlib import crc32

import streamlit as st

from cspca.datasets import NO_LABELS, NOT_PICTURES, Candidate, Options, ReadChoices
from cspca.experiments.loading import Opened
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.plain import plain

_WORDS: Final[Mapping[str, Mapping[Any, str]]] = {
    "samples": {"first": "Rows", "last": "Columns"},
    "order": {"row": "Rows", "column": "Columns"},
    "scale": {
        "unit": "0 – 1 already",
        "signed": "−1 … 1",
        "16": "0 – 16",
        "255": "0 – 255",
        "65535": "0 – 65,535",
        "stretch": "Least to greatest",
        "columns": "Least to greatest of each column",
    },
    "grey": {
        "luma": "As the eye sees",
        "mean": "Mean of the three",
        "red": "Red alone",
        "green": "Green alone",
        "blue": "Blue alone",
    },
    "fit": {"stretch": "Stretch", "crop": "Crop"},
    "image_shape": {None: "as it is", NOT_PICTURES: "not images"},
    "size": {None: "as it is"},
    "labels": {NO_LABELS: "none"},
    "header": {True: "on", False: "off"},
    "poses": {True: "on", False: "off"},
}
"""Labels of the answers."""

_EXAMPLES: Final = {"image_shape": "28 × 20", "size": "40 × 30, or 40 for the longer side"}


def recognised(opened: Opened, requested: ReadChoices | None) -> None:
    """Draw how a file was read and every question on it; `requested` are the choices being read."""
    _summary(opened)
    used, options = opened.recognised.used, opened.recognised.options
    # The visitor's answers, else the guesses.
    answered = vars(requested or opened.choices).items()
    answers = vars(used) | {name: value for name, value in answered if value is not None}
    with st.container(key="recognised_box", gap="small"):
        _questions(answers, options)
        names = answers["class_names"] or ()
        if opened.source.dataset is None and 0 < len(names) <= 200:
            # A refused text stays, to be corrected.
            refused = draft.refusal("class_names")
            shown = "\n".join(names if refused is None else refused.answer)
            with st.expander("Names of the classes", expanded=refused is not None):
                label = "One name a line, in the order of the classes"
                _ask(st.text_area, label, "class_names", shown, height=180)
    if opened.dataset.image_shape is None or not options.sizes:
        return
    left, right = st.columns(2, gap="small")
    with left:
        _ask(st.selectbox, "Size to work with", "size", answers["size"], options.sizes)
    with right:
        if options.fits and answers["size"] is not None:
            _ask(st.segmented_control, "Other proportions", "fit", answers["fit"], options.fits)


def _summary(opened: Opened) -> None:
    read = opened.recognised
    unsure = [part for part in read.said if part.startswith("not sure")]
    st.markdown(_list(part for part in read.said if part not in unsure))
    for part in unsure:
        st.info(f"{part[0].upper()}{part[1:]} below.", icon=":material/help:")
    summary = "; ".join(read.said)
    if any(part not in summary for part in read.left_out):
        st.expander(f"{len(read.left_out):,} skipped").markdown(_list(read.left_out))


def _list(parts: Iterable[str]) -> str:
    return "\n".join(f"- {plain(part)}" for part in parts)


def _questions(answers: dict[str, Any], options: Options) -> None:
    if len(options.data) > 1:
        _candidates("Images", "data", answers["data"], options.data)
    if options.labels:
        among = (*options.labels, Candidate(NO_LABELS, ""))
        _candidates("Classes", "labels", answers["labels"] or NO_LABELS, among)
    shapes = options.image_shapes and (*options.image_shapes, NOT_PICTURES)
    questions: tuple[tuple[Callable[..., Any], str, str, Any], ...] = (
        (st.selectbox, "Height × width", "image_shape", shapes),
        (st.selectbox, "Values run over", "scale", options.scales),
        (st.segmented_control, "Samples are in", "samples", options.samples),
        (st.toggle, "3-D poses of 16 joints", "poses", options.poses),
        (st.toggle, "Header row", "header", options.header),
        (st.selectbox, "Grey of colours", "grey", options.greys),
        # Last, because it appears and disappears with another answer: the others keep their places.
        (st.segmented_control, "Pixels run along", "order", options.orders),
    )
    # Two per row, without gaps for questions that are not asked.
    cells: list[Any] = []
    for draw, label, field, choices in questions:
        if not choices:
            continue
        if not cells:
            cells = list(st.columns(2, gap="small"))
        with cells.pop(0):
            _ask(draw, label, field, answers[field], choices)
    if options.columns:
        names = [column.name for column in options.columns]
        left_out = [name for name in answers["leave_out"] or () if name in names]
        label, field = "Columns to leave out", "leave_out"
        _ask(st.multiselect, label, field, left_out, names, placeholder="None")


def _candidates(label: str, field: str, answer: str, candidates: Sequence[Candidate]) -> None:
    names = [candidate.name for candidate in candidates]
    options: dict[str, Any] = {"format_func": named(candidates).__getitem__}
    draw: Callable[..., Any] = st.selectbox
    # Few candidates are radio buttons, each with its description.
    if len(names) <= 3 and answer in names:
        draw, options["captions"] = st.radio, [plain(candidate.words) for candidate in candidates]
        options["format_func"] = lambda name: plain(name) or "none"
    _ask(draw, label, field, answer, names, **options)


def named(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Return the label of each candidate in a list, by its name."""
    words_of = {candidate.name: candidate.words for candidate in candidates}
    return {
        name: f"{name} ({words})" if words else name or "none" for name, words in words_of.items()
    }


def _ask(
    draw: Callable[..., Any], label: str, field: str, value: Any, choices: Any = None, **kwargs: Any
) -> None:
    """Draw a question with its current answer and, below, why the last answer was refused."""
    if draw is st.selectbox and value not in choices:
        choices = (*choices, value)
    if draw is st.toggle:
        value = bool(value)
    elif choices is not None:
        kwargs = {"options": choices, "format_func": partial(_in_words, field)} | kwargs
    if draw is st.segmented_control:
        kwargs["required"] = True
    if field in _EXAMPLES:
        kwargs["accept_new_options"] = True
        kwargs["help"] = f"Choose one, or type your own: {_EXAMPLES[field]}."
    # Other choices need another widget: a browser that still has an old answer would select the
    # first of the new choices. With the same choices it keeps its key, and the keyboard focus.
    key = f"choice_{field}_{crc32(repr(choices).encode()):08x}"
    st.session_state[key] = value
    draw(label, key=key, on_change=_changed, args=(field, key, choices), **kwargs)
    refused = draft.refusal(field)
    if refused is None:
        return
    head = "" if field == "class_names" else f"“{_in_words(field, refused.answer)}” was not taken. "
    st.error(plain(f"{head}{refused.refusal}"), icon=":material/error:")


def _in_words(field: str, answer: Any) -> str:
    labels = _WORDS.get(field, {})
    if answer in labels:
        return labels[answer]
    if isinstance(answer, tuple):
        size = field in _EXAMPLES
        return " × ".join(map(str, answer)) if size else f"without {', '.join(answer)}"
    return str(answer)


def _changed(field: str, key: str, choices: Any) -> None:
    value = st.session_state[key]
    if field == "class_names":
        value = tuple(line.strip() for line in value.strip().splitlines())
    elif field == "leave_out":
        value = tuple(value)
    elif field in _EXAMPLES and isinstance(value, str):
        size = _understood(value, choices[0] if field == "size" else None)
        if size is None:
            why = f"Type a height and a width in pixels, each at least 1: {_EXAMPLES[field]}."
            st.session_state[keys.REFUSED] = draft.Asked(field, value[:40], refusal=why)
            return
        value = size
    draft.choose(field, value)


def _understood(text: str, whole: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the height and width in a text; a single number is the longer side of ``whole``."""
    pattern = r"\s*(\d{1,6})(?:\s*(?:[x×*,]|by|\s)\s*(\d{1,6}))?\s*"
    match = re.fullmatch(pattern, text, re.IGNORECASE)
    if match is None or (match[2] is None and whole is None):
        return None
    first = int(match[1])
    size = first, int(match[2] or 0)
    if match[2] is None and whole is not None and first:
        height, width = (max(1, round(side * first / max(whole))) for side in whole)
        size = height, width
    return size if min(size) >= 1 else None
