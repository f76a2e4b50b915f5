"""Each page by its widgets: what a visitor sets, sees and is told."""

from __future__ import annotations

import re
import threading
import time
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import load
from cspca.experiments import live
from cspca.experiments.ledger import Stopped
from cspca.ui import fields, menu, presets, state
from cspca.ui.plain import SORRY
from cspca.ui.services import services
from tests.app.conftest import look, npz, question, read, result, settled, staged, until, words
from tests.real_data import REPOSITORY


def progress(visitor):
    return services().jobs.view(visitor.session_state["view_job"])


# -- explore, the first page ---------------------------------------------------------------------


def test_the_first_page_opens_on_real_work_without_a_click(arrive):
    home = arrive()
    assert question(home) == "Which pixels matter?"
    assert progress(home) is not None
    settled(home)
    assert "of the optimum (proven)" in words(home)
    (line,) = staged(home)["course"]["lines"]
    assert line["best"] == sorted(line["best"], reverse=True)
    assert line["bound"][-1] < line["best"][-1]


def test_the_menu_lists_the_pages_that_exist():
    there = {one.stem for one in (REPOSITORY / "pages").glob("*.py")}
    assert set(menu.PAGES) == there


def test_at_first_sight_about_half_of_the_pixels_are_exactly_zero(arrive):
    home = settled(arrive())
    zeros = np.count_nonzero(result(home).fit.feature_scores == 0)
    assert 0.4 < zeros / load(state.DATA).n_features < 0.65


@pytest.mark.parametrize(
    "start", [*state.STARTS.values(), *state.UNRELATED, *presets.PRESETS], ids=repr
)
def test_views_start_at_stops_of_the_sliders(start):
    penalties = start.view.fit if isinstance(start, presets.Preset) else start
    assert {penalties.alpha, penalties.beta} <= set(fields.PENALTIES)


@pytest.mark.parametrize("preset", presets.PRESETS, ids=lambda one: one.view.preset)
def test_a_preset_opens_with_one_click(arrive, preset):
    home = arrive()
    home.button(key=f"preset_{preset.view.preset}").click()
    explore = look(home)
    assert question(explore) == f"Which {load(preset.view.data).nouns.features} matter?"
    assert preset.question in words(explore)
    assert explore.session_state["view_data"] == preset.view.data
    assert explore.session_state["fit_solver"] == preset.view.fit.solver
    assert explore.session_state["view_mode"] == preset.view.mode
    assert explore.query_params["preset"] == preset.view.preset
    assert ("Known: how much" in words(explore)) == preset.view.truth


def test_the_card_of_spectra_shows_them_as_curves(arrive):
    data = arrive("data", data="digits")
    assert 'alt="8 images of faces."' in words(data)
    [card] = [html.value for html in data.html if "8 curves of spectra." in html.value]
    source = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', card)[1]
    curves = b64decode(source).decode()
    assert curves.count("<polyline") == 8
    # Genes have no places of their own: nothing is drawn of them.
    assert "of genes." not in words(data)


def test_a_card_takes_another_data_set_in_use(arrive):
    visitor = settled(arrive())
    before = visitor.session_state["view_job"]
    visitor.switch_page(menu.script("data"))
    look(visitor).button(key="use_digits").click()
    look(visitor)
    assert visitor.session_state["view_data"] == "digits"
    visitor.switch_page(menu.script("explore"))
    settled(look(visitor))
    assert visitor.session_state["view_job"] != before
    assert "1,797 images, 8 × 8, 10 classes" in words(visitor)
    assert result(visitor).fit.feature_scores.shape == (64,)


# -- explore -------------------------------------------------------------------------------------


def test_explore_by_default(arrive):
    explore = settled(arrive("explore"))
    text = words(explore)
    assert "of the optimum (proven)" in text
    assert "are exactly zero" in text
    seen, picture = staged(explore), staged(explore)["picture"]
    assert seen["top_k"] == 100
    assert picture["name"].startswith("Image 1")
    assert picture["rebuilt"]
    assert "helps rebuild" in picture["weights"]["words"]
    assert explore.code[0].value.count("\n") == 4
    assert not explore.get("download_button")[0].disabled
    assert all('alt="' in html.value for html in explore.html if "<img" in html.value)


