"""Which module reads which file. A new format is one module and one line here."""

from __future__ import annotations

import re

FORMATS: dict[str, str] = {
    ".mat": "cspca.datasets.files.mat",
    ".npz": "cspca.datasets.files.npz",
    ".npy": "cspca.datasets.files.npz",
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
SIGNATURES = ((b"\x93NUMPY", ".npy"), (b"PK", ".zip"), (b"MATLAB", ".mat"))
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM", b"II*\0", b"MM\0*")


def is_picture(content: bytes) -> bool:
    """Whether a file that begins so is a picture of a kind that is read, whatever its name."""
    netpbm = re.match(rb"P[1-6][ \t\r\n#]", content) is not None
    return netpbm or content.startswith(_MAGIC)
