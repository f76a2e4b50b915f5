import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.io import loadmat

from cspca.datasets import Dataset, DatasetError, load_file, make_faces, read_file
from cspca.datasets.files.build import number_labels
from cspca.datasets.files.containers import mat
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.questions.scale import scale_to_unit
from cspca.labels import parse_labels
from tests.datasets import files
from tests.datasets.here import read_here

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 10, (12, 10))


def column_by_column(data: Dataset) -> np.ndarray:
    """Pixels as MATLAB's ``image(:)`` has them."""
    return data.images.transpose(0, 2, 1).reshape(data.n_samples, -1)


# What a whole file gives


@pytest.mark.parametrize("compress", [True, False])
def test_mat_variables_are_read_as_scipy_reads_them(compress: bool) -> None:
    rng = np.random.default_rng(0)
    kinds = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
    variables: dict[str, object] = {
        kind: rng.integers(0, 100, (3, 5)).astype(kind) for kind in kinds
    }
    variables |= {
        "fraction": rng.random((4, 2)),
        "flag": rng.random((2, 3)) > 0.5,
        "cube": rng.random((2, 3, 4)),
        "one": 7.0,
        "words": np.array(["ann", "zoë", "b"]),
        "a_name_of_many_letters_": 1.5,
    }
    content = files.mat(compress, **variables)
    expected = loadmat(io.BytesIO(content))
    fields = {field.name: field for field in mat.parse(content, Watch("a.mat")).arrays}
    assert set(fields) == set(variables)
    for name, field in fields.items():
        values = field.values("a.mat")
        if name == "words":
            assert values.tolist() == ["ann", "zoë", "b"]
        else:
            np.testing.assert_array_equal(values, expected[name])
            assert values.dtype == expected[name].dtype


def test_mat_files_of_big_endian_machines_are_read() -> None:
    def element(kind: int, content: bytes) -> bytes:
        return struct.pack(">II", kind, len(content)) + content + b"\0" * (-len(content) % 8)

    x = np.arange(50.0).reshape(2, 25)
    matrix = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 2, 25))
    matrix += struct.pack(">HH", 1, 1) + b"X\0\0\0"  # a name small enough to lie in its tag
    matrix += element(9, x.astype(">f8").tobytes("F"))
    content = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI" + element(14, matrix)
    (field,) = mat.parse(content, Watch("a.mat")).arrays
    assert (field.name, field.shape, field.kind) == ("X", (2, 25), "double")
    np.testing.assert_array_equal(field.values("a.mat"), x)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize(("x", "y"), [("fea", "gnd"), ("X", "Y"), ("x", "labels")])
def test_faces_come_back_from_mat(compress: bool, x: str, y: str) -> None:
    data = make_faces(4, 10, 16)
    assert data.target is not None
    content = files.mat(compress, **{x: column_by_column(data), y: data.target[:, None] + 1})
    back = load_file(content, "stand-in.mat")
    np.testing.assert_array_equal(back.data, data.data)
    np.testing.assert_array_equal(back.target, data.target)
    assert back.image_shape == (16, 16)
    assert back.target_names == ("1", "2", "3", "4")
    assert back.name == "stand-in"
    assert back.source == "file stand-in.mat"
    assert back.recognised.startswith(
        f"40 images, 16 × 16, 4 classes. Classes are from {y}. {y} has one label for each sample. "
        "Samples are pictures. In each row, neighbouring numbers are alike along lines of 16"
    )
    assert "Pixels run down columns and were turned upright." in back.recognised
    assert back.recognised.endswith(" Values already in 0 – 1.")


def test_orl_shaped_faces_read_as_orl_does() -> None:
    data = make_faces(40, 10, 32)
    assert data.target is not None
    grey = np.rint(255 * column_by_column(data)).astype(np.uint8)
    back = load_file(files.mat(X=grey, Y=data.target[:, None] + 1), "ORL.mat")
    assert back.recognised.startswith("400 images, 32 × 32, 40 classes. ")
    assert back.recognised.endswith(" divided by 255, so 0 – 255 becomes 0 – 1.")
    np.testing.assert_allclose(back.data, data.data, atol=0.5 / 255)
    # Exactly: known answers are compared to a millionth.
    np.testing.assert_array_equal(back.data * 255, np.rint(back.data * 255))


