import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cspca.datasets import Dataset, DatasetError, FacesTruth, make_faces
from tests.soak import counted


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces()


@pytest.fixture(scope="module")
def truth(faces: Dataset) -> FacesTruth:
    assert faces.truth is not None
    return faces.truth


def test_the_default_set(faces: Dataset) -> None:
    assert faces.recognised == "400 images, 32 × 32, 20 classes."
    assert faces.data.dtype == np.float64
    np.testing.assert_array_equal(faces.target, np.repeat(np.arange(20), 20))
    assert faces.target_names is not None
    assert faces.target_names[0] == "person 01"
    assert faces.target_names[19] == "person 20"


def test_the_same_number_gives_the_same_faces(faces: Dataset) -> None:
    assert make_faces().sha256 == faces.sha256
    assert make_faces(random_state=1).sha256 != faces.sha256


def test_a_person_does_not_depend_on_the_others(faces: Dataset) -> None:
    few = make_faces(n_people=3)
    np.testing.assert_allclose(few.data, faces.data[:60], atol=1e-6)
    many = make_faces(n_people=23, n_per_person=2)
    assert many.n_classes == 23
    assert make_faces(n_people=20, n_per_person=2).data == pytest.approx(many.data[:40], abs=1e-6)


def test_every_picture_is_another(faces: Dataset) -> None:
    assert len(np.unique(faces.data, axis=0)) == 400


@settings(max_examples=counted(30, 1000))
@given(
    st.tuples(st.integers(8, 48), st.integers(8, 48)) | st.integers(8, 48),
    st.integers(1, 4),
    st.integers(1, 3),
    st.floats(0, 1),
    st.integers(0, 2**31),
)
def test_any_size_works(
    size: int | tuple[int, int], people: int, each: int, corrupted: float, seed: int
) -> None:
    data = make_faces(people, each, size, corrupted, seed)
    assert data.images.shape == (people * each, *((size, size) if isinstance(size, int) else size))
    assert data.data.min() >= 0
    assert data.data.max() <= 1
    assert data.truth is not None
    assert data.truth.corrupted.sum() == round(corrupted * people * each)


def test_a_large_picture_averages_down_to_the_small_one() -> None:
    small = make_faces(4, 2, 32).images
    large = make_faces(4, 2, 96).images.reshape(8, 32, 3, 32, 3).mean(axis=(2, 4))
    # Not the same: light is averaged before the tone curve, and thin lines keep a least width.
    assert np.abs(small - large).mean() < 0.02
    for one, other in zip(small, large, strict=True):
        assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.98


def test_every_processor_draws_the_same_bits(faces: Dataset) -> None:
    """What is kept and shipped of rendered faces is found by their fingerprint."""
    assert faces.sha256.startswith("bbd34598")
    # Sums of such levels are exact: what is constant has no spread at all.
    assert (faces.data * 2**20 % 1 == 0).all()


def test_faces_look_like_faces(faces: Dataset) -> None:
    """What makes a face at a glance: mirror symmetry, dark eyes, a bright nose, a plain ground."""
    mean = faces.data.mean(axis=0).reshape(32, 32)
    assert np.corrcoef(mean.ravel(), mean[:, ::-1].ravel())[0, 1] > 0.98
    assert np.corrcoef(mean.ravel(), mean[::-1].ravel())[0, 1] < 0.93
    eyes = mean[15:18, [11, 12, 19, 20]].mean()
    assert eyes < mean[18:21, 15:17].mean() - 0.05  # bridge of the nose
    assert eyes < mean[20:22, [10, 11, 20, 21]].mean() - 0.05  # cheeks
    constant = faces.data.std(axis=0).reshape(32, 32) == 0
    assert constant[:4, :4].all()
    assert constant[:4, -4:].all()
    assert 100 < constant.sum() < 400


def test_people_are_recognised_by_their_nearest_picture(faces: Dataset) -> None:
    distances = ((faces.data[:, None, :] - faces.data[None, ::7, :]) ** 2).sum(axis=2)
    distances[np.arange(0, 400, 7), np.arange(len(range(0, 400, 7)))] = np.inf
    assert faces.target is not None
    nearest = distances.argmin(axis=0)
    right = np.mean(faces.target[nearest] == faces.target[::7])
    assert right > 0.85


