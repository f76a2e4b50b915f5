"""The stage in a real browser: pointer, keyboard, redrawing, films, and what is heard of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.harness import AT_REST, running_server

STAGES = Path(__file__).with_name("stage_app.py")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The small page next to this file, served on its own."""
    with running_server(tmp_path_factory.mktemp("home"), STAGES) as server:
        yield server.url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    # Not the browser at home: there, once in a hundred looks, this page lost its server for good.
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visited = context.new_page()
    visited.goto(url)
    visited.locator(AT_REST).first.wait_for()
    expect(visited.locator(".st-key-square .pm-base")).to_have_attribute("role", "img")
    yield visited
    context.close()


def at(page: Page, row: int, column: int) -> tuple[float, float]:
    """The middle of a pixel, rows and columns counted from 1."""
    box = page.locator(".st-key-square .pm-base").bounding_box()
    assert box is not None
    return (
        box["x"] + (column - 0.5) * box["width"] / 32,
        box["y"] + (row - 0.5) * box["height"] / 32,
    )


def square(page: Page, part: str) -> Locator:
    """A part of the stage of 32 × 32 pixels."""
    return page.locator(f".st-key-square .pm-{part}")


def colour(canvas: Locator, index: int) -> list[int]:
    """Red, green, blue and opacity of a pixel of the map."""
    return canvas.evaluate(
        """(canvas, [column, row]) =>
            [...canvas.getContext('2d').getImageData(column, row, 1, 1).data]""",
        [index % 32, index // 32],
    )


def test_stages_answer_to_mouse_and_keyboard_are_never_blank_and_play_films(
    page: Page, url: str
) -> None:
    pixels_answer_to_the_mouse_and_the_keyboard(page)
    new_data_never_blank_the_canvas_and_bars_stand_for_features(page)
    a_film_is_played_grows_and_is_scrubbed_without_a_word_to_the_server(page, url)


#: In the page: all that is drawn on a canvas.
PICTURE = "canvas => canvas.toDataURL()"


def pixels_answer_to_the_mouse_and_the_keyboard(page: Page) -> None:
    stage, canvas, heard = square(page, "stage"), square(page, "base"), square(page, "live")
    tip, top, proven = square(page, "tip"), square(page, "top"), square(page, "proven")

    # It says what it is.
    expect(stage).to_have_attribute("role", "application")
    expect(stage).to_have_attribute(
        "aria-label",
        "Importance of the features. Rows and columns count from 1. Arrow keys move, "
        "Enter selects, Escape clears.",
    )
    expect(canvas).to_have_attribute(
        "aria-label",
        "Importance of 1,024 pixels (32 × 32): 1 is exactly zero; the strongest, at row 32, "
        "column 32, has 1023.",
    )
    expect(square(page, "zero-text")).to_have_text("exactly zero")

    # A pixel under the mouse says its place, its score and its rank.
    page.mouse.move(*at(page, 12, 7))
    expect(tip).to_have_text("row 12, column 7 · score 358 · rank 666 of 1,024")
    page.mouse.move(*at(page, 1, 1))
    expect(tip).to_have_text("row 1, column 1 · exact zero · rank 1,024 of 1,024")
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()

    # The keyboard does all that the mouse does. It starts at the best pixel.
    page.get_by_label("scale").focus()
    for _ in range(4):
        page.keyboard.press("Tab")
        if stage.evaluate("node => node.getRootNode().activeElement === node"):
            break
    expect(heard).to_have_text("row 32, column 32 · score 1023 · rank 1 of 1,024")
    for key in ("ArrowUp", "ArrowLeft", "ArrowRight", "ArrowRight", "Home", "PageUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(heard).to_contain_text("row 22, column 1 ·")
    page.keyboard.press("Enter")
    expect(page.get_by_text("picked 672")).to_be_visible()
    # The run in between has not taken the focus away.
    page.keyboard.press("End")
    expect(heard).to_contain_text("row 22, column 32 ·")
    page.keyboard.press("Escape")
    expect(page.get_by_text("picked None")).to_be_visible()

    # Only the top: all others fade.
    before = canvas.evaluate(PICTURE)
    some, best = colour(canvas, 500), colour(canvas, 1023)
    expect(top).to_have_text("Only the top 100")
    top.click()
    expect(top).to_have_attribute("aria-pressed", "true")
    assert colour(canvas, 500)[3] < 50 < some[3]
    assert colour(canvas, 1023) == best

    # What is proven to be small is marked, in place of that.
    expect(proven).to_have_text("1 pixel: at most 5 % of the best score (proven)")
    proven.click()
    expect(proven).to_have_attribute("aria-pressed", "true")
    expect(top).to_have_attribute("aria-pressed", "false")
    assert colour(canvas, 2) == [118, 124, 133, 255]
    page.mouse.move(*at(page, 1, 3))
    expect(tip).to_contain_text("column 3 · score 2, proven at most 0.26 % of the best · rank")
    proven.click()
    assert canvas.evaluate(PICTURE) == before

    # Another number of the best is seen at once.
    number = page.get_by_label("best", exact=True)
    number.fill("50")
    number.press("Enter")
    expect(top).to_have_text("Only the top 50")
    expect(top).to_have_attribute("aria-pressed", "true")
    assert colour(canvas, 1023 - 50)[3] < 50 < colour(canvas, 1023 - 49)[3]

    # A click reaches Python, and stays through a run.
    page.mouse.click(*at(page, 12, 7))
    expect(page.get_by_text("picked 358")).to_be_visible()
    page.get_by_label("scale").fill("2")
    page.get_by_label("scale").press("Enter")
    page.mouse.move(*at(page, 12, 7))
    expect(tip).to_have_text("row 12, column 7 · score 716 · rank 666 of 1,024")
    expect(page.get_by_text("picked 358")).to_be_visible()


#: In the page: what is seen of a canvas, frame by frame, until its data have changed five times.
WATCHED = """async (first) => {
    const root = first.getRootNode()
    const seen = {frames: 0, blank: 0, changes: 0, same: true}
    let last = null
    while (seen.frames <= 30 || seen.changes <= 4) {
        await new Promise(requestAnimationFrame)
        const canvas = root.querySelector('.pm-base')
        if (!canvas || !canvas.isConnected) { seen.blank++; break }
        seen.same = seen.same && canvas === first
        const pixels = canvas.getContext('2d').getImageData(0, 0, 32, 32).data
        let sum = 0
        for (let i = 0; i < pixels.length; i += 4) {
            if (pixels[i + 3] !== 255) { seen.blank++; break }
            sum = (31 * sum + pixels[i]) | 0
        }
        if (sum !== last) { seen.changes++; last = sum }
        seen.frames++
    }
    return seen
}"""

#: In the page: from where to where each of four bars reaches, in parts of a hundred from the top.
REACHES = """(canvas) => [0, 1, 2, 3].map((i) => {
    const at = Math.floor((i + 0.4) * canvas.width / 4)
    const column = canvas.getContext("2d").getImageData(at, 0, 1, canvas.height).data
    const drawn = [...Array(canvas.height).keys()].filter((y) => column[4 * y + 3])
    return [drawn.at(0), drawn.at(-1)].map((y) => Math.round(100 * y / canvas.height))
})"""


def new_data_never_blank_the_canvas_and_bars_stand_for_features(page: Page) -> None:
    seen = page.locator(".st-key-moving .pm-base").evaluate(WATCHED)
    assert seen["blank"] == 0
    assert seen["same"]

    # The names of bars are text, whatever they hold.
    stage = page.locator(".st-key-bars .pm-base")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 8, box["y"] + 20)
    expect(page.locator(".st-key-bars .pm-tip")).to_have_text(
        "<img src=x onerror=alert(1)> · score 1 · rank 3 of 4"
    )
    assert page.locator(".st-key-bars .pm-tip img").count() == 0

    # Two sets of bars stand on one scale, and their difference has a middle: what is more in A is
    # above it, what is more in B below.
    held = page.locator(".st-key-held")
    expect(held.locator(".one figcaption")).to_have_text("A: α = 0.1, β = 0.02")
    expect(held.locator(".two figcaption")).to_contain_text("A − B, up to 3")
    b, a, change = (
        held.locator(f".{name}").evaluate(REACHES)
        for name in ("pm-base", "one canvas", "two canvas")
    )
    assert b[2][0] < 5
    assert a[0][0] == b[3][0]
    assert [top < 48 for top, _ in change] == [True, True, False, False]
    assert [foot > 52 for _, foot in change] == [False, False, True, False]
    expect(held.locator(".numbers")).to_contain_text("in both 2 of 4 (50 %)")

    # A stale map is dimmed, and stays.
    page.get_by_label("scale").fill("9")
    page.get_by_label("scale").press("Enter")
    figure = page.locator(".st-key-square .pm")
    expect(figure).to_have_attribute("data-stale", "true")
    expect(figure).to_have_css("opacity", "0.5")
    expect(square(page, "base")).to_be_visible()


# -- the film --------------------------------------------------------------------------------------


def played(page: Page, part: str) -> Locator:
    return page.locator(f".st-key-played .{part}")


def along(page: Page, share: float) -> tuple[float, float]:
    """A place on the track of the film."""
    played(page, "scrub").scroll_into_view_if_needed()
    box = played(page, "scrub").bounding_box()
    return box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2


def texts_along(page: Page, plot: Locator) -> list[str]:
    """What a chart says at eight places across."""
    box, texts = plot.bounding_box(), []
    for place in range(1, 9):
        page.mouse.move(box["x"] + place / 9 * box["width"], box["y"] + box["height"] / 2)
        texts.append(plot.locator(".tip").inner_text())
    return texts


def in_use(page: Page) -> int:
    """Pixels in use, by what is said of the picture."""
    words = played(page, "kept canvas").get_attribute("aria-label")
    return int(re.search(r"([\d,]+) pixels kept", words)[1].replace(",", ""))


#: In the page: three steps to the right, as by a key that is held down: one at rest lets go.
THREE_STEPS = "one => { one.stepUp(3); one.dispatchEvent(new Event('input', { bubbles: true })) }"


def a_film_is_played_grows_and_is_scrubbed_without_a_word_to_the_server(
    page: Page, url: str
) -> None:
    # By keys.
    page.emulate_media(reduced_motion="reduce")
    scrub, readout = played(page, "scrub"), played(page, "readout")
    scrub.focus()
    scrub.evaluate(THREE_STEPS)
    expect(played(page, "numbers")).to_contain_text("1,009 of 1,024")
    expect(scrub).to_have_attribute("aria-valuetext", re.compile("α = 0.0107"))
    for text in texts_along(page, played(page, "plot")):
        value, above = re.search(r"objective ([\d,]+)\b.* within ([\d.]+) % of", text).groups()
        gap = 100 / float(value.replace(",", ""))
        assert gap <= float(above) <= 1.1 * gap, "what is at most so much is rounded up"
    scrub.press("Escape")
    expect(readout).to_have_text("α = 0.01")
    scrub.press(" ")
    expect(played(page, "play")).to_have_attribute("aria-label", "Pause")
    # Halted on its first frame it would be back at the fit.
    expect(readout).not_to_have_text("α = 0.01")
    scrub.press(" ")
    # Where it is halted it is let go.
    expect(page.get_by_text("alpha is 0.01", exact=True)).to_have_count(0)
    expect(played(page, "play")).to_have_attribute("aria-label", "Play")

    # Of a film that grows the nearest frame is shown.
    page.get_by_label("frames", exact=True).fill("5")
    page.get_by_label("frames", exact=True).press("Enter")
    expect(scrub).to_have_attribute("aria-label", re.compile("5 of 200 frames"))
    page.mouse.move(*along(page, 0.3))
    page.mouse.down()
    expect(readout).to_have_text("α = 0.03108")
    assert in_use(page) == 1024 - 5 * 49
    page.mouse.up()
    expect(page.get_by_text("alpha is 0.03")).to_be_visible()

    # Scrubbed by the mouse it asks the server for nothing, until it is let go.
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.goto(f"{url}?still")
    expect(scrub).to_be_enabled()
    expect(readout).to_have_text("α = 0.01")
    expect(scrub).to_have_attribute("aria-label", re.compile("200 of 200 frames"))
    page.locator(AT_REST).first.wait_for()
    page.mouse.move(*along(page, 0.0))
    page.mouse.down()
    before, seen = len(sent), []
    for step in range(1, 21):
        page.mouse.move(*along(page, step / 20))
        page.evaluate("() => new Promise(requestAnimationFrame)")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        seen.append(in_use(page))
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) > 15, "every place has its frame"
    assert seen[-1] == 1024 - 5 * 199
    expect(played(page, "numbers")).to_contain_text("29 of 1,024")
    expect(readout).to_have_text("α = 1")
    expect(page.get_by_text("alpha is 0.01")).to_be_visible()
    assert before > 0
    assert len(sent) == before
    page.mouse.up()
    expect(page.get_by_text("alpha is 1.0")).to_be_visible()
    expect(readout).to_have_text("α = 1")
    base = played(page, "pm-base").bounding_box()
    page.mouse.move(base["x"] + 3, base["y"] + 3)
    expect(played(page, "pm-tip")).to_contain_text("row 1, column 1 · exact zero")
