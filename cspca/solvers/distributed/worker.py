"""What runs on a worker: it holds E, u and Y of its blocks from one task to the next.

They are kept beside Dask's own results, under the fit's token, and changed in place. A task that
does not find its block says so; whoever asked has it made again from the data.
"""

from __future__ import annotations

import copy
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from distributed import get_worker

from cspca.proximal import FloatArray
from cspca.solvers.blocks import LossRows, Squares
from cspca.solvers.blocks_data import LocalBlocks, Preparation, PreparedRows
from cspca.solvers.distributed.answer import Answer
from cspca.solvers.distributed.recipes import Recipe, made
from cspca.threads import blas_threads


@dataclass
class Held:
    """The loss side of one block: after step `number`, scaled for `penalty`."""

    rows: LossRows
    number: int
    penalty: float
    change: Squares | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: float = field(default_factory=time.monotonic)

    def scaled(self, penalty: float) -> LossRows:
        """The rows, with u scaled for a penalty that has moved since."""
        self.rows.rescale(penalty / self.penalty)
        self.penalty = penalty
        return self.rows


_HELD: dict[tuple[str, int], Held] = {}

_FORGOTTEN: deque[str] = deque(maxlen=1000)
"""Fits that are done with: a task of theirs that ends after that must not leave its block here."""

_ABANDONED = 6 * 3600.0
"""Seconds after which a block that nobody asks for is let go of: whoever fitted is no more, or
will have it made again."""


@dataclass(frozen=True)
class Place:
    """Which block of which fit."""

    token: str
    index: int

    def find(self, number: int, before: int = 0) -> Held | None:
        """What this worker holds of it, if that is after step `number`, or so many before it."""
        held = _HELD.get((self.token, self.index))
        if held is None or not number - before <= held.number <= number:
            return None
        held.asked = time.monotonic()
        return held

    def keep(self, held: Held) -> None:
        """Hold it from here on."""
        for key, other in list(_HELD.items()):
            if other.asked < time.monotonic() - _ABANDONED:
                _HELD.pop(key, None)
        _HELD[self.token, self.index] = held
        if self.token in _FORGOTTEN:
            forget(self.token)

    def lost(self) -> Answer:
        """The answer of a worker that has nothing of it."""
        return Answer(lost=[self.index])


def given(value: Any) -> Any:
    """What was sent with the task, to be fetched from here by the tasks that need it."""
    return value


def stack(*pieces: FloatArray) -> FloatArray:
    """An array that came in pieces."""
    return np.concatenate(pieces)


def _reading(rows: LossRows, block: FloatArray | Recipe) -> LossRows:
    """The same rows, with their images read from `block`."""
    data = rows.data
    assert isinstance(data, PreparedRows)
    new = copy.copy(rows)
    new.data = replace(data, blocks=LocalBlocks(made(block), scratch=False))
    return new


def apply(block: FloatArray | Recipe, function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(block, *arguments)`` with the BLAS threads of a fit."""
    with blas_threads():
        return function(made(block), *arguments)


def hold(
    block: FloatArray | Recipe,
    place: Place,
    outside: FloatArray,
    prepare: Preparation,
    U: FloatArray,
    N: FloatArray,
    number: int,
    penalty: float,
    floor: float,
) -> Answer:
    """Begin the block, or make it again, from its data and the current coefficients ``N = UᵀZ −
    I``.
    """
    with blas_threads():
        blocks = LocalBlocks(made(block), scratch=False)
        rows = LossRows(PreparedRows(blocks, prepare, U, outside), N.dtype)
        rows.begin(N, penalty, floor)
        # From here on without the raw images: Dask decides where those are.
        rows = _reading(rows, np.empty((0, len(U))))
        place.keep(Held(rows, number, penalty))
        home = {place.index: get_worker().address}
        return Answer((rows.pull(), rows.alignment()), homes=home)


def step(
    place: Place, number: int, penalty: float, relaxation: float, measure: bool, N: FloatArray
) -> Answer:
    """Take step `number` unless it has been taken: asking twice does no harm."""
    held = place.find(number, before=1)
    if held is None or held.rows.dtype != N.dtype:
        return place.lost()
    with held.lock, blas_threads():
        rows = held.scaled(penalty)
        if held.number < number:
            held.change = rows.step(N, penalty, relaxation, measure=measure)
            held.number = number
        change = np.zeros(5) if held.change is None else held.change
        return Answer((rows.pull(), change))


def promote(block: FloatArray | Recipe, place: Place, number: int) -> Answer:
    """Go on in double precision; a block that is not there yet counts as lost."""
    held = place.find(number)
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        if held.rows.dtype != np.float64:
            away = held.rows.data
            rows = _reading(held.rows, block)
            rows.promote()
            rows.data = away
            held.rows = rows
        return Answer((held.rows.pull(),))


def inspect(
    block: FloatArray | Recipe,
    place: Place,
    number: int,
    method: str,
    penalty: float,
    *arguments: Any,
) -> Answer:
    """What needs both the images and the multipliers: a certificate, or scores."""
    held = place.find(number)
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        rows = _reading(held.scaled(penalty), block)
        if method == "check":
            errors, pull, largest = rows.check(arguments[0], penalty)
            assert rows.errors is not None
            return Answer((errors, pull), largest, rows={place.index: rows.errors})
        if method == "shifted":
            pull, largest = rows.shifted(arguments[0] * penalty, arguments[1])
            return Answer((pull,), largest)
        entries = rows.entries if method == "entries" else rows.exact_entries
        return Answer(entries(penalty))


def reproduced(place: Place, number: int) -> Answer:
    """Which samples of the block are reproduced exactly."""
    held = place.find(number)
    return place.lost() if held is None else Answer(rows={place.index: held.rows.reproduced()})


def forget(token: str) -> None:
    """Let go of all blocks of a fit."""
    _FORGOTTEN.append(token)
    for key in list(_HELD):
        if key[0] == token:
            _HELD.pop(key, None)
