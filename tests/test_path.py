"""A grid of penalties: the same answers as single fits, whatever was taken from a neighbour."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca import CSPCA
from cspca.path import cspca_path, iter_path
from cspca.preprocessing import reduce_data
from tests.oracles import conic

ALPHAS = [1e-6, 0.03, 0.1, 0.3, 1.0]
BETAS = [1e-6, 0.01, 0.1, 0.6]


@pytest.fixture(scope="module")
def pixels(small_faces):
    return small_faces.data.astype(np.float64)


@pytest.fixture(scope="module")
def path(pixels):
    return cspca_path(pixels, ALPHAS, BETAS)


def test_every_point_is_the_single_fit_to_the_tolerance(pixels, path):
    for (i, alpha), (j, beta) in itertools.product(enumerate(ALPHAS), enumerate(BETAS)):
        model = CSPCA(alpha, beta).fit(pixels)
        assert path.gap[i, j] <= 1e-3
        assert path.objective[i, j] == pytest.approx(model.objective_, rel=1e-3)
        # Each bound is below each objective: neither can be a proof of something else.
        assert path.dual_objective[i, j] <= model.objective_ * (1 + 1e-12)
        assert model.dual_objective_ <= path.objective[i, j] * (1 + 1e-12)
        assert (path.alphas[i], path.betas[j]) == pytest.approx((model.alpha_, model.beta_))
        assert (path.regime[i, j] == "zero") == (model.regime_ == "zero")


def test_bounds_hold_against_a_conic_solver():
    A = np.random.default_rng(3).random((9, 6))
    alphas, betas = np.geomspace(0.02, 1.5, 6), [0.0, 0.05, 0.06, 0.8]
    path = cspca_path(A, alphas, betas, penalty_scale="absolute", center=False, tol=0.03)
    assert (path.n_iter == 0).sum() > 0
    for (i, alpha), (j, beta) in itertools.product(enumerate(alphas), enumerate(betas)):
        optimum = conic.solve(A, alpha, beta).value
        assert path.dual_objective[i, j] <= optimum * (1 + 1e-7)
        assert optimum * (1 - 1e-7) <= path.objective[i, j] <= optimum * 1.031


def test_the_objective_is_that_of_some_map_with_these_scores(pixels, path):
    """Objective ≥ α‖W‖₂,₁ + β‖W‖_F, whatever neighbour W came from."""
    for i, j in np.ndindex(path.objective.shape):
        rows = path.scores[i, j]
        least = path.alphas[i] * rows.sum() + path.betas[j] * np.linalg.norm(rows)
        assert path.objective[i, j] >= least * (1 - 1e-9)
        assert path.n_zero[i, j] == (rows == 0).sum()
        assert path.rank[i, j] <= np.count_nonzero(rows)


def test_known_regimes_cost_nothing():
    A = np.random.default_rng(0).random((80, 6))
    tiny = [1e-4, 1e-3, 1e-2]
    path = cspca_path(A, [*tiny, 1e4], tiny, penalty_scale="absolute", center=False)
    assert (path.regime[3] == "zero").all()
    assert (path.n_iter[3] == 0).all()
    assert (path.scores[3] == 0).all()
    assert (path.regime[:3] == "identity").all()
    assert (path.scores[:3] == 1).all()
    assert np.count_nonzero(path.n_iter[:3]) == 1, "the largest penalties prove it for the rest"
    expected = np.add.outer(tiny, tiny) * 6
    assert path.objective[:3] == pytest.approx(expected, rel=1e-9)


def test_identity_is_proven_under_another_split_of_the_same_sum():
    """Its bound there is below the optimum, as everywhere: the first proof has a tiny gap.

    Three images of a triangle and one of a third pixel: W = I is optimal up to α + β = 1.5, and
    diag(0, 0, 1) beyond, with 3 + α + β.
    """
    triangle = [[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]]
    A = np.zeros((4, 3))
    A[:3, :2], A[3, 2] = triangle, 3.0
    total = 1.5 * (1.0 + 5e-10)
    path = cspca_path(
        A,
        [0.5, 1.0],
        [total - 1.0, total - 0.5],
        penalty_scale="absolute",
        center=False,
        order=[(1, 0), (0, 1), (0, 0), (1, 1)],
    )
    assert path.regime[1, 0] == path.regime[0, 1] == "identity"
    assert path.n_iter[1, 0] > path.n_iter[0, 1] == 0
    for place in ((1, 0), (0, 1)):
        assert path.dual_objective[place] <= 3.0 + total
        assert path.gap[place] <= 2e-9


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("smallest", [0.0, 1e-7])
def test_an_alpha_of_nothing_beside_one_that_counts(pixels, smallest):
    """The fit beside it once passed for its answer, because a step to α = 0 has no size."""
    rng = np.random.default_rng(0)
    table = rng.random((90, 3)) @ rng.random((3, 80)) + 0.05 * rng.random((90, 80))
    for A, beta in ((table, 0.2), (pixels, 0.1), (pixels, 0.02)):
        path = cspca_path(A, [smallest, 0.1, 0.5], [beta])
        for row, alpha in enumerate([smallest, 0.1, 0.5]):
            alone = CSPCA(alpha, beta, tol=1e-5).fit(A)
            assert path.dual_objective[row, 0] <= alone.objective_ * (1 + 1e-12)
            assert path.objective[row, 0] >= alone.dual_objective_ * (1 - 1e-12)
            assert path.gap[row, 0] <= 1e-3


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_scale_of_the_data_does_not_matter(pixels, scale):
    values = np.geomspace(1e-4, 1.0, 4)
    plain, scaled = (cspca_path(A, values, values) for A in (pixels, pixels * scale))
    assert scaled.gap.max() <= 1e-3
    assert scaled.objective / scale == pytest.approx(plain.objective, rel=1e-3)


def test_another_order_gives_the_same_to_the_tolerance(pixels, path):
    places = list(np.ndindex(len(ALPHAS), len(BETAS)))
    order = [places[k] for k in np.random.default_rng(1).permutation(len(places))]
    other = cspca_path(pixels, ALPHAS, BETAS, order=order)
    assert other.gap.max() <= 1e-3
    assert other.objective == pytest.approx(path.objective, rel=1.1e-3)
    assert ((other.regime == "zero") == (path.regime == "zero")).all()
    visited = [(p.row, p.column) for p in iter_path(pixels, ALPHAS, BETAS, order=order)]
    assert visited == order


def test_points_arrive_one_by_one_and_can_be_cancelled(pixels):
    points = iter_path(pixels, ALPHAS, BETAS)
    first = next(points)
    assert (first.row, first.column) == (4, 3), "the largest penalties come first"
    assert first.regime == "zero"
    points.close()
    assert list(points) == []


def test_an_unfinished_point_says_so(pixels):
    with pytest.warns(ConvergenceWarning, match=r"1 of 1 points stopped after 1 iterations"):
        path = cspca_path(pixels, [0.1], [0.01], max_iter=1)
    assert path.gap[0, 0] > 1e-3


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"alphas": []}, "alphas must be a non-empty list of penalties"),
        ({"alphas": 0.1}, "alphas must be a non-empty list of penalties"),
        ({"betas": [0.1, -1.0]}, "betas must hold finite penalties of at least 0"),
        ({"betas": [np.nan]}, "betas must hold finite penalties of at least 0"),
        ({"penalty_scale": "log"}, "penalty_scale must be 'relative' or 'absolute'"),
        ({"tol": -1.0}, "tol must be a number of at least 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"order": [(0, 0), (0, 0)]}, "order must visit each of the 2 × 1 points"),
        ({"reduced": reduce_data(np.eye(4))}, "reduced was made from other data than X"),
        ({"X": np.ones((3, 3))}, "All images in X are the same"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changes, sentence):
    arguments = {"X": np.random.default_rng(0).random((5, 4)), "alphas": [0.1, 0.2], "betas": [0.1]}
    arguments |= changes
    with pytest.raises(ValueError, match=sentence):
        cspca_path(**arguments)
    with pytest.raises(ValueError, match=sentence):
        iter_path(**arguments)  # at once, not when the first point is asked for


def test_a_reduction_of_other_data_or_other_settings_is_refused():
    """It once answered for the data that were reduced, whatever X was."""
    rng = np.random.default_rng(0)
    X, other = rng.random((12, 5)), rng.random((12, 5)) + np.arange(5)
    ours = cspca_path(X, [0.1], [0.05])
    for solve in (cspca_path, iter_path):
        for reduced, more in (
            (reduce_data(other), {}),
            (reduce_data(X), {"center": False}),
            (reduce_data(X, center=False), {}),
            (reduce_data(X), {"normalize": True}),
        ):
            with pytest.raises(ValueError, match="other data than X, or with another cen"):
                solve(X, [0.1], [0.05], reduced=reduced, **more)
    same = cspca_path(X, [0.1], [0.05], reduced=reduce_data(X))
    np.testing.assert_array_equal(same.objective, ours.objective)
    unit = cspca_path(X, [0.1], [0.05], normalize=True, reduced=reduce_data(X, normalize=True))
    assert unit.objective[0, 0] != ours.objective[0, 0]


def test_a_fit_refuses_a_reduction_of_other_data_whatever_it_starts_from():
    rng = np.random.default_rng(0)
    X, other = rng.random((12, 5)), rng.random((12, 5))
    start = CSPCA(warm_start=True).fit(X)
    for model in (CSPCA(), start):
        with pytest.raises(ValueError, match="reduced was made from other data than X"):
            list(model.iterate(X, start=start, reduced=reduce_data(other)))
