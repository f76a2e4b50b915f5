"""Data sets that others keep: from the cache folder, else from their hosts, whole or not at all.

Loaders run in a process of their own, and can be stopped by ending it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import os
import shutil
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import numpy as np
from platformdirs import user_cache_path

from cspca.datasets.files.door import Child
from cspca.datasets.files.limits import Cancelled, Progress, ReadCancelledError, Watch
from cspca.datasets.record import Dataset, DatasetError, Recipe
from cspca.datasets.remote_sets import REMOTE, Brought, RemoteSet

MIRROR_VARIABLE = "CSPCA_MIRROR"
"""Environment variable that names a server to ask in place of the real hosts."""

_WORKER = "from cspca.datasets.remote import main; main()"
_LOOK_EVERY = 0.1
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
    chosen = os.environ.get("CSPCA_CACHE")
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
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
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
        for old in folder.glob("fetching-*"):
            with suppress(OSError):
                if time.time() - old.stat().st_mtime > 24 * 3600:
                    shutil.rmtree(old, ignore_errors=True)
        return TemporaryDirectory(
            prefix=f"fetching-{remote.name}-", dir=folder, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise DatasetError(
            f"{remote.title} cannot be kept in {folder} ({error.strerror}): set CSPCA_CACHE "
            "to a folder that can be written."
        ) from error


def _run(remote: RemoteSet, place: Path, watch: Watch) -> dict[str, str]:
    """Run the usual loader in a process: it can be stopped, and its progress seen on the disk."""
    until, here = time.monotonic() + 3600.0, 0
    process = Child(_WORKER, remote.name, str(place))
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
        output = process.communicate()[0]
    except ReadCancelledError:
        raise ReadCancelledError(f"Fetching {remote.title} was cancelled.") from None
    finally:
        process.close()
    try:
        answer: dict[str, str] = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        return {"why": f"what {remote.hosts[0]} sends cannot be read"}
    return answer


# The process that fetches


class Mirror(urllib.request.BaseHandler):
    """Asks one server in place of all others, with their name as the first part of the path."""

    handler_order = 100  # before the handlers that write the headers

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        """Send the request to the mirror."""
        if not request.full_url.startswith(f"{self._address}/"):
            host_and_path = request.full_url.partition(":/")[2]
            request.full_url = f"{self._address}{host_and_path}"
        return request

    https_request = http_request


def run(name: str, place: Path) -> dict[str, str]:
    """Fetch into ``place``; say why that failed and what to do, if it did."""
    socket.setdefaulttimeout(30)
    mirror = os.environ.get(MIRROR_VARIABLE)
    if mirror:
        urllib.request.install_opener(urllib.request.build_opener(Mirror(mirror)))
    raw = place / "raw"
    raw.mkdir()
    try:
        images, target, names = REMOTE[name].bring(raw)
        np.savez_compressed(
            place / "result.npz",
            images=np.asarray(images, dtype=np.float32),
            target=np.asarray(target, dtype=np.int64),
            target_names=names,
        )
    # Loaders raise anything on a file that is not what they expect.
    except Exception as error:  # noqa: BLE001
        return _reason(error, REMOTE[name].hosts[0])
    return {}


def _reason(error: Exception, host: str) -> dict[str, str]:
    if isinstance(error, urllib.error.HTTPError):
        asked = urllib.parse.urlparse(error.url or "").netloc or host
        return {"why": f"{asked} answers error {error.code}"}
    reason = getattr(error, "reason", None)
    cut = isinstance(error, urllib.error.ContentTooShortError) or isinstance(reason, TimeoutError)
    if isinstance(error, urllib.error.URLError) and not cut:
        do = "connect this computer to the internet and try again"
        return {"why": f"{host} cannot be reached", "do": do}
    if cut or isinstance(error, TimeoutError | ConnectionError | http.client.HTTPException):
        return {"why": f"{host} does not answer"}
    if isinstance(error, OSError) and error.errno is not None:
        why = f"there is no room or no right to write ({error.strerror})"
        return {"why": why, "do": "make room in the cache folder and try again"}
    # How scikit-learn says that a checksum differs.
    words = str(error).lower()
    if isinstance(error, DatasetError) or "sha256" in words or "checksum" in words:
        return {"why": f"what {host} sends is not the file that is known"}
    return {"why": f"what {host} sends cannot be read"}


def main() -> None:
    """Fetch what the arguments name, and say in the last line how it went."""
    # Loaders print.
    with contextlib.redirect_stdout(sys.stderr):
        outcome = run(sys.argv[1], Path(sys.argv[2]))
    print(json.dumps(outcome))  # noqa: T201
