"""Spectra that nobody measured: it is known which points carry class, baseline and noise."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.axis import Axis
from cspca.datasets.record import Dataset, check_count
from cspca.datasets.steps import Steps
from cspca.datasets.truth import FeatureTruth, drawn_alike

Floats = NDArray[np.float64]

CLASSES: Final = ("blend A", "blend B", "blend C")
CLASS_PEAKS: Final = (1240.0, 1480.0, 1640.0)
"""Places in nm of the peaks that carry the class: each is high in one class."""

OTHER_PEAKS: Final = (1150.0, 1360.0, 1720.0)
"""Places in nm of peaks that vary alike in all classes."""

_FIRST, _END = 1100.0, 2300.0  # nm
_SECOND_DETECTOR: Final = 1800.0  # nm, from where on the noise is larger
_WIDTH: Final = 16.0  # standard deviation of a peak, nm
_HIGH, _LOW, _WITHIN = 1.0, 0.4, 0.2  # amounts in the own class, in others, and how far they vary
_CLASS_HEIGHT, _OTHER_HEIGHT = 0.25, 0.08  # absorbance
_OFFSET: Final = 0.06  # absorbance
_TAIL, _TAIL_LENGTH = (0.02, 0.2), 200.0  # absorbance at the first point, and nm
_SCATTER: Final = 0.1  # how far the path through a sample is from 1
_NOISE: Final = (0.0005, 0.006)  # standard deviation of each detector, absorbance
_FOREIGN_PLACE, _FOREIGN_WIDTH, _FOREIGN_HEIGHT = 1932.0, 60.0, 0.6  # nm, nm, absorbance


def make_spectra(
    n_samples: int = 150, n_points: int = 300, outlier: bool = False, random_state: int = 0
) -> Dataset:
    """Make near-infrared spectra of three blends, in absorbance, on an axis from 1100 to 2300 nm.

    Three peaks carry the class and three others do not. All peaks are multiplied by the scatter of
    the sample, and stand on a baseline that falls with the wavelength; neither carries the class.
    From 1800 nm on there are no peaks, and a second detector with twelve times the noise.

    Parameters
    ----------
    n_samples : int, default 150
        Number of spectra; the blends take turns. Without an outlier, a spectrum does not depend on
        how many there are.
    n_points : int, default 300
        Number of wavelengths, 30 to 3,000, in equal steps.
    outlier : bool, default False
        Whether one sample has a broad band at 1932 nm that no other has.
    random_state : int, default 0
        The same number gives the same spectra.

    Returns
    -------
    Dataset
        Features are called ``1100 nm``, ``1104 nm``, …; values are absorbances, not scaled. Its
        ``truth`` is a `FeatureTruth` with the parts ``class``, ``other``, ``baseline`` and
        ``noise``; peaks reach two standard deviations from their place.

    Raises
    ------
    DatasetError
        If a number is out of range.
    """
    check_count("n_samples", n_samples, len(CLASSES), 100_000)
    check_count("n_points", n_points, 30, 3000)
    check_count("random_state", random_state, 0)
    axis = np.linspace(_FIRST, _END, n_points, endpoint=False).round(2)
    places = Axis(tuple(axis.tolist()), "nm")
    names = tuple(places.name(point) for point in range(n_points))
    target = np.arange(n_samples) % len(CLASSES)
    n_class, n_other = len(CLASS_PEAKS), len(OTHER_PEAKS)
    # One row of numbers a sample, all between 0 and 1: absorbances stay below 1.
    draws = np.random.default_rng(random_state).random(
        (n_samples, n_class + n_other + 2 + n_points)
    )
    in_class, others, (tail, path), noises = np.split(
        draws.T, np.cumsum([n_class, n_other, 2]), axis=0
    )
    own_peak = np.arange(n_class)[:, None] == target
    amounts = np.where(own_peak, _HIGH, _LOW) + _WITHIN * (2 * in_class - 1)
    class_bands = _CLASS_HEIGHT * amounts.T @ _peaks(axis, CLASS_PEAKS)
    other_bands = _OTHER_HEIGHT * (0.3 + 0.7 * others.T) @ _peaks(axis, OTHER_PEAKS)
    scatter = 1 + _SCATTER * (2 * path - 1)
    height = _TAIL[0] + (_TAIL[1] - _TAIL[0]) * tail
    baseline = _OFFSET + np.outer(height, np.exp((_FIRST - axis) / _TAIL_LENGTH))
    second_detector = axis >= _SECOND_DETECTOR
    noise = np.where(second_detector, _NOISE[1], _NOISE[0]) * np.sqrt(3) * (2 * noises.T - 1)
    bands = class_bands + other_bands
    spectra = bands * scatter[:, None] + baseline + noise
    is_outlier = np.zeros(n_samples, dtype=bool)
    if outlier:
        is_outlier[np.random.default_rng([random_state, 1]).integers(n_samples)] = True
        foreign = np.exp(-0.5 * ((axis - _FOREIGN_PLACE) / _FOREIGN_WIDTH) ** 2)
        spectra[is_outlier] += _FOREIGN_HEIGHT * foreign
    return Dataset(
        data=drawn_alike(spectra),
        target=target,
        target_names=CLASSES,
        feature_names=names,
        name="spectra",
        source="computed by this program",
        licence="BSD-3-Clause",
        description="Spectra of three blends: three peaks carry the class, while other peaks, "
        "scatter, the baseline and a noisy detector from 1800 nm on do not; what each point "
        "carries is known.",
        steps=Steps.of_values(n_points, None, names, "float64", axis=places),
        truth=FeatureTruth(
            parts=_parts(axis),
            deviations={
                "class": class_bands.std(axis=0),
                "other": other_bands.std(axis=0),
                "scatter": (bands * (scatter - 1)[:, None]).std(axis=0),
                "baseline": baseline.std(axis=0),
                "noise": noise.std(axis=0),
            },
            factors={"scatter": scatter, "baseline": height},
            outlier=is_outlier,
        ),
    ).prepared_by("Spectra were computed in 0 – 1, and taken as they are.")


def _peaks(axis: Floats, places: tuple[float, ...]) -> Floats:
    """Return peaks of height 1 at these places, one a row."""
    peaks: Floats = np.exp(-0.5 * ((axis - np.array(places)[:, None]) / _WIDTH) ** 2)
    return peaks


def _parts(axis: Floats) -> tuple[str, ...]:
    parts = np.full(len(axis), "baseline", dtype=object)
    parts[axis >= _SECOND_DETECTOR] = "noise"
    for part, places in (("other", OTHER_PEAKS), ("class", CLASS_PEAKS)):
        distance = np.abs(axis - np.array(places)[:, None]).min(axis=0)
        parts[distance <= 2 * _WIDTH] = part
    return tuple(parts.tolist())
