"""Spectra whose truth is known: what CSPCA finds in them, and what scaling does to that."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, DatasetError, make_spectra, standardised
from cspca.datasets.axis import Axis
from cspca.datasets.files.feature_names import NamedAxis, layout_of
from tests.datasets.known_truth import accuracy, truth_of

PENALTIES = {"alpha": 0.1, "beta": 0.01}
"""What a page starts with."""


@pytest.fixture(scope="module")
def spectra() -> Dataset:
    return make_spectra()


def test_the_default_set(spectra: Dataset) -> None:
    assert spectra.recognised == "150 spectra, 300 wavelengths, 3 classes."
    np.testing.assert_array_equal(np.bincount(spectra.target), [50, 50, 50])
    # Absorbance as it is: nothing was brought to 0 – 1.
    assert 0.04 < spectra.data.min() < 0.06
    assert 0.3 < spectra.data.max() < 0.6


def test_the_names_are_an_axis_in_nm(spectra: Dataset) -> None:
    assert spectra.axis == Axis(tuple(map(float, range(1100, 2300, 4))), "nm")
    assert standardised(spectra).axis == spectra.axis
    for n_points in (30, 299, 300, 3000):
        dataset = make_spectra(3, n_points)
        assert len(set(dataset.feature_names)) == n_points
        layout = layout_of(dataset.feature_names)
        assert isinstance(layout, NamedAxis)
        assert dataset.axis == Axis(tuple(layout.values.tolist()), layout.unit)


def test_the_same_number_gives_the_same_spectra(spectra: Dataset) -> None:
    assert make_spectra().sha256 == spectra.sha256
    assert make_spectra(random_state=1).sha256 != spectra.sha256
    assert (make_spectra(20).data == spectra.data[:20]).all()
    # Every processor draws the same bits: runs and links find the set by its fingerprint.
    assert spectra.sha256.startswith("5bce854a")
    assert (spectra.data * 2**20 % 1 == 0).all()


def test_truth_is_what_the_spectra_do(spectra: Dataset) -> None:
    truth = truth_of(spectra)
    assert set(truth.parts) == {"class", "other", "baseline", "noise"}
    # The parts are drawn apart, so their variances add up to that of the spectra.
    sum_of_squares = sum(
        deviation**2 for name, deviation in truth.deviations.items() if name != "scatter"
    )
    assert np.corrcoef(np.sqrt(sum_of_squares), spectra.data.std(axis=0))[0, 1] > 0.97
    for part in ("class", "baseline", "noise"):
        points = truth.where(part)
        means = {name: deviation[points].mean() for name, deviation in truth.deviations.items()}
        assert max(means, key=means.__getitem__) == part
    other = truth.where("other")
    assert truth.deviations["other"][other].mean() > 20 * truth.deviations["other"][~other].mean()
    # Means of the classes differ on the peaks of the class and nowhere else.
    centres = [spectra.data[spectra.target == label].mean(axis=0) for label in range(3)]
    spread = np.std(centres, axis=0)
    assert spread[truth.where("class")].min() > 0.005
    assert spread[truth.where("noise")].max() < 0.002
    assert spread[truth.where("class")].max() > 5 * spread[~truth.where("class")].max()


@pytest.mark.parametrize("seed", [0, 1])
def test_in_own_units_class_peaks_and_baseline_lead_and_noise_is_zero(seed: int) -> None:
    spectra = make_spectra(random_state=seed)
    truth, model = truth_of(spectra), CSPCA(**PENALTIES).fit(spectra.data)
    best = model.feature_order_[:20]
    assert truth.where("class")[best].sum() > 10
    assert truth.where("class", "baseline")[best].sum() >= 15
    assert (model.feature_scores_[truth.where("noise")] == 0).all()
    assert accuracy(spectra, best) == 1
    # Each of the peaks that carry the class is among the best.
    peaks = np.diff(np.flatnonzero(truth.where("class")), prepend=-9) > 1
    group = np.cumsum(peaks)
    assert set(group[np.isin(np.flatnonzero(truth.where("class")), best)]) == {1, 2, 3}


@pytest.mark.parametrize("seed", [0, 1])
def test_with_each_point_standardised_noise_comes_first(seed: int) -> None:
    spectra = make_spectra(random_state=seed)
    truth, scaled = truth_of(spectra), standardised(spectra)
    assert scaled.truth is None
    scores = CSPCA(**PENALTIES).fit(scaled.data).feature_scores_
    noise = truth.where("noise")
    assert (scores[noise][:, None] > scores[~noise]).mean() > 0.99
    best = np.argsort(-scores)[:20]
    assert noise[best].all()
    assert accuracy(scaled, best) < 0.45  # a third by chance


def test_one_gross_outlier_is_known_and_has_the_largest_influence(spectra: Dataset) -> None:
    assert not truth_of(spectra).outlier.any()
    with_outlier = make_spectra(outlier=True)
    outlier = truth_of(with_outlier).outlier
    [place] = np.flatnonzero(outlier)
    assert (with_outlier.data[~outlier] == spectra.data[~outlier]).all()
    added = with_outlier.data[place] - spectra.data[place]
    assert with_outlier.feature_names[added.argmax()] == "1932 nm"
    assert added.max() > 0.5
    model = CSPCA(**PENALTIES).fit(with_outlier.data)
    assert model.sample_influence_.argmax() == place
    # One sample brings points into use that none of the others needs.
    assert (model.feature_scores_[truth_of(spectra).where("noise")] > 0).any()


def test_spectra_and_their_truth_survive_pickling() -> None:
    dataset = make_spectra(6, 30, outlier=True)
    twin = pickle.loads(pickle.dumps(dataset))  # noqa: S301
    assert truth_of(twin).parts == truth_of(dataset).parts
    np.testing.assert_array_equal(truth_of(twin).outlier, truth_of(dataset).outlier)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_samples": 2}, "n_samples is 2: give a whole number from 3 to 100,000"),
        ({"n_points": 29}, "n_points is 29: give a whole number from 30 to 3,000"),
        ({"n_points": 300.0}, "n_points is 300.0"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": None}, "random_state is None"),
    ],
)
def test_every_wrong_number_has_its_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        make_spectra(**options)
