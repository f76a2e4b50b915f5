"""Column subset selection against brute force, and its known answers."""

import numpy as np
import pytest

from cspca.selection import GreedySubset, LeverageScores, PivotedQR

KNOWN = {
    (GreedySubset, "digits"): [34, 44, 29, 61, 28, 45, 10, 5, 26, 21],
    (GreedySubset, "ORL"): [882, 82, 547, 922, 413, 931, 774, 57, 324, 665],
    (PivotedQR, "digits"): [42, 44, 21, 20, 35, 37, 61, 26, 5, 19],
    (PivotedQR, "ORL"): [31, 3, 995, 561, 1023, 292, 127, 41, 500, 466],
    (LeverageScores, "digits"): [27, 36, 18, 42, 21, 37, 35, 45, 26, 13],
}


@pytest.mark.real_data
@pytest.mark.parametrize(("kind", "name"), KNOWN)
def test_known_answers(kind, name, real_pixels):
    model = kind(**({"n_clusters": 10} if kind is LeverageScores else {})).fit(real_pixels(name))
    assert model.feature_order_[:10].tolist() == KNOWN[kind, name]
    if kind is LeverageScores:
        assert model.feature_scores_.sum() == pytest.approx(10)
    elif name == "ORL":
        # 400 images less their mean span 399 directions.
        assert np.count_nonzero(model.feature_scores_) == 399


@pytest.mark.parametrize("seed", range(20))
def test_each_greedy_pick_is_the_best_single_addition(seed):
    rng = np.random.default_rng(seed)
    n, d, rank = [(30, 9, 9), (6, 12, 5), (25, 10, 4)][seed % 3]
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d)) * rng.uniform(0.2, 3, d)
    A = X - X.mean(axis=0)
    order = GreedySubset().fit(X).feature_order_
    for done in range(rank):
        chosen = [*order[:done]]
        errors = [
            np.sum((A - A[:, [*chosen, j]] @ np.linalg.pinv(A[:, [*chosen, j]]) @ A) ** 2)
            for j in range(d)
        ]
        assert errors[order[done]] <= min(errors) * (1 + 1e-9) + 1e-18 * np.sum(A**2)


@pytest.mark.parametrize("kind", [GreedySubset, PivotedQR])
def test_what_is_spanned_ties_and_follows_by_its_norm(kind):
    X = np.random.default_rng(0).standard_normal((30, 4))
    X = np.hstack([X, X @ np.ones((4, 1)), 3.0 * X[:, :1], np.ones((30, 1))])
    model = kind().fit(X)
    assert model.feature_scores_[model.feature_order_].tolist() == [6, 5, 4, 3, 0, 0, 0]
    assert np.diff(X.std(axis=0)[model.feature_order_[4:]]).max() < 0
