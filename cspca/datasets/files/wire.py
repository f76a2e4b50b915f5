"""What goes between the two processes: a line of JSON, and the bytes of the arrays it announces.

Never a pickle: what comes back comes from a process in which a foreign file was at work.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.choices import Candidate, Options, ReadChoices, Recognised
from cspca.datasets.motion.poses import Skeleton
from cspca.datasets.record import Dataset

LONGEST_HEADER = 16 * 2**20
"""Most bytes of JSON: what is said about a file may not be large itself."""

Header = dict[str, Any]
Array = NDArray[Any]

_STEP = 2**20
_PLAIN = (
    "image_shape", "target_names", "name", "source", "licence", "recognised", "feature_names",
)  # fmt: skip
_SAID = ("file", "format", "said", "left_out", "unsure")
_OFFERED = ("data", "labels", "columns")
_NUMBERS = ("float32", "float64", "int64")
_MOST_SAID = 1000
_MOST_OFFERED = 10_000


def fits(header: Header) -> bool:
    """Whether what is to be said is short enough to be received."""
    return len(_text(header)) <= LONGEST_HEADER


def _text(header: Header) -> bytes:
    return json.dumps(header, ensure_ascii=False).encode("utf-8", "replace")


def send(stream: IO[bytes], header: Header, parts: Iterable[bytes | memoryview] = ()) -> None:
    """Write one message."""
    text = _text(header)
    stream.write(len(text).to_bytes(4, "little") + text)
    for part in parts:
        view = memoryview(part).cast("B") if len(part) else memoryview(b"")
        # In pieces: a buffered stream would copy a large one as a whole.
        for start in range(0, len(view), _STEP):
            stream.write(view[start : start + _STEP])
    stream.flush()


def receive(stream: IO[bytes]) -> Header:
    """Read what a message says; the bytes that come with it are for `receive_arrays`."""
    size = int.from_bytes(_read(stream, bytearray(4)), "little")
    if size > LONGEST_HEADER:
        raise EOFError
    header: Header = json.loads(bytes(_read(stream, bytearray(size))))
    return header


def receive_arrays(stream: IO[bytes], header: Header) -> list[Array]:
    """Read the arrays that a header announces, if they may be that large."""
    arrays: list[Array] = []
    for dtype, shape in header.get("arrays", ())[:2]:
        if dtype not in _NUMBERS or math.prod(shape) > limits.MAX_ELEMENTS or min(shape) < 0:
            raise EOFError
        arrays.append(np.empty(shape, dtype=dtype))
        if arrays[-1].size:
            _read(stream, arrays[-1].data.cast("B"))
    return arrays


def _read(stream: IO[bytes], room: bytearray | memoryview) -> bytearray | memoryview:
    """Fill a buffer: no second copy of anything large."""
    view, at = memoryview(room), 0
    while at < len(view):
        count = stream.readinto(view[at : at + _STEP])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        at += count
    return room


def packed(read: Recognised) -> tuple[Header, list[Array]]:
    """Header and arrays that say the same."""
    data, options = read.dataset, asdict(read.options)
    for name in _OFFERED:
        options[name] = options[name][:_MOST_OFFERED]
    said = {name: getattr(read, name) for name in _SAID}
    left_out = said["left_out"]
    if len(left_out) > _MOST_SAID:
        more = f"and {len(left_out) - _MOST_SAID:,} more"
        said["left_out"] = (*left_out[:_MOST_SAID], more)
    arrays: list[Array] = [one for one in (data.data, data.target) if one is not None]
    skeleton = None
    if data.skeleton is not None:
        skeleton = asdict(data.skeleton) | {"pose": data.skeleton.pose.tolist()}
    header = {
        **said,
        "used": asdict(read.used),
        "options": options,
        "dataset": {name: getattr(data, name) for name in _PLAIN},
        "skeleton": skeleton,
        "arrays": [[one.dtype.name, list(one.shape)] for one in arrays],
    }
    return header, arrays


def unpacked(header: Header, arrays: list[Array]) -> Recognised:
    """What was packed."""
    for array in arrays:
        array.flags.writeable = False
    said = _tuples(header)
    skeleton = said["skeleton"]
    dataset = Dataset(
        data=arrays[0],
        target=arrays[1] if len(arrays) > 1 else None,
        skeleton=None if skeleton is None else Skeleton(**skeleton),
        **said["dataset"],
    )
    return Recognised(
        dataset=dataset,
        used=ReadChoices(**said["used"]),
        options=options_from(header["options"]),
        **{name: said[name] for name in _SAID},
    )


def choices_from(said: Header) -> ReadChoices:
    """Choices from the JSON of their fields."""
    return ReadChoices(**_tuples(said))


def options_from(said: Header) -> Options:
    """Options from the JSON of their fields."""
    values = {one.name: _tuples(said[one.name]) for one in fields(Options) if one.name in said}
    offered = {name: tuple(Candidate(**one) for one in values[name]) for name in _OFFERED}
    return Options(**values | offered)


def _tuples(value: Any) -> Any:
    """The same with tuples for the lists that JSON makes of them."""
    if isinstance(value, list):
        return tuple(_tuples(one) for one in value)
    if isinstance(value, dict):
        return {name: _tuples(one) for name, one in value.items()}
    return value
