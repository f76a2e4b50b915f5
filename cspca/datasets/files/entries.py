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

_JUNK = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
_SIGNATURE = b"PK\x01\x02"  # of one entry in the directory at the end of a zip archive
_CLIMBS = re.compile(r"^/|^[A-Za-z]:/|(^|/)\.\.(/|$)")


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
        return shown(self.parts)

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

    def add(self, parts: tuple[str, ...], opened: Callable[[], IO[bytes]]) -> None:
        """Add one, but for what systems leave behind: ``__MACOSX``, dot-files, thumbnails."""
        if not any(part.startswith(".") or part.lower() in _JUNK for part in parts):
            self.found[parts] = Entry(parts, opened)


def entries_of_zip(content: bytes, name: str) -> Entries:
    """List the files of a zip archive."""
    limits.check_most(content.count(_SIGNATURE), limits.MAX_ENTRIES, "files", name)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole {Path(name).suffix} archive: save or download it again."
        ) from error
    entries, total, outside = Entries(), 0, 0
    for info in archive.infolist():
        parts = plain_parts(info.filename)
        if info.is_dir() or not parts:
            continue
        outside += bool(_CLIMBS.search(info.filename.replace("\\", "/")))
        if stat.S_ISLNK(info.external_attr >> 16):
            entries.left_out.append(f"{shown(parts)} is a link")
            continue
        if info.flag_bits & 1:
            raise DatasetError(f"{name} is locked by a password: pack it again without one.")
        total += info.file_size
        limits.check_most(total, limits.MAX_UNPACKED, "bytes unpacked", name)
        if parts in entries.found:
            entries.left_out.append(f"{shown(parts)} comes twice: the last is taken")
        entries.add(parts, partial(archive.open, info))
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
        entries.add(parts, partial(io.BytesIO, content))
    return entries


def entries_of_folder(folder: Path, name: str) -> Entries:
    """List the files of a folder and of the folders in it; links are not followed."""
    entries = Entries()
    for where, _, file_names in os.walk(folder, followlinks=False):
        for file_name in file_names:
            path = Path(where, file_name)
            parts = path.relative_to(folder).parts
            if not stat.S_ISREG(path.lstat().st_mode):
                entries.left_out.append(f"{shown(parts)} is a link or a device")
                continue
            limits.check_most(len(entries.found) + 1, limits.MAX_ENTRIES, "files", name)
            entries.add(parts, partial(io.FileIO, path))
    return entries


def shown(parts: Sequence[str]) -> str:
    """The name of a file, fit to be shown."""
    return clean_name("/".join(parts), 60)
