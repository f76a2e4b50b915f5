"""The reduced problem against the d × d one: reduction, objective, limits, certificate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cspca.problem import Problem, ReducedData
from cspca.problem.reduction import largest_eigenvalue
from cspca.solvers import ADMM
from tests.oracles import conic, direct, problems
from tests.solvers.running import until

EVERY = pytest.mark.parametrize("name", problems.ARRAYS)


def _problem(A, alpha_fraction=0.1, beta_fraction=0.05):
    data = ReducedData(A)
    return Problem(data, alpha_fraction * data.alpha_max, beta_fraction * data.beta_max)


# --- the reduction ---------------------------------------------------------------------------


@EVERY
def test_basis_is_orthonormal_and_holds_every_image(name):
    A = problems.ARRAYS[name]
    data = ReducedData(A)
    singular_values = np.linalg.svd(A, compute_uv=False)
    rank = np.count_nonzero(singular_values > 1e-10 * singular_values[0])
    assert data.rank == rank
    assert data.U.shape == (A.shape[1], rank)
    np.testing.assert_allclose(data.U.T @ data.U, np.eye(rank), atol=1e-12)
    np.testing.assert_allclose(A @ data.U @ data.U.T, A, atol=1e-10)
    np.testing.assert_allclose(data.singular_values, singular_values[:rank], rtol=1e-7)


@EVERY
def test_projecting_w_on_the_row_space_never_raises_the_objective(name):
    """MATH §2: the reason why the reduction is exact."""
    A = problems.ARRAYS[name]
    problem = _problem(A)
    projector = problem.data.U @ problem.data.U.T
    rng = np.random.default_rng(1)
    for _ in range(5):
        W = rng.standard_normal((A.shape[1], A.shape[1]))
        before = direct.objective(A, W, problem.alpha, problem.beta)
        after = direct.objective(A, W @ projector, problem.alpha, problem.beta)
        assert after <= before * (1 + 1e-12)


@EVERY
@pytest.mark.parametrize("penalties", [(0.1, 0.05), (0.0, 0.3), (0.3, 0.0), (0.0, 0.0)])
def test_objective_is_the_d_by_d_one(name, penalties):
    A = problems.ARRAYS[name]
    problem = _problem(A, *penalties)
    rng = np.random.default_rng(2)
    for _ in range(5):
        Z = rng.standard_normal((A.shape[1], problem.data.rank))
        expected = direct.objective(A, Z @ problem.data.U.T, problem.alpha, problem.beta)
        assert problem.objective(Z) == pytest.approx(expected, rel=1e-9)


@EVERY
def test_penalty_limits(name):
    A = problems.ARRAYS[name]
    data = ReducedData(A)
    alpha_max, beta_max = direct.penalty_limits(A)
    assert data.alpha_max == pytest.approx(alpha_max, rel=1e-10)
    assert data.beta_max == pytest.approx(beta_max, rel=1e-10)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e300])
def test_largest_eigenvalue_of_what_is_hard_for_lanczos(scale):
    rng, n = np.random.default_rng(5), 120
    x, Q = rng.standard_normal(n), np.linalg.qr(rng.standard_normal((n, n)))[0]
    crowded = (Q * (1.0 - 1e-6 * np.arange(n) / n)) @ Q.T
    single = np.diag(np.arange(n) == 3).astype(float)
    for M in (np.outer(x, x), np.eye(n), single, crowded, (Q * np.logspace(0, -16, n)) @ Q.T):
        expected = np.linalg.eigvalsh(M)[-1]
        assert largest_eigenvalue(scale * M) / scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("centred", "alpha_max", "beta_max"), [(False, 276.4, 6627.0), (True, 22.9, 355.0)]
)
def test_penalty_limits_of_orl(real_pixels, centred, alpha_max, beta_max):
    data = ReducedData(real_pixels("ORL", centred=centred))
    assert data.alpha_max == pytest.approx(alpha_max, abs=0.06)
    assert data.beta_max == pytest.approx(beta_max, abs=0.6)


# --- what may and may not change the problem ------------------------------------------------


@pytest.mark.parametrize("factor", [1e-6, 255.0])
def test_scaling_the_pixels_scales_everything(factor):
    """P of (cA, cα, cβ) is c times P of (A, α, β), so α_max and β_max scale by c as well."""
    A = problems.ARRAYS["more images than pixels"]
    plain, scaled = _problem(A), _problem(factor * A)
    assert scaled.data.alpha_max == pytest.approx(factor * plain.data.alpha_max, rel=1e-9)
    assert scaled.data.beta_max == pytest.approx(factor * plain.data.beta_max, rel=1e-9)
    W = np.random.default_rng(6).standard_normal((A.shape[1], A.shape[1]))
    assert scaled.objective(W @ scaled.data.U) == pytest.approx(
        factor * plain.objective(W @ plain.data.U), rel=1e-9
    )


def test_order_of_images_and_pixels_does_not_matter():
    A = problems.ARRAYS["fewer images than pixels"]
    rng = np.random.default_rng(7)
    images, pixels = rng.permutation(A.shape[0]), rng.permutation(A.shape[1])
    plain, shuffled = _problem(A), _problem(A[images][:, pixels])
    W = rng.standard_normal((A.shape[1], A.shape[1]))
    W = W @ plain.data.U @ plain.data.U.T
    moved = W[pixels][:, pixels]
    assert shuffled.alpha == pytest.approx(plain.alpha, rel=1e-12)
    assert shuffled.beta == pytest.approx(plain.beta, rel=1e-12)
    assert shuffled.objective(moved @ shuffled.data.U) == pytest.approx(
        plain.objective(W @ plain.data.U), rel=1e-10
    )


# --- the certificate -------------------------------------------------------------------------


def _optimum(name, penalties=(0.1, 0.05)):
    problem = _problem(problems.ARRAYS[name], *penalties)
    return problem, conic.solve(problem.data.A, problem.alpha, problem.beta).value


@EVERY
def test_no_guess_of_the_multipliers_beats_the_optimum(name):
    problem, optimum = _optimum(name)
    n, d, r = *problem.data.A.shape, problem.data.rank
    rng = np.random.default_rng(9)
    informed = -problem.data.Y / np.maximum(direct.row_norms(problem.data.Y), 1e-9)[:, None]
    for scale in (1e-3, 0.1, 1.0, 30.0):
        for base in (0.0, 0.3, 1.0):
            multiplier = base * informed + scale * 0.1 * rng.standard_normal((n, r))
            G1 = scale * rng.standard_normal((d, r))
            G2 = scale * rng.standard_normal((d, r))
            assert 0.0 <= problem.dual_bound(multiplier, G1, G2).value <= optimum * (1 + 1e-8)


multiplier_seeds = st.integers(0, 2**32 - 1)


@given(
    seed=multiplier_seeds,
    shape=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    alpha=st.sampled_from([0.0, 1e-3, 0.1, 0.5]),
    beta=st.sampled_from([0.0, 1e-3, 0.1, 0.5]),
    toward_optimum=st.floats(0, 1),
)
def test_a_dual_bound_never_exceeds_any_objective(seed, shape, alpha, beta, toward_optimum):
    """Weak duality, for whatever multipliers and whatever Z."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal(shape)
    problem = _problem(A, alpha, beta)
    r = problem.data.rank
    Z = rng.standard_normal((shape[1], r)) * rng.choice([0.0, 0.01, 1.0])
    Z += toward_optimum * (problem.data.U - Z)
    E = A @ Z - problem.data.Y
    multiplier = E / np.maximum(np.linalg.norm(E, axis=1), 1e-12)[:, None]
    G1 = problem.alpha * Z / np.maximum(np.linalg.norm(Z, axis=1), 1e-12)[:, None]
    left, _, right = np.linalg.svd(Z, full_matrices=False)
    G2 = problem.beta * left @ right
    for noise in (0.0, 0.1, 2.0):
        bound = problem.dual_bound(
            multiplier + noise * rng.standard_normal(multiplier.shape),
            G1 + noise * rng.standard_normal(G1.shape),
            G2 + noise * rng.standard_normal(G2.shape),
        )
        assert bound.value <= problem.objective(Z) * (1 + 1e-10) + 1e-12
        assert bound.value <= problem.objective(0.0 * Z) * (1 + 1e-10)


