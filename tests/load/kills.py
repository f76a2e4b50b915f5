"""The server is killed at fifty seeded moments, while files come, sliders move and a grid is run.

    python -m tests.load kills [--kills 50] [--seed 20141124]

After each: the store opens, the doctor finds nothing, no finished cell is lost, changed, or was
finished twice; what is left is computed by the next server.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from websockets.exceptions import WebSocketException

from cspca.experiments.doctor import doctor
from tests.browser.harness import Server, running_server
from tests.load.client import Client
from tests.load.visitors import own_images

BROKEN = (OSError, TimeoutError, WebSocketException, KeyError)
"""What a visitor meets whose server is gone."""


def _finished(home: Path) -> dict[bytes, tuple[object, ...]]:
    """What is known of every finished cell."""
    with sqlite3.connect(_store(home) / "store.sqlite") as store:
        rows = store.execute("SELECT key, seal, finished, commits FROM cells WHERE seal NOT NULL")
        return {key: tuple(rest) for key, *rest in rows}


def _moves(server: Server, seed: int) -> None:
    with suppress(*BROKEN), Client.at(server.url, "explore") as client:
        client.until(lambda: "fit_alpha" in client.widgets and client.rests)
        options = client.widgets["fit_alpha"].options
        for turn in range(1000):
            if turn % 2:
                client.upload(client.place_for_files(), f"{turn}.npz", own_images(seed, turn))
            else:
                client.set("fit_alpha", options[(7 * turn + seed) % len(options)])
            client.until(lambda: client.rests)


def _grid(server: Server, pixels: int, running: threading.Event) -> None:
    with suppress(*BROKEN), Client.at(server.url, "sensitivity") as client:
        client.until(lambda: "sensitivity_run" in client.widgets and client.rests)
        client.set("sensitivity_n_features", pixels)
        client.until(lambda: client.rests)
        client.set("sensitivity_run", True)
        running.set()
        client.until(lambda: False, 600.0)


def main(argv: list[str]) -> int:
    """Kill it again and again, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.load kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=20141124)
    asked = parser.parse_args(argv)
    rng = random.Random(asked.seed)
    before: dict[bytes, tuple[object, ...]] = {}
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for kill in range(asked.kills):
            with running_server(home) as server:
                running = threading.Event()
                visitors = [
                    threading.Thread(target=_grid, args=(server, 20 + kill // 5, running)),
                    threading.Thread(target=_moves, args=(server, kill)),
                ]
                for visitor in visitors:
                    visitor.start()
                running.wait(60.0)
                time.sleep(rng.uniform(0.0, 6.0))
                server.process.kill()
                server.process.wait()
                for visitor in visitors:
                    visitor.join()
            after = _finished(home)
            wrong += [f"kill {kill}: {fault}" for fault in doctor(_store(home)).faults]
            lost = sum(after.get(key) != row for key, row in before.items())
            twice = sum(row[-1] != 1 for row in after.values())
            if lost or twice:
                wrong.append(f"kill {kill}: {lost} cells lost or changed, {twice} finished twice")
            before = after
    print(f"{asked.kills} kills, {len(before):,} cells finished, {len(wrong)} faults")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return int(bool(wrong) or not before)


def _store(home: Path) -> Path:
    return next(home.rglob("store.sqlite")).parent
