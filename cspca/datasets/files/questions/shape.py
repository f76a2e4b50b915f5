"""Height and width of a flattened picture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft, Size
from cspca.datasets.files.question import Answers, Confidence, Question, Strength, ranked_answers
from cspca.datasets.record import DatasetError

_TEXT: Final = "How high and wide is a picture?"
_MOST_OFFERED: Final = 24


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose the declared or measured shape; ask where neither is there."""
    if draft.features != "pixels" or draft.data.ndim != 2:
        return []
    n_pixels = draft.data.shape[1]
    reading = draft.picture_reading
    first: Size | None = draft.declared_shape
    strength: Strength = "declared"
    confidence: Confidence = "sure"
    evidence = "The file says so."
    if first is None and reading is not None and reading.stored is not None:
        first, strength = reading.stored, "measured"
        first = first if draft.order == "row" else first[::-1]
        # Whether they are pictures at all has been asked: their shape is no second doubt.
        confidence = "sure" if reading.confidence == "sure" else "likely"
        evidence = reading.evidence
    shapes = factor_pairs(n_pixels)
    if first is None or math.prod(first) != n_pixels:
        first, strength, confidence, evidence = next(iter(shapes)), "custom", "open", ""
    words = {shape: f"{shape[0]} × {shape[1]}" for shape in (first, *shapes)}
    options = ranked_answers(words, first, evidence, strength)
    sides = answers.values.get("shape")
    if sides is not None and (len(sides) != 2 or math.prod(sides) != n_pixels or min(sides) < 1):
        height, width = (*sides, 0, 0)[:2]
        raise DatasetError(
            f"{draft.parsed.file}: an image of {height} × {width} does not have {n_pixels:,} "
            "pixels: choose a height and width whose product it is."
        )
    sentence = f"Pictures are {words[first]}. {evidence}" if confidence == "likely" else ""
    return [Question("shape", _TEXT, options, confidence, sentence=sentence, example="28 × 20")]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep the upright shape, and make one row of each picture."""
    if draft.features != "pixels":
        return
    if draft.data.ndim == 2:
        draft.shape = questions["shape"].value
        return
    stored = (draft.data.shape[1], draft.data.shape[2])
    draft.shape = stored if draft.order == "row" else stored[::-1]
    draft.data = draft.data.reshape(len(draft.data), -1)


def factor_pairs(n_pixels: int) -> list[Size]:
    """Heights and widths of so many pixels, the squarest first, upright before lying."""
    shapes: dict[Size, None] = {}
    for width in range(math.isqrt(n_pixels), 0, -1):
        if n_pixels % width == 0:
            height = n_pixels // width
            shapes |= {(height, width): None, (width, height): None}
    return list(shapes)[:_MOST_OFFERED]
