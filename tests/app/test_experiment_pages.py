"""What the pages of all experiments do alike: begin, follow, stop, go on, show, export, link."""

from __future__ import annotations

import io
import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Dataset, load
from cspca.experiments.cost import Rates
from cspca.experiments.database import DATABASE
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.runner import run, stored_outcome
from cspca.selection import METHODS
from cspca.ui import (
    compare_page,
    experiment_page,
    export,
    fields,
    keys,
    sensitivity_page,
    visitor,
)
from cspca.ui.services import runs, services
from tests.app.conftest import bars, look, words
from tests.browser.journey import by_library, without_times

KINDS = ("compare", "sensitivity", "convergence", "paper")
SETTINGS = {
    "compare": {
        "n_seeds": 2,
        "n_draws": 4,
        "methods": ["all", "variance"],
        "n_features": "8, 32",
    },
    "sensitivity": {"n_seeds": 2},
    "convergence": {"n_seeds": 2, "n_features": 8},
    "paper": {},
}


def small(page, kind):
    """Ask for little."""
    for name, value in SETTINGS[kind].items():
        key = fields.key(EXPERIMENTS[kind], name)
        elements = [*page.number_input, *page.text_input, *page.button_group]
        next(one for one in elements if one.key == key).set_value(value)
    if kind == "paper":
        page.session_state["paper_protocol"] = "quick"
        page.session_state[fields.key(EXPERIMENTS[kind], "parts")] = ["starts", "checks"]
    if kind == "convergence":
        page.session_state[fields.key(EXPERIMENTS[kind], "inits")] = ["diagonal-1", "random"]
    return look(page)


def press(page, key):
    page.button(key=key).click()
    return look(page)


def run_of(page, kind):
    view_id = page.session_state["shown_runs"][kind, page.session_state["view_data"]]
    return runs().store.view(view_id)


def finished(page, kind, seconds=120.0):
    assert runs().join(run_of(page, kind).id, seconds)
    return look(page)


@pytest.fixture(autouse=True)
def grids(monkeypatch):
    """Nine points in place of forty-nine."""
    monkeypatch.setattr("cspca.selection.RELATIVE_GRID", (0.01, 0.2, 0.8))
    monkeypatch.setattr("cspca.selection.PAPER_GRID", (1e-2, 1.0, 100.0))


@pytest.fixture
def offered(monkeypatch):
    """Files that the page offers, by label."""
    found = {}
    whole = export.file_buttons

    def remember(of, files, **more):
        found.clear()
        found.update({file.label: file for file in files})
        whole(of, files, **more)

    monkeypatch.setattr(export, "file_buttons", remember)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_page_says_what_to_do_and_what_it_takes(arrive, kind):
    page = arrive(kind, data="digits")
    said = words(page)
    assert f"Press **{page.button(key=f'{kind}_run').label}**" in said
    assert "clustering" in said
    assert re.search(r"about [\d.]+ (ms|s|min|h) of computing", said)
    assert "run-" + kind not in page.query_params


def glanced(page, kind):
    """What the page began by itself, at its end."""
    (run_id,) = page.session_state["glances"].values()
    assert runs().join(run_id, 60)
    look(page)
    return runs().view(run_id)


