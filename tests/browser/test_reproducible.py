"""The tab Reproducible: asked, stopped, continued, read at another share, held against a proof."""

import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.journey import Journey

KIND = "reproducibility"


def test_halves_are_fitted_stopped_continued_and_held_against_the_certificate(
    visit, server
) -> None:
    visitor = visit(server)
    journey = Journey(visitor, KIND)
    settings = {"data": "digits", "alpha": 0.4, "beta": 0.02, "tol": 0.01, "part": KIND}
    visitor.open(f"/?{urlencode(settings)}")
    visitor.sees("Do other images select the same pixels?")
    # What begins by itself is no run of anybody.
    journey.stands(" of computing|Stopped · ")
    visitor.rest()
    assert f"run-{KIND}" not in visitor.page.url
    journey.ask(n_pairs=100)
    journey.press("run")
    journey.stands(r"Computing · .*[1-9]\d* of")
    journey.press("stop")
    stopped = journey.n_done("Stopped · ")
    assert 0 < stopped < 200
    link = journey.link()
    journey.press("resume")
    journey.stands("Done · 200 of 200")
    visitor.rest()
    visitor.sees("by every one of 200 halves of the images")
    # The share of halves needs no fit.
    slider = journey.box(f"{KIND}_threshold").get_by_role("slider")
    slider.focus()
    slider.press("End")
    visitor.sees("of at least 100 % of the 200 halves")
    visitor.rest()
    # At 1 % too little is proven of single pixels, and the page says what to press.
    visitor.sees("Too little is proven yet of single pixels")
    expect(journey.box("certainty_map")).to_have_count(0)
    explore.button(visitor, "settle_button").click()
    expect(journey.box("certainty_map").locator(".js-plotly-plot")).to_be_visible()
    sentence = visitor.page.get_by_text(re.compile("are proven and reproducible:")).first
    counts = re.findall(r"\b(\d+) (?:are|only)", sentence.inner_text())
    assert sum(map(int, counts[:4])) == 64
    visitor.rest()
    journey.fits()
    visitor.is_healthy()
    visitor.leave()
    other = visit(server)
    other.open(link)
    other.sees("by every one of 200 halves of the images")
    other.is_healthy()
