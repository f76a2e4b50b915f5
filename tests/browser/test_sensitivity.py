"""Sensitivity: a grid on the digits, stopped, gone on with, clicked, and opened in Explore."""

import re

import pytest
from playwright.sync_api import expect

from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import Visitor

STATUS = f".st-key-{keys.BOX_GRID_STATUS}"
FIGURE = f".st-key-{keys.BOX_GRID_FIGURE} .js-plotly-plot"
CELL = f".st-key-{keys.BOX_GRID_CELL}"

#: In the page: where the centre of a cell of the map is, in pixels of the window.
CENTRE = """([plot, i, j]) => {
    const layout = plot._fullLayout
    const box = plot.getBoundingClientRect()
    return [box.x + layout.xaxis._offset + layout.xaxis.l2p(i),
            box.y + layout.yaxis._offset + layout.yaxis.l2p(j)]
}"""


def wait_for_status(visitor: Visitor, words: str, seconds: float = 120.0) -> str:
    """Until the line above the bar matches; returns it."""
    line = visitor.page.locator(STATUS).get_by_text(re.compile(words)).first
    line.wait_for(timeout=1000 * seconds)
    return line.inner_text()


def n_done(line: str) -> int:
    return int(re.search(r"([\d,]+) of", line)[1].replace(",", ""))


def repetitions(visitor: Visitor, number: int) -> None:
    field = visitor.page.locator(f".st-key-{keys.GRID_SEEDS} input")
    field.fill(str(number))
    field.press("Enter")
    visitor.sees(f"49 fits and {49 * number:,} clusterings")


def click_cell(visitor: Visitor, i: int, j: int) -> None:
    plot = visitor.page.locator(FIGURE).first
    plot.scroll_into_view_if_needed()
    x, y = visitor.page.evaluate(CENTRE, [plot.element_handle(), i, j])
    visitor.page.mouse.move(x - 3, y - 3)
    visitor.page.mouse.click(x, y)


def test_a_grid_is_stopped_gone_on_with_and_opened_in_explore(visitor: Visitor) -> None:
    visitor.open("/sensitivity?data=digits")
    visitor.rest()
    repetitions(visitor, 10)
    explore.button(visitor, keys.GRID_RUN).click()
    first = n_done(wait_for_status(visitor, r"Computing · [1-9][\d,]* of 539"))
    wait_for_status(visitor, r"Computing · .* left")
    visitor.page.wait_for_function(
        f"""before => {{
            const words = document.querySelector("{STATUS}")?.innerText ?? ""
            return Number((words.match(/([\\d,]+) of/)?.[1] ?? "0").replace(",", "")) > before
        }}""",
        arg=first,
        timeout=60_000,
    )
    explore.button(visitor, keys.GRID_STOP).click()
    stopped = n_done(wait_for_status(visitor, r"Stopped · ", 30))
    assert first < stopped < 539
    run = explore.wait_for_query(visitor, keys.Q_RUN)
    visitor.page.reload()
    assert n_done(wait_for_status(visitor, r"Stopped · ", 30)) == stopped
    explore.button(visitor, keys.GRID_RESUME).click()
    wait_for_status(visitor, r"Done · 539 of 539")
    visitor.rest()
    assert explore.query(visitor)[keys.Q_RUN] == run
    click_cell(visitor, 4, 2)
    panel = visitor.page.locator(CELL)
    for key, value in ((keys.GRID_ALPHA, "0.2"), (keys.GRID_BETA, "0.01")):
        chosen = panel.locator(f".st-key-{key}").get_by_role("combobox")
        expect(chosen).to_have_value(value)
    expect(panel.locator(".cspca-facts")).to_contain_text("ACC")
    visitor.rest()
    explore.button(visitor, keys.GRID_OPEN).click()
    visitor.sees("What do α and β keep?")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    seen = explore.query(visitor)
    assert (seen[keys.Q_ALPHA], seen[keys.Q_BETA]) == ("0.2", "0.01")
    knob = visitor.page.locator(f".st-key-{keys.ALPHA} input[type=range]")
    assert knob.get_attribute("aria-valuetext") == "0.2"
    visitor.is_healthy()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_sticks_out(visit, server, width: int, dark: bool) -> None:
    visitor = visit(server, width=width, dark=dark)
    visitor.open("/sensitivity?data=digits")
    visitor.rest()
    repetitions(visitor, 1)
    explore.button(visitor, keys.GRID_RUN).click()
    wait_for_status(visitor, "Done · 98 of 98")
    visitor.rest()
    expect(visitor.page.locator(FIGURE).first).to_be_visible()
    wider = visitor.page.evaluate(
        """() => {
            const main = document.querySelector("[data-testid=stMain]")
            return main.scrollWidth - main.clientWidth
        }"""
    )
    assert wider <= 0
    visitor.is_healthy()
