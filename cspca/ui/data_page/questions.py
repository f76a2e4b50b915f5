"""How a file was read: the open questions about it first, then every decision and its answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final
from zlib import crc32

import streamlit as st

from cspca.datasets import Answers, Question
from cspca.datasets.files.question import Confidence
from cspca.experiments.loading import Opened
from cspca.ui import keys
from cspca.ui.data_page import draft
from cspca.ui.data_page.answer_previews import caption_of, preview_html
from cspca.ui.plain import button, noticed, plain

_SHOWN: Final = 5
"""Answers of an open question that have a button of their own; the others are in a list."""

_SURENESS: Final[dict[Confidence, str]] = {
    "sure": "sure",
    "likely": "likely",
    "default": "default",
    "given": "your answer",
}

_SIZE_EXAMPLE: Final = "40 × 30, or 40 for the longer side"


def draw_reading(opened: Opened, requested: Answers | None) -> None:
    """Draw how a file was read; `requested` are the answers by which it is being read again."""
    reading = opened.reading
    with st.container(key="recognised_box", gap="small"):
        if reading.questions:
            st.subheader("How it was read", anchor=False)
        if reading.summary:
            st.markdown(plain(f"{reading.summary}."))
        if reading.refusal:
            _why_no_set(opened)
        _open_questions(opened)
        _decisions(opened, requested)
        if reading.notes:
            st.markdown(_list(reading.notes))
        if reading.left_out:
            with st.expander(f"{len(reading.left_out):,} skipped"):
                st.markdown(_list(reading.left_out))
        _class_names(opened)
    _size(opened, requested)


def _list(parts: Sequence[str]) -> str:
    return "\n".join(f"- {plain(part)}" for part in parts)


def _why_no_set(opened: Opened) -> None:
    """Say why there is no set yet, and offer a way back from the visitor's own answers."""
    st.warning(plain(opened.reading.refusal), icon=":material/warning:")
    if opened.answers.values:
        button("Forget my answers", "forget_answers_button", "undo", draft.forget_answers)


# Open questions


def _open_questions(opened: Opened) -> None:
    questions = opened.reading.open_questions
    if not questions:
        return
    wait = "One answer is" if len(questions) == 1 else f"{len(questions)} answers are"
    st.info(f"{wait} needed before the set can be used.", icon=":material/help:")
    for question in questions.values():
        with st.container(border=True, key=f"open_{_name(question)}", gap="small"):
            _buttons(opened, question)
            _refused(question.key, question)


