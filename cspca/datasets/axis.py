"""The axis that features are points of, such as wavelengths: its names, and ranges of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.nouns import Nouns
from cspca.datasets.numbering import runs_of

_NUMBER: Final = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANGE: Final = re.compile(rf"({_NUMBER})(?:\s*(?:-|–|\.\.|to)\s*({_NUMBER}))?")
_MOST_RANGES: Final = 6
"""Most ranges that a sentence lists."""


def _spectrum(feature: str, features: str = "") -> Nouns:
    return Nouns("spectrum", feature, "spectra", features)


QUANTITIES: Final = {
    "wavelength": ("Wavelength", _spectrum("wavelength")),
    "wavenumber": ("Wavenumber", _spectrum("wavenumber")),
    "frequency": ("Frequency", _spectrum("frequency", "frequencies")),
    "energy": ("Energy", _spectrum("energy", "energies")),
    "chemical shift": ("Chemical shift", _spectrum("chemical shift")),
    "m/z": ("m/z", _spectrum("m/z value")),
    "place in the spectrum": ("Place in the spectrum", _spectrum("point")),
    "time": ("Time", Nouns("curve", "time point")),
    "temperature": ("Temperature", Nouns("curve", "temperature")),
    "voltage": ("Voltage", Nouns("curve", "voltage")),
    "angle": ("Angle", Nouns("curve", "angle")),
    "": ("Place on the axis", Nouns("curve", "point")),
}
"""Title of an axis of each quantity, and what its samples and points are called."""

_UNITS: Final = {
    "wavelength": ("nm", "um", "µm", "μm"),
    "wavenumber": ("cm-1", "cm^-1", "cm⁻¹", "1/cm", "cm1"),
    "frequency": ("hz", "khz", "mhz", "ghz", "thz"),
    "energy": ("ev", "kev", "mev"),
    "chemical shift": ("ppm",),
    "m/z": ("m/z", "da"),
    "time": ("s", "sec", "ms", "us", "min", "h"),
    "temperature": ("k", "°c", "degc"),
    "voltage": ("v", "mv"),
    "angle": ("deg", "°"),
}
_QUANTITY_OF_UNIT: Final = {unit: quantity for quantity, units in _UNITS.items() for unit in units}


def is_monotonic(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether numbers rise all along, or fall all along; of a matrix, for each row."""
    steps = np.diff(values, axis=-1)
    return np.asarray((steps > 0).all(axis=-1) | (steps < 0).all(axis=-1))


