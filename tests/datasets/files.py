"""Files made for the readers' tests, whole and broken."""

import io
import struct
import zlib
from typing import Any

import numpy as np
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
