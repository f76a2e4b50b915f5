"""What is a class, what is no label, and what is neither: one rule, whatever the type."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from cspca.labels import (
    MISSING_WORDS,
    UNLABELLED,
    class_numbers,
    cluster_numbers,
    compact,
    nearly_one_each,
    parse_labels,
)

TEXT = ["b", "a", "b", "a"]

CLASSES = {
    "list of text": TEXT,
    "array of text": np.array(TEXT),
    "bytes": np.array(TEXT, dtype="S"),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "category": pd.Series(TEXT, dtype="category"),
    "numeric strings": ["2.5", "0.5", "2.5", "0.5"],
    "booleans": [True, False, True, False],
    "objects that are booleans": np.array([True, False, True, False], dtype=object),
    "whole numbers": [7, -3, 7, -3],
    "whole as floats": [2.0, 1.0, 2.0, 1.0],
    "nullable integers": pd.array([2, 1, 2, 1], dtype="Int64"),
    "whole decimals": [Decimal("2.0"), Decimal(1), Decimal(2), Decimal(1)],
    "far too large": [10**30 + 1, 10**30, 10**30 + 1, 10**30],
    "dates": pd.to_datetime(["2024-02-01", "2024-01-01", "2024-02-01", "2024-01-01"]),
    "masked, of which nothing is": np.ma.array([2, 1, 2, 1], mask=False),
}


@pytest.mark.parametrize("labels", CLASSES.values(), ids=CLASSES)
def test_classes_of_every_type_are_numbered_in_their_order(labels):
    assert class_numbers(labels).tolist() == [1, 0, 1, 0]


MISSING = {
    "None in a list": ["b", None, "b", "a"],
    "empty": ["b", "", "b", "a"],
    "pd.NA": ["b", pd.NA, "b", "a"],
    "pd.NaT": ["b", pd.NaT, "b", "a"],
    "text of NumPy": np.array(["b", np.nan, "b", "a"]),
    "pandas string": pd.Series(["b", None, "b", "a"], dtype="string"),
    "category": pd.Series(["b", None, "b", "a"], dtype="category"),
    "category of an empty text": pd.Categorical(["b", "", "b", "a"]),
    "floats": [2.0, np.nan, 2.0, 1.0],
    "nullable integers": pd.array([2, None, 2, 1], dtype="Int64"),
    "nullable booleans": pd.array([True, None, True, False], dtype="boolean"),
    "numbers and None": [2, None, 2, 1],
    "dates of NumPy": np.array(["2024-02", "NaT", "2024-02", "2024-01"], dtype="datetime64[M]"),
    "masked numbers": np.ma.array([2, 9, 2, 1], mask=[0, 1, 0, 0]),
    "masked text": np.ma.array(["b", "c", "b", "a"], mask=[0, 1, 0, 0]),
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_what_is_missing_is_no_class_in_any_type(labels):
    parsed = parse_labels(labels)
    assert parsed.numbers.tolist() == [1, UNLABELLED, 1, 0]
    assert (parsed.n_labelled, parsed.n_unlabelled, len(parsed.classes)) == (3, 1, 2)
    for number in (class_numbers, cluster_numbers):
        with pytest.raises(ValueError, match=r"^groups has missing labels, 1 of 4: leave"):
            number(labels, "groups")


@pytest.mark.parametrize("labels", [[0.5, 1.5, 0.5], [1.0, np.inf, 2.0], [Decimal("0.5"), 1, 2]])
def test_numbers_that_are_not_whole_are_a_target(labels):
    assert parse_labels(labels).measured
    with pytest.raises(ValueError, match=r"^y holds numbers that are not whole, such as .* target"):
        class_numbers(labels)


@pytest.mark.parametrize(
    ("n_different", "each", "unsure"),
    [(50, 1, False), (51, 1, True), (51, 2, True), (51, 3, False), (400, 2, True), (400, 3, False)],
)
def test_many_whole_numbers_that_few_share_may_be_a_target(n_different, each, unsure):
    labels = np.repeat(np.arange(n_different), each)
    assert parse_labels(labels).unsure is unsure
    assert parse_labels(labels.astype(float)).unsure is unsure
    assert parse_labels(labels.astype(object)).unsure is unsure
    # Text is classes, and clusters are clusters, however many.
    assert not parse_labels(labels.astype(str)).unsure
    assert cluster_numbers(labels).max() == n_different - 1
    if unsure:
        with pytest.raises(ValueError, match=rf"^y holds {n_different} different whole numbers"):
            class_numbers(labels)
    assert class_numbers(labels.astype(str)).max() == n_different - 1


def test_gaps_do_not_count_as_samples_that_share_a_number():
    labels = np.r_[np.repeat(np.arange(51.0), 2), np.full(60, np.nan)]
    assert parse_labels(labels).unsure


def test_diabetes_is_asked_and_people_are_not():
    diabetes = pytest.importorskip("sklearn.datasets").load_diabetes().target
    assert parse_labels(diabetes).unsure
    people = np.repeat(np.arange(1, 41), 10)
    for size in (400, 80, 40):
        some = people[np.linspace(0, 399, size).astype(int)]
        assert class_numbers(some).max() == 39


def test_numbers_among_text_are_not_merged():
    with pytest.raises(ValueError, match="y mixes numbers with text"):
        class_numbers([1, "1", 2])


@pytest.mark.parametrize("labels", [[], [[0, 1]], 3, pd.DataFrame({"a": [0, 1]})])
def test_what_is_no_list_is_refused(labels):
    with pytest.raises(ValueError, match="y must be a non-empty list of labels"):
        class_numbers(labels)


def test_words_of_a_file_say_that_a_label_is_missing():
    labels = ["a", "NA", "?", "b", "n/a", "nab"]
    parsed = parse_labels(labels, missing_words=MISSING_WORDS)
    assert parsed.numbers.tolist() == [0, -1, -1, 1, -1, 2]
    assert parsed.words == ("?", "NA", "n/a")
    assert parse_labels(labels).n_unlabelled == 0


def test_classes_are_numbered_without_gaps():
    assert compact(np.array([4, -1, 2, 4])).tolist() == [1, -1, 0, 1]
    assert compact(np.array([4, 2, 2])).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("n_samples", "n_classes", "nearly"),
    [
        (60, 58, True),
        (40, 40, True),
        (60, 40, False),
        (400, 40, False),
        (3, 2, False),
        (5, 1, False),
    ],
)
def test_nearly_one_sample_a_class(n_samples, n_classes, nearly):
    assert nearly_one_each(n_samples, n_classes) is nearly
