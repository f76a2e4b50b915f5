"""Frames a second while a film of 200 frames of 1,024 pixels is scrubbed, in real Chromium.

    python -m tests.benchmarks.frames

Counts by requestAnimationFrame and holds the 95th percentile of a frame to 20 ms; the exit status
is 1 when it is above, or when the page said a word to its server meanwhile.
"""

import itertools
import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.harness import CHROMIUM, CHROMIUM_FLAGS, running_server
from tests.browser.test_stage import STAGES, along, played

MOST_MILLISECONDS = 20.0

#: In the page: the time of every frame from now on.
COUNT = """() => {
    window.shown = []
    const one = (time) => (window.shown.push(time), requestAnimationFrame(one))
    requestAnimationFrame(one)
}"""


def measure(url: str) -> tuple[list[float], int]:
    """Milliseconds of each frame, sorted, and the messages to the server."""
    sent: list[object] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("websocket", lambda socket: socket.on("framesent", lambda one: sent.append(one)))
        page.goto(f"{url}?still")
        page.wait_for_function(
            "() => document.querySelector('[data-testid=stApp]') !== null", timeout=30_000
        )
        played(page, "scrub").wait_for(timeout=30_000)
        page.wait_for_timeout(1000)
        (left, height), (right, _) = along(page, 0.0), along(page, 1.0)
        page.mouse.move(left, height)
        page.mouse.down()
        before = len(sent)
        page.evaluate(COUNT)
        for there_and_back in range(2):
            for step in range(200):
                share = step / 199 if there_and_back == 0 else 1 - step / 199
                page.mouse.move(left + share * (right - left), height)
        times = page.evaluate("() => window.shown")
        browser.close()
    frames = sorted(after - one for one, after in itertools.pairwise(times))
    return frames, len(sent) - before


def main() -> int:
    """Measure, print, and say by the exit status whether it was met."""
    with tempfile.TemporaryDirectory() as home, running_server(Path(home), STAGES) as server:
        frames, words = measure(server.url)
    high = frames[int(0.95 * len(frames))]
    met = high <= MOST_MILLISECONDS and words == 0
    print(
        f"{'met   ' if met else 'MISSED'}  a frame takes at most {MOST_MILLISECONDS:g} ms while "
        f"scrubbing (p95 of {len(frames)} is {high:.1f} ms, median "
        f"{frames[len(frames) // 2]:.1f}, longest {frames[-1]:.1f}; {words} messages; "
        f"load {os.getloadavg()[0]:.1f})"
    )
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
