"""Which of the paper's sets some data are: by all numbers, by some, by name, or not at all."""

from types import SimpleNamespace

import pytest

from cspca.paper.numbers import PAPER_SETS, feature_counts, recognised


def recognise(n_samples, n_features, n_classes, name=""):
    about = {"n_samples": n_samples, "n_features": n_features, "n_classes": n_classes}
    return recognised(SimpleNamespace(**about, name=name))


@pytest.mark.parametrize("key", list(PAPER_SETS))
def test_its_own_numbers_are_enough(key):
    one = PAPER_SETS[key]
    found = recognise(one.n_samples, one.n_features, one.n_classes, "fea.mat")
    assert found[:2] == (one, True)
    assert "by its numbers" in found.sentence
    assert feature_counts(found.paper_set, one.n_features) == one.feature_counts
    named = recognise(one.n_samples, one.n_features, one.n_classes, one.title)
    assert "by its name and its numbers" in named.sentence


def test_the_same_pictures_at_another_size_take_the_same_shares():
    found = recognise(400, 4096, 40, "Olivetti")
    assert found[:2] == (PAPER_SETS["orl"], True)
    assert "4,096" in found.sentence
    assert feature_counts(found.paper_set, 4096) == (2000, 2400, 2800, 3200, 3600, 4000)


def test_motion_stands_in_for_humaneva():
    found = recognise(2000, 168, 10, "motion")
    assert found[:2] == (PAPER_SETS["humaneva"], False)
    assert "stand in for HumanEVA" in found.sentence
    assert feature_counts(found.paper_set, 168) == PAPER_SETS["humaneva"].feature_counts


@pytest.mark.parametrize(
    ("shape", "name", "says"),
    [
        ((100, 10304, 10), "orlraws10P ORL", "The name speaks of ORL"),
        ((1797, 64, 10), "digits", "This is none of the paper’s data sets"),
        ((400, 1024, 0), "no labels", "This is none of the paper’s data sets"),
        ((500, 168, 0), "poses", "This is none of the paper’s data sets"),
    ],
)
def test_others_are_data_of_their_own(shape, name, says):
    found = recognise(*shape, name)
    assert found[:2] == (None, False)
    assert says in found.sentence


def test_other_data_take_the_shares_of_orl():
    assert feature_counts(None, 64) == (31, 38, 44, 50, 56, 62)
    assert feature_counts(None, 1) == (1,)
