"""The Data page: other scales of the values, and what they do to the ranking."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.datasets import load
from cspca.datasets.spectra import CLASS_PEAKS
from cspca.experiments.fit import Fit
from cspca.experiments.scaling import scaled_maps, scales, scaling_table
from tests.app.conftest import look, until, words


def test_an_axis_has_more_scales_than_pictures_and_tables() -> None:
    titles = {name: [title for title, *_ in scales(load(name))] for name in ("spectra", "digits")}
    assert titles["digits"] == [
        "As it is",
        "Every pixel standardised",
        "Every image of unit norm",
    ]
    assert titles["spectra"][3:] == [
        "Every spectrum standardised (SNV)",
        "First derivative",
        "Second derivative",
    ]


def test_columns_of_one_scale_hide_the_peaks_that_carry_the_class() -> None:
    spectra = load("spectra")
    maps = scaled_maps(spectra, Fit(alpha=0.1, beta=0.05))
    places = np.array(spectra.axis.values)
    distance = np.abs(places[:, None] - CLASS_PEAKS).min(axis=1)
    n_at_peaks = {shown.title: np.count_nonzero(distance[shown.best] <= 10) for shown in maps}
    assert n_at_peaks["As it is"] >= 8
    assert n_at_peaks["Second derivative"] >= 8
    assert n_at_peaks["Every wavelength standardised"] == 0
    assert maps[0].correlation == pytest.approx(1)
    table = scaling_table(maps, spectra)
    assert table["Values"].tolist() == [shown.title for shown in maps]
    assert table["The best 10"].iloc[0].endswith(" nm")


def test_scales_are_fitted_once_they_are_requested(arrive) -> None:
    page = arrive("data", data="spectra", alpha="0.1", beta="0.05")
    assert "Rank correlation" not in words(page)
    page.button(key="scales_button").click()
    page = until(look(page), lambda: "Rank correlation with the map" in words(page))
    assert "First derivative" in words(page)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("snv_button", "divided by its standard deviation (SNV)"),
        ("derivative_1_button", "The first derivative along the rising axis was taken, per nm"),
    ],
)
def test_a_scale_is_taken_and_put_back(arrive, key: str, sentence: str) -> None:
    page = arrive("data", data="spectra")
    page.button(key=key).click()
    page = look(page)
    assert f"{sentence}" in words(page)
    page.button(key="odd_restore").click()
    assert sentence not in words(look(page))


def test_no_number_leaves_nothing_out(arrive) -> None:
    page = arrive("data", data="digits")
    page.text_input(key="leave_out_numbers").set_value(",")
    page = look(page.run())
    page.button(key="leave_out_button").click()
    assert "No number was written" in words(look(page))
    assert "1,797 images" in words(page)
