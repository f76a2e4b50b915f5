"""Runs an experiment, whatever its kind: what is finished is kept, whatever happens.

Only the process that runs opens the store. It claims cells when a worker is free for them and
commits what comes back; workers, which may be on another machine, return results.
"""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import joblib

from cspca.datasets import Dataset
from cspca.evaluation.steps import FAILURES, failed
from cspca.experiments.apart import Apart
from cspca.experiments.cost import LONG, Rates, by_size, outline
from cspca.experiments.experiment import Cell, Experiment, Outcome, Result
from cspca.experiments.jobs import Job, JobRegistry, Stopped
from cspca.experiments.records import versions
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import from_json
from cspca.experiments.store import LEASE, RunRecord, Store
from cspca.selection.registry import method_of
from cspca.threads import blas_threads

if TYPE_CHECKING:
    from cspca.experiments.memory import DatasetLibrary

BACKENDS = ("loky", "threading", "dask")

_CONNECT = 10.0
"""Seconds to wait for a scheduler."""

_COMMIT_EVERY = 0.25
"""Seconds between two commits: one costs about as much as a small clustering."""

_Team = Callable[[Iterator[tuple[Any, ...]]], Any]


@dataclass(frozen=True)
class Progress:
    """How far a run is, in fits and clusterings; seconds remain once every step has been seen."""

    n_done: int
    n_failed: int
    n_cells: int
    doing: str
    remaining: float | None


