"""Driving a solver from outside, as every caller does: it never stops by itself."""

import itertools
from collections.abc import Iterable

from cspca.problem import Problem, ReducedData


def problem_of(A, alpha_fraction=0.1, beta_fraction=0.05):
    """The problem on `A` with penalties given as fractions of α_max and β_max."""
    data = ReducedData(A)
    return Problem(data, alpha_fraction * data.alpha_max, beta_fraction * data.beta_max)


def take(iterates: Iterable, count: int) -> list:
    """The first `count` iterates."""
    return list(itertools.islice(iterates, count))


def until(iterates: Iterable, gap: float, limit: int = 20_000):
    """The first iterate whose certified gap is at most `gap`."""
    for iterate in itertools.islice(iterates, limit):
        if iterate.gap <= gap:
            return iterate
    raise AssertionError(f"gap {iterate.gap:.2e} after {limit} iterations, wanted {gap:g}")
