"""A gene-like table whose truth is known: what is irreplaceable in it, and what is relevant."""

from __future__ import annotations

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, DatasetError, make_genes
from cspca.datasets.files.feature_names import NamedAxis, layout_of
from tests.datasets.known_truth import accuracy, truth_of

OF_THE_TYPES = ("M01", "M02", "M03", "M04")


def best_of(dataset: Dataset, alpha: float, beta: float) -> np.ndarray:
    return CSPCA(alpha, beta).fit(dataset.data).feature_order_[:40]


@pytest.fixture(scope="module")
def genes() -> Dataset:
    return make_genes()


def test_the_default_table(genes: Dataset) -> None:
    assert genes.recognised == "200 samples, 1,000 genes, 4 classes."
    np.testing.assert_array_equal(np.bincount(genes.target), [50, 50, 50, 50])
    assert genes.feature_names[:2] == ("M01.01", "M01.02")
    assert genes.feature_names[-41:-39] == ("M24.40", "lonely 01")
    # Names with numbers in them, and no axis.
    assert not isinstance(layout_of(genes.feature_names), NamedAxis)
    assert 0.02 < (genes.data == 0).mean() < 0.04


def test_the_same_number_gives_the_same_table(genes: Dataset) -> None:
    assert make_genes().sha256 == genes.sha256
    assert make_genes(random_state=1).sha256 != genes.sha256
    assert (make_genes(20).data == genes.data[:20]).all()
    # Every processor draws the same bits: runs and links find the set by its fingerprint.
    assert genes.sha256.startswith("e2efd8c1")
    assert (genes.data * 2**20 % 1 == 0).all()


def test_genes_of_a_module_can_stand_in_for_each_other_and_lonely_ones_for_none(
    genes: Dataset,
) -> None:
    truth = truth_of(genes)
    module = truth.factors["M05"]
    members = genes.data[:, truth.where("M05")]
    assert min(np.corrcoef(column, module)[0, 1] for column in members.T) > 0.5
    correlation = np.abs(np.corrcoef(genes.data.T))
    np.fill_diagonal(correlation, 0)
    lonely = truth.where("lonely")
    assert np.median(correlation[lonely].max(axis=1)) < 0.4
    assert np.median(correlation[~lonely].max(axis=1)) > 0.7
    # They vary less than the genes that carry the types.
    deviation = genes.data.std(axis=0)
    assert deviation[lonely].mean() < deviation[truth.where(*OF_THE_TYPES)].mean()


def test_only_four_modules_carry_the_types_and_the_batch_carries_none(genes: Dataset) -> None:
    truth = truth_of(genes)
    carries = truth.deviations["class"] > 0
    np.testing.assert_array_equal(carries, truth.where(*OF_THE_TYPES))
    table = np.histogram2d(genes.target, truth.factors["batch"], bins=(4, 2))[0]
    assert (table == 25).all()
    batch = truth.factors["batch"] == 1
    shift = genes.data[batch].mean(axis=0) - genes.data[~batch].mean(axis=0)
    assert np.corrcoef(np.abs(shift), truth.deviations["batch"])[0, 1] > 0.8
    # Dropouts are of genes that are hardly expressed.
    dropouts = (genes.data == 0).mean(axis=0)
    assert np.corrcoef(dropouts, truth.deviations["dropout"])[0, 1] > 0.8
    assert dropouts[genes.data.mean(axis=0) > 5 / 16].max() < 0.05


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_the_description_says_of_the_scores_is_measured(seed: int) -> None:
    """Irreplaceable, not relevant: lonely genes come first at a small β, not at a larger one."""
    genes = make_genes(random_state=seed)
    lonely = truth_of(genes).where("lonely")
    assert "at α = 0.05 and β = 0.01, the lonely ones rank first" in genes.description
    assert "at β = 0.1 none is among the best 40" in genes.description
    irreplaceable = best_of(genes, 0.05, 0.01)
    assert lonely[irreplaceable].all()
    assert accuracy(genes, irreplaceable) < 0.35  # a quarter by chance
    assert not lonely[best_of(genes, 0.05, 0.1)].any()


def test_at_the_penalties_of_the_page_the_best_genes_carry_the_types(genes: Dataset) -> None:
    truth, best = truth_of(genes), best_of(genes, 0.4, 0.05)
    assert truth.where(*OF_THE_TYPES)[best].all()
    assert accuracy(genes, best) > 0.8
    assert accuracy(genes, best) > accuracy(genes, np.arange(genes.n_features)) - 0.02


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_samples": 7}, "n_samples is 7: give a whole number from 8 to 20,000"),
        ({"n_genes": 199}, "n_genes is 199: give a whole number from 200 to 4,000"),
        (
            {"n_genes": 1010},
            "n_genes is 1010: give 40 lonely genes and whole modules of 40, such as 1000",
        ),
        ({"random_state": 0.5}, "random_state is 0.5"),
    ],
)
def test_every_wrong_number_has_its_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        make_genes(**options)