def run(
    experiment: Experiment,
    data: Dataset,
    *,
    store: Store | None = None,
    owner: str = "",
    name: str | None = None,
    n_jobs: int = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Run an experiment on a data set, and return it with its results.

    Parameters
    ----------
    experiment : Experiment
        The settings, such as ``Sensitivity(alphas=(0.01, 0.1))``.
    data : Dataset
    store : Store or None, default=None
        Where results are kept; None keeps them in memory. What was asked before is gone on with.
    owner : str, default=""
        The secret of whoever asks; "" is the user of this machine.
    name : str or None, default=None
        For people; None is made from the kind and the data.
    n_jobs : int, default=1
        Workers; −1 is one for every core, or all of a cluster.
    backend : {"loky", "threading", "dask"} or None, default=None
        Processes, threads, or a cluster. None is "dask" with a `scheduler`, otherwise what
        :func:`joblib.parallel_config` says.
    scheduler : str or None, default=None
        Address of a Dask scheduler, such as ``tcp://127.0.0.1:8786``.
    should_stop : callable or None, default=None
        Asked before every cell, from other threads too; True ends the run when the cells at work
        are done.
    on_progress : callable or None, default=None
        Called with a :class:`Progress` after every cell.

    Returns
    -------
    Outcome
        With all that is finished. The numbers depend neither on the backend nor on interruptions.

    Raises
    ------
    ValueError
        One sentence, when data and settings do not fit together or the backend cannot be used.
    """
    with Store(":memory:") if store is None else nullcontext(store) as opened:
        run_id = opened.find_or_create(experiment, data, owner=owner, name=name)
        options: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend, "scheduler": scheduler}
        return resume(opened, run_id, experiment, data, should_stop, on_progress, **options)


def resume(
    store: Store,
    run_id: str,
    experiment: Experiment,
    data: Dataset,
    should_stop: Callable[[], bool] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    compute: Callable[..., tuple[Cell, Result | str]] | None = None,
    **options: Any,
) -> Outcome:
    """Compute the cells of a run that are not done; `options` is n_jobs, backend and scheduler.

    `compute` stands in for :func:`perform`; where that is :class:`Stopped` the cell is not done.
    """
    stop = should_stop or (lambda: False)
    store.check(run_id, data)
    store.retry(run_id)
    store.restore_cells(run_id, experiment.cells(data))
    with (
        _workers(compute or perform, **options) as (team, n_workers),
        blas_threads(),
        closing(_Course(store, run_id, experiment, data, stop, on_progress)) as course,
    ):
        while course.wave(team, n_workers):
            pass
    return stored_outcome(store, store.get(run_id), data, experiment)


def stored_outcome(
    store: Store,
    run: RunRecord,
    data: Dataset | None = None,
    experiment: Experiment | None = None,
) -> Outcome:
    """What is finished of a run, on what is kept of its data unless they are given.

    Where there are none, what the run knows of them stands in, and cells are known by their names.
    """
    experiment = experiment or experiment_of(run)
    if data is None:
        with suppress(ValueError):
            return stored_outcome(store, run, store.data(run.id), experiment)
    results, failures, note = store.results(run.id), store.failures(run.id), ""
    if data is None:
        cells = {name: cell_named(*json.loads(name)) for name in (*results, *failures)}
    else:
        cells = {cell.name: cell for cell in experiment.cells(data)}
        if results.keys() - cells.keys():
            note = (
                "Some of it was computed by an earlier version of cspca, whose numbers may differ, "
                "and is not shown: resume the run to compute it again."
            )
    done = {cell: results[name] for name, cell in cells.items() if name in results}
    failed = {cell: failures[name] for name, cell in cells.items() if name in failures}
    outcome = Outcome(experiment, data or run.data, done, failed, note)
    unknown = 0 if data is not None else run.n_cells - len(cells)
    outcome.__dict__["cells"] = (*cells.values(), *(None,) * unknown)
    return outcome


def cell_named(step: str, revision: int, parameters: dict[str, Any]) -> Cell:
    """A cell, as far as its name tells."""
    needs = (cell_named(*parameters["ranking"]),) if "ranking" in parameters else ()
    title = needs[0].title if needs else ""
    # What an earlier version had may be gone.
    with suppress(KeyError):
        title = title or method_of(parameters.get("method", "cspca")).title
    return Cell(step, parameters, revision, needs, title)


def experiment_of(run: RunRecord) -> Experiment:
    """The experiment that a run was asked for."""
    return from_json(EXPERIMENTS[run.kind], run.settings)


def perform(
    experiment: Experiment, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]
) -> tuple[Cell, Result | str]:
    """Compute a cell where a worker is: its result, or why there is none in one sentence."""
    began = time.perf_counter()
    # At one setting of threads everywhere, so that sums are taken in the same order.
    with blas_threads():
        try:
            result = experiment.compute(cell, data, needed)
        except FAILURES as error:
            return cell, failed(cell.title or cell.step, error)
    return cell, replace(result, seconds=result.seconds or time.perf_counter() - began)


class _Tally:
    """Fits and clusterings of a run that are done, failed and left, kept up cell by cell.

    Every count is of all cells at first and of one cell afterwards: progress costs the same
    however many cells a run has.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        done: Collection[str],
        failed: Collection[str],
        data: Dataset,
    ) -> None:
        self.n_done = self.n_failed = self.n_cells = 0
        self._left: dict[str, tuple[Cell, float]] = {}
        # Of what is left, by step and title: how many cells, and their size together.
        self._sizes: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0])
        for cell in cells:
            self.n_cells += cell.size
            size = by_size(cell, data)
            self._left[cell.name] = cell, size
            sizes = self._sizes[cell.step, cell.title]
            sizes[0] += 1
            sizes[1] += size
        for name in done:
            self.settle(name)
        for name in failed:
            self.settle(name, failed=True)

    def settle(self, name: str, *, failed: bool = False) -> None:
        """Count a cell as done or failed, once."""
        if name not in self._left:
            return
        cell, size = self._left.pop(name)
        if failed:
            self.n_failed += cell.size
        else:
            self.n_done += cell.size
        sizes = self._sizes[cell.step, cell.title]
        sizes[0] -= 1
        sizes[1] -= size
        # No rounding is left over.
        if not sizes[0]:
            del self._sizes[cell.step, cell.title]

    def seconds(self, rates: Rates) -> float | None:
        """Seconds of computing that are left; None where a step has not been seen yet."""
        total = 0.0
        for (step, title), (_, size) in self._sizes.items():
            rate = rates.rate(step, title)
            if rate is None:
                return None
            total += rate * size
        return total


