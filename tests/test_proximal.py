"""Row and singular-value shrinkage: against the SVD, and by the laws every proximal map obeys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from cspca.problem.certificate import spectral_norm_bound
from cspca.proximal import (
    free_share,
    shrink_rows,
    shrink_singular_values,
)

SHAPES = [(1, 1), (7, 3), (3, 3), (40, 12), (2, 5)]


def _random(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _nuclear(B):
    return np.linalg.svd(B, compute_uv=False).sum()


def _rows(B):
    return np.linalg.norm(B, axis=1).sum()


small_matrices = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.floats(-10, 10, allow_nan=False, width=32),
)
thresholds = st.floats(1e-6, 20, allow_nan=False)


def test_a_row_at_the_threshold_becomes_exactly_zero():
    B = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [6.0, 8.0]])
    shrunk = shrink_rows(B, 5.0)
    assert not shrunk[:3].any()
    np.testing.assert_allclose(shrunk[3], [3.0, 4.0], rtol=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("threshold", [0.3, 1.5, 1e3])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-7), (np.float32, 1e-3)])
def test_singular_values_are_shrunk_as_the_svd_says(shape, threshold, dtype, rtol):
    B = _random(shape, dtype)
    left, sigma, right = np.linalg.svd(B.astype(np.float64), full_matrices=False)
    expected_values = np.maximum(sigma - threshold, 0.0)
    expected = (left * expected_values) @ right

    found = shrink_singular_values(B, threshold)
    np.testing.assert_allclose(found.value, expected, atol=rtol * sigma[0])
    assert found.value.dtype == dtype
    assert found.value.shape == shape
    assert found.rank == np.count_nonzero(expected_values)
    assert np.linalg.matrix_rank(found.value, tol=rtol * sigma[0]) == found.rank
    # right singular vectors of the result: orthonormal, and nothing of it lies outside them
    kept = found.right[:, : found.rank]
    np.testing.assert_allclose(kept.T @ kept, np.eye(found.rank), atol=rtol)
    np.testing.assert_allclose(found.value @ kept @ kept.T, found.value, atol=rtol * sigma[0])


def test_all_is_zero_beyond_the_largest_norm():
    B = _random((9, 4))
    spectral = shrink_singular_values(B, np.linalg.norm(B, 2) * (1 + 1e-9))
    assert spectral.rank == 0
    assert not spectral.value.any()
    assert not shrink_rows(B, np.linalg.norm(B, axis=1).max()).any()


def test_the_caller_keeps_the_input():
    B = _random((6, 4))
    before = B.copy()
    shrink_rows(B, 0.5)
    shrink_singular_values(B, 0.5)
    np.testing.assert_array_equal(B, before)


@given(B=small_matrices, threshold=thresholds)
def test_shrunk_rows_minimise_what_they_should(B, threshold):
    """The residual B − X is a subgradient: within t everywhere, of norm t along a live row."""
    X = shrink_rows(B, threshold)
    rest = B - X
    scale = 1.0 + np.abs(B).max()
    assert np.all(np.linalg.norm(rest, axis=1) <= threshold + 1e-12 * scale)
    assert np.sum(rest * X) == pytest.approx(threshold * _rows(X), abs=1e-10 * scale**2)


@given(B=small_matrices, threshold=thresholds)
def test_shrunk_singular_values_minimise_what_they_should(B, threshold):
    X = shrink_singular_values(B, threshold).value
    rest = B - X
    scale = 1.0 + np.abs(B).max()
    assert np.linalg.norm(rest, 2) <= threshold + 1e-6 * scale
    assert np.sum(rest * X) == pytest.approx(threshold * _nuclear(X), abs=1e-5 * scale**2)


@given(first=small_matrices, seed=st.integers(0, 1000), threshold=thresholds)
def test_shrinking_never_drives_two_points_apart(first, seed, threshold):
    second = first + np.random.default_rng(seed).standard_normal(first.shape)
    apart = np.linalg.norm(first - second)
    slack = 1e-6 * (1.0 + np.abs(first).max())
    assert (
        np.linalg.norm(shrink_rows(first, threshold) - shrink_rows(second, threshold))
        <= apart + slack
    )
    assert (
        np.linalg.norm(
            shrink_singular_values(first, threshold).value
            - shrink_singular_values(second, threshold).value
        )
        <= apart + slack
    )


# --- given columns near the leading right singular vectors -------------------------------------


def _decaying(seed=0):
    """A matrix of 90 × 80 whose singular values halve every few places."""
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((n, 80)))[0] for n in (90, 80))
    return (left * 0.8 ** np.arange(80)) @ right.T


def test_no_columns_at_all_give_the_exact_shrinkage():
    B = _decaying()
    found = shrink_singular_values(B, 0.3, np.zeros((B.shape[1], 0)))
    np.testing.assert_array_equal(found.value, shrink_singular_values(B, 0.3).value)


def test_columns_from_a_neighbour_give_nearly_the_exact_shrinkage():
    B = _decaying()
    near = shrink_singular_values(B, 0.3).right[:, :16]
    moved = B + 1e-4 * _random(B.shape, seed=1)
    exact, found = shrink_singular_values(moved, 0.3), shrink_singular_values(moved, 0.3, near)
    np.testing.assert_allclose(found.value, exact.value, atol=1e-5)
    assert found.rank == exact.rank
    assert found.right.shape == (80, 16)


def test_columns_that_are_too_few_are_not_believed():
    grown = 10.0 * _decaying(seed=2)
    near = shrink_singular_values(_decaying(), 0.6).right[:, :4]
    exact, found = shrink_singular_values(grown, 0.05), shrink_singular_values(grown, 0.05, near)
    assert found.rank == exact.rank
    np.testing.assert_array_equal(found.value, exact.value)


# --- the bound of the spectral norm ------------------------------------------------------------


@given(small_matrices, st.floats(0.5, 2.0))
def test_the_bound_is_never_below_the_norm(B, factor):
    norm = np.linalg.norm(B, 2)
    bound = spectral_norm_bound(B, factor * norm)
    assert bound >= norm * (1 - 1e-12)
    assert bound <= max(norm, factor * norm) * (1 + 1e-4) + 1e-7


def test_the_bound_is_tight_where_the_norm_is_expected():
    B = _random((30, 20))
    B /= np.linalg.norm(B, 2)
    assert spectral_norm_bound(B, 1.0) <= 1.0 + 1e-9
    assert spectral_norm_bound(3.0 * B, 1.0) == pytest.approx(3.0, rel=1e-9)


def test_singular_values_are_not_computed_where_a_norm_is_nearly_or_by_far_not_as_expected(
    monkeypatch,
):
    B = _random((30, 20))
    B /= np.linalg.norm(B, 2)
    monkeypatch.setattr(np.linalg, "eigvalsh", None)
    # As after a shrinkage on a few columns in single precision.
    assert 1.0 < spectral_norm_bound((1.0 + 1e-5) * B, 1.0, precision=1e-6) <= 1.0 + 3.1e-5
    # At less than 0.9 of its scale a guess is of no use.
    assert spectral_norm_bound(1.2 * B, 1.0, 0.9) == float("inf")


def test_a_norm_whose_square_overflows_is_bounded():
    B = _random((20, 10))
    B *= 1e152 / np.linalg.norm(B, 2)
    assert spectral_norm_bound(B, 5e151, 1e-3) == pytest.approx(1e152, rel=1e-9)


@pytest.mark.parametrize("h", [0.0, 1e-6, 0.3, 5.0])
@pytest.mark.parametrize("b", [0.0, 0.2, 1.0, 30.0])
def test_the_length_of_an_error_minimises_what_it_should(b: float, h: float) -> None:
    share = float(free_share(np.array([b]), np.array([h]), 0.7)[0])
    best = minimize_scalar(
        lambda s: 0.7 * np.hypot(s, h) + 0.5 * (s - b) ** 2,
        bounds=(0.0, b + 1e-9),
        method="bounded",
        options={"xatol": 1e-10},
    ).x
    assert (1.0 - share) * b == pytest.approx(best, abs=1e-5 * max(b, 1.0))
    if h == 0.0 and b <= 0.7:
        assert share == 1.0
