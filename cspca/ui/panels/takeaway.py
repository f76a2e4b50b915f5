"""What can be taken away: the scores as a file, the fit as five lines of Python."""

from __future__ import annotations

import re

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.export import python_lines, scores_csv
from cspca.runs.records import FitResult
from cspca.ui import keys, state


def takeaway(view: state.View, dataset: Dataset, result: FitResult | None, *, stale: bool) -> None:
    """Draw the download button and the code; both wait for a result."""
    ready = result is not None and not stale
    plain = re.sub(r"[^A-Za-z0-9]+", "-", dataset.name).strip("-").lower() or "data"

    def scores() -> str:
        return "" if result is None else scores_csv(result, dataset.image_shape)

    st.download_button(
        "Scores as CSV",
        # Written on the click: a file made on every run would be gone by the time of the next.
        data=scores,
        file_name=f"cspca-{plain}-scores.csv",
        mime="text/csv",
        icon=":material/download:",
        key=keys.DOWNLOAD,
        disabled=not ready,
        on_click="ignore",
        help="One line a pixel, best first: pixel, row, column (from 0), feature_score ‖w_j‖, "
        "dual_score (how near a zero pixel is to entering), selection_score, rank.",
    )
    if result is None:
        st.caption("The lines of Python that repeat this fit appear here when it is done.")
        return
    alpha = float(result.model.alpha) if result.spec.keep is not None else None
    st.code(
        python_lines(result.spec, view.data, _file_name(dataset), alpha, int(result.model.n_iter_)),
        language="python",
        wrap_lines=True,
    )
    if result.warm or result.spec.keep is not None:
        st.caption(
            "This fit started from an earlier one; these lines start afresh. Both are within "
            "their certified gap of the optimum, so the scores agree to about that, not to the "
            "last digit: a smaller tolerance brings them together."
        )


def _file_name(dataset: Dataset) -> str:
    """Return what an uploaded file was called."""
    return dataset.source.removeprefix("file ") or dataset.name