def test_every_number_of_a_fit_says_what_it_means_with_its_own_numbers(arrive):
    explore = settled(arrive("explore", data="digits"))
    fit, told = result(explore).fit, {name: said for name, _, said, _ in staged(explore)["numbers"]}
    zeros = int((fit.feature_scores == 0).sum())
    assert f"{zeros:,} are exactly zero" in told["pixels in use"][2]
    assert f"{fit.rank} of 64" in told["rank"][2]
    terms, total = told["objective"][2].replace(",", "").split(" = ")
    assert eval(terms.replace("×", "*")) == pytest.approx(fit.objective, rel=1e-6)
    assert float(total) == pytest.approx(fit.objective, rel=1e-6)
    assert f"{fit.dual_objective:,.6g}" in told["lower bound"][2]
    for name in ("pixels in use", "rank", "objective", "lower bound", "distance from the optimum"):
        definition, formula, _, python = told[name]
        assert definition
        assert formula
        assert python.startswith(("model.", "np."))
    P, D = f"{fit.objective:,.9g}", f"{fit.dual_objective:,.9g}"
    assert f"({P} − {D}) / {D}" in told["distance from the optimum"][2]
    slider = explore.select_slider(key="fit_alpha")
    share, most, value = map(
        float, re.search(r"([\d.]+) × ([\d.]+) = ([\d.]+)", slider.help).groups()
    )
    assert share * most == pytest.approx(fit.alpha, rel=1e-3)
    assert value == pytest.approx(fit.alpha, rel=1e-3)


def test_a_slider_moves_and_another_fit_runs(arrive):
    explore = settled(arrive("explore", data="digits"))
    first = explore.session_state["view_job"]
    explore.select_slider(key="fit_alpha").set_value(0.2)
    settled(look(explore))
    assert explore.session_state["view_job"] != first
    assert explore.query_params["alpha"] == "0.2"
    assert result(explore).asked.alpha == 0.2
    (absolute,) = (field for field in explore.number_input if field.label == "α in the formula")
    assert absolute.value == pytest.approx(result(explore).alpha, rel=1e-3)
    assert f"{result(explore).alpha:.4g}" in explore.select_slider(key="fit_alpha").help


def test_a_short_fit_is_on_screen_in_the_run_that_began_it(arrive, monkeypatch):
    explore = settled(arrive("explore", data="digits"))
    monkeypatch.setattr("cspca.ui.fit_parts.AT_ONCE", 60)
    explore.select_slider(key="fit_alpha").set_value(0.2)
    look(explore)
    assert result(explore).asked.alpha == 0.2
    assert "of the optimum (proven)" in words(explore)


def test_going_back_to_a_fit_shows_it_at_once(arrive):
    explore = settled(arrive("explore", data="digits"))
    first, alpha = result(explore), explore.session_state["fit_alpha"]
    explore.select_slider(key="fit_alpha").set_value(0.2)
    settled(look(explore))
    explore.select_slider(key="fit_alpha").set_value(alpha)
    look(explore)
    # To the last digit: a fit that started from the one between would end elsewhere.
    assert result(explore).fit.objective == first.fit.objective
    assert not progress(explore).active
    assert "of the optimum (proven)" in words(explore)


def test_the_last_result_stays_while_the_next_one_is_made(arrive):
    explore = settled(arrive("explore"))
    last = result(explore)
    explore.select_slider(key="fit_beta").set_value(0.05)
    look(explore)
    if progress(explore).active:
        assert result(explore) is last
        assert not staged(explore)["picture"]["fresh"]
    settled(explore)
    assert result(explore) is not last
    assert staged(explore)["picture"]["fresh"]


