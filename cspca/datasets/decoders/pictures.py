"""Picture files: their size, and their pixels in grey, upright."""

from __future__ import annotations

import io
import math
import struct
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cspca.datasets.decoders import pnm
from cspca.datasets.decoders.frames import Header
from cspca.datasets.decoders.tasks import Answer, RefusedError

Array = NDArray[Any]

# Each by its own decoder; everything else that Pillow knows stays closed.
_FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "GIF")
_ORIENTATION = 0x0112
_MOST_TAGS = 4096
# How to bring a picture upright, by the EXIF orientation (TIFF 6.0, page 36).
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_LARGE = 1_000_000
_JPEG_SHARE = 0.25
_REDUCIBLE = ("L", "RGB", "RGBA", "CMYK", "F")
_CHANNEL = {"red": 0, "green": 1, "blue": 2}

Image.MAX_IMAGE_PIXELS = None  # the limits of the request are checked in its place
warnings.simplefilter("ignore")


class Pictures:
    """Reads one picture after another; remembers none."""

    def do(self, header: Header, payload: bytearray) -> Answer:
        """Answer ``picture sizes`` (of several, end to end) and ``picture pixels`` (of one)."""
        if header["do"] == "picture sizes":
            view, at, sizes = memoryview(payload), 0, []
            for length in header["lengths"]:
                sizes.append(_size_or_reason(bytes(view[at : at + length]), header))
                at += length
            return {"sizes": sizes}, b""
        grey, depth, notes = read_picture(bytes(payload), header)
        answer = {"shape": grey.shape, "dtype": grey.dtype.str, "depth": depth, "notes": notes}
        return answer, np.ascontiguousarray(grey).reshape(-1).view(np.uint8).data


def _size_or_reason(content: bytes, limits: Header) -> Header:
    try:
        height, width = measure(content, limits)
        # A large JPEG need not be decoded at its full size.
        share = _JPEG_SHARE if content.startswith(b"\xff\xd8") else 1.0
        return {"size": (height, width), "cost": share * height * width}
    except RefusedError as refused:
        return {"refused": str(refused)}
    except Exception:  # noqa: BLE001 - Pillow raises anything on a damaged file
        return {"refused": "is damaged"}


def measure(content: bytes, limits: Header) -> tuple[int, int]:
    """Return the upright (height, width) of a picture without decoding it.

    Parameters
    ----------
    content : bytes
    limits : dict
        ``pixels``, ``slow_pixels`` and ``side``: the largest picture that is read.

    Raises
    ------
    RefusedError
        If it is no picture, or too large.
    """
    if pnm.is_pnm(content):
        height, width = pnm.read_size(content)
        _check(height, width, limits)
        return height, width
    with _opened(content, limits) as picture:
        sides = (picture.height, picture.width)
        return sides[::-1] if orientation(picture) in (5, 6, 7, 8) else sides


def read_picture(content: bytes, request: Header) -> tuple[Array, float, list[str]]:
    """Decode a picture and make it grey and upright.

    Parameters
    ----------
    content : bytes
    request : dict
        The limits as in `measure`; ``grey``: what to make of colours; ``least``: a picture may
        be made smaller by a whole factor while it stays this large.

    Returns
    -------
    grey : array (height, width)
    depth : float
        The value of white; 0 when the file does not tell.
    notes : list of str
        What was done, for the whole set to say once.

    Raises
    ------
    RefusedError
        If it is no picture, too large, or of a kind that is not read.
    """
    if pnm.is_pnm(content):
        _check(*pnm.read_size(content), request)
        pixels, depth = pnm.read_pixels(content)
        if pixels.ndim == 3:
            return _weigh(pixels, request["grey"]), depth, ["colours turned to grey"]
        return pixels, depth, []
    with _opened(content, request) as picture:
        turn = _UPRIGHT.get(orientation(picture))
        least = request.get("least")
        if picture.format == "JPEG" and least is not None:
            height, width = least if orientation(picture) < 5 else reversed(least)
            picture.draft(None, (width, height))
        try:
            picture.load()
        except OSError as error:
            raise RefusedError("is cut short or damaged") from error
        notes: list[str] = []
        upright = picture if turn is None else picture.transpose(turn)
        if turn is not None:
            notes.append("turned upright as their EXIF orientation says")
        grey, depth = _grey(_smaller(upright, least, notes), request["grey"], notes)
        return grey, depth, notes


def orientation(picture: Image.Image) -> int:
    """Return the EXIF orientation, 1 to 8; 1 when there is none.

    Pillow's own reader loads every tag of a hostile file; this looks for one.

    Parameters
    ----------
    picture : PIL image
    """
    if picture.format == "TIFF":  # these Pillow turns upright itself
        return 1
    exif = picture.info.get("exif")
    return _orientation_of(exif) if isinstance(exif, bytes) else 1


