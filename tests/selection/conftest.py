"""Samples on which several methods are tested."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def samples():
    """Three groups of twenty told apart by features 0–3; 4–13 are noise, 14 and 15 constant."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 16))
    X[:, :4] = 2 * rng.standard_normal((3, 4)).repeat(20, axis=0) + 0.2 * X[:, :4]
    X[:, 14], X[:, 15] = 0.0, 0.7
    X.flags.writeable = False
    return X
