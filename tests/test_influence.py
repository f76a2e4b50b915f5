"""Leverage, theory.md §18: both statements at their bounds, the influence, and what was seen."""

from dataclasses import replace

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset
from cspca.experiments.fit import influence_words, influential
from cspca.preprocessing import reduce_data
from cspca.problem.influence import sample_influence
from cspca.robust import RobustSettings, explain
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from tests.oracles import conic, direct

CENTRING = pytest.mark.parametrize("center", [False, True])


def image_set(n_samples: int, n_features: int) -> Dataset:
    """A set of so many images, for its words."""
    return Dataset(np.zeros((n_samples, n_features)), image_shape=(1, n_features))


SEEDS = pytest.mark.parametrize("seed", range(2))


def by_definition(X, center):
    """The influence of every row, one by one."""
    found = []
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        B = X - X[others].mean(axis=0) if center else X
        norms = direct.row_norms(B)
        found.append(norms[i] / norms[others].sum())
    return np.array(found)


def one_of_a_norm(seed, norm_of_first, center):
    """Six images of four pixels and α, β; the first as long as `norm_of_first` of the rest says."""
    rng = np.random.default_rng(seed)
    X, (alpha, beta) = rng.standard_normal((6, 4)), 1.5 + rng.random(2)
    origin = X[1:].mean(axis=0) if center else np.zeros(4)
    direction = X[0] / np.linalg.norm(X[0])
    rest = direct.row_norms(X[1:] - origin).sum() + alpha * np.sqrt(4) + beta
    X[0] = origin + norm_of_first * (len(X) if center else 1) * rest * direction
    return X - X.mean(axis=0) if center else X, alpha, beta


def shares_not_rebuilt(A, alpha, beta):
    """Of the first image, and the largest of the others."""
    W = conic.solve(A, alpha, beta).W
    shares = direct.row_norms(A @ W - A) / direct.row_norms(A)
    return shares[0], shares[1:].max()


@SEEDS
@CENTRING
def test_at_the_bound_the_image_is_rebuilt_exactly(seed, center):
    share, others = shares_not_rebuilt(*one_of_a_norm(seed, 1.0 + 1e-6, center))
    assert share < 1e-6
    # The penalties are not so small that all are.
    assert others > 1e-4


@SEEDS
@CENTRING
def test_an_image_of_usual_norm_is_not(seed, center):
    """Else the statement would say nothing."""
    norm = 0.02 if center else 0.1
    assert shares_not_rebuilt(*one_of_a_norm(seed, norm, center))[0] > 1e-3


@SEEDS
def test_a_direction_of_its_own_is_enough_whatever_the_norm(seed):
    """Its weight there is above α‖u‖₁ + β, and its norm far below that of the others."""
    rng = np.random.default_rng(seed)
    u = np.linalg.qr(rng.standard_normal((4, 1)))[0][:, 0]
    others = 3.0 * rng.standard_normal((40, 4))
    others -= np.outer(others @ u, u)
    alpha, beta = 0.2, 1.0
    price = alpha * np.abs(u).sum() + beta
    # Part of it lies in the directions of the others.
    for times, is_rebuilt in ((1 + 1e-6, True), (0.5, False)):
        A = np.vstack([times * price * u + 0.3 * others[0], others])
        assert by_definition(A, center=False)[0] < 0.05
        W = conic.solve(A, alpha, beta).W
        assert (np.linalg.norm(A[0] @ W - A[0]) < 1e-5) == is_rebuilt


def objective(A, W, alpha, beta):
    errors, rows = direct.row_norms(A @ W - A).sum(), direct.row_norms(W).sum()
    return errors + alpha * rows + beta * np.linalg.norm(W, "nuc")


