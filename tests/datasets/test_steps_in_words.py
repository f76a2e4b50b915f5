"""The steps of every set are said in sentences, with the numbers by which values were made."""

from __future__ import annotations

import numpy as np
import pytest

from cspca.datasets import (
    Dataset,
    leave_out,
    load,
    load_file,
    make_motion,
    resized,
    standardised,
)
from cspca.datasets.remote import REMOTE
from cspca.datasets.steps_in_words import sentences_of_steps
from tests.datasets import files

pytestmark = pytest.mark.usefixtures("at_home")

PEOPLE = b"name,height,width,age\nann,1,20,7\nbob,,40,7\ncid,3,10,8\n"


def test_a_table_says_its_columns_what_was_filled_and_its_scale() -> None:
    dataset = load_file(PEOPLE, "people.csv", scale="columns", missing="mean", roles={"age": "out"})
    assert sentences_of_steps(dataset) == (
        "Samples are the rows of the table; its first row holds names.",
        "2 of 4 columns are features; the others are name, age.",
        "Missing values were filled with the mean of their feature: height 2, width 23.3333.",
        "Each feature was scaled by itself, from its least to its greatest value: height 1 – 3, "
        "width 10 – 40.",
    )


def test_an_array_of_pictures_says_the_order_of_its_pixels_and_what_was_done_afterwards() -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (20, 12 * 9)).astype(float)
    dataset = load_file(
        files.mat(fea=pictures), "faces.mat", features="pixels", shape=(12, 9), order="column",
        scale="255", samples="rows",
    )  # fmt: skip
    changed = leave_out(standardised(resized(dataset, (6, 3))), [0, 4])
    first, order, scale, *rest = sentences_of_steps(changed)
    assert first == "Samples are the rows of the array fea."
    assert order == "Pixels run down columns, and pictures of 12 × 9 were turned upright."
    assert scale == "Values were divided by 255."
    assert rest[0] == "Pictures were resized from 12 × 9 to 6 × 3."
    assert rest[1].startswith("Every pixel was standardised: its mean, 0.")
    assert rest[2] == "Some images were left out; these numbers remain: 2-4, 6-20."


def test_sets_of_the_program_say_what_made_them() -> None:
    assert sentences_of_steps(load("digits")) == ("Grey levels of 0 – 16 were divided by 16.",)
    assert sentences_of_steps(load("faces")) == (
        "Pictures were rendered with grey levels of 0 – 1.",
    )
    (sentence,) = sentences_of_steps(make_motion(n_frames=40))
    assert "lengths were divided by 1." in sentence
    assert sentences_of_steps(load("genes")) == (
        "Log-expressions were computed and divided by 16.",
    )
    assert "Spectra were computed" in sentences_of_steps(load("spectra"))[0]
    own = Dataset(np.eye(3))
    assert sentences_of_steps(own) == ("Values of 0 – 1 were taken as they came.",)
    for remote in REMOTE.values():
        assert remote.preparation.endswith(".")
