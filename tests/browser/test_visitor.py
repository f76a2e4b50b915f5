"""Who sees what: by the browser's cookie, by the owner's token, and by nothing in an address."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cspca import shell
from cspca.experiments.database import owner_token
from tests.browser import explore
from tests.browser.harness import CONNECTED, running_server
from tests.browser.test_runs import click, row


def test_the_owner_s_link_shows_the_shell_s_runs_and_loses_its_token(
    visit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server(tmp_path) as server:
        owner, guest = visit(server), visit(server)
        explore.keep_fit(guest, "/?data=digits")
        owner.open("/runs")
        owner.sees("You have no saved runs yet")
        home = next(tmp_path.rglob("owner-token")).parent
        saved = ("--save", "--name", "From a shell", "--home", str(home))
        assert shell.main(["fit", "digits", *saved]) == 0
        capsys.readouterr()
        assert shell.main(["open", "--no-browser", "--home", str(home)]) == 0
        token = owner_token(home)
        assert f"{server.url}/?token={token}" in capsys.readouterr().out
        assert token in server.words()
        owner.open(f"/runs?token={token}")
        expect(row(owner, "From a shell")).to_be_visible()
        expect(row(owner, "Fit")).to_be_visible()
        expect(owner.page).not_to_have_url(re.compile("token"))
        owner.rest()
        owner.page.go_back()
        owner.page.wait_for_selector(CONNECTED)
        owner.rest()
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
