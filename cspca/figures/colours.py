"""The colours of the house: one accent, one map for importance, one for signs, one for zeros.

Importance is viridis (CC0; S. van der Walt and N. Smith, SciPy 2015) without its darkest sixth:
that leaves room for one neutral, darker than every colour of the map, which is kept for exact
zeros. The order "zero, weak, strong" then holds in print and for every kind of colour vision. The
accent is of Okabe and Ito's colours; those of methods and solvers stand in their registries.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

RGB = NDArray[np.uint8]

ACCENT = "#0072B2"
"""The one accent, a blue: CSPCA's colour and the colour of what the user acts on."""

NEUTRAL = "#767c85"
"""For baselines and captions: at least 4:1 on the light and on the dark page."""

ZERO = "#202226"
"""The flat neutral of exact zeros, darker than every colour of `IMPORTANCE`."""


def hex_to_rgb(colour: str) -> RGB:
    """Read ``#rrggbb``."""
    return np.array(list(bytes.fromhex(colour.removeprefix("#"))), dtype=np.uint8)


def rgb_to_hex(rgb: ArrayLike) -> str:
    """Write three values of 0…255 as ``#rrggbb``."""
    red, green, blue = (int(v) for v in np.asarray(rgb).reshape(3))
    return f"#{red:02x}{green:02x}{blue:02x}"


def ramp(anchors: Sequence[str], start: float = 0.0) -> RGB:
    """Interpolate colours at equal steps, from the fraction `start` on; the table is read-only."""
    known = np.array([hex_to_rgb(anchor) for anchor in anchors], dtype=np.float64)
    last = len(anchors) - 1
    at = np.linspace(start * last, last, 256)
    columns = [np.interp(at, np.arange(last + 1), known[:, channel]) for channel in range(3)]
    table: RGB = np.round(np.stack(columns, axis=1)).astype(np.uint8)
    table.setflags(write=False)
    return table


IMPORTANCE = ramp(
    (
        "#440154", "#482878", "#3e4989", "#31688e", "#26828e",
        "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725",
    ),
    start=40 / 255,
)  # fmt: skip
"""(256, 3) uint8, weak to strong: lightness rises steadily from violet to yellow."""

DIVERGING = ramp(("#00406e", "#0072b2", "#79b8de", "#f4f4f2", "#efa377", "#c8520a", "#7a2c00"))
"""(256, 3) uint8, negative (blue) over a light middle to positive (vermilion)."""

DIVERGING_DARK = ramp(("#8fd0f7", "#3f9fd8", "#14598a", "#1d2026", "#8a3d0c", "#e0762f", "#ffc196"))
"""(256, 3) uint8, the same signs over a dark middle, for the dark page."""

GREYS = ramp(("#000000", "#ffffff"))

LEFT_OUT = ramp(("#00294b", "#2e5f85"))
"""(256, 3) uint8, for pixels not kept: darker than most of a face, bluer than all of it."""


def to_rgb(values: ArrayLike, table: RGB, low: float, high: float) -> RGB:
    """Look values up in a colour table.

    What lies outside gets the nearer end, NaN the first colour; where both are one, all the last.
    """
    array = np.asarray(values, dtype=np.float64)
    share = np.full(array.shape, float(high == low))
    if high > low:
        share = np.clip((np.nan_to_num(array, nan=low) - low) / (high - low), 0, 1)
    rgb: RGB = table[np.round(share * (len(table) - 1)).astype(np.intp)]
    return rgb


def on_page(colour: str, dark: bool) -> str:
    """Give a colour as it is drawn on the light or, lighter by a quarter, on the dark page."""
    if not dark:
        return colour
    rgb = hex_to_rgb(colour).astype(np.float64)
    return rgb_to_hex(np.round(rgb + (255 - rgb) / 4))


def contrast(first: str, second: str) -> float:
    """Give the contrast ratio of two colours, 1 … 21 (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        c = hex_to_rgb(colour) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
