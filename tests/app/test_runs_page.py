"""The Runs page by its widgets: what is listed to whom, opened, renamed, deleted, gone on with."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset, load
from cspca.runs import kept_comparisons
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.store import HOME_VARIABLE, RunState, Store
from cspca.runs.sweeps import (
    CLUSTER,
    comparison_sweep,
    fit_of,
    fit_sweep,
    run_sweep,
    sensitivity_sweep,
    start_sweep,
    starts_sweep,
)
from cspca.ui import keys, visitor
from cspca.ui.runs_page import listing, words, work
from cspca.ui.services import services, sweeps
from tests.app.conftest import look, settled
from tests.app.conftest import words as said


@pytest.fixture(params=[True], ids=["owner"])
def reach(request, monkeypatch):
    """Whether all visitors are the server's owner, or none is."""
    monkeypatch.setattr(visitor, "is_owner", lambda: request.param)
    return request.param


@pytest.fixture
def shell(tmp_path, server):
    """The store as a shell has it open."""
    with Store(tmp_path / "store") as opened:
        yield opened


def small():
    rng = np.random.default_rng(0)
    data = rng.random((3, 12))[np.arange(30) % 3] / 2 + rng.random((30, 12)) / 4
    return Dataset(data, np.arange(30) % 3, name="thirty")


def request_of(dataset, **changes):
    asked = ComparisonRequest(dataset.sha256, ("all", "variance"), (3, 6), 4, 3)
    return replace(asked, **changes)


def compared(store, dataset, name=None, **changes):
    """A finished comparison, made in a shell."""
    sweep = comparison_sweep(request_of(dataset, **changes).plan(dataset))
    run_id = start_sweep(store, sweep, dataset, name=name)
    run_sweep(store, run_id, dataset)
    return run_id


def fitted(store, dataset, alpha=0.1, name=None):
    run_id = start_sweep(store, fit_sweep(alpha, 0.01), dataset, name=name)
    run_sweep(store, run_id, dataset)
    return run_id


def press(page, key, run_id=""):
    page.button(key=f"{key}_{run_id}" if run_id else key).click()
    return look(page)


def has(page, key, run_id=""):
    wanted = f"{key}_{run_id}" if run_id else key
    return any(button.key == wanted for button in page.button)


def shown(page):
    """Names of the runs, in the order of the page."""
    return [
        html.value.split("<b>")[1].split("</b>")[0]
        for html in page.html
        if "cspca-run" in html.value and "<b>" in html.value
    ]


# -- the list --------------------------------------------------------------------------------------


def test_an_empty_store_says_what_to_do(arrive, reach):
    page = arrive("runs")
    assert page.title[0].value == "What was computed?"
    assert "Nothing is kept yet" in said(page)
    assert "Everything that was computed on this machine" in said(page)
    page.toggle(key=keys.RUNS_TRASH).set_value(True)
    assert "The trash is empty" in said(look(page))


def test_runs_of_a_shell_are_listed_with_what_they_are(arrive, reach, shell):
    digits = load("digits")
    compared(shell, small(), "Thirty, compared")
    fitted(shell, digits, name="<b>Digits</b>, fitted")
    page = arrive("runs")
    assert shown(page) == ["&lt;b&gt;Digits&lt;/b&gt;, fitted", "Thirty, compared"]
    text = said(page)
    assert "<span>Comparison</span><span>thirty</span><span>just now</span>" in text
    assert "<span>4 repetitions</span><span>14 steps</span>" in text
    assert "Done" in text


def test_search_and_kind_narrow_the_list(arrive, reach, shell):
    compared(shell, small(), "Thirty, compared")
    fitted(shell, small(), name="Thirty, fitted")
    page = arrive("runs")
    page.text_input(key=keys.RUNS_SEARCH).set_value("FITTED thirty")
    assert shown(look(page)) == ["Thirty, fitted"]
    page.text_input(key=keys.RUNS_SEARCH).set_value("")
    page.session_state[keys.RUNS_KIND] = "comparison"
    assert shown(look(page)) == ["Thirty, compared"]
    page.text_input(key=keys.RUNS_SEARCH).set_value("nothing such")
    assert "No run matches" in said(look(page))


def test_a_long_list_is_shown_in_parts(arrive, reach, shell):
    dataset = small()
    for number in range(listing.PAGE + 2):
        start_sweep(shell, fit_sweep(0.1, 0.01), dataset, name=f"Fit {number}", reuse=False)
    page = arrive("runs")
    assert len(shown(page)) == listing.PAGE
    press(page, keys.RUNS_MORE)
    assert len(shown(page)) == listing.PAGE + 2
    assert not has(page, keys.RUNS_MORE)


