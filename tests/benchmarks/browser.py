"""From a server's start, and from letting go of a slider, to a certified heatmap, in real Chromium.

    python -m tests.benchmarks.browser [--moves 20] [--pause 0] [--starts 3]
                                       [--against /path/to/another/checkout]

A start is timed by turns with that of a page that has nothing but a title. For the moves a
dashboard with an empty home opens the default data, and α or β is moved by × 1.25 or ÷ 1.25, at
random, with the mouse. Each move is timed by the clock from the release to the frame in which the
certified fit of the new penalties is on screen: badge, picture and address. Positions are not
visited twice, for a fit at hand would be shown at once; with a pause of some seconds between two
moves, as of somebody who looks, the film along α is there, and answers where it stops. The exit
status is 1 when a median is above what is asked for.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import TimeoutError, sync_playwright

from cspca.datasets import load
from cspca.ui import fields
from cspca.ui.state import usual_view
from tests.benchmarks.measure import demand
from tests.browser import explore
from tests.browser.harness import (
    CHROMIUM,
    REPOSITORY,
    Visitor,
    browser_at_home,
    new_visitor,
    running_server,
)

MOST_SECONDS = 0.35
MOST_ABOVE = 2.0
MOST_BESIDE = 0.65
STEP = 2
"""Places of the slider that make × 1.25, within a hundredth."""

START = {"alpha": 0.1, "beta": 0.01}
RANGE = {"alpha": (0.02, 0.5), "beta": (0.002, 0.2)}
USUAL = usual_view(load("faces"), "faces").fit
KEYS = {"alpha": "fit_alpha", "beta": "fit_beta"}

DRAGS = 3
"""How often a drag is tried that does not reach the address."""

#: In the page: does the address say these penalties? It leaves out what is usual for the data.
ARRIVED = f"""([alpha, beta]) => {{
    const at = new URL(location).searchParams
    return (at.get("alpha") ?? "{fields.say(USUAL.alpha)}") === alpha
        && (at.get("beta") ?? "{fields.say(USUAL.beta)}") === beta
}}"""

#: In the page: is the certified fit of these penalties on screen, and is it another than before?
CERTIFIED = f"""([alpha, beta, before]) => {{
    const now = ({explore.SHOWN})()
    return ({ARRIVED})([alpha, beta]) && now.current && now.status.includes("(proven)")
        && now.status !== before.status && now.picture !== before.picture
}}"""


def walk(count: int, seed: int = 0) -> list[tuple[str, int, dict[str, int]]]:
    """Moves that never come to a place twice: which slider, by how many places, where to."""
    rng = random.Random(seed)
    place = {name: fields.PENALTIES.index(value) for name, value in START.items()}
    seen, moves = {tuple(place.values())}, []
    for _ in range(100 * count):
        name, steps = rng.choice(sorted(KEYS)), rng.choice((-STEP, STEP))
        there = place | {name: place[name] + steps}
        low, high = RANGE[name]
        if not low <= fields.PENALTIES[there[name]] <= high or tuple(there.values()) in seen:
            continue
        place = there
        seen.add(tuple(place.values()))
        moves.append((name, steps, place))
        if len(moves) == count:
            return moves
    raise ValueError(f"No walk of {count} moves without coming back: ask for fewer.")


@dataclass(frozen=True)
class Move:
    """Seconds by the clock, and of the processor in the server, which a busy machine stretches
    less."""

    name: str
    seconds: float
    server: float


def _server_seconds(visitor: Visitor) -> float:
    """CPU seconds of the server's process so far, of all its threads."""
    words = Path(f"/proc/{visitor.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _time(visitor: Visitor, name: str, steps: int, place: dict[str, int]) -> Move:
    worked = _server_seconds(visitor)
    before = visitor.page.evaluate(explore.SHOWN)
    wanted = [fields.say(fields.PENALTIES[place[one]]) for one in ("alpha", "beta")]
    for _ in range(DRAGS):
        explore.drag(visitor, KEYS[name], steps)
        released = time.perf_counter()
        try:
            visitor.page.wait_for_function(ARRIVED, arg=wanted, timeout=20_000)
        except TimeoutError:
            # Streamlit draws the slider anew now and then, and drops what the mouse holds.
            print(f"  {name} to {wanted[name == 'beta']}: the drag was lost, dragged again")
        else:
            break
    try:
        visitor.page.wait_for_function(CERTIFIED, arg=[*wanted, before], timeout=60_000)
    except TimeoutError as error:
        now = visitor.page.evaluate(explore.SHOWN)
        now["picture"] = now["picture"] == before["picture"] and "as before"
        now |= {"address": visitor.page.url, "before": before["status"]}
        message = f"No certified fit of α, β = {wanted} in a minute; the page shows {now}."
        raise RuntimeError(message) from error
    seconds, server = time.perf_counter() - released, _server_seconds(visitor) - worked
    visitor.rest()
    return Move(f"{name} to {wanted[name == 'beta']}", seconds, server)


def measure(
    count: int, pause: float, checkouts: Sequence[Path] = (REPOSITORY,)
) -> list[list[Move]]:
    """Each move timed, of one checkout after the other, on servers that start and end here."""
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        visitors = []
        for checkout in checkouts:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(running_server(home, checkout=checkout))
            browser = stack.enter_context(browser_at_home(playwright, home / "browser"))
            visitors.append(new_visitor(browser, server))
        for visitor in visitors:
            visitor.open(f"/?data=faces&alpha={START['alpha']}&beta={START['beta']}")
            explore.wait_for_certificate(visitor)
            visitor.rest()
        moves: list[list[Move]] = [[] for _ in visitors]
        for name, steps, place in walk(count):
            for visitor, mine in zip(visitors, moves, strict=True):
                time.sleep(pause)
                done = _time(visitor, name, steps, place)
                mine.append(done)
                print(
                    f"  {done.name}: {done.seconds:.2f} s, server {done.server:.2f} s CPU",
                    flush=True,
                )
        for visitor in visitors:
            visitor.is_healthy()
    return moves


EMPTY = 'import streamlit as st\n\nst.title("Empty")\n'


def starts(count: int) -> list[tuple[float, float]]:
    """Seconds from a server's start to the title of an empty page, and to our certificate."""
    found = []
    for _ in range(count):
        times = []
        for empty in (True, False):
            with (
                tempfile.TemporaryDirectory() as name,
                sync_playwright() as playwright,
                browser_at_home(playwright, Path(name) / "browser") as browser,
            ):
                home = Path(name)
                script = home / "empty.py" if empty else Path("app.py")
                if empty:
                    script.write_text(EMPTY)
                with running_server(home, script) as server:
                    visitor = new_visitor(browser, server)
                    visitor.open("/")
                    if empty:
                        visitor.sees("Empty")
                    else:
                        explore.wait_for_certificate(visitor)
                    times.append(server.age)
        found.append((times[0], times[1]))
        print(f"  start: an empty page {times[0]:.2f} s, certified {times[1]:.2f} s", flush=True)
    return found


def main() -> int:
    """Time the moves; 1 when their median is too large, 2 without Chromium."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.browser")
    parser.add_argument("--moves", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two (default 0)")
    parser.add_argument("--starts", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--against", type=Path, help="another checkout, which takes turns")
    options = parser.parse_args()
    if not CHROMIUM.is_file():
        print(f"There is no Chromium at {CHROMIUM}: apt-get install chromium.", file=sys.stderr)
        return 2
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    met = True
    if options.starts:
        above = statistics.median(ours - empty for empty, ours in starts(options.starts))
        met &= demand(
            f"start to certified heatmap at most {MOST_ABOVE:g} s above an empty page (median of "
            f"{options.starts} is {above:.2f} s)",
            met=above <= MOST_ABOVE,
        )
    checkouts = [REPOSITORY]
    if options.against is not None:
        checkouts.append(options.against.resolve())
    moves, *theirs = measure(options.moves, options.pause, checkouts)
    seconds = [move.seconds for move in moves]
    median = statistics.median(seconds)
    server = statistics.median(move.server for move in moves)
    met &= demand(
        f"slider release to certified heatmap at most {MOST_SECONDS:g} s by the clock (median of "
        f"{len(seconds)} is {median:.2f} s, {min(seconds):.2f} to {max(seconds):.2f}; server "
        f"{server:.2f} s CPU; load {os.getloadavg()[0]:.1f} after)",
        met=median <= MOST_SECONDS,
    )
    for other in theirs:
        ratio = statistics.median(
            one.seconds / beside.seconds for one, beside in zip(moves, other, strict=True)
        )
        beside = statistics.median(move.seconds for move in other)
        met &= demand(
            f"at most {MOST_BESIDE:g} of the other checkout, whose median is {beside:.2f} s "
            f"(median of the ratios is {ratio:.2f})",
            met=ratio <= MOST_BESIDE,
        )
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
