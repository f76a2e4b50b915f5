"""Files made for the readers' tests, whole and broken."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import h5py
import numpy as np
from PIL import Image
from scipy.io import savemat


def mat(compress: bool = True, **variables: Any) -> bytes:
    stream = io.BytesIO()
    savemat(stream, variables, do_compression=compress)
    return stream.getvalue()


def npy(array: np.ndarray, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def npy_header(shape: str, descr: str = "'<f8'") -> bytes:
    """A .npy that declares ``shape`` and brings nothing."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def mat_element(kind: int, content: bytes) -> bytes:
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def mat_declaring(rows: int, columns: int, values: bytes = b"\0" * 8) -> bytes:
    """A compressed .mat whose one matrix X declares a size and brings some bytes of it."""
    flags = mat_element(6, struct.pack("<II", 9, 0))
    size = mat_element(5, struct.pack("<ii", rows, columns))
    matrix = mat_element(14, flags + size + mat_element(1, b"X") + mat_element(2, values))
    packed = zlib.compress(matrix)
    return mat_header() + struct.pack("<II", 15, len(packed)) + packed


def mat_header() -> bytes:
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"


def picture(pixels: np.ndarray, kind: str = "PNG", **options: Any) -> bytes:
    """A picture file of (height, width) or (height, width, channels) pixels."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind, **options)
    return stream.getvalue()


def film(pictures: Sequence[np.ndarray] | np.ndarray, kind: str, **options: Any) -> bytes:
    """A file of several pictures: frames or pages."""
    stream = io.BytesIO()
    first, *others = [Image.fromarray(pixels) for pixels in pictures]
    first.save(stream, kind, save_all=True, append_images=others, **options)
    return stream.getvalue()


def tiff(
    pixels: np.ndarray,
    photometric: int = 1,
    *,
    planar: bool = False,
    compression: int = 1,
    big: bool = False,
    tags: dict[int, list[int] | bytes] | None = None,
) -> bytes:
    """A TIFF of one page and one strip a plane, of any type of numbers."""
    order = ">" if pixels.dtype.byteorder == ">" else "<"
    n_channels = 1 if pixels.ndim == 2 else pixels.shape[0 if planar else 2]
    height, width = pixels.shape[1:] if planar and pixels.ndim == 3 else pixels.shape[:2]
    planes = (
        [pixels[plane].tobytes() for plane in range(n_channels)] if planar else [pixels.tobytes()]
    )
    body = [zlib.compress(plane) for plane in planes] if compression == 8 else planes
    starts = [16 + sum(map(len, body[:number])) for number in range(len(body))]
    values: dict[int, list[int] | bytes] = {
        256: [width], 257: [height], 258: [8 * pixels.itemsize] * n_channels, 259: [compression],
        262: [photometric], 273: starts, 277: [n_channels], 278: [height],
        279: [len(part) for part in body], 284: [2 if planar else 1],
        339: [{"u": 1, "i": 2, "f": 3}[pixels.dtype.kind]] * n_channels, **(tags or {}),
    }  # fmt: skip
    raw = b"".join(body) + b"\0" * (sum(map(len, body)) % 2)
    directory_at = 16 + len(raw)
    count, entry, address = ("Q", "HHQ", "Q") if big else ("H", "HHI", "I")
    room = struct.calcsize("=" + address)
    entries, beyond = b"", b""
    beyond_at = directory_at + struct.calcsize("=" + count) + len(values) * (4 + 2 * room) + room
    for tag, value in sorted(values.items()):
        is_text = isinstance(value, bytes)
        packed = value if isinstance(value, bytes) else struct.pack(f"{order}{len(value)}I", *value)
        entries += struct.pack(order + entry, tag, 2 if is_text else 4, len(value))
        if len(packed) <= room:
            entries += packed.ljust(room, b"\0")
        else:
            entries += struct.pack(order + address, beyond_at + len(beyond))
            beyond += packed + b"\0" * (len(packed) % 2)
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "H", 43 if big else 42)
    if big:
        head += struct.pack(order + "HH", 8, 0)
    head = (head + struct.pack(order + address, directory_at)).ljust(16, b"\0")
    directory = struct.pack(order + count, len(values)) + entries + bytes(room)
    return head + raw + directory + beyond


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def copies(names: Sequence[str], content: bytes) -> bytes:
    """A zip archive of one file under many names, by hand: zipfile takes a minute for 100,000."""
    check, packed = zlib.crc32(content), zlib.compress(content)[2:-4]
    sizes = struct.pack("<HHIII", 0, 0, check, len(packed), len(content))
    body, directory, most = io.BytesIO(), io.BytesIO(), min(len(names), 2**16 - 1)
    for name in names:
        what = struct.pack("<HHH", 20, 0, 8) + sizes + struct.pack("<HH", len(name), 0)
        directory.write(b"PK\1\2\x14\0" + what + bytes(10) + struct.pack("<I", body.tell()))
        directory.write(name.encode())
        body.write(b"PK\3\4" + what + name.encode() + packed)
    size = struct.pack("<HHHHIIH", 0, 0, most, most, directory.tell(), body.tell(), 0)
    return body.getvalue() + directory.getvalue() + b"PK\5\6" + size


def png_declaring(height: int, width: int) -> bytes:
    """A PNG whose header declares a size and brings a few bytes of it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def csv(rows: Any, header: Any = None, separator: str = ",") -> bytes:
    lines = [] if header is None else [separator.join(map(str, header))]
    lines += [separator.join(map(str, row)) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def mat73(compress: bool = True, **variables: Any) -> bytes:
    """What MATLAB's ``save -v7.3`` writes of full arrays, text, and nothing else."""
    stream = io.BytesIO()
    classes = {"f8": "double", "f4": "single", "u1": "uint8", "i8": "int64", "b1": "logical"}
    with h5py.File(stream, "w", userblock_size=512) as file:
        for name, value in variables.items():
            array = np.asarray(value)
            if array.dtype.kind == "U":
                codes = np.array([[ord(letter) for letter in row] for row in array], dtype="u2")
                stored, kind = file.create_dataset(name, data=codes.T), "char"
            else:
                kind = classes[array.dtype.str[1:]]
                packed = {"compression": "gzip"} if array.ndim and compress else {}
                stored = file.create_dataset(
                    name, data=array.T.astype("u1") if kind == "logical" else array.T, **packed
                )
            stored.attrs["MATLAB_class"] = np.bytes_(kind)
    content = bytearray(stream.getvalue())
    content[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return bytes(content)
