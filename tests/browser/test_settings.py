"""A setting that nobody touched stays: on every page, and from every page to every other."""

import itertools
import json
import re

import pytest
from playwright.sync_api import expect

from cspca.ui.menu import PAGES
from tests.browser import explore
from tests.browser.harness import Visitor

NAMES = ["" if page == "home" else page for page in PAGES]
LABELS = {"" if page == "home" else page: label for page, (label, _) in PAGES.items()}
PAIRS = list(itertools.combinations(NAMES, 2))

#: In the page: what every widget with a key says, by that key.
FIELDS = """() => Object.fromEntries(
    [...document.querySelectorAll("[data-testid=stMain] [class*=st-key-] input")]
        .map((input) => [
            input.closest("[class*=st-key-]").className.match(/st-key-(\\S+)/)[1],
            input.type === "checkbox" ? input.checked : input.value,
        ])
        .filter(([key]) => /^(fit|view|compare|sensitivity|starts|outliers)_/.test(key)))"""


def settings(visitor: Visitor) -> dict[str, str]:
    """What the address says is set, without what names a fit or a run."""
    # Which part of a page, or picture of Theory, is open is no setting.
    passing = ("job", "present", "part", "picture")
    said = explore.query(visitor)
    return {
        name: value
        for name, value in said.items()
        if name not in passing and not name.startswith("run")
    }


def act(visitor: Visitor) -> None:
    """Have the page run anew with all that its widgets say, and leave it as it was."""
    button = explore.button(visitor, "present_button")
    button.click()
    expect(explore.button(visitor, "present_button")).to_contain_text("Leave")
    explore.button(visitor, "present_button").click()
    expect(explore.button(visitor, "present_button")).to_contain_text("Present")


def turn_to(visitor: Visitor, name: str) -> None:
    """Choose a page of the menu."""
    title = visitor.page.locator(".st-key-title_row h1")
    left = title.inner_text()
    menu = visitor.page.locator(explore.MENU)
    menu.get_by_role("link", name=LABELS[name], exact=True).click()
    visitor.page.wait_for_url(re.compile(rf"/{name}(\?|$)"))
    expect(title).not_to_have_text(left)


def test_the_mean_stays_subtracted_from_data_to_explore_and_on(visitor: Visitor) -> None:
    visitor.open("/data")
    visitor.sees("In use: explore it")
    visitor.rest()
    visitor.page.get_by_text("In use: explore it").click()
    explore.wait_for_certificate(visitor)
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    knob.focus()
    knob.press("ArrowRight")
    visitor.page.wait_for_function("() => new URL(location).searchParams.get('alpha') === '0.112'")
    visitor.rest()
    turn_to(visitor, "compare")
    turn_to(visitor, "explore")
    assert "centre" not in explore.query(visitor)


def test_back_at_once_undoes_what_was_just_set(visitor: Visitor) -> None:
    visitor.open("/explore?data=digits&alpha=0.4&beta=0.02")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    says = "([alpha, yes]) => (new URL(location).searchParams.get('alpha') === alpha) === yes"
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    knob.focus()
    knob.press("ArrowRight")
    visitor.page.wait_for_function(says, arg=["0.4", False])
    visitor.page.go_back()
    visitor.page.wait_for_function(says, arg=["0.4", True])
    slider = visitor.page.locator(".st-key-fit_alpha")
    expect(slider.get_by_text("0.4", exact=True)).to_be_visible()
    visitor.rest()
    assert explore.query(visitor)["alpha"] == "0.4"
    visitor.is_healthy()


@pytest.mark.parametrize("first", NAMES[:-1], ids=[name or "home" for name in NAMES[:-1]])
def test_all_settings_are_the_same_after_any_two_pages(visitor: Visitor, first: str) -> None:
    visitor.open(
        f"/{first}?data=digits&alpha=0.3&beta=0.03&k=12&normalise=yes&axis=seconds&tol=0.01"
    )
    visitor.page.wait_for_function("() => new URL(location).searchParams.has('job')")
    act(visitor)
    before, fields = settings(visitor), visitor.page.evaluate(FIELDS)
    assert before.items() >= {"normalise": "yes", "k": "12", "axis": "seconds"}.items()
    for second in [two for one, two in PAIRS if one == first]:
        for page in (second, first):
            act(visitor)
            turn_to(visitor, page)
            assert settings(visitor) == before, page
        visitor.page.wait_for_function(
            f"before => JSON.stringify(({FIELDS})()) === before",
            arg=json.dumps(fields, separators=(",", ":"), ensure_ascii=False),
        )
    visitor.is_healthy()