def test_pixels_kept_in_place_of_alpha(arrive):
    explore = arrive("explore", data="digits")
    explore.segmented_control(key="view_mode").set_value("keep")
    look(explore)
    explore.select_slider(key="fit_keep").set_value(30 if 30 in _options(explore) else 28)
    settled(look(explore))
    wanted = explore.session_state["fit_keep"]
    assert abs(result(explore).fit.n_kept - wanted) <= 1
    assert explore.query_params["keep"] == str(wanted)
    assert "alpha" not in explore.query_params
    # Its lines of Python, and what is kept of it, are at the α that was found.
    assert f"alpha={result(explore).found.alpha!r}" in explore.code[0].value
    assert explore.segmented_control(key="fit_solver").disabled
    # The first things to move stand alone; the choice of a solver folds away with the rare ones.
    (more,) = (box for box in explore.expander if box.label == "More")
    assert "fit_solver" in {control.key for control in more.segmented_control}


def _options(explore):
    return [int(option) for option in explore.select_slider(key="fit_keep").options]


def test_one_slider_crosses_all_regimes(arrive):
    explore = arrive("explore", data="digits", mode="path", alpha="0.00001")
    seen = []
    for penalty in (1e-5, 0.02, 1.0):
        explore.select_slider(key="fit_alpha").set_value(penalty)
        settled(look(explore))
        seen.append(result(explore).fit.regime)
    assert seen == ["identity", "sparse", "zero"]


def test_identity_says_that_all_pixels_tie_and_draws_no_ranking(arrive):
    explore = settled(arrive("explore", data="digits", mode="path", alpha="0.00001"))
    text = words(explore)
    assert "all pixels that vary tie and there is no ranking" in text
    assert staged(explore)["top_k"] is None


def test_stop_and_continue(arrive):
    # A gap this small cannot be proved: only Stop ends this fit.
    explore = arrive("explore", data="digits", alpha="0.1")
    spec = progress(explore).snapshot.asked
    endless = services().fits.start(
        "digits",
        replace(spec, tol=0.0, max_iter=10**6),
        load("digits").sha256,
        owner=f"{explore.session_state['visitor_secret']} this window",
    )
    explore.session_state["view_job"] = endless
    until(explore, lambda: progress(explore).snapshot.scores is not None)
    assert progress(explore).state == "running"
    explore.button(key="stop_button").click()
    look(explore)
    assert services().jobs.join(endless, 1.0)
    look(explore)
    assert progress(explore).stop_reason == "asked"
    assert "You stopped this fit" in words(explore)
    stopped_at = progress(explore).snapshot.iterations
    explore.button(key="continue_button").click()
    look(explore)
    until(explore, lambda: progress(explore).snapshot.iterations > stopped_at)
    assert explore.session_state["view_job"] != endless
    explore.button(key="stop_button").click()
    look(explore)


def test_a_fit_stopped_while_the_data_are_prepared_can_be_continued(arrive, monkeypatch):
    begun, unhalted, whole = threading.Event(), threading.Event(), live.reduction

    def halting(data, center, normalize, stop=None):
        begun.set()
        while stop is not None and not stop() and not unhalted.is_set():
            time.sleep(0.01)
        if not unhalted.is_set():
            raise Stopped
        return whole(data, center, normalize, stop)

    monkeypatch.setattr("cspca.experiments.live.reduction", halting)
    explore = arrive("explore", data="digits", alpha="0.4")
    assert begun.wait(30.0)
    look(explore).button(key="stop_button").click()
    look(explore)
    job = explore.session_state["view_job"]
    assert services().jobs.join(job, 30.0)
    # The same page after a reload: another session of this visitor, by what is set.
    again = arrive("explore", of=explore, **dict(explore.query_params))
    for page in (look(explore), again):
        assert progress(page).state == "stopped"
        said = words(page)
        assert (
            "You stopped this fit before it had a result; Keep iterating starts it again." in said
        )
        assert "Preparing the data" not in said
        assert not page.button(key="continue_button").disabled
        assert page.button(key="settle_button").disabled
    unhalted.set()
    explore.button(key="continue_button").click()
    settled(look(explore))
    assert result(explore).certified
    assert progress(explore).state == "done"


