"""Samples that are stored with several sides."""

from __future__ import annotations

import numpy as np

from cspca.datasets.files.parsed import Array


def channels_last(stack: Array) -> Array | None:
    """Return a view (n, height, width, channels) of an array with four sides; None if it has none.

    One channel, three, or four: at the end, or before height and width.
    """
    if stack.shape[3] in (1, 3, 4):
        return stack
    return np.moveaxis(stack, 1, 3) if stack.shape[1] in (1, 3, 4) else None
