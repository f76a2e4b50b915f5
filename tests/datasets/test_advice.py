"""What a refusal says to export instead, followed to the letter: the file that it makes is read."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from cspca.datasets import DatasetError, load_file
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

VALUES = np.random.default_rng(0).normal(10, 2, (30, 6)).round(3)
LABELS = np.repeat(["oak", "elm", "ash"], 10)


def test_svmlight_as_arrays() -> None:
    stream = io.BytesIO()
    dump_svmlight_file(VALUES, np.arange(30) % 2, stream)
    with pytest.raises(DatasetError, match=r"load_svmlight_file"):
        load_file(stream.getvalue(), "a.svm")
    stream.seek(0)
    X, y = load_svmlight_file(stream)
    data = load_file(files.npz(X=X.toarray(), y=y), "a.npz")
    assert (data.n_samples, data.n_features, data.n_classes) == (30, 6, 2)


def test_a_structured_array_as_a_table() -> None:
    array = np.array(
        [(*row[:2], label) for row, label in zip(VALUES.tolist(), LABELS.tolist(), strict=True)],
        dtype=[("height", "f8"), ("girth", "f8"), ("species", "U3")],
    )
    with pytest.raises(DatasetError, match=r"pandas\.DataFrame\(array\)\.to_csv"):
        load_file(files.npy(array), "a.npy")
    data = load_file(pd.DataFrame(array).to_csv(index=False).encode(), "a.csv")
    assert data.feature_names == ("height", "girth")
    assert data.target_names == ("ash", "elm", "oak")


def test_json_lines_as_a_table() -> None:
    frame = pd.DataFrame(VALUES, columns=[*"abcdef"]).assign(species=LABELS)
    text = frame.to_json(orient="records", lines=True)
    with pytest.raises(DatasetError, match=r"lines=True"):
        load_file(text.encode(), "a.jsonl")
    read = pd.read_json(io.StringIO(text), lines=True)
    data = load_file(read.to_csv(index=False).encode(), "a.csv")
    assert (data.n_features, data.n_classes) == (6, 3)


def test_a_table_of_stata_as_csv() -> None:
    frame = pd.DataFrame(VALUES, columns=[*"abcdef"]).assign(species=LABELS)
    stream = io.BytesIO()
    frame.to_stata(stream, write_index=False)
    with pytest.raises(DatasetError, match="read_stata"):
        load_file(stream.getvalue(), "a.dta")
    stream = io.BytesIO(stream.getvalue())
    read = pd.read_stata(stream, convert_categoricals=False)
    data = load_file(read.to_csv(index=False).encode(), "a.csv")
    assert (data.n_features, data.n_classes) == (6, 3)


def test_rows_that_r_names_keep_their_names() -> None:
    frame = pd.DataFrame(VALUES, columns=[f"S{k}" for k in range(6)])
    frame.index = pd.Index([f"TP{k + 50}" for k in range(30)])
    data = load_file(frame.to_csv(quoting=2).encode(), "a.csv", samples="columns")
    assert data.feature_names is not None
    assert data.feature_names[0] == "TP50"
