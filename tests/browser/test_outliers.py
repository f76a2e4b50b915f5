"""The Outliers page in a browser, section by section: ruined images, one's own, a subspace."""

from __future__ import annotations

import io
import re
import urllib.request
from collections.abc import Callable

import numpy as np
from PIL import Image
from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT

PICKS = ".picks button"


def test_a_hidden_subspace_is_dragged_and_answers(server, visit: Callable[..., Visitor]) -> None:
    visitor = visit(server)
    page = visitor.page
    visitor.open("/outliers?part=subspace")
    visitor.sees("Exact. CSPCA, not told the rank")
    visitor.sees("In this sample it is exact at")
    visitor.rest()
    plot = page.locator(".st-key-subspace_sines .js-plotly-plot")
    expect(plot).to_have_count(1)
    explore.drag(visitor, "subspace_beta", 8)
    visitor.sees("Not exact. At this β")
    assert float(explore.wait_for_query(visitor, "subspace-beta")) >= 0.85
    assert page.evaluate(STICKS_OUT) <= 0
    visitor.is_healthy()


def test_a_ruined_picture_is_picked_and_stands_side_by_side(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server, width=390, height=844)
    page = visitor.page
    visitor.open("/outliers?data=digits&part=ruined&wrong=noise&wrong-share=0.2")
    visitor.sees("8 of 8 methods have answered")
    visitor.rest()
    expect(page.locator(PICKS)).to_have_count(24)
    marked = page.locator(f"{PICKS}[data-kind=marked]")
    assert marked.count() > 0
    # By keyboard: the picture that is pressed is the one that is looked at.
    page.locator(PICKS).nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator(PICKS).nth(2)).to_have_attribute("aria-pressed", "true")
    visitor.rest()
    expect(page.get_by_role("img", name=re.compile("^By CSPCA, squared loss"))).to_have_count(1)
    assert page.evaluate(STICKS_OUT) <= 0
    visitor.is_healthy()


def test_an_odd_image_is_left_out_and_the_rest_fitted_again(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server)
    page = visitor.page
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    # By keyboard: the film above it grows while the page is looked at.
    page.get_by_role("link", name="Which images are odd?").focus()
    page.keyboard.press("Enter")
    visitor.sees("Most suspicious first")
    visitor.rest()
    page.locator(PICKS).nth(1).click()
    expect(page.locator(PICKS).nth(1)).to_have_attribute("aria-pressed", "true")
    visitor.sees("number 2 of 1,797")
    page.get_by_role("button", name="Leave it out").click()
    expect(page.locator(f"{PICKS}[data-kind=out]")).to_have_count(1)
    page.get_by_role("button", name="Refit without 1 image").click()
    visitor.sees("1 image left out of 1,797")
    visitor.sees("leave_out(load('digits')")
    visitor.rest()
    page.get_by_role("button", name="Put back").click()
    visitor.sees("1,797 images, 8 × 8, 10 classes.")
    visitor.is_healthy()


def test_it_opens_on_a_ruined_image_and_one_press_of_back_leaves_it(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server)
    page = visitor.page
    visitor.open("/predict?data=digits")
    visitor.rest()
    explore.choose_page(visitor, "outliers")
    visitor.sees("One of 200 images is wrong.")
    visitor.sees("8 of 8 methods have answered")
    visitor.rest()
    assert "part" not in explore.query(visitor)
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
    visitor.sees("In this sample it is exact at")
    visitor.is_healthy()


def test_a_new_picture_is_brought_and_placed_among_the_fits_own(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server)
    page = visitor.page
    visitor.open("/outliers?data=digits&part=new")
    visitor.sees("that the fit never saw.")
    visitor.rest()
    page.get_by_role("radio", name="Bring new images").click()
    stream = io.BytesIO()
    ramp = np.linspace(0, 255, 400).reshape(20, 20).astype(np.uint8)
    Image.fromarray(ramp).save(stream, "PNG")
    given = {"name": "ramp.png", "mimeType": "image/png", "buffer": stream.getvalue()}
    where = page.locator("[class*=st-key-new_files] input[type=file]")
    where.set_input_files([given])
    visitor.sees("1 image that the fit never saw.")
    visitor.sees("Resized from 20 × 20 to 8 × 8")
    visitor.rest()
    # Streamlit tells of files as long as it holds any.
    with urllib.request.urlopen(f"{server.url}/_stcore/metrics") as told:
        metrics = told.read().decode()
    assert "st_session_state" in metrics
    assert "UploadedFileManager" not in metrics
    page.get_by_role("button", name="Remove", exact=True).click()
    visitor.rest()
    where.set_input_files([{**given, "name": "words.txt", "buffer": b"no picture"}])
    visitor.sees("is of a kind that is not read here")
    visitor.is_healthy()


def test_a_phase_map_is_there_by_itself(server, visit: Callable[..., Visitor]) -> None:
    visitor = visit(server)
    page = visitor.page
    visitor.open("/outliers?data=digits&part=map")
    visitor.sees("Preview: 4 × 4 cells")
    visitor.sees("of computing")
    visitor.sees("Where is CSPCA exact?")
    visitor.sees("Where is PCA exact?")
    visitor.rest()
    assert page.evaluate(STICKS_OUT) <= 0
    visitor.is_healthy()