def _orientation_of(exif: bytes) -> int:
    exif = exif.removeprefix(b"Exif\x00\x00")
    if len(exif) < 8 or exif[:2] not in (b"II", b"MM"):
        return 1
    mark = "<" if exif[:2] == b"II" else ">"
    (at,) = struct.unpack_from(f"{mark}I", exif, 4)
    if at + 2 > len(exif):
        return 1
    (count,) = struct.unpack_from(f"{mark}H", exif, at)
    for start in range(at + 2, at + 2 + 12 * min(count, _MOST_TAGS), 12):
        if start + 12 > len(exif):
            return 1
        tag, kind, _, value = struct.unpack_from(f"{mark}HHIH", exif, start)
        if tag == _ORIENTATION:
            return int(value) if kind == 3 and 1 <= value <= 8 else 1
    return 1


def _opened(content: bytes, limits: Header) -> Image.Image:
    try:
        picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    except OSError as error:  # UnidentifiedImageError among them
        raise RefusedError("is not a whole picture") from error
    _check(picture.height, picture.width, limits)
    # Run-length coded bitmaps are unpacked in Python.
    if picture.format == "BMP" and any(one[0] == "bmp_rle" for one in picture.tile):
        _check(picture.height, picture.width, {**limits, "pixels": limits["slow_pixels"]})
    return picture


def _check(height: int, width: int, limits: Header) -> None:
    if height * width > limits["pixels"] or max(height, width) > limits["side"]:
        raise RefusedError(f"declares {height} × {width} pixels, over the limit")
    if height < 1 or width < 1:
        raise RefusedError("has no pixels")


def _grey(picture: Image.Image, how: str, notes: list[str]) -> tuple[Array, float]:
    mode = picture.mode
    if mode == "1":
        return np.asarray(picture.convert("L")), 255.0
    if mode == "L" and "transparency" not in picture.info:
        return np.asarray(picture), 255.0
    if mode.startswith("I;16"):
        return np.asarray(picture).astype(np.uint16), 65535.0
    if mode in ("I", "F"):
        # 32 bits: what is white only the whole set can tell.
        return np.asarray(picture), 0.0
    if mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in picture.info:
        picture = _on_white(picture, notes)
    elif mode != "RGB":
        picture = picture.convert("RGB")
    if picture.height * picture.width > _LARGE:
        return _large_grey(picture, how, notes), 255.0
    colours = np.asarray(picture)
    if (colours[..., 0] == colours[..., 1]).all() and (colours[..., 0] == colours[..., 2]).all():
        return colours[..., 0], 255.0
    notes.append("colours turned to grey")
    return _weigh(colours, how), 255.0


def _large_grey(picture: Image.Image, how: str, notes: list[str]) -> Array:
    """Weigh the colours of a picture that is made smaller next: whole grey levels will do."""
    few = np.asarray(picture.resize((64, 64), Image.Resampling.NEAREST))
    if (few != few[..., :1]).any():
        notes.append("colours turned to grey")
    if how in _CHANNEL:
        return np.asarray(picture.getchannel(_CHANNEL[how]))
    if how == "mean":
        return np.asarray(picture.convert("L", (1 / 3, 1 / 3, 1 / 3, 0)))
    return np.asarray(picture.convert("L"))


def _smaller(picture: Image.Image, least: list[int] | None, notes: list[str]) -> Image.Image:
    """Shrink a large picture by a whole factor, by the mean over blocks, before it is copied."""
    if least is None or picture.mode not in _REDUCIBLE or "transparency" in picture.info:
        return picture
    most = min(picture.height // max(1, least[0]), picture.width // max(1, least[1]))
    # A factor of both sides: blocks cut off at an edge would stretch the picture.
    common = math.gcd(picture.height, picture.width)
    factor = next((one for one in range(most, 1, -1) if common % one == 0), 1)
    if factor < 2:
        return picture
    if picture.mode == "RGBA":  # or invisible colours would shine through
        picture = _on_white(picture, notes)
    return picture.reduce(factor)


def _on_white(picture: Image.Image, notes: list[str]) -> Image.Image:
    picture = picture.convert("RGBA")
    if picture.getchannel("A").getextrema() == (255, 255):
        return picture.convert("RGB")
    notes.append("what is transparent shown on white")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture).convert("RGB")


def _weigh(colours: Array, how: str) -> Array:
    if how in _CHANNEL:
        channel: Array = colours[..., _CHANNEL[how]]
        return channel
    weights = (0.299, 0.587, 0.114) if how == "luma" else (1 / 3, 1 / 3, 1 / 3)
    # Channel by channel: a third of the memory of one product over all three.
    grey = colours[..., 0] * np.float32(weights[0])
    grey += colours[..., 1] * np.float32(weights[1])
    grey += colours[..., 2] * np.float32(weights[2])
    return grey
