"""What the features are: pixels of a picture, points of an axis, columns, or joints in space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from cspca.datasets.files import picture_test
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Axis, Draft, Features
from cspca.datasets.files.question import Answer, Answers, Confidence, Question, Strength
from cspca.datasets.files.questions.samples import axis_fields
from cspca.datasets.record import DatasetError

_TEXT: Final = "What are the features?"
WORDS: Final[Mapping[Features, str]] = {
    "pixels": "Pixels of a picture",
    "axis": "Points of an axis, as of a spectrum",
    "columns": "Columns of a table",
    "joints": "Joints in space",
}

SENTENCES: Final[Mapping[Features, str]] = {
    "pixels": "Samples are pictures.",
    "axis": "Features are points of one axis.",
    "columns": "Features are columns of a table.",
    "joints": "Samples are poses.",
}


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by what the file declares, else by the picture test."""
    if draft.parsed.pictures is not None:
        draft.features = "pixels"
        return []
    kind, strength, confidence, evidence = _evidence(draft, answers)
    order: list[Features] = [kind, *(one for one in _possible(draft) if one != kind)]
    options = tuple(
        Answer(
            value,
            WORDS[value],
            evidence if value == kind else "",
            strength if value == kind else "custom",
        )
        for value in order
    )
    sentence = f"{SENTENCES[kind]} {evidence}" if evidence and confidence != "open" else ""
    return [Question("features", _TEXT, options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep what the features are; the axis gets its values."""
    if "features" not in questions:
        return
    draft.features = questions["features"].value
    if draft.features == "axis" and draft.axis is None:
        draft.axis = _axis_beside(draft)
        if draft.axis is None:
            draft.axis = Axis(tuple(float(place) for place in range(1, draft.data.shape[1] + 1)))
    if draft.features != "pixels" and draft.data.ndim > 2:
        draft.data = draft.data.reshape(len(draft.data), -1)


def _possible(draft: Draft) -> list[Features]:
    possible: list[Features] = ["columns", "axis"]
    if draft.data.ndim > 2 or draft.data.shape[1] >= 4:
        possible.insert(0, "pixels")
    return possible


def _axis_beside(draft: Draft) -> Axis | None:
    for field in axis_fields(draft):
        if field.sides == (draft.data.shape[1],):
            values = field.values(draft.parsed.file).ravel().astype(float)
            return Axis(tuple(values.tolist()))
    return None


def _declared_shape(draft: Draft) -> tuple[tuple[int, int], str] | None:
    """Shape of a picture that an array beside the samples, or the file, declares."""
    if draft.declared_shape is not None:
        return draft.declared_shape, "The file says their shape."
    if draft.data.ndim != 2:
        return None
    n_samples, n_features = draft.data.shape
    for field in draft.beside:
        sides = field.shape[1:]
        if (
            field.name.lower() == "images"
            and field.shape[:1] == (n_samples,)
            and len(sides) in (2, 3)
            and math.prod(sides) == n_features
        ):
            return (sides[0], sides[1]), f"{field.title} holds the same numbers as pictures."
        if field.name.lower() in ("image_shape", "img_shape", "imgsize") and field.sides == (2,):
            values = field.values(draft.parsed.file).ravel().astype(int).tolist()
            if math.prod(values) == n_features:
                return (values[0], values[1]), f"{field.title} says their shape."
    return None


def _evidence(draft: Draft, answers: Answers) -> tuple[Features, Strength, Confidence, str]:
    data = draft.data
    if answers.values.get("shape"):
        if data.ndim == 2:
            # It may still tell in which order the pixels of that shape lie.
            draft.picture_reading = picture_test.read_rows(data)
        return "pixels", "declared", "given", ""
    declared = _declared_shape(draft)
    if declared is not None:
        draft.declared_shape, evidence = declared
        return "pixels", "declared", "sure", evidence
    if draft.axis is not None or (data.ndim == 2 and _axis_beside(draft) is not None):
        return "axis", "declared", "sure", "The file has its values."
    if data.ndim == 2 and draft.feature_names is not None:
        return "columns", "declared", "sure", ""
    flat = data.reshape(len(data), -1)
    if draft.common_unit is False:
        return "columns", "measured", "sure", ""
    reading = picture_test.read_rows(flat)
    draft.picture_reading = reading
    if data.ndim == 3:
        return _stack(draft, reading)
    if data.ndim > 3:
        return "pixels", "custom", "likely", "They have three or four channels."
    if reading.answer == "not pictures":
        return "columns", "measured", "sure" if reading.confidence == "sure" else "default", ""
    confidence: Confidence = "sure" if reading.confidence == "sure" else "open"
    return "pixels", "measured", confidence, reading.evidence


def _stack(
    draft: Draft, reading: picture_test.PictureReading
) -> tuple[Features, Strength, Confidence, str]:
    """Evidence for samples that are stored with two sides."""
    assert draft.group is not None
    name = draft.group.fields[0].name.lower()
    if any(word in name for word in ("image", "img", "face", "picture", "photo", "frame")):
        return "pixels", "declared", "sure", f"Their array is called {name}."
    sides = draft.data.shape[1:]
    if reading.confidence == "sure" and reading.stored in (sides, sides[::-1]):
        return "pixels", "measured", "sure", reading.evidence
    return "pixels", "custom", "open", ""


def check_pixels(draft: Draft) -> None:
    """Refuse samples of more sides than pictures have."""
    if draft.data.ndim > 4:
        sides = " × ".join(map(str, draft.data.shape))
        raise DatasetError(
            f"{draft.parsed.file}: the data are {sides}: give (samples, features) or (samples, "
            "height, width)."
        )
    if not np.issubdtype(draft.data.dtype, np.number) and draft.data.dtype != np.bool_:
        raise DatasetError(f"{draft.parsed.file}: pixels are not numbers: save plain numbers.")
