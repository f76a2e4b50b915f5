"""What goes between the two processes: a line of JSON, and the bytes of the arrays it announces.

Never a pickle: what comes back comes from a process in which a foreign file was at work.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.choices import (
    Candidate,
    ChoiceNeededError,
    Options,
    ReadChoices,
    Recognised,
)
from cspca.datasets.record import Dataset, DatasetError, Skeleton

Header = dict[str, Any]
Answer = tuple[Header, list[NDArray[Any]]]

_LONGEST = 16 * 2**20  # what is said about a file may not be large itself
_NUMBERS = ("float32", "float64", "int64")


def send(stream: IO[bytes], header: Header, parts: Sequence[Any] = ()) -> None:
    """Write one message: a header, and bytes or arrays."""
    line = json.dumps(header, ensure_ascii=False).encode("utf-8", "replace")
    if len(line) >= _LONGEST:
        raise DatasetError(
            f"{header['file']} has too many long names: shorten those of its columns and classes."
        )
    stream.write(line + b"\n")
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes]) -> Answer:
    """Read one message, with the arrays that its header announces if they may be that large."""
    line = stream.readline(_LONGEST)
    if not line.endswith(b"\n"):
        raise EOFError
    header, arrays = json.loads(line), []
    for dtype, shape in header.get("arrays", ())[:2]:
        if dtype not in _NUMBERS or math.prod(shape) > limits.MAX_VALUES or min(shape) < 0:
            raise EOFError
        array = np.empty(shape, dtype=dtype)
        # Into its place: no second copy of anything large.
        count = stream.readinto(array.reshape(-1).view("u1"))  # type: ignore[attr-defined]
        if count < array.nbytes:
            raise EOFError
        array.flags.writeable = False
        arrays.append(array)
    return header, arrays


def unpacked(header: Header, arrays: list[NDArray[Any]]) -> Recognised:
    """What an answer says: a set that was read, or why it was refused."""
    said = as_sent(header)
    options = Options(**said["options"])
    if "refused" in header:
        if options != Options():
            raise ChoiceNeededError(said["refused"], options)
        raise DatasetError(str(said["refused"]))
    skeleton = said["skeleton"]
    return Recognised(
        dataset=Dataset(
            data=arrays[0],
            target=arrays[1] if len(arrays) > 1 else None,
            skeleton=Skeleton(**skeleton) if skeleton else None,
            **said["dataset"],
        ),
        used=ReadChoices(**said["used"]),
        options=options,
        **{name: said[name] for name in ("file", "format", "said", "left_out", "unsure")},
    )


def as_sent(value: Any) -> Any:
    """The same as before it was JSON: tuples for its lists, and candidates."""
    if isinstance(value, list | tuple):
        return tuple(as_sent(one) for one in value)
    if not isinstance(value, dict):
        return value
    if value.keys() == {"name", "words"}:
        return Candidate(**value)
    return {name: as_sent(one) for name, one in value.items()}