def test_pixel_order_can_be_told(faces: Dataset) -> None:
    square = make_faces(4, 10, 16)
    by_rows = load_file(files.mat(X=square.data), "a.mat", order="row")
    np.testing.assert_array_equal(by_rows.data, square.data)
    assert "turned upright" not in by_rows.recognised
    by_columns = load_file(files.npz(X=column_by_column(square)), "a.npz", order="column")
    np.testing.assert_array_equal(by_columns.data, square.data)


@pytest.mark.parametrize("turned", [False, True])
def test_samples_may_lie_in_columns(turned: bool) -> None:
    data = make_faces(3, 12, 16)
    x = column_by_column(data)
    back = load_file(files.mat(fea=x.T if turned else x, gnd=data.target), "a.mat")
    np.testing.assert_array_equal(back.data, data.data)
    assert ("Samples lie in columns." in back.recognised) is turned


def test_two_halves_are_joined() -> None:
    data = make_faces(3, 12, 16)
    x, y = column_by_column(data).T, data.target
    assert y is not None
    content = files.mat(
        Train_DAT=x[:, :24], Test_DAT=x[:, 24:], trainlabels=y[:24], testlabels=y[24:], nclass=3
    )
    back = load_file(content, "USPS.mat")
    np.testing.assert_array_equal(back.data, data.data)
    np.testing.assert_array_equal(back.target, y)
    assert "Train_DAT, Test_DAT are joined." in back.recognised


def test_three_parts_of_a_set_are_joined() -> None:
    data = make_faces(3, 12, 16)
    assert data.target is not None
    images = {"x_train": data.images[:16], "x_val": data.images[16:24], "x_test": data.images[24:]}
    labels = {"y_train": data.target[:16], "y_val": data.target[16:24], "y_test": data.target[24:]}
    back = load_file(files.npz(**images, **labels), "a.npz")
    np.testing.assert_array_equal(back.data, data.data)
    np.testing.assert_array_equal(back.target, data.target)
    assert "x_train, x_val, x_test are joined." in back.recognised


def test_parts_whose_labels_contradict_their_sizes_are_asked() -> None:
    content = files.mat(X_train=X, X_test=X[:, :30], y_train=Y, y_test=Y)
    reading = read_file(content, "a.mat")
    assert list(reading.open_questions)[:1] == ["samples"]
    with pytest.raises(DatasetError, match="X_train and X_test hold samples of different size"):
        load_file(content, "a.mat", samples="rows")


def test_one_nameless_matrix_is_taken_for_the_images() -> None:
    data = make_faces(4, 10, 16)
    back = load_file(files.mat(pictures=column_by_column(data), note=3.0), "a.mat")
    np.testing.assert_array_equal(back.data, data.data)
    assert back.target is None
    assert back.n_classes == 0
    assert back.recognised.startswith("40 images, 16 × 16, no labels. ")


@pytest.mark.parametrize("x", ["X", "data", "images", "arr_0"])
def test_faces_come_back_from_npz(faces: Dataset, x: str) -> None:
    for stored in (faces.images, np.asfortranarray(faces.images)):
        back = load_file(files.npz(**{x: stored, "y": faces.target}), "a.npz")
        np.testing.assert_array_equal(back.data, faces.data)
        np.testing.assert_array_equal(back.target, faces.target)
        assert back.image_shape == (12, 10)
    alone = load_file(files.npz(**{x: faces.images}), "a.npz")
    np.testing.assert_array_equal(alone.data, faces.data)


def test_a_single_array_needs_no_name(faces: Dataset) -> None:
    back = load_file(files.npy(faces.images), "a.npy")
    np.testing.assert_array_equal(back.images, faces.images)
    assert back.target is None
    big_endian = load_file(files.npy(faces.images.astype(">f8")), "a.npy")
    np.testing.assert_array_equal(big_endian.data, faces.data)