def test_a_penalty_of_next_to_nothing_leaves_the_remainder_to_the_other():
    """A millionth of what is left would be more than G₁ may take."""
    problem = _problem(np.random.default_rng(2).random((80, 40)), 1e-10, 0.3)
    last = until(ADMM(target=1e-5).iterate(problem), 1e-5, limit=60)
    assert last.dual_bound <= last.best_objective


@pytest.mark.parametrize("split", [0.0, 0.3, 1.0])
@EVERY
def test_zero_is_certified_where_the_penalties_reach_their_limits(name, split):
    """At α/α_max + β/β_max = 1 the unit images are the multipliers that prove W = 0 optimal."""
    A = problems.ARRAYS[name]
    problem = _problem(A, split, 1.0 - split)
    data = problem.data
    norms = direct.row_norms(A)
    multiplier = -data.Y / np.where(norms > 0, norms, 1.0)[:, None]
    M = -A.T @ multiplier
    bound = problem.dual_bound(multiplier, split * M, (1.0 - split) * M).value
    assert bound == pytest.approx(norms.sum(), rel=1e-9)


def test_certificate_holds_for_the_data_as_given_not_as_truncated():
    """Weak directions are left out of the basis; the objective still counts them.

    W = I reproduces every image, the weak directions included, and costs (α + β) d: no bound may
    lie above that. Forgetting the outside would let U Uᵀ cost less than the truth.
    """
    rng = np.random.default_rng(10)
    A = rng.random((12, 3)) @ rng.random((3, 7)) + 1e-7 * rng.standard_normal((12, 7))
    problem = _problem(A, 1e-9, 1e-9)
    assert problem.data.rank == 3
    expected = direct.objective(A, problem.data.U @ problem.data.U.T, problem.alpha, problem.beta)
    assert problem.objective(problem.data.U) == pytest.approx(expected, rel=1e-6)
    identity = direct.objective(A, np.eye(7), problem.alpha, problem.beta)
    assert identity == pytest.approx(7 * (problem.alpha + problem.beta), rel=1e-9)
    for scale in (1e-8, 1e-4, 1.0):
        Z = problem.data.U + scale * rng.standard_normal(problem.data.U.shape)
        E = A @ Z - problem.data.Y
        multiplier = E / direct.row_norms(E)[:, None]
        G1 = problem.alpha * Z / direct.row_norms(Z)[:, None]
        G2 = problem.beta * problem.data.U
        assert problem.dual_bound(multiplier, G1, G2).value <= min(identity, expected) * (1 + 1e-9)