def test_share_has_the_link_to_the_view_to_copy(arrive, monkeypatch):
    sent = {"text": "http://studio.example/?alpha=0.8", "source": "", "warning": "Here only."}
    monkeypatch.setattr("cspca.ui.fit_parts.link", lambda: sent)
    explore = settled(arrive("explore", data="digits", alpha="0.8"))
    assert sent["text"] in [code.value for code in explore.code]
    assert "Here only." in [caption.value for caption in explore.caption]


def test_no_more_features_than_are_in_use_are_highlighted(arrive):
    explore = settled(arrive("explore", data="digits", alpha="0.8"))
    in_use = result(explore).fit.n_kept
    for k in (explore.session_state["view_k"], 32):
        explore.select_slider(key="view_k").set_value(k)
        look(explore)
        assert 0 < in_use < k
        assert staged(explore)["top_k"] == in_use
        assert f"The best {k} are the {in_use} pixels in use." in words(explore)


def test_a_move_of_k_is_counted_and_a_link_or_lesson_is_none(arrive):
    explore = settled(arrive("explore", data="digits"))
    before = staged(explore)["k_moves"]
    explore.query_params["k"] = "12"
    assert staged(look(explore))["k_moves"] == before
    explore.select_slider(key="view_k").set_value(16)
    assert staged(look(explore))["k_moves"] == before + 1


def test_settle_tightens_the_same_fit_and_says_what_is_proven_of_single_pixels(arrive):
    explore = settled(arrive("explore", data="digits", alpha="0.4", tol="0.01"))
    before, ceilings = result(explore), staged(explore)["ceilings"]
    assert before.gap > 1e-4
    explore.button(key="settle_button").click()
    settled(look(explore))
    assert result(explore).gap <= 1e-5
    assert result(explore).iterations > before.iterations
    assert result(explore).asked.alpha == before.asked.alpha
    sent = staged(explore)
    assert re.fullmatch(r"\d+ pixels: at most \d+ % of the best score \(proven\)", sent["proven"])
    assert sent["ceilings"] != ceilings
    assert explore.button(key="settle_button").disabled


def test_without_a_row_penalty_nothing_is_proven_of_single_pixels(arrive):
    sent = staged(settled(arrive("explore", data="digits", alpha="0", beta="0.1", tol="1e-05")))
    assert sent["proven"] == "Nothing is proven of single pixels at α = 0"
    assert sent["share"] is None


def test_the_picture_the_mark_and_the_preparation_can_be_chosen(arrive):
    explore = settled(arrive("explore", data="digits"))
    explore.slider(key="face_slider").set_value(5)
    explore.select_slider(key="view_k").set_value(8)
    explore.toggle(key="fit_center").set_value(False)
    settled(look(explore))
    assert staged(explore)["picture"]["name"].startswith("Image 5")
    assert staged(explore)["top_k"] == 8
    assert explore.query_params["k"] == "8"
    assert explore.query_params["centre"] == "no"
    assert result(explore).asked.center is False


# -- the address ---------------------------------------------------------------------------------


def test_what_is_usual_is_not_in_the_address(arrive):
    assert settled(arrive()).query_params == {}
    digits = settled(
        arrive("explore", data="digits", alpha="0.4", beta="0.02", k="20", mode="path")
    )
    assert digits.query_params == {"data": "digits", "mode": "path"}


def test_what_an_address_does_not_say_is_as_usual(arrive):
    page = settled(arrive("explore", data="digits", alpha="0.2", k="9", centre="no", tol="0.01"))
    page.query_params.clear()
    page.query_params["data"] = "faces"
    look(page)
    assert result(settled(page)).asked == state.STARTS["faces"]
    assert page.query_params == {}


