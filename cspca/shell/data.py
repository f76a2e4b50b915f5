"""The argument DATA: a built-in data set, one that is fetched, or a file or folder."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.shell.errors import ShellError
from cspca.shell.terminal import Bar, note

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["described", "open_data"]


def open_data(what: str) -> Dataset:
    """Load a data set by its name or path.

    Parameters
    ----------
    what : str
        A name goes before a file of the same name; ``./faces`` is the file.

    Raises
    ------
    ShellError
        When there is neither a data set nor a file of that name.
    DatasetError
        When it cannot be read or fetched.
    """
    from cspca.datasets import BUILTIN, REMOTE, fetch, is_cached, load, load_file

    if what in BUILTIN:
        return load(what)
    if what in REMOTE:
        if is_cached(what):
            return fetch(what)
        bar = Bar(f"Fetching {what}")
        try:
            return fetch(what, progress=bar.show)
        finally:
            bar.close()
    if Path(what).exists():
        dataset = load_file(what)
        note(dataset.recognised)
        return dataset
    known = (*BUILTIN, *REMOTE)
    near = difflib.get_close_matches(what, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}."
    raise ShellError(f"There is no data set and no file called {what!r}: {hint}")


def described(dataset: Dataset) -> dict[str, Any]:
    """What a machine should know of some data.

    Parameters
    ----------
    dataset : Dataset
    """
    return {
        "name": dataset.name,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "n_classes": dataset.n_classes,
        "sha256": dataset.sha256,
    }
