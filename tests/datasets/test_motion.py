"""Poses in numbers, people made to move, and files of joints."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
import scipy.io
from sklearn.cluster import KMeans

from cspca.datasets import (
    Dataset,
    DatasetError,
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
    assert made.recognised.startswith(
        "40 samples, 168 features, 2 classes. Features are 48 root-centred"
    )
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


def walkers(n_performers: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Joints of performers (n, 16, 3), in metres above the ground, and what each does."""
    poses_of, motions = [], []
    for number in range(n_performers):
        for motion, (move, cycles) in enumerate(MOTIONS.values()):
            angles = {name: np.zeros(60) for name in ANGLES}
            angles.update(move(2 * np.pi * cycles * np.arange(60) / 20, 1.0))
            poses_of.append(joint_positions(Performer(number, 0), angles) + (0, 0.95, 0))
            motions += [motion] * 60
    return np.concatenate(poses_of), np.array(motions)


JOINTS_OF = {
    "frames, joints, coordinates": lambda points: points,
    "frames, coordinates, joints": lambda points: points.transpose(0, 2, 1),
    "coordinates, joints, frames": lambda points: points.T,
    "joints, coordinates, frames": lambda points: points.transpose(1, 2, 0),
    "ezc3d": lambda points: np.concatenate([points, np.ones_like(points[..., :1])], 2).T,
}


@pytest.mark.parametrize("layout", JOINTS_OF)
@pytest.mark.parametrize("n_joints", [16, 15, 12])
def test_joints_are_told_by_the_distances_that_they_keep(layout: str, n_joints: int) -> None:
    points, _ = walkers()
    points = points[:, -n_joints:]
    for name, content in {
        "a.npz": npz(X=JOINTS_OF[layout](points)),
        "b.mat": mat(X=JOINTS_OF[layout](points)),
    }.items():
        reading = read_file(content, name)
        assert not reading.open_questions
        data = reading.dataset
        assert data.skeleton is not None
        assert data.skeleton.n_joints == n_joints
        assert data.image_shape is None
        assert "Distances between points keep their length" in data.recognised
        assert "the root; y is up" in data.recognised
        distances = motion_descriptor(points)[:, 3 * n_joints :]
        ratio = data.data[:, 3 * n_joints :] / distances
        np.testing.assert_allclose(ratio, ratio[0, 0], atol=1e-9)


def test_joints_keep_their_classes() -> None:
    points, motions = walkers()
    data = load_file(npz(X=points, y=motions), "a.npz")
    assert data.n_classes == len(MOTIONS)
    expected = scaled_to_unit(motion_descriptor(points), 16)
    np.testing.assert_allclose(data.data, expected, atol=1e-12)


def test_the_root_is_the_middle_of_the_body() -> None:
    points, _ = walkers()
    ankle_first = [15, 14, 13, 10, 11, 12, 0, 1, 2, 3, 9, 8, 7, 4, 5, 6]
    data = load_file(npz(X=points[:, ankle_first]), "mpii.npz")
    assert "Coordinates are measured from joint 7, the root" in data.recognised
    assert (data.data[:, 18:21] == 0.5).all()


RNG = np.random.default_rng(0)
NO_JOINTS = {
    "band power": RNG.gamma(2, 2, (60, 16, 3)),
    "noise": RNG.normal(size=(60, 16, 3)),
    "walks": RNG.normal(size=(200, 20, 3)).cumsum(axis=0),
    "points about fixed places": RNG.normal(size=(16, 3)) * 10 + RNG.normal(size=(100, 16, 3)),
    "smooth curves": np.sin(
        np.linspace(0, 3, 28)[:, None] * RNG.uniform(0.8, 1.2, (60, 1, 3))
        + RNG.normal(size=(60, 1, 3))
    ),
    "windows of sensors": RNG.normal(size=(50, 128, 9)),
    "landmarks of faces": RNG.uniform(0, 400, (300, 68, 2)),
}


@pytest.mark.parametrize("kind", NO_JOINTS)
def test_other_arrays_of_such_sides_are_asked(kind: str) -> None:
    array = NO_JOINTS[kind]
    labels = np.arange(len(array)) % 3
    reading = read_file(npz(X=array, y=labels), "a.npz")
    assert list(reading.open_questions) == ["features"]
    assert reading.questions["features"].value == "columns"
    columns = load_file(npz(X=array, y=labels), "a.npz", features="columns", scale="stretch")
    assert columns.skeleton is None
    assert columns.data.shape == (len(array), array[0].size)


def test_a_confidence_is_no_coordinate() -> None:
    points, motions = walkers()
    pixels = np.stack(
        [
            320 + 200 * points[..., 0],
            500 - 200 * points[..., 1],
            RNG.uniform(0.6, 1, points.shape[:2]),
        ],
        axis=-1,
    )
    reading = read_file(npz(keypoints=pixels, labels=motions), "a.npz")
    (question,) = reading.open_questions.values()
    assert question.value == "columns"
    assert "as a confidence does" in question.text


def test_lost_markers_are_counted_and_asked() -> None:
    points, motions = walkers()
    points = (points + (2, 0, 1)) * 1000
    points[[3, 50], 5] = 0
    reading = read_file(npz(X=points, y=motions), "a.npz")
    assert list(reading.open_questions) == ["missing"]
    assert any(
        sentence == "In 2 frames a point lies at (0, 0, 0) exactly: it counts as missing."
        for sentence in reading.sentences
    )
    saved = load_file(npz(X=points, y=motions), "a.npz", missing="rows")
    good = np.delete(points, [3, 50], axis=0)
    np.testing.assert_allclose(saved.data, scaled_to_unit(motion_descriptor(good), 16), atol=1e-9)


def test_frozen_markers_are_said() -> None:
    points, _ = walkers()
    points = points + np.linspace(0, 3, len(points))[:, None, None]
    moving = read_file(npz(X=points), "a.npz")
    assert not any("to the last digit" in sentence for sentence in moving.sentences)
    points[20:40, 6] = points[20, 6]
    reading = read_file(npz(X=points), "a.npz")
    assert any("a point keeps its place to the last digit" in text for text in reading.sentences)


def test_48_columns_are_poses_only_when_somebody_says_so() -> None:
    points, motions = walkers()
    content = npz(X=points.reshape(-1, 48), y=motions)
    reading = read_file(content, "a.npz")
    assert reading.proposed is not None
    assert reading.proposed.skeleton is None
    assert "joints" in [answer.value for answer in reading.questions["features"].answers]
    poses_of = load_file(content, "a.npz", features="joints")
    expected = scaled_to_unit(motion_descriptor(points), 16)
    np.testing.assert_allclose(poses_of.data, expected, atol=1e-9)
    assert 'features="joints"' in poses_of.recipe.source.replace("'", '"')


def test_names_may_name_the_joints() -> None:
    points, motions = walkers()
    names = [f"{joint.replace(' ', '_')}_{axis}" for joint in JOINTS for axis in "xyz"]
    content = npz(X=points.reshape(-1, 48), y=motions, feature_names=np.array(names))
    data = load_file(content, "a.npz", features="joints")
    assert data.skeleton is not None
    assert data.skeleton.joints == JOINTS
    assert data.feature_names is not None
    assert "distance head – left hand" in data.feature_names


def test_what_cannot_be_poses_is_refused() -> None:
    with pytest.raises(DatasetError, match="features cannot be 'joints'"):
        load_file(npz(X=np.ones((20, 10)), y=np.arange(20) % 2), "a.npz", features="joints")
