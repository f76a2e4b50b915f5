"""Hundreds of damaged files of every format: each is read, or refused in one sentence.

Seeded: the same files on every run. No traceback, no file written, bounded memory; time is bounded
by the door itself.
"""

import os
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, read_file, read_files
from tests.datasets import files
from tests.datasets.memory import Peak
from tests.datasets.mutate import PICTURES, SETS, damaged, damaged_inside, renamed
from tests.load.bombs import MOST_GROWTH
from tests.soak import counted

MEMORY = 2**30


def is_sound(data: Dataset) -> None:
    assert data.n_samples >= 2
    assert 0 <= data.data.min() <= data.data.max() <= 1
    if data.target is not None:
        assert len(data.target) == data.n_samples
    assert data.recognised.endswith(".")


def is_sentence(error: DatasetError) -> None:
    message = str(error)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 600
    assert "Traceback" not in message


@pytest.fixture
def nothing_else_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run where a file written would be seen, and measure."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    peak = Peak()
    yield
    assert list(tmp_path.iterdir()) == []
    assert peak.bytes_above_base() < MEMORY


def survives(content: bytes, name: str) -> str:
    """What comes of a file, with the favoured answer to every question that it leaves open."""
    try:
        reading = read_file(content, name)
    except DatasetError as error:
        is_sentence(error)
        return "refused"
    if reading.proposed is None:
        is_sentence(DatasetError(reading.refusal))
        return "refused"
    is_sound(reading.proposed)
    return "read"


def damaged_set(seed: int) -> str:
    """What comes of a damaged set: every format in turn."""
    rng = random.Random(seed)
    name = [*SETS][seed % len(SETS)]
    inside = name.endswith(".zip") and rng.random() < 0.6
    content = (damaged_inside if inside else damaged)(rng, SETS[name])
    return survives(content, renamed(rng, name))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("nothing_else_happens")
def test_damaged_sets_are_read_or_refused() -> None:
    outcomes = [damaged_set(seed) for seed in range(24, 24 + counted(7, 480))]
    # Both happen, so both are tested.
    assert {*outcomes} == {"read", "refused"}


@pytest.mark.parametrize("seed", counted([793, 10_915], [793, 10_915, 13_159, 14_164, 20_311]))
def test_files_that_crash_scipy_end_only_the_process_that_parses(seed: int) -> None:
    """With signals 7 and 11, when they were found."""
    content = damaged(random.Random(seed), SETS["raw.mat"])
    with pytest.raises(DatasetError, match=r"a.mat is (damaged|cut short)"):
        read_file(content, "a.mat")


def damaged_pictures(seed: int) -> tuple[int, int]:
    """How many of 130 damaged pictures are read, and how many left out."""
    rng = random.Random(seed)
    loose = [
        (f"{number}/{name}", damaged(rng, content))
        for number in range(5)
        for name, content in PICTURES.items()
        if name != "float.tif"  # its damaged pixels are NaN, which refuses the whole set
    ]
    reading = read_files(loose)
    assert reading.proposed is not None
    is_sound(reading.proposed)
    return reading.proposed.n_samples, len(reading.left_out)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("nothing_else_happens")
def test_damaged_pictures_are_read_or_left_out() -> None:
    read, left_out = zip(*(damaged_pictures(seed) for seed in range(counted(1, 40))), strict=True)
    assert sum(read) >= 20
    assert sum(left_out) >= 20


# What is made on purpose


def central_directory_of(count: int) -> bytes:
    """A zip archive of a million names and no content."""
    entry = b"PK\x01\x02\x14\x00\x14\x00" + bytes(20) + (6).to_bytes(2, "little") + bytes(16)
    names = b"".join(entry + b"%06x" % (number % 2**24) for number in range(count))
    end = b"PK\x05\x06" + bytes(4) + b"\xff\xff\xff\xff"
    return names + end + len(names).to_bytes(4, "little") + bytes(4) + bytes(2)


