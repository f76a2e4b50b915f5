"""The tab Components of Explore: the film moves the pictures, and sets α where it is let go."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.harness import Visitor


def test_a_film_moves_the_components_without_a_word_to_the_server_until_it_is_let_go(
    visitor: Visitor,
) -> None:
    visitor.open("/?data=digits&alpha=0.4&beta=0.02&part=components")
    axes = visitor.page.locator(".axes")
    scrub, first = axes.locator(".scrub"), axes.locator(".pair canvas").first
    expect(scrub).to_have_attribute("aria-label", re.compile("41 of 41"))
    visitor.rest()
    before, home = first.evaluate("one => one.toDataURL()"), scrub.input_value()
    share, _ = axes.locator("figcaption").nth(1).inner_text().split(", ")
    # From the last frame but one, where little is left, back to where it began.
    scrub.press("End")
    scrub.press("ArrowLeft")
    expect(axes.locator(".readout")).not_to_have_text("α = 0.4")
    assert first.evaluate("one => one.toDataURL()") != before
    # PCA's share is the same for every frame.
    assert axes.locator("figcaption").nth(1).inner_text().startswith(f"{share}, ")
    scrub.press("Escape")
    expect(axes.locator(".readout")).to_have_text("α = 0.4")
    assert scrub.input_value() == home
    assert first.evaluate("one => one.toDataURL()") == before
    scrub.press("ArrowLeft")
    visitor.page.wait_for_url(re.compile("alpha=0.355&"))
    visitor.rest()
    expect(axes.locator(".readout")).to_have_text("α = 0.355")
    expect(axes).to_have_attribute("data-stale", "false")
    visitor.is_healthy()
