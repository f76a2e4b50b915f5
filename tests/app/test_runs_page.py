"""The Runs page by its widgets: what is listed to whom, opened, renamed, deleted, continued."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from cspca.datasets import leave_out, load, load_file, read_files
from cspca.experiments import Compare, Convergence, Sensitivity
from cspca.experiments import runner as runners
from cspca.experiments.database import DATABASE
from cspca.experiments.fit import Fit
from cspca.experiments.store import Store, StoreError
from cspca.selection import METHODS
from cspca.ui import export, runs_page, visitor
from cspca.ui.services import runs, services
from cspca.ui.state import STARTS
from tests.app.conftest import bars, look, npz, question, read
from tests.app.conftest import words as said
from tests.app.test_erasing import remove
from tests.experiments.toys import blobs

DATA = blobs(30, 12, 3, name="thirty")
COMPARED = Compare(methods=("all", "variance"), n_features=(3, 6), n_seeds=4, n_draws=2)
SHORT = Compare(methods=("variance",), n_features=(3,), n_seeds=2, n_draws=0)
GRID = Sensitivity(alphas=(0.1, 0.4), betas=(0.01,), n_features=8, n_seeds=2)
FROM_TWO = Convergence(inits=("diagonal-1", "random"), checkpoints=(5,), n_features=8, n_seeds=2)


@pytest.fixture
def operator(monkeypatch):
    """All visitors are the server's owner."""
    monkeypatch.setattr(visitor, "is_owner", lambda: True)


@pytest.fixture
def shell(tmp_path, server):
    """The store as a shell has it open."""
    with Store(tmp_path / "store") as opened:
        yield opened


def made(store, experiment=COMPARED, data=DATA, name=None, owner=""):
    """A finished run of a shell; its id."""
    run_id = store.create(experiment, data, owner=owner, name=name or experiment.name(data))
    runners.resume(store, run_id, experiment, data)
    return run_id


def press(page, key, run_id=""):
    page.button(key=f"{key}_{run_id}" if run_id else key).click()
    return look(page)


def has(page, key, run_id):
    return any(button.key == f"{key}_{run_id}" for button in page.button)


def shown(page):
    """Names of the runs, in the order of the page."""
    return [
        html.value.split("<b>")[1].split("</b>")[0]
        for html in page.html
        if "cspca-run" in html.value and "<b>" in html.value
    ]


def files(page, monkeypatch):
    """What the page offers to take away, by label."""
    found = {}
    whole = export.file_buttons

    def remember(of, offered, **more):
        found.update({file.label: file for file in offered})
        whole(of, offered, **more)

    monkeypatch.setattr(export, "file_buttons", remember)
    look(page)
    return found


# -- the list --------------------------------------------------------------------------------------


def test_an_empty_store_says_what_to_do(arrive, operator):
    page = arrive("runs")
    assert question(page) == "What was computed?"
    assert "There are no saved runs yet" in said(page)
    assert not page.main.text_input
    assert not page.main.toggle
    assert [link.value for link in page.main.page_link] == ["Compare methods"]
    assert "on its disk" not in said(page)
    assert "python -m cspca" not in said(page)


def test_runs_of_a_shell_are_listed_searched_and_narrowed_by_kind(
    arrive, operator, shell, monkeypatch
):
    made(shell, name="Thirty, compared")
    made(shell, GRID, name="<b>Thirty</b>, a grid")
    page = arrive("runs")
    assert not page.main.text_input, "so few need no search"
    monkeypatch.setattr(runs_page, "FILTERED", 2)
    look(page)
    assert shown(page) == ["&lt;b&gt;Thirty&lt;/b&gt;, a grid", "Thirty, compared"]
    assert "<span>Compare</span><span>thirty</span><span>just now</span>" in said(page)
    assert "of computing" in said(page)
    assert " steps" not in said(page)
    page.text_input(key="runs_search").set_value("COMPARED thirty")
    assert shown(look(page)) == ["Thirty, compared"]
    page.text_input(key="runs_search").set_value("")
    page.session_state["runs_kind"] = "sensitivity"
    assert len(shown(look(page))) == 1
    page.text_input(key="runs_search").set_value("nothing such")
    assert "No run matches" in said(look(page))


def test_a_long_list_is_shown_in_parts(arrive, operator, shell):
    for number in range(runs_page.SHOWN + 2):
        shell.create(COMPARED, DATA, name=f"Number {number}")
    page = arrive("runs")
    assert len(shown(page)) == runs_page.SHOWN
    assert len(shown(press(page, "runs_more"))) == runs_page.SHOWN + 2


