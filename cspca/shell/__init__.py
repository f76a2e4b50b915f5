"""The same work without a browser: ``python -m cspca COMMAND``."""

from __future__ import annotations

from cspca.shell.program import main

__all__ = ["main"]
