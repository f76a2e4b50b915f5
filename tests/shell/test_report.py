"""``report`` from the shell: of a kept run, and of data that are fitted for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.shell import main
from tests.pages import read


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_faces: Dataset) -> Path:
    """A folder with some faces in it and a store of its own; no Plotly, which is long to read."""
    np.savez(tmp_path / "faces.npz", X=small_faces.data, y=small_faces.target, image_shape=(16, 16))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CSPCA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("cspca.report._plotly", lambda: "const Plotly = null")
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_of_a_kept_run(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert ran(capsys, "fit", "faces.npz", "--alpha", "0.2", "--save", "--name", "mine")[0] == 0
    code, out, err = ran(capsys, "report", "last", "--out", "last.html")
    assert (code, out) == (0, "Report of mine: last.html\n")
    assert "Wrote last.html." in err
    seen = read((here / "last.html").read_text())
    assert "Run mine" in seen.text
    assert "load_file('faces.npz')" in seen.text
    steps = "Samples are the rows of the array X."
    assert steps in seen.text
    code, out, _ = ran(capsys, "runs", "show", "mine")
    assert steps in out
    code, out, _ = ran(capsys, "runs", "show", "mine", "--json")
    assert json.loads(out)["data"]["steps"][0] == steps
    code, out, _ = ran(capsys, "report", "mine", "--json")
    values = json.loads(out)
    assert (values["kind"], values["report"]) == ("fit", "report.html")
    assert values["bytes"] == (here / "report.html").stat().st_size


def test_of_data(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    wishes = ("--alpha", "0.2", "--beta", "0.05", "--tol", "1e-4", "--out", "faces.html", "--json")
    code, out, _ = ran(capsys, "report", "faces.npz", *wishes)
    values = json.loads(out)
    seen = read((here / "faces.html").read_text())
    assert code == 0
    assert f"Objective {values['objective']:.10g}" in seen.text
    assert "CSPCA(alpha=0.2, beta=0.05, tol=0.0001)" in seen.text
    assert "What is left of one image?" not in seen.text
    assert "What is every image rebuilt from?" in seen.text
    assert "PCA 1: " in seen.text
    assert ran(capsys, "report", "faces.npz", "--images", *wishes)[0] == 0
    assert "What is left of one image?" in (here / "faces.html").read_text()


def test_what_is_not_certified_is_said_and_written_all_the_same(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    code, _, err = ran(capsys, "report", "faces.npz", "--max-iter", "1", "--tol", "1e-9")
    assert code == 1
    assert "Error: Not certified" in err
    assert "Within its tolerance no" in read((here / "report.html").read_text()).text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("last",), "There is no run 'last'"),
        (("faces.npz", "--out", "a.pdf"), "choose a name that ends in .html"),
        (("faces.npz", "--keep", "9", "--alpha", "0.1"), "--keep finds alpha itself"),
        (("last", "--images"), "so --images has no effect"),
        (
            ("last", "--beta", "0.5"),
            "A saved run stays as it was asked for, so --beta has no effect",
        ),
        (("last", "--no-center", "--absolute"), "so --center, --absolute have no effect"),
        (("faces.npz", "--keep", "9", "--solver", "reweighted"), "leave --solver reweighted out"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    capsys: pytest.CaptureFixture[str], here: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = ran(capsys, "report", *arguments)
    assert code == 2
    assert said in err
    assert out == ""
    assert not (here / "report.html").exists()


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", "--help"])
    assert ended.value.code == 0
    assert "python -m cspca report last --out report.html" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_fit_is_drawn(capsys: pytest.CaptureFixture[str], here: Path, kind: str) -> None:
    assert ran(capsys, "fit", "faces.npz", "--alpha", "0.2", "--out", f"map.{kind}")[0] == 0
    written = (here / f"map.{kind}").read_bytes()
    assert written.startswith(b"\x89PNG" if kind == "png" else b"<svg ")


def test_what_is_no_picture_has_no_map(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    np.save(here / "a.npy", [[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
    code, _, err = ran(capsys, "fit", "a.npy", "--samples", "rows", "--out", "map.png")
    assert code == 2
    assert "has no shape to draw a map in: write .csv or .npz" in err


def test_one_image_that_may_decide_the_map_is_told_in_words_in_json_and_in_the_report(
    capsys: pytest.CaptureFixture[str], here: Path, small_faces: Dataset
) -> None:
    X = small_faces.data / 100
    X[3] = np.random.default_rng(0).random(X.shape[1])
    np.savez(here / "bright.npz", X=X, y=small_faces.target, image_shape=(16, 16))
    said = "Image 4 may decide this map: its norm, measured from the mean of the other images, is "
    _, out, _ = ran(capsys, "fit", "bright.npz", "--alpha", "0.2")
    assert said in out
    assert "Largest influence of one image" in out
    _, out, _ = ran(capsys, "fit", "bright.npz", "--alpha", "0.2", "--json")
    values = json.loads(out)
    (line,) = (row for row in values["tables"]["Errors"] if row["sample_from_1"] == 4)
    assert line["influence"] > 0.3
    assert any(said in one["sentence"] for one in values["findings"])
    assert ran(capsys, "report", "bright.npz", "--alpha", "0.2", "--out", "bright.html")[0] == 0
    assert said in read((here / "bright.html").read_text()).text
    _, out, _ = ran(capsys, "fit", "faces.npz", "--alpha", "0.2")
    assert "may decide this map" not in out
    assert "Largest influence of one image" in out
