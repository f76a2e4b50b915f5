"""Tables as programs of the fields write them: what is asked, and what comes out of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Dataset
from cspca.datasets.files.reading import Reading
from tests.datasets import files
from tests.datasets.here import read_here


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def read(content: bytes, name: str = "a.csv", **answers: Any) -> Reading:
    return read_here(content, name, **answers)


def data_of(content: bytes, name: str = "a.csv", **answers: Any) -> Dataset:
    return read(content, name, **answers).dataset


def csv_of(frame: pd.DataFrame, **options: Any) -> bytes:
    content: str = frame.to_csv(index=False, **options)
    return content.encode()


# Missing answers and padding


def questionnaire(codes: list[int], share: float = 0.03) -> tuple[pd.DataFrame, np.ndarray]:
    answers = rng().integers(1, 6, (100, 10))
    is_code = rng(1).random(answers.shape) < share
    stored = np.where(is_code, rng(2).choice(codes, answers.shape), answers)
    frame = pd.DataFrame(stored, columns=[f"item {letter}" for letter in "abcdefghij"])
    frame.insert(0, "age", rng(3).integers(18, 80, 100))
    return frame, is_code


@pytest.mark.parametrize("codes", [[-9], [9], [98, 99], [-1]])
def test_codes_outside_the_scale_of_all_other_answers_are_asked_about(codes: list[int]) -> None:
    frame, is_code = questionnaire(codes)
    reading = read(csv_of(frame))
    assert "missing" in reading.open_questions
    question = reading.questions["missing"]
    assert f"{is_code.sum()} times" in question.text
    assert all(f"{code}".replace("-", "−") in question.text for code in codes)
    data = data_of(csv_of(frame), missing="rows", scale="stretch")
    assert data.n_samples == int((~is_code.any(axis=1)).sum())


def test_answers_that_many_give_are_no_codes() -> None:
    frame, _ = questionnaire([9], share=0.4)
    assert "missing" not in read(csv_of(frame)).questions
    frame, _ = questionnaire([6])
    assert "missing" not in read(csv_of(frame)).questions


@pytest.mark.parametrize("padding", [-3024, 4000])
def test_padding_at_the_same_pixels_is_asked_about(padding: int) -> None:
    scans = rng().integers(-1000, 500, (24, 12, 12)).astype(np.int16)
    corners = np.hypot(*np.mgrid[-6:6, -6:6]) > 6
    scans[:, corners] = padding
    answers = {"features": "pixels", "samples": "rows", "order": "row"}
    content = files.npy(scans)
    open_questions = read(content, "ct.npy").questions
    answers = {name: value for name, value in answers.items() if name in open_questions}
    question = read(content, "ct.npy", **answers).questions["missing"]
    assert question.is_open
    assert f"{corners.sum()} pixels" in question.text
    data = data_of(content, "ct.npy", **answers, missing="mean", scale="stretch")
    assert data.data[:, ~corners.ravel()].min() == 0
    assert 0.4 < data.data[:, corners.ravel()].mean() < 0.6
    scans[3, corners] = 100
    assert "missing" not in read(files.npy(scans), "ct.npy", **answers).questions
