"""Numbers in words, as charts, tables and sentences write them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def percent(gap: float) -> str:
    """Write a relative gap in per cent with two significant digits, rounded up, or “unknown”."""
    if not math.isfinite(gap):
        return "unknown"
    value = 100 * max(gap, 0.0)
    if value == 0:
        return "0 %"
    # Rounded up: "within x %" must stay true.
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    rounded = math.ceil(value / step - 1e-9) * step
    return f"{rounded:,.2g} %" if rounded < 100 else f"{rounded:,.0f} %"


def number(value: float | None, *, as_percent: bool, unit: bool = True) -> str:
    """Write a score: a fraction in per cent with one decimal, or three significant digits."""
    if value is None or not math.isfinite(value):
        return "not known"
    if as_percent:
        return minus(f"{100 * value:.1f}") + (" %" if unit else "")
    return minus(f"{value:.3g}")


def spread(mean: float | None, std: float | None, *, as_percent: bool) -> str:
    """Write mean ± std with as many decimals in both, or the mean alone where there is no std."""
    if mean is None or std is None or not (known(mean) and known(std)):
        return number(mean, as_percent=as_percent)
    if not as_percent:
        return f"{minus(f'{mean:.3f}')} ± {std:.3f}"
    first, second = (number(v, as_percent=True, unit=False) for v in (mean, std))
    return f"{first} ± {second} %"


def known(value: float | None) -> bool:
    """Whether a value is there and finite."""
    return value is not None and math.isfinite(value)


def floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Give values as an array, NaN for None and for what is not finite."""
    array = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    array[~np.isfinite(array)] = np.nan
    return array


def duration(seconds: float | None) -> str:
    """Write a time with a unit that suits it."""
    if seconds is None or not math.isfinite(seconds):
        return "not known"
    if seconds <= 0:
        return "0 s"
    if seconds < 1e-3:
        return "under 1 ms"
    if seconds < 0.0995:
        return f"{1e3 * seconds:.2g} ms"
    if seconds < 99.5:
        return f"{seconds:.2g} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{seconds / 3600:.2g} h"


def power(value: float) -> str:
    """Write a value of a grid briefly: 0.01 to 1000 as they are, others as powers of ten."""
    if not math.isfinite(value):
        return "?"
    if value == 0 or 1e-2 <= abs(value) < 1e3:
        return minus(f"{value:.3g}")
    mantissa, exponent = f"{value:.2e}".split("e")
    raised = "10" + str(int(exponent)).translate(_RAISED)
    factor = mantissa.rstrip("0").rstrip(".")
    return minus(raised if factor == "1" else f"{factor}·{raised}")


def minus(text: str) -> str:
    """Write a hyphen as the sign that it stands for."""
    return text.replace("-", "−")
