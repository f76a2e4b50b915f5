"""The one record of a fit: it says what the model says, and comes back from plain arrays."""

import io
import json

import numpy as np
import pytest
from sklearn.decomposition import PCA

from cspca import CSPCA
from cspca.datasets import load, make_faces
from cspca.fitted import Fit, principal_axes
from cspca.problem import ReducedData
from cspca.solvers import HISTORY, History
from tests.oracles import direct


@pytest.fixture(scope="module")
def images():
    return load("digits").data[:300]


@pytest.fixture(scope="module")
def model(images):
    return CSPCA(0.2, 0.05).fit(images)


def _stored(fit):
    """As a store does it: JSON, and arrays that open without pickle."""
    memory = io.BytesIO()
    np.savez(memory, allow_pickle=False, **fit.to_arrays())
    memory.seek(0)
    return Fit.from_arrays(np.load(memory), json.loads(json.dumps(fit.numbers())))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_comes_back_bit_for_bit(images, dtype):
    X = images.astype(dtype)
    model = CSPCA(0.2, 0.05, normalize=True).fit(X)
    again = _stored(model.fit_)
    assert again.numbers() == model.fit_.numbers()
    for name, array in model.fit_.to_arrays().items():
        np.testing.assert_array_equal(again.to_arrays()[name], array)
    assert again.history.dtype == HISTORY


def test_without_its_map_it_says_what_to_do(model, images):
    bare = _stored(model.fit_)
    np.testing.assert_array_equal(bare.selection_scores, model.selection_scores_)
    for use in (bare.reconstruct, bare.transform):
        with pytest.raises(ValueError, match="fit the same data again"):
            use(images)


def test_a_fit_is_a_start(model, images):
    first = next(CSPCA(0.2, 0.05).iterate(images, start=model.fit_))
    assert first.best_objective == pytest.approx(model.objective_, rel=1e-6)


def test_the_course_of_a_new_start_replaces_the_old(images):
    model, history = CSPCA(0.2, 0.05, tol=1e-5, warm_start=True), History()
    for iterate in model.iterate(images):
        history.add(iterate)
        if iterate.number == 5:
            break
    stopped = model.fit_
    history = History(stopped.history)
    for iterate in model.iterate(images):
        history.add(iterate)
    assert history.table.tobytes() == model.history_.tobytes()
    assert history.table[:5].tobytes() == stopped.history.tobytes()
    other = CSPCA(0.5, 0.05)
    for iterate in other.iterate(images):
        history.add(iterate)
    assert history.table.tobytes() == other.history_.tobytes()


def test_algorithm_1_is_measured_by_the_certified_bound(model, images):
    """Its own bound, from smoothed norms, is a fraction of the optimum; the bound of another
    fit of the same problem proves far more and never more than there is."""
    with pytest.warns(match="measured_by"):
        paper = CSPCA(0.2, 0.05, solver="reweighted", max_iter=20).fit(images)
    measured = paper.fit_.measured_by(model.dual_objective_)
    assert measured.duality_gap < 0.5 * paper.duality_gap_
    assert measured.dual_objective == model.dual_objective_
    assert measured.objective == paper.objective_
    assert paper.fit_.measured_by(0.0).duality_gap == paper.duality_gap_
    assert model.fit_.measured_by(2 * model.objective_).duality_gap == 0.0


@pytest.mark.parametrize("penalties", [(0.1, 0.05), (0.02, 0.0), (2.0, 0.1)])
@pytest.mark.parametrize("max_iter", [1, 500])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_residuals_belong_to_the_map(penalties, max_iter) -> None:
    A = make_faces(n_people=8, n_per_person=8, image_size=16).data.astype(np.float64)
    model = CSPCA(*penalties, max_iter=max_iter).fit(A)
    away = model.reconstruct(A) - A
    np.testing.assert_allclose(model.sample_residuals_, np.linalg.norm(away, axis=1), atol=2e-5)
    again = CSPCA(*penalties, max_iter=max_iter, warm_start=True).fit(A).set_params(tol=1e-6).fit(A)
    away = again.reconstruct(A) - A
    np.testing.assert_allclose(again.sample_residuals_, np.linalg.norm(away, axis=1), atol=2e-5)
    assert (again.dual_scores_[again.feature_scores_ > 0] == 1.0).all()


