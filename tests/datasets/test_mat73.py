"""MATLAB 7.3: the same as version 5, through a process of its own; hostile files end only that."""

import io
from pathlib import Path

import h5py
import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, load_file, make_faces, read_file
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

X = np.random.default_rng(0).normal(size=(60, 9))


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 10, 16)


def column_by_column(data: Dataset) -> np.ndarray:
    return data.images.transpose(0, 2, 1).reshape(data.n_samples, -1)


def hdf5(**datasets: object) -> bytes:
    """An HDF5 file that no MATLAB wrote."""
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in datasets.items():
            file[name] = value
    return stream.getvalue()


@pytest.mark.parametrize(("x", "y"), [("fea", "gnd"), ("X", "Y"), ("features", "Label")])
@pytest.mark.parametrize("turned", [False, True])
def test_faces_come_back(faces: Dataset, x: str, y: str, turned: bool) -> None:
    assert faces.target is not None
    pixels = column_by_column(faces)
    content = files.mat73(**{x: pixels.T if turned else pixels, y: faces.target[:, None] + 1.0})
    read = read_file(content, "faces.mat")
    np.testing.assert_array_equal(read.dataset.data, faces.data)
    np.testing.assert_array_equal(read.dataset.target, faces.target)
    assert read.dataset.target_names == ("1", "2", "3", "4")
    assert read.format == "MATLAB 7.3 file"
    assert read.questions["samples"].value == ("columns" if turned else "rows")


def test_words_halves_and_cubes(faces: Dataset) -> None:
    assert faces.target is not None
    names = np.array(["ann ", "bob ", "carl", "zoë "])[faces.target]
    back = load_file(files.mat73(X=column_by_column(faces), Y=names), "a.mat")
    assert back.target_names == ("ann", "bob", "carl", "zoë")
    x, y = column_by_column(faces).T, faces.target.astype(float)
    halves = files.mat73(
        Train_DAT=x[:, :24], Test_DAT=x[:, 24:], trainlabels=y[:24], testlabels=y[24:]
    )
    back = load_file(halves, "a.mat")
    np.testing.assert_array_equal(back.data, faces.data)
    np.testing.assert_array_equal(back.target, faces.target)
    cube = files.mat73(images=faces.images.transpose(1, 2, 0), labels=y)
    back = load_file(cube, "a.mat")
    np.testing.assert_array_equal(back.data, faces.data)
    assert back.image_shape == (16, 16)


def test_a_large_array_comes_in_slabs() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (6000, 1024)).astype(np.float64)
    back = load_file(files.mat73(fea=pixels), "a.mat", samples="rows", shape=(32, 32))
    np.testing.assert_array_equal(
        back.images, pixels.reshape(6000, 32, 32).transpose(0, 2, 1) / 255
    )


def test_what_others_write_is_read_row_by_sample(faces: Dataset) -> None:
    back = load_file(hdf5(X=faces.data, Y=faces.target), "a.mat", order="row")
    np.testing.assert_array_equal(back.data, faces.data)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (hdf5(), "holds no variables"),
        (hdf5(X=np.ones((0, 4))), "only X .0 × 4 float64."),
        (hdf5(X=np.ones((4, 36)) * 1j), "only X .4 × 36 complex128.: save real numbers"),
        (hdf5(X=[b"a", b"bc"]), "only X .2 text.: save one row of numbers"),
        (files.mat73(X=np.eye(6))[:-40], "is damaged"),
        (files.mat73(X=np.eye(6))[:600], "is damaged"),
        (b"\x89HDF\r\n\x1a\n" + bytes(1000), "is damaged"),
    ],
)
def test_broken_files_get_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence) as caught:
        load_file(content, "a.mat")
    assert "a.mat" in str(caught.value)


def matlab(write: object) -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        write(file)  # type: ignore[operator]
    return stream.getvalue()


