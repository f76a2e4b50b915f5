"""Toy format: a line a sample, numbers between blanks."""

from __future__ import annotations

import io

import numpy as np

from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import ArrayField, Parsed


def parse(content: bytes, watch: Watch) -> Parsed:
    """Read all numbers."""
    values = np.loadtxt(io.BytesIO(content), ndmin=2)
    field = ArrayField("X", values.shape, "float64", lambda: values)
    return Parsed(watch.name, "toy file", arrays=[field])
