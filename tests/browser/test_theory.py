"""The Theory page: what answers to the hand, and how soon."""

import pytest
from playwright.sync_api import Locator, expect

from cspca.ui.theory_page import PICTURES
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT

pytestmark = pytest.mark.browser

#: Where each is dragged to from where it stands, as shares of the picture's width and height, and
#: what it then says.
DRAGS = {
    "rows": (-0.6, -0.45, "row 1 is zero as a whole"),
    "regression": (0.2, 0.0, "times PCA"),
    "outlier": (-0.5, 0.7, "turns PCA"),
    "gap": (0.6, 0.0, "within 0."),
    "rank": (0.0, -0.45, "rank 1 of 24"),
    "regimes": (-0.65, 0.0, "W = I is the optimum"),
    "signal": (0.9, 0.0, "all noise stands behind"),
    "copies": (0.5, 0.0, "times: each has"),
}


def opened(visitor: Visitor) -> dict[str, Locator]:
    """The pictures of the page, once the last one is drawn."""
    visitor.open("/theory")
    found = {
        one.name: visitor.page.locator(f".st-key-drag_{one.name}") for one in PICTURES.values()
    }
    for one in found.values():
        expect(one.locator(".drag-words")).not_to_be_empty()
    visitor.rest()
    return found


def test_all_pictures_answer_to_mouse_keyboard_and_finger_without_the_server(
    visitor: Visitor,
) -> None:
    """A slider says its value and what it means; beside a grip a finger scrolls the page."""
    sent: list[object] = []
    visitor.page.on("websocket", lambda one: one.on("framesent", lambda: sent.append(one.url)))
    pictures = opened(visitor)
    before = len(sent)
    assert before > 0
    mouse = visitor.page.mouse
    for name, (across, down, answer) in DRAGS.items():
        one = pictures[name]
        one.scroll_into_view_if_needed()
        said = one.locator(".drag-words").inner_text()
        grip, size = (
            one.locator(".grip").bounding_box(),
            one.locator("svg[data-follow]").bounding_box(),
        )
        assert grip
        assert size
        x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + across * size["width"], y + down * size["height"], steps=8)
        mouse.up()
        expect(one.locator(".drag-words")).to_contain_text(answer)
        expect(one.locator(".drag-words")).not_to_have_text(said)
        slider = one.get_by_role("slider").first
        value = slider.get_attribute("aria-valuetext")
        assert value
        assert answer in value
        slider.focus()
        slider.press("ArrowRight" if name in ("rows", "outlier", "regimes") else "ArrowLeft")
        assert slider.get_attribute("aria-valuetext") != value
        assert one.get_by_role("slider").count() == (
            2 if name in ("rows", "regression", "outlier") else 1
        )
    assert len(sent) == before

    # On a phone: the grip follows the finger; beside it the page scrolls and the grip stays.
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    pictures = opened(visitor)
    page = visitor.page
    page.wait_for_function(f"({STICKS_OUT})() <= 0")
    for name, (across, down, answer) in DRAGS.items():
        one = pictures[name]
        image = one.locator("svg[data-follow]")
        image.evaluate("one => one.scrollIntoView({ block: 'center' })")
        grip, size = one.locator(".grip").bounding_box(), image.bounding_box()
        assert grip
        assert size
        x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
        before = visitor.scrolled()
        visitor.swipe((x, y), (x + across * size["width"], y + down * size["height"]))
        expect(one.locator(".drag-words")).to_contain_text(answer)
        assert visitor.scrolled() == before
    one = pictures["outlier"]
    image = one.locator("svg[data-follow]")
    image.evaluate("one => one.scrollIntoView({ block: 'center' })")
    size = image.bounding_box()
    assert size
    assert size["width"] > 300
    visitor.swipe((size["x"] + 0.1 * size["width"], size["y"] + 0.9 * size["height"]))
    expect(one.locator(".drag-words")).to_contain_text("One image at (-28, -28)")
    before = visitor.scrolled()
    beside = (size["x"] + 0.8 * size["width"], size["y"] + 0.2 * size["height"])
    visitor.swipe(beside, (beside[0], beside[1] - 150))
    assert visitor.scrolled() > before + 100
    expect(one.locator(".drag-words")).to_contain_text("One image at (-28, -28)")
    visitor.is_healthy()
