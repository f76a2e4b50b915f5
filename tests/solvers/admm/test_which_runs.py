"""Which solver runs when: the table of :mod:`cspca.solvers`, line by line."""

import numpy as np
import pytest

from cspca.problem import ReducedData
from cspca.solvers import ADMM
from cspca.solvers.admm.few_rows import FewRowsState
from cspca.solvers.blocks_data import BlockData, LocalBlocks
from tests.solvers.running import certified, problem_of


def _images(n, d):
    """Images of a few patterns, and noise."""
    rng = np.random.default_rng(0)
    return rng.random((n, 3)) @ rng.random((3, d)) + 0.01 * rng.standard_normal((n, d))


WIDE = ReducedData(_images(60, 80))
TALL = ReducedData(_images(90, 60))
BLOCKS = BlockData(LocalBlocks(_images(90, 60), scratch=False), center=False, normalize=False)


def _first(data, alpha, beta, start=None, target=1e-3):
    """What runs at the given fractions of the limits."""
    return next(ADMM(target=target).iterate(problem_of(data, alpha, beta), start))


def _kind(state):
    """What a state carries."""
    if isinstance(state, FewRowsState):
        return "few rows"
    return "all columns" if state.V is None else "few columns"


@pytest.mark.parametrize("data", [WIDE, TALL, BLOCKS], ids=["wide", "tall", "blocks"])
@pytest.mark.parametrize("penalties", [(0.0, 0.0), (0.6, 0.4), (1.0, 0.0), (0.0, 1.0)])
def test_a_formula_where_one_is_known(data, penalties):
    first = _first(data, *penalties)
    assert first.state.proven
    # But for what rounding may do to a bound.
    assert first.gap <= 1e-10


@pytest.mark.parametrize(
    ("data", "penalties", "target", "kind"),
    [
        (WIDE, (1e-6, 1e-6), 1e-3, "all columns"),
        (TALL, (1e-6, 1e-6), 1e-3, "all columns"),
        (WIDE, (0.1, 0.1), 1e-3, "few columns"),
        (TALL, (0.1, 0.1), 5e-4, "few columns"),
        (TALL, (0.1, 0.1), 4e-4, "all columns"),
        (TALL, (0.3, 0.0), 1e-3, "few rows"),
        (WIDE, (0.3, 1e-4), 1e-4, "few rows"),
        (WIDE, (0.3, 1e-4), 9e-5, "all columns"),
        (WIDE, (0.5, 0.03), 1e-3, "few rows"),
        (WIDE, (0.5, 0.05), 1e-3, "few columns"),
        (TALL, (0.5, 0.01), 1e-3, "few rows"),
        (TALL, (0.5, 0.03), 1e-3, "few columns"),
        (WIDE, (0.3, 0.0), 1e-5, "few rows"),
        (TALL, (0.05, 0.0), 1e-3, "all columns"),
        (BLOCKS, (0.3, 0.0), 1e-3, "all columns"),
        (TALL, (0.0, 0.1), 1e-3, "all columns"),
        (BLOCKS, (0.1, 0.1), 1e-3, "few columns"),
        (BLOCKS, (0.1, 0.1), 4e-4, "all columns"),
    ],
)
def test_the_kind_of_iteration(data, penalties, target, kind):
    assert _kind(_first(data, *penalties, target=target).state) == kind


def test_coefficients_are_gone_on_from_on_all_columns():
    assert _kind(_first(WIDE, 0.1, 0.1, start="diagonal-0.5").state) == "all columns"


def test_a_state_goes_on_under_penalties_that_are_near():
    problem = problem_of(TALL, 0.1, 0.1)
    iterate = certified(problem, 1e-6)
    again = next(ADMM(target=1e-6).iterate(problem, iterate.state))
    assert again.state is iterate.state
    assert _first(TALL, 0.105, 0.1, iterate.state, 1e-6).state.cold
    assert not _first(TALL, 0.4, 0.1, iterate.state, 1e-6).state.cold


@pytest.mark.parametrize("start", [(0.0, 0.0), (0.3, 0.01), (0.3, 1e-3), (0.3, 0.0), (0.0, 0.1)])
def test_a_penalty_that_comes_or_goes_begins_cold(start):
    """From no penalties to some a change was divided by 0; from few rows with β to β = 0, too."""
    state = certified(problem_of(TALL, *start), 1e-3).state
    for alpha, beta in ((0.3, 0.0), (0.3, 0.01), (0.0, 0.1)):
        if (alpha > 0.0, beta > 0.0) == (start[0] > 0.0, start[1] > 0.0):
            continue
        problem = problem_of(TALL, alpha, beta)
        cold, warm = certified(problem, 1e-3, limit=300), certified(problem, 1e-3, state, 300)
        assert warm.number == cold.number
        assert warm.best_objective == cold.best_objective
