"""The data sets in use by everybody: built-in ones by name, uploads by an unguessable id."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cspca.datasets import BUILTIN, Dataset, DatasetError, load
from cspca.experiments.memory import Memory


class DatasetLibrary:
    """Keeps data sets for the whole process; uploads are bounded in number, bytes and age.

    An uploaded data set is reachable only through the id that :meth:`add` returned; nothing lists
    what is there.
    """

    def __init__(
        self,
        max_items: int = 32,
        max_bytes: int = 2 << 30,
        *,
        loader: Callable[[str], Dataset] = load,
        max_age: float = 24 * 3600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes, self._loader = max_bytes, loader
        self._loading = threading.Lock()
        self._uploads: Memory[str, Dataset] = Memory(
            max_items, max_bytes, max_age=max_age, size=lambda one: one.data.nbytes, clock=clock
        )
        self._builtin: dict[str, Dataset] = {}

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
        return key

    def get(self, key: str) -> Dataset:
        """Return the data set called `key`; a DatasetError says that there is none (any more)."""
        found = self._builtin.get(key) or self._uploads.get(key)
        if found is None and key in BUILTIN:
            # One at a time: two visitors of a fresh server must not render the faces twice.
            with self._loading:
                found = self._builtin.get(key) or self._loader(key)
                self._builtin[key] = found
        if found is None:
            raise DatasetError(
                "The data set of this link is not kept here any more: upload the file again."
            )
        return found

    def find(self, sha256: str) -> str | None:
        """Return the name or id of a data set at hand by the fingerprint of its content.

        For who may open every upload anyway: the owner of the server.
        """
        at_hand = [*self._uploads.items(), *self._builtin.items()]
        return next((key for key, one in at_hand if one.sha256 == sha256), None)

    def __contains__(self, key: object) -> bool:
        return key in BUILTIN or key in self._uploads

    @contextmanager
    def hold(self, key: str) -> Iterator[Dataset]:
        """Use a data set that must not go meanwhile."""
        with self._uploads.hold(key):
            yield self.get(key)
