"""The ledger: what is kept in memory, whose it is, what makes way for what, and who is refused."""

from __future__ import annotations

import gc
import math
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar, cast
from weakref import WeakSet

from cspca.experiments.limits import limits
from cspca.experiments.log import hashed

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

PUBLIC = ""
"""Whose built-in sets are, and what is made of them: everybody's."""

UNOWNED = "unowned"
"""Owner of what is made of data sets that no visitor has brought: of a shell, or of a script."""

OPERATOR = hashed("")
"""The user of this machine."""

IDLE = 3600.0
"""Seconds after which a file goes that was opened and nobody has looked at since."""

MADE = 300.0
"""Seconds after which what can be made again goes when nobody has looked at it."""

_PART = 1 << 14
"""Bytes from which on it is noted which arrays are held, for two things may share one."""

_CODE = (type, ModuleType, FunctionType, BuiltinFunctionType, CodeType)
"""What belongs to the program, not to a thing that it holds."""


def parts_of(root: object) -> dict[int, int]:
    """Bytes of all that `root` holds, by what it is: large parts apart, the rest together."""
    import numpy as np  # a shell that only asks what there is does without

    seen: set[int] = set()
    parts: dict[int, int] = {}
    rest, left = 0, [root]
    while left:
        node = left.pop()
        if id(node) in seen or node is None or isinstance(node, _CODE):
            continue
        seen.add(id(node))
        # A view holds all of its array, and an array of objects the objects.
        size = sys.getsizeof(node)
        if size < _PART:
            rest += size
        else:
            parts[id(node)] = size
        if not isinstance(node, np.ndarray):
            left += gc.get_referents(node)
            continue
        left.append(node.base)
        if node.dtype.hasobject:
            left += node.ravel().tolist()
    parts[id(root)] = parts.get(id(root), 0) + rest
    return parts


def memory_of(root: object) -> int:
    """Bytes of all that `root` holds, each array once."""
    return sum(parts_of(root).values())


class Stopped(Exception):  # noqa: N818
    """What a job is at work on was given up, because the job is to stop."""


class FullError(ValueError):
    """There is no room for what was brought; the sentence says how much is missing of what."""


@dataclass(eq=False)
class _Entry(Generic[V]):
    value: V
    owner: str
    parts: dict[int, int]
    came: float
    seen: float


