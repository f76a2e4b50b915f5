"""What ties, and which regime a fit is in: nothing is said that a tighter fit contradicts."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

from cspca import CSPCA, cspca_path, preprocessing
from cspca.problem import ReducedData
from cspca.problem.identity import identity_edge
from tests.oracles import conic, direct

SOLVERS = pytest.mark.parametrize("solver", ["admm", "plain"])
TOLERANCES = pytest.mark.parametrize("tol", [1e-3, 1e-8])


def _standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _parts(seed=5):
    """Six parts of a whole: they add up to 1."""
    P = np.random.default_rng(seed).gamma(3, 1, (100, 6)) * [1, 2, 3, 1, 0.5, 5]
    return P / P.sum(axis=1, keepdims=True)


def _one_hot():
    """Two columns of numbers, a group of three indicators and one of four."""
    rng = np.random.default_rng(1)
    groups = [np.eye(m)[rng.integers(0, m, 200)] for m in (3, 4)]
    return np.hstack([rng.standard_normal((200, 2)), *groups])


def _with_a_copy(n_samples=60, n_features=12):
    """The last column is the first one with its sign turned."""
    X = np.random.default_rng(2).standard_normal((n_samples, n_features))
    return np.column_stack([X, -X[:, 0]])


IRIS = _standardised(load_iris().data)
EDGE = identity_edge(ReducedData(IRIS), 1e-6)


def _at_share(share, **options):
    """Standardised iris where α + β is this share of t*."""
    total = share * EDGE.low
    return CSPCA(0.9 * total, 0.1 * total, penalty_scale="absolute", **options).fit(IRIS)


# --- W = I -------------------------------------------------------------------------------------


@SOLVERS
@TOLERANCES
@pytest.mark.parametrize("share", [0.1, 0.99])
def test_below_its_threshold_the_identity_is_said_by_every_solver(solver, tol, share):
    model = _at_share(share, solver=solver, tol=tol, max_iter=5000)
    assert model.regime_ == "identity"
    np.testing.assert_array_equal(model.feature_scores_, 1.0)
    np.testing.assert_array_equal(model.feature_ties_, 0)
    assert model.converged_
    assert model.objective_ == pytest.approx(4 * (model.alpha_ + model.beta_), rel=1e-12)
    np.testing.assert_allclose(model.reconstruct(IRIS), IRIS, atol=1e-12)


@SOLVERS
@pytest.mark.parametrize("share", [0.99, 0.9999])
def test_what_the_threshold_proves_is_a_bound(solver, share):
    """The bound is the objective of W = I itself, whatever a run of three iterations proves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = _at_share(share, solver=solver, tol=1e-9, max_iter=3)
    assert model.regime_ == "identity"
    assert model.duality_gap_ <= 1e-9
    assert model.dual_objective_ <= 4 * (model.alpha_ + model.beta_)
    optimum = conic.solve(IRIS, model.alpha_, model.beta_).value
    assert model.dual_objective_ <= optimum * (1 + 1e-6)


@SOLVERS
@TOLERANCES
@pytest.mark.parametrize("share", [1.0005, 1.02])
def test_above_its_threshold_it_is_not_said_however_near_it_is(solver, tol, share):
    """At 1.0005 of the threshold W = I is within 1e-5 of the optimum."""
    model = _at_share(share, solver=solver, tol=tol, max_iter=20_000)
    assert model.regime_ != "identity"
    # It is returned all the same where it is not worse.
    assert model.objective_ <= 4 * (model.alpha_ + model.beta_) * (1 + 1e-12)


def test_it_is_the_map_wherever_it_is_at_most_as_high():
    """Within the tolerance of the optimum, above the threshold: all are kept, nothing is ranked."""
    model = _at_share(1.0005, tol=1e-3)
    assert model.regime_ == "dense"
    np.testing.assert_array_equal(model.feature_scores_, 1.0)
    np.testing.assert_array_equal(model.feature_ties_, 0)