@dataclass(frozen=True)
class Axis:
    """The axis that features are points of.

    Parameters
    ----------
    values : tuple of float
        Place of each feature on it, in the order of the features.
    unit : str
        Such as ``nm``; empty where nothing says it.
    quantity : str
        What its values are, a key of `QUANTITIES`, such as ``wavelength``; a unit that is known
        decides.
    """

    values: tuple[float, ...]
    unit: str = ""
    quantity: str = ""

    def __post_init__(self) -> None:
        # A frozen record is set through its namespace.
        vars(self)["quantity"] = _QUANTITY_OF_UNIT.get(self.unit.lower(), self.quantity)

    @property
    def nouns(self) -> Nouns:
        """What the samples along it and its points are called."""
        return QUANTITIES[self.quantity][1]

    @property
    def runs_one_way(self) -> bool:
        """Whether its values rise all along, or fall all along."""
        return len(self.values) > 1 and bool(is_monotonic(np.array(self.values)))

    @property
    def title(self) -> str:
        """What stands below a chart along it."""
        title = QUANTITIES[self.quantity][0]
        if not self.quantity:
            return self.unit or title
        # The unit of m/z is its title too.
        return title if self.unit in ("", title) else f"{title} ({self.unit})"

    def name(self, feature: int) -> str:
        """Name of a feature: its value and unit."""
        return self._with_unit(f"{self.values[feature]:.10g}")

    def _with_unit(self, text: str) -> str:
        return f"{text} {self.unit}" if self.unit else text

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round values of the axis, `most` or a few less.

        Returns
        -------
        list of (float, str)
            Where each lies between the first edge of the features, 0, and the last, 1; and the
            value as text.

        Examples
        --------
        >>> Axis((10.0, 20.0, 30.0, 40.0), "nm").ticks(3)
        [(0.375, '20'), (0.875, '40')]
        """
        values = np.array(self.values)
        low, high = sorted((values[0], values[-1]))
        raw = (high - low) / max(1, most - 1)
        power = 10.0 ** np.floor(np.log10(raw)) if raw > 0 else 1.0
        step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw)
        rounded = step * np.arange(np.ceil(low / step - 1e-9), high / step + 1e-9)
        rising = values if values[0] <= values[-1] else values[::-1]
        places = np.interp(rounded, rising, np.arange(len(values)))
        if values[0] > values[-1]:
            places = len(values) - 1 - places
        shares = (places + 0.5) / len(values)
        return [
            (float(share), f"{value:.6g}") for share, value in zip(shares, rounded, strict=True)
        ]

    def ranges(self, features: Iterable[int]) -> list[tuple[int, int]]:
        """Features that follow each other, as the first and the last of each range.

        Examples
        --------
        >>> Axis((1.0, 2.0, 3.0, 4.0), "nm").ranges([3, 0, 1])
        [(0, 1), (3, 3)]
        """
        return runs_of(sorted(set(features)))

    def ranges_in_words(self, features: Iterable[int]) -> str:
        """Ranges of features in words, the widest where there are many; empty without any.

        Examples
        --------
        >>> Axis((1100.0, 1102.0, 1104.0, 1106.0), "nm").ranges_in_words([0, 1, 3])
        '1100 – 1102 and 1106 nm'
        """
        runs = self.ranges(features)
        shown = sorted(runs, key=lambda run: (run[0] - run[1], run[0]))[:_MOST_RANGES]
        texts = [self._range_text(*run, " – ") for run in sorted(shown)]
        n_further = len(runs) - len(shown)
        if n_further:
            further = "1 more range" if n_further == 1 else f"{n_further:,} more ranges"
            return f"{self._with_unit(', '.join(texts))} and {further}"
        if not texts:
            return ""
        start = ", ".join(texts[:-1])
        return self._with_unit(f"{start} and {texts[-1]}" if start else "".join(texts))

    def as_text(self, features: Iterable[int]) -> str:
        """Write ranges of features as `from_text` reads them.

        Examples
        --------
        >>> Axis((1100.0, 1102.0, 1104.0, 1106.0), "nm").as_text([0, 1, 3])
        '1100-1102, 1106'
        """
        runs = self.ranges(features)
        if not self.runs_one_way:
            # A range of values could hold others that lie elsewhere.
            runs = [(place, place) for first, last in runs for place in range(first, last + 1)]
        return ", ".join(self._range_text(*run, "-") for run in runs)

    def _range_text(self, first: int, last: int, between: str) -> str:
        ends = [f"{self.values[place]:.10g}" for place in dict.fromkeys((first, last))]
        return between.join(ends)

    def from_text(self, text: str) -> NDArray[np.bool_]:
        """Mark the features whose values, or ranges of them, a person wrote.

        Parameters
        ----------
        text : str
            Such as ``1650-1700, 1720``, with or without the unit; a single value means the
            feature that is nearest to it.

        Returns
        -------
        array of bool, one a feature

        Raises
        ------
        ValueError
            One sentence: what is no range, or lies beside the axis.
        """
        # As exact as they are written.
        values = np.array([float(f"{value:.10g}") for value in self.values])
        mask = np.zeros(len(values), dtype=bool)
        unit = rf"(?<=\d)\s*{re.escape(self.unit)}(?![^\W\d_])" if self.unit else r"(?!)"
        for part in filter(None, (part.strip() for part in re.split(r"[,;\n]", text))):
            match = _RANGE.fullmatch(re.sub(unit, "", part))
            if match is None:
                raise ValueError(f"“{part[:40]}” is no range: write some such as {self.example}.")
            first, last = (float((end or match[1]).replace("−", "-")) for end in match.groups())
            low, high = min(first, last), max(first, last)
            within = (values >= low) & (values <= high)
            if (low < values.min() and high < values.min()) or low > values.max():
                raise ValueError(
                    f"“{part[:40]}” lies beside the axis, which runs from "
                    f"{self.name(0)} to {self.name(len(values) - 1)}."
                )
            if not within.any():
                within[np.argmin(np.abs(values - (low + high) / 2))] = True
            mask |= within
        return mask

    @property
    def example(self) -> str:
        """A range of the axis, as a person would write it."""
        some = sorted((self.values[len(self.values) // 4], self.values[len(self.values) // 2]))
        return f"{some[0]:.10g}-{some[1]:.10g}"
