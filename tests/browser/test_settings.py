"""A setting that nobody touched stays: on every page, and from every page to every other."""

import itertools
import json

import pytest
from playwright.sync_api import expect

from cspca.ui.menu import PAGES
from tests.browser import explore
from tests.browser.harness import Visitor

PAIRS = list(itertools.combinations(PAGES, 2))

#: In the page: what every widget with a key says, by that key.
FIELDS = """() => Object.fromEntries(
    [...document.querySelectorAll("[data-testid=stMain] [class*=st-key-] input")]
        .map((input) => [
            input.closest("[class*=st-key-]").className.match(/st-key-(\\S+)/)[1],
            input.type === "checkbox" ? input.checked : input.value,
        ])
        .filter(([key]) => /^(fit|view|compare|sensitivity|convergence|outliers)_/.test(key)))"""


def settings(visitor: Visitor) -> dict[str, str]:
    """What the address says is set, without what names a run."""
    # Which part of a page, or picture of Theory, is open is no setting.
    passing = ("part", "picture")
    said = explore.query(visitor)
    return {
        name: value
        for name, value in said.items()
        if name not in passing and not name.startswith("run")
    }


def act(visitor: Visitor) -> None:
    """Have the page run anew with all that its widgets say, and leave it as it was."""
    # Streamlit's own key for a run of the page.
    visitor.page.keyboard.press("r")
    visitor.rest()


def test_the_mean_stays_subtracted_from_data_to_explore_and_on(visitor: Visitor) -> None:
    visitor.open("/data")
    visitor.sees("Explore this data set")
    visitor.rest()
    visitor.page.get_by_role("link", name="Explore this data set").click()
    explore.wait_for_certificate(visitor)
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    knob.focus()
    knob.press("ArrowRight")
    visitor.page.wait_for_function("() => new URL(location).searchParams.get('alpha') === '0.112'")
    visitor.rest()
    explore.choose_page(visitor, "compare")
    explore.choose_page(visitor, "explore")
    assert "centre" not in explore.query(visitor)


def test_back_at_once_undoes_what_was_just_set(visitor: Visitor) -> None:
    visitor.open("/?data=digits&alpha=0.2&beta=0.02")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    says = "([alpha, yes]) => (new URL(location).searchParams.get('alpha') === alpha) === yes"
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    knob.focus()
    knob.press("ArrowRight")
    visitor.page.wait_for_function(says, arg=["0.2", False])
    visitor.page.go_back()
    visitor.page.wait_for_function(says, arg=["0.2", True])
    slider = visitor.page.locator(".st-key-fit_alpha")
    expect(slider.get_by_text("0.2", exact=True)).to_be_visible()
    visitor.rest()
    assert explore.query(visitor)["alpha"] == "0.2"
    visitor.is_healthy()


@pytest.mark.parametrize("first", list(PAGES)[:-1])
def test_all_settings_are_the_same_after_any_two_pages(visitor: Visitor, first: str) -> None:
    visitor.open(
        f"{explore.address_of(first)}?data=digits&alpha=0.3&beta=0.03&k=12&normalise=yes&axis=seconds&tol=0.01"
    )
    visitor.page.locator(".st-key-title_row h1").wait_for()
    act(visitor)
    before, fields = settings(visitor), visitor.page.evaluate(FIELDS)
    assert before.items() >= {"normalise": "yes", "k": "12", "axis": "seconds"}.items()
    for second in [two for one, two in PAIRS if one == first]:
        for page in (second, first):
            act(visitor)
            explore.choose_page(visitor, page)
            assert settings(visitor) == before, page
        visitor.page.wait_for_function(
            f"before => JSON.stringify(({FIELDS})()) === before",
            arg=json.dumps(fields, separators=(",", ":"), ensure_ascii=False),
        )
    visitor.is_healthy()
