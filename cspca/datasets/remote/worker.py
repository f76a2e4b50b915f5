"""The process that fetches: runs one loader, writes its result, says in a line how it went."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np

from cspca.datasets.record import DatasetError
from cspca.datasets.remote.sets import REMOTE

MIRROR_VARIABLE = "CSPCA_MIRROR"
"""Environment variable that names a server to ask in place of the real hosts."""

_PATIENCE_SECONDS = 30


class Mirror(urllib.request.BaseHandler):
    """Asks one server in place of all others, with their name as the first part of the path."""

    handler_order = 100  # before the handlers that write the headers

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._host = urllib.parse.urlparse(self._address).netloc

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        """Send the request to the mirror."""
        parts = urllib.parse.urlparse(request.full_url)
        if parts.netloc != self._host:
            query = f"?{parts.query}" if parts.query else ""
            request.full_url = f"{self._address}/{parts.netloc}{parts.path}{query}"
        return request

    https_request = http_request


def run(name: str, place: Path) -> dict[str, str]:
    """Fetch into ``place``; say why that failed and what to do, if it did."""
    socket.setdefaulttimeout(_PATIENCE_SECONDS)
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


if __name__ == "__main__":
    # Loaders print; the last line is ours.
    with contextlib.redirect_stdout(sys.stderr):
        outcome = run(sys.argv[1], Path(sys.argv[2]))
    print(json.dumps(outcome))  # noqa: T201
