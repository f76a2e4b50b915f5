"""What the names of features declare: an axis, two axes, pixels, or joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cspca.datasets.axis import Axis
from cspca.datasets.files import picture_test, poses
from cspca.datasets.files.feature_names import (
    Ints,
    NamedAxes,
    NamedAxis,
    NamedJoints,
    NamedPixels,
    layout_of,
    only_count_columns,
)
from cspca.datasets.files.parsed import Array, Draft, Features
from cspca.datasets.files.poses import PoseReading
from cspca.datasets.files.question import CONFIDENCES, Confidence, Strength
from cspca.datasets.files.vocabulary import fold, quantity_of

Evidence = tuple[Features, Strength, Confidence, str]


def evidence_of(draft: Draft) -> Evidence | None:
    """Return what the names declare, and give the draft its axis or the shape of its pictures."""
    names = draft.feature_names
    assert names is not None
    layout = layout_of(names)
    turned = draft.table is not None and not draft.table.is_as_in_file
    if isinstance(layout, NamedAxis):
        if turned and (layout.prefix or not layout.ordered):
            return None  # names of the rows, such as those of genes
        if draft.table is None and not layout.is_declared:
            return None  # variables of an array, such as genes by their numbers
        draft.axis = axis_of(names)
        draft.common_unit = True
        return "axis", "declared", CONFIDENCES[layout.confidence], layout.evidence
    if isinstance(layout, NamedAxes):
        draft.common_unit = True
        return "columns", "declared", CONFIDENCES[layout.confidence], layout.evidence
    if isinstance(layout, NamedJoints):
        draft.common_unit = True
        pose = joints_of(draft.data, layout)
        if pose is not None and pose.is_measured:
            return "joints", "measured", "likely", pose.evidence
        return "columns", "declared", "sure", layout.evidence
    if isinstance(layout, NamedPixels):
        if layout.shape is None or layout.rows is None or layout.columns is None:
            reading = picture_test.read_rows(draft.data)
            if reading.stored is None:
                return None
            # Names and values agree.
            draft.picture_reading = replace(reading, confidence="sure")
            return "pixels", "declared", "sure", layout.evidence
        _put_in_rows(draft, layout.rows * layout.shape[1] + layout.columns)
        draft.declared_shape = layout.shape
        return "pixels", "declared", CONFIDENCES[layout.confidence], layout.evidence
    return None


def axis_of(names: Sequence[str]) -> Axis | None:
    """Return the axis that names of features are the values of, if they are."""
    layout = layout_of(names)
    if not isinstance(layout, NamedAxis):
        return None
    values = tuple(layout.values.tolist())
    return Axis(values, layout.unit, quantity_of([fold(layout.prefix)]))


def joints_of(data: Array, layout: NamedJoints) -> PoseReading | None:
    """Return what the values say of points that the names declare; None of those in a plane."""
    if layout.coordinates != "xyz":
        return None
    readings = poses.read_poses(data[:, layout.places])
    return next((reading for reading in readings if reading.layout == "nJ3"), None)


def may_be_pixels(draft: Draft) -> bool:
    """Whether the names leave it to the values: they number pixels, or only count columns."""
    names = draft.feature_names
    if draft.table is None or names is None:
        return False
    layout = layout_of(names)
    return isinstance(layout, NamedPixels) or only_count_columns(names)


def _put_in_rows(draft: Draft, pixels: Ints) -> None:
    """Order features as pixels row by row; `pixels` is the pixel that each feature is."""
    order = np.argsort(pixels)
    if (np.diff(pixels) == 1).all():
        return
    draft.data = np.ascontiguousarray(draft.data[:, order])
    file_columns = np.arange(len(order)) if draft.file_columns is None else draft.file_columns
    draft.file_columns = np.asarray(file_columns)[order].tolist()
    if draft.feature_names is not None:
        draft.feature_names = tuple(draft.feature_names[place] for place in order.tolist())
    columns, places = draft.steps.columns, draft.steps.places
    if columns is not None and places is not None:
        draft.record(
            columns=tuple(columns[place] for place in order.tolist()),
            places=tuple(places[place] for place in order.tolist()),
        )
