"""Which way the samples lie: along the first side (rows) or along the last (columns)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

from cspca.datasets.axis import Axis
from cspca.datasets.files import picture_test, poses, tables_beside
from cspca.datasets.files.channels import channels_last
from cspca.datasets.files.feature_names import axis_of_values
from cspca.datasets.files.foreign import Watch, clean_names
from cspca.datasets.files.parsed import Array, ArrayField, Draft
from cspca.datasets.files.question import Answers, Confidence, Question, Strength, ranked_answers
from cspca.datasets.files.questions import picture_files, recordings, table_samples
from cspca.datasets.files.questions.classes import label_fields, labelled_side
from cspca.datasets.files.questions.data import parts_of_sets
from cspca.datasets.nouns import MEASUREMENT_NOUNS
from cspca.datasets.record import DatasetError

Side = Literal["rows", "columns", "layers", "places"]

SAMPLE_NAMES: Final = ("sample_names", "samplenames", "samples", "sample_ids", "obs_names")
FEATURE_NAMES: Final = (
    "feature_names", "featurenames", "features_names", "features", "columns", "var_names",
    "gene_names", "genes", "wavelengths", "wavelength", "wavenumbers", "wavenumber",
)  # fmt: skip
NAMES: Final = ("names",)
"""Names of words that may be those of the samples or of the features."""

_MATRIX_WORDS: Final[Mapping[Side, str]] = {"rows": "Rows", "columns": "Columns"}
_STACK_WORDS: Final[Mapping[Side, str]] = {
    "rows": "Along the first side",
    "columns": "Along the last side",
    "layers": "Along the second side, one class each of the last",
    "places": "Each place of a map, its values along the axis",
}

MOST_DRIFT: Final = 1.15
"""How much more unlike than neighbours samples two places apart are at most: faces in the order of
their people 1.00 to 1.13 (of five each 1.20), slices of volumes 1.09 to 1.8, lines of pictures 1.4
to 1.9."""

_MOST_NEIGHBOURS: Final = 256

Evidence = tuple[Side, Strength, Confidence, str]


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose a side: by what the file declares, by a measured picture, else ask."""
    if draft.parsed.pictures is not None:
        return picture_files.propose_pages(draft.parsed.pictures)
    if draft.table is not None:
        return [table_samples.question_of(draft, draft.table)]
    if draft.group is None:
        return []
    side, strength, confidence, evidence = _evidence(draft, answers)
    is_stack = draft.parts[0].ndim > 2
    examples = {
        value: MEASUREMENT_NOUNS.count_samples(count)
        for value, count in _sample_counts(draft).items()
    }
    words = {value: (_STACK_WORDS if is_stack else _MATRIX_WORDS)[value] for value in examples}
    options = ranked_answers(words, side, evidence, strength, examples)
    sentence = ""
    if side != "rows" and confidence != "open":
        start = {
            "columns": "Samples lie along the last side."
            if is_stack
            else "Samples lie in columns.",
            "layers": "Samples lie along the second side, one class each of the last.",
            "places": "Samples are the places of a map.",
        }[side]
        sentence = f"{start} {evidence}"
    return [Question("samples", "What are the samples?", options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Put the samples first, and join the arrays that are read as one."""
    if draft.parsed.pictures is not None and "samples" in questions:
        picture_files.apply_pages(draft.parsed.pictures, questions["samples"].value)
        return
    if draft.table is not None:
        if questions["samples"].value == "columns":
            draft.table = table_samples.turned(draft, draft.table)
        else:
            table_samples.join_labels(draft, draft.table)
        draft.table, notes, left_out = tables_beside.joined(draft.table, draft.tables_beside)
        draft.notes += notes
        draft.left_out += left_out
        draft.table = table_samples.with_name_parts(draft.table)
        return
    if draft.group is None:
        return
    parts, file = draft.parts, draft.parsed.file
    side = questions["samples"].value
    if side != "rows":
        draft.row_reading = None
    if side == "layers":
        draft.classes_by_layer = (parts[0].shape[-1], parts[0].shape[1])
    parts = [samples_first(part, side, axis_side(draft, part.shape)) for part in parts]
    if len({part.shape[1:] for part in parts}) > 1:
        names = " and ".join(field.title for field in draft.group.fields[:2])
        raise DatasetError(
            f"{file}: {names} hold samples of different size: give them the same features."
        )
    draft.data = parts[0] if len(parts) == 1 else np.concatenate(parts)
    draft.parts = [np.empty((len(part), 0)) for part in parts]  # their lengths are still needed
    draft.order = draft.parsed.order
    if draft.data.ndim == 2:
        field_names = (*FEATURE_NAMES, *NAMES)
        draft.feature_names = names_of_length(draft, field_names, draft.data.shape[1])
        if all(len(field.shape) == 2 for field in draft.group.fields):
            draft.file_columns = range(draft.data.shape[1])
    draft.sample_names = names_of_length(draft, (*SAMPLE_NAMES, *NAMES), len(draft.data))
    is_flat, titles = draft.data.ndim == 2, draft.feature_names
    draft.record(
        source="arrays",
        array=draft.group.title,
        columns=None if titles is None else clean_names(titles),
        places=range(draft.data.shape[1]) if is_flat else None,
        n_columns=draft.data.shape[1] if is_flat else 0,
        sample_shape=draft.data.shape[1:],
    )


def samples_first(part: Array, side: Side, axis: int | None) -> Array:
    """Return an array with its samples along the first side; `axis` is that of a map."""
    if side == "columns":
        return np.moveaxis(part, -1, 0)
    if side == "layers":
        return np.moveaxis(part, (2, 1), (0, 1)).reshape(-1, part.shape[0])
    return _places(part, axis) if side == "places" else part


def names_of_length(draft: Draft, names: tuple[str, ...], length: int) -> tuple[str, ...] | None:
    """Words that lie beside the samples under one of these names, one each."""
    for field in draft.beside:
        if field.key in names and field.sides == (length,) and field.holds == "words":
            return tuple(field.values(draft.parsed.file).ravel().astype(str).tolist())
    return None


def axis_fields(draft: Draft) -> list[tuple[ArrayField, Axis]]:
    """Arrays beside the samples that run strictly one way, and the axis that each may be."""
    fields = []
    for field in draft.beside:
        if field.holds == "numbers" and len(field.sides) == 1 and field.sides[0] >= 3:
            axis = axis_of_values(field.key, field.values(draft.parsed.file).ravel())
            if axis is not None:
                fields.append((field, axis))
    return fields


def axis_side(draft: Draft, shape: tuple[int, ...]) -> int | None:
    """Return the one side of an array that an axis beside it is as long as."""
    lengths = {field.sides[0] for field, _ in axis_fields(draft)}
    sides = [place for place, side in enumerate(shape) if side in lengths]
    return sides[0] if len(sides) == 1 else None


def _places(cube: Array, axis: int | None) -> Array:
    """Return each place of a map as a row of its values along the axis."""
    moved = np.moveaxis(cube, cube.ndim - 1 if axis is None else axis, -1)
    return moved.reshape(-1, moved.shape[-1])


def _sample_counts(draft: Draft) -> dict[Side, int]:
    """Number of samples by each side on which they may lie."""
    assert draft.group is not None
    first, last = _counts(draft)
    counts: dict[Side, int] = {"rows": first, "columns": last}
    shape = draft.parts[0].shape
    if len(shape) == 3 and draft.group.kind == "single":
        axis = axis_side(draft, shape)
        counts["places"] = math.prod(shape) // shape[-1 if axis is None else axis]
        if draft.parsed.order == "column":
            counts["layers"] = shape[1] * shape[2]
    return counts


def _counts(draft: Draft) -> tuple[int, int]:
    return (
        sum(part.shape[0] for part in draft.parts),
        sum(part.shape[-1] for part in draft.parts),
    )


def _evidence(draft: Draft, answers: Answers) -> Evidence:
    """Return the side with the best evidence, its kind, how sure it is, and why."""
    group = draft.group
    assert group is not None
    declared = _declared(draft, answers)
    if len(set(declared.values())) == 1:
        evidence, side = next(iter(declared.items()))
        return side, "declared", "sure", evidence
    if declared:
        why = " ".join(f"{evidence} ({side})" for evidence, side in declared.items())
        return next(iter(declared.values())), "declared", "open", why
    if len(draft.parts[0].shape) != 2:
        return _of_stack(draft)
    side, strength, confidence, evidence = _of_matrix(draft)
    if confidence == "open" and not evidence:
        return _with_names(draft, side)
    return side, strength, confidence, evidence


def _with_names(draft: Draft, side: Side) -> Evidence:
    """Say what words beside a matrix name: samples as well as features may have names."""
    first, last = _counts(draft)
    for field in draft.beside:
        is_named = field.key in NAMES and field.holds == "words" and len(field.sides) == 1
        if is_named and first != last and field.sides[0] in (first, last):
            names_rows = field.sides[0] == first
            line = "row" if names_rows else "column"
            evidence = (
                f"{field.title} has one name for each {line}, and samples as well as features may "
                "have names."
            )
            return ("rows" if names_rows else "columns"), "custom", "open", evidence
    return side, "custom", "open", ""


def _of_matrix(draft: Draft) -> Evidence:
    """Evidence in the values of a matrix."""
    matrix = draft.parts[0]
    rows, columns = picture_test.read_rows(matrix), picture_test.read_columns(matrix)
    if len(draft.parts) == 1:
        draft.row_reading = rows
    reading = picture_test.likelier_side(rows, columns)
    if reading.answer != "not pictures":
        confidence: Confidence = "sure" if reading.confidence == "sure" else "open"
        return reading.samples, "measured", confidence, reading.evidence
    if (
        picture_test.is_curve(rows)
        and not picture_test.is_curve(columns)
        and rows.n_numbers >= columns.n_numbers
    ):
        return "rows", "measured", "likely", rows.evidence
    return "rows", "custom", "open", ""


def _of_stack(draft: Draft) -> Evidence:
    """Evidence in the values of an array with three or more sides."""
    stack = _joined(draft.parts)
    custom: Side = "columns" if draft.parsed.order == "column" else "rows"
    pose = next(iter(poses.read_poses(stack)), None)
    if pose is not None and pose.is_measured:
        return "columns" if pose.layout.endswith("n") else "rows", "measured", "sure", pose.evidence
    layouts: dict[Side, Array | None] = {
        "rows": _pictures(stack),
        "columns": _pictures(np.moveaxis(draft.parts[0], -1, 0)),
    }
    if draft.parsed.order == "column" and stack.ndim == 3:
        layouts["layers"] = np.moveaxis(stack, (2, 1), (0, 1)).reshape(-1, stack.shape[0])
    fitting: dict[Side, picture_test.PictureReading] = {}
    for side, pictures in layouts.items():
        if pictures is None:
            continue
        few = pictures[:: max(1, len(pictures) // 512)]
        reading = picture_test.read_rows(few.reshape(len(few), -1))
        sides = pictures.shape[1:]
        is_of_sides = side == "layers" or reading.stored in (sides, sides[::-1])
        fits = reading.answer != "not pictures" and is_of_sides
        if side == "layers":
            fits = fits and reading.confidence == "sure"
        elif fits:
            fits = are_exchangeable(pictures)
        if fits:
            fitting[side] = reading
    if len(fitting) == 1:
        side, reading = next(iter(fitting.items()))
        confidence: Confidence = "sure" if reading.confidence == "sure" else "likely"
        if side not in (custom, "layers"):
            # Slices of a volume are as unlike as pictures of people: the custom speaks against it.
            confidence = "open"
        return side, "measured", confidence, reading.evidence
    return custom, "custom", "open", ""


def are_exchangeable(pictures: Array) -> bool:
    """Whether pictures two places apart are as unlike as those that follow each other.

    So are samples, also those of one class after the other; slices of a volume, frames of a film
    and lines of a picture differ the more the further they lie apart.
    """
    few = pictures[:_MOST_NEIGHBOURS].astype(float)
    if len(few) < 3 or not np.isfinite(few).all():
        return False
    step = np.abs(np.diff(few, axis=0)).mean()
    double_step = np.abs(few[2:] - few[:-2]).mean()
    return bool(double_step <= MOST_DRIFT * step)


def _joined(parts: list[Array]) -> Array:
    """Return arrays of one size as one, thinned; the first alone where they differ."""
    if len({part.shape for part in parts}) > 1:
        return parts[0]
    return parts[0] if len(parts) == 1 else np.concatenate(parts[:64], axis=0)


def _declared(draft: Draft, answers: Answers) -> dict[str, Side]:
    """Every declaration of the file that fits one side alone, with the side it speaks for."""
    assert draft.group is not None
    first, last = _counts(draft)
    shape = draft.parts[0].shape
    declared: dict[str, Side] = {}
    container = draft.group.fields[0].attributes.get("samples")
    if container is not None:
        declared[f"The {draft.parsed.format} keeps samples in {container}."] = container
        return declared
    pixels = answers.values.get("shape")
    if pixels and len(shape) == 2 and shape[0] != shape[1]:
        n_pixels = math.prod(pixels)
        if n_pixels in shape:
            declared[f"A picture has {n_pixels:,} pixels."] = (
                "rows" if shape[1] == n_pixels else "columns"
            )
    shapes = [part.shape for part in draft.parts]
    if draft.group.kind != "single" and len(set(shapes)) > 1:
        same_first = len({part[:-1] for part in shapes}) == 1
        same_last = len({part[1:] for part in shapes}) == 1
        if same_first != same_last:
            side: Side = "columns" if same_first else "rows"
            declared["The parts differ in length along this side."] = side
    is_stack = len(shape) > 2
    recorded = recordings.sides_of_samples(draft, shape) if is_stack else {}
    declared |= recorded or _declared_by_axis(draft, shape)
    if draft.group.kind == "parts":
        declared |= _declared_by_parts(draft, shapes)
    if first == last:
        return declared
    for field in label_fields(draft):
        side_of = labelled_side(field, first, last)
        if is_stack and recordings.are_names(field, draft):
            continue  # of channels, as FieldTrip has them
        if side_of:
            declared[f"{field.title} has one label for each."] = side_of
    for field in draft.beside:
        length = field.sides
        if len(length) != 1 or field.holds != "words":
            continue
        if field.key in SAMPLE_NAMES and length[0] in (first, last):
            declared[f"{field.title} has one name for each."] = (
                "rows" if length[0] == first else "columns"
            )
        if field.key in FEATURE_NAMES and len(shape) == 2:
            if length[0] == last:
                declared[f"{field.title} has one name for each column."] = "rows"
            elif length[0] == first:
                declared[f"{field.title} has one name for each row."] = "columns"
    return declared


def _declared_by_parts(draft: Draft, shapes: Sequence[tuple[int, ...]]) -> dict[str, Side]:
    """What the labels of the parts of a set say, part by part."""
    declared: dict[str, Side] = {}
    for labels in parts_of_sets(label_fields(draft), samples=False):
        if len(labels.fields) != len(shapes):
            continue
        pairs = list(zip(labels.fields, shapes, strict=True))
        by_side: dict[Side, bool] = {
            "rows": all(shape[0] in field.sides for field, shape in pairs),
            "columns": all(shape[-1] in field.sides for field, shape in pairs),
        }
        sides = [side for side, fits in by_side.items() if fits]
        if len(sides) == 1:
            declared[f"{labels.title} have one label for each."] = sides[0]
    return declared


def _declared_by_axis(draft: Draft, shape: tuple[int, ...]) -> dict[str, Side]:
    """What an axis beside the samples says: it is as long as the side of the features."""
    if len(shape) not in (2, 3) or draft.group is None or draft.group.kind == "classes":
        return {}
    place = axis_side(draft, shape)
    if place is None:
        return {}
    field = next(field for field, _ in axis_fields(draft) if field.sides[0] == shape[place])
    labels = [label.sides for label in label_fields(draft)]
    if len(shape) == 3:
        if any(sides and sides[0] in shape for sides in labels):
            return {}
        why = f"{field.title} rises or falls along one side alone, as the axis of a map does."
        return {why: "places"}
    runs = "rises or falls along the columns" if place == 1 else "rises or falls along the rows"
    return {f"{field.title} {runs}, as an axis does.": "rows" if place == 1 else "columns"}


def _pictures(stack: Array) -> Array | None:
    """Return (n, height, width) of samples along the first side, of colours one channel."""
    if stack.ndim == 3:
        return stack
    channels = channels_last(stack) if stack.ndim == 4 else None
    return None if channels is None else channels[..., 0]
