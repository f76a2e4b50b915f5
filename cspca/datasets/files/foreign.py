"""What comes from outside: kinds, names and sizes of files, and how long they may take.

A new format is one module and one line of `FORMATS`. What a file is called tells its class, and
nothing else: it is never used as a path.
"""

from __future__ import annotations

import io
import math
import os
import re
import stat
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO

from cspca.datasets.record import DatasetError

# Most characters of a name: longer ones are cut, with an ellipsis.
LONGEST_NAME = 500
# Address space of the process that parses, in bytes.
MAX_MEMORY = 1536 * 2**20
# Longest time that reading one set may take.
MAX_SECONDS = 60.0
# Largest file, and largest sum of several files brought together, in bytes.
MAX_BYTES = 256 * 2**20
# Largest number of values in one array, and of pixels in a whole set.
MAX_VALUES = 100_000_000
# Most different words of a table: each becomes an object.
MAX_OBJECTS = 1_000_000
# Most variables of one file.
MAX_ARRAYS = 1000
# Most bytes that the names of columns, samples and classes of one set may take.
MAX_NAMES = 32 * 2**20
# Most entries of an archive, and most files of a folder.
MAX_ENTRIES = 100_000
# Most bytes that the files of an archive may declare together.
MAX_UNPACKED = 2**30
# Largest single picture that is decoded.
MAX_PICTURE_PIXELS = 50_000_000
# The same where Pillow decodes in Python, a hundred times slower.
MAX_SLOW_PIXELS = 4_000_000


def check_most(count: int, most: int, what: str, name: str) -> None:
    """Refuse more of something than anybody has, before it takes memory."""
    if count > most:
        over = f"{count:,} {what}, over the limit of {most:,}"
        raise DatasetError(f"{name} holds {over}: split it, or leave some out.")


def check_values(shape: Iterable[int], name: str) -> None:
    """Refuse an array that declares too many values."""
    check_most(math.prod(int(side) for side in shape), MAX_VALUES, "values", name)


def damaged(name: str) -> DatasetError:
    """Say that a file is damaged."""
    return DatasetError(f"{name} is damaged and cannot be read: copy, download or save it again.")


def came_together(names: Sequence[str]) -> DatasetError:
    """Say that files that were chosen one by one make no set, the data file first."""
    further = f" and {len(names) - 2:,} more" if len(names) > 2 else ""
    return DatasetError(
        f"{names[0]} came together with {names[1]}{further}: bring a data file by itself, or with "
        "its labels, or at least two images."
    )


def gunzip(content: bytes, name: str) -> bytes:
    """Unpack what gzip packed, unless it is too large or damaged."""
    unpacker = zlib.decompressobj(31)
    try:
        plain = unpacker.decompress(content, MAX_BYTES + 1)
    except zlib.error as error:
        raise damaged(name) from error
    check_most(len(plain), MAX_BYTES, "bytes unpacked", name)
    if not unpacker.eof:
        raise damaged(name)
    return plain


def open_zip(content: bytes, name: str) -> zipfile.ZipFile:
    """Open a zip archive, unless it holds too much or is damaged."""
    # So often the directory at the end says that an entry begins.
    check_most(content.count(b"PK\x01\x02"), MAX_ENTRIES, "files", name)
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DatasetError(
            f"{name} is not a whole {Path(name).suffix} archive: save or download it again."
        ) from error
    total = sum(info.file_size for info in archive.infolist())
    check_most(total, MAX_UNPACKED, "bytes unpacked", name)
    return archive


Progress = Callable[[float, str], None]
Cancelled = Callable[[], bool]


class ReadCancelledError(DatasetError):
    """The person who asked for a data set does not want it any more."""


