"""The Runs page: all saved runs, with their exports, comparisons and removal."""

from __future__ import annotations

import textwrap
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation import METRICS
from cspca.evaluation.statistics import FEWEST_STARTS, NO_INTERVAL
from cspca.experiments.differences import asked, differences, metrics, shared_seeds
from cspca.experiments.experiment import Outcome
from cspca.experiments.limits import limits
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.runner import experiment_of, stored_outcome
from cspca.experiments.store import RunRecord, StoreError
from cspca.figures.meanings import MEANINGS
from cspca.figures.pictures import importance_alt, importance_rgb, signed_alt, signed_rgb
from cspca.figures.words import duration
from cspca.ui import erasing, fields, follow, keys, menu, pictures, run_data, state, visitor
from cspca.ui.clock import when
from cspca.ui.data_page.sources import quick_reading
from cspca.ui.experiment_page import may_change, outcome_of, stop_button, watch
from cspca.ui.export import offer
from cspca.ui.plain import button, facts, is_dark, noticed, plain, table
from cspca.ui.services import runs
from cspca.ui.steps_box import draw_steps
from cspca.ui.windows import Glance

FILTERED: Final = 6
"""Number of runs from which on the page has a search and a filter by kind."""

SHOWN: Final = 15
"""Runs that are listed at first, and added by “Show more”."""

_OF_A_FIT: Final = ("objective", "limit", "gap", "rank", "iterations")
"""Quantities that are explained where two fits are compared."""


