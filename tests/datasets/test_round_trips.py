"""What the Data page exports is read back as the set that it was."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Dataset, DatasetError, leave_out, load, make_motion, read_file
from cspca.datasets.files.question import Answers
from cspca.datasets.files.reading import Reading
from cspca.experiments import read_scores
from cspca.experiments.exports import (
    dataset_arrays,
    dataset_table,
    dataset_workbook,
    feature_table,
    npz_bytes,
    to_csv,
)
from cspca.labels import DOUBTFUL_WORDS
from tests.datasets.kinds import Kind, all_groups

pytestmark = pytest.mark.usefixtures("at_home")

MOST_VALUES = 300_000


def proposed_set(kind: Kind) -> Dataset | None:
    """The set of a kind, by the answers that its mark gives, else by the proposed ones."""
    case = kind.make(0)
    try:
        answers = Answers.of(**case.mark.answers)
        return read_file(case.content, case.name, answers).proposed
    except DatasetError:
        return None


def sets_of(kinds: list[Kind]) -> list[Dataset]:
    """The sets of kinds whose files give one that is not large."""
    sets = map(proposed_set, kinds)
    return [one for one in sets if one is not None and one.data.size <= MOST_VALUES]


def arrays_of(dataset: Dataset) -> Reading:
    return read_file(npz_bytes(dataset_arrays(dataset)), "data.npz")


def table_of(dataset: Dataset) -> Reading:
    return read_file(to_csv(dataset_table(dataset)).encode(), "data.csv")


def same(again: Dataset, dataset: Dataset) -> None:
    assert again.image_shape == dataset.image_shape
    assert again.feature_names == dataset.feature_names
    assert (again.axis is None) == (dataset.axis is None)
    if again.axis is not None and dataset.axis is not None:
        # Names have ten digits of it.
        np.testing.assert_allclose(again.axis.values, dataset.axis.values, rtol=1e-9)
        assert again.axis.unit == dataset.axis.unit
    np.testing.assert_array_equal(again.data, dataset.data)
    labels: list[Any] = [None if data.labels is None else data.labels.tolist()
                         for data in (again, dataset)]  # fmt: skip
    assert labels[0] == labels[1]


@pytest.mark.parametrize("kinds", all_groups().values(), ids=all_groups())
def test_arrays_and_tables_of_every_second_kind_come_back(kinds: list[Kind]) -> None:
    sets = sets_of(kinds[::2])
    assert sets
    for dataset in sets:
        reading = arrays_of(dataset)
        assert not reading.open_questions
        same(reading.dataset, dataset)
        table_comes_back(dataset)


def table_comes_back(dataset: Dataset) -> None:
    """A table gives its set again where it leaves nothing open."""
    reading = table_of(dataset)
    if reading.open_questions:
        names = {question.name for question in reading.open_questions.values()}
        allowed = {"header", "samples", "roles", "features", "scale"}
        if any(name.lower() in DOUBTFUL_WORDS for name in dataset.target_names or ()):
            allowed.add("classes_from")  # a table cannot say that none is a class
        assert names <= allowed
        return
    again = reading.dataset
    assert again.image_shape == dataset.image_shape
    assert again.feature_names == dataset.feature_names
    np.testing.assert_allclose(again.data, dataset.data, atol=1e-9)


@pytest.mark.parametrize("name", ["digits", "faces", "motion", "spectra", "genes"])
def test_built_in_sets_come_back(name: str) -> None:
    dataset = make_motion(n_frames=60) if name == "motion" else load(name)
    few = leave_out(dataset, range(100, dataset.n_samples)) if name != "motion" else dataset
    same(arrays_of(few).dataset, few)


def test_names_of_samples_come_back_in_every_file() -> None:
    names = tuple(f"S{number:03d}" for number in range(3, 23))
    values = np.random.default_rng(0).random((20, 4))
    dataset = Dataset(
        values, np.arange(20) % 2, target_names=("no", "yes"), sample_names=names,
        feature_names=("iron", "zinc", "sample", "lead"), sample_numbers=range(3, 23),
    )  # fmt: skip
    for content, file in (
        (npz_bytes(dataset_arrays(dataset)), "data.npz"),
        (dataset_workbook(dataset), "data.xlsx"),
    ):
        again = read_file(content, file).dataset
        assert (again.sample_names, again.feature_names) == (names, dataset.feature_names), file
        np.testing.assert_allclose(again.data, values, rtol=1e-12)
    table = dataset_table(replace(dataset, feature_names=("iron", "zinc", "tin", "lead")))
    assert read_file(to_csv(table).encode(), "data.csv").dataset.sample_names == names


def test_a_long_name_is_read_whole() -> None:
    names = [f"{'the amount of what was found in the soil ' * 3}{number}" for number in range(6)]
    table = pd.DataFrame(np.random.default_rng(0).random((30, 6)), columns=names)
    assert read_file(to_csv(table).encode(), "soil.csv").dataset.feature_names == tuple(names)


def test_classes_of_one_name_are_told_apart_by_their_numbers() -> None:
    arrays = {"X": np.random.default_rng(0).random((12, 5)), "y": np.array([0, 1, 2] * 4)}
    dataset = read_file(npz_bytes({**arrays, "target_names": ["a", "a ", "c"]}), "data.npz").dataset
    assert dataset.target_names == ("a (0)", "a (1)", "c (2)")
    assert dataset.target is not None
    assert dataset.target.tolist() == [0, 1, 2] * 4


def test_names_that_a_spreadsheet_would_run_come_back_as_they_were() -> None:
    names = ["-acid", "+charge", "=sum", "@mean", "'-ash", "''+x", "'quoted", "plain"]
    classes = ["-low", "+high", "=equal"]
    values = np.random.default_rng(0).random((30, len(names)))
    dataset = Dataset(
        values, target=np.arange(30) % 3, feature_names=tuple(names), target_names=tuple(classes)
    )
    again = read_file(
        to_csv(dataset_table(dataset)).encode(), "data.csv", Answers.of(scale="unit")
    ).dataset
    assert again.feature_names == tuple(names)
    assert again.labels is not None
    assert dataset.labels is not None
    assert again.labels.tolist() == dataset.labels.tolist()
    scores = np.arange(8.0)
    ranking = feature_table(dataset, np.argsort(np.argsort(-scores)), {"score": scores})
    by_name = to_csv(ranking[["name", "score"]]).encode()
    assert read_scores(by_name, dataset, "ranking.csv") == scores.tolist()


@pytest.mark.parametrize("text", ["{", "[1]", '{"samples": "sideways"}', '{"shape": 7}'])
def test_declared_answers_that_do_not_fit_are_passed_over(text: str) -> None:
    values = np.random.default_rng(0).random((20, 6))
    content = npz_bytes({"X": values, "cspca_answers": np.array(text)})
    assert read_file(content, "x.npz").questions.keys() == (
        read_file(npz_bytes({"X": values}), "x.npz").questions.keys()
    )
