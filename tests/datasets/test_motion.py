"""Poses in numbers, people made to move, and files of joints."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
import scipy.io
from sklearn.cluster import KMeans

from cspca.datasets import (
    NOT_PICTURES,
    Dataset,
    DatasetError,
    ReadChoices,
    Skeleton,
    as_motion,
    load,
    load_file,
    make_motion,
    motion_descriptor,
    read_file,
)
from cspca.datasets.motion import (
    ANGLES,
    BONES,
    JOINTS,
    MOTIONS,
    Performer,
    joint_positions,
    scaled_to_unit,
)
from cspca.evaluation import clustering_accuracy
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")


def poses(n: int = 12, seed: int = 0) -> np.ndarray:
    """Joints of sixteen, in millimetres, standing somewhere."""
    rng = np.random.default_rng(seed)
    body = rng.normal(size=(16, 3)) * (200, 600, 100)
    return body + 40 * rng.normal(size=(n, 16, 3)) + 1000 * rng.normal(size=(n, 1, 3))


def film(seed: int = 0) -> np.ndarray:
    """A performer who walks, in metres, away from the origin."""
    data = make_motion(200, 1, seed)
    span = 3.0
    return (np.asarray(data.data[:40, :48]) - 0.5).reshape(-1, 16, 3) * span + (5, 1, -2)


# The descriptor


def test_triangles_of_3_4_and_5() -> None:
    pose = [[1, 1, 0], [4, 1, 0], [4, 5, 0]]
    told = motion_descriptor([pose])
    assert told.tolist() == [[0, 0, 0, 3, 0, 0, 3, 4, 0, 3, 5, 4]]
    moved = motion_descriptor([pose], root=2)
    assert moved.tolist() == [[-3, -4, 0, 0, -4, 0, 0, 0, 0, 3, 5, 4]]


def test_distances_come_in_the_order_that_is_documented() -> None:
    # On a line, at the powers of two: every distance tells which two joints it belongs to.
    pose = np.zeros((1, 16, 3))
    pose[0, :, 1] = 2.0 ** np.arange(16)
    told = motion_descriptor(pose)
    assert told.shape == (1, 168)
    expected = [2.0**j - 2.0**i for i in range(16) for j in range(i + 1, 16)]
    assert len(expected) == 120
    assert told[0, 48:].tolist() == expected
    assert told[0, :48].reshape(16, 3)[:, 1].tolist() == [2.0**j - 1 for j in range(16)]


def test_flat_poses_are_the_same_poses() -> None:
    deep = poses()
    np.testing.assert_array_equal(motion_descriptor(deep), motion_descriptor(deep.reshape(-1, 48)))


def test_where_a_person_stands_does_not_matter_but_size_does() -> None:
    deep = poses()
    told = motion_descriptor(deep)
    np.testing.assert_allclose(motion_descriptor(deep + np.array([7, -3, 250])), told, atol=1e-9)
    np.testing.assert_allclose(motion_descriptor(2 * deep), 2 * told)
    assert (told[:, :3] == 0).all()


def test_one_length_scales_everything() -> None:
    told = motion_descriptor(poses())
    unit = scaled_to_unit(told, 16)
    assert unit.min() >= 0
    assert unit.max() <= 1
    back = unit - np.repeat([0.5, 0.0], [48, 120])
    length = told[0, 50] / back[0, 50]
    np.testing.assert_allclose(back * length, told, atol=1e-9)
    assert max(np.abs(back[:, :48]).max() * 2, back[:, 48:].max()) == pytest.approx(1)
    still = scaled_to_unit(np.zeros((3, 168)), 16)
    assert set(still[:, :48].ravel()) == {0.5}
    assert not still[:, 48:].any()


def test_what_is_no_pose_has_its_sentence() -> None:
    with pytest.raises(DatasetError, match=r"The poses are 4 × 47: give \(frames, joints, 3\)"):
        motion_descriptor(np.zeros((4, 47)))
    with pytest.raises(DatasetError, match="must be real numbers, not complex128"):
        motion_descriptor(np.zeros((4, 16, 3), dtype=complex))
    with pytest.raises(DatasetError, match="no joint 16: the root is one of 0 to 15"):
        motion_descriptor(np.zeros((4, 16, 3)), root=16)
    with pytest.raises(DatasetError, match="no poses"):
        motion_descriptor(np.zeros((0, 16, 3)))


# The record


def test_features_are_called_by_joint_and_by_pair() -> None:
    names = make_motion(20).feature_names
    assert names is not None
    assert len(names) == 168
    assert names[:3] == ("pelvis x", "pelvis y", "pelvis z")
    assert names[3 * JOINTS.index("left knee") + 1] == "left knee y"
    assert names[48] == "distance pelvis – spine"
    assert names[-1] == "distance right knee – right foot"
    assert "distance head – left hand" in names


def test_a_skeleton_must_fit() -> None:
    with pytest.raises(ValueError, match="no bone from joint 0 to joint 2"):
        Skeleton(("a", "b"), ((0, 2),), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"pose of 2 joints has shape \(3, 3\)"):
        Skeleton(("a", "b"), (), np.zeros((3, 3)))
    pair = Skeleton(("a", "b"), ((0, 1),), np.zeros((2, 3)))
    assert not pair.pose.flags.writeable
    assert pair.feature_names == ("a x", "a y", "a z", "b x", "b y", "b z", "distance a – b")
    with pytest.raises(DatasetError, match="5 features do not describe poses of 2 joints: give 7"):
        Dataset(np.zeros((2, 5)), skeleton=pair)
    with pytest.raises(DatasetError, match="the skeleton has 2 joints and a pose 16"):
        as_motion(poses(), skeleton=pair)


def test_other_sets_keep_their_fingerprint() -> None:
    assert load("digits").skeleton is None
    assert Dataset(np.array([[0.0, 0.5], [1.0, 0.25]])).sha256 == (
        "b8c35944ed87453614acd8aebbf594addeaaaf850ab279aa78ab8216fde1a212"
    )


def test_poses_of_ones_own_get_a_skeleton_by_their_rigidity() -> None:
    made = as_motion(film(), np.arange(40) % 2, name="mine")
    known = made.skeleton
    assert known is not None
    assert known.joints[0] == "joint 1"
    assert "guessed" in known.note
    assert len(known.bones) == 15
    # Limbs are found as they are; a wide rigid body may be joined otherwise.
    limbs = {(4, 5), (5, 6), (7, 8), (8, 9), (10, 11), (11, 12), (13, 14), (14, 15)}
    assert limbs <= set(known.bones)
    # The head above the feet, whatever axis is up in the file.
    turned = as_motion(film()[:, :, [1, 2, 0]]).skeleton
    assert turned is not None
    for one in (known, turned):
        assert one.pose[3, 1] > one.pose[12, 1] + 0.3
    assert "our own reading of the paper’s 168 variables" in made.recognised
    assert made.recognised.startswith("40 samples, 168 features, 2 classes. Features are 48 root-centred")
    with pytest.raises(DatasetError, match="NaN"):
        as_motion(np.full((3, 16, 3), np.nan))


# The generator


def test_the_built_in_set_is_the_papers_ten_classes() -> None:
    data = load("motion")
    assert data.data.shape == (2000, 168)
    assert data.image_shape is None
    assert data.n_classes == 10
    assert data.target_names is not None
    assert data.target_names[:3] == ("walk, performer 1", "walk, performer 2", "jog, performer 1")
    assert {name.split(",")[0] for name in data.target_names} == set(MOTIONS)
    assert data.target is not None
    assert np.bincount(data.target).tolist() == [200] * 10
    assert "our own reading" in data.recognised
    assert data.skeleton is not None
    assert data.skeleton.bones == BONES
    copied = pickle.loads(pickle.dumps(data))  # noqa: S301
    assert copied.sha256 == data.sha256
    assert copied.skeleton.joints == JOINTS


def test_the_same_number_gives_the_same_frames() -> None:
    one, same, other = make_motion(100), make_motion(100), make_motion(100, random_state=1)
    assert one.sha256 == same.sha256
    assert one.sha256 != other.sha256
    assert make_motion(103, 3).data.shape == (103, 168)


def test_limbs_keep_their_length_and_people_differ() -> None:
    data = make_motion(400, 2)
    names = list(data.feature_names or ())
    rigid = [names.index(f"distance {JOINTS[a]} – {JOINTS[b]}") for a, b in BONES]
    assert data.target is not None
    first = data.data[data.target % 2 == 0][:, rigid]
    second = data.data[data.target % 2 == 1][:, rigid]
    assert np.ptp(first, axis=0).max() < 1e-12
    assert np.ptp(second, axis=0).max() < 1e-12
    assert np.abs(first[0] - second[0]).max() > 0.005
    # What is not rigid moves.
    hands = names.index("distance left hand – right hand")
    assert np.ptp(data.data[:, hands]) > 0.1


def test_forward_kinematics_by_hand() -> None:
    one = Performer(0, 0)
    long = one.lengths
    rest = {name: np.zeros(1) for name in ANGLES}
    standing = dict(zip(JOINTS, joint_positions(one, rest)[0], strict=True))
    np.testing.assert_allclose(
        standing["left foot"], [long["hips"], -0.4 * long["hips"] - long["thigh"] - long["shin"], 0]
    )
    np.testing.assert_allclose(
        standing["head"], [0, long["lower_torso"] + long["upper_torso"] + long["head"], 0]
    )
    bent = rest | {"left_arm_out": np.array([np.pi / 2]), "left_elbow": np.array([np.pi / 2])}
    raised = dict(zip(JOINTS, joint_positions(one, bent)[0], strict=True))
    np.testing.assert_allclose(
        raised["left elbow"] - raised["left shoulder"], [long["upper_arm"], 0, 0], atol=1e-12
    )
    np.testing.assert_allclose(
        raised["left hand"] - raised["left elbow"], [0, 0, long["forearm"]], atol=1e-12
    )
    rolled = bent | {"left_arm_roll": np.array([np.pi / 2])}
    waving = dict(zip(JOINTS, joint_positions(one, rolled)[0], strict=True))
    np.testing.assert_allclose(
        waving["left hand"] - waving["left elbow"], [0, long["forearm"], 0], atol=1e-12
    )
    knee = rest | {"right_knee": np.array([np.pi / 2])}
    kneeling = dict(zip(JOINTS, joint_positions(one, knee)[0], strict=True))
    np.testing.assert_allclose(
        kneeling["right foot"] - kneeling["right knee"], [0, 0, -long["shin"]], atol=1e-12
    )


def test_motions_can_be_told_apart_but_not_without_effort() -> None:
    data = make_motion()
    found = KMeans(10, n_init=3, random_state=0).fit_predict(data.data)
    accuracy = clustering_accuracy(data.target, found)
    # Chance is 0.1; the paper's recordings give 0.47 with all features.
    assert 0.3 < accuracy < 0.8


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_frames": 9}, "n_frames is 9: give a whole number from 10 to 200,000"),
        ({"performers": 0}, "performers is 0: give a whole number from 1 to 100"),
        ({"random_state": -1}, "random_state is -1: give a whole number of at least 0"),
        ({"n_frames": 20.0}, "n_frames is 20.0"),
    ],
)
def test_numbers_out_of_range_have_their_sentence(options: dict, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        make_motion(**options)


# Files


def npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def mat(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    scipy.io.savemat(stream, arrays)
    return stream.getvalue()


def test_joints_in_space_are_recognised_by_their_shape() -> None:
    deep, labels = poses(), np.repeat([1, 2, 3], 4)
    expected = scaled_to_unit(motion_descriptor(deep), 16)
    turned = deep.transpose(1, 2, 0)
    for name, content in {
        "a.npz": npz(X=deep, y=labels),
        "b.mat": mat(X=deep, y=labels),
        "c.mat": mat(X=turned, y=labels),
        "d.mat": mat(X=deep),
        "e.npz": npz(X=turned),
    }.items():
        read = read_file(content, name)
        np.testing.assert_allclose(read.dataset.data, expected, atol=1e-12)
        assert read.dataset.skeleton is not None
        assert read.dataset.image_shape is None
        assert read.used.poses is True
        assert read.options.poses
        assert not read.options.scales
        assert not read.options.image_shapes
        assert "3-D poses: 48 root-centred joint coordinates" in read.dataset.recognised
        assert "our own reading" in read.dataset.recognised
    assert load_file(npz(X=deep, y=labels), "a.npz").n_classes == 3


def test_a_guess_of_poses_can_be_refused() -> None:
    read = read_file(npz(X=poses()), "a.npz")
    pictures = read.again(ReadChoices(poses=False)).dataset
    assert pictures.skeleton is None
    assert pictures.image_shape == (16, 3)


def test_48_columns_are_poses_only_when_somebody_says_so() -> None:
    deep = poses()
    for name, content in {
        "a.npz": npz(X=deep.reshape(-1, 48)),
        "b.mat": mat(X=deep.reshape(-1, 48)),
        "c.csv": files.csv(deep.reshape(-1, 48).tolist()),
    }.items():
        read = read_file(content, name)
        assert read.dataset.skeleton is None
        assert read.dataset.n_features == 48
        assert read.options.poses
        assert read.used.poses is False
        assert read.used.image_shape == NOT_PICTURES
        told = read.again(ReadChoices(poses=True))
        np.testing.assert_allclose(
            told.dataset.data, scaled_to_unit(motion_descriptor(deep), 16), atol=1e-9
        )
        assert told.dataset.skeleton is not None
        assert told.used.poses is True
    assert "poses=True" in told.dataset.recipe.source


def test_a_table_may_name_the_joints() -> None:
    header = [f"{joint.replace(' ', '_')}_{axis}" for joint in JOINTS for axis in "xyz"]
    content = files.csv(film().reshape(-1, 48).tolist(), header)
    told = read_file(content, "a.csv").again(ReadChoices(poses=True)).dataset
    assert told.skeleton is not None
    assert told.skeleton.joints == JOINTS
    assert told.feature_names is not None
    assert "distance head – left hand" in told.feature_names
    mixed = [*header[:-1], "right_foot_w"]
    content = files.csv(film().reshape(-1, 48).tolist(), mixed)
    told = read_file(content, "a.csv").again(ReadChoices(poses=True)).dataset
    assert told.skeleton is not None
    assert told.skeleton.joints[0] == "joint 1"


def test_poses_with_holes_are_left_out_or_refused() -> None:
    deep = poses()
    deep[3, 5, 1] = np.nan
    with pytest.raises(DatasetError, match="1 of 12 samples holds NaN"):
        load_file(npz(X=deep), "a.npz")
    kept = load_file(npz(X=deep), "a.npz", drop_bad=True)
    good = np.delete(deep, 3, axis=0)
    np.testing.assert_allclose(kept.data, scaled_to_unit(motion_descriptor(good), 16), atol=1e-12)


def test_other_shapes_are_no_poses() -> None:
    assert not read_file(npz(X=np.random.default_rng(0).random((20, 9))), "a.npz").options.poses
    with pytest.raises(DatasetError, match="the data are 20 × 9, not poses of 16 joints"):
        load_file(npz(X=np.ones((20, 9))), "a.npz", poses=True)
