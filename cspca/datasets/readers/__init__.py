"""Reading image sets from files that nobody has vouched for."""

from __future__ import annotations

from cspca.datasets.readers.registry import READERS, load_file

__all__ = ["READERS", "load_file"]
