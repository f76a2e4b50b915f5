"""What a teacher does before a class: the tour, a projector, a frame in a slide."""

import functools
import http.server
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.journey import STICKS_OUT

CARD = "[role=dialog]"


def test_the_tour_is_a_dialog_of_three_steps_and_is_offered_once(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/")
    explore.wait_for_certificate(visitor)
    card = page.locator(CARD)
    expect(card).to_have_count(0)
    explore.button(visitor, "tour_offer_button").click()
    expect(card).to_contain_text("Which pixels matter")
    for button, words in (
        ("Next", "The proof"),
        ("Back", "Which pixels matter"),
        ("Next", "The proof"),
        ("Next", "drag α"),
    ):
        card.get_by_role("button", name=button, exact=True).click()
        expect(card).to_contain_text(words)
    # The page's own fit, drawn again and again below, does not close it.
    explore.wait_for_certificate(visitor)
    visitor.rest()
    expect(card).to_contain_text("3 of 3")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    # Closed by the keyboard it stays closed, and the page is in use.
    explore.drag(visitor, "fit_alpha", 5)
    explore.wait_for_certificate(visitor)
    visitor.rest()
    expect(card).to_have_count(0)
    visitor.open("/")
    visitor.rest()
    expect(page.locator(visitor.key("tour_offer"))).to_have_count(0)
    # On a phone it fits; its last step leads on.
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/?tour=1")
    for words in ("1 of 3", "2 of 3", "3 of 3"):
        expect(card).to_contain_text(words)
        box = card.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
        if words != "3 of 3":
            card.get_by_role("button", name="Next").click()
    card.get_by_role("button", name="Let the methods compete").click()
    page.wait_for_url(re.compile("/compare"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare")
    expect(card).to_have_count(0)
    visitor.is_healthy()


#: In the page: the type that is usual on it, in pixels.
TYPE = "parseFloat(getComputedStyle(document.documentElement).fontSize)"


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 720, 19), (1920, 1080, 27)])
def test_on_a_projector_the_stage_is_large_and_a_link_leads_back(
    server: Server, visit: Callable[..., Visitor], width: int, height: int, least: float
) -> None:
    visitor = visit(server, width=width, height=height)
    page = visitor.page
    visitor.open("/?data=digits&embed=true")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    assert page.evaluate(TYPE) >= least
    # Map, film, slider and badge stand in one view, and nothing sticks out.
    for inside in (explore.MAP, f"{explore.STAGE} .film", ".st-key-fit_alpha", explore.STATUS):
        expect(page.locator(inside).first).to_be_in_viewport(ratio=1)
    assert page.locator(explore.MAP).bounding_box()["width"] >= 0.28 * width
    assert page.evaluate(f"({STICKS_OUT})()") <= 0
    explore.drag(visitor, "fit_alpha", 5)
    explore.wait_for_certificate(visitor)
    # What is set there stays set, as does the type.
    assert "embed=true" in page.url
    assert page.evaluate(TYPE) >= least
    alpha = explore.wait_for_query(visitor, "alpha")
    leave = page.get_by_role("link", name="Open in CSPCA Studio")
    # The badge of the fit before says the same until the page is drawn anew.
    expect(leave).to_have_attribute("href", re.compile(rf"alpha={re.escape(alpha)}(&|$)"))
    with page.expect_popup() as opened:
        leave.click()
    expect(opened.value.get_by_test_id("stSidebar")).to_be_visible()
    assert explore.query(Visitor(opened.value, server))["alpha"] == explore.query(visitor)["alpha"]
    opened.value.close()
    visitor.is_healthy()


def test_predict_is_painted_and_revealed_on_a_projector(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 720})
    visitor.open("/predict?data=digits&embed=true")
    visitor.rest()
    for part in (".st-key-paint .pt-stage", ".st-key-paint .pt-send"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    stage = page.locator(".st-key-paint .pt-stage")
    stage.focus()
    stage.press("Space")
    page.locator(".st-key-paint").get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-predict_masks")).to_be_visible()
    assert page.evaluate(f"({STICKS_OUT})()") <= 0
    visitor.is_healthy()


def test_a_lesson_is_written_in_one_go_and_its_code_spells_out_no_answer(visitor: Visitor) -> None:
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    page = visitor.page
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
    page.get_by_role("button", name="QR code of the link").click()
    code = page.locator(".code")
    expect(code.get_by_role("img")).to_have_attribute("alt", re.compile("answer=Those"))
    expect(code.locator("p")).not_to_contain_text("answer")
    # The server of the tests listens to nobody else, and that is said.
    expect(code.locator("p")).to_contain_text("opens on this computer only")
    visitor.is_healthy()


def test_a_lesson_leaves_the_stage_in_sight_on_a_low_screen(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 720})
    visitor.open("/?lesson=ten-iterations")
    explore.wait_for_certificate(visitor)
    visitor.rest(60)
    for part in (".cspca-lesson > p", ".cspca-lesson summary", f"{explore.STAGE} .rebuilt"):
        box = page.locator(part).last.bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= 720, part
    # The answer opens where it is asked for.
    page.locator(".cspca-lesson summary").click()
    expect(page.get_by_text("It flattens early")).to_be_visible()
    # The title is heard all the same.
    expect(page.get_by_role("heading", level=1)).to_have_text("Explore")
    visitor.is_healthy()


def test_the_film_of_too_little_too_much_leaves_alpha_and_beta_together(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/?lesson=too-little-too-much")
    explore.wait_for_certificate(visitor)
    scrub = page.locator(f"{explore.STAGE} .scrub")
    expect(scrub).to_be_enabled()
    scrub.press("End")
    page.wait_for_function("() => new URL(location).searchParams.get('alpha') === '1'")
    expect(page.get_by_role("radio", name="α = β")).to_be_checked()
    visitor.rest()
    assert explore.query(visitor)["mode"] == "path"
    assert "beta" not in explore.query(visitor)
    visitor.is_healthy()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_given: object) -> None:
        """Say nothing."""


def test_in_a_frame_of_another_site_the_picture_stands_and_moves(
    visitor: Visitor, server, tmp_path: Path
) -> None:
    visitor.open("/?lesson=digit-strokes")
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
        badge = inside.get_by_text(re.compile("of the optimum")).filter(visible=True).first
        expect(badge).to_be_visible()
        expect(inside.get_by_test_id("stSidebar")).to_be_hidden()
        expect(inside.get_by_text("Handwritten digits of 8 × 8 pixels")).to_be_visible()
        expect(inside.locator(".st-key-importance_map .pm-stage")).to_be_in_viewport(ratio=1)
        knob = inside.locator(".st-key-fit_alpha input[type=range]")
        before = inside.locator(".st-key-fit_status").inner_text()
        knob.focus()
        knob.press("ArrowRight")
        expect(inside.locator(".st-key-fit_status")).not_to_have_text(before)
        expect(badge).to_be_visible()
        out = inside.get_by_role("link", name="Open in CSPCA Studio")
        expect(out).to_have_attribute("href", re.compile(r"alpha=0\.45"))
        assert not [one for one in visitor.page.context.cookies() if "cspca" in one["name"]]
        with visitor.page.expect_popup() as opened:
            out.click()
        expect(opened.value).to_have_url(re.compile(r"/\?.*alpha=0\.45"))
        assert "embed" not in opened.value.url
        opened.value.close()
        visitor.page.goto("about:blank")
        slides.shutdown()
    visitor.is_healthy()