def test_a_window_loaded_anew_shows_the_fit_that_runs_and_others_do_not(arrive):
    address = {"data": "digits", "alpha": "0.2", "beta": "0.0001", "tol": "1e-05"}
    explore = settled(arrive("explore", **address))
    job = explore.session_state["view_job"]
    assert arrive("explore", of=explore, **address).session_state["view_job"] == job
    assert arrive("explore", **address).session_state["view_job"] != job


def test_the_view_survives_a_change_of_page(arrive):
    explore = settled(arrive("explore", data="digits", alpha="0.2"))
    job = explore.session_state["view_job"]
    explore.query_params.clear()
    explore.switch_page(menu.script("theory"))
    theory = look(explore)
    assert theory.query_params["alpha"] == "0.2"
    theory.query_params.clear()
    theory.switch_page(menu.script("explore"))
    explore = look(theory)
    assert explore.session_state["view_job"] == job
    assert explore.select_slider(key="fit_alpha").value == 0.2


def test_a_name_that_is_perhaps_misspelt_is_said_and_others_are_not_ours(arrive):
    page = arrive("explore", data="digits", alfa="0.2", normalize="yes", utm_source="mail")
    assert [error.value for error in page.error] == [
        "The link says alfa = 0.2, which is no setting here; perhaps alpha was meant.",
        "The link says normalize = yes, which is no setting here; perhaps normalise was meant.",
    ]


@pytest.mark.parametrize("name", menu.PAGES)
def test_a_deep_link_opens_its_page_with_its_settings_and_says_what_it_cannot_take(arrive, name):
    # Written in another way than we do: the address is that of what was read.
    link = {"alpha": "0.20", "beta": "0.050", "k": "12", "normalise": "1", "tol": "banana"}
    page = arrive(name, data="digits", **link)
    assert page.title[0].value == menu.PAGES[name].name
    assert page.error[0].value == (
        "The link cannot be followed: tol must be a number from 0 to 1, got 'banana'. "
        "The usual value is used."
    )
    assert "1,797 images" in words(page)
    read = {"data": "digits", "alpha": "0.2", "beta": "0.05", "k": "12", "normalise": "yes"}
    assert page.query_params == read


def fields_of(page):
    """What the widgets of a page say that are settings, by their keys."""
    kinds = ("select_slider", "number_input", "toggle", "checkbox", "segmented_control")
    return {
        widget.key: widget.value
        for kind in kinds
        for widget in getattr(page, kind)
        if re.match(r"(fit|view|compare|sensitivity|convergence|outliers)_", widget.key or "")
    }


def test_all_settings_are_the_same_from_page_to_page(arrive):
    address = {"data": "digits", "alpha": "0.3", "beta": "0.03", "k": "12", "tol": "0.01"}
    page = arrive(**address, normalise="yes", axis="seconds")
    before = dict(page.query_params)
    assert before.items() >= {"normalise": "yes", "k": "12", "axis": "seconds"}.items()
    said = {menu.FIRST: fields_of(page)}
    for name in [*menu.PAGES, menu.FIRST][1:]:
        page.query_params.clear()
        page.switch_page(menu.script(name))
        # Once more with all that its widgets say.
        look(look(page))
        assert page.query_params == before, name
        assert fields_of(page) == said.setdefault(name, fields_of(page)), name


BAD_LINKS = [
    ({"alpha": "-1"}, "alpha must be a number of at least 0, got '-1'"),
    ({"beta": "nan"}, "beta must be a number of at least 0, got 'nan'"),
    ({"alpha": "<b>x"}, "alpha must be a number of at least 0"),
    ({"k": "many"}, "k must be a whole number of at least 1"),
    ({"solver": "magic"}, "solver must be one of admm"),
    ({"alpha": "2"}, "The link asks for alpha = 2; 1 is the most here, so that is used."),
    ({"mode": "often"}, "mode must be one of penalties, path, keep, got 'often'"),
    ({"k": "99999"}, "k = 99,999; 1,024 is the most here"),
    ({"data": "no-such-id"}, "upload the file again"),
]


