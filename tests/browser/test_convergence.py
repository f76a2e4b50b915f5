"""Convergence: both solvers on the digits, stopped, gone on with, read off, and taken away."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import Visitor

STATUS = f".st-key-{keys.BOX_STARTS_STATUS}"
NEAR = f".st-key-{keys.BOX_STARTS_NEAR} .js-plotly-plot"
TABLE = f".st-key-{keys.BOX_STARTS_TABLE} table"
TOTAL = 28 + 28


def wait_for_status(visitor: Visitor, words: str, seconds: float = 120.0) -> str:
    """Until the line above the bar matches; returns it."""
    line = visitor.page.locator(STATUS).get_by_text(re.compile(words)).first
    line.wait_for(timeout=1000 * seconds)
    return line.inner_text()


def repetitions(visitor: Visitor, number: int) -> None:
    field = visitor.page.locator(f".st-key-{keys.STARTS_SEEDS} input")
    field.fill(str(number))
    field.press("Enter")
    visitor.sees(f"14 fits and {28 * number:,} clusterings")


def test_starts_are_stopped_gone_on_with_and_read_off(visitor: Visitor) -> None:
    visitor.open("/convergence?data=digits")
    visitor.rest()
    repetitions(visitor, 1)
    explore.button(visitor, keys.STARTS_RUN).click()
    wait_for_status(visitor, rf"Computing · [1-9]\d* of {TOTAL}")
    explore.button(visitor, keys.STARTS_STOP).click()
    stopped = wait_for_status(visitor, r"Stopped · ", 60)
    run = explore.wait_for_query(visitor, keys.Q_STARTS)
    visitor.page.reload()
    assert wait_for_status(visitor, r"Stopped · ", 30) == stopped
    explore.button(visitor, keys.STARTS_RESUME).click()
    wait_for_status(visitor, rf"Done · {TOTAL} of {TOTAL}")
    visitor.rest()
    assert explore.query(visitor)[keys.Q_STARTS] == run
    visitor.sees("above the proven optimum; the certified solver is within")
    rows = visitor.page.locator(TABLE).locator("tbody tr")
    expect(rows).to_have_count(8)
    above = rows.nth(0).locator("td").nth(0).inner_text()
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, keys.STARTS_CSV).click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == 28
    first = next(
        line for line in lines if (line["init"], line["iterations"]) == ("diagonal-0.5", "10")
    )
    assert float(above.removesuffix(" %")) == pytest.approx(100 * float(first["above"]), rel=0.06)
    # Near the optimum the end of Algorithm 1 is in view, and above the line.
    ends = visitor.page.evaluate(
        """plot => {
            const printed = plot._fullData.find(one => one.name === "Algorithm 1")
            return [printed.y.at(-1), ...plot._fullLayout.yaxis.range,
                    plot._fullLayout.shapes.find(one => one.type === "rect").y1]
        }""",
        visitor.page.locator(NEAR).first.element_handle(),
    )
    end, low, high, optimum = ends
    assert low < optimum < end < high
    visitor.is_healthy()


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_nothing_sticks_out(visit, server, width: int, dark: bool) -> None:
    visitor = visit(server, width=width, dark=dark)
    visitor.open("/convergence?data=digits")
    visitor.rest()
    repetitions(visitor, 1)
    explore.button(visitor, keys.STARTS_RUN).click()
    wait_for_status(visitor, rf"Done · {TOTAL} of {TOTAL}")
    visitor.rest()
    expect(visitor.page.locator(NEAR).first).to_be_visible()
    wider = visitor.page.evaluate(
        """() => {
            const main = document.querySelector("[data-testid=stMain]")
            return main.scrollWidth - main.clientWidth
        }"""
    )
    assert wider <= 0
    visitor.is_healthy()
