"""The data sets in use by everybody: built-in ones by name, uploads by an unguessable id."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from cspca.datasets import BUILTIN, Dataset, DatasetError, load
from cspca.experiments.memory import Memory


class DatasetLibrary:
    """Keeps data sets for the whole process; uploads are bounded in number, bytes and age.

    An uploaded data set is reachable only through the id that :meth:`add` returned; nothing lists
    what is there.
    """

    def __init__(
        self, max_items: int = 32, max_bytes: int = 2 << 30, max_age: float = 24 * 3600.0
    ) -> None:
        self._max_bytes = max_bytes
        self._uploads: Memory[str, Dataset] = Memory(max_items, max_bytes, max_age)
        self._builtin: Memory[str, Dataset] = Memory(len(BUILTIN), max_bytes)

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
        if key in BUILTIN:
            return self._builtin.get_or_make(key, lambda: load(key))
        found = self._uploads.get(key)
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
