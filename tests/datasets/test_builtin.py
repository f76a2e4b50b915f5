import numpy as np
import pytest
from sklearn.datasets import load_digits

from cspca.datasets import BUILTIN, DatasetError, load


def test_the_gallery_says_what_each_set_is() -> None:
    assert list(BUILTIN) == ["faces", "digits", "motion", "spectra", "genes"]
    for name, entry in BUILTIN.items():
        dataset = load(name)
        assert entry.title
        assert dataset.description.endswith(".")
        assert dataset.licence
        assert entry.has_images == (dataset.image_shape is not None)


@pytest.mark.parametrize("name", BUILTIN)
def test_what_is_loaded_has_the_name_it_was_asked_by(name: str) -> None:
    data = load(name)
    assert data.recognised.startswith(data.summary)
    assert data.name == name
    assert data.data.dtype == np.float64


def test_digits_are_scikit_learns_divided_by_16() -> None:
    data = load("digits")
    bunch = load_digits()
    np.testing.assert_array_equal(data.data * 16, bunch.data)
    np.testing.assert_array_equal(data.target, bunch.target)
    np.testing.assert_array_equal(data.image(7) * 16, bunch.images[7])
    assert data.n_classes == 10


def test_options_reach_the_loader() -> None:
    assert load("faces", n_people=2, n_per_person=3, image_size=16).data.shape == (6, 256)


def test_unknown_names_and_options_have_their_sentence() -> None:
    with pytest.raises(
        DatasetError,
        match="no data set called 'cats': choose one of faces, digits, motion, spectra",
    ):
        load("cats")
    with pytest.raises(DatasetError, match="does not take these options: colour"):
        load("faces", colour=True)
