"""What all visitors and threads of a server share: data sets, and what is made of them once."""

from __future__ import annotations

import copy
import math
import secrets
from collections.abc import Callable, Hashable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from cspca.datasets import BUILTIN, Dataset, DatasetError, load
from cspca.experiments.apart import Apart
from cspca.experiments.cost import LONG, reduction_by_size
from cspca.experiments.ledger import LEDGER, PUBLIC, UNOWNED, Ledger, Memory
from cspca.experiments.limits import limits
from cspca.experiments.log import hashed

if TYPE_CHECKING:
    from cspca.problem import ReducedData

V = TypeVar("V")
P = ParamSpec("P")


def upload_age() -> float:
    """Seconds for which what somebody brings is kept."""
    return 3600 * limits().upload_hours


_OWNERS: WeakKeyDictionary[Dataset, str] = WeakKeyDictionary()


def owner_of(data: Dataset) -> str:
    """Owner of a data set and of what is made of it.

    A data set that was never given an owner is :data:`UNOWNED`, not everybody's: what is made of
    it goes whenever somebody removes their data.
    """
    return _OWNERS.get(data, UNOWNED)


def owned(data: Dataset, owner: str) -> Dataset:
    """Return a data set as the owner's: a copy of what belongs to somebody else."""
    if _OWNERS.get(data, owner) != owner:
        data = copy.copy(data)
    _OWNERS[data] = owner
    return data


class DatasetLibrary:
    """Keeps data sets for the whole process: built-in ones, and each visitor's own for a while.

    An uploaded data set is reachable through the id that :meth:`add` returned; :meth:`sets_of`
    lists those of one visitor, for that visitor alone.
    """

    def __init__(self, ledger: Ledger = LEDGER) -> None:
        self._uploads: Memory[str, Dataset] = Memory(
            ledger, brought=True, idle=math.inf, age=upload_age
        )
        self._builtin: Memory[str, Dataset] = Memory(ledger, idle=math.inf)

    def add(self, dataset: Dataset, owner: str = "") -> str:
        """Keep what a visitor of this secret has brought, and return its id.

        A FullError says that it is larger than the room there is.
        """
        key, owner_hash = secrets.token_urlsafe(16), hashed(owner)
        self._uploads.put(key, owned(dataset, owner_hash), owner_hash, dataset.name)
        return key

    def get(self, key: str) -> Dataset:
        """Return the data set called `key`; a DatasetError says that there is none (any more)."""
        if key in BUILTIN:
            return self._builtin.get_or_make(key, lambda: owned(load(key), PUBLIC), PUBLIC)
        upload = self._uploads.get(key)
        if upload is None:
            raise DatasetError(
                "The data set of this link is not kept here any more: upload the file again."
            )
        return upload

    def owner(self, key: str) -> str:
        """Whose the data set of this key is, and what is made of it."""
        upload = self._uploads.get(key)
        return PUBLIC if upload is None else owner_of(upload)

    def sets_of(self, owner: str) -> list[tuple[str, Dataset, float]]:
        """Id, data set and age in seconds of all that a visitor has brought, the newest first."""
        return self._uploads.owned_by(hashed(owner))

    def find(self, sha256: str, owner: str | None = None) -> str | None:
        """Name or id of a data set by its fingerprint: a visitor's own, or anybody's (None)."""
        at_hand = [*self._uploads.items(), *self._builtin.items()]
        owners = (PUBLIC, hashed(owner or ""))
        return next(
            (
                key
                for key, dataset in at_hand
                if dataset.sha256 == sha256 and (owner is None or owner_of(dataset) in owners)
            ),
            None,
        )

    def __contains__(self, key: object) -> bool:
        return key in BUILTIN or self._uploads.get(cast(str, key)) is not None


# -- what is made of them --------------------------------------------------------------------------

ONCE: Memory[Hashable, Any] = Memory()
"""Things that are made once, such as the reduction of a data set."""


def once(
    data: Dataset, make: Callable[[], V], *of: Hashable, stop: Callable[[], bool] = lambda: False
) -> V:
    """Make something of a data set, known as `of`; all fits and pages of its owner share it."""
    owner = owner_of(data)
    return cast(V, ONCE.get_or_make((owner, data.sha256, *of), make, owner, stop))


def of_data(
    function: Callable[Concatenate[Dataset, P], V],
) -> Callable[Concatenate[Dataset, P], V]:
    """Wrap what makes something of a data set, by other arguments: it is made once.

    Sets of the same numbers under other names do not share it.
    """

    @wraps(function)
    def known(data: Dataset, /, *arguments: P.args, **named: P.kwargs) -> V:
        of = function.__module__, function.__qualname__, *arguments, *sorted(named.items())
        make = partial(function, data, *arguments, **named)
        return once(data, make, data.names_sha256, *of)

    return known


def reduction(
    data: Dataset, center: bool, normalize: bool, stop: Callable[[], bool] | None = None
) -> ReducedData:
    """The reduction of the samples, prepared so: all fits of a data set share it.

    What takes long is made in a process of its own where it is to `stop` when that says so, with
    :class:`Stopped`.
    """
    from cspca.preprocessing import reduced

    parts = data.data, center, normalize

    def make() -> ReducedData:
        # Before the work, not after: the samples, a basis of their rows, and how they lie in it.
        n, d = data.data.shape
        size = 8 * (n * d + (n + d) * min(n, d))
        LEDGER.make_room(owner_of(data), {0: size}, f"What fits of {data.name} share")
        if stop is None or reduction_by_size(data) < LONG:
            return reduced(*parts)
        with Apart() as apart:
            return apart(stop, reduced, *parts)

    return once(data, make, "reduced", center, normalize, stop=stop or (lambda: False))


def is_reduced(data: Dataset, center: bool, normalize: bool) -> bool:
    """Whether the reduction is at hand."""
    return ONCE.get((owner_of(data), data.sha256, "reduced", center, normalize)) is not None
