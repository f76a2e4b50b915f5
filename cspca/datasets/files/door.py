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
from typing import Any

from numpy.typing import NDArray

from cspca.datasets.files import limits, wire
from cspca.datasets.files.choices import ChoiceNeededError
from cspca.datasets.files.limits import Watch
from cspca.datasets.files.wire import Header, receive, receive_arrays, send
from cspca.datasets.record import DatasetError

Answer = tuple[Header, list[NDArray[Any]]]

_ROOT = Path(__file__).resolve().parents[3]
_LOOK_EVERY = 0.02
_MOST_DEATHS = 5
# All that a process needs to find its libraries; nothing else of the environment is handed on.
_HANDED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class ChildDiedError(Exception):
    """The process ended without an answer, maybe while it looked at the picture of this number."""


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

    def end(self) -> None:
        """End it and whatever it started."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self.kill()
        self.wait()

    def close(self) -> None:
        """End it, and let go of its streams."""
        self.end()
        for stream in (self.stdin, self.stdout):
            # What was not written yet cannot be: its reader has gone, as it should.
            with suppress(OSError):
                if stream is not None:
                    stream.close()


class _Spare:
    """A process started before it is needed, where somebody asked for that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.child: Child | None = None
        self.wanted_by: int | None = None

    def take(self) -> Child | None:
        with self._lock:
            child, self.child = self.child, None
        # After a fork it belongs to the other process.
        mine = self.wanted_by == os.getpid()
        return child if child is not None and mine and child.poll() is None else None

    def renew(self) -> None:
        with self._lock:
            if self.child is None and self.wanted_by == os.getpid():
                self.child = Child()

    def drop(self) -> None:
        child = self.take()
        if child is not None:
            child.close()


_SPARE = _Spare()
atexit.register(_SPARE.drop)


def keep_spare(wanted: bool = True) -> None:
    """Keep a process ready for the next file, as a server wants; it is never used twice."""
    if not wanted:
        _SPARE.drop()
    _SPARE.wanted_by = os.getpid() if wanted else None
    _SPARE.renew()


def parse(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Have files parsed; pictures that break their decoder are found and left out."""
    name = watch.name
    broken: list[int] = []
    for attempt in range(_MOST_DEATHS + 1):
        try:
            return _ask({**request, "broken": broken, "careful": attempt > 0}, parts, watch)
        except ChildDiedError as death:
            if not request.get("several") or (attempt and not death.args):
                break
            broken += death.args
    if broken:
        raise DatasetError(
            f"{name} holds several pictures that break the program which decodes them: save its "
            "pictures again as PNG."
        )
    raise limits.damaged(name)


def _ask(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Send a request to a process of its own, and wait for the answer."""
    watch.check()
    lengths = [len(part) for part in parts]
    request = request | {"name": watch.name, "lengths": lengths, "memory": limits.MAX_MEMORY}
    child = _SPARE.take() or Child()
    inbox: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
    talk = threading.Thread(target=_talk, args=(child, request, parts, inbox), daemon=True)
    talk.start()
    at: tuple[int, ...] = ()
    try:
        while True:
            try:
                answer = inbox.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                watch.check()
                continue
            if isinstance(answer, BaseException):
                raise ChildDiedError(*at) from answer
            header = answer[0]
            if "at" in header:
                at = (header["at"],)
            elif "fraction" in header:
                watch.tell(float(header["fraction"]), str(header["words"]))
            elif header.get("options") and "refused" in header:
                raise ChoiceNeededError(header["refused"], wire.options_from(header["options"]))
            elif "refused" in header:
                raise DatasetError(str(header["refused"]))
            else:
                return answer
    finally:
        child.end()
        talk.join()
        child.close()
        _SPARE.renew()


def _talk(
    child: Child,
    request: Header,
    parts: Sequence[bytes],
    inbox: queue.SimpleQueue[Answer | BaseException],
) -> None:
    """Write all and read all, in a thread of its own: the other one looks at the clock."""
    try:
        to, back = child.stdin, child.stdout
        if to is None or back is None:
            raise EOFError
        send(to, request, parts)
        while True:
            header = receive(back)
            inbox.put((header, receive_arrays(back, header)))
    except Exception as error:  # noqa: BLE001 - handed to the thread that waits
        inbox.put(error)
