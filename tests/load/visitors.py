"""Thirty visitors of one server: who waits how long, and what it costs the machine.

    python -m tests.load [--visitors 30] [--watchers 10] [--minutes 30] [--pace 10]
                         [--uploaders 3] [--no-grid] [--url http://…] [--json out.json] [--quick]

`watchers` of the visitors begin a long run each, of Sensitivity or of Compare, and watch it; every
third `pace` they do something there: look at the result in another way, see another page and come
back, or stop the run and continue it. Such a wait ends with the page. Everybody else moves a
slider every `pace` seconds to a value that nobody has used; uploaders bring a file of their own
every second time, and one more visitor runs grids of the Sensitivity page one after another. Such
a wait ends with the certified fit on the page.

The exit status is 1 when a demand is missed: nobody waits over 10 s, p95 at most 2 s, of those who
watch and of the others, no error, and in the last five minutes, of ten at least, memory grows by
less than 3 MB a minute. With --quick: five visitors, two of them watching, for a minute.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from websockets.exceptions import WebSocketException

from tests.browser.harness import running_server
from tests.load.client import Client

PROVEN = ":material/verified:"
"""What the badge of a certified fit begins with, whatever it says."""

WRONG = ("We are sorry", "Something went wrong", "The computation failed", "could not be")
AT_WORK = ("Computing", "Waiting")
STOPS = ("Stopping", "Stopped", "Done")
LOOKS = {"sensitivity": "grid_look", "compare": "compare_metric"}
"""What shows the result of a page in another way."""

PATIENCE = 60.0
MOST_LATE = 2.0
MOST_GROWTH = 3.0


@dataclass
class Visit:
    """What one visitor cost the server: runs of pages, and questions for the work on them."""

    what: str
    minutes: float
    drawings: int
    questions: int


@dataclass
class Waits:
    """What the visitors met: seconds of each wait by what it was for, refusals, errors."""

    began: float = field(default_factory=time.monotonic)
    waits: list[tuple[str, float, float]] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note(self, what: str, seconds: float) -> None:
        """Keep how long somebody has waited."""
        self.waits.append((what, time.monotonic() - self.began, seconds))

    def of(self, what: str) -> np.ndarray:
        """Seconds of all waits of a kind."""
        return np.array([seconds for kind, _, seconds in self.waits if kind == what])


def own_images(*seed: int, n: int = 120, side: int = 16) -> bytes:
    """A file that nobody else has."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0, 255, (6, side * side))
    classes = np.arange(n) % 6
    images = centres[classes] + rng.normal(0, 25, (n, side * side))
    file = io.BytesIO()
    pictures = images.clip(0, 255).astype(np.uint8).reshape(n, side, side)
    np.savez_compressed(file, images=pictures, labels=classes + 1)
    return file.getvalue()


@contextmanager
def _visitor(what: str, url: str, path: str, seen: Waits) -> Iterator[Client]:
    """Open a page, and count what the visitor costs the server."""
    began = time.monotonic()
    with Client.at(url, path) as client:
        try:
            yield client
        except (OSError, KeyError, WebSocketException) as problem:
            seen.errors.append(f"{what}: {type(problem).__name__}: {problem}")
        finally:
            minutes = (time.monotonic() - began) / 60
            seen.visits.append(Visit(what, minutes, len(client.sessions), client.questions))


def _step(
    client: Client, seen: Waits, what: str, is_answered: Callable[[], bool], begin: Any, *given: Any
) -> None:
    """Do something and wait for its answer."""
    began = time.monotonic()
    try:
        begin(*given)
        client.until(lambda: client.rests and (_refusal(client) != "" or is_answered()), PATIENCE)
    except (OSError, TimeoutError, WebSocketException) as problem:
        seen.errors.append(f"{what} {given[:2]}: {type(problem).__name__}: {problem}")
        return
    if refusal := _refusal(client):
        seen.refused.append(refusal)
    else:
        seen.note(what, time.monotonic() - began)
    for text in client.texts:
        if any(word in text for word in WRONG):
            seen.errors.append(text)


def _refusal(client: Client) -> str:
    return next((text for text in client.texts if "busy" in text or "room" in text), "")


def mover(index: int, url: str, pace: float, end: float, seen: Waits, *, uploads: bool) -> None:
    """One who moves α to values of their own; every second time with a file of their own."""
    time.sleep(pace * (index % 30) / 30)

    def is_fitted() -> bool:
        return any(PROVEN in text for text in client.texts)

    def is_fitted_to_own() -> bool:
        return is_fitted() and any("120 images" in text for text in client.texts)

    with _visitor("mover", url, f"?normalise={index // 15 % 2}", seen) as client:
        _step(client, seen, "arrival", is_fitted, client.texts.clear)
        moves = _moves(client.widgets["fit_alpha"], client.widgets["fit_beta"], index)
        turn = 0
        while (due := time.monotonic() + pace) < end:
            if uploads and turn % 2 == 1:
                file = client.place_for_files(), f"{index}-{turn}.npz", own_images(index, turn)
                _step(client, seen, "upload", is_fitted_to_own, client.upload, *file)
            else:
                _step(client, seen, "slider", is_fitted, client.set, *next(moves))
            turn += 1
            client.listen(due)


