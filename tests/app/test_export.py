"""What every page exports: the buttons, and what is behind them."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PIL import Image

import cspca.report
from cspca import record
from cspca.datasets import Dataset, Recipe, load, make_faces
from cspca.experiments import Compare
from cspca.experiments.exports import file_name
from cspca.ui import experiment_page, export, pictures
from cspca.ui.services import services
from tests.app.conftest import look, result, settled, staged, until, words
from tests.pages import read


@pytest.fixture
def files(monkeypatch):
    """Files that pages offer, by the key of their button; made when asked, as by a click."""
    found = {}
    draw = export._button

    def remember(of, one, key, ready):
        name = "report" if one.suffix == ".html" else one.name.replace(".", "_")
        found[f"{key}_{name}"] = one
        draw(of, one, key, ready)

    monkeypatch.setattr(export, "_button", remember)
    monkeypatch.setattr(cspca.report, "_plotly", lambda: "const Plotly = null")
    return found


def test_an_experiment_page_makes_no_table_for_its_menu(arrive, files, monkeypatch):
    whole = Compare.tables

    def refuse(*arguments):
        raise AssertionError("a table was made")

    for name in ("tables", "printed"):
        monkeypatch.setattr(Compare, name, refuse)
    # Its results are there without a run.
    monkeypatch.setattr(experiment_page, "record", record)
    page = arrive("compare", data="digits")
    assert not page.exception
    assert [file.label for file in files.values()][:3] == ["Report", "Summary, CSV", "Fits, CSV"]
    # Made when it is asked for.
    monkeypatch.setattr(Compare, "tables", whole)
    assert "method" in files["compare_compare_csv"].make().partition("\n")[0]


def test_one_menu_holds_all_files_the_report_first(arrive, files):
    page = settled(arrive("explore", data="digits", alpha="0.2"))
    (menu,) = (block for block in page.get("popover") if block.proto.popover.label == "Download")
    labels = [one.proto.label for one in menu.get("download_button")]
    assert labels[0] == "Report"
    assert labels == [file.label for file in files.values()]
    assert len(page.get("download_button")) == len(labels)


def test_explore_gives_report_scores_arrays_and_maps(arrive, files):
    page = settled(arrive("explore", data="digits", alpha="0.2"))
    labels = [file.label for file in files.values()]
    assert labels[:2] == ["Report", "Scores, CSV"]
    assert {"Arrays, NPZ", "Map, PNG", "Map, SVG", "Tables, LaTeX", "JSON", "Everything"} <= {
        *labels
    }
    assert len(page.get("download_button")) == len(files)
    assert not any(button.disabled for button in page.get("download_button"))
    shown = result(page)
    seen = read(files["fit_report"].make())
    assert f"Objective {shown.fit.objective:.10g}" in seen.text
    assert page.code[0].value in "".join(seen.words)
    with np.load(io.BytesIO(files["fit_fit_npz"].make()), allow_pickle=False) as arrays:
        assert np.array_equal(arrays["fit/feature_scores"][0], shown.fit.feature_scores)
        assert float(arrays["table/duality_gap"][0]) == shown.gap
    scores = list(csv.DictReader(io.StringIO(files["fit_fit_csv"].make())))
    assert list(scores[0]) == [
        "feature_from_0", "feature_from_1", "name", "row_from_1", "column_from_1",
        "feature_score", "dual_score", "selection_score", "feature_score_bound", "rank",
        "n_sharing_rank",
    ]  # fmt: skip
    assert int(scores[0]["feature_from_0"]) == shown.fit.feature_order[0]
    # Every image with its error, the one that is rebuilt worst first.
    errors = list(csv.DictReader(io.StringIO(files["fit_fit-errors_csv"].make())))
    assert list(errors[0]) == ["sample_from_1", "row_of_data_from_0", "class", "error", "influence"]
    worst = int(np.argmax(shown.fit.sample_residuals))
    assert int(errors[0]["sample_from_1"]) == worst + 1, "counted from 1, as on every page"
    digits = load("digits")
    assert errors[0]["class"] == digits.target_names[digits.target[worst]]
    assert len(errors) == 1797
    assert Image.open(io.BytesIO(files["fit_importance_png"].make())).width > 500
    assert "</svg>" in files["fit_importance_svg"].make()


def test_the_film_that_is_looked_at_is_a_gif_once_enough_of_it_is_there(arrive, files):
    page = settled(arrive("explore", data="digits", alpha="0.4"))
    jobs = services().films.jobs
    *_, job = jobs._jobs  # begun last: the film
    # A film that nobody looks at is stopped.
    while jobs.view(job).active:
        jobs.join(job, 0.1)
    page.run()
    film = files["fit_film-alpha_gif"]
    assert (film.label, film.name) == ("Film, GIF", "film-alpha.gif")
    assert Image.open(io.BytesIO(film.make())).n_frames == 41
    assert 'max="40"' in files["fit_report"].make()


def test_the_picture_is_in_the_report_only_where_it_is_wished(arrive, files):
    page = settled(arrive("explore", data="digits"))
    (wish,) = [box for box in page.checkbox if box.key.startswith("report_with_images")]
    assert wish.value is True
    made = files["fit_report"].make()
    assert "What is left of one image?" in made
    # The best pixels stand there once, and no chart means other ones.
    assert "Seen through the best 20 pixels" in made
    assert "pixels, light" not in made
    assert f"k = {result(page).fit.n_kept}" not in made
    wish.uncheck()
    look(page)
    made = files["fit_report"].make()
    assert "What is left of one image?" not in made
    assert "The best 20 pixels, light" in made


def test_an_upload_of_unknown_terms_shows_no_picture_by_itself(arrive, files, good_file):
    page = arrive("explore")
    page.file_uploader[0].upload("people.npz", good_file)
    settled(until(look(page), lambda: "asked" not in page.session_state))
    (wish,) = [box for box in page.checkbox if box.key.startswith("report_with_images")]
    assert wish.value is False


def test_motion_gives_the_body_in_place_of_the_map(arrive, files):
    settled(arrive("explore", data="motion"))
    assert "</svg>" in files["fit_importance_svg"].make()
    assert "fit_importance_png" not in files
    assert "<svg" in files["fit_report"].make()


@pytest.mark.parametrize("solver", ["reweighted", "both"])
def test_the_report_of_algorithm_1_says_how_far_it_is(arrive, files, solver):
    page = settled(arrive("explore", data="digits", solver=solver))
    seen = read(files["fit_report"].make())
    assert f"Objective {result(page).fit.objective:.10g}" in seen.text


@pytest.mark.parametrize(
    ("alpha", "says"), [("0", "there is no ranking to read"), ("1", "every pixel is exactly zero")]
)
def test_a_fit_without_an_order_has_a_report(arrive, files, alpha, says):
    settled(arrive("explore", data="digits", alpha=alpha, beta=alpha))
    seen = read(files["fit_report"].make()).text
    assert says in seen
    assert "The best" not in seen


def test_buttons_sleep_until_there_is_something(arrive, monkeypatch):
    def refuse(*args, **more):
        raise ValueError("These images cannot be fitted: choose others.")

    monkeypatch.setattr("cspca.experiments.live.follow", refuse)
    page = settled(arrive("explore", data="digits"))
    assert {button.disabled for button in page.get("download_button")} == {True}
    assert "appear here when it is done" in words(page)


def test_the_data_go_with_their_terms(arrive, files):
    page = arrive("data", data="digits")
    assert "Terms: CC BY 4.0." in words(page).replace("\\", "")
    digits = load("digits")
    with np.load(io.BytesIO(files["data_data_npz"].make()), allow_pickle=False) as arrays:
        assert np.array_equal(arrays["X"].reshape(1797, 64), digits.data)
    assert files["data_data_csv"].make().count("\n") == 1798


def test_what_was_fetched_is_not_passed_on(arrive, files):
    fetched = make_faces(3, 4, 8).made_by(Recipe("fetch", ("lfw",)))
    object.__setattr__(fetched, "licence", "for research")
    key = services().library.add(fetched)
    page = arrive("data", data=key)
    assert files == {}
    assert "on these terms: for research" in words(page)


def test_a_title_leaves_the_name_of_a_class_as_it_was_written():
    named = Dataset(np.eye(4), target=[0, 0, 1, 1], image_shape=(2, 2), target_names=("USA", "d"))
    assert pictures.sample_title(named, 0) == "Image 1, USA"


def test_names_of_files_hold_nothing_of_a_hostile_name():
    assert file_name("../../etc/passwd\x00<b>", "scores.csv") == "cspca-etc-passwd-b-scores.csv"
    assert file_name("顔", "a.png") == "cspca-data-a.png"


def test_a_pinned_fit_is_in_the_report(arrive, files):
    page = settled(arrive("explore", data="digits", alpha="0.4", pin="0.2 0.02"))
    until(page, lambda: staged(page)["pinned"])
    assert page.query_params["pin"] == "0.2 0.02"
    written = files["fit_report"].make()
    assert "A and B" in written
    assert "A: α = 0.2, β = 0.02" in written
