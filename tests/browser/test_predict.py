"""Predict, then reveal, in a browser: by mouse, by keyboard, by finger.

That what is typed is painted and the other way round is held by tests/app/test_predict_page.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT

SIDE = 32  # pixels of a rendered face


class Painter:
    """A visitor in front of a face."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.page = visitor, visitor.page
        self.sent: list[object] = []
        self.page.on("websocket", lambda socket: socket.on("framesent", self._hear))

    def _hear(self, frame: object) -> None:
        self.sent.append(frame)

    def open(self) -> None:
        self.visitor.open("/predict")
        self.page.locator(".pt-base").wait_for()
        self.visitor.rest()
        self.page.get_by_role("button", name="1 × 1 pixel").click()

    def at(self, row: int, column: int) -> tuple[float, float]:
        """Where a pixel of the image is on the screen, counted from 0."""
        box = self.page.locator(".pt-base").bounding_box()
        assert box is not None
        across = box["width"] / SIDE
        return box["x"] + (column + 0.5) * across, box["y"] + (row + 0.5) * across

    def counts(self, painted: int) -> None:
        expect(self.page.locator(".pt-count")).to_have_text(
            re.compile(f"^{painted} of 100 pixels painted")
        )

    def reveals(self, painted: int) -> None:
        self.page.locator(".pt-send").click()
        self.visitor.sees(f"Yours: {painted} pixels")
        self.visitor.rest()
        masks = self.page.locator(".st-key-predict_masks img")
        expect(masks).to_have_count(8)
        expect(masks.first).to_have_attribute(
            "alt", re.compile(f"^{painted} of 1,024 pixels are kept")
        )
        self.visitor.sees("random draws")


def test_by_mouse_and_keyboard_nothing_is_sent_until_it_is_revealed(
    server, visit: Callable[..., Visitor]
) -> None:
    painter = Painter(visit(server))
    page = painter.page
    painter.open()
    before = len(painter.sent)
    # As fast as a hand can be: one event from end to end.
    page.mouse.move(*painter.at(10, 5))
    page.mouse.down()
    page.mouse.move(*painter.at(10, 20), steps=1)
    page.mouse.up()
    painter.counts(16)
    page.get_by_role("button", name="Undo").click()
    painter.counts(0)
    page.get_by_role("button", name="Mirror").click()
    page.mouse.click(*painter.at(12, 3))
    painter.counts(2)
    page.get_by_role("button", name="Mirror").click()

    stage = page.locator(".pt-stage")
    stage.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".pt-live")).to_have_text(
        "row 14, column 4, not painted. 2 of 100 pixels painted"
    )
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    painter.counts(6)
    expect(page.locator(".pt-live")).to_have_text(
        "row 14, column 7, painted. 6 of 100 pixels painted"
    )
    page.keyboard.press("Delete")
    page.keyboard.press("Shift+ArrowDown")
    painter.counts(6)
    page.keyboard.press("Control+z")
    painter.counts(5)
    # The largest brush paints no more than there is to paint.
    page.get_by_role("button", name="5 × 5 pixels").click()

    def stroke(row: int) -> None:
        page.mouse.move(*painter.at(row, 2))
        page.mouse.down()
        page.mouse.move(*painter.at(row, 29), steps=2)
        page.mouse.up()

    stroke(20)
    painter.counts(100)
    stroke(24)
    expect(page.locator(".pt-count")).to_have_text("100 of 100 pixels painted: full")
    # What changed nothing is no step back.
    page.get_by_role("button", name="Undo").click()
    painter.counts(5)
    stroke(20)
    assert painter.sent[before:] == []
    # What is unfinished is there after a reload and on the way back from another page.
    page.reload()
    painter.counts(100)
    painter.visitor.rest()
    menu = page.locator(explore.MENU)
    explore.choose_page(painter.visitor, "guide")
    menu.get_by_role("link", name="Predict").click()
    painter.counts(100)
    painter.visitor.rest()
    painter.reveals(100)
    assert "paint" not in page.url
    page.get_by_role("button", name="Clear").click()
    painter.counts(0)
    painter.visitor.sees("Yours: 100 pixels")
    painter.visitor.is_healthy()


def test_a_class_on_two_screens_paints_by_finger(server, visit: Callable[..., Visitor]) -> None:
    teacher = visit(server)
    teacher.open("/predict")
    teacher.page.locator(".pt-base").wait_for()
    teacher.rest()
    teacher.page.get_by_text("Paint with a class").click()
    teacher.rest()
    teacher.page.get_by_role("button", name="Open for a class").click()
    code = explore.wait_for_query(teacher, "class")
    teacher.sees(code)
    picture = teacher.page.get_by_role("img", name=f"QR code of {server.url}/predict?class={code}")
    expect(picture).to_be_visible()
    phone = visit(server, width=390, height=844)
    pupil, page = Painter(phone), phone.page
    phone.open(f"/predict?class={code}")
    page.locator(".pt-base").wait_for()
    phone.sees(f"Class {code}")
    phone.rest()
    page.get_by_role("button", name="1 × 1 pixel").click()
    before = phone.scrolled()
    # Upwards, which would scroll the page anywhere else.
    phone.swipe(pupil.at(25, 10), pupil.at(6, 10))
    pupil.counts(20)
    assert phone.scrolled() == before
    page.wait_for_function(f"({STICKS_OUT})() <= 0")
    page.locator(".pt-send").click()
    phone.sees("Handed in")
    expect(page.get_by_text("Yours:")).to_have_count(0)
    # Their pages follow by themselves.
    teacher.sees("1 painting handed in")
    teacher.page.get_by_text("Reveal to the class").click()
    phone.sees("Yours: 20 pixels")
    teacher.sees("How many are among as many of CSPCA’s best?")
    # Each choice stands beside what is rebuilt from it.
    masks = page.locator(".st-key-predict_masks img")
    expect(masks).to_have_count(8)
    page.wait_for_function(f"({STICKS_OUT})() <= 0")
    places = [mask.bounding_box() for mask in masks.all()]
    assert [place["y"] for place in places[:4]] == [place["y"] for place in places[4:]]
    assert places[0]["x"] < places[4]["x"]
    # Who opened it finds it again.
    teacher.page.reload()
    teacher.sees("1 painting handed in")
    phone.is_healthy()
    teacher.is_healthy()
