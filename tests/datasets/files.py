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


def mat_declaring(rows: int, columns: int, name: bytes = b"X") -> bytes:
    """A compressed .mat whose one double matrix declares a size and brings eight bytes."""
    flags = mat_element(6, struct.pack("<II", 6, 0))
    size = mat_element(5, struct.pack("<ii", rows, columns))
    label = mat_element(1, name)
    matrix = mat_element(14, flags + size + label + mat_element(9, b"\0" * 8))
    packed = zlib.compress(matrix)
    return mat_header() + struct.pack("<II", 15, len(packed)) + packed


def mat_bomb(size: int) -> bytes:
    """A .mat of one element that unpacks to ``size`` zeros."""
    packer = zlib.compressobj()
    block = b"\0" * 2**20
    packed = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    return mat_header() + struct.pack("<II", 15, len(packed)) + packed


def mat_header() -> bytes:
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
