"""UDFS and SPCAFS: the authors' answers, a direct evaluation, and the peer's faults."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from cspca.selection import NDFS, SPCAFS
from cspca.selection.subspace import smallest_subspace
from cspca.selection.udfs import UDFS, local_scatter

EPSILON = np.finfo(float).eps


def definition(X, k, regularization):
    """M as the paper writes it, dense selection matrices and all."""
    n = len(X)
    H = np.eye(k + 1) - 1.0 / (k + 1)
    P = np.zeros((n, n))
    for i in range(n):
        distances = np.linalg.norm(X - X[i], axis=1)
        distances[i] = -1.0
        S = np.eye(n)[:, np.argsort(distances, kind="stable")[: k + 1]]
        centred = X.T @ S @ H
        B = np.linalg.inv(centred.T @ centred + regularization * np.eye(k + 1))
        P += S @ H @ B @ H @ S.T
    return X.T @ P @ X


def smoothed_objective(M, W, gamma, p=1.0):
    return np.trace(W.T @ M @ W) + gamma * (((W**2).sum(axis=1) + EPSILON) ** (p / 2)).sum()


def repeated(M, W, gamma, p=1.0, repetitions=20):
    """The last of so many W's and the objective of each, by full eigendecompositions."""
    objectives = [smoothed_objective(M, W, gamma, p)]
    for _ in range(repetitions - 1):
        root = np.sqrt(2.0 / (gamma * p)) * ((W**2).sum(axis=1) + EPSILON) ** (0.5 - p / 4)
        # (M + γD)⁻¹ = S (I + S M S)⁻¹ S with S = (γD)^-½ bears weights of any size.
        inner = np.linalg.inv(np.eye(len(M)) + root[:, None] * M * root)
        inverse = root[:, None] * inner * root
        W = eigh((inverse + inverse.T) / 2)[1][:, -W.shape[1] :]
        objectives.append(smoothed_objective(M, W, gamma, p))
    return W, objectives


# --- the authors' answers ----------------------------------------------------------------------


