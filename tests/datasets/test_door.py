"""The one process that parses: its budget, its end, what it may touch, what it hands back."""

import ctypes
import io
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import h5py
import numpy as np
import pytest

from cspca.datasets import (
    Answers,
    DatasetError,
    ReadCancelledError,
    Reading,
    make_faces,
    read_file,
    read_files,
)
from cspca.datasets.files import door
from cspca.datasets.files.foreign import FORMATS, Watch
from cspca.datasets.files.reading import unpacked
from cspca.datasets.record import Recipe
from tests.datasets import files
from tests.load import bombs
from tests.soak import counted

RNG = np.random.default_rng(0)
EYE = files.npy(np.eye(36))
TABLE = Answers.of(samples="rows", features="columns")
UNDECIDED = asdict(Answers())


@pytest.fixture(autouse=True)
def _no_spare() -> None:
    """Each process is started by its test, also where a server of another file keeps a spare."""
    door.keep_spare(False)


def as_reading(header: door.Header, arrays: Sequence[np.ndarray]) -> Reading:
    return unpacked(header, arrays, "a.zip", Answers(), Recipe("load_file", ("a.zip",), bring=""))


def many_pictures() -> bytes:
    pixels = RNG.integers(0, 256, (600, 8, 8)).astype(np.uint8)
    return files.zipped({f"s{i % 3}/{i}.png": files.picture(one) for i, one in enumerate(pixels)})


@pytest.mark.parametrize("after", [0, 5])
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
    assert read_file(content, "a.npy", TABLE).dataset.n_samples == 1500
    chunks = io.BytesIO()
    with h5py.File(chunks, "w") as file:
        file.create_dataset("X", (1000, 1000), "u1", chunks=(1, 1))
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_MEMORY", 400 * 2**20)
    for name, over in ("a.npy", content), ("a.mat", chunks.getvalue()):
        with pytest.raises(DatasetError, match="does not fit in memory: cut it into smaller file"):
            read_file(over, name)


def test_a_process_that_dies_or_hangs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(door.Child):
        def __init__(self) -> None:
            super().__init__()
            os.kill(self.pid, 19)  # it will never answer

    class Dead(door.Child):
        def __init__(self) -> None:
            super().__init__()
            os.kill(self.pid, 9)

    monkeypatch.setattr(door, "Child", Dead)
    with pytest.raises(DatasetError, match="is damaged and cannot be read"):
        read_file(EYE, "a.npy")
    monkeypatch.setattr(door, "Child", Stopped)
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_SECONDS", 0.5)
    with pytest.raises(DatasetError, match=r"takes longer than 0.5 seconds"):
        read_file(EYE, "a.npy")


def kept() -> door.Child | None:
    return door._SPARES.get(os.getpid())


