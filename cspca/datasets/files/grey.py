"""One grey level from the colours of a pixel."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.parsed import Array
from cspca.datasets.record import Floats

Grey = Literal["luma", "mean", "red", "green", "blue"]

WEIGHTS: Final[dict[Grey, tuple[float, float, float]]] = {
    "luma": (0.299, 0.587, 0.114),  # Rec. 601, what MATLAB's rgb2gray uses
    "mean": (1 / 3, 1 / 3, 1 / 3),
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
}


def weighed(colours: Array, how: Grey, dtype: type[np.floating[Any]]) -> Floats:
    """Make grey of (…, 3) or (…, 4) colours; a fourth channel, opacity, is left out."""
    grey: NDArray[np.floating[Any]] = np.zeros(colours.shape[:-1], dtype=dtype)
    # Channel by channel: a third of the memory of one product over all three.
    for channel, weight in enumerate(WEIGHTS[how]):
        if weight:
            grey += colours[..., channel] * dtype(weight)
    return grey
