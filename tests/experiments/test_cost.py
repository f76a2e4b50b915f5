"""What a page says that something will take, beside what it took."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cspca.experiments.film import film_by_size

# Seconds of one core for all 41 frames, the mean of α and β, and for two solvers in step.
TOOK = {
    "faces": (400, 1024, 4.4, 10.0),
    "digits": (1797, 64, 1.3, 0.23),
    "motion": (2000, 168, 1.7, 1.25),
    "ORL": (400, 1024, 5.3, 11.0),
    "USPS": (9298, 256, 23.0, 8.6),
    "COIL20": (1440, 1024, 25.0, 100.0),
    "native ORL": (100, 10304, 21.0, 9.0),
}


@pytest.mark.parametrize("name", TOOK)
def test_a_film_takes_about_what_is_said_of_it(name):
    n, d, *took = TOOK[name]
    data = SimpleNamespace(n_samples=n, n_features=d)
    for along, seconds in zip(("alpha", "iterations"), took, strict=True):
        assert seconds / 2 < film_by_size(data, along) < 2 * seconds
