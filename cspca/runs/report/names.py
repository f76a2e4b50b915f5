"""Names of what a report leaves behind."""

from __future__ import annotations

import re

__all__ = ["stem_of"]


def stem_of(name: str) -> str:
    """Return a name of a data set as the beginning of a file's name.

    Parameters
    ----------
    name : str
        Anything.
    """
    return f"cspca-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()[:60] or 'data'}"
