"""Every page for everybody: what axe-core finds, the keyboard alone, a page zoomed or printed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.journey import STICKS_OUT, Journey
from tests.browser.test_start import FITTING, PAGES

STREAMLITS = {
    # It gives the place for files a role and a place in the order of the keyboard at once.
    ("presentation-role-conflict", "stFileUploaderDropzone"),
    # Its menu in groups is a list whose items stand in boxes.
    ("list", "stSidebarNav"),
    ("listitem", "stSidebarNav"),
}
"""What Streamlit's own elements break: a rule of axe-core, and the mark of what they stand in."""

#: In the page: the marks of an element and of all that it stands in.
MARKS = """selector => {
    const marks = []
    for (let node = document.querySelector(selector); node; node = node.parentElement)
        marks.push(node.dataset.testid)
    return marks.join(" ")
}"""

THEMES = {"dark": {"runOnly": ["color-contrast", "link-in-text-block"]}, "light": None}
"""The rules of axe-core that a theme can break, and in the other theme all of them."""

ANSWERING = {"/compare", "/compare?tab=sensitivity", "/compare?tab=convergence"}
"""Pages that compute an answer as soon as they are opened."""

SECTIONS = {
    "/outliers?data=digits&part=map": "of computing",
    "/outliers?data=digits&part=ruined": "8 of 8 methods have answered",
    "/outliers?data=digits&part=own": "Most suspicious first",
    "/outliers?data=digits&part=new": "that the fit never saw",
}
"""Sections of a page that do not open with it, and what they say when they are there."""

#: The usual small screen, 1440 × 900 zoomed to 200 %, and a phone.
SMALL = ((1280, 720), (720, 450), (390, 844))

#: In the page: has it the ground of a dark or of a light theme?
DRAWN_AS = """scheme => {
    const ground = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
    const bright = ground.match(/\\d+/g).slice(0, 3).reduce((sum, one) => sum + one / 765, 0)
    return scheme === "dark" ? bright < 0.2 : bright > 0.8
}"""

#: In the page: words that do not fit their place and cannot be scrolled to.
CUT = """() => [...document.querySelectorAll("[data-testid=stApp] *")].filter(one =>
    ["hidden", "clip"].includes(getComputedStyle(one).overflowX) && one.checkVisibility()
    && one.clientWidth > 20 && one.scrollWidth > one.clientWidth + 1 && one.innerText?.trim()
).map(one => one.innerText)"""

#: In the page: what can be pressed, moved or written into, and is seen.
TO_PRESS = """() => [...document.querySelectorAll("a, button, input, textarea, [role=slider]")]
    .filter(one => one.checkVisibility() && !one.closest("[data-testid=stMarkdown]"))
    .map(one => one.innerText || one.ariaLabel || one.outerHTML)"""


@pytest.mark.parametrize("path", [*PAGES, *SECTIONS])
def test_a_page_is_there_for_everybody(
    server: Server, visit: Callable[..., Visitor], path: str
) -> None:
    visitor = visit(server)
    page = visitor.page
    if path in ANSWERING:
        # The answer that other journeys have, too.
        visitor.open(f"{path}?data=digits")
        Journey(visitor, path[1:]).stands("of computing|Stopped · ")
    else:
        visitor.open(path)
    if path in FITTING:
        explore.wait_for_certificate(visitor)
    if path in SECTIONS:
        visitor.sees(SECTIONS[path])
    # Streamlit follows the scheme only once it is there to hear of it.
    visitor.rest()
    for scheme, rules in THEMES.items():
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(DRAWN_AS, arg=scheme)
        visitor.rest()
        found = [
            (scheme, broken["id"], node["html"][:300])
            for broken in Axe().run(page, options=rules).response["violations"]
            for node in broken["nodes"]
            if not is_streamlits(page, broken["id"], node["target"][0])
        ]
        assert found == []
    for width, height in SMALL:
        page.set_viewport_size({"width": width, "height": height})
        visitor.rest()
        # Charts are drawn anew for their new width.
        page.wait_for_function(f"({STICKS_OUT})() <= 0")
        assert page.evaluate(CUT) == [], width
    page.set_viewport_size({"width": 1000, "height": 1400})
    page.emulate_media(media="print")
    visitor.rest()
    assert page.evaluate(TO_PRESS) == [], "on paper nothing can be pressed"
    expect(page.locator("h1").first).to_be_visible()
    # What is on the page is on the paper: nothing lies in a box that would have to be scrolled.
    sheet = page.locator("[data-testid=stMain]")
    assert sheet.evaluate("main => main.scrollHeight - main.clientHeight") <= 0
    assert page.evaluate(STICKS_OUT) <= 0
    page.emulate_media(media="screen")
    visitor.is_healthy()


