"""Arrays of every container and layout: what is declared is read, what is not is asked."""

import gzip
import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.sparse
from PIL import Image
from scipy.io import savemat

from cspca.datasets import (
    Answers,
    Dataset,
    DatasetError,
    load_file,
    load_files,
    make_faces,
    read_file,
)
from cspca.datasets.files.unread_kinds import unread_kind
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 9))
Y = np.repeat([1, 2, 3], 20)


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(20, 20, 32)


def grown(faces: Dataset, height: int, width: int) -> np.ndarray:
    """Grey levels of the faces (n, height, width)."""
    grey = np.rint(faces.images * 255).astype(np.uint8)
    size = (width, height)
    return np.stack([np.asarray(Image.fromarray(face).resize(size, 4)) for face in grey])


def coloured(faces: Dataset) -> np.ndarray:
    """Faces (n, height, width, 3), each of another colour."""
    tint = RNG.uniform(0.6, 1, (faces.n_samples, 1, 1, 3))
    return (faces.images[..., None] * 255 * tint).astype(np.uint8)


# MATLAB


@pytest.mark.parametrize("order", ["<", ">"])
def test_version_4_is_read(order: str) -> None:
    content = b""
    for name, values in (("X", X), ("y", Y[:, None].astype(float))):
        kind = 0 if order == "<" else 1000
        content += struct.pack(f"{order}5i", kind, *values.shape, 0, len(name) + 1)
        content += name.encode() + b"\0" + values.T.astype(f"{order}f8").tobytes()
    data = load_file(content, "old.mat", scale="stretch")
    expected = (X - X.min()) / (X.max() - X.min())
    np.testing.assert_allclose(data.data, expected, atol=1e-12)
    assert data.target_names == ("1", "2", "3")


def opaque(name: bytes, class_name: bytes) -> bytes:
    """A variable of a class of MATLAB's: names in place of a size."""
    parts = [files.mat_element(6, struct.pack("<II", 17, 0))]
    parts += [files.mat_element(1, word) for word in (name, b"MCOS", class_name)]
    numbers = files.mat_element(6, struct.pack("<II", 13, 0)) + files.mat_element(
        5, struct.pack("<ii", 6, 1)
    )
    numbers += files.mat_element(1, b"") + files.mat_element(6, struct.pack("<6I", *range(6)))
    return files.mat_element(14, b"".join(parts) + files.mat_element(14, numbers))


