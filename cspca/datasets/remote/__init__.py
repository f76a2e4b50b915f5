"""Data sets that others keep: fetched when asked for, checked, and kept in a cache folder."""

from __future__ import annotations

from cspca.datasets.remote.fetch import fetch, is_cached
from cspca.datasets.remote.sets import BY_REQUEST, REMOTE, ByRequest, RemoteSet

__all__ = ["BY_REQUEST", "REMOTE", "ByRequest", "RemoteSet", "fetch", "is_cached"]
