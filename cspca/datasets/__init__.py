"""Image sets: built-in, rendered, or read from a file, all as one `Dataset` record."""

from __future__ import annotations

from cspca.datasets.builtin import BUILTIN, load
from cspca.datasets.faces import FacesTruth, make_faces
from cspca.datasets.readers import load_file
from cspca.datasets.record import Dataset, DatasetError

__all__ = [
    "BUILTIN",
    "Dataset",
    "DatasetError",
    "FacesTruth",
    "load",
    "load_file",
    "make_faces",
]