def overlapping_bomb() -> bytes:
    """Thousands of entries that all unpack the same bytes."""
    content = bytearray(files.zipped({"0.bmp": b"BM" + bytes(60 * 2**20)}))
    at = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entry = bytes(content[at:end])
    many = b"".join(entry[:-5] + b"%05x" % number for number in range(5000))
    return (
        bytes(content[:at]) + many + b"PK\x05\x06" + bytes(4) + (5000).to_bytes(2, "little") * 2
        + len(many).to_bytes(4, "little") + at.to_bytes(4, "little") + bytes(2)
    )  # fmt: skip


HOSTILE = {
    "a million entries": (
        "a.zip",
        lambda: central_directory_of(10**6),
        "1,000,000 files, over",
    ),
    "a bomb": ("a.zip", lambda: files.zipped({"a.bmp": bytes(2**28 + 1)}), "is too large"),
    "overlapping bombs": ("a.zip", overlapping_bomb, "bytes unpacked, over the limit"),
    "bomb of arrays": ("a.npz", lambda: files.npz(X=np.zeros((96, 2**20), "u1")), "over the limi"),
    "a huge PNG": ("a.png", lambda: files.png_declaring(40_000, 40_000), "declares 40000 × 40000"),
    "a large blank PNG": (
        "a.png",
        lambda: files.picture(np.zeros((7000, 7000), "u1")),
        "only one image",
    ),
    "archives in archives": (
        "a.zip",
        lambda: files.zipped({"b.zip": files.zipped({"c.zip": SETS["png.zip"]})}),
        "holds other archives, b.zip: unpack each",
    ),
    "one row of commas": ("a.csv", lambda: b"," * 50_000_000, "row|cell|columns|table|numbers"),
    "a row without end": ("a.csv", lambda: b"1" * 100_000_000, "is not a table"),
    "rows of one cell": ("a.csv", lambda: b"1\n" * 5_000_000, "is not a table"),
    "an open quote": ("a.csv", lambda: b'"' + b"1,2\n" * 3_000_000, "row|cell|column|table|NaN"),
    "300 MB": ("a.npy", lambda: bytes(300_000_000), "300,000,000 bytes, over the limit"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.usefixtures("nothing_else_happens")
def test_hostile_files_are_refused(case: str) -> None:
    name, make, sentence = HOSTILE[case]
    content = make()
    peak = Peak()
    with pytest.raises(DatasetError, match=sentence) as caught:
        read_file(content, name)
    assert peak.bytes_above_base() < MEMORY
    is_sentence(caught.value)


def test_a_file_too_large_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    with path.open("wb") as file:
        file.truncate(300_000_000)  # a hole: it takes no room
    os.chmod(path, 0)
    with pytest.raises(DatasetError, match="300,000,000 bytes, over the limit"):
        read_file(path)


ROWS = counted(500, 1000)
"""Rows of 30,000 numbers: half of what a file may hold, and more than the server may grow by."""

LARGE = {
    "a.npy": lambda rng: files.npy(rng.random(counted((ROWS, 30_000), (30, 1024, 1024)))),
    "a.mat": lambda rng: files.mat(False, X=rng.random((ROWS, 30_000))),
    "new.mat": lambda rng: files.mat73(False, X=rng.random((ROWS, 30_000))),
    "a.npz": lambda _: files.zipped({"X.npy": files.npy(np.full((9, 11_000_000), 7, "u1"))}, 0),
    "a.csv": lambda _: b"\n".join([b",".join([b"7"] * 1024)] * counted(8000, 13_500)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_honest_files_are_read(name: str) -> None:
    content = LARGE[name](np.random.default_rng(0))
    peak = Peak()
    data = read_file(content, name).proposed
    assert data is not None
    assert data.n_samples > 1
    assert peak.of_this_process() - data.data.nbytes < MOST_GROWTH


@pytest.mark.usefixtures("nothing_else_happens")
def test_many_pictures_are_read_with_progress() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (40, 32, 32)).astype(np.uint8)
    content = files.zipped(
        {f"s{i % 40}/{i}.png": files.picture(pixels[i % 40]) for i in range(2400)},
        zipfile.ZIP_STORED,
    )
    told: list[float] = []
    data = read_file(content, "a.zip", progress=lambda fraction, _: told.append(fraction)).dataset
    assert data.data.shape == (2400, 1024)
    assert data.n_classes == 40
    # How often depends on the machine.
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert any(0.0 < fraction < 1.0 for fraction in told)