@pytest.mark.parametrize("kind", ["compare", "sensitivity"])
def test_what_takes_little_begins_by_itself_once_for_all_and_is_on_no_list(
    arrive, kind, monkeypatch
):
    monkeypatch.setattr(experiment_page, "QUICK", 60.0)
    monkeypatch.setattr(compare_page, "usual_counts", lambda n_features: (n_features // 8,))
    whole = load("digits")
    few = replace(whole, data=whole.data[:150], target=whole.target[:150])
    monkeypatch.setattr("cspca.experiments.memory.load", lambda name: few)
    page = arrive(kind, data="digits")
    done = glanced(page, kind)
    assert done.complete
    assert not done.asked
    assert page.get("plotly_chart")
    assert "run-" + kind not in page.query_params
    # Whoever comes later has it at once, and whoever comes often makes no second one.
    assert glanced(arrive(kind, data="digits"), kind).id == done.id
    assert runs().store.runs() == []
    assert page.button(key=f"{kind}_run").label == "Save"
    press(page, f"{kind}_run")
    (kept,) = runs().store.runs()
    assert kept.complete
    assert run_of(page, kind).id == kept.id


def test_a_quick_look_says_so_and_is_not_computed_again(arrive, monkeypatch):
    """Also: what would take long shows what it takes, and begins nothing."""
    digits = load("digits")
    whole = Rates(digits).seconds(sensitivity_page.usual(digits).cells(digits))
    monkeypatch.setattr(experiment_page, "QUICK", 0.5 * whole)
    page = arrive("sensitivity", data="digits")
    quick = glanced(page, "sensitivity")
    assert quick.complete
    assert bars(page)[0].startswith("Preview: 2 × 2 pairs of α and β, 10 starts of K-means · ")
    label = page.button(key="sensitivity_run").label
    assert label.startswith("Run full experiment, about ")
    assert "settings have changed" not in words(page)
    page = finished(press(page, "sensitivity_run"), "sensitivity")
    assert run_of(page, "sensitivity").complete
    # Whoever asked for the whole sees that from now on, and a quick look's cells are its own.
    assert bars(page)[0].startswith("Done")
    names = set(runs().store.results(quick.id))
    assert names < set(runs().store.results(run_of(page, "sensitivity").id))
    with sqlite3.connect(runs().store.home / DATABASE) as store:
        assert store.execute("SELECT max(commits) FROM cells").fetchone() == (1,)


def test_what_takes_longer_than_was_expected_ends_and_is_there_to_be_run(arrive, monkeypatch):
    monkeypatch.setattr(experiment_page, "QUICK", 60.0)
    monkeypatch.setattr(experiment_page, "AT_MOST", 0.0)
    page = arrive("sensitivity", data="digits")
    assert glanced(page, "sensitivity").n_done == 0
    assert bars(page)[0].startswith("Stopped · 0 of ")
    page = finished(press(page, "sensitivity_run"), "sensitivity")
    assert bars(page)[0].startswith("Done")


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_begun_shown_exported_and_found_again(arrive, kind, offered):
    page = small(arrive(kind, data="digits"), kind)
    page = finished(press(page, f"{kind}_run"), kind)
    assert bars(page)[0].startswith("Done")
    done = run_of(page, kind)
    assert page.query_params["run-" + kind] == done.view_id
    outcome = stored_outcome(runs().store, done, load("digits"))
    assert outcome.complete
    # The snippet is the outcome's, of at most eight lines, and the files are those of exports.
    assert page.code[0].value == outcome.snippet
    assert len(outcome.snippet.splitlines()) <= 8
    # Run as they stand, they give the table that the page offers.
    csv = offered["All results, CSV"].make()
    pd.testing.assert_frame_equal(without_times(csv), by_library(page.code[0].value, Path()))
    assert "<html" in offered["Report"].make()
    assert len(without_times(csv)) == len(outcome.table)
    with np.load(io.BytesIO(offered["Arrays, NPZ"].make())) as arrays:
        assert arrays.files
    assert r"\toprule" in offered["Tables, LaTeX"].make()
    # Somebody else with the link sees the same, and may change nothing.
    other = arrive(kind, data="digits", **{"run-" + kind: done.view_id})
    assert bars(other)[0].startswith("Done")
    assert not runs().store.may_change(done, other.session_state["visitor_secret"])
    # Asked for again, it is there at once.
    again = press(page, f"{kind}_run")
    assert run_of(again, kind).id == done.id
    if page.session_state[fields.key(EXPERIMENTS[kind], "n_seeds")] == 2:
        page.number_input(key=fields.key(EXPERIMENTS[kind], "n_seeds")).set_value(3)
        assert "The settings have changed since" in words(look(page))


def test_a_stop_keeps_what_is_done_and_going_on_computes_the_rest(arrive, halted):
    there, let_go = halted
    page = press(small(arrive("sensitivity", data="digits"), "sensitivity"), "sensitivity_run")
    assert there.wait(30)
    page = look(page)
    assert "Computing" in bars(page)[0]
    link = {"data": "digits", "run-sensitivity": run_of(page, "sensitivity").view_id}
    looking_on = arrive("sensitivity", **link)
    assert "Computing" in bars(looking_on)[0]
    assert "sensitivity_stop" not in {one.key for one in looking_on.button}
    press_stop = page.button(key="sensitivity_stop")
    press_stop.click()
    let_go.set()
    page = finished(look(page), "sensitivity")
    kept = run_of(page, "sensitivity")
    assert 0 < kept.n_done < kept.n_cells
    assert bars(page)[0].startswith("Stopped")
    assert "sensitivity_resume" not in {one.key for one in arrive("sensitivity", **link).button}
    page = look(page)
    # Of the two buttons the one that stands out goes on with the run that has stopped.
    assert page.button(key="sensitivity_resume").proto.type == "primary"
    assert page.button(key="sensitivity_run").proto.type == "secondary"
    page = finished(press(look(page), "sensitivity_resume"), "sensitivity")
    assert run_of(page, "sensitivity").complete


def test_what_was_run_before_is_shown_without_a_press(arrive, monkeypatch):
    monkeypatch.setattr(visitor, "is_owner", lambda: True)
    kind = EXPERIMENTS["convergence"]
    asked = kind(n_features=32, inits=("diagonal-1",), n_seeds=1)
    run(asked, load("digits"), store=runs().store)
    shown = runs().store.get(runs().store.find(asked, load("digits")))
    page = arrive("convergence", data="digits", **{"run-" + "convergence": shown.view_id})
    assert bars(page)[0].startswith("Done")
    assert page.session_state[fields.key(kind, "n_seeds")] == 1


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ({"run-compare": "x" * 22}, "no run"),
        ({"run": "y" * 22}, ""),
    ],
)
def test_a_link_to_nothing_is_one_sentence(arrive, address, says):
    page = arrive("compare", data="digits", **address)
    assert says.lower() in words(page).lower()


