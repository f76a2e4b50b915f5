"""One picture file, decoded by Pillow: its size, and its pixels in grey, upright."""

from __future__ import annotations

import io
import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cspca.datasets.files import limits
from cspca.datasets.files.choices import Grey
from cspca.datasets.files.entries import UnreadableError
from cspca.datasets.files.scale import weighed

Array = NDArray[Any]
Size = tuple[int, int]

# Each by its own decoder; everything else that Pillow knows stays closed.
_FORMATS = ("PNG", "JPEG", "BMP", "TIFF", "GIF", "PPM")
_IN_PYTHON = ("bmp_rle", "ppm", "ppm_plain")
_ORIENTATION = 0x0112
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
_JPEG_SHARE = 0.25  # a large JPEG need not be decoded at its full size
_REDUCIBLE = ("L", "RGB", "RGBA", "CMYK", "F")

Image.MAX_IMAGE_PIXELS = None  # the limits are checked in its place
warnings.simplefilter("ignore")


@dataclass
class Decoded:
    """Pixels, the value of white (0 when the file does not tell), and what was done."""

    grey: Array
    white: float
    notes: list[str] = field(default_factory=list)


def measure(content: bytes) -> tuple[Size, float]:
    """Upright (height, width) of a picture, and about how many pixels there are to decode."""
    with _opened(content) as picture:
        size = (picture.height, picture.width)
        share = _JPEG_SHARE if picture.format == "JPEG" else 1.0
        turned = _orientation(picture) in (5, 6, 7, 8)
        return size[::-1] if turned else size, share * size[0] * size[1]


def decode(content: bytes, how: Grey, least: Size) -> Decoded:
    """Decode a picture and make it grey and upright; it may come smaller, down to ``least``."""
    notes: list[str] = []
    with _opened(content) as picture:
        orientation = _orientation(picture)
        if picture.format == "JPEG":
            height, width = least if orientation < 5 else least[::-1]
            picture.draft(None, (width, height))
        try:
            picture.load()
        except (OSError, ValueError, SyntaxError) as error:
            raise UnreadableError("is cut short or damaged") from error
        upright: Image.Image = picture
        if orientation in _UPRIGHT:
            upright = picture.transpose(_UPRIGHT[orientation])
            notes.append("turned upright as their EXIF orientation says")
        deep = picture.format == "PPM"  # Netpbm says what white is, and Pillow brings it to 16 bits
        grey, white = _grey(_smaller(upright, least, notes), how, notes)
        return Decoded(grey, 65535.0 if deep and not white else white, notes)


def _orientation(picture: Image.Image) -> int:
    # Pillow turns a TIFF upright itself; asked for what is not there it would decode a PNG.
    if picture.format == "TIFF" or "exif" not in picture.info:
        return 1
    try:
        return int(picture.getexif().get(_ORIENTATION, 1))
    # Pillow raises anything on damaged EXIF, without which the picture can be seen all the same.
    except Exception:  # noqa: BLE001
        return 1


def _opened(content: bytes) -> Image.Image:
    try:
        picture = Image.open(io.BytesIO(content), formats=_FORMATS)
    except (OSError, ValueError, SyntaxError) as error:  # UnidentifiedImageError among them
        raise UnreadableError("is not a whole picture") from error
    slow = any(one[0] in _IN_PYTHON for one in picture.tile)
    height, width = picture.height, picture.width
    most = limits.MAX_SLOW_PIXELS if slow else limits.MAX_PICTURE_PIXELS
    if height * width > most or max(height, width) > limits.MAX_PICTURE_SIDE:
        raise UnreadableError(f"declares {height} × {width} pixels, over the limit")
    if height < 1 or width < 1:
        raise UnreadableError("has no pixels")
    return picture


def _grey(picture: Image.Image, how: Grey, notes: list[str]) -> tuple[Array, float]:
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
    colours = np.asarray(picture)
    if (colours[..., 0] == colours[..., 1]).all() and (colours[..., 0] == colours[..., 2]).all():
        return colours[..., 0], 255.0
    notes.append("colours turned to grey")
    return weighed(colours, how, np.float32), 255.0


def _smaller(picture: Image.Image, least: Size, notes: list[str]) -> Image.Image:
    """Shrink a large picture by a whole factor, by the mean over blocks, before it is copied."""
    if picture.mode not in _REDUCIBLE or "transparency" in picture.info:
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
