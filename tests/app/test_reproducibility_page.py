"""The tab Reproducible of Explore: begun, followed, read at another k, kept, and opened again."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cspca.experiments import Reproducibility
from cspca.figures.features import score_curve
from cspca.ui import experiment_page, export, fields
from cspca.ui.services import runs
from tests.app.conftest import look, settled, words

KIND = "reproducibility"


def glanced(page):
    (run_id,) = page.session_state["glances"].values()
    assert runs().join(run_id, 120)
    return look(page)


@pytest.fixture(autouse=True)
def _begins_by_itself(arrive, monkeypatch):
    monkeypatch.setattr(experiment_page, "QUICK", 60.0)


@pytest.fixture
def opened(arrive):
    return glanced(arrive("explore", data="digits", part="reproducibility"))


def test_a_link_opens_it_and_what_takes_little_begins_by_itself(opened):
    assert opened.query_params["part"] == "reproducibility"
    said = words(opened)
    assert "Do other images select the same pixels?" in said
    assert "by every one of 50 halves of the images: 29 of 64; by none: 31; by some: 4" in said
    assert "not that they are the right ones" in said
    assert len(opened.get("plotly_chart")) == 3
    assert f"run-{KIND}" not in opened.query_params


def test_another_k_or_threshold_is_answered_without_a_run(opened):
    opened.number_input(key=fields.key(Reproducibility, "n_features")).set_value(10)
    look(opened)
    said = words(opened)
    assert "The best 10 pixels of the halves agree" in said
    assert "The settings have changed since" not in said
    opened.select_slider(key=fields.key(Reproducibility, "threshold")).set_value(1.0)
    look(opened)
    assert "among the best 10 of at least 100 % of the 50 halves" in words(opened)


def test_other_penalties_ask_for_a_run_and_hold_on_the_map_too(opened):
    opened.select_slider(key="fit_alpha").set_value(0.5)
    look(opened)
    assert "The settings have changed since" in words(opened)
    opened.button(key=f"{KIND}_run").click()
    look(opened)
    run = runs().store.view(opened.session_state["shown_runs"][KIND, "digits"])
    assert runs().join(run.id, 120)
    look(opened)
    assert "The settings have changed since" not in words(opened)
    assert runs().store.get(run.id).settings["alpha"] == 0.5
    assert opened.query_params[f"run-{KIND}"] == run.view_id
    opened.button_group(key="explore_tab").set_value("importance")
    look(opened)
    assert "part" not in opened.query_params
    assert opened.select_slider(key="fit_alpha").value == 0.5


def test_runs_opens_it_on_its_tab(opened, arrive):
    opened.button(key=f"{KIND}_run").click()
    look(opened)
    run = runs().store.view(opened.session_state["shown_runs"][KIND, "digits"])
    assert runs().join(run.id, 120)
    page = arrive("runs", of=opened)
    page.button(key=f"open_run_{run.id}").click()
    look(page)
    assert page.session_state["explore_tab"] == "reproducibility"


def test_where_every_map_is_empty_it_says_so(arrive):
    page = glanced(arrive("explore", data="digits", alpha="1", beta="0.5", part="reproducibility"))
    said = words(page)
    assert "On 50 of 50 halves W = 0 keeps no pixel." in said
    # W = 0 itself is proven there, so nothing is to wait or to press for.
    captions = [caption.value for caption in page.caption]
    assert any("the optimum is W = 0, to 10⁻⁹ at least" in one for one in captions)
    assert "Too little is proven" not in said
    assert len(page.get("plotly_chart")) == 1


def test_with_a_number_of_features_to_keep_halves_are_fitted_at_the_alpha_that_is_found(arrive):
    page = arrive("explore", data="digits", mode="keep", keep="20", part="reproducibility")
    (run_id,) = page.session_state["glances"].values()
    alpha = page.session_state["last_result"].found.alpha
    assert alpha != 0.1
    assert runs().view(run_id).settings["alpha"] == alpha
    assert page.select_slider(key="fit_keep").value == 20


def test_what_was_worked_out_of_a_run_stays_while_nothing_changes(opened, monkeypatch):
    before = words(opened)

    def again(*_):
        raise AssertionError("worked out anew")

    for name in ("findings", "printed"):
        monkeypatch.setattr(Reproducibility, name, again)
    look(opened)
    assert words(opened) == before


def test_proven_and_reproducible_are_drawn_once_enough_is_proven(arrive):
    opened = glanced(arrive("explore", data="digits", tol="0.01", part="reproducibility"))
    said = words(opened)
    assert "Which pixels are proven and reproducible?" in said
    assert "Too little is proven yet of single pixels: press **Solve more precisely**." in said
    assert len(opened.get("plotly_chart")) == 2
    opened.button(key="settle_button").click()
    settled(look(opened))
    said = words(opened)
    assert "Too little is proven" not in said
    assert len(opened.get("plotly_chart")) == 3
    sentence = next(line for line in said.splitlines() if "are proven and reproducible:" in line)
    numbers = [int(n) for n in re.findall(r"\b(\d+) (?:are|only)", sentence.replace(",", ""))]
    assert sum(numbers[:4]) == 64
    assert "at least 90 % of the halves leave them out" in sentence
    assert "never that it is large" in sentence
    # The share of halves is the slider's, and no fit is made for it.
    opened.select_slider(key=fields.key(Reproducibility, "threshold")).set_value(1.0)
    look(opened)
    assert "at least 100 % of the halves leave them out" in words(opened)


def test_halves_of_other_settings_are_not_held_against_the_fit(opened):
    opened.select_slider(key="fit_alpha").set_value(0.5)
    look(opened)
    assert "The halves are of other settings than the fit" in words(opened)


def test_at_alpha_0_nothing_can_be_proven(arrive):
    page = glanced(arrive("explore", data="digits", alpha="0", part="reproducibility"))
    assert "At α = 0 nothing can be proven of single pixels: raise α." in words(page)


def test_maps_of_one_height_stand_side_by_side_whatever_their_questions_take(monkeypatch):
    questions = ("Short?", "One of two lines?", "A third, below?")
    figures = {question: score_curve(np.array([1.0, 0.0]), 1) for question in questions}
    figures[questions[2]].update_layout(height=900)
    alignments = []

    def columns(count, *, gap, vertical_alignment):
        alignments.append(vertical_alignment)
        return []

    monkeypatch.setattr(export.st, "columns", columns)
    export.beside(figures, "test", "set", a="A", b="B")
    figures[questions[0]].update_layout(height=900)
    export.beside(figures, "test", "set", a="A", b="B")
    assert alignments == ["bottom", "top"]
