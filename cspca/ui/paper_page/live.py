"""A reproduction on the page: start it, find it again, follow it, stop it, go on."""

from __future__ import annotations

import time
from typing import Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.comparison_records import has_classes
from cspca.runs.paper import PAPER, PARTS, QUICK, Protocol, Reproduction, begin, sweeps_of
from cspca.runs.store import RunRecord, StoreError
from cspca.runs.sweeps import SweepView
from cspca.ui import keys, state, visitor
from cspca.ui.compare_page.live import time_left
from cspca.ui.guard import guarded
from cspca.ui.paper_page.reading import reproduction_of, runs_here, seconds_to_read
from cspca.ui.plain import plain
from cspca.ui.services import sweeps

POLL: Final = 0.5
"""Seconds between two looks at running parts."""

REDRAW: Final = 4.0
"""Seconds that tables and figures stand still at least while results come in."""

PROTOCOLS: Final[dict[str, Protocol]] = {"paper": PAPER, "quick": QUICK}
_NAMES: Final = {"paper": "The paper’s", "quick": "Quick look"}


def settings(dataset: Dataset) -> tuple[Protocol, tuple[str, ...]]:
    """Draw the choice of how much is computed; return the protocol and the parts."""
    if keys.PAPER_PROTOCOL not in st.session_state:
        st.session_state[keys.PAPER_PROTOCOL] = _likely(dataset)
    key = st.segmented_control(
        "Protocol",
        list(PROTOCOLS),
        format_func=_NAMES.__getitem__,
        key=keys.PAPER_PROTOCOL,
        required=True,
        persist_state="session",
        wrap=True,
    )
    protocol = PROTOCOLS[str(key)]
    parts = st.pills(
        "Parts",
        list(PARTS),
        selection_mode="multi",
        default=list(PARTS),
        format_func=PARTS.__getitem__,
        key=keys.PAPER_PARTS,
        persist_state="session",
        disabled=not has_classes(dataset),
        wrap=True,
    )
    st.caption(protocol.words())
    return protocol, tuple(part for part in PARTS if part in parts)


def _likely(dataset: Dataset) -> str:
    """Return the protocol to begin with: one that something was computed by."""
    try:
        runs = runs_here() or ()
    except StoreError:
        # Said where the runs themselves are asked for.
        return "paper"
    for name, protocol in PROTOCOLS.items():
        if runs and reproduction_of(runs, dataset.sha256, protocol) is not None:
            return name
    return "paper"


def attach(dataset: Dataset, protocol: Protocol) -> Reproduction | None:
    """Return the reproduction of these data that this visitor may see, if there is one."""
    runs = runs_here()
    return None if runs is None else reproduction_of(runs, dataset.sha256, protocol)


def views(reproduction: Reproduction | None) -> dict[str, SweepView]:
    """Look at every part."""
    if reproduction is None:
        return {}
    return {part: sweeps().view(run.id) for part, run in reproduction.parts.items()}


def buttons(
    data: str,
    dataset: Dataset,
    reproduction: Reproduction | None,
    protocol: Protocol,
    parts: tuple[str, ...],
) -> None:
    """Draw the button that starts it or goes on, or the one that stops it."""
    now = views(reproduction)
    here = [view for view in now.values() if view.here]
    if here:
        stopping = all(view.job is not None and view.job.stopping for view in here)
        st.button(
            "Stopping after this step…" if stopping else "Stop, keep what is done",
            key=keys.PAPER_STOP,
            icon=":material/stop_circle:",
            on_click=stop,
            args=(tuple(view.run.id for view in here),),
            disabled=stopping,
            width="stretch",
        )
        return
    begun = any(view.can_resume and view.run.n_done for part, view in now.items() if part in parts)
    left = [part for part in parts if part not in now or now[part].can_resume]
    st.button(
        "Go on" if begun else "Run",
        key=keys.PAPER_RUN,
        type="primary",
        icon=":material/play_circle:",
        on_click=start,
        args=(data, dataset, protocol, tuple(left)),
        disabled=not left or not has_classes(dataset),
        width="stretch",
    )
    if not has_classes(dataset):
        st.caption("The paper’s tables need classes, and these data have none.")
    elif left:
        st.caption(f"{_amount(dataset, protocol, tuple(left))} Every step is kept.")
    elif parts:
        st.caption("All of it is computed and kept.")


