"""The folder where fetched data sets are kept: whole ones only."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from cspca.datasets.record import DatasetError
from cspca.datasets.remote.remote_set import Brought, RemoteSet

FOLDER_VARIABLE = "CSPCA_CACHE"
"""Environment variable that names another folder."""

_STAGING = "fetching-"
_STALE_SECONDS = 24 * 3600


def cache_folder() -> Path:
    r"""Return the folder of fetched data sets; it need not exist yet.

    ``CSPCA_CACHE`` where that is set, else the user's own cache folder: ``~/.cache/cspca``
    (``XDG_CACHE_HOME``), ``~/Library/Caches/cspca`` on macOS, ``%LOCALAPPDATA%\cspca`` on Windows.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "cspca"


def kept_file(remote: RemoteSet, folder: Path) -> Path:
    """Where a data set is kept once it is whole.

    Parameters
    ----------
    remote : RemoteSet
    folder : Path
    """
    return folder / f"{remote.name}-{remote.version}.npz"


def read_kept(remote: RemoteSet, folder: Path) -> Brought | None:
    """Return the kept copy; None if there is none, or it is damaged.

    Parameters
    ----------
    remote : RemoteSet
    folder : Path
    """
    path = kept_file(remote, folder)
    if not path.is_file():
        return None
    try:
        brought = load(path)
        remote.check(brought)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        # It is fetched again; a damaged copy would only be found damaged each time.
        with suppress(OSError):
            path.unlink()
        return None
    return brought


def save(brought: Brought, path: Path) -> None:
    """Write to a file, in single precision.

    Parameters
    ----------
    brought : Brought
    path : Path
    """
    np.savez_compressed(
        path,
        images=np.asarray(brought.images, dtype=np.float32),
        target=np.asarray(brought.target, dtype=np.int64),
        target_names=np.array(brought.target_names, dtype=str),
    )


def load(path: Path) -> Brought:
    """Read what `save` wrote; nothing pickled is opened.

    Parameters
    ----------
    path : Path
    """
    with np.load(path, allow_pickle=False) as archive:
        return Brought(
            images=archive["images"],
            target=archive["target"],
            target_names=tuple(str(name) for name in archive["target_names"]),
        )


@contextmanager
def staging(remote: RemoteSet, folder: Path) -> Iterator[Path]:
    """Give a new empty folder beside the kept files; it is gone afterwards, whatever happens.

    Parameters
    ----------
    remote : RemoteSet
    folder : Path

    Raises
    ------
    DatasetError
        If nothing can be written there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        place = Path(tempfile.mkdtemp(prefix=f"{_STAGING}{remote.name}-", dir=folder))
    except OSError as error:
        raise DatasetError(
            f"{remote.title} cannot be kept in {folder} ({error.strerror}): set {FOLDER_VARIABLE} "
            "to a folder that can be written."
        ) from error
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def keep(place: Path, remote: RemoteSet, folder: Path) -> None:
    """Move a whole file into its place, in one step.

    Parameters
    ----------
    place : Path
        The file, on the same disk.
    remote : RemoteSet
    folder : Path
    """
    os.replace(place, kept_file(remote, folder))


def _sweep(folder: Path) -> None:
    """Remove what a server that was killed while fetching has left."""
    for old in folder.glob(f"{_STAGING}*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
