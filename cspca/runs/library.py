"""The data sets in use by everybody: built-in ones by name, uploads by an unguessable id."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cspca.datasets import BUILTIN, Dataset, DatasetError, load


class DatasetLibrary:
    """Keeps data sets in memory for the whole process, bounded in number, in size and in age.

    An uploaded data set is reachable only through the id that :meth:`add` returned; nothing lists
    what is there.

    Parameters
    ----------
    max_items : int, default=32
        Uploaded data sets kept.
    max_bytes : int, default=2 GiB
        Memory for their pixels.
    loader : callable, default=cspca.datasets.load
        How a built-in data set comes into being, by name.
    max_age : float, default=24 h
        Seconds without a look after which an uploaded data set goes.
    clock : callable, default=time.monotonic
        Where the time comes from.
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
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._loader = loader
        self._max_age = max_age
        self._clock = clock
        self._seen: dict[str, float] = {}
        self._lock = threading.RLock()
        self._loading = threading.Lock()
        self._uploads: OrderedDict[str, Dataset] = OrderedDict()
        self._builtin: dict[str, Dataset] = {}
        self._held: Counter[str] = Counter()

    def add(self, dataset: Dataset) -> str:
        """Keep `dataset` and return the id it is reachable by.

        Raises
        ------
        DatasetError
            When it is larger than the whole library.
        """
        size = dataset.data.nbytes
        if size > self._max_bytes:
            raise DatasetError(
                f"{dataset.name} takes {size / 2**20:.0f} MB of memory and at most "
                f"{self._max_bytes / 2**20:.0f} MB can be kept: use fewer or smaller "
                f"{dataset.nouns.samples}."
            )
        key = secrets.token_urlsafe(16)
        with self._lock:
            self._uploads[key] = dataset
            self._seen[key] = self._clock()
            self._evict(spare=key)
        return key

    def get(self, key: str) -> Dataset:
        """Return the data set called `key`, built-in or uploaded.

        Raises
        ------
        DatasetError
            When there is none (any more).
        """
        with self._lock:
            self._expire()
            found = self._builtin.get(key) or self._uploads.get(key)
            if key in self._uploads:
                self._uploads.move_to_end(key)
                self._seen[key] = self._clock()
        if found is None and key in BUILTIN:
            found = self._load(key)
        if found is None:
            raise DatasetError(
                "The data set of this link is not kept here any more: upload the file again."
            )
        return found

    def find(self, sha256: str) -> str | None:
        """Return the name or id of a data set at hand by the fingerprint of its content.

        For who may open every upload anyway, such as the one who sits at this machine.
        """
        with self._lock:
            at_hand = {**self._uploads, **self._builtin}
        return next((key for key, one in at_hand.items() if one.sha256 == sha256), None)

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in BUILTIN or key in self._uploads

    @contextmanager
    def hold(self, key: str) -> Iterator[Dataset]:
        """Use a data set that must not be evicted meanwhile."""
        dataset = self.get(key)
        with self._lock:
            self._held[key] += 1
        try:
            yield dataset
        finally:
            with self._lock:
                self._held[key] -= 1
                self._held += Counter()  # drops what is not held any more
                self._evict()

    def _load(self, name: str) -> Dataset:
        # A lock of its own: two visitors of a fresh server must not render the faces twice, and
        # those who use other data need not wait for it.
        with self._loading:
            with self._lock:
                found = self._builtin.get(name)
            if found is None:
                found = self._loader(name)
                with self._lock:
                    self._builtin[name] = found
        return found

    def _evict(self, spare: str | None = None) -> None:
        self._expire()
        free = [key for key in self._uploads if key != spare and not self._held[key]]
        for key in free:  # the least recently used first
            if len(self._uploads) <= self._max_items and self._size() <= self._max_bytes:
                return
            del self._uploads[key], self._seen[key]

    def _expire(self) -> None:
        now = self._clock()
        for key in list(self._uploads):
            if not self._held[key] and now - self._seen[key] > self._max_age:
                del self._uploads[key], self._seen[key]

    def _size(self) -> int:
        return sum(dataset.data.nbytes for dataset in self._uploads.values())
