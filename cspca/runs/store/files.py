"""Arrays as ``.npz`` files: whole or not there, named by what is in them."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.runs.store.errors import StoreError, telling

__all__ = ["Arrays", "Files", "write_whole"]

Arrays = Mapping[str, NDArray[Any]]
"""Arrays by name: the content of one file."""

HALF = ".half"
"""Suffix of files that are being written."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens, it is there whole or not at all.

    Parameters
    ----------
    path : Path
    content : bytes
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}{HALF}")
    try:
        with half.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class Files:
    """The ``.npz`` files of a store: of runs in ``arrays/``, of data sets in ``data/``.

    Parameters
    ----------
    home : Path
        The store's folder.
    """

    def __init__(self, home: Path) -> None:
        self.home = home

    def write(self, folder: str, arrays: Arrays) -> tuple[str, int]:
        """Write arrays and return the SHA-256 of the file, which is its name, and its size.

        Parameters
        ----------
        folder : str
            ``arrays/<run>`` or ``data``.
        arrays : mapping of str to ndarray

        Raises
        ------
        StoreError
            When there is no room, or the folder cannot be written.
        """
        memory = io.BytesIO()
        np.savez(memory, allow_pickle=False, **arrays)
        content = memory.getvalue()
        sha256 = hashlib.sha256(content).hexdigest()
        path = self.path(folder, sha256)
        with telling(self.home):
            write_whole(path, content)
        return sha256, len(content)

    def read(self, folder: str, sha256: str) -> dict[str, NDArray[Any]]:
        """Read arrays that :meth:`write` wrote; they can be trusted to be those.

        Raises
        ------
        StoreError
            When the file is missing or damaged.
        """
        path = self.path(folder, sha256)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise StoreError(
                f"A file of the store in {self.home} is missing: run `python -m cspca doctor "
                "--repair`, then resume the run."
            ) from None
        if hashlib.sha256(content).hexdigest() != sha256:
            raise StoreError(
                f"A file of the store in {self.home} is damaged: run `python -m cspca doctor "
                "--repair`, then resume the run."
            )
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as found:
                return {name: found[name] for name in found.files}
        except (ValueError, zipfile.BadZipFile) as error:
            raise StoreError(f"{path} is not a file of this store: {error}.") from error

    def copy(self, source: str, folder: str, sha256: str) -> None:
        """Have a file in another folder as well."""
        with telling(self.home):
            write_whole(self.path(folder, sha256), self.path(source, sha256).read_bytes())

    def path(self, folder: str, sha256: str) -> Path:
        """Where a file is."""
        return self.home / folder / f"{sha256}.npz"

    def sound(self, folder: str, sha256: str) -> bool | None:
        """Whether a file holds what it should; None when it is missing."""
        try:
            content = self.path(folder, sha256).read_bytes()
        except FileNotFoundError:
            return None
        return hashlib.sha256(content).hexdigest() == sha256

    def all(self) -> Iterator[Path]:
        """Every file in ``arrays`` and ``data``, half-written ones too."""
        for top in ("arrays", "data"):
            for path in sorted((self.home / top).rglob("*")):
                if path.is_file():
                    yield path

    def remove(self, folder: str) -> None:
        """Remove a folder of files, if it is there."""
        place = self.home / folder
        with telling(self.home):
            for path in place.glob("*"):
                path.unlink(missing_ok=True)
            if place.is_dir():
                place.rmdir()
