"""The one process that parses: its budget, its end, what it may touch, what it hands back."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import DatasetError, ReadCancelledError, make_faces, read_file, read_files
from cspca.datasets.files import door
from cspca.datasets.files.foreign import FORMATS, Watch
from cspca.datasets.files.reading import unpacked
from tests.datasets import bombs, files
from tests.soak import counted

RNG = np.random.default_rng(0)
EYE = files.npy(np.eye(36))


def many_pictures() -> bytes:
    pixels = RNG.integers(0, 256, (600, 8, 8)).astype(np.uint8)
    return files.zipped({f"s{i % 3}/{i}.png": files.picture(one) for i, one in enumerate(pixels)})


@pytest.mark.parametrize("after", [0, 2, 5])
def test_cancelling_ends_at_once(after: int) -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > after

    with pytest.raises(ReadCancelledError, match=r"Reading a.zip was cancelled"):
        read_file(many_pictures(), "a.zip", cancelled=cancelled)


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_SECONDS", 0.0)
    with pytest.raises(DatasetError, match="takes longer than 0 seconds to read: bring fewer"):
        read_file(many_pictures(), "a.zip")


def test_the_callers_own_errors_stay_his() -> None:
    def broken(fraction: float, words: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        read_file(files.npy(RNG.random((4, 36))), "a.npy", progress=broken)


def test_a_file_over_the_budget_of_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = files.npy(RNG.random((1500, 10_000)))
    assert read_file(content, "a.npy").dataset.n_samples == 1500
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_MEMORY", 400 * 2**20)
    with pytest.raises(DatasetError, match="does not fit in memory: cut it into smaller files"):
        read_file(content, "a.npy")


def test_a_process_that_dies_or_hangs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(door.Child):
        def __init__(self) -> None:
            super().__init__()
            os.kill(self.pid, 19)  # it will never answer

    class Dead(door.Child):
        def __init__(self) -> None:
            super().__init__()
            os.kill(self.pid, 9)

    door.keep_spare(False)
    try:
        monkeypatch.setattr(door, "Child", Dead)
        with pytest.raises(DatasetError, match="is damaged and cannot be read"):
            read_file(EYE, "a.npy")
        monkeypatch.setattr(door, "Child", Stopped)
        monkeypatch.setattr("cspca.datasets.files.foreign.MAX_SECONDS", 0.5)
        with pytest.raises(DatasetError, match=r"takes longer than 0.5 seconds"):
            read_file(EYE, "a.npy")
    finally:
        monkeypatch.undo()
        door.keep_spare()


def kept() -> door.Child | None:
    return door._SPARES.get(os.getpid())


def test_a_spare_is_used_once_and_what_it_started_ends_with_it() -> None:
    seen: list[int] = []

    class Seen(Watch):
        def check(self) -> None:
            seen.append(getattr(kept(), "pid", 0))
            super().check()

    door.keep_spare()
    spare = kept()
    assert spare is not None
    request = {"module": "cspca.datasets.files.arrays", "choices": {}}
    door.parse(request, [EYE], Seen("a.npy"))
    assert spare.poll() is not None
    assert kept() is not spare
    assert kept() is not None
    with pytest.raises(ProcessLookupError):
        os.killpg(spare.pid, 0)


def test_pictures_that_break_their_decoder_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a module in which some pictures end the process, as they do when a decoder crashes."""
    (tmp_path / "breaking.py").write_text(
        "import os\n"
        "from cspca.datasets.files import pictures\n"
        "from cspca.datasets.files.foreign import entries_of_zip\n"
        "def measure(content, old=pictures.measure):\n"
        "    os.abort() if b'BREAK' in content else None\n"
        "    return old(content)\n"
        "pictures.measure = measure\n"
        "def read(content, choices, watch):\n"
        "    entries = entries_of_zip(content, watch.name)\n"
        "    return pictures.read_pictures(entries, 'zip', choices, watch)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    door.keep_spare(False)
    whole = {f"{i}.png": files.picture(RNG.integers(0, 255, (8, 8)).astype("u1")) for i in "1468"}
    request = {"module": "breaking", "choices": {}}
    try:
        some = whole | {f"{i}.png": whole["1.png"] + b"BREAK" for i in "25"}
        read = unpacked(*door.parse(request, [files.zipped(some)], Watch("a.zip")))
        assert read.dataset.n_samples == 4
        assert read.left_out == tuple(f"{i}.png breaks the program that decodes it" for i in (2, 5))
        many = whole | {f"b{i}.png": whole["1.png"] + b"BREAK" for i in range(8)}
        with pytest.raises(DatasetError, match="holds several images that break the program"):
            door.parse(request, [files.zipped(many)], Watch("a.zip"))
    finally:
        door.keep_spare()


def test_a_format_is_one_module_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy_format.py").write_text(
        "import numpy as np\n"
        "from cspca.datasets.files.arrays import Field, find_arrays\n"
        "def read(content, choices, watch):\n"
        "    rows = np.array([[float(word) for word in line.split(b':')]\n"
        "                     for line in content.splitlines()])\n"
        "    field = Field('X', rows.shape, 'float64', lambda: rows)\n"
        "    return find_arrays([field], 'toy file', 'row', choices, watch)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(FORMATS, ".toy", "toy_format")
    door.keep_spare(False)
    try:
        read = read_file(b"0:1:0.5\n1:0:0.25\n", "a.toy")
    finally:
        door.keep_spare()
    assert read.format == "toy file"
    np.testing.assert_array_equal(read.dataset.data, [[0, 1, 0.5], [1, 0, 0.25]])


LOOKED_AT = """
import os, socket, sys
from cspca.datasets.files.door import leave_the_network, limit_resources
leave_the_network()
limit_resources(2**30)
try:
    bytearray(3 * 2**30)
    print("memory")
except MemoryError:
    pass
try:
    with open(sys.argv[1], "wb") as file:
        file.write(b"x" * 100)
    print("file")
except OSError:
    pass
"""


def test_it_cannot_take_all_memory_nor_write_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOKED_AT, str(tmp_path / "out")],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stdout == ""
    assert not (tmp_path / "out").exists() or (tmp_path / "out").stat().st_size == 0


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_it_inherits_nothing_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "1")
    process = door.Child()
    try:
        time.sleep(0.2)
        environment = Path(f"/proc/{process.pid}/environ").read_bytes()
        assert b"SECRET" not in environment
        assert b"HOME=" not in environment
        assert os.getsid(process.pid) == process.pid
    finally:
        process.close()