@pytest.mark.parametrize(
    ("class_name", "remedy"),
    [
        (b"string", "save cellstr(y)"),
        (b"categorical", "save cellstr(y)"),
        (b"table", "save its columns, such as y.Variables, and cellstr of its words"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_scipy_cannot_list_is_named(class_name: bytes, remedy: str, is_first: bool) -> None:
    plain = files.mat(False, X=X)
    other = opaque(b"y", class_name)
    content = plain[:128] + (other + plain[128:] if is_first else plain[128:] + other)
    reading = read_file(content, "a.mat")
    assert reading.left_out == (f"y is a MATLAB {class_name.decode()}: {remedy}",)
    assert reading.summary == "60 samples, 9 features, no labels"


def test_a_file_of_opaque_variables_alone_is_refused() -> None:
    content = files.mat_header() + opaque(b"t", b"table")
    with pytest.raises(DatasetError, match="holds nothing that is read here, for t is a MATLAB ta"):
        load_file(content, "a.mat")


def test_structs_cells_and_sparse_matrices_are_read() -> None:
    words = np.array([["ann"], ["bob"]] * 30, dtype=object)
    data = load_file(files.mat(S={"X": X, "y": Y}), "a.mat")
    assert data.n_classes == 3
    named = load_file(files.mat(X=X, y=words), "a.mat")
    assert named.target_names == ("ann", "bob")
    sparse = scipy.sparse.random_array((60, 30), density=0.2, rng=RNG)
    filled = load_file(files.mat(fea=sparse.tocsc(), gnd=Y[:, None]), "a.mat", scale="unit")
    np.testing.assert_array_equal(filled.data, sparse.toarray())


def test_a_cell_of_vectors_is_one_sample_each() -> None:
    cells = np.empty((60, 1), dtype=object)
    for number in range(60):
        cells[number, 0] = X[number][:, None]
    data = load_file(files.mat(spectra=cells), "a.mat")
    assert data.data.shape == (60, 9)


def test_a_cell_of_stacks_is_a_class_each(faces: Dataset) -> None:
    cells = np.empty((1, 5), dtype=object)
    for person in range(5):
        cells[0, person] = faces.images[20 * person : 20 * person + 12 + person].transpose(1, 2, 0)
    stream = io.BytesIO()
    savemat(stream, {"facedat": cells})
    data = load_file(stream.getvalue(), "umist.mat")
    assert np.bincount(data.target).tolist() == [12, 13, 14, 15, 16]
    np.testing.assert_array_equal(data.images[0], faces.images[0])


@pytest.mark.parametrize("content", [b"# Created by Octave 7.3.0\n# name: X\n", b"Octave-1-L\0"])
def test_other_formats_of_octave_are_refused(content: bytes) -> None:
    with pytest.raises(DatasetError, match=r"a\.mat is a file of Octave's own.*save -v7"):
        load_file(content, "a.mat")


# NumPy


def test_a_bunch_of_scikit_learn_says_the_shape_and_the_names(faces: Dataset) -> None:
    grey = grown(faces, 60, 40)
    names = np.array([f"person {number}" for number in range(20)])
    content = files.npz(
        data=grey.reshape(400, -1), images=grey, target=faces.target, target_names=names
    )
    data = load_file(content, "olivetti.npz")
    assert data.image_shape == (60, 40)
    assert data.target_names == tuple(names)
    assert "images holds the same numbers as pictures" in data.recognised
    colours = np.repeat(grown(faces, 62, 47)[..., None], 3, axis=3) / np.float32(255)
    content = files.npz(data=colours.reshape(400, -1), images=colours, target=faces.target)
    data = load_file(content, "lfw.npz")
    assert data.image_shape == (62, 47)
    np.testing.assert_allclose(data.images, colours[..., 0], atol=1e-6)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
def test_sparse_archives_of_scipy_are_filled(layout: str) -> None:
    sparse = scipy.sparse.random_array((60, 30), density=0.2, rng=RNG)
    stream = io.BytesIO()
    scipy.sparse.save_npz(stream, sparse.asformat(layout))
    data = load_file(stream.getvalue(), "counts.npz", samples="rows", scale="unit")
    np.testing.assert_array_equal(data.data, sparse.toarray())


def test_a_sparse_archive_that_declares_too_much_is_refused() -> None:
    parts = {"format": np.bytes_("csr"), "shape": np.array([10**6, 10**6]), "data": np.ones(1)}
    parts |= {"indices": np.zeros(1, int), "indptr": np.zeros(10**6 + 1, int)}
    with pytest.raises(DatasetError, match="1,000,000,000,000 values, over the limit"):
        load_file(files.npz(**parts), "a.npz", samples="rows")


def test_a_mask_says_which_values_are_missing() -> None:
    mask = np.zeros(X.shape, dtype=bool)
    mask[3, 2] = True
    content = files.npz(data=np.where(mask, -999, X), mask=mask, y=Y)
    reading = read_file(content, "a.npz")
    assert list(reading.open_questions) == ["missing"]
    assert "mask says which values of data are missing." in reading.sentences
    assert load_file(content, "a.npz", missing="rows").n_samples == 59


def test_its_own_archives_come_back_as_they_went() -> None:
    spectra = RNG.random((40, 400))
    names = np.array([f"{value} nm" for value in range(400, 800)])
    data = load_file(files.npz(X=spectra, y=np.arange(40) % 2, feature_names=names), "n.npz")
    assert data.image_shape is None
    assert data.feature_names == tuple(names)
    pixels = np.array([f"r{row}c{column}" for row in range(1, 9) for column in range(1, 6)])
    content = files.npz(X=RNG.random((42, 40)), y=np.arange(42) % 2, feature_names=pixels)
    assert load_file(content, "p.npz").image_shape == (8, 5)


# Which way samples lie


@pytest.mark.parametrize("make", [lambda x: files.mat(data=x), files.npy])
def test_genes_by_samples_are_asked(make: Callable[[np.ndarray], bytes]) -> None:
    counts = RNG.gamma(2, 2, (2000, 60))
    reading = read_file(make(counts), "a.mat" if make is not files.npy else "a.npy")
    question = reading.open_questions["samples"]
    assert [answer.value for answer in question.answers] == ["rows", "columns"]


def test_curves_along_rows_are_samples() -> None:
    curves = RNG.normal(size=(40, 300)).cumsum(axis=1)
    data = load_file(files.npy(curves), "a.npy")
    assert data.n_samples == 40
    assert "column by column" not in data.recognised


@pytest.mark.parametrize("make", [files.npz, files.mat])
def test_an_axis_says_which_side_is_its_own(make: Callable[..., bytes]) -> None:
    bands = np.linspace(400, 1000, 60)
    name = "a.npz" if make is files.npz else "a.mat"
    cube = RNG.random((30, 20, 60))
    data = load_file(make(cube=cube, wavelength=bands), name)
    np.testing.assert_array_equal(data.data, cube.reshape(600, 60))
    assert data.feature_names is not None
    assert data.feature_names[0] == "400"
    flat = load_file(make(A=cube[0].T, wavelength=bands), name)
    np.testing.assert_array_equal(flat.data, cube[0])
    assert "Samples lie in columns. wavelength rises or falls along the rows" in flat.recognised


@pytest.mark.parametrize(
    "names",
    [
        [f"gene{number}" for number in range(12, 72)],
        [f"ENSG{3 * number:011}" for number in range(1, 61)],
        [str(10 + int(10 ** (number / 10))) for number in range(10, 70)],
        [str(number) for number in range(60)],
    ],
)
def test_names_that_are_no_axis(names: list[str]) -> None:
    content = files.npz(X=RNG.normal(size=(40, 60)), gene_names=np.array(names))
    reading = read_file(content, "a.npz")
    assert reading.questions["features"].value == "columns"
    assert reading.dataset.feature_names == tuple(names)


@pytest.mark.parametrize("form", ["{}", "X{}", "wl_{}", "{} cm-1", "{}nm"])
def test_names_that_are_an_axis(form: str) -> None:
    names = np.array([form.format(value) for value in range(900, 1700, 2)])
    content = files.npz(X=RNG.normal(size=(40, 400)), feature_names=names)
    assert read_file(content, "a.npz").questions["features"].value == "axis"


def test_a_dose_of_the_samples_is_no_axis() -> None:
    reading = read_file(files.npz(X=X, dose=np.linspace(0.5, 9, 60)), "a.npz")
    assert "samples" in reading.open_questions
    assert reading.questions["features"].value == "columns"


# One array a class


def test_one_array_a_class_in_two_parts(faces: Dataset) -> None:
    digits = grown(faces, 28, 28).reshape(400, -1)
    arrays = {f"train{k}": digits[20 * k : 20 * k + 12 + k] for k in range(10)}
    arrays |= {f"test{k}": digits[380 - 5 * k : 400 - 5 * k] for k in range(10)}
    data = load_file(files.mat(**arrays), "mnist_all.mat")
    assert data.target_names == tuple("0123456789")
    assert np.bincount(data.target).tolist() == [32 + k for k in range(10)]
    assert "train0 … test9 are one class each: 10 classes." in data.recognised


def test_classes_along_the_last_side(faces: Dataset) -> None:
    digits = grown(faces, 16, 16).reshape(400, -1)
    stack = np.stack([digits[40 * k : 40 * k + 40].T for k in range(10)], axis=2)
    data = load_file(files.mat(data=stack), "usps_all.mat", order="row")
    assert np.bincount(data.target).tolist() == [40] * 10
    np.testing.assert_array_equal(data.data * 255, digits)


def test_one_stack_a_person(faces: Dataset) -> None:
    content = files.npz(**{f"person_{k}": faces.images[20 * k : 20 * k + 20] for k in range(5)})
    data = load_file(content, "a.npz")
    assert data.n_classes == 5
    np.testing.assert_array_equal(data.data, faces.data[:100])


def test_numbered_parts_are_no_classes_by_themselves() -> None:
    sessions = {f"session_{k}": RNG.normal(size=(20, 9)) for k in range(1, 4)}
    reading = read_file(files.npz(**sessions), "a.npz")
    question = reading.open_questions["data"]
    assert [answer.value for answer in question.answers][:2] == [
        "session_1 + session_2 + session_3",
        "session_1 … session_3",
    ]
    joined = load_file(
        files.npz(**sessions), "a.npz", data="session_1 + session_2 + session_3", samples="rows"
    )
    assert (joined.n_samples, joined.target) == (60, None)


def test_several_candidates_are_asked_and_each_can_be_chosen() -> None:
    content = files.npz(first=X, second=2 * X, y=Y)
    assert "data" in read_file(content, "a.npz").open_questions
    np.testing.assert_array_equal(
        load_file(content, "a.npz", data="second").data,
        load_file(content, "a.npz", data="first").data,
    )


# Several sides


def test_flattened_colours_are_recognised(faces: Dataset) -> None:
    colours = coloured(faces)
    planes = colours.transpose(0, 3, 1, 2).reshape(400, -1)
    content = files.mat(data=planes, labels=faces.target[:, None], batch_label="batch 1")
    cifar = load_file(content, "data_batch_1.mat", order="row")
    content = files.npz(data=colours.reshape(400, -1), labels=faces.target)
    interleaved = load_file(content, "a.npz")
    assert cifar.image_shape == interleaved.image_shape == (32, 32)
    np.testing.assert_allclose(cifar.data, interleaved.data, atol=1e-12)


ASKED = {
    "bands first": (60, 4, 32, 50),
    "bands last": (60, 32, 50, 3),
    "channels and times": (60, 32, 100),
    "volumes": (60, 8, 9, 10),
}


@pytest.mark.parametrize("kind", ASKED)
def test_sides_that_may_be_anything_are_asked(kind: str) -> None:
    array = np.random.default_rng(0).normal(size=ASKED[kind])
    content = files.npz(X=array, y=Y)
    reading = read_file(content, "a.npz")
    assert list(reading.open_questions) == ["features"]
    data = load_file(content, "a.npz", features="columns", scale="stretch")
    assert data.data.shape == (60, array[0].size)
    assert data.feature_names is not None
    last = ", ".join(map(str, ASKED[kind][1:]))
    assert data.feature_names[-1] == last


def test_a_fourth_channel_is_left_out_only_where_it_is_an_opacity(faces: Dataset) -> None:
    colours = coloured(faces)
    opaque = np.concatenate([colours, np.full_like(colours[..., :1], 255)], axis=3)
    data = load_file(files.npz(X=opaque, y=faces.target), "a.npz")
    assert "The fourth, the opacity, is left out." in data.recognised
    band = np.concatenate([colours, colours[..., :1] // 2], axis=3)
    reading = read_file(files.npz(X=band, y=faces.target), "a.npz")
    assert "colours" in reading.open_questions
    assert reading.questions["colours"].value == "separate"


@pytest.mark.parametrize("shape", [(64, 64, 30), (60, 80, 3), (40, 50, 30, 3)])
def test_volumes_and_single_pictures_are_asked(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
    assert "samples" in read_file(files.npy(array), "a.npy").open_questions


def test_one_variable_over_time_has_no_third_side() -> None:
    series = RNG.normal(size=(60, 100, 1)).cumsum(axis=1)
    data = load_file(files.npz(X=series, y=Y), "a.npz")
    assert data.data.shape == (60, 100)


def test_small_units_are_stretched() -> None:
    volts = RNG.normal(size=(32, 100, 60)) * 1e-5
    content = files.mat(data=volts, labels=Y)
    data = load_file(content, "eeg.mat", features="columns")
    assert (data.data.min(), data.data.max()) == (0, 1)
    assert data.n_samples == 60


# IDX


def idx(array: np.ndarray) -> bytes:
    sides = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + sides + array.astype(np.uint8).tobytes()


def test_idx_pictures_and_their_labels(faces: Dataset) -> None:
    grey = grown(faces, 28, 28)
    pictures, labels = idx(grey), idx(faces.target)
    named = [("train-images-idx3-ubyte.gz", gzip.compress(pictures))]
    alone = load_files(named)
    np.testing.assert_array_equal(alone.data * 255, grey.reshape(400, -1))
    both = load_files([*named, ("train-labels-idx1-ubyte", labels)])
    np.testing.assert_array_equal(both.target, faces.target)
    assert load_file(pictures, "pictures.idx").image_shape == (28, 28)


def test_idx_files_come_in_an_archive(faces: Dataset) -> None:
    members = {
        "emnist-letters-train-images-idx3-ubyte": idx(grown(faces, 28, 28)),
        "emnist-letters-train-labels-idx1-ubyte": idx(faces.target),
    }
    data = load_file(files.zipped(members), "emnist.zip")
    np.testing.assert_array_equal(data.target, faces.target)


def test_an_archive_of_a_known_kind_is_refused_by_it() -> None:
    members = {f"scan/IM{number}": bytes(128) + b"DICM" + bytes(9) for number in range(3)}
    with pytest.raises(DatasetError, match="is a DICOM picture, which is not read here"):
        load_file(files.zipped(members), "scan.zip")


def test_emnist_lies_column_by_column(faces: Dataset) -> None:
    grey = grown(faces, 28, 28)
    data = load_file(idx(grey.transpose(0, 2, 1)), "emnist-letters-train-images-idx3-ubyte")
    np.testing.assert_array_equal(data.data * 255, grey.reshape(400, -1))
    assert "EMNIST keeps its pictures column by column: they are turned" in data.recognised


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (idx(np.ones((4, 5, 5)))[:-1], "is damaged"),
        (idx(np.ones((4, 5, 5)))[:7], "is damaged"),
        (b"\0\0\x08\x03" + b"\xff" * 12, "over the limit"),
        (gzip.compress(idx(np.ones((4, 5, 5))), mtime=0)[:-12], "is damaged"),
        (b"hello world", "is not an IDX file"),
    ],
)
def test_broken_idx_files_get_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(DatasetError, match=sentence):
        load_file(content, "a.idx")


# HDF5


def hdf5(write: Callable[[h5py.File], object]) -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        write(file)
    return stream.getvalue()


@pytest.mark.parametrize("labels", [[b"aa", b"b"] * 30, ["aa", "b"] * 30])
@pytest.mark.parametrize("name", ["a.h5", "a.hdf5", "a.mat"])
def test_arrays_of_hdf5_and_labels_of_text(labels: list[object], name: str) -> None:
    def write(file: h5py.File) -> None:
        file["X"] = X
        file["y"] = labels

    assert load_file(hdf5(write), name).target_names == ("aa", "b")


def test_an_array_is_chosen_by_its_path() -> None:
    def write(file: h5py.File) -> None:
        file["run/raw"] = X
        file["run/filtered"] = 3 * X[:30]

    content = hdf5(write)
    question = read_file(content, "a.h5").open_questions["data"]
    assert [answer.value for answer in question.answers] == ["run/raw", "run/filtered"]
    assert load_file(content, "a.h5", data="run/filtered", samples="rows").n_samples == 30


def test_a_compression_that_is_not_at_hand_is_named() -> None:
    def write(file: h5py.File) -> None:
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_chunk((30, 5))
        layout.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))
        space = h5py.h5s.create_simple((60, 5))
        h5py.h5d.create(file.id, b"X", h5py.h5t.IEEE_F64LE, space, layout)

    with pytest.raises(DatasetError, match="zstd is not unpacked here, write it with gzip"):
        load_file(hdf5(write), "a.h5")


def anndata(form: str) -> bytes:
    """What AnnData writes, with words as plain arrays or (from 0.13) as values and a mask."""
    counts = scipy.sparse.random_array((60, 30), density=0.2, rng=np.random.default_rng(1))

    def words(group: h5py.Group, name: str, values: list[str]) -> None:
        if form == "masked":
            group[f"{name}/values"] = values
            group[f"{name}/mask"] = np.zeros(len(values), dtype=bool)
        else:
            group[name] = values

    def write(file: h5py.File) -> None:
        if form == "dense":
            file["X"] = counts.toarray()
        else:
            matrix = counts.tocsr() if form == "masked" else counts.tocsc()
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{matrix.format}_matrix"
            group.attrs["shape"] = matrix.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(matrix, part)
        obs, var = file.create_group("obs"), file.create_group("var")
        for table in (obs, var):
            table.attrs["_index"] = "_index"
        words(obs, "_index", [f"cell{number}" for number in range(60)])
        words(var, "_index", [f"gene{number}" for number in range(30)])
        obs["cell_type/codes"] = np.array([0, 1, -1] * 20, dtype="i1")
        words(obs["cell_type"], "categories", ["B", "T"])
        obs["n_counts"] = np.arange(60.0)
        file["obsm/X_pca"] = np.ones((60, 5))

    return hdf5(write)


@pytest.mark.parametrize("form", ["dense", "masked", "csc"])
def test_cells_are_samples_and_code_minus_1_is_no_class(form: str) -> None:
    reading = read_file(anndata(form), "a.h5ad")
    assert not reading.open_questions
    data = reading.dataset
    assert (data.n_samples, data.n_features) == (60, 30)
    assert data.target_names == ("B", "T")
    assert data.n_unlabelled == 20
    assert data.feature_names is not None
    assert data.feature_names[:2] == ("gene0", "gene1")
    assert reading.format == "AnnData file"


REFUSED_LAYOUTS: dict[str, tuple[tuple[str, ...], str]] = {
    "loom": (("matrix", "row_attrs/Gene", "col_attrs/CellID"), "is a loom file"),
    "10x": (
        ("matrix/barcodes", "matrix/data", "matrix/indices", "matrix/indptr"),
        "count matrix of 10x Genomics",
    ),
    "GCTX": (("0/DATA/0/matrix", "0/META/COL/id"), "is a GCTX file"),
    "MuData": (("mod/rna/X", "obs/_index"), "is a MuData file"),
}


@pytest.mark.parametrize("kind", REFUSED_LAYOUTS)
def test_layouts_of_others_are_refused_by_their_marks(kind: str) -> None:
    paths, sentence = REFUSED_LAYOUTS[kind]

    def write(file: h5py.File) -> None:
        for path in paths:
            file[path] = np.ones((4, 5))

    with pytest.raises(DatasetError, match=sentence) as caught:
        load_file(hdf5(write), "a.h5")
    assert "write" in str(caught.value)


def test_what_pandas_writes_in_hdf5_is_refused() -> None:
    def write(file: h5py.File) -> None:
        file["df/block0_values"] = X
        file["df"].attrs["pandas_type"] = "frame"

    with pytest.raises(DatasetError, match="was written by pandas in HDF5"):
        load_file(hdf5(write), "a.h5")


# What is not read


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How old files of Office begin, whichever program wrote them."""

MARKS = {
    "brain.nii": bytes(344) + b"n+1\0" + bytes(10),
    "brain.nii.gz": gzip.compress(b"x", mtime=0),
    "scan": bytes(128) + b"DICM" + bytes(10),
    "star": b"SIMPLE  =                    T",
    "map.mrc": bytes(208) + b"MAP ",
    "walk.c3d": b"\x02\x50",
    "walk": b"HIERARCHY\nROOT Hips\n",
    "a.spc": b"\0\x4b",
    "leaf.0": b"\n\n\xfe\xfe",
    "ir.dx": b"##TITLE=water\n",
    "blood": b"FCS3.1    ",
    "night": b"0       X X X X",
    "table.rds": b"X\n\0\0\0\x03",
    "model.pkl": b"\x80\x04K\x01.",
    "book.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "book.ods": files.zipped(
        {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<a/>"},
        zipfile.ZIP_STORED,
    ),
    "locked.xlsx": COMPOUND + "EncryptedPackage".encode("utf-16-le"),
    "slides.ppt": COMPOUND,
    "slides": COMPOUND + "PowerPoint Document".encode("utf-16-le"),
    "letter": COMPOUND + "WordDocument".encode("utf-16-le"),
    "mail.msg": COMPOUND,
    "lesson.pptx": b"PK\x03\x04",
    "lesson.key": b"PK\x03\x04",
    "marks.numbers": b"PK\x03\x04",
    "mnist.csv": b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
    "flowers.json": b'[{"a": 1}]\n',
    "lesson.ipynb": b'{"cells": []}\n',
    "night.vhdr": b"Brain Vision Data Exchange Header File Version 1.0\n",
    "night.gdf": b"GDF 2.20",
    "night-epo.fif": bytes(20),
    "night.cnt": b"Version 3.0",
    "S1.fdt": bytes(20),
    "a9a.txt": b"-1 3:1 11:1 14:1\n+1 5:1 7:0.5\n",
}


@pytest.mark.parametrize("name", MARKS)
def test_known_kinds_that_are_not_read_say_what_to_export(name: str) -> None:
    with pytest.raises(DatasetError, match="which is not read here: ") as caught:
        load_file(MARKS[name], name)
    message = str(caught.value)
    assert message.startswith((f"{name} is a ", f"{name} is an "))
    assert message.endswith(".")
    assert message.count(". ") == 0


@pytest.mark.parametrize("name", ["book.xls", "book.ods"])
def test_no_spreadsheet_is_called_what_it_is_not_or_offered(name: str) -> None:
    with pytest.raises(DatasetError, match=f"^{name} is no workbook that is read here, whatever"):
        load_file(bytes(200), name)
    assert load_file(b"a\tb\n1\t2\n3\t5\n4\t4\n", name).n_samples == 3
    with pytest.raises(
        DatasetError, match="is of a kind that is not read here: bring one"
    ) as caught:
        load_file(bytes(200), "a.unknown")
    assert Path(name).suffix not in str(caught.value).replace(",", "").split()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (COMPOUND + "PowerPoint Document".encode("utf-16-le"), "a presentation of PowerPoint"),
        (COMPOUND + "WordDocument".encode("utf-16-le"), "a document of Word"),
        (COMPOUND + "Workbook".encode("utf-16-le"), "an old or locked workbook of Excel"),
        (COMPOUND, "an old file of Microsoft Office"),
    ],
)
def test_old_files_of_office_are_called_by_the_program_that_wrote_them(
    content: bytes, words: str
) -> None:
    kind = unread_kind(content)
    assert kind is not None
    assert kind.words == words


@pytest.mark.parametrize("name", ["optdigits.tra", "zip.train", "digits.trn"])
def test_a_table_is_read_whatever_its_suffix(name: str) -> None:
    rows = "\n".join(",".join(f"{value:.3f}" for value in row) for row in X)
    data = load_file(f"{rows}\n".encode(), name, samples="rows", features="columns")
    assert data.data.shape == X.shape


@pytest.mark.parametrize(
    "content",
    [b"1,2\n3,4\n", b"12:30 5\n12:31 6\n", b"5 12:30\n6 12:31\n", files.npy(X), b"\0" * 9],
)
def test_other_contents_are_no_such_kind(content: bytes) -> None:
    assert unread_kind(content, "a.csv") is None


# What lies beside the samples


def mat_file(**variables: object) -> bytes:
    stream = io.BytesIO()
    savemat(stream, variables)
    return stream.getvalue()


def test_names_beside_a_matrix_may_be_those_of_samples_or_of_features() -> None:
    names = np.array([f"animal {number}" for number in range(60)], dtype=object)
    content = mat_file(data=X, names=names)
    assert read_file(content, "animals.mat").questions["samples"].is_open
    rows = load_file(content, "animals.mat", samples="rows", scale="stretch")
    assert rows.data.shape == (60, 9)
    columns = load_file(content, "animals.mat", samples="columns", scale="stretch")
    assert columns.feature_names is not None
    assert columns.feature_names[0] == "animal 0"


def test_names_of_features_tell_which_side_names_are_of() -> None:
    names = np.array([f"animal {number}" for number in range(60)], dtype=object)
    traits = np.array([f"trait {letter}" for letter in "abcdefghi"], dtype=object)
    data = load_file(mat_file(data=X, names=names, features=traits), "animals.mat", scale="stretch")
    assert data.data.shape == (60, 9)
    assert data.feature_names == tuple(traits)


@pytest.mark.parametrize("labels", [Y[:40], Y[:40].astype(str)])
def test_labels_of_one_part_leave_the_other_part_unlabelled(labels: np.ndarray) -> None:
    content = mat_file(x_train=X[:40], x_test=X[40:], y_train=labels.astype(object))
    if labels.dtype.kind == "i":
        content = mat_file(x_train=X[:40], x_test=X[40:], y_train=labels)
    reading = read_file(content, "parts.mat", Answers.of(scale="stretch"))
    assert reading.dataset.target is not None
    assert reading.dataset.target.tolist() == [0] * 20 + [1] * 20 + [-1] * 20
    assert "y_train has one label for each of its 40 samples; the other 20 have none." in " ".join(
        reading.sentences
    )


def test_a_few_whole_numbers_a_sample_are_offered_as_classes() -> None:
    design = np.column_stack([Y, np.tile([1, 2], 30)])
    question = read_file(mat_file(X=X, design=design), "design.mat").questions["classes_from"]
    assert question.is_open
    values = [answer.value for answer in question.answers]
    assert values == ["design, column 1", "design, column 2", "none"]
    data = load_file(
        mat_file(X=X, design=design),
        "design.mat",
        samples="rows",
        classes_from="design, column 2",
        scale="stretch",
    )
    assert data.n_classes == 2


def test_several_measured_numbers_a_sample_are_targets() -> None:
    reading = read_file(
        mat_file(data=X, label=X[:, :3] ** 2), "force.mat", Answers.of(scale="stretch")
    )
    assert reading.dataset.target is None
    assert "label holds 3 measured numbers for each sample: targets, no classes." in (
        reading.sentences
    )


def test_names_of_channels_speak_against_pictures_and_name_the_features() -> None:
    trials = np.cumsum(RNG.normal(size=(40, 12, 50)), axis=2)
    names = np.array([f"C{number}" for number in range(12)], dtype=object)
    times = np.arange(50) / 128 - 0.2
    content = mat_file(X=trials, y=np.tile([0, 1], 20), clab=names, times=times)
    reading = read_file(content, "eeg.mat")
    question = reading.questions["features"]
    assert (question.value, question.confidence) == ("columns", "sure")
    assert question.sentence == (
        "Each of the 12 × 50 numbers of a sample is a feature. clab has a name for each of 12 "
        "lines of a sample, times has its 50 points of time."
    )
    assert [answer.value for answer in question.answers] == ["columns", "pixels"]
    data = reading.dataset
    assert data.feature_names is not None
    assert data.feature_names[:2] == ("C0, -0.2", "C0, -0.19219")
    assert data.feature_names[-1] == "C11, 0.18281"


@pytest.mark.parametrize("beside", [{"srate": 250.0}, {}])
def test_a_sampling_rate_or_a_name_says_that_samples_are_recordings(
    beside: dict[str, float],
) -> None:
    trials = np.cumsum(RNG.normal(size=(40, 12, 50)), axis=2)
    name = "X" if beside else "eeg_epochs"
    content = mat_file(**{name: trials}, y=np.tile([0, 1], 20), **beside)
    question = read_file(content, "eeg.mat").questions["features"]
    assert (question.value, question.confidence) == ("columns", "sure")
    evidence = "srate is a sampling rate." if beside else "Their array is called eeg_epochs."
    assert evidence in question.sentence


def test_the_column_of_codes_of_an_array_of_events_is_offered() -> None:
    trials = np.cumsum(RNG.normal(size=(40, 12, 50)), axis=2)
    codes = np.arange(40) % 2 + 1
    events = np.column_stack([np.arange(40) * 200 + 50, np.zeros(40), codes]).astype(int)
    content = files.npz(X=trials, events=events, sfreq=np.array(250.0))
    reading = read_file(content, "epochs.npz")
    values = [answer.value for answer in reading.open_questions["classes_from"].answers]
    assert values == ["events, column 3", "none"]
    assert not reading.left_out
    data = load_file(content, "epochs.npz", classes_from="events, column 3")
    assert data.target is not None
    np.testing.assert_array_equal(data.target, codes - 1)


def fieldtrip(n_trials: int = 30) -> dict[str, object]:
    """Trials as FieldTrip keeps them: a cell each, with the names of the channels as ``label``."""
    waves = np.cumsum(RNG.normal(size=(n_trials, 8, 50)), axis=2)
    trials, times = (np.empty((1, n_trials), dtype=object) for _ in range(2))
    for place, wave in enumerate(waves):
        trials[0, place], times[0, place] = wave, np.arange(50)[None] / 100
    labels = np.array([f"C{k}" for k in range(8)], dtype=object)[:, None]
    codes = np.arange(n_trials)[:, None] % 2 + 1.0
    return {"trial": trials, "time": times, "label": labels, "trialinfo": codes, "fsample": 100.0}


def test_names_of_channels_called_label_are_no_labels_of_samples() -> None:
    reading = read_file(mat_file(data=fieldtrip()), "data.mat", Answers.of(
        classes_from="data.trialinfo"
    ))  # fmt: skip
    assert reading.questions["data"].value == "data.trial"
    assert reading.questions["samples"].sentence == (
        "Samples lie along the last side. data.label names what lies along the first side."
    )
    data = reading.dataset
    assert (data.n_samples, data.n_features, data.n_classes) == (30, 400, 2)
    assert data.feature_names is not None
    assert data.feature_names[51] == "C1, 0.01"
    assert not reading.left_out


def eeglab(**fields: object) -> dict[str, object]:
    """An epoched set of EEGLAB: 8 channels, 50 points, 30 trials."""
    channels = np.array(
        [(f"C{k}", float(k)) for k in range(8)], dtype=[("labels", "O"), ("X", "O")]
    )
    events = np.array(
        [(f"S {k % 2}", 50.0 * k, k + 1.0) for k in range(30)],
        dtype=[("type", "O"), ("latency", "O"), ("epoch", "O")],
    )
    waves = np.cumsum(RNG.normal(size=(8, 50, 30)), axis=1)
    return {
        "nbchan": 8.0, "pnts": 50.0, "trials": 30.0, "srate": 100.0, "data": waves,
        "times": np.arange(50)[None] * 10.0, "chanlocs": channels[None], "event": events[None],
        "setname": "S1", "subject": "", **fields,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["S1.mat", "S1.set"])
def test_a_set_of_eeglab_is_read_whatever_its_suffix(name: str) -> None:
    reading = read_file(mat_file(EEG=eeglab()), name)
    data = reading.dataset
    assert reading.questions["samples"].sentence == (
        "Samples lie along the last side. EEG.trials says that there are 30."
    )
    assert (data.n_samples, data.n_features) == (30, 400)
    assert data.target_names == ("S 0", "S 1")
    assert data.feature_names is not None
    assert data.feature_names[51] == "C1, 10"
    assert not reading.left_out


def test_a_set_of_eeglab_in_two_files_is_refused_with_the_way_on() -> None:
    content = mat_file(EEG=eeglab(data="S1.fdt"))
    with pytest.raises(DatasetError, match=r"numbers lie in another file, S1.fdt: save it as one"):
        read_file(content, "S1.set")
