"""Reading image sets from files that nobody has vouched for.

`reading` is the way in; `door` starts the one process that parses; `child` is what runs there,
with one module a format and the modules that guess. A new format is one module with a function
``open(content, name, watch)`` and one line of `formats.FORMATS`.
"""

from __future__ import annotations

from cspca.datasets.files.choices import (
    FITS,
    NO_LABELS,
    NOT_PICTURES,
    Candidate,
    ChoiceNeededError,
    Options,
    ReadChoices,
    Recognised,
    sizes_below,
)
from cspca.datasets.files.door import keep_spare
from cspca.datasets.files.formats import FORMATS, PICTURE_SUFFIXES
from cspca.datasets.files.limits import Cancelled, Progress, ReadCancelledError, Watch
from cspca.datasets.files.reading import load_file, load_files, read_file, read_files

__all__ = [
    "FITS",
    "FORMATS",
    "NOT_PICTURES",
    "NO_LABELS",
    "PICTURE_SUFFIXES",
    "Cancelled",
    "Candidate",
    "ChoiceNeededError",
    "Options",
    "Progress",
    "ReadCancelledError",
    "ReadChoices",
    "Recognised",
    "Watch",
    "keep_spare",
    "load_file",
    "load_files",
    "read_file",
    "read_files",
    "sizes_below",
]
