"""The oracles themselves, against the published numbers and against each other."""

import itertools

import numpy as np
import pytest

from tests.benchmarks import printed_algorithm
from tests.oracles import conic, direct, problems


@pytest.mark.parametrize("name", problems.ARRAYS)
def test_printed_algorithm_lowers_its_smoothed_objective(name):
    A = problems.ARRAYS[name]
    alpha_max, beta_max = direct.penalty_limits(A)
    alpha, beta = 0.1 * alpha_max, 0.05 * beta_max
    values = [
        direct.smoothed_objective(A, W, alpha, beta, 1e-2)
        for W in itertools.islice(printed_algorithm.iterate(A, alpha, beta, smoothing=1e-2), 60)
    ]
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    # … towards the smoothed optimum, which lies above the true one by a sum of ε at most
    optimum = conic.solve(A, alpha, beta).value
    slack = 1e-2 * (A.shape[0] + alpha * A.shape[1] + beta * A.shape[1])
    assert optimum <= values[-1] <= optimum + slack + 0.01 * optimum


def test_conic_optimum_is_no_worse_than_any_matrix_we_can_think_of():
    A = problems.ARRAYS["more images than pixels"]
    alpha_max, beta_max = direct.penalty_limits(A)
    alpha, beta = 0.1 * alpha_max, 0.05 * beta_max
    optimum = conic.solve(A, alpha, beta).value
    rng = np.random.default_rng(0)
    d = A.shape[1]
    guesses = [np.zeros((d, d)), np.eye(d), 0.5 * np.eye(d), rng.standard_normal((d, d))]
    best = conic.solve(A, alpha, beta).W
    guesses += [best + 1e-3 * rng.standard_normal((d, d)) for _ in range(10)]
    assert all(direct.objective(A, W, alpha, beta) >= optimum * (1 - 1e-9) for W in guesses)


def test_penalty_limits_of_orl_and_digits(real_pixels):
    alpha_max, beta_max = direct.penalty_limits(real_pixels("digits"))
    assert alpha_max == pytest.approx(1137, abs=0.5)
    assert beta_max == pytest.approx(4815, abs=0.5)
