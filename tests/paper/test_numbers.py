"""The paper's numbers as typed in, and which of its sets some data are."""

from types import SimpleNamespace

import pytest

from cspca.experiments import Paper
from cspca.paper.numbers import PAPER_SETS, feature_counts, recognised
from cspca.selection import PAPER_GRID
from cspca.selection.registry import METHODS_IN_PAPER


def test_the_protocol():
    assert Paper().grid == PAPER_GRID == (1e-6, 1e-4, 1e-2, 1, 1e2, 1e4, 1e6)
    assert Paper().n_seeds == 30
    assert list(PAPER_SETS) == ["yaleb", "orl", "jaffe", "humaneva", "coil20", "usps"]


@pytest.mark.parametrize(
    ("key", "shape", "method", "accuracy", "nmi"),
    [
        ("yaleb", (2414, 1024, 38), "udfs", (15.7, 2.8), (23.5, 3.2)),
        ("orl", (400, 1024, 40), "laplacian", (70.2, 2.2), (85.3, 2.6)),
        ("jaffe", (213, 676, 10), "variance", (95.3, 2.1), (93.0, 3.1)),
        ("humaneva", (10000, 168, 10), "spec", (50.3, 2.5), (55.4, 3.7)),
        ("coil20", (1440, 1024, 20), "mcfs", (72.4, 3.4), (82.5, 4.9)),
        ("usps", (9298, 256, 10), "all", (71.1, 2.7), (61.7, 3.4)),
    ],
)
def test_sizes_of_the_data_sets_and_spot_checks_of_its_tables(key, shape, method, accuracy, nmi):
    one = PAPER_SETS[key]
    assert (one.accuracy[method], one.nmi[method]) == (accuracy, nmi)
    assert (one.n_samples, one.n_features, one.n_classes) == shape
    if one.image_shape is not None:
        assert one.image_shape[0] * one.image_shape[1] == one.n_features
    assert sorted(one.feature_counts) == list(one.feature_counts)
    assert one.feature_counts[-1] <= one.n_features


@pytest.mark.parametrize("key", list(PAPER_SETS))
def test_its_tables_agree_with_its_claims(key):
    """It says that CSPCA beats all six by accuracy."""
    one = PAPER_SETS[key]
    assert tuple(one.accuracy) == tuple(one.nmi) == METHODS_IN_PAPER
    ours = one.accuracy["cspca"][0]
    assert all(other[0] < ours for name, other in one.accuracy.items() if name != "cspca")


def test_the_independent_evaluation():
    assert PAPER_SETS["coil20"].independent["all"] == (58.5, 73.6)
    assert PAPER_SETS["orl"].independent["mcfs"] == (51.9, 71.9)
    assert PAPER_SETS["usps"].independent["udfs"] == (68.8, 61.8)
    known = {key: tuple(one.independent) for key, one in PAPER_SETS.items() if one.independent}
    assert known == dict.fromkeys(("orl", "coil20", "usps"), METHODS_IN_PAPER[:-1])


# -- which of its sets some data are: by all numbers, by some, by name, or not at all -------------


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
