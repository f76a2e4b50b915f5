"""Two runs of one kind beside each other: what was asked differently, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from cspca.runs.differences import Differences, Line, differences
from cspca.runs.store import RunRecord, StoreError
from cspca.ui import keys
from cspca.ui.compare_page.words import METRICS, Metric, signed
from cspca.ui.plain import plain
from cspca.ui.services import sweeps


def beside(run: RunRecord, runs: tuple[RunRecord, ...]) -> None:
    """Draw the choice of another run, and the two beside each other."""
    others = {
        one.id: one
        for one in runs
        if one.kind == run.kind and one.id != run.id and one.n_done and one.request
    }
    if not others:
        return
    if st.session_state.get(keys.RUN_OTHER) not in others:
        st.session_state[keys.RUN_OTHER] = None
    chosen = st.selectbox(
        "Hold it against another",
        list(others),
        index=None,
        format_func=lambda run_id: _called(others[run_id], others),
        key=keys.RUN_OTHER,
        placeholder="Choose a run of the same kind",
    )
    if chosen is None:
        return
    other = others[chosen]
    try:
        found = _found(run, other)
    except StoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _settings(found, run, other)
    offered = [name for name in found.metrics if name in METRICS]
    if offered:
        st.segmented_control(
            "By",
            offered,
            format_func=lambda name: METRICS[name].short,
            key=keys.RUN_METRIC,
            required=True,
            label_visibility="collapsed",
        )
    _lines(found, run, other)


def _called(run: RunRecord, others: dict[str, RunRecord]) -> str:
    """Name a run so that it can be told from others of the same name."""
    alike = sum(one.name == run.name for one in others.values()) > 1
    return f"{run.name} ({run.id[:6]})" if alike else run.name


def _found(run: RunRecord, other: RunRecord) -> Differences:
    session = st.session_state
    metric = session.get(keys.RUN_METRIC) or ""
    at = run.id, run.n_done, other.id, other.n_done, metric
    kept = session.get(keys.RUN_DIFFERENCES)
    if kept is None or kept[0] != at:
        kept = at, differences(sweeps().store, run.id, other.id, metric)
        session[keys.RUN_DIFFERENCES] = kept
    found: Differences = kept[1]
    if found.metrics and session.get(keys.RUN_METRIC) not in found.metrics:
        session[keys.RUN_METRIC] = found.metric
    return found


def _settings(found: Differences, run: RunRecord, other: RunRecord) -> None:
    apart = [one for one in found.settings if not one.same]
    if not apart:
        st.caption("Both were asked the same, by the same versions.")
        return
    lines = [(one.name, one.first or "–", one.second or "–") for one in apart]
    same = len(found.settings) - len(apart)
    _table(("Asked differently", _short(run), _short(other)), lines, left=True)
    st.caption(f"{same} other settings are the same.")


def _lines(found: Differences, run: RunRecord, other: RunRecord) -> None:
    if not found.lines:
        if run.kind != "fit":
            st.caption("There is nothing yet that both have measured.")
        return
    how = METRICS.get(found.metric)
    heads = ["", _short(run), _short(other), "Difference"]
    paired = any(line.difference is not None for line in found.lines)
    _table(heads, [_line(one, how) for one in found.lines])
    if not found.metrics:
        return
    words = "" if how is None else f"{how.title}{', %' if how.percent else ''}. "
    words += (
        f"Difference: the second minus the first, over the {found.n_shared:,} seeds that both "
        "have, with its 95 % interval (paired bootstrap)."
        if paired
        else "With fewer than two seeds in common no interval can be given."
    )
    st.caption(words)


def _line(line: Line, how: Metric | None) -> tuple[str, ...]:
    if how is None:
        apart = line.second - line.first
        return line.label, f"{line.first:.6g}", f"{line.second:.6g}", f"{apart:+.3g}"
    factor, digits = (100.0, 1) if how.percent else (1.0, 3)
    values = (f"{factor * value:.{digits}f}" for value in (line.first, line.second))
    apart_words = signed(line.second - line.first, how)
    if line.difference is not None:
        one = line.difference
        apart_words = (
            f"{signed(one.difference, how)} ({signed(one.low, how)} to {signed(one.high, how)})"
        )
    return line.label, *values, apart_words


def _short(run: RunRecord) -> str:
    return run.name if len(run.name) <= 40 else run.name[:39] + "…"


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]], *, left: bool = False) -> None:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(one)}</td>" for one in rest)
        + "</tr>"
        for first, *rest in lines
    )
    side = " cspca-left" if left else ""
    st.html(
        '<div class="cspca-scroll" tabindex="0" role="region" aria-label="Two runs beside each '
        f'other"><table class="cspca-table{side}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
