"""What a page says that something will take, beside what it took."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cspca.experiments.cost import film_by_size


@pytest.mark.parametrize(
    ("n", "d", "took"),
    [
        (400, 1024, 4.4),
        (1797, 64, 1.3),
        (2000, 168, 1.9),
        (9298, 256, 23.0),
        (1440, 1024, 25.0),
        (100, 10304, 30.0),
    ],
    ids=["faces", "digits", "motion", "USPS", "COIL20", "native ORL"],
)
def test_a_film_takes_about_what_is_said_of_it(n, d, took):
    """Measured: all 41 frames along α, seconds of one core."""
    said = film_by_size(SimpleNamespace(n_samples=n, n_features=d), 41)
    assert took / 2 < said < 2 * took
