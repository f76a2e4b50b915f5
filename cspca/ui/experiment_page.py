"""Page of any kind of experiment: finds, starts, follows, stops, shows and exports its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
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
"""Cells, each with the number of similar cells that it represents."""

QUICK: float = 10.0
"""Estimated seconds up to which a page starts an experiment by itself."""

AT_MOST: float = 60.0
"""Seconds after which such a run is stopped, finished or not, on a slow or busy server."""


@dataclass(frozen=True)
class ExperimentPage:
    """Definition of the page of one kind of experiment.

    `usual` returns the default experiment. `controls` draws the settings and returns the experiment
    that they define; its ValueError describes an invalid setting. `body` draws the results, with
    `always` also before there is a run. `quick` yields smaller experiments: the default one, or the
    first of these that is fast enough, starts by itself. Without `quick` the page starts none.
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
        """Draw the page below its title."""
        run = self.attach(view.data, dataset)
        # On a phone the results come first.
        with st.container(key="experiment_columns"):
            side: Any
            if state.bare():
                side, main = st.popover("Settings", icon=":material/tune:"), st.container()
            else:
                side, main = st.columns([4, 11], gap="large")
        with side:
            requested, cells = self._read_controls(dataset)
        with main:
            outcome = None if run is None else outcome_of(run, dataset)
            same = outcome is not None and outcome.experiment == requested
            if outcome is not None and not same and not _many(cells):
                # Different settings may define the same cells.
                same = _alike((cell for cell, _ in cells), outcome.cells)
            self._head(view.data, run, outcome, requested, cells, dataset, same=same)
            if outcome is not None and requested is not None and same:
                # Settings that change no cell need no new run.
                outcome = _with_settings(outcome, requested)
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
        """Return the shipped run on these data if it is chosen or there is no other run."""
        shipped_paths = record.paths(self.kind.kind, dataset.sha256)
        if not shipped_paths:
            return None
        if outcome is not None:
            sources = {"run": "Your run", "record": "Reference run"}
            hint = "Reference run: shipped numbers of a complete run on these data."
            at = f"{self.kind.kind}_whose"
            if fields.views("Whose numbers", sources, at, help=hint) == "run":
                return None
        shipped = record.read(shipped_paths[0])
        first, _, rest = shipped.note.partition(". ")
        st.caption(plain(f"{first}."), help=plain(rest))
        return shipped

    def attach(self, data: str, dataset: Dataset) -> RunRecord | None:
        """Return the run of this kind on these data, if there is one, and set the controls to it.

        It is the run of the address, else the last run of this visitor on this page, else an
        earlier run with the default settings, else a quick run that starts by itself.
        """
        session, at = st.session_state, f"{self.kind.kind}_shown"
        view_ids, key, run = state.shown_runs(), (self.kind.kind, data), None
        if key in view_ids:
            try:
                run = self._looked_up(view_ids[key], dataset)
            except StoreError as problem:
                del view_ids[key]
                st.info(plain(str(problem)), icon=":material/info:")
        # The data and the run that the controls are set to.
        shown = session.get(at, ("", ""))
        usual = self.usual(dataset)
        if run is None and shown[0] != dataset.sha256:
            run = earlier_run(usual, dataset)
            fields.show(usual)
        fields.show(usual, only_missing=True)
        session[at] = dataset.sha256, "" if run is None else run.id
        if run is None:
            return self._glance(usual, data, dataset)
        view_ids[key] = run.view_id
        if shown != session[at]:
            fields.show(experiment_of(run))
        return runs().view(run.id)

    def _glance(self, usual: Experiment, data: str, dataset: Dataset) -> RunRecord | None:
        """Return the run that starts by itself: of the usual experiment or a smaller one.

        It is None where all of them take long. The run is in no list and in no address, is shared
        by all visitors with the same data, and is stopped after `AT_MOST` seconds.
        """
        if self.quick is None:
            return None
        preview_ids = st.session_state.setdefault(keys.GLANCES, {})
        key = self.kind.kind, dataset.sha256
        try:
            if key not in preview_ids:
                candidates = (usual, *self.quick(dataset))
                preview = next((quick for quick in candidates if _is_quick(quick, dataset)), None)
                if preview is not None:
                    owner = visitor.secret()
                    preview_ids[key] = runs().start(preview, data, owner=owner, seconds=AT_MOST)
                    # Cached results are there at once.
                    runs().join(preview_ids[key], timeout=0.3)
            return runs().view(preview_ids[key]) if key in preview_ids else None
        except (ValueError, OSError):
            # The error is shown when the visitor starts the run.
            preview_ids.pop(key, None)
            return None

    def _looked_up(self, view_id: str, dataset: Dataset) -> RunRecord:
        """Return the run that a link names; StoreError if it does not belong on this page."""
        store = runs().store
        run = store.view(view_id)
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

    def _read_controls(self, dataset: Dataset) -> tuple[Experiment | None, Outline]:
        """Draw the controls and their error; return the requested experiment and its cells.

        Large experiments are represented by some of their cells.
        """
        try:
            requested = self.controls(dataset)
            cells = outline(requested, dataset)
            if _many(cells):
                return requested, cells
            return requested, [(cell, 1) for cell in requested.cells(dataset)]
        except ValueError as problem:
            wrong = str(problem)
            for name, field in declared(self.kind).items():
                wrong = wrong.replace(name, field.label) if "_" in name else wrong
            st.error(plain(wrong), icon=":material/error:")
        return None, []

    def _head(
        self,
        data: str,
        run: RunRecord | None,
        outcome: Outcome | None,
        requested: Experiment | None,
        cells: Outline,
        dataset: Dataset,
        *,
        same: bool,
    ) -> None:
        """Draw the status of the run, and beside it the button that starts or stops a run."""
        kind, label, icon = self.kind.kind, self.button, "play_circle"
        many, sure = _many(cells), True
        glance = run is not None and not run.asked
        full, lead = self.usual(dataset), ""
        if glance and outcome is not None and self._is_reduced(outcome, full, dataset):
            lead = f"Preview: {outcome.experiment.words()}"
        costs, takes = cost(cells, dataset, outcome) if cells and not same else ("", "")
        if lead and requested == full:
            label = f"Run full experiment, {takes}"
        elif glance and same and run is not None and run.complete:
            label, icon = "Save", "bookmark_add"
        with st.container(horizontal=True, vertical_alignment="center", key=f"{kind}_head"):
            with st.container():
                if run is None or outcome is None:
                    begin = f"Press **{label}**. " if cells else ""
                    st.markdown(
                        f"{begin}Results appear here as they finish, and every step is kept."
                    )
                else:
                    standing(run, outcome, lead)
                if many and not same:
                    confirmation = f"A large run, {takes} of computing: begin it all the same"
                    sure = st.checkbox(confirmation, key=f"{kind}_all_{many}")
            if run is not None and run.job.active and not glance and may_change(run):
                stop_button(run, f"{kind}_stop")
            else:
                busy = run is not None and run.active and not glance
                options: dict[str, Any] = {"disabled": requested is None or busy or not sure}
                # A run that has stopped is continued; only other settings call for another one.
                goes_on = same and run is not None and run.can_resume and may_change(run)
                options["type"] = "secondary" if goes_on else "primary"
                if costs:
                    reuse = "What was computed before is not computed again; every step is kept."
                    options["help"] = f"{costs}. {reuse}"
                button(label, f"{kind}_run", icon, self._start, data, requested, **options)
        if run is None and costs:
            st.caption(f"{costs}.")
        as_offered = bool(lead) and requested == full
        if run is not None and requested is not None and not (same or as_offered or run.active):
            st.info(
                f"The settings have changed since: press {label} for results of the new ones, "
                f"{takes}.",
                icon=":material/info:",
            )

    def _is_reduced(self, outcome: Outcome, full: Experiment, dataset: Dataset) -> bool:
        """Whether a preview is a smaller version of the usual experiment."""
        reduced = () if self.quick is None else self.quick(dataset)
        if outcome.experiment not in (full, *reduced):
            return False
        return not _alike(full.cells(dataset), outcome.cells)

    def _start(self, data: str, experiment: Experiment) -> None:
        shown = state.shown_runs()
        run_id = runs().start(experiment, data, owner=visitor.secret())
        shown[self.kind.kind, data] = runs().store.get(run_id).view_id
        # If all cells are cached, the result is there at once.
        runs().join(run_id, timeout=0.3)


