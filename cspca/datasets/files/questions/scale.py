"""How values become 0 – 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Draft, Scale
from cspca.datasets.files.question import (
    CONFIDENCES,
    Answers,
    Confidence,
    Question,
    Strength,
    ranked_answers,
)
from cspca.datasets.files.table_form import CommonScale, common_scale
from cspca.datasets.motion import descriptor_length, scaled_to_unit
from cspca.datasets.record import DatasetError, Floats

RANGES: Final[Mapping[Scale, tuple[float, float]]] = {
    "unit": (0, 1), "signed": (-1, 1), "16": (0, 16), "255": (0, 255), "1023": (0, 1023),
    "4095": (0, 4095), "16383": (0, 16383), "65535": (0, 65535),
}  # fmt: skip
WORDS: Final[Mapping[Scale, str]] = {
    "unit": "0 – 1 already",
    "signed": "−1 … 1",
    "16": "0 – 16",
    "255": "0 – 255",
    "1023": "0 – 1,023 (10 bits)",
    "4095": "0 – 4,095 (12 bits)",
    "16383": "0 – 16,383 (14 bits)",
    "65535": "0 – 65,535 (16 bits)",
    "stretch": "Least to greatest of all",
    "columns": "Least to greatest of each column",
}
_GREY_LEVELS_FROM: Final = 100.0  # fractional values up to 255 are grey levels from here on
_LEAST_SHARE: Final = 0.05  # of a range that values fill, or the range says nothing about them
_ROWS_MEASURED: Final = 2000
_VALUES_MEASURED: Final = 4_000_000


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose a range that the file tells or that the values fill; else least to greatest."""
    if draft.skeleton is not None:
        return []
    low, high = float(draft.data.min()), float(draft.data.max())
    ranges = _ranges(draft) if draft.declared_scale is None else None
    scale, strength, confidence, evidence = _evidence(draft, low, high, ranges)
    is_of_columns = ranges is not None and ranges.rule == "common" and ranges.confidence != "sure"
    words = {"columns": WORDS["columns"], **WORDS} if is_of_columns else WORDS
    options = ranked_answers(words, scale, evidence, strength)
    text = f"Values run from {shown(low)} to {shown(high)}. What range do they have?"
    sentence = ""
    if is_of_columns and confidence == "open":
        text = f"{evidence} Do all columns keep one scale? The ranking depends on it."
    elif is_of_columns:
        sentence = f"All columns keep one scale. {evidence} The ranking depends on it."
    return [Question("scale", text, options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep the range; `build` scales. Poses are scaled by one length for all."""
    if draft.skeleton is not None:
        n_joints = draft.skeleton.n_joints
        length = descriptor_length(draft.data, n_joints)
        draft.data = scaled_to_unit(draft.data, n_joints)
        draft.record(scale="length", high=np.array([length]))
    draft.scale = questions["scale"].value if "scale" in questions else "unit"


def _evidence(
    draft: Draft, low: float, high: float, ranges: CommonScale | None
) -> tuple[Scale, Strength, Confidence, str]:
    if draft.declared_scale is not None:
        return draft.declared_scale, "declared", draft.scale_confidence, draft.scale_evidence
    values, pictures = draft.data, draft.features == "pixels"
    if ranges is not None and ranges.rule == "own":
        return "columns", "measured", "likely", ranges.evidence
    if ranges is not None and ranges.confidence != "sure":
        common: Scale = "unit" if low >= 0 and high <= 1 else "stretch"
        # The numbers of one array are likelier of one unit than columns of a table.
        certainty = CONFIDENCES[ranges.confidence] if draft.table is not None else "likely"
        return common, "measured", certainty, ranges.evidence
    fitting = [
        scale
        for scale, (least, most) in RANGES.items()
        if least <= low and high <= most and high - low >= _LEAST_SHARE * (most - least)
    ]
    if fitting[:1] == ["unit"]:
        return "unit", "measured", "sure", "All values lie in 0 – 1."
    if not pictures or not fitting:
        return "stretch", "custom", "default", ""
    guess = fitting[0]
    # In parts, so that no copy of a large set is made.
    parts = np.array_split(values, 1 + values.size // 2**20)
    if guess != "signed" and not all((part == np.rint(part)).all() for part in parts):
        guess = "255" if _GREY_LEVELS_FROM <= high <= 255 else "stretch"
    return guess, "measured", "likely", "All values lie in this range."


def _ranges(draft: Draft) -> CommonScale | None:
    """What the ranges of the columns say; None where the features share a unit."""
    if draft.features != "columns" or draft.common_unit:
        return None
    few = draft.data[:: max(1, len(draft.data) // _ROWS_MEASURED)]
    # Of very many columns some, evenly spaced: their ranges are sorted, which takes copies.
    step = -(-few.size // _VALUES_MEASURED)
    names = None if draft.feature_names is None else draft.feature_names[::step]
    return common_scale(np.asarray(few[:, ::step], dtype=np.float64), names)


def limits(values: Floats, scale: Scale) -> tuple[Floats, Floats]:
    """Return the values that become 0 and 1: one of each, or one a column."""
    if scale in RANGES:
        low, high = RANGES[scale]
        return np.array([float(low)]), np.array([float(high)])
    if scale == "columns":
        return values.min(axis=0).astype(np.float64), values.max(axis=0).astype(np.float64)
    return np.array([float(values.min())]), np.array([float(values.max())])


def scaled(values: Floats, scale: Scale, low: Floats, high: Floats) -> Floats:
    """Bring `low` to 0 and `high` to 1, in place; what never changes becomes 0.

    Values beyond them come to lie beyond 0 and 1.
    """
    if scale in RANGES:
        if scale != "unit":
            values -= low[0]
            values /= high[0] - low[0]
        return values
    if len(low) == 1:
        _stretch(values, float(low[0]), float(high[0]))
        return values
    for column, least, most in zip(values.T, low.tolist(), high.tolist(), strict=True):
        _stretch(column, least, most)
    return values


def scale_to_unit(values: Floats, scale: Scale, file: str) -> tuple[Floats, str]:
    """Scale to [0, 1], in place where that is possible, and say how in a sentence."""
    low, high = float(values.min()), float(values.max())
    span = f"Values {shown(low)} {'–' if low >= 0 else 'to'} {shown(high)}"
    if scale in RANGES:
        least, most = RANGES[scale]
        if low < least or high > most:
            joined = f"{shown(least)} {'–' if least >= 0 else '…'} {most:,.0f}"
            raise DatasetError(
                f"{file}: values run from {shown(low)} to {shown(high)}, outside {joined}: choose "
                "another scale."
            )
    values = scaled(values, scale, *limits(values, scale))
    if scale == "unit":
        return values, "Values already in 0 – 1."
    if scale == "signed":
        return values, f"{span} moved from −1 … 1 to 0 – 1."
    if scale in RANGES:
        most = RANGES[scale][1]
        return values, f"{span} divided by {most:g}, so 0 – {most:g} becomes 0 – 1."
    # Rounding may leave a hair beyond.
    np.clip(values, 0, 1, out=values)
    if scale == "columns":
        return values, f"{span} stretched to 0 – 1 column by column; the ranking depends on it."
    if low == high:
        return values, f"Every value is {shown(low)}, set to 0."
    return values, f"{span} stretched to 0 – 1."


def _stretch(values: Floats, low: float, high: float) -> None:
    """Map one value to 0 and another to 1, in place."""
    if low == high:
        values[...] = 0
        return
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    number = values.dtype.type
    start = number(low / size)
    values /= number(size)
    values -= start
    values /= number(high) / number(size) - start


def shown(value: float) -> str:
    """A number for a sentence, with a true minus sign."""
    return f"{value:g}".replace("-", "−")
