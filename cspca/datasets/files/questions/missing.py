"""What to do with values that are missing or not finite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.cells import read_cells
from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.parsed import Array, Draft, StandIns, precision
from cspca.datasets.files.question import Answer, Answers, Question
from cspca.datasets.record import DatasetError

KEEP: Final = "keep"
_MARKS: Final = (
    -9999.0,
    -999.0,
    -99999.0,
    -200.0,
    -666.0,
    -99.0,
    -32768.0,
    9999.0,
    99999.0,
    999.0,
    99.0,
)
_LEAST_FILL: Final = 1e19  # USGS writes −1.23e34, netCDF 9.97e36, ESRI −3.4e38
_FARTHEST_OF_FILL: Final = 1e6
_FAR: Final = 1.0  # ranges of the other values by which such a number must lie outside of them
_MOST_LOOKED_AT: Final = 1000  # features
_ROWS_OF_CODES: Final = 200
_FARTHEST_CODE: Final = 9999
_LONGEST_SCALE: Final = 11  # answers, as 0 … 10
_MOST_CODES: Final = 4
_LEAST_A_CODE: Final = 2  # questions in which a code has to come
_LEAST_GAP: Final = 3  # between the scale and a code above it
_USUAL_CODE: Final = 9
_MOST_UNANSWERED: Final = 0.2
_LEAST_QUESTIONS: Final = 4
_SHARE_OF_QUESTIONS: Final = 0.7  # of the columns of few whole numbers that share one scale
_GROUPED: Final = re.compile(r"[-+−]?\d{1,3}(,\d{3})+(\.\d*)?")
_LEAST_PADDED: Final = 2  # pixels
_MOST_LEFT_OUT: Final = 0.5  # of the samples or features, from which filling is offered first
_TEXT: Final = "What becomes of missing values?"


def propose(draft: Draft, answers: Answers) -> list[Question]:
    """Ask where values are missing; each answer says how much it leaves out."""
    foreign.check_values(draft.data.shape, draft.parsed.file)
    _check_size(draft)
    data = draft.data
    is_finite = data.dtype.kind not in "fc" or _all_finite(data)
    draft.stand_ins = _stand_ins(draft) if is_finite else None
    if draft.stand_ins is not None:
        ask = _of_padding if draft.stand_ins.are_padding else _of_marked
        return [ask(draft, draft.stand_ins)]
    if is_finite:
        return []
    finite = np.isfinite(data)
    bad_samples, bad_features = ~finite.all(axis=1), ~finite.all(axis=0)
    nouns = draft.nouns
    cells = int(np.count_nonzero(~finite))
    first = int(np.flatnonzero(bad_samples)[0]) + 1
    rows = nouns.count_samples(int(bad_samples.sum()))
    columns = nouns.count_features(int(bad_features.sum()))
    leaving_rows = Answer("rows", f"Leave out {rows}", example=f"{rows} of {len(data):,}")
    leaving_columns = Answer(
        "columns", f"Leave out {columns}", example=f"{columns} of {data.shape[1]:,}"
    )
    filled = f"{cells:,} {'value' if cells == 1 else 'values'}"
    filling = (
        Answer("mean", f"Put the mean of its {nouns.feature} in place of each", example=filled),
        Answer("median", f"Put the median of its {nouns.feature} in place of each", example=filled),
    )
    # The answer that loses least of the data comes first, and none that leaves nothing.
    leaving = [
        (float(bad.mean()), answer)
        for bad, answer in ((bad_samples, leaving_rows), (bad_features, leaving_columns))
    ]
    leaving.sort(key=lambda pair: pair[0])
    options: tuple[Answer, ...] = tuple(answer for _, answer in leaving)
    can_fill = bool(finite.any(axis=0).all())
    is_costly = leaving[0][0] > _MOST_LEFT_OUT and can_fill
    options = (*filling, *options) if is_costly else (*options, *filling)
    numbers = numbers_in_cells(draft)
    if len(numbers) == cells:
        column, marks = next(iter(draft.doubtful.items()))
        row, text = marks[0]
        number = f"{numbers[row, column]:.10g}".replace("-", "−")
        words = f"Take the number in each cell, such as {number} for {clean_name(text, 30)}"
        answer = Answer("number", words)
        is_first = is_costly or _are_grouped(draft)
        options = (answer, *options) if is_first else (*options, answer)
    are = "value is" if cells == 1 else "values are"
    if draft.skeleton is not None:  # every joint and distance is needed
        options = tuple(option for option in options if option.value != "columns")
    text = f"{cells:,} {are} missing or infinite, the first in {nouns.sample} {first:,}."
    texts = [clean_name(text, 30) for marks in draft.doubtful.values() for _, text in marks]
    if texts:
        text += f" Among them are cells that hold {foreign.listed(list(dict.fromkeys(texts)))}."
    return [Question("missing", f"{text} {_TEXT}", options, "open")]


def apply(draft: Draft, questions: Mapping[str, Question], answers: Answers, watch: Watch) -> None:
    """Make the values floating point, without missing ones."""
    # In place of what the parser held: a large array must not be kept twice.
    data = np.require(
        draft.data.astype(precision(draft.data.size), order="C", copy=False), requirements="W"
    )
    draft.data = data
    question = questions.get("missing")
    if question is not None and question.value == "number":
        draft.record(missing="number")
        for (row, column), value in numbers_in_cells(draft).items():
            data[row, column] = value
        draft.notes.append("The numbers in cells with a mark, such as < or a comma, are taken.")
    elif question is not None and question.value != KEEP:
        draft.record(missing=question.value)
        _apply(draft, question.value)
    _check_size(draft)


def _apply(draft: Draft, answer: str) -> None:
    """Leave out what is missing, or put a mean or a median in its place."""
    data, stand_ins = draft.data, draft.stand_ins
    if stand_ins is not None and stand_ins.are_padding:
        _fill_padding(draft, stand_ins.features, answer)
        return
    finite = np.isfinite(data)
    if stand_ins is not None:
        places = stand_ins.features
        draft.record(codes=stand_ins.numbers, coded=places)
        finite[:, places] = ~np.isin(data[:, places], stand_ins.numbers)
    if answer == "rows":
        _keep_samples(draft, np.asarray(finite.all(axis=1)))
    elif answer == "columns":
        _keep_features(draft, np.asarray(finite.all(axis=0)))
    else:
        _fill(draft, finite, answer)


def _check_size(draft: Draft) -> None:
    """Refuse a set of fewer than two samples, or without features."""
    nouns = draft.nouns
    n_samples, n_features = draft.data.shape
    if n_samples < 2 or n_features < 1:
        raise DatasetError(
            f"{draft.parsed.file} holds {'only one' if n_samples else 'no'} {nouns.sample} (of "
            f"{nouns.count_features(n_features)}): bring at least two {nouns.samples}."
        )


def _stand_ins(draft: Draft) -> StandIns | None:
    """Measure which numbers, all of them finite, may stand for missing values."""
    padding = _padding(draft)
    if padding is not None or draft.data.dtype.kind not in "fc":
        return padding
    return _fill_values(draft.data) or _marked_cells(draft)


def _fill_values(data: Array) -> StandIns | None:
    """One number beyond anything measured, as instruments and netCDF write for no value."""
    lowest, highest = data.min(axis=0), data.max(axis=0)
    for extremes in (lowest, highest):
        value = float(extremes[np.argmax(np.abs(extremes))])
        columns = np.flatnonzero(extremes == value)
        if abs(value) < _LEAST_FILL:
            continue
        others = data[:, columns[:_MOST_LOOKED_AT]]
        others = others[others != value]
        if np.abs(others).max(initial=0) < abs(value) / _FARTHEST_OF_FILL:
            return StandIns((value,), columns)
    return None


def _of_padding(draft: Draft, padding: StandIns) -> Question:
    """Ask whether one number at the same pixels of all pictures is padding."""
    nouns = draft.nouns
    value = padding.numbers[0]
    options = (
        Answer("mean", "Put the mean of all other pixels in place of each"),
        Answer("median", "Put the median of all other pixels in place of each"),
        Answer(KEEP, f"Keep {_shown(value)} as a value"),
    )
    text = (
        f"{nouns.count_features(len(padding.features))} hold {_shown(value)} in every picture, far "
        "outside all other values. Is it padding?"
    )
    return Question("missing", text, options, "open")


def _padding(draft: Draft) -> StandIns | None:
    """A number far outside all others that fills the same pixels of all pictures, and no others."""
    data = draft.data
    if draft.features != "pixels" or data.ndim != 2 or data.dtype.kind not in "fiu":
        return None
    first = data[0]
    for value in (first.min(), first.max()):
        is_padded = first == value
        if is_padded.sum() < _LEAST_PADDED or is_padded.all():
            continue
        rest = data[:, ~is_padded]
        low, high = float(rest.min()), float(rest.max())
        gap = max(low - float(value), float(value) - high)
        if gap > _FAR * (high - low) and high > low and (data[:, is_padded] == value).all():
            return StandIns((float(value),), np.flatnonzero(is_padded), are_padding=True)
    return None


def _fill_padding(draft: Draft, pixels: Array, statistic: str) -> None:
    """Put one number that lies among the others in place of padding."""
    others = np.delete(draft.data, pixels, axis=1)
    value = np.mean(others) if statistic == "mean" else np.median(others)
    draft.data[:, pixels] = value
    draft.record(padded=pixels, fill=np.full(draft.data.shape[1], float(value)))
    count = draft.nouns.count_features(len(pixels))
    draft.notes.append(f"{count} of padding were filled with the {statistic} of all others.")


def _of_marked(draft: Draft, marks: StandIns) -> Question:
    """Ask whether numbers outside all others stand for missing ones."""
    nouns = draft.nouns
    codes, columns = marks.numbers, marks.features
    is_marked = np.isin(draft.data[:, columns], codes)
    cells = int(is_marked.sum())
    rows = nouns.count_samples(int(is_marked.any(axis=1).sum()))
    count = nouns.count_features(len(columns))
    number = " or ".join(map(_shown, codes))
    options: tuple[Answer, ...] = (
        Answer("rows", f"Leave out {rows}", example=f"{rows} of {len(draft.data):,}"),
        Answer("columns", f"Leave out {count}", example=f"{count} of {draft.data.shape[1]:,}"),
        Answer("mean", f"Put the mean of its {nouns.feature} in place of each"),
        Answer("median", f"Put the median of its {nouns.feature} in place of each"),
        Answer(KEEP, f"Keep {number} as a value"),
    )
    if is_marked.all(axis=0).any():  # nothing tells what such a feature is
        options = (options[1], options[-1])
    hold = "holds" if len(columns) == 1 else "hold"
    times = "once" if cells == 1 else f"{cells:,} times"
    text = (
        f"{count} {hold} {number} {times}, outside all other values. Does it stand for a missing "
        "value?"
    )
    return Question("missing", text, options, "open")


def _shown(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _marked_cells(draft: Draft) -> StandIns | None:
    """Numbers by which programs mark missing values, and the features where they lie outside."""
    if draft.table is None:
        return None
    lowest, highest = draft.data.min(axis=0), draft.data.max(axis=0)
    for value in _MARKS:
        columns = np.flatnonzero((lowest if value < 0 else highest) == value)
        if not len(columns):
            continue
        few = draft.data[:, columns[:_MOST_LOOKED_AT]]
        rest = np.where(few == value, np.nan, few)
        filled = ~np.isnan(rest).all(axis=0)
        if not filled.any():
            continue
        low, high = np.nanmin(rest[:, filled], axis=0), np.nanmax(rest[:, filled], axis=0)
        gap = low - value if value < 0 else value - high
        if (gap > _FAR * np.maximum(high - low, 1e-12)).mean() > 0.5:
            return StandIns((value,), columns)
    return _codes_outside_scale(draft.data, lowest, highest)


def _codes_outside_scale(data: Array, lowest: Array, highest: Array) -> StandIns | None:
    """Codes of questionnaires outside the scale of whole numbers that all other answers keep."""
    few = data[:_ROWS_OF_CODES]
    are_whole = (few == np.rint(few)).all(axis=0) & (lowest >= -_FARTHEST_CODE)
    columns = np.flatnonzero(are_whole & (highest <= _FARTHEST_CODE))[:_MOST_LOOKED_AT]
    scales: dict[tuple[float, float], list[int]] = {}
    outside: dict[int, list[float]] = {}
    for column in columns.tolist():
        values = np.unique(data[:, column])
        if len(values) > _LONGEST_SCALE + _MOST_CODES:
            continue
        runs = np.split(values, np.flatnonzero(np.diff(values) != 1) + 1)
        scale = max(runs, key=len)
        if 2 <= len(scale) <= _LONGEST_SCALE:
            scales.setdefault((float(scale[0]), float(scale[-1])), []).append(column)
            least, most = float(scale[0]), float(scale[-1])
            outside[column] = [
                value
                for value in values.tolist()
                if value < min(least, 0)
                or value >= most + _LEAST_GAP
                or (value == _USUAL_CODE and value > most)
            ]
    same = max(scales.values(), key=len, default=[])
    if len(same) < max(_LEAST_QUESTIONS, _SHARE_OF_QUESTIONS * len(outside)):
        return None
    counts = Counter(code for column in same for code in outside[column])
    if not counts or len(counts) > _MOST_CODES or min(counts.values()) < _LEAST_A_CODE:
        return None
    codes = tuple(sorted(counts))
    if np.isin(data[:, same], codes).mean() > _MOST_UNANSWERED:
        return None
    return StandIns(codes, np.array([column for column in same if outside[column]]))


def numbers_in_cells(draft: Draft) -> dict[tuple[int, int], float]:
    """Numbers in cells that have a mark as well, such as < or a unit, by row and feature."""
    numbers: dict[tuple[int, int], float] = {}
    for column, marks in draft.doubtful.items():
        reading = read_cells([text for _, text in marks])
        for (row, _), value in zip(marks, reading.values.tolist(), strict=True):
            if np.isfinite(value):
                numbers[row, column] = value
    return numbers


def _are_grouped(draft: Draft) -> bool:
    """Whether all cells that are no plain numbers have commas between groups of digits."""
    texts = [text for marks in draft.doubtful.values() for _, text in marks]
    return bool(texts) and all(_GROUPED.fullmatch(text.strip()) for text in texts)


def _all_finite(data: Array) -> bool:
    # NaN comes through both, and neither needs another array.
    return bool(np.isfinite(data.min()) and np.isfinite(data.max()))


def _keep_samples(draft: Draft, good: Array) -> None:
    nouns = draft.nouns
    draft.data = draft.data[good]
    draft.labels = None if draft.labels is None else draft.labels[good]
    if draft.sample_names is not None:
        draft.sample_names = tuple(np.array(draft.sample_names, dtype=object)[good])
    draft.sample_numbers = tuple((np.flatnonzero(good) + 1).tolist())
    count = nouns.count_samples(int((~good).sum()))
    draft.notes.append(f"{count} with missing values left out.")


def _keep_features(draft: Draft, good: Array) -> None:
    if draft.shape is not None:
        raise DatasetError(
            f"{draft.parsed.file}: pixels cannot be left out of pictures: leave out samples, or "
            "put the mean in place of what is missing."
        )
    count = int((~good).sum())
    draft.data = np.ascontiguousarray(draft.data[:, good])
    draft.record(remaining=np.flatnonzero(good))
    if draft.feature_names is not None:
        draft.feature_names = tuple(np.array(draft.feature_names, dtype=object)[good])
    if draft.axis is not None:
        remaining = tuple(np.array(draft.axis.values)[good].tolist())
        draft.axis = replace(draft.axis, values=remaining)
    if draft.file_columns is not None:
        draft.file_columns = np.array(draft.file_columns)[good].tolist()
    nouns = draft.nouns
    draft.notes.append(f"{nouns.count_features(count)} with missing values left out.")


def _fill(draft: Draft, finite: Array, statistic: str) -> None:
    average = np.mean if statistic == "mean" else np.median
    # Also of columns where none is missing: new samples may miss others.
    fill = np.asarray(average(draft.data, axis=0), dtype=np.float64)
    for place in np.flatnonzero(~finite.all(axis=0)):
        column, good = draft.data[:, place], finite[:, place]
        if not good.any():
            raise DatasetError(
                f"{draft.parsed.file}: column {place + 1} holds no number at all: leave it out."
            )
        fill[place] = average(column[good])
        column[~good] = fill[place]
    draft.record(fill=fill)
    count = int(np.count_nonzero(~finite))
    are = "value was" if count == 1 else "values were"
    draft.notes.append(f"{count:,} missing {are} filled with the {statistic} of the feature.")
