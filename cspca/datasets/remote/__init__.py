"""Data sets that others keep: fetched when asked for, checked, and kept in a cache folder."""

from __future__ import annotations

from cspca.datasets.remote.by_request import BY_REQUEST, ByRequest
from cspca.datasets.remote.fetch import REMOTE, cache_folder, fetch, is_cached
from cspca.datasets.remote.remote_set import RemoteSet

__all__ = [
    "BY_REQUEST",
    "REMOTE",
    "ByRequest",
    "RemoteSet",
    "cache_folder",
    "fetch",
    "is_cached",
]
