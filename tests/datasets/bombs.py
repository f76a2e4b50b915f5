"""Small files that become millions of objects, by seed: each is read or refused in budget."""

import io
import random
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from cspca.datasets import DatasetError, ReadCancelledError, read_file
from tests.datasets import files

MOST_GROWTH = 100 * 2**20
MOST_SECONDS = 60.0
SECONDS_TO_CANCEL = 1.0


def words_in_columns(rng: random.Random) -> tuple[str, bytes]:
    """A table of words, each cell another one, small when packed."""
    columns, rows = rng.choice([(2000, 600), (24_000, 100), (60, 40_000), (100_000, 24)])
    row = b",".join(b"w" for _ in range(columns))
    head = b"1," + row
    return "a.zip", files.zipped({"a.csv": b"\n".join([head] * rows)})


def different_words(rng: random.Random) -> tuple[str, bytes]:
    columns, rows = rng.choice([(30, 60_000), (300, 8000)])
    lines = (
        f"{row}," + ",".join(f"{row:x}{column:x}" + "z" for column in range(columns))
        for row in range(rows)
    )
    return "a.csv", "\n".join(lines).encode()


def many_variables(rng: random.Random) -> tuple[str, bytes]:
    """A .mat of very many variables of one number."""
    count = rng.choice([900, 20_000, 300_000])
    body = io.BytesIO()
    for number in range(count):
        inner = files.mat_element(6, struct.pack("<II", 6, 0))
        inner += files.mat_element(5, struct.pack("<ii", 1, 1))
        inner += files.mat_element(1, b"v%06d" % number) + files.mat_element(9, bytes(8))
        body.write(files.mat_element(14, inner))
    content = files.mat_header() + body.getvalue()
    return ("a.mat", content) if count < 50_000 else ("a.zip", files.zipped({"a.mat": content}))


def letters(rng: random.Random) -> tuple[str, bytes]:
    """Labels of millions of letters, which SciPy makes four bytes each."""
    rows, columns = rng.choice([(4, 1_000_000), (4, 60_000_000), (2_000_000, 2)])
    inner = files.mat_element(6, struct.pack("<II", 4, 0))
    inner += files.mat_element(5, struct.pack("<ii", rows, columns))
    inner += files.mat_element(1, b"gnd")
    inner += files.mat_element(16, bytes([97]) * (rows * columns))
    packed = zlib.compress(files.mat_element(14, inner))
    whole = files.mat(X=np.random.default_rng(0).random((4, 36)))
    return "a.mat", whole + struct.pack("<II", 15, len(packed)) + packed


def hollow(rng: random.Random) -> tuple[str, bytes]:
    """A .mat of version 7.3 that declares a large array and brings nothing of it."""
    stream = io.BytesIO()
    side = rng.choice([2000, 9000])
    with h5py.File(stream, "w") as file:
        file.create_dataset("X", (side, side), "u1", chunks=(1, rng.choice([10, side])))
    return "a.mat", stream.getvalue()


def cells(rng: random.Random) -> tuple[str, bytes]:
    """A .mat of cells in cells."""
    count = rng.choice([1000, 200_000])
    value = np.empty(count, dtype=object)
    value[:] = 1.0
    nested = value
    for _ in range(rng.choice([1, 50])):
        outer = np.empty(2, dtype=object)
        outer[0], outer[1] = nested, 1.0
        nested = outer
    return "a.mat", files.mat(X=nested)


def groups(rng: random.Random) -> tuple[str, bytes]:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for number in range(rng.choice([500, 20_000])):
            file.create_group(f"g{number}")
    return "a.mat", stream.getvalue()


def members(rng: random.Random) -> tuple[str, bytes]:
    count = rng.choice([900, 60_000])
    one = files.npy(np.zeros((2, 3)))
    return "a.npz", files.zipped({f"m{number}.npy": one for number in range(count)})


