"""The cloud's coordinates: those of the fit, pointing as before, and counted in cells."""

from __future__ import annotations

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import load
from cspca.experiments.samples import aligned_signs, coordinates, density, extent


@pytest.fixture(scope="module")
def digits():
    return load("digits").data[:300]


@pytest.mark.parametrize(("center", "normalize"), [(True, False), (False, False), (True, True)])
def test_coordinates_are_columns_of_transform_with_signs(digits, center, normalize):
    model = CSPCA(0.3, 0.05, center=center, normalize=normalize).fit(digits)
    signs = np.where(np.arange(model.rank_) % 2, -1.0, 1.0)
    points = coordinates(model.fit_, digits, (3, 0), signs)
    whole = model.transform(digits) * signs
    np.testing.assert_allclose(points, whole[:, [3, 0]], atol=1e-10)


def test_signs_follow_the_fit_before_by_a_plain_loop():
    rng = np.random.default_rng(0)
    for _ in range(50):
        before, now = (
            np.linalg.qr(rng.normal(size=(8, int(rng.integers(1, 6)))))[0].T for _ in range(2)
        )
        expected = []
        for number, axis in enumerate(now):
            turns = number < len(before) and sum(axis * before[number]) < 0
            expected.append(-1.0 if turns else 1.0)
        assert aligned_signs(now, before).tolist() == expected
    assert aligned_signs(now, None).tolist() == [1.0] * len(now)
    assert aligned_signs(now, -now).tolist() == [-1.0] * len(now)


def test_cells_count_every_point_once_the_highest_in_the_first_row():
    points = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    assert density(points, (2, 2), extent(points)).tolist() == [[1, 2], [1, 0]]
    rng = np.random.default_rng(2)
    cloud = rng.normal(size=(5000, 2))
    within = extent(cloud)
    whole = density(cloud, (9, 15), within)
    assert whole.sum() == 5000
    parts = density(cloud[:2000], (9, 15), within) + density(cloud[2000:], (9, 15), within)
    np.testing.assert_array_equal(parts, whole)


def test_points_on_a_line_have_room_around_them():
    left, right, bottom, top = extent(np.array([[2.0, 0.0], [4.0, 0.0]]))
    assert left < 2.0 < 4.0 < right
    assert (bottom, top) == (-1.0, 1.0)
