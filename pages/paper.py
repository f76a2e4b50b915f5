"""Paper: its tables, figures and claims on the data set in use, ours beside."""

from dataclasses import replace

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.paper import PARTS, QUICK, Paper
from cspca.experiments.steps import has_classes
from cspca.paper.recognition import recognised
from cspca.ui import fields
from cspca.ui.experiment_page import ExperimentPage, asked_before
from cspca.ui.paper_parts import body
from cspca.ui.plain import plain

PROTOCOLS = {"paper": Paper(), "quick": QUICK}
NAMES = {"paper": "The paper’s", "quick": "Quick look"}


def usual(dataset: Dataset) -> Paper:
    known = (one for one in PROTOCOLS.values() if asked_before(one, dataset))
    return next(known, Paper())


def controls(dataset: Dataset) -> Paper:
    st.markdown(plain(recognised(dataset).sentence))
    quick = st.session_state.get(fields.key(Paper, "n_seeds")) == QUICK.n_seeds
    start = "quick" if quick else "paper"
    protocol = PROTOCOLS[fields.switch("Protocol", NAMES, "paper_protocol", start=start, wrap=True)]
    parts = fields.some(Paper, "parts", PARTS, disabled=not has_classes(dataset))
    st.caption(protocol.words())
    if not has_classes(dataset):
        raise ValueError(
            f"{dataset.name} has no classes, and the paper's tables need them: bring labels too."
        )
    return replace(protocol, parts=tuple(part for part in PARTS if part in parts))


def steps(dataset: Dataset) -> list[str]:
    return [
        "The paper’s experiments are run on these data, step by step; tables, figures and verdicts "
        "fill as results come in. The same from a shell: `python -m cspca paper`."
    ]


ExperimentPage(
    kind=Paper,
    button="Run",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    always=True,
    title="Does the paper hold?",
    lead="What the paper claims, its numbers beside ours, computed here and kept.",
).draw()
