"""What goes between the two processes: a line of JSON, and the bytes that it announces."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

LONGEST_HEADER = 16 * 2**20
"""Most bytes of JSON: what is said about a file may not be large itself."""

_STEP = 2**20

Header = dict[str, Any]


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
    """Read what a message says; the bytes that come with it are for `read_into`."""
    length = bytearray(4)
    read_into(stream, memoryview(length))
    size = int.from_bytes(length, "little")
    if size > LONGEST_HEADER:
        raise EOFError
    text = bytearray(size)
    read_into(stream, memoryview(text))
    header: Header = json.loads(text)
    return header


def read_into(stream: IO[bytes], view: memoryview) -> None:
    """Fill a buffer: no second copy of anything large."""
    at = 0
    while at < len(view):
        count = stream.readinto(view[at : at + _STEP])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        at += count
