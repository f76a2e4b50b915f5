"""QR codes: what a camera reads is the link."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from cspca.ui.qr import qr_source, qr_svg

MARGIN = 4

MASKS = (
    lambda row, column: (row + column) % 2,
    lambda row, column: row % 2,
    lambda row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)
"""ISO/IEC 18004: a module is inverted where its mask is zero."""


def modules(svg: str) -> np.ndarray:
    """The dark modules of a drawing, whose lines run along the rows, without its margin."""
    root = ElementTree.fromstring(svg)
    size = int(root.get("viewBox").split()[2])
    light, dark = root.findall("{*}path")
    assert light.get("fill") == "#fff"
    assert light.get("d") == f"M0 0h{size}v{size}h-{size}z"
    assert dark.get("stroke") == "#000"
    found, column, row = np.zeros((size, size), dtype=bool), 0.0, -0.5
    for command, text in re.findall(r"([Mmh])([^Mmh]*)", dark.get("d")):
        numbers = [float(number) for number in text.split()]
        if command == "h":
            found[int(row), int(column) : int(column + numbers[0])] = True
            column += numbers[0]
        else:
            start = (column, row) if command == "m" else (0.0, 0.0)
            column, row = start[0] + numbers[0], start[1] + numbers[1]
    assert not found[:MARGIN].any()
    assert not found[:, :MARGIN].any()
    return found[MARGIN:-MARGIN, MARGIN:-MARGIN]


def decoded(code: np.ndarray) -> str:
    """The text of a code of version 1 in bytes, read as the standard says."""
    assert code.shape == (21, 21)
    # The format's first five bits are inverted by 10101; the last three of them say the mask.
    mask = MASKS[int("".join(str(int(bit)) for bit in code[8, 2:5]), 2) ^ 0b101]
    bits = []
    columns = [20, 18, 16, 14, 12, 10, 8, 5, 3, 1]
    for number, right in enumerate(columns):
        rows = range(21) if number % 2 else range(20, -1, -1)
        for row in rows:
            for column in (right, right - 1):
                corner = (row < 9 and (column < 9 or column > 12)) or (row > 12 and column < 9)
                if not (corner or row == 6 or column == 6):
                    bits.append(int(code[row, column]) ^ (mask(row, column) == 0))
    text = "".join(map(str, bits))
    assert text[:4] == "0100", "bytes"
    length = int(text[4:12], 2)
    return bytes(int(text[12 + 8 * i : 20 + 8 * i], 2) for i in range(length)).decode()


@pytest.mark.parametrize("link", ["http://a/?class=A", "https://b.c/d"])
def test_the_code_that_is_drawn_is_that_of_the_link(link):
    assert decoded(modules(qr_svg(link))) == link


def test_a_link_that_no_code_holds_has_none():
    long = "https://studio.example/?" + "a" * 3000
    assert qr_svg(long) == qr_source(long) == ""


def test_the_image_is_the_drawing():
    source = qr_source("https://b.c/d")
    assert source.startswith("data:image/svg+xml,")
    assert not set('"<>#') & set(source), "no part of an address or of an attribute"
