"""Toy format: a line a sample, numbers between blanks."""

from __future__ import annotations

import io

import numpy as np

from cspca.datasets.files.arrays import Field, NamedArrays
from cspca.datasets.files.limits import Watch


def open(content: bytes, name: str, watch: Watch) -> NamedArrays:
    """Read all numbers."""
    values = np.loadtxt(io.BytesIO(content), ndmin=2)
    field = Field("X", values.shape, "float64", True, False, lambda: values)
    return NamedArrays([field], "toy file", "row")
