"""The Paper page by its widgets: empty, computed here or by a shell, stopped, and not labelled."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.evaluation.paper import PAPER_SETS
from cspca.evaluation.paper_claims import CLAIMS, judge
from cspca.runs.paper import (
    PARTS,
    Protocol,
    begin,
    findings_of,
    reproductions,
    run_reproduction,
)
from cspca.runs.store import HOME_VARIABLE, Store
from cspca.ui import keys, visitor
from cspca.ui.paper_page import live, reading
from cspca.ui.paper_page import takeaway as paper_takeaway
from cspca.ui.services import services, sweeps
from tests.app.conftest import look, words
from tests.runs.pages import read
from tests.runs.sweep_processes import blobs

DATA = blobs(n=60, d=20, classes=3)
TINY = Protocol(3, (0.01, 1.0, 100.0), 3, ("diagonal-1", "random"))


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch, server):
    """A store that nobody else uses, and a protocol that takes a second."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    monkeypatch.setattr(live, "PROTOCOLS", {"paper": TINY, "quick": replace(TINY, n_seeds=2)})
    monkeypatch.setattr(visitor, "is_owner", lambda: True)
    sweeps.clear()
    reading._read.clear()
    yield tmp_path / "store"
    if (tmp_path / "store").is_dir():
        sweeps().close()
        sweeps().store.close()
    sweeps.clear()
    reading._read.clear()


@pytest.fixture
def page(arrive):
    """``page(dataset)`` is a visitor of the page with these data."""
    return lambda dataset=DATA: arrive("paper", data=services().library.add(dataset))


def see(page, view):
    page.segmented_control(key=keys.PAPER_VIEW).set_value(view)
    return look(page)


def finished(page, seconds=90.0):
    end = time.monotonic() + seconds
    while any(view.active for view in map(sweeps().view, ids())):
        assert time.monotonic() < end
        time.sleep(0.05)
    return look(page)


def ids():
    return [run.id for one in reproductions(sweeps().store) for run in one.parts.values()]


def elsewhere(home, *, stop_after=None, dataset=DATA):
    """What a shell computes meanwhile."""
    seen = []
    with Store(home) as store:
        run_reproduction(
            store, begin(store, dataset, TINY), dataset,
            should_stop=lambda: stop_after is not None and len(seen) >= stop_after,
            on_progress=lambda *progress: seen.append(progress),
        )  # fmt: skip


def test_an_empty_page_says_what_to_do_and_makes_no_store(page, home):
    visitor = page()
    assert visitor.title[0].value == "Does the paper hold?"
    said = words(visitor)
    assert "None of the paper’s data sets" in said
    assert "Press **Run**" in said
    assert said.count("not tested here") == len(CLAIMS)
    assert not home.exists()
    said = words(see(visitor, "tables"))
    assert "71.3 ± 1.0" in said
    said = words(see(visitor, "sets"))
    for one in PAPER_SETS.values():
        assert one.title in said
    assert "Ask for access on its Zenodo page" in said
    assert not home.exists()


def test_run_fills_claims_tables_figures_and_starts(page):
    visitor = page()
    visitor.button(key=keys.PAPER_RUN).click()
    visitor = finished(look(visitor))
    said = words(visitor)
    assert "Done: Tables and sensitivity, Seven starts and convergence, Other claims" in said
    assert "not tested here" not in said
    assert "by a shortened protocol" in said
    assert "In plain words" in said
    assert visitor.button(key=keys.PAPER_RUN).disabled
    said = words(see(visitor, "tables"))
    assert "ACC in per cent, paper and ours" in said
    assert "the labels choose parameters and number of features" in said
    assert {one.key for one in visitor.get("download_button")} >= {
        keys.PAPER_REPORT, keys.PAPER_CSV, keys.PAPER_LATEX,
    }  # fmt: skip
    visitor.segmented_control(key=keys.PAPER_METRIC).set_value("nmi")
    assert "NMI in per cent, paper and ours" in words(look(visitor))
    see(visitor, "figures")
    assert len(visitor.get("plotly_chart")) == 3
    visitor.segmented_control(key=keys.PAPER_LOOK).set_value("bars")
    look(visitor)
    said = words(see(visitor, "starts"))
    assert "Certified solver" in said
    assert "7 · random" in said


def test_what_a_shell_computed_is_found(page, home):
    elsewhere(home)
    visitor = page()
    assert "Done: Tables and sensitivity" in words(visitor)
    assert visitor.button(key=keys.PAPER_RUN).disabled


