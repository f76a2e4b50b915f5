"""The near side: starting a decoder process, asking it, and ending it when it misbehaves."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol

from cspca.datasets.decoders import frames

_ROOT = Path(__file__).resolve().parents[3]
_LOOK_EVERY = 0.1


class _Check(Protocol):
    def check(self) -> None: ...


class DecoderError(Exception):
    """The process ended without an answer: it crashed, hung, or ran out of memory."""


class DecoderProcess:
    """A process that decodes; use it in a ``with`` block.

    Parameters
    ----------
    watch : object with a ``check`` method, optional
        Asked ten times a second while an answer is awaited; what it raises ends the process and
        comes out of `ask`.
    seconds : float, default=20.0
        Longest time for one answer.
    most : int, default=512 MiB
        Largest answer, in bytes.
    """

    def __init__(
        self, watch: _Check | None = None, *, seconds: float = 20.0, most: int = 512 * 2**20
    ) -> None:
        self._watch = watch
        self._seconds = seconds
        self._most = most
        self._until = float("inf")
        self._failure: Exception | None = None
        self._over = threading.Event()
        path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cspca.datasets.decoders"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Plugins of HDF5 are code from a folder: none is ever loaded.
            env={
                **os.environ,
                "PYTHONPATH": path,
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                "HDF5_PLUGIN_PRELOAD": "::",
                "HDF5_USE_FILE_LOCKING": "FALSE",
            },
        )
        self._keeper = threading.Thread(target=self._keep_time, daemon=True)
        self._keeper.start()

    def __enter__(self) -> DecoderProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def ask(
        self, header: frames.Header, payload: bytes | memoryview = b""
    ) -> tuple[frames.Header, bytearray]:
        """Send a request and wait for its answer.

        Parameters
        ----------
        header : dict
            ``do`` names the task; the rest are its arguments.
        payload : bytes

        Raises
        ------
        DecoderError
            If no answer comes. The process is gone then.
        """
        self._until = time.monotonic() + self._seconds
        try:
            frames.send(self._stdin, header, payload)
            answer = frames.receive(self._stdout, self._most)
        except (OSError, ValueError, EOFError) as error:
            self.close()
            if self._failure is not None:
                raise self._failure from error
            raise DecoderError from error
        self._until = float("inf")
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        self._over.set()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # What was not written yet cannot be: its reader has gone, as it should.
                    continue

    @property
    def _stdin(self) -> IO[bytes]:
        stream = self._process.stdin
        if stream is None:
            raise DecoderError
        return stream

    @property
    def _stdout(self) -> IO[bytes]:
        stream = self._process.stdout
        if stream is None:
            raise DecoderError
        return stream

    def _keep_time(self) -> None:
        while not self._over.wait(_LOOK_EVERY):
            if time.monotonic() > self._until:
                self._process.kill()
                return
            if self._watch is not None:
                try:
                    self._watch.check()
                except Exception as error:  # noqa: BLE001 - handed to the thread that waits
                    self._failure = error
                    self._process.kill()
                    return
