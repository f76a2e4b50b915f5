"""SPCA-PSD against a conic solver, and its certificate against both sides."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca.selection.spca_psd import SPCAPSD

PENALTIES = [(0.1, 5.0), (5.0, 0.0), (20.0, 1.0)]


def _samples(n, d=10):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d))
    return X * np.linspace(1.0, 0.1, d) + 0.2 * rng.standard_normal((n, d)) + 5.0


def conic(X, row_penalty, trace_penalty):
    """Optimum by an interior point method."""
    A = X - X.mean(axis=0)
    omega = cp.Variable((A.shape[1], A.shape[1]), PSD=True)
    objective = (
        cp.sum_squares(A - A @ omega)
        + row_penalty * cp.sum(cp.norm(omega, 2, axis=1))
        + trace_penalty * cp.trace(omega)
    )
    problem = cp.Problem(cp.Minimize(objective))
    problem.solve(solver=cp.CLARABEL)
    return problem.value, omega.value


@pytest.mark.parametrize("n", [40, 6])
@pytest.mark.parametrize(("row_penalty", "trace_penalty"), PENALTIES)
def test_optimum_is_the_conic_solver_s_and_the_certificate_holds_before(
    n, row_penalty, trace_penalty
):
    X = _samples(n)
    expected, omega = conic(X, row_penalty, trace_penalty)
    for max_iter in (1, 3, 10, 30):
        with pytest.warns(ConvergenceWarning, match=f"{max_iter} iterations at a certified gap"):
            model = SPCAPSD(row_penalty, trace_penalty, tol=0.0, max_iter=max_iter).fit(X)
        assert model.dual_objective_ <= expected * (1 + 1e-6)
        assert model.objective_[-1] >= expected * (1 - 1e-6)
    model = SPCAPSD(row_penalty, trace_penalty, tol=1e-7, max_iter=20_000).fit(X)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-5)
    assert model.dual_objective_ <= expected * (1 + 1e-6)
    assert len(model.objective_) == -(-model.n_iter_ // 10)
    assert (np.diff(model.objective_) <= 0).all()
    assert 0 <= model.duality_gap_ <= 1e-7
    if n == 40:  # S has full rank, so the optimal Ω is unique
        norms = np.linalg.norm(omega, axis=1)
        np.testing.assert_allclose(model.feature_scores_, norms, atol=1e-3 * norms.max() + 1e-6)


def test_zero_is_optimal_from_its_limit_on():
    """Ω = 0 is optimal once ‖2Aᵀa_j‖ ≤ λ for all j, whatever η; the order then is by that norm."""
    X = _samples(40)
    A = X - X.mean(axis=0)
    pulls = np.linalg.norm(2 * A.T @ A, axis=1)
    model = SPCAPSD(1.01 * pulls.max(), 0.0, tol=1e-9, max_iter=5000).fit(X)
    assert not model.feature_scores_.any()
    assert model.objective_[-1] == pytest.approx(np.sum(A**2))
    assert len(np.unique(model.signed_scores_)) == 10
    assert (model.signed_scores_ <= 0).all()
