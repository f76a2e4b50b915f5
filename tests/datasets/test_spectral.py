"""Standard normal variates and derivatives of spectra, and that new samples go the same way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, derivative, load_file, read_like, snv
from cspca.datasets.axis import Axis
from tests.datasets.kinds import write

pytestmark = pytest.mark.usefixtures("at_home")

PLACES = np.arange(1100.0, 1300, 2)


def along(values: np.ndarray, places: np.ndarray = PLACES, unit: str = "nm") -> Dataset:
    plain = Dataset(values)
    return replace(plain, steps=replace(plain.steps, axis=Axis(tuple(places.tolist()), unit)))


def restored(dataset: Dataset) -> np.ndarray:
    """Values before they were brought to 0 – 1."""
    change = dataset.steps.changes[-1]
    return dataset.data * (change.high - change.low) + change.low


def test_offsets_and_factors_of_a_spectrum_go() -> None:
    rng = np.random.default_rng(0)
    curve = rng.random(100)
    scattered = np.stack([0.1 + 0.5 * curve, 0.3 + 0.2 * curve, 0.7 * curve])
    values = restored(snv(along(scattered)))
    np.testing.assert_allclose(values, np.tile(values[0], (3, 1)), atol=1e-12)
    np.testing.assert_allclose(values.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(values.std(axis=1, ddof=1), 1, rtol=1e-12)


def test_a_flat_sample_stays_flat_and_nothing_else_is_refused() -> None:
    values = np.vstack([np.full(100, 0.1), np.linspace(0, 1, 100)])
    flat = restored(snv(along(values)))[0]
    np.testing.assert_allclose(flat, 0, atol=1e-12)
    with pytest.raises(DatasetError, match="no spectrum has values that differ"):
        snv(along(np.full((3, 100), 0.3)))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("falls", [False, True])
def test_derivatives_of_a_parabola_are_exact_in_either_direction(order: int, falls: bool) -> None:
    x = PLACES - 1100
    parabola = 0.1 + 2e-3 * x + 1e-5 * x**2
    other = 0.2 + 1e-3 * x
    rows = np.stack([parabola, other])
    places = PLACES
    if falls:
        rows, places = rows[:, ::-1], places[::-1]
    derived = restored(derivative(along(rows, places), order=order))
    exact = [2e-3 + 2e-5 * x, np.full(100, 1e-3)] if order == 1 else [np.full(100, 2e-5), 0 * x]
    expected = np.stack(exact)[:, ::-1] if falls else np.stack(exact)
    np.testing.assert_allclose(derived, expected, atol=1e-12)
    sentence = derivative(along(rows, places), order=order).recognised
    assert f"along the {'falling' if falls else 'rising'} axis was taken, per nm" in sentence
    assert ("per nm squared" in sentence) == (order == 2)
    assert "windows of 11 points (22 on the axis" in sentence


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"order": 3, "degree": 3}, "order 3 of degree 3 is no derivative here"),
        ({"order": 2, "degree": 1}, "a degree that is not below it"),
        ({"width": 10}, "a window of 10 points does not fit"),
        ({"width": 5.0}, "order 1, width 5.0 and degree 2 are not all whole numbers"),
        ({"width": 101}, "give an odd number above 2, 100 at most"),
    ],
)
def test_what_is_no_derivative_is_refused(options: dict[str, Any], problem: str) -> None:
    rows = np.random.default_rng(1).random((4, 100))
    with pytest.raises(DatasetError, match=problem):
        derivative(along(rows), **options)


def test_derivatives_need_an_even_axis() -> None:
    rows = np.random.default_rng(1).random((4, 100))
    with pytest.raises(DatasetError, match="its features have none"):
        derivative(Dataset(rows))
    with pytest.raises(DatasetError, match="the same everywhere"):
        derivative(along(np.full((4, 100), 0.3)))
    assert derivative(along(rows, (400 + 1.927 * np.arange(100)).round(2))).axis is not None
    with pytest.raises(DatasetError, match="the steps of its axis run from"):
        derivative(along(rows, np.geomspace(1, 100, 100)))


@pytest.mark.parametrize("change", [snv, derivative])
def test_new_samples_go_through_the_same_steps(change) -> None:
    curves, _ = write.spectra(30, 100, 3, 2)
    header = ",".join(f"{place:g} nm" for place in PLACES)

    def file(rows: np.ndarray) -> bytes:
        return "\n".join([header, *(",".join(map(repr, row.tolist())) for row in rows)]).encode()

    changed = change(load_file(file(curves), "nir.csv"))
    new = read_like((("new.csv", file(curves[5:9])),), changed)
    np.testing.assert_allclose(new.data, changed.data[5:9], atol=1e-12)
    assert changed.recipe.source.startswith(f"{change.__name__}(load_file(")
    assert changed.axis == Axis(tuple(PLACES.tolist()), "nm")
