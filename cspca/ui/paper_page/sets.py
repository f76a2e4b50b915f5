"""The paper's Table 1: its data sets, which are here, and where the others come from."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from cspca.datasets import BY_REQUEST, REMOTE, Dataset
from cspca.evaluation.paper import PAPER_SETS, PaperSet
from cspca.evaluation.paper_recognition import recognise
from cspca.runs.paper import recognised
from cspca.ui.paper_page.reading import best_of_each
from cspca.ui.plain import plain

_FETCHED: Final = {"orl": "olivetti", "coil20": "coil20", "usps": "usps"}
"""Sets that can be fetched, by their name there."""


def data_sets(dataset: Dataset) -> None:
    """Draw Table 1, and say of each set whether it is here and how it comes."""
    in_use = recognised(dataset)
    computed: dict[str, str] = {}
    for kept in best_of_each():
        data = next(iter(kept.parts.values())).data
        found = recognise(data.n_samples, data.n_features, data.n_classes, data.name)
        if found.paper_set is not None:
            by = kept.protocol.title.lower()
            stands = "" if found.same_data else "stand-in "
            much = "computed" if kept.complete else "partly computed"
            computed.setdefault(found.paper_set.key, f"{stands}{much}, {by}")
    lines = []
    for key, one in PAPER_SETS.items():
        status = computed.get(key, "not here")
        if in_use.paper_set is one:
            use = "in use" if in_use.same_data else "a stand-in is in use"
            status = f"{use}; {computed[key]}" if key in computed else use
        lines.append(_line(one, status))
    heads = ("Data set", "Images", "Variables", "Classes", "Selected", "Here")
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    st.html(
        '<div class="cspca-scroll" tabindex="0" role="region" aria-label="Data sets of the paper">'
        f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )
    st.subheader("How to bring the others", anchor=False)
    for key, one in PAPER_SETS.items():
        if in_use.paper_set is not one or not in_use.same_data:
            st.markdown(f"**{one.title}.** {_how(key)}")
    st.caption(
        "A set is recognised by the number of its images, variables and classes, then by its "
        "name. Any other data with classes run the same protocol, without printed numbers beside."
    )
    for one in PAPER_SETS.values():
        if one.note:
            st.caption(f"{one.title}: {plain(one.note)}")


def _line(one: PaperSet, status: str) -> str:
    size = (
        ""
        if one.image_shape is None
        else f" <small>{one.image_shape[0]} × {one.image_shape[1]}</small>"
    )
    counts = one.feature_counts
    span = f"{counts[0]:,} to {counts[-1]:,} <small>in {len(counts)}</small>"
    cells = (
        f"{one.n_samples:,}", f"{one.n_features:,}{size}", f"{one.n_classes}", span,
        escape(status),
    )  # fmt: skip
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(one.title)}</th>{body}</tr>'


def _how(key: str) -> str:
    """Say where a set comes from."""
    if key in BY_REQUEST:
        one = BY_REQUEST[key]
        more = " The built-in motion set stands in for it." if key == "humaneva" else ""
        bring = _lower(one.bring)
        return f"{one.where} {one.terms} Upload {bring} [Its page]({one.homepage}).{more}"
    other = REMOTE[_FETCHED[key]]
    text = f"Fetch {other.title} on the Data page ({other.size})"
    if key == "orl":
        text += ", or upload ORL.mat with the 32 × 32 pictures that the paper used"
    return f"{text}. Terms: {other.licence}."


def _lower(text: str) -> str:
    """A sentence after a colon."""
    return text[:1].lower() + text[1:]
