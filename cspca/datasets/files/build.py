"""Build a data set from what was settled: upright pictures, values in 0 – 1, numbered classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import record
from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import Watch, clean_name, natural_key
from cspca.datasets.files.packing import packed as packed_steps
from cspca.datasets.files.parsed import Array, Draft, Size
from cspca.datasets.files.question import NONE, Answers, Question
from cspca.datasets.files.questions.order import upright
from cspca.datasets.files.questions.scale import limits, scale_to_unit
from cspca.datasets.files.settle import Settled
from cspca.datasets.record import DatasetError, Floats
from cspca.datasets.resize import check_size, resize_all, resized_in_words, sizes_below
from cspca.labels import UNLABELLED, Labels, parse_labels


def build(settled: Settled, answers: Answers, watch: Watch) -> tuple[dict[str, Any], list[Array]]:
    """Return what a data set is made of, as it is sent to the process that requested it."""
    draft, file = settled.draft, settled.draft.parsed.file
    decided = [question.sentence for question in settled.questions.values() if question.sentence]
    notes = [*draft.notes]
    values, shape = draft.data, draft.shape
    file_columns = draft.file_columns
    if file_columns is not None and len(file_columns) != values.shape[1]:
        file_columns = None  # several of them are one feature
    watch.tell(0.85, "Setting pixels upright")
    if shape is not None and draft.order == "column":
        if file_columns is not None:
            file_columns = _turned_columns(file_columns, shape)
        upright(values, shape[::-1])
    watch.tell(0.9, "Scaling to 0 – 1")
    if draft.skeleton is None:
        low, high = limits(values, draft.scale)
        draft.record(scale=draft.scale, low=low, high=high)
        values, sentence = scale_to_unit(values, draft.scale, file)
        notes.append(sentence)
    sizes = sizes_below(shape) if shape is not None else ()
    if shape is not None and answers.size not in (None, shape) and not draft.has_final_size:
        assert answers.size is not None
        size = answers.size
        values, sentence = _resized(values, shape, size, answers.crop, file)
        notes.append(sentence)
        draft.record(size=size, crop=answers.crop)
        shape, file_columns = size, None
    if values.dtype == np.float32:
        notes.append("Kept in single precision for its size.")
    _record_answers(draft, settled.questions)
    arrays: list[Array] = [values]
    names: tuple[str, ...] | None = None
    sample_names = foreign.clean_names(draft.sample_names or ())
    n_unlabelled = 0
    if draft.labels is not None:
        labels = _parsed_labels(draft)
        numbers, names = number_labels(labels)
        if answers.class_names is not None:
            names = _renamed(answers.class_names, names, file)
        arrays.append(numbers)
        n_unlabelled = labels.n_unlabelled
        notes += _about_labels(labels)
    summary = record.shape_in_words(
        *(len(values), values.shape[1], shape, len(names or ())),
        n_unlabelled=n_unlabelled,
        nouns=draft.nouns,
    )
    sentences = [*draft.parsed.notes, *decided, *filter(None, notes)]
    left_out = [*draft.parsed.left_out, *draft.left_out]
    about_left_out = [f"Left out: {foreign.listed(left_out)}."] if left_out else []
    dataset = {
        "image_shape": shape,
        "target_names": names,
        "name": file.rsplit(".", 1)[0] or file,
        "source": f"{draft.parsed.source} {file}",
        "licence": "as the file's owner says",
        "recognised": " ".join([f"{summary}.", *sentences, *about_left_out]),
        "feature_names": _feature_names(draft) if shape is None else None,
        "sample_names": sample_names if shape is None and sample_names else None,
        "sample_numbers": draft.sample_numbers,
        "feature_noun": draft.feature_noun if shape is None else "",
        "file_columns": packed_steps(file_columns, []),
    }
    n_arrays = len(arrays)
    steps = packed_steps(replace(draft.steps, dtype=values.dtype.name), arrays)
    header = {
        "steps": {"n_arrays_before": n_arrays, "steps": steps},
        "read": {
            "file": file,
            "format": draft.parsed.format,
            "summary": summary,
            "sentences": sentences,
            "notes": [sentence for sentence in sentences if sentence not in decided],
            "left_out": left_out,
            "sizes": sizes,
            "sample_names": sample_names,
        },
        "dataset": dataset,
        "skeleton": draft.skeleton
        and asdict(draft.skeleton) | {"pose": draft.skeleton.pose.tolist()},
        "arrays": [(array.dtype.name, array.shape) for array in arrays],
    }
    watch.tell(1.0, "Read")
    return header, arrays


def _record_answers(draft: Draft, questions: dict[str, Question]) -> None:
    """Note the answers in force that say how the file is taken apart."""
    answers = {question.name: question.value for question in questions.values()}
    draft.record(
        header=answers.get("header", ""),
        comma=answers.get("commas", _comma_of(draft)),
        pivot=answers.get("pivot", NONE),
        samples=answers.get("samples", ""),
        colours=answers.get("colours", ""),
        files=answers.get("data", "") if draft.parsed.pictures is not None else "",
        order=draft.order,
        shape=draft.shape,
        axis=draft.one_way_axis,
    )


def _comma_of(draft: Draft) -> str:
    """What the comma means in the numbers of the table, as far as some have one."""
    if draft.table is not None and draft.table.has_decimal_comma:
        return "decimal"
    met = {reading.comma for reading in draft.cell_readings.values() if reading.has_numbers}
    return next((comma for comma in ("decimal", "thousands") if comma in met), "none")


def _turned_columns(file_columns: Sequence[int], shape: Size) -> list[int]:
    """Column of the file of each pixel of pictures that are turned upright."""
    turned: list[int] = np.asarray(file_columns).reshape(shape[::-1]).T.ravel().tolist()
    return turned


def _resized(values: Floats, shape: Size, size: Size, crop: bool, file: str) -> tuple[Floats, str]:
    """Pictures made as large as was chosen, and a sentence about it."""
    check_size(size, file)
    foreign.check_values((len(values), *size), file)
    words = resized_in_words(shape, size, cropped=crop)
    resized = resize_all(values.reshape(-1, *shape), size, crop=crop)
    return resized, f"{words[:1].upper()}{words[1:]}."


def packed(questions: dict[str, Question]) -> list[dict[str, Any]]:
    """Questions as they are sent to the process that asked."""
    return [asdict(question) for question in questions.values()]


def _feature_names(draft: Draft) -> tuple[str, ...] | None:
    if draft.feature_names is not None:
        return foreign.clean_names(draft.feature_names)
    if draft.axis is not None:
        unit = f" {draft.axis.unit}" if draft.axis.unit else ""
        return foreign.clean_names(f"{value:.10g}{unit}" for value in draft.axis.values)
    return None


def _parsed_labels(draft: Draft) -> Labels:
    assert draft.labels is not None
    file = draft.parsed.file
    try:
        labels = parse_labels(
            draft.labels.ravel(),
            f"{file}: {draft.labels_source}",
            missing_words=draft.missing_words,
            class_words=draft.class_words,
        )
    except ValueError as error:
        raise DatasetError(str(error)) from error
    foreign.check_most(len(labels.classes), 100_000, "different labels", file)
    return labels


def _about_labels(labels: Labels) -> list[str]:
    if not labels.n_unlabelled:
        return []
    words = f" ({', '.join(labels.words)})" if labels.words else ""
    are = "it is" if labels.n_unlabelled == 1 else "they are"
    return [f"{labels.n_unlabelled:,} without a label{words}: {are} left out of scores."]


def _renamed(class_names: tuple[str, ...], names: tuple[str, ...], file: str) -> tuple[str, ...]:
    if len(class_names) != len(names):
        raise DatasetError(
            f"{file}: there are {len(class_names)} class names for {len(names)} classes: give one "
            "name a class."
        )
    return tuple(clean_name(name) for name in class_names)


def number_labels(labels: Labels) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Numbers and names of the classes; those of text in natural order, a2 before a10."""
    names, numbers = labels.names, labels.numbers
    if not labels.numeric:
        order = sorted(range(len(names)), key=lambda at: natural_key(names[at]))
        places = np.argsort(order)
        numbers = np.where(numbers == UNLABELLED, UNLABELLED, places[numbers])
        names = tuple(names[at] for at in order)
    return numbers.astype(np.int64), foreign.clean_names(names)
