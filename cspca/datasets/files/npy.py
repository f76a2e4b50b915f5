"""NumPy's files of one array, `.npy`."""

from __future__ import annotations

import io

from cspca.datasets.files.arrays import NamedArrays
from cspca.datasets.files.npz import field_of, pickle_hint
from cspca.datasets.files.watch import Watch
from cspca.datasets.record import DatasetError


def open(content: bytes, name: str, watch: Watch) -> NamedArrays:
    """Open a file of one array of images; no labels."""
    if not content.startswith(b"\x93NUMPY"):
        raise DatasetError(
            f"{name} is not a NumPy array file{pickle_hint(content)}: save it with numpy.save."
        )
    field = field_of("the array", lambda: io.BytesIO(content), len(content), name)
    return NamedArrays([field], "NumPy array file", "row")
