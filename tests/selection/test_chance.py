"""Random draws and grids of pixels."""

import numpy as np
import pytest

from cspca.selection.chance import GridSelection, RandomSelection


def test_draws_are_seeded_nested_and_fair():
    X = np.random.default_rng(0).random((5, 40))
    X[:, 7] = 1.0
    orders = [RandomSelection(seed).fit(X).feature_order_ for seed in range(400)]
    np.testing.assert_array_equal(orders[3], RandomSelection(3).fit(X).feature_order_)
    assert all(order[-1] == 7 for order in orders)
    taken = np.bincount(np.ravel([order[:10] for order in orders]), minlength=40)
    # Of 400 draws each of 39 is in the first ten 102.6 times, give or take 8.7.
    assert abs(np.delete(taken, 7) - 400 * 10 / 39).max() < 5 * 8.7


@pytest.mark.parametrize(
    ("shape", "count", "expected"),
    [
        ((8, 8), 4, [(2, 2), (2, 6), (6, 2), (6, 6)]),
        ((4, 8), 8, [(1, 1), (1, 3), (1, 5), (1, 7), (3, 1), (3, 3), (3, 5), (3, 7)]),
        ((9, 9), 7, [(1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (1, 1), (1, 7)]),  # corners go first
        (None, 3, [(0, 2), (0, 7), (0, 12)]),
    ],
)
def test_a_grid_is_the_lattice_nearest_to_square(shape, count, expected):
    height, width = shape or (1, 15)
    X = np.random.default_rng(0).random((6, height * width))
    chosen = GridSelection(shape, n_features_to_select=count).fit(X).get_support(indices=True)
    assert chosen.tolist() == sorted(row * width + column for row, column in expected)


def test_where_a_place_of_the_grid_is_constant_a_neighbour_stands_in():
    X = np.random.default_rng(0).random((6, 64))
    X[:, 18] = 0.5
    chosen = GridSelection((8, 8), n_features_to_select=4).fit(X).get_support(indices=True)
    assert chosen.tolist() == [10, 22, 50, 54]


def test_an_image_of_another_size_is_refused():
    with pytest.raises(ValueError, match="an image of 6 pixels, but X has 8 features"):
        GridSelection((2, 3)).fit(np.random.default_rng(0).random((4, 8)))
