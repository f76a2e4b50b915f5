"""Channels of pictures: whether they are colours, and grey levels made of them."""

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

LEAST_ALIKE: Final = 0.8
"""Correlation between the channels of a colour picture, at least."""

LEAST_OPAQUE: Final = 0.5
"""Share of a fourth channel that is at its greatest value, at least, to be an opacity."""


def channels_last(stack: Array) -> Array | None:
    """Return a view (n, height, width, channels) of an array with four sides; None if it has none.

    One channel, three, or four: at the end, or before height and width.
    """
    if stack.shape[3] in (1, 3, 4):
        return stack
    return np.moveaxis(stack, 1, 3) if stack.shape[1] in (1, 3, 4) else None


def are_colours(channels: Array) -> str:
    """Return why three or four channels are colours, as a sentence; empty where they may not be.

    Colours are not negative and correlate. A fourth channel is an opacity where at least half of
    it is at its greatest value, fully opaque; as one more band it would vary like the others.
    """
    if channels.shape[-1] not in (3, 4):
        return ""
    few = channels[:: max(1, len(channels) // 64)].reshape(-1, channels.shape[-1]).astype(float)
    few = few[:: max(1, len(few) // 200_000)]
    if not few.size or not np.isfinite(few).all() or few.min() < 0:
        return ""
    if (few[:, :3].std(axis=0) == 0).any():
        return ""
    alike = float(np.corrcoef(few[:, :3].T).min())
    if alike < LEAST_ALIKE:
        return ""
    sentence = f"The channels are alike (correlation {alike:.2f}) and not negative."
    if channels.shape[-1] == 3:
        return sentence
    opacity = few[:, 3]
    is_opacity = (opacity == opacity.max()).mean() >= LEAST_OPAQUE
    return f"{sentence} The fourth, the opacity, is left out." if is_opacity else ""


def weighed(colours: Array, weights: Grey, dtype: type[np.floating[Any]]) -> Floats:
    """Make grey of (…, 3) or (…, 4) colours; a fourth channel, opacity, is left out."""
    grey: NDArray[np.floating[Any]] = np.zeros(colours.shape[:-1], dtype=dtype)
    # Channel by channel: a third of the memory of one product over all three.
    for channel, weight in enumerate(WEIGHTS[weights]):
        if weight:
            grey += colours[..., channel] * dtype(weight)
    return grey
