"""Who sees what: by the browser's cookie, by the owner's token, and by nothing in an address."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from cspca.experiments.database import owner_token
from cspca.ui import menu
from tests.browser import explore
from tests.browser.harness import REPOSITORY, Visitor, running_server
from tests.browser.test_runs import ROW, click, row

FIT = re.compile("^Fit")


def test_a_kept_fit_is_there_after_a_reload_and_nobody_else_sees_it(visit, server) -> None:
    visitor = visit(server)
    explore.keep_fit(visitor, "/?data=digits")
    visitor.page.reload()
    explore.wait_for_certificate(visitor)
    explore.choose_page(visitor, "runs")
    rows = visitor.page.locator(ROW)
    expect(rows.first).to_contain_text("Fit")
    found = visitor.page.context.cookies()
    (secret,) = (one for one in found if re.fullmatch("[0-9a-f]{32}", one["value"]))
    assert (secret["httpOnly"], secret["sameSite"]) == (True, "Lax")
    assert secret["value"] not in visitor.page.url
    # A whole new window of the same browser, and another browser given the address.
    again = Visitor(visitor.page.context.new_page(), server)
    again.open("/runs")
    expect(again.page.locator(ROW).first).to_contain_text("Fit")
    other = visit(server)
    other.open(visitor.page.url.removeprefix(server.url))
    other.sees("You have no saved runs yet")
    expect(other.page.locator(ROW)).to_have_count(0)
    visitor.is_healthy()
    other.is_healthy()


def test_the_owner_s_link_shows_the_shell_s_runs_and_loses_its_token(visit, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        owner, guest = visit(server), visit(server)
        explore.keep_fit(guest, "/?data=digits")
        owner.open("/runs")
        owner.sees("You have no saved runs yet")
        home = next(tmp_path.rglob("owner-token")).parent
        shell = subprocess.run(
            [
                *(sys.executable, "-m", "cspca", "fit", "digits", "--save"),
                *("--name", "From a shell", "--home", str(home)),
            ],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert shell.returncode == 0, shell.stderr
        opened = subprocess.run(
            [sys.executable, "-m", "cspca", "open", "--no-browser", "--home", str(home)],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        token = owner_token(home)
        assert f"{server.url}/?token={token}" in opened.stdout, opened.stderr
        assert token in server.words()
        owner.open(f"/runs?token={token}")
        expect(row(owner, "From a shell")).to_be_visible()
        expect(row(owner, "Fit")).to_be_visible()
        expect(owner.page).not_to_have_url(re.compile("token"), timeout=2000)
        owner.page.wait_for_timeout(1000)
        owner.page.go_back()
        owner.page.wait_for_timeout(1000)
        assert "token" not in owner.page.url
        owner.open("/runs")
        expect(row(owner, "From a shell")).to_be_visible()
        guest.open("/runs?token=" + "0" * 32)
        guest.sees("does not open this server")
        expect(row(guest, "Fit")).to_be_visible()
        expect(row(guest, "From a shell")).to_have_count(0)
        click(owner, "From a shell", "More")
        click(owner, "From a shell", "Delete")
        owner.sees("is in the trash")
        owner.is_healthy()
        guest.is_healthy()


def test_back_takes_one_press_after_a_change_of_page(visitor: Visitor) -> None:
    visitor.open("/")
    visitor.rest()
    pages = [menu.FIRST, "theory", "data", "runs", "compare"]
    for page in pages[1:]:
        explore.choose_page(visitor, page)
        visitor.page.wait_for_url(re.compile(f"/{page}"))
        visitor.rest()
    for page in pages[-2::-1]:
        visitor.page.go_back()
        # A busy server begins late, and a press before its answer has come adds a page (Streamlit).
        expect(visitor.page).to_have_title(f"{menu.PAGES[page].name} · CSPCA Studio")
        visitor.rest()
        path = visitor.page.url.removeprefix(visitor.server.url).split("?")[0]
        assert path == explore.address_of(page)
    visitor.is_healthy()