def test_what_comes_back_is_numbers_and_capped_words() -> None:
    faces = make_faces(3, 4, 16)
    request = {"module": "cspca.datasets.files.arrays", "choices": {}}
    content = files.npz(X=faces.images, y=faces.target)
    header, arrays = door.recognise(request, [content], Watch("a.npz"))
    assert [one.dtype.kind for one in arrays] == ["f", "i"]
    assert set(map(type, header.values())) <= {str, tuple, dict, list, type(None)}
    for wrong in (
        {"arrays": [["object", [4, 4]]]},
        {"arrays": [["float64", [-1, 4]]]},
        {"arrays": [["float64", [10**5, 10**5]]]},
    ):
        with pytest.raises(EOFError):
            door.receive(io.BytesIO(json.dumps(wrong).encode() + b"\n"))


def test_lies_of_a_process_are_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(request: door.Header, parts: Sequence[bytes], watch: Watch) -> door.Answer:
        return {"dataset": {"name": 3}}, [np.eye(3)]

    monkeypatch.setattr(door, "parse", lie)
    with pytest.raises(DatasetError, match="is damaged"):
        read_file(EYE, "a.npy")


def test_loose_pictures_go_through_the_door_too(tmp_path: Path) -> None:
    pictures = RNG.integers(0, 256, (4, 8, 8)).astype(np.uint8)
    loose = [(f"{i}.png", files.picture(one)) for i, one in enumerate(pictures)]
    for name, content in loose:
        (tmp_path / name).write_bytes(content)
    np.testing.assert_array_equal(read_files(loose).dataset.images, pictures / 255)
    np.testing.assert_array_equal(read_file(tmp_path).dataset.images, pictures / 255)


# Bombs of objects: hundreds of them by `python -m tests.soak`


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")
@pytest.mark.parametrize("seed", range(counted(len(bombs.KINDS), 320)))
def test_bombs_of_objects_stay_in_the_budget(seed: int) -> None:
    print(bombs.KINDS[seed].__name__, bombs.withstood(seed))


@pytest.mark.parametrize("seed", counted([0, 2, 11, 15], [*range(160)]))
def test_bombs_can_be_cancelled(seed: int) -> None:
    assert bombs.cancelled_in_time(seed) < bombs.SECONDS_TO_CANCEL
