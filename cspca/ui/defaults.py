"""Where a view starts: the default data set, and penalties chosen by what they show."""

from __future__ import annotations

from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.fit import Fit

DATA: Final = "faces"

# Chosen by outcome: about half of the pixels are exactly zero, of the rendered faces, of the
# digits, and of the real images that people are likely to bring. All are stops of the sliders.
STARTS: Final = {
    "faces": Fit(alpha=0.1, beta=0.02),
    "digits": Fit(alpha=0.4, beta=0.02),
    "motion": Fit(alpha=0.05, beta=0.02),
}

UPLOADED: Final = Fit(alpha=0.4, beta=0.02)

UNRELATED: Final = (
    UPLOADED,
    Fit(alpha=0.63, beta=0.02),
    Fit(alpha=0.8, beta=0.02),
    Fit(alpha=0.9, beta=0.02),
    Fit(alpha=0.9, beta=0.05),
)
"""For a small table, in this order: where few columns tell of others, W = I is optimal up to
larger penalties, and all features tie."""

_SMALL: Final = 20_000  # cells up to which a fit takes a few hundredths of a second
_FEW_FEATURES: Final = 50
_APART: Final = 1.1  # times the least score that the best one must have to be called better
_LISTED: Final = 20


def count_of(n_features: int) -> int:
    """Return how many features are marked at first: a tenth, or as many as one likes to read."""
    return max(1, round(n_features * max(0.1, min(0.5, _LISTED / n_features))))


def start_of(data: str, dataset: Dataset) -> Fit:
    """Return where the view of a data set starts: where there is a ranking to see."""
    n, d = dataset.data.shape
    if data in STARTS:
        return STARTS[data]
    if dataset.image_shape is not None or d > _FEW_FEATURES or n * d > _SMALL or n <= d:
        return UPLOADED
    return _first_with_a_ranking(dataset.sha256, dataset)


@st.cache_data(max_entries=64, show_spinner=False)
def _first_with_a_ranking(sha256: str, _dataset: Dataset) -> Fit:
    from cspca import CSPCA  # loads scikit-learn, which no page needs to be drawn

    for start in UNRELATED:
        try:
            model = CSPCA(alpha=start.alpha, beta=start.beta).fit(_dataset.data)
        except ValueError:
            # What cannot be fitted says so on the page, where its fit stands.
            return UPLOADED
        live = model.feature_scores_[_dataset.data.std(axis=0) > 0]
        if live.max() > _APART * live.min():
            return start
    # Between all and nothing lies too little: the page says so, and what to change.
    return UPLOADED
