"""The table of the Compare page: one line a method, in the order of the plan."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import METRICS as LARGE_IS_GOOD
from cspca.evaluation.former import Choice, Comparison, Row, Summary
from cspca.evaluation.paper import N_STARTS
from cspca.runs.comparison_records import ComparisonSnapshot
from cspca.ui import keys
from cspca.ui.compare_page.words import (
    METRICS,
    Metric,
    certificate,
    parameters_in_words,
    rows_of,
    said,
    seconds,
    signed,
)

_NEED_LABELS: Final = ("accuracy", "nmi")
_UNSEEN: Final = "Without labels"
_FEW_RUNS: Final = 10


def metric_switch(comparison: Comparison | None, labelled: bool) -> str:
    """Draw the choice of a metric and return it."""
    measured = () if comparison is None else comparison.metrics
    expected = ("accuracy", "nmi", "silhouette") if labelled else tuple(METRICS)[2:]
    offered = [name for name in METRICS if name in (measured or expected)]
    if st.session_state.get(keys.COMPARE_METRIC) not in offered:
        st.session_state[keys.COMPARE_METRIC] = offered[0]
    chosen = st.segmented_control(
        "Compare by",
        offered,
        format_func=lambda name: METRICS[name].short,
        key=keys.COMPARE_METRIC,
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(chosen)


def table(snapshot: ComparisonSnapshot, metric: str, dataset: Dataset, *, active: bool) -> None:
    """Draw the table; methods still to come keep their line."""
    comparison = snapshot.comparison
    if comparison is None:
        return
    how = METRICS[metric]
    found = {} if metric not in comparison.metrics else {
        row.method: row for row in rows_of(comparison, metric)
    }  # fmt: skip
    failed = {method for method, _ in comparison.failures}
    blind = metric in _NEED_LABELS and "silhouette" in comparison.metrics
    lines = []
    for plan in comparison.plan.methods:
        row = found.get(plan.method)
        if row is not None:
            lines.append(_line(row, how, comparison, dataset, blind=blind))
            continue
        at_work = active and plan.title == snapshot.doing
        waits = "at work …" if at_work else "still to come" if active else "not computed"
        why = "failed, see below" if plan.method in failed else waits
        lines.append(
            f'<tr class="cspca-waits"><th scope="row">{escape(plan.title)}</th>'
            f'<td colspan="{5 + blind}">{why}</td></tr>'
        )
    unit = " (%)" if how.percent else ""
    heads = [
        ("Method", ""),
        (f"{how.short}{unit}", "Mean ± standard deviation over the runs; chosen on other runs"),
        ("Best of grid", "As the paper reports it: chosen on the very runs it reports"),
        *([(_UNSEEN, "Chosen by the silhouette, which sees no label")] if blind else []),
        ("Against all", "Paired difference from All features, with its 95 % interval"),
        ("Choices", "Parameter sets × numbers that were chosen from"),
        ("Selection", "Time to rank, mean over the parameter sets"),
    ]
    head = "".join(f'<th scope="col" title="{escape(t)}">{escape(h)}</th>' for h, t in heads)
    caption = f"{how.title} of every method"
    with st.container(key=keys.BOX_COMPARE_TABLE):
        st.html(
            f'<div class="cspca-scroll" tabindex="0" role="region" aria-label="{caption}">'
            f'<table class="cspca-table"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table></div>"
        )
    _legend(
        comparison, how, metric, dataset, blind=blind,
        partly=any(row.n_choices < _asked(row, comparison) for row in found.values()),
    )  # fmt: skip


def _line(row: Row, how: Metric, comparison: Comparison, dataset: Dataset, *, blind: bool) -> str:
    many = dataset.nouns.features
    classes = {"best": "cspca-best", "close": "cspca-close"}.get(row.mark, "")
    mark = {"best": "<b>best</b>", "close": '<span title="not significantly worse">≈</span>'}
    figure = said(row.honest or row.best, how)
    apart = "–"
    if row.difference is not None:
        one = row.difference
        low, high = signed(one.low, how), signed(one.high, how)
        apart = f"{signed(one.difference, how)} <small>({low} to {high})</small>"
    elif any(p.keeps_all and p.method == row.method for p in comparison.plan.methods):
        apart = "<small>the baseline</small>"
    cells = [
        f"{figure} {mark.get(row.mark, '')}",
        _chosen(row.best, row.best_choice, how, many),
        *([_chosen(row.label_free, row.label_free_choice, how, many)] if blind else []),
        apart,
        _counted(row, comparison),
        seconds(row.selection_seconds),
    ]
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    proven = certificate(comparison, row.method, row.best_choice.parameters)
    name = escape(row.title) + (f"<br><small>{proven}</small>" if proven else "")
    return f'<tr class="{classes}"><th scope="row">{name}</th>{body}</tr>'


def _counted(row: Row, comparison: Comparison) -> str:
    """Say how many choices were compared, and of how many where some are not there."""
    asked = _asked(row, comparison)
    if row.n_choices >= asked:
        return f"{row.n_choices:,}"
    return f"{row.n_choices:,} <small>of {asked:,}</small>"


def _asked(row: Row, comparison: Comparison) -> int:
    plan = next(plan for plan in comparison.plan.methods if plan.method == row.method)
    return len(plan.grid) * len(plan.n_features)


def _chosen(summary: Summary | None, choice: Choice | None, how: Metric, many: str) -> str:
    if summary is None or choice is None:
        return "–"
    tuned = parameters_in_words(choice.parameters)
    at = f"with {choice.n_features:,} {many}" + (f", {tuned}" if tuned else "")
    return (
        f'<span title="{escape(at)}">{said(summary, how)} '
        f"<small>at {choice.n_features:,}</small></span>"
    )


def _legend(
    comparison: Comparison, how: Metric, metric: str, dataset: Dataset, *, blind: bool, partly: bool
) -> None:
    nouns = dataset.nouns
    meaning = how.meaning.format(
        a_sample=nouns.a_sample, samples=nouns.samples, features=nouns.features
    )
    runs = len(comparison.plan.seeds)
    what = f"the number of {nouns.features}"
    if any(len(plan.grid) > 1 for plan in comparison.plan.methods):
        what += " and the parameters"
    by_labels = " In both the labels choose." if metric in _NEED_LABELS else ""
    unit = "percentage points" if how.percent else "units of the measure"
    sentences = [
        meaning,
        f"Mean ± standard deviation over {runs} runs with the same starts for every method. "
        f"{how.short}: {what} chosen on one half of the runs and scored on the other, the honest "
        "figure. Best of grid: chosen on the very runs that are reported, as the paper does."
        f"{by_labels}",
    ]
    if blind:
        sentences.append(
            f"{_UNSEEN}: {what} chosen by the best mean silhouette, as one must who has no labels."
        )
    if any(plan.keeps_all for plan in comparison.plan.methods):
        sentences.append(
            f"Against all: the difference from All features, run by run, in {unit}, with its 95 % "
            "interval over such starts on these data."
        )
    else:
        sentences.append("Choose All features as well to see differences from it.")
    better = "" if LARGE_IS_GOOD[metric] else " Here less is better."
    sentences.append(
        "≈: not significantly worse than the best (paired bootstrap, 5 % level, not corrected for "
        f"the number of methods).{better}"
    )
    if partly:
        sentences.append(
            "Choices, “2 of 5”: only those are there by now, so the line will change when the rest "
            "is computed."
        )
    if runs < _FEW_RUNS:
        sentences.append(
            f"Intervals and marks from {runs} runs are rough: take {_FEW_RUNS} or more, and the "
            f"paper’s {N_STARTS} for a figure to report."
        )
    st.caption("  \n".join(sentences))
