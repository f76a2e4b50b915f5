"""What a teacher does before a class: a projector, a frame in a slide."""

import functools
import http.server
import re
import threading
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from cspca.ui.theory_page import PICTURES
from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.journey import STICKS_OUT
from tests.soak import counted

#: In the page: is the type that is usual on it at least so many pixels high?
IS_LARGE = "least => parseFloat(getComputedStyle(document.documentElement).fontSize) >= least"


def test_pages_fill_a_projector_and_a_lesson_stands_in_a_frame_of_another_site(
    server: Server, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    visitor = visit(server, width=1280, height=720)
    pages_are_large_and_stand_in_one_view(visitor)
    a_lesson_is_written_and_stands_in_a_frame_of_another_site(visitor, tmp_path)
    visitor.is_healthy()


def pages_are_large_and_stand_in_one_view(visitor: Visitor) -> None:
    """Where each leads back to is seen in a frame of another site."""
    page = visitor.page
    # Map, film, slider and badge stand in one view, and nothing sticks out.
    visitor.open("/?data=digits&embed=true")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for width, height, least in ((1920, 1080, 27), (1280, 720, 19)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(IS_LARGE, arg=least)
        for inside in (explore.MAP, f"{explore.STAGE} .film", ".st-key-fit_alpha", explore.STATUS):
            expect(page.locator(inside).first).to_be_in_viewport(ratio=1)
        map_ = page.locator(explore.MAP).element_handle()
        wide_enough = "([map, width]) => map.getBoundingClientRect().width >= 0.28 * width"
        page.wait_for_function(wide_enough, arg=[map_, width])
        page.wait_for_function(f"({STICKS_OUT})() <= 0")
    visitor.rest()
    explore.drag(visitor, "fit_alpha", 5)
    explore.wait_for_query(visitor, "alpha")
    explore.wait_for_certificate(visitor)
    # What is set there stays set, as does the type.
    assert "embed=true" in page.url
    assert page.evaluate(f"({IS_LARGE})(19)")

    # Predict is painted and revealed.
    visitor.open("/predict?data=digits&embed=true")
    visitor.rest()
    for part in (".st-key-paint .pt-stage", ".st-key-paint .pt-send"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    stage = page.locator(".st-key-paint .pt-stage")
    stage.focus()
    stage.press("Space")
    page.locator(".st-key-paint").get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-predict_masks")).to_be_visible()
    page.wait_for_function(f"({STICKS_OUT})() <= 0")

    # A picture of Theory stands with what moves it and its answer.
    for picture in counted([*PICTURES.values()][:1], [*PICTURES.values()]):
        visitor.open(f"/theory?picture={picture.name}&embed=true")
        answer = page.locator(".drag-words")
        expect(answer).not_to_be_empty()
        for part in (answer, page.locator(".drag svg").first):
            expect(part).to_be_in_viewport(ratio=1)
        page.wait_for_function(f"({STICKS_OUT})() <= 0")


def in_one_view(visitor: Visitor, *selectors: str) -> None:
    """Wait until each of these is seen as a whole."""
    for selector in selectors:
        expect(visitor.page.locator(selector).last).to_be_in_viewport(ratio=1)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_given: object) -> None:
        """Say nothing."""


def a_lesson_is_written_and_stands_in_a_frame_of_another_site(
    visitor: Visitor, folder: Path
) -> None:
    page = visitor.page
    # A lesson leaves the stage in sight on a low screen.
    visitor.open("/?lesson=ten-iterations")
    explore.wait_for_certificate(visitor)
    in_one_view(visitor, ".cspca-lesson > p", ".cspca-lesson summary", f"{explore.STAGE} .rebuilt")
    # In full screen its question stays.
    question = page.locator(f"{explore.STAGE} .lesson")
    expect(question).to_be_hidden()
    full = page.locator(explore.STAGE).get_by_role("button", name="Full screen")
    full.click()
    in_one_view(visitor, f"{explore.STAGE} .lesson", f"{explore.STAGE} .curve")
    expect(question).to_contain_text("looks flat after ten steps")
    full.click()
    expect(question).to_be_hidden()
    # Its answer opens where it is asked for.
    page.locator(".cspca-lesson summary").click()
    expect(page.get_by_text("It flattens early")).to_be_visible()
    # The title is heard all the same.
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")

    # One of one's own is written in one go.
    page.set_viewport_size({"width": 1440, "height": 900})
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    page.get_by_role("button", name="Share").click()
    page.get_by_label("Question", exact=True).click()
    for words in ("Which pixels go first, and which ones stay?", "Raise α", "The edges"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
        visitor.rest()
    page.keyboard.type("Those at the edge")
    page.keyboard.press("Enter")
    answer = page.get_by_label("Lesson").get_by_text("Those at the edge")
    expect(answer).to_be_attached()
    expect(answer).to_be_hidden()
    page.keyboard.press("Escape")
    # Its code spells out no answer.
    page.get_by_role("button", name="QR code of the link").click()
    code = page.locator(".code")
    expect(code.get_by_role("img")).to_have_attribute("alt", re.compile("answer=Those"))
    expect(code.locator("p")).not_to_contain_text("answer")
    # The server of the tests listens to nobody else, and that is said.
    expect(code.locator("p")).to_contain_text("opens on this computer only")

    # In a frame of another site the picture stands and moves.
    page.get_by_role("button", name="Code for a slide or a page").click()
    expect(code.locator("p")).to_contain_text("embed=true")
    frame = code.locator("p").inner_text()
    page.context.clear_cookies()
    (folder / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>A slide</title>{frame}', encoding="utf-8"
    )
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as slides:
        threading.Thread(target=slides.serve_forever, daemon=True).start()
        # Another name of this machine is another site: the frame gets no cookies.
        page.goto(f"http://localhost:{slides.server_port}/index.html")
        inside = page.frame_locator("iframe")
        badge = inside.get_by_text(re.compile("of the optimum")).filter(visible=True).first
        expect(badge).to_be_visible()
        expect(inside.get_by_test_id("stSidebar")).to_be_hidden()
        question = inside.get_by_label("Lesson").get_by_text("Which pixels go first")
        expect(question).to_be_visible()
        expect(inside.locator(".st-key-importance_map .pm-stage")).to_be_in_viewport(ratio=1)
        knob = inside.locator(".st-key-fit_alpha input[type=range]")
        before = inside.locator(".st-key-fit_status").inner_text()
        knob.focus()
        knob.press("ArrowRight")
        expect(inside.locator(".st-key-fit_status")).not_to_have_text(before)
        expect(badge).to_be_visible()
        out = inside.get_by_role("link", name="Open in CSPCA Studio")
        expect(out).to_have_attribute("href", re.compile(r"alpha=0\.45"))
        assert not [cookie for cookie in page.context.cookies() if "cspca" in cookie["name"]]
        with page.expect_popup() as popup:
            out.click()
        expect(popup.value).to_have_url(re.compile(r"/\?.*alpha=0\.45"))
        assert "embed" not in popup.value.url
        popup.value.close()
        page.goto("about:blank")
        slides.shutdown()