def watcher(index: int, url: str, pace: float, end: float, seen: Waits) -> None:
    """One who begins long runs of Sensitivity or Compare, and does something while they go on."""
    time.sleep(pace * (index % 30) / 30)
    kind = ("sensitivity", "compare")[index % 2]
    with _visitor("watcher", url, f"compare?tab={kind}", seen) as client:

        def words() -> str:
            return client.bars.get(f"{kind}_bar", "")

        def step(is_answered: Callable[[], bool], begin: Any, *given: Any) -> None:
            _step(client, seen, "watcher", is_answered, begin, *given)

        _step(client, seen, "arrival", lambda: f"{kind}_run" in client.widgets, client.texts.clear)
        turn = 0
        while (due := time.monotonic() + 3 * pace) < end:
            # A click while the page is drawn waits for that.
            client.until(lambda: client.rests, PATIENCE)
            looks = client.widgets.get(LOOKS[kind])
            # What the page computes by itself is no run that can be stopped.
            if turn == 0 or not words().startswith(AT_WORK):
                _ask_for_long_run(client, kind, 10 * index + turn)
                step(lambda: words().startswith(AT_WORK), client.set, f"{kind}_run", True)
            elif turn % 3 == 0 and looks is not None:
                look = looks.options[turn // 3 % 2].content
                step(lambda: True, client.set, LOOKS[kind], look)
            elif turn % 3 == 1:
                step(lambda: True, client.go, "runs")
                client.listen(time.monotonic() + pace / 2)
                step(lambda: words() != "", client.go, "compare")
            else:
                client.widgets.pop(f"{kind}_resume", None)
                step(lambda: words().startswith(STOPS), client.set, f"{kind}_stop", True)
                # Once the step at work is done; a run that was at its end is not continued.
                client.until(
                    lambda: client.rests and words().startswith(("Stopped", "Done")), PATIENCE
                )
                if f"{kind}_resume" in client.widgets:
                    resumed = client.set, f"{kind}_resume", True
                    step(lambda: words().startswith(AT_WORK), *resumed)
            turn += 1
            client.listen(due)


def _ask_for_long_run(client: Client, kind: str, number: int) -> None:
    """Set what takes minutes, and what nobody else asks for: results are shared."""
    settings: dict[str, object]
    if kind == "sensitivity":
        settings = {"penalty_scale": "The paper’s", "n_seeds": 100, "n_features": 400 + number}
    else:
        settings = {"tune": "The paper’s grid", "n_features": f"20, 50, 100, {200 + number}"}
    for name, value in settings.items():
        client.set(f"{kind}_{name}", value)
        client.until(lambda: client.rests, PATIENCE)


def _moves(alpha: Any, beta: Any, index: int) -> Iterator[tuple[str, str]]:
    """Moves to pairs of α and β of this one of fifteen alone, around where the page opens.

    Each has two diagonals of the table of all pairs, in some order of the values, and goes down
    between them as on stairs. A β below a seventh of the page's own has a high rank, and costs a
    processor up to two seconds a fit: thirty who stay there are more than two processors answer.
    """
    rng = np.random.default_rng(20141124)
    alphas, betas = (
        rng.permutation([one for one in slider.options if one not in slider.raw_value][low:-4])
        for slider, low in ((alpha, 1), (beta, -52))
    )
    for at, one in enumerate(alphas):
        here = at + 2 * (index % 15)
        if at == 0:
            yield "fit_beta", str(betas[here % len(betas)])
        yield "fit_alpha", str(one)
        yield "fit_beta", str(betas[(here + 1) % len(betas)])


def grids(url: str, end: float, seen: Waits) -> None:
    """One who has a grid of the Sensitivity page computed, and then another."""
    with _visitor("grids", url, "compare?tab=sensitivity", seen) as client:
        client.until(lambda: "sensitivity_run" in client.widgets and client.rests, PATIENCE)
        for pixels in range(200, 20, -1):
            client.set("sensitivity_n_features", pixels)
            client.until(lambda: client.rests, PATIENCE)
            client.set("sensitivity_run", True)
            client.listen(min(time.monotonic() + 60, end))
            if time.monotonic() >= end:
                return


class Meter(threading.Thread):
    """Looks at the server every few seconds: megabytes with its children, seconds of processors."""

    def __init__(self, pid: int, every: float = 5.0) -> None:
        super().__init__(daemon=True)
        self.process, self.every = psutil.Process(pid), every
        self.series: list[tuple[float, float]] = []
        self.began, self.first = time.monotonic(), self._cpu()
        self.over = threading.Event()

    def _cpu(self) -> float:
        times = self.process.cpu_times()
        return times.user + times.system + times.children_user + times.children_system

    def run(self) -> None:
        """Look, again and again."""
        while not self.over.wait(self.every):
            family = [self.process, *self.process.children(recursive=True)]
            size = 0
            for one in family:
                try:
                    size += one.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self.series.append((time.monotonic() - self.began, size / 2**20))

    @property
    def processors(self) -> float:
        """How many processors the server has kept busy."""
        return (self._cpu() - self.first) / (time.monotonic() - self.began)

    def slope(self, since: float) -> float:
        """Megabytes a minute from so many seconds on."""
        late = np.array([one for one in self.series if one[0] >= since])
        return float(np.polyfit(late[:, 0] / 60, late[:, 1], 1)[0])


def drawn(values: list[float], width: int = 60) -> str:
    """A line of blocks from the lowest value to the highest."""
    chosen = [values[int(i)] for i in np.linspace(0, len(values) - 1, min(width, len(values)))]
    low, high = min(chosen), max(chosen)
    return "".join("▁▂▃▄▅▆▇█"[int(7 * (one - low) / (high - low or 1))] for one in chosen)


def main(argv: list[str]) -> int:
    """Run it and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--watchers", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--pace", type=float, default=10.0)
    parser.add_argument("--uploaders", type=int, default=3)
    parser.add_argument("--no-grid", action="store_true")
    parser.add_argument("--url")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(argv)
    if asked.quick:
        asked.visitors, asked.watchers, asked.minutes, asked.uploaders = 5, 2, 1.0, 1
    with ExitStack() as stack:
        meter, url = None, asked.url
        if url is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(running_server(home))
            url, meter = server.url, Meter(server.process.pid)
            meter.start()
        seen = Waits()
        end = seen.began + 60 * asked.minutes
        movers = max(0, asked.visitors - asked.watchers)
        threads = [
            threading.Thread(
                target=mover,
                args=(index, url, asked.pace, end, seen),
                kwargs={"uploads": index < asked.uploaders},
            )
            for index in range(movers)
        ]
        threads += [
            threading.Thread(target=watcher, args=(index, url, asked.pace, end, seen))
            for index in range(movers, asked.visitors)
        ]
        if not asked.no_grid:
            threads.append(threading.Thread(target=grids, args=(url, end, seen)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        processors = None if meter is None else meter.processors
        if meter is not None:
            meter.over.set()
            for found in re.findall(r"Traceback.*?\n(?=\S)[^\n]*", server.words(), re.DOTALL):
                # Streamlit answers who has just gone.
                if "WebSocketDisconnected" not in found:
                    seen.errors.append(found)
    return _tell(asked, seen, meter, processors)


def _tell(asked: Any, seen: Waits, meter: Meter | None, processors: float | None) -> int:
    print(
        f"{asked.visitors} visitors, {asked.watchers} of them watching, "
        f"a move every {asked.pace:g} s, {asked.minutes:g} minutes"
    )
    print(f"{'':10}{'waits':>7}{'median':>9}{'p95':>9}{'worst':>9}  s")
    for what in ("arrival", "slider", "upload", "watcher"):
        waits = seen.of(what)
        if len(waits):
            middle, late = np.quantile(waits, [0.5, 0.95])
            print(f"{what:10}{len(waits):7}{middle:9.2f}{late:9.2f}{waits.max():9.2f}")
    print("of one visitor, a minute")
    for what in ("mover", "watcher", "grids"):
        visits = [visit for visit in seen.visits if visit.what == what]
        if minutes := sum(visit.minutes for visit in visits):
            drawings, questions = (
                sum(getattr(visit, name) for visit in visits) / minutes
                for name in ("drawings", "questions")
            )
            print(f"{what:10}{drawings:7.1f} runs of a page, {questions:.1f} questions for work")
    print(f"refused {len(seen.refused)}, errors {len(seen.errors)}")
    for text in [*dict.fromkeys(seen.refused), *dict.fromkeys(seen.errors)][:10]:
        print(f"  {text}")
    failed = bool(seen.errors)
    for kinds, there in (
        (("slider", "upload"), asked.visitors > asked.watchers),
        (("watcher",), asked.watchers > 0),
    ):
        waits = np.concatenate([seen.of(what) for what in kinds])
        failed |= there and not len(waits)
        failed |= len(waits) > 0 and (waits.max() > 10 or np.quantile(waits, 0.95) > MOST_LATE)
    if meter is not None and len(meter.series) > 3:
        sizes = [size for _, size in meter.series]
        ended = meter.series[-1][0]
        third, last = (meter.slope(since) for since in (ended / 3, ended - 300.0))
        print(f"processors {processors:.2f}")
        print(f"memory {drawn(sizes)} {min(sizes):.0f}–{max(sizes):.0f} MB")
        print(
            f"after the first third {third:+.2f} MB a minute, in the last five minutes {last:+.2f}"
        )
        failed |= asked.minutes >= 10 and last > MOST_GROWTH
    if asked.json is not None:
        series = [] if meter is None else meter.series
        asked.json.write_text(json.dumps(asdict(seen) | {"memory": series}), encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
