"""One place says of which kind features are."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.datasets import Dataset, load, make_genes, make_spectra
from cspca.datasets.axis import Axis
from cspca.datasets.nouns import Nouns, nouns_of
from cspca.datasets.steps import Steps


@pytest.mark.parametrize(
    ("name", "kind"),
    [("digits", "pixels"), ("spectra", "axis"), ("motion", "joints"), ("genes", "columns")],
)
def test_a_set_says_of_which_kind_its_features_are(name: str, kind: str) -> None:
    assert load(name).kind == kind


def on_axis(axis: Axis) -> Dataset:
    values = np.random.default_rng(0).random((4, len(axis.values)))
    steps = Steps.of_values(len(axis.values), None, None, "float64", axis=axis)
    return Dataset(values, steps=steps)


@pytest.mark.parametrize(
    ("unit", "quantity", "samples", "features", "title"),
    [
        ("nm", "", "spectra", "wavelengths", "Wavelength (nm)"),
        ("cm-1", "", "spectra", "wavenumbers", "Wavenumber (cm-1)"),
        ("Hz", "", "spectra", "frequencies", "Frequency (Hz)"),
        ("m/z", "", "spectra", "m/z values", "m/z"),
        ("s", "", "curves", "time points", "Time (s)"),
        ("", "wavelength", "spectra", "wavelengths", "Wavelength"),
        ("", "place in the spectrum", "spectra", "points", "Place in the spectrum"),
        ("furlong", "", "curves", "points", "furlong"),
        ("", "", "curves", "points", "Place on the axis"),
    ],
)
def test_points_of_an_axis_are_called_by_what_it_measures(
    unit: str, quantity: str, samples: str, features: str, title: str
) -> None:
    axis = Axis((1.0, 2.0, 3.0), unit, quantity)
    dataset = on_axis(axis)
    assert (dataset.nouns.samples, dataset.nouns.features) == (samples, features)
    assert dataset.summary == f"4 {samples}, 3 {features}, no labels"
    assert axis.title == title


def test_columns_are_called_what_the_set_says() -> None:
    assert make_genes(40, 200).nouns == nouns_of(None, None, "gene")
    assert nouns_of(None) == Nouns("sample", "feature", "samples", "features")
    assert nouns_of((2, 3), Axis((1.0, 2.0))).feature == "pixel"


def test_nouns_have_articles_and_plurals() -> None:
    energies = Axis((1.0, 2.0), "eV").nouns
    assert (energies.a_feature, energies.features) == ("an energy", "energies")
    assert energies.count_features(1) == "1 energy"
    assert energies.count_samples(2_000) == "2,000 spectra"
    assert make_spectra(3, 30).sample_name(1) == "spectrum 2"
