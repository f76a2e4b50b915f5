"""The first minute: how soon there is something to see, and that every address opens."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser import explore
from tests.browser.harness import REPOSITORY, Visitor, running_server
from tests.soak import counted

MOVED = {"/convergence": "/starts"}
PAGES = ["/", *(f"/{path.stem}" for path in sorted((REPOSITORY / "pages").glob("*.py")))]
FITTING = {"/", "/explore"}  # the pages that show a fit; the others come to rest by themselves
LIMITS = (6.0, 9.0, 3.0)  # seconds: to a map, to its certificate, and both for a second visitor
ATTEMPTS = 3
IMPORT_SECONDS = 0.85
"""What a process takes to load Streamlit on the machine of these limits; they grow with it."""


def slowness() -> float:
    """How much slower than the machine of the limits this one is just now, at least 1."""
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import streamlit.web.bootstrap, pandas"], check=True)
        spent.append(time.perf_counter() - began)
    return max(1.0, min(spent) / IMPORT_SECONDS)


def test_cold_start_and_second_visitor(
    visit: Callable[..., Visitor], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the start of the process to the first heatmap and to its certificate.

    Busy neighbours can only make it slower, so the best of a few attempts is what counts.
    """
    times = []
    slow = slowness()
    limits = [slow * most for most in LIMITS]
    for attempt in range(ATTEMPTS):
        home = tmp_path / str(attempt)
        home.mkdir()
        with running_server(home) as server:
            first = visit(server, stranger=True)
            first.open("/")
            explore.wait_for_map(first)
            seen = server.age
            gap = explore.wait_for_certificate(first)
            certified = server.age
            assert gap <= 1e-3
            colours = {tuple(colour) for row in explore.heatmap(first) for colour in row}
            assert len(colours) > 20, "a heatmap has more than a few colours"
            first.is_healthy()

            second = visit(server, stranger=True)
            came = time.perf_counter()
            second.open("/")
            explore.wait_for_map(second)
            explore.wait_for_certificate(second)
            times.append((seen, certified, time.perf_counter() - came))
            second.is_healthy()
            first.leave()
            second.leave()
        if all(one <= most for one, most in zip(times[-1], limits, strict=True)):
            break
        # The machine may have become slower since.
        slow = max(slow, slowness())
        limits = [slow * most for most in LIMITS]
    with capsys.disabled():
        for seen, certified, again in times:
            print(
                f"\n  cold start: heatmap {seen:.1f} s, certified {certified:.1f} s; "
                f"second visitor {again:.1f} s (load {os.getloadavg()[0]:.1f}, "
                f"limit {limits[0]:.1f} s)",
                end="",
            )
    best = [min(column) for column in zip(*times, strict=True)]
    for found, most in zip(best, limits, strict=True):
        assert found <= most, (best, limits)


@pytest.mark.parametrize("path", counted(["/convergence"], PAGES))
def test_a_link_to_any_page_opens_it_on_a_fresh_server(
    visit: Callable[..., Visitor], fresh_server, path: str
) -> None:
    visitor = visit(fresh_server)
    visitor.open(path)
    if path in FITTING:
        explore.wait_for_certificate(visitor)
    visitor.rest()
    assert visitor.page.locator("h1").first.inner_text().strip()
    visitor.page.wait_for_url(
        re.compile(re.escape(fresh_server.url + MOVED.get(path, path)) + r"\?")
    )
    links = visitor.page.locator(explore.MENU).get_by_role("link")
    assert links.count() == len(PAGES) - len(MOVED)
    assert visitor.page.locator("[data-testid=stSidebarNav]").count() == 0, "the file-name menu"
    visitor.is_healthy()


def test_a_link_reopens_the_view(server, visit: Callable[..., Visitor]) -> None:
    visitor = visit(server)
    visitor.open("/explore?data=digits&alpha=0.2&beta=0.05&k=12")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    seen = explore.query(visitor)
    assert {name: seen[name] for name in ("data", "alpha", "beta", "k")} == {
        "data": "digits",
        "alpha": "0.2",
        "beta": "0.05",
        "k": "12",
    }
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    assert knob.get_attribute("aria-valuetext") == "0.2"
