"""Memory of the fitting service: bounded, shared by all visitors, keyed by content."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np

from cspca.runs.records import FitResult, FitSpec

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def memory_of(thing: object) -> int:
    """Bytes of the distinct arrays that `thing` holds, itself or in what it is made of."""
    seen: set[int] = set()

    def visit(item: object, depth: int) -> int:
        if id(item) in seen or depth > 6:
            return 0
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            return item.nbytes
        if isinstance(item, dict):
            return sum(visit(value, depth + 1) for value in item.values())
        if isinstance(item, (list, tuple)):
            return sum(visit(value, depth + 1) for value in item)
        return visit(vars(item), depth + 1) if hasattr(item, "__dict__") else 0

    return visit(thing, 0)


class Memory(Generic[K, V]):
    """Least-recently-used memory, bounded in number and in bytes, for use from many threads.

    Parameters
    ----------
    max_items : int
    max_bytes : int
        The newest entry stays even when it is larger than this.
    """

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._lock = threading.RLock()
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._making: dict[K, threading.Lock] = {}

    def get(self, key: K) -> V | None:
        """Return what is kept under `key`, or None."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: K, value: V) -> None:
        """Keep `value` under `key` and let the oldest go where there is no more room."""
        size = memory_of(value)
        with self._lock:
            self._entries[key] = (value, size)
            self._entries.move_to_end(key)
            while len(self._entries) > 1 and (
                len(self._entries) > self._max_items
                or sum(size for _, size in self._entries.values()) > self._max_bytes
            ):
                self._entries.popitem(last=False)

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return what is kept under `key`; make it once, however many ask at the same time."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            found = self.get(key)
            if found is None:
                found = make()
                self.put(key, found)
        with self._lock:
            self._making.pop(key, None)
        return found

    def values(self) -> list[V]:
        """Return everything kept, the least recently used first."""
        with self._lock:
            return [value for value, _ in self._entries.values()]


class FitMemory:
    """Fits that were made: the same one again at once, or the nearest one to start from.

    Parameters
    ----------
    max_items : int, default=48
    max_bytes : int, default=768 MiB
    """

    def __init__(self, max_items: int = 48, max_bytes: int = 768 << 20) -> None:
        self._memory: Memory[FitSpec, FitResult] = Memory(max_items, max_bytes)

    def put(self, result: FitResult) -> None:
        """Keep a result; one that was stopped serves to start from only."""
        self._memory.put(result.spec if result.complete else result.spec.loose, result)

    def complete(self, spec: FitSpec) -> FitResult | None:
        """Return the finished fit of exactly this spec."""
        return self._memory.get(spec)

    def nearest(self, spec: FitSpec) -> FitResult | None:
        """Return the certified solver's fit of the same data whose penalties are closest.

        Distances are in factors: a fit at twice the penalty is as near as one at half of it. From
        farther than :data:`NEAR` a cold start is as quick, and a fit that owes nothing to another
        is repeated to the last digit by its own lines of Python; only the search for a number of
        pixels begins from wherever there is something.
        """
        same = [
            result
            for result in self._memory.values()
            if (result.spec.sha256, result.spec.center, result.spec.normalize)
            == (spec.sha256, spec.center, spec.normalize)
            and result.spec.solver != "reweighted"
            and result.model.alpha_max_ > 0
        ]
        if not same:
            return None
        # The last of the equally near: the one that was used most recently.
        found = min(reversed(same), key=lambda result: _distance(result, spec))
        return found if spec.keep is not None or _distance(found, spec) <= NEAR else None


NEAR = math.log(1.3)
"""Sum of the absolute logarithms of the penalties' ratios, up to which a warm start may pay: a step
of a slider and a little more. The solver says whether it does."""


def _distance(result: FitResult, spec: FitSpec) -> float:
    """How far apart the penalties are, as the sum of absolute logarithms of their ratios."""
    model = result.model
    scale = (model.alpha_max_, model.beta_max_) if spec.penalty_scale == "relative" else (1.0, 1.0)
    beta = _log_ratio(model.beta_, spec.beta * scale[1])
    if spec.keep is not None:
        return beta + _log_ratio(result.n_kept, spec.keep)
    return beta + _log_ratio(model.alpha_, spec.alpha * scale[0])


def _log_ratio(first: float, second: float) -> float:
    tiny = 1e-12
    return abs(math.log((first + tiny) / (second + tiny)))