def _buttons(opened: Opened, question: Question) -> None:
    """Draw a button for each of the first answers, with its evidence and what it would give."""
    st.markdown(f"**{plain(question.text)}**")
    previews = {preview.value: preview for preview in opened.reading.previews.get(question.key, ())}
    for number, answer in enumerate(question.answers[:_SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            key = f"answer_{_name(question)}_{number}"
            look = {"width": "content"}
            button(plain(answer.words), key, "check", draft.answer, question, answer.value, **look)
            if answer.description:
                st.caption(plain(answer.description))
        if answer.value in previews:
            preview = previews[answer.value]
            st.html(preview_html(preview, caption_of(answer.words, preview)))
    if len(question.answers) > _SHOWN or question.example:
        _list_of_answers(question, None, label="Another answer", first=_SHOWN)


# Decisions


def _decisions(opened: Opened, requested: Answers | None) -> None:
    for question in opened.reading.questions.values():
        if not question.is_open:
            _decision(opened, question, requested)
    _ask_about_column(opened)
    _make_previews(opened)


def _make_previews(opened: Opened) -> None:
    """Have the previews made of the questions for which they are open and not there yet."""
    missing = [
        key
        for key in opened.reading.previewed
        if st.session_state.get(previews_key(opened, key)) and key not in opened.reading.previews
    ]
    waits = draft.reading() is not None or draft.refusal(draft.PREVIEWS) is not None
    if missing and not waits:
        draft.preview(missing)
        st.rerun()


def previews_key(opened: Opened, question_key: str) -> str:
    """Return the key of the box of previews, which is closed again once there is a new answer."""
    answers = repr((opened.source.name, opened.answers, question_key))
    return f"previews_{crc32(answers.encode()):08x}"


def _ask_about_column(opened: Opened) -> None:
    """Offer every column that is a feature, to ask what it is for."""
    questions = opened.reading.questions.values()
    is_table = any(question.name in ("header", "roles") for question in questions)
    names = None if opened.proposed is None else opened.proposed.feature_names
    if not is_table or not names:
        return
    key = f"other_column_{crc32(repr(names).encode()):08x}"
    st.session_state[key] = None
    st.selectbox(
        f"Another of {len(names):,} columns",
        names,
        key=key,
        placeholder="Choose one to say what it is for",
        on_change=lambda: noticed(draft.ask_about, st.session_state[key]),
    )


def _decision(opened: Opened, question: Question, requested: Answers | None) -> None:
    """Draw one decision: what was done and why, how sure it is, and the other answers."""
    value = question.value if requested is None else requested_value(question, requested)
    in_force = next((answer for answer in question.answers if answer.value == question.value), None)
    sentence = question.sentence
    if not sentence and in_force is not None:
        sentence = in_force.evidence
    badge = f":gray-badge[{_SURENESS[question.confidence]}]"
    with st.container(gap=None):
        st.markdown(f"**{plain(question.text)}** {badge}")
        if sentence:
            st.caption(plain(sentence))
    if len(question.answers) < 2 and not question.example:
        return
    _list_of_answers(question, value, is_titled=True)
    _refused(question.key, question)
    if question.key in opened.reading.previewed:
        _previews(opened, question)


def _previews(opened: Opened, question: Question) -> None:
    """Draw a box that shows, once it is open, what each answer would give."""
    key = previews_key(opened, question.key)
    box = st.expander("What each would give", key=key, on_change="rerun")
    if not box.open:
        return
    previews = opened.reading.previews.get(question.key)
    words = {answer.value: answer.words for answer in question.answers}
    with box:
        if previews:
            for preview in previews:
                st.html(preview_html(preview, caption_of(words[preview.value], preview)))
        elif (refused := draft.refusal(draft.PREVIEWS)) is not None:
            st.caption(plain(refused.refusal))
        elif previews is None:
            st.caption("The file is being read for this.")
        else:
            st.caption("It would take too long to show this.")


def requested_value(question: Question, requested: Answers) -> Any:
    """Return the answer to a question while a file is read again by these answers."""
    value = requested.values.get(question.name)
    if value is not None and question.subject:
        value = value.get(question.subject)
    return question.value if value is None else value


def _list_of_answers(
    question: Question, value: Any, *, label: str = "", first: int = 0, is_titled: bool = False
) -> None:
    """Draw the answers, from `first` on, as a list or as few buttons; `value` is in force.

    Where the question stands above it already, its label is for programs alone.
    """
    words = {answer.value: answer.words for answer in question.answers}
    values = [answer.value for answer in question.answers[first:]]
    if value is not None and value not in values:
        values.append(value)
    draw: Callable[..., Any] = st.selectbox
    options: dict[str, Any] = {
        "label_visibility": "collapsed" if is_titled else "visible",
        "format_func": lambda answer: words.get(answer, _in_words(answer)),
        "options": values,
    }
    few = len(values) <= 3 and value is not None and not question.example
    if few:
        draw, options["required"] = st.segmented_control, True
        options["format_func"] = lambda answer: plain(words.get(answer, _in_words(answer)))
    else:
        options["placeholder"] = "Choose one"
        if question.example:
            options["accept_new_options"] = True
            options["help"] = f"Choose one, or type your own: {question.example}."
    # Other choices need another widget: a browser that still has an old answer would select the
    # first of the new choices. With the same choices it keeps its key, and the keyboard focus.
    key = f"choice_{_name(question)}_{crc32(repr((values, few)).encode()):08x}"
    st.session_state[key] = value
    label = plain(label or question.text)
    draw(label, key=key, on_change=_chosen, args=(question, key), **options)


def _chosen(question: Question, key: str) -> None:
    value = st.session_state[key]
    if value is None:
        return
    if question.example and isinstance(value, str):
        value = _typed_size(question.key, value, None, question.example)
        if value is None:
            return
    noticed(draft.answer, question, value)


# Size, crop and names of classes, which are no questions


def _class_names(opened: Opened) -> None:
    dataset = opened.proposed
    names = () if dataset is None or opened.source.dataset is not None else dataset.target_names
    if not names or len(names) > 200:
        return
    # A refused text stays, to be corrected.
    refused = draft.refusal("class_names")
    shown = "\n".join(names if refused is None else refused.answer)
    with st.expander("Names of the classes", expanded=refused is not None):
        key = "choice_class_names_"
        st.session_state[key] = shown
        label = "One name a line, in the order of the classes"
        st.text_area(label, key=key, on_change=_named, args=(key,), height=180)
        _refused("class_names")


def _named(key: str) -> None:
    lines = st.session_state[key].strip().splitlines()
    noticed(draft.change, "class_names", tuple(line.strip() for line in lines))


def _size(opened: Opened, requested: Answers | None) -> None:
    dataset, sizes = opened.proposed, opened.reading.sizes
    if dataset is None or dataset.kind != "pixels" or not sizes:
        return
    answers = opened.answers if requested is None else requested
    size = answers.size or dataset.image_shape
    choices = sizes if size in sizes else (*sizes, size)
    left, right = st.columns(2, gap="small")
    with left:
        key = f"choice_size_{crc32(repr(choices).encode()):08x}"
        st.session_state[key] = size
        st.selectbox(
            "Size to work with",
            choices,
            key=key,
            format_func=_in_words,
            on_change=_sized,
            args=(key, sizes[0]),
            accept_new_options=True,
            help=f"Choose one, or type your own: {_SIZE_EXAMPLE}.",
        )
        _refused("size")
    if answers.size is None:
        return
    with right:
        key = "choice_crop_"
        st.session_state[key] = answers.crop
        st.segmented_control(
            "Other proportions",
            [False, True],
            key=key,
            format_func=lambda crop: "Crop" if crop else "Stretch",
            on_change=lambda: noticed(draft.change, "crop", bool(st.session_state[key])),
            required=True,
        )
        _refused("crop")


def _sized(key: str, whole: tuple[int, int]) -> None:
    value = st.session_state[key]
    if isinstance(value, str):
        value = _typed_size("size", value, whole, _SIZE_EXAMPLE)
        if value is None:
            return
    noticed(draft.change, "size", value)


# Words


def _refused(place: str, question: Question | None = None) -> None:
    """Draw why the last answer at a place was not taken."""
    refused = draft.refusal(place)
    if refused is None:
        return
    if place == "class_names":
        st.error(plain(refused.refusal), icon=":material/error:")
        return
    answers = () if question is None else question.answers
    words = {answer.value: answer.words for answer in answers}
    answer = words.get(refused.answer, _in_words(refused.answer))
    st.error(plain(f"“{answer}” was not taken. {refused.refusal}"), icon=":material/error:")


def _name(question: Question) -> str:
    """Return a name of a question for the keys of its widgets."""
    if not question.subject:
        return question.name
    return f"{question.name}_{crc32(question.subject.encode()):08x}"


def _in_words(value: Any) -> str:
    return " × ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _typed_size(
    place: str, text: str, whole: tuple[int, int] | None, example: str
) -> tuple[int, int] | None:
    """Return the size that was typed; where it is none, refuse it at its place."""
    size = size_in(text, whole)
    if size is None:
        why = f"Type a height and a width in pixels, each at least 1: {example}."
        st.session_state[keys.REFUSED] = draft.Asked(place, text[:40], refusal=why)
    return size


def size_in(text: str, whole: tuple[int, int] | None) -> tuple[int, int] | None:
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