def is_streamlits(page: Page, rule: str, target: str | list[str]) -> bool:
    """Whether a rule is broken by an element of Streamlit's, which lies in no component."""
    broken = {mark for known, mark in STREAMLITS if known == rule}
    return isinstance(target, str) and any(mark in page.evaluate(MARKS, target) for mark in broken)


def test_what_is_heard_says_where_one_is_and_everything_once(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    current = page.locator(f"{explore.MENU} [aria-current=page]")
    expect(current).to_have_count(1)
    expect(current).to_contain_text("Explore")
    # Where the keyboard is does not look like where one is.
    shade = "link => getComputedStyle(link).backgroundColor"
    page.keyboard.press("Tab")
    other = page.locator(explore.MENU).get_by_role("link", name="Compare")
    tab_to(visitor, other)
    assert other.evaluate(shade) != current.evaluate(shade)
    for knob in page.get_by_role("slider").all():
        expect(knob).to_have_accessible_name(knob.get_attribute("aria-label"))
    visitor.is_healthy()


def test_the_keyboard_alone_finds_a_page_moves_a_slider_picks_a_pixel_and_takes_a_file(
    visitor: Visitor,
) -> None:
    page = visitor.page
    visitor.open("/theory?data=digits&alpha=0.2")
    visitor.rest()
    tab_to(visitor, page.locator(explore.MENU).get_by_role("link", name="Explore"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/?*")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    tab_to(visitor, page.locator(".st-key-fit_alpha input[type=range]"))
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URL(location).searchParams.get('alpha') === '0.224'")
    explore.wait_for_certificate(visitor)
    explore.wait_for_map(visitor)
    visitor.rest()
    tab_to(visitor, page.locator(f"{explore.MAP} .pm-stage"))
    heard = page.locator(".st-key-importance_map .pm-live")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(heard).to_have_text(re.compile(r"Selected: row \d, column \d · "))
    visitor.rest()
    tab_to(visitor, page.get_by_role("button", name="Download", exact=True))
    page.keyboard.press("Enter")
    file = page.locator("[data-testid=stPopoverBody] button").first
    file.wait_for()
    tab_to(visitor, file)
    with page.expect_download() as taken:
        page.keyboard.press("Enter")
    assert taken.value.suggested_filename.startswith("cspca-digits-")
    visitor.is_healthy()


def tab_to(visitor: Visitor, wanted: Locator, most: int = 120) -> None:
    """Press Tab until something has the keyboard."""
    wanted.wait_for(state="attached")
    for _ in range(most):
        if wanted.evaluate("one => one.getRootNode().activeElement === one"):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"{most} presses of Tab do not reach {wanted}")


def test_on_a_phone_the_menu_makes_way_for_the_page(
    server: Server, visit: Callable[..., Visitor]
) -> None:
    """Chosen, reloaded and turned: Streamlit would leave it, or open it, above the page."""
    visitor = visit(server, width=390, height=844)
    page = visitor.page
    sidebar = page.get_by_test_id("stSidebar")
    visitor.open("/guide")
    visitor.rest()
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_be_visible()
    page.locator(explore.MENU).get_by_role("link", name="Runs").click()
    expect(sidebar).to_be_hidden()
    visitor.sees("What was computed?")
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_be_visible()
    page.reload()
    visitor.rest()
    expect(sidebar).to_be_hidden()
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_timeout(1000)
    expect(sidebar).to_be_hidden()
    visitor.is_healthy()
