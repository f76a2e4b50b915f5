"""The scales of the sliders: round numbers, twenty to a decade."""

from __future__ import annotations

import math
from collections.abc import Sequence

_STEPS = (
    1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8,
    3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0,
)  # fmt: skip

PENALTIES: tuple[float, ...] = (
    0.0,
    *(float(f"{step}e{decade}") for decade in range(-5, 0) for step in _STEPS),
    1.0,
)
"""Relative penalties: none, then 10⁻⁵ to 1 of the value at which no pixel is left."""

TOLERANCES: tuple[float, ...] = (1e-2, 1e-3, 1e-4, 1e-5)


def snap(value: float, options: Sequence[float] = PENALTIES) -> float:
    """Return the option nearest to `value` in ratio; 0 only for 0."""
    if value <= 0:
        return options[0]
    return min((o for o in options if o > 0), key=lambda option: abs(math.log(option / value)))


def count_options(n_features: int) -> list[int]:
    """Return round numbers of pixels from 1 to `n_features`, finer where they are few."""
    decades = range(len(str(n_features)))
    rounded = {round(step * 10**decade) for decade in decades for step in _STEPS}
    return sorted({1, n_features} | {count for count in rounded if count < n_features})


def say(value: float) -> str:
    """Write a penalty with as few digits as it has."""
    return f"{value:.3g}" if value >= 1e-4 or value == 0 else f"{value:.2g}".replace("e-0", "e-")
