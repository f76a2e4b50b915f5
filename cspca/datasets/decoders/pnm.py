"""PGM, PPM and PBM, plain and raw (Netpbm ``pnm(5)``), read by NumPy.

Pillow unpacks most of these pixel by pixel in Python, which a large file makes a matter of
minutes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.decoders.tasks import RefusedError

_SPACE = rb"(?:[ \t\r\n\v\f]|#[^\r\n]*[\r\n])+"
_HEADER = re.compile(rb"P([1-6])%b(\d{1,9})%b(\d{1,9})" % (_SPACE, _SPACE))
_MAXIMUM = re.compile(rb"%b(\d{1,5})" % _SPACE)
_LONGEST_HEADER = 4096
_COMMENT = re.compile(rb"#[^\r\n]*")


@dataclass(frozen=True)
class _Head:
    kind: int
    height: int
    width: int
    maximum: int
    at: int


def is_pnm(content: bytes) -> bool:
    """Whether the first bytes are those of a Netpbm file."""
    return content[:1] == b"P" and content[1:2] in b"123456" and content[2:3] in b" \t\r\n#"


def read_size(content: bytes) -> tuple[int, int]:
    """Return (height, width).

    Raises
    ------
    RefusedError
        If there is no whole header.
    """
    head = _read_head(content)
    return head.height, head.width


def read_pixels(content: bytes) -> tuple[NDArray[Any], float]:
    """Return pixels (height, width) or (height, width, 3), and the value of white.

    Raises
    ------
    RefusedError
        If pixels are missing or above white.
    """
    head = _read_head(content)
    channels = 3 if head.kind in (3, 6) else 1
    count = head.height * head.width * channels
    if head.kind in (1, 2, 3):
        values = _plain(content[head.at :], head, count)
    elif head.kind == 4:
        row = -(-head.width // 8)
        packed = np.frombuffer(content, np.uint8, offset=head.at)
        _enough(len(packed), row * head.height)
        bits = np.unpackbits(packed[: row * head.height].reshape(head.height, row), axis=1)
        values = 1 - bits[:, : head.width]
    else:
        dtype = np.dtype(np.uint8 if head.maximum < 256 else ">u2")
        left = (len(content) - head.at) // dtype.itemsize
        _enough(left, count)
        values = np.frombuffer(content, dtype, count, head.at).astype(dtype.newbyteorder("="))
    if values.size and int(values.max()) > head.maximum:
        raise RefusedError("has pixels outside its own range")
    shape = (head.height, head.width, 3) if channels == 3 else (head.height, head.width)
    return values.reshape(shape), float(head.maximum)


def _read_head(content: bytes) -> _Head:
    start = content[:_LONGEST_HEADER]
    match = _HEADER.match(start)
    if match is None:
        raise RefusedError("has a damaged header")
    kind, width, height = (int(part) for part in match.groups())
    at, maximum = match.end(), 1
    if kind not in (1, 4):
        found = _MAXIMUM.match(start, at)
        if found is None:
            raise RefusedError("has a damaged header")
        at, maximum = found.end(), int(found.group(1))
    if not 1 <= maximum <= 65535:
        raise RefusedError("has a damaged header")
    # One white-space character, no more: the next byte may be a pixel.
    return _Head(kind, height, width, maximum, at + 1)


def _plain(text: bytes, head: _Head, count: int) -> NDArray[Any]:
    text = _COMMENT.sub(b"", text)
    if head.kind == 1:  # digits may stand without spaces between
        digits = np.frombuffer(text, np.uint8)
        digits = digits[(digits == ord("0")) | (digits == ord("1"))][:count]
        _enough(len(digits), count)
        ones: NDArray[Any] = np.uint8(1) - (digits - np.uint8(ord("0")))
        return ones
    words = text.split(None, count)[:count]
    _enough(len(words), count)
    try:
        values = np.array(words).astype(np.int64)
    except ValueError as error:
        raise RefusedError("has pixels that are no numbers") from error
    if values.size and not 0 <= int(values.min()) <= int(values.max()) <= head.maximum:
        raise RefusedError("has pixels outside its own range")
    return values.astype(np.uint16)


def _enough(there: int, wanted: int) -> None:
    if there < wanted:
        raise RefusedError("is cut short")