class Watch:
    """Tells how far work is, twenty times a second at most; stops what is cancelled or slow."""

    def __init__(
        self,
        name: str,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        seconds: float | None = None,
    ) -> None:
        self.name = name
        self._progress = progress
        self._cancelled = cancelled
        self._seconds = MAX_SECONDS if seconds is None else seconds
        self._until = time.monotonic() + self._seconds
        self.broken: frozenset[int] = frozenset()  # pictures known to break their decoder
        self.at: Callable[[int], None] = lambda number: None  # hears which one comes next
        self._told = -1.0
        self._told_at = 0.0

    def check(self) -> None:
        """Stop if somebody cancelled, or time is up."""
        if self._cancelled is not None and self._cancelled():
            raise ReadCancelledError(f"Reading {self.name} was cancelled.")
        if time.monotonic() > self._until:
            raise DatasetError(
                f"{self.name} takes longer than {self._seconds:g} seconds to read: bring fewer "
                "or smaller images."
            )

    def tell(self, fraction: float, words: str) -> None:
        """Say how far the work is, and check whether to go on."""
        self.check()
        now = time.monotonic()
        # Faster than this nobody can see.
        due = fraction >= 1 or now - self._told_at >= 0.05
        if self._progress is not None and fraction > self._told and due:
            self._told, self._told_at = fraction, now
            self._progress(min(fraction, 1.0), words)


FORMATS: dict[str, str] = {
    ".mat": "cspca.datasets.files.containers.mat",
    ".npz": "cspca.datasets.files.containers.numpy_files",
    ".npy": "cspca.datasets.files.containers.numpy_files",
    ".h5": "cspca.datasets.files.containers.hdf5",
    ".hdf5": "cspca.datasets.files.containers.hdf5",
    ".h5ad": "cspca.datasets.files.containers.hdf5",
    ".idx": "cspca.datasets.files.containers.idx",
    ".csv": "cspca.datasets.files.containers.table",
    ".tsv": "cspca.datasets.files.containers.table",
    ".txt": "cspca.datasets.files.containers.table",
    ".dat": "cspca.datasets.files.containers.table",
    ".data": "cspca.datasets.files.containers.table",
    ".tab": "cspca.datasets.files.containers.table",
    ".gct": "cspca.datasets.files.containers.table",
    ".gz": "cspca.datasets.files.containers.table",
    ".arff": "cspca.datasets.files.containers.arff",
    ".xlsx": "cspca.datasets.files.containers.sheet",
    ".xlsm": "cspca.datasets.files.containers.sheet",
    ".parquet": "cspca.datasets.files.containers.columnar",
    ".feather": "cspca.datasets.files.containers.columnar",
    ".arrow": "cspca.datasets.files.containers.columnar",
    ".zip": "cspca.datasets.files.containers.pictures",
}
"""Module by suffix; the child process imports it, and calls ``parse(content, watch)``."""

JSON_COLUMNS = "cspca.datasets.files.containers.json_columns"
"""Module that reads columns of JSON, in which no set is kept."""

TEXT_SUFFIXES = frozenset(
    {".csv", ".tsv", ".txt", ".dat", ".dpt", ".asc", ".xy", ".prn", ".spectrum"}
)
"""Names of files of text, of which several may hold one spectrum each."""

PICTURE_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pbm", ".pnm", ".bmp", ".tif", ".tiff", ".gif",
    ".webp", ".avif", ".jp2", ".j2k",
)  # fmt: skip
"""What picture files are usually called; they are told by their first bytes."""

KINDS = "PNG, JPEG, PGM, BMP, TIFF, GIF, WebP, AVIF or JPEG 2000"
_MAGIC = (
    b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM", b"II*\0", b"MM\0*",
    b"II+\0", b"MM\0+", b"\0\0\0\x0cjP  \r\n\x87\n", b"\xff\x4f\xff\x51",
)  # fmt: skip


def is_picture(content: bytes) -> bool:
    """Whether a file that begins so is a picture of a kind that is read, whatever its name."""
    netpbm = re.match(rb"P[1-6][ \t\r\n#]", content) is not None
    web = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    avif = content[4:8] == b"ftyp" and content[8:12] in (b"avif", b"avis")
    return netpbm or web or avif or content.startswith(_MAGIC)


_SYSTEM_FOLDERS = (
    "__macosx", "@eadir", ".thumbnails", "#recycle", "@recycle", "$recycle.bin", ".trash",
    "thumbs.db", "desktop.ini", "system volume information",
)  # fmt: skip
_SET_ASIDE = (".bad", ".bak", ".orig", ".tmp", "~", ".jpg_original", ".old")


