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