def test_where_it_is_proven_algorithm_1_shows_its_own_map_and_no_ranking():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = _at_share(0.5, solver="reweighted", max_iter=100)
    assert model.regime_ == "identity"
    assert np.ptp(model.feature_scores_) > 0.0
    np.testing.assert_array_equal(model.feature_ties_, 0)


@pytest.mark.parametrize("share", [0.5, 0.99, 1.02])
def test_a_path_says_the_same(share):
    total = share * EDGE.low
    path = cspca_path(IRIS, [0.9 * total], [0.1 * total], penalty_scale="absolute")
    assert (path.regime[0, 0] == "identity") == (share < 1.0)


@pytest.mark.parametrize("share", [0.5, 1.02])
def test_data_in_blocks_say_no_more_than_is_proven(share, monkeypatch):
    monkeypatch.setattr(preprocessing, "LARGE", 1)
    model = _at_share(share, tol=1e-3)
    if share > 1.0:
        assert model.regime_ == "dense"
    else:
        assert model.regime_ in ("identity", "dense")
        np.testing.assert_array_equal(model.feature_ties_, 0)


def test_a_constant_column_is_no_part_of_the_tie():
    model = CSPCA(1e-3, 1e-3).fit(np.column_stack([np.ones(150), IRIS]))
    assert model.regime_ == "identity"
    np.testing.assert_array_equal(model.feature_ties_, [1, 0, 0, 0, 0])


# --- every sample reproduced -------------------------------------------------------------------


@SOLVERS
@TOLERANCES
def test_parts_of_a_whole_are_reproduced_and_all_tie(solver, tol):
    model = CSPCA(solver=solver, tol=tol, max_iter=5000).fit(_parts())
    assert model.regime_ == "reproduced"
    assert model.feature_scores_ == pytest.approx(np.sqrt(5 / 6), rel=1e-9)
    assert np.ptp(model.feature_scores_) == 0.0
    np.testing.assert_array_equal(model.feature_ties_, 0)
    assert model.converged_


@SOLVERS
@TOLERANCES
def test_one_hot_groups_tie_by_their_size(solver, tol):
    X = _one_hot()
    model = CSPCA(0.01, 0.001, solver=solver, tol=tol, max_iter=5000).fit(X)
    assert model.regime_ == "reproduced"
    expected = np.sqrt(np.repeat([1.0, 2 / 3, 3 / 4], [2, 3, 4]))
    assert model.feature_scores_ == pytest.approx(expected, rel=1e-9)
    np.testing.assert_array_equal(model.feature_ties_, np.repeat([0, 2, 1], [2, 3, 4]))
    optimum = conic.solve(X - X.mean(axis=0), model.alpha_, model.beta_).value
    assert model.objective_ == pytest.approx(optimum, rel=1e-6)


def test_standardised_parts_show_the_inverse_of_their_old_spread():
    """One null vector: without α importance is √(1 − v²), v the old standard deviations."""
    C = _parts()
    model = CSPCA(0.0, 1e-3).fit(_standardised(C))
    assert model.regime_ == "reproduced"
    v = C.std(axis=0) / np.linalg.norm(C.std(axis=0))
    np.testing.assert_allclose(model.feature_scores_, np.sqrt(1.0 - v**2), rtol=1e-6)
    np.testing.assert_array_equal(model.feature_order_, np.argsort(C.std(axis=0)))
    assert len(set(model.feature_ties_)) == 6


def test_without_a_row_penalty_it_is_the_root_of_leverage(monkeypatch):
    """Fewer samples than features; the same in a path and on other singular values."""
    A = np.random.default_rng(2).random((5, 12))
    model = CSPCA(0.0, 1e-3, center=False).fit(A)
    assert model.regime_ == "reproduced"
    right = np.linalg.svd(A, full_matrices=False)[2]
    np.testing.assert_allclose(model.feature_scores_, np.linalg.norm(right, axis=0), rtol=1e-5)
    assert cspca_path(A, [0.0], [1e-3], center=False).regime[0, 0] == "reproduced"


