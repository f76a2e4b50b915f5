"""Two visitors and the owner: whose a run and a setting are, in windows of two browsers."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from cspca import shell
from cspca.experiments.database import owner_token
from tests.browser import explore
from tests.browser.harness import CONNECTED, Server, Visitor
from tests.browser.journey import ROW, row
from tests.browser.test_address import after, slide, stands


def test_tabs_a_second_browser_and_the_owner_s_link_share_saved_runs_or_nothing(
    server: Server, visit: Callable[..., Visitor], capsys: pytest.CaptureFixture[str]
) -> None:
    first = visit(server)
    explore.keep_fit(first, "/?data=digits")
    cookies = first.page.context.cookies()
    (secret,) = (cookie for cookie in cookies if re.fullmatch("[0-9a-f]{32}", cookie["value"]))
    assert (secret["httpOnly"], secret["sameSite"]) == (True, "Lax")
    # A whole new window of the same browser, and another browser given the address.
    second, other = Visitor(first.page.context.new_page(), server), visit(server)
    second.open("/runs")
    expect(row(second, "Fit")).to_be_visible()
    explore.choose_page(first, "runs")
    expect(row(first, "Fit")).to_be_visible()
    assert secret["value"] not in first.page.url
    other.open(first.page.url.removeprefix(server.url))
    other.sees("You have no saved runs yet")
    expect(other.page.locator(ROW)).to_have_count(0)
    # What is set in a tab is of that tab alone.
    second.open("/?data=digits&alpha=0.5")
    stands(second, "explore", {"data": "digits", "alpha": "0.5"})
    first.open("/?data=digits&alpha=0.2")
    stands(first, "explore", {"data": "digits", "alpha": "0.2"})
    slide(second, "fit_alpha")
    stands(second, "explore", {"data": "digits", "alpha": after(0.5)})
    slide(first, "fit_beta")
    address = {"data": "digits", "alpha": "0.2", "beta": "0.0224"}
    stands(first, "explore", address)
    explore.choose_page(second, "theory")
    stands(second, "theory", {"data": "digits", "alpha": after(0.5)})
    stands(first, "explore", address)
    the_owner_s_link_opens_the_shell_s_runs(other, capsys)
    for visitor in (first, second, other):
        visitor.is_healthy()


def the_owner_s_link_opens_the_shell_s_runs(
    visitor: Visitor, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its token leaves the address; that others see none of the runs holds tests/app/test_visitor.

    The visitor is on Runs.
    """
    server = visitor.server
    home = next(server.log.parent.rglob("owner-token")).parent
    saved = ("--save", "--name", "From a shell", "--home", str(home))
    assert shell.main(["fit", "digits", *saved]) == 0
    capsys.readouterr()
    assert shell.main(["open", "--no-browser", "--home", str(home)]) == 0
    token = owner_token(home)
    assert f"{server.url}/?token={token}" in capsys.readouterr().out
    assert token in server.words()
    visitor.open(f"/runs?token={token}")
    expect(row(visitor, "From a shell")).to_be_visible()
    expect(visitor.page).not_to_have_url(re.compile("token"))
    visitor.rest()
    visitor.page.go_back()
    visitor.page.wait_for_selector(CONNECTED)
    visitor.rest()
    assert "token" not in visitor.page.url
