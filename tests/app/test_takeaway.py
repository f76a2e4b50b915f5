"""What every page lets a visitor take away: the buttons, and what is behind them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from cspca.datasets import Recipe, load, make_faces
from cspca.ui import keys
from cspca.ui.data_page import takeaway as data_takeaway
from cspca.ui.panels import takeaway as explore_takeaway
from cspca.ui.services import services
from cspca.ui.takeaway import File, file_name
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