# -- who sees what ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reach", [False], indirect=True, ids=["visitor"])
def test_a_link_to_look_lists_a_run_and_changes_nothing(arrive, reach, shell):
    run_id = compared(shell, small(), "A friend's")
    compared(shell, small(), "Hers", n_seeds=3)
    page = arrive("runs")
    assert "Nothing of yours is kept yet" in said(page)
    assert "`python -m cspca open` opens this page with every run" in said(page)
    assert "Your runs are private" in said(page)
    page.text_input(key=keys.RUNS_SEARCH).set_value(run_id)
    assert shown(look(page)) == ["A friend&#x27;s"]
    # A link of an earlier version opens, and its list of runs leaves the address.
    again = arrive("runs", known=run_id)
    assert shown(again) == ["A friend&#x27;s"]
    assert "known" not in again.query_params
    press(again, keys.RUN_LOOK, run_id)
    assert again.text_input(key=f"{keys.RUN_NAME}_{run_id}").disabled
    assert not has(again, keys.RUN_DELETE, run_id)
    assert "only who began this run" in said(again)
    assert not work.may_change(run_id)
    page.text_input(key=keys.RUNS_SEARCH).set_value("Hers")
    assert shown(look(page)) == []


@pytest.mark.parametrize("reach", [False], indirect=True, ids=["visitor"])
def test_what_one_makes_is_listed_to_oneself(arrive, reach, shell):
    key = services().library.add(small())
    page = arrive("compare", data=key)
    page.session_state[keys.COMPARE_METHODS] = ["all", "variance"]
    page.text_input(key=keys.COMPARE_COUNTS).set_value("3, 6")
    page.number_input(key=keys.COMPARE_SEEDS).set_value(4)
    look(page)
    press(page, keys.COMPARE_RUN)
    run_id = page.session_state[keys.COMPARE_JOBS][key]
    assert services().comparisons.join(run_id, 60)
    page.switch_page("pages/runs.py")
    assert shown(look(page)) == ["Comparison on thirty"]
    assert shown(arrive("runs")) == []
    # Another visitor who asks for the same has a run of their own.
    other = arrive("compare", data=services().library.add(small()))
    other.session_state[keys.COMPARE_METHODS] = ["all", "variance"]
    other.text_input(key=keys.COMPARE_COUNTS).set_value("3, 6")
    other.number_input(key=keys.COMPARE_SEEDS).set_value(4)
    look(other)
    press(other, keys.COMPARE_RUN)
    assert set(other.session_state[keys.COMPARE_JOBS].values()) != {run_id}
    assert len(shell.runs()) == 2


# -- one run ---------------------------------------------------------------------------------------


def test_a_comparison_opens_where_it_was_made(arrive, reach, shell):
    digits = load("digits")
    run_id = compared(shell, digits, methods=("all", "laplacian"), n_clusters=10)
    page = press(arrive("runs"), keys.RUN_OPEN, run_id)
    assert page.session_state[keys.DATA] == "digits"
    assert page.query_params[keys.Q_COMPARE] == run_id
    assert page.title[0].value == "Which method picks the best pixels?"
    assert "cspca-best" in said(page)
    assert page.session_state[keys.COMPARE_METHODS] == ["all", "laplacian"]


@pytest.mark.parametrize(
    ("sweep", "title", "query"),
    [
        (
            lambda data: sensitivity_sweep(data, [0.1, 0.4], [0.01], n_features=8, n_seeds=2),
            "Where do α and β matter?",
            keys.Q_RUN,
        ),
        (
            lambda data: starts_sweep(
                data, 0.1, 0.01, inits=["diagonal-1", "random"], checkpoints=[5], n_seeds=2
            ),
            None,
            keys.Q_STARTS,
        ),
    ],
    ids=["grid", "starts"],
)
def test_grids_and_starts_open_on_their_pages(arrive, reach, shell, sweep, title, query):
    digits = load("digits")
    run_id = start_sweep(shell, sweep(digits), digits)
    run_sweep(shell, run_id, digits)
    page = press(arrive("runs"), keys.RUN_OPEN, run_id)
    assert page.query_params[query] == run_id
    assert page.title[0].value != "What was computed?"
    assert title is None or page.title[0].value == title
    assert page.session_state[keys.DATA] == "digits"
    shell.delete(run_id)
    page.switch_page(work.page_of(shell.get(run_id)))
    assert "is in the trash: restore it on the Runs page" in said(look(page))


def test_a_fit_opens_in_explore_at_its_penalties(arrive, reach, shell):
    run_id = fitted(shell, load("digits"), alpha=0.4)
    page = press(arrive("runs"), keys.RUN_OPEN, run_id)
    assert page.title[0].value == "What do α and β keep?"
    assert (page.session_state[keys.ALPHA], page.session_state[keys.BETA]) == (0.4, 0.01)