@pytest.mark.parametrize("penalties", [(0.4, 0.02), (0.1, 0.05), (0.02, 0.1), (0.3, 0.0), (0, 0.1)])
@pytest.mark.parametrize(
    ("solver", "tol"), [("admm", 1e-3), ("admm", 1e-6), ("plain", 1e-3), ("reweighted", 1e-3)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rank_is_that_of_the_map_that_is_returned(penalties, solver, tol):
    """Its rows of zeros and its lost directions are exact, whatever the threshold."""
    A = make_faces(n_people=8, n_per_person=8, image_size=9).data.astype(np.float64)
    model = CSPCA(*penalties, solver=solver, tol=tol, max_iter=60).fit(A)
    Z, U = model.fit_.map
    sigma = np.linalg.svd(Z, compute_uv=False)
    exact = solver != "reweighted" and penalties[1] > 0
    for threshold in (1e-6, 1e-9, 1e-12) if exact else (1e-6,):
        assert model.rank_ == np.count_nonzero(sigma > threshold * sigma[0])
    absolute = model.alpha_, model.beta_
    assert direct.objective(A - model.mean_, Z @ U.T, *absolute) == pytest.approx(
        model.objective_, rel=2e-9
    )
    assert model.components_.shape == (model.rank_, A.shape[1])
    rebuilt = model.reconstruct(A) - model.mean_
    np.testing.assert_allclose(model.transform(A), rebuilt @ model.components_.T, atol=1e-9)
    if exact:
        np.testing.assert_allclose(model.transform(A) @ model.components_, rebuilt, atol=1e-9)


def test_rank_of_squared_errors_is_that_of_their_objective(images):
    model = CSPCA(0.0, 0.05, loss="squared", solver="plain", tol=1e-6).fit(images)
    A = images - model.mean_
    values = np.linalg.eigvalsh(A.T @ A)
    assert model.rank_ == np.count_nonzero(values > model.beta_)


@pytest.mark.parametrize(("alpha", "beta"), [(0.4, 0.02), (0.2, 0.01)])
def test_rank_settles_as_the_gap_falls(alpha, beta):
    """At a gap of 1e-3 the last directions, which hardly matter, cannot be told from none."""
    A = make_faces(n_people=8, n_per_person=8, image_size=16).data.astype(np.float64)
    ranks = [CSPCA(alpha, beta, tol=tol).fit(A).rank_ for tol in (1e-3, 1e-5, 1e-7)]
    assert abs(ranks[1] - ranks[2]) <= 2


def test_images_from_coordinates_are_on_the_scale_of_unit_norms():
    """Their own norms are what the map explains, not 1."""
    X = make_faces(n_people=5, n_per_person=4, image_size=8, random_state=0).data
    model = CSPCA(alpha=0.3, beta=0.2, center=False, normalize=True).fit(X)
    images = model.inverse_transform(model.transform(X))
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(images * norms, model.reconstruct(X), atol=1e-10)
    assert (np.linalg.norm(images, axis=1) < 0.999).all()
    for method in (CSPCA.inverse_transform, Fit.inverse_transform):
        words = " ".join((method.__doc__ or "").lower().split())
        assert "on the scale on which images have unit norm" in words


# --- principal axes ----------------------------------------------------------------------------


def principal_shares(A, count):
    """What the first principal components of PCA explain together, by their number."""
    squared = np.linalg.svd(A, compute_uv=False) ** 2
    return np.cumsum(squared / squared.sum())[:count]


@pytest.mark.parametrize("seed", range(40))
def test_axes_explain_what_the_map_rebuilds_and_never_more_than_pca(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(5, 40, 2)
    X = rng.standard_normal((n, d)) * rng.lognormal(sigma=1.0, size=d)
    center = bool(seed % 4)
    alpha, beta = rng.uniform(0.0, 0.5), rng.uniform(0.0, 0.45)
    model = CSPCA(alpha, beta, center=center, tol=1e-2).fit(X)
    A, axes = X - model.mean_, model.components_
    rebuilt = model.reconstruct(X) - model.mean_
    left = np.linalg.norm(A - rebuilt) ** 2 / np.linalg.norm(A) ** 2
    ratios = model.explained_variance_ratio_
    assert ratios.sum() == pytest.approx(1.0 - left, abs=1e-12)
    assert (np.cumsum(ratios) <= principal_shares(A, model.rank_) + 1e-12).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(model.rank_), atol=1e-9)
    by_hand = [
        (2 * (A @ v) @ (rebuilt @ v) - (rebuilt @ v) @ (rebuilt @ v)) / np.linalg.norm(A) ** 2
        for v in axes
    ]
    np.testing.assert_allclose(ratios, by_hand, atol=1e-9)
    values = np.linalg.svd(rebuilt, compute_uv=False)[: model.rank_]
    np.testing.assert_allclose(
        model.singular_values_[: len(values)], values, atol=1e-8 * values.max(initial=0.0)
    )
    _, _, principal = np.linalg.svd(A, full_matrices=False)
    principal *= np.sign(
        np.take_along_axis(principal, np.abs(principal).argmax(axis=1)[:, None], axis=1)
    )
    shared = axes @ principal.T
    # Each axis points along the one of PCA that it is nearest to.
    assert (shared.max(axis=1) >= np.abs(shared).max(axis=1) - 1e-9).all()


@pytest.mark.parametrize("solver", ["admm", "plain", "reweighted"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_coordinates_of_training_images_are_uncorrelated_and_fall_in_variance(images, solver):
    model = CSPCA(0.2, 0.05, solver=solver, max_iter=100).fit(images)
    coordinates = model.transform(images)
    covariance = np.cov(coordinates.T)
    variances = np.diag(covariance)
    away = covariance - np.diag(variances)
    assert np.abs(away).max() <= 1e-8 * variances.max()
    assert (np.diff(variances) <= 1e-12 * variances[0]).all()
    np.testing.assert_allclose(
        model.inverse_transform(coordinates), model.reconstruct(images), atol=1e-6
    )
    np.testing.assert_allclose(
        model.weight_singular_values_,
        np.linalg.svd(model.fit_.Z, compute_uv=False)[: model.rank_],
        rtol=1e-5,
    )


def test_without_penalties_the_axes_are_those_of_pca():
    X = np.random.default_rng(0).standard_normal((30, 12)) * np.arange(1.0, 13.0)
    for samples in (X, X[:8]):
        n_axes = min(len(samples) - 1, samples.shape[1])
        model, pca = CSPCA(0.0, 0.0).fit(samples), PCA(n_axes).fit(samples)
        assert model.rank_ == n_axes
        np.testing.assert_allclose(
            model.explained_variance_ratio_, pca.explained_variance_ratio_, atol=1e-12
        )
        np.testing.assert_allclose(model.singular_values_, pca.singular_values_, rtol=1e-10)
        np.testing.assert_allclose(model.components_, pca.components_, atol=1e-7)


def test_axes_of_the_rendered_faces_are_the_known_ones():
    faces = load("faces").data
    model = CSPCA(0.1, 0.02).fit(faces)
    assert model.rank_ == 26
    np.testing.assert_allclose(
        model.explained_variance_ratio_[:6],
        [0.36994, 0.17538, 0.09976, 0.05284, 0.02185, 0.01340],
        atol=1e-4,
    )
    assert model.explained_variance_ratio_.sum() == pytest.approx(0.7907, abs=1e-4)
    pca = PCA(26, svd_solver="full").fit(faces)
    cosines = np.abs(np.sum(model.components_[:6] * pca.components_[:6], axis=1))
    np.testing.assert_allclose(cosines, [0.9996, 0.9994, 0.9995, 0.9973, 0.9843, 0.74], atol=5e-3)


def test_a_map_that_rebuilds_in_fewer_directions_than_its_rank_has_as_many_axes():
    """Its row space has a direction in which the images have nothing that it passes on."""
    data = ReducedData(np.diag([2.0, 1.0, 1.0]))
    Z = data.U.T[:, ::-1].T @ np.diag([1.0, 0.0, 0.0])
    basis = np.eye(3)[:, :2]
    axes, values, explained = principal_axes(data, Z, basis)
    assert axes.shape == (2, 3)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-12)
    assert values[1] == pytest.approx(0.0, abs=1e-12)
    assert explained[1] == pytest.approx(0.0, abs=1e-12)