def long_words(rng: random.Random) -> tuple[str, bytes]:
    """Labels with a few letters in room for thousands."""
    n, width = rng.choice([(1000, 30_000), (20_000, 1000)])
    y = np.array(["a", "b"] * (n // 2), dtype=f"<U{width}")
    return "a.npz", files.npz(X=np.zeros((n, 36)) + np.arange(n)[:, None], y=y)


def classes(rng: random.Random) -> tuple[str, bytes]:
    n = rng.choice([90_000, 2_000_000])
    return "a.npz", files.npz(X=np.arange(n * 2.0).reshape(n, 2), y=np.arange(n) / 7)


def column_names(rng: random.Random) -> tuple[str, bytes]:
    """Names of columns, as long as they may be and not of the plainest letters."""
    columns = rng.choice([5000, 150_000])
    letter = rng.choice(["x", "\U0001f600"])
    names = [letter * 70 + str(number) for number in range(columns)]
    rows = [[row + column % 7 for column in range(columns)] for row in range(3)]
    return "a.csv", files.csv(rows, names)


def tiny_pictures(rng: random.Random) -> tuple[str, bytes]:
    count = rng.choice([5000, 30_000, 99_000])
    one = files.picture(np.eye(6, dtype=np.uint8))
    return "a.zip", files.zipped({f"{number}.png": one for number in range(count)}, 0)


def other_files(rng: random.Random) -> tuple[str, bytes]:
    """Names alone, one picture among them."""
    some = {f"{'n' * 180}{number}.txt": b"" for number in range(rng.choice([1000, 60_000]))}
    pictures = {f"{i}.png": files.picture(np.eye(6, dtype=np.uint8)) for i in range(2)}
    return "a.zip", files.zipped(some | pictures)


def frames(rng: random.Random) -> tuple[str, bytes]:
    """A film of many frames, of which the first is the picture."""
    stream = io.BytesIO()
    from PIL import Image

    film = [Image.new("L", (40, 40), number % 256) for number in range(rng.choice([100, 3000]))]
    film[0].save(stream, "GIF", save_all=True, append_images=film[1:])
    return "a.zip", files.zipped({"1.gif": stream.getvalue(), "2.gif": stream.getvalue()})


def plain_pnm(rng: random.Random) -> tuple[str, bytes]:
    """Pixels written as text, which are decoded slowly."""
    side = rng.choice([500, 1900, 6000])
    one = b"P2 %d %d 255\n" % (side, side) + b"7 " * (side * side)
    return "a.zip", files.zipped({f"{number}.pgm": one for number in range(3)})


def wide(rng: random.Random) -> tuple[str, bytes]:
    columns = rng.choice([20_000, 190_000])
    return "a.csv", b"\n".join([b",".join([b"7"] * columns)] * (2_000_000 // columns))


KINDS: tuple[Callable[[random.Random], tuple[str, bytes]], ...] = (
    words_in_columns, different_words, many_variables, letters, hollow, cells, groups, members,
    long_words, classes, column_names, tiny_pictures, other_files, frames, plain_pnm, wide,
)  # fmt: skip


def bomb(seed: int) -> tuple[str, bytes]:
    """A file: every kind in turn, its size by the seed."""
    return KINDS[seed % len(KINDS)](random.Random(seed))


def withstood(seed: int) -> str:
    """Read one, and say what came of it; memory and time are kept, or it is an error."""
    name, content = bomb(seed)
    base = _peak(forget=True)
    started = time.monotonic()
    kept = 0
    try:
        data = read_file(content, name).dataset
        kept, outcome = data.data.nbytes, f"read: {data.summary}"
    except DatasetError as error:
        outcome = f"refused: {error}"
    seconds, grown = time.monotonic() - started, _peak() - base - kept
    assert seconds < MOST_SECONDS + SECONDS_TO_CANCEL, f"{seed}, {name}: {seconds:.1f} s"
    assert grown < MOST_GROWTH, f"{seed}, {name}: {grown / 2**20:.0f} MB, {outcome[:100]}"
    return f"{seconds:.1f} s, {grown / 2**20:.0f} MB, {outcome[:150]}"


def cancelled_in_time(seed: int) -> float:
    """Cancel after a moment; return the seconds until that was obeyed, or until it was read."""
    name, content = bomb(seed)
    until = time.monotonic() + random.Random(seed).random()
    try:
        read_file(content, name, cancelled=lambda: time.monotonic() > until)
    except ReadCancelledError:
        pass
    except DatasetError:
        until = max(until, time.monotonic())
    late = time.monotonic() - until
    assert late < SECONDS_TO_CANCEL, f"{seed}, {name}: {late:.1f} s"
    return late


def _peak(*, forget: bool = False) -> int:
    """The most memory that this process had in use, since that was last forgotten."""
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
