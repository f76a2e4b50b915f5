"""Fetching a remote data set: from the cache folder, else from its host, whole or not at all."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import numpy as np
from platformdirs import user_cache_path

from cspca.datasets.files.limits import Cancelled, Progress, ReadCancelledError, Watch
from cspca.datasets.recipe import Recipe
from cspca.datasets.record import Dataset, DatasetError
from cspca.datasets.remote.sets import REMOTE, Brought, RemoteSet

FOLDER_VARIABLE = "CSPCA_CACHE"
"""Environment variable that names another folder to keep fetched data sets in."""

_ROOT = Path(__file__).resolve().parents[3]
_WORKER = (sys.executable, "-P", "-m", "cspca.datasets.remote.worker")
_LOOK_EVERY = 0.1
_STAGING = "fetching-"
_DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
_locks: defaultdict[str, Lock] = defaultdict(Lock)


def fetch(
    name: str, *, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> Dataset:
    """Fetch a remote data set, or take it from the cache.

    It is kept in the folder that ``CSPCA_CACHE`` names, else in the user's own cache folder.
    ``CSPCA_MIRROR`` names a server to ask in place of the hosts, which gets their name as the first
    part of the path.

    Parameters
    ----------
    name : str
        A key of `REMOTE`.
    progress : callable, optional
        Called with a fraction from 0 to 1 and a few words.
    cancelled : callable, optional
        Asked often; True ends the fetching and leaves nothing behind.

    Raises
    ------
    DatasetError
        If there is no such data set, or its host cannot be reached or sends something else.
    """
    if name not in REMOTE:
        raise DatasetError(
            f"There is no remote data set called {name!r}: choose one of {', '.join(REMOTE)}."
        )
    remote = REMOTE[name]
    watch = Watch(remote.title, progress, cancelled, seconds=math.inf)
    kept = _kept_file(remote)
    lock = _locks[str(kept)]
    # Two who want the same set fetch it once; the second may still change their mind.
    while not lock.acquire(timeout=_LOOK_EVERY):
        watch.check()
    try:
        brought = _read(remote, kept) or _bring(remote, kept, watch)
    finally:
        lock.release()
    watch.tell(1.0, "Here")
    n, height, width = brought.images.shape
    data = np.clip(brought.images.reshape(n, -1).astype(np.float64), 0, 1)
    data.flags.writeable = False
    return Dataset(
        data=data,
        target=brought.target.astype(np.int64),
        image_shape=(height, width),
        target_names=tuple(brought.target_names),
        name=name,
        source=f"{remote.homepage}; {remote.citation}",
        licence=remote.licence,
        description=remote.description,
        recipe=Recipe("fetch", (name,)),
    )


def is_cached(name: str) -> bool:
    """Whether a remote data set is here already.

    Parameters
    ----------
    name : str
        A key of `REMOTE`.
    """
    return name in REMOTE and _kept_file(REMOTE[name]).is_file()


def cache_folder() -> Path:
    """Return the folder of fetched data sets, which need not exist yet: by default the user's."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_cache_path("cspca", opinion=False)


def _kept_file(remote: RemoteSet) -> Path:
    return cache_folder() / f"{remote.name}-{remote.version}.npz"


def _read(remote: RemoteSet, path: Path) -> Brought | None:
    """Return what a worker has written, nothing pickled; None, and no file, if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            brought = Brought(*(archive[part] for part in Brought._fields))
        if remote.accepts(brought):
            return brought
    except _DAMAGED:
        pass
    # It would only be found damaged each time.
    with suppress(OSError):
        path.unlink()
    return None


def _bring(remote: RemoteSet, kept: Path, watch: Watch) -> Brought:
    with _staging(remote, kept.parent) as place:
        watch.tell(0.0, f"Asking {remote.hosts[0]}")
        answer = _run(remote, Path(place), watch)
        watch.tell(0.95, "Checking")
        result = Path(place) / "result.npz"
        brought = None if answer else _read(remote, result)
        if brought is None:
            why = answer.get("why", f"what {remote.hosts[0]} sends is not the file that is known")
            raise DatasetError(
                f"{remote.title} could not be fetched, {why}: "
                f"{answer.get('do', 'try again later')}, or {remote.instead}."
            )
        watch.check()
        result.replace(kept)
    return brought


def _staging(remote: RemoteSet, folder: Path) -> TemporaryDirectory[str]:
    """Give a new empty folder beside the kept files; it is gone afterwards, whatever happens."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # What a server that was killed while fetching has left goes too.
        for old in folder.glob(f"{_STAGING}*"):
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > 24 * 3600:
                    shutil.rmtree(old, ignore_errors=True)
        return TemporaryDirectory(
            prefix=f"{_STAGING}{remote.name}-", dir=folder, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise DatasetError(
            f"{remote.title} cannot be kept in {folder} ({error.strerror}): set {FOLDER_VARIABLE} "
            "to a folder that can be written."
        ) from error


def _run(remote: RemoteSet, place: Path, watch: Watch) -> dict[str, str]:
    """Run the usual loader in a process: it can be stopped, and its progress seen on the disk."""
    path = os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH", "")]))
    until, here = time.monotonic() + 3600.0, 0
    with subprocess.Popen(
        [*_WORKER, remote.name, str(place)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
    ) as process:
        try:
            while process.poll() is None:
                if time.monotonic() > until:
                    return {"why": f"{remote.hosts[0]} does not answer"}
                # A file may be moved while it is looked at.
                with suppress(OSError):
                    here = sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
                share = min(1.0, here / remote.download_bytes)
                told = f"{here / 1e6:.1f} MB of {remote.download_size}"
                watch.tell(0.9 * share, told if share < 1 else "Unpacking")
                time.sleep(_LOOK_EVERY)
        except ReadCancelledError:
            raise ReadCancelledError(f"Fetching {remote.title} was cancelled.") from None
        finally:
            process.kill()
        output = process.communicate()[0]
    try:
        answer: dict[str, str] = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        return {"why": f"what {remote.hosts[0]} sends cannot be read"}
    return answer
