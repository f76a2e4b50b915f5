"""The catalogue itself: its files open with the libraries that write such files, its marks hold."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.io.arff
from PIL import Image
from sklearn.datasets import load_svmlight_file

from tests.datasets.kinds import Case, Kind, Mark, all_groups, all_kinds

KINDS = all_kinds()
MOST_BYTES = 300_000
PICTURES = ("png", "jpg", "bmp", "pgm", "tif", "avif", "webp")
NOT_FOR_PILLOW = {"TIFF of doubles", "two channels in a TIFF", "five channels in a TIFF"}
"""Kinds whose pictures are sound and yet refused by Pillow."""
MADE_BY_HAND = {
    "DICOM": (b"DICM", 128), "NIfTI": (b"n+1\0", 344), "FITS": (b"SIMPLE  =", 0),
    "MRC": (b"MAP ", 208), "C3D": (b"\x50", 1), "BVH": (b"HIERARCHY", 0),
    "Galactic SPC": (b"\x4b", 1), "Bruker OPUS": (b"\x0a\x0a\xfe\xfe", 0),
    "JCAMP-DX": (b"##TITLE=", 0), "FCS of a cytometer": (b"FCS3.", 0),
    "EDF of a recorder": (b"0       ", 0), "R's own files": (b"X\n", 0),
    "pictures of an iPhone and JPEG XL": (b"", 0),
}  # fmt: skip
"""Refused containers for which no library is here: their mark, and where it stands."""


def open_content(name: str, content: bytes, kind: Kind) -> int:
    """Open a file as its library does; how many arrays, rows or members it has."""
    suffix = name.lower().rsplit(".", 1)[-1]
    stream = io.BytesIO(content)
    if kind.name in MADE_BY_HAND and not name.endswith(".zip"):
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        signature, start = MADE_BY_HAND[kind.name]
        return int(plain.find(signature, start) in (start, start + 5))
    if content[:2] == b"\x1f\x8b":
        return open_content(name.removesuffix(".gz"), gzip.decompress(content), kind)
    if content.startswith(b"\x89HDF") or content[512:516] == b"\x89HDF":
        with h5py.File(stream) as file:
            return len(file)
    if suffix == "xlsx":
        with zipfile.ZipFile(stream) as book:
            sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
            return min(
                len(list(ElementTree.fromstring(book.read(sheet)).iter())) for sheet in sheets
            )
    if suffix == "npz":
        with np.load(stream) as arrays:
            return sum(arrays[array].size > 0 for array in arrays.files)
    if suffix == "npy":
        return int(np.load(stream).size)
    if suffix == "zip":
        with zipfile.ZipFile(stream) as archive:
            assert archive.testzip() is None
            return sum(
                open_content(member.filename, archive.read(member), kind) > 0
                for member in archive.infolist()
                if "/._" not in member.filename
            )
    if suffix == "mat" and not content.startswith(b"# Created by Octave"):
        is_opaque = kind.name == "a .mat with a MATLAB table beside X"
        anything: Any = stream
        names = ["X", "Y"] if is_opaque else None
        variables = scipy.io.loadmat(anything, variable_names=names)
        return sum(not variable.startswith("__") for variable in variables)
    if suffix in PICTURES and kind.name not in NOT_FOR_PILLOW:
        with Image.open(stream) as image:
            return int(np.asarray(image).size)
    if suffix == "parquet":
        return len(pd.read_parquet(stream))
    if suffix == "feather":
        return len(pd.read_feather(stream))
    if kind.name == "svmlight":
        return len(load_svmlight_file(stream)[0].toarray())
    if kind.name == "dense ARFF with a nominal class":
        return len(scipy.io.arff.loadarff(io.StringIO(content.decode()))[0])
    return len(content)


def test_the_catalogue_is_as_large_as_it_is_meant_to_be() -> None:
    assert len(KINDS) >= 100
    assert sum(kind.from_field for kind in KINDS) >= 30
    assert sum(kind.plain for kind in KINDS) >= 25
    assert all(kind.n_variants >= 2 for kind in KINDS)


@pytest.mark.parametrize("kinds", all_groups().values(), ids=all_groups())
def test_every_variant_opens_with_its_mark_and_is_another_file_each_time_the_same(
    kinds: list[Kind],
) -> None:
    for kind in kinds:
        cases = kind.cases()
        assert kind.plain or kind.never, kind.name
        for case in cases:
            assert 0 < len(case.content) <= MOST_BYTES, kind.name
            assert open_content(case.name, case.content, kind) > 0, kind.name
            check_mark(case, kind.plain)
            if kind.plain and case.name.endswith((".csv", ".tsv")):
                check_numbers(case)
        assert len({case.content for case in cases}) == len(cases), kind.name
        assert kind.make(0).content == cases[0].content, kind.name


def check_mark(case: Case, plain: bool) -> None:
    mark: Mark = case.mark
    if plain:
        assert not mark.may_ask
        assert not mark.must_ask
        assert not mark.refused
    says_something = mark.values is not None or mark.n_samples or mark.must_ask or mark.refused
    assert says_something
    if mark.values is not None:
        assert np.isfinite(mark.values).any()
        assert np.nanmax(mark.values) > np.nanmin(mark.values)
    if mark.labels is not None:
        assert len(mark.labels) == mark.n_samples
        assert len(mark.class_counts) > 1
    if mark.image_shape is not None:
        assert mark.image_shape[0] * mark.image_shape[1] == mark.n_features
        assert mark.features == "pixels"


def check_numbers(case: Case) -> None:
    text = case.content.decode("latin-1").replace(",", ".")
    values = np.asarray(case.mark.values)
    for value in (values[0, 0], values[-1, -1], values[len(values) // 2, 0]):
        assert f"{value:g}"[:6] in text, case.name
