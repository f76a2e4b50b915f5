"""Which reader reads which file, and the one door to all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

from cspca.datasets.readers.assemble import PixelOrder
from cspca.datasets.readers.limits import MAX_BYTES
from cspca.datasets.readers.mat import read_mat
from cspca.datasets.readers.npz import read_npy, read_npz
from cspca.datasets.record import Dataset, DatasetError

Reader = Callable[[bytes, str, PixelOrder | None], Dataset]

READERS: dict[str, Reader] = {".mat": read_mat, ".npz": read_npz, ".npy": read_npy}
"""Reader by suffix: a new format is one new file and one line here."""

_SIGNATURES = ((b"\x93NUMPY", ".npy"), (b"PK", ".npz"), (b"MATLAB", ".mat"))


def load_file(
    file: str | os.PathLike[str] | bytes | IO[bytes],
    name: str | None = None,
    *,
    order: PixelOrder | None = None,
) -> Dataset:
    """Read an image set that a user brings.

    Parameters
    ----------
    file : path, bytes, or binary file object
        A ``.mat`` file of MATLAB 5 to 7 holding ``fea/gnd``, ``X/Y`` or train/test halves, or a
        ``.npz`` or ``.npy`` holding (images, pixels) or (images, height, width[, colours]).
    name : str, optional
        What to call it; its suffix chooses the reader. The path's own name by default; for bytes
        without a name the first bytes tell.
    order : {"row", "column"}, optional
        How the pixels of one image follow each other in a 2-D array. By default column by column
        in ``.mat`` (MATLAB's order) and row by row in ``.npz`` and ``.npy``.

    Returns
    -------
    Dataset
        Pixels in [0, 1], upright and row by row, in double precision unless that takes more than
        256 MB; `Dataset.recognised` says what was understood.

    Raises
    ------
    DatasetError
        The only error that a file can cause, with one sentence: what is wrong and what to do.
    """
    content, name = _content(file, name)
    if not content:
        raise DatasetError(f"{name} is empty: choose a file with images in it.")
    reader = READERS[_suffix(content, name)]
    try:
        return reader(content, name, order)
    except DatasetError:
        raise
    except MemoryError as error:
        raise DatasetError(f"{name} does not fit in memory: cut it into smaller files.") from error
    # A damaged or hostile file may raise anything inside zipfile, NumPy or SciPy's reader; to the
    # person who brought it all of that means the same.
    except Exception as error:
        raise DatasetError(
            f"{name} is damaged and cannot be read: copy, download or save it again."
        ) from error


def _content(
    file: str | os.PathLike[str] | bytes | IO[bytes], name: str | None
) -> tuple[bytes, str]:
    if isinstance(file, (bytes, bytearray, memoryview)):
        content = bytes(file)
        name = name or "upload"
    elif isinstance(file, (str, os.PathLike)):
        path = Path(file)
        name = name or path.name
        try:
            if path.stat().st_size > MAX_BYTES:
                raise DatasetError(f"{name} is larger than 1 GiB: cut it into smaller files.")
            content = path.read_bytes()
        except (OSError, ValueError) as error:  # ValueError: a null byte in the path
            if isinstance(error, DatasetError):
                raise
            why = getattr(error, "strerror", None) or str(error)
            raise DatasetError(f"{name} cannot be opened ({why}): check the path.") from error
    else:
        name = name or str(getattr(file, "name", "upload"))
        content = _read_stream(file, name)
    # Only the last part: a name from a browser or an archive is never used as a path.
    name = name.replace("\\", "/").rsplit("/", 1)[-1] or "upload"
    if len(content) > MAX_BYTES:
        raise DatasetError(f"{name} is larger than 1 GiB: cut it into smaller files.")
    return content, name


def _read_stream(file: IO[bytes], name: str) -> bytes:
    """Read from the beginning, wherever an earlier reader may have left off."""
    try:
        if file.seekable():
            file.seek(0)
        content = file.read(MAX_BYTES + 1)
    except (AttributeError, OSError, ValueError) as error:
        raise DatasetError(
            f"{name} cannot be read ({error}): give a path, bytes or an open binary file."
        ) from error
    if not isinstance(content, bytes):
        raise DatasetError(f"{name} was opened as text: open it in binary mode.")
    return content


def _suffix(content: bytes, name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix in READERS:
        return suffix
    if not suffix:
        for signature, found in _SIGNATURES:
            if content.startswith(signature):
                return found
    known = ", ".join(READERS)
    raise DatasetError(f"{name} is of a kind that is not read here: bring one of {known}.")