def test_a_bad_link_is_one_sentence_and_a_usable_page(arrive):
    for address, sentence in BAD_LINKS:
        explore = settled(arrive("explore", **address))
        assert explore.session_state["view_data"] == state.DATA
        assert result(explore) is not None
        assert len(explore.error) == 1
        assert sentence in explore.error[0].value
        # It stays while the fit runs and goes with the next thing the visitor does.
        explore.select_slider(key="view_k").set_value(10)
        assert not look(explore).error


def test_where_the_data_of_a_link_are_gone_its_penalties_stay_for_their_upload(arrive, good_file):
    page = settled(arrive("explore", data="no-such-id", alpha="0.3", beta="0.05"))
    assert page.session_state["view_data"] == state.DATA
    asked = result(page).asked
    assert (asked.alpha, asked.beta) == (0.3, 0.05)
    page.file_uploader(key="upload_file_sidebar").upload("mine.npz", good_file)
    settled(read(page))
    asked = result(page).asked
    assert page.session_state["view_data"] != state.DATA
    assert (asked.alpha, asked.beta) == (0.3, 0.05)
    assert not page.error
    # What the link does not say is that of the upload, not of what stood in its place.
    page = settled(arrive("explore", data="no-such-id", mode="keep", keep="12"))
    page.file_uploader(key="upload_file_sidebar").upload("mine.npz", good_file)
    settled(read(page))
    asked = result(page).asked
    assert asked.keep == 12
    assert not page.error
    # Another set begins with its own.
    other = settled(arrive("explore", data="no-such-id", alpha="0.3"))
    other.menu_button(key="choose_set").click("digits")
    assert result(settled(look(other))).asked.alpha != 0.3


# -- uploads -------------------------------------------------------------------------------------


def test_a_good_file_is_taken_in_use(arrive, good_file):
    visitor = settled(arrive())
    visitor.file_uploader(key="upload_file_sidebar").upload("mine.npz", good_file)
    settled(read(visitor))
    assert "20 images, 12 × 12, 4 classes" in words(visitor)
    assert len(visitor.session_state["view_data"]) > 20
    assert visitor.query_params["data"] == visitor.session_state["view_data"]
    assert result(visitor).fit.feature_scores.shape == (144,)


def test_an_upload_is_seen_through_its_address_alone(arrive, good_file):
    mine = arrive()
    mine.file_uploader(key="upload_file_sidebar").upload("my secret set.npz", good_file)
    read(mine)
    assert "my secret set" in words(mine)
    other = arrive()
    assert "my secret set" not in words(other)
    linked = arrive("explore", data=mine.session_state["view_data"])
    assert "my secret set" in words(linked)


BAD_FILES = [
    ("notes.mat", b"these are only words"),
    ("broken.npz", b"PK\x03\x04 and then nothing"),
    ("pickle.npz", npz(X=np.array([{"a": 1}, None], dtype=object))),
    ("empty.npy", b""),
    # Nothing to explain.
    ("constant.npz", npz(X=np.full((8, 16), 0.5))),
]


def test_a_bad_file_is_one_sentence_and_nothing_changes(arrive):
    for name, content in BAD_FILES:
        home = settled(arrive())
        before, job = result(home), home.session_state["view_job"]
        home.file_uploader(key="upload_file_sidebar").upload(name, content)
        read(home)
        assert len(home.error) == 1
        sentence = home.error[0].value
        assert name in sentence
        assert "\n" not in sentence
        assert "Traceback" not in sentence
        assert home.session_state["view_data"] == state.DATA
        assert home.session_state["view_job"] == job
        assert result(home) is before


def test_a_fit_that_cannot_be_made_is_one_sentence(arrive, monkeypatch):
    def refuse(*args, **more):
        raise ValueError("These images cannot be fitted: choose others\n\nand more detail")

    monkeypatch.setattr("cspca.experiments.live.follow", refuse)
    explore = settled(arrive("explore", data="digits"))
    assert [error.value for error in explore.error] == [
        "These images cannot be fitted: choose others."
    ]
    assert explore.button(key="continue_button").disabled
    assert explore.get("download_button")[0].disabled