def _many(cells: Outline) -> int:
    """Return the number of cells if it is so large that the visitor must confirm it, else 0."""
    count = sum(alike for _, alike in cells)
    return count if count > MANY else 0


def _with_settings(outcome: Outcome, experiment: Experiment) -> Outcome:
    """Return the results under other settings; with the same ones what was worked out stays."""
    if outcome.experiment == experiment:
        return outcome
    return replace(outcome, experiment=experiment)


def _alike(cells: Iterable[Cell], others: Iterable[Cell]) -> bool:
    """Whether two collections have the same cells."""
    return {cell.name for cell in cells} == {cell.name for cell in others}


def _is_quick(experiment: Experiment, dataset: Dataset) -> bool:
    """Whether an experiment is fast enough for a page to start it by itself."""
    try:
        return Rates(dataset).seconds(experiment.cells(dataset)) <= QUICK
    except ValueError:
        return False


def earlier_run(experiment: Experiment, dataset: Dataset) -> RunRecord | None:
    """Return an earlier run of this visitor with the same settings."""
    try:
        store = runs().store
        run_id = store.find(experiment, dataset, visitor.secret())
        return None if run_id is None else store.get(run_id)
    except (ValueError, OSError):
        # A store that cannot be read is reported when the visitor uses it.
        return None


