"""The experiments behind the paper's other claims, on data whose answers are known."""

import numpy as np
import pytest

from cspca.datasets import load
from cspca.experiments import Reproducibility, run
from cspca.paper.checks import CHECKS, _captured, halves, large_norm, outliers, theorem_1, unseen


def low_rank(n=40, d=30, rank=4, noise=0.01, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, rank)) @ rng.random((rank, d)) + noise * rng.random((n, d))


def test_theorem_1_holds_on_the_null_space_and_not_on_the_complement():
    found = theorem_1(low_rank(n=20, d=30))
    assert found["rank"] == 19
    assert found["null_space"] == 11
    assert found["error"] < 1e-12
    assert found["error_as_printed"] > 1e-3
    # At full column rank the family has one member.
    found = theorem_1(low_rank(n=60, d=8, noise=1.0))
    assert found["null_space"] == 0
    assert found["error"] < 1e-12


def test_equal_samples_and_three_are_refused():
    with pytest.raises(ValueError, match="nothing to rebuild"):
        theorem_1(np.ones((5, 4)))
    with pytest.raises(ValueError, match="at least four samples"):
        unseen(np.eye(3))


def test_a_low_rank_map_rebuilds_samples_it_has_not_seen():
    found = unseen(low_rank(noise=0.001))
    assert found["pca_unseen"] < 0.01
    assert found["error_seen"] < found["error_unseen"] < 0.5


def test_shares_and_overlaps_lie_between_0_and_1():
    found = outliers(low_rank(n=60))
    assert (found["n_ruined"], found["n_samples"]) == (3, 30)
    for name in ("overlap", "pca_overlap", "variance_overlap", "clean", "ruined", "found"):
        assert 0.0 <= found[name] <= 1.0
    assert 0.0 <= found["found_by_norm"] <= 1.0
    assert found["norm_ratio"] > 1.0
    # Rank 4 and ten directions: all of the samples that are not ruined.
    assert found["pca_clean"] > 0.99


@pytest.mark.parametrize("key", list(CHECKS))
def test_every_check_says_the_same_again(key):
    X = low_rank(n=24, d=12)
    before = X.copy()
    assert CHECKS[key][1](X) == CHECKS[key][1](X)
    np.testing.assert_array_equal(X, before)


def test_halves_have_the_numbers_of_the_experiment():
    digits = load("digits")
    found = halves(digits.data)
    asked = Reproducibility(alpha=0.4, beta=0.02, n_pairs=10, n_features=6)
    fits = asked.fits(run(asked, digits).results, digits)
    assert fits.best is not None
    for name in ("n_always", "n_never", "n_sometimes"):
        assert found[name] == getattr(fits.kept, name)
    assert found["kept_index"] == pytest.approx(fits.kept.index.difference)
    assert found["kept_low"] == pytest.approx(fits.kept.index.low)
    assert found["best_index"] == pytest.approx(fits.best.index.difference)


def test_halves_that_tie_at_the_cut_have_no_index():
    single = np.random.default_rng(0).normal(size=(40, 8)) * np.linspace(1.0, 2.0, 8)
    assert "best_index" in halves(single)
    twice = np.repeat(single, 2, axis=1)
    assert "best_index" not in halves(twice), "two equal features tie at the cut of one"


def test_one_sample_of_a_large_norm_is_rebuilt_and_its_residual_comes_last():
    found = large_norm(load("digits").data[:400])
    assert found["n_samples"] == 200
    for name in ("absolute_few", "relative_all"):
        assert found[f"{name}_place"] > 190, name
    assert found["influence_all"] == pytest.approx(1.0, rel=0.1)
    # The same penalties leave what is the others', the same shares of their limits do not.
    assert found["absolute_all_rank"] > found["rank"] > 2 * found["relative_all_rank"]
    assert found["relative_all"] < found["absolute_all"] - 0.005


def test_of_a_map_of_low_rank_no_more_directions_are_counted_than_it_has():
    """What rounding leaves of the others would be directions by chance."""
    rng = np.random.default_rng(0)
    line = np.outer(rng.standard_normal(30), [1.0, 0.0, 0.0])
    new = rng.standard_normal((30, 3)) * [0.0, 1.0, 1.0]
    assert _captured(line, new) == 0.0
