"""Where a server has a login, what a visitor does belongs to the account; else nothing changes."""

from __future__ import annotations

import pytest
import streamlit as st

from cspca.experiments.database import VISITOR, owner_secret
from cspca.experiments.limits import Limits
from cspca.ui import visitor
from cspca.ui.plain import plain
from cspca.ui.services import runs
from tests.app.conftest import look, words
from tests.app.test_visitor import cookie as cookie
from tests.app.test_visitor import from_a_shell, keep_a_fit, shown

ANNA = {"is_logged_in": True, "iss": "https://id.example", "sub": "1", "email": "anna@example.org"}
BERT = ANNA | {"sub": "2", "email": "bert@example.org"}


@pytest.fixture
def account(monkeypatch):
    """Be somebody for the identity provider, or nobody yet."""
    monkeypatch.setattr(st, "secrets", {"auth": {"client_id": "studio", "redirect_uri": "…"}})

    def be(user):
        monkeypatch.setattr(st, "user", user)

    be({"is_logged_in": False})
    return be


def test_nobody_sees_a_page_before_they_have_logged_in(arrive, cookie, account):
    for page in ("explore", "runs"):
        at = arrive(page)
        assert [title.value for title in at.title] == ["Who is there?"]
        assert [button.label for button in at.button] == ["Log in"]
        assert "Data set in use" not in words(at)


def test_every_provider_has_its_button(arrive, cookie, account, monkeypatch):
    auth = {"cookie_secret": "x", "university": {"client_id": "a"}, "github": {"client_id": "b"}}
    monkeypatch.setattr(st, "secrets", {"auth": auth})
    asked = []
    monkeypatch.setattr(st, "login", asked.append)
    at = arrive("explore")
    assert [button.label for button in at.button] == [
        "Log in with university",
        "Log in with github",
    ]
    at.button(key="log_in_github").click().run()
    assert asked == ["github"]


def test_runs_belong_to_the_account_in_every_browser(arrive, cookie, account):
    account(ANNA)
    keep_a_fit(arrive)
    assert len(shown(arrive("runs"))) == 1
    # Another browser, with a cookie of its own, and another address of the same account.
    cookie[VISITOR] = "0123456789abcdef" * 2
    account(ANNA | {"email": "anna.newly@example.org"})
    assert len(shown(arrive("runs"))) == 1
    # The same browser, another account.
    account(BERT)
    assert shown(arrive("runs")) == []
    (kept,) = runs().store.runs()
    assert "anna" not in str(kept)


def test_an_account_is_left_by_a_button(arrive, cookie, account, monkeypatch):
    account(ANNA)
    left = []
    monkeypatch.setattr(st, "logout", lambda: left.append(True))
    at = arrive("data")
    button = at.button(key="log_out_button")
    assert button.help == f"You are {plain('anna@example.org')}."
    button.click()
    look(at)
    assert left == [True]


def test_the_owners_token_needs_no_account(arrive, cookie, account):
    from_a_shell()
    cookie[VISITOR] = owner_secret()
    assert shown(arrive("runs")) == ["From a shell"]


def test_without_a_login_nothing_speaks_of_one(arrive, cookie):
    at = arrive("data")
    assert not [button for button in at.button if button.key == "log_out_button"]


def test_of_a_single_user_everything_is_theirs(arrive, cookie, account, monkeypatch):
    from_a_shell()
    monkeypatch.setattr(visitor, "limits", lambda: Limits(single_user=True))
    assert shown(arrive("runs")) == ["From a shell"]