class Ledger:
    """What all memories of a server hold, whose it is, and how much each visitor may have.

    Nobody's things make way for another's: who brings more than there is room for loses what can
    be made again of their own, the oldest first, and is refused what does not fit then. What is
    everybody's, or unowned, has the room of one visitor, and its newest stays however large it is;
    the user of this machine has all there is. Sizes are in bytes, by default those of
    :func:`limits`.
    """

    def __init__(
        self,
        total: int | None = None,
        each: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total, self._each, self.clock = total, each, clock
        self.lock = threading.RLock()
        self.memories: WeakSet[Memory[Any, Any]] = WeakSet()

    @property
    def total(self) -> int:
        """Bytes for all together."""
        return limits().memory << 20 if self._total is None else self._total

    def room(self, owner: str) -> int:
        """Bytes for one visitor."""
        each = limits().visitor_memory << 20 if self._each is None else self._each
        return self.total if owner == OPERATOR else min(each, self.total)

    def held(self, owner: str | None = None) -> int:
        """Bytes that somebody has here, or all; what two things share counts once."""
        with self.lock:
            return sum(self._parts(owner).values())

    def owners(self) -> dict[str, int]:
        """Bytes of everybody who has something here."""
        with self.lock:
            owners = {entry.owner for _, _, entry in self._entries()}
            return {owner: self.held(owner) for owner in owners}

    def make_room(self, owner: str, parts: dict[int, int], called: str = "This") -> None:
        """Let somebody's oldest things go, of those that can be made again, for something new.

        A FullError says that it would not fit even then; nothing goes in vain.
        """
        with self.lock:
            self.lapse()
            left = self.total - self.held()
            most = min(self.room(owner), self.held(owner) + left)
            stays = self._parts(owner, brought=True)
            if owner not in (PUBLIC, UNOWNED) and sum((stays | parts).values()) > most:
                had, size = sum(stays.values()), sum(parts.values())
                lacks = f"{_mb(left)} are left of the {_mb(self.total)} that all visitors share"
                if most == self.room(owner):
                    lacks = f"you have {_mb(had)} of the {_mb(most)} that each visitor may fill"
                raise FullError(
                    f"{called} takes {_mb(size)} of memory, and {lacks}: remove what you no longer "
                    "need (“Remove my data now” on the Data page), or use fewer or smaller samples."
                )
            recomputable = [record for record in self._entries(owner) if not record[0].brought]
            for memory, key, _ in sorted(recomputable, key=lambda record: record[2].seen):
                if sum((self._parts(owner) | parts).values()) <= most:
                    break
                memory.drop(key)

    def erase(self, owner: str) -> int:
        """Let all go that is somebody's; return how many bytes it was."""
        with self.lock:
            size = self.held(owner)
            for memory, key, _ in list(self._entries(owner)):
                memory.drop(key)
        return size

    def lapse(self) -> None:
        """Let all go that is too old."""
        with self.lock:
            for memory in self.memories:
                memory.lapse()

    # -- inside; the lock is held ----------------------------------------------------------------

    def _entries(self, owner: str | None = None) -> Iterator[tuple[Memory[Any, Any], Any, Any]]:
        for memory in self.memories:
            for key, entry in memory.entries.items():
                if owner in (None, entry.owner):
                    yield memory, key, entry

    def _parts(self, owner: str | None = None, *, brought: bool = False) -> dict[int, int]:
        """What somebody has, or all; only what they `brought`, if asked for."""
        parts: dict[int, int] = {}
        for memory, _, entry in self._entries(owner):
            if memory.brought or not brought:
                parts |= entry.parts
        return parts


LEDGER = Ledger()
"""That of this process."""


def _mb(n_bytes: int) -> str:
    return f"{max(0, n_bytes) / 2**20:,.0f} MB"


class Memory(Generic[K, V]):
    """Things by their keys, each somebody's, in the room that a ledger has for them.

    Each stays until nobody has looked at it for `idle` seconds, or its `age` in seconds is over,
    which is counted from its arrival. What was not `brought` can be made again, and makes way for
    what its owner brings or makes. Beyond `most` bytes of one owner what nobody has looked at for
    longest goes, but never the newest.
    """

    def __init__(
        self,
        ledger: Ledger = LEDGER,
        *,
        brought: bool = False,
        idle: float = MADE,
        most: float = math.inf,
        age: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self.ledger, self.brought, self._idle, self._age = ledger, brought, idle, age
        self._most = most
        # By arrival; and their keys by the last look: the oldest are first in both.
        self.entries: OrderedDict[K, _Entry[V]] = OrderedDict()
        self._looks: OrderedDict[K, None] = OrderedDict()
        self._making: dict[K, threading.Lock] = {}
        with ledger.lock:
            ledger.memories.add(self)

    def get(self, key: K | None) -> V | None:
        """Return what is kept under `key`, which also keeps it; None when there is nothing."""
        with self.ledger.lock:
            self.lapse()
            entry = self.entries.get(cast(K, key))
            if entry is None:
                return None
            entry.seen = self.ledger.clock()
            self._looks.move_to_end(cast(K, key))
            return entry.value

    def put(self, key: K, value: V, owner: str, called: str = "This") -> None:
        """Keep `value` of the owner; a FullError says that there is no room for it."""
        parts = parts_of(value)
        with self.ledger.lock:
            self.drop(key)
            self.ledger.make_room(owner, parts, called)
            now = self.ledger.clock()
            self.entries[key] = _Entry(value, owner, parts, now, now)
            self._looks[key] = None
            self._stay_within(owner)

    def replace(self, key: K, value: V) -> None:
        """Keep another value under a key, with its owner and arrival; nothing where it is gone."""
        with self.ledger.lock:
            entry = self.entries.get(key)
            if entry is not None:
                entry.value, entry.parts = value, parts_of(value)

    def _stay_within(self, owner: str) -> None:
        """Let the oldest of an owner go until the others are within `most` bytes."""
        if self._most == math.inf:
            return
        own_entries = [pair for pair in self.entries.items() if pair[1].owner == owner][::-1]
        parts: dict[int, int] = {}
        # From the newest on; of two of one moment the one that came later.
        for at, (key, entry) in enumerate(sorted(own_entries, key=lambda pair: -pair[1].seen)):
            parts |= entry.parts
            if at > 0 and sum(parts.values()) > self._most:
                self.drop(key)

    def get_or_make(
        self,
        key: K,
        make: Callable[[], V],
        owner: str,
        stop: Callable[[], bool] = lambda: False,
    ) -> V:
        """Return what is kept under `key`; make it once, however many ask at the same time.

        Nothing else waits meanwhile; who waits for it is :class:`Stopped` once `stop` says so.
        """
        with self.ledger.lock:
            making = self._making.setdefault(key, threading.Lock())
        while not making.acquire(timeout=0.1):
            if stop():
                raise Stopped
        try:
            value = self.get(key)
            if value is None:
                value = make()
                with suppress(FullError):
                    self.put(key, value, owner)
        finally:
            making.release()
        with self.ledger.lock:
            self._making.pop(key, None)
        return value

    def owner(self, key: K | None) -> str | None:
        """Owner of what is kept under `key`; None when there is nothing."""
        with self.ledger.lock:
            entry = self.entries.get(cast(K, key))
            return None if entry is None else entry.owner

    def owned_by(self, owner: str) -> list[tuple[K, V, float]]:
        """Return what an owner has here: key, value and age in seconds, the newest first.

        Listing does not count as a look: it keeps nothing longer.
        """
        with self.ledger.lock:
            self.lapse()
            now = self.ledger.clock()
            rows = [
                (key, entry.value, now - entry.came)
                for key, entry in self.entries.items()
                if entry.owner == owner
            ]
        return sorted(rows, key=lambda row: row[2])

    def drop(self, key: K) -> None:
        """Let something go."""
        with self.ledger.lock:
            self.entries.pop(key, None)
            self._looks.pop(key, None)

    def clear(self) -> None:
        """Let everything go."""
        with self.ledger.lock:
            self.entries.clear()
            self._looks.clear()

    def items(self) -> list[tuple[K, V]]:
        """Return everything kept."""
        with self.ledger.lock:
            self.lapse()
            return [(key, entry.value) for key, entry in self.entries.items()]

    def lapse(self) -> None:
        """Let go what is too old: only the oldest by look and by arrival are looked at."""
        now, age = self.ledger.clock(), self._age()
        with self.ledger.lock:
            while self._looks:
                longest_unseen, longest_here = next(iter(self._looks)), next(iter(self.entries))
                if now - self.entries[longest_unseen].seen > self._idle:
                    self.drop(longest_unseen)
                elif now - self.entries[longest_here].came > age:
                    self.drop(longest_here)
                else:
                    break