def test_nothing_outside_the_file_is_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.full(400, 0.5).tobytes())
    other = tmp_path / "other.h5"
    other.write_bytes(hdf5(X=np.full((20, 20), 0.5)))

    def external_link(file: h5py.File) -> None:
        file["X"] = h5py.ExternalLink(str(other), "/X")

    def external_storage(file: h5py.File) -> None:
        file.create_dataset("X", (20, 20), "f8", external=[(str(secret), 0, 3200)])

    def virtual(file: h5py.File) -> None:
        layout = h5py.VirtualLayout((20, 20), "f8")
        layout[:] = h5py.VirtualSource(str(other), "X", (20, 20))
        file.create_virtual_dataset("X", layout)

    for write in (external_link, external_storage, virtual):
        with pytest.raises(DatasetError, match=r"no full array of numbers, only X \(1 link\)"):
            load_file(matlab(write), "a.mat")


def of_class(item: object, kind: str) -> object:
    item.attrs["MATLAB_class"] = np.bytes_(kind)  # type: ignore[attr-defined]
    return item


def with_text(file: h5py.File, name: str, words: list[str]) -> None:
    """Write a cell array of words, as MATLAB does: references to what lies in #refs#."""
    references = []
    for number, word in enumerate(words):
        codes = np.array([[ord(letter)] for letter in word], dtype="u2")
        stored = file.create_dataset(f"#refs#/{name}{number}", data=codes)
        references.append(of_class(stored, "char").ref)  # type: ignore[attr-defined]
    cells = np.array([references], dtype=h5py.ref_dtype)
    of_class(file.create_dataset(name, data=cells, dtype=h5py.ref_dtype), "cell")


def test_cells_of_words_are_labels() -> None:
    x = np.random.default_rng(0).normal(size=(60, 9))

    def write(file: h5py.File) -> None:
        of_class(file.create_dataset("X", data=x.T), "double")
        with_text(file, "y", ["zoë", "ann"] * 30)

    back = load_file(matlab(write), "a.mat")
    assert back.target_names == ("ann", "zoë")
    assert back.target is not None
    assert back.target[:3].tolist() == [1, 0, 1]


def test_structs_are_opened_and_sparse_matrices_filled() -> None:
    from scipy.sparse import random_array

    x = random_array((60, 9), density=0.3, format="csc", rng=np.random.default_rng(0))

    def write(file: h5py.File) -> None:
        struct = of_class(file.create_group("S"), "struct")
        sparse = of_class(struct.create_group("X"), "double")  # type: ignore[attr-defined]
        sparse.attrs["MATLAB_sparse"] = 60  # type: ignore[attr-defined]
        for part, values in (("data", x.data), ("ir", x.indices), ("jc", x.indptr)):
            sparse[part] = values  # type: ignore[index]
        labels = np.repeat([[1.0, 2.0]], 30)[None]
        of_class(struct.create_dataset("y", data=labels), "double")  # type: ignore[attr-defined]

    back = load_file(matlab(write), "a.mat", scale="unit")
    np.testing.assert_array_equal(back.data, x.toarray())
    assert back.target_names == ("1", "2")


def test_classes_of_matlab_are_left_out_and_named() -> None:
    x = np.random.default_rng(0).normal(size=(60, 9))

    def write(file: h5py.File) -> None:
        of_class(file.create_dataset("X", data=x.T), "double")
        text = of_class(file.create_dataset("y", data=np.zeros((1, 6), "u4")), "string")
        text.attrs["MATLAB_object_decode"] = 3  # type: ignore[attr-defined]

    reading = read_file(matlab(write), "a.mat")
    assert reading.left_out == ("y is a MATLAB string: save cellstr(y)",)
    assert "samples" in reading.open_questions


def strings(group: object, name: str) -> object:
    """A string array as MATLAB 7.3 stores it: a pointer to a part of the file of its own."""
    member = of_class(group.create_dataset(name, data=np.zeros((1, 6), "u4")), "string")  # type: ignore[attr-defined]
    member.attrs["MATLAB_object_decode"] = 3  # type: ignore[attr-defined]
    return member