@pytest.mark.parametrize("shape", [(12, 7), (7, 12), (9, 9), (200, 30), (30, 200)])
@pytest.mark.parametrize("weak", [0.0, 1e-10, 1e-8])
def test_what_is_left_out_is_known_image_by_image(shape, weak):
    """Beside the strongest value, 1, in extended precision: a Gram matrix would be off by 1e-8."""
    rng = np.random.default_rng(11)
    A = rng.random((shape[0], 3)) @ rng.random((3, shape[1]))
    A = A / np.linalg.norm(A, 2) + weak * rng.standard_normal(shape)
    data = ReducedData(A)
    assert data.rank == 3
    exact, U = A.astype(np.longdouble), data.U.astype(np.longdouble)
    expected = np.sqrt(np.square(exact - (exact @ U) @ U.T).sum(axis=1))
    np.testing.assert_allclose(np.sqrt(data.outside), expected.astype(float), rtol=0, atol=1e-14)


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("which", ["alpha", "beta"])
def test_bad_penalties_are_refused_by_name(which, bad):
    data = ReducedData(problems.ARRAYS["low rank"])
    penalties = {"alpha": 0.1, "beta": 0.1, which: bad}
    with pytest.raises(ValueError, match=which):
        Problem(data, **penalties)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e200])
def test_a_guess_that_is_no_number_proves_little_and_breaks_nothing(odd):
    problem = _problem(problems.ARRAYS["centred"])
    Y = problem.data.Y
    guess = (-Y / np.linalg.norm(Y, axis=1).max(), *np.zeros((2, *problem.data.U.shape)))
    best = problem.objective(problem.data.U)
    for which in range(3):
        given = [B.copy() for B in guess]
        given[which][0, 0] = odd
        with np.errstate(all="raise"):
            assert 0.0 <= problem.dual_bound(*given).value <= best


def test_where_nothing_is_optimal_depends_on_the_loss():
    data = ReducedData(0.1 * problems.ARRAYS["centred"])
    for loss in ("norms", "squared"):
        limit = data.limits(loss)[0]
        below, above = (Problem(data, by * limit, 0.0, loss) for by in (0.99, 1.01))
        assert above.zero_is_optimal
        assert not below.zero_is_optimal
