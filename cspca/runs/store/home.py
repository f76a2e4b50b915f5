"""Where the store is: the user's data folder, unless said otherwise."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

__all__ = ["HOME_VARIABLE", "store_home"]

HOME_VARIABLE = "CSPCA_HOME"


def store_home(home: str | os.PathLike[str] | None = None) -> Path:
    r"""Folder of the store, absolute; it need not exist.

    Parameters
    ----------
    home : path or None, default=None
        None is ``CSPCA_HOME`` where that is set, else the user's data folder:
        ``~/.local/share/cspca`` (``XDG_DATA_HOME``), ``~/Library/Application Support/cspca`` on
        macOS, ``%LOCALAPPDATA%\cspca`` on Windows.
    """
    chosen = home or os.environ.get(HOME_VARIABLE)
    folder = Path(chosen) if chosen else user_data_path("cspca", appauthor=False)
    return folder.expanduser().absolute()
