"""A report on paper: printed by Chromium from windows of any width, in light and in dark."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import cspca.report
from cspca import CSPCA, record
from cspca.datasets import load
from cspca.experiments import Compare, Fit, Outliers, run
from cspca.experiments.film import Film, Track, frame_of
from cspca.report import report
from tests.experiments.toys import blobs

needs_text = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="pdftotext (poppler-utils) is not installed here"
)

A4 = 595.3
"""Width of the sheet in points."""

MARGIN = 34.0
"""12 mm in points."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of a comparison, of the paper's claims and of outliers."""
    folder = tmp_path_factory.mktemp("reports")
    methods = ("all", "variance", "mcfs", "cspca")
    compare = Compare(methods=methods, n_features=(3, 5), n_seeds=10, n_draws=2, bootstrap=0)
    small = Outliers(n_samples=60, n_features=20, ranks=(1, 2), shares=(0.0, 0.3), n_seeds=2)
    digits = next(path for path in record.paths("paper") if "digits" in path.name)
    outcomes = {
        "compare": run(compare, blobs(n=60, d=12, classes=3)),
        "outliers": run(small, load("digits")),
        "paper": record.read(digits),
    }
    files = {name: folder / f"{name}.html" for name in outcomes}
    for name, outcome in outcomes.items():
        files[name].write_text(report(outcome), encoding="utf-8")
    return files


