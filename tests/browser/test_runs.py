"""Runs: left, opened, renamed, deleted and taken back; shared with another program."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Locator, expect

from cspca.experiments.database import owner_token
from tests.browser import explore
from tests.browser.harness import REPOSITORY, Visitor, running_server
from tests.browser.journey import Journey

ROW = "[class*=st-key-run_]"

ELSEWHERE = """
import sys
from cspca.datasets import load
from cspca.experiments import Sensitivity, run
from cspca.experiments.store import Store
with Store(sys.argv[1]) as store:
    run(Sensitivity(alphas=(0.1,), betas=(0.1,), n_seeds=2), load("digits"), store=store)
"""


def go_to(visitor: Visitor, page: str) -> None:
    visitor.page.locator(explore.MENU).get_by_role("link", name=page, exact=True).click()


def row(visitor: Visitor, name: str) -> Locator:
    of = visitor.page.locator(".cspca-run b", has_text=re.compile(f"^{name}"))
    return visitor.page.locator(f"{ROW}:not({ROW} {ROW})").filter(has=of).first


def state_of(visitor: Visitor, name: str) -> Locator:
    return row(visitor, name).locator(".cspca-state")


def click(visitor: Visitor, name: str, button: str) -> None:
    row(visitor, name).get_by_role("button", name=button).click()


def compared(visitor: Visitor, n_seeds: int) -> Journey:
    """A comparison is begun."""
    journey = Journey(visitor, "compare")
    journey.open()
    journey.ask(n_seeds=n_seeds)
    journey.press("run")
    journey.stands("Computing|Done")
    return journey


def test_a_run_is_left_opened_renamed_deleted_and_taken_back(
    visitor: Visitor, tmp_path: Path
) -> None:
    journey = compared(visitor, 6)
    run = journey.link().partition("run-compare=")[2]
    go_to(visitor, "Runs")
    visitor.sees("What was computed?")
    expect(state_of(visitor, "Compare on digits")).to_have_text(re.compile("Running|Done"))
    expect(state_of(visitor, "Compare on digits")).to_have_text("Done", timeout=60_000)
    click(visitor, "Compare on digits", "Open")
    visitor.sees("Which method picks the best pixels?")
    journey.stands("Done · ")
    assert journey.link().endswith(run)
    go_to(visitor, "Runs")
    click(visitor, "Compare on digits", "More")
    field = row(visitor, "Compare on digits").get_by_role("textbox", name="Name")
    field.fill("Digits, 6 starts")
    field.press("Enter")
    expect(state_of(visitor, "Digits, 6 starts")).to_have_text("Done")
    visitor.rest()
    assert journey.taken("JSON", tmp_path).suffix == ".json"
    journey.fits()
    click(visitor, "Digits, 6 starts", "Delete")
    visitor.sees("is in the trash")
    expect(row(visitor, "Digits, 6 starts")).to_have_count(0)
    visitor.page.get_by_role("button", name="Undo").click()
    expect(state_of(visitor, "Digits, 6 starts")).to_have_text("Done")
    visitor.is_healthy()


def test_two_visitors_and_another_program_share_a_store(visit, tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        one, other = visit(server), visit(server)
        compared(one, 2)
        home = next(tmp_path.rglob("owner-token")).parent
        other.open(f"/runs?token={owner_token(home)}")
        expect(row(other, "Compare on digits")).to_be_visible(timeout=30_000)
        done = subprocess.run(
            [sys.executable, "-c", ELSEWHERE, str(home)],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        expect(state_of(other, "Sensitivity on digits")).to_have_text("Done", timeout=20_000)
        click(other, "Sensitivity on digits", "More")
        click(other, "Sensitivity on digits", "Delete")
        other.sees("is in the trash")
        # The one has never shown the owner's token, and sees what is theirs.
        go_to(one, "Runs")
        expect(state_of(one, "Compare on digits")).to_have_text("Done", timeout=60_000)
        expect(row(one, "Sensitivity on digits")).to_have_count(0)
        one.is_healthy()
        other.is_healthy()
