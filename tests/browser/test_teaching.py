"""What a teacher does before a class: the tour, a page for the room, a frame in a slide."""

import functools
import http.server
import re
import threading
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Visitor
from tests.browser.journey import STICKS_OUT

CARD = "[role=dialog]"


def ring(visitor: Visitor, around: str) -> None:
    """The ring is drawn around what the step speaks of."""
    outer = visitor.page.locator(".ring").bounding_box()
    inner = visitor.page.locator(around).first.bounding_box()
    assert outer["x"] < inner["x"]
    assert outer["y"] < inner["y"]
    assert outer["x"] + outer["width"] > inner["x"] + inner["width"]
    assert outer["y"] + outer["height"] > inner["y"] + inner["height"]


def test_the_tour_stands_beside_what_it_speaks_of_and_is_offered_once(
    visitor: Visitor, server
) -> None:
    page = visitor.page
    page.emulate_media(reduced_motion="reduce")
    visitor.open("/")
    explore.wait_for_certificate(visitor)
    expect(page.locator(CARD)).to_have_count(0)
    explore.button(visitor, "tour_offer_button").click()
    card = page.locator(CARD)
    expect(card).to_have_accessible_name("Which pixels matter", timeout=20_000)
    explore.wait_for_map(visitor)
    visitor.rest()
    expect(card.get_by_role("button", name="Next")).to_be_focused()
    ring(visitor, ".st-key-importance_map .pm-stage")
    for words, around in (
        ("The proof", ".st-key-importance_map .course"),
        ("drag α", ".st-key-fit_alpha"),
        ("rebuilt", ".st-key-importance_map .rebuilt"),
        ("What next", explore.MENU),
    ):
        page.keyboard.press("Enter")
        expect(card).to_contain_text(words)
        page.wait_for_timeout(300)
        ring(visitor, around)
        if words == "drag α":
            # The page stays in use, and the card with it.
            explore.drag(visitor, "fit_alpha", 5)
            explore.wait_for_certificate(visitor)
            expect(card).to_contain_text("3 of 5")
            card.get_by_role("button", name="Next").focus()
    visitor.rest()
    before = page.locator(".st-key-explore_columns").bounding_box()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    visitor.rest()
    assert page.locator(".st-key-explore_columns").bounding_box() == before
    # Home does not offer it again, nor after a reload.
    visitor.open("/")
    visitor.rest()
    expect(page.locator(visitor.key("tour_offer"))).to_have_count(0)
    # A phone has it at the foot of the screen; its last step leads on.
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/?tour=1")
    expect(card).to_contain_text("1 of 5", timeout=20_000)
    visitor.rest()
    for _ in range(4):
        box = card.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] > 422
        assert box["y"] + box["height"] <= 844
        card.get_by_role("button", name="Next").click()
        if "rebuilt" in card.inner_text():
            # Between the map, which stays, and the card.
            page.wait_for_timeout(1000)
            ring(visitor, ".st-key-importance_map .rebuilt")
            around = page.locator(".tour .ring").bounding_box()
            assert around["y"] > page.locator(f"{explore.MAP} .film").bounding_box()["y"]
            assert around["y"] + around["height"] < card.bounding_box()["y"] + 12
    card.get_by_role("button", name="Let the methods compete").click()
    page.wait_for_url(re.compile("/compare"))
    visitor.sees("Which method picks the best pixels?")
    expect(card).to_have_count(0)
    visitor.is_healthy()


def test_a_page_for_the_room_is_left_and_entered_by_a_key(visitor: Visitor) -> None:
    page = visitor.page
    sidebar = page.get_by_test_id("stSidebar")
    page.set_viewport_size({"width": 1280, "height": 720})
    visitor.open("/explore?data=digits&present=1")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    expect(sidebar).to_be_hidden()
    large = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert large >= 19
    # Map and slider stand in one view, and nothing sticks out.
    for inside in (explore.MAP, ".st-key-fit_alpha"):
        box = page.locator(inside).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720
    assert page.evaluate(f"({STICKS_OUT})()") <= 0
    page.get_by_role("button", name="Pages").click()
    page.get_by_role("link", name="Sensitivity").click()
    page.wait_for_url(re.compile("/sensitivity.*present=1"))
    visitor.sees("Where do α and β matter?")
    # What begins by itself draws the page again; a key pressed meanwhile may find no button.
    expect(page.get_by_text(re.compile("Done ·|Stopped ·")).first).to_be_visible(timeout=90_000)
    visitor.rest()
    expect(sidebar).to_be_hidden()
    page.keyboard.press("Alt+P")
    expect(sidebar).to_be_visible()
    page.wait_for_url(lambda url: "present" not in url)
    visitor.rest()
    # It begins at its top, wherever the page was.
    top = page.get_by_test_id("stMain")
    top.evaluate("main => main.scrollTo(0, 300)")
    page.keyboard.press("Alt+P")
    expect(sidebar).to_be_hidden()
    page.wait_for_url(re.compile("present=1"))
    visitor.rest()
    assert top.evaluate("main => main.scrollTop") == 0
    visitor.is_healthy()


