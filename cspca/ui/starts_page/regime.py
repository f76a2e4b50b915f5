"""What must be said where the optimum is known beforehand: W = I and W = 0."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.starts_findings import StartsFindings


def regime_words(found: StartsFindings, dataset: Dataset) -> str:
    """Return the warning of a regime; empty where the fit ranks something."""
    nouns = dataset.nouns
    if found.regime == "identity":
        return (
            f"At these penalties the optimum is W = I: every {nouns.feature} has the same "
            "importance. All of them tie, so a ranking, and any ACC that rests on one, is noise "
            "of the solver. Larger penalties rank something."
        )
    if found.regime == "zero":
        return (
            f"At these penalties the optimum is W = 0: no {nouns.feature} is used. The ranking "
            "says only which would be used first. Smaller penalties use some."
        )
    tied = found.tied(dataset.n_features)
    if tied:
        chosen = f"the best {found.k:,}" if found.k else "the better half"
        return (
            f"At these penalties {tied:,} of {nouns.count_features(dataset.n_features)} have the "
            f"same importance at the optimum: which of them are among {chosen} means nothing, nor "
            "does an ACC that rests on it. Larger penalties tell them apart."
        )
    return ""


def regime(found: StartsFindings, dataset: Dataset) -> None:
    """Draw the warning."""
    words = regime_words(found, dataset)
    if words:
        st.warning(words, icon=":material/warning:")
