"""A data set without some of its samples, and the Python that makes it again."""

import numpy as np
import pytest

from cspca import datasets
from cspca.datasets import DatasetError, leave_out, load, make_faces, thinned


def test_what_is_left_out_is_in_the_recipe():
    digits = load("digits")
    rest = leave_out(digits, [5, 0, 5])
    assert rest.n_samples == digits.n_samples - 2
    assert np.array_equal(rest.data[:4], digits.data[1:5])
    assert rest.recognised.endswith(" Left out: 1, 6.")
    again = leave_out(rest, [0])
    made = eval(again.recipe.source, vars(datasets))
    assert made.sha256 == again.sha256
    assert leave_out(digits, []) is digits


def test_a_class_of_which_nothing_is_left_is_gone():
    faces = make_faces(n_people=3, n_per_person=2, image_size=8)
    first = np.flatnonzero(faces.target == 0).tolist()
    rest = leave_out(faces, first)
    assert rest.n_classes == 2
    assert set(rest.target) == {0, 1}
    assert rest.target_names == faces.target_names[1:]


@pytest.mark.parametrize("out", [[99], [-1], [0, 1, 2, 3, 4]])
def test_what_is_not_there_and_nearly_everything_cannot_be_left_out(out):
    faces = make_faces(n_people=3, n_per_person=2, image_size=8)
    with pytest.raises(DatasetError):
        leave_out(faces, out)


def test_so_many_are_spread_over_all():
    digits = load("digits")
    some = thinned(digits, 200)
    assert some.n_samples == 200
    assert np.array_equal(some.data[[0, -1]], digits.data[[0, -1]])
    assert eval(some.recipe.source, vars(datasets)).sha256 == some.sha256
    assert thinned(some, 200) is some
    with pytest.raises(DatasetError, match="most is 1"):
        thinned(digits, 1)
