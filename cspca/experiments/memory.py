"""What all visitors and threads of a server share: data sets and what is made of them, bounded."""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from cspca.datasets import BUILTIN, Dataset, DatasetError, load
from cspca.experiments.apart import Apart
from cspca.experiments.cost import LONG, reduction_by_size
from cspca.experiments.jobs import Stopped

if TYPE_CHECKING:
    from cspca.problem import ReducedData

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def memory_of(thing: object) -> int:
    """Bytes of the distinct arrays and texts that `thing` holds, itself or in its parts."""
    seen: set[int] = set()

    def visit(item: object, depth: int) -> int:
        if isinstance(item, np.ndarray) and isinstance(item.base, np.ndarray):
            # A view holds all of its array.
            return visit(item.base, depth)
        if id(item) in seen or depth > 12:
            return 0
        seen.add(id(item))
        if hasattr(item, "nbytes"):
            return int(item.nbytes)
        if isinstance(item, bytes):
            return len(item)
        if isinstance(item, dict):
            # Another thread may add to it, such as what a property has cached.
            return sum(visit(value, depth + 1) for value in list(item.values()))
        if isinstance(item, (list, tuple)):
            return sum(visit(value, depth + 1) for value in item)
        return visit(vars(item), depth + 1) if hasattr(item, "__dict__") else 0

    return visit(thing, 0)


class Memory(Generic[K, V]):
    """What was not looked at for longest goes first; the newest stays however large it is."""

    def __init__(self, max_items: int, max_bytes: int, max_age: float = math.inf) -> None:
        self._max_items, self._max_bytes, self._max_age = max_items, max_bytes, max_age
        self._lock = threading.RLock()
        # Value, bytes and last look, in the order of the looks.
        self._entries: dict[K, tuple[V, int, float]] = {}
        self._making: dict[K, threading.Lock] = {}

    def get(self, key: K | None) -> V | None:
        """Return what is kept under `key`, which also keeps it; None when there is nothing."""
        with self._lock:
            self._evict()
            if key is None or key not in self._entries:
                return None
            value, size, _ = self._entries.pop(key)
            self._entries[key] = value, size, time.monotonic()
            return value

    def put(self, key: K, value: V) -> None:
        """Keep `value` under `key`, and let the oldest go where there is no more room."""
        size = memory_of(value)
        with self._lock:
            self.drop(key)
            self._entries[key] = value, size, time.monotonic()
            self._evict()

    def get_or_make(
        self, key: K, make: Callable[[], V], stop: Callable[[], bool] = lambda: False
    ) -> V:
        """Return what is kept under `key`; make it once, however many ask at the same time.

        Nothing else waits meanwhile; who waits for it is :class:`Stopped` once `stop` says so.
        """
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        while not making.acquire(timeout=0.1):
            if stop():
                raise Stopped
        try:
            found = self.get(key)
            if found is None:
                found = make()
                self.put(key, found)
        finally:
            making.release()
        with self._lock:
            self._making.pop(key, None)
        return found

    def drop(self, key: K) -> None:
        """Let something go."""
        with self._lock:
            self._entries.pop(key, None)

    def items(self) -> list[tuple[K, V]]:
        """Return everything kept, the least recently used first."""
        with self._lock:
            self._evict()
            return [(key, value) for key, (value, _, _) in self._entries.items()]

    def _evict(self) -> None:
        now = time.monotonic()
        newest = next(reversed(self._entries), None)
        n_bytes = sum(size for _, size, _ in self._entries.values())
        for key, (_, size, seen) in list(self._entries.items()):
            crowded = len(self._entries) > self._max_items or n_bytes > self._max_bytes
            if now - seen > self._max_age or (crowded and key != newest):
                del self._entries[key]
                n_bytes -= size


ONCE: Memory[Hashable, Any] = Memory(8, 4 << 30)
"""Things made of a data set once a process, such as its reduction; the few used last."""


def reduction(
    data: Dataset, center: bool, normalize: bool, stop: Callable[[], bool] | None = None
) -> ReducedData:
    """The reduction of the samples, prepared so: all fits of a data set share it.

    What takes long is made in a process of its own where it is to `stop` when that says so, with
    :class:`Stopped`.
    """
    from cspca.preprocessing import reduced

    asked = data.data, center, normalize

    def make() -> ReducedData:
        if stop is None or reduction_by_size(data) < LONG:
            return reduced(*asked)
        with Apart() as apart:
            return apart(stop, reduced, *asked)

    key = data.sha256, "reduced", center, normalize
    return ONCE.get_or_make(key, make, stop or (lambda: False))  # type: ignore[no-any-return]


def is_reduced(data: Dataset, center: bool, normalize: bool) -> bool:
    """Whether the reduction is at hand."""
    return ONCE.get((data.sha256, "reduced", center, normalize)) is not None


class DatasetLibrary:
    """Keeps data sets for the whole process; uploads are bounded in number, bytes and age.

    An uploaded data set is reachable only through the id that :meth:`add` returned, and as long as
    a job works with it; nothing lists what is there.
    """

    def __init__(
        self, max_items: int = 32, max_bytes: int = 2 << 30, max_age: float = 24 * 3600.0
    ) -> None:
        self._max_bytes = max_bytes
        self._uploads: Memory[str, Dataset] = Memory(max_items, max_bytes, max_age)
        self._builtin: Memory[str, Dataset] = Memory(len(BUILTIN), max_bytes)
        # Everything kept, and what a job works with.
        self._in_use: WeakValueDictionary[str, Dataset] = WeakValueDictionary()

    def add(self, dataset: Dataset) -> str:
        """Keep `dataset` and return its id; a DatasetError says that it is larger than the room."""
        size = dataset.data.nbytes
        if size > self._max_bytes:
            raise DatasetError(
                f"{dataset.name} takes {size / 2**20:.0f} MB of memory and at most "
                f"{self._max_bytes / 2**20:.0f} MB can be kept: use fewer or smaller "
                f"{dataset.nouns.samples}."
            )
        key = secrets.token_urlsafe(16)
        self._uploads.put(key, dataset)
        self._in_use[key] = dataset
        return key

    def get(self, key: str) -> Dataset:
        """Return the data set called `key`; a DatasetError says that there is none (any more)."""
        if key in BUILTIN:
            return self._builtin.get_or_make(key, lambda: load(key))
        found = self._uploads.get(key) or self._in_use.get(key)
        if found is None:
            raise DatasetError(
                "The data set of this link is not kept here any more: upload the file again."
            )
        return found

    def find(self, sha256: str) -> str | None:
        """Name or id of a data set by its fingerprint, for who may open every upload anyway."""
        at_hand = [*self._uploads.items(), *self._builtin.items()]
        return next((key for key, one in at_hand if one.sha256 == sha256), None)

    def __contains__(self, key: object) -> bool:
        return key in BUILTIN or key in self._in_use
