"""What a paper says of a result: its methods in words, and BibTeX for all that was used."""

import re

import numpy as np

from cspca.datasets import Dataset, load
from cspca.experiments import Compare, Outcome
from cspca.experiments.citing import citation
from cspca.selection import METHODS


def test_a_result_says_how_it_was_made_and_whom_to_cite() -> None:
    digits = load("digits")
    asked = Compare(methods=tuple(METHODS), n_features=(5, 10), n_seeds=7, n_pairs=20)
    text = citation(Outcome(asked, digits, dict.fromkeys(asked.cells(digits))))
    words, _, entries = text.partition("\n\n")
    for part in (
        "On digits (1,797 images of 64 pixels, 10 classes; SHA-256 ",
        "the best 5 and 10 were kept. K-means with 10 clusters ran from 7 random starts",
        "30 random selections (seeds 0 to 29)",
        "the same 40 random halves",
    ):
        assert part in words
    cited = re.findall(r"^@misc{([\w-]+),\n  author = {.+},\n  title = {{.+}},", entries, re.M)
    # The average of all pixels and their variance need no one's paper.
    assert {*cited, "all", "variance"} == METHODS.keys()
    assert "Y. Yang and H. T. Shen and Z. Ma and Z. Huang and X. Zhou" in entries
    assert "howpublished = {KDD},\n  year = {2010}" in entries
    assert "howpublished = {arXiv 2309.06202},\n  year = {2023}" in entries


def test_words_from_outside_are_no_commands() -> None:
    hostile = Dataset(np.eye(4), name="}\\input{x}", source="50 % {of} \n_all_")
    text = citation(Outcome(Compare(labels=False, n_clusters=2), hostile, {}))
    entry = text.partition("@misc{data_")[2]
    assert r"\input" not in entry.replace(r"\textbackslash{}", "")
    assert r"50 \% \textbraceleft{}of\textbraceright{} \_all\_" in entry


def test_two_data_sets_can_be_cited_in_one_article() -> None:
    """BibTeX drops the second of two entries with one key."""
    sets = [Dataset(np.eye(n), name="faces", source="a study") for n in (4, 5)]
    texts = [citation(Outcome(Compare(labels=False, n_clusters=2), data, {})) for data in sets]
    keys = {re.search(r"@misc{(data_\w+),", text)[1] for text in texts}
    assert keys == {f"data_{data.sha256[:8]}" for data in sets}
    assert len(keys) == 2
