"""Numbers of samples that stay their own, and how they are written."""

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError, leave_out, load, resized, standardised, thinned
from cspca.datasets.numbering import numbers_as_text, numbers_from_text, samples_in_text

TWELVE = Dataset(data=np.random.default_rng(0).random((12, 3)), name="few")


def test_numbers_are_written_as_ranges_and_read_back() -> None:
    rng = np.random.default_rng(3)
    assert numbers_as_text([1, 2, 4, 6, 7, 8]) == "1-2, 4, 6-8"
    assert numbers_as_text([]) == ""
    for data in (TWELVE, leave_out(TWELVE, [0, 4, 5])):
        for _ in range(30):
            mask = rng.random(data.n_samples) < 0.5
            text = numbers_as_text(data.numbers[mask])
            np.testing.assert_array_equal(samples_in_text(text, data.numbers, data.nouns), mask)
            assert numbers_from_text(text) == data.numbers[mask].tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0", "There is no sample 0: samples run from 1 to 12"),
        ("2, 1-9999999", "There is no sample 9,999,999"),
        ("8-3", "“8-3” runs backwards"),
        ("three", "'three' is no number"),
    ],
)
def test_a_number_that_is_none_is_named(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        samples_in_text(text, TWELVE.numbers, TWELVE.nouns)


def test_a_sample_keeps_its_number_whatever_is_left_out() -> None:
    digits = load("digits")
    assert digits.sample_name(37) == "image 38"
    rest = leave_out(leave_out(digits, [36]), [0, 1])
    assert rest.sample_name(34) == "image 38"
    assert np.array_equal(rest.data[34], digits.data[37])
    for changed in (standardised(rest), resized(rest, (4, 4))):
        assert changed.sample_name(34) == "image 38"
    few = thinned(rest, 100)
    for index in range(few.n_samples):
        assert np.array_equal(few.data[index], digits.data[few.sample_number(index) - 1])


def test_what_is_left_out_already_is_no_number_to_write() -> None:
    rest = leave_out(TWELVE, [2, 3])
    marked = samples_in_text("2-5", rest.numbers, rest.nouns)
    assert marked.tolist() == [index in (1, 2) for index in range(10)]
    with pytest.raises(ValueError, match="Sample 3 is left out already: write another number"):
        samples_in_text("3", rest.numbers, rest.nouns)
    with pytest.raises(ValueError, match="Samples 3-4 are left out already: write other numbers"):
        samples_in_text("3-4", rest.numbers, rest.nouns)


def test_classes_keep_what_they_were_called_when_one_is_gone() -> None:
    three = Dataset(TWELVE.data, np.repeat([0, 1, 2], 4))
    rest = leave_out(three, range(4))
    assert rest.target is not None
    assert rest.target.tolist() == [0] * 4 + [1] * 4
    assert rest.class_name(0) == three.class_name(1) == "class 2"
    assert leave_out(three, [0]).target_names is None


@pytest.mark.parametrize("numbers", [(1,), (2, 1, *range(3, 13)), (0, *range(2, 13))])
def test_numbers_that_do_not_rise_are_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(DatasetError, match="must be 12 whole numbers from 1 that rise"):
        Dataset(TWELVE.data, sample_numbers=numbers)
