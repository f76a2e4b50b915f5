"""Axes of features, by their values or by the names of the features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files.label_names import words_of
from cspca.datasets.files.parsed import Axis

_NUMBER: Final = re.compile(r"^(.*?)([-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(.*?)$")
_UNITS: Final = re.compile(
    r"^\s*[\[(]?(nm|µm|um|cm[-−^]*1|cm⁻¹|1/cm|Da|m/z|ppm|Hz|kHz|MHz|GHz|eV|keV|s|ms|min|°|deg|K|Å)"
    r"[\])]?$",
    re.IGNORECASE,
)
_PREFIXES: Final = frozenset({"x", "_", "v", "spc", "nir", "ir", "m/z", "m", "t", "2theta"})
"""Prefixes that programs and people put before the values of an axis."""

MOST_UNEVEN: Final = 50.0
"""Greatest step of an axis over its middle step, at most: two detectors leave a gap of a few."""

_PIXEL: Final = re.compile(r"^r(\d+)c(\d+)$", re.IGNORECASE)


AXIS_WORDS: Final = frozenset(
    {
        "axis", "band", "bands", "da", "energies", "energy", "ev", "freq", "freqs", "frequencies",
        "frequency", "hz", "lambda", "lambdas", "mass", "masses", "mz", "nm", "nu", "ppm", "q",
        "raman", "shift", "shifts", "theta", "tof", "w", "wave", "wavelength", "wavelengths",
        "wavenumber", "wavenumbers", "wavs", "wl", "wls", "wn", "wvl", "wvls", "xaxis",
    }
)  # fmt: skip
"""Words by which a name declares that a vector is the axis of the features."""


def axis_of_values(name: str, values: NDArray[Any]) -> Axis | None:
    """Return the axis that a vector of such a name is, if it runs strictly one way.

    A vector of another name that rises may as well be a dose or a clock of the samples.
    """
    is_named = not AXIS_WORDS.isdisjoint({*words_of(name), name.lower().replace("_", "")})
    if values.dtype.kind not in "fiu" or not is_named or len(values) < 3:
        return None
    numbers = values.astype(float)
    if not np.isfinite(numbers).all() or not is_axis(numbers):
        return None
    return Axis(tuple(numbers.tolist()))


def is_axis(numbers: NDArray[Any]) -> bool:
    """Whether numbers run strictly one way, and do not only count from 0 or 1."""
    steps = np.diff(numbers)
    is_strict = bool((steps > 0).all() or (steps < 0).all())
    counts = bool((np.abs(steps) == 1).all()) and min(numbers[0], numbers[-1]) in (0, 1)
    return is_strict and not counts


def axis_of_names(names: Sequence[str]) -> Axis | None:
    """Return the axis that names of features are: numbers with one prefix or unit in common.

    A number behind a word, such as ``gene12`` or ``ENSG00000000003``, is none, unless the word is
    one of an axis or a unit follows. Nor are accession numbers, whose steps differ wildly.
    """
    matches = [_NUMBER.match(name.strip()) for name in names]
    if len(names) < 3 or not all(matches):
        return None
    parts = [match.groups() for match in matches if match]
    prefixes, suffixes = {part[0] for part in parts}, {part[2] for part in parts}
    if len(prefixes) > 1 or len(suffixes) > 1:
        return None
    numbers = np.array([float(part[1].replace("−", "-")) for part in parts])
    prefix, suffix = prefixes.pop().strip(" _.-"), suffixes.pop().strip()
    unit = suffix if _UNITS.match(suffix) else ""
    if suffix and not unit:
        return None
    steps = np.abs(np.diff(numbers))
    if not is_axis(numbers) or steps.max() > MOST_UNEVEN * np.median(steps):
        return None
    is_of_axis = prefix.lower() in _PREFIXES or not AXIS_WORDS.isdisjoint(words_of(prefix))
    is_counter = bool((steps == 1).all())
    if prefix and not unit and (is_counter or not is_of_axis):
        return None
    return Axis(tuple(numbers.tolist()), unit)


def picture_of_names(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the shape of a picture whose pixels are called r1c1, r1c2, … row by row."""
    matches = [_PIXEL.match(name.strip()) for name in names]
    if not names or not all(matches):
        return None
    places = [tuple(map(int, match.groups())) for match in matches if match]
    start_row, start_column = places[0]
    height, width = places[-1][0] - start_row + 1, places[-1][1] - start_column + 1
    rows = range(start_row, start_row + max(0, height))
    columns = range(start_column, start_column + max(0, width))
    if height * width != len(names) or start_row not in (0, 1):
        return None
    return (height, width) if places == [(row, col) for row in rows for col in columns] else None