def test_a_run_of_other_data_or_another_kind_is_not_shown_here(arrive):
    found = runs().store
    run(EXPERIMENTS["sensitivity"](alphas=(0.1,), betas=(0.1,), n_seeds=1), load("digits"),
        store=found)  # fmt: skip
    (made,) = found.runs()
    page = arrive("compare", data="digits", **{"run-" + "compare": made.view_id})
    assert "is of another kind" in words(page)
    page = arrive("sensitivity", data="faces", **{"run-" + "sensitivity": made.view_id})
    assert "is of another data set" in words(page)
    found.trash(made.id)
    page = arrive("sensitivity", data="digits", **{"run-" + "sensitivity": made.view_id})
    assert "is in the trash" in words(page)


UNASKABLE = {
    "compare": [
        ("n_features", "ten", "Numbers of features must be a whole number"),
        ("n_features", "5, 999", "Numbers of features asks for 999 of 64 features"),
        ("methods", [], "No method is chosen"),
    ],
    "paper": [("parts", [], "arts must hold at least one")],
}


@pytest.mark.parametrize("kind", UNASKABLE)
def test_what_cannot_be_asked_is_said_beside_it(arrive, kind):
    page = arrive(kind, data="digits")
    for name, value, says in UNASKABLE[kind]:
        key = fields.key(EXPERIMENTS[kind], name)
        usual = page.session_state[key]
        assert says not in words(page)
        page.session_state[key] = value
        look(page)
        assert says in words(page)
        assert page.button(key=f"{kind}_run").disabled
        page.session_state[key] = usual
        assert not look(page).button(key=f"{kind}_run").disabled


@pytest.mark.parametrize("kind", ["compare", "sensitivity"])
def test_data_without_classes_are_compared_by_what_needs_none(arrive, kind):
    key = services().library.add(_unlabelled())
    page = arrive(kind, data=key)
    assert "no classes" in words(page)