class _Ready:
    """Cells that wait for a worker, those apart that still need results."""

    def __init__(self, waiting: list[Cell], results: Collection[str]) -> None:
        self._cells = waiting
        # Places in `waiting` of what can be computed: what needs no other cell, and what does.
        self._alone: deque[int] = deque()
        self._resting: list[int] = []
        self._lacks: dict[int, int] = {}
        self._dependents: defaultdict[str, list[int]] = defaultdict(list)
        for place, cell in enumerate(waiting):
            lacking = {need.name for need in cell.needs if need.name not in results}
            for name in lacking:
                self._dependents[name].append(place)
            if lacking:
                self._lacks[place] = len(lacking)
            elif cell.needs:
                self._resting.append(place)
            else:
                self._alone.append(place)

    def arrived(self, name: str) -> None:
        """Note that there is a result of a cell."""
        for place in self._dependents.pop(name, ()):
            self._lacks[place] -= 1
            if not self._lacks[place]:
                heappush(self._resting, place)

    def next(self, n_workers: int) -> Cell | None:
        """Take the cell that is computed next; None while nothing can be."""
        # Alone, what rests on others first: results show early. With others, what others rest
        # on while little is ready, so that nobody waits at the end.
        if self._resting and (len(self._resting) >= n_workers or not self._alone):
            return self._cells[heappop(self._resting)]
        return self._cells[self._alone.popleft()] if self._alone else None


@dataclass
class _Course:
    """What one process has of a run: its claims, results waiting to be committed, and times."""

    _store: Store
    _run_id: str
    _experiment: Experiment
    _data: Dataset
    _stop: Callable[[], bool]
    _tell: Callable[[Progress], None] | None

    def __post_init__(self) -> None:
        self._cells = {cell.name: cell for cell in self._experiment.cells(self._data)}
        self._results = self._store.results(self._run_id)
        self._failed = set(self._store.failures(self._run_id))
        self._claims: dict[str, float] = {}
        self._finished: dict[str, Result] = {}
        self._lock = threading.Lock()
        self._trouble: list[Exception] = []
        finished = self._cells.keys() & self._results.keys()
        results = {self._cells[name]: self._results[name] for name in finished}
        self._rates = Rates(self._data, results)
        self._dependents: defaultdict[str, list[str]] = defaultdict(list)
        for name, cell in self._cells.items():
            for need in cell.needs:
                self._dependents[need.name].append(name)
        # Results that came since the cells that can be computed were last looked at.
        self._arrived: deque[str] = deque()
        self._tally = self._counted()
        self._began = self._committed = time.perf_counter()
        self._worked = 0.0
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._renew, daemon=True)
        self._keeper.start()

    def _counted(self) -> _Tally:
        return _Tally(self._cells.values(), self._results, self._failed, self._data)

    def close(self) -> None:
        """Keep what is finished, and give back the rest."""
        self._over.set()
        self._keeper.join()
        self._commit()
        self._store.renew(self._run_id, self._claims, None)

    @contextmanager
    def _claiming(self) -> Iterator[None]:
        """Change the claims in a thread of ours or of joblib's: trouble is told in :meth:`wave`."""
        with self._lock:
            try:
                yield
            except (ValueError, OSError) as error:
                self._trouble.append(error)

    def _renew(self) -> None:
        """Keep what is at work from being taken over, until the end."""
        while not self._over.wait(LEASE / 3) and not self._trouble:
            with self._claiming():
                self._claims = self._store.renew(self._run_id, self._claims, LEASE)

    def wave(self, team: _Team, n_workers: int) -> bool:
        """Compute what can be computed now; whether there may be more."""
        names = self._store.open_cells(self._run_id) - self._failed
        waiting = [cell for name, cell in self._cells.items() if name in names]
        if not waiting or self._stop():
            return False
        came = False
        try:
            with closing(team(self._calls(waiting, n_workers))) as answers:
                for cell, answer in answers:
                    came = True
                    self._keep(cell, answer)
        except Stopped:
            return False
        except BrokenProcessPool as error:
            raise ValueError(
                "A worker process ended before its work was done, perhaps for want of memory: "
                "what was finished is kept, resume with fewer jobs."
            ) from error
        self._commit()
        if self._trouble:
            raise self._trouble[0]
        if not came and not self._stop():
            # Another process has all that is left: wait for it to end, or to die.
            time.sleep(0.2)
            unseen = self._cells.keys() - self._results.keys()
            self._results |= self._store.results(self._run_id, unseen)
            self._failed = set(self._store.failures(self._run_id))
            self._tally = self._counted()
        return True

    def _calls(self, waiting: list[Cell], n_workers: int) -> Iterator[tuple[Any, ...]]:
        """Claim one cell after another, as workers get free."""
        self._arrived.clear()
        ready = _Ready(waiting, self._results)
        while not self._stop() and not self._trouble:
            while self._arrived:
                ready.arrived(self._arrived.popleft())
            cell = ready.next(n_workers)
            if cell is None:
                return
            with self._claiming():
                self._claims |= self._store.claim(self._run_id, [cell.name], LEASE)
            if cell.name in self._claims:
                needed = {need: self._results[need.name] for need in cell.needs}
                yield self._experiment, cell, self._data, needed

    def _keep(self, cell: Cell, answer: Result | str) -> None:
        if isinstance(answer, str):
            also = self._dependents[cell.name]
            self._failed.update([cell.name, *also])
            for name in (cell.name, *also):
                self._tally.settle(name, failed=True)
            with self._lock:
                if cell.name in self._claims:
                    claim = {cell.name: self._claims.pop(cell.name)}
                    self._store.fail(self._run_id, claim, answer, also)
        else:
            self._results[cell.name] = self._finished[cell.name] = answer
            self._arrived.append(cell.name)
            self._tally.settle(cell.name)
            self._rates.add(cell, answer.seconds)
            self._worked += answer.seconds
        if time.perf_counter() - self._committed > _COMMIT_EVERY:
            self._commit()
        if self._tell is not None:
            self._tell(self._progress(cell.title))

    def _commit(self) -> None:
        with self._lock:
            self._store.commit(self._run_id, self._claims, self._finished)
            for name in self._finished:
                self._claims.pop(name, None)
            self._finished = {}
            self._committed = time.perf_counter()

    def _progress(self, doing: str) -> Progress:
        tally, seconds = self._tally, self._tally.seconds(self._rates)
        if seconds and self._worked:
            # Workers side by side, and the time between tasks.
            seconds *= (time.perf_counter() - self._began) / self._worked
        return Progress(tally.n_done, tally.n_failed, tally.n_cells, doing, seconds)


