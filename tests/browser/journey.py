"""What a visitor does on the page of any experiment: ask, follow, read, take away, come back."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
from playwright.sync_api import Locator, TimeoutError, expect

from cspca.ui import menu
from tests.browser import explore
from tests.browser.harness import Visitor

#: In the page: by how many pixels something sticks out, sideways.
STICKS_OUT = """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
    .map((one) => one.scrollWidth - one.clientWidth).reduce((a, b) => Math.max(a, b))"""

#: A run on the page Runs.
ROW = "[class*=st-key-run_]"


def row(visitor: Visitor, name: str) -> Locator:
    """The run on the page Runs whose name begins so."""
    title = visitor.page.locator(".cspca-run b", has_text=re.compile(f"^{name}"))
    return visitor.page.locator(f"{ROW}:not({ROW} {ROW})").filter(has=title).first


def state_of(visitor: Visitor, name: str) -> Locator:
    """What the page Runs says of how far a run is."""
    return row(visitor, name).locator(".cspca-state")


@dataclass
class Journey:
    """A visitor on the page of one kind of experiment."""

    visitor: Visitor
    kind: str

    def open(self, data: str = "digits", **more: str) -> None:
        """Come by a deep link."""
        settings = {"data": data, **more}
        page = menu.page_of(self.kind)
        if page != self.kind:
            settings["tab"] = self.kind
        self.visitor.open(f"/{page}?{urlencode(settings)}")
        if self.kind != "paper":
            # What begins by itself ends soon, and until then the page looks again and again.
            self.stands(" of computing|Stopped · ")
        self.visitor.rest()

    def ask(self, **settings: object) -> None:
        """Write into the fields of settings."""
        for name, value in settings.items():
            field = self.field(name)
            field.fill(str(value))
            field.press("Enter")
            self.visitor.rest()

    def field(self, name: str) -> Locator:
        """Where a setting is written."""
        return self.box(f"{self.kind}_{name}").locator("input")

    def box(self, key: str) -> Locator:
        """The element of a key."""
        return self.visitor.page.locator(self.visitor.key(key))

    def press(self, what: str) -> None:
        """Press ``run``, ``stop`` or ``resume``, and see that it was heard."""
        bar = self.box(f"{self.kind}_status").get_by_role("progressbar")
        before = bar.get_attribute("aria-label") if bar.count() else ""
        explore.button(self.visitor, f"{self.kind}_{what}").click()
        if what == "stop":
            expect(bar).to_have_attribute("aria-label", re.compile("Stopping|Stopped|Done"))
        else:
            expect(bar).not_to_have_attribute("aria-label", str(before))

    def stands(self, words: str) -> str:
        """Wait until the line above the bar matches; returns it."""
        status = self.box(f"{self.kind}_status")
        line = status.get_by_text(re.compile(words)).first
        try:
            line.wait_for()
        except TimeoutError:
            bars = status.get_by_role("progressbar").all()
            stood = [bar.get_attribute("aria-label") for bar in bars]
            raise AssertionError(f"no {words!r}, but {stood}") from None
        return line.inner_text()

    def n_done(self, words: str) -> int:
        """Wait until the line above the bar matches; returns the first of its counts."""
        line = self.stands(rf"{words}.*?[\d,]+ of")
        return int(re.search(r"([\d,]+) of", line)[1].replace(",", ""))

    def link(self) -> str:
        """The path that shows this run to whoever has it, once the address has it."""
        explore.wait_for_query(self.visitor, "run-" + self.kind)
        return self.visitor.page.url.removeprefix(self.visitor.server.url)

    def taken(self, label: str, folder: Path) -> Path:
        """What this entry of the menu downloads, under the name that the browser offers."""
        page = self.visitor.page
        page.get_by_role("button", name="Download", exact=True).click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        page.keyboard.press("Escape")
        path = folder / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    def results(self, folder: Path) -> pd.DataFrame:
        """The table of all results as it is downloaded, without the columns that hold times."""
        return without_times(self.taken("All results, CSV", folder).read_text("utf-8"))

    def choose(self, name: str) -> None:
        """Choose one of a few values that stand side by side."""
        self.visitor.page.get_by_role("radio", name=name, exact=True).click()
        self.visitor.rest()

    def changes_nothing(self) -> None:
        """Nothing here stops a run or goes on with it."""
        for what in ("stop", "resume"):
            expect(self.box(f"{self.kind}_{what}")).to_have_count(0)


def without_times(csv: str) -> pd.DataFrame:
    """A table without what differs from run to run."""
    frame = pd.read_csv(io.StringIO(csv))
    return frame[[name for name in frame if not name.endswith("seconds")]]


def by_library(lines: str, folder: Path) -> pd.DataFrame:
    """The table that the lines of Python give, run in a folder, written and read as the page's."""
    from cspca.experiments.exports import to_csv

    known: dict[str, object] = {}
    exec(lines.replace("\u00a0", " "), known)
    return without_times(to_csv(known["outcome"].table))
