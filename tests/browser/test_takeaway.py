"""What a visitor takes away, in the browser: a report that stands alone, and charts as pictures."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image, ImageColor
from playwright.sync_api import Browser, Locator, Page, expect

from cspca import CSPCA
from cspca.datasets import load, make_faces
from cspca.experiments import Fit, Sensitivity, run
from cspca.experiments.film import Film, Track, frame_of
from cspca.figures.style import DARK, LIGHT, ZERO
from cspca.report import report
from tests.browser import explore
from tests.browser.harness import Visitor

FALL = "how-fast-does-importance-fall-off"


def download(visitor: Visitor, button: Locator, folder: Path) -> Path:
    """What a click downloads, under the name that the browser offers."""
    with visitor.page.expect_download() as waiting:
        button.click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def opened(browser: Browser, file: Path) -> tuple[Page, list[str]]:
    """A page of a file, by itself: no network, and all that it complains of."""
    context = browser.new_context(offline=True, accept_downloads=True, color_scheme="light")
    page, said = context.new_page(), []
    page.on("console", lambda m: said.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda r: said.append(r.url) if not is_own(r.url, file) else None)
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-drawn=light]")
    return page, said


def is_own(url: str, file: Path) -> bool:
    """Whether an address is the file itself or something in it."""
    return url == file.as_uri() or url.startswith(("data:", "blob:"))


def large(image: Path) -> bool:
    """Whether a picture is of a good size, and not one colour."""
    with Image.open(io.BytesIO(image.read_bytes())) as found:
        return min(found.size) > 600 and len(found.convert("L").getcolors(1 << 16)) > 4


def drawn(image: Path) -> bool:
    """Whether an SVG holds lines and words."""
    root = ElementTree.parse(image).getroot()
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    return root.tag.endswith("svg") and "path" in tags and "text" in tags


def test_reports_stand_alone_with_their_film_and_charts_are_saved_as_pictures(
    visitor: Visitor, browser: Browser, tmp_path: Path
) -> None:
    visitor.page.emulate_media(color_scheme="light")
    visitor.open("/?data=digits&alpha=0.2&beta=0.05")
    explore.wait_for_certificate(visitor)
    scrub = visitor.page.locator(f"{explore.STAGE} .scrub")
    expect(scrub).to_have_attribute("aria-label", re.compile("41 of 41"))
    visitor.rest()
    visitor.page.get_by_role("button", name="Download", exact=True).click()
    # The page knows the whole film, and not the stage alone.
    expect(visitor.page.get_by_role("button", name="Film, GIF")).to_be_visible()
    file = download(visitor, explore.button(visitor, "fit_report"), tmp_path)
    assert file.name == "cspca-digits-fit-report.html"
    page, complaints = opened(browser, file)
    for name in ("which-pixels", FALL, "how-close-is-this-to-the-optimum"):
        plot = page.locator(f"[data-name={name}] .main-svg").first
        expect(plot).to_be_visible()
    expect(page.get_by_text(re.compile("within .* of the optimum"))).to_be_visible()
    # Pointing at a pixel says its score.
    page.locator("[data-name=which-pixels] .plot").hover()
    expect(page.locator("[data-name=which-pixels] .hovertext").first).to_contain_text("rank")
    # The film of the page is in it.
    page.get_by_role("slider", name="α: fewer pixels").fill("40")
    expect(page.locator(".film output")).to_have_text("α = 1 of α_max")
    for kind, is_good in (("png", large), ("svg", drawn)):
        with page.expect_download() as waiting:
            page.locator(f"[data-name={FALL}] [data-save={kind}]").click()
        target = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(target)
        assert target.name == f"cspca-digits-{FALL}.{kind}"
        assert is_good(target)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-drawn=dark]")
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert complaints == []
    page.context.close()

    # A chart of the page is saved on the colour of the page: on none, the light letters of the
    # dark page would vanish on white paper.
    chart = visitor.page.locator(".st-key-score_chart")
    ground = chart.locator(".main-svg").first
    expect(ground).to_have_css("background-color", f"rgb{ImageColor.getrgb(LIGHT.page)}")
    visitor.page.emulate_media(color_scheme="dark")
    # The page stands where it was: its charts take the colours of the theme by themselves.
    expect(ground).to_have_css("background-color", f"rgb{ImageColor.getrgb(DARK.page)}")
    visitor.rest()
    chart.locator(".js-plotly-plot").first.hover()
    saved = download(visitor, chart.locator(".modebar-btn").first, tmp_path)
    assert saved.name == "cspca-digits-scores.png"
    assert large(saved)
    with Image.open(saved) as picture:
        colour = bytes(picture.convert("RGBA").getpixel((0, 0))).hex()
    assert f"#{colour}" == f"{DARK.page}ff"
    visitor.is_healthy()
    a_film_plays_in_its_report(browser, tmp_path)
    a_grid_is_drawn_in_its_report(browser, tmp_path)


def frame_on(page: Page) -> tuple[list[int], str]:
    """The first map of a film, pixel by pixel as 0xrrggbb, and what is said of its frame."""
    drawn = page.locator(".film canvas").first.evaluate(
        """(canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
          const pixels = Array.from({ length: data.length / 4 }, (_, i) => data.subarray(4 * i))
          return pixels.map(([red, green, blue]) => (red << 16) + (green << 8) + blue)
        }"""
    )
    return drawn, page.locator(".film output").inner_text()


def a_film_plays_in_its_report(browser: Browser, folder: Path) -> None:
    digits, asked = load("digits"), Fit(alpha=0.2, beta=0.05)
    fits = {at: CSPCA(at, 0.05).fit(digits.data).fit_ for at in (0.2, 0.4, 0.8)}
    frames = {at: frame_of(at, one) for at, one in fits.items()}
    film = Film("alpha", (0.2, 0.3, 0.4, 0.8), (Track("admm", frames),))
    file = folder / "film.html"
    example = digits.image(7), digits.image(7), "seven"
    file.write_text(report(run(asked, digits), film=film, example=example), encoding="utf-8")
    page, complaints = opened(browser, file)
    zero = int(ZERO.removeprefix("#"), 16)
    slider = page.get_by_role("slider", name="α: fewer pixels")
    for at, (value, fit) in enumerate(fits.items()):
        slider.fill(f"{at}")
        drawn, words = frame_on(page)
        assert words == f"α = {value} of α_max"
        assert [one == zero for one in drawn] == (fit.feature_scores == 0.0).tolist()
        expect(page.locator(".film .numbers")).to_contain_text(f"{fit.n_kept} of 64 pixels in use")
    expect(page.locator(".film .rebuilt")).to_be_visible()
    page.get_by_role("button", name="Play", exact=True).click()
    # From the last frame to the first, and on to the end, where it stops.
    expect(page.locator(".film output")).to_have_text("α = 0.2 of α_max")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator(".film output")).to_have_text("α = 0.8 of α_max")
    assert complaints == []
    page.context.close()


def a_grid_is_drawn_in_its_report(browser: Browser, folder: Path) -> None:
    faces = make_faces(n_people=4, n_per_person=5, image_size=12, random_state=3)
    grid = Sensitivity(alphas=(0.05, 0.4), betas=(0.02, 0.3), n_features=20, n_seeds=2)
    file = folder / "grid.html"
    file.write_text(report(run(grid, faces)), encoding="utf-8")
    page, complaints = opened(browser, file)
    plane = page.locator("[data-name=where-do-clusters-agree-with-classes] .main-svg").first
    # The bars in three dimensions too, which are drawn on a canvas.
    bars = page.locator("[data-name=acc-as-the-paper-draws-it] canvas").first
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"html[data-drawn={scheme}]")
        expect(plane).to_be_visible()
        expect(bars).to_be_visible()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []
    page.context.close()