def test_a_spare_is_used_once_and_what_it_started_ends_with_it(
    request: pytest.FixtureRequest,
) -> None:
    seen: list[int] = []

    class Seen(Watch):
        def check(self) -> None:
            seen.append(getattr(kept(), "pid", 0))
            super().check()

    door.keep_spare()
    request.addfinalizer(lambda: door.keep_spare(False))
    spare = kept()
    assert spare is not None
    module = "cspca.datasets.files.containers.numpy_files"
    door.parse({"module": module, "answers": UNDECIDED}, [EYE], Seen("a.npy"))
    assert spare.poll() is not None
    assert kept() is not spare
    assert kept() is not None
    with pytest.raises(ProcessLookupError):
        os.killpg(spare.pid, 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_no_grandchild_outlives_a_process() -> None:
    start = "import subprocess as s; print(s.Popen(['sleep', '999']).pid, flush=True); input()"
    child = door.Child(start, "as the process that fetches")
    assert child.stdout is not None
    grandchild = Path(f"/proc/{int(child.stdout.readline())}/stat")
    assert grandchild.exists()
    child.close()
    # Nobody may be there to bury it.
    with suppress(OSError):
        while " Z " not in grandchild.read_text():
            time.sleep(0.01)


def test_pictures_that_break_their_decoder_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a module in which some pictures end the process, as they do when a decoder crashes."""
    (tmp_path / "breaking.py").write_text(
        "import os\n"
        "from cspca.datasets.files.containers import one_picture, pictures\n"
        "def measure(content, old=one_picture.measure):\n"
        "    os.abort() if b'BREAK' in content else None\n"
        "    return old(content)\n"
        "one_picture.measure = measure\n"
        "parse = pictures.parse\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    whole = {f"{i}.png": files.picture(RNG.integers(0, 255, (8, 8)).astype("u1")) for i in "1468"}
    request = {"module": "breaking", "answers": UNDECIDED}
    some = whole | {f"{i}.png": whole["1.png"] + b"BREAK" for i in "25"}
    read = as_reading(*door.parse(request, [files.zipped(some)], Watch("a.zip")))
    assert read.dataset.n_samples == 4
    assert read.left_out == tuple(f"{i}.png breaks the program that decodes it" for i in (2, 5))
    many = whole | {f"b{i}.png": whole["1.png"] + b"BREAK" for i in range(8)}
    # In place of six processes.
    monkeypatch.setattr(door, "_ask", lambda *_: (None, 0))
    with pytest.raises(DatasetError, match="holds several images that break the program"):
        door.parse(request, [files.zipped(many)], Watch("a.zip"))


def test_pictures_are_announced_one_by_one_only_once_one_has_broken_a_decoder() -> None:
    for is_each_announced, expected in ((False, [4]), (True, [4, 5, 6])):
        stream, announced = io.BytesIO(), list[int]()
        for number in (4, 5, 6):
            door._announce(stream, announced, number, is_each_announced=is_each_announced)
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
        assert lines == [{"at": number} for number in expected]


def test_a_format_is_one_module_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy_format.py").write_text(
        "import numpy as np\n"
        "from cspca.datasets.files.parsed import ArrayField, Parsed\n"
        "def parse(content, watch):\n"
        "    rows = np.array([[float(word) for word in line.split(b':')]\n"
        "                     for line in content.splitlines()])\n"
        "    field = ArrayField('X', rows.shape, 'float64', lambda: rows)\n"
        "    return Parsed(watch.name, 'toy file', arrays=[field])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(FORMATS, ".toy", "toy_format")
    read = read_file(b"0:1:0.5\n1:0:0.25\n", "a.toy", TABLE)
    assert read.format == "toy file"
    np.testing.assert_array_equal(read.dataset.data, [[0, 1, 0.5], [1, 0, 0.25]])


def test_a_refusal_notes_where_in_the_program_it_arose_and_quotes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "failing_format.py").write_text(
        "def parse(content, watch):\n    return float(content)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(FORMATS, ".toy", "failing_format")
    with pytest.raises(DatasetError, match="is damaged and cannot be read") as refused:
        read_file(b"a secret", "a.toy")
    assert refused.value.__notes__ == ["ValueError in failing_format.py, line 2"]


LOOKED_AT = """
import json, os, socket, subprocess, sys
from contextlib import suppress
from cspca.datasets.record import DatasetError

def parse(content, watch):
    asked, can = json.loads(content), []

    def tried(what, attempt):
        with suppress(OSError, MemoryError, StopIteration):
            attempt()
            can.append(what)

    secret, there = asked["secret"], ("127.0.0.1", asked["port"])
    tried("memory", lambda: bytearray(3 * 2**30))
    tried("write", lambda: open(secret + "x", "wb", buffering=0).write(b"x"))
    tried("read", lambda: open(secret, "rb"))
    tried("list", lambda: os.listdir(os.path.dirname(secret)))
    tried("here", lambda: next(os.scandir(".")))
    tried("start", lambda: subprocess.run([sys.executable, "-c", ""]))
    tried("fork", lambda: os.fork() or os._exit(0))
    tried("connect", lambda: socket.create_connection(there, 5))
    tried("send", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", there))
    tried("signal", lambda: os.kill(asked["server"], 0))
    tried("privileges", lambda: os.setgroups([]))

    def is_open(number):
        with suppress(OSError):
            return os.fstat(number)

    raise DatasetError(json.dumps({
        "can": can,
        "umask": os.umask(0),
        "environment": sorted(os.environ),
        "session": os.getsid(0) == os.getpid(),
        "open": [*filter(is_open, range(asked["most"]))],
    }))
"""


def not_kept_here() -> set[str]:
    """What the system has no means to keep a process from."""
    landlock = sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1)
    alone = subprocess.run(["unshare", "-Unp", "true"], check=False).returncode == 0
    return {
        *(["read", "list", "start", "connect"] if landlock < 4 else []),
        *(["signal"] if landlock < 6 else []),
        *([] if alone else ["send"] if os.getuid() else ["send", "fork", "start"]),
    }


def test_code_that_takes_the_process_over_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "looking.py").write_text(LOOKED_AT)
    (tmp_path / "secret").write_text("of the server")
    monkeypatch.syspath_prepend(tmp_path / "modules")
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.set_inheritable(server.fileno(), True)
        asked = {
            "secret": str(tmp_path / "secret"),
            "port": server.getsockname()[1],
            "server": os.getpid(),
            "most": server.fileno() + 30,
        }
        answer, _ = door.parse(
            {"module": "looking", "answers": UNDECIDED},
            [json.dumps(asked).encode()],
            Watch("a.npy"),
        )
    seen = json.loads(answer["refused"])
    assert set(seen["can"]) <= not_kept_here()
    assert seen["umask"] == 0o077
    assert seen["open"] == [0, 1, 2, 3]
    assert seen["session"]
    assert set(seen["environment"]) <= {
        "PYTHONPATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "HDF5_PLUGIN_PRELOAD",
        "HDF5_USE_FILE_LOCKING", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE",
    }  # fmt: skip


def test_what_comes_back_is_numbers_and_capped_words() -> None:
    faces = make_faces(3, 4, 16)
    request = {"module": "cspca.datasets.files.containers.numpy_files", "answers": UNDECIDED}
    content = files.npz(X=faces.images, y=faces.target)
    header, arrays = door.read(request, [content], Watch("a.npz"))
    # Values, labels, and the least and greatest value of the scale.
    assert [array.dtype.kind for array in arrays] == ["f", "i", "f", "f"]
    assert set(map(type, header.values())) <= {str, tuple, dict, list, type(None)}
    for wrong in (
        {"arrays": [["object", [4, 4]]]},
        {"arrays": [["float64", [-1, 4]]]},
        {"arrays": [["float64", [10**5, 10**5]]]},
    ):
        with pytest.raises(EOFError):
            door.receive(io.BytesIO(json.dumps(wrong).encode() + b"\n"))


@pytest.mark.parametrize(
    "lie",
    [
        '{"at": "x"}',
        '{"fraction": [], "words": "Reading"}',
        '{"fraction": 0.5, "words": 7}',
        "[1]",
        '{"refused": 3, "questions": []}',
        '{"refused": "damaged", "cause": 3}',
        '{"questions": 3}',
        '{"questions": [], "dataset": {"name": 3}}',
        '{"questions": [{"name": "data"}]}',
        '{"questions": [], "arrays": 3}',
    ],
)
def test_lies_of_a_process_are_damage(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Liar(door.Child):
        def __init__(self) -> None:
            super().__init__(f"import sys; print({lie!r}, flush=True); sys.stdin.read()")

    monkeypatch.setattr(door, "Child", Liar)
    with pytest.raises(DatasetError, match="is damaged"):
        read_file(EYE, "a.npy")


def test_what_a_process_says_is_a_sentence_of_some_length() -> None:
    with pytest.raises(DatasetError, match=r"^no�x+…$"):
        as_reading({"refused": "no\x1b" + 10**6 * "x"}, [])


def test_loose_pictures_go_through_the_door_too(tmp_path: Path) -> None:
    pictures = RNG.integers(0, 256, (4, 8, 8)).astype(np.uint8)
    loose = [(f"{i}.png", files.picture(one)) for i, one in enumerate(pictures)]
    for name, content in loose:
        (tmp_path / name).write_bytes(content)
    np.testing.assert_array_equal(read_files(loose).dataset.images, pictures / 255)
    np.testing.assert_array_equal(read_file(tmp_path).dataset.images, pictures / 255)


COME_BACK = [
    bombs.KINDS.index(kind)
    for kind in (
        bombs.words_in_columns, bombs.letters, bombs.hollow, bombs.long_words, bombs.classes,
        bombs.column_names, bombs.tiny_pictures, bombs.blank_pictures, bombs.zipped_zeros,
        bombs.names_of_parts, bombs.long_label_table,
    )
]  # fmt: skip
"""Of the bombs those whose words, labels or numbers could come back to the server."""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs /proc")
@pytest.mark.parametrize("seed", counted(COME_BACK, range(len(bombs.KINDS))))
def test_bombs_leave_the_server_s_memory_alone(seed: int) -> None:
    """Hundreds more, their times and how fast Cancel is: ``python -m tests.load bombs``."""
    found = bombs.withstood(seed, cancel=False)
    print(found)
    assert found.growth < bombs.MOST_GROWTH
