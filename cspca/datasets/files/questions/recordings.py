"""Recordings of several channels: what lies beside a stack names its sides, or counts its trials.

Words such as the names of channels, and vectors such as points of time, declare that a side holds
lines of each sample rather than samples, and that a sample is no picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files.feature_names import axis_of_values
from cspca.datasets.files.parsed import Array, ArrayField, Draft
from cspca.datasets.files.vocabulary import is_label_name

_CHANNEL_NAMES: Final = frozenset(
    {
        "ch_names", "chnames", "ch_name", "chan", "chans", "chan_names", "channames", "channel",
        "channels", "channel_names", "channelnames", "channel_labels", "chanlabels", "clab",
        "electrode", "electrodes", "electrode_names", "elec", "label", "labels", "leads",
        "lead_names", "montage", "rois", "roi_names", "sensor", "sensors", "sensor_names",
    }
)  # fmt: skip
"""Names of words that are those of channels; ``label`` is FieldTrip's."""

_TIME_NAMES: Final = frozenset(
    {"latencies", "ms", "t", "time", "time_axis", "timepoints", "times", "timevec", "tvec"}
)

_COUNTS_OF_TRIALS: Final = frozenset(
    {"n_epochs", "n_trials", "nepochs", "ntrial", "ntrials", "num_trials", "numtrials", "trials"}
)
"""Names of numbers that count the samples of a stack; ``trials`` is EEGLAB's."""

_RATES: Final = frozenset(
    {
        "fs", "fsample", "sampling_freq", "sampling_frequency", "sampling_rate", "samplingrate",
        "sfreq", "srate",
    }
)  # fmt: skip

_RECORDING_WORDS: Final = (
    "eeg", "ecog", "emg", "epoch", "erp", "lfp", "meg", "ieeg", "bandpower", "band_power",
)  # fmt: skip
"""Words by which the name of an array declares that it holds recordings."""


@dataclass(frozen=True)
class LineNames:
    """Names of the lines along one side of a stack, and the array that has them."""

    field: ArrayField
    names: tuple[str, ...]
    kind: Literal["words", "times", "axis"]


def line_names(draft: Draft) -> list[LineNames]:
    """Arrays beside the samples that name what lies along a side: words first."""
    named: list[LineNames] = []
    for field in draft.beside:
        if field.holds == "words" and len(field.sides) == 1 and are_names(field, draft):
            words = field.values(draft.parsed.file).ravel().astype(str)
            named.append(LineNames(field, tuple(words.tolist()), "words"))
    for field in draft.beside:
        points = _points(field, draft)
        if points is not None:
            is_time = field.key in _TIME_NAMES
            named.append(LineNames(field, _texts(points), "times" if is_time else "axis"))
    return named


def are_names(field: ArrayField, draft: Draft) -> bool:
    """Whether an array holds words that all differ, as names do and classes do not."""
    if field.holds != "words" or len(field.sides) != 1:
        return False
    words = field.values(draft.parsed.file).ravel().astype(str)
    return len(set(words.tolist())) == len(words)


def sides_of_samples(
    draft: Draft, shape: Sequence[int]
) -> dict[str, Literal["rows", "columns", "layers", "places"]]:
    """Declarations of the side of a stack on which samples lie, by channels or counts."""
    declared: dict[str, Literal["rows", "columns", "layers", "places"]] = {}
    for field in draft.beside:
        if field.key in _COUNTS_OF_TRIALS and math.prod(field.shape) == 1:
            if field.holds != "numbers":
                continue
            count = float(field.values(draft.parsed.file).ravel()[0])
            if (shape[0] == count) != (shape[-1] == count):
                side: Literal["rows", "columns"] = "rows" if shape[0] == count else "columns"
                declared[f"{field.title} says that there are {int(count):,}."] = side
    lines = line_names(draft)
    channels = [
        names for names in lines if names.kind == "words" and names.field.key in _CHANNEL_NAMES
    ]
    channels = [names for names in channels if list(shape).count(len(names.names)) == 1]
    if not channels:
        return declared
    times = [names for names in lines if names.kind == "times"]
    by_side: dict[int, str] = {}
    for names in (*channels, *times):
        if list(shape).count(len(names.names)) == 1:
            by_side.setdefault(list(shape).index(len(names.names)), names.field.title)
    last = len(shape) - 1
    if (0 in by_side) != (last in by_side):
        title = by_side[0 if 0 in by_side else last]
        place = "first" if 0 in by_side else "last"
        why = f"{title} names what lies along the {place} side."
        declared[why] = "columns" if 0 in by_side else "rows"
    return declared