def printed(browser: Browser, file: Path, width: int, scheme: Any) -> tuple[Path, list[str]]:
    """Print a report on A4; return the PDF and what is written in its charts."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    try:
        page.goto(file.as_uri())
        page.wait_for_selector(f"html[data-drawn={scheme}]", timeout=60_000)
        texts = page.locator(".plot svg text").all_text_contents()
        pdf = file.with_name(f"{file.stem}-{width}-{scheme}.pdf")
        page.pdf(
            path=pdf,
            format="A4",
            margin=dict.fromkeys(("top", "bottom", "left", "right"), "12mm"),  # type: ignore[arg-type]
        )
        return pdf, texts
    finally:
        page.close()


def words_of(pdf: Path) -> list[tuple[str, float, float]]:
    """Words of a PDF with where each begins and ends on its sheet, in points."""
    done = subprocess.run(
        ["pdftotext", "-bbox", str(pdf), "-"], capture_output=True, timeout=60, check=True
    )
    pattern = r'<word xMin="([-\d.]+)" yMin="[-\d.]+" xMax="([-\d.]+)" yMax="[-\d.]+">(.*?)</word>'
    return [
        (text, float(begins), float(ends))
        for begins, ends, text in re.findall(pattern, done.stdout.decode())
    ]


@pytest.mark.slow
def test_charts_of_reports_fit_the_sheet_and_are_dark_on_it(
    browser: Browser, reports: dict[str, Path], tmp_path: Path
) -> None:
    a_chart_fits_the_width_it_is_printed_on(browser, reports["compare"])
    no_chart_is_higher_than_a_sheet(browser, tmp_path)
    the_lines_of_a_film_are_dark_on_paper(browser, tmp_path)


@needs_text
def test_every_number_is_on_the_sheet_and_none_ends_with_a_title_or_the_head_of_a_table(
    browser: Browser, reports: dict[str, Path], tmp_path: Path
) -> None:
    for name, width, scheme in (
        ("compare", 1920, "dark"),
        ("outliers", 1300, "dark"),
        ("paper", 800, "light"),
    ):
        every_number_of_a_chart_is_on_the_sheet(browser, reports[name], width, scheme)
    no_sheet_ends_with_a_title_or_the_head_of_a_table(browser, tmp_path)


def every_number_of_a_chart_is_on_the_sheet(
    browser: Browser, file: Path, width: int, scheme: str
) -> None:
    pdf, texts = printed(browser, file, width, scheme)
    words = words_of(pdf)
    assert min(begins for _, begins, _ in words) >= MARGIN - 3
    assert max(ends for _, _, ends in words) <= A4 - MARGIN + 3
    paper = "".join(text for text, _, _ in words).replace(" ", "")
    spreads = [text for text in texts if "±" in text]
    assert bool(spreads) == (file.stem == "compare")
    for text in spreads:
        assert re.sub(r"\s", "", text) in paper


def a_chart_fits_the_width_it_is_printed_on(browser: Browser, file: Path) -> None:
    """Between the event before printing and the sheet the width of the page changes."""
    width = 1920
    page = browser.new_page(viewport={"width": width, "height": 900})
    try:
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", timeout=60_000)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        for sheet in (620, 680, 720):
            page.set_viewport_size({"width": sheet, "height": 900})
            for chart in page.locator(".plot").all():
                shown, drawn = chart.evaluate(
                    """plot => [plot, plot.querySelector("svg.main-svg")].map((node) => {
                        const { left, right, top, bottom } = node.getBoundingClientRect()
                        return [left, right, top, bottom].map(Math.round)
                    })"""
                )
                assert drawn[0] >= shown[0]
                assert drawn[1] <= shown[1]
                assert drawn[3] <= shown[3]
                assert drawn[1] - drawn[0] >= 0.95 * (shown[1] - shown[0])
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.wait_for_function(
            """() => [...document.querySelectorAll(".plot")].every((plot) =>
                Math.abs(plot.clientWidth - plot.querySelector("svg.main-svg").clientWidth) <= 1)"""
        )
    finally:
        page.close()


LETTER = 965
"""Height of the text of a sheet of Letter with margins of 12 mm, in pixels."""


def no_chart_is_higher_than_a_sheet(browser: Browser, folder: Path) -> None:
    """A chart of twenty methods would be cut between its bars and its axis."""
    digits = next(path for path in record.paths("compare") if "digits" in path.name)
    file = folder / "digits.html"
    file.write_text(report(record.read(digits)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    try:
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", timeout=60_000)
        heights = """charts => charts.map((chart) => chart.getBoundingClientRect().height)"""
        on_screen = page.locator(".chart").evaluate_all(heights)
        assert max(on_screen) > LETTER
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        for sheet in (680, 725):
            page.set_viewport_size({"width": sheet, "height": 900})
            assert max(page.locator(".chart").evaluate_all(heights)) <= LETTER
        spreads = page.locator("td", has_text="±").all()
        assert spreads
        for spread in spreads[::40]:
            lines = spread.evaluate(
                """cell => {
                    const [text, range] = [cell.textContent, document.createRange()]
                    const node = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()
                    range.setStart(node, 0)
                    range.setEnd(node, /^.*?±\\s[\\d.]+/.exec(text)[0].length)
                    return range.getClientRects().length
                }"""
            )
            assert lines == 1
    finally:
        page.close()


def the_lines_of_a_film_are_dark_on_paper(browser: Browser, folder: Path) -> None:
    spectra, settings = load("spectra"), Fit(alpha=0.2, beta=0.05)
    # A frame rebuilds by its fit, which it does not keep alive.
    fit = CSPCA(0.2, 0.05).fit(spectra.data).fit_
    film = Film("alpha", (0.2,), (Track("admm", {0.2: frame_of(0.2, fit)}),))
    example = spectra.data[0], spectra.data[0], "first"
    file = folder / "film.html"
    file.write_text(report(run(settings, spectra), film=film, example=example), encoding="utf-8")
    page = browser.new_page(color_scheme="dark")
    darkest = """canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
        const reds = data.filter((_, i) => i % 4 === 0 && data[i + 3] === 255)
        return reds.reduce((least, red) => Math.min(least, red), 255)
    }"""
    try:
        page.goto(file.as_uri())
        rebuilt = page.locator(".film .rebuilt")
        assert rebuilt.evaluate(darkest) > 0x60
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert rebuilt.evaluate(darkest) == 0x1F
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert rebuilt.evaluate(darkest) > 0x60
    finally:
        page.close()


def sheets_below(page: Page, above: int, body: str, folder: Path) -> list[str]:
    """Print a part of a report below so many millimetres; return the text of each sheet."""
    style = (Path(cspca.report.__file__).parent / "page.css").read_text(encoding="utf-8")
    space = f"<div style='height: {above}mm'></div>"
    page.set_content(f"<style>{style}</style><main>{space}{body}</main>")
    pdf = folder / f"{above}.pdf"
    page.pdf(path=pdf, format="A4")
    text = subprocess.run(
        ["pdftotext", str(pdf), "-"], capture_output=True, timeout=60, check=True
    ).stdout.decode()
    return text.split("\f")


def no_sheet_ends_with_a_title_or_the_head_of_a_table(browser: Browser, folder: Path) -> None:
    rows = "".join(f"<tr><th>row{number}</th><td>1</td></tr>" for number in range(4))
    table = (
        f"<h3>Title</h3><table><caption>Note{' with words' * 60}</caption>"
        f"<thead><tr><th>Head</th><th>Value</th></tr></thead><tbody>{rows}</tbody></table>"
    )
    facts = "".join(f"<div><dt>fact{number}</dt><dd>1</dd></div>" for number in range(4))
    section = f'<section><h2>Title</h2><dl class="facts">{facts}</dl></section>'
    page = browser.new_page()
    try:
        for above in range(250, 290, 4):
            sheets = sheets_below(page, above, table, folder)
            assert all("row" in sheet for sheet in sheets if "Head" in sheet), above
            noted = [sheet for sheet in sheets if "words" in sheet]
            assert len(noted) == 1, above
            assert "Head" in noted[0], above
            sheets = sheets_below(page, above, section, folder)
            assert all("fact0" in sheet for sheet in sheets if "Title" in sheet), above
    finally:
        page.close()
