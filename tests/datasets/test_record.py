import copy
import pickle

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, Recipe
from cspca.datasets.record import shape_in_words


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(0).random((6, 12))


def test_it_knows_its_shape_and_draws_rows_upright(pixels: np.ndarray) -> None:
    data = Dataset(pixels, np.array([0, 0, 1, 1, 2, 2]), (3, 4), ("a", "b", "c"), name="toy")
    assert (data.n_samples, data.n_features, data.n_classes) == (6, 12, 3)
    np.testing.assert_array_equal(data.image(2), pixels[2].reshape(3, 4))
    np.testing.assert_array_equal(data.image(-1), pixels[5].reshape(3, 4))
    np.testing.assert_array_equal(data.images[4], pixels[4].reshape(3, 4))
    assert data.recognised == "6 images, 3 × 4, 3 classes."
    assert repr(data) == "<Dataset 'toy': 6 images, 3 × 4, 3 classes>"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((400, 1024, (32, 32), 40), "400 images, 32 × 32, 40 classes"),
        ((1, 1, (1, 1), 1), "1 image, 1 × 1, 1 class"),
        ((5, 7, None, 0), "5 samples, 7 features, no labels"),
    ],
)
def test_shapes_in_words(arguments: tuple, words: str) -> None:
    assert shape_in_words(*arguments) == words


