"""Thirty visitors of one server: who waits how long, and what it costs the machine.

    python -m tests.load [--visitors 30] [--minutes 30] [--pace 10] [--uploaders 3] [--no-grid]
                         [--url http://…] [--json out.json] [--quick]

Every visitor moves a slider every `pace` seconds to a value that nobody has used; uploaders bring a
file of their own every second time, and one more visitor runs grids of the Sensitivity page one
after another. A wait ends with the certified fit on the page. The exit status is 1 when a demand is
missed: nobody waits over 10 s, p95 at most 2 s, no error, and in the last five minutes, of ten at
least, memory grows by less than 3 MB a minute. With --quick: five visitors, for a minute.
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
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from websockets.exceptions import WebSocketException

from tests.browser.harness import running_server
from tests.load.client import Client

PROVEN = ":material/verified: proven"
WRONG = ("We are sorry", "Something went wrong", "The computation failed", "could not be")
PATIENCE = 60.0
MOST_LATE = 2.0
MOST_GROWTH = 3.0


@dataclass
class Waits:
    """What the visitors met: seconds of each wait by what it was for, refusals, errors."""

    began: float = field(default_factory=time.monotonic)
    waits: list[tuple[str, float, float]] = field(default_factory=list)
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
    np.savez_compressed(file, fea=images.clip(0, 255).astype(np.uint8), gnd=classes + 1)
    return file.getvalue()


def _step(client: Client, seen: Waits, what: str, begin: Any, *given: Any) -> None:
    """Do something and wait for its certified fit."""
    began = time.monotonic()

    def answered() -> bool:
        said = any(PROVEN in text for text in client.texts)
        own = any("120 images" in text for text in client.texts) or what != "upload"
        return client.rests and (_refusal(client) != "" or (said and own))

    try:
        begin(*given)
        client.until(answered, PATIENCE)
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
    with Client.at(url, f"explore?normalise={index // 15 % 2}") as client:
        _step(client, seen, "arrival", client.texts.clear)
        moves = _moves(client.widgets["fit_alpha"], client.widgets["fit_beta"], index)
        turn = 0
        while (due := time.monotonic() + pace) < end:
            if uploads and turn % 2 == 1:
                file = client.place_for_files(), f"{index}-{turn}.npz", own_images(index, turn)
                _step(client, seen, "upload", client.upload, *file)
            else:
                _step(client, seen, "slider", client.set, *next(moves))
            turn += 1
            client.listen(due)


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


def grids(url: str, end: float) -> None:
    """One who has a grid of the Sensitivity page computed, and then another."""
    with Client.at(url, "sensitivity") as client:
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
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--pace", type=float, default=10.0)
    parser.add_argument("--uploaders", type=int, default=3)
    parser.add_argument("--no-grid", action="store_true")
    parser.add_argument("--url")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args(argv)
    if asked.quick:
        asked.visitors, asked.minutes, asked.uploaders = 5, 1.0, 1
    with ExitStack() as stack:
        meter, url = None, asked.url
        if url is None:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(running_server(home))
            url, meter = server.url, Meter(server.process.pid)
            meter.start()
        seen = Waits()
        end = seen.began + 60 * asked.minutes
        threads = [
            threading.Thread(
                target=mover,
                args=(index, url, asked.pace, end, seen),
                kwargs={"uploads": index < asked.uploaders},
            )
            for index in range(asked.visitors)
        ]
        if not asked.no_grid:
            threads.append(threading.Thread(target=grids, args=(url, end)))
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
    print(f"{asked.visitors} visitors, a move every {asked.pace:g} s, {asked.minutes:g} minutes")
    print(f"{'':10}{'waits':>7}{'median':>9}{'p95':>9}{'worst':>9}  s")
    for what in ("arrival", "slider", "upload"):
        waits = seen.of(what)
        if len(waits):
            middle, late = np.quantile(waits, [0.5, 0.95])
            print(f"{what:10}{len(waits):7}{middle:9.2f}{late:9.2f}{waits.max():9.2f}")
    print(f"refused {len(seen.refused)}, errors {len(seen.errors)}")
    for text in [*dict.fromkeys(seen.refused), *dict.fromkeys(seen.errors)][:10]:
        print(f"  {text}")
    moves = np.concatenate([seen.of("slider"), seen.of("upload")])
    failed = bool(seen.errors) or not len(moves)
    failed |= bool(len(moves)) and (moves.max() > 10 or np.quantile(moves, 0.95) > MOST_LATE)
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
