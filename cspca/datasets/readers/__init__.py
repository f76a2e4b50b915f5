"""Reading image sets from files that nobody has vouched for."""

from __future__ import annotations

from cspca.datasets.readers.assemble import sizes_below
from cspca.datasets.readers.choices import (
    FITS,
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
from cspca.datasets.readers.watch import Cancelled, Progress, ReadCancelledError, Watch

__all__ = [
    "FITS",
    "NOT_PICTURES",
    "NO_LABELS",
    "PICTURE_SUFFIXES",
    "READERS",
    "Cancelled",
    "Candidate",
    "ChoiceNeededError",
    "Options",
    "Progress",
    "ReadCancelledError",
    "ReadChoices",
    "Recognised",
    "Watch",
    "load_file",
    "load_files",
    "read_file",
    "read_files",
    "sizes_below",
]
