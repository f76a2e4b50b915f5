"""Workbooks of data sets that were written here: their sheets are read as the arrays they were."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cspca.datasets.files.containers.numpy_files import ANSWERS
from cspca.datasets.files.feature_names import names_of_unnamed
from cspca.datasets.files.parsed import Array, ArrayField, Parsed
from cspca.datasets.files.question import NONE

SAMPLES: Final = "Samples"
"""Sheet of a workbook of ours: one row a sample, its name first and its class at the end."""

SAMPLE: Final = "sample"
"""Head of the column of names."""

NAMES_FIRST: Final = "Names of the samples"
"""Fact of a workbook whose first column holds them."""

CLASSES: Final = "Classes"
"""Sheet of the names of the classes, in the order of their numbers."""

ABOUT: Final = "About"
"""Sheet of facts, and of the answers by which the workbook is read again."""

CLASS: Final = "class"
"""Head of the column of classes."""

Cells = Sequence[Mapping[int, str]]
"""Filled cells of each row of a sheet, by their column."""


def declared_answers(about: Cells) -> dict[str, Any]:
    """Return the answers on the sheet of facts; empty if it is not a sheet of ours."""
    for row in about:
        if row.get(0) == ANSWERS:
            try:
                answers = json.loads(row.get(1, ""))
            except ValueError:
                return {}
            return answers if isinstance(answers, dict) else {}
    return {}


def has_names_first(about: Cells) -> bool:
    """Return whether the sheet of facts says that the first column holds names of samples."""
    return any(row.get(0) == NAMES_FIRST for row in about)


def arrays_of_sheets(
    file: str, samples: Cells, classes: Cells, answers: Mapping[str, Any], *, names_first: bool
) -> Parsed | None:
    """Return the arrays that the sheets of a data set hold.

    Parameters
    ----------
    file : str
        Name of the workbook.
    samples, classes : sequence of mapping
        The sheets; that of the classes is empty where they have no names.
    answers : mapping
        What :func:`declared_answers` returned.
    names_first : bool
        What :func:`has_names_first` returned.

    Returns
    -------
    Parsed or None
        None where somebody changed the workbook so that it is a table as any other.
    """
    has_classes = answers.get("classes_from") != NONE
    arrays: dict[str, Array] = {}
    if names_first:
        if not samples or samples[0].get(0) != SAMPLE:
            return None
        arrays["sample_names"] = np.array([row.get(0, "") for row in samples[1:]])
        samples = [_without_first(row) for row in samples]
    head = dict(samples[0]) if samples else {}
    # The head of the last column may be empty, and its values are none the less.
    n_features = max((max(row) for row in samples if row), default=-1) + 1 - has_classes
    places = range(n_features)
    has_class_column = not has_classes or head.get(n_features) == CLASS
    if len(samples) < 2 or n_features < 1 or not has_class_column:
        return None
    try:
        X = np.array([[float(row.get(place, "nan")) for place in places] for row in samples[1:]])
        target = _target([row.get(n_features, "") for row in samples[1:]], classes)
        shape = answers.get("shape")
        size = None if shape is None else (int(shape[0]), int(shape[1]))
    except (IndexError, TypeError, ValueError):
        return None
    arrays["X"] = X
    names = [head.get(place, "") for place in places]
    if size is not None and size[0] * size[1] == n_features:
        arrays["X"] = X.reshape(-1, *size)
    if names != names_of_unnamed(n_features, size):
        arrays["feature_names"] = np.array(names)
    if has_classes:
        arrays["y"] = target
        if classes:
            arrays["target_names"] = np.array([row.get(1, "") for row in classes[1:]])
    fields = [_field(name, values) for name, values in arrays.items()]
    return Parsed(file, "Excel workbook", arrays=fields, declared=answers)


def _without_first(row: Mapping[int, str]) -> dict[int, str]:
    """Return the cells of a row behind its first column, counted from there."""
    return {place - 1: cell for place, cell in row.items() if place > 0}


def _target(labels: Sequence[str], classes: Cells) -> Array:
    """Return the number of each sample's class, NaN where it has none."""
    if not classes:
        return np.array([float(label or "nan") for label in labels])
    numbers = {row.get(1, ""): number for number, row in enumerate(classes[1:])}
    if not set(labels) <= {*numbers, ""}:
        raise ValueError
    return np.array([numbers.get(label, np.nan) for label in labels], dtype=np.float64)


def _field(name: str, values: Array) -> ArrayField:
    kind = "text" if values.dtype.kind == "U" else values.dtype.name
    return ArrayField(name, values.shape, kind, lambda: values)
