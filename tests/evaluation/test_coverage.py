"""Intervals over starts hold what they say, on draws from the recorded accuracies."""

import math

import pytest

from tests.benchmarks.coverage import LEAST, MOST, covered


@pytest.mark.parametrize("name", ["faces", "digits"])
@pytest.mark.parametrize("n", [10, 30])
@pytest.mark.parametrize("question", ["plain", "chosen", "no effect"])
def test_95_per_cent_intervals_hold_the_truth(name: str, n: int, question: str) -> None:
    """From 93 to 98.5 %, and three standard errors of that share."""
    found = covered(name, n, question, 300)
    noise = 3 * math.sqrt(LEAST * (1 - LEAST) / found.n)
    assert LEAST - noise <= found.share <= MOST + noise