@CENTRING
@pytest.mark.parametrize("times", [1, 30, 1000])
def test_what_one_image_costs_the_others_is_bounded_at_absolute_penalties(times, center):
    rng = np.random.default_rng(3)
    X, alpha, beta = rng.standard_normal((7, 4)), 0.3, 1.0
    X[0] *= times
    others = X[1:] - X[1:].mean(axis=0) if center else X[1:]
    A = X - X.mean(axis=0) if center else X
    before, W = conic.solve(others, alpha, beta).W, conic.solve(A, alpha, beta).W
    u = A[0] / np.linalg.norm(A[0])
    most = np.abs(others @ u).sum() + alpha * np.abs(u).sum() + beta
    most *= np.linalg.norm(u @ (np.eye(4) - before))
    lost = objective(A[1:], W, alpha, beta) - objective(others, before, alpha, beta)
    assert lost <= most * (1 + 1e-6)
    if times > 1:
        assert lost > 0.1 * most


@SEEDS
@CENTRING
def test_where_it_is_rebuilt_the_others_lose_their_parts_along_it_and_nothing_else(seed, center):
    rng = np.random.default_rng(seed)
    X, beta = rng.standard_normal((6, 4)), 1.5
    origin = X[1:].mean(axis=0) if center else np.zeros(4)
    others = X[1:] - origin
    length = 1.01 * (6 if center else 1) * (direct.row_norms(others).sum() + beta)
    u = X[0] / np.linalg.norm(X[0])
    X[0] = origin + length * u
    A = X - X.mean(axis=0) if center else X
    rest = np.eye(4) - np.outer(u, u)
    V = conic.solve(others @ rest, 0.0, beta).W
    assert np.linalg.norm(V) > 0.5
    expected = np.outer(u, u) + rest @ V @ rest
    np.testing.assert_allclose(conic.solve(A, 0.0, beta).W, expected, atol=2e-4)


@SEEDS
def test_one_pixel_is_enough(seed):
    rng = np.random.default_rng(seed)
    A, (alpha, beta) = rng.standard_normal((6, 4)), 1.5 + rng.random(2)
    A[0, 2] = (1 + 1e-6) * (np.abs(A[1:, 2]).sum() + alpha + beta)
    # Less than the condition on its norm asks for.
    assert np.linalg.norm(A[0]) < direct.row_norms(A[1:]).sum() + 2 * alpha + beta
    share, others = shares_not_rebuilt(A, alpha, beta)
    assert share < 1e-6
    assert others > 1e-2


# --- the influence ---------------------------------------------------------------------------


def images(n, times, seed=0):
    """Images of which the fourth is so many times as long, and a twin of another one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 12)) + 3.0
    X[3] = X[:3].mean(axis=0) + times * rng.standard_normal(12)
    X[-1] = X[0]
    return X


@CENTRING
@pytest.mark.parametrize("times", [1, 20, 1e3, 1e9])
@pytest.mark.parametrize("n", [5, 40, 300])
def test_influence_is_exact_where_it_is_large_and_known_to_a_share_of_itself_below(
    n, times, center
):
    X = images(n, times)
    found, true = sample_influence(reduce_data(X, center), center), by_definition(X, center)
    large = (found >= 0.11) | (not center)
    np.testing.assert_allclose(found[large], true[large], rtol=1e-6)
    below = ~large
    assert (true[below] >= found[below] / (1 + found[below]) * (1 - 1e-9)).all()
    assert (true[below] <= found[below] / (1 - found[below]) * (1 + 1e-9)).all()
    if times > 100 * n:
        assert found[3] > 1 > 0.11 > np.delete(found, 3).max() or n == 5


@CENTRING
@pytest.mark.parametrize("normalize", [False, True])
def test_block_by_block_it_is_the_same(center, normalize):
    X = images(300, 1e3)
    slices = [slice(0, 2), slice(2, 3), slice(3, 200), slice(200, 300)]
    blocks = BlockData(LocalBlocks(X, scratch=False, slices=slices), center, normalize)
    memory = reduce_data(X, center, normalize)
    found = sample_influence(blocks, center)
    np.testing.assert_allclose(found, sample_influence(memory, center), rtol=1e-9)


def test_of_usual_images_the_blocks_are_not_gone_over_again():
    data = reduce_data(images(300, 1))
    data.over = None
    assert sample_influence(data, True).max() < 0.05


def test_one_image_among_equals_has_no_measure_and_equals_have_none():
    X = np.zeros((5, 3))
    X[2] = 1.0
    found = sample_influence(reduce_data(X, center=False), False)
    np.testing.assert_array_equal(found, [0, 0, np.inf, 0, 0])
    assert CSPCA().fit(X).sample_influence_[2] > 1e12


# --- what was seen ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hidden():
    """Sixty images in three directions of thirty, which are returned too, and some noise."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((30, 3)))[0]
    X = rng.standard_normal((60, 3)) @ basis.T + 0.05 * rng.standard_normal((60, 30))
    away = rng.standard_normal(30)
    return X, basis, away / np.linalg.norm(away)