def test_blocks_are_reproduced_alike(monkeypatch):
    monkeypatch.setattr(preprocessing, "LARGE", 1)
    model = CSPCA().fit(_parts())
    assert model.regime_ == "reproduced"
    np.testing.assert_array_equal(model.feature_ties_, 0)


# --- columns that are equal but for their sign -------------------------------------------------


@SOLVERS
@pytest.mark.parametrize("penalties", [(0.3, 0.05), (0.3, 0.0), (0.0, 0.2), (1.0, 1.0)])
def test_a_copy_ties_at_every_penalty(solver, penalties):
    X = _with_a_copy()
    model = CSPCA(*penalties, solver=solver, tol=1e-5, max_iter=5000).fit(X)
    assert model.feature_ties_[0] == model.feature_ties_[-1]
    assert model.feature_scores_[0] == model.feature_scores_[-1]
    assert model.selection_scores_[0] == model.selection_scores_[-1]
    places = [list(model.feature_order_).index(j) for j in (0, 12)]
    assert abs(places[0] - places[1]) == 1 or model.regime_ == "zero"
    Z, U = model.fit_.map
    value = direct.objective(X - X.mean(axis=0), Z @ U.T, model.alpha_, model.beta_)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    assert model.dual_objective_ <= value


def test_the_mean_over_copies_is_no_worse_from_a_start_that_favours_one():
    """Without a trace norm any split of two rows is optimal; shown is the even one."""
    X = _with_a_copy()
    start = np.zeros((13, 13))
    start[:12, :12] = np.eye(12)
    model = CSPCA(0.2, 0.0, solver="plain", init=start, tol=1e-6, max_iter=5000).fit(X)
    assert model.feature_scores_[0] == model.feature_scores_[-1] > 0.0
    alone = CSPCA(0.2, 0.0, tol=1e-6, max_iter=5000).fit(X)
    assert model.objective_ == pytest.approx(alone.objective_, rel=3e-6)


def test_columns_that_only_look_alike_do_not_tie():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((80, 10))
    X = np.column_stack([X, X[:, 0] * 2.0, X[:, 1] + 1e-6 * rng.standard_normal(80), X[:, 2] ** 2])
    assert ReducedData(X - X.mean(axis=0)).copies == []
    model = CSPCA(0.2, 0.05, tol=1e-5).fit(X)
    kept = model.feature_scores_ > 0.0
    assert len(set(model.feature_ties_[kept])) == kept.sum()


def test_copies_are_found_whatever_their_columns_are_measured_in():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((50, 6)) * [1, 1e-6, 1e6, 1, 1, 1]
    X = np.column_stack([X, -X[:, 1], X[:, 4], -X[:, 4]])
    groups = [list(places) for places, _ in ReducedData(X - X.mean(axis=0)).copies]
    assert groups in ([[1, 6], [4, 7, 8]], [[4, 7, 8], [1, 6]])


# --- the order of nothing ----------------------------------------------------------------------


def test_groups_are_counted_in_the_order_and_kept_with_a_fit():
    model = CSPCA(0.3, 0.05).fit(load_digits().data / 16)
    ties, order = model.feature_ties_, model.feature_order_
    assert ties[order[0]] == 0
    assert set(np.diff(ties[order])) <= {0, 1}
    assert len(set(ties[model.feature_scores_ > 0])) == model.fit_.n_kept
    arrays, numbers = model.fit_.to_arrays(), model.fit_.numbers()
    np.testing.assert_array_equal(type(model.fit_).from_arrays(arrays, numbers).feature_ties, ties)


# --- a proven zero that is none ----------------------------------------------------------------


def _one_in_another_unit():
    X = np.random.default_rng(1).standard_normal((60, 6))
    X[:, 2] *= 1e7
    return X


@SOLVERS
@pytest.mark.parametrize(("penalty", "scale"), [(0.0, "relative"), (1e-8, "absolute")])
def test_the_objective_without_penalties_is_that_of_the_map(solver, penalty, scale):
    X = _one_in_another_unit()
    with pytest.warns(ConvergenceWarning, match="scale the columns of X"):
        model = CSPCA(penalty, penalty, penalty_scale=scale, solver=solver).fit(X)
    assert model.objective_ == pytest.approx(model.sample_residuals_.sum(), rel=1e-9)
    assert model.objective_ > 100.0
    assert model.duality_gap_ > 0.9
    assert not model.converged_
    assert model.regime_ != "reproduced"