def names_of_sides(draft: Draft, sides: Sequence[int]) -> list[LineNames | None]:
    """The names of what lies along each side of a sample; None for a side without."""
    n_samples = len(draft.data)
    lines = line_names(draft)
    named: list[LineNames | None] = []
    for side in sides:
        fitting = [names for names in lines if len(names.names) == side]
        is_alone = list(sides).count(side) == 1
        fitting = [names for names in fitting if is_alone and _is_of_lines(names, n_samples)]
        named.append(fitting[0] if fitting else None)
    return named


def evidence_of_recordings(draft: Draft, sides: Sequence[int]) -> str:
    """Say what declares that samples are recordings, or stacks of curves; empty where nothing."""
    named = [names for names in names_of_sides(draft, sides) if names is not None]
    if named:
        return f"{', '.join(map(_described, named))}."
    rate = next((field for field in draft.beside if _is_rate(field)), None)
    if rate is not None:
        return f"{rate.title} is a sampling rate."
    name = draft.group.fields[0].title if draft.group is not None else ""
    if any(word in name.lower() for word in _RECORDING_WORDS):
        return f"Their array is called {name}."
    return ""


def _described(names: LineNames) -> str:
    count = f"{len(names.names):,}"
    if names.kind == "words":
        return f"{names.field.title} has a name for each of {count} lines of a sample"
    points = "points of time" if names.kind == "times" else "points of an axis"
    return f"{names.field.title} has its {count} {points}"


def _is_rate(field: ArrayField) -> bool:
    return field.key in _RATES and field.holds == "numbers" and math.prod(field.shape) == 1


def _is_of_lines(names: LineNames, n_samples: int) -> bool:
    """Whether names belong to the lines of a sample, not to the samples or the classes."""
    if names.kind == "words" and names.field.key in _CHANNEL_NAMES:
        return True
    return len(names.names) != n_samples and not is_label_name(names.field.name)


def _points(field: ArrayField, draft: Draft) -> Array | None:
    """Points of an axis or of time that run one way; the same for each sample counts once."""
    is_time = field.key in _TIME_NAMES
    if field.holds != "numbers" or len(field.sides) not in (1, 2):
        return None
    if len(field.sides) == 2 and not is_time:
        return None
    values = np.asarray(field.values(draft.parsed.file)).reshape(field.sides).astype(float)
    if values.ndim == 2:
        for lines in (values, values.T):
            if len(lines) > 1 and (lines == lines[0]).all():
                return _points_of_time(lines[0])
        return None
    if is_time:
        return _points_of_time(values)
    axis = axis_of_values(field.key, values)
    return None if axis is None else np.array(axis.values)


def _points_of_time(values: Array) -> Array | None:
    is_axis = len(values) >= 3 and bool(np.isfinite(values).all()) and bool(is_monotonic(values))
    return values if is_axis else None


def _texts(points: Array) -> tuple[str, ...]:
    """Points as text, as long as their steps need."""
    step = float(np.abs(np.diff(points)).min())
    n_decimals = max(0, 2 - math.floor(math.log10(step))) if step > 0 else 10
    return tuple(f"{value + 0.0:.10g}" for value in np.round(points, n_decimals).tolist())
