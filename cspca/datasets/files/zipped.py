"""Zip archives: of pictures in class folders, of NumPy arrays, or around one other data file."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from cspca.datasets.files import npz
from cspca.datasets.files.choices import Contents
from cspca.datasets.files.entries import Entries, Entry, UnreadableError, entries_of_zip
from cspca.datasets.files.formats import FORMATS, KINDS, is_picture
from cspca.datasets.files.watch import Watch
from cspca.datasets.record import DatasetError

_CLOSED = (".zip", ".npz")  # an archive in an archive stays closed


def open(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a zip archive."""
    entries = entries_of_zip(content, name)
    if entries.files and all(one.suffix == ".npy" for one in entries.files):
        return npz.open(content, name, watch)
    if any(_is_picture(one) for one in entries.files):
        from cspca.datasets.files.pictures import open_pictures

        return open_pictures(entries, name, "zip archive of pictures", watch)
    return _open_inside(entries, name, watch)


def _is_picture(entry: Entry) -> bool:
    seen = []

    def look(head: bytes) -> bool:
        seen.append(is_picture(head))
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
    data = [one for one in entries.files if one.suffix in FORMATS and one.suffix not in _CLOSED]
    if len(data) != 1:
        raise DatasetError(f"{name} {_why_not(entries.files, data)}.")
    try:
        content = data[0].read(lambda head: True)
    except UnreadableError as reason:
        raise DatasetError(f"{name}: {data[0].shown} {reason}: pack it again.") from reason
    module = importlib.import_module(FORMATS[data[0].suffix])
    opened: Contents = module.open(content or b"", f"{data[0].shown} in {name}", watch)
    return opened
