"""Image sets: built-in, rendered, or read from a file, all as one `Dataset` record."""

from __future__ import annotations

from cspca.datasets.builtin import BUILTIN, load
from cspca.datasets.faces import FacesTruth, make_faces
from cspca.datasets.files.choices import (
    NO_LABELS,
    NOT_PICTURES,
    Candidate,
    ChoiceNeededError,
    Options,
    ReadChoices,
    Recognised,
)
from cspca.datasets.files.limits import ReadCancelledError
from cspca.datasets.files.reading import load_file, load_files, read_file, read_files
from cspca.datasets.motion import as_motion, make_motion, motion_descriptor
from cspca.datasets.record import (
    MEASUREMENT_NOUNS,
    PICTURE_NOUNS,
    Dataset,
    DatasetError,
    Nouns,
    Recipe,
    Skeleton,
    nouns_of,
)
from cspca.datasets.remote import BY_REQUEST, REMOTE, ByRequest, RemoteSet, fetch, is_cached
from cspca.datasets.resize import resized

__all__ = [
    "BUILTIN",
    "BY_REQUEST",
    "MEASUREMENT_NOUNS",
    "NOT_PICTURES",
    "NO_LABELS",
    "PICTURE_NOUNS",
    "REMOTE",
    "ByRequest",
    "Candidate",
    "ChoiceNeededError",
    "Dataset",
    "DatasetError",
    "FacesTruth",
    "Nouns",
    "Options",
    "ReadCancelledError",
    "ReadChoices",
    "Recipe",
    "Recognised",
    "RemoteSet",
    "Skeleton",
    "as_motion",
    "fetch",
    "is_cached",
    "load",
    "load_file",
    "load_files",
    "make_faces",
    "make_motion",
    "motion_descriptor",
    "nouns_of",
    "read_file",
    "read_files",
    "resized",
]
