"""Small files that become millions of objects or bytes: what each does to who has it read.

    python -m tests.load bombs [--count 300] [--first 0]

Seeded: every kind in turn, in one of its sizes. Each file is read, then read again and cancelled at
some moment of that time. The server, this process, may grow by 100 MB beyond what it keeps; reading
may take 60 s, Cancel 1 s. The exit status is 1 when one does not hold; needs Linux.
"""

import argparse
import io
import random
import struct
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass

import h5py
import numpy as np
import pandas as pd
from PIL import Image

from cspca.datasets import DatasetError, ReadCancelledError, read_file
from cspca.datasets.files.door import keep_spare
from tests.datasets import files
from tests.datasets.memory import Peak

MOST_GROWTH = 100 * 2**20
MOST_SECONDS = 60.0
SECONDS_TO_CANCEL = 1.0


def words_in_columns(rng: random.Random) -> tuple[str, bytes]:
    """A table of words, each cell another one, small when packed."""
    columns, rows = rng.choice([(2000, 200), (24_000, 100), (60, 40_000), (100_000, 24)])
    row = b",".join(b"w" for _ in range(columns))
    head = b"1," + row
    return "a.zip", files.zipped({"a.csv": b"\n".join([head] * rows)})


def different_words(rng: random.Random) -> tuple[str, bytes]:
    columns, rows = rng.choice([(30, 36_000), (30, 60_000), (300, 8000)])
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
        file.create_dataset("X", (side, side), "u1", chunks=(1, rng.choice([side, 10])))
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
    return "a.npz", files.copies([f"m{number}.npy" for number in range(count)], one)


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
    return "a.zip", files.copies([f"{number}.png" for number in range(count)], one)


def other_files(rng: random.Random) -> tuple[str, bytes]:
    """Names alone, one picture among them."""
    some = {f"{'n' * 180}{number}.txt": b"" for number in range(rng.choice([1000, 60_000]))}
    pictures = {f"{i}.png": files.picture(np.eye(6, dtype=np.uint8)) for i in range(2)}
    return "a.zip", files.zipped(some | pictures)


def frames(rng: random.Random) -> tuple[str, bytes]:
    """A film of many frames, of which the first is the picture."""
    stream = io.BytesIO()
    film = [Image.new("L", (40, 40), number % 256) for number in range(rng.choice([100, 3000]))]
    film[0].save(stream, "GIF", save_all=True, append_images=film[1:])
    return "a.zip", files.zipped({"1.gif": stream.getvalue(), "2.gif": stream.getvalue()})


def pages(rng: random.Random) -> tuple[str, bytes]:
    """Thousands of small pages of TIFF, alone and several times."""
    count = rng.choice([300, 4000])
    content = files.film(
        [np.full((8, 8), number % 256, np.uint8) for number in range(count)], "TIFF"
    )
    copies = files.copies([f"{number}.tif" for number in range(rng.choice([3, 300]))], content)
    return rng.choice([("a.tif", content), ("a.zip", copies)])


def blown_up_tiff(rng: random.Random) -> tuple[str, bytes]:
    """Values of a kind that Pillow does not read, which unpack a thousandfold."""
    side = rng.choice([3000, 7000])
    dtype = rng.choice([np.int8, np.float64, np.uint32])
    content = files.tiff(np.zeros((side, side), dtype), compression=8)
    return "a.zip", files.copies(
        [f"{number}.tif" for number in range(rng.choice([3, 40]))], content
    )


