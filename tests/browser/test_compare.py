"""Compare: the whole comparison of the digits, and leaving, stopping and coming back."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from cspca.datasets import load
from cspca.evaluation import compare
from cspca.ui import keys
from tests.browser import explore
from tests.browser.harness import Visitor

STATUS = f".st-key-{keys.BOX_COMPARE_STATUS}"
TABLE = f".st-key-{keys.BOX_COMPARE_TABLE} table"


def wait_for_status(visitor: Visitor, words: str, seconds: float = 90.0) -> str:
    """Until the line above the bar matches; returns it."""
    line = visitor.page.locator(STATUS).get_by_text(re.compile(words)).first
    line.wait_for(timeout=1000 * seconds)
    return line.inner_text()


def press(visitor: Visitor) -> None:
    explore.button(visitor, keys.COMPARE_RUN).click()


def download(visitor: Visitor, key: str, folder: Path) -> str:
    with visitor.page.expect_download() as waiting:
        explore.button(visitor, key).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path.read_text(encoding="utf-8")


def rows(text: str) -> list[dict[str, str]]:
    """A CSV without the columns that hold times."""
    found = list(csv.DictReader(io.StringIO(text)))
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in found]


def line_of(visitor: Visitor, method: str) -> Locator:
    # Beside the name may stand how close to the optimum its fit is proven to be.
    header = visitor.page.get_by_role("rowheader", name=re.compile(rf"^{method}\b"))
    return visitor.page.locator(f"{TABLE} tr").filter(has=header)


def fill(visitor: Visitor, key: str, text: str) -> None:
    field = visitor.page.locator(f".st-key-{key} input")
    field.fill(text)
    field.press("Enter")


def test_the_whole_comparison_of_the_digits_agrees_with_the_library(
    visitor: Visitor, tmp_path: Path
) -> None:
    visitor.open("/compare?data=digits")
    visitor.sees("Press Compare")
    visitor.sees("7 rankings and 930 clusterings")
    press(visitor)
    wait_for_status(visitor, "930 of 930 clusterings")
    visitor.rest()
    summary = download(visitor, keys.COMPARE_SUMMARY, tmp_path)
    cells = download(visitor, keys.COMPARE_CELLS, tmp_path)
    latex = download(visitor, keys.COMPARE_LATEX, tmp_path)
    digits = load("digits")
    wanted = compare(
        digits.data,
        digits.target,
        n_features=[6, 19, 32, 45, 58],
        n_seeds=30,
        grids={"spec": [{"function": "phi1"}]},
    )
    assert rows(cells) == rows(wanted.cells_to_csv())
    assert len(rows(cells)) == 930
    assert rows(summary) == rows(wanted.to_csv())
    assert "\\toprule" in latex
    for row in wanted.table("accuracy"):
        assert row.honest is not None
        shown = line_of(visitor, row.title).inner_text()
        assert f"{100 * row.honest.mean:.1f} ± {100 * row.honest.std:.1f}" in shown
        assert f"{100 * row.best.mean:.1f} ± {100 * row.best.std:.1f}" in shown
        assert ("best" in shown) == (row.mark == "best")
    pictures = visitor.page.locator(f".st-key-{keys.BOX_MASKS} img")
    assert pictures.count() == 7  # the original and six methods that select
    assert visitor.page.locator(".js-plotly-plot").count() == 4
    visitor.is_healthy()


def test_leaving_and_reloading_find_the_same_comparison(visitor: Visitor) -> None:
    visitor.open("/compare?data=digits")
    visitor.rest()
    fill(visitor, keys.COMPARE_SEEDS, "40")
    visitor.sees("1,240 clusterings")
    press(visitor)
    wait_for_status(visitor, r"of 1,240 clusterings")
    job = explore.wait_for_query(visitor, keys.Q_COMPARE)
    menu = visitor.page.locator(explore.MENU)
    menu.get_by_role("link", name="Data").click()
    visitor.sees("Which images?")
    menu.get_by_role("link", name="Compare").click()
    wait_for_status(visitor, r"of 1,240 clusterings")
    assert explore.wait_for_query(visitor, keys.Q_COMPARE) == job
    visitor.page.reload()
    wait_for_status(visitor, r"Done · 1,240 of 1,240")
    seeds = visitor.page.locator(f".st-key-{keys.COMPARE_SEEDS} input")
    expect(seeds).to_have_value("40")
    expect(line_of(visitor, "CSPCA")).to_contain_text("±")
    visitor.is_healthy()


def test_stop_keeps_what_is_done_and_go_on_does_the_rest(visitor: Visitor, tmp_path: Path) -> None:
    visitor.open("/compare?data=digits")
    visitor.rest()
    fill(visitor, keys.COMPARE_SEEDS, "200")
    visitor.sees("6,200 clusterings")
    press(visitor)
    expect(line_of(visitor, "All features")).to_contain_text("±", timeout=60_000)
    explore.button(visitor, keys.COMPARE_STOP).click()
    stopped = wait_for_status(visitor, "Stopped · ", 30)
    n_done = int(re.search(r"([\d,]+) of 6,200", stopped)[1].replace(",", ""))
    assert 0 < n_done < 6200
    visitor.rest()
    expect(line_of(visitor, "All features")).to_contain_text("±")
    kept = rows(download(visitor, keys.COMPARE_CELLS, tmp_path))
    assert len(kept) == n_done
    explore.button(visitor, keys.COMPARE_RESUME).click()
    wait_for_status(visitor, r"Done · 6,200 of 6,200", 180)
    visitor.rest()
    expect(line_of(visitor, "CSPCA")).to_contain_text("±")
    whole = {tuple(row.items()) for row in rows(download(visitor, keys.COMPARE_CELLS, tmp_path))}
    assert len(whole) == 6200
    assert {tuple(row.items()) for row in kept} <= whole
    visitor.is_healthy()


def test_what_was_computed_for_one_visitor_is_there_at_once_for_the_next(
    visitor: Visitor, visit, server
) -> None:
    visitor.open("/compare?data=digits")
    press(visitor)
    wait_for_status(visitor, "Done · 930 of 930")
    other = visit(server)
    other.open("/compare?data=digits")
    press(other)
    line = wait_for_status(other, "Done · 930 of 930", 10)
    assert float(re.search(r"([\d.]+) s$", line)[1]) < 1.0
    other.is_healthy()


def test_a_mistake_is_said_beside_its_control(visitor: Visitor) -> None:
    visitor.open("/compare?data=digits")
    visitor.rest()
    fill(visitor, keys.COMPARE_COUNTS, "10, 65")
    visitor.sees("An image has 64 pixels, so 65 cannot be selected")
    expect(explore.button(visitor, keys.COMPARE_RUN)).to_be_disabled()
    fill(visitor, keys.COMPARE_COUNTS, "10, 64")
    expect(explore.button(visitor, keys.COMPARE_RUN)).to_be_enabled()
    visitor.is_healthy()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_sticks_out(visit, server, width: int, dark: bool) -> None:
    visitor = visit(server, width=width, dark=dark)
    visitor.open("/compare?data=digits")
    press(visitor)
    wait_for_status(visitor, "Done · 930 of 930")
    visitor.rest()
    wider = visitor.page.evaluate(
        """() => {
            const main = document.querySelector("[data-testid=stMain]")
            return main.scrollWidth - main.clientWidth
        }"""
    )
    assert wider <= 0
    visitor.is_healthy()
