"""Which module reads which file, and what names from outside are here: words, never paths.

A new format is one module and one line of `FORMATS`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

FORMATS: dict[str, str] = {
    ".mat": "cspca.datasets.files.mat",
    ".npz": "cspca.datasets.files.arrays",
    ".npy": "cspca.datasets.files.arrays",
    ".csv": "cspca.datasets.files.table",
    ".tsv": "cspca.datasets.files.table",
    ".zip": "cspca.datasets.files.pictures",
}
"""Module by suffix; the child process imports it, and calls ``read(content, choices, watch)``."""

PICTURE_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pbm", ".pnm", ".bmp", ".tif", ".tiff", ".gif",
)  # fmt: skip
"""What picture files are usually called; they are told by their first bytes."""

KINDS = "PNG, JPEG, PGM, BMP, TIFF or GIF"
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM", b"II*\0", b"MM\0*")


def is_picture(content: bytes) -> bool:
    """Whether a file that begins so is a picture of a kind that is read, whatever its name."""
    netpbm = re.match(rb"P[1-6][ \t\r\n#]", content) is not None
    return netpbm or content.startswith(_MAGIC)


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


def clean_name(text: str, longest: int = 80) -> str:
    """Show a name from a file as it is, but for what cannot be printed, and not endlessly long."""
    cleaned = "".join(letter if letter.isprintable() else "�" for letter in text[: 4 * longest])
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Clean several names and keep them distinct."""
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
