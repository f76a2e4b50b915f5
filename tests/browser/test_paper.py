"""The Paper page: a small set brought, a quick look computed, read in every view, found again."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.runs.sweep_processes import blobs

STATUS = f".st-key-{keys.BOX_PAPER_STATUS}"
CLAIMS = f".st-key-{keys.BOX_PAPER_CLAIMS} li"
TABLE = f".st-key-{keys.BOX_PAPER_TABLE} table"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("paper") / "small.npz"
    data = blobs(n=60, d=16, classes=3)
    np.savez(path, X=data.data, y=data.target)
    return path


def choose(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_role("radio", name=name, exact=True).click()


def fits(visitor: Visitor) -> None:
    """Nothing sticks out on a phone."""
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    visitor.page.wait_for_timeout(300)
    wider = visitor.page.evaluate(
        """() => {
            const main = document.querySelector("[data-testid=stMain]")
            return main.scrollWidth - main.clientWidth
        }"""
    )
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    visitor.rest()
    assert wider <= 0


def computed(visitor: Visitor, path: Path) -> None:
    """Bring the set, press Run with the quick look, and wait for all of it."""
    visitor.open("/paper")
    visitor.rest()
    explore.upload(visitor, path)
    visitor.page.wait_for_function(
        "() => !['faces', null].includes(new URL(location).searchParams.get('data'))"
    )
    visitor.rest()
    choose(visitor, "Quick look")
    visitor.sees("This is not the paper’s protocol.")
    visitor.rest()
    explore.button(visitor, keys.PAPER_RUN).click()
    done = visitor.page.locator(STATUS).get_by_text("Done: Tables and sensitivity, Seven starts")
    done.wait_for(timeout=120_000)
    visitor.rest()


def test_a_quick_look_is_computed_read_and_found_again(visitor: Visitor, small: Path) -> None:
    computed(visitor, small)
    expect(visitor.page.locator(CLAIMS)).to_have_count(14, timeout=30_000)
    words = visitor.page.locator(f".st-key-{keys.BOX_PAPER_CLAIMS}").inner_text()
    assert "not tested here" not in words
    assert re.search(r"Algorithm 1 reaches the global optimum", words)
    fits(visitor)
    choose(visitor, "Tables")
    expect(visitor.page.locator(f"{TABLE} tr")).to_have_count(8, timeout=30_000)
    visitor.rest()
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, keys.PAPER_CSV).click()
    lines = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text("utf-8"))))
    assert len(lines) == 14
    shown = visitor.page.locator(f"{TABLE} tr").nth(1).inner_text()
    assert f"{float(lines[0]['ours_best_of_grid']):.1f} ± " in shown
    fits(visitor)
    choose(visitor, "Figures")
    expect(visitor.page.locator(".js-plotly-plot")).to_have_count(3, timeout=30_000)
    visitor.rest()
    fits(visitor)
    choose(visitor, "Starts")
    visitor.sees("Certified solver")
    fits(visitor)
    choose(visitor, "Data sets")
    visitor.sees("How to bring the others")
    fits(visitor)
    visitor.page.reload()
    # The protocol that something was computed by is the one that is open.
    visitor.page.locator(STATUS).get_by_text("Done:").wait_for()
    visitor.is_healthy()
