"""Toy data set: 24 pictures of 4 × 4 pixels in two classes."""

from __future__ import annotations

import numpy as np

from cspca.datasets.record import Dataset, Recipe


def load_toyset() -> Dataset:
    """Draw the pictures."""
    random = np.random.default_rng(0)
    return Dataset(
        data=random.random((24, 16)),
        target=np.arange(24) % 2,
        image_shape=(4, 4),
        name="toyset",
        recipe=Recipe("load", ("toyset",)),
    )
