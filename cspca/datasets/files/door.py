"""The one door: whatever is foreign is parsed in a process that has a budget and can be killed.

A damaged or hostile file can crash or hang the libraries that read it, or make them ask for all
the memory there is. Here that ends a process with nothing in it but the file. Each is used once.
"""

from __future__ import annotations

import atexit
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cspca.datasets.files import limits
from cspca.datasets.files.limits import Watch
from cspca.datasets.files.wire import Answer, Header, receive, send
from cspca.datasets.record import DatasetError

_ROOT = Path(__file__).resolve().parents[3]
_LOOK_EVERY = 0.02
_MOST_DEATHS = 5
# All that a process needs to find its libraries; nothing else of the environment is handed on.
_HANDED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class Child(subprocess.Popen[bytes]):
    """One process that parses one file."""

    def __init__(self) -> None:
        paths = [str(_ROOT), *(one for one in sys.path if one and Path(one).exists())]
        super().__init__(
            [sys.executable, "-P", "-B", "-m", "cspca.datasets.files.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={
                **{one: os.environ[one] for one in _HANDED_ON if one in os.environ},
                "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                # Plugins of HDF5 are code from a folder: none is ever loaded.
                "HDF5_PLUGIN_PRELOAD": "::",
                "HDF5_USE_FILE_LOCKING": "FALSE",
            },
        )

    def close(self) -> None:
        """End it and whatever it started, and let go of its streams."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self.kill()
        self.wait()
        for stream in (self.stdin, self.stdout):
            # What was not written yet cannot be: its reader has gone, as it should.
            with suppress(OSError):
                if stream is not None:
                    stream.close()


# Processes started before they are needed, and who wants one: after a fork it is somebody else.
_SPARES: dict[int, Child] = {}
_WANTED: set[int] = set()


def _spare() -> Child | None:
    child = _SPARES.pop(os.getpid(), None)
    return child if child is not None and child.poll() is None else None


def _renew() -> None:
    if os.getpid() in _WANTED - _SPARES.keys():
        child = Child()
        if _SPARES.setdefault(os.getpid(), child) is not child:  # another thread was faster
            child.close()


def keep_spare(wanted: bool = True) -> None:
    """Keep a process ready for the next file, as a server wants; it is never used twice."""
    if wanted:
        _WANTED.add(os.getpid())
        _renew()
        return
    _WANTED.discard(os.getpid())
    child = _spare()
    if child is not None:
        child.close()


atexit.register(keep_spare, False)


def parse(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Have files parsed; pictures that break their decoder are found and left out."""
    broken: list[int] = []
    while len(broken) <= _MOST_DEATHS:
        answer, at = _ask({**request, "broken": broken}, parts, watch)
        if answer is not None:
            return answer
        if at is None:
            raise limits.damaged(watch.name)
        broken.append(at)
    raise DatasetError(
        f"{watch.name} holds several pictures that break the program which decodes them: save its "
        "pictures again as PNG."
    )


def _ask(request: Header, parts: Sequence[bytes], watch: Watch) -> tuple[Answer | None, int | None]:
    """Have a process of its own answer; None if it died, maybe at the picture of this number."""
    lengths = [len(part) for part in parts]
    request = request | {"file": watch.name, "lengths": lengths, "memory": limits.MAX_MEMORY}
    child = _spare() or Child()
    inbox: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
    talk = threading.Thread(target=_talk, args=(child, request, parts, inbox), daemon=True)
    talk.start()
    at = None
    try:
        while True:
            watch.check()
            try:
                answer = inbox.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                continue
            header, _ = answer or ({}, [])
            if "at" in header:
                at = int(header["at"])
            elif "fraction" in header:
                watch.tell(float(header["fraction"]), str(header["words"]))
            else:
                return answer, at
    finally:
        child.close()
        talk.join()
        _renew()


def _talk(
    child: Child,
    request: Header,
    parts: Sequence[bytes],
    inbox: queue.SimpleQueue[Answer | None],
) -> None:
    """Write all and read all, in a thread of its own: the other one looks at the clock."""
    try:
        to, back = child.stdin, child.stdout
        if to is None or back is None:
            raise EOFError
        send(to, request, parts)
        while True:
            inbox.put(receive(back))
    except Exception:  # noqa: BLE001 - whatever it was, no answer comes
        inbox.put(None)