def names_of_parts(rng: random.Random) -> tuple[str, bytes]:
    """Names of files of very many parts, all of which repeat."""
    n_parts, count = rng.choice([(40, 2000), (90, 20_000)])
    names = [
        "_".join(str((number // (part + 1)) % 7) for part in range(n_parts)) + f"-{number}.png"
        for number in range(count)
    ]
    return "a.zip", files.copies(names, files.picture(np.eye(6, dtype=np.uint8)))


def long_label_table(rng: random.Random) -> tuple[str, bytes]:
    """A table beside pictures, as wide and long as it may be."""
    rows, columns = rng.choice([(500, 190), (30_000, 40)])
    head = ",".join(f"c{column}" for column in range(columns))
    lines = [
        f"{row}.png," + ",".join(str(row % 7) for _ in range(columns - 1)) for row in range(rows)
    ]
    table = "\n".join([head, *lines]).encode()
    pictures = {f"{row}.png": files.picture(np.eye(6, dtype=np.uint8)) for row in range(500)}
    return "a.zip", files.zipped({"labels.csv": table} | pictures)


def plain_pnm(rng: random.Random) -> tuple[str, bytes]:
    """Pixels written as text, which are decoded slowly."""
    side = rng.choice([500, 1900, 6000])
    one = b"P2 %d %d 255\n" % (side, side) + b"7 " * (side * side)
    return "a.zip", files.zipped({f"{number}.pgm": one for number in range(3)})


def wide(rng: random.Random) -> tuple[str, bytes]:
    columns = rng.choice([20_000, 190_000])
    return "a.csv", b"\n".join([b",".join([b"7"] * columns)] * (2_000_000 // columns))


def blank_pictures(rng: random.Random) -> tuple[str, bytes]:
    """A few bytes a picture, tens of millions of pixels each."""
    count, side = rng.choice([(2, 5000), (40, 7000), (300, 2000)])
    kind, suffix = rng.choice([("PNG", "png"), ("JPEG", "jpg"), ("TIFF", "tif"), ("GIF", "gif")])
    packed = {"compression": "tiff_adobe_deflate"} if kind == "TIFF" else {}
    one = files.picture(np.zeros((side, side), np.uint8), kind, **packed)
    return "a.zip", files.copies([f"{number}.{suffix}" for number in range(count)], one)


def lying_pictures(rng: random.Random) -> tuple[str, bytes]:
    """Headers that declare more than there is."""
    one = files.png_declaring(rng.choice([6000, 40_000]), rng.choice([6000, 2**31 - 1]))
    return "a.zip", files.copies(
        [f"{number}.png" for number in range(rng.choice([100, 2000]))], one
    )


def headers(rng: random.Random) -> tuple[str, bytes]:
    """Descriptions of arrays that are long themselves."""
    n_fields, depth = rng.choice([(500, 1), (3000, 1), (1, 90)])
    one: object = "<f8"
    for _ in range(depth):
        one = [(f"f{number}", one) for number in range(n_fields)]
    array = files.npy_header("(4, 36)", repr(one))
    names = [f"a{number}.npy" for number in range(rng.choice([900, 90]))]
    return rng.choice([("a.npy", array), ("a.npz", files.copies(names, array))])


def structs(rng: random.Random) -> tuple[str, bytes]:
    """A .mat of structures with many fields."""
    count, n_fields = rng.choice([(1000, 30), (20, 4000)])
    value = np.zeros(count, dtype=[(f"f{number}", object) for number in range(n_fields)])
    return "a.mat", files.mat(s=value, X=np.eye(36))


def many_cells(rng: random.Random) -> tuple[str, bytes]:
    """A .mat of version 7.3 whose cells are arrays of their own, with attributes each."""
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        refs = file.create_group("#refs#")
        for number in range(rng.choice([2000, 20_000])):
            one = refs.create_dataset(str(number), data=number)
            one.attrs["MATLAB_class"] = np.bytes_("double")
        file.create_dataset("X", data=np.eye(36)).attrs["MATLAB_class"] = np.bytes_("cell")
    return "a.mat", stream.getvalue()


def zipped_zeros(rng: random.Random) -> tuple[str, bytes]:
    """Bytes that unpack a thousandfold, of every kind that is read from a zip."""
    n = rng.choice([30_000_000, 99_000_000, 400_000_000])
    suffix = rng.choice(["npy", "mat", "csv", "bmp"])
    head = files.npy_header(f"({n // 8},)") if suffix == "npy" else b""
    return "a.npz" if suffix == "npy" else "a.zip", files.zipped({f"X.{suffix}": head + bytes(n)})


Make = Callable[[random.Random], tuple[str, bytes]]
KINDS: tuple[Make, ...] = (
    words_in_columns, different_words, many_variables, letters, hollow, cells, groups, members,
    long_words, classes, column_names, tiny_pictures, other_files, frames, plain_pnm, wide,
    blank_pictures, lying_pictures, headers, structs, many_cells, zipped_zeros, pages,
    blown_up_tiff, names_of_parts, long_label_table,
)  # fmt: skip


class First(random.Random):
    """Takes the first of what there is to choose from."""

    def choice(self, of):
        return of[0]


@dataclass(frozen=True)
class Withstood:
    """What one file did: bytes of growth, seconds to an answer, seconds from Cancel to an end."""

    kind: str
    growth: int
    seconds: float
    late: float
    outcome: str

    @property
    def held(self) -> bool:
        """Whether all stayed in the budget."""
        return (
            self.growth < MOST_GROWTH
            and self.seconds < MOST_SECONDS + SECONDS_TO_CANCEL
            and self.late < SECONDS_TO_CANCEL
        )


def withstood(seed: int, *, cancel: bool = True) -> Withstood:
    """Read one file, then again and cancel; the first of each kind is the quickest of its sizes."""
    make = KINDS[seed % len(KINDS)]
    rng = (random.Random if seed >= len(KINDS) else First)(seed)
    name, content = make(rng)
    peak, started, kept = Peak(), time.monotonic(), 0
    try:
        reading = read_file(content, name)
        kept = 0 if reading.proposed is None else reading.proposed.data.nbytes
        outcome = f"read: {reading.summary}, {len(reading.open_questions)} questions open"
    except DatasetError as error:
        outcome = f"refused: {error}"
    seconds, growth = time.monotonic() - started, peak.of_this_process() - kept
    late = 0.0
    until = time.monotonic() + rng.random() * seconds
    try:
        if cancel:
            read_file(content, name, cancelled=lambda: time.monotonic() > until)
    except ReadCancelledError:
        late = time.monotonic() - until
    except DatasetError:
        pass  # it was refused before
    return Withstood(make.__name__, growth, seconds, late, outcome)


def main(given: list[str]) -> int:
    """Say what came of many files, kind by kind."""
    parser = argparse.ArgumentParser("python -m tests.load bombs", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args(given)
    keep_spare()
    found = []
    for seed in range(asked.first, asked.first + asked.count):
        found.append(withstood(seed))
        print(seed, found[-1], flush=True)
    keep_spare(False)
    table = pd.DataFrame([asdict(one) | {"files": one.held} for one in found])
    table["growth"] /= 2**20
    worst = {"files": "size", "growth": "max", "seconds": "max", "late": "max"}
    print(table.groupby("kind", sort=False).agg(worst), table[[*worst][1:]].max(), sep="\n")
    return int(not all(one.held for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
