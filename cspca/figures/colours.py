"""The colours of the house: one accent, one colour a method, one map for importance, one for signs.

Both maps are interpolated in OKLab [1]_, where equal distances look equal, so that they stay
perceptually uniform between their anchors. Importance uses the anchors of viridis (CC0) [2]_
without its darkest sixth: that leaves room for one neutral, darker than every colour of the map,
which is kept for exact zeros. The order "zero, weak, strong" then holds in print and for every
kind of colour vision.

References
----------
.. [1] B. Ottosson, "A perceptual color space for image processing", 2020.
.. [2] S. van der Walt, N. Smith, "A better default colormap for Matplotlib", SciPy 2015.
.. [3] M. Okabe, K. Ito, "Color Universal Design", 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

RGB = NDArray[np.uint8]
Floats = NDArray[np.float64]

ACCENT = "#0072B2"
"""The one accent: Okabe–Ito blue. It is CSPCA's colour and the colour of what the user acts on."""

NEUTRAL = "#767c85"
"""For baselines and captions: at least 4:1 on the light and on the dark page."""

ZERO = "#202226"
"""The flat neutral of exact zeros, darker than every colour of `IMPORTANCE`."""

# Okabe–Ito [3]_, the light ones darkened until they stand 3:1 against white; then four of our own.
METHOD_COLOURS: MappingProxyType[str, str] = MappingProxyType(
    {
        "CSPCA": ACCENT,
        "AllFeatures": NEUTRAL,
        "MaxVariance": "#C27F00",
        "LaplacianScore": "#009E73",
        "SPEC": "#C8709F",
        "MCFS": "#D55E00",
        "UDFS": "#3A9AD6",
        "NDFS": "#8A6FDF",
        "SPCAPSD": "#8C6D00",
        "PCALoadings": "#A3386C",
        "SparsePCALoadings": "#5E8C31",
    }
)
"""One colour a method, by class name, the same on every page."""

# Colour alone cannot tell eleven methods apart: each also has a marker (vega-lite's names).
METHOD_SHAPES: MappingProxyType[str, str] = MappingProxyType(
    {
        "CSPCA": "circle",
        "AllFeatures": "stroke",
        "MaxVariance": "square",
        "LaplacianScore": "triangle-up",
        "SPEC": "diamond",
        "MCFS": "cross",
        "UDFS": "triangle-down",
        "NDFS": "triangle-right",
        "SPCAPSD": "triangle-left",
        "PCALoadings": "square",
        "SparsePCALoadings": "diamond",
    }
)
"""One marker a method, by class name: the second channel beside colour."""

_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def hex_to_rgb(colour: str) -> RGB:
    """Read ``#rrggbb``.

    Parameters
    ----------
    colour : str
        A colour as ``#rrggbb``.

    Returns
    -------
    ndarray of shape (3,), uint8

    Raises
    ------
    ValueError
        If the text is not of that form.
    """
    digits = colour.removeprefix("#")
    try:
        parts = bytes.fromhex(digits)
    except ValueError:
        parts = b""
    if len(parts) != 3:
        raise ValueError(f"{colour!r} is not a colour; write it as #rrggbb.")
    return np.frombuffer(parts, dtype=np.uint8).copy()


def rgb_to_hex(rgb: ArrayLike) -> str:
    """Write three values of 0…255 as ``#rrggbb``."""
    red, green, blue = (int(v) for v in np.asarray(rgb).reshape(3))
    return f"#{red:02x}{green:02x}{blue:02x}"


def to_oklab(rgb: ArrayLike) -> Floats:
    """Convert sRGB in 0…255, last axis 3, to OKLab (lightness in 0…1)."""
    c = np.asarray(rgb, dtype=np.float64) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    lab: Floats = np.cbrt(linear @ _LMS.T) @ _LAB.T
    return lab


def from_oklab(lab: ArrayLike) -> RGB:
    """Convert OKLab to sRGB in 0…255, clipped to what a screen can show."""
    cone = np.asarray(lab, dtype=np.float64) @ np.linalg.inv(_LAB).T
    linear = np.clip(cone**3 @ np.linalg.inv(_LMS).T, 0, 1)
    c = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    rgb: RGB = np.round(255 * np.clip(c, 0, 1)).astype(np.uint8)
    return rgb


