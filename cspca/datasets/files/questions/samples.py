"""Which way the samples lie: along the first side (rows) or along the last (columns)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

import numpy as np

from cspca.datasets.files import picture_questions, picture_test
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, ArrayField, Draft
from cspca.datasets.files.question import Answer, Answers, Confidence, Question, Strength
from cspca.datasets.files.questions import table_sides
from cspca.datasets.files.questions.classes import label_fields, one_hot_side
from cspca.datasets.record import DatasetError

Side = Literal["rows", "columns"]

SAMPLE_NAMES: Final = ("sample_names", "samplenames", "samples", "sample_ids", "obs_names")
FEATURE_NAMES: Final = (
    "feature_names", "featurenames", "features_names", "columns", "names", "var_names",
    "gene_names", "genes", "wavelengths", "wavelength", "wavenumbers", "wavenumber",
)  # fmt: skip


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose a side: by what the file declares, by a measured picture, else ask."""
    if draft.parsed.pictures is not None:
        return picture_questions.propose_pages(draft.parsed.pictures)
    if draft.table is not None:
        return [table_sides.question_of(draft.table, answers)]
    if draft.group is None:
        return []
    side, strength, confidence, evidence = _evidence(draft, answers)
    words = {"rows": "Rows", "columns": "Columns"}
    if len(draft.parts[0].shape) > 2:
        words = {"rows": "Along the first side", "columns": "Along the last side"}
    first, last = _counts(draft)
    counts = {"rows": first, "columns": last}
    order: list[Side] = ["rows", "columns"] if side == "rows" else ["columns", "rows"]
    options = tuple(
        Answer(
            one_side,
            words[one_side],
            evidence if one_side == side else "",
            strength if one_side == side else "custom",
            f"{counts[one_side]:,} samples",
        )
        for one_side in order
    )
    sentence = ""
    if side == "columns" and confidence != "open":
        sentence = f"Samples lie in columns. {evidence}"
    return [Question("samples", "What are the samples?", options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Put the samples first, and join the arrays that are read as one."""
    if draft.parsed.pictures is not None and "samples" in questions:
        picture_questions.apply_pages(draft.parsed.pictures, questions["samples"].value)
        return
    if draft.table is not None:
        if questions["samples"].value == "columns":
            draft.table = table_sides.turned(draft, draft.table)
        else:
            table_sides.join_labels(draft, draft.table)
        return
    if draft.group is None:
        return
    parts, file = draft.parts, draft.parsed.file
    if questions["samples"].value == "columns":
        parts = [np.moveaxis(part, -1, 0) for part in parts]
    if len({part.shape[1:] for part in parts}) > 1:
        names = " and ".join(field.title for field in draft.group.fields)
        raise DatasetError(
            f"{file}: {names} hold samples of different size: give them the same features."
        )
    draft.data = parts[0] if len(parts) == 1 else np.concatenate(parts)
    draft.parts = [np.empty((len(part), 0)) for part in parts]  # their lengths are still needed
    draft.order = draft.parsed.order
    if draft.data.ndim == 2:
        draft.feature_names = names_of_length(draft, FEATURE_NAMES, draft.data.shape[1])
    draft.sample_names = names_of_length(draft, SAMPLE_NAMES, len(draft.data))


def names_of_length(draft: Draft, names: tuple[str, ...], length: int) -> tuple[str, ...] | None:
    """Words or numbers that lie beside the samples under one of these names, one each."""
    for field in draft.beside:
        if field.name.lower() in names and field.sides == (length,) and field.holds == "words":
            return tuple(field.values(draft.parsed.file).ravel().astype(str).tolist())
    return None


def axis_fields(draft: Draft) -> list[ArrayField]:
    """Arrays beside the samples that run strictly one way: candidates for an axis."""
    fields = []
    for field in draft.beside:
        if field.holds == "numbers" and len(field.sides) == 1 and field.sides[0] >= 3:
            steps = np.diff(field.values(draft.parsed.file).ravel().astype(float))
            counts = bool((steps == 1).all())
            if ((steps > 0).all() or (steps < 0).all()) and not (
                counts and field.values(draft.parsed.file).ravel()[0] in (0, 1)
            ):
                fields.append(field)
    return fields


def _counts(draft: Draft) -> tuple[int, int]:
    return (
        sum(part.shape[0] for part in draft.parts),
        sum(part.shape[-1] for part in draft.parts),
    )


def _evidence(draft: Draft, answers: Answers) -> tuple[Side, Strength, Confidence, str]:
    """Return the side with the best evidence, its kind, how sure it is, and why."""
    group = draft.group
    assert group is not None
    shape = draft.parts[0].shape
    declared = _declared(draft, answers)
    if len(set(declared.values())) == 1:
        evidence, side = next(iter(declared.items()))
        return side, "declared", "sure", evidence
    if declared:
        why = " ".join(f"{evidence} ({side})" for evidence, side in declared.items())
        return next(iter(declared.values())), "declared", "open", why
    if group.kind == "classes":
        return "rows", "declared", "likely", "The arrays have the same number of columns."
    first = _flat(draft.parts[0], "rows")
    if len(shape) == 2:
        reading = picture_test.read_matrix(first)
        if reading.answer != "not pictures":
            sure: Confidence = "sure" if reading.confidence == "sure" else "open"
            return reading.samples, "measured", sure, reading.evidence
        return "rows", "custom", "open", ""
    readings: dict[Side, picture_test.PictureReading] = {
        "rows": picture_test.read_rows(first),
        "columns": picture_test.read_rows(_flat(draft.parts[0], "columns")),
    }
    sure_sides: list[Side] = [
        side
        for side, reading in readings.items()
        if reading.answer != "not pictures" and reading.confidence == "sure"
    ]
    custom: Side = "columns" if draft.parsed.order == "column" else "rows"
    if len(sure_sides) == 1:
        side = sure_sides[0]
        return side, "measured", "sure", readings[side].evidence
    if len(shape) > 2 and math.prod(shape[1:]) == math.prod(shape[:-1]):
        return custom, "custom", "open", ""
    return custom, "custom", "open", ""


def _declared(draft: Draft, answers: Answers) -> dict[str, Side]:
    """Every declaration of the file that fits one side alone, with the side it speaks for."""
    assert draft.group is not None
    first, last = _counts(draft)
    shape = draft.parts[0].shape
    declared: dict[str, Side] = {}
    pixels = answers.values.get("shape")
    if pixels and len(shape) == 2 and shape[0] != shape[1]:
        wanted = math.prod(pixels)
        if wanted in shape:
            declared[f"A picture has {wanted:,} pixels."] = (
                "rows" if shape[1] == wanted else "columns"
            )
    second = draft.parts[-1].shape
    if draft.group.kind != "single" and shape != second:
        side: Side = "columns" if shape[:-1] == second[:-1] else "rows"
        if not (shape[:-1] == second[:-1] and shape[1:] == second[1:]):
            declared["The parts differ in length along this side."] = side
    if first == last:
        return declared
    for field in label_fields(draft):
        side_of = one_hot_side(field, first, last)
        if side_of:
            declared[f"{field.title} has one label for each."] = side_of
    for field in draft.beside:
        name, length = field.name.lower(), field.sides
        if name in SAMPLE_NAMES and len(length) == 1 and length[0] in (first, last):
            declared[f"{field.title} has one name for each."] = (
                "rows" if length[0] == first else "columns"
            )
        if name in FEATURE_NAMES and len(length) == 1 and len(shape) == 2:
            if length[0] == last:
                declared[f"{field.title} has one name for each column."] = "rows"
            elif length[0] == first:
                declared[f"{field.title} has one name for each row."] = "columns"
    for field in axis_fields(draft):
        if len(shape) == 2 and not declared:
            if field.sides[0] == last:
                declared[f"{field.title} rises or falls along the columns, as an axis does."] = (
                    "rows"
                )
            elif field.sides[0] == first:
                declared[f"{field.title} rises or falls along the rows, as an axis does."] = (
                    "columns"
                )
    return declared


def _flat(array: Array, side: Side) -> Array:
    """A view, or a thinned copy, of an array as one row a sample."""
    if array.ndim == 2:
        return array
    moved = array if side == "rows" else np.moveaxis(array, -1, 0)
    few = moved[:: max(1, len(moved) // 512)]
    return few.reshape(len(few), -1)
