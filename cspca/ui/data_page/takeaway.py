"""The data as they were read, to take away: one's own, or those that are anybody's."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import BUILTIN, Dataset
from cspca.datasets.export import MOST_IN_CSV, dataset_arrays, dataset_csv, may_be_shown
from cspca.runs.npz import npz_bytes
from cspca.ui import keys
from cspca.ui.plain import plain
from cspca.ui.takeaway import File, take_away


def takeaway(data: str, dataset: Dataset) -> None:
    """Draw it, or say why not: what was fetched is not ours to pass on.

    Parameters
    ----------
    data : str
        Name or id of the data set in use.
    dataset : Dataset
    """
    nouns = dataset.nouns
    st.subheader(f"Take the {nouns.samples} with you", anchor=False)
    if data not in BUILTIN and not may_be_shown(dataset.licence) and _fetched(dataset):
        st.caption(
            plain(
                f"These {nouns.samples} come from elsewhere, on these terms: {dataset.licence}. "
                "Take them from there."
            )
        )
        return
    st.caption(
        plain(
            f"As they were read: values from 0 to 1, one row {nouns.a_sample}. Terms: "
            f"{dataset.licence or 'not known'}."
        )
    )
    files = [
        File(
            keys.DATA_NPZ,
            "Arrays, NPZ",
            "data.npz",
            lambda: npz_bytes(dataset_arrays(dataset)),
            "X, y and names, for numpy.load; it opens here again.",
        )
    ]
    if dataset.data.size <= MOST_IN_CSV:
        table = File(
            keys.DATA_CSV,
            "Table, CSV",
            "data.csv",
            lambda: dataset_csv(dataset),
            f"One line {nouns.a_sample}, every number with all its digits, and its class.",
        )
        files.insert(0, table)
    take_away(dataset.name, files)


def _fetched(dataset: Dataset) -> bool:
    """Whether it was fetched from a host of others."""
    return dataset.recipe is not None and "fetch" in dataset.recipe.names