def test_colours_turn_to_grey(faces: Dataset) -> None:
    grey = np.rint(faces.images * 255)
    colours = np.repeat(grey[..., None], 3, axis=3).astype(np.uint8)
    opaque = np.concatenate([colours, np.full_like(colours[..., :1], 255)], axis=3)
    for stored in (colours, opaque):
        back = load_file(files.npy(stored), "a.npy")
        np.testing.assert_allclose(back.images, grey / 255, atol=1e-12)
        assert "Colours are turned to grey." in back.recognised
    one_channel = load_file(files.npy(colours[..., :1]), "a.npy", samples="rows")
    assert one_channel.image_shape == (12, 10)


def test_rows_that_are_no_pictures_stay_measurements() -> None:
    table = np.random.default_rng(0).random((30, 13))
    data = load_file(files.npz(X=table, y=np.repeat(["no", "yes", "or"], 10)), "table.npz")
    assert data.image_shape is None
    assert data.target_names == ("no", "or", "yes")
    assert data.recognised.startswith("30 samples, 13 features, 3 classes. ")
    np.testing.assert_array_equal(data.data, table)


def test_paths_bytes_and_open_files_are_the_same(tmp_path: Path, faces: Dataset) -> None:
    content = files.npz(X=faces.images, y=faces.target)
    path = tmp_path / "set.NPZ"
    path.write_bytes(content)
    stream = io.BytesIO(content)
    stream.read()  # somebody was here before
    prints = {
        load_file(path).sha256,
        load_file(str(path)).sha256,
        load_file(content, "set.npz").sha256,
        load_file(bytearray(content), "set.npz").sha256,  # type: ignore[arg-type]
        load_file(content).sha256,  # told by its first bytes
        load_file(stream, "../../etc/set.npz").sha256,
    }
    assert len(prints) == 1
    with path.open("rb") as opened:
        assert load_file(opened).name == "set"
    assert load_file(content, "C:\\pictures\\set.npz").source == "file set.npz"


# Scale, shape and labels


@pytest.mark.parametrize(
    ("scale", "values", "scaled", "words"),
    [
        ("unit", [0, 1], [0, 1], "already in 0 – 1"),
        ("unit", [0.25, 0.5], [0.25, 0.5], "already in 0 – 1"),
        ("signed", [-1, 0, 1], [0, 0.5, 1], "from −1 … 1 to 0 – 1"),
        ("16", [0, 8, 16], [0, 0.5, 1], "divided by 16"),
        ("255", [2, 51, 235], [2 / 255, 0.2, 235 / 255], "Values 2 – 235 divided by 255"),
        ("65535", [0, 65535], [0, 1], "divided by 65535"),
        ("stretch", [0.5, 1, 2.5], [0, 0.25, 1], "Values 0.5 – 2.5 stretched to 0 – 1"),
        ("stretch", [-3, 0, 3], [0, 0.5, 1], "Values −3 to 3 stretched to 0 – 1"),
        ("stretch", [-1.7e308, 0, 1.7e308], [0, 0.5, 1], "stretched"),
        ("stretch", [-2, -2], [0, 0], "Every value is −2, set to 0"),
    ],
)
def test_scales(scale: str, values: list[float], scaled: list[float], words: str) -> None:
    result, sentence = scale_to_unit(np.array(values, dtype=float), scale, "a.npy")
    np.testing.assert_allclose(result, scaled, rtol=1e-14)
    assert words in sentence


finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(arrays.arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(1, 9)), elements=finite))
def test_whatever_the_range_pixels_end_in_0_to_1_in_the_same_order(values: np.ndarray) -> None:
    scaled, _ = scale_to_unit(values.copy(), "stretch", "a.npy")
    assert scaled.min() >= 0
    assert scaled.max() <= 1
    rank = np.argsort(values, axis=None)
    assert (np.diff(scaled.ravel()[rank]) >= 0).all()


@given(
    arrays.arrays(np.uint8, (3, 36)).filter(lambda grey: grey.max() > 16 and np.ptp(grey) > 12),
    st.sampled_from([np.uint8, np.int16, np.int64, np.float32, np.float64]),
)
def test_grey_levels_mean_the_same_in_every_dtype(grey: np.ndarray, dtype: type) -> None:
    content = files.npy(grey.astype(dtype))
    reading = read_here(content, "a.npy", samples="rows", features="pixels", shape=(6, 6))
    np.testing.assert_array_equal(reading.dataset.data, grey / 255)


