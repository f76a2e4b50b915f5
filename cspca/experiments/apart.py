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
        request = _pack((function, arguments, named))
        # With an argument, so that it has the environment: threads of BLAS are asked for there.
        child = self._child = self._child or Child(_CODE, "")
        inbox: queue.SimpleQueue[list[bytearray] | None] = queue.SimpleQueue()

        def talk() -> None:
            # Whatever goes wrong, no answer comes.
            with suppress(OSError, ValueError, EOFError):
                assert child.stdin is not None
                assert child.stdout is not None
                _send(child.stdin, request)
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
        result, problem = _unpack(answer)
        if problem is not None:
            raise problem
        return result  # type: ignore[no-any-return]


_CODE = "from cspca.experiments.apart import main; main()"


def main() -> None:
    """Compute what is asked, one thing after another, as long as whoever asks is there."""
    # Whoever waits for a page comes first.
    with suppress(AttributeError):
        os.nice(10)
    # The answers' stream is kept aside: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    inbox: queue.SimpleQueue[list[bytearray]] = queue.SimpleQueue()

    def listen() -> None:
        with suppress(OSError, ValueError, EOFError):
            while True:
                inbox.put(_receive(sys.stdin.buffer))
        # In the middle of something too.
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        # Nothing is kept by a name while nothing is asked for: it may be large.
        _send(answers, _answer(inbox.get()))


def _answer(request: list[bytearray]) -> list[memoryview]:
    """Compute what is asked; return the packed pair of its result and what it raised."""
    try:
        function, arguments, named = _unpack(request)
        return _pack((function(*arguments, **named), None))
    except Exception as problem:  # noqa: BLE001 (it is raised again where it was asked for)
        return _pack((None, _portable(problem)))


def _portable(problem: Exception) -> Exception:
    """Return an exception that survives pickling: itself, or one with the same message."""
    try:
        # An exception whose constructor takes other arguments fails only when it is read.
        pickle.loads(pickle.dumps(problem))  # noqa: S301 (it was written the line before)
    except Exception:  # noqa: BLE001 (foreign exceptions fail as they like)
        message = str(problem) or type(problem).__name__
        return ValueError(message) if isinstance(problem, ValueError) else RuntimeError(message)
    return problem


def _pack(value: object) -> list[memoryview]:
    """Pickle a value, its arrays apart; a ValueError says that it cannot be."""
    arrays: list[pickle.PickleBuffer] = []
    try:
        content = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    except Exception as error:
        raise ValueError(f"This cannot be sent to another process: {error}.") from error
    return [memoryview(content), *(array.raw() for array in arrays)]


def _unpack(parts: list[bytearray]) -> Any:
    """Return what :func:`_pack` was given; a ValueError says that it cannot be read."""
    try:
        return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 (no foreign file is in it)
    except Exception as error:
        raise ValueError(f"What another process sent cannot be read: {error}.") from error


def _send(stream: IO[bytes], parts: list[memoryview]) -> None:
    stream.write(json.dumps([part.nbytes for part in parts]).encode() + b"\n")
    for part in parts:
        stream.write(part)
    stream.flush()


def _receive(stream: IO[bytes]) -> list[bytearray]:
    parts = []
    for size in json.loads(stream.readline()):
        # Into its place: no second copy of anything large.
        part = bytearray(size)
        if stream.readinto(part) < size:  # type: ignore[attr-defined]
            raise EOFError
        parts.append(part)
    return parts
