"""A comparison on the page: start it, find it again, follow it, stop it, go on."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation.former import Comparison
from cspca.experiments.jobs import JobState, StopReason
from cspca.runs.comparison_records import ComparisonProgress, ComparisonRequest, ComparisonSnapshot
from cspca.ui import keys, state, visitor
from cspca.ui.compare_page import settings
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import services

POLL: Final = 0.4
"""Seconds between two looks at a running comparison."""

REDRAW: Final = 15.0
"""Seconds after which results are drawn again although no further method has finished."""

REDRAW_CHARTS: Final = 5.0
"""Seconds that charts stand still at least while results come in."""

GONE: Final = (
    "The comparison of this link is not kept here any more, or is in the trash: look under Runs, "
    "or start it again."
)
OTHER: Final = (
    "The comparison of this link is of another data set than the one in use: open that one, or "
    "start a new comparison."
)


def attach(view: state.View, dataset: Dataset) -> ComparisonProgress | None:
    """Return the comparison of this data set, if there is one, and set the controls to it."""
    session = st.session_state
    name = state.comparison_job(view.data)
    progress = None
    if name is not None:
        try:
            progress = services().comparisons.progress(name, view.data)
            why = "" if progress is not None else GONE
        except ValueError as problem:
            why = plain(str(problem))
        if progress is not None and progress.snapshot.request.sha256 != dataset.sha256:
            progress, why = None, OTHER
        if why:
            state.set_comparison_job(view.data, None)
            st.info(why, icon=":material/info:")
    other_data = session.get(keys.COMPARE_FOR) != dataset.sha256
    if progress is None:
        if other_data:
            settings.show(settings.usual(dataset))
    elif other_data or session.get(keys.COMPARE_SHOWN) != progress.id:
        settings.show(progress.snapshot.request)
        session[keys.COMPARE_SHOWN] = progress.id
    settings.show(settings.usual(dataset), only_missing=True)
    session[keys.COMPARE_FOR] = dataset.sha256
    return progress


def buttons(
    view: state.View, progress: ComparisonProgress | None, request: ComparisonRequest | None
) -> None:
    """Draw what it takes and the button that starts it, or the one that stops it."""
    if progress is not None and progress.active and progress.here:
        st.button(
            "Stopping after this step…" if progress.job.stopping else "Stop, keep what is done",
            key=keys.COMPARE_STOP,
            icon=":material/stop_circle:",
            on_click=stop,
            disabled=progress.job.stopping,
            width="stretch",
        )
        return
    st.button(
        "Compare",
        key=keys.COMPARE_RUN,
        type="primary",
        icon=":material/play_circle:",
        on_click=start,
        args=(view.data, request),
        disabled=request is None or (progress is not None and progress.active),
        width="stretch",
    )
    if request is not None:
        rankings, cells = request.n_rankings, request.n_cells
        st.caption(
            f"{rankings:,} {'ranking' if rankings == 1 else 'rankings'} and {cells:,} clusterings. "
            "What was computed before is not computed again, and every step is kept."
        )


def start(data: str, request: ComparisonRequest) -> None:
    """Start a comparison (a button's callback)."""
    service = services().comparisons
    known = state.may_go_on_with()
    name = service.start(data, request, owner=state.owner(), known_ids=known)
    state.set_comparison_job(data, name)
    visitor.made(name)
    st.session_state[keys.COMPARE_SHOWN] = name
    # Where all is known already the result is there in no time.
    service.join(name, timeout=0.3)


def stop() -> None:
    """Stop the comparison on screen (a button's callback)."""
    job = state.comparison_job(state.current_view().data)
    if job is not None:
        services().comparisons.stop(job)
        services().comparisons.join(job, timeout=0.5)


def resume() -> None:
    """Go on with the comparison on screen (a button's callback)."""
    view = state.current_view()
    name = state.comparison_job(view.data)
    if name is None:
        return
    try:
        following = services().comparisons.resume(name, view.data, owner=state.owner())
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    if following is not None:
        state.set_comparison_job(view.data, following)


def follow(progress: ComparisonProgress) -> None:
    """Draw where a comparison stands, again and again while it runs.

    When a method has finished the whole page runs once more, so that tables and charts are drawn
    when they have news and not at every look.
    """
    shown, name, began = progress.snapshot, progress.id, time.monotonic()
    stopping = progress.job.stopping

    @st.fragment(run_every=POLL if progress.active else None)
    @guarded
    def stage() -> None:
        try:
            now = services().comparisons.progress(name, shown.data)
        except ValueError:
            now = None
        if now is None:
            # The page says why.
            st.rerun()
        if progress.active:
            snapshot = now.snapshot
            more = snapshot.comparison is not shown.comparison
            if (
                not now.active
                or now.job.stopping != stopping
                or snapshot.n_finished > shown.n_finished
                or (more and time.monotonic() - began > REDRAW)
            ):
                st.rerun()
        with st.container(key=keys.BOX_COMPARE_STATUS):
            status(now)

    stage()
    # Not in the fragment, which would go on looking at the job that was stopped.
    if progress.can_resume:
        st.button(
            "Go on",
            key=keys.COMPARE_RESUME,
            icon=":material/play_circle:",
            on_click=resume,
            help="Computes the rest only.",
        )


def drawn(progress: ComparisonProgress) -> Comparison | None:
    """Return what charts and pictures show: the newest at the end, now and then before.

    A chart that gets other data is blank for a moment; the table shows every method at once.
    """
    session, name = st.session_state, progress.id
    newest, now = progress.snapshot.comparison, time.monotonic()
    before, comparison, at = session.get(keys.COMPARE_DRAWN, ("", None, -REDRAW_CHARTS))
    early = progress.snapshot.n_finished < 2
    if not progress.active or (now - at > REDRAW_CHARTS and not early):
        session[keys.COMPARE_DRAWN] = name, newest, now
        return newest
    return comparison if before == name else None


def status(progress: ComparisonProgress) -> None:
    """Say where a comparison stands."""
    job, snapshot = progress.job, progress.snapshot
    if progress.failed:
        st.error(job.error or "", icon=":material/error:")
        return
    if snapshot.note:
        st.warning(plain(snapshot.note), icon=":material/warning:")
    share = snapshot.n_done / max(snapshot.n_cells, 1)
    made = snapshot.n_done - _n_given_up(snapshot)
    counted = f"{made:,} of {snapshot.n_cells:,} clusterings"
    if job.state is JobState.QUEUED:
        place = "next" if job.position == 1 else f"number {job.position}"
        st.progress(
            0.0,
            f"Waiting, {place} in the queue: other comparisons are running on this server; yours "
            "starts by itself.",
        )
    elif progress.active and not progress.here:
        st.progress(share, f"Another program computes it · {counted}")
    elif progress.active:
        if job.stopping:
            doing = f"Stopping when {snapshot.doing or 'this step'} has finished its step"
        elif not snapshot.doing:
            doing = "Getting ready"
        else:
            what = "is ranking" if snapshot.ranking else "is being clustered"
            doing = f"{snapshot.doing} {what}"
        left = snapshot.left()
        ends = "" if left is None or job.stopping else f" · {time_left(left)}"
        if ends and snapshot.unmeasured:
            ends += ", or more: some methods are still to be timed"
        st.progress(share, f"{doing} · {counted}{ends}")
    elif job.state is JobState.STOPPED:
        why = {
            StopReason.UNWATCHED: "Stopped, since nobody had looked for a quarter of an hour",
            StopReason.SUPERSEDED: "Stopped, since you started another comparison",
        }
        reason = why.get(job.stop_reason, "Stopped") if job.stop_reason else "Stopped"
        st.progress(share, f"{reason} · {counted} are done and kept")
    else:
        of = "" if progress.computed is None else " of computing"
        st.progress(1.0, f"Done · {counted}{_given_up(snapshot)}{_took(job.seconds)}{of}")


def _n_given_up(snapshot: ComparisonSnapshot) -> int:
    """Clusterings that a method did not get to since it failed; they count as done elsewhere."""
    comparison = snapshot.comparison
    if comparison is None or not comparison.failures:
        return 0
    failed = comparison.failures
    return sum(
        len(group.cells)
        for group in comparison.plan.groups()
        if (group.method, group.parameters) in failed
        and not comparison.done.issuperset(group.cells)
    )


def _given_up(snapshot: ComparisonSnapshot) -> str:
    left_out = _n_given_up(snapshot)
    return f" ({left_out:,} given up: their methods failed)" if left_out else ""


def _took(seconds: float) -> str:
    return f" · {seconds:,.1f} s" if seconds < 60 else f" · {seconds / 60:,.1f} min"


def time_left(seconds: float) -> str:
    """Say a time to go as coarsely as it is known."""
    if seconds < 5:
        return "a few seconds left"
    if seconds < 50:
        return f"about {5 * round(seconds / 5)} s left"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min left"
    hours, rest = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h{f' {rest} min' if rest else ''} left"