def test_nobody_can_change_the_pixels(pixels: np.ndarray) -> None:
    data = Dataset(pixels, np.arange(6), (3, 4))
    before = data.sha256
    pixels[:] = 0
    assert data.data.max() > 0
    with pytest.raises(ValueError, match="read-only"):
        data.data[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.images[0, 0, 0] = 1
    assert data.target is not None
    with pytest.raises(ValueError, match="read-only"):
        data.target[0] = 1
    # A view that is read-only does not make its base so.
    view = np.random.default_rng(1).random((6, 12))
    locked = view[:]
    locked.flags.writeable = False
    kept = Dataset(locked).data.copy()
    held = Dataset(locked)
    view[:] = 0
    np.testing.assert_array_equal(held.data, kept)
    assert data.sha256 == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301
def test_copies_are_the_same_and_locked_too(pixels: np.ndarray, copied: object) -> None:
    data = Dataset(pixels, np.arange(6), (3, 4))
    twin = copied(data)  # type: ignore[operator]
    assert twin.sha256 == data.sha256
    assert not twin.data.flags.writeable
    assert not twin.target.flags.writeable


def test_the_fingerprint_is_of_the_content(pixels: np.ndarray) -> None:
    one = Dataset(pixels, np.arange(6), (3, 4), name="one")
    assert one.sha256 == Dataset(pixels.copy(), np.arange(6), (3, 4), name="other").sha256
    others = [
        Dataset(pixels, np.arange(6), (4, 3)),
        Dataset(pixels, None, (3, 4)),
        Dataset(pixels, np.arange(6)[::-1], (3, 4)),
        Dataset(pixels * 0.5, np.arange(6), (3, 4)),
        Dataset(pixels.astype(np.float32), np.arange(6), (3, 4)),
    ]
    assert len({one.sha256, *(other.sha256 for other in others)}) == 6


def test_single_precision_stays_and_the_rest_becomes_double(pixels: np.ndarray) -> None:
    assert Dataset(pixels.astype(np.float32)).data.dtype == np.float32
    assert Dataset(pixels.astype(np.float16)).data.dtype == np.float64
    assert Dataset(pixels > 0.5).data.dtype == np.float64
    assert Dataset(pixels.T.copy().T).data.flags.c_contiguous


def _with(pixels: np.ndarray, value: float) -> np.ndarray:
    changed = pixels.copy()
    changed[3, 5] = value
    return changed


def test_every_misfit_has_its_sentence(pixels: np.ndarray) -> None:
    six = np.arange(6)
    cases = [
        ({"data": _with(pixels, np.nan)}, "1 of 6 samples holds NaN or infinite values.*number 4"),
        ({"data": _with(pixels, np.inf)}, "NaN or infinite"),
        ({"data": pixels * 2}, "scale them to 0 – 1"),
        ({"data": pixels - 0.5}, "scale them to 0 – 1"),
        ({"data": pixels[0]}, "1 dimensions, not 2"),
        ({"data": pixels[:0]}, "empty \\(0 × 12\\)"),
        ({"data": pixels[:, :0]}, "empty \\(6 × 0\\)"),
        ({"data": pixels * 1j}, "real numbers, not complex128"),
        ({"data": pixels.astype(str)}, "real numbers"),
        ({"data": pixels, "image_shape": (3, 5)}, "3 × 5 does not have 12 pixels"),
        ({"data": pixels, "image_shape": (-3, -4)}, "-3 × -4"),
        ({"data": pixels, "target": six[:5]}, "5 labels for 6 samples"),
        ({"data": pixels, "target": six[:, None]}, "one label a sample"),
        ({"data": pixels, "target": six - 2}, "whole numbers from 0"),
        ({"data": pixels, "target": six * 0.5}, "whole numbers from 0"),
        ({"data": pixels, "target": six * 0 - 1}, "whole numbers from 0"),
        ({"data": pixels, "target": six, "target_names": ("a",)}, "1 class names for 6 classes"),
        (
            {"data": pixels, "target": six, "target_names": tuple("abcdea")},
            "2 classes are called “a”: give each class a name of its own",
        ),
        ({"data": pixels, "target_names": ("a",)}, "class names need labels"),
    ]
    for arguments, sentence in cases:
        with pytest.raises(DatasetError, match=sentence) as caught:
            Dataset(**arguments, name="toy")
        assert str(caught.value).startswith("toy")
        assert str(caught.value).endswith(".")


def test_pictures_that_are_not_there(pixels: np.ndarray) -> None:
    with pytest.raises(DatasetError, match="12 features a sample, not images"):
        _ = Dataset(pixels).images
    with pytest.raises(DatasetError, match="there is no image 6"):
        Dataset(pixels, image_shape=(3, 4)).image(6)


@pytest.mark.parametrize(
    ("shape", "one", "many", "columns"),
    [((2, 2), "1 image", "1,234 images", "4 pixels"), (None, "1 sample", "1,234 samples", None)],
)
def test_rows_and_columns_are_called_what_they_are(shape, one, many, columns) -> None:
    words = Dataset(data=np.eye(4), image_shape=shape).nouns
    assert (words.count_samples(1), words.count_samples(1234)) == (one, many)
    assert words.count_features(4) == (columns or "4 features")
    assert words.count_features(1) == ("1 pixel" if shape else "1 feature")


def test_names_of_features_are_kept_and_are_no_content(pixels: np.ndarray) -> None:
    names = tuple(f"<i>{number}" for number in range(12))
    plain, named = Dataset(pixels), Dataset(pixels, feature_names=names)
    assert plain.feature_names is None
    assert named.feature_names == names
    assert named.sha256 == plain.sha256
    with pytest.raises(DatasetError, match="there are 3 names for 12 features: give one name"):
        Dataset(pixels, feature_names=names[:3])


def test_the_fingerprint_is_what_it_always_was() -> None:
    data = Dataset(np.eye(4), np.array([0, 1, 0, 1]), (2, 2), feature_names=("a", "b", "c", "d"))
    assert data.sha256 == "bb96028e3692f269b7290a55cce515a3efa8f0eacb9d72dba7d599d04d22a271"


def test_it_knows_the_call_that_makes_it_and_is_otherwise_the_same(pixels: np.ndarray) -> None:
    data = Dataset(pixels, np.arange(6), (3, 4))
    recipe = Recipe("load_file", ("a.npz",)).but(order="column")
    known = data.made_by(recipe)
    assert data.recipe is None
    assert known.recipe is recipe
    assert known.data is data.data
    again = pickle.loads(pickle.dumps(known))  # noqa: S301
    assert again.recipe == recipe
    assert not known.data.flags.writeable
    assert not again.data.flags.writeable