def test_only_pixels_that_vary_can_be_kept(arrive):
    # Three of the 64 pixels of the digits never do.
    explore = arrive("explore", data="digits", mode="keep", keep="64")
    assert explore.session_state["fit_keep"] == 61


def plain_table(values):
    """A file that leaves no question open."""
    n_samples, n_features = values.shape
    names = np.array([f"gene {number}" for number in range(n_features)])
    return npz(X=values, sample_names=np.arange(n_samples).astype(str), feature_names=names)


def test_samples_that_are_not_pictures_work_everywhere_else(arrive):
    home = arrive()
    table = np.random.default_rng(0).random((30, 13))
    home.file_uploader(key="upload_file_sidebar").upload("table.npz", plain_table(table))
    settled(read(home))
    home.query_params.clear()
    home.switch_page(menu.script("explore"))
    explore = settled(look(home))
    assert "30 samples, 13 features" in words(explore)
    assert staged(explore)["picture"] is None
    assert "load_file('table.npz')" in explore.code[0].value


def test_a_name_from_a_file_is_never_markup(arrive, good_file):
    home = arrive()
    name = "<img src=x onerror=alert(1)>**bold**.npz"
    home.file_uploader(key="upload_file_sidebar").upload(name, good_file)
    read(home)
    assert not any("<img src=x" in html.value for html in home.html)
    # What Markdown would take for a tag has a backslash before it.
    spoken = [text.value for text in (*home.markdown, *home.caption)]
    assert not any(re.search(r"(?<!\\)<img", text) for text in spoken)
    assert any("bold" in text.value for text in home.text)


# -- when something breaks -----------------------------------------------------------------------


def test_an_unforeseen_error_is_one_sentence_and_in_the_log(arrive, monkeypatch, caplog):
    explore = settled(arrive("explore", data="digits"))

    def broken(*args, **kwargs):
        raise KeyError("/a/secret/path")

    monkeypatch.setattr("cspca.ui.pictures.sample_name", broken)
    look(explore)
    assert SORRY in [error.value for error in explore.error]
    assert "/a/secret/path" not in words(explore)
    assert "/a/secret/path" in caplog.text


def test_the_guide_is_that_of_the_repository(arrive):
    guide = arrive("guide", part="teaching")
    assert "A lesson of your own" in words(guide)
    parts = set((REPOSITORY / "cspca" / "guide").glob("*.md"))
    # The derivation has a page of its own.
    parts -= {REPOSITORY / "cspca" / "guide" / "theory.md"}
    # What is for the few who run a server or change the program is a press away.
    few = ("operating", "contributing")
    assert len(guide.button_group[0].options) == len(parts) - len(few)
    for file in parts:
        if file.stem in few:
            guide.button(key=f"guide_{file.stem}").click()
        else:
            guide.session_state["guide_part"] = file.stem
        look(guide)
        assert guide.query_params.get("part", ["using"]) in (file.stem, [file.stem])
        text = file.read_text("utf-8").partition("\n")[2].strip()
        assert text in [element.value for element in guide.main.markdown]


def test_the_first_page_says_what_is_solved_who_found_it_and_where_to_go_on(arrive):
    home = arrive()
    said = words(home)
    assert r"\lVert AW - A\rVert_{2,1} +" in said
    assert "https://arxiv.org/abs/1411.6233" in said
    assert all(f"**{one}**" in said for one in ("Fewer pixels", "Lower rank", "Certified"))
    links = {link.proto.label: link.proto.page for link in home.main.get("page_link")}
    assert {"paper", "guide"} <= set(links.values())


def test_a_link_to_a_search_by_algorithm_1_searches_by_the_certified_solver(arrive):
    """The search counts exact zeros, which Algorithm 1 has none of."""
    page = settled(arrive("explore", data="digits", mode="keep", keep="20", solver="reweighted"))
    assert page.session_state["view_opened"].fit.solver == "admm"
    assert abs(result(page).fit.n_kept - 20) <= 1
