"""Files that come together: in an archive, in a folder, or one by one; names, never paths.

What a file in an archive is called tells its class, and nothing else: it is never used as a path.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from cspca.datasets.files import limits
from cspca.datasets.files.formats import HEAD_BYTES
from cspca.datasets.files.labels import clean_name, natural_key, plain_parts
from cspca.datasets.record import DatasetError

_JUNK = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
_SIGNATURE = b"PK\x01\x02"  # of one entry in the directory at the end of a zip archive
_SHOWN = 60
_CLIMBS = re.compile(r"^/|^[A-Za-z]:/|(^|/)\.\.(/|$)")
# What zipfile raises; ValueError when an entry says that it lies before the archive's beginning.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)


class UnreadableError(Exception):
    """One file of several cannot be read; the message completes “this file …”."""


@dataclass(frozen=True)
class Entry:
    """One file among several."""

    parts: tuple[str, ...]
    size: int
    open: Callable[[], IO[bytes]]

    def read(self, wanted: Callable[[bytes], bool]) -> bytes | None:
        """Its content; None where the first bytes are not what is wanted."""
        try:
            with self.open() as stream:
                head = stream.read(HEAD_BYTES)
                return head + stream.read(limits.MAX_ARRAY_BYTES) if wanted(head) else None
        except _DAMAGE as error:
            why = getattr(error, "strerror", None)
            raise UnreadableError(
                f"cannot be opened ({why})" if why else "is damaged in the archive"
            ) from error

    @property
    def shown(self) -> str:
        """Its name, fit to be shown."""
        return clean_name("/".join(self.parts), _SHOWN)

    @property
    def suffix(self) -> str:
        """End of its name, in lower case, with the dot."""
        return os.path.splitext(self.parts[-1])[1].lower()


@dataclass(frozen=True)
class Entries:
    """Files in natural order, what was passed over, and what else is to be said of them."""

    files: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def entries_of_zip(content: bytes, name: str) -> Entries:
    """List the files of a zip archive."""
    # Before Python makes an object of each: a million take gigabytes.
    if content.count(_SIGNATURE) > limits.MAX_ENTRIES:
        raise DatasetError(
            f"{name} holds more than {limits.MAX_ENTRIES:,} files: split it into smaller archives."
        )
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole .zip archive: pack or download it again."
        ) from error
    found: dict[tuple[str, ...], Entry] = {}
    left_out: list[str] = []
    total = 0
    for info in archive.infolist():
        parts = plain_parts(info.filename)
        if info.is_dir() or not parts or _is_junk(parts):
            continue
        shown = clean_name("/".join(parts), _SHOWN)
        if stat.S_ISLNK(info.external_attr >> 16):
            left_out.append(f"{shown} is a link")
            continue
        if info.flag_bits & 1:
            raise DatasetError(f"{name} is locked by a password: pack it again without one.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            left_out.append(f"{shown} is packed in a way that is not read here")
            continue
        limits.check_inflation(info.file_size, info.compress_size, f"{shown} in {name}")
        total += info.file_size
        if total > limits.MAX_UNPACKED:
            raise DatasetError(
                f"{name} would unpack to more than {limits.MAX_UNPACKED / 2**30:g} GiB: split it "
                "into smaller archives."
            )
        if parts in found:
            left_out.append(f"{shown} comes twice: the last is taken")
        found[parts] = Entry(parts, info.file_size, partial(archive.open, info))
    return _sorted(found, left_out, _outside(archive.namelist()))


def entries_of_files(files: Iterable[tuple[str, bytes]]) -> Entries:
    """List files brought one by one."""
    found: dict[tuple[str, ...], Entry] = {}
    for number, (file_name, content) in enumerate(files):
        parts = plain_parts(file_name) or (f"file {number + 1}",)
        if _is_junk(parts):
            continue
        # Two of one name are two pictures: they came from different folders.
        while parts in found:
            parts = (*parts[:-1], f"{parts[-1]} ({number + 1})")
        found[parts] = Entry(parts, len(content), partial(io.BytesIO, content))
    return _sorted(found, [])


def entries_of_folder(folder: Path, name: str) -> Entries:
    """List the files of a folder and of the folders in it; links are not followed."""
    found: dict[tuple[str, ...], Entry] = {}
    left_out: list[str] = []
    for where, _, file_names in os.walk(folder, followlinks=False):
        for file_name in file_names:
            path = Path(where, file_name)
            parts = path.relative_to(folder).parts
            if _is_junk(parts):
                continue
            state = path.lstat()
            if not stat.S_ISREG(state.st_mode):
                left_out.append(f"{clean_name('/'.join(parts), _SHOWN)} is a link or a device")
                continue
            if len(found) >= limits.MAX_ENTRIES:
                raise DatasetError(
                    f"{name} holds more than {limits.MAX_ENTRIES:,} files: choose a smaller folder."
                )
            found[parts] = Entry(parts, state.st_size, partial(io.FileIO, path))
    return _sorted(found, left_out)


def _is_junk(parts: Sequence[str]) -> bool:
    """Whether a file is what systems leave behind: ``__MACOSX``, dot-files, thumbnails."""
    return any(part.startswith(".") or part.lower() in _JUNK for part in parts)


def _outside(names: Sequence[str]) -> list[str]:
    """Say how many names of an archive point to places outside it."""
    count = sum(1 for name in names if _CLIMBS.search(name.replace("\\", "/")))
    points = "1 name points" if count == 1 else f"{count:,} names point"
    return (
        []
        if not count
        else [f"{points} outside the archive: a name is only a name here, and leads nowhere"]
    )


def _sorted(
    found: dict[tuple[str, ...], Entry], left_out: list[str], notes: Sequence[str] = ()
) -> Entries:
    order = sorted(found, key=lambda parts: [natural_key(part) for part in parts])
    return Entries(tuple(found[parts] for parts in order), tuple(left_out), tuple(notes))
