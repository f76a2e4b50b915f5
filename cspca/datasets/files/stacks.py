"""Samples that are stored with several sides."""

from __future__ import annotations

from typing import Final

import numpy as np

from cspca.datasets.files.parsed import Array

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