def test_a_visitor_sees_and_removes_what_is_theirs_alone(arrive, shell):
    theirs = arrive("runs")
    assert "You have no saved runs yet" in said(theirs)
    made(shell, name="Theirs", owner=theirs.session_state["visitor_secret"])
    made(shell, GRID, name="The operator's")
    assert shown(look(theirs)) == ["Theirs"]
    assert "`python -m cspca open` opens this page with every run" in said(theirs)
    assert shown(arrive("runs")) == []
    remove(theirs, "erase_runs")
    assert "You have no saved runs yet" in said(look(theirs))
    assert [one.name for one in shell.runs()] == ["The operator's"]


# -- one run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("experiment", "title"),
    [
        (COMPARED, "Which method picks the best pixels?"),
        (GRID, "What is the effect of α and β?"),
        (FROM_TWO, "Is ten iterations enough?"),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_a_run_opens_on_its_page(arrive, operator, shell, experiment, title):
    run_id = made(shell, experiment, load("digits"))
    page = press(arrive("runs"), "open_run", run_id)
    assert question(page) == title
    assert page.session_state["view_data"] == "digits"
    assert page.query_params["run-" + experiment.kind] == shell.get(run_id).view_id
    # What the controls say in other words asks for the same.
    if experiment is COMPARED:
        assert "The settings have changed since" not in said(page)


def test_a_fit_opens_in_explore_at_its_penalties(arrive, operator, shell):
    run_id = made(shell, Fit(0.4, 0.01), load("digits"))
    page = press(arrive("runs"), "open_run", run_id)
    assert question(page) == "Which pixels matter?"
    assert (page.session_state["fit_alpha"], page.session_state["fit_beta"]) == (0.4, 0.01)


def test_a_fit_of_all_that_is_usual_is_opened_from_other_settings(arrive, operator, shell):
    usual = STARTS["faces"]
    run_id = made(shell, usual, load("faces"))
    page = press(arrive("runs", alpha="0.2", beta="0.05"), "open_run", run_id)
    assert question(page) == "Which pixels matter?"
    opened = page.session_state["fit_alpha"], page.session_state["fit_beta"]
    assert opened == (usual.alpha, usual.beta)
    assert look(page).query_params == {}


def test_data_that_are_gone_are_named_and_kept_ones_are_opened_after_a_restart(
    arrive, operator, shell
):
    run_id = made(shell)
    page = arrive("runs")
    assert not has(page, "open_run", run_id)
    assert not page.error
    assert "Upload thirty again: when it is the same, the run can be opened." in said(page)
    key = services().library.add(DATA)
    page = press(arrive("runs", data=key), "look_at_run", run_id)
    press(page, "keep_data_of_run", run_id)
    assert shell.get(run_id).kept
    services.clear()
    page = press(arrive("runs"), "open_run", run_id)
    assert question(page) == "Which method picks the best features?"
    page = press(arrive("runs"), "look_at_run", run_id)
    press(page, "keep_data_of_run", run_id)
    assert not shell.get(run_id).kept


def upload(page, place, name, content):
    """Upload a file again for a run, and let it be read."""
    rounds = page.session_state["upload_round"]
    key = f"upload_file_{place}" + (f"_{rounds}" if rounds else "")
    page.file_uploader(key=key).set_value([(name, content, "application/octet-stream")])
    return read(page)


@pytest.fixture
def left(arrive, shell, good_file):
    """A run on a file of a visitor whose data the server has no more: the run and its visitor."""
    recognised = read_files([("mine.npz", good_file)])
    data = leave_out(recognised.dataset, (3, 4))
    page = arrive("runs")
    owner = page.session_state["visitor_secret"]
    return shell.get(shell.create(SHORT, data, owner=owner, name="Of mine")), page


@pytest.mark.usefixtures("at_home")
def test_where_data_are_missing_the_right_file_resumes_the_run_and_another_is_refused(
    left, shell, good_file
):
    run, page = left
    look(page)
    assert not has(page, "go_on_with_run", run.id)
    assert "Upload mine.npz again" in said(page)
    place = f"run_{run.view_id}"
    upload(page, place, "other.npz", npz(X=np.random.default_rng(0).random((20, 144))))
    assert [one.value.replace("\\", "") for one in page.error] == [
        "other.npz holds other data than mine.npz, from which this run was made: upload the same "
        "file as then."
    ]
    assert shell.get(run.id).state == "ready"
    upload(page, place, "renamed.npz", good_file)
    assert not page.error
    assert runs().join(run.id, 60)
    assert shell.get(run.id).state == "done"
    assert page.session_state["view_data"] == "faces", "nothing else has changed"
    assert question(press(page, "open_run", run.id)) == "Which method picks the best pixels?"
    assert services().library.get(page.session_state["view_data"]).sha256 == run.data.sha256


@pytest.mark.usefixtures("at_home")
def test_a_link_to_a_run_whose_data_are_gone_offers_their_upload_in_the_sidebar(
    arrive, left, shell, good_file
):
    run, page = left
    address = {"data": "gone" * 6, "run-compare": run.view_id}
    there = arrive("compare", of=page, **address)
    assert "The data of Of mine, which this link names, are missing." in said(there)
    upload(there, "run_link", "mine.npz", good_file)
    data = there.session_state["view_data"]
    assert services().library.get(data).sha256 == run.data.sha256
    assert there.query_params["run-compare"] == run.view_id
    assert "are missing" not in said(there)
    assert runs().join(run.id, 60)
    assert shell.get(run.id).state == "done"
    # Who is only shown the run can look at it, and begins nothing.
    whole = Compare(methods=("variance",), n_features=(3,), n_seeds=3, n_draws=0)
    other = shell.get(shell.create(whole, services().library.get(data), owner="bea"))
    guest = arrive("compare", **address | {"run-compare": other.view_id})
    upload(guest, "run_link", "mine.npz", good_file)
    assert guest.query_params["run-compare"] == other.view_id
    assert shell.get(other.id).state == "ready"


def test_data_that_everybody_has_are_made_again_with_what_was_done_to_them(arrive, operator, shell):
    data = leave_out(load("digits"), range(0, 1700))
    run_id = shell.create(SHORT, data)
    page = press(arrive("runs"), "go_on_with_run", run_id)
    assert not page.error
    assert runs().join(run_id, 60)
    assert shell.get(run_id).state == "done"


def test_keep_its_data_too_is_offered_where_a_run_is_not_done(arrive, operator, shell):
    key = services().library.add(DATA)
    done, begun = made(shell), shell.create(SHORT, DATA)
    page = arrive("runs", data=key)
    assert not has(page, "keep_data_of_run", done), "of one that is done it stands under More"
    press(page, "keep_data_of_run", begun)
    assert shell.get(begun).kept
    assert not has(page, "keep_data_of_run", begun)


def test_a_run_is_renamed_deleted_and_taken_back(arrive, operator, shell):
    run_id = made(shell, name="Before")
    page = press(arrive("runs"), "look_at_run", run_id)
    for name in ("  After  ", " "):
        page.text_input(key=f"run_name_{run_id}").set_value(name)
        assert shown(look(page)) == ["After"]
    press(page, "delete_run", run_id)
    assert shown(page) == []
    assert any("**After** is in the trash" in box.value for box in page.info)
    assert shown(press(page, "undo_delete_run")) == ["After"]
    shell.trash(run_id)
    look(page).toggle(key="runs_trash").set_value(True)
    assert shown(look(page)) == ["After"]
    press(page, "restore_run", run_id)
    assert shell.get(run_id).trashed is None


def test_files_are_taken_and_two_runs_stand_side_by_side(arrive, operator, shell, monkeypatch):
    first = made(shell, name="Random")
    second = made(shell, Compare(**COMPARED.__dict__ | {"init": "k-means++"}), name="Spread")
    made(shell, GRID, name="A grid")
    page = press(arrive("runs"), "look_at_run", first)
    offered = files(page, monkeypatch)
    assert json.loads(offered["JSON"].make())["kind"] == "compare"
    assert offered["Everything"].make()[:2] == b"PK"
    chosen = page.selectbox(key="run_held_against")
    assert chosen.options == ["Spread"]
    chosen.set_value(second)
    text = said(look(page))
    assert '<th scope="row">Starts of K-means</th><td>random</td><td>k-means++</td>' in text
    assert "over the 4 seeds that both have" in text
    assert "<summary>ACC</summary>" in text
    # Of the run that is opened, and not of each in the list.
    assert len(re.findall(r"<summary>[^<]* of computing</summary>", text)) == 1
    assert '<th scope="row">Max variance</th>' in text
    page.session_state["runs_compared_by"] = "nmi"
    assert "Normalised mutual information (NMI), %" in said(look(page))


def test_two_fits_show_both_maps_and_take_no_objective_of_another_alpha_from_one(
    arrive, operator, shell
):
    digits = load("digits")
    first, second = (made(shell, Fit(alpha, 0.02), digits) for alpha in (0.2, 0.4))
    page = press(arrive("runs"), "look_at_run", first)
    page.selectbox(key="run_held_against").set_value(second)
    text = said(look(page))
    one, other = (shell.results(run).popitem()[1].rows[0] for run in (first, second))
    assert one["objective"] < other["objective"]
    assert f"<td>{other['objective']:.6g}</td><td>–</td>" in text
    assert f"<td>{other['rank']:.6g}</td><td>{other['rank'] - one['rank']:+.6g}</td>" in text
    assert "Second less first: orange where it keeps more, blue where less" in text
    assert "<summary>gap</summary>" in text
    assert re.search(r"\d+ pixels are kept by both, \d+ by the first alone", text)


@pytest.mark.usefixtures("at_home")
def test_a_run_says_how_its_set_was_read_without_the_set(arrive, operator, shell):
    table = "a,b\n" + "".join(f"{row},{row * row % 37 / 4}\n" for row in range(30))
    data = load_file(table.encode(), "mine.csv", scale="columns", classes_from="none")
    data = leave_out(data, [7])
    run_id = made(shell, Fit(alpha=0.1, beta=0.01), data)
    page = press(arrive("runs"), "look_at_run", run_id)
    words = said(page)
    assert "Samples are the rows of the table; its first row holds names." in words
    assert "1 of 2 columns is a feature; the other one is a." in words
    assert "from its least to its greatest value: b 0 – 9." in words
    assert "Some samples were left out; these numbers remain: 1-7, 9-30." in words


def test_runs_on_the_same_data_have_names_that_tell_them_apart():
    wishes = ({}, {"n_features": tuple(range(1, 64, 3))}, {"methods": ("all", "variance")},
              {"methods": tuple(METHODS)})  # fmt: skip
    names = [Compare(**one).name(DATA) for one in wishes]
    names += [Fit(**one).name(DATA) for one in ({}, {"alpha": 0.3}, {"center": False})]
    assert len(set(names)) == len(names)


# -- work ------------------------------------------------------------------------------------------


def test_what_was_left_is_continued_and_stopped(arrive, operator, shell, halted):
    there, let_go = halted
    run_id = shell.create(GRID, load("digits"), name="Left")
    page = arrive("runs", data="digits")
    assert "Not begun" in said(page)
    press(page, "go_on_with_run", run_id)
    assert there.wait(30)
    assert "Running" in said(look(page))
    assert not has(page, "go_on_with_run", run_id)
    page.button(key=f"stop_run_{run_id}").click()
    let_go.set()
    look(page)
    assert runs().join(run_id, 60)
    assert "Stopped" in said(look(page))
    stopped = shell.get(run_id)
    assert 0 < stopped.n_done < stopped.n_cells
    # Counted, since steps of unequal size make another share of the same run.
    assert f"{stopped.n_done:,} of {stopped.n_cells:,} results" in said(look(page))
    press(page, "go_on_with_run", run_id)
    assert runs().join(run_id, 60)
    assert "Done" in said(look(page))
    assert shell.get(run_id).state == "done"


def test_what_another_program_computes_is_followed_and_cannot_be_stopped_here(
    arrive, operator, shell
):
    run_id = shell.create(COMPARED, DATA, name="From a shell")
    shell.claim(run_id, [cell.name for cell in COMPARED.cells(DATA)])
    page = arrive("runs")
    assert "Running" in said(page)
    assert any("Another program computes it" in words for words in bars(page))
    assert not has(page, "stop_run", run_id)
    assert not has(page, "go_on_with_run", run_id)


# -- stores that are not well ----------------------------------------------------------------------


def test_a_damaged_store_is_one_sentence_on_every_page(arrive, operator, tmp_path, monkeypatch):
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / DATABASE).write_bytes(b"no store at all" * 1000)
    (error,) = arrive("runs").error
    assert "damaged" in error.value
    assert "python -m cspca doctor --repair" in error.value
    assert tmp_path.name not in error.value.replace("\\", "")
    for kind in ("compare", "sensitivity", "convergence", "paper"):
        assert arrive(kind, data="digits").title
    (folder / DATABASE).unlink()


def test_a_store_that_can_only_be_read_is_shown_and_says_so(arrive, operator, shell, monkeypatch):
    run_id = made(shell, name="Kept")
    page = press(arrive("runs"), "look_at_run", run_id)

    def refuse(*given):
        raise StoreError("The store can only be read: nothing was changed.")

    monkeypatch.setattr(Store, "trash", refuse)
    page = press(page, "delete_run", run_id)
    assert "can only be read" in page.error[0].value
    assert shown(page) == ["Kept"]