# -- where cells are computed ----------------------------------------------------------------------


@contextmanager
def _workers(
    function: Callable[..., Any],
    n_jobs: int = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[_Team, int]]:
    """Yield what calls `function` on tuples, asked for as workers get free; how many workers."""
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs}.")
    if scheduler is not None and backend not in (None, "dask"):
        raise ValueError(f"A scheduler belongs to the backend dask, not to {backend}.")
    with ExitStack() as stack:
        options: dict[str, Any] = {}
        # A cluster is far away: the next task waits there.
        ahead = "n_jobs"
        if scheduler is not None or backend == "dask":
            backend, ahead = "dask", "2 * n_jobs"
            options["client"] = stack.enter_context(_client(scheduler))
        elif backend == "loky":
            # A terminal sends Ctrl-C to workers too: it is for the process that gives the work.
            options["initializer"] = signal.signal
            options["initargs"] = signal.SIGINT, signal.SIG_IGN
        if backend is not None:
            stack.enter_context(joblib.parallel_config(backend=backend, **options))
        call_options = {"return_as": "generator_unordered", "batch_size": 1, "pre_dispatch": ahead}
        parallel = stack.enter_context(joblib.Parallel(n_jobs=n_jobs, **call_options))
        count = joblib.effective_n_jobs(n_jobs) if n_jobs == -1 else n_jobs
        yield lambda calls: parallel(joblib.delayed(function)(*call) for call in calls), count


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    try:
        from dask.sizeof import sizeof
        from distributed import Client, get_client
    except ImportError as error:
        raise ValueError(
            'A cluster needs Dask: install it with pip install "cspca[dask]".'
        ) from error

    # So that pixels are sent to the cluster once, not with every task.
    sizeof.register(Dataset, lambda data: data.data.nbytes)  # type: ignore[no-untyped-call]
    refusal = "Which cluster is not said: give the address of its scheduler."
    try:
        if scheduler is None:
            # One that was there before is not ours to close.
            connection: Any = nullcontext(get_client())
        else:
            refusal = f"No Dask scheduler answers at {scheduler}: start one, or check the address."
            connection = Client(scheduler, timeout=_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(refusal) from error
    with connection as client:
        for worker, worker_versions in client.run(versions).items():
            for name, here in versions().items():
                # Joblib only hands the work over: no number depends on it.
                if worker_versions.get(name) != here and name != "joblib":
                    raise ValueError(
                        f"The worker {worker} has {name} {worker_versions.get(name)} and here is "
                        f"{here}: numbers may differ, install the same versions there."
                    )
        yield client


# -- in the background of a server -----------------------------------------------------------------


class RunService:
    """Runs go on in the background of a server when their page is closed, and after a restart."""

    def __init__(self, store: Store, library: DatasetLibrary, registry: JobRegistry) -> None:
        self.store, self._library, self._jobs = store, library, registry
        self.stop, self.join = registry.cancel, registry.join
        self._begun: set[str] = set()

    def start(
        self, experiment: Experiment, data: str, *, owner: str, seconds: float | None = None
    ) -> str:
        """Begin a run on the data of the library's key `data`, or go on with the same one.

        One of limited `seconds` is not asked for, but begun by a page itself. A ValueError says
        that it is too much.
        """
        dataset, is_requested = self._library.get(data), seconds is None
        outline(experiment, dataset)
        run_id = self.store.find(experiment, dataset, owner, asked=is_requested)
        if run_id is None:
            self.store.check_room(owner)
            run_id = self.store.find_or_create(experiment, dataset, owner=owner, asked=is_requested)
        self.resume(run_id, data, owner, seconds)
        return run_id

    def keep_data(self, run_id: str, data: Dataset, owner: str) -> None:
        """Keep the data of a visitor's run too, where there is room for them."""
        self.store.check_room(owner, data.data.nbytes)
        self.store.keep_data(run_id, data)

    def close(self) -> None:
        """Stop every run, keep what is done, and wait for each."""
        for end in (self.stop, partial(self.join, timeout=5.0)):
            for run_id in self._begun:
                end(run_id)

    def resume(self, run_id: str, data: str, owner: str = "", seconds: float | None = None) -> None:
        """Go on with a run on the data of this key, unless this server does already.

        One that is asked for takes turns with others, cell by cell; a glance gives way to all.
        """
        experiment, is_requested = experiment_of(self.store.get(run_id)), seconds is None
        if self.store.open_cells(run_id):
            self.store.check_room(owner)

        def work(job: Job) -> None:
            dataset, apart = self._library.get(data), Apart()
            rates = Rates(dataset)
            late = math.inf if seconds is None else time.monotonic() + seconds
            # Who waits for the next turn holds no process.
            job.rest = apart.close

            def halt() -> bool:
                if time.monotonic() > late:
                    job.stop_reason = job.stop_reason or "late"
                return job.stop_requested()

            def compute(*arguments: Any) -> tuple[Cell, Result | str]:
                cell = arguments[1]
                # Here it would keep whoever waits from Python's lock, and could not be stopped.
                outside = self._jobs.busy or rates.seconds([cell]) > LONG
                answer = apart(halt, perform, *arguments) if outside else perform(*arguments)
                if isinstance(answer[1], Result):
                    rates.add(cell, answer[1].seconds)
                return answer

            def stop() -> bool:
                return halt() or job.give_way()

            with apart:
                # One cell after another: each may be the last for now.
                arguments = self.store, run_id, experiment, dataset
                resume(*arguments, should_stop=stop, on_progress=job.publish, compute=compute)

        options: dict[str, Any] = {
            "asked": is_requested,
            "pinned": is_requested,
            "heavy": lambda: is_requested,
        }
        self._begun.add(run_id)
        self._jobs.submit(work, name=run_id, owner=f"{owner} {run_id}", **options)

    def view(self, run_id: str) -> RunRecord:
        """Look at a run, with what this server does for it."""
        # The job first: what it did last is in the store when it has ended.
        job = self._jobs.view(run_id)
        run = self.store.get(run_id)
        return run if job is None else replace(run, job=job)
