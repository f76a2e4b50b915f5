"""The far side of the door: parses one file, says what it holds, and ends. Run by `door` only."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from cspca.datasets.files import limits
from cspca.datasets.files.assemble import Found, assemble
from cspca.datasets.files.choices import ChoiceNeededError, Options, ReadChoices
from cspca.datasets.files.door import Answer, Header, receive, send
from cspca.datasets.files.limits import Watch
from cspca.datasets.record import DatasetError

_CPU_SECONDS = 120
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000


def recognise(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Read what came as a data set; nothing but a `DatasetError` comes out."""
    choices = ReadChoices(**request["choices"])
    try:
        return assemble(_found(request, parts, choices, watch), choices, watch)
    except DatasetError:
        raise
    except MemoryError as error:
        raise DatasetError(
            f"{watch.name} does not fit in memory: cut it into smaller files."
        ) from error
    # Libraries raise anything on a damaged or hostile file, and all of it means that.
    except Exception as error:
        raise limits.damaged(watch.name) from error


def _found(request: Header, parts: Sequence[bytes], choices: ReadChoices, watch: Watch) -> Found:
    if "module" in request:
        module = importlib.import_module(request["module"])
        found: Found = module.read(parts[0], choices, watch)
        return found
    from cspca.datasets.files.entries import entries_of_files, entries_of_folder
    from cspca.datasets.files.pictures import read_pictures

    if "folder" in request:
        entries, kind = entries_of_folder(Path(request["folder"]), watch.name), "folder of pictures"
    else:
        entries, kind = entries_of_files(request["names"], parts), "picture files"
    return read_pictures(entries, kind, choices, watch)


def leave_the_network() -> None:
    """Be in a network of its own with nobody in it, where the system allows that."""
    if sys.platform.startswith("linux"):
        import ctypes

        unshare = ctypes.CDLL(None).unshare
        if unshare(_NEW_NETWORK) != 0:
            unshare(_NEW_USER | _NEW_NETWORK)


def limit_resources(memory: int) -> None:
    """No more memory and time than parsing needs, no files written, no core dumps."""
    try:
        import resource
    except ImportError:  # not on Windows: there declared sizes are all that is checked
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def main() -> None:
    """Answer the one request that comes."""
    requests = sys.stdin.buffer
    # The answers' stream is kept aside: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    leave_the_network()
    try:
        request, _ = receive(requests)
    except EOFError:  # a spare that was not needed
        return
    limit_resources(int(request["memory"]))
    parts = [requests.read(length) for length in request["lengths"]]

    def tell(fraction: float, words: str) -> None:
        send(answers, {"fraction": fraction, "words": words})

    watch = Watch(request["file"], tell, seconds=float("inf"))
    watch.at = lambda number: send(answers, {"at": number})
    watch.broken = frozenset(request["broken"])
    try:
        send(answers, *recognise(request, parts, watch))
    except DatasetError as problem:
        options = problem.options if isinstance(problem, ChoiceNeededError) else Options()
        send(answers, {"refused": str(problem), "options": asdict(options)})


if __name__ == "__main__":
    main()
