"""Zip archives: of pictures in class folders, of NumPy arrays, or around one other data file."""

from __future__ import annotations

from collections.abc import Sequence

from cspca.datasets.readers.choices import Contents
from cspca.datasets.readers.entries import (
    Entries,
    Entry,
    HeadCheck,
    UnreadableError,
    entries_of_zip,
)
from cspca.datasets.readers.mat import open_mat
from cspca.datasets.readers.npz import open_npy, open_npz
from cspca.datasets.readers.pictures import KINDS, is_picture, open_pictures
from cspca.datasets.readers.table import open_csv
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError

_INSIDE = {".mat": open_mat, ".csv": open_csv, ".tsv": open_csv, ".npy": open_npy}


def open_zip(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a zip archive.

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.
    watch : Watch

    Raises
    ------
    DatasetError
        If it is no whole archive, holds too much, or nothing that is read.
    """
    entries = entries_of_zip(content, name)
    if entries.files and all(one.suffix == ".npy" for one in entries.files):
        return open_npz(content, name, watch)
    if any(_begins(one, is_picture, watch) for one in entries.files):
        return open_pictures(entries, name, "zip archive of pictures", watch)
    return _open_inside(entries, name, watch)


def _begins(entry: Entry, check: HeadCheck, watch: Watch) -> bool:
    watch.check()
    seen = []

    def look(head: bytes) -> bool:
        seen.append(check(head))
        return False  # only the first bytes are wanted

    try:
        entry.read(look)
    except UnreadableError:
        return False
    return any(seen)


def _why_not(files: Sequence[Entry], data: Sequence[Entry]) -> str:
    """Complete “this archive …” for one that holds neither pictures nor one data file."""
    bring = f"pack {KINDS} pictures, one folder a class"
    if not files:
        return f"is an archive with no files in it: {bring}"
    if data:
        return f"holds {len(data)} data files ({_listed(data)}) and no pictures: bring one of them"
    return f"holds no pictures, only {_listed(files)}: {bring}"


def _listed(files: Sequence[Entry]) -> str:
    more = f" and {len(files) - 3:,} more" if len(files) > 3 else ""
    return ", ".join(one.shown for one in files[:3]) + more


def _open_inside(entries: Entries, name: str, watch: Watch) -> Contents:
    """Open the one data file of an archive; an archive in an archive stays closed."""
    data = [one for one in entries.files if one.suffix in _INSIDE]
    if len(data) != 1:
        raise DatasetError(f"{name} {_why_not(entries.files, data)}.")
    try:
        content = data[0].read(lambda head: True)
    except UnreadableError as reason:
        raise DatasetError(f"{name}: {data[0].shown} {reason}: pack it again.") from reason
    return _INSIDE[data[0].suffix](content or b"", f"{data[0].shown} in {name}", watch)
