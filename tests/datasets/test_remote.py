"""Fetching, against a server on this machine that stands in for the real hosts."""

import dataclasses
import hashlib
import io
import json
import os
import sys
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from cspca.datasets import BY_REQUEST, REMOTE, Dataset, DatasetError, fetch, is_cached, load
from cspca.datasets.files.foreign import ReadCancelledError
from cspca.datasets.remote import MIRROR_VARIABLE
from tests.datasets.stand_in_worker import sha256

FETCH = sys.modules["cspca.datasets.remote"]
REAL_WORKER = FETCH._WORKER
WORKER = "from tests.datasets.stand_in_worker import main; main()"
FIGSHARE = "/ndownloader.figshare.com/files/"
USPS_HERE = 500
COIL = "/www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/coil-20/coil-20-proc.zip"


class StandIn:
    """A server of the files it is given, and of nothing else."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.seconds_a_piece = 0.0
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stand_in.asked.append(self.path)
                content = stand_in.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                try:
                    for start in range(0, len(content), 2**16):
                        self.wfile.write(content[start : start + 2**16])
                        time.sleep(stand_in.seconds_a_piece)
                except OSError:
                    stand_in.asked.append("gone")

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    server = StandIn()
    monkeypatch.setenv(MIRROR_VARIABLE, server.address)
    monkeypatch.setenv("STAND_IN_SHA256", "{}")
    monkeypatch.setattr(FETCH, "_WORKER", WORKER)
    yield server
    server.close()


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No host answers."""
    closed = StandIn()
    closed.close()
    monkeypatch.setenv(MIRROR_VARIABLE, closed.address)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CSPCA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def olivetti(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    faces = np.random.default_rng(0).integers(0, 256, (400, 64, 64)).astype(np.uint8)
    faces[0, 0, :2] = 0, 255
    stream = io.BytesIO()
    savemat(stream, {"faces": faces.transpose(0, 2, 1).reshape(400, -1).T})
    stand_in.files[FIGSHARE + "5976027"] = stream.getvalue()
    monkeypatch.setenv(
        "STAND_IN_SHA256", json.dumps({"olivettifaces.mat": sha256(stream.getvalue())})
    )
    return faces


def picture(seed: int, size: int, kind: str) -> bytes:
    stream = io.BytesIO()
    # Of six grey levels, so that 1,440 of them are no larger than the real archive.
    pixels = (51 * np.random.default_rng(seed).integers(0, 6, (size, size))).astype(np.uint8)
    image = Image.fromarray(pixels)
    (image.convert("RGB") if kind == "JPEG" else image).save(stream, kind)
    return stream.getvalue()


def lfw(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        for person, count in (("Ann_A", 21), ("Bob_B", 20), ("Rare_C", 3)):
            for number in range(count):
                content = picture(number, 250, "JPEG")
                info = tarfile.TarInfo(f"lfw_funneled/{person}/{person}_{number:04d}.jpg")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    files = {
        "5976015": ("lfw-funneled.tgz", stream.getvalue()),
        "5976012": ("pairsDevTrain.txt", b"1"),
        "5976009": ("pairsDevTest.txt", b"2"),
        "5976006": ("pairs.txt", b"3"),
    }
    for number, (_, content) in files.items():
        stand_in.files[FIGSHARE + number] = content
    monkeypatch.setenv(
        "STAND_IN_SHA256", json.dumps({name: sha256(content) for name, content in files.values()})
    )
    # The whole archive would take a minute to make: two people stand for sixty-two.
    monkeypatch.setitem(
        REMOTE, "lfw", dataclasses.replace(REMOTE["lfw"], shape=(41, 62, 47), n_classes=2)
    )


def usps(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    rng = np.random.default_rng(0)
    digits = rng.integers(-100, 101, (USPS_HERE, 256)) / 100
    digits[0, :2] = -1, 1
    classes = np.arange(USPS_HERE) % 10 + 1
    lines = ["@RELATION usps", "@ATTRIBUTE int0 {1,2,3,4,5,6,7,8,9,10}"]
    lines += [f"@ATTRIBUTE double{number} REAL" for number in range(1, 257)]
    lines += ["@DATA"]
    lines += [
        f"{label}," + ",".join(map("{:g}".format, row))
        for label, row in zip(classes, digits, strict=True)
    ]
    arff = "\n".join(lines).encode()
    columns = [
        ("int0", "nominal", "true"),
        *((f"double{k}", "numeric", "false") for k in range(1, 257)),
    ]
    features = [
        {
            "index": str(number), "name": name, "data_type": kind, "is_target": target,
            "is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0",
        }
        for number, (name, kind, target) in enumerate(columns)
    ]  # fmt: skip
    description = {
        "id": "41082", "name": "USPS", "version": "1", "status": "active", "format": "ARFF",
        "url": "https://www.openml.org/data/v1/download/18805612/USPS.arff", "description": "",
        "md5_checksum": hashlib.md5(arff).hexdigest(),
    }  # fmt: skip
    api = "/www.openml.org/api/v1/json/data/"
    stand_in.files |= {
        api + "41082": json.dumps({"data_set_description": description}).encode(),
        api + "features/41082": json.dumps({"data_features": {"feature": features}}).encode(),
        api + "qualities/41082": json.dumps(
            {
                "data_qualities": {
                    "quality": [{"name": "NumberOfInstances", "value": f"{USPS_HERE}.0"}]
                }
            }
        ).encode(),
        "/www.openml.org/data/v1/download/18805612/USPS.arff": arff,
    }
    # All of them take the usual loader ten seconds.
    monkeypatch.setitem(
        REMOTE, "usps", dataclasses.replace(REMOTE["usps"], shape=(USPS_HERE, 16, 16))
    )
    return digits


@cache
def coil_archive(poses: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for thing in range(1, 21):
            content = picture(thing, 128, "PNG")
            for pose in range(poses):
                archive.writestr(f"coil-20-proc/obj{thing}__{pose}.png", content)
    return stream.getvalue()


def coil(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, poses: int = 72) -> None:
    stand_in.files[COIL] = coil_archive(poses)
    known = {"coil-20-proc.zip": hashlib.md5(coil_archive(poses)).hexdigest()}
    monkeypatch.setenv("STAND_IN_SHA256", json.dumps(known))


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


# What there is to know before


def test_everything_is_said_before_a_download() -> None:
    assert list(REMOTE) == ["olivetti", "lfw", "usps", "coil20"]
    for name, remote in REMOTE.items():
        assert remote.name == name
        assert remote.size.startswith(f"{remote.shape[0]:,} images, ")
        assert remote.download_size.startswith("about ")
        for words in (remote.title, remote.description, remote.licence, remote.citation):
            assert words
        assert remote.homepage.startswith("https://")
        assert remote.hosts


def test_the_sets_by_request_say_where_to_ask_and_what_to_bring() -> None:
    assert list(BY_REQUEST) == ["yaleb", "jaffe", "humaneva"]
    for one in BY_REQUEST.values():
        assert all(dataclasses.asdict(one).values())


# Fetching


def test_olivetti_is_fetched_once_and_kept(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faces = olivetti(stand_in, monkeypatch)
    told: list[tuple[float, str]] = []
    assert not is_cached("olivetti")
    data = fetch("olivetti", progress=lambda *now: told.append(now))
    np.testing.assert_allclose(data.images, faces / 255, atol=1e-6)
    np.testing.assert_array_equal(data.target, np.repeat(np.arange(40), 10))
    assert data.recognised == "400 images, 64 × 64, 40 classes."
    assert data.licence == REMOTE["olivetti"].licence
    assert "Samaria" in data.source
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert left_behind(folder) == ["olivetti-1.npz"]
    assert is_cached("olivetti")

    stand_in.files.clear()
    asked = len(stand_in.asked)
    assert load("olivetti").sha256 == data.sha256
    assert len(stand_in.asked) == asked


def test_lfw_is_fetched(stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lfw(stand_in, monkeypatch)
    data = fetch("lfw")
    assert data.image_shape == (62, 47)
    assert data.target_names == ("Ann A", "Bob B")
    assert data.target is not None
    assert np.bincount(data.target).tolist() == [21, 20]
    assert left_behind(folder) == ["lfw-1.npz"]


def test_usps_is_fetched(stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digits = usps(stand_in, monkeypatch)
    data = fetch("usps")
    np.testing.assert_allclose(data.data, (digits + 1) / 2, atol=1e-7)
    assert data.target_names == tuple("0123456789")
    np.testing.assert_array_equal(data.target, np.arange(USPS_HERE) % 10)
    assert left_behind(folder) == ["usps-1.npz"]


def test_coil_is_fetched_what_a_killed_server_left_swept_and_a_damaged_copy_fetched_again(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = folder / "fetching-coil20-old"
    old.mkdir(parents=True)
    (old / "half.zip").write_bytes(b"half")
    day_before = time.time() - 2 * 24 * 3600
    os.utime(old, (day_before, day_before))
    coil(stand_in, monkeypatch)
    data = fetch("coil20")
    assert data.recognised == "1,440 images, 32 × 32, 20 classes."
    assert data.target_names is not None
    assert data.target_names[:2] == ("obj1", "obj2")
    np.testing.assert_array_equal(data.target, np.repeat(np.arange(20), 72))
    expected = np.asarray(Image.open(io.BytesIO(picture(1, 128, "PNG")))) / 255
    np.testing.assert_allclose(
        data.image(0), expected.reshape(32, 4, 32, 4).mean(axis=(1, 3)), atol=1e-6
    )
    assert left_behind(folder) == ["coil20-1.npz"]
    kept = folder / "coil20-1.npz"
    kept.write_bytes(kept.read_bytes()[:-100])
    assert fetch("coil20").sha256 == data.sha256
    assert stand_in.asked.count(COIL) == 2


# What may go wrong


def test_the_real_checksum_is_asked_for(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FETCH, "_WORKER", REAL_WORKER)
    olivetti(stand_in, monkeypatch)
    with pytest.raises(DatasetError, match="is not the file that is known: try again later, or up"):
        fetch("olivetti")
    coil(stand_in, monkeypatch)
    with pytest.raises(DatasetError, match="is not the file that is known"):
        fetch("coil20")
    assert left_behind(folder) == []


def test_a_host_that_sends_too_much_is_not_listened_to(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in.files[COIL] = bytes(60_000_000)
    known = {"coil-20-proc.zip": hashlib.md5(stand_in.files[COIL]).hexdigest()}
    monkeypatch.setenv("STAND_IN_SHA256", json.dumps(known))
    with pytest.raises(DatasetError, match="is not the file that is known"):
        fetch("coil20")
    assert left_behind(folder) == []
    assert stand_in.asked == [COIL, "gone"]


@pytest.mark.parametrize("content", [b"hello", b"PK\x05\x06" + bytes(18)])
def test_something_else_in_place_of_an_archive(
    stand_in: StandIn, folder: Path, content: bytes
) -> None:
    stand_in.files[COIL] = content
    with pytest.raises(DatasetError, match=r"COIL-20 could not be fetched.*or upload coil"):
        fetch("coil20")
    assert left_behind(folder) == []


def test_a_host_that_has_it_no_more(stand_in: StandIn, folder: Path) -> None:
    with pytest.raises(DatasetError, match=r"COIL-20 could not be fetched, .* answers error 404"):
        fetch("coil20")
    assert left_behind(folder) == []


@pytest.mark.parametrize("name", ["olivetti", "usps", "coil20"])
def test_offline_has_one_sentence_that_says_what_to_do(
    nobody: None, folder: Path, name: str
) -> None:
    with pytest.raises(DatasetError, match="cannot be reached: connect this computer") as caught:
        fetch(name)
    message = str(caught.value)
    assert REMOTE[name].hosts[0] in message
    assert message.endswith(f"or {REMOTE[name].instead}.")
    assert "\n" not in message
    assert left_behind(folder) == []


def test_a_cancelled_download_leaves_nothing_behind(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coil(stand_in, monkeypatch)
    stand_in.seconds_a_piece = 0.2
    told: list[float] = []
    started = time.monotonic()
    with pytest.raises(ReadCancelledError, match="Fetching COIL-20 was cancelled"):
        fetch(
            "coil20",
            progress=lambda fraction, _: told.append(fraction),
            cancelled=lambda: len(told) > 3,
        )
    assert time.monotonic() - started < 20
    assert left_behind(folder) == []
    assert not is_cached("coil20")


def test_two_who_want_the_same_set_fetch_it_once(
    stand_in: StandIn, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coil(stand_in, monkeypatch)
    results: list[Dataset] = []
    threads = [threading.Thread(target=lambda: results.append(fetch("coil20"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.sha256 for one in results}) == 1
    assert len(results) == 2
    assert stand_in.asked.count(COIL) == 1


def test_a_copy_is_never_unpickled(nobody: None, folder: Path) -> None:
    folder.mkdir()
    np.savez(folder / "coil20-1.npz", images=np.array([print], dtype=object))
    with pytest.raises(DatasetError, match="cannot be reached"):
        fetch("coil20")


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    folder.write_text("in the way")
    with pytest.raises(
        DatasetError, match=r"cannot be kept \([A-Z][a-z ]+\): set CSPCA_CACHE to a folder"
    ):
        fetch("coil20")


def test_unknown_names_have_their_sentence() -> None:
    with pytest.raises(DatasetError, match="no remote data set called 'cats': choose one of oliv"):
        fetch("cats")
    assert not is_cached("cats")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CSPCA_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert FETCH._kept_file(REMOTE["usps"]).parent == Path("/somewhere/cspca")
    monkeypatch.setenv("CSPCA_CACHE", "/elsewhere")
    assert FETCH._kept_file(REMOTE["usps"]).parent == Path("/elsewhere")