@given(arrays.arrays(np.float64, (4, 25), elements=st.floats(0, 1)), st.sampled_from([2, 64, 1024]))
def test_stretching_forgets_scale_and_shift(unit: np.ndarray, factor: int) -> None:
    unit[0, :2] = 0, 1
    # Whole and negative: always stretched, never divided by a grey scale.
    content = files.npy(unit * factor - 1.5 * factor)
    moved = read_here(
        content, "a.npy", samples="rows", features="columns", scale="stretch"
    ).dataset.data
    np.testing.assert_allclose(moved, unit, atol=1e-12)


@pytest.mark.parametrize(
    ("labels", "numbers", "names"),
    [
        (np.array([3, 1, 3]), [1, 0, 1], ("1", "3")),
        (np.array([2.0, 10.0, 3.0]), [0, 2, 1], ("2", "3", "10")),
        (np.array([[True], [False], [True]]), [1, 0, 1], ("False", "True")),
        (np.array(["b", "a", "ä"]), [1, 0, 2], ("a", "b", "ä")),
        (np.array([b"b", b"a", b"\xff"]), [1, 0, 2], ("a", "b", "�")),
        (np.array([-1, 255, -1], dtype=np.int16), [0, 1, 0], ("-1", "255")),
    ],
)
def test_labels_are_numbered_from_0(
    labels: np.ndarray, numbers: list[int], names: tuple[str, ...]
) -> None:
    target, target_names = number_labels(parse_labels(labels.ravel()))
    assert target.tolist() == numbers
    assert target.dtype == np.int64
    assert target_names == names


def test_words_label_a_mat_file_too() -> None:
    data = make_faces(4, 10, 16)
    content = files.mat(X=column_by_column(data), Y=np.array(["ann"] * 20 + ["bob"] * 20))
    back = load_file(content, "a.mat")
    assert back.target_names == ("ann", "bob")
    assert back.target is not None
    assert back.target.tolist() == [0] * 20 + [1] * 20


def test_large_data_are_kept_in_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cspca.datasets.files.parsed.FLOAT32_FROM", 40 * 120 * 8 - 1)
    data = make_faces(4, 10, (12, 10))
    back = read_here(files.npy(data.images), "a.npy").dataset
    assert back.data.dtype == np.float32
    assert "Kept in single precision for its size" in back.recognised
    np.testing.assert_allclose(back.data, data.data, rtol=1e-6)


# The real files: statistics, never pictures


def picture_hash(image: np.ndarray) -> str:
    """64 bits: which of 8 × 8 patches are brighter than the median patch."""
    patches = [
        [patch.mean() for patch in np.array_split(rows, 8, axis=1)]
        for rows in np.array_split(image, 8, axis=0)
    ]
    return np.packbits(np.array(patches) > np.median(patches)).tobytes().hex()


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "words", "upright"),
    [
        ("ORL.mat", "400 images, 32 × 32, 40 classes", "7e1808f87e66627c"),
        ("COIL20.mat", "1,440 images, 32 × 32, 20 classes", "0070f07c7f7f7e00"),
        ("USPS.mat", "9,298 images, 16 × 16, 10 classes", "1818181818181818"),
        ("orlraws10P.mat", "100 images, 112 × 92, 10 classes", "c8f8fcf8f4e86820"),
    ],
)
def test_real_files_come_out_upright(
    shared_data: Callable[[str], Path], name: str, words: str, upright: str
) -> None:
    data = load_file(shared_data(name))
    assert data.recognised.startswith(words + ". ")
    assert "Pixels run down columns and were turned upright." in data.recognised
    assert picture_hash(data.image(0)) == upright
    assert picture_hash(data.image(0).T) != upright


@pytest.mark.real_data
def test_orl_is_its_grey_levels_divided_by_255(shared_data: Callable[[str], Path]) -> None:
    data = load_file(shared_data("ORL.mat"))
    grey = data.data * 255
    np.testing.assert_array_equal(grey, np.rint(grey))
    assert (grey.min(), grey.max()) == (2, 235)
    assert data.target is not None
    np.testing.assert_array_equal(data.target, np.repeat(np.arange(40), 10))
    # Faces mirror left to right, not top to bottom.
    mean = data.images.mean(axis=0)
    mirrored = np.corrcoef(mean.ravel(), mean[:, ::-1].ravel())[0, 1]
    turned = np.corrcoef(mean.ravel(), mean[::-1].ravel())[0, 1]
    assert mirrored > turned + 0.1