def test_it_goes_on_where_a_shell_stopped(page, home):
    elsewhere(home, stop_after=2)
    visitor = page()
    bars = [element.proto.text for element in visitor.get("progress")]
    assert "stopped" in bars[0]
    button = visitor.button(key=keys.PAPER_RUN)
    assert button.label == "Go on"
    before = ids()
    button.click()
    visitor = finished(look(visitor))
    assert set(before) == set(ids())
    assert "Done: Tables and sensitivity" in words(visitor)


def test_stop_keeps_what_is_done_and_go_on_finishes(page, halted):
    there, let_go = halted
    visitor = page()
    visitor.session_state[keys.PAPER_PARTS] = ["comparison"]
    look(visitor)
    visitor.button(key=keys.PAPER_RUN).click()
    look(visitor)
    assert there.wait(30)
    visitor = look(visitor)
    assert [element.proto.text for element in visitor.get("progress")]
    visitor.button(key=keys.PAPER_STOP).click()
    look(visitor)
    let_go.set()
    visitor = finished(visitor)
    (bar,) = [element.proto.text for element in visitor.get("progress")]
    assert "stopped" in bar
    kept = sweeps().view(ids()[0]).run.n_done
    assert 0 < kept < sweeps().view(ids()[0]).run.n_cells
    visitor.button(key=keys.PAPER_RUN).click()
    visitor = finished(look(visitor))
    assert "Done: Tables and sensitivity" in words(visitor)


def test_one_part_alone(page):
    visitor = page()
    visitor.get("button_group")
    visitor.session_state[keys.PAPER_PARTS] = ["checks"]
    look(visitor)
    visitor.button(key=keys.PAPER_RUN).click()
    visitor = finished(look(visitor))
    (found,) = reproductions(sweeps().store)
    assert set(found.parts) == {"checks"}
    said = words(visitor)
    assert "PCA equals a regression" in said
    assert "not tested here" in said
    assert "with “Tables and sensitivity” chosen" in words(see(visitor, "figures"))


def test_strangers_do_not_see_the_runs_of_others(page, home, monkeypatch):
    elsewhere(home)
    monkeypatch.setattr(visitor, "is_owner", lambda: False)
    stranger = page()
    assert "Done:" not in words(stranger)
    stranger.button(key=keys.PAPER_RUN).click()
    # What they compute themselves they see, and nothing of it twice.
    stranger = finished(look(stranger))
    assert "Done:" in words(stranger)
    assert len(ids()) == 3 < len(sweeps().store.runs())


def test_two_data_sets_are_judged_together(page, home):
    elsewhere(home)
    elsewhere(home, dataset=blobs(n=60, d=20, classes=3, seed=1))
    visitor = page()
    visitor.toggle(key=keys.PAPER_OVER).set_value(True)
    said = words(look(visitor))
    assert "Ranks over 2 data sets" in said
    assert "Friedman" in said


def test_motion_stands_in_for_humaneva(arrive):
    visitor = arrive("paper", data="motion")
    assert "These stand in for HumanEVA" in words(visitor)
    assert "a stand-in is in use" in words(see(visitor, "sets"))


def test_data_without_classes_can_not_be_run(page):
    visitor = page(replace(DATA, target=None))
    assert visitor.button(key=keys.PAPER_RUN).disabled
    assert "these data have none" in words(visitor)


def test_data_of_the_papers_numbers_have_its_numbers_beside(page, home):
    rng = np.random.default_rng(0)
    orl = Dataset(rng.random((400, 1024)), np.arange(400) // 10, (32, 32), name="ORL")
    visitor = page(orl)
    assert "The paper’s ORL, by its name and its numbers" in words(visitor)
    said = words(see(visitor, "sets"))
    assert "in use" in said
    assert set(PARTS) == set(visitor.session_state[keys.PAPER_PARTS])


def test_the_report_is_there_before_the_tables_are(page, home, monkeypatch):
    offered = {}

    def remember(of, files, *, take_away=paper_takeaway.take_away, **more):
        offered.update((file.key, file) for file in files)
        take_away(of, files, **more)

    monkeypatch.setattr(paper_takeaway, "take_away", remember)
    monkeypatch.setattr("cspca.runs.report.document._plotly", lambda: "const Plotly = null")
    with Store(home) as store:
        done = run_reproduction(store, begin(store, DATA, TINY, ["checks"]), DATA)
        judged = judge([findings_of(store, done).evidence])
    visitor = page()
    buttons = {one.key: one for one in visitor.get("download_button")}
    assert list(buttons) == list(offered) == [keys.PAPER_REPORT]
    assert not buttons[keys.PAPER_REPORT].disabled
    seen = read(offered[keys.PAPER_REPORT].make())
    for one in judged:
        assert f"{one.verdict.value} {one.claim.says}" in seen.text
    assert visitor.code[0].value in "".join(seen.words)
