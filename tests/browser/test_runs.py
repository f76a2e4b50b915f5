"""Runs: left, opened, renamed, deleted and taken back."""

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser import explore
from tests.browser.harness import Visitor

ROW = "[class*=st-key-run_]"


def row(visitor: Visitor, name: str) -> Locator:
    of = visitor.page.locator(".cspca-run b", has_text=re.compile(f"^{name}"))
    return visitor.page.locator(f"{ROW}:not({ROW} {ROW})").filter(has=of).first


def state_of(visitor: Visitor, name: str) -> Locator:
    return row(visitor, name).locator(".cspca-state")


def test_what_cannot_be_undone_asks_for_a_word_and_escape_removes_nothing(
    visitor: Visitor, tmp_path: Path
) -> None:
    path = tmp_path / "mine.npz"
    values = np.random.default_rng(0).random((6, 36))
    np.savez(path, X=values, y=[0, 0, 0, 1, 1, 1], image_shape=[6, 6])
    visitor.open("/data")
    visitor.rest()
    explore.upload(visitor, path)
    visitor.sees("6 images, 6 × 6")
    visitor.rest()
    ask = visitor.page.get_by_role("button", name="Remove my data now")
    dialog = visitor.page.get_by_role("dialog").filter(has_text="Removes at once and for good")
    ask.press("Enter")
    expect(dialog).to_contain_text("1 data set that you uploaded")
    visitor.rest()
    visitor.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    visitor.rest()
    assert len(explore.query(visitor)["data"]) > 20
    ask.press("Enter")
    field = dialog.get_by_role("textbox")
    field.fill("yes")
    field.press("Enter")
    expect(dialog).to_contain_text("Nothing was removed")
    field.fill("remove")
    field.press("Enter")
    visitor.sees("Removed: 0 runs, and ")
    expect(dialog).to_have_count(0)
    visitor.rest()
    assert "data" not in explore.query(visitor)
    visitor.is_healthy()
