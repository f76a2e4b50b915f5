"""Runs: left, opened, renamed, deleted and taken back; killed and gone on with; shared."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from cspca.experiments.owner import owner_token
from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import REPOSITORY, Visitor, running_server
from tests.browser.test_compare import fill, line_of, press, wait_for_status

ROW = f"[class*=st-key-{keys.BOX_RUN}_]"


def go_to(visitor: Visitor, page: str) -> None:
    visitor.page.locator(explore.MENU).get_by_role("link", name=page, exact=True).click()


def row(visitor: Visitor, name: str) -> Locator:
    of = visitor.page.locator(".cspca-run", has=visitor.page.get_by_text(name, exact=True))
    return visitor.page.locator(f"{ROW}:not({ROW} {ROW})").filter(has=of).first


def state_of(visitor: Visitor, name: str) -> Locator:
    return row(visitor, name).locator(".cspca-state")


def click(visitor: Visitor, name: str, button: str) -> None:
    row(visitor, name).get_by_role("button", name=button).click()


def compare(visitor: Visitor, seeds: int) -> None:
    visitor.open("/compare?data=digits")
    visitor.rest()
    fill(visitor, keys.COMPARE_SEEDS, str(seeds))
    visitor.sees(f"{31 * seeds:,} clusterings")
    press(visitor)
    wait_for_status(visitor, rf"[1-9][\d,]* of {31 * seeds:,} clusterings")


def test_a_comparison_is_left_opened_renamed_deleted_and_taken_back(visitor: Visitor) -> None:
    compare(visitor, 40)
    run_id = explore.wait_for_query(visitor, keys.Q_COMPARE)
    go_to(visitor, "Runs")
    visitor.sees("What was computed?")
    expect(state_of(visitor, "Comparison on digits")).to_have_text(re.compile("Running|Done"))
    expect(state_of(visitor, "Comparison on digits")).to_have_text("Done", timeout=60_000)
    click(visitor, "Comparison on digits", "Open")
    visitor.sees("Which method picks the best pixels?")
    wait_for_status(visitor, "Done · 1,240 of 1,240")
    assert explore.wait_for_query(visitor, keys.Q_COMPARE) == run_id
    expect(line_of(visitor, "CSPCA")).to_contain_text("±")
    go_to(visitor, "Runs")
    click(visitor, "Comparison on digits", "More")
    field = visitor.page.locator(f".st-key-{keys.RUN_NAME}_{run_id} input")
    expect(field).to_have_value("Comparison on digits")
    field.fill("Digits, 40 starts")
    field.press("Enter")
    expect(state_of(visitor, "Digits, 40 starts")).to_have_text("Done")
    with visitor.page.expect_download() as waiting:
        click(visitor, "Digits, 40 starts", "JSON")
    assert waiting.value.suggested_filename == "cspca-digits-40-starts-run.json"
    click(visitor, "Digits, 40 starts", "Delete")
    visitor.sees("is in the trash")
    expect(row(visitor, "Digits, 40 starts")).to_have_count(0)
    visitor.page.get_by_role("button", name="Undo").click()
    expect(state_of(visitor, "Digits, 40 starts")).to_have_text("Done")
    visitor.is_healthy()


def test_a_server_killed_in_the_middle_loses_nothing(visit, tmp_path: Path) -> None:
    """What was committed is there again, and is not computed twice."""
    with running_server(tmp_path) as first:
        visitor = visit(first)
        compare(visitor, 60)
        run_id = explore.wait_for_query(visitor, keys.Q_COMPARE)
        first.process.kill()
        first.process.wait(10)
        visitor.leave()
    store = next(tmp_path.rglob("runs.sqlite"))
    with sqlite3.connect(store) as connection:
        kept = dict(connection.execute("SELECT key, digest FROM cells WHERE state = 'done'"))
    assert 0 < len(kept) < 1860
    with running_server(tmp_path) as second:
        visitor = visit(second)
        visitor.open(f"/runs?token={owner_token(store.parent)}")
        expect(state_of(visitor, "Comparison on digits")).to_have_text(
            "Interrupted", timeout=30_000
        )
        click(visitor, "Comparison on digits", "Go on")
        at_work = re.compile(r"Computing · [\d,]+ of 1,867 steps · .* left|Done")
        expect(row(visitor, "Comparison on digits")).to_contain_text(at_work, timeout=60_000)
        visitor.open(f"/compare?data=digits&{keys.Q_COMPARE}={run_id}")
        wait_for_status(visitor, "Done · 1,860 of 1,860", 180)
        expect(line_of(visitor, "CSPCA")).to_contain_text("±")
        visitor.is_healthy()
    with sqlite3.connect(store) as connection:
        after = dict(connection.execute("SELECT key, digest FROM cells"))
        commits = connection.execute("SELECT DISTINCT commits FROM cells").fetchall()
    assert commits == [(1,)]
    assert {key: after[key] for key in kept} == kept


def test_two_visitors_and_a_shell_share_a_store(visit, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        one, other = visit(server), visit(server)
        compare(one, 40)
        home = next(tmp_path.rglob("runs.sqlite")).parent
        other.open(f"/runs?token={owner_token(home)}")
        expect(row(other, "Comparison on digits")).to_be_visible(timeout=30_000)
        shell = subprocess.run(
            [
                *(sys.executable, "-m", "cspca", "fit", "digits", "--save"),
                *("--name", "From a shell", "--home", str(home)),
            ],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert shell.returncode == 0, shell.stderr
        expect(state_of(other, "From a shell")).to_have_text("Done", timeout=20_000)
        click(other, "From a shell", "More")
        click(other, "From a shell", "Delete")
        # The one has never shown the owner's token, and sees what is theirs.
        go_to(one, "Runs")
        expect(state_of(one, "Comparison on digits")).to_have_text("Done", timeout=60_000)
        expect(row(one, "From a shell")).to_have_count(0)
        one.is_healthy()
        other.is_healthy()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_sticks_out(visit, server, width: int, dark: bool) -> None:
    visitor = visit(server, width=width, dark=dark)
    visitor.open("/compare?data=digits")
    visitor.rest()
    fill(visitor, keys.COMPARE_SEEDS, "2")
    press(visitor)
    wait_for_status(visitor, "Done · 62 of 62")
    visitor.open("/runs")
    visitor.page.get_by_role("button", name="More").first.click()
    visitor.sees("Take it with you")
    wider = visitor.page.evaluate(
        """() => {
            const main = document.querySelector("[data-testid=stMain]")
            return main.scrollWidth - main.clientWidth
        }"""
    )
    assert wider <= 0
    visitor.is_healthy()
