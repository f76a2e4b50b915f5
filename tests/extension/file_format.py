"""Toy format: a line a sample, numbers between blanks."""

from __future__ import annotations

import io

import numpy as np

from cspca.datasets.files.arrays import Field, find_arrays
from cspca.datasets.files.assemble import Found
from cspca.datasets.files.choices import ReadChoices
from cspca.datasets.files.foreign import Watch


def read(content: bytes, choices: ReadChoices, watch: Watch) -> Found:
    """Read all numbers."""
    values = np.loadtxt(io.BytesIO(content), ndmin=2)
    field = Field("X", values.shape, "float64", lambda: values)
    return find_arrays([field], "toy file", "row", choices, watch)