def may_change(run: RunRecord) -> bool:
    """Whether this visitor may stop, resume, rename and delete a run."""
    return bool(runs().store.may_change(run, visitor.sight()))


def stop_button(run: RunRecord, key: str, **options: Any) -> None:
    """Draw the button that stops a run after its current step."""

    def stop() -> None:
        runs().stop(run.id)
        runs().join(run.id, timeout=0.5)

    label = "Stopping after this step…" if run.job.stopping else "Stop, keep what is done"
    button(label, key, "stop_circle", stop, disabled=run.job.stopping, **options)


def outcome_of(run: RunRecord, dataset: Dataset | None = None) -> Outcome:
    """Return the results of a run, read again when it changes; without data those saved."""
    changed = run.id, dataset is None, run.changed
    cached = st.session_state.get(keys.OUTCOME_READ)
    if cached is None or cached[0] != changed:
        outcome = stored_outcome(runs().store, run, dataset)
        cached = st.session_state[keys.OUTCOME_READ] = changed, outcome
    cached_outcome: Outcome = cached[1]
    return cached_outcome


def standing(run: RunRecord, outcome: Outcome, lead: str = "") -> None:
    """Draw the status of a run; while it is active the page is redrawn every few seconds."""
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
        button("Continue", f"{run.kind}_resume", "play_circle", *call, help=help, type="primary")
    if run.asked and not run.complete and may_change(run):
        run_data.keep(run)


def watch(run: RunRecord, name: str, outcome: Outcome | None = None, lead: str = "") -> Glance:
    """Return the progress of a run; while it is active the page is redrawn as it advances.

    The `lead` describes a run that is not the requested one.
    """
    counts = None
    if outcome is not None:
        n_done, n_requested = (
            sum(cell.size for cell in cells) for cells in (outcome.results, outcome.cells)
        )
        counts = n_done, n_requested
    shown = _glance(run, counts, lead)
    if not run.active:
        return shown
    # The counts of the drawn page are soon out of date.
    return follow.follow(name, lambda: _glance(runs().view(run.id), None, lead), shown)


def _glance(run: RunRecord, counts: tuple[int, int] | None, lead: str) -> Glance:
    """Return the progress of a run, in steps where their number is known."""
    job, progress, here = run.job, run.job.snapshot, run.job.active
    share = min(1.0, (run.n_done + run.n_failed) / max(run.n_cells, 1))
    counted = f"{100 * share:.0f} %"
    if here and progress is not None:
        share = min(1.0, progress.n_done / max(progress.n_cells, 1))
        counted = f"{progress.n_done:,} of {progress.n_cells:,} steps"
    elif counts is not None and (here or not run.active):
        n_done, n_requested = counts
        share = min(1.0, n_done / max(n_requested, 1))
        counted = f"{n_done:,} of {n_requested:,} steps"
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
    """Describe cells, and estimate the time of those that have no results from those that do."""
    there: Results = {} if outcome is None else outcome.results
    counts: Counter[str] = Counter()
    names = {"path": "fit", "halves": "fit", "rank": "ranking", "cluster": "clustering"}
    names |= {"beside": "measurement", "rank-halves": "refit"}
    names |= {"haystack": "random sample"}
    for cell, alike in cells:
        counts[names.get(cell.step, cell.step)] += cell.size * alike
    parts = [f"{count:,} {step}{'' if count == 1 else 's'}" for step, count in counts.items()]
    description = listed(parts)
    rates = Rates(dataset, there)
    seconds = sum(alike * rates.seconds([cell]) for cell, alike in cells if cell not in there)
    basis = "going by what is computed here" if there else "at a rough guess"
    takes = f"about {duration(float(f'{seconds:.2g}'))}"
    return f"{description}: {takes}{' more' if there else ''} of computing, {basis}", takes
