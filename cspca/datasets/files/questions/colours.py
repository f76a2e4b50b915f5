"""What three or four channels are: colours to be made grey, or channels to be kept apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from cspca.datasets.files.channels import WEIGHTS, are_colours, channels_last, weighed
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, precision
from cspca.datasets.files.question import Answers, Confidence, Question, Strength, ranked_answers
from cspca.datasets.files.questions import picture_files
from cspca.datasets.files.questions.features import check_pixels
from cspca.datasets.steps import FlatChannels

WORDS: Final[Mapping[str, str]] = {
    "luma": "Grey, as the eye sees",
    "mean": "Grey, the mean of the three",
    "red": "Red alone",
    "green": "Green alone",
    "blue": "Blue alone",
    "separate": "Keep the channels apart",
}


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose grey where the channels are colours; ask where they may be anything else."""
    if draft.features != "pixels":
        return []
    if draft.parsed.pictures is not None:
        about_channels = picture_files.propose_channels(draft.parsed.pictures)
        if about_channels:
            return about_channels
        words = {value: WORDS[value] for value in WEIGHTS}
        options = ranked_answers(words, "luma", "", "declared")
        return [Question("colours", "What becomes of colours?", options, "default")]
    check_pixels(draft)
    channels = _channels(draft)
    if channels is None:
        return []
    evidence = are_colours(channels)
    strength: Strength = "measured" if evidence else "custom"
    confidence: Confidence = "likely" if evidence else "open"
    options = ranked_answers(WORDS, "luma" if evidence else "separate", evidence, strength)
    sentence = f"Colours are turned to grey. {evidence}" if confidence == "likely" else ""
    return [Question("colours", "What are the channels?", options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Make one value of the channels of each pixel, or one feature of each channel."""
    if draft.features != "pixels":
        return
    if draft.parsed.pictures is not None:
        _decode(draft, questions["colours"].value, answers)
        return
    data = draft.data
    if data.ndim == 4 and 1 in (data.shape[1], data.shape[3]):
        draft.data = data[..., 0] if data.shape[3] == 1 else data[:, 0]
        return
    channels = _channels(draft)
    if channels is None:
        return
    draft.record(flat_channels=_flat_layout(draft))
    if questions["colours"].value == "separate":
        draft.features, draft.common_unit = "columns", True
        draft.data = channels.reshape(len(channels), -1)
        return
    draft.data = weighed(channels, questions["colours"].value, precision(channels[..., 0].size))


def _decode(draft: Draft, grey: str, answers: Answers) -> None:
    pictures, size = draft.parsed.pictures, answers.size
    decoded = pictures.decode(grey, size, crop=answers.crop)
    draft.data, draft.has_final_size = decoded.stack, True
    white = decoded.white
    draft.record(
        source="pictures",
        whites=dict(white.by_depth),
        depths_are_mixed=white.depths_are_mixed,
        sample_shape=decoded.stack.shape[1:],
        crop=answers.crop,
    )
    draft.declared_scale = white.scale
    draft.scale_confidence, draft.scale_evidence = white.confidence, white.evidence
    draft.notes += decoded.sentences
    draft.left_out += pictures.failed
    if grey in WEIGHTS and not decoded.has_colours:
        draft.unraised.add("colours")
    names = pictures.names
    draft.sample_names = tuple(names[place] for place in decoded.places)
    if draft.labels is not None:
        draft.labels = draft.labels[decoded.places]
    if grey == "separate":
        draft.features, draft.common_unit = "columns", True
        draft.data = draft.data.reshape(len(draft.data), -1)


def _channels(draft: Draft) -> Array | None:
    """A view of the samples as (n, height, width, channels), where they have several channels."""
    data = draft.data
    if data.ndim == 4:
        channels = channels_last(data)
        return channels if channels is not None and channels.shape[-1] > 1 else None
    layout = _flat_layout(draft)
    return None if layout is None else flat_channels(data, layout)


def _flat_layout(draft: Draft) -> FlatChannels | None:
    """How channels follow each other in flattened samples, where they have several."""
    data, reading, declared = draft.data, draft.picture_reading, draft.declared_shape
    if data.ndim != 2:
        return None
    if declared and data.shape[1] == 3 * math.prod(declared):
        return FlatChannels(declared, 3, are_planes=False)
    if reading is None or reading.stored is None or reading.channels == 1:
        return None
    return FlatChannels(reading.stored, reading.channels, reading.answer == "planes")


def flat_channels(data: Array, layout: FlatChannels) -> Array:
    """Return a view (n, height, width, channels) of flattened pictures."""
    if layout.are_planes:
        return np.moveaxis(data.reshape(len(data), layout.n_channels, *layout.size), 1, 3)
    return data.reshape(len(data), *layout.size, layout.n_channels)
