"""Scenes: what is planted is known, nothing else is touched, and what cannot be is said."""

import numpy as np
import pytest

from cspca.datasets import DatasetError, load, make_faces
from cspca.datasets.scenes import WRONGS, make_haystack, plant_outliers


@pytest.mark.parametrize("equal", [True, False])
def test_a_haystack_is_what_it_says(equal):
    scene = make_haystack(0.75, 5, 400, 50, equal)
    assert scene.X.shape == (400, 50)
    assert scene.outlier.sum() == 300
    norms = np.linalg.norm(scene.X, axis=1)
    assert np.allclose(norms, 1.0) == equal
    energies = [np.mean(norms[which] ** 2) for which in (scene.outlier, ~scene.outlier)]
    assert energies == pytest.approx([1.0, 1.0] if equal else [50.0, 5.0], rel=0.2)
    inliers = scene.X[~scene.outlier]
    np.testing.assert_allclose(inliers @ scene.basis @ scene.basis.T, inliers, atol=1e-12)
    np.testing.assert_array_equal(scene.X, make_haystack(0.75, 5, 400, 50, equal).X)


@pytest.fixture(scope="module")
def faces():
    return make_faces(4, 10, 16)


def test_a_share_above_0_is_at_least_one_picture():
    data = load("digits")
    assert plant_outliers(data, share=1e-4).outlier.sum() == 1
    assert plant_outliers(data, share=0.0).outlier.sum() == 0


@pytest.mark.parametrize("wrong", WRONGS)
def test_only_outliers_are_wrong(wrong, faces):
    scene = plant_outliers(faces, wrong, 0.3, load("digits"), random_state=1)
    assert scene.outlier.sum() == 12
    changed = np.any(scene.clean != scene.X, axis=1)
    np.testing.assert_array_equal(changed, scene.outlier)
    np.testing.assert_array_equal(scene.clean, faces.data)
    assert scene.X.min() >= 0.0
    assert scene.X.max() <= 1.0
    if wrong == "swapped":
        norms = (np.linalg.norm(one, axis=1) for one in (scene.X, scene.clean))
        np.testing.assert_allclose(*norms)


def test_bad_input_is_one_sentence(faces):
    for share in (0.95, -0.1):
        with pytest.raises(DatasetError, match=r"leaves no inliers to speak of: give 0 to 0\.9"):
            make_haystack(share)
    with pytest.raises(DatasetError, match=r"9 outliers among 10 samples leave no two inliers: .*"):
        make_haystack(0.9, 1, 10)
    with pytest.raises(DatasetError, match="A subspace of dimension 20 cannot be hidden"):
        make_haystack(0.9, 20)
    with pytest.raises(DatasetError, match="choose one of ruined, blocks"):
        plant_outliers(faces, "torn")
    with pytest.raises(DatasetError, match="Strangers are pictures of another set"):
        plant_outliers(faces, "strangers")
    with pytest.raises(DatasetError, match="motion has no pictures"):
        plant_outliers(load("motion"))
    with pytest.raises(DatasetError, match="rank is 0: give a whole number"):
        make_haystack(rank=0)
