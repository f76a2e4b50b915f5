"""The hidden subspace: who finds it exactly, in which window of β, and who does not."""

import numpy as np
import pytest

from cspca.datasets.scenes import make_haystack
from cspca.evaluation.outliers import EXACT, ranking_quality, subspace_sine
from cspca.figures.style import contrast
from cspca.robust import ROBUST, RobustSettings, explain
from tests.soak import counted

SEEDS = counted(4, 20)
#: Features, rank, inliers and outliers.
MANY = (50, 5, 100, 300)
EVEN = (50, 5, 100, 100)
FEW = (100, 10, 60, 60)


def found(scene, method, beta=0.5):
    """Sines of the largest angle and ranks, over the seeds."""
    n_features, rank, inliers, outliers = scene
    n = inliers + outliers
    sines, ranks = [], []
    for seed in range(SEEDS):
        hay = make_haystack(outliers / n, rank, n, n_features, random_state=seed)
        one = explain(method, hay.X, RobustSettings(rank, beta))
        sines.append(subspace_sine(hay.basis, one.directions))
        ranks.append(one.rank)
    return np.array(sines), np.array(ranks)


@pytest.mark.parametrize(("scene", "beta"), [(EVEN, 0.5), (MANY, 0.5), (FEW, 0.3)])
def test_within_its_window_cspca_is_exact_and_finds_the_rank_untold(scene, beta):
    sines, ranks = found(scene, "cspca", beta)
    assert (sines < EXACT).all()
    # Of 20 seeds all but one.
    assert np.mean(ranks == scene[1]) >= 0.9


def test_below_the_window_the_outliers_are_rebuilt_too():
    sines, ranks = found(MANY, "cspca", 0.3)
    assert (sines < EXACT).all()
    assert (ranks > 5).all()
    assert (found(MANY, "cspca", 0.05)[1] == 50).all()


@pytest.mark.parametrize(("scene", "beta"), [(MANY, 0.7), (FEW, 0.7)])
def test_above_the_window_it_fails(scene, beta):
    assert (found(scene, "cspca", beta)[0] > EXACT).all()


@pytest.mark.parametrize("beta", [0.1, 0.5])
def test_at_unequal_energies_it_is_not_exact(beta):
    for seed in range(SEEDS):
        hay = make_haystack(0.75, 5, 400, 50, equal_energy=False, random_state=seed)
        found = explain("cspca", hay.X, RobustSettings(5, beta))
        exact = subspace_sine(hay.basis, found.directions) < EXACT
        assert not (exact and found.rank == 5)


@pytest.mark.parametrize("scene", [EVEN, MANY, FEW])
def test_pca_is_off_by_degrees_and_told_methods_are_exact(scene):
    degrees = np.degrees(np.arcsin(found(scene, "pca")[0]))
    assert (degrees > 3).all()
    assert 4 < np.median(degrees) < 26
    assert (found(scene, "r1pca")[0] > 0.01).all()
    for method in ("fms", "coherence"):
        assert (found(scene, method)[0] < EXACT).all(), method


def test_what_the_robust_loss_buys():
    assert (found(EVEN, "squared", 0.5)[0] > 0.01).all()


def test_auc_hides_what_the_angle_shows():
    hay = make_haystack(0.5, 5, 200, 50)
    pca = explain("pca", hay.X, RobustSettings(5))
    assert ranking_quality(hay.outlier, pca.scores).auc.value == 1.0
    assert subspace_sine(hay.basis, pca.directions) > 0.05


@pytest.mark.parametrize("key", ROBUST)
def test_every_entry_says_what_it_is(key):
    entry = ROBUST[key]
    hay = make_haystack(0.2, 3, 60, 12)
    found = explain(key, hay.X, RobustSettings(3))
    assert found.scores.shape == (60,)
    assert np.isfinite(found.scores).all()
    assert entry.certified == (found.gap is not None)
    if found.directions is not None:
        assert found.directions.shape == (12, found.rank)
        assert found.rebuilt.shape == hay.X.shape
        assert not entry.needs_rank or found.rank == 3
    assert len({one.colour for one in ROBUST.values()}) == len(ROBUST)
    assert contrast(entry.colour, "#ffffff") >= 3.0
