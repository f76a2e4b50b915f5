"""Phase map: at which share of outliers, rank and β a hidden subspace is found exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.outliers import Outliers
from cspca.experiments.settings import declared
from cspca.robust import ROBUST
from cspca.ui import export, fields, state
from cspca.ui.experiment_page import ExperimentPage


def usual(dataset: Dataset) -> Outliers:
    """Return the default settings: a map of ten shares and ten ranks."""
    return Outliers(parts=("map",))


def quick(dataset: Dataset) -> Iterator[Outliers]:
    """Yield settings with fewer cells and repetitions."""
    whole = usual(dataset)
    coarse = replace(whole, shares=whole.shares[::3], ranks=(1, 4, 7, 10), n_seeds=3)
    yield coarse
    yield replace(coarse, n_seeds=1)
    yield replace(coarse, n_seeds=1, methods=("cspca", "pca", "fms"))


def controls(dataset: Dataset) -> Outliers:
    """Draw the settings and return them."""
    across = fields.choice(Outliers, "across", {"rank": "Rank", "beta": "β"})
    names = declared(Outliers)["methods"].choices or ()
    fields.choice(Outliers, "methods", {name: ROBUST[name].title for name in names})
    left, right = st.columns(2, vertical_alignment="bottom")
    fields.number(Outliers, "beta" if across == "rank" else "rank", place=left)
    fields.number(Outliers, "n_seeds", most=100, place=right)
    left, right = st.columns(2, vertical_alignment="bottom")
    fields.number(Outliers, "n_features", place=left)
    fields.number(Outliers, "n_samples", place=right)
    fields.toggle(Outliers, "equal_energy")
    return fields.read(Outliers, parts=("map",))


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the findings and the maps, CSPCA's map first."""
    first, *others = outcome.findings
    st.markdown(first.sentence)
    experiment: Any = outcome.experiment
    maps = outcome.figures().items()
    for at, (place, (_, drawn)) in enumerate(zip(_places(len(maps)), maps, strict=True)):
        with place:
            box = f"phase_{experiment.methods[at]}"
            export.show(drawn, box, of="outliers", heading=True)
    for finding in others:
        st.markdown(finding.sentence)
    st.caption(
        "The number in a cell: exact recoveries, in per cent of its repetitions. PCA, FMS and the "
        "like are told the rank; CSPCA, outlier pursuit and PCP are not."
    )


def _places(count: int) -> list[Any]:
    """Return containers, two per row."""
    columns: list[Any] = []
    while len(columns) < count:
        columns += st.columns(2, gap="medium")
    return columns[:count]


PAGE = ExperimentPage(
    kind=Outliers,
    button="Compute the map",
    usual=usual,
    controls=controls,
    body=body,
    quick=quick,
    question="",
    lead="",
)


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    PAGE.show(view, dataset)
