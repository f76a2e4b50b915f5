"""The cloud of samples in a browser: hover, lasso, keyboard and finger.

What is said of a group, and that it is left out and put back: tests/app/test_samples_page.py.
"""

from __future__ import annotations

import math
import re

from playwright.sync_api import Page, expect

from tests.browser.harness import Visitor
from tests.few import N_DIGITS

CLOUD = ".st-key-cloud .cl"
PICTURES = ".st-key-samples_apart img"


def stands(visitor: Visitor, chosen: int = 0) -> None:
    """Wait until the cloud of the present fit has come to rest with so many chosen."""
    visitor.page.locator(
        f"{CLOUD}[data-moving=false][data-stale=false][data-chosen='{chosen}']"
    ).wait_for()
    visitor.rest()


def circle(page: Page, across: float, down: float, size: float) -> list[tuple[float, float]]:
    """Places on the screen around a point of the cloud, all in shares of its width and height."""
    box = page.locator(f"{CLOUD} .cl-stage").bounding_box()
    assert box is not None
    turns = [2 * math.pi * step / 24 for step in range(25)]
    return [
        (
            box["x"] + across * box["width"] + size * box["height"] * math.cos(turn),
            box["y"] + down * box["height"] + size * box["height"] * math.sin(turn),
        )
        for turn in turns
    ]


def n_chosen(page: Page) -> int:
    """How many samples the page says are chosen, once it says so."""
    said = page.get_by_text(re.compile(r"\d+ chosen, \d+ others")).filter(visible=True).first
    return int(re.search(r"([\d,]+) chosen", said.inner_text())[1].replace(",", ""))


def test_mouse_keyboard_text_and_a_finger_choose_samples(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/?data=digits&part=samples")
    stands(visitor)
    # The pointer finds an image, and says which.
    tip = page.locator(f"{CLOUD} .cl-tip")
    expect(tip).to_be_hidden()
    for place in circle(page, 0.45, 0.5, 0.2):
        page.mouse.move(*place)
        if tip.is_visible():
            break
    expect(tip).to_have_text(re.compile(r"^image \d+\s*\d$"))
    expect(tip.locator("canvas")).to_be_visible()
    # A line around some chooses them.
    first, *others = circle(page, 0.4, 0.5, 0.25)
    page.mouse.move(*first)
    page.mouse.down()
    for place in others:
        page.mouse.move(*place)
    page.mouse.up()
    expect(page.locator(PICTURES)).to_have_count(2)
    count = n_chosen(page)
    assert 5 < count < N_DIGITS - 5
    stands(visitor, count)
    # Another fit moves the points; the group stays.
    page.locator(f"{visitor.key('fit_beta')} input[type=range]").press("ArrowRight")
    page.wait_for_function("() => new URL(location).searchParams.has('beta')")
    stands(visitor, count)

    stage, heard = page.locator(f"{CLOUD} .cl-stage"), page.locator(f"{CLOUD} .cl-live")
    stage.focus()
    page.keyboard.press("Escape")
    stands(visitor, 0)
    expect(page.locator(PICTURES)).to_have_count(0)
    page.keyboard.press("Home")
    expect(heard).to_have_text(re.compile(r"^image 1, 0\. 0 chosen$"))
    page.keyboard.press("ArrowRight")
    expect(heard).not_to_have_text(re.compile(r"^image 1, "))
    number = int(re.match(r"image (\d+)", heard.inner_text())[1])
    page.keyboard.press("Enter")
    stands(visitor, 1)
    field = page.get_by_role("textbox", name="Chosen images")
    expect(field).to_have_value(f"{number}")
    field.fill("1-12, 40")
    field.press("Enter")
    stands(visitor, 13)
    visitor.sees(f"13 chosen, {N_DIGITS - 13} others.")
    stage.focus()
    page.keyboard.press("Escape")
    stands(visitor, 0)
    expect(field).to_have_value("")

    # On a phone a finger draws a lasso, and does not scroll.
    page.set_viewport_size({"width": 390, "height": 844})
    stands(visitor)
    stage.scroll_into_view_if_needed()
    visitor.rest()
    scrolled = visitor.scrolled()
    visitor.swipe(*circle(page, 0.5, 0.5, 0.25)[::6])
    expect(page.locator(PICTURES)).to_have_count(2)
    assert visitor.scrolled() == scrolled
    stands(visitor, n_chosen(page))
    visitor.is_healthy()