def test_data_that_are_gone_are_named(arrive, reach, shell):
    run_id = compared(shell, small())
    page = press(arrive("runs"), keys.RUN_OPEN, run_id)
    assert page.title[0].value == "What was computed?"
    (error,) = page.error
    assert "open thirty again on the Data page" in error.value
    assert "report and files can be had without them" in error.value


def test_kept_data_open_a_run_after_a_restart(arrive, reach, shell):
    services().library.add(small())
    run_id = compared(shell, small())
    page = press(arrive("runs"), keys.RUN_LOOK, run_id)
    press(page, keys.RUN_KEEP_DATA, run_id)
    assert shell.get(run_id).data.kept
    services.clear()
    sweeps.clear()
    page = press(arrive("runs"), keys.RUN_OPEN, run_id)
    assert page.title[0].value == "Which method picks the best features?"
    assert "cspca-best" in said(page)
    page = press(arrive("runs"), keys.RUN_LOOK, run_id)
    press(page, keys.RUN_KEEP_DATA, run_id)
    assert not shell.get(run_id).data.kept


def test_a_run_is_renamed(arrive, reach, shell):
    run_id = fitted(shell, small(), name="Before")
    page = press(arrive("runs"), keys.RUN_LOOK, run_id)
    page.text_input(key=f"{keys.RUN_NAME}_{run_id}").set_value("  After  ")
    assert shown(look(page)) == ["After"]
    assert shell.get(run_id).name == "After"
    page.text_input(key=f"{keys.RUN_NAME}_{run_id}").set_value(" ")
    assert shown(look(page)) == ["After"]


def test_a_run_is_deleted_and_taken_back(arrive, reach, shell):
    run_id = fitted(shell, small(), name="Thirty")
    page = press(arrive("runs"), keys.RUN_LOOK, run_id)
    press(page, keys.RUN_DELETE, run_id)
    assert shown(page) == []
    assert any("**Thirty** is in the trash" in box.value for box in page.info)
    assert shell.get(run_id).deleted is not None
    press(page, keys.RUN_UNDO)
    assert shown(page) == ["Thirty"]
    assert not has(page, keys.RUN_UNDO)
    shell.delete(run_id)
    page.toggle(key=keys.RUNS_TRASH).set_value(True)
    assert shown(look(page)) == ["Thirty"]
    press(page, keys.RUN_RESTORE, run_id)
    assert shell.get(run_id).deleted is None


def test_files_can_be_taken_and_two_runs_held_against_each_other(arrive, reach, shell):
    dataset = small()
    first = compared(shell, dataset, "Random")
    second = compared(shell, dataset, "Spread", init="k-means++")
    fitted(shell, dataset, name="A fit")
    page = press(arrive("runs"), keys.RUN_LOOK, first)
    labels = [button.proto.label for button in page.get("download_button")]
    assert labels[0] == "Report"
    assert "JSON" in labels
    assert "Everything" in labels
    chosen = page.selectbox(key=keys.RUN_OTHER)
    assert chosen.options == ["Spread"]
    chosen.set_value(second)
    look(page)
    text = said(page)
    assert '<th scope="row">Starts of K-means</th><td>random</td><td>k-means++</td>' in text
    assert "over the 4 seeds that both have" in text
    assert '<th scope="row">Max variance</th>' in text
    page.segmented_control(key=keys.RUN_METRIC).set_value("nmi")
    assert "Normalised mutual information (NMI), %" in said(look(page))


# -- work ------------------------------------------------------------------------------------------


def test_an_interrupted_run_is_gone_on_with(arrive, reach, shell, monkeypatch):
    dataset = load("digits")
    there, let_go = threading.Event(), threading.Event()
    take = kept_comparisons._Taken.take

    def taken(self, outcome):
        if outcome.task.step == CLUSTER and not there.is_set():
            there.set()
            assert let_go.wait(30)
        take(self, outcome)

    monkeypatch.setattr(kept_comparisons._Taken, "take", taken)
    sweep = comparison_sweep(request_of(dataset, n_clusters=10).plan(dataset))
    run_id = start_sweep(shell, sweep, dataset)
    page = arrive("runs")
    assert "Not begun" in said(page)
    press(page, keys.RUN_GO_ON, run_id)
    assert there.wait(30)
    look(page)
    assert "Running" in said(page)
    assert not has(page, keys.RUN_GO_ON, run_id)
    press(page, keys.RUN_STOP, run_id)
    let_go.set()
    assert services().comparisons.join(run_id, 60)
    look(page)
    assert "Stopped" in said(page)
    assert 0 < shell.get(run_id).n_done < shell.get(run_id).n_cells
    press(page, keys.RUN_GO_ON, run_id)
    assert services().comparisons.join(run_id, 60)
    assert "Done" in said(look(page))
    assert shell.get(run_id).state is RunState.DONE
    assert {cell.commits for cell in shell.cells(run_id)} == {1}


