"""CSPCA as a scikit-learn estimator: what is promised by name, checked against the d × d form."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from cspca import CSPCA
from tests.oracles import conic, direct, problems


@pytest.fixture(scope="module")
def images():
    """Thirty images of a few patterns and some noise, darker to the left; two pixels are dead."""
    rng = np.random.default_rng(0)
    X = rng.random((30, 5)) @ rng.random((5, 20)) + 0.3 * rng.random((30, 20))
    X *= np.linspace(0.1, 1.0, 20) / X.max()
    X[:, [3, 11]] = 0.0
    return X


@pytest.fixture(scope="module")
def model(images):
    return CSPCA(alpha=0.1, beta=0.05, tol=1e-7, max_iter=20_000).fit(images)


def _weights(model):
    return np.array([model.weight_row(j) for j in range(model.n_features_in_)])


@parametrize_with_checks(
    [
        CSPCA(),
        CSPCA(solver="plain", loss="squared"),
        CSPCA(solver="reweighted", max_iter=20),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    with warnings.catch_warnings():
        # the checks fit tiny noise, where Algorithm 1 need not reach its tolerance
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


# --- fitted attributes -----------------------------------------------------------------------


def test_numbers_are_those_of_the_d_by_d_problem(model, images):
    A, W = images - images.mean(axis=0), _weights(model)
    assert model.objective_ == pytest.approx(
        direct.objective(A, W, model.alpha_, model.beta_), rel=1e-7
    )
    np.testing.assert_allclose(model.mean_, images.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.feature_scores_, direct.row_norms(W), atol=1e-12)
    np.testing.assert_allclose(model.sample_residuals_, direct.row_norms(A @ W - A), atol=1e-9)
    np.testing.assert_allclose(model.reconstruct(images), A @ W + images.mean(axis=0), atol=1e-10)


def test_the_optimum_is_a_conic_solvers(model, images):
    A = images - images.mean(axis=0)
    answer = conic.solve(A, model.alpha_, model.beta_)
    assert model.objective_ == pytest.approx(answer.value, rel=1e-6)
    assert model.dual_objective_ <= answer.value * (1 + 1e-8)
    np.testing.assert_allclose(model.feature_scores_, direct.row_norms(answer.W), atol=2e-3)


def _below_ceilings(model, answer):
    """Of an answer that is optimal but for what it lies above the optimum itself."""
    above = (answer.value - model.dual_objective_) / (model.objective_ - model.dual_objective_)
    return np.all(direct.row_norms(answer.W) <= model.feature_score_bounds_ * max(1.0, above))


SPARSE = ("centred", "dead pixels", "fewer images than pixels", "more images than pixels")


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize(
    ("penalties", "dtype"), [((0.3, 0.0), np.float64), ((0.6, 0.1), np.float32)]
)
def test_no_optimum_is_above_its_ceilings(name, penalties, dtype):
    """Those of a rough fit hold as those of a tight one do, which says something of zeros."""
    A = problems.ARRAYS[name].astype(dtype)
    tight = CSPCA(*penalties, center=False, tol=1e-7, max_iter=5000).fit(A)
    answer = conic.solve(A.astype(np.float64), tight.alpha_, tight.beta_)
    for tol in (0.3, 1e-3):
        assert _below_ceilings(CSPCA(*penalties, center=False, tol=tol).fit(A), answer)
    assert _below_ceilings(tight, answer)
    zero, top = tight.feature_scores_ == 0.0, tight.feature_scores_.max()
    assert zero.any()
    assert np.median(tight.feature_score_bounds_[zero]) < 0.01 * top


def test_a_ceiling_holds_in_optima_that_the_fit_is_not(images):
    """Two pixels of the same values share what either of them could have for itself."""
    twin = np.hstack([images, images[:, -1:]])
    model = CSPCA(0.3, 0.0, center=False, tol=1e-7, max_iter=5000).fit(twin)
    W = _weights(model)
    W[-1] += W[-2]
    W[-2] = 0.0
    assert direct.row_norms(W)[-1] > 1e-2
    found = direct.objective(twin, W, model.alpha_, model.beta_)
    assert found == pytest.approx(model.objective_, rel=1e-6)
    assert np.all(direct.row_norms(W) <= model.feature_score_bounds_)
    assert np.all(direct.row_norms(W)[[-1, -2]] <= model.feature_score_bounds_[-2:])


@pytest.mark.parametrize("penalties", [(0.0, 0.1), (0.0, 0.0), (1e-6, 1e-6)])
def test_without_a_row_penalty_or_in_the_identity_nothing_is_proven(images, penalties):
    live = images[:, np.ptp(images, axis=0) > 0]
    model = CSPCA(*penalties, tol=1e-6).fit(live)
    assert np.isinf(model.feature_score_bounds_).all()


def test_ceilings_go_on_with_a_fit_and_belong_to_its_penalties(images):
    """A resumed fit keeps the best that was proven; another problem begins without any."""
    model = CSPCA(0.3, 0.02, tol=1e-4, warm_start=True).fit(images)
    before, zero = model.feature_score_bounds_, model.feature_scores_ == 0.0
    model.set_params(tol=1e-6).fit(images)
    assert model.feature_score_bounds_[zero].max() < 0.1 * before[zero].max()
    moved = model.set_params(alpha=0.1).fit(images)
    A = images - images.mean(axis=0)
    assert _below_ceilings(moved, conic.solve(A, moved.alpha_, moved.beta_))


def test_penalties_are_fractions_of_their_limits(model, images):
    A = images - images.mean(axis=0)
    alpha_max, beta_max = direct.penalty_limits(A)
    assert model.alpha_max_ == pytest.approx(alpha_max, rel=1e-9)
    assert model.beta_max_ == pytest.approx(beta_max, rel=1e-9)
    assert model.alpha_ == pytest.approx(0.1 * alpha_max, rel=1e-9)
    assert model.beta_ == pytest.approx(0.05 * beta_max, rel=1e-9)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
def test_preprocessing(images, center, normalize):
    model = CSPCA(0.1, 0.05, center=center, normalize=normalize, tol=1e-6, max_iter=20_000)
    model.fit(images)
    A = images - images.mean(axis=0) if center else images
    if normalize and not center:
        A = A / direct.row_norms(A)[:, None]
    if not (normalize and center):  # which of the two comes first is the estimator's to say
        alpha_max, _ = direct.penalty_limits(A)
        assert model.alpha_max_ == pytest.approx(alpha_max, rel=1e-9)
        assert model.objective_ == pytest.approx(
            direct.objective(A, _weights(model), model.alpha_, model.beta_), rel=1e-6
        )
    else:
        brighter = CSPCA(0.1, 0.05, normalize=True, tol=1e-6, max_iter=20_000).fit(3 * images)
        assert brighter.objective_ == pytest.approx(model.objective_, rel=1e-5)


# --- scores and order ------------------------------------------------------------------------


def test_zeros_are_exact_and_ordered_by_how_close_they_are(model):
    scores, dual, signed = model.feature_scores_, model.dual_scores_, model.signed_scores_
    zero = scores == 0.0
    assert 2 < zero.sum() < len(scores)
    np.testing.assert_array_equal(signed[~zero], scores[~zero])
    np.testing.assert_allclose(signed[zero], dual[zero] - 1.0, atol=1e-12)
    assert np.all(signed[zero] <= 0.0)
    assert np.all((dual >= 0.0) & (dual <= 1.0))
    assert sorted(model.feature_order_) == list(range(len(scores)))
    assert np.all(np.diff(signed[model.feature_order_]) <= 0)
    assert np.all(np.diff(model.selection_scores_[model.feature_order_]) <= 0)


def test_dead_pixels_come_last(model):
    np.testing.assert_array_equal(model.dual_scores_[[3, 11]], 0.0)
    assert set(model.feature_order_[-2:]) == {3, 11}


def test_dual_scores_are_the_formula_at_a_conic_optimum(model, images):
    """MATH §8, with Λ and the row space of W taken from another solver."""
    A = images - images.mean(axis=0)
    W = conic.solve(A, model.alpha_, model.beta_).W
    E = A @ W - A
    assert direct.row_norms(E).min() > 1e-3, "the formula needs every image to leave a residual"
    g = A.T @ (E / direct.row_norms(E)[:, None])
    _, sigma, right = np.linalg.svd(W)
    right = right[sigma > 1e-5]
    inside = g @ right.T @ right
    outside = np.maximum(direct.row_norms(g - inside) - model.beta_, 0.0)
    expected = np.sqrt(direct.row_norms(inside) ** 2 + outside**2) / model.alpha_
    zero = model.feature_scores_ == 0.0
    np.testing.assert_allclose(model.dual_scores_[zero], expected[zero], atol=5e-3)


def test_the_next_pixel_to_enter_is_the_first_among_the_zeros(images):
    penalties = {"beta": 0.05, "tol": 1e-8, "max_iter": 50_000}
    here = CSPCA(alpha=0.3, **penalties).fit(images)
    zero = np.flatnonzero(here.feature_scores_ == 0.0)
    waiting = [j for j in here.feature_order_ if j in zero]
    for alpha in np.linspace(0.299, 0.2, 34):
        there = CSPCA(alpha=alpha, **penalties).fit(images)
        entered = [j for j in zero if there.feature_scores_[j] > 0.0]
        if entered:
            break
    assert set(entered) <= set(waiting[: len(entered) + 1])
    # Pixels that are nearly level may swap on the way.
    assert here.dual_scores_[entered].max() >= here.dual_scores_[waiting[0]] - 0.005


# --- regimes ---------------------------------------------------------------------------------


def test_all_pixels_zero_is_an_answer(images):
    model = CSPCA(alpha=0.7, beta=0.3).fit(images)
    assert model.regime_ == "zero"
    assert not model.feature_scores_.any()
    assert model.rank_ == 0
    assert model.duality_gap_ <= 1e-9
    A = images - images.mean(axis=0)
    assert model.objective_ == pytest.approx(direct.row_norms(A).sum(), rel=1e-12)
    np.testing.assert_allclose(
        model.reconstruct(images), np.broadcast_to(images.mean(axis=0), images.shape), atol=1e-12
    )
    assert sorted(model.feature_order_) == list(range(images.shape[1]))
    assert model.transform(images).shape[0] == len(images)


def test_regimes_along_the_path():
    A = np.random.default_rng(1).random((60, 6)) * np.linspace(0.1, 1.0, 6)
    d = A.shape[1]
    bound = 1.0 / np.linalg.norm(np.linalg.solve(A.T @ A, A.T), axis=0).max()
    wishes = {"penalty_scale": "absolute", "center": False, "tol": 1e-6, "max_iter": 20_000}
    identity = CSPCA(0.4 * bound, 0.5 * bound, **wishes).fit(A)
    assert identity.regime_ == "identity"
    assert identity.objective_ == pytest.approx(0.9 * bound * d, rel=1e-6)
    np.testing.assert_allclose(identity.feature_scores_, 1.0, atol=1e-6)
    assert identity.rank_ == d
    alpha_max, beta_max = direct.penalty_limits(A)
    sparse = CSPCA(0.3 * alpha_max, 0.01 * beta_max, **wishes).fit(A)
    assert sparse.regime_ == "sparse"
    assert 0 < np.count_nonzero(sparse.feature_scores_) < d
    dense = CSPCA(0.0, 0.3 * beta_max, **wishes).fit(A)
    assert dense.regime_ == "dense"
    assert np.all(dense.feature_scores_ > 0)


# --- the map ---------------------------------------------------------------------------------


def test_unseen_images_are_mapped_by_the_same_matrix(model, images):
    new = np.random.default_rng(4).random((4, images.shape[1]))
    expected = (new - model.mean_) @ _weights(model) + model.mean_
    np.testing.assert_allclose(model.reconstruct(new), expected, atol=1e-10)
    np.testing.assert_allclose(model.transform(new[:1]), model.transform(new)[:1], atol=1e-12)


def test_zero_rows_mean_that_the_pixel_is_not_looked_at(model, images):
    ignored = model.feature_scores_ == 0.0
    disturbed = images.copy()
    disturbed[:, ignored] += 1.0
    change = model.reconstruct(disturbed) - model.reconstruct(images)
    np.testing.assert_allclose(change, 0.0, atol=1e-12)


# --- stopping, resuming, watching ------------------------------------------------------------


def test_running_out_of_iterations_says_how_far_it_got(images):
    with pytest.warns(ConvergenceWarning, match=r"gap"):
        model = CSPCA(0.1, 0.05, tol=1e-10, max_iter=6).fit(images)
    assert not model.converged_
    assert model.n_iter_ == 6
    assert model.duality_gap_ > 1e-10


def test_breaking_off_leaves_a_usable_model(images):
    model = CSPCA(0.1, 0.05, tol=1e-9)
    for record in model.iterate(images):
        if record.number == 10:
            break
    assert model.n_iter_ == 10
    assert not model.converged_
    assert model.duality_gap_ == pytest.approx(record.gap, abs=1e-12)
    assert model.reconstruct(images).shape == images.shape


def test_a_broken_off_fit_continues_where_it_stood(images):
    straight = CSPCA(0.1, 0.05, tol=1e-6, max_iter=5000).fit(images)
    assert straight.n_iter_ > 25
    model = CSPCA(0.1, 0.05, tol=1e-6, max_iter=5000, warm_start=True)
    for record in model.iterate(images):
        if record.number == 20:
            break
    numbers = [record.number for record in model.iterate(images)]
    assert numbers[0] == 21
    assert model.n_iter_ == straight.n_iter_
    np.testing.assert_array_equal(model.feature_scores_, straight.feature_scores_)
    assert [r["number"] for r in model.history_] == list(range(1, straight.n_iter_ + 1))


def test_a_warm_start_is_shorter_and_ends_at_the_same_place(small_faces):
    X = small_faces.data
    here = CSPCA(0.1, 0.05, tol=1e-4, warm_start=True).fit(X)
    there = CSPCA(0.11, 0.05, tol=1e-4)
    cold = clone(there).fit(X)
    for _ in there.iterate(X, start=here):
        pass
    assert there.n_iter_ < cold.n_iter_
    assert there.objective_ == pytest.approx(cold.objective_, rel=2e-4)
    assert there.alpha_ == pytest.approx(cold.alpha_, rel=1e-12)
    # what it started from goes on from where it stood
    before = here.n_iter_
    here.set_params(tol=1e-5).fit(X)
    assert here.n_iter_ > before
    assert here.duality_gap_ <= 1e-5


class _StopAfter:
    """A scikit-learn callback that ends the fit after so many iterations."""

    def __init__(self, count):
        self.count = count
        self.gaps = []
        self.scores = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata, fitted_estimator):
        if context.task_name != "iteration":
            return False
        self.gaps.append(metadata["gap"])
        self.scores.append(fitted_estimator.feature_scores_)
        return len(self.gaps) == self.count


def test_a_callback_may_stop_the_fit_which_keeps_what_it_has(images):
    stop = _StopAfter(3)
    model = CSPCA(tol=1e-9).set_callbacks(stop).fit(images)
    assert model.n_iter_ == 3
    assert not model.converged_
    assert stop.gaps[-1] == pytest.approx(model.duality_gap_)
    np.testing.assert_array_equal(stop.scores[-1], model.feature_scores_)
    assert model.transform(images).shape == (len(images), model.rank_)


# --- the house of scikit-learn ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_of_the_input_is_kept(images, dtype):
    model = CSPCA(0.1, 0.05).fit(images.astype(dtype))
    assert model.transform(images.astype(dtype)).dtype == dtype
    assert model.reconstruct(images.astype(dtype)).dtype == dtype
    exact = CSPCA(0.1, 0.05, tol=1e-6, max_iter=20_000).fit(images)
    assert model.duality_gap_ <= 1e-3
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-3)
    assert model.dual_objective_ <= exact.objective_ * (1 + 1e-6)


def test_same_seed_same_fit(images):
    wishes = {"solver": "reweighted", "init": "random", "max_iter": 10, "tol": 0.5}
    with pytest.warns(ConvergenceWarning, match="stopped after 10 iterations"):
        first, again = (CSPCA(0.1, 0.05, random_state=1, **wishes).fit(images) for _ in range(2))
    np.testing.assert_array_equal(first.feature_scores_, again.feature_scores_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "wishes",
    [
        {"alpha": 1e-6, "beta": 1e-6, "tol": 1e-6},
        {"alpha": 1e-6, "beta": 1e-6, "tol": 1e-6, "normalize": True},
        {"alpha": 1e-5, "beta": 0.0, "tol": 1e-6, "center": False},
        {"alpha": 0.0, "beta": 1e-5, "tol": 1e-6},
        {"alpha": 0.1, "beta": 0.01, "tol": 1e-6},
        {"alpha": 0.1, "beta": 0.01, "solver": "reweighted", "max_iter": 30},
    ],
    ids=["tiny", "tiny, unit norms", "no trace norm", "no rows", "default", "reweighted"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_objective_is_that_of_the_map_the_model_holds(dtype, wishes):
    """Single precision would lose it: at 1e-6 all images are reproduced to less than that holds."""
    X = np.random.default_rng(0).integers(0, 256, (20, 40)).astype(dtype)
    model = CSPCA(**{"max_iter": 20_000, **wishes}).fit(X)
    A = X.astype(np.float64)
    if wishes.get("normalize"):
        A /= np.linalg.norm(A, axis=1, keepdims=True)
    A -= model.mean_
    W = np.array([model.weight_row(j) for j in range(40)])
    held = direct.objective(A, W, model.alpha_, model.beta_)
    # Algorithm 1 reads its trace norms off a Gram matrix.
    digits = 1e-6 if wishes.get("solver") else 1e-9
    assert model.objective_ == pytest.approx(held, rel=digits)
    assert model.duality_gap_ >= 1.0 - model.dual_objective_ / held - 1e-9


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.49), (0.9, 0.0999), (0.1, 0.8999)])
def test_next_to_where_nothing_is_kept_a_map_of_no_rank_is_a_map(alpha, beta):
    X = np.random.default_rng(1).standard_normal((20, 5))
    model = CSPCA(alpha, beta).fit(X)
    assert model.converged_
    assert model.components_.shape == (model.rank_, 5)
    assert model.transform(X).shape == (20, model.rank_)