@pytest.mark.parametrize("within", ["struct", "cell"])
def test_strings_within_a_struct_or_a_cell_are_named_with_what_to_type(within: str) -> None:
    def write(file: h5py.File) -> None:
        of_class(file.create_dataset("X", data=X.T), "double")
        if within == "struct":
            strings(of_class(file.create_group("S"), "struct"), "y")
            return
        member = strings(file.create_group("#refs#"), "a")
        references = np.full((60, 1), member.ref, dtype=h5py.ref_dtype)  # type: ignore[attr-defined]
        of_class(file.create_dataset("y", data=references, dtype=h5py.ref_dtype), "cell")

    left_out = read_file(matlab(write), "a.mat").left_out
    whole = "S.y is a MATLAB string: save cellstr(S.y)"
    cells = "y is a cell array of MATLAB strings: save cellstr(string(y))"
    assert left_out == (whole if within == "struct" else cells,)


def test_a_file_of_strings_alone_says_what_to_type() -> None:
    with pytest.raises(DatasetError, match=r"for y is a MATLAB string: save cellstr\(y\), "):
        load_file(matlab(lambda file: strings(file, "y")), "a.mat")


def test_what_octave_writes_in_hdf5_is_refused() -> None:
    def write(file: h5py.File) -> None:
        group = file.create_group("X")
        group.attrs["OCTAVE_NEW_FORMAT"] = np.uint8(1)
        group["value"] = np.eye(3)

    with pytest.raises(DatasetError, match=r"a\.mat was written by Octave.*save -v7"):
        load_file(matlab(write), "a.mat")


def test_an_array_that_declares_too_much_is_refused() -> None:
    def huge(file: h5py.File) -> None:
        file.create_dataset("X", (10**6, 10**6), "f8", chunks=(100, 100))

    with pytest.raises(DatasetError, match="holds 1,000,000,000,000 values, over the limit"):
        load_file(matlab(huge), "a.mat")


def test_many_variables_are_refused() -> None:
    def many(file: h5py.File) -> None:
        for number in range(1001):
            file[f"v{number}"] = 1.0

    with pytest.raises(DatasetError, match="holds 1,001 variables, over the limit of 1,000: split"):
        load_file(matlab(many), "a.mat")


def stored(group: h5py.Group, name: str, value: object) -> h5py.Dataset:
    """An array or a text as MATLAB 7.3 keeps it."""
    is_text = isinstance(value, str)
    codes = np.array([[ord(letter)] for letter in str(value)], "u2")
    array = codes if is_text else np.atleast_2d(np.asarray(value, float)).T
    dataset = group.create_dataset(name, data=array)
    dataset.attrs["MATLAB_class"] = np.bytes_("char" if is_text else "double")
    return dataset


def test_an_array_of_structs_gives_an_array_for_each_field() -> None:
    rng = np.random.default_rng(0)
    stream = io.BytesIO()
    with h5py.File(stream, "w", userblock_size=512) as file:
        references = file.create_group("#refs#")
        eeg = file.create_group("EEG")
        eeg.attrs["MATLAB_class"] = np.bytes_("struct")
        eeg.create_dataset("data", data=rng.normal(size=(30, 50, 8)).cumsum(1))
        eeg["data"].attrs["MATLAB_class"] = np.bytes_("double")
        stored(eeg, "trials", [[30.0]])
        fields: dict[str, list[object]] = {
            "chanlocs/labels": [f"C{k}" for k in range(8)],
            "chanlocs/urchan": [float(k) for k in range(8)],
            "event/type": [f"S {k % 2}" for k in range(30)],
        }
        for path, values in fields.items():
            structs, field = path.split("/")
            group = eeg.require_group(structs)
            group.attrs["MATLAB_class"] = np.bytes_("struct")
            cells = [
                stored(references, f"{structs}{field}{place}", value).ref
                for place, value in enumerate(values)
            ]
            group.create_dataset(field, data=np.array(cells, dtype=h5py.ref_dtype)[:, None])
    content = bytearray(stream.getvalue())
    content[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    data = read_file(bytes(content), "S1.set").dataset
    assert (data.n_samples, data.n_features) == (30, 400)
    assert data.target_names == ("S 0", "S 1")
    assert data.feature_names is not None
    assert data.feature_names[50] == "C1, 1"