@pytest.mark.real_data
def test_authors_matrix_objective_and_scores_on_digits(real_pixels, shared_reference):
    X, original = real_pixels("digits"), shared_reference("original_digits")
    live = original["live"]
    M = local_scatter(X[:, live], 5, 1.0)
    expected = original["udfs_M"]
    np.testing.assert_allclose(M, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    model = UDFS(10, 0.1, tol=0.0).fit(X)
    np.testing.assert_allclose(model.objective_, original["udfs_objective"], rtol=1e-12)
    np.testing.assert_allclose(model.feature_scores_[live], original["udfs_score"], rtol=1e-9)
    assert set(model.feature_order_[-3:]) == set(np.flatnonzero(~live))


@pytest.mark.real_data
def test_authors_objective_on_orl(real_pixels, shared_reference):
    """With fewer images than pixels the first W is arbitrary, and all that follows with it.

    So theirs is taken up where it stopped: a further repetition from their row norms must go on
    from their objective, by about what their last repetition gained.
    """
    M = local_scatter(real_pixels("ORL"), 5, 1.0)
    original = shared_reference("original_ORL")
    before = original["udfs_objective"]
    smoothed = np.sqrt(original["udfs_score"] ** 2 + EPSILON)
    W = smallest_subspace(M, 0.05 / smoothed, 40)
    gain = before[-1] - smoothed_objective(M, W, 0.1)
    assert 0.2 < gain / (before[-2] - before[-1]) < 1.0


# --- an independent computation ----------------------------------------------------------------


def test_matrix_is_the_definition(samples):
    for k, regularization in ((5, 1.0), (3, 0.01)):
        M = local_scatter(samples, k, regularization)
        expected = definition(samples, k, regularization)
        np.testing.assert_allclose(M, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_a_neighbourhood_is_the_sample_s_own():
    """A far pair must not enter the models of the others."""
    X = np.random.default_rng(0).random((30, 4))
    near = local_scatter(X, 5, 1.0)
    far = np.vstack([X, 1e4 + np.random.default_rng(1).random((6, 4))])
    alone = local_scatter(far[30:], 5, 1.0)
    np.testing.assert_allclose(local_scatter(far, 5, 1.0), near + alone, atol=1e-6)


@pytest.mark.parametrize(
    ("selector", "p"),
    [(UDFS(3, gamma, tol=0.0), 1.0) for gamma in (1e-6, 0.1, 10.0)]
    + [
        (SPCAFS(4, gamma, p=p, tol=0.0, max_iter=12), p)
        for p in (0.1, 1.0)
        for gamma in (1e-6, 1e-2, 1.0)
    ],
    ids=str,
)
def test_scores_and_objective_are_the_direct_evaluation(samples, selector, p):
    live = samples[:, :14]
    model = selector.fit(samples)
    if isinstance(model, UDFS):
        M, shift = definition(live, 5, 1.0), 0.0
    else:
        S = np.cov(live.T, bias=True)
        shift = np.linalg.eigvalsh(S)[-1]
        M = shift * np.eye(14) - S
    W, objectives = repeated(M, eigh(M)[1][:, :3], model.gamma, p, model.max_iter)
    expected = np.array(objectives[: model.n_iter_]) - 3 * shift
    np.testing.assert_allclose(model.objective_, expected, rtol=1e-9)
    norms = np.linalg.norm(W, axis=1)
    np.testing.assert_allclose(model.feature_scores_[:14], norms, rtol=0, atol=1e-6)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(
    ("selector", "near"),
    [(UDFS(3, gamma, max_iter=40, tol=0.0), 1e-13) for gamma in (1e-6, 1e6)]
    + [(SPCAFS(4, gamma, p=p, tol=0.0), 1e-13) for gamma in (1e-6, 1.0, 1e6) for p in (0.1, 1.0)]
    + [
        (NDFS(3, alpha, beta, orthogonality=nu, max_iter=60, tol=0.0), 1e-12)
        for alpha, beta in ((1.0, 1.0), (1e-4, 1e-2), (1e4, 1e-4), (1.0, 1e6))
        for nu in (1e2, 1e8)
    ],
    ids=str,
)
def test_the_objective_never_rises(samples, selector, near, few):
    X = np.hstack([samples, np.random.default_rng(2).random((60, 40))])[::3] if few else samples
    objective = np.array(selector.fit(X).objective_)
    assert len(objective) == selector.n_iter_ + isinstance(selector, NDFS) > 1
    assert objective[-1] < objective[0] or not isinstance(selector, NDFS)
    # That of SPCAFS has the variance taken off.
    size = np.abs(objective[:-1]) + isinstance(selector, SPCAFS) * X.var(axis=0).sum()
    assert (np.diff(objective) <= near * size).all()


def test_tolerance_stops_it(samples):
    model = UDFS(3, max_iter=500, tol=1e-4).fit(samples)
    gains = -np.diff(model.objective_) / model.objective_[1:]
    assert model.n_iter_ == len(model.objective_) < 500
    assert gains[-1] <= 1e-4
    assert (gains[:-1] > 1e-4).all()


@pytest.mark.parametrize("scale", [1e6, 1e9, 1e12])
def test_small_eigenvectors_survive_enormous_weights(scale):
    """Against the same problem without the rows that such weights switch off."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((40, 12))
    M = A.T @ A
    weights = np.full(12, 0.5)
    weights[7:] = scale
    W = smallest_subspace(M, weights, 3)
    expected = eigh(M[:7, :7])[1][:, :3]
    assert subspace_angles(W[:7], expected).max() < 1e3 / scale + 1e-12
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-12)


# --- fewer samples than features ---------------------------------------------------------------


def open_starts(M, c, gamma, count=6):
    """First W's of the authors' algorithm: what LAPACK makes of ``M + γI``, and random ones."""
    values, vectors = eigh(M)
    null = vectors[:, values <= 1e-12 * values[-1]]
    rng = np.random.default_rng(7)
    yield eigh(M + gamma * np.eye(len(M)))[1][:, :c]
    for _ in range(count):
        yield null @ np.linalg.qr(rng.standard_normal((null.shape[1], c)))[0]


@pytest.mark.parametrize(("n", "d", "c", "gamma"), [(20, 60, 3, 0.1), (40, 120, 5, 1e-2)])
def test_few_samples_end_where_a_plain_implementation_ends_from_its_best_start(n, d, c, gamma):
    X = np.random.default_rng(n + d).random((n, d)) * np.linspace(0.5, 1.0, d)
    M = definition(X, 5, 1.0)
    ends = [repeated(M, W, gamma)[1][-1] for W in open_starts(M, c, gamma)]
    model = UDFS(c, gamma, tol=0.0).fit(X)
    assert model.n_iter_ == len(model.objective_) == 20
    assert model.objective_[-1] <= 1.03 * min(ends)


@pytest.mark.real_data
def test_half_of_orl_ends_where_a_plain_implementation_ends(real_pixels):
    """Every fourth pixel of every second picture: 200 samples of 256 features."""
    X = real_pixels("ORL")[::2].reshape(200, 32, 32)[:, ::2, ::2].reshape(200, 256)
    M = definition(X, 5, 1.0)
    ends = [repeated(M, W, 0.1)[1][-1] for W in open_starts(M, 20, 0.1, 3)]
    assert UDFS(20, 0.1, tol=0.0).fit(X).objective_[-1] <= 1.03 * min(ends)


# --- what the method promises ------------------------------------------------------------------


@pytest.mark.parametrize("selector", [UDFS(3, 1e6), SPCAFS(gamma=1e3, n_components=3)], ids=str)
def test_a_large_gamma_keeps_one_feature_a_column_and_says_that_the_others_tie(samples, selector):
    model = selector.fit(samples)
    selected = np.flatnonzero(model.feature_scores_)
    assert len(selected) == 3
    others = np.setdiff1d(np.arange(14), selected)
    assert len(np.unique(model.selection_scores_[others])) == 1
    np.testing.assert_array_equal(model.feature_order_[3:], [*others, 14, 15])
