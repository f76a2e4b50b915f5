"""Reading image sets from files that nobody has vouched for."""

from __future__ import annotations

from cspca.datasets.readers.choices import (
    NO_LABELS,
    NOT_PICTURES,
    Candidate,
    ChoiceNeededError,
    Options,
    ReadChoices,
    Recognised,
)
from cspca.datasets.readers.registry import (
    PICTURE_SUFFIXES,
    READERS,
    load_file,
    load_files,
    read_file,
    read_files,
)
from cspca.datasets.readers.watch import ReadCancelledError

__all__ = [
    "NOT_PICTURES",
    "NO_LABELS",
    "PICTURE_SUFFIXES",
    "READERS",
    "Candidate",
    "ChoiceNeededError",
    "Options",
    "ReadCancelledError",
    "ReadChoices",
    "Recognised",
    "load_file",
    "load_files",
    "read_file",
    "read_files",
]
