"""Messages between the two processes: a line of JSON with the length of the bytes after it."""

from __future__ import annotations

import json
from typing import IO, Any

_LONGEST_HEADER = 64 * 2**20
_STEP = 2**20

Header = dict[str, Any]


class EndedError(EOFError):
    """The other side has gone."""


def send(stream: IO[bytes], header: Header, payload: bytes | memoryview = b"") -> None:
    """Write one message.

    Parameters
    ----------
    stream : binary stream
    header : dict
        Anything that JSON can hold.
    payload : bytes
    """
    payload = memoryview(payload).cast("B") if payload else memoryview(b"")
    text = json.dumps({**header, "bytes": len(payload)}).encode()
    stream.write(len(text).to_bytes(4, "little") + text)
    # In pieces: a buffered stream would copy a large payload as a whole.
    for start in range(0, len(payload), _STEP):
        stream.write(payload[start : start + _STEP])
    stream.flush()


def receive(stream: IO[bytes], most: int) -> tuple[Header, bytearray]:
    """Read one message of at most ``most`` bytes.

    Parameters
    ----------
    stream : binary stream
    most : int

    Raises
    ------
    EndedError
        If the stream ends, or what comes is no message.
    """
    size = int.from_bytes(_exactly(stream, 4), "little")
    if size > _LONGEST_HEADER:
        raise EndedError
    header = json.loads(_exactly(stream, size))
    length = int(header.pop("bytes"))
    if not 0 <= length <= most:
        raise EndedError
    return header, _exactly(stream, length)


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    content = bytearray(size)
    view, at = memoryview(content), 0
    while at < size:
        # readinto: no second copy of a large payload.
        count = stream.readinto(view[at : at + _STEP])  # type: ignore[attr-defined]
        if not count:
            raise EndedError
        at += count
    return content
