"""Which of the paper's data sets some data are, and what stands in for one that is not here."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from cspca.paper.numbers import PAPER_SETS, PaperSet

_NAMES = {
    "yaleb": r"yale\s*-?_?b",
    "orl": r"\borl\b|olivetti",
    "jaffe": r"jaffe",
    "humaneva": r"human\s*-?_?eva|\bmotion\b",
    "coil20": r"coil\s*-?_?20",
    "usps": r"\busps\b",
}


class Recognition(NamedTuple):
    """What some data are to the paper; a difference from its numbers tells if they are the same."""

    paper_set: PaperSet | None
    same_data: bool
    sentence: str


def recognised(data: Any) -> Recognition:
    """Which of the paper's six some data are, or are described as: by numbers, then by name."""
    n_samples, n_features, n_classes = data.n_samples, data.n_features, data.n_classes
    called = [PAPER_SETS[key] for key, words in _NAMES.items() if re.search(words, data.name, re.I)]
    named = called[0] if called else None
    size = f"{n_samples:,} samples of {n_features:,} features in {n_classes} classes"
    for one in PAPER_SETS.values():
        if (n_samples, n_classes) != (one.n_samples, one.n_classes):
            continue
        known = "its name and its numbers" if named is one else "its numbers"
        if n_features == one.n_features:
            return Recognition(one, True, f"The paper’s {one.title}, by {known}: {size}.")
        return Recognition(
            one,
            True,
            f"The paper’s {one.title}, by {known}, but with {n_features:,} features a sample "
            f"where the paper has {one.n_features:,}: the shares of features are the paper’s, and "
            "numbers may well differ.",
        )
    poses = PAPER_SETS["humaneva"]
    if n_features == poses.n_features and n_classes:
        return Recognition(
            poses,
            False,
            f"These stand in for {poses.title}: as many features ({n_features}), other data. Its "
            "printed numbers are beside, but ours need not come near them.",
        )
    sentence = (
        "None of the paper’s data sets: the paper’s protocol is run on them, without printed "
        "numbers beside."
    )
    if named is not None:
        sentence = (
            f"The name speaks of {named.title}, but the numbers do not: {size}, where the paper "
            f"has {named.n_samples:,} of {named.n_features:,} in {named.n_classes}. They are taken "
            "as data of your own."
        )
    return Recognition(None, False, sentence)


def feature_counts(recognition: Recognition, n_features: int) -> tuple[int, ...]:
    """Numbers of features to cluster on: the paper's, or the same shares of what there is."""
    of = recognition.paper_set
    # Data that the paper does not have are clustered on the shares of ORL.
    known = PAPER_SETS["orl"] if of is None else of
    shares = (count / known.n_features for count in known.feature_counts)
    return tuple(sorted({max(1, round(share * n_features)) for share in shares}))
