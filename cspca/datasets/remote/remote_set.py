"""What there is to know of a remote data set before it is fetched, and how to check it after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.record import DatasetError


@dataclass(frozen=True)
class Brought:
    """Pictures (n, height, width) in [0, 1] and labels, as they come from a loader."""

    images: NDArray[Any]
    target: NDArray[np.integer[Any]]
    target_names: tuple[str, ...]

    def save(self, path: Path) -> None:
        """Write to a file, in single precision."""
        np.savez_compressed(
            path,
            images=np.asarray(self.images, dtype=np.float32),
            target=np.asarray(self.target, dtype=np.int64),
            target_names=np.array(self.target_names, dtype=str),
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; nothing pickled is opened."""
        with np.load(path, allow_pickle=False) as archive:
            names = tuple(str(name) for name in archive["target_names"])
            return cls(archive["images"], archive["target"], names)


@dataclass(frozen=True)
class RemoteSet:
    """One remote data set: how it is fetched, on what terms, and what must come of it."""

    name: str
    title: str
    description: str
    bring: Callable[[Path], Brought]  # into a folder, in a process of its own
    shape: tuple[int, int, int]
    n_classes: int
    download_bytes: int  # about: the scale of the progress bar
    size: str  # of what comes of it, in words
    licence: str
    citation: str
    homepage: str
    hosts: tuple[str, ...]
    instead: str  # what to do when they cannot be reached, completing “…, or ”
    version: int = 1  # raised when something else is made of the download: it is fetched anew

    @property
    def download_size(self) -> str:
        """About how much is fetched, in words."""
        return f"about {self.download_bytes / 1e6:.0f} MB"

    def check(self, brought: Brought) -> None:
        """Make sure that it is what it should be: number, size, classes and range."""
        images, target = brought.images, brought.target
        right = (
            images.shape == self.shape
            and images.dtype.kind in "fu"
            and target.shape == self.shape[:1]
            and target.dtype.kind in "iu"
            and len(brought.target_names) == self.n_classes
            and np.array_equal(np.unique(target), np.arange(self.n_classes))
            and bool(np.isfinite(images).all())
            and 0 <= float(images.min()) < 0.25 < 0.5 < float(images.max()) <= 1
        )
        if not right:
            raise DatasetError(
                f"What came for {self.title} is not what is known by that name, and was thrown "
                f"away: try again later, or {self.instead}."
            )
