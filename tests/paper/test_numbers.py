"""The paper's numbers as typed in: sizes, spot checks of every table, and its own claims."""

import pytest

from cspca.experiments import Paper
from cspca.paper.numbers import PAPER_SETS
from cspca.selection import PAPER_GRID
from cspca.selection.registry import METHODS_IN_PAPER


def test_the_protocol():
    assert Paper().grid == PAPER_GRID == (1e-6, 1e-4, 1e-2, 1, 1e2, 1e4, 1e6)
    assert Paper().n_seeds == 30
    assert list(PAPER_SETS) == ["yaleb", "orl", "jaffe", "humaneva", "coil20", "usps"]


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("yaleb", (2414, 1024, 38)),
        ("orl", (400, 1024, 40)),
        ("jaffe", (213, 676, 10)),
        ("humaneva", (10000, 168, 10)),
        ("coil20", (1440, 1024, 20)),
        ("usps", (9298, 256, 10)),
    ],
)
def test_sizes_of_the_data_sets(key, shape):
    one = PAPER_SETS[key]
    assert (one.n_samples, one.n_features, one.n_classes) == shape
    if one.image_shape is not None:
        assert one.image_shape[0] * one.image_shape[1] == one.n_features
    assert sorted(one.feature_counts) == list(one.feature_counts)
    assert one.feature_counts[-1] <= one.n_features


@pytest.mark.parametrize(
    ("key", "method", "accuracy", "nmi"),
    [
        ("yaleb", "udfs", (15.7, 2.8), (23.5, 3.2)),
        ("orl", "laplacian", (70.2, 2.2), (85.3, 2.6)),
        ("jaffe", "variance", (95.3, 2.1), (93.0, 3.1)),
        ("humaneva", "spec", (50.3, 2.5), (55.4, 3.7)),
        ("coil20", "mcfs", (72.4, 3.4), (82.5, 4.9)),
        ("usps", "all", (71.1, 2.7), (61.7, 3.4)),
    ],
)
def test_spot_checks_of_its_tables(key, method, accuracy, nmi):
    assert PAPER_SETS[key].accuracy[method] == accuracy
    assert PAPER_SETS[key].nmi[method] == nmi


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