def test_a_lesson_is_written_in_one_go_and_its_code_spells_out_no_answer(visitor: Visitor) -> None:
    visitor.open("/explore?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    page = visitor.page
    page.get_by_role("button", name="Make a lesson of this view").click()
    page.get_by_label("Question", exact=True).click()
    for words in ("Which pixels go first, and which ones stay?", "Raise α", "The edges"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
        visitor.rest()
    page.keyboard.type("Those at the edge")
    page.keyboard.press("Enter")
    answer = page.get_by_label("Lesson").get_by_text("Those at the edge")
    expect(answer).to_be_attached(timeout=20_000)
    expect(answer).to_be_hidden()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="QR code of the link").click()
    code = page.locator(".code")
    expect(code.locator("svg")).to_have_attribute("data-text", re.compile("answer=Those"))
    expect(code.locator("p")).not_to_contain_text("answer")
    # The server of the tests listens to nobody else, and that is said.
    expect(code.locator("p")).to_contain_text("opens on this computer only")
    # A slow server writes the address after the code was opened.
    page.evaluate("history.replaceState({}, '', location.href + '&k=3')")
    expect(code.locator("svg")).to_have_attribute("data-text", re.compile("k=3$"))
    visitor.is_healthy()


def test_a_lesson_leaves_the_stage_in_sight_on_a_low_screen(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 720})
    visitor.open("/explore?lesson=ten-iterations")
    explore.wait_for_certificate(visitor, 60)
    visitor.rest(60)
    for part in (".cspca-lesson > p", ".cspca-lesson summary", f"{explore.STAGE} .rebuilt"):
        box = page.locator(part).last.bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= 720, part
    # The answer opens where it is asked for.
    page.locator(".cspca-lesson summary").click()
    expect(page.get_by_text("It flattens early")).to_be_visible()
    # The title is heard all the same.
    expect(page.get_by_role("heading", level=1)).to_have_text("What do α and β keep?")
    visitor.is_healthy()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_given: object) -> None:
        """Say nothing."""


def test_in_a_frame_of_another_site_the_picture_stands_and_moves(
    visitor: Visitor, server, tmp_path: Path
) -> None:
    visitor.open("/explore?lesson=digit-strokes")
    explore.wait_for_certificate(visitor)
    visitor.page.get_by_role("button", name="QR code of the link").click()
    visitor.page.get_by_role("button", name="Code for a slide or a page").click()
    frame = visitor.page.locator(".code p").inner_text()
    assert "embed=true" in frame
    visitor.page.context.clear_cookies()
    (tmp_path / "index.html").write_text(f"<!doctype html><title>A slide</title>{frame}")
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as slides:
        threading.Thread(target=slides.serve_forever, daemon=True).start()
        # Another name of this machine is another site: the frame gets no cookies.
        visitor.page.goto(f"http://localhost:{slides.server_port}/index.html")
        inside = visitor.page.frame_locator("iframe")
        badge = inside.get_by_text(re.compile("proven: ")).filter(visible=True).first
        expect(badge).to_be_visible(timeout=40_000)
        expect(inside.get_by_test_id("stSidebar")).to_be_hidden()
        expect(inside.get_by_text("Handwritten digits of 8 × 8 pixels")).to_be_visible()
        expect(inside.locator(".st-key-importance_map .pm-stage")).to_be_in_viewport(ratio=1)
        knob = inside.locator(".st-key-fit_alpha input[type=range]")
        before = inside.locator(".st-key-fit_status").inner_text()
        knob.focus()
        knob.press("ArrowRight")
        expect(inside.locator(".st-key-fit_status")).not_to_have_text(before, timeout=20_000)
        expect(badge).to_be_visible(timeout=20_000)
        out = inside.get_by_role("link", name="Open in CSPCA Studio")
        expect(out).to_have_attribute("href", re.compile(r"alpha=0\.45"), timeout=20_000)
        assert not [one for one in visitor.page.context.cookies() if "cspca" in one["name"]]
        with visitor.page.expect_popup() as opened:
            out.click()
        expect(opened.value).to_have_url(re.compile(r"/explore\?.*alpha=0\.45"))
        assert "embed" not in opened.value.url
        opened.value.close()
        visitor.page.goto("about:blank")
        slides.shutdown()
    visitor.is_healthy()
