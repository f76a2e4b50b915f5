"""Data sets as files: what is written is read back as it was."""

from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset, load, load_file, make_faces
from cspca.experiments.exports import (
    dataset_arrays,
    dataset_table,
    may_be_shown,
    npz_bytes,
    to_csv,
)
from tests.datasets.here import read_here

pytestmark = pytest.mark.usefixtures("at_home")

FACES = make_faces(n_people=3, n_per_person=4, image_size=8, random_state=1)
NAMED = read_here(b"a,=b,c\n1,2,3\n4,5,9\n0,1,2\n", "a.csv").dataset


def dataset_csv(dataset: Dataset) -> str:
    return to_csv(dataset_table(dataset))


def test_an_npz_is_read_back_as_it_was() -> None:
    again = load_file(npz_bytes(dataset_arrays(FACES)), "faces.npz")
    assert np.array_equal(again.data, FACES.data)
    assert np.array_equal(again.target, FACES.target)
    assert again.image_shape == FACES.image_shape


def test_a_csv_is_read_back_as_it_was() -> None:
    again = load_file(dataset_csv(FACES).encode(), "faces.csv")
    assert np.allclose(again.data, FACES.data, rtol=0, atol=1e-15)
    assert np.array_equal(again.target, FACES.target)
    assert again.target_names == FACES.target_names


def test_columns_have_names() -> None:
    header = dataset_csv(FACES).splitlines()[0].split(",")
    assert header[0] == "r1c1"
    assert header[-2:] == ["r8c8", "class"]


def test_a_name_is_never_a_formula() -> None:
    dataset = replace(FACES, target_names=("=1+1", "@b", "c"))
    lines = dataset_csv(dataset).splitlines()
    assert lines[1].endswith(",'=1+1")
    assert "'=b" in dataset_csv(NAMED).splitlines()[0]


def test_columns_may_share_a_name() -> None:
    dataset = replace(FACES, feature_names=("=a", "class") * 32)
    assert dataset_csv(dataset).splitlines()[0] == ",".join(["'=a", "class"] * 32 + ["class"])


def test_only_what_is_surely_free_may_be_shown() -> None:
    assert may_be_shown(load("digits").licence)
    assert may_be_shown(FACES.licence)
    for licence in ("", "for research purposes", "as the file's owner says", "not CC BY"):
        assert not may_be_shown(licence)
