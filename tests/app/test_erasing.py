"""What is a visitor’s is theirs alone, measured, goes in time, and at once when they ask."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest

from cspca.experiments import Compare, run
from cspca.experiments.database import HOME_VARIABLE
from cspca.experiments.ledger import LEDGER, PUBLIC
from cspca.experiments.limits import Limits
from cspca.experiments.log import hashed
from cspca.experiments.memory import ONCE, owner_of
from cspca.experiments.store import Store
from cspca.ui import menu, pictures
from cspca.ui.services import erase, runs, services, tidy_hourly
from tests.app.conftest import look, npz, read, settled, words
from tests.experiments.toys import blobs

DAY = 24 * 3600.0


def secret(visitor):
    return visitor.session_state["visitor_secret"]


def remove(page, key, word="remove"):
    """Press a button that removes for good, type the word in its dialog and confirm."""
    page.button(key=key).click()
    look(page)
    page.text_input(key="removal_word").set_value(word)
    page.button(key="remove_for_good").click()
    return look(page)


def bring(visitor, name, content, place="sidebar"):
    rounds = visitor.session_state["upload_round"]
    key = f"upload_file_{place}" + (f"_{rounds}" if rounds else "")
    visitor.file_uploader(key=key).set_value([(name, content, "application/octet-stream")])
    return read(visitor)


@pytest.fixture(autouse=True)
def clear():
    """Nothing of the tests before."""
    for owner in LEDGER.owners():
        LEDGER.erase(owner)


def test_the_thumbnails_of_a_data_set_are_drawn_once_for_all_pages(arrive, good_file, monkeypatch):
    drawn, whole = [], pictures.drawn.contact_sheet

    def draw(images, columns):
        drawn.append(columns)
        return whole(images, columns)

    monkeypatch.setattr(pictures.drawn, "contact_sheet", draw)
    page = bring(arrive("explore"), "mine.npz", good_file)
    assert drawn
    drawn.clear()
    page.switch_page(menu.script("theory"))
    assert "5 images of mine." in words(look(look(page)))
    assert drawn == []


def test_two_visitors_with_one_file_have_names_fits_and_forgetting_of_their_own(arrive, good_file):
    ann = settled(bring(arrive("explore"), "anns.npz", good_file))
    bea = bring(arrive("explore"), "beas.npz", good_file)
    data, other = (one.session_state["view_data"] for one in (ann, bea))
    sets = [services().library.get(one) for one in (data, other)]
    assert sets[0].sha256 == sets[1].sha256
    assert "anns" not in words(bea)
    # A fit that somebody else has made answers nobody at once, nor does one begin from it.
    assert services().jobs.view(bea.session_state["view_job"]).began < float("inf")
    assert not settled(bea).session_state["last_result"].warm
    assert LEDGER.held(hashed(secret(ann))) > sets[0].data.nbytes
    ann.switch_page(menu.script("data"))
    remove(look(ann), "erase_data")
    assert "Removed: 0 runs, and " in ann.success[0].value
    assert ann.session_state["view_data"] == "faces"
    assert "anns" not in words(ann)
    assert data not in services().library
    assert LEDGER.held(hashed(secret(ann))) == 0
    assert services().library.get(other).name == "beas"
    assert services().jobs.view(bea.session_state["view_job"]).snapshot.fits
    assert LEDGER.held(PUBLIC) > 0


def test_all_that_is_a_visitor_s_goes_at_once_and_it_is_said(arrive, good_file):
    page = settled(bring(arrive("explore"), "mine.npz", good_file))
    who, data = secret(page), page.session_state["view_data"]
    store, library = runs().store, services().library
    mine = store.create(Compare(), library.get(data), owner=who)
    gone = store.create(Compare(n_seeds=3), library.get(data), owner=who)
    theirs = store.create(Compare(), library.get(data), owner="somebody else")
    runs().keep_data(mine, library.get(data), who)
    store.trash(gone)
    room = services().classes.open(who, {}, "", 16, 4)
    page.switch_page(menu.script("runs"))
    assert "for 24 hours from its arrival at most" in words(look(page))
    assert "in the trash for 30 days" in words(page)
    page.button(key="erase_runs").click()
    assert "**1 data set** that you uploaded" in words(look(page))
    assert "**2 runs**, the trash included" in words(page)
    page.button(key="remove_for_good").click()
    look(page)
    assert "Nothing was removed: type remove" in page.error[0].value
    assert len(store.runs(who)) == 1
    page.text_input(key="removal_word").set_value(" Remove")
    page.button(key="remove_for_good").click()
    assert "Removed: 2 runs, and " in look(page).success[0].value
    assert store.runs(who) == store.runs(who, trashed=True) == []
    assert store.taken(who) == 0
    assert [run.id for run in store.runs()] == [theirs]
    assert services().classes.get(room.code) is None
    assert secret(page) == who, "it is still the same visitor"
    assert "You have no saved runs yet" in words(page)


def held_of(sha256):
    """Keys of all memories of the server under which something of these data lies."""
    return [key for memory in LEDGER.memories for key in memory.entries if sha256 in str(key)]


def test_thumbnails_of_a_file_that_is_only_looked_at_go_with_it(arrive, good_file):
    page = bring(arrive("data"), "mine.npz", good_file, "bring")
    sha256 = services().loading.drafts.get(page.session_state["draft_job"]).dataset.sha256
    assert "mine" in words(page), "it is shown, and not in use"
    assert page.session_state["view_data"] == "faces"
    assert held_of(sha256)
    erase(secret(page))
    assert held_of(sha256) == []


def test_comparisons_are_kept_by_their_owner_and_go_with_the_rest(server):
    key = services().library.add(blobs(seed=9), "ann")
    data = services().library.get(key)
    experiment = Compare(methods=("variance",), n_features=(3,), n_seeds=2, n_draws=0)
    results = run(experiment, data).results
    comparison = experiment.comparison(results, data)
    assert experiment.comparison(results, data) is comparison, "it is made once"
    gone = ref(comparison)
    del comparison
    erase("ann")
    gc.collect()
    assert gone() is None
    # Of a run whose data the store has kept too.
    run_id = runs().store.create(experiment, data, owner="ann")
    runs().store.keep_data(run_id, data)
    assert owner_of(runs().store.data(run_id)) == hashed("ann")
    assert owner_of(runs().store.get(run_id).data) == hashed("ann")


def test_what_is_removed_is_gone_from_other_windows_at_their_next_look(
    arrive, good_file, monkeypatch
):
    page = settled(bring(arrive("explore"), "mine.npz", good_file))
    other = arrive("explore", data=page.session_state["view_data"])
    other.session_state["visitor_secret"] = secret(page)
    assert "mine" in words(settled(look(other)))
    other.session_state["numbers_of_mine"] = 3.5
    stranger = settled(bring(arrive("explore"), "theirs.npz", good_file))
    erase(secret(page))
    look(other)
    assert "mine" not in words(other)
    assert "removed in another window" in words(other)
    assert other.session_state["view_data"] == "faces"
    assert "numbers_of_mine" not in other.session_state
    assert secret(other) == secret(page)
    assert "theirs" in words(look(stranger))
    # It is said once.
    other.slider(key="face_slider").set_value(3)
    assert "view_data" in look(other).session_state


def test_what_is_at_work_for_a_visitor_stops_and_leaves_nothing(server, halted):
    there, let_go = halted
    data = services().library.add(blobs(), "ann")
    run_id = runs().start(Compare(methods=("all",), n_features=(3,)), data, owner="ann")
    assert there.wait(30)
    let_go.set()
    erase("ann")
    assert runs().store.runs() == []
    assert LEDGER.held(hashed("ann")) == 0
    assert services().jobs.view(run_id) is None


def test_who_has_no_room_is_told_what_to_do_and_others_go_on(arrive, good_file, monkeypatch):
    allowed = replace(Limits(), memory=40, visitor_memory=8, disk=40, visitor_disk=1)
    monkeypatch.setattr("cspca.experiments.ledger.limits", lambda: allowed)
    monkeypatch.setattr("cspca.experiments.store.limits", lambda: allowed)
    page = arrive("data")
    rng = np.random.default_rng(0)
    large = npz(X=rng.random((1200, 900)).astype(np.float32))
    bring(page, "large.npz", large, "bring")
    (said,) = [error.value for error in page.error]
    assert "large\\.npz takes " in said or "large.npz takes " in said
    assert "each visitor may fill" in said
    assert "Remove my data now" in said
    other = bring(arrive("explore"), "small.npz", good_file)
    key = other.session_state["view_data"]
    assert services().library.get(key).name == "small"
    # And on disk before a run is begun, or data are kept.
    big = replace(blobs(n=400, d=300), name="big")
    run_id = runs().store.create(Compare(), big, owner=secret(other))
    with pytest.raises(ValueError, match="1 MB of disk that each visitor may fill"):
        runs().keep_data(run_id, replace(blobs(n=400, d=400)), secret(other))
    runs().store.keep_data(run_id, big)
    runs().store.keep_data(runs().store.create(Compare(n_seeds=3), big, owner=secret(other)), big)
    look(other)
    other.switch_page(menu.script("compare"))
    look(other)
    other.button(key="compare_run").click()
    look(other)
    (said,) = [error.value for error in other.error]
    assert "empty the trash on the Runs page" in said


def test_it_is_tidied_every_hour_while_the_server_runs(server, tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "other"))
    with Store() as store:
        gone, stays = (store.create(Compare(n_seeds=n), blobs(), owner="ann") for n in (3, 4))
        store.trash(gone)
        now = store.get(gone).trashed
        waited = []

        def wait(seconds):
            waited.append(seconds)
            monkeypatch.setattr(
                "cspca.experiments.store.time.time", lambda: now + len(waited) * 11 * DAY
            )
            return len(waited) == 4

        tidy_hourly(wait)
        assert waited == [3600.0] * 4
        assert [run.id for run in store.runs()] == [stays]
        assert store.runs(trashed=True) == []


def test_what_was_made_of_an_opened_file_goes_with_it(arrive, good_file):
    page = arrive("data")
    public = set(ONCE.entries)
    bring(page, "mine.npz", good_file, place="bring")
    look(page)
    sha256 = services().loading.drafts.get(page.session_state["draft_job"]).dataset.sha256
    assert any(sha256 in key for key in set(ONCE.entries) - public)
    erase(secret(page))
    assert not [key for key in ONCE.entries if sha256 in key]


def test_the_trash_is_emptied_once_the_word_is_typed(arrive):
    page = arrive("runs")
    store, who = runs().store, secret(page)
    stays, gone = (store.create(Compare(n_seeds=n), blobs(), owner=who) for n in (3, 4))
    runs().keep_data(gone, blobs(), who)
    store.trash(gone)
    page.session_state["runs_trash"] = True
    assert remove(look(page), "empty_trash", "yes").error
    count, n_bytes = store.in_trash(who)
    assert (count, n_bytes > blobs().data.nbytes) == (1, True)
    assert f"Removes **1 run** in the trash for good, at most {n_bytes / 2**20:,.1f} MB" in words(
        page
    )
    page.text_input(key="removal_word").set_value("remove")
    page.button(key="remove_for_good").click()
    look(page)
    assert store.in_trash(who) == (0, 0)
    assert [run.id for run in store.runs(who)] == [stays]
    assert "The trash is empty" in words(page)
    assert "removing" not in page.session_state, "the dialog is closed"
