"""What each answer would give: the first samples as small pictures, curves, or rows of text."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.foreign import Watch, clean_name
from cspca.datasets.files.picture_previews import shown_pictures
from cspca.datasets.record import DatasetError
from cspca.datasets.resize import resize_area

if TYPE_CHECKING:
    from cspca.datasets.files.parsed import Array, Draft, Parsed
    from cspca.datasets.files.question import Answers, Question
    from cspca.datasets.files.settle import Settled

_PREVIEWED: Final = frozenset(
    {"samples", "header", "pivot", "features", "colours", "order", "shape"}
)
"""Questions whose answers are shown on request where they are settled."""

_PREVIEWED_OF_PICTURES: Final = frozenset({"data", "samples", "colours", "classes_from"})
"""Questions about picture files whose answers are shown, open or settled."""

MOST_ANSWERS: Final = 5
"""Answers of one question that are previewed."""

_MOST_VALUES: Final = 2**24
_SECONDS: Final = 1.5
_SECONDS_ON_REQUEST: Final = 5.0
_PICTURES: Final = 4
_SIDE: Final = 40
_POINTS: Final = 64
_CURVES: Final = 3
_ROWS: Final = 3
_COLUMNS: Final = 5


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


def previewed_questions(parsed: Parsed, settled: Settled) -> list[Question]:
    """Return the questions whose answers can be shown; none where the file is too large."""
    questions = [question for question in settled.questions.values() if len(question.answers) > 1]
    if parsed.pictures is not None:
        return [question for question in questions if question.name in _PREVIEWED_OF_PICTURES]
    if _size(parsed, settled.draft) > _MOST_VALUES:
        return []
    return [
        question
        for question in questions
        if question.name in _PREVIEWED
        or (question.is_open and question.name not in ("missing", "classes_from"))
    ]


def preview_answers(
    parsed: Parsed, settled: Settled, answers: Answers, keys: Collection[str] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Return what the first answers of each open question would give, as long as that is quick.

    Of questions with the `keys` instead, if there are any. To be called before `build`, which
    changes values in place.
    """
    seconds = _SECONDS if keys is None else _SECONDS_ON_REQUEST
    start = time.monotonic()
    previews: dict[str, list[dict[str, Any]]] = {}
    for question in previewed_questions(parsed, settled):
        if question.key not in keys if keys is not None else not question.is_open:
            continue
        previews[question.key] = []
        for answer in question.answers[:MOST_ANSWERS]:
            if time.monotonic() - start > seconds:
                break
            if parsed.pictures is not None:
                words, shown = shown_pictures(parsed.pictures, question, answer.value)
                levels = _side_by_side(shown) if shown else None
                preview = Preview(answer.value, words, pictures=levels)
            else:
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
            return _seen(settled.draft, value, question.subject)
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


def _seen(draft: Draft, value: Any, subject: str) -> Preview:
    data, nouns = draft.data, draft.nouns
    if draft.shape is not None:
        height, width = draft.shape
        words = f"{nouns.count_samples(len(data))}, {height} × {width}"
        return Preview(value, words, pictures=_pictures(draft))
    words = f"{nouns.count_samples(len(data))}, {nouns.count_features(data.shape[1])}"
    if draft.features == "axis" and data.shape[1] >= _CURVES:
        return Preview(value, words, curves=_curves(data))
    return Preview(value, words, rows=_rows(draft, subject))


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
    return _side_by_side([*pictures])


def _side_by_side(pictures: Sequence[Array]) -> NDArray[np.uint8]:
    """Return grey pictures as thumbnails in one line, their darkest pixel black."""
    low = min(float(picture.min()) for picture in pictures)
    high = max(float(picture.max()) for picture in pictures)
    reach = (high - low) or 1.0
    thumbnails = [(_thumbnail(picture) - low) / reach for picture in pictures]
    tallest = max(len(thumbnail) for thumbnail in thumbnails)
    framed = [
        np.pad(thumbnail, ((0, tallest - len(thumbnail)), (0, 1)), constant_values=0.5)
        for thumbnail in thumbnails
    ]
    levels: NDArray[np.uint8] = np.rint(255 * np.hstack(framed)).astype(np.uint8)
    return levels


def _thumbnail(picture: Array) -> NDArray[np.float64]:
    """Return a picture no side of which is longer than that of a thumbnail."""
    height, width = picture.shape
    values = np.ascontiguousarray(picture, dtype=np.float64)
    scale = _SIDE / max(height, width)
    if scale >= 1:
        return values
    size = (max(1, round(height * scale)), max(1, round(width * scale)))
    thumbnail: NDArray[np.float64] = resize_area(values[None], size)[0]
    return thumbnail


def _curves(data: Array) -> tuple[tuple[float, ...], ...]:
    samples = np.linspace(0, len(data) - 1, min(_CURVES, len(data))).astype(int)
    points = np.linspace(0, data.shape[1] - 1, min(_POINTS, data.shape[1])).astype(int)
    curves = np.nan_to_num(data[np.ix_(samples, points)].astype(np.float64))
    return tuple(tuple(curve.tolist()) for curve in curves)


def _rows(draft: Draft, subject: str) -> tuple[tuple[str, ...], ...]:
    """Return the first rows and columns as text; among the columns that of the question."""
    places = [*range(min(_COLUMNS, draft.data.shape[1]))]
    names = draft.feature_names
    if names is not None and subject in names[_COLUMNS:]:
        places[-1] = names.index(subject)
    rows = [
        tuple(f"{cell:.4g}".replace("-", "−") for cell in row) for row in draft.data[:_ROWS, places]
    ]
    if names is not None:
        rows.insert(0, tuple(names[place] for place in places))
    return tuple(rows)
