"""Standard output, standard input and the files of ``--out``, as scripts connect them."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import load_file
from cspca.selection import METHODS
from cspca.shell import main, terminal
from tests.shell.test_shell import REPOSITORY, command

NAMES = ("γ-terpinene", "CO₂", "Δν/cm⁻¹", "µ_g", "≤ 5 °C", "naïve")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of compounds in three classes, and a store with one comparison."""
    folder = tmp_path_factory.mktemp("streams")
    rng = np.random.default_rng(0)
    classes = np.repeat(["a", "b", "c"], 20)
    rows = rng.normal(size=(60, len(NAMES))) * np.linspace(1, 3, len(NAMES))
    rows[:, 0] += 6 * (classes == "a")
    frame = pd.DataFrame(rows, columns=NAMES)
    frame["class"] = classes
    frame.to_csv(folder / "compounds.csv", index=False)
    done = run(folder, "compare", "compounds.csv", *COMPARISON, "--name", "naïve β ≥ 0")
    assert done.returncode == 0, done.stderr
    return folder


COMPARISON = (
    *("--methods", "all,variance", "--features", "3", "--seeds", "2", "--draws", "2"),
    *("--no-silhouette", "--no-beside"),
)


def run(
    folder: Path, *arguments: str, encoding: str = "utf-8", **options: object
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a folder and a process of its own, with streams of an encoding."""
    words, usual = command(*arguments, home=folder / "home")
    environment = {**usual["env"], "PYTHONIOENCODING": encoding, "PYTHONPATH": str(REPOSITORY)}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120} | options
    return subprocess.run(words, cwd=folder, env=environment, check=False, **piped)


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, as the current one."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CSPCA_HOME", str(folder / "home"))
    return folder


def written(words: str, encoding: str) -> bytes:
    """What a command writes to a standard output of an encoding; it must end with 0."""
    output = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", output)
        try:
            code = main(words.split())
        except SystemExit as ended:
            code = ended.code
    assert code == 0
    output.flush()
    return output.buffer.getvalue()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "fit --help",
        "fit compounds.csv",
        "rank compounds.csv variance",
        "compare compounds.csv " + " ".join(COMPARISON),
        "runs list",
        "runs show last",
        "fit compounds.csv --json",
    ],
)
def test_what_an_encoding_lacks_is_escaped(here: Path, words: str, encoding: str) -> None:
    """The whole answer arrives, with the signs of the encoding as they are."""
    whole = written(words, "utf-8").decode()
    if not words.endswith("--json"):
        with pytest.raises(UnicodeEncodeError):
            whole.encode("ascii")
    for dash in "−–":
        if not dash.encode(encoding, "ignore"):
            whole = whole.replace(dash, "-")
    expected = whole.encode(encoding, "backslashreplace").splitlines()
    received = written(words, encoding).splitlines()
    assert len(received) == len(expected)
    if not words.startswith(("fit compounds", "rank", "compare")):  # where times differ
        assert [line.split() for line in received] == [line.split() for line in expected]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "−13.8, −1.2–3.4, α ± 1"),
        ("cp1252", r"-13.8, -1.2–3.4, \u03b1 ± 1"),
        ("ascii", r"-13.8, -1.2-3.4, \u03b1 \xb1 1"),
    ],
)
def test_no_escape_runs_into_a_number(
    monkeypatch: pytest.MonkeyPatch, encoding: str, expected: str
) -> None:
    for name in ("stdout", "stderr"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
        monkeypatch.setattr(sys, name, stream)
    terminal.escape_unwritable()
    for stream in (sys.stdout, sys.stderr):
        stream.write("−13.8, −1.2–3.4, α ± 1")
        stream.flush()
        assert stream.buffer.getvalue().decode(encoding) == expected


def test_columns_stand_in_line_where_signs_are_escaped(here: Path) -> None:
    lines = written("rank compounds.csv variance", "ascii").decode("ascii").splitlines()
    assert any("CO\\u2082" in line for line in lines)
    head, *rows = lines[1:]
    assert len(rows) == len(NAMES)
    at = head.index("file_column_from_0")
    assert all(row[at - 1] == " " and row[at].isdigit() for row in rows)


def test_help_of_a_process_whose_output_is_ascii(folder: Path) -> None:
    done = run(folder, "fit", "--help", encoding="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2016" in done.stdout


def closed_pipe() -> io.BufferedWriter:
    """A pipe that its reader has closed."""
    read, write = os.pipe()
    os.close(read)
    return os.fdopen(write, "wb")


def test_a_reader_that_has_had_enough_ends_nothing(folder: Path) -> None:
    """Files are written and the exit code is that of the work."""
    with closed_pipe() as closed:
        done = run(folder, "fit", "compounds.csv", "--out", "after.csv", stdout=closed)
    assert done.returncode == 0
    assert b"Broken pipe" not in done.stderr
    assert b"Exception" not in done.stderr
    assert len((folder / "after.csv").read_text().splitlines()) == 1 + len(NAMES)


def test_a_list_ends_quietly_into_a_closed_pipe(folder: Path) -> None:
    with closed_pipe() as closed:
        done = run(folder, "runs", "show", "last", "--json", stdout=closed)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_link_stays_a_link(here: Path) -> None:
    (here / "shared").mkdir()
    target, link = here / "shared" / "target.csv", here / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    written("rank compounds.csv variance --out link.csv", "utf-8")
    assert link.is_symlink()
    assert len(target.read_text().splitlines()) == 1 + len(NAMES)
    dangling = here / "dangling.csv"
    dangling.symlink_to("shared/new.csv")
    written("rank compounds.csv variance --out dangling.csv", "utf-8")
    assert dangling.is_symlink()
    assert (here / "shared" / "new.csv").read_bytes() == target.read_bytes()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_and_stays(here: Path) -> None:
    pipe = here / "pipe.csv"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    written("rank compounds.csv variance --out pipe.csv", "utf-8")
    reader.join(60)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert len(received[0].splitlines()) == 1 + len(NAMES)


def test_a_dash_reads_standard_input(folder: Path) -> None:
    content = (folder / "compounds.csv").read_bytes()
    from_pipe = run(folder, "rank", "-", "variance", "--json", input=content)
    assert from_pipe.returncode == 0, from_pipe.stderr
    piped, data = json.loads(from_pipe.stdout), load_file(folder / "compounds.csv")
    assert (
        piped["selection_scores"]
        == METHODS["variance"].make(3).fit(data.data).selection_scores_.tolist()
    )
    assert (piped["data"]["name"], piped["data"]["sha256"]) == ("stdin", data.sha256)


def test_a_dash_reads_a_ranking(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ranking = "name,score\n" + "".join(f"{name},{k}\n" for k, name in enumerate(NAMES))
    monkeypatch.setenv("CSPCA_HOME", str(folder / "rankings"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ranking.encode())))
    words = ("compare", str(folder / "compounds.csv"), *COMPARISON, "--scores", "-", "--json")
    assert main(words) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["settings"]["scores"] == {"stdin": [0, 1, 2, 3, 4, 5]}


def test_standard_input_is_read_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = (folder / "compounds.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(("compare", "-", *COMPARISON, "--scores", "-")) == 2
    assert "Error: Standard input is empty: pipe one file" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("head") is None, reason="there is no head here")
@pytest.mark.parametrize(
    ("words", "first"),
    [
        (f"compare linked.csv {' '.join(COMPARISON)}", "Compare on linked: methods all, variance"),
        ("runs show last", r"naïve \u03b2 \u2265 0 ("),
    ],
)
def test_the_first_line_is_what_head_shows(folder: Path, words: str, first: str) -> None:
    """Of a file that is read through a link, in an encoding that lacks letters, into `head -1`."""
    link = folder / "linked.csv"
    if not link.is_symlink():
        link.symlink_to("compounds.csv")
    home = folder / "home" if words.startswith("runs") else folder / "home of head"
    command_words, options = command(*words.split(), home=home)
    environment = {**options["env"], "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(
        command_words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as program:
        head = subprocess.run(
            ["head", "-1"], stdin=program.stdout, capture_output=True, check=True, timeout=120
        )
        assert program.stdout is not None
        program.stdout.close()
        assert program.wait(120) == 0
    assert head.stdout.decode("cp1252").startswith(first)
