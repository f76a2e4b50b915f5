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
from cspca.experiments.settings import declared
from cspca.experiments.store import StoreError
from cspca.figures.words import duration
from cspca.ui import fields, frame, state, visitor
from cspca.ui.export import offer
from cspca.ui.guard import button, polled
from cspca.ui.plain import plain
from cspca.ui.services import runs

if TYPE_CHECKING:
    from cspca.experiments.store import RunRecord

POLL: Final = 0.4
"""Seconds between two looks at a run at work."""

REDRAW: Final = 4.0
"""Seconds that figures stand still at least while results come in."""

_STEPS: Final = {"path": "fit", "rank": "ranking", "cluster": "clustering"}
"""What a step is called where its name is not the word."""

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
    returns what is asked (a ValueError says what is wrong), `body` lays out what there is, `always`
    before there is a run too, `steps` says what will happen.
    """

    kind: type[Experiment]
    button: str
    usual: Callable[[Dataset], Experiment]
    controls: Callable[[Dataset], Experiment]
    body: Callable[[Outcome, Dataset, Any], None]
    steps: Callable[[Dataset], Sequence[str]]
    title: frame.Words
    lead: frame.Words
    always: bool = False

    def draw(self) -> None:
        """Draw the page in its frame."""
        frame.page(self.title, self.lead, self.show)

    def show(self, view: state.View, dataset: Dataset) -> None:
        """Draw what is under the title."""
        run = self.attach(view.data, dataset)
        with st.container(key=f"{self.kind.kind}_columns"):
            side, main = st.columns([4, 11], gap="large")
        with side:
            wanted = self._asked(view.data, run, dataset)
        with main:
            if run is None:
                self._empty(dataset)
                return
            outcome = outcome_of(run, dataset)
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
        offer(outcome, ready=bool(outcome.results), run=run)

    def attach(self, data: str, dataset: Dataset) -> RunRecord | None:
        """Return the run of this kind on these data, if there is one, and set the controls to it.

        It is the one of the address, else the last one of this visitor here, else one that was
        asked for the same.
        """
        session, kind = st.session_state, self.kind.kind
        found = None
        wanted = state.shown_runs().get((kind, data))
        if wanted is not None:
            try:
                found = self._looked_up(wanted, dataset)
            except StoreError as problem:
                del state.shown_runs()[kind, data]
                st.info(plain(str(problem)), icon=":material/info:")
        # The data and the run that the controls speak of.
        of, shown = session.get(f"{kind}_shown", ("", ""))
        usual = self.usual(dataset)
        if found is None and of != dataset.sha256:
            found = asked_before(usual, dataset)
            fields.show(usual)
        fields.show(usual, only_missing=True)
        if found is None:
            session[f"{kind}_shown"] = dataset.sha256, ""
            return None
        state.shown_runs()[kind, data] = found.view_id
        if (of, shown) != (dataset.sha256, found.id):
            fields.show(experiment_of(found))
        session[f"{kind}_shown"] = dataset.sha256, found.id
        return runs().view(found.id)

    def _looked_up(self, wanted: str, dataset: Dataset) -> RunRecord:
        """The run that a link names; StoreError says why it does not belong on this page."""
        store = runs().store
        try:
            run = store.view(wanted)
        except StoreError:
            # Links of an earlier version have the run's own id.
            run = store.get(wanted)
        wrong = {
            OTHER_KIND: run.kind != self.kind.kind,
            CARRIED_OVER: run.imported,
            OTHER_DATA: run.data.sha256 != dataset.sha256,
            IN_TRASH: run.trashed is not None,
        }
        for why, holds in wrong.items():
            if holds:
                raise StoreError(why)
        return run

    def _asked(self, data: str, run: RunRecord | None, dataset: Dataset) -> Experiment | None:
        """Draw the controls, and the button that begins with what it takes, or that stops."""
        kind, wanted, costs = self.kind.kind, None, ""
        here = run is not None and run.here and may_change(run)
        try:
            wanted = self.controls(dataset)
            costs = "" if here else cost(wanted, dataset, run)
        except ValueError as problem:
            wrong = str(problem)
            for name, said in declared(self.kind).items():
                wrong = wrong.replace(name, said.label) if "_" in name else wrong
            st.error(plain(wrong), icon=":material/error:")
        if run is not None and here:
            label = "Stopping after this step…" if run.stopping else "Stop, keep what is done"
            how = {"disabled": run.stopping, "width": "stretch"}
            button(label, f"{kind}_stop", "stop_circle", stop, run.id, **how)
            return wanted
        off = not costs or (run is not None and run.active)
        how = {"type": "primary", "disabled": off, "width": "stretch"}
        button(self.button, f"{kind}_run", "play_circle", self._start, data, wanted, **how)
        if costs:
            st.caption(
                f"{costs}. What was computed before is not computed again, and every step is kept."
            )
        return wanted

    def _start(self, data: str, wanted: Experiment) -> None:
        run_id = runs().start(wanted, data, owner=visitor.secret())
        # Where all is known already the result is there in no time.
        runs().join(run_id, timeout=0.3)
        state.shown_runs()[self.kind.kind, data] = runs().store.get(run_id).view_id

    def _empty(self, dataset: Dataset) -> None:
        st.info(
            f"Press **{self.button}**. Results appear here as they finish.",
            icon=":material/start:",
        )
        lines = [*self.steps(dataset), KEPT]
        st.markdown("\n".join(f"{number}. {step}" for number, step in enumerate(lines, 1)))
        if self.always:
            self.body(Outcome(self.usual(dataset), dataset, {}), dataset, None)


def _differs(wanted: Experiment, outcome: Outcome) -> bool:
    """Whether other numbers are asked for than those shown, not the same in other words."""
    if wanted == outcome.experiment:
        return False
    asked = {cell.name for cell in wanted.cells(outcome.data)}
    return asked != {cell.name for cell in outcome.cells}


def asked_before(experiment: Experiment, dataset: Dataset) -> RunRecord | None:
    """An earlier run of this visitor that was asked for the same."""
    try:
        store = runs().store
        found = store.find(experiment, dataset, visitor.secret())
        return None if found is None else store.get(found)
    except (ValueError, OSError):
        # A store that cannot be read is spoken of when somebody wants something of it.
        return None


def may_change(run: RunRecord) -> bool:
    """Whether this visitor may stop, resume, rename and delete a run."""
    return bool(runs().store.may_change(run, visitor.sight()))


def stop(run_id: str) -> None:
    """Ask a run to end after the step at work (a button's callback)."""
    runs().stop(run_id)
    runs().join(run_id, timeout=0.5)


def outcome_of(run: RunRecord, dataset: Dataset | None = None) -> Outcome:
    """What is there of a run, read once as often as it changes; without data what is kept."""
    changed = run.id, dataset is None, run.changed
    kept = st.session_state.get("outcome_read")
    if kept is None or kept[0] != changed:
        found = stored_outcome(runs().store, run, dataset)
        kept = st.session_state["outcome_read"] = changed, found
    read: Outcome = kept[1]
    return read


def follow(run: RunRecord, outcome: Outcome) -> None:
    """Draw where a run stands, again and again while it is at work.

    Every few seconds the whole page runs once more, so that it shows what came in.
    """
    run_id, kind, began = run.id, run.kind, time.monotonic()

    def stage() -> None:
        now = runs().view(run_id)
        if run.active:
            more = now.n_done > run.n_done and time.monotonic() - began > REDRAW
            if not now.active or now.stopping != run.stopping or more:
                st.rerun()
        with st.container(key=f"{kind}_status"):
            note = runs().store.note
            if note:
                st.warning(plain(note), icon=":material/warning:")
            if now.refusal is not None:
                st.error(plain(now.refusal), icon=":material/error:")
            bar(now, outcome)

    polled(POLL if run.active else None, stage)
    # Not in the fragment, which would go on looking at the job that was stopped.
    if run.can_resume and may_change(run):
        call = runs().resume, run_id, state.data_in_use()
        said = "Computes the rest only."
        button("Continue", f"{kind}_resume", "play_circle", *call, help=said)


def bar(run: RunRecord, outcome: Outcome | None = None) -> None:
    """Draw how far a run is, in fits and clusterings where it is known how many there are."""
    job, progress = run.job, run.progress
    share = min(1.0, (run.n_done + run.n_failed) / max(run.n_cells, 1))
    counted = f"{run.n_done:,} of {run.n_cells:,} steps"
    if run.here and progress is not None:
        counted = f"{progress.n_done:,} of {progress.n_cells:,} fits and clusterings"
    elif outcome is not None and (run.here or not run.active):
        done, asked = (sum(cell.size for cell in of) for of in (outcome.results, outcome.cells))
        counted = f"{done:,} of {asked:,} fits and clusterings"
    if run.n_failed:
        counted += f" · {run.n_failed:,} could not be computed"
    if run.here and job is not None and job.state is JobState.QUEUED:
        place = "next" if job.position == 1 else f"number {job.position}"
        words = f"Waiting, {place} in the queue: others are running; this one starts by itself."
    elif run.here and run.stopping:
        words = f"Stopping after this step · {counted}"
    elif run.here:
        words = f"Computing · {counted}"
        if progress is not None:
            words = f"Computing · {plain(progress.doing)} · {counted}"
            if progress.remaining is not None:
                words += f" · about {duration(progress.remaining)} left"
    elif run.active:
        words = f"Another program computes it · {counted}"
    elif run.complete:
        share, words = 1.0, f"Done · {counted} · {duration(run.seconds)} of computing"
    else:
        words = f"Stopped · {counted} are done and kept"
    st.progress(share, words)


def cost(experiment: Experiment, dataset: Dataset, run: RunRecord | None) -> str:
    """Say what an experiment takes, going by the run on screen where it can."""
    counts: Counter[str] = Counter()
    cells = list(experiment.cells(dataset))
    for cell in cells:
        counts[_STEPS.get(cell.step, cell.step)] += cell.size
    parts = [f"{count:,} {step}{'' if count == 1 else 's'}" for step, count in counts.items()]
    said = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    if run is None or not run.n_done or not run.seconds:
        return f"{said}; how long that takes is estimated after the first ones"
    seconds = run.seconds / run.n_done * len(cells)
    return f"{said}, about {duration(seconds)} of computing, by this run"