def with_first(hidden, times):
    """The same with a first image that is so many times as long, in another direction."""
    X, basis, away = hidden
    X = X.copy()
    X[0] = times * np.sqrt(3) * away
    return X, basis


def seen(X, basis, **parameters):
    """Rank, sine of the angle to the true subspace, place of the first image by residual."""
    given = {"alpha": 0.0, "beta": 0.5, "center": False, "tol": 1e-6, "max_iter": 9000} | parameters
    model = CSPCA(**given).fit(X)
    U = np.linalg.svd(model.fit_.map[0], full_matrices=False)[0][:, : model.rank_]
    sine = np.linalg.norm(basis - U @ (U.T @ basis), 2)
    residuals = model.sample_residuals_
    return model, model.rank_, sine, 1 + np.count_nonzero(residuals > residuals[0])


def test_an_image_of_ten_times_the_usual_norm_is_told_by_its_residual(hidden):
    model, rank, sine, place = seen(*with_first(hidden, 10))
    assert (rank, place) == (3, 1)
    assert sine < 0.1
    assert 0.1 < model.sample_influence_[0] < 0.3


def test_at_a_hundred_times_relative_penalties_leave_nothing_of_the_others(hidden):
    X, basis = with_first(hidden, 100)
    model, rank, sine, place = seen(X, basis)
    assert (rank, place) == (1, 60)
    assert sine > 0.99
    assert model.sample_influence_[0] > 1
    absolute = {"beta": 0.5 * CSPCA(0.0, 0.5, center=False).fit(hidden[0]).beta_max_}
    _, rank, sine, place = seen(X, basis, penalty_scale="absolute", **absolute)
    assert (rank, place) == (4, 60)
    assert sine < 0.1


def test_unit_norm_takes_the_weight_away(hidden):
    X, basis = with_first(hidden, 100)
    model, rank, sine, place = seen(X, basis, normalize=True)
    assert (rank, place) == (3, 1)
    assert sine < 0.1
    assert model.sample_influence_[0] < 0.05


def test_a_large_influence_is_never_silent_and_says_no_more_than_the_error_does():
    # It is large and not rebuilt: a direction of its own that is not worth β.
    A = np.zeros((11, 12))
    A[0, 0], A[1:, 1] = 4.5, 1.0
    model = CSPCA(0.0, 6.0, penalty_scale="absolute", center=False).fit(A)
    assert model.sample_residuals_[0] == pytest.approx(4.5)
    assert influential(model.fit_).tolist() == [0]
    assert "Its own error is not small." in influence_words(model.fit_, image_set(11, 12), False)
    # Of few images each has much.
    few = np.random.default_rng(0).standard_normal((4, 8))
    assert not len(influential(CSPCA(0.1, 0.1, center=False).fit(few).fit_))
    # One cell that is nearly all of the sum of norms.
    cell = np.random.default_rng(0).standard_normal((200, 8))
    cell[0, 2] = 1e9
    assert influential(CSPCA(0.1, 0.01).fit(cell).fit_).tolist() == [0]
    fit = replace(CSPCA(0.1, 0.01).fit(cell).fit_, regime="reproduced")
    assert "look at them one by one" in influence_words(fit, image_set(200, 8), True)


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("cspca", 60),
        ("r1pca", 60),
        ("gms", 60),
        ("fms", 1),
        ("coherence", 1),
        ("op", 1),
        ("pcp", 1),
    ],
)
def test_which_methods_tell_one_image_of_a_hundred_times_the_norm(hidden, method, place):
    """As the guide says."""
    X, _ = with_first(hidden, 100)
    scores = explain(method, X, RobustSettings(3)).scores
    assert 1 + np.count_nonzero(scores > scores[0]) == place
