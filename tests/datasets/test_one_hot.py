"""One body for columns of a class: in tables, in arrays, and in tables beside pictures."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import DatasetError
from cspca.datasets.files.one_hot import NO_COLUMN, marked_columns
from tests.datasets import files
from tests.datasets.here import read_here

RNG = np.random.default_rng(0)
KINDS = RNG.permutation(np.arange(60) % 3)


@pytest.mark.parametrize("low", [0, -1])
def test_the_column_of_each_row(low: int) -> None:
    columns = np.where(np.eye(3)[KINDS] > 0, 1.0, low)
    np.testing.assert_array_equal(marked_columns(columns), KINDS)
    columns[4, 1] = np.nan
    marked = marked_columns(columns)
    assert marked is not None
    assert marked[4] == NO_COLUMN
    np.testing.assert_array_equal(np.delete(marked, 4), np.delete(KINDS, 4))


def test_other_columns_are_of_no_class() -> None:
    columns = np.eye(3)[KINDS]
    for row in ([1, 1, 0], [0, 2, 1], [0, -1, 1]):
        assert marked_columns(np.vstack([columns, row])) is None
    without = np.vstack([columns, np.zeros(3)])
    assert marked_columns(without) is None
    marked = marked_columns(without, may_lack=True)
    assert marked is not None
    assert marked[-1] == NO_COLUMN
    assert marked_columns(np.full((4, 3), np.nan)) is None


def table(**columns: Any) -> bytes:
    frame = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["flow", "heat", "mass"]).assign(
        **columns
    )
    content: str = frame.to_csv(index=False)
    return content.encode()


def test_columns_that_a_person_names_must_mark_one_class_a_row() -> None:
    hot = np.eye(3, dtype=int)[KINDS]
    roles = {"oak": "class", "elm": "class"}
    both = read_here(table(oak=hot[:, 0], elm=hot[:, 1]), "a.csv", roles=roles, scale="stretch")
    assert both.dataset.target_names == ("elm", "oak")
    assert both.dataset.target is not None
    assert (both.dataset.target == -1).sum() == 20
    with pytest.raises(DatasetError, match="of which one at most is 1 in each row"):
        read_here(table(oak=hot[:, 0], elm=1 - hot[:, 1]), "a.csv", roles=roles)


def test_a_missing_row_of_an_array_has_no_label() -> None:
    hot = np.eye(3)[KINDS]
    hot[5] = np.nan
    names = [f"gene {letter}" for letter in "abcdef"]
    content = files.npz(X=RNG.normal(size=(60, 6)), y=hot, feature_names=np.array(names))
    target = read_here(content, "a.npz", scale="stretch").dataset.target
    assert target is not None
    assert target[5] == -1
    np.testing.assert_array_equal(np.delete(target, 5), np.delete(KINDS, 5))