def _table(anchors: Sequence[str], start: float = 0.0, size: int = 256) -> RGB:
    """Interpolate colours in OKLab at equal steps, from the fraction `start` on."""
    lab = to_oklab(np.array([hex_to_rgb(a) for a in anchors]))
    at = np.linspace(start * (len(anchors) - 1), len(anchors) - 1, size)
    knots = np.arange(len(anchors))
    table = from_oklab(np.stack([np.interp(at, knots, lab[:, i]) for i in range(3)], axis=1))
    table.setflags(write=False)
    return table


IMPORTANCE: RGB = _table(
    [
        "#440154",
        "#482878",
        "#3e4989",
        "#31688e",
        "#26828e",
        "#1f9e89",
        "#35b779",
        "#6ece58",
        "#b5de2b",
        "#fde725",
    ],
    start=40 / 255,
)
"""(256, 3) uint8, weak to strong: lightness rises steadily from violet to yellow."""

DIVERGING: RGB = _table(
    ["#00406e", "#0072b2", "#79b8de", "#f4f4f2", "#efa377", "#c8520a", "#7a2c00"]
)
"""(256, 3) uint8, negative (blue) over a light middle to positive (vermilion)."""

DIVERGING_DARK: RGB = _table(
    ["#8fd0f7", "#3f9fd8", "#14598a", "#1d2026", "#8a3d0c", "#e0762f", "#ffc196"]
)
"""(256, 3) uint8, the same signs over a dark middle, for the dark page."""


def to_rgb(
    values: ArrayLike, table: RGB, vmin: float | None = None, vmax: float | None = None
) -> RGB:
    """Look values up in a colour table.

    Parameters
    ----------
    values : array-like of any shape
        What to colour. Values outside `vmin` … `vmax` get the colour of the nearer end; NaN gets
        the first colour.
    table : ndarray of shape (m, 3), uint8
        The colours, first for `vmin`, last for `vmax`.
    vmin, vmax : float, optional
        The ends of the scale; by default the smallest and largest finite value. When both are
        equal (all values the same) every value gets the last colour.

    Returns
    -------
    ndarray of shape (*values.shape, 3), uint8
    """
    index = to_index(values, len(table), vmin, vmax)
    rgb: RGB = table[index]
    return rgb


def to_index(
    values: ArrayLike, size: int = 256, vmin: float | None = None, vmax: float | None = None
) -> NDArray[np.intp]:
    """Give the row of a `size`-row colour table for each value; see `to_rgb`."""
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)]
    low = float(vmin) if vmin is not None else float(finite.min(initial=np.inf))
    high = float(vmax) if vmax is not None else float(finite.max(initial=-np.inf))
    if not np.isfinite(low) or not np.isfinite(high):
        return np.zeros(array.shape, dtype=np.intp)
    filled = np.nan_to_num(array, nan=low, posinf=high, neginf=low)
    share = np.ones(array.shape) if high <= low else np.clip((filled - low) / (high - low), 0, 1)
    index: NDArray[np.intp] = np.round(share * (size - 1)).astype(np.intp)
    return index


def on_page(colour: str, dark: bool) -> str:
    """Give a colour as it is drawn on the light or on the dark page.

    On the dark page every colour is made lighter by the same step of OKLab lightness, so colours
    keep their hue and their distance from each other.

    Parameters
    ----------
    colour : str
        A colour as ``#rrggbb``.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    str
    """
    if not dark:
        return colour
    lab = to_oklab(hex_to_rgb(colour))
    lab[0] = min(lab[0] + 0.12, 0.88)
    return rgb_to_hex(from_oklab(lab))


def method_colour(name: str, dark: bool = False) -> str:
    """Give the colour of a method.

    Parameters
    ----------
    name : str
        Class name of the method; an unknown one gets the neutral.
    dark : bool, default False
        Whether the page is dark.

    Returns
    -------
    str
        A colour as ``#rrggbb``.
    """
    return on_page(METHOD_COLOURS.get(name, NEUTRAL), dark)


def contrast(first: str, second: str) -> float:
    """Give the contrast ratio of two colours, 1 … 21 (WCAG 2.2)."""

    def luminance(colour: str) -> float:
        c: Any = hex_to_rgb(colour) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
