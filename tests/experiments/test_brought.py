"""Rankings that are brought to a comparison as CSV."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Dataset, DatasetError
from cspca.experiments.brought import read_brought, read_scores
from cspca.experiments.exports import feature_table, to_csv

SCORES = np.round(np.random.default_rng(0).random(9), 3)
SCORES[4] = 0.0
X = np.random.default_rng(1).random((6, 9))
X[:, 4] = 0.5
DATA = Dataset(X, image_shape=(3, 3), name="nine")
TURNED = np.random.default_rng(2).permutation(9)

FORMS = {
    "a column": "\n".join(map(str, SCORES)),
    "a header": "\ufeffscore\r\n" + "\r\n".join(map(str, SCORES)),
    "indices": "\n".join(f"{j},{SCORES[j]}" for j in TURNED),
    "indices from 1": "index;score\n" + "\n".join(f"{j + 1};{SCORES[j]}" for j in TURNED),
    "decimal commas": "\n".join(f"{j};{str(SCORES[j]).replace('.', ',')}" for j in TURNED),
    "our own export": to_csv(
        feature_table(DATA, TURNED + 1, {"feature_score": SCORES**2, "selection_score": SCORES})
    ),
}


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("form", FORMS)
def test_scores_are_read_in_the_order_of_the_pixels(form: str) -> None:
    assert read_scores(FORMS[form].encode(), DATA, "mine.csv") == SCORES.tolist()
    assert read_brought([("a/mine.csv", FORMS[form].encode())], DATA) == {"mine": SCORES.tolist()}


def test_nothing_of_it_is_parsed_in_this_process(monkeypatch) -> None:
    monkeypatch.setattr(pd, "read_csv", None)
    content = FORMS["indices"].encode()
    assert read_scores(content, DATA, "mine.csv") == SCORES.tolist()


def _with(at: int, value: object) -> str:
    return "\n".join(str(value if j == at else one) for j, one in enumerate(SCORES))


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (_with(2, "nan"), "the score of pixel 2, counted from 0, is nan: give every pixel a"),
        (_with(2, "1e999"), "the score of pixel 2, counted from 0, is inf"),
        (_with(4, 0.9), "pixel 4, counted from 0, is the same in every image, and its"),
        ("1\n" * 9, "all scores are the same, so that they order no pixels"),
        (FORMS["a column"] + "\n0.5", "has 10 scores for 9 pixels: write one row a pixel"),
        ("\n".join(f"{j},1,{j}" for j in range(9)), "has 3 columns of numbers: put one score"),
        ("\n".join(f"{2 * j},{j}" for j in range(9)), "every whole number from 0 to 8, each once"),
        ("\n".join("abcdefghi"), "has no column of numbers"),
        ("", "holds no rows"),
        ("\0" * 90, "is not a table of text"),
        ("Dataset,0.1\nnine,0.5", "has 2 scores for 9 pixels: write one row a pixel"),
    ],
)  # fmt: skip
def test_what_is_no_ranking_of_these_pixels_is_refused_in_one_sentence(
    content: str, words: str
) -> None:
    with pytest.raises(DatasetError, match=words) as caught:
        read_brought([("mine.csv", content.encode())], DATA)
    assert str(caught.value).startswith("mine.csv")
    assert "\n" not in str(caught.value)


def test_a_path_and_an_open_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(FORMS["a header"], "utf-8")
    assert read_scores(path, DATA) == read_scores(io.BytesIO(path.read_bytes()), DATA, "x.csv")
    with pytest.raises(DatasetError, match=r"nothing\.csv cannot be opened"):
        read_scores(tmp_path / "nothing.csv", DATA)


def test_two_files_of_one_name_are_two_rankings() -> None:
    """One was lost, without a word."""
    first, second = FORMS["a column"].encode(), "\n".join(map(str, SCORES[::-1])).encode()
    files = [("a/mine.csv", first), ("b/mine.csv", second), ("c/mine.csv", first)]
    scores = read_brought(files, DATA)
    assert scores == {"mine": SCORES.tolist(), "mine (2)": SCORES[::-1].tolist()}
    later = read_brought([("mine.csv", first)], DATA, {"mine": SCORES[::-1].tolist()})
    assert later == {"mine (2)": SCORES.tolist()}
    long = "x" * 60
    assert len(read_brought([(f"{long}1.csv", first), (f"{long}2.csv", second)], DATA)) == 2


def test_names_of_features_say_which_score_is_whose() -> None:
    """Scores beside names were taken in the order of the rows, whatever the names said."""
    names = tuple(f"gene {j}" for j in range(9))
    named = replace(DATA, feature_names=names)
    for head in ("", "gene,score\n"):
        rows = head + "\n".join(f"{names[j]},{SCORES[j]}" for j in TURNED)
        assert read_scores(rows.encode(), named, "mine.csv") == SCORES.tolist()
        with pytest.raises(
            DatasetError, match=r"mine\.csv has a column of names that are not those"
        ):
            read_scores(rows.encode(), DATA, "mine.csv")
    unlike = "\n".join(f"same,{score}" for score in SCORES)
    assert read_scores(unlike.encode(), named, "mine.csv") == SCORES.tolist()
