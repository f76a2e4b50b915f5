"""What each answer would give: the first samples as small pictures, curves, or rows of text."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.record import DatasetError, nouns_of
from cspca.datasets.resize import resize_area

if TYPE_CHECKING:
    from cspca.datasets.files.parsed import Array, Draft, Parsed
    from cspca.datasets.files.question import Answers, Question
    from cspca.datasets.files.settle import Settled

PREVIEWED: Final = frozenset(
    {"samples", "header", "pivot", "features", "colours", "order", "shape"}
)
"""Questions whose answers are previewed also where they are settled."""

MOST_ANSWERS: Final = 5
"""Answers of one question that are previewed."""

_MOST_VALUES: Final = 2**24
_SECONDS: Final = 1.5  # for open questions, for which a person waits gladly
_SECONDS_SETTLED: Final = 0.4
_URGENCY: Final = ("open", "default", "likely", "sure", "given")
_PICTURES: Final = 4
_SIDE: Final = 40
_POINTS: Final = 64
_CURVES: Final = 3
_ROWS: Final = 3
_COLUMNS: Final = 6


@dataclass(frozen=True)
class Preview:
    """What one answer would give.

    Parameters
    ----------
    value : object
        The answer.
    words : str
        The size of the set, such as ``400 images, 28 × 20``.
    refusal : str
        Why there would be no set.
    pictures : array of shape (height, width), optional
        Grey levels of the first pictures, side by side.
    curves : tuple of tuple of float
        The first samples along their axis.
    rows : tuple of tuple of str
        The first samples as text, after a row of names where there are any.
    """

    value: Any
    words: str = ""
    refusal: str = ""
    pictures: NDArray[np.uint8] | None = None
    curves: tuple[tuple[float, ...], ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def preview_answers(
    parsed: Parsed, settled: Settled, answers: Answers
) -> dict[str, list[dict[str, Any]]]:
    """Settle the file by each of the first answers of its questions, as long as that is quick.

    To be called before `build`, which changes values in place. Open questions come first, then
    those whose answer is the least sure.
    """
    if parsed.pictures is not None or _size(parsed, settled.draft) > _MOST_VALUES:
        return {}
    questions = sorted(
        settled.questions.values(), key=lambda question: _URGENCY.index(question.confidence)
    )
    start = time.monotonic()
    previews: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        if not (question.is_open or question.name in PREVIEWED):
            continue
        if question.name in ("missing", "classes_from") or len(question.answers) < 2:
            continue
        previews[question.key] = []
        for answer in question.answers[:MOST_ANSWERS]:
            if time.monotonic() - start > (_SECONDS if question.is_open else _SECONDS_SETTLED):
                break
            preview = _settled_otherwise(parsed, answers, question, answer.value)
            previews[question.key].append(_packed(preview))
    return previews


def unpacked_preview(sent: Mapping[str, Any]) -> Preview:
    """Return a preview as it was before it was sent; raise ValueError where it cannot be one."""
    pictures = None
    if sent["pictures"] is not None:
        height, width, encoded = sent["pictures"]
        levels = np.frombuffer(base64.b64decode(encoded, validate=True), np.uint8)
        pictures = levels.reshape(height, width)
    curves = tuple(tuple(map(float, curve)) for curve in sent["curves"])
    rows = tuple(tuple(clean_name(str(cell)) for cell in row) for row in sent["rows"])
    words, refusal = clean_name(sent["words"], 200), clean_name(sent["refusal"], 1000)
    return Preview(sent["value"], words, refusal, pictures, curves, rows)


def _packed(preview: Preview) -> dict[str, Any]:
    """A preview as it is sent to the process that asked."""
    sent = asdict(preview)
    if preview.pictures is not None:
        encoded = base64.b64encode(preview.pictures.tobytes()).decode("ascii")
        sent["pictures"] = (*preview.pictures.shape, encoded)
    return sent


def _size(parsed: Parsed, draft: Draft) -> int:
    arrays = [math.prod(field.shape) for field in parsed.arrays if field.holds == "numbers"]
    tables = [table.numbers.size for table in parsed.tables]
    return max(int(draft.data.size), *arrays, *tables, 0)


def _settled_otherwise(parsed: Parsed, answers: Answers, question: Question, value: Any) -> Preview:
    """Settle the file with one answer changed, and look at its first samples."""
    from cspca.datasets.files.settle import settle

    try:
        with _unchanged(parsed):
            changed = answers.replaced(question.name, value, question.subject)
            settled = settle(parsed, changed, Watch(parsed.file, seconds=float("inf")))
            if settled.refusal:
                return Preview(value, refusal=settled.refusal)
            return _seen(settled.draft, value)
    except DatasetError as error:
        return Preview(value, refusal=str(error))


@contextmanager
def _unchanged(parsed: Parsed) -> Iterator[None]:
    """Protect the values of a file, so that whatever changes them in place makes a copy first."""
    cached: list[Array | None] = [vars(field).get("_values") for field in parsed.arrays]
    tables = [table.numbers for table in parsed.tables]
    values = [array for array in (*cached, *tables) if array is not None]
    writeable = [array for array in values if array.flags.writeable]
    for array in writeable:
        array.flags.writeable = False
    try:
        yield
    finally:
        for array in writeable:
            array.flags.writeable = True
        for field, before in zip(parsed.arrays, cached, strict=True):
            if before is None:
                vars(field).pop("_values", None)


def _seen(draft: Draft, value: Any) -> Preview:
    data, nouns = draft.data, nouns_of(draft.shape)
    if draft.shape is not None:
        height, width = draft.shape
        words = f"{nouns.count_samples(len(data))}, {height} × {width}"
        return Preview(value, words, pictures=_pictures(draft))
    words = f"{nouns.count_samples(len(data))}, {nouns.count_features(data.shape[1])}"
    if draft.features == "axis" and data.shape[1] >= _CURVES:
        return Preview(value, words, curves=_curves(data))
    return Preview(value, words, rows=_rows(draft))


def _pictures(draft: Draft) -> NDArray[np.uint8]:
    """Return pictures spread over the set side by side, upright, black to white."""
    assert draft.shape is not None
    places = np.linspace(0, len(draft.data) - 1, min(_PICTURES, len(draft.data))).astype(int)
    height, width = draft.shape
    pictures = draft.data[places].astype(np.float64)
    if draft.order == "column":
        pictures = pictures.reshape(-1, width, height).swapaxes(1, 2)
    else:
        pictures = pictures.reshape(-1, height, width)
    low, high = float(pictures.min()), float(pictures.max())
    pictures = (pictures - low) / (high - low) if high > low else np.zeros_like(pictures)
    if max(height, width) > _SIDE:
        scale = _SIDE / max(height, width)
        size = (max(1, round(height * scale)), max(1, round(width * scale)))
        pictures = resize_area(np.ascontiguousarray(pictures), size)
    framed = np.pad(pictures, ((0, 0), (0, 0), (0, 1)), constant_values=0.5)
    levels: NDArray[np.uint8] = np.rint(255 * np.hstack([*framed])).astype(np.uint8)
    return levels


def _curves(data: Array) -> tuple[tuple[float, ...], ...]:
    samples = np.linspace(0, len(data) - 1, min(_CURVES, len(data))).astype(int)
    points = np.linspace(0, data.shape[1] - 1, min(_POINTS, data.shape[1])).astype(int)
    curves = np.nan_to_num(data[np.ix_(samples, points)].astype(np.float64))
    return tuple(tuple(curve.tolist()) for curve in curves)


def _rows(draft: Draft) -> tuple[tuple[str, ...], ...]:
    rows = [tuple(f"{cell:.4g}" for cell in row[:_COLUMNS]) for row in draft.data[:_ROWS]]
    if draft.feature_names is not None:
        rows.insert(0, tuple(map(str, draft.feature_names[:_COLUMNS])))
    return tuple(rows)
