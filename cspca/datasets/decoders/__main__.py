"""The far side: answers requests until its input ends. Run by `DecoderProcess` only."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import IO

from cspca.datasets.decoders import frames
from cspca.datasets.decoders.tasks import RefusedError, Task, find_task

_MEMORY = 1536 * 2**20
_CPU_SECONDS = 300
_MOST = 300 * 2**20


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer every request; a task that cannot be done is answered with one phrase why."""
    task: Task | None = None
    while True:
        try:
            header, payload = frames.receive(requests, _MOST)
        except EOFError:
            return
        try:
            task = find_task(str(header["do"]), task)
            answer, content = task.do(header, payload)
        except RefusedError as refused:
            answer, content = {"refused": str(refused)}, b""
        except MemoryError:
            answer, content = {"refused": "needs too much memory"}, b""
        # Libraries raise anything on a damaged file, and all of it means that it is damaged.
        except Exception:  # noqa: BLE001
            answer, content = {"refused": "is damaged"}, b""
        frames.send(answers, answer, content)


def limit_resources() -> None:
    """No more memory and time than decoding needs, no files written, no core dumps."""
    try:
        import resource
    except ImportError:  # not on Windows; there the time limit of the near side remains
        return
    for kind, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    limit_resources()
    # The answers' stream is kept aside: whatever a library prints must not come between them.
    answers_stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers_stream)
