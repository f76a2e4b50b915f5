"""MATLAB 7.3: the same as version 5, through a process of its own; hostile files end only that."""

import io
from pathlib import Path

import h5py
import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, ReadChoices, load_file, make_faces, read_file
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(4, 5, 16)


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
    assert read.used.samples == ("last" if turned else "first")


def test_words_halves_and_cubes(faces: Dataset) -> None:
    assert faces.target is not None
    names = np.array(["ann ", "bob ", "carl", "zoë "])[faces.target]
    back = load_file(files.mat73(X=column_by_column(faces), Y=names), "a.mat")
    assert back.target_names == ("ann", "bob", "carl", "zoë")
    x, y = column_by_column(faces).T, faces.target.astype(float)
    halves = files.mat73(
        Train_DAT=x[:, :12], Test_DAT=x[:, 12:], trainlabels=y[:12], testlabels=y[12:]
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
    back = load_file(files.mat73(fea=pixels), "a.mat")
    np.testing.assert_array_equal(
        back.images, pixels.reshape(6000, 32, 32).transpose(0, 2, 1) / 255
    )


def test_what_others_write_is_read_row_by_sample(faces: Dataset) -> None:
    back = read_file(hdf5(X=faces.data, Y=faces.target), "a.mat", choices=ReadChoices(order="row"))
    np.testing.assert_array_equal(back.dataset.data, faces.data)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (hdf5(), "holds no variables"),
        (hdf5(X=np.ones((0, 4))), "X is 0 × 4"),
        (hdf5(X=np.ones((4, 36)) * 1j), "X holds complex numbers"),
        (hdf5(X=[b"a", b"bc"]), "X is a .* array, not a full array of numbers"),
        (files.mat73(X=np.full((4, 36), np.nan)), "4 of 4 images hold NaN"),
        (files.mat73(X=np.eye(6), Y=np.arange(5.0)), "Y has 5 labels for 6 samples when"),
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
        with pytest.raises(DatasetError, match="X is a link array, not a full array of numbers"):
            load_file(matlab(write), "a.mat")


def test_structs_cells_and_sparse_have_their_sentence() -> None:
    def groups(file: h5py.File) -> None:
        sparse = file.create_group("X")
        sparse.attrs["MATLAB_sparse"] = 20
        sparse.attrs["MATLAB_class"] = np.bytes_("double")

    with pytest.raises(DatasetError, match=r"X is a sparse array.*save full"):
        load_file(matlab(groups), "a.mat")

    def struct(file: h5py.File) -> None:
        file.create_group("X").attrs["MATLAB_class"] = np.bytes_("struct")

    with pytest.raises(DatasetError, match="X is a struct array"):
        load_file(matlab(struct), "a.mat")


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
