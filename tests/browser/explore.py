"""What the journeys do on Explore, in a visitor's words."""

import base64
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, expect

from cspca.ui import menu
from tests.browser.harness import Visitor

STATUS = ".st-key-fit_status"
MAP = ".st-key-importance_map .pm"
CURRENT_MAP = f"{MAP}[data-stale=false]"
STAGE = ".st-key-importance_map .stage"
CURVE = f"{STAGE} .curve"
MENU = "[data-testid=stSidebarNav]"
DATA_CARD = ".st-key-data_card"

#: In the page: the title that is drawn.
H1 = '() => document.querySelector(".st-key-title_row h1")?.innerText'

#: In the page: what tells one fit from the next.
SHOWN = f"""() => {{
    const host = [...document.querySelectorAll(".st-key-importance_map *")].find(
        (one) => one.shadowRoot?.querySelector(".pm"))
    const map = host?.shadowRoot.querySelector(".pm")
    return {{
        alpha: new URL(location).searchParams.get("alpha"),
        status: document.querySelector("{STATUS}")?.innerText ?? "",
        current: map?.dataset.stale === "false",
        picture: map?.querySelector(".pm-base").toDataURL(),
    }}
}}"""

#: In the page: the number of iterations on the stage, though folded away, if it is more than these.
MORE_ITERATIONS = """least => {
    const host = [...document.querySelectorAll(".st-key-importance_map *")].find(
        (one) => one.shadowRoot?.querySelector(".pm"))
    const numbers = host?.shadowRoot.querySelector(".numbers")?.textContent ?? ""
    const count = Number(numbers.match(/iterations\\s+([\\d,]+)/)?.[1].replace(",", ""))
    return count > least && count
}"""

#: In the page: is the certified fit of this α on screen, and is it another than before?
CERTIFIED_ANEW = f"""([alpha, before]) => {{
    const now = ({SHOWN})()
    return now.alpha === alpha && now.current && now.status.includes("(proven)")
        && now.status !== before.status && now.picture !== before.picture
}}"""


def draw_two_frames(visitor: Visitor) -> None:
    """Wait until the browser has drawn what an event has changed."""
    for _ in range(2):
        visitor.page.evaluate("() => new Promise(requestAnimationFrame)")


def wait_for_map(visitor: Visitor) -> None:
    """Until a heatmap of the present fit is drawn."""
    visitor.page.locator(CURRENT_MAP).wait_for()


def wait_for_certificate(visitor: Visitor) -> float:
    """Until the badge says "certified"; returns the gap that it states, as a fraction."""
    return wait_for_badge(visitor, r"within ([\d.e-]+) % of the optimum \(proven\)") / 100


def wait_for_badge(visitor: Visitor, pattern: str) -> float:
    """Until the badge matches; returns the number in the pattern's group."""
    # Streamlit draws a text with a tooltip twice and hides one of the two, by width.
    texts = visitor.page.locator(STATUS).get_by_text(re.compile(pattern))
    badge = texts.filter(visible=True).first
    badge.wait_for()
    return float(re.search(pattern, badge.inner_text()).group(1))


def query(visitor: Visitor) -> dict[str, str]:
    """The parameters in the visitor's address."""
    return {name: values[0] for name, values in parse_qs(urlparse(visitor.page.url).query).items()}


def wait_for_query(visitor: Visitor, name: str) -> str:
    """Until the address has this parameter; returns it."""
    visitor.page.wait_for_function("name => new URL(location).searchParams.has(name)", arg=name)
    return query(visitor)[name]


def iterations(visitor: Visitor) -> int:
    """The number of iterations that the stage states, once it states one."""
    return wait_for_iterations(visitor, 0)


def wait_for_iterations(visitor: Visitor, more_than: int) -> int:
    """Until the stage states more iterations than these; returns how many."""
    stated = visitor.page.wait_for_function(MORE_ITERATIONS, arg=more_than)
    return int(stated.json_value())


