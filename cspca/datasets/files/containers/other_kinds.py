"""Kinds of files that are known by their first bytes and not read: what to export instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_PICTURE: Final = "export it as JPEG or PNG"
_VIDEO: Final = "save its frames as PNG files"


@dataclass(frozen=True)
class OtherKind:
    """A kind that is not read: its name, and what to do."""

    name: str
    advice: str


_BY_START: Final = (
    (b"\xff\x0a", OtherKind("JPEG XL image", _PICTURE)),
    (b"\0\0\0\x0cJXL \r\n\x87\n", OtherKind("JPEG XL image", _PICTURE)),
    (b"%PDF", OtherKind("PDF document", "export its figures as PNG")),
    (b"8BPS", OtherKind("Photoshop image", _PICTURE)),
    (b"\x1aE\xdf\xa3", OtherKind("video", _VIDEO)),
    (b"\0\0\x01\xba", OtherKind("video", _VIDEO)),
    (b"\0\0\x01\xb3", OtherKind("video", _VIDEO)),
    (b"FLV\x01", OtherKind("video", _VIDEO)),
    (b"0&\xb2u\x8ef\xcf\x11", OtherKind("video", _VIDEO)),
    (b"qoif", OtherKind("QOI image", _PICTURE)),
    (b"v/1\x01", OtherKind("OpenEXR image", "export it as a TIFF of 32-bit floats")),
    (b"<svg", OtherKind("SVG drawing", "export it as PNG")),
    (b"Rar!", OtherKind("RAR archive", "pack its files as .zip")),
    (b"7z\xbc\xaf'\x1c", OtherKind("7z archive", "pack its files as .zip")),
)
_HEIC: Final = (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1")


def other_kind(content: bytes) -> OtherKind | None:
    """Return the kind of a file that begins so, where it is one that is not read."""
    for start, kind in _BY_START:
        if content.startswith(start):
            return kind
    if content[4:8] == b"ftyp" and content[8:12] not in (b"avif", b"avis"):
        if content[8:12] in _HEIC:
            return OtherKind("HEIC image", _PICTURE)
        return OtherKind("video", _VIDEO)
    if content[:4] == b"RIFF" and content[8:12] == b"AVI ":
        return OtherKind("video", _VIDEO)
    if content[128:132] == b"DICM":
        return OtherKind("DICOM image", "export it as PNG or 16-bit TIFF")
    if b"<svg" in content[:1000] and content.lstrip()[:5] in (b"<?xml", b"<!DOC"):
        return OtherKind("SVG drawing", "export it as PNG")
    return None