def test_more_iterations_are_not_advised_where_only_scaling_helps():
    X = _one_in_another_unit()
    with pytest.warns(ConvergenceWarning, match="scale the columns of X") as caught:
        CSPCA(1.0, 1.0, penalty_scale="absolute", max_iter=50).fit(X)
    assert "raise max_iter" not in str(caught[0].message)
    with pytest.warns(ConvergenceWarning, match="scale the columns of X"):
        cspca_path(X, [1.0], [1.0], penalty_scale="absolute", max_iter=50)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        CSPCA(0.2, 0.1, tol=1e-8, max_iter=3).fit(load_digits().data)


# --- reproduced is asked sample by sample --------------------------------------------------------


def _one_far(kind):
    """200 Gaussian samples of 8 features, of which one is far from all others."""
    X = np.random.default_rng(0).standard_normal((200, 8))
    if kind == "sample":
        X[3] *= 1e8
    elif kind == "two samples":
        X[3:5] *= 1e8
    else:
        X[0, 0] = 1e9
    return X


@pytest.mark.parametrize("kind", ["sample", "two samples", "cell"])
@pytest.mark.parametrize("options", [{}, {"center": False}, {"alpha": 0.0, "beta": 0.0}])
def test_one_far_sample_does_not_make_the_others_reproduced(kind, options):
    """The sum of norms is its own, and with centring it gives all others a length."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CSPCA(**options).fit(_one_far(kind))
    others = np.delete(_one_far(kind), [0, 3, 4], axis=0)
    lost = np.linalg.norm(np.diff(model.reconstruct(others) - others, axis=0), axis=1)
    assert np.median(lost / np.linalg.norm(np.diff(others, axis=0), axis=1)) > 0.5
    assert model.regime_ in ("sparse", "dense")


@pytest.mark.parametrize("kind", ["sample", "cell"])
def test_nor_in_a_path_and_in_blocks(kind, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        path = cspca_path(_one_far(kind), [0.1], [0.01])
        assert path.regime[0, 0] in ("sparse", "dense")
        monkeypatch.setattr(preprocessing, "LARGE", 1)
        assert CSPCA().fit(_one_far(kind)).regime_ in ("sparse", "dense")


def test_samples_that_are_zero_or_alike_are_reproduced_as_others_are():
    rng = np.random.default_rng(0)
    for X in (
        rng.random((2, 8)),
        np.vstack([np.tile(rng.random(8), (9, 1)), rng.random((1, 8))]),
        np.vstack([_parts(), _parts().mean(axis=0)]),
        np.vstack([_parts(), _parts()[:1] + 50 * (_parts()[1:2] - _parts()[2:3])]),
    ):
        assert CSPCA(1e-3, 1e-4).fit(X).regime_ == "reproduced"


# --- what a score says ---------------------------------------------------------------------------


def test_parts_that_others_rebuild_stand_before_a_column_that_nothing_rebuilds():
    """Two columns, their mean, and one independent of all (theory.md §14): 1.118, 1.118, 0, 1."""
    X = np.random.default_rng(0).standard_normal((300, 3))
    columns = np.column_stack([X[:, 0], X[:, 1], (X[:, 0] + X[:, 1]) / 2, X[:, 2]])
    model = CSPCA(1e-2, 0.0, tol=1e-6, max_iter=5000).fit(columns)
    expected = [np.sqrt(1.25), np.sqrt(1.25), 0.0, 1.0]
    np.testing.assert_allclose(model.feature_scores_, expected, atol=1e-5)
    # Nothing rebuilds the third, and it does not vary enough to be used.
    model = CSPCA().fit(X * [1.0, 1.0, 1e-3])
    assert model.feature_scores_[2] == 0.0
