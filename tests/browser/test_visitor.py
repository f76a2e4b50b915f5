"""The owner's link in a browser: it opens the shell's runs, and its token leaves the address."""

import re

import pytest
from playwright.sync_api import expect

from cspca import shell
from cspca.experiments.database import owner_token
from tests.browser.harness import CONNECTED, Visitor
from tests.browser.test_runs import row


def test_the_owner_s_link_shows_the_shell_s_runs_and_loses_its_token(
    visitor: Visitor, capsys: pytest.CaptureFixture[str]
) -> None:
    """That others see none of them is held by tests/app/test_visitor.py."""
    server = visitor.server
    home = next(server.log.parent.rglob("owner-token")).parent
    saved = ("--save", "--name", "From a shell", "--home", str(home))
    assert shell.main(["fit", "digits", *saved]) == 0
    capsys.readouterr()
    assert shell.main(["open", "--no-browser", "--home", str(home)]) == 0
    token = owner_token(home)
    assert f"{server.url}/?token={token}" in capsys.readouterr().out
    assert token in server.words()
    visitor.open("/guide")
    visitor.open(f"/runs?token={token}")
    expect(row(visitor, "From a shell")).to_be_visible()
    expect(visitor.page).not_to_have_url(re.compile("token"))
    visitor.rest()
    visitor.page.go_back()
    visitor.page.wait_for_selector(CONNECTED)
    visitor.rest()
    assert "token" not in visitor.page.url
    visitor.is_healthy()
