"""Runs: left, opened, renamed, deleted and taken back."""

import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import Journey

ROW = "[class*=st-key-run_]"


def go_to(visitor: Visitor, page: str) -> None:
    visitor.page.locator(explore.MENU).get_by_role("link", name=page, exact=True).click()


def row(visitor: Visitor, name: str) -> Locator:
    of = visitor.page.locator(".cspca-run b", has_text=re.compile(f"^{name}"))
    return visitor.page.locator(f"{ROW}:not({ROW} {ROW})").filter(has=of).first


def state_of(visitor: Visitor, name: str) -> Locator:
    return row(visitor, name).locator(".cspca-state")


def click(visitor: Visitor, name: str, button: str) -> None:
    row(visitor, name).get_by_role("button", name=button).click()


def test_a_run_is_left_opened_renamed_deleted_and_taken_back(
    visitor: Visitor, tmp_path: Path
) -> None:
    journey = Journey(visitor, "compare")
    journey.open()
    journey.ask(n_seeds=6)
    journey.press("run")
    journey.stands("Computing|Done")
    run = journey.link().partition("run-compare=")[2]
    go_to(visitor, "Runs")
    visitor.sees("What was computed?")
    expect(state_of(visitor, "Compare on digits")).to_have_text(re.compile("Running|Done"))
    expect(state_of(visitor, "Compare on digits")).to_have_text("Done", timeout=120_000)
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
