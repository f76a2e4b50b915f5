"""FSPCA: its known answers, the global optimum by enumeration, and a variance that never falls."""

from itertools import combinations

import numpy as np
import pytest

from cspca.selection import FSPCA

THIRTEEN = {13, 20, 21, 26, 28, 34, 42, 43, 44, 61}


@pytest.mark.parametrize("solver", ["go", "ipu"])
def test_known_answers_on_digits(solver, real_pixels):
    """IPU stays at GO's answer when it is started there."""
    X = real_pixels("digits")
    model = FSPCA(5, solver=solver, n_init=1, n_features_to_select=10).fit(X)
    assert set(model.get_support(indices=True)) == THIRTEEN
    assert model.objective_[-1] == pytest.approx(1.2430515938905, abs=1e-12)
    S = np.cov(X.T, bias=True)
    assert model.objective_[-1] / np.linalg.eigvalsh(S)[-5:].sum() == pytest.approx(
        0.48601, abs=5e-6
    )
    twenty = FSPCA(10, solver=solver, n_init=1, n_features_to_select=20).fit(X)
    assert twenty.objective_[-1] == pytest.approx(2.4967422787803, abs=1e-12)


def test_random_starts_find_better(real_pixels):
    model = FSPCA(5, n_init=50, random_state=2, n_features_to_select=10).fit(real_pixels("digits"))
    assert model.objective_[-1] > 1.25373


def _captured(S, chosen, m):
    return np.linalg.eigvalsh(S[np.ix_(chosen, chosen)])[-m:].sum()


@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_global_where_the_rank_is_at_most_m(seed):
    rng = np.random.default_rng(seed)
    n, d, m, k = 20, 9, 3, 4
    rank = m - seed % 2
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
    S = np.cov(X.T, bias=True)
    model = FSPCA(m, solver="go", n_features_to_select=k).fit(X)
    best = max(combinations(range(d), k), key=lambda chosen: _captured(S, chosen, m))
    assert model.objective_[-1] == pytest.approx(_captured(S, best, m))
    assert set(model.get_support(indices=True)) == set(best)


@pytest.mark.parametrize("seed", range(2))
def test_the_variance_is_that_of_the_selection_and_never_falls(seed):
    X = np.random.default_rng(seed).standard_normal((40, 15)) * np.linspace(0.5, 2, 15)
    model = FSPCA(3, n_init=3, random_state=seed, n_features_to_select=5).fit(X)
    assert np.diff(model.objective_).min(initial=0) >= -1e-12
    chosen = model.get_support(indices=True)
    expected = _captured(np.cov(X.T, bias=True), chosen, 3)
    assert model.objective_[-1] == pytest.approx(expected)
    assert np.sum(model.feature_scores_**2) == pytest.approx(3)
    assert np.flatnonzero(model.feature_scores_).tolist() == chosen.tolist()
