"""What a page waits for: the browser asks, and has the page drawn anew when it is another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cspca.ui import follow as follow_module
from cspca.ui import windows
from cspca.ui.follow import REMOVED
from cspca.ui.services import services
from cspca.ui.windows import Followed, Glance, open_window, pause_of, poll
from tests.app.conftest import look
from tests.browser.harness import running_server
from tests.load.client import Client


@pytest.fixture
def follow(server, monkeypatch):
    """``follow(glance)`` opens a window whose page shows `glance`; the work is the last listed."""
    monkeypatch.setattr(windows, "_WINDOWS", {})

    def go(shown, pause=0.0):
        now = [shown]
        open_window("w", {"work": Followed(lambda: now[-1], shown, pause)})
        return now

    return go


def drawn(glance):
    return windows.summary({"work": Followed(lambda: glance, glance, 0.0)}, drawn=True)


def test_work_in_the_same_state_leaves_the_page_alone(follow):
    shown = Glance("running", 3, share=0.25, words="3 of 12")
    follow(shown)
    answer = poll("w")
    assert answer["state"] == drawn(shown)["state"]
    assert answer["moved"] == drawn(shown)["moved"]
    assert answer["bars"] == {"work": [0.25, "3 of 12"]}


def test_another_state_and_progress_are_told_apart(follow):
    shown = Glance("running", 3, every=4.0)
    now = follow(shown)
    now.append(Glance("running", 4, every=4.0))
    answer = poll("w")
    assert answer["state"] == drawn(shown)["state"]
    assert answer["moved"] != drawn(shown)["moved"]
    assert answer["every"] == 4.0
    now.append(Glance("done", 4, words="Done", active=False))
    answer = poll("w")
    assert answer["state"] != drawn(shown)["state"]
    # The page says so, once it is drawn with all results.
    assert answer["bars"] == {}


def test_work_is_looked_at_no_more_often_than_it_asks(follow):
    shown = Glance("open", active=False)
    now = follow(shown, pause=3600.0)
    now.append(Glance("closed", active=False))
    assert poll("w")["state"] == drawn(shown)["state"]


def test_what_cannot_be_looked_at_has_the_page_drawn_anew(follow, caplog):
    shown = Glance("running")
    follow(shown).clear()
    assert poll("w")["state"] != drawn(shown)["state"]
    assert "Work could not be followed." in caplog.text


def test_a_window_that_nobody_knows_gets_no_answer(follow):
    follow(Glance("running"))
    assert poll("another") is None


def test_a_closed_window_is_forgotten(follow, monkeypatch):
    follow(Glance("running"))
    monkeypatch.setattr(windows, "FORGOTTEN", -1.0)
    open_window("v", {})
    assert set(windows._WINDOWS) == {"v"}


@pytest.mark.parametrize(("jobs", "pause"), [(1, 0.3), (10, 0.4), (90, 2.0)])
def test_the_more_is_at_work_the_less_often_a_browser_asks(server, monkeypatch, jobs, pause):
    monkeypatch.setattr(type(services().jobs), "active", lambda self, heavy: jobs * heavy)
    work = Followed(lambda: Glance(""), Glance(""), windows.SOON)
    assert pause_of({"work": work}) == pytest.approx(pause)
    seldom = Followed(lambda: Glance(""), Glance(""), 5.0)
    assert pause_of({"removed": seldom}) == 5.0


@pytest.mark.parametrize(("jobs", "every"), [(1, 4.0), (4, 4.0), (10, 10.0), (30, 30.0)])
def test_the_more_is_at_work_the_less_often_progress_is_drawn(follow, monkeypatch, jobs, every):
    monkeypatch.setattr(type(services().jobs), "active", lambda self, heavy: jobs * heavy)
    follow(Glance("running", 3, every=4.0))
    assert poll("w")["every"] == pytest.approx(every)


def test_a_file_read_while_the_page_is_drawn_has_it_drawn_anew(arrive, good_file, monkeypatch):
    home = arrive()
    # The file has been read a moment after the page has looked whether it is.
    monkeypatch.setattr("cspca.ui.data_page.draft._settle_request", lambda: None)
    home.file_uploader(key="upload_file_sidebar").upload("mine.npz", good_file)
    look(home)
    assert services().loading.jobs.join(home.session_state["asked"].job, 60.0)
    followed = look(home).session_state["followed"]["loading_sidebar"]
    assert followed.look().state != followed.drawn.state


def test_a_page_is_drawn_again_only_when_the_browser_asks(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, Client.at(server.url, "explore?data=digits") as client:
        # Fit and film are drawn anew until they are done.
        client.until(lambda: client.rests and (client.work or {}).get("after") == REMOVED)
        before = len(client.sessions)
        told = json.loads(client.get(client.work["address"]))
        assert told["state"] == client.work["drawn"]["state"]
        assert len(client.sessions) == before


@pytest.mark.parametrize("active", [True, False])
def test_a_bar_of_work_that_ended_hears_no_answer_of_before(monkeypatch, active):
    sent = []
    monkeypatch.setattr("cspca.ui.follow._BAR", lambda *, key, data: sent.append((key, data)))
    follow_module.bar("upload", Glance("ready", share=0.5, words="half", active=active))
    assert sent == [
        ("bar_upload", {"name": "upload", "share": 0.5, "words": "half", "active": active})
    ]
