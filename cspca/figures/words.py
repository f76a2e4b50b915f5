"""Numbers in words, as charts, tables and sentences write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol


class Nouns(Protocol):
    """What the rows and columns of a data set are called, in the singular and the plural."""

    @property
    def sample(self) -> str:
        """One row."""

    @property
    def samples(self) -> str:
        """Several rows."""

    @property
    def feature(self) -> str:
        """One column."""

    @property
    def features(self) -> str:
        """Several columns."""


class _Words(NamedTuple):
    sample: str = "sample"
    samples: str = "samples"
    feature: str = "feature"
    features: str = "features"


PLAIN: Final = _Words()
"""Nouns of data of which no others are known."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def capitalised(text: str) -> str:
    """Text with a capital at its beginning; what follows stays as it was written."""
    return text[:1].upper() + text[1:]


def percent(gap: float) -> str:
    """Write a share in per cent with two significant digits, rounded up, or “unknown”."""
    if not math.isfinite(gap):
        return "unknown"
    value = 100 * max(gap, 0.0)
    if value == 0:
        return "0 %"
    # Rounded up: "within x %" must stay true.
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    rounded = math.ceil(value / step - 1e-9) * step
    if rounded < 1e-4:
        return f"{power(float(f'{rounded:.2g}'))} %"
    return f"{rounded:,.2g} %" if rounded < 100 else f"{rounded:,.0f} %"


ROUNDING = 1e-9
"""Relative gap up to which only rounding is left: bounds are lowered by the rounding error."""


def above(gap: float) -> float:
    """Bound the excess over the optimum, a share of it; `gap` is a share of the objective."""
    return gap / (1.0 - gap) if gap < 1.0 else math.inf


def gap_in_words(gap: float) -> str:
    """Write how far above the optimum: “0.05 %”, or “rounding error”."""
    return "rounding error" if gap <= ROUNDING else percent(above(gap))


def from_optimum(gap: float) -> str:
    """Write the gap as every page shows it: “within 0.05 % of the optimum”."""
    if gap <= ROUNDING:
        return "at the optimum, up to rounding"
    return f"within {gap_in_words(gap)} of the optimum" if gap < 1 else "not bounded yet"


def duration(seconds: float) -> str:
    """Write a time with a unit that suits it."""
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


def megabytes(n_bytes: float) -> str:
    """Write a size in megabytes with one digit."""
    return f"{n_bytes / 2**20:,.1f} MB"


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


def listed(parts: Sequence[str]) -> str:
    """Join the parts with commas, the last one with “and”."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def minus(text: str) -> str:
    """Replace hyphens by minus signs."""
    return text.replace("-", "−")
