"""Files that come together: in an archive, in a folder, or one by one; names, never paths.

What a file in an archive is called tells its class, and nothing else: it is never used as a path.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO

from cspca.datasets.files import limits
from cspca.datasets.files.formats import clean_name, natural_key, plain_parts
from cspca.datasets.record import DatasetError


class UnreadableError(Exception):
    """One file of several cannot be read; the message completes “this file …”."""


@dataclass(frozen=True)
class Entry:
    """One file among several."""

    parts: tuple[str, ...]
    open: Callable[[], IO[bytes]]

    def read(self) -> bytes:
        """All that it holds."""
        try:
            with self.open() as stream:
                content = stream.read(limits.MAX_BYTES + 1)
        # What zipfile raises on a damaged archive is anything.
        except Exception as error:
            why = getattr(error, "strerror", None) or "damaged in the archive"
            raise UnreadableError(f"cannot be opened ({why})") from error
        if len(content) > limits.MAX_BYTES:
            raise UnreadableError("is too large")
        return content

    @property
    def shown(self) -> str:
        """Its name, fit to be shown."""
        return clean_name("/".join(self.parts), 60)

    @property
    def suffix(self) -> str:
        """End of its name, in lower case, with the dot."""
        return os.path.splitext(self.parts[-1])[1].lower()


@dataclass
class Entries:
    """Files by their names, what was passed over, and what else is to be said of them."""

    found: dict[tuple[str, ...], Entry] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def files(self) -> list[Entry]:
        """All in natural order."""
        order = sorted(self.found, key=lambda parts: [natural_key(part) for part in parts])
        return [self.found[parts] for parts in order]

    def add(self, entry: Entry) -> None:
        """Add one, but for what systems leave behind: ``__MACOSX``, dot-files, thumbnails."""
        junk = ("thumbs.db", "desktop.ini", "__macosx")
        if not any(part.startswith(".") or part.lower() in junk for part in entry.parts):
            self.found[entry.parts] = entry


def entries_of_zip(content: bytes, name: str) -> Entries:
    """List the files of a zip archive."""
    # So often the directory at the end says that an entry begins.
    limits.check_most(content.count(b"PK\x01\x02"), limits.MAX_ENTRIES, "files", name)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole {Path(name).suffix} archive: save or download it again."
        ) from error
    total = sum(info.file_size for info in archive.infolist())
    limits.check_most(total, limits.MAX_UNPACKED, "bytes unpacked", name)
    entries, outside = Entries(), 0
    for info in archive.infolist():
        entry = Entry(plain_parts(info.filename), partial(archive.open, info))
        if info.is_dir() or not entry.parts:
            continue
        climbs = r"^/|^[A-Za-z]:/|(^|/)\.\.(/|$)"
        outside += re.search(climbs, info.filename.replace("\\", "/")) is not None
        if stat.S_ISLNK(info.external_attr >> 16):
            entries.left_out.append(f"{entry.shown} is a link")
            continue
        if info.flag_bits & 1:
            raise DatasetError(f"{name} is locked by a password: pack it again without one.")
        if entry.parts in entries.found:
            entries.left_out.append(f"{entry.shown} comes twice: the last is taken")
        entries.add(entry)
    if outside:
        points = "1 name points" if outside == 1 else f"{outside:,} names point"
        entries.notes.append(
            f"{points} outside the archive: a name is only a name here, and leads nowhere"
        )
    return entries


def entries_of_files(names: Sequence[str], contents: Sequence[bytes]) -> Entries:
    """List files brought one by one."""
    entries = Entries()
    for number, (name, content) in enumerate(zip(names, contents, strict=True), 1):
        parts = plain_parts(name) or (f"file {number}",)
        # Two of one name are two pictures: they came from different folders.
        while parts in entries.found:
            parts = (*parts[:-1], f"{parts[-1]} ({number})")
        entries.add(Entry(parts, partial(io.BytesIO, content)))
    return entries


def entries_of_folder(folder: Path, name: str) -> Entries:
    """List the files of a folder and of the folders in it; links are not followed."""
    entries = Entries()
    for where, _, file_names in os.walk(folder, followlinks=False):
        for file_name in file_names:
            path = Path(where, file_name)
            entry = Entry(path.relative_to(folder).parts, partial(io.FileIO, path))
            if not stat.S_ISREG(path.lstat().st_mode):
                entries.left_out.append(f"{entry.shown} is a link or a device")
                continue
            limits.check_most(len(entries.found) + 1, limits.MAX_ENTRIES, "files", name)
            entries.add(entry)
    return entries