def test_truth_maps_show_where_things_happen(truth: FacesTruth) -> None:
    for name in ("identity", "light", "expression", "glasses"):
        amount = getattr(truth, name)
        assert amount.shape == (32, 32)
        assert amount.min() >= 0
        assert amount.max() == pytest.approx(1)
        # The corners say nothing about anything.
        assert amount[:3, :3].max() < 1e-6
        assert amount[:3, -3:].max() < 1e-6
    rows = np.arange(32)[:, None]
    centre = {name: (getattr(truth, name) * rows).sum() / getattr(truth, name).sum()
              for name in ("glasses", "expression")}  # fmt: skip
    assert 14 < centre["glasses"] < 19
    # Glasses stay around the eyes; expression has its peaks at brows, lids and mouth.
    assert truth.glasses[:10].max() < 1e-6
    assert truth.glasses[24:].max() < 1e-6
    assert truth.expression[10:18].max() > 0.4
    assert truth.expression[22:29, 12:20].max() > 0.4
    assert truth.expression[18:21, 14:18].max() < 0.2
    # Hair tells people apart and does not smile.
    assert truth.identity[3:8, 12:20].min() > 0.3
    assert truth.expression[3:8].max() < 1e-6


def test_truth_is_what_the_pictures_do(faces: Dataset, truth: FacesTruth) -> None:
    """Without pose, the three factors explain where one person's pictures change."""
    within = np.mean([faces.data[faces.target == one].var(axis=0) for one in range(20)], axis=0)
    known = sum(truth.deviations[name] ** 2 for name in ("light", "expression", "glasses"))
    assert np.corrcoef(np.sqrt(within), np.sqrt(known).ravel())[0, 1] > 0.7


def test_factors_of_each_picture_are_known(faces: Dataset, truth: FacesTruth) -> None:
    assert set(truth.factors) >= {"light_azimuth", "smile", "glasses", "yaw"}
    assert all(values.shape == (400,) for values in truth.factors.values())
    # Light from the right makes the right half the brighter one.
    halves = faces.images[:, 8:28, 16:].mean(axis=(1, 2)) - faces.images[:, 8:28, :16].mean(
        axis=(1, 2)
    )
    assert np.corrcoef(halves, truth.factors["light_azimuth"])[0, 1] > 0.8
    # Who has no glasses never wears any.
    worn = truth.factors["glasses"].reshape(20, 20).sum(axis=1)
    assert set(worn) == {0, 10}


def test_nothing_is_corrupted_unless_asked(truth: FacesTruth) -> None:
    assert not truth.corrupted.any()
    assert truth.clean is None


def test_corrupted_pictures_are_known_and_the_clean_ones_kept(faces: Dataset) -> None:
    ruined = make_faces(corrupted=0.2)
    truth = ruined.truth
    assert truth is not None
    assert truth.clean is not None
    assert truth.corrupted.sum() == 80
    np.testing.assert_array_equal(truth.clean, faces.data)
    np.testing.assert_array_equal(ruined.data[~truth.corrupted], truth.clean[~truth.corrupted])
    changed = np.abs(ruined.data - truth.clean)[truth.corrupted].mean(axis=1)
    assert changed.min() > 0.02
    assert make_faces(corrupted=0.2).sha256 == ruined.sha256
    # The maps are of the faces, not of the damage.
    assert truth.identity[:3, :3].max() < 1e-6


def test_one_person_in_one_picture_has_maps_too() -> None:
    truth = make_faces(1, 1, 16).truth
    assert truth is not None
    assert truth.identity.max() == 0
    assert truth.light.max() == 0
    assert truth.glasses.max() == 1


def test_faces_and_their_truth_survive_pickling() -> None:
    data = make_faces(2, 2, 16, corrupted=0.5)
    twin = pickle.loads(pickle.dumps(data))  # noqa: S301
    assert data.truth is not None
    np.testing.assert_array_equal(twin.truth.identity, data.truth.identity)
    np.testing.assert_array_equal(twin.truth.corrupted, data.truth.corrupted)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_people": 0}, "n_people is 0: give a whole number of at least 1"),
        ({"n_per_person": 2.5}, "n_per_person is 2.5"),
        ({"n_people": True}, "n_people is True"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": None}, "random_state is None"),
        ({"corrupted": 1.5}, "corrupted is 1.5: give a share from 0 to 1"),
        ({"corrupted": float("nan")}, "corrupted is nan"),
        ({"image_size": 3}, "image_size is 3 × 3: each side may be 4 to 1024"),
        ({"image_size": (32, 5000)}, "32 × 5000"),
        ({"image_size": "large"}, "image_size is 'large'"),
        ({"image_size": (1, 2, 3)}, "give a number of pixels or \\(height, width\\)"),
        ({"n_people": 10**6}, "more than 100,000,000 pixels"),
    ],
)
def test_every_wrong_number_has_its_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        make_faces(**options)
