"""Sets that have been read and not yet taken in use, and where they can be read again from."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cspca.datasets import (
    Dataset,
    DatasetError,
    Options,
    ReadChoices,
    Recognised,
    read_file,
    read_files,
    resized,
)
from cspca.datasets.files import FITS, Cancelled, Progress, Watch, sizes_below

MOST_BEFORE = 128 << 20
"""Bytes up to which the pictures are kept as they were before they were made smaller."""


@dataclass(frozen=True)
class Known:
    """A data set that came ready, in the words of `Recognised`.

    Attributes
    ----------
    dataset : Dataset
    used : ReadChoices
        Its size, and how it was brought to it.
    options : Options
        Other sizes.
    said, left_out : tuple of str
    """

    dataset: Dataset
    used: ReadChoices
    options: Options
    said: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """What can be read: files as they came, or a data set that is known already.

    Attributes
    ----------
    name : str
        What to call it.
    files : tuple of (name, content)
        Empty for a data set that is known.
    dataset : Dataset or None
    """

    name: str
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    dataset: Dataset | None = field(default=None, repr=False)

    @property
    def nbytes(self) -> int:
        """Memory for the files' bytes and the known pixels."""
        known = 0 if self.dataset is None else self.dataset.data.nbytes
        return known + sum(len(content) for _, content in self.files)

    def read(
        self, choices: ReadChoices, progress: Progress, cancelled: Cancelled
    ) -> Recognised | Known:
        """Read it by these choices.

        Parameters
        ----------
        choices : ReadChoices
        progress, cancelled : callable
            As for `cspca.datasets.read_files`.

        Raises
        ------
        DatasetError
            If it cannot be read, or the choices do not fit.
        """
        if self.dataset is not None:
            watch = Watch(self.name, progress, cancelled)
            return recognise_known(self.dataset, choices, watch)
        if len(self.files) == 1:
            name, content = self.files[0]
            return read_file(content, name, choices=choices, progress=progress, cancelled=cancelled)
        return read_files(
            self.files, self.name, choices=choices, progress=progress, cancelled=cancelled
        )


def recognise_known(dataset: Dataset, choices: ReadChoices, watch: Watch) -> Known:
    """Lay open what can still be chosen of a data set that came ready: its size.

    Parameters
    ----------
    dataset : Dataset
    choices : ReadChoices
        Of these, ``size`` and ``fit``.
    watch : Watch
    """
    watch.tell(0.1, "Making the pictures smaller")
    fit = choices.fit or "stretch"
    shape = dataset.image_shape
    result = dataset
    if shape is not None and choices.size is not None:
        result = resized(dataset, choices.size, fit=fit)
    watch.tell(1.0, "Read")
    return Known(
        dataset=result,
        used=ReadChoices(size=result.image_shape, fit=fit),
        options=Options() if shape is None else Options(sizes=sizes_below(shape), fits=FITS),
        said=(result.recognised.removesuffix("."),),
    )


@dataclass(frozen=True)
class Opened:
    """A set that has been read, and everything needed to read it otherwise.

    Attributes
    ----------
    source : Source
    choices : ReadChoices
        What the person has decided so far; the rest was guessed.
    recognised : Recognised or Known
    before : Dataset or None
        The pictures before they were made smaller.
    """

    source: Source
    choices: ReadChoices
    recognised: Recognised | Known
    before: Dataset | None = None

    @property
    def dataset(self) -> Dataset:
        """The set itself."""
        return self.recognised.dataset

    @property
    def nbytes(self) -> int:
        """Memory that goes when this one goes."""
        apart = self.before is not None and self.before is not self.source.dataset
        before = self.before.data.nbytes if self.before is not None and apart else 0
        own = 0 if self.dataset is self.source.dataset else self.dataset.data.nbytes
        return self.source.nbytes + own + before


def reopen(old: Opened, choices: ReadChoices, progress: Progress, cancelled: Cancelled) -> Opened:
    """Read a set again by other choices.

    Parameters
    ----------
    old : Opened
    choices : ReadChoices
        All that the person has decided, not only what is new.
    progress, cancelled : callable

    Raises
    ------
    DatasetError
        If the choices do not fit.
    """
    if isinstance(old.recognised, Known):
        known = old.source.read(choices, progress, cancelled)
        return Opened(
            old.source, choices, known, None if choices.size is None else old.source.dataset
        )
    new = old.recognised.again(choices, progress=progress, cancelled=cancelled)
    before = None
    if choices.size is not None and _but_for_size(choices) == _but_for_size(old.choices):
        before = old.dataset if old.choices.size is None else old.before
        if before is not None and before.data.nbytes > MOST_BEFORE:
            before = None
    return Opened(old.source, choices, new, before)


def _but_for_size(choices: ReadChoices) -> ReadChoices:
    return replace(choices, size=None, fit=None)


class Shelf:
    """Opened sets by unguessable id, bounded in number, in memory and in age.

    Parameters
    ----------
    max_items : int, default=16
    max_bytes : int, default=1 GiB
        The newest stays even when it is larger.
    max_age : float, default=3600.0
        Seconds without a look after which a set goes.
    clock : callable, default=time.monotonic
    """

    def __init__(
        self,
        max_items: int = 16,
        max_bytes: int = 1 << 30,
        *,
        max_age: float = 3600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._max_age = max_age
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, tuple[Opened, float]] = OrderedDict()

    def put(self, key: str, opened: Opened) -> None:
        """Keep a set under the id of the job that read it."""
        with self._lock:
            self._opened[key] = opened, self._clock()
            self._evict()

    def get(self, key: str | None) -> Opened | None:
        """Return a set, which also keeps it; None when there is none (any more)."""
        with self._lock:
            self._evict()
            if key is None or key not in self._opened:
                return None
            opened, _ = self._opened[key]
            self._opened[key] = opened, self._clock()
            self._opened.move_to_end(key)
            return opened

    def drop(self, key: str) -> None:
        """Let a set go."""
        with self._lock:
            self._opened.pop(key, None)

    def __len__(self) -> int:
        with self._lock:
            return len(self._opened)

    def _evict(self) -> None:
        now = self._clock()
        for key, (_, seen) in list(self._opened.items()):
            if now - seen > self._max_age:
                del self._opened[key]
        while len(self._opened) > 1 and (
            len(self._opened) > self._max_items or self._size() > self._max_bytes
        ):
            self._opened.popitem(last=False)

    def _size(self) -> int:
        return sum(opened.nbytes for opened, _ in self._opened.values())


def check_varies(dataset: Dataset, name: str) -> None:
    """Refuse what no fit could explain before it takes the place of what a visitor had.

    Parameters
    ----------
    dataset : Dataset
    name : str
        Of the file, for the sentence.

    Raises
    ------
    DatasetError
        If there is one image only, or all are the same.
    """
    if dataset.n_samples < 2:
        raise DatasetError(
            f"{name} holds one {dataset.nouns.sample} only: choose a file with several that differ."
        )
    # One at a time, up to the first that differs: no second copy of a large set.
    first = dataset.data[0]
    if all((row == first).all() for row in dataset.data[1:]):
        raise DatasetError(
            f"{name}: all {dataset.nouns.count_samples(dataset.n_samples)} are the same, so there "
            f"is nothing to explain: choose a file with {dataset.nouns.samples} that differ."
        )
