"""From whatever range a file uses to 0 – 1, and what was done, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.choices import Grey, Scale
from cspca.datasets.record import DatasetError, Floats

Array = NDArray[Any]

_FLOAT_255_FROM = 100.0  # fractional values up to 255 are taken for grey levels from here on
_OTHER_UNIT = 10.0
_MANY_COLUMNS = 16
_WEIGHTS: dict[Grey, tuple[float, float, float]] = {
    "luma": (0.299, 0.587, 0.114),  # Rec. 601, what MATLAB's rgb2gray uses
    "mean": (1 / 3, 1 / 3, 1 / 3),
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
}
_VALUES_AT_ONCE = 2**20
_RANGES: dict[Scale, tuple[float, float]] = {
    "unit": (0, 1), "signed": (-1, 1), "16": (0, 16), "255": (0, 255), "65535": (0, 65535),
}  # fmt: skip


def scale_to_unit(
    values: Floats, scale: Scale | None = None, name: str = "data", *, grey: bool = True
) -> tuple[Floats, str, Scale]:
    """Scale to [0, 1] and say how."""
    low, high = float(values.min()), float(values.max())
    span = f"values {_say(low)} {'–' if low >= 0 else 'to'} {_say(high)}"
    used = scale or _guess(values, low, high, grey=grey)
    if used in _RANGES:
        least, most = _RANGES[used]
        if low < least or high > most:
            span = f"{_say(least)} {'–' if least >= 0 else '…'} {most:,.0f}"
            raise DatasetError(
                f"{name}: values run from {_say(low)} to {_say(high)}, outside {span}: choose "
                "another scale."
            )
        if used == "unit":
            return values, "values already in 0 – 1", used
        values -= least
        values /= most - least
        moved = "moved from −1 … 1 to 0 – 1"
        divided = f"divided by {most:g}, so 0 – {most:g} becomes 0 – 1"
        return values, f"{span} {divided if used != 'signed' else moved}", used
    if used == "columns":
        for column in range(values.shape[1]):
            _stretch(values[:, column])
        return values, f"{span} stretched to 0 – 1 column by column", used
    _stretch(values)
    same = f"every value is {_say(low)}, set to 0"
    return values, same if low == high else f"{span} stretched to 0 – 1", used


def different_units(values: Floats, *, named: bool) -> bool:
    """Whether some columns of a table span so much more than others that these would not count."""
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        return False
    if not named and values.shape[1] >= _MANY_COLUMNS and _guess(values, low, high) != "stretch":
        return False
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    spans = values.max(axis=0) / size - values.min(axis=0) / size
    spans = spans[spans > 0]
    return len(spans) >= 2 and float(spans.max()) > _OTHER_UNIT * float(spans.min())


def weighed(colours: Array, how: Grey, dtype: type[np.floating[Any]]) -> Floats:
    """Make grey of (…, 3) or (…, 4) colours; a fourth channel is left out."""
    grey = np.zeros(colours.shape[:-1], dtype=dtype)
    # Channel by channel: a third of the memory of one product over all three.
    for channel, weight in enumerate(_WEIGHTS[how]):
        if weight:
            grey += colours[..., channel] * dtype(weight)
    return grey


def _guess(values: Floats, low: float, high: float, *, grey: bool = True) -> Scale:
    fitting = [scale for scale, (least, most) in _RANGES.items() if least <= low and high <= most]
    if not fitting or fitting[0] in ("unit", "signed"):
        return fitting[0] if fitting else "stretch"
    # In parts, so that no copy of a large set is made.
    parts = np.array_split(values, 1 + values.size // _VALUES_AT_ONCE)
    if not all((part == np.rint(part)).all() for part in parts):
        return "255" if grey and _FLOAT_255_FROM <= high <= 255 else "stretch"
    return fitting[0]


def _stretch(values: np.ndarray[Any, np.dtype[np.floating[Any]]]) -> None:
    low, high = float(values.min()), float(values.max())
    if low == high:
        values[...] = 0
        return
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    values /= size
    values -= values.dtype.type(low / size)
    values /= values.max()
    np.clip(values, 0, 1, out=values)


def _say(value: float) -> str:
    return f"{value:g}".replace("-", "−")
