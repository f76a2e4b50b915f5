"""Driving a solver from outside, as every caller does: it never stops by itself."""

import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from cspca import CSPCA
from cspca.problem import Problem, ReducedData
from cspca.solvers import ADMM


def problem_of(A, alpha_fraction=0.1, beta_fraction=0.05, loss="norms"):
    """The problem on images, or reduced data, with fractions of α_max and β_max as penalties."""
    data = ReducedData(A) if isinstance(A, np.ndarray) else A
    alpha_max, beta_max = data.limits(loss)
    return Problem(data, alpha_fraction * alpha_max, beta_fraction * beta_max, loss)


def certified(problem: Problem, gap: float, start=None, limit: int = 400):
    """What ADMM certifies to `gap`, in at most `limit` iterations."""
    return until(ADMM(target=gap).iterate(problem, start), gap, limit)


def take(iterates: Iterable, count: int) -> list:
    """The first `count` iterates."""
    return list(itertools.islice(iterates, count))


def until(iterates: Iterable, gap: float, limit: int = 20_000):
    """The first iterate whose certified gap is at most `gap`."""
    for iterate in itertools.islice(iterates, limit):
        if iterate.gap <= gap:
            return iterate
    raise AssertionError(f"gap {iterate.gap:.2e} after {limit} iterations, wanted {gap:g}")


def agree(found: CSPCA, expected: CSPCA) -> None:
    """Two fits of the same problem, certified to 1e-5."""
    assert found.converged_
    assert found.duality_gap_ <= 1e-5
    assert found.alpha_ == pytest.approx(expected.alpha_, rel=1e-6)
    assert found.beta_ == pytest.approx(expected.beta_, rel=1e-6)
    assert found.objective_ == pytest.approx(expected.objective_, rel=2e-5)
    assert found.dual_objective_ <= expected.objective_
    np.testing.assert_allclose(found.feature_scores_, expected.feature_scores_, atol=2e-3)
    np.testing.assert_allclose(found.dual_scores_, expected.dual_scores_, atol=2e-2)
    np.testing.assert_allclose(
        found.sample_residuals_, expected.sample_residuals_, atol=1e-2 * expected.objective_**0.5
    )
    np.testing.assert_allclose(found.mean_, expected.mean_, atol=1e-6)
    assert found.rank_ == expected.rank_
    assert found.regime_ == expected.regime_
