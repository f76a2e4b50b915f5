"""The page of an experiment, whatever its kind: find its run, start, follow, stop, show, export."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from cspca.datasets import Dataset
from cspca.experiments.experiment import Experiment, Outcome
from cspca.experiments.jobs import JobState
from cspca.experiments.runner import experiment_of, stored_outcome
from cspca.experiments.service import RunView
from cspca.experiments.store import StoreError
from cspca.ui import fields, frame, keys, state, visitor
from cspca.ui.export import offer, report_of
from cspca.ui.guard import guarded
from cspca.ui.plain import plain
from cspca.ui.services import runs

if TYPE_CHECKING:
    from cspca.experiments.store import RunRecord

POLL: Final = 0.4
"""Seconds between two looks at a run at work."""

REDRAW: Final = 4.0
"""Seconds that figures stand still at least while results come in."""

_STEPS: Final = {
    "path": "fit",
    "rank": "ranking",
    "cluster": "clustering",
    "check": "check",
    "fit": "fit",
}

IN_TRASH: Final = "The run of this link is in the trash: restore it on the Runs page."
OTHER_DATA: Final = (
    "The run of this link is of another data set than the one in use: open that one, or run it on "
    "this one."
)
OTHER_KIND: Final = "The run of this link is of another kind: look at it on the Runs page."
CARRIED_OVER: Final = (
    "The run of this link was made by an earlier version: its numbers are on the Runs page."
)
KEPT: Final = (
    "Every step is kept on the server’s disk as it finishes: stop, close the page or restart the "
    "server, and continue later. Whoever has this page’s address can look at it, and change "
    "nothing."
)


@dataclass(frozen=True)
class ExperimentPage:
    """What distinguishes one kind's page from another's.

    `usual` is what is asked for unless something else is chosen, `controls` draws what can be and
    returns what is asked (a ValueError says what is wrong), `body` lays out what there is, `steps`
    says what will happen.
    """

    kind: type[Experiment]
    button: str
    usual: Callable[[Dataset], Experiment]
    controls: Callable[[Dataset], Experiment]
    body: Callable[[Outcome, Dataset, RunView], None]
    steps: Callable[[Dataset], Sequence[str]]
    title: frame.Words
    lead: frame.Words
    empty: Callable[[Dataset], None] = lambda dataset: None

    def draw(self) -> None:
        """Draw the page in its frame."""
        frame.page(self.title, self.lead, self.show)

    def show(self, view: state.View, dataset: Dataset) -> None:
        """Draw what is under the title."""
        run = self.attach(view.data, dataset)
        with st.container(key=f"{self.kind.kind}_columns"):
            side, main = st.columns([4, 11], gap="large")
        with side:
            wanted = self._asked(dataset)
            self._buttons(view.data, run, wanted, dataset)
        with main:
            if run is None:
                self._empty(dataset)
                return
            outcome = outcome_of(run.run, dataset)
            follow(run, outcome)
            for sentence in sorted(set(outcome.failures.values())):
                st.warning(plain(sentence), icon=":material/warning:")
            if not run.active and wanted is not None and _differs(wanted, outcome):
                st.info(
                    f"The settings have changed since: press {self.button} for results of the new "
                    "ones.",
                    icon=":material/info:",
                )
            if outcome.results:
                self.body(outcome, dataset, run)
        st.subheader("Export", anchor=False)
        export(outcome, run.run)

    def _asked(self, dataset: Dataset) -> Experiment | None:
        try:
            return self.controls(dataset)
        except ValueError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
            return None

    def attach(self, data: str, dataset: Dataset) -> RunView | None:
        """Return the run of this kind on these data, if there is one, and set the controls to it.

        It is the one of the address, else the last one of this visitor here, else one that was
        asked for the same.
        """
        session, kind = st.session_state, self.kind.kind
        found = self._found(data, dataset)
        other_data = session.get(f"{kind}_for") != dataset.sha256
        usual = self.usual(dataset)
        if found is None and other_data:
            found = self._same(usual, dataset)
        if found is not None:
            state.show_run(kind, data, found.view_id)
            if other_data or session.get(f"{kind}_shown") != found.id:
                fields.show(experiment_of(found))
                session[f"{kind}_shown"] = found.id
        elif other_data:
            fields.show(usual)
        fields.show(usual, only_missing=True)
        session[f"{kind}_for"] = dataset.sha256
        return None if found is None else runs().view(found.id)

    def _found(self, data: str, dataset: Dataset) -> RunRecord | None:
        """The run that the address or an earlier visit names, if it belongs here; else say why."""
        wanted = state.shown_run(self.kind.kind, data)
        if wanted is None:
            return None
        try:
            found = _looked_up(wanted)
            why = self._unfit(found, dataset)
        except StoreError as problem:
            why = plain(str(problem))
        if not why:
            return found
        state.show_run(self.kind.kind, data, None)
        st.info(why, icon=":material/info:")
        return None

    def _unfit(self, run: RunRecord, dataset: Dataset) -> str:
        """Why a run does not belong on this page; empty where it does."""
        if run.kind != self.kind.kind:
            return OTHER_KIND
        if run.imported:
            return CARRIED_OVER
        if run.data.sha256 != dataset.sha256:
            return OTHER_DATA
        return IN_TRASH if run.trashed else ""

    def _same(self, usual: Experiment, dataset: Dataset) -> RunRecord | None:
        """An earlier run of this visitor that was asked for what is usual."""
        try:
            store = runs().store
            found = store.find(usual, dataset, visitor.secret())
            return None if found is None else store.get(found)
        except (ValueError, OSError):
            # A store that cannot be read is spoken of when somebody wants something of it.
            return None

    def _buttons(
        self, data: str, run: RunView | None, wanted: Experiment | None, dataset: Dataset
    ) -> None:
        """Draw the button that begins and what it takes, or the one that stops."""
        kind = self.kind.kind
        if run is not None and run.here and may_change(run.run):
            st.button(
                "Stopping after this step…" if run.stopping else "Stop, keep what is done",
                key=f"{kind}_stop",
                icon=":material/stop_circle:",
                on_click=stop,
                args=(run.run.id,),
                disabled=run.stopping,
                width="stretch",
            )
            return
        costs = ""
        try:
            costs = "" if wanted is None else cost(wanted, dataset, run)
        except ValueError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
            wanted = None
        st.button(
            self.button,
            key=f"{kind}_run",
            type="primary",
            icon=":material/play_circle:",
            on_click=self._start,
            args=(data, wanted),
            disabled=wanted is None or (run is not None and run.active),
            width="stretch",
        )
        if costs:
            st.caption(
                f"{costs}. What was computed before is not computed again, and every step is kept."
            )

    def _start(self, data: str, wanted: Experiment) -> None:
        try:
            run_id = runs().start(wanted, data, owner=visitor.secret())
        except ValueError as problem:
            state.add_notice(str(problem))
            return
        # Where all is known already the result is there in no time.
        runs().join(run_id, timeout=0.3)
        state.show_run(self.kind.kind, data, runs().store.get(run_id).view_id)
        st.session_state[f"{self.kind.kind}_shown"] = run_id

    def _empty(self, dataset: Dataset) -> None:
        st.info(
            f"Press **{self.button}**. Results appear here as they finish.",
            icon=":material/start:",
        )
        lines = [*self.steps(dataset), KEPT]
        st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(lines, 1)))
        self.empty(dataset)


def _differs(wanted: Experiment, outcome: Outcome) -> bool:
    """Whether other numbers are asked for than those shown, not the same in other words."""
    if wanted == outcome.experiment:
        return False
    asked = {cell.name for cell in wanted.cells(outcome.data)}
    return asked != {cell.name for cell in outcome.cells}


def _looked_up(wanted: str) -> RunRecord:
    """The run of a view id, or of its own id as links of an earlier version have it."""
    store = runs().store
    try:
        return store.view(wanted)
    except StoreError:
        return store.get(wanted)


def may_change(run: RunRecord) -> bool:
    """Whether this visitor may stop, resume, rename and delete a run."""
    return bool(runs().store.may_change(run, visitor.sight()))


def stop(run_id: str) -> None:
    """Ask a run to end after the step at work (a button's callback)."""
    runs().stop(run_id)
    runs().join(run_id, timeout=0.5)


def resume(run_id: str, data: str | None) -> None:
    """Go on with a run (a button's callback)."""
    try:
        runs().resume(run_id, data)
    except ValueError as problem:
        state.add_notice(str(problem))


def outcome_of(run: RunRecord, dataset: Dataset | None = None) -> Outcome:
    """What is there of a run, read once as often as it changes; without data what is kept."""
    changed = run.id, dataset is None, runs().store.changed(run.id)
    kept = st.session_state.get(keys.OUTCOME)
    if kept is None or kept[0] != changed:
        store = runs().store
        found = stored_outcome(store, run) if dataset is None else runs().outcome(run.id, dataset)
        kept = st.session_state[keys.OUTCOME] = changed, found
    read: Outcome = kept[1]
    return read


def follow(run: RunView, outcome: Outcome) -> None:
    """Draw where a run stands, again and again while it is at work.

    Every few seconds the whole page runs once more, so that it shows what came in.
    """
    run_id, began, n_done, stopping = run.run.id, time.monotonic(), run.run.n_done, run.stopping

    @st.fragment(run_every=POLL if run.active else None)
    @guarded
    def stage() -> None:
        now = runs().view(run_id)
        if run.active:
            more = now.run.n_done > n_done and time.monotonic() - began > REDRAW
            if not now.active or now.stopping != stopping or more:
                st.rerun()
        with st.container(key=f"{run.run.kind}_status"):
            status(now, outcome)

    stage()
    # Not in the fragment, which would go on looking at the job that was stopped.
    if run.can_resume and may_change(run.run):
        st.button(
            "Continue",
            key=f"{run.run.kind}_resume",
            icon=":material/play_circle:",
            on_click=resume,
            args=(run_id, state.data_in_use()),
            help="Computes the rest only.",
        )


def status(run: RunView, outcome: Outcome) -> None:
    """Say where a run stands; `outcome` is what there was of it when it was last drawn."""
    note = runs().store.note
    if note:
        st.warning(plain(note), icon=":material/warning:")
    if run.refusal is not None:
        st.error(plain(run.refusal), icon=":material/error:")
    bar(run, outcome)


def bar(run: RunView, outcome: Outcome | None = None) -> None:
    """Draw how far a run is, in fits and clusterings where it is known how many there are."""
    record = run.run
    over = record.n_done + record.n_failed
    share = min(1.0, over / max(record.n_cells, 1))
    counted = f"{record.n_done:,} of {record.n_cells:,} steps"
    done: tuple[int, ...] = ()
    if run.here and run.progress is not None:
        done = run.progress.n_done, run.progress.n_cells
    elif outcome is not None and (run.here or not run.active):
        done = tuple(sum(cell.size for cell in of) for of in (outcome.results, outcome.cells))
    if done:
        counted = f"{done[0]:,} of {done[1]:,} fits and clusterings"
    failed = f" · {record.n_failed:,} could not be computed" if record.n_failed else ""
    if run.here:
        job = run.job
        if job is not None and job.state is JobState.QUEUED:
            place = "next" if job.position == 1 else f"number {job.position}"
            words = f"Waiting, {place} in the queue: others are running; this one starts by itself."
            st.progress(share, words)
            return
        doing = "Stopping after this step" if run.stopping else "Computing"
        of = "" if run.progress is None or run.stopping else f" · {plain(run.progress.doing)}"
        left = run.remaining
        ends = "" if left is None or run.stopping else f" · {time_left(left)}"
        st.progress(share, f"{doing}{of} · {counted}{failed}{ends}")
    elif run.active:
        st.progress(share, f"Another program computes it · {counted}{failed}")
    elif record.complete:
        st.progress(1.0, f"Done · {counted}{failed} · {took(record.seconds)} of computing")
    else:
        st.progress(share, f"Stopped · {counted} are done and kept{failed}")


def cost(experiment: Experiment, dataset: Dataset, run: RunView | None) -> str:
    """Say what an experiment takes, going by the run on screen where it can."""
    counts: Counter[str] = Counter()
    for cell in experiment.cells(dataset):
        counts[cell.step] += cell.size
    parts = [
        f"{count:,} {_STEPS.get(step, 'step')}{'' if count == 1 else 's'}"
        for step, count in counts.items()
    ]
    said = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    if run is None or not run.run.n_done or not run.run.seconds:
        return f"{said}; how long that takes is estimated after the first ones"
    one = run.run.seconds / run.run.n_done
    n_cells = sum(1 for _ in experiment.cells(dataset))
    return f"{said}, {time_left(one * n_cells).removesuffix(' left')} of computing, by this run"


def export(outcome: Outcome, run: RunRecord) -> None:
    """Draw what can be taken from a run: report, tables, arrays, charts, lines of Python."""
    about: dict[str, Any] = {"name": run.name, "made": run.updated, "seconds": run.seconds}
    about |= {"versions": run.versions[-1]} if run.versions else {}
    notes = ("These lines give the same numbers; only times differ.",)
    offer(outcome, report_of(outcome, **about), notes=notes, ready=bool(outcome.results))


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


def took(seconds: float) -> str:
    """Say a time of computing."""
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 60:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.1f} min" if seconds < 3600 else f"{seconds / 3600:,.1f} h"
