"""What the server holds after every page was visited once, and what each first visit costs.

    python -m tests.benchmarks.memory [--against /path/to/another/checkout] [--repetitions 1]

One visitor without a browser opens every page of a fresh server and waits until nothing is computed
any more. MB of memory are those of the server's process alone (RSS; USS is without what it shares),
seconds those of its processor. Another checkout is visited by its own client. The exit status is 1
when, beside another checkout, this one holds more than 0.7 of its memory, or Paper's first visit
takes more than a quarter of its processor time; ratios are of the means.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAGES = (
    "data", "explore", "compare", "predict", "outliers", "sensitivity", "starts", "paper", "theory",
    "guide", "runs",
)  # fmt: skip
MOST = 0.7
MOST_OF_PAPER = 0.25

LOOK = 3.0
"""Seconds between two looks, longer than a server waits before it hands memory back."""

QUIET = 0.1
"""Processor seconds within them up to which it is at rest."""


def visit():
    """Visit every page of the checkout in which this runs; a line of JSON a page."""
    import psutil

    from tests.browser.harness import running_server
    from tests.load.client import Client

    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server:
        process = psutil.Process(server.process.pid)

        def spent():
            times = process.cpu_times()
            return times.user + times.system

        def settle(client):
            before = spent()
            while True:
                client.listen(time.monotonic() + LOOK)
                now = spent()
                if now - before < QUIET:
                    return
                before = now

        def tell(page, since):
            memory = process.memory_full_info()
            line = {"page": page, "rss": memory.rss / 1e6, "uss": memory.uss / 1e6}
            print(json.dumps(line | {"seconds": spent() - since}), flush=True)

        with Client.at(server.url) as client:
            client.until(lambda: client.rests)
            settle(client)
            tell("home", 0.0)
            for page in PAGES:
                since = spent()
                client.go(page)
                settle(client)
                tell(page, since)


def visited(checkout):
    """What :func:`visit` says of a checkout, by page."""
    made = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--visit"],
        env=os.environ | {"PYTHONPATH": str(checkout)}, cwd=checkout,
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    lines = map(json.loads, made.stdout.splitlines())
    return {line.pop("page"): line for line in lines}


def main():
    """Measure and print; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.memory")
    parser.add_argument("--against", type=Path, help="another checkout, which takes turns")
    parser.add_argument("--repetitions", type=int, default=1)
    wishes = parser.parse_args()
    checkouts = [Path(__file__).resolve().parents[2]]
    if wishes.against is not None:
        checkouts.append(wishes.against.resolve())
    runs = {checkout: [] for checkout in checkouts}
    for _ in range(wishes.repetitions):
        for checkout in checkouts:
            runs[checkout].append(visited(checkout))
    for checkout, measured in runs.items():
        print(f"{checkout}\n{'page':12} {'RSS, MB':>9} {'USS, MB':>9} {'seconds':>9}")
        for page in measured[0]:
            values = [_mean(measured, page, name) for name in ("rss", "uss", "seconds")]
            print(f"{page:12} {values[0]:9.0f} {values[1]:9.0f} {values[2]:9.1f}")
    if len(checkouts) == 1:
        return 0
    met = True
    for what, page, name, most in (
        ("memory after every page", PAGES[-1], "rss", MOST),
        ("processor time of Paper", "paper", "seconds", MOST_OF_PAPER),
    ):
        ours, theirs = (_mean(runs[checkout], page, name) for checkout in checkouts)
        met &= ours <= most * theirs
        mark = "met   " if ours <= most * theirs else "MISSED"
        print(f"{mark}  {what}: {ours / theirs:.2f} of the other checkout, at most {most:g}")
    return int(not met)


def _mean(measured, page, name):
    return sum(run[page][name] for run in measured) / len(measured)


if __name__ == "__main__":
    if sys.argv[1:] == ["--visit"]:
        # The tests of the checkout at hand, not of this one.
        sys.path[0] = str(Path.cwd())
        visit()
    else:
        sys.exit(main())
