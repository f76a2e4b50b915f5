"""What chemists do with spectra before an analysis: standard normal variates, and derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Final

import numpy as np

from cspca.datasets.record import Dataset, DatasetError, Floats

_MOST_UNEVEN: Final = 0.02
"""Most that a step of the axis may differ from the mean step, as a share, for a derivative: the
places of an even axis are often written with two digits after the point."""
_ROUND_OFF: Final = 1e-12
"""What the rounding of values up to 1 may leave of a flat derivative, over the unit of the axis."""


@dataclass(frozen=True)
class StandardNormalVariates:
    """Each sample brought to mean 0 and standard deviation 1, and all values to 0 – 1 alike.

    Parameters
    ----------
    low, high : float
        Numbers that became 0 and 1.
    """

    low: float
    high: float

    def apply(self, values: Floats) -> Floats:
        """Return the changed values, in the precision of `values`."""
        return _to_unit(_normal_variates(values), self.low, self.high, values)

    @property
    def sentence(self) -> str:
        """What was done, with its numbers."""
        return (
            "Of every sample its mean was taken off, and it was divided by its standard deviation "
            f"(SNV); then {self.low:.3g} … {self.high:.3g} became 0 – 1."
        )


@dataclass(frozen=True)
class Derivative:
    """Derivatives of the samples along their axis, and all values brought to 0 – 1 alike.

    Parameters
    ----------
    order : int
        1 for the slope, 2 for the curvature.
    width : int
        Points of the window, odd.
    degree : int
        Of the polynomial that is fitted in each window.
    step : float
        From one point of the axis to the next; negative where the axis falls.
    low, high : float
        Numbers that became 0 and 1.
    unit : str
        Of the axis.
    """

    order: int
    width: int
    degree: int
    step: float
    low: float
    high: float
    unit: str = ""

    def apply(self, values: Floats) -> Floats:
        """Return the changed values, in the precision of `values`."""
        derived = _derived(values, self.order, self.width, self.degree, self.step)
        return _to_unit(derived, self.low, self.high, values)

    @property
    def sentence(self) -> str:
        """What was done, with its numbers."""
        number = "first" if self.order == 1 else "second"
        direction = "rising" if self.step > 0 else "falling"
        unit = self.unit or "unit of the axis"
        per = unit if self.order == 1 else f"{unit} squared"
        return (
            f"The {number} derivative along the {direction} axis was taken, per {per}, by "
            f"polynomials of degree {self.degree} in windows of {self.width} points "
            f"({self.width * abs(self.step):.4g} on the axis; Savitzky and Golay); then "
            f"{self.low:.3g} … {self.high:.3g} became 0 – 1."
        )


def snv(dataset: Dataset) -> Dataset:
    r"""Bring each sample to mean 0 and standard deviation 1: standard normal variates.

    It takes off what scatter does to a whole spectrum: an offset, and a factor.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    Dataset
        With values :math:`(x_{ij} - \bar x_i) / s_i`, :math:`s_i` with one degree of freedom less,
        then all brought to 0 – 1 alike. A sample without spread is flat. `Dataset.truth` and
        `Dataset.skeleton`, which are of the values as they were, are not carried over.

    Raises
    ------
    DatasetError
        If no sample has a spread.

    References
    ----------
    R. J. Barnes, M. S. Dhanoa and S. J. Lister, Standard Normal Variate Transformation and
    De-trending of Near-Infrared Diffuse Reflectance Spectra, Applied Spectroscopy 43 (1989).

    Examples
    --------
    >>> from cspca.datasets import Dataset
    >>> both = Dataset([[0.1, 0.2, 0.3], [0.4, 0.6, 0.8]])  # one is twice the other, less 0.2
    >>> snv(both).data.round(6).tolist()
    [[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]]
    """
    values = _normal_variates(dataset.data)
    if not values.any():
        raise DatasetError(
            f"{dataset.name}: no {dataset.nouns.sample} has values that differ, so none can be "
            "divided by its standard deviation: leave this step out."
        )
    change = StandardNormalVariates(float(values.min()), float(values.max()))
    return dataset.rescaled_by(change, "snv")


def derivative(dataset: Dataset, order: int = 1, width: int = 11, degree: int = 2) -> Dataset:
    """Take derivatives of the samples along their axis, smoothed as Savitzky and Golay do.

    They take off a baseline: an offset with the first, a slope too with the second. They run in
    the direction of the axis' values, not of the columns: on an axis that falls the sign is that of
    one that rises.

    Parameters
    ----------
    dataset : Dataset
        With an axis of even steps.
    order : {1, 2}, default=1
    width : int, default=11
        Points of the window, odd, more than `degree`.
    degree : int, default=2
        Of the polynomials, at least `order`.

    Returns
    -------
    Dataset
        With values per unit of the axis, all brought to 0 – 1 alike; at the ends those of the
        last window's polynomial. `Dataset.truth`, which is of the values as they were, is not
        carried over.

    Raises
    ------
    DatasetError
        If there is no axis, its steps differ, or the window does not fit; the sentence says which.

    References
    ----------
    A. Savitzky and M. J. E. Golay, Smoothing and Differentiation of Data by Simplified Least
    Squares Procedures, Analytical Chemistry 36 (1964).
    """
    name, axis = dataset.name, dataset.axis
    if axis is None:
        raise DatasetError(f"{name}: derivatives are along an axis, and its features have none.")
    steps = np.diff(axis.values)
    step = float(steps.mean())
    if np.abs(steps - step).max() > _MOST_UNEVEN * abs(step):
        raise DatasetError(
            f"{name}: the steps of its axis run from {np.abs(steps).min():.4g} to "
            f"{np.abs(steps).max():.4g}, and derivatives need even ones: bring the spectra to an "
            "even axis first."
        )
    if not all(isinstance(number, Integral) for number in (order, width, degree)):
        raise DatasetError(
            f"{name}: order {order}, width {width} and degree {degree} are not all whole numbers: "
            "give whole ones."
        )
    if order not in (1, 2) or degree < order:
        raise DatasetError(
            f"{name}: order {order} of degree {degree} is no derivative here: give order 1 or 2, "
            "and a degree that is not below it."
        )
    if width % 2 == 0 or not degree < width <= dataset.n_features:
        raise DatasetError(
            f"{name}: a window of {width} points does not fit: give an odd number above "
            f"{degree}, {dataset.n_features:,} at most."
        )
    values = _derived(dataset.data, order, width, degree, step)
    low, high = float(values.min()), float(values.max())
    if high - low <= _ROUND_OFF / abs(step) ** order:
        raise DatasetError(f"{name}: its derivative is the same everywhere: leave this step out.")
    change = Derivative(order, width, degree, step, low, high, axis.unit)
    options = {"order": order, "width": width, "degree": degree}
    return dataset.rescaled_by(change, "derivative", **options)


def _to_unit(changed: Floats, low: float, high: float, like: Floats) -> Floats:
    unit: Floats = (changed - low) / (high - low)
    return unit.astype(like.dtype, copy=False)


def _normal_variates(values: Floats) -> Floats:
    rows = np.asarray(values, dtype=np.float64)
    rows = rows - rows.mean(axis=1, keepdims=True)
    spread = rows.std(axis=1, ddof=1, keepdims=True)
    # What the rounding of a mean leaves of a flat sample is no spread.
    is_flat = (values == values[:, :1]).all(axis=1, keepdims=True)
    variates: Floats = np.where(is_flat, 0.0, rows / np.where(is_flat, 1.0, spread))
    return variates


def _derived(values: Floats, order: int, width: int, degree: int, step: float) -> Floats:
    from scipy.signal import savgol_filter

    rows = np.asarray(values, dtype=np.float64)
    derived: Floats = savgol_filter(rows, width, degree, deriv=order, delta=step, axis=1)
    return derived