def test_what_another_program_computes_is_followed_and_cannot_be_stopped_here(arrive, reach, shell):
    dataset = small()
    sweep = comparison_sweep(request_of(dataset).plan(dataset))
    run_id = start_sweep(shell, sweep, dataset, name="From a shell")
    pages = []

    def watch(progress):
        if not pages:
            pages.append(arrive("runs"))

    run_sweep(shell, run_id, dataset, on_progress=watch)
    (page,) = pages
    assert "Running" in said(page)
    assert not has(page, keys.RUN_STOP, run_id)
    assert not has(page, keys.RUN_GO_ON, run_id)


def test_a_fit_of_explore_is_kept_on_request_and_only_once(arrive, reach, shell):
    page = settled(arrive("explore", data="digits", alpha="0.2", beta="0.01"))
    press(page, keys.KEEP_FIT)
    (run,) = shell.runs()
    assert sweeps().join(run.id, 60)
    press(page, keys.KEEP_FIT)
    assert sweeps().join(run.id, 60)
    (run,) = shell.runs()
    assert (run.kind, run.state, run.name) == ("fit", RunState.DONE, "Fit, α = 0.2, β = 0.01")
    details, _ = fit_of(shell, run.id)
    kept = page.session_state[keys.LAST_RESULT].model
    assert details["objective"] == pytest.approx(kept.objective_, rel=2e-3)
    page.switch_page("pages/runs.py")
    assert shown(look(page)) == ["Fit, α = 0.2, β = 0.01"]


# -- what can go wrong -----------------------------------------------------------------------------


def test_a_damaged_store_is_one_sentence(arrive, reach, tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "runs.sqlite").write_bytes(b"no store at all" * 1000)
    page = arrive("runs")
    (error,) = page.error
    assert "damaged" in error.value
    assert "python -m cspca doctor --repair" in error.value


def test_the_paper_s_sets_are_there_without_a_store(arrive, reach, tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "runs.sqlite").write_bytes(b"no database" * 1000)
    page = arrive("paper", data="digits")
    page.segmented_control(key=keys.PAPER_VIEW).set_value("sets")
    look(page)
    (error,) = page.error
    assert "damaged" in error.value


def test_a_folder_that_cannot_be_looked_at_is_one_sentence(arrive, reach, tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / ("long" * 100)))
    page = arrive("paper", data="digits")
    (error,) = page.error
    assert "The store in" in error.value


@pytest.mark.parametrize("page", ["compare", "sensitivity", "convergence", "paper"])
def test_no_page_falls_over_a_damaged_store(arrive, reach, tmp_path, page):
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "runs.sqlite").write_bytes(b"no database" * 1000)
    at = arrive(page, data="digits")
    assert not any("went wrong on our side" in error.value for error in at.error)
    if page == "paper":
        (error,) = at.error
        assert "damaged" in error.value


def test_a_damaged_run_is_listed_with_what_to_do(arrive, reach, shell, tmp_path):
    run_id = fitted(shell, small(), name="Once good")
    with sqlite3.connect(tmp_path / "store" / "runs.sqlite") as connection:
        connection.execute("UPDATE runs SET request = '{}'")
    page = arrive("runs")
    assert shown(page) == ["Once good"]
    assert any("doctor --repair" in box.value for box in page.warning)
    assert not has(page, keys.RUN_OPEN, run_id)


def test_a_store_that_can_only_be_read_is_listed_and_left_alone(arrive, reach, shell, monkeypatch):
    run_id = fitted(shell, small(), name="Thirty")
    page = press(arrive("runs"), keys.RUN_LOOK, run_id)
    monkeypatch.setattr(sweeps().store._database, "read_only", True)
    press(page, keys.RUN_DELETE, run_id)
    assert any("can only be read" in error.value for error in page.error)
    assert shown(page) == ["Thirty"]
    assert not has(page, keys.RUN_UNDO)


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (5, "just now"),
        (125, "2 min ago"),
        (3 * 3600, "today, 09:00"),
        (15 * 3600, "yesterday, 21:00"),
        (40 * 3600, "18 Nov, 20:00"),
        (400 * 24 * 3600, "16 Oct 2025, 12:00"),
    ],
)
def test_when_it_was_is_said_as_a_person_would(ago, expected):
    from datetime import UTC, datetime

    noon = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
    assert words.when(noon - ago, noon, UTC) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.01, "under 0.1 s"), (12.34, "12.3 s"), (90, "1.5 min"), (2 * 3600, "2.0 h")],
)
def test_how_long_it_took(seconds, expected):
    assert words.took(seconds) == expected
