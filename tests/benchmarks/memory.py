"""What the server holds after every page was visited once, and what each first visit costs.

    python -m tests.benchmarks.memory [--against /path/to/another/checkout] [--repetitions 1]
        [--browser]

One visitor opens every page of a fresh server and waits until nothing is computed any more: without
a browser, or with ``--browser`` in Chromium, by the links of the menu. MB of memory are those of
the server's process alone (RSS; USS is without what it shares), seconds those of its processor.
Another checkout is visited by its own client, and takes turns. The exit status is 1 when, beside
another checkout, this one holds more than 0.7 of its memory, or Paper's first visit takes more than
a quarter of its processor time; ratios are medians of those of each turn.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PAGES = (
    "data", "explore", "compare", "predict", "outliers", "paper", "theory", "guide", "runs",
)  # fmt: skip
MOST = 0.7
MOST_OF_PAPER = 0.25

LOOK = 3.0
"""Seconds between two looks, longer than a server waits before it hands memory back."""

QUIET = 0.1
"""Processor seconds within them up to which it is at rest."""

PATIENCE = 300.0
"""Seconds at most until a page is drawn in a browser."""


@dataclass(frozen=True)
class Visit:
    """One visitor: `go` opens a page and waits until it is drawn, `wait` lets seconds pass."""

    go: Callable[[str], object]
    wait: Callable[[float], object]


@contextmanager
def visit_without_browser(url: str) -> Iterator[Visit]:
    """A visitor who speaks to the server as a page does, on Home."""
    from tests.load.client import Client

    with Client.at(url) as client:
        client.until(lambda: client.rests)

        def go(name: str) -> None:
            # The first page has no address: Explore, in this checkout.
            client.go(name if name in client.pages else "")

        yield Visit(go, lambda seconds: client.listen(time.monotonic() + seconds))


@contextmanager
def visit_in_browser(server: Any, profile: Path) -> Iterator[Visit]:
    """A visitor with Chromium, on Home."""
    from playwright.sync_api import TimeoutError as StillDrawing
    from playwright.sync_api import sync_playwright

    from tests.browser.harness import browser_at_home, new_visitor

    with sync_playwright() as playwright, browser_at_home(playwright, profile) as browser:
        visitor = new_visitor(browser, server)
        page = visitor.page

        def go(name: str) -> None:
            # Links are relative in one checkout and absolute in another; Explore may be the first
            # page, which has no name.
            address = [f"={name!r}", f"^='{name}?'", f"$='/{name}'", f"*='/{name}?'"]
            if name == "explore":
                address += ["='/'", f"='{server.url}/'", "^='/?'", f"^='{server.url}/?'"]
            places = (f"/{name}", "/") if name == "explore" else (f"/{name}",)
            links = ", ".join(f"[data-testid=stSidebar] a[href{part}]" for part in address)
            page.locator(links).first.click()
            page.wait_for_url(lambda shown: urlsplit(shown).path in places)
            rest()

        def rest() -> None:
            # The patience of another checkout's visitor is another one.
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    return visitor.rest()
                except StillDrawing:
                    if time.monotonic() > end:
                        raise

        visitor.open()
        rest()
        yield Visit(go, lambda seconds: page.wait_for_timeout(1000 * seconds))
        visitor.is_healthy()


def measure_visit(*, in_browser: bool) -> None:
    """Visit every page of the checkout in which this runs; print a line of JSON a page."""
    import psutil

    from tests.browser.harness import running_server

    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        process = psutil.Process(server.process.pid)

        def processor_seconds() -> float:
            times = process.cpu_times()
            return times.user + times.system

        def settle() -> None:
            before = processor_seconds()
            while True:
                visit.wait(LOOK)
                now = processor_seconds()
                if now - before < QUIET:
                    return
                before = now

        def report(page: str, since: float) -> None:
            memory = process.memory_full_info()
            line = {"page": page, "rss": memory.rss / 1e6, "uss": memory.uss / 1e6}
            print(json.dumps(line | {"seconds": processor_seconds() - since}), flush=True)

        visits = (
            visit_in_browser(server, Path(name) / "browser")
            if in_browser
            else visit_without_browser(server.url)
        )
        with visits as visit:
            settle()
            report("first", 0.0)
            for page in PAGES:
                since = processor_seconds()
                visit.go(page)
                settle()
                report(page, since)


def measured(checkout: Path, *, in_browser: bool) -> dict[str, dict[str, float]]:
    """What :func:`measure_visit` prints of a checkout, by page."""
    option = "--visit-in-browser" if in_browser else "--visit"
    process = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), option],
        env=os.environ | {"PYTHONPATH": str(checkout)}, cwd=checkout,
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    lines = map(json.loads, process.stdout.splitlines())
    return {line.pop("page"): line for line in lines}


def main() -> int:
    """Measure and print; 1 when a demand is missed."""
    # Not of the checkout in which this runs as a script.
    from tests.benchmarks.measure import demand

    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.memory")
    parser.add_argument("--against", type=Path, help="another checkout, which takes turns")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--browser", action="store_true", help="visit in Chromium")
    options = parser.parse_args()
    checkouts = [Path(__file__).resolve().parents[2]]
    if options.against is not None:
        checkouts.append(options.against.resolve())
    runs: dict[Path, list[Any]] = {checkout: [] for checkout in checkouts}
    for _ in range(options.repetitions):
        for checkout in checkouts:
            runs[checkout].append(measured(checkout, in_browser=options.browser))
            last = runs[checkout][-1][PAGES[-1]]
            print(f"{checkout}: {last['rss']:.0f} MB after every page", flush=True)
    for checkout, visits in runs.items():
        print(f"{checkout}\n{'page':12} {'RSS, MB':>9} {'USS, MB':>9} {'seconds':>9}")
        for page in visits[0]:
            values = [_median(visits, page, name) for name in ("rss", "uss", "seconds")]
            print(f"{page:12} {values[0]:9.0f} {values[1]:9.0f} {values[2]:9.1f}")
    if len(checkouts) == 1:
        return 0
    met = True
    for label, page, name, most in (
        ("memory after every page", PAGES[-1], "rss", MOST),
        ("processor time of Paper", "paper", "seconds", MOST_OF_PAPER),
    ):
        turns = zip(*(runs[checkout] for checkout in checkouts), strict=True)
        ratio = statistics.median(ours[page][name] / theirs[page][name] for ours, theirs in turns)
        sentence = f"{label}: {ratio:.2f} of the other checkout, at most {most:g}"
        met &= demand(sentence, met=ratio <= most)
    return int(not met)


def _median(visits: list[Any], page: str, name: str) -> float:
    return statistics.median(pages[page][name] for pages in visits)


if __name__ == "__main__":
    if sys.argv[1:] in (["--visit"], ["--visit-in-browser"]):
        # The tests of the checkout at hand, not of this one.
        sys.path[0] = str(Path.cwd())
        measure_visit(in_browser=sys.argv[1] == "--visit-in-browser")
    else:
        sys.exit(main())
