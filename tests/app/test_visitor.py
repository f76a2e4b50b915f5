"""Who a visitor is: by a cookie, by the owner's token, and by nothing else."""

from __future__ import annotations

import stat
import threading

import pytest
import streamlit as st

from cspca.datasets import load
from cspca.experiments import Fit, run
from cspca.experiments import database as owner
from cspca.experiments.database import HOME_VARIABLE, VISITOR, owner_secret
from cspca.experiments.store import Store
from cspca.ui import menu
from cspca.ui.services import runs
from tests.app.conftest import look, settled
from tests.app.conftest import words as said


@pytest.fixture
def cookie(monkeypatch):
    """What the server tells of the visitor, by the cookie that the browser has sent."""
    told = {}
    monkeypatch.setattr(type(st.context), "headers", told)
    return told


def press(page, key):
    page.button(key=key).click()
    return look(page)


def shown(page):
    """Names of the runs, in the order of the page."""
    return [
        html.value.split("<b>")[1].split("</b>")[0]
        for html in page.html
        if "cspca-run" in html.value and "<b>" in html.value
    ]


def from_a_shell():
    with Store() as store:
        run(Fit(alpha=0.2, beta=0.02), load("digits"), store=store, name="From a shell")


def secret(page):
    return page.session_state["visitor_secret"]


def keep_a_fit(arrive):
    page = settled(arrive("explore", data="digits"))
    press(page, "keep_fit_button")
    return page


def test_two_visitors_who_keep_the_same_have_a_run_each(arrive, cookie):
    keep_a_fit(arrive)
    keep_a_fit(arrive)
    kept = runs().store.runs()
    assert len({one.owner for one in kept}) == len(kept) == 2


def test_a_visitor_is_told_no_folder_of_the_server(arrive, cookie):
    assert "python -m cspca open" in said(arrive("runs"))
    assert str(owner.store_home()) not in said(arrive("runs"))


def test_who_keeps_the_same_fit_again_has_one_run(arrive, cookie):
    cookie[VISITOR] = secret(keep_a_fit(arrive))
    (kept,) = runs().store.runs()
    assert runs().join(kept.id, 60)
    keep_a_fit(arrive)
    assert [one.id for one in runs().store.runs()] == [kept.id]


def test_a_link_to_look_changes_nothing(arrive, cookie):
    keep_a_fit(arrive)
    (kept,) = runs().store.runs()
    assert runs().store.view(kept.view_id).id == kept.id
    assert not runs().store.may_change(kept, "0" * 32)
    with pytest.raises(ValueError, match="no run of this id"):
        runs().store.view(kept.id)


def test_the_secret_is_in_no_address(arrive, cookie):
    page = keep_a_fit(arrive)
    page.switch_page(menu.script("runs"))
    look(page)
    assert secret(page) not in str(page.query_params)
    sent = [one.proto.SerializeToString() for one in page.get("bidi_component")]
    assert sent
    assert not any(secret(page).encode() in message for message in sent)


def test_the_owner_sees_every_run(arrive, cookie):
    from_a_shell()
    assert shown(arrive("runs")) == []
    cookie[VISITOR] = owner_secret()
    page = arrive("runs")
    assert shown(page) == ["From a shell"]
    assert "Everything that was computed on this machine" in said(page)


def test_a_wrong_token_opens_nothing_and_says_so(arrive, cookie):
    from_a_shell()
    page = arrive("runs", token="0" * 32)
    assert shown(page) == []
    assert "does not open this server" in page.error[0].value
    assert "token" not in look(page).query_params


def test_a_token_is_only_for_its_owner_to_read(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    found = []
    threads = [threading.Thread(target=lambda: found.append(owner.owner_token())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found[0]) == 32
    assert stat.S_IMODE(owner.token_place().stat().st_mode) == 0o600
    assert owner.owner_token() == found[0]
    assert owner.owner_secret() != owner.owner_secret(tmp_path / "other")


def test_a_folder_that_cannot_be_written_has_a_token_for_the_time_being(tmp_path):
    (tmp_path / "file").write_text("no folder")
    first = owner.owner_token(tmp_path / "file" / "store")
    assert first == owner.owner_token(tmp_path / "file" / "store")
    assert owner.noted_address(tmp_path / "file" / "store") == ""


@pytest.mark.parametrize(
    "address",
    [
        {"known": "AAAAAAAAAAAAAAAAAAAAAA,BBBBBBBBBBBBBBBBBBBBBB"},
        {"data": "digits", "alpha": "0.4", "beta": "0.02", "k": "20", "known": "x"},
        {"data": "digits", "mode": "keep", "keep": "30", "centre": "no", "normalise": "yes"},
        {"data": "digits", "solver": "both", "axis": "iteration", "tol": "0.01", "job": "gone"},
        {"preset": "digit-strokes", "truth": "yes", "mode": "path", "alpha": "1e-3"},
    ],
)
@pytest.mark.parametrize("page", ["explore", "runs"])
def test_a_link_that_says_what_is_not_known_opens(arrive, cookie, page, address):
    at = arrive(page, **address)
    assert not at.error
    assert "known" not in look(at).query_params
