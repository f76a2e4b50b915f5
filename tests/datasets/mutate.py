"""Whole files of every format that is read, and seeded ways to damage them."""

import io
import random
import zipfile
from collections.abc import Callable

import numpy as np

from tests.datasets import files

_RNG = np.random.default_rng(0)
_GREY = _RNG.integers(0, 256, (8, 12, 10)).astype(np.uint8)
_COLOURS = _RNG.integers(0, 256, (8, 12, 10, 3)).astype(np.uint8)
_UNIT = _RNG.random((8, 36))
_CLASSES = np.arange(8) % 2

PICTURES: dict[str, bytes] = {
    "grey.png": files.picture(_GREY[0]),
    "colour.png": files.picture(_COLOURS[0]),
    "deep.png": files.picture(_GREY[0].astype(np.uint16) * 200),
    "grey.jpg": files.picture(_GREY[0], "JPEG"),
    "colour.jpg": files.picture(_COLOURS[0], "JPEG", progressive=True),
    "grey.pgm": files.picture(_GREY[0], "PPM"),
    "plain.pgm": b"P2\n# plain\n3 2\n9\n0 1 2\n3 4 9\n",
    "grey.bmp": files.picture(_GREY[0], "BMP"),
    "raw.tif": files.picture(_GREY[0], "TIFF"),
    "lzw.tif": files.picture(_COLOURS[0], "TIFF", compression="tiff_lzw"),
    "deflate.tif": files.picture(_GREY[0], "TIFF", compression="tiff_adobe_deflate"),
    "jpeg.tif": files.picture(_COLOURS[0], "TIFF", compression="jpeg"),
    "float.tif": files.picture(_GREY[0].astype(np.float32), "TIFF"),
    "grey.gif": files.picture(_GREY[0], "GIF"),
    "film.gif": files.film(_GREY, "GIF"),
    "grey.webp": files.picture(_GREY[0], "WEBP", lossless=True),
    "colour.avif": files.picture(_COLOURS[0], "AVIF"),
    "grey.jp2": files.picture(_GREY[0], "JPEG2000"),
    "planar.tif": files.tiff(_COLOURS[0].transpose(2, 0, 1).astype(np.uint16), 2, planar=True),
    "white.tif": files.tiff(_GREY[0].astype(np.uint16), 0),
    "packed.tif": files.tiff(_COLOURS[0].astype(np.uint16), 2, compression=8),
    "double.tif": files.tiff(_UNIT),
    "big.tif": files.tiff(_GREY[0], big=True),
    "pages.tif": files.film(_GREY, "TIFF"),
}


def _zip(kind: str, suffix: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    return files.zipped(
        {f"s{i % 2}/{i}.{suffix}": files.picture(one, kind) for i, one in enumerate(_GREY)},
        method,
    )


SETS: dict[str, bytes] = {
    "packed.mat": files.mat(fea=_UNIT, gnd=_CLASSES),
    "raw.mat": files.mat(False, X=_UNIT, Y=np.array(["a", "b"])[_CLASSES]),
    "halves.mat": files.mat(
        Train_DAT=_UNIT.T, Test_DAT=_UNIT.T, trainlabels=_CLASSES, testlabels=_CLASSES
    ),
    "new.mat": files.mat73(fea=_UNIT, gnd=_CLASSES.astype(float)),
    "arrays.npz": files.npz(X=_GREY, y=_CLASSES),
    "array.npy": files.npy(_COLOURS),
    "table.csv": files.csv(np.column_stack([_UNIT.round(3), _CLASSES]).tolist()),
    "words.csv": files.csv(
        [[*row, f"class {number % 2}"] for number, row in enumerate(_UNIT[:, :5].round(3))],
        ["a", "b", "c", "d", "e", "kind"],
        ";",
    ),
    "png.zip": _zip("PNG", "png"),
    "jpeg.zip": _zip("JPEG", "jpg", zipfile.ZIP_STORED),
    "tiff.zip": _zip("TIFF", "tif", zipfile.ZIP_STORED),
    "odd.zip": files.zipped(
        {f"s{i % 2}/{i}.tif": files.tiff(one * np.uint16(16), 0) for i, one in enumerate(_GREY)}
    ),
    "labelled.zip": files.zipped(
        {"labels.csv": b"file,label\n" + b"".join(b"%d.png,%d\n" % (i, i % 2) for i in range(8))}
        | {f"{i}.png": files.picture(one) for i, one in enumerate(_GREY)}
    ),
    "inside.zip": files.zipped({"a.mat": files.mat(fea=_UNIT, gnd=_CLASSES)}),
}

Mutation = Callable[[random.Random, bytearray], bytes]


def _cut(rng: random.Random, content: bytearray) -> bytes:
    return bytes(content[: rng.randrange(len(content))])


def _flip_bits(rng: random.Random, content: bytearray) -> bytes:
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


def _overwrite(rng: random.Random, content: bytearray) -> bytes:
    at = rng.randrange(len(content))
    size = min(rng.choice([1, 4, 16, 200]), len(content) - at)
    content[at : at + size] = rng.choice([b"\0" * size, b"\xff" * size, rng.randbytes(size)])
    return bytes(content)


def _large_number(rng: random.Random, content: bytearray) -> bytes:
    """Write a number that no honest size has, near the beginning, where sizes are."""
    at = rng.randrange(max(1, min(len(content), 600) - 8))
    number = rng.choice([2**31 - 1, 2**32 - 1, 2**24, 65535, 40_000])
    content[at : at + 4] = number.to_bytes(4, rng.choice(["little", "big"]))
    return bytes(content)


def _insert(rng: random.Random, content: bytearray) -> bytes:
    at = rng.randrange(len(content))
    content[at:at] = rng.randbytes(rng.choice([1, 7, 300]))
    return bytes(content)


def _remove(rng: random.Random, content: bytearray) -> bytes:
    at = rng.randrange(len(content))
    del content[at : at + rng.choice([1, 5, 100])]
    return bytes(content)


def _wrong_magic(rng: random.Random, content: bytearray) -> bytes:
    other = rng.choice(list(PICTURES.values()) + list(SETS.values()))
    size = rng.choice([4, 8, 128])
    content[:size] = other[:size]
    return bytes(content)


def _splice(rng: random.Random, content: bytearray) -> bytes:
    other = rng.choice(list(PICTURES.values()) + list(SETS.values()))
    at = rng.randrange(len(content))
    return bytes(content[:at]) + other[rng.randrange(len(other)) :]


MUTATIONS: tuple[Mutation, ...] = (
    _cut, _flip_bits, _flip_bits, _overwrite, _large_number, _insert, _remove, _wrong_magic,
    _splice,
)  # fmt: skip


def damaged(rng: random.Random, content: bytes) -> bytes:
    """The content with one to three things wrong; empty now and then."""
    if rng.random() < 0.01:
        return b""
    for _ in range(rng.choice([1, 1, 2, 3])):
        if content:
            content = rng.choice(MUTATIONS)(rng, bytearray(content))
    return content


def damaged_inside(rng: random.Random, content: bytes) -> bytes:
    """A whole archive of which some members are damaged."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            member = old.read(info)
            new.writestr(info.filename, damaged(rng, member) if rng.random() < 0.7 else member)
    return stream.getvalue()


def renamed(rng: random.Random, name: str) -> str:
    """The name, or that of another format."""
    if rng.random() < 0.8:
        return name
    return "a" + rng.choice([".mat", ".npz", ".npy", ".csv", ".zip", ".png", ".tif", "", ".txt"])
