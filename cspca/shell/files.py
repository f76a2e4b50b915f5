"""What commands read and write: data by name or path, files whole or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cspca.shell.options import FAILED, ShellError
from cspca.shell.terminal import Bar, note

if TYPE_CHECKING:
    from cspca.datasets import Dataset

FORMS = (".csv", ".tex", ".npz", ".json", ".html", ".py", ".zip")
"""Files that can be made of every result."""

MAPS = (".png", ".svg")
"""Files that show the importance of every pixel."""


def check(paths: Sequence[str], known: tuple[str, ...]) -> None:
    """See that files can be written, before any work is done for them."""
    for path in paths:
        if Path(path).suffix.lower() not in known:
            *most, last = known
            choice = f"{', '.join(most)} or {last}" if most else last
            raise ShellError(f"{path} cannot be written: choose a name that ends in {choice}.")
        folder = Path(path).expanduser().parent
        if not folder.is_dir():
            raise ShellError(
                f"{path} cannot be written: there is no folder {folder}, make it first."
            )


def write(path: str, content: str | bytes) -> None:
    """Write a file, whole or not at all, and say so."""
    from cspca.experiments.database import write_whole

    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(Path(path).expanduser(), data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ShellError(f"{path} cannot be written: {reason}.", FAILED) from error
    note(f"Wrote {path}.")


def is_data(what: str) -> bool:
    """Whether data are meant: a name that is known, or a file."""
    from cspca.datasets import BUILTIN, REMOTE

    return what in BUILTIN or what in REMOTE or Path(what).exists()


def open_data(what: str) -> Dataset:
    """Load a data set by its name or path; a name goes before a file, ``./faces`` is the file."""
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
