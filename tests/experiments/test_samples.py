"""The cloud's coordinates: those of the fit, of the frames of a film, and counted in cells."""

from __future__ import annotations

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import load
from cspca.experiments.film import Film, Track, frame_of
from cspca.experiments.samples import coordinates, density, extent, samples_film


@pytest.fixture(scope="module")
def digits():
    return load("digits").data[:300]


@pytest.mark.parametrize(("center", "normalize"), [(True, False), (False, False), (True, True)])
def test_coordinates_are_columns_of_transform(digits, center, normalize):
    model = CSPCA(0.3, 0.05, center=center, normalize=normalize).fit(digits)
    points = coordinates(model.fit_, digits, (3, 0, model.rank_))
    np.testing.assert_allclose(points[:, :2], model.transform(digits)[:, [3, 0]], atol=1e-10)
    assert not points[:, 2].any()


def test_a_film_moves_samples_to_where_the_fit_of_each_frame_has_them(digits):
    models = {value: CSPCA(value, 0.05).fit(digits) for value in (0.2, 0.4, 1.0)}
    frames = {value: frame_of(value, model.fit_) for value, model in models.items()}
    values = (0.2, 0.3, 0.4, 0.5, 1.0)
    fit = models[0.4].fit_
    film = samples_film(Film("alpha", values, (Track("admm", frames),)), fit, digits, (0, 1))
    # The others are not yet there.
    assert film["there"] == [0, 2, 4]
    assert film["points"].shape == (3, 300, 2)
    # All frames lie within the axes that are drawn while one of them is held.
    left, right, bottom, top = film["extent"]
    assert (film["points"] > [left, bottom]).all()
    assert (film["points"] < [right, top]).all()
    for at, value in enumerate((0.2, 0.4)):
        expected = models[value].transform(digits)[:, :2]
        np.testing.assert_allclose(film["points"][at], expected, atol=1e-4)
        share = 100 * models[value].explained_variance_ratio_[1]
        assert film["titles"][at][1] == f"Component 2, explains {share:.1f} %"
    # W = 0 has no component: nothing lies anywhere else.
    assert not film["points"][2].any()
    assert film["titles"][2] == ["No component 1", "No component 2"]


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
