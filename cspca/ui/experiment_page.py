"""The page of an experiment, whatever its kind: find its run, start, follow, stop, show, export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from cspca import record
from cspca.datasets import Dataset
from cspca.experiments.cost import MANY, Rates, outline
from cspca.experiments.experiment import Cell, Experiment, Outcome, Results
from cspca.experiments.runner import experiment_of, stored_outcome
from cspca.experiments.settings import declared
from cspca.experiments.store import StoreError
from cspca.figures.words import duration, listed
from cspca.ui import fields, follow, frame, keys, run_data, state, visitor
from cspca.ui.export import offer
from cspca.ui.plain import button, plain
from cspca.ui.services import runs
from cspca.ui.windows import Glance

if TYPE_CHECKING:
    from cspca.experiments.store import RunRecord

Outline = Sequence[tuple[Cell, int]]
"""Cells, and how many alike each stands for."""

QUICK: float = 10.0
"""Seconds that what a page begins by itself may be expected to take."""

AT_MOST: float = 60.0
"""Seconds after which it ends, done or not, on a server that is slow or has much to do."""


@dataclass(frozen=True)
class ExperimentPage:
    """What distinguishes one kind's page from another's.

    `usual` is what is asked for unless something else is chosen, `controls` draws what can be and
    returns what is asked (a ValueError says what is wrong), `body` lays out what there is, `always`
    before there is a run too. What is `quick` begins by itself: the usual one, or the first of
    these that takes little; None is a page that waits to be asked.
    """

    kind: type[Experiment]
    button: str
    usual: Callable[[Dataset], Experiment]
    controls: Callable[[Dataset], Experiment]
    body: Callable[[Outcome, Dataset, Any], None]
    question: frame.Words
    lead: frame.Words
    always: bool = False
    quick: Callable[[Dataset], Iterable[Experiment]] | None = None

    def draw(self) -> None:
        """Draw the page in its frame."""
        frame.page(self.kind.kind, self.question, self.lead, self.show)

    def show(self, view: state.View, dataset: Dataset) -> None:
        """Draw what is under the title."""
        run = self.attach(view.data, dataset)
        # On a phone the answer comes first.
        with st.container(key="experiment_columns"):
            side: Any
            if state.bare():
                side, main = st.popover("Settings", icon=":material/tune:"), st.container()
            else:
                side, main = st.columns([4, 11], gap="large")
        with side:
            wanted, asked = self._asked(dataset)
        with main:
            outcome = None if run is None else outcome_of(run, dataset)
            self._head(view.data, run, outcome, wanted, asked, dataset)
            shipped = self._record(dataset, outcome)
            if shipped is not None:
                run, outcome = None, shipped
            if outcome is None:
                if self.always:
                    self.body(Outcome(self.usual(dataset), dataset, {}), dataset, None)
                return
            for sentence in sorted(set(outcome.failures.values())):
                st.warning(plain(sentence), icon=":material/warning:")
            if outcome.results:
                self.body(outcome, dataset, run)
            elif run is not None and run.active:
                st.skeleton(height=420)
        if state.bare():
            return
        st.header("Export", anchor=False)
        offer(outcome, ready=bool(outcome.results), run=run)

    def _record(self, dataset: Dataset, outcome: Outcome | None) -> Outcome | None:
        """The shipped run on these data, where it is chosen or there is no other."""
        known = record.paths(self.kind.kind, dataset.sha256)
        if not known:
            return None
        if outcome is not None:
            whose = {"run": "Your run", "record": "Reference run"}
            said = "Reference run: shipped numbers of a complete run on these data."
            at = f"{self.kind.kind}_whose"
            if fields.views("Whose numbers", whose, at, help=said) == "run":
                return None
        found = record.read(known[0])
        first, _, rest = found.note.partition(". ")
        st.caption(plain(f"{first}."), help=plain(rest))
        return found

    def attach(self, data: str, dataset: Dataset) -> RunRecord | None:
        """Return the run of this kind on these data, if there is one, and set the controls to it.

        It is the one of the address, else the last one of this visitor here, else one that was
        asked for the same, else a quick one that begins by itself.
        """
        session, at = st.session_state, f"{self.kind.kind}_shown"
        known, key, found = state.shown_runs(), (self.kind.kind, data), None
        if key in known:
            try:
                found = self._looked_up(known[key], dataset)
            except StoreError as problem:
                del known[key]
                st.info(plain(str(problem)), icon=":material/info:")
        # The data and the run that the controls speak of.
        shown = session.get(at, ("", ""))
        usual = self.usual(dataset)
        if found is None and shown[0] != dataset.sha256:
            found = asked_before(usual, dataset)
            fields.show(usual)
        fields.show(usual, only_missing=True)
        session[at] = dataset.sha256, "" if found is None else found.id
        if found is None:
            return self._glance(usual, data, dataset)
        known[key] = found.view_id
        if shown != session[at]:
            fields.show(experiment_of(found))
        return runs().view(found.id)

    def _glance(self, usual: Experiment, data: str, dataset: Dataset) -> RunRecord | None:
        """The run that begins by itself: the usual one or a smaller, None where all take long.

        Nobody has asked for it: it is on no list and in no address, everybody with the same data
        has the same, and it ends soon, whoever looks.
        """
        if self.quick is None:
            return None
        began = st.session_state.setdefault(keys.GLANCES, {})
        key = self.kind.kind, dataset.sha256
        try:
            if key not in began:
                fitting = (one for one in (usual, *self.quick(dataset)) if _is_quick(one, dataset))
                wanted = next(fitting, None)
                if wanted is not None:
                    owner = visitor.secret()
                    began[key] = runs().start(wanted, data, owner=owner, seconds=AT_MOST)
                    # What somebody has seen before is there in no time.
                    runs().join(began[key], timeout=0.3)
            return runs().view(began[key]) if key in began else None
        except (ValueError, OSError):
            # What is wrong is said when it is asked for.
            began.pop(key, None)
            return None

    def _looked_up(self, wanted: str, dataset: Dataset) -> RunRecord:
        """The run that a link names; StoreError says why it does not belong on this page."""
        store = runs().store
        run = store.view(wanted)
        wrong = ""
        if run.kind != self.kind.kind:
            wrong = "is of another kind: look at it on the Runs page."
        elif run.data.sha256 != dataset.sha256:
            wrong = "is of another data set than the one in use: open that one, or run it on this."
        elif run.trashed is not None:
            wrong = "is in the trash: restore it on the Runs page."
        if wrong:
            raise StoreError(f"The run of this link {wrong}")
        return run

    def _asked(self, dataset: Dataset) -> tuple[Experiment | None, Outline]:
        """Draw the controls and what is wrong with them; return what they ask for, as cells too.

        Of many cells these are some that each stand for others.
        """
        try:
            wanted = self.controls(dataset)
            some = outline(wanted, dataset)
            if _many(some):
                return wanted, some
            return wanted, [(cell, 1) for cell in wanted.cells(dataset)]
        except ValueError as problem:
            wrong = str(problem)
            for name, said in declared(self.kind).items():
                wrong = wrong.replace(name, said.label) if "_" in name else wrong
            st.error(plain(wrong), icon=":material/error:")
        return None, []

    def _head(
        self,
        data: str,
        run: RunRecord | None,
        outcome: Outcome | None,
        wanted: Experiment | None,
        asked: Outline,
        dataset: Dataset,
    ) -> None:
        """Draw where the run stands, and beside it the button that begins another, or stops it."""
        kind, label, icon = self.kind.kind, self.button, "play_circle"
        many, sure = _many(asked), True
        same = outcome is not None and outcome.experiment == wanted
        if outcome is not None and not same and not many:
            # The same may have been asked for in other words.
            same = _alike((cell for cell, _ in asked), outcome.cells)
        glance = run is not None and not run.asked
        full, lead = self.usual(dataset), ""
        if glance and outcome is not None and not _alike(full.cells(dataset), outcome.cells):
            lead = f"Preview: {outcome.experiment.words()}"
        costs, takes = cost(asked, dataset, outcome) if asked and not same else ("", "")
        if lead and wanted == full:
            label = f"Run full experiment, {takes}"
        elif glance and same and run is not None and run.complete:
            label, icon = "Save", "bookmark_add"
        with st.container(horizontal=True, vertical_alignment="center", key=f"{kind}_head"):
            with st.container():
                if run is None or outcome is None:
                    begin = f"Press **{label}**. " if asked else ""
                    st.markdown(
                        f"{begin}Results appear here as they finish, and every step is kept."
                    )
                else:
                    standing(run, outcome, lead)
                if many and not same:
                    said = f"A large run, {takes} of computing: begin it all the same"
                    sure = st.checkbox(said, key=f"{kind}_all_{many}")
            if run is not None and run.job.active and not glance and may_change(run):
                stop_button(run, f"{kind}_stop")
            else:
                busy = run is not None and run.active and not glance
                how = {"type": "primary", "disabled": wanted is None or busy or not sure}
                if costs:
                    kept = "What was computed before is not computed again; every step is kept."
                    how["help"] = f"{costs}. {kept}"
                button(label, f"{kind}_run", icon, self._start, data, wanted, **how)
        if run is None and costs:
            st.caption(f"{costs}.")
        as_offered = bool(lead) and wanted == full
        if run is not None and wanted is not None and not (same or as_offered or run.active):
            st.info(
                f"The settings have changed since: press {label} for results of the new ones, "
                f"{takes}.",
                icon=":material/info:",
            )

    def _start(self, data: str, wanted: Experiment) -> None:
        run_id = runs().start(wanted, data, owner=visitor.secret())
        # Where all is known already the result is there in no time.
        runs().join(run_id, timeout=0.3)
        state.shown_runs()[self.kind.kind, data] = runs().store.get(run_id).view_id


def _many(asked: Outline) -> int:
    """How many cells there are, if they are so many that somebody must be sure; else 0."""
    count = sum(alike for _, alike in asked)
    return count if count > MANY else 0


def _alike(some: Iterable[Cell], others: Iterable[Cell]) -> bool:
    """Whether the same cells are asked for."""
    return {cell.name for cell in some} == {cell.name for cell in others}


def _is_quick(experiment: Experiment, dataset: Dataset) -> bool:
    """Whether it takes so little that a page may begin it by itself."""
    try:
        return Rates(dataset).seconds(experiment.cells(dataset)) <= QUICK
    except ValueError:
        return False


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


def stop_button(run: RunRecord, key: str, **how: Any) -> None:
    """Draw the button that asks a run to end after the step at work."""

    def stop() -> None:
        runs().stop(run.id)
        runs().join(run.id, timeout=0.5)

    label = "Stopping after this step…" if run.job.stopping else "Stop, keep what is done"
    button(label, key, "stop_circle", stop, disabled=run.job.stopping, **how)


def outcome_of(run: RunRecord, dataset: Dataset | None = None) -> Outcome:
    """What is there of a run, read once as often as it changes; without data what is kept."""
    changed = run.id, dataset is None, run.changed
    kept = st.session_state.get(keys.OUTCOME_READ)
    if kept is None or kept[0] != changed:
        found = stored_outcome(runs().store, run, dataset)
        kept = st.session_state[keys.OUTCOME_READ] = changed, found
    read: Outcome = kept[1]
    return read


def standing(run: RunRecord, outcome: Outcome, lead: str = "") -> None:
    """Draw where a run stands; at work, the page shows every few seconds what came in."""
    with st.container(key=f"{run.kind}_status"):
        note = runs().store.note
        if note:
            st.warning(plain(note), icon=":material/warning:")
        if run.job.error is not None:
            st.error(plain(run.job.error), icon=":material/error:")
        name = f"{run.kind}_bar"
        follow.bar(name, watch(run, name, outcome, lead))
    if run.can_resume and run.asked and may_change(run):
        call = runs().resume, run.id, state.data_in_use(), visitor.secret()
        help = "Computes the rest only."
        button("Continue", f"{run.kind}_resume", "play_circle", *call, help=help)
    if run.asked and not run.complete and may_change(run):
        run_data.keep(run)


def watch(run: RunRecord, name: str, outcome: Outcome | None = None, lead: str = "") -> Glance:
    """Return how far a run is; while it is at work the page is drawn anew with it.

    The `lead` says what it is, where it is not what was asked for.
    """
    counts = None
    if outcome is not None:
        done, wanted = (
            sum(cell.size for cell in cells) for cells in (outcome.results, outcome.cells)
        )
        counts = done, wanted
    shown = _glance(run, counts, lead)
    if not run.active:
        return shown
    # What was counted as the page was drawn is soon less than what is done.
    return follow.follow(name, lambda: _glance(runs().view(run.id), None, lead), shown)


def _glance(run: RunRecord, counts: tuple[int, int] | None, lead: str) -> Glance:
    """How far a run is, in steps where it is known how many there are."""
    job, progress, here = run.job, run.job.snapshot, run.job.active
    share = min(1.0, (run.n_done + run.n_failed) / max(run.n_cells, 1))
    counted = f"{100 * share:.0f} %"
    if here and progress is not None:
        share = min(1.0, progress.n_done / max(progress.n_cells, 1))
        counted = f"{progress.n_done:,} of {progress.n_cells:,} steps"
    elif counts is not None and (here or not run.active):
        done, wanted = counts
        share = min(1.0, done / max(wanted, 1))
        counted = f"{done:,} of {wanted:,} steps"
    if run.n_failed:
        counted += f" · {run.n_failed:,} could not be computed"
    if job.state == "queued":
        words = f"Waiting, {job.place}: this one starts by itself."
    elif here and job.stopping:
        words = f"Stopping after this step · {counted}"
    elif here and progress is not None:
        words = f"Computing · {progress.doing} · {counted}"
        if progress.remaining is not None:
            words += f" · about {duration(progress.remaining)} left"
    elif run.active:
        words = f"{'Computing' if here else 'Another program computes it'} · {counted}"
    elif run.complete:
        share, words = 1.0, f"{duration(run.seconds)} of computing"
        if not lead:
            words = f"Done · {counted} · {words}"
    else:
        words = f"Stopped · {counted} are done and kept"
    return Glance(
        (run.active, job.state, job.stopping, job.error, run.trashed),
        run.n_done,
        every=4.0 if run.asked else 1.5,
        share=share,
        words=f"{lead} · {words}" if lead else words,
        active=run.active,
    )


def cost(cells: Outline, dataset: Dataset, outcome: Outcome | None) -> tuple[str, str]:
    """What cells are, and how long those take that are not there yet, going by those that are."""
    there: Results = {} if outcome is None else outcome.results
    counts: Counter[str] = Counter()
    names = {"path": "fit", "rank": "ranking", "cluster": "clustering"}
    names |= {"beside": "measurement", "rerank": "ranking of a part"}
    names |= {"haystack": "random sample"}
    for cell, alike in cells:
        counts[names.get(cell.step, cell.step)] += cell.size * alike
    parts = [f"{count:,} {step}{'' if count == 1 else 's'}" for step, count in counts.items()]
    said = listed(parts)
    rates = Rates(dataset, there)
    more = sum(alike * rates.seconds([cell]) for cell, alike in cells if cell not in there)
    how = "going by what is computed here" if there else "at a rough guess"
    takes = f"about {duration(float(f'{more:.2g}'))}"
    return f"{said}: {takes}{' more' if there else ''} of computing, {how}", takes