def _amount(dataset: Dataset, protocol: Protocol, parts: tuple[str, ...]) -> str:
    """Say how much there is to do."""
    session, at = st.session_state, (dataset.sha256, protocol, parts)
    if session.get(f"{keys.PAPER_RUN}_amount", (None,))[0] != at:
        fits = clusterings = 0
        for sweep in sweeps_of(dataset, protocol, parts).values():
            fits += sum(len(path) for _, path in sweep.rankings())
            clusterings += sweep.plan.n_cells
        session[f"{keys.PAPER_RUN}_amount"] = at, fits, clusterings
    _, fits, clusterings = session[f"{keys.PAPER_RUN}_amount"]
    return f"{fits:,} fits and {clusterings:,} clusterings, less what was computed before."


def start(data: str, dataset: Dataset, protocol: Protocol, parts: tuple[str, ...]) -> None:
    """Start what is left, or go on with it (a button's callback)."""
    service, known = sweeps(), visitor.made()
    mine = [run for run in runs_here() or () if visitor.is_owner() or run.id in known]
    try:
        begun = begin(service.store, dataset, protocol, parts, known=mine)
        for part in parts:
            run = begun.parts[part]
            visitor.made(run.id)
            if not run.complete:
                service.resume(run.id, data)
        for part in parts:
            # Where all is known already the result is there in no time.
            service.join(begun.parts[part].id, timeout=0.2)
    except (ValueError, OSError) as problem:
        state.add_notice(str(problem))


def stop(run_ids: tuple[str, ...]) -> None:
    """Stop the parts at work (a button's callback)."""
    for run_id in run_ids:
        sweeps().stop(run_id)
    for run_id in run_ids:
        sweeps().join(run_id, timeout=0.3)


def follow(reproduction: Reproduction) -> None:
    """Draw where each part stands, again and again while one runs.

    Every few seconds the whole page runs once more, so that tables show what came in.
    """
    shown, began = views(reproduction), time.monotonic()
    active = any(view.active for view in shown.values())
    n_done = reproduction.n_done
    stopping = _stopping(shown)
    # What takes long to read is read more seldom.
    wait = max(REDRAW, 10.0 * seconds_to_read(reproduction)) if active else REDRAW

    @st.fragment(run_every=POLL if active else None)
    @guarded
    def stage() -> None:
        now = views(reproduction)
        if active:
            ended = any(shown[part].active and not now[part].active for part in now)
            more = sum(view.run.n_done for view in now.values()) > n_done
            late = time.monotonic() - began > wait
            if ended or _stopping(now) != stopping or (more and late):
                st.rerun()
        with st.container(key=keys.BOX_PAPER_STATUS, gap="xsmall"):
            for part in PARTS:
                if part in now and not now[part].run.complete:
                    _status(PARTS[part], now[part])
            _done([view.run for view in now.values() if view.run.complete])

    stage()


def _stopping(now: dict[str, SweepView]) -> bool:
    return any(view.here and view.job is not None and view.job.stopping for view in now.values())


def _done(runs: list[RunRecord]) -> None:
    """Say in one line what is complete."""
    if not runs:
        return
    seconds = sum(run.seconds for run in runs)
    took = f"{seconds:,.0f} s" if seconds < 90 else f"{seconds / 60:,.0f} min"
    failed = sum(run.n_failed for run in runs)
    words = f"{sum(run.n_done for run in runs):,} steps computed and kept"
    lost = f" · {failed:,} steps could not be computed" if failed else ""
    titles = ", ".join(PARTS[part] for part in PARTS if part in {run.kind for run in runs})
    st.caption(f"Done: {titles}{lost}", help=f"{words}; {took} of computing.")


def _status(title: str, view: SweepView) -> None:
    """Say where a part stands that is not complete."""
    record, refusal = view.run, view.refusal
    if refusal is not None:
        st.error(plain(refusal), icon=":material/error:")
    over = record.n_done + record.n_failed
    failed = f" · {record.n_failed:,} could not be computed" if record.n_failed else ""
    counted = f"{record.n_done:,} of {record.n_cells:,}{failed}"
    if view.here and view.progress is not None:
        left = view.remaining
        words = f"{counted}{'' if left is None else f' · {time_left(left)}'}"
    elif view.here:
        words = f"waiting · {counted}"
    elif view.active:
        words = f"another program computes it · {counted}"
    else:
        words = f"stopped · {counted} are done and kept"
    st.progress(over / max(record.n_cells, 1), f"{title} · {words}")
