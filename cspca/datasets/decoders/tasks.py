"""What a decoder process can do: one class a kind of file."""

from __future__ import annotations

from typing import Protocol

from cspca.datasets.decoders.frames import Header

Answer = tuple[Header, bytes | memoryview]


class RefusedError(Exception):
    """A file, or a part of one, that is not read; the message completes “this file …”."""


class Task(Protocol):
    """Answers requests about one kind of file; may remember the file between them."""

    def do(self, header: Header, payload: bytearray) -> Answer:
        """Answer one request."""
        ...


def find_task(what: str, current: Task | None) -> Task:
    """Return the task that answers ``what``, the current one if it does.

    Parameters
    ----------
    what : str
        Its first word is the kind.
    current : Task or None
    """
    kind = what.split()[0]
    # Imported here: whoever decodes pictures need not load HDF5, nor the other way round.
    if kind == "hdf5":
        from cspca.datasets.decoders.hdf5 import Hdf5

        return current if isinstance(current, Hdf5) else Hdf5()
    if kind == "picture":
        from cspca.datasets.decoders.pictures import Pictures

        return current if isinstance(current, Pictures) else Pictures()
    raise RefusedError("asks for what nobody does")
