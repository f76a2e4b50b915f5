"""What the features are: pixels of a picture, points of an axis, columns, or joints in space."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from cspca.datasets.axis import Axis
from cspca.datasets.files import picture_test, poses
from cspca.datasets.files.channels import are_colours, channels_last
from cspca.datasets.files.feature_names import NamedJoints, layout_of
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import Array, Draft, Features
from cspca.datasets.files.poses import PoseReading
from cspca.datasets.files.question import (
    Answers,
    Confidence,
    Question,
    Strength,
    ranked_answers,
)
from cspca.datasets.files.questions import named_features, recordings
from cspca.datasets.files.questions.samples import axis_fields
from cspca.datasets.files.vocabulary import PIXEL_WORDS, fold
from cspca.datasets.motion import N_JOINTS, guess_skeleton, motion_descriptor
from cspca.datasets.record import DatasetError, Skeleton
from cspca.datasets.steps import Joints

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

PICTURE_WORDS: Final = ("image", "img", "face", "picture", "photo", "frame", "digit")
"""Words by which the name of an array declares that it holds pictures."""

POSE_WORDS: Final = ("pose", "joint", "skelet", "marker", "keypoint", "landmark", "xyz", "mocap")
"""Words by which the name of an array declares that it holds points of a body."""

Evidence = tuple[Features, Strength, Confidence, str]


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Propose by what the file declares, else by the picture test or by steady distances."""
    if draft.parsed.pictures is not None:
        draft.features = "pixels"
        return []
    kind, strength, confidence, evidence = _evidence(draft, answers)
    words = {value: _words(value, draft) for value in (kind, *_possible(draft))}
    options = ranked_answers(words, kind, evidence, strength)
    sentence = ""
    if evidence and confidence != "open":
        start = SENTENCES[kind]
        if kind == "columns" and draft.data.ndim > 2:
            start = f"Each of the {_sides(draft)} numbers of a sample is a feature."
        sentence = f"{start} {evidence}"
    text = f"{evidence} {_TEXT}" if evidence and confidence == "open" else _TEXT
    return [Question("features", text, options, confidence, sentence=sentence)]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Keep what the features are; an axis gets its values, poses get their skeleton."""
    if "features" not in questions:
        return
    draft.features = questions["features"].value
    if draft.features == "joints":
        _describe_poses(draft)
        return
    if draft.features == "axis" and draft.axis is None:
        draft.axis = _axis_beside(draft)
        n_features = math.prod(draft.data.shape[1:])
        if draft.axis is None and draft.feature_names is not None:
            draft.axis = named_features.axis_of(draft.feature_names)
        if draft.axis is None and draft.data.ndim == 2:
            draft.axis = _counted_axis(draft.feature_names, n_features)
    reading = draft.picture_reading
    is_curve = draft.data.ndim == 2 and reading is not None and picture_test.is_curve(reading)
    is_picture = draft.declared_shape is not None or (
        reading is not None and reading.answer != "not pictures"
    )
    if draft.features == "axis" or (draft.features == "columns" and (is_curve or is_picture)):
        # Numbers that follow each other as along a curve, or as in a picture, share a unit.
        draft.common_unit = True
    if draft.features != "pixels" and draft.data.ndim > 2:
        sides = draft.data.shape[1:]
        if draft.feature_names is None:
            draft.feature_names = _names_by_place(sides, draft)
        draft.axis = None
        draft.data = draft.data.reshape(len(draft.data), -1)


def _counted_axis(names: Sequence[str] | None, n_features: int) -> Axis:
    """An axis that nothing tells: the numbers that the features are called by, or from 1."""
    if names is not None and all(name.strip().isdecimal() for name in names):
        axis = Axis(tuple(float(name) for name in names))
        if axis.runs_one_way:
            return axis
    return Axis(tuple(float(place) for place in range(1, n_features + 1)))


def _names_by_place(sides: tuple[int, ...], draft: Draft) -> tuple[str, ...]:
    """Return names such as ``Fz, 0.3`` of features that lie along several sides.

    A side of which nothing names the lines is counted from 1.
    """
    names = [
        list(map(str, range(1, side + 1))) if lines is None else list(lines.names)
        for side, lines in zip(sides, recordings.names_of_sides(draft, sides), strict=True)
    ]
    joined = names[0]
    for following in names[1:]:
        joined = [f"{start}, {end}" for start in joined for end in following]
    return tuple(joined)


def _words(kind: Features, draft: Draft) -> str:
    """What a button says: a sample of several sides has no columns."""
    if kind == "columns" and draft.data.ndim > 2:
        return f"Each of the {_sides(draft)} numbers by itself"
    return WORDS[kind]


def _sides(draft: Draft) -> str:
    return " × ".join(f"{side:,}" for side in draft.data.shape[1:])


def _possible(draft: Draft) -> list[Features]:
    possible: list[Features] = ["columns", "axis"] if draft.data.ndim == 2 else ["columns"]
    if draft.data.ndim > 2 or draft.data.shape[1] >= 4:
        possible.insert(0, "pixels")
    if draft.data.ndim == 3 and _pose_reading(draft) is not None:
        possible.append("joints")
    if draft.data.ndim == 2 and draft.data.shape[1] % 3 == 0:
        n_joints = draft.data.shape[1] // 3
        if n_joints == N_JOINTS or _layout_of_joints(draft) is not None:
            possible.append("joints")
    return possible


def _axis_beside(draft: Draft) -> Axis | None:
    for field, axis in axis_fields(draft):
        if draft.data.ndim == 2 and field.sides == (draft.data.shape[1],):
            return axis
    return None


def _declared_shape(draft: Draft) -> tuple[tuple[int, int], str] | None:
    """Shape of a picture that an array beside the samples, or the file, declares."""
    if draft.declared_shape is not None:
        return draft.declared_shape, "The file says their shape."
    for field in draft.beside:
        if field.key in ("image_shape", "img_shape", "imgsize", "imsize") and field.sides == (2,):
            rows, columns = field.values(draft.parsed.file).ravel().astype(int).tolist()
            sides = draft.data.shape[1:]
            if sides in ((rows * columns,), (rows, columns)):
                return (rows, columns), f"{field.title} says their shape."
    if draft.data.ndim != 2:
        return None
    n_samples, n_features = draft.data.shape
    for field in draft.beside:
        sides = field.shape[1:]
        if (
            field.key == "images"
            and field.shape[:1] == (n_samples,)
            and len(sides) in (2, 3)
            and math.prod(sides) == n_features
        ):
            return (sides[0], sides[1]), f"{field.title} holds the same numbers as pictures."
    return None


def _evidence(draft: Draft, answers: Answers) -> Evidence:
    data = draft.data
    if answers.values.get("shape"):
        if data.ndim == 2:
            # It may still tell in which order the pixels of that shape lie.
            draft.picture_reading = draft.row_reading or picture_test.read_rows(data)
        return "pixels", "declared", "given", ""
    declared = _declared_shape(draft)
    if declared is not None:
        draft.declared_shape, evidence = declared
        return "pixels", "declared", "sure", evidence
    if data.ndim == 2 and draft.feature_names is not None:
        named = named_features.evidence_of(draft)
        if named is not None:
            return named
    if draft.axis is not None or _axis_beside(draft) is not None:
        return "axis", "declared", "sure", "The file has its values."
    if (
        data.ndim == 2
        and draft.feature_names is not None
        and not named_features.may_be_pixels(draft)
    ):
        return "columns", "declared", "sure", ""
    if draft.common_unit is False:
        return "columns", "measured", "sure", ""
    if data.ndim == 3:
        return _of_two_sides(draft)
    if data.ndim > 3:
        return _of_many_sides(draft)
    reading = draft.row_reading or picture_test.read_rows(data)
    draft.picture_reading = reading
    pixels = _column_of_pixels(draft)
    if pixels and reading.stored is not None:
        draft.picture_reading = replace(reading, confidence="sure")
        return "pixels", "declared", "sure", f"Their column is called {pixels}."
    if reading.answer == "not pictures" and picture_test.is_curve(reading):
        return "axis", "measured", "likely", reading.evidence
    if reading.answer == "not pictures":
        return "columns", "measured", "sure" if reading.confidence == "sure" else "default", ""
    confidence: Confidence = "sure" if reading.confidence == "sure" else "open"
    return "pixels", "measured", confidence, reading.evidence


def _column_of_pixels(draft: Draft) -> str:
    """Name of the column each cell of which holds the pixels of a picture; empty without one."""
    table = draft.table
    for place, column in table.words.items() if table is not None else ():
        is_feature = draft.roles.get(place) == "feature" and column.dtype == object
        if table is not None and is_feature and fold(table.names[place]) in PIXEL_WORDS:
            return table.titles[place]
    return ""


def _of_two_sides(draft: Draft) -> Evidence:
    """Evidence for samples that are stored with two sides."""
    name = _name(draft)
    if any(word in name for word in PICTURE_WORDS):
        return "pixels", "declared", "sure", f"Their array is called {name}."
    pose = _pose_reading(draft)
    is_named = any(word in name for word in POSE_WORDS)
    if pose is not None and pose.is_measured:
        return "joints", "measured", "sure", pose.evidence
    if pose is not None and (is_named or pose.has_confidences):
        if pose.has_confidences:
            return "columns", "measured", "open", pose.evidence
        return "joints", "declared", "open", f"Their array is called {name}, but: {pose.evidence}"
    sides = draft.data.shape[1:]
    recorded = recordings.evidence_of_recordings(draft, sides)
    if recorded:
        return "columns", "declared", "sure", recorded
    reading = picture_test.read_rows(draft.data.reshape(len(draft.data), -1))
    draft.picture_reading = reading
    if reading.answer != "not pictures" and reading.stored in (sides, sides[::-1]):
        confidence: Confidence = "sure" if reading.confidence == "sure" else "likely"
        return "pixels", "measured", confidence, reading.evidence
    if reading.answer == "not pictures" or min(sides) < picture_test.LEAST_SIDE:
        return "columns", "custom", "open", ""
    return "pixels", "custom", "open", ""


def _of_many_sides(draft: Draft) -> Evidence:
    """Evidence for samples that are stored with three or more sides: colours, or anything."""
    name = _name(draft)
    recorded = recordings.evidence_of_recordings(draft, draft.data.shape[1:])
    if recorded:
        return "columns", "declared", "sure", recorded
    channels = channels_last(draft.data) if draft.data.ndim == 4 else None
    if channels is None:
        return "columns", "custom", "open", ""
    if any(word in name for word in PICTURE_WORDS):
        return "pixels", "declared", "sure", f"Their array is called {name}."
    few = channels[:: max(1, len(channels) // 512), :, :, 0]
    reading = picture_test.read_rows(few.reshape(len(few), -1))
    sides = channels.shape[1:3]
    fits = reading.answer != "not pictures" and reading.stored in (sides, sides[::-1])
    if fits and channels.shape[-1] == 1:
        confidence: Confidence = "sure" if reading.confidence == "sure" else "likely"
        return "pixels", "measured", confidence, reading.evidence
    alike = are_colours(channels)
    if alike:
        return "pixels", "measured", "sure" if fits else "likely", alike
    if fits:
        return "pixels", "measured", "likely", reading.evidence
    return "columns", "custom", "open", ""


def _name(draft: Draft) -> str:
    return draft.group.fields[0].title.lower() if draft.group is not None else ""


def _pose_reading(draft: Draft) -> PoseReading | None:
    """Return the samples as points in space, if their sides allow it."""
    readings = [reading for reading in poses.read_poses(draft.data) if reading.layout[0] == "n"]
    return readings[0] if readings else None


def _layout_of_joints(draft: Draft) -> NamedJoints | None:
    """Joints in space by the names of their coordinates, joint by joint or axis by axis."""
    layout = layout_of(draft.feature_names or ())
    return layout if isinstance(layout, NamedJoints) and layout.coordinates == "xyz" else None


def _describe_poses(draft: Draft) -> None:
    """Replace coordinates by those from the root on, and the distances between all joints."""
    data = draft.data
    named = _layout_of_joints(draft)
    reading = _pose_reading(draft) if data.ndim == 3 else None
    if data.ndim == 2 and named is not None:
        points = data[:, named.places]
    elif data.ndim == 3:
        if reading is None:
            raise _no_poses(draft)
        points = poses.frames_of_points(data, reading.layout)
    elif data.ndim == 2 and data.shape[1] % 3 == 0 and data.shape[1] >= 6:
        points = data.reshape(len(data), -1, 3)
    else:
        raise _no_poses(draft)
    points = poses.coordinates_of(points).astype(float)
    always = poses.always_at_origin(points)
    lost = poses.at_origin(points, always)
    n_lost = int(lost.any(axis=1).sum())
    if n_lost:
        points[lost] = np.nan
        frames = "1 frame" if n_lost == 1 else f"{n_lost:,} frames"
        draft.notes.append(f"In {frames} a point lies at (0, 0, 0) exactly: it counts as missing.")
    n_frozen = poses.frozen_frames(points)
    if n_frozen:
        frames = "1 frame" if n_frozen == 1 else f"{n_frozen:,} frames"
        draft.notes.append(
            f"In {frames} a point keeps its place to the last digit while others move, as a lost "
            "marker that was filled does."
        )
    root = poses.central_point(points)
    skeleton = guess_skeleton(points, root)
    draft.skeleton = skeleton
    if named is not None:
        names = tuple(joint.replace("_", " ") for joint in named.joints)
        draft.skeleton = Skeleton(names, skeleton.bones, skeleton.pose, skeleton.note)
    joint = draft.skeleton.joints[root]
    up = "xyz"[up_side(points)]
    draft.notes.append(f"Coordinates are measured from {joint}, the root; {up} is up.")
    draft.data = motion_descriptor(points, root)
    is_named = data.ndim == 2 and named is not None
    draft.record(
        joints=Joints(
            layout=reading.layout if reading is not None else "",
            root=root,
            always_at_origin=always,
            places=np.asarray(named.places) if is_named and named is not None else None,
        )
    )
    draft.feature_names, draft.axis, draft.shape = draft.skeleton.feature_names, None, None
    draft.file_columns = None


def up_side(points: Array) -> int:
    """Return the coordinate that is up: the one along which a pose is longest."""
    good = points[np.isfinite(points).all(axis=(1, 2))]
    return int(np.ptp(good, axis=1).mean(axis=0).argmax()) if len(good) else 1


def _no_poses(draft: Draft) -> DatasetError:
    sides = " × ".join(map(str, draft.data.shape))
    return DatasetError(
        f"{draft.parsed.file}: the data are {sides}, no poses: give (frames, joints, 3)."
    )


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