def heatmap(visitor: Visitor) -> np.ndarray:
    """The heatmap as it is drawn, (height, width, 3) uint8, one pixel a pixel."""
    return _picture(visitor, f"{MAP} .pm-base")


def drawn(visitor: Visitor, name: str) -> np.ndarray:
    """A picture of the stage: "original", "kept", "rebuilt" or "weights", as the heatmap."""
    return _picture(visitor, f"{STAGE} .{name} canvas")


def _picture(visitor: Visitor, canvas: str) -> np.ndarray:
    found = visitor.page.locator(canvas)
    # One that nothing was drawn on yet has no size of its own.
    expect(found).to_have_attribute("width", re.compile(r"\d"))
    return decoded(found.evaluate("canvas => canvas.toDataURL()"))


def decoded(url: str) -> np.ndarray:
    """A picture that is all in its address, (height, width, 3) uint8."""
    content = base64.b64decode(url.split(",", 1)[1])
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def button(visitor: Visitor, key: str) -> Locator:
    """The button of this key that is on screen."""
    return visitor.page.locator(f".st-key-{key} button").filter(visible=True).first


def drag(visitor: Visitor, key: str, steps: int) -> None:
    """Take the slider's knob with the mouse, move it by so many options, and let go."""
    slider = visitor.page.locator(f".st-key-{key}")
    knob = slider.locator("input[type=range]")
    last = int(knob.get_attribute("max"))
    now = int(knob.input_value())
    track = slider.get_by_role("group").locator("> div").first.bounding_box()
    across = track["width"] / last
    height = track["y"] + track["height"] / 2
    mouse = visitor.page.mouse
    mouse.move(track["x"] + now * across, height)
    mouse.down()
    mouse.move(track["x"] + (now + steps / 2) * across, height, steps=3)
    mouse.move(track["x"] + (now + steps) * across, height, steps=3)
    mouse.up()


def wait_for_move(visitor: Visitor, bar: Locator) -> None:
    """Wait until a bar has shown two shares above nothing."""
    visitor.page.wait_for_function(
        """bar => { window.seen = (window.seen ?? new Set()).add(bar.getAttribute("aria-valuenow"))
            return [...window.seen].filter((share) => share > 0).length > 1 }""",
        arg=bar.element_handle(),
    )


def address_of(page: str) -> str:
    """The path at which a page opens."""
    return "/" if page == menu.FIRST else f"/{page}"


def choose_page(visitor: Visitor, page: str) -> None:
    """Choose a page of the menu, or the link to the guide below it, and wait until it is drawn."""
    place = ".st-key-page_tools" if page == menu.HELP else MENU
    links = visitor.page.locator(place).get_by_role("link")
    links.get_by_text(menu.PAGES[page].name, exact=True).click()
    wanted = f"title => document.title === `${{title}} · CSPCA Studio` && ({H1})() === title"
    visitor.page.wait_for_function(wanted, arg=menu.PAGES[page].name)


def keep_fit(visitor: Visitor, path: str) -> None:
    """Open Explore by a link and keep the fit that it shows."""
    visitor.open(path)
    wait_for_certificate(visitor)
    visitor.rest()
    button(visitor, "keep_fit_button").click()
    visitor.sees("Kept: it is computed once more")


def upload(visitor: Visitor, path: Path) -> None:
    """Bring a file through the uploader in the sidebar."""
    visitor.page.locator(DATA_CARD).get_by_role("button", name="Upload files").click()
    # Until its script is there, which is fetched only now, a grey bar stands in its place.
    place = visitor.page.locator("[class*=st-key-upload_file_sidebar] input[type=file]")
    # A file that is lost was either never sent, which is said here, or sent and not read.
    with visitor.page.expect_request("**/_stcore/upload_file/**"):
        place.set_input_files(path)


def alerts(visitor: Visitor) -> list[str]:
    """The words of all messages on screen, without their icons."""
    boxes = visitor.page.locator("[data-testid=stAlert] [data-testid=stMarkdownContainer]")
    return [text.strip() for text in boxes.all_inner_texts()]
