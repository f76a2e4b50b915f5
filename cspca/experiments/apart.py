"""Long steps in a process beside this one, which is killed when nobody waits for them any more.

No thread can be stopped within an eigendecomposition; a process can. What goes between the two is
our own, pickled: in a pipe, so that nothing is left behind whoever is killed.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, ParamSpec, TypeVar

from cspca.datasets.files.door import Child
from cspca.experiments.ledger import Stopped

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_EVERY = 0.05


class Apart:
    """A process, begun when it is first needed, in which one thing after another is computed."""

    def __init__(self) -> None:
        self._child: Child | None = None

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; another one begins when there is more to compute."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def __call__(
        self,
        stop: Callable[[], bool],
        function: Callable[P, T],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> T:
        """Return what a function of a module returns there; :class:`Stopped` once `stop` says so.

        A ValueError says that the process has died.
        """
        # With an argument, so that it has the environment: threads of BLAS are asked for there.
        child = self._child = self._child or Child(_CODE, "")
        inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def talk() -> None:
            # Whatever goes wrong, no answer comes.
            with suppress(OSError, ValueError, EOFError, pickle.UnpicklingError):
                assert child.stdin is not None
                assert child.stdout is not None
                _send(child.stdin, (function, arguments, named))
                inbox.put(_receive(child.stdout))
            inbox.put(None)

        thread = threading.Thread(target=talk, daemon=True)
        thread.start()
        answer = None
        try:
            while not stop():
                with suppress(queue.Empty):
                    answer = inbox.get(timeout=_LOOK_EVERY)
                    break
            else:
                raise Stopped
        finally:
            if answer is None:
                self.close()
            thread.join()
        if answer is None:
            raise ValueError(
                "The process that computed this has died, perhaps for want of memory: try again, "
                "or with fewer or smaller samples."
            )
        found, problem = answer
        if problem is not None:
            raise problem
        return found  # type: ignore[no-any-return]


_CODE = "from cspca.experiments.apart import main; main()"


def main() -> None:
    """Compute what is asked, one thing after another, as long as whoever asks is there."""
    # Whoever waits for a page comes first.
    with suppress(AttributeError):
        os.nice(10)
    # The answers' stream is kept aside: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def listen() -> None:
        with suppress(OSError, ValueError, EOFError):
            while True:
                inbox.put(_receive(sys.stdin.buffer))
        # In the middle of something too.
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        function, arguments, named = inbox.get()
        try:
            answer: tuple[Any, Exception | None] = function(*arguments, **named), None
        except Exception as problem:  # noqa: BLE001 (it is raised again where it was asked for)
            answer = None, problem
        _send(answers, answer)
        # Large things are not kept while nothing is asked for.
        del function, arguments, named, answer


def _send(stream: IO[bytes], thing: object) -> None:
    arrays: list[pickle.PickleBuffer] = []
    content = pickle.dumps(thing, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(content), *(one.raw() for one in arrays)]
    stream.write(json.dumps([one.nbytes for one in parts]).encode() + b"\n")
    for one in parts:
        stream.write(one)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    parts = []
    for size in json.loads(stream.readline()):
        # Into its place: no second copy of anything large.
        part = bytearray(size)
        if stream.readinto(part) < size:  # type: ignore[attr-defined]
            raise EOFError
        parts.append(part)
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 (no foreign file is in it)