# Files that are not what they seem: one sentence each, and nothing else comes out

X = np.random.default_rng(0).random((4, 36))
Y = np.arange(4)
OBJECTS = np.array([[1, "a"], [2.5, 2]], dtype=object)


def with_nan() -> np.ndarray:
    broken = X.copy()
    broken[2, 3] = np.nan
    return broken


def sparse() -> object:
    from scipy.sparse import csc_matrix

    return csc_matrix(X)


def zip_of(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name + ".npy", content)
    return stream.getvalue()


BAD = {
    "empty": ("a.mat", b"", "a.mat is empty"),
    "text named mat": ("a.mat", b"1,2,3\n4,5,6\n", "not a MATLAB file of version 4 to 7"),
    "text with a MATLAB head": ("a.mat", b"MATLAB 5.0 MAT-file".ljust(400), "damaged"),
    "only a header": ("a.mat", files.mat_header(), "holds no variables"),
    "v7.3": ("a.mat", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n", "damaged"),
    "hdf5": ("a.mat", b"\x89HDF\r\n\x1a\n".ljust(600), "damaged"),
    "object mat": ("a.mat", files.mat(X=OBJECTS), "only X .2 × 2 cell.: save its numbers"),
    "struct": ("a.mat", files.mat(X={"a": 1}), "only X.a .1 × 1 int64."),
    "chars": ("a.mat", files.mat(X=np.array(["abc", "def"])), "only X .2 char.: save one row"),
    "complex": ("a.mat", files.mat(X=X * 1j, Y=Y), "X .4 × 36 complex.*: save real numbers"),
    "no numbers": ("a.mat", files.mat(X=np.ones((0, 4))), "only X .0 × 4 double."),
    "halves differ": (
        "a.mat",
        files.mat(X_train=X, X_test=X[:, :30], y_train=Y, y_test=Y),
        "What are the samples",
    ),
    "cut mat": ("a.mat", files.mat(X=X)[:-40], "damaged"),
    "cut raw mat": ("a.mat", files.mat(False, X=X)[:-40], "damaged"),
    "mat of noise": ("a.mat", files.mat_header() + bytes(range(256)), "damaged"),
    "huge mat": ("a.mat", files.mat_declaring(10**5, 10**5), "10,000,000,000 values, over"),
    "negative mat": ("a.mat", files.mat_declaring(-5, 4), "only X .-5 × 4 "),
    "lying mat": ("a.mat", files.mat_declaring(100, 100), "damaged"),
    "text named npy": ("a.npy", b"1 2 3", "not a NumPy file: save it"),
    "pickle named npy": ("a.npy", b"\x80\x04K\x01.", "but a pickle, which is never opened"),
    "pickle in npy": ("a.npy", files.npy(OBJECTS, allow_pickle=True), "no Python object is ever"),
    "pickle in npz": ("a.npz", files.npz(X=OBJECTS), "only X .2 × 2 pickled.: no Python object"),
    "pickle named npz": ("a.npz", b"\x80\x04K\x01.", "but a pickle"),
    "text named npz": ("a.npz", b"PK or not", "not a whole .npz archive: save"),
    "cut npz": ("a.npz", files.npz(X=X)[:-30], "not a whole .npz archive"),
    "cut npy": ("a.npy", files.npy(X)[:-8], "damaged"),
    "npy of a header": ("a.npy", files.npy_header("(3, 36)"), "damaged"),
    "huge npy": ("a.npy", files.npy_header("(100000, 100000)"), "over the limit"),
    "overflowing npy": ("a.npy", files.npy_header("(4294967296, 4294967296)"), "over the limit"),
    "negative npy": ("a.npy", files.npy_header("(-4, -9)"), "-4 × -9 float64.: save"),
    "long items": ("a.npy", files.npy_header("(4, 9)", "'<U100000000'"), "4 × 9 text.: save"),
    "npy header of code": ("a.npy", files.npy_header("(__import__('os'),)"), "damaged"),
    "npy of the future": ("a.npy", b"\x93NUMPY\x09\x00" + bytes(100), "damaged"),
    "npy of records": ("a.npy", files.npy(np.zeros((4, 9), "f4,f4")), "4 × 9 void64"),
    "npy of text": ("a.npy", files.npy(np.array([["a", "b"]] * 3)), "3 × 2 text"),
    "npy of dates": ("a.npy", files.npy(np.zeros((4, 9), "M8[s]")), "4 × 9 datetime64"),
    "a number": ("a.npy", files.npy(np.array(3.0)), "only the array .1 float64."),
    "a line": (
        "a.npy",
        files.npy(np.ones(9)),
        "the array is one row of 9 numbers: save one row a sample",
    ),
    "no images": ("a.npy", files.npy(np.ones((0, 36))), "0 × 36 float64.: save"),
    "no pixels": ("a.npy", files.npy(np.ones((4, 0))), "4 × 0 float64.: save"),
    "npz of nothing": ("a.npz", files.npz(), "holds no arrays: save|not a whole"),
    "npz member cut": ("a.npz", zip_of(X=files.npy(X)[:-8]), "damaged"),
    "npz member of text": ("a.npz", zip_of(X=b"hello"), "damaged"),
    "npz of many": ("a.npz", zip_of(**{f"m{i}": b"" for i in range(1001)}), "1,001 arrays"),
    "other kind": ("a.xyz", b"hello", "bring one of .mat, .npz, .npy, .*, or PNG"),
    "no workbook": ("a.xlsx", b"hello", "is not an Excel workbook, whatever its name says"),
    "no kind": (None, b"hello", "upload is of a kind that is not read here"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", BAD)
def test_bad_files_get_one_sentence(case: str) -> None:
    name, content, sentence = BAD[case]
    with pytest.raises(DatasetError, match=sentence) as caught:
        load_file(content, name)
    message = str(caught.value)
    assert message.endswith(".")
    assert (name or "upload") in message
    assert "\n" not in message


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("content", [files.npz(X=X), files.npy(X)])
@pytest.mark.parametrize("name", ["a.npz", "a.npy"])
def test_cut_anywhere_it_is_read_or_refused(content: bytes, name: str) -> None:
    for length in range(0, len(content), 7):
        with pytest.raises(DatasetError):
            read_here(content[:length], name)


@pytest.mark.filterwarnings("ignore")
@given(st.data())
def test_damage_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    """Of files that no compiled reader sees; those are damaged in `test_fuzz`."""
    name, content = data.draw(
        st.sampled_from([("a.npz", files.npz(X=X, y=Y)), ("a.npy", files.npy(X))])
    )
    broken = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = read_here(bytes(broken), name, samples="rows", features="columns").dataset
    except DatasetError as error:
        assert str(error).endswith(".")  # noqa: PT017
    else:
        assert read.data.min() >= 0
        assert read.data.max() <= 1


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"gone.mat cannot be opened \(.*\): check the path"):
        load_file(tmp_path / "gone.mat")
    with pytest.raises(DatasetError, match="holds no images: bring one data file, or PNG"):
        load_file(tmp_path)
    with pytest.raises(DatasetError, match="cannot be opened"):
        load_file("a\0.mat")


def test_files_too_large_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cspca.datasets.files.foreign.MAX_BYTES", 100)
    path = tmp_path / "a.npy"
    path.write_bytes(files.npy(X))
    for file in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        with pytest.raises(DatasetError, match="bytes, over the limit of 100"):
            load_file(file, "a.npy")


def test_streams_that_are_not_binary() -> None:
    with pytest.raises(DatasetError, match="open binary file"):
        load_file(io.StringIO("hello"), "a.npy")  # type: ignore[arg-type]
    closed = io.BytesIO(b"hello")
    closed.close()
    with pytest.raises(DatasetError, match="cannot be opened"):
        load_file(closed, "a.npy")
    with pytest.raises(DatasetError, match="or give an open binary file"):
        load_file(7)  # type: ignore[arg-type]
