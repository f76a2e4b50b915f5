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


def _check_picks(A, picks, near):
    """Each is the best single addition to those before it, by brute force."""
    chosen = []
    for pick in picks:
        errors = np.full(A.shape[1], np.inf)
        for j in set(range(A.shape[1])) - set(chosen):
            B = A[:, [*chosen, j]]
            errors[j] = np.sum((A - B @ np.linalg.lstsq(B, A, rcond=None)[0]) ** 2)
        assert errors[pick] <= errors.min() * (1 + near) + 1e-18 * np.sum(A**2)
        chosen.append(pick)


@pytest.mark.parametrize(("n", "d", "rank"), [(30, 9, 9), (6, 12, 5), (25, 10, 4)])
def test_each_greedy_pick_is_the_best_single_addition(n, d, rank):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d)) * rng.uniform(0.2, 3, d)
    _check_picks(X - X.mean(axis=0), GreedySubset().fit(X).feature_order_[:rank], 1e-9)


@pytest.mark.parametrize("kind", [GreedySubset, PivotedQR])
def test_what_is_spanned_ties_and_follows_by_its_norm(kind):
    X = np.random.default_rng(0).standard_normal((30, 4))
    X = np.hstack([X, X @ np.ones((4, 1)), 3.0 * X[:, :1], np.ones((30, 1))])
    model = kind().fit(X)
    assert model.feature_scores_[model.feature_order_].tolist() == [6, 5, 4, 3, 0, 0, 0]
    assert np.diff(X.std(axis=0)[model.feature_order_[4:]]).max() < 0


@pytest.mark.parametrize("kind", [GreedySubset, PivotedQR])
@pytest.mark.parametrize("large", [1e3, 3e5, 1e9])
def test_small_columns_are_picked_and_a_copy_never_goes_before_an_independent_one(kind, large):
    """What is left of a column is measured against itself, whatever the unit of the others."""
    X = np.random.default_rng(3).standard_normal((80, 10))
    X[:, 9] = X[:, 8]
    X *= np.r_[large, np.full(9, 10.0)]
    model = kind().fit(X)
    assert model.feature_order_[0] == 0
    assert np.count_nonzero(model.feature_scores_) == 9
    copies = model.feature_scores_[[8, 9]]
    assert copies.min() == 0 < copies.max()
    assert model.feature_order_[-1] in (8, 9)


@pytest.mark.parametrize("large", [1e3, 1e6, 1e9])
def test_greedy_picks_of_small_columns_are_the_best_single_additions(large):
    """Brute force on what the large columns leave of the small ones."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 9)) + rng.standard_normal((50, 9))
    X = np.hstack([large * rng.standard_normal((50, 2)), X])
    A = X - X.mean(axis=0)
    order = GreedySubset().fit(X).feature_order_
    assert set(order[:2]) == {0, 1}
    basis = np.linalg.qr(A[:, :2])[0]
    _check_picks(A[:, 2:] - basis @ (basis.T @ A[:, 2:]), order[2:] - 2, 1e-6)


def test_a_column_that_is_nearly_spanned_is_picked_for_what_it_adds():
    """A millionth of its norm is its own: more than rounding, less than a thousandth."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 3))
    X = np.c_[X, X.sum(axis=1) + 1e-5 * rng.standard_normal(60), X[:, 0] - X[:, 1]]
    for kind in (GreedySubset, PivotedQR):
        assert np.count_nonzero(kind().fit(X).feature_scores_) == 4
        assert (
            np.count_nonzero(kind().fit(X.astype(np.float32)[:, [0, 1, 2, 4]]).feature_scores_) == 3
        )
