"""Whether the pixels of a picture run along its rows or down its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, PixelOrder, Size
from cspca.datasets.files.question import Answers, Confidence, Question, Strength, ranked_answers

WORDS: Final[Mapping[PixelOrder, str]] = {"row": "Along rows", "column": "Down columns"}


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by the mirror symmetry of the mean picture, else by the custom of the container."""
    # Files of pictures say themselves how their pixels lie.
    if draft.features != "pixels" or draft.parsed.pictures is not None:
        return []
    reading, order = draft.picture_reading, draft.order
    if draft.data.ndim > 2:
        reading, order = None, "row"
    strength: Strength = "custom"
    confidence: Confidence = "default"
    evidence = ""
    if reading is not None and reading.order is not None:
        order, strength, confidence = reading.order, "measured", "sure"
        evidence = "Turned so, the mean picture mirrors left to right and not top to bottom."
    shape = answers.values.get("shape")
    stored = None if reading is None else reading.stored
    if shape is not None and stored in (shape, shape[::-1]) and shape[0] != shape[1]:
        order, strength, confidence = "row" if stored == shape else "column", "measured", "sure"
        evidence = f"Lines of {stored[1]} pixels repeat." if stored else ""
    sentence = ""
    if order == "column":
        reason = evidence or f"A {draft.parsed.format} keeps them so by custom."
        sentence = f"Pixels run down columns and were turned upright. {reason}"
    options = ranked_answers(WORDS, order, evidence, strength)
    text = "How do the pixels of a picture follow each other?"
    return [Question("order", text, options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep the order; `build` turns the pictures upright."""
    if "order" in questions:
        draft.order = questions["order"].value


def upright(values: Array, stored: Size) -> None:
    """Turn pictures that are stored down their columns over their diagonal, in place."""
    for row in values:  # one by one: a large array must not be kept twice
        row[...] = row.reshape(stored).T.ravel()
