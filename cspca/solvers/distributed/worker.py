"""What runs on a worker: it holds E, u and Y of its blocks from one task to the next.

They are kept beside Dask's own results, under the fit's token, and changed in place. A task that
does not find its block says so; whoever asked has it made again from the data.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from distributed import get_worker

from cspca.proximal import FloatArray
from cspca.solvers.blocks import Change, LossRows
from cspca.solvers.blocks_data import Preparation
from cspca.solvers.blocks_local import LocalBlocks, PreparedRows
from cspca.solvers.distributed.answer import Answer
from cspca.threads import blas_threads


@dataclass
class Held:
    """The loss side of one block: after step `number`, scaled for `penalty`."""

    rows: LossRows
    number: int
    penalty: float
    change: Change | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


_HELD: dict[tuple[str, int], Held] = {}


@dataclass(frozen=True)
class Place:
    """Which block of which fit.

    Attributes
    ----------
    token : str
    index : int
    outside : ndarray
        Squared norms of what lies outside the basis, of the block's samples.
    """

    token: str
    index: int
    outside: FloatArray

    def find(self) -> Held | None:
        """What this worker holds of it."""
        return _HELD.get((self.token, self.index))

    def lost(self) -> Answer:
        """The answer of a worker that has nothing of it."""
        return Answer(lost=[self.index])


def _with_data(
    block: FloatArray, place: Place, prepare: Preparation, U: FloatArray
) -> PreparedRows:
    return PreparedRows(LocalBlocks(block, scratch=False), prepare, U, place.outside)


def apply(block: FloatArray, function: Callable[..., Any], *arguments: Any) -> Any:
    """``function(block, *arguments)`` with the BLAS threads of a fit.

    Parameters
    ----------
    block : ndarray
    function : callable
    *arguments : object

    Returns
    -------
    object
    """
    with blas_threads():
        return function(np.asarray(block), *arguments)


def hold(
    block: FloatArray,
    place: Place,
    prepare: Preparation,
    U: FloatArray,
    N: FloatArray,
    number: int,
    penalty: float,
    floor: float,
) -> Answer:
    """Begin the block, or make it again, from its data and the current coefficients.

    Parameters
    ----------
    block : ndarray of shape (m, n_features)
    place : Place
    prepare : Preparation
    U : ndarray of shape (n_features, rank)
    N : ndarray of shape (rank, rank) or (rank,)
        ``UᵀZ − I``, in the precision of the iterations.
    number : int
        Steps that have been done.
    penalty, floor : float
        As in :meth:`cspca.solvers.blocks.LossRows.begin`.

    Returns
    -------
    Answer
        With ``Yᵀ(E − u)`` and the alignment as sums.
    """
    with blas_threads():
        rows = LossRows(_with_data(np.asarray(block), place, prepare, U), N.dtype)
        rows.begin(N, penalty, floor)
        # From here on without the raw images: Dask decides where those are.
        rows = rows.reading(_with_data(np.empty((0, len(U))), place, prepare, U))
        _HELD[place.token, place.index] = Held(rows, number, penalty)
        home = {place.index: get_worker().address}
        return Answer((rows.pull(), rows.alignment()), homes=home)


def step(
    place: Place, N: FloatArray, number: int, penalty: float, relaxation: float, measure: bool
) -> Answer:
    """Take step `number` unless it has been taken: asking twice does no harm.

    Parameters
    ----------
    place : Place
    N : ndarray of shape (rank, rank)
    number : int
    penalty, relaxation : float
    measure : bool
        As in :meth:`cspca.solvers.blocks.LossRows.step`.

    Returns
    -------
    Answer
        With ``Yᵀ(E − u)`` and the change, if measured, as sums.
    """
    held = place.find()
    if held is None or not number - 1 <= held.number <= number or held.rows.dtype != N.dtype:
        return place.lost()
    with held.lock, blas_threads():
        held.rows.rescale(penalty / held.penalty)
        held.penalty = penalty
        if held.number < number:
            held.change = held.rows.step(N, penalty, relaxation, measure=measure)
            held.number = number
        return Answer((held.rows.pull(), held.change or Change()))


def promote(block: FloatArray, place: Place, prepare: Preparation, U: FloatArray) -> Answer:
    """Go on in double precision.

    Parameters
    ----------
    block : ndarray of shape (m, n_features)
    place : Place
    prepare : Preparation
    U : ndarray of shape (n_features, rank)

    Returns
    -------
    Answer
        With ``Yᵀ(E − u)`` as the sum.
    """
    held = place.find()
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        if held.rows.dtype != np.float64:
            away = held.rows.data
            rows = held.rows.reading(_with_data(np.asarray(block), place, prepare, U))
            rows.promote()
            held.rows = rows.reading(away)
        return Answer((held.rows.pull(),))


def inspect(
    block: FloatArray,
    place: Place,
    prepare: Preparation,
    U: FloatArray,
    method: str,
    penalty: float,
    *arguments: Any,
) -> Answer:
    """What needs both the images and the multipliers: a certificate, or scores.

    Parameters
    ----------
    block : ndarray of shape (m, n_features)
    place : Place
    prepare : Preparation
    U : ndarray of shape (n_features, rank)
    method : {"check", "shifted", "entries"}
        Of :class:`cspca.solvers.blocks.LossRows`.
    penalty : float
    *arguments : object

    Returns
    -------
    Answer
    """
    held = place.find()
    if held is None:
        return place.lost()
    with held.lock, blas_threads():
        held.rows.rescale(penalty / held.penalty)
        held.penalty = penalty
        rows = held.rows.reading(_with_data(np.asarray(block), place, prepare, U))
        if method == "check":
            errors, pull, largest = rows.check(arguments[0], penalty)
            return Answer((errors, pull), largest)
        if method == "shifted":
            pull, largest = rows.shifted(arguments[0] * penalty, arguments[1])
            return Answer((pull,), largest)
        return Answer(rows.entries(penalty))


def reproduced(place: Place) -> Answer:
    """Which samples of the block are reproduced exactly.

    Parameters
    ----------
    place : Place

    Returns
    -------
    Answer
    """
    held = place.find()
    return place.lost() if held is None else Answer(rows={place.index: held.rows.reproduced()})


def forget(token: str) -> None:
    """Let go of all blocks of a fit.

    Parameters
    ----------
    token : str
    """
    for key in [key for key in _HELD if key[0] == token]:
        del _HELD[key]
