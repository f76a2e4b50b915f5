import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from cspca.datasets import Dataset, DatasetError, make_faces, resized
from cspca.datasets.resize import crop_to, resize_area

RNG = np.random.default_rng(0)
sides = st.integers(1, 40)


@pytest.mark.parametrize("by", [1, 2, 3, 5])
def test_whole_factors_are_means_of_blocks_as_in_pillow(by: int) -> None:
    picture = RNG.random((12 * by, 8 * by)).astype(np.float32)
    small = resize_area(picture, (12, 8))
    blocks = picture.reshape(12, by, 8, by).mean(axis=(1, 3))
    np.testing.assert_allclose(small, blocks, atol=1e-6)
    pillow = Image.fromarray(picture).resize((8, 12), Image.Resampling.BOX)
    np.testing.assert_allclose(small, np.asarray(pillow), atol=1e-6)


@given(sides, sides, sides, sides)
def test_light_is_neither_made_nor_lost(h: int, w: int, new_h: int, new_w: int) -> None:
    picture = np.random.default_rng(h * w).random((h, w))
    small = resize_area(picture, (new_h, new_w))
    assert small.shape == (new_h, new_w)
    assert small.mean() == pytest.approx(picture.mean())
    assert picture.min() <= small.min()
    assert small.max() <= picture.max()


@given(sides, sides, sides, sides)
def test_a_flat_picture_stays_flat(h: int, w: int, new_h: int, new_w: int) -> None:
    np.testing.assert_allclose(resize_area(np.full((2, h, w), 0.3), (new_h, new_w)), 0.3)


def test_parts_of_pixels_count_in_part() -> None:
    np.testing.assert_allclose(resize_area(np.array([[0.0, 0.6, 0.9]]), (1, 2)), [[0.2, 0.8]])


@given(sides, sides, sides, sides)
def test_cropping_keeps_the_middle_and_the_proportions(h: int, w: int, a: int, b: int) -> None:
    rows, columns = crop_to((h, w), (a, b))
    height, width = rows.stop - rows.start, columns.stop - columns.start
    assert 1 <= height <= h
    assert 1 <= width <= w
    assert height == h or width == w
    assert abs((h - rows.stop) - rows.start) <= 1
    assert abs((w - columns.stop) - columns.start) <= 1


def test_a_whole_set_is_resized() -> None:
    faces = make_faces(2, 3, 32)
    small = resized(faces, (16, 8))
    assert small.image_shape == (16, 8)
    np.testing.assert_allclose(
        small.images, faces.images.reshape(6, 16, 2, 8, 4).mean(axis=(2, 4)), atol=1e-12
    )
    np.testing.assert_array_equal(small.target, faces.target)
    assert small.truth is None
    assert small.recognised.endswith(" Images resized from 32 × 32 to 16 × 8.")
    assert resized(faces, (32, 32)) is faces
    cropped = resized(faces, (32, 16), fit="crop")
    np.testing.assert_array_equal(cropped.images, faces.images[:, :, 8:24])
    assert cropped.recognised.endswith("to 32 × 16, margins cut off.")


def test_what_cannot_be_resized_has_its_sentence() -> None:
    with pytest.raises(DatasetError, match="holds no images: only images can be resized"):
        resized(Dataset(data=RNG.random((3, 7)), name="table"), (2, 2))
    with pytest.raises(DatasetError, match="choose sides from 1 to 512"):
        resized(make_faces(2, 2, 16), (0, 9))
