"""The Outliers page in a browser, section by section: ruined images, one's own, a subspace."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT

PICKS = ".picks button"


def test_it_opens_on_a_ruined_image_and_each_part_is_one_press_of_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/predict?data=digits")
    visitor.rest()
    explore.choose_page(visitor, "outliers")
    visitor.sees("One of 200 images is wrong.")
    visitor.sees("8 of 8 methods have answered")
    visitor.rest()
    assert "part" not in explore.query(visitor)
    # A picture that is pressed, by keyboard too, is the one that is looked at.
    expect(page.locator(PICKS)).to_have_count(24)
    expect(page.locator(f"{PICKS}[data-kind=marked]")).to_have_count(1)
    page.locator(PICKS).nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator(PICKS).nth(2)).to_have_attribute("aria-pressed", "true")
    visitor.rest()
    expect(page.get_by_role("img", name=re.compile("^By CSPCA, squared loss"))).to_have_count(1)
    sticks_out_nowhere(visitor)

    # Another part is one step; each step back is one press.
    page.get_by_role("radio", name="Hidden subspace").click()
    assert explore.wait_for_query(visitor, "part") == "subspace"
    visitor.rest()
    page.go_back()
    visitor.sees("One of 200 images is wrong.")
    visitor.rest()
    page.go_back()
    page.wait_for_url("**/predict?*")
    visitor.rest()
    # Each page is one step, also from a part and back to it.
    explore.choose_page(visitor, "outliers")
    page.get_by_role("radio", name="Hidden subspace").click()
    assert explore.wait_for_query(visitor, "part") == "subspace"
    visitor.rest()
    steps = page.evaluate("history.length")
    for number, name in enumerate(("predict", "outliers"), 1):
        explore.choose_page(visitor, name)
        visitor.rest()
        assert page.evaluate("history.length") == steps + number

    # A hidden subspace is dragged and answers.
    visitor.sees("Exact. CSPCA, not told the rank")
    visitor.sees("In this sample it is exact at")
    visitor.rest()
    expect(page.locator(".st-key-subspace_sines .js-plotly-plot")).to_have_count(1)
    explore.drag(visitor, "subspace_beta", 8)
    visitor.sees("Not exact. At this β")
    assert float(explore.wait_for_query(visitor, "subspace-beta")) >= 0.85
    sticks_out_nowhere(visitor)
    visitor.is_healthy()


def sticks_out_nowhere(visitor: Visitor) -> None:
    """Nothing is wider than the page, on a phone or a screen."""
    for width in (390, 1440):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        visitor.page.wait_for_function(f"({STICKS_OUT})() <= 0")
    visitor.rest()
