"""The same work without a browser: ``python -m cspca fit|rank|compare|sweep|runs|doctor``."""

from __future__ import annotations

from cspca.shell.program import main

__all__ = ["main"]