def is_of_system(parts: Sequence[str]) -> bool:
    """Whether systems leave such files behind: ``__MACOSX``, dot-files, folders of thumbnails."""
    return any(part.startswith(".") or part.lower() in _SYSTEM_FOLDERS for part in parts)


def is_set_aside(parts: Sequence[str]) -> bool:
    """Whether the end of its name says that its owner, or a program, set a file aside."""
    return parts[-1].lower().endswith(_SET_ASIDE)


def plain_parts(name: str) -> tuple[str, ...]:
    """Split a name into folders and file, leaving out what would climb or start at the root."""
    parts = name.replace("\\", "/").split("/")
    return tuple(part for part in parts if part.strip() not in ("", ".", ".."))


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts ``s2`` before ``s10``."""
    return tuple(
        # Absurdly long digits stay text: turning them to numbers takes quadratic time.
        (0, int(part), "") if part.isdecimal() and len(part) < 19 else (1, 0, part)
        for part in re.split(r"(\d+)", text)
        if part
    )


def clean_name(text: str, longest: int = LONGEST_NAME) -> str:
    """Show a name from a file as it is, but for what cannot be printed, and not endlessly long."""
    cleaned = text[: 4 * longest]
    if not cleaned.isprintable():
        cleaned = "".join(letter if letter.isprintable() else "�" for letter in cleaned)
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Clean several names and keep them distinct."""
    names = tuple(names)
    longest = max(map(len, names), default=0)
    is_clean = "".join(names).isprintable() and all(names) and longest <= LONGEST_NAME
    if is_clean and len(set(names)) == len(names):
        return names  # as nearly all are, and there may be very many
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        cleaned = clean_name(name) or "(no name)"
        seen[cleaned] += 1
        result.append(cleaned if seen[cleaned] == 1 else f"{cleaned} ({seen[cleaned]})")
    return tuple(result)


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


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
                content = stream.read(MAX_BYTES + 1)
        # What zipfile raises on a damaged archive is anything.
        except Exception as error:
            why = getattr(error, "strerror", None) or "damaged in the archive"
            raise UnreadableError(f"cannot be opened ({why})") from error
        if len(content) > MAX_BYTES:
            raise UnreadableError("is too large")
        return content

    def begins_as_picture(self) -> bool:
        """Whether its first bytes are those of a picture."""
        try:
            with self.open() as stream:
                return is_picture(stream.read(64))
        # What zipfile raises on a damaged archive is anything.
        except Exception:  # noqa: BLE001
            return False

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

    by_parts: dict[tuple[str, ...], Entry] = field(default_factory=dict)
    of_system: list[Entry] = field(default_factory=list)
    set_aside: list[Entry] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def files(self) -> list[Entry]:
        """All in natural order."""
        order = sorted(self.by_parts, key=lambda parts: [natural_key(part) for part in parts])
        return [self.by_parts[parts] for parts in order]

    def add(self, entry: Entry) -> None:
        """Add one, but for what systems leave behind and what its owner set aside."""
        if is_of_system(entry.parts):
            self.of_system.append(entry)
        elif is_set_aside(entry.parts):
            self.set_aside.append(entry)
        else:
            self.by_parts[entry.parts] = entry


def entries_of_zip(content: bytes, name: str) -> Entries:
    """List the files of a zip archive."""
    archive = open_zip(content, name)
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
        if entry.parts in entries.by_parts:
            entries.left_out.append(f"{entry.shown} comes twice: the last is taken")
        entries.add(entry)
    if outside:
        points = "1 name points" if outside == 1 else f"{outside:,} names point"
        entries.notes.append(
            f"{points} outside the archive: a name is only a name here, and leads nowhere."
        )
    return entries


def entries_of_files(names: Sequence[str], contents: Sequence[bytes]) -> Entries:
    """List files brought one by one."""
    entries = Entries()
    for number, (name, content) in enumerate(zip(names, contents, strict=True), 1):
        parts = plain_parts(name) or (f"file {number}",)
        # Two of one name are two pictures: they came from different folders.
        while parts in entries.by_parts:
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
            check_most(len(entries.by_parts) + 1, MAX_ENTRIES, "files", name)
            entries.add(entry)
    return entries