def lead() -> str:
    """Return the sentence below the title."""
    if visitor.is_owner():
        return (
            "Everything that was computed on this machine, from the browser or a shell, kept until "
            "you delete it."
        )
    return (
        "Your runs are private: this browser lists them, and nobody else’s. Anyone with "
        "the link to a run can look at it, and change nothing."
    )


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the page below its title."""
    page, address, part = st.session_state.pop(keys.OPEN_RUN, ("", None, ""))
    if page:
        query = state.address() if address is None else address
        state.go(page, query | ({"part": part} if part else {}))
    try:
        note = runs().store.note
        if note:
            st.warning(plain(note), icon=":material/warning:")
        deleted = st.session_state.get(keys.RUN_DELETED_LAST)
        if deleted is not None and runs().store.get(deleted[0]).trashed is not None:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.info(f"**{plain(deleted[1])}** is in the trash.", icon=":material/delete:")
                button("Undo", "undo_delete_run", "undo", _restore, deleted[0])
        erasing.report()
        seen = runs().store.runs(visitor.sight())
        trashed = runs().store.runs(visitor.sight(), trashed=True)
        n_runs = len(seen) + len(trashed)
        listed = _narrowed(len(seen), len(trashed))
        if listed:
            _rows(listed)
            if st.session_state.get(keys.RUNS_TRASH):
                empty = partial(runs().store.empty_trash, visitor.secret())
                erasing.removal("Empty the trash", "empty_trash", erasing.describe_trash, empty)
        else:
            _empty()
        sight = visitor.sight()

        def look() -> Glance:
            # Runs may be added, renamed, deleted, started or ended in another window or program.
            return _listing(runs().store.runs(sight))

        follow.follow("runs", look, _listing(seen), pause=3.0)
    except StoreError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    if n_runs:
        erasing.offer("runs")
    if not visitor.is_owner():
        st.caption(
            "Your own machine? `python -m cspca open` opens this page with every run on it, those "
            "of a shell too; its token lies in the folder that `python -m cspca doctor` names."
        )


def _listing(listed: Iterable[RunRecord]) -> Glance:
    """Return the state of the list of runs, for which the page is redrawn."""
    state = tuple((run.id, run.name, run.trashed, run.state) for run in listed)
    return Glance(state, active=False)


def _narrowed(n_listed: int, n_trashed: int) -> list[RunRecord]:
    """Draw the search and the filters; return the matching runs.

    Few runs need no filter, and an empty trash needs no switch; a filter that is set stays visible.
    """
    session, search, kind, trash = st.session_state, "", None, False
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if n_listed >= FILTERED or session.get(keys.RUNS_SEARCH) or session.get(keys.RUNS_KIND):
            search = st.text_input(
                "Search",
                **fields.persistent(keys.RUNS_SEARCH),
                placeholder="Name or data",
                icon=":material/search:",
                max_chars=200,
            )
            kind = st.pills(
                "Kind",
                list(EXPERIMENTS),
                format_func=lambda name: EXPERIMENTS[name].title,
                **fields.persistent(keys.RUNS_KIND),
                wrap=True,
            )
        if n_trashed or session.get(keys.RUNS_TRASH):
            trash = st.toggle("Trash", **fields.persistent(keys.RUNS_TRASH))
    return list(runs().store.runs(visitor.sight(), kind=kind, text=search, trashed=bool(trash)))


def _empty() -> None:
    """Explain why the list is empty, and what to do."""
    session = st.session_state
    if session.get(keys.RUNS_TRASH):
        st.info("The trash is empty.", icon=":material/delete:")
        return
    if session.get(keys.RUNS_SEARCH) or session.get(keys.RUNS_KIND):
        st.info(
            "No run matches: search for less, or choose another kind.", icon=":material/search:"
        )
        return
    opening = "There are no saved runs yet" if visitor.is_owner() else "You have no saved runs yet"
    st.markdown(f"{opening}: a comparison that you start is saved here while it is computed.")
    state.link("compare", "Compare methods", ":material/leaderboard:")


def _rows(listed: Sequence[RunRecord]) -> None:
    """Draw a row for each of the first runs, and the button that shows more."""
    most = int(st.session_state.get(keys.RUNS_SHOWN, SHOWN))
    with st.container(key="runs_list", gap="small"):
        for run in listed[:most]:
            _row(runs().view(run.id), listed)
    if len(listed) > most:
        label = f"Show {min(SHOWN, len(listed) - most)} more of {len(listed):,}"
        call = st.session_state.update, {keys.RUNS_SHOWN: most + SHOWN}
        button(label, "runs_more", "expand_more", *call)


def _row(run: RunRecord, listed: Sequence[RunRecord]) -> None:
    looked_at = st.session_state.get(keys.RUN_LOOKED_AT) == run.id
    with st.container(key=f"run_{run.id}", border=True, gap="small"):
        left, right = st.columns([8, 5], vertical_alignment="center")
        with left:
            _about(run, looked_at)
        with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            _buttons(run, looked_at)
        if run.active:
            _progress(run.id)
        elif run.job.error is not None:
            st.warning(plain(run.job.error), icon=":material/warning:")
        if run.trashed is None:
            quick_reading(f"run_{run.view_id}")
            if _unfinished(run):
                run_data.keep(run)
        if looked_at:
            with st.container(key="run_details", gap="small"):
                _details(run, listed)


def _about(run: RunRecord, looked_at: bool) -> None:
    title = EXPERIMENTS[run.kind].title if run.kind in EXPERIMENTS else run.kind
    # The default name of a run has both already.
    labels = {label: "" for label in (title, run.data.name) if label not in run.name}
    labels[when(run.updated)] = ""
    # A job that has just been submitted is not in the store yet; the bar shows the progress.
    stands = "running" if run.active else run.state
    status = "Not begun" if stands == "ready" else str(stands).capitalize()
    if not run.active:
        if run.n_done < run.n_cells:
            labels[f"{run.n_done:,} of {run.n_cells:,} results"] = ""
        if run.seconds:
            labels[f"{duration(run.seconds)} of computing"] = "computing"
        if stands == "done" and run.n_failed:
            status += f", {run.n_failed:,} failed"
    st.html(
        f'<p class="cspca-run"><b>{escape(run.name)}</b> '
        f'<span class="cspca-state cspca-{stands}">{escape(status)}</span></p>'
        # Meanings in every row would clutter the list.
        + facts((key, "", MEANINGS[of] if looked_at and of else None) for key, of in labels.items())
    )


def _buttons(run: RunRecord, looked_at: bool) -> None:
    if run.trashed is not None:
        button("Restore", f"restore_run_{run.id}", "restore_from_trash", _restore, run.id)
        return
    at_hand = run_data.at_hand(run)
    if not at_hand:
        run_data.offer_upload(run, f"run_{run.view_id}")
    if run.can_resume and at_hand:
        hint = "Computes the rest only."

        def go_on() -> None:
            runs().resume(run.id, run_data.data_of(run), visitor.secret())

        button("Continue", f"go_on_with_run_{run.id}", "play_circle", go_on, help=hint)
    page = menu.page_of(run.kind)
    if page and at_hand:
        button("Open", f"open_run_{run.id}", "open_in_new", _open, run, page)
    label, icon, opened = ("Less", "less", None) if looked_at else ("More", "more", run.id)
    look, hint = {keys.RUN_LOOKED_AT: opened}, "Rename, export, compare with another run, delete."
    update = st.session_state.update
    button(label, f"look_at_run_{run.id}", f"expand_{icon}", update, look, help=hint)


def _progress(run_id: str) -> None:
    """Draw the progress of a run."""
    now = runs().view(run_id)
    follow.bar(f"run_{run_id}", watch(now, f"run_{run_id}"))
    if now.job.active:
        stop_button(now, f"stop_run_{run_id}")


def _details(run: RunRecord, listed: Sequence[RunRecord]) -> None:
    """Draw the details of a run and the actions on it."""
    session, key = st.session_state, f"run_name_{run.id}"

    def rename() -> None:
        name = str(session.get(key, "")).strip()
        if name:
            runs().store.rename(run.id, name)

    def delete() -> None:
        runs().store.trash(run.id)
        session[keys.RUN_DELETED_LAST] = run.id, run.name
        session.pop(keys.RUN_LOOKED_AT, None)

    left, right = st.columns([3, 2], gap="large")
    with left:
        session.setdefault(key, run.name)
        st.text_input("Name", key=key, max_chars=200, on_change=noticed, args=(rename,))
        for sentence in sorted(set(runs().store.failures(run.id).values())):
            st.warning(plain(sentence), icon=":material/warning:")
        began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(run.created))
        versions = "; ".join(", ".join(map(" ".join, by_name.items())) for by_name in run.versions)
        shape = f"{run.data.n_samples:,} × {run.data.n_features:,}"
        st.caption(plain(f"Asked for {began}. {run.data.name}: {shape}. Made with {versions}."))
        draw_steps(run.data, "How its set was read", f"steps_of_run_{run.view_id}")
    with right:
        st.caption("From a shell")
        st.code(f"python -m cspca runs show {run.id}", language="sh", wrap_lines=True)
    if run.n_done:
        try:
            outcome = outcome_of(run)
            for finding in outcome.findings[:3]:
                st.markdown(f"- {plain(finding.sentence)}")
            st.caption("Export")
            offer(outcome, run=run)
            _beside(run, outcome, listed)
        except StoreError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if run.kept:
            hint = "Removes the data from the server’s disk; what was found stays."
            forget = runs().store.forget_data, run.id
            button(
                "Forget its data", f"keep_data_of_run_{run.id}", "database_off", *forget, help=hint
            )
        elif not _unfinished(run):
            run_data.keep(run)
        days = f"{limits().trash_days:,g}"
        hint = f"Puts it in the trash; it can be taken out again for {days} days."
        options = {"help": hint, "disabled": not may_change(run)}
        button("Delete", f"delete_run_{run.id}", "delete", delete, **options)


def _unfinished(run: RunRecord) -> bool:
    """Whether a run is active or can be continued: its data will be needed again."""
    return run.trashed is None and (run.active or run.can_resume)


def _beside(run: RunRecord, first: Outcome, listed: Sequence[RunRecord]) -> None:
    """Draw the choice of another run of the same kind, and the comparison with it."""
    others = {record.id: record for record in listed if record.kind == run.kind and record.n_done}
    others.pop(run.id, None)
    if not others:
        return
    if st.session_state.get(keys.RUN_HELD_AGAINST) not in others:
        st.session_state[keys.RUN_HELD_AGAINST] = None
    name_counts = Counter(record.name for record in others.values())
    titles = {key: record.name for key, record in others.items()}
    for key, record in others.items():
        if name_counts[record.name] > 1:
            titles[key] += f", {when(record.updated)} ({key[:6]})"
    chosen = st.selectbox(
        "Compare with another run",
        titles,
        index=None,
        format_func=titles.__getitem__,
        key=keys.RUN_HELD_AGAINST,
        placeholder="Choose a run of the same kind",
    )
    if chosen is None:
        return
    second = stored_outcome(runs().store, others[chosen])
    heads = [textwrap.shorten(saved.name, 40, placeholder="…") for saved in (run, others[chosen])]
    settings = asked(first, second)
    settings = settings[settings["first"] != settings["second"]]
    if settings.empty:
        st.caption("Both were asked the same.")
    else:
        table(settings.set_axis(["Asked differently", *heads], axis=1), "Asked differently")
    _maps(first, second, heads)
    shorts, metric = {name: METRICS[name].short for name in metrics(first, second)}, ""
    if shorts:
        metric = fields.views("By", shorts, "runs_compared_by")
    measured = differences(first, second, metric)
    if measured.empty:
        st.caption("There is nothing yet that both have measured.")
        return
    measure = METRICS.get(metric)
    unsigned = "{:.6g}".format if measure is None else measure.say
    signed = "{:+.6g}".format if measure is None else partial(measure.say, sign="+")
    lines = []
    for row in measured.to_dict("records"):
        change = signed(row["difference"]) if row["difference"] == row["difference"] else "–"
        if row["low"] == row["low"]:
            change += f" ({signed(row['low'])} to {signed(row['high'])})"
        lines.append((row["label"], unsigned(row["first"]), unsigned(row["second"]), change))
    shown = pd.DataFrame(lines, columns=["", *heads, "Difference"])
    table(shown, "Two runs beside each other")
    names = {metric: shorts[metric]} if metric else {name: name for name in _OF_A_FIT}
    meanings = {name: MEANINGS[name].said(first.data.nouns) for name in names if name in MEANINGS}
    st.html(facts((names[name], "", meaning) for name, meaning in meanings.items()))
    if measured["difference"].isna().any():
        st.caption("–: of other data, penalties or halves, where one is no better than the other.")
    if measure is not None:
        n_seeds = len(shared_seeds(first, second))
        unit = ", %" if measure.percent else ""
        head = f"{measure.title}{unit}. Difference: the second minus the first"
        shared = f"over the {n_seeds:,} seeds that both have"
        if not measure.by_start:
            st.caption(f"{head}.")
        elif n_seeds < FEWEST_STARTS:
            st.caption(f"{head}, {shared}; {NO_INTERVAL}.")
        else:
            st.caption(
                f"{head}, {shared}, with its 95 % interval, which covers the mean over all draws "
                "of as many starts."
            )


def _maps(first: Outcome, second: Outcome, heads: Sequence[str]) -> None:
    """Draw the maps of two fits on one scale, and their difference."""
    importances = (outcome.experiment.importance(outcome.results) for outcome in (first, second))
    both = [scores for scores in importances if scores is not None]
    shape, second_shape = (outcome.data.image_shape for outcome in (first, second))
    if len(both) < 2 or shape is None or shape != second_shape:
        return
    planes = [scores.reshape(shape) for scores in both]
    pair = np.hsplit(importance_rgb(np.hstack(planes)), 2)
    change = planes[1] - planes[0]
    figures = [
        pictures.figure(image, importance_alt(plane), head)
        for image, plane, head in zip(pair, planes, heads, strict=True)
    ]
    caption = "Second less first: orange where it keeps more, blue where less"
    colours = signed_rgb(change, dark=is_dark())
    figures.append(pictures.figure(colours, signed_alt(change, "Second less first"), caption))
    with st.container(key="run_maps", width=720):
        pictures.row(figures)
    used = [set(np.flatnonzero(scores).tolist()) for scores in both]
    st.caption(
        f"{len(used[0] & used[1]):,} {first.data.nouns.features} are kept by both, "
        f"{len(used[0] - used[1]):,} by the first alone, {len(used[1] - used[0]):,} by the second "
        "alone."
    )


def _open(run: RunRecord, page: str) -> None:
    """Prepare the page of a run to show it; the next draw switches to the page."""
    session, data, address = st.session_state, run_data.data_of(run), None
    if session.get(keys.VIEW_DATA) != data:
        state.use_data(data)
    if run.kind == "fit":
        # Explore's sliders are in fractions.
        row = next(iter(runs().store.results(run.id).values())).rows[0]
        fit: Any = experiment_of(run)
        address = state.address_of(state.View(data=data, fit=fit.relative(row)))
    else:
        state.shown_runs()[run.kind, data] = run.view_id
        if run.kind in menu.TABS:
            session[keys.VIEW_TAB] = run.kind
        session.pop(f"{run.kind}_shown", None)
    part = run.kind if run.kind in menu.EXPLORE_TABS else ""
    session[keys.OPEN_RUN] = page, address, part


def _restore(run_id: str) -> None:
    runs().store.restore(run_id)
    st.session_state.pop(keys.RUN_DELETED_LAST, None)