def test_compare_shows_the_methods_of_the_paper_the_chosen_ones_and_on_request_all(arrive):
    page = arrive("compare", data="digits")
    methods = {"all", "variance", "laplacian", "spec", "mcfs", "udfs", "cspca"}
    titles = {key: method.title for key, method in METHODS.items()}

    def offered():
        pills = page.button_group(key="compare_methods")
        return set(pills.options), set(pills.value)

    assert offered() == ({titles[key] for key in methods}, methods)
    page.button(key="compare_all_methods").click()
    look(page)
    assert offered() == (set(titles.values()), methods)
    assert not [button for button in page.button if button.key == "compare_all_methods"]
    page.button_group(key="compare_methods").set_value(["cspca", "ndfs"])
    look(page)
    # In another window a run of these is shown: what is chosen is in sight.
    del page.session_state[keys.COMPARE_ALL_METHODS]
    look(page)
    assert offered() == ({titles[key] for key in (*methods, "ndfs")}, {"cspca", "ndfs"})
    assert page.button(key="compare_all_methods").label == "11 more methods"


@pytest.mark.parametrize("kind", ["compare", "paper"])
def test_data_of_which_nearly_every_sample_is_a_class_are_not_scored(arrive, kind):
    rng = np.random.default_rng(0)
    ids = Dataset(rng.random((30, 16)), np.arange(30), image_shape=(4, 4), name="ids")
    said = words(arrive(kind, data=services().library.add(ids)))
    assert (
        "Nearly every one of these images has a class of its own (30 classes of 30 images)" in said
    )


def test_reproducibility_is_measured_when_it_is_asked_for(arrive):
    page = small(arrive("compare", data="digits"), "compare")
    key = fields.key(EXPERIMENTS["compare"], "n_pairs")
    choice = next(one for one in page.button_group if one.key == key)
    assert choice.value == 0
    assert "fits more for every method" not in words(page)
    choice.set_value(25)
    look(page)
    assert "50 fits more for every method." in words(page)
    assert " and 50 refits: about " in page.button(key="compare_run").help
    press(page, "compare_run")
    finished(page, "compare")
    next(one for one in page.button_group if one.key == "compare_metric").set_value(
        "reproducibility"
    )
    look(page)
    said = words(page)
    assert "Highest index at 32 pixels: Max variance with " in said
    assert "over 50 halves of the images, the same for every method" in said
    assert "of a background that varies are selected again too" in said


def _unlabelled():
    rng = np.random.default_rng(0)
    return Dataset(rng.random((30, 16)), image_shape=(4, 4), name="plain")


def test_many_steps_are_begun_once_somebody_is_sure_and_too_many_not_at_all(arrive, monkeypatch):
    page = small(arrive("compare", data="digits"), "compare")
    assert not [box for box in page.checkbox if box.key.startswith("compare_all_")]
    draws = next(
        one for one in page.number_input if one.key == fields.key(EXPERIMENTS["compare"], "n_draws")
    )
    monkeypatch.setattr(experiment_page, "MANY", 10)
    look(page)
    (sure,) = [box for box in page.checkbox if box.key.startswith("compare_all_")]
    assert re.fullmatch(r"A large run, about [\d.]+ (ms|s|min|h) of .*", sure.label)
    assert page.button(key="compare_run").disabled
    sure.check()
    look(page)
    assert not page.button(key="compare_run").disabled
    monkeypatch.setattr("cspca.experiments.cost.MOST", 20)
    draws.set_value(50)
    look(page)
    (problem,) = [one.value for one in page.error]
    assert problem.startswith("This asks for more than 20 fits")
    assert page.button(key="compare_run").disabled


def test_the_bar_is_as_long_as_its_words_say(monkeypatch):
    monkeypatch.setattr(experiment_page.follow, "follow", lambda name, look, drawn: drawn)
    progress = SimpleNamespace(n_done=589, n_cells=4660, doing="clusterings", remaining=None)
    state = {"active": True, "state": "running", "stopping": False, "error": None}
    job = SimpleNamespace(snapshot=progress, **state)
    # Of cells a fifth is done; each stands for another number of steps.
    counts = {"n_done": 20, "n_failed": 0, "n_cells": 100}
    run = SimpleNamespace(job=job, active=True, asked=True, trashed=None, **counts)
    glance = experiment_page.watch(run, "bar")
    assert glance.share == 589 / 4660
    assert glance.words == "Computing · clusterings · 589 of 4,660 steps"
