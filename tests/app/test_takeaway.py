"""What every page lets a visitor take away: the buttons, and what is behind them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from html import unescape

import numpy as np
import pytest
import streamlit as st
from PIL import Image

from cspca.datasets import Recipe, load, make_faces
from cspca.runs.run_files import run_files
from cspca.runs.store import Store, StoreError
from cspca.runs.sweeps import fit_sweep, run_sweep, start_sweep
from cspca.ui import keys
from cspca.ui.data_page import takeaway as data_takeaway
from cspca.ui.panels import takeaway as explore_takeaway
from cspca.ui.services import services
from cspca.ui.takeaway import File, file_name
from cspca.ui.takeaway.files import file_buttons
from cspca.ui.takeaway.sorry import or_sorry
from tests.app.conftest import look, result, settled, words
from tests.runs.pages import read


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, File]:
    """Files that pages offer, by key; made when asked, as by a click."""
    found: dict[str, File] = {}
    for page in (explore_takeaway, data_takeaway):

        def remember(of, files, *, take_away=page.take_away, **more):
            found.update((file.key, file) for file in files)
            take_away(of, files, **more)

        monkeypatch.setattr(page, "take_away", remember)
    monkeypatch.setattr("cspca.runs.report.document._plotly", lambda: "const Plotly = null")
    return found


def test_explore_gives_report_scores_arrays_and_maps(arrive, files):
    page = settled(arrive("explore", data="digits", alpha="0.2"))
    assert [file.label for file in files.values()] == [
        "Report", "Scores, CSV", "Arrays, NPZ", "Map, PNG", "Map, SVG",
    ]  # fmt: skip
    assert len(page.get("download_button")) == 5
    assert not any(button.disabled for button in page.get("download_button"))
    shown = result(page)
    report = files[keys.EXPLORE_REPORT].make()
    seen = read(report)
    assert f"Objective {shown.model.objective_:.10g}" in seen.text
    assert page.code[0].value in "".join(seen.words)
    with np.load(io.BytesIO(files[keys.EXPLORE_NPZ].make()), allow_pickle=False) as arrays:
        assert np.array_equal(arrays["feature_scores"], shown.feature_scores)
        assert float(arrays["duality_gap"]) == shown.gap
    assert Image.open(io.BytesIO(files[keys.EXPLORE_PNG].make())).width > 500
    assert "</svg>" in files[keys.EXPLORE_SVG].make()


def test_the_picture_is_in_the_report_only_where_it_is_wished(arrive, files):
    page = settled(arrive("explore", data="digits"))
    (wish,) = [box for box in page.checkbox if box.key == keys.EXPLORE_IMAGES]
    assert wish.value is True
    assert "What is left of one picture?" in files[keys.EXPLORE_REPORT].make()
    wish.uncheck()
    look(page)
    assert "What is left of one picture?" not in files[keys.EXPLORE_REPORT].make()


def test_an_upload_of_unknown_terms_shows_no_picture_by_itself(arrive, files, good_file):
    page = arrive("explore")
    page.file_uploader[0].upload("people.npz", good_file)
    settled(look(page))
    (wish,) = [box for box in page.checkbox if box.key == keys.EXPLORE_IMAGES]
    assert wish.value is False


def test_motion_gives_the_body_in_place_of_the_map(arrive, files):
    settled(arrive("explore", data="motion"))
    assert files[keys.EXPLORE_SVG].label == "Body, SVG"
    assert keys.EXPLORE_PNG not in files


def test_buttons_sleep_until_there_is_something(arrive, monkeypatch):
    def refuse(*args):
        raise ValueError("These images cannot be fitted: choose others.")

    monkeypatch.setattr("cspca.runs.fits.run_fit", refuse)
    page = settled(arrive("explore", data="digits"))
    assert [button.disabled for button in page.get("download_button")] == [True] * 5
    assert "appear here when it is done" in words(page)


def test_the_data_go_with_their_terms(arrive, files):
    page = arrive("data", data="digits")
    assert "Terms: CC BY 4.0." in words(page).replace("\\", "")
    digits = load("digits")
    with np.load(io.BytesIO(files[keys.DATA_NPZ].make()), allow_pickle=False) as arrays:
        assert np.array_equal(arrays["X"].reshape(1797, 64), digits.data)
    assert files[keys.DATA_CSV].make().count("\n") == 1798


def test_what_was_fetched_is_not_passed_on(arrive, files):
    fetched = make_faces(3, 4, 8).made_by(Recipe("fetch", ("lfw",)))
    object.__setattr__(fetched, "licence", "for research")
    key = services().library.add(fetched)
    page = arrive("data", data=key)
    assert files == {}
    assert "on these terms: for research" in words(page)


def test_names_of_files_hold_nothing_of_a_hostile_name():
    assert file_name("../../etc/passwd\x00<b>", "scores.csv") == "cspca-etc-passwd-b-scores.csv"
    assert file_name("顔", "a.png") == "cspca-data-a.png"


def test_a_file_that_cannot_be_made_says_why(tmp_path, monkeypatch, caplog):
    """The button of a run whose array is gone gives a file of its kind with the sentence."""
    made = {}

    def remember(label, *, data, file_name, download=st.download_button, **more):
        made[file_name.rpartition(".")[2]] = data
        return download(label, data=data, file_name=file_name, **more)

    monkeypatch.setattr("cspca.ui.takeaway.files.st.download_button", remember)
    faces = make_faces(3, 4, 8)
    with Store(tmp_path) as store:
        run = start_sweep(store, fit_sweep(0.2, 0.05, tol=1e-2), faces)
        run_sweep(store, run, faces)
        found = run_files(store, store.get(run))
        whole = {one.name.rpartition(".")[2]: one.make() for one in found}
        for path in tmp_path.glob("arrays/*/*.npz"):
            path.unlink()
        with pytest.raises(StoreError) as wrong:
            next(one for one in found if one.name.endswith("npz")).make()
        files = [File(one.name, one.label, one.name, one.make) for one in found]
        file_buttons("a run", files, ready=True)
        gone = {suffix: make() for suffix, make in made.items()}
    why = str(wrong.value)
    assert set(gone) == set(whole) == {"html", "csv", "npz", "json", "zip"}
    assert list(csv.reader(io.StringIO(gone["csv"]))) == [["error"], [why]]
    with np.load(io.BytesIO(gone["npz"]), allow_pickle=False) as arrays:
        assert str(arrays["error"]) == why
    with zipfile.ZipFile(io.BytesIO(gone["zip"])) as archive:
        assert archive.read("error.txt").decode() == f"{why}\n"
    assert why in unescape(gone["html"])
    assert "<script" not in gone["html"]
    assert "A file could not be made" in caplog.text
    assert not any(record.exc_info for record in caplog.records)


def test_what_is_whole_is_left_alone_and_other_errors_are_not_hidden():
    assert or_sorry(lambda: b"content", "zip")() == b"content"

    def broken():
        raise KeyError("a mistake of ours")

    def damaged():
        raise StoreError("It is 5 % gone,\nsay <b>.")

    with pytest.raises(KeyError):
        or_sorry(broken, "csv")()
    with pytest.raises(StoreError):
        or_sorry(damaged, "png")()
    assert or_sorry(damaged, "tex")() == "% It is 5 % gone, say <b>.\n"
    assert json.loads(or_sorry(damaged, "json")()) == {"error": "It is 5 % gone,\nsay <b>."}
    assert "say &lt;b&gt;." in or_sorry(damaged, "html")()
