"""What runs on a worker: it holds E, u and Y of its blocks from one task to the next.

They are kept beside Dask's own results, under the fit's token, and changed in place. A task that
does not find its block says so; whoever asked has it made again from the data.

A task that makes a block and another one that uses it leave it to Dask when each is run, and a
worker may make many blocks before it uses the first: more than it can hold, and then it is paused
for ever. So a block that is not persisted is made inside the very task that uses it.
"""

from __future__ import annotations

import copy
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from dask.array import Array
from dask.delayed import Delayed
from dask.local import get_sync
from dask.optimization import cull
from dask.utils import ensure_dict
from distributed import futures_of, get_worker

from cspca.proximal import FloatArray
from cspca.solvers.blocks import LossSide
from cspca.solvers.blocks_data import LocalBlocks, Preparation, PreparedRows, Total
from cspca.threads import blas_threads


@dataclass(frozen=True)
class Recipe:
    """The tasks that make one block, in the order in which Dask wants them."""

    graph: dict[Any, Any]
    key: Any

    def __call__(self) -> FloatArray:
        """Make the block, in this thread."""
        return np.asarray(get_sync(self.graph, self.key))


def recipes(X: Array, blocks: Sequence[Delayed]) -> list[Recipe] | None:
    """Recipes of blocks that can be made independently of one another.

    None where something of them is on the workers, or where they share work (a mean over all of
    them, say), which Dask does once in a pass.
    """
    if futures_of(X):
        return None
    found = []
    for block in blocks:
        graph, _ = cull(ensure_dict(block.dask), [block.key])
        found.append(Recipe(graph, block.key))
    uses = Counter(key for recipe in found for key in recipe.graph)
    shared = [key for key, count in uses.items() if count > 1]
    graphs = {key: value for recipe in found for key, value in recipe.graph.items()}
    # What all may have in common is data: the handle of a file, not a task.
    return None if any(hasattr(graphs[key], "func") for key in shared) else found


def made(block: FloatArray | Recipe) -> FloatArray:
    """A raw block as an array."""
    return block() if isinstance(block, Recipe) else np.asarray(block)


@dataclass
class Held:
    """The loss side of one block: after step `number`, scaled for `rho`."""

    loss: LossSide
    number: int
    rho: float
    change: FloatArray = field(default_factory=lambda: np.zeros(5))
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: float = field(default_factory=time.monotonic)

    def scaled(self, rho: float) -> LossSide:
        """The loss side, with u scaled for a ρ that has moved since."""
        self.loss.rescale(rho / self.rho)
        self.rho = rho
        return self.loss


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

    def lost(self) -> Total:
        """The answer of a worker that has nothing of it."""
        return Total(lost=[self.index])


def given(value: Any) -> Any:
    """What was sent with the task, to be fetched from here by the tasks that need it."""
    return value


def stack(*pieces: FloatArray) -> FloatArray:
    """An array that came in pieces."""
    return np.concatenate(pieces)


def _reading(rows: LossSide, block: FloatArray | Recipe) -> LossSide:
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
    rho: float,
    floor: float,
) -> Total:
    """Begin the block, or make it again, from its data and the current coefficients ``N = UᵀZ −
    I``.
    """
    with blas_threads():
        blocks = LocalBlocks(made(block), scratch=False)
        rows = LossSide(PreparedRows(blocks, prepare, U, outside), N.dtype)
        rows.begin(N, rho, floor)
        # From here on without the raw images: Dask decides where those are.
        rows = _reading(rows, np.empty((0, len(U))))
        place.keep(Held(rows, number, rho))
        home = {place.index: get_worker().address}
        return Total((rows.asks(), rows.alignment()), homes=home)


def step(
    place: Place, number: int, rho: float, relaxation: float, measure: bool, N: FloatArray
) -> Total:
    """Take step `number` unless it has been taken: asking twice does no harm."""
    held = place.find(number, before=1)
    if held is None or held.loss.dtype != N.dtype:
        return place.lost()
    with held.lock, blas_threads():
        rows = held.scaled(rho)
        if held.number < number:
            change = rows.step(N, rho, relaxation, measure=measure)
            held.change = np.zeros(5) if change is None else change
            held.number = number
        return Total((rows.asks(), held.change))


def promote(block: FloatArray | Recipe, place: Place, number: int) -> Total:
    """Go on in double precision; a block that is not there yet counts as lost."""
    held = place.find(number)
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        if held.loss.dtype != np.float64:
            away = held.loss.data
            rows = _reading(held.loss, block)
            rows.promote()
            rows.data = away
            held.loss = rows
        return Total((held.loss.asks(),))


def inspect(
    block: FloatArray | Recipe,
    place: Place,
    number: int,
    method: str,
    rho: float,
    *arguments: Any,
) -> Total:
    """What needs both the images and the multipliers: a certificate, or scores."""
    held = place.find(number)
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        rows = _reading(held.scaled(rho), block)
        if method == "check":
            errors, pull, lengths = rows.check(arguments[0], rho)
            assert rows.errors is not None
            return Total((errors, pull), lengths, [(place.index, rows.errors)])
        if method == "shifted":
            pull, lengths = rows.shifted(arguments[0] * rho, arguments[1])
            return Total((pull,), lengths)
        return Total(rows.exact_entries(rho))


def reproduced(place: Place, number: int) -> Total:
    """Which samples of the block are reproduced exactly."""
    held = place.find(number)
    return place.lost() if held is None else Total(parts=[(place.index, held.loss.reproduced())])


def forget(token: str) -> None:
    """Let go of all blocks of a fit."""
    _FORGOTTEN.append(token)
    for key in list(_HELD):
        if key[0] == token:
            _HELD.pop(key, None)
