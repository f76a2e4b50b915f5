"""Background jobs in one process: a small pool, a visible queue, cancel, immutable snapshots.

A job is a function that receives a :class:`Control`. It publishes immutable snapshots and asks now
and then whether it should stop. Whoever knows the unguessable id of a job may look at it; nothing
lists the jobs of others. No Streamlit here: the dashboard polls, the tests join.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

logger = logging.getLogger(__name__)

UNEXPECTED = (
    "The computation failed for a reason we did not foresee; the server's log has the details."
)


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """Whether the job still has something to do."""
        return self in (JobState.QUEUED, JobState.RUNNING)


class StopReason(StrEnum):
    """Who asked a job to stop."""

    ASKED = "asked"
    SUPERSEDED = "superseded"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class JobView:
    """What a job looks like at one moment.

    `position` is its place in the queue, `seconds` its time on a worker, `error` one sentence;
    `stopping` says that a stop was asked for and the job has not come round to it yet.
    """

    id: str
    state: JobState
    position: int | None
    snapshot: object | None
    error: str | None
    stopping: bool
    stop_reason: StopReason | None
    seconds: float
    owner: str = ""


class Control:
    """The only thing a running job sees of the registry."""

    def __init__(self, publish: Callable[[object], None], cancel: threading.Event) -> None:
        self._publish = publish
        self._cancel = cancel
        self._heeded = False

    def publish(self, snapshot: object) -> None:
        """Make `snapshot` (immutable, please) the one that everybody sees from now on."""
        self._publish(snapshot)

    @property
    def stop_requested(self) -> bool:
        """Whether the job should end now and keep what it has."""
        asked = self._cancel.is_set()
        # A job that ends in the same moment without having seen the request is done.
        self._heeded = self._heeded or asked
        return asked

    @property
    def heeded(self) -> bool:
        """Whether the job has seen a request to stop."""
        return self._heeded


Work = Callable[[Control], None]


@dataclass
class _Job:
    id: str
    owner: str
    work: Work | None
    submitted: float
    looked_at: float
    pinned: bool = False
    state: JobState = JobState.QUEUED
    snapshot: object | None = None
    error: str | None = None
    stop_reason: StopReason | None = None
    started: float | None = None
    ended: float | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)


class JobRegistry:
    """A process-wide pool of `max_workers` threads with a visible queue.

    Finished jobs are kept `ttl` seconds after the last look, `max_finished` at most; a job that is
    not pinned and that nobody has looked at for `abandon_after` seconds is stopped.
    """

    def __init__(
        self,
        max_workers: int = 2,
        *,
        max_finished: int = 64,
        ttl: float = 1800.0,
        abandon_after: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if max_workers < 1:
            raise ValueError(f"max_workers must be at least 1, got {max_workers}.")
        self._max_workers = max_workers
        self._max_finished = max_finished
        self._ttl = ttl
        self._abandon_after = abandon_after
        self._clock = clock
        self._changed = threading.Condition()
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._names: dict[str, str] = {}
        self._queue: deque[_Job] = deque()
        self._workers: list[threading.Thread] = []
        self._idle = 0
        self._closed = False
        self._closing = threading.Event()
        self._janitor: threading.Thread | None = None

    # -- for those who want work done ------------------------------------------------------------

    def submit(
        self,
        work: Work,
        *,
        name: str = "",
        owner: str = "",
        pinned: bool = False,
        snapshot: object | None = None,
    ) -> str:
        """Queue `work` and return the unguessable id of its job.

        A job replaces every unfinished one of the same `owner`, if it has one, and a job of a
        `name` is not begun again while it works: its id is returned. `snapshot` is shown before
        the job publishes anything, and a `pinned` job runs on when nobody looks.
        """
        now = self._clock()
        job = _Job(secrets.token_urlsafe(16), owner, work, now, now, pinned=pinned)
        job.snapshot = snapshot
        with self._changed:
            if self._closed:
                raise RuntimeError("The job registry is closed.")
            before = self._find(name)
            if before is not None and before.state.active:
                return before.id
            self._replace(owner)
            self._jobs[job.id] = job
            self._names[name or job.id] = job.id
            self._queue.append(job)
            self._evict(now)
            if self._idle < len(self._queue) and len(self._workers) < self._max_workers:
                self._start_worker()
            if self._janitor is None:
                self._start_janitor()
            self._changed.notify()
        return job.id

    def record(self, snapshot: object, *, owner: str = "") -> str:
        """Register work that was done already, as a finished job, and return its id."""
        now = self._clock()
        job = _Job(secrets.token_urlsafe(16), owner, None, now, now, snapshot=snapshot)
        with self._changed:
            self._replace(owner)
            self._jobs[job.id] = job
            self._end(job, JobState.DONE)
            self._evict(now)
        return job.id

    def view(self, job_id: str | None) -> JobView | None:
        """Look at a job by id or name, which also keeps it alive; None when there is none."""
        with self._changed:
            job = self._find(job_id)
            if job is None:
                return None
            now = self._clock()
            job.looked_at = now
            self._jobs.move_to_end(job.id)
            return self._view(job, now)

    def name(self, name: str, job_id: str) -> None:
        """Let a name find a job, in place of the one that it found before."""
        with self._changed:
            if job_id in self._jobs:
                self._names[name] = job_id

    def cancel(self, job_id: str, reason: StopReason = StopReason.ASKED) -> bool:
        """Ask a job to stop and keep what it has; False when it had ended or does not exist."""
        with self._changed:
            job = self._find(job_id)
            return job is not None and self._cancel(job, reason)

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait until the job has ended; True when it has (or is not known any more)."""
        with self._changed:
            job = self._find(job_id)
        return job is None or job.finished.wait(timeout)

    def pin(self, job_id: str) -> bool:
        """Let a job run on when nobody looks; False when there is none of that id."""
        with self._changed:
            job = self._find(job_id)
            if job is None:
                return False
            job.pinned = True
            return True

    def sweep(self) -> None:
        """Stop the jobs nobody has looked at and forget the finished ones that are too old."""
        with self._changed:
            now = self._clock()
            for job in list(self._jobs.values()):
                unseen = now - job.looked_at
                if job.state.active and not job.pinned and unseen > self._abandon_after:
                    self._cancel(job, StopReason.UNWATCHED)
            self._evict(now)

    def close(self, timeout: float | None = 5.0) -> None:
        """Stop every job and wait for the workers; nothing can be submitted afterwards."""
        with self._changed:
            self._closed = True
            self._closing.set()
            for job in list(self._jobs.values()):
                self._cancel(job, StopReason.ASKED)
            self._changed.notify_all()
            workers = list(self._workers)
        for worker in workers:
            worker.join(timeout)

    # -- inside; the lock is held ----------------------------------------------------------------

    def _find(self, name: str | None) -> _Job | None:
        """Return the job of an id, or the last one of a name: what it works on outlives it."""
        return self._jobs.get(self._names.get(name, name)) if name else None

    def _view(self, job: _Job, now: float) -> JobView:
        position = None
        if job.state is JobState.QUEUED:
            position = self._queue.index(job) + 1
        until = now if job.ended is None else job.ended
        return JobView(
            id=job.id,
            state=job.state,
            position=position,
            snapshot=job.snapshot,
            error=job.error,
            stopping=job.state is JobState.RUNNING and job.cancel.is_set(),
            stop_reason=job.stop_reason,
            seconds=0.0 if job.started is None else until - job.started,
            owner=job.owner,
        )

    def _cancel(self, job: _Job, reason: StopReason) -> bool:
        if not job.state.active:
            return False
        if job.stop_reason is None:
            job.stop_reason = reason
        job.cancel.set()
        if job.state is JobState.QUEUED:
            self._queue.remove(job)
            self._end(job, JobState.STOPPED)
        return True

    def _replace(self, owner: str) -> None:
        for job in list(self._jobs.values()):
            if owner and job.owner == owner:
                self._cancel(job, StopReason.SUPERSEDED)

    def _end(self, job: _Job, state: JobState) -> None:
        job.state = state
        job.ended = self._clock()
        # The closure holds data sets and models: a finished job keeps only its snapshot.
        job.work = None
        job.finished.set()

    def _evict(self, now: float) -> None:
        finished = [job for job in self._jobs.values() if not job.state.active]
        excess = len(finished) - self._max_finished
        for rank, job in enumerate(finished):
            if rank < excess or now - job.looked_at > self._ttl:
                del self._jobs[job.id]
                self._names = {name: of for name, of in self._names.items() if of != job.id}

    # -- threads ---------------------------------------------------------------------------------

    def _start_worker(self) -> None:
        name = f"cspca-job-{len(self._workers) + 1}"
        worker = threading.Thread(target=self._serve, name=name, daemon=True)
        self._workers.append(worker)
        worker.start()

    def _start_janitor(self) -> None:
        self._janitor = threading.Thread(target=self._tidy, name="cspca-janitor", daemon=True)
        self._janitor.start()

    def _tidy(self) -> None:
        period = max(0.05, min(5.0, self._abandon_after / 4, self._ttl / 4))
        while not self._closing.wait(period):
            self.sweep()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._queue and not self._closed:
                    self._changed.wait()
                self._idle -= 1
                if self._closed:
                    return
                job = self._queue.popleft()
                work = job.work
                job.state = JobState.RUNNING
                job.started = self._clock()
            assert work is not None
            self._run(job, work)

    def _run(self, job: _Job, work: Work) -> None:
        def publish(snapshot: object) -> None:
            with self._changed:
                job.snapshot = snapshot

        control = Control(publish, job.cancel)
        error: str | None = None
        try:
            work(control)
        except ValueError as problem:
            # The library's own ValueErrors are one sentence for the person at the screen.
            logger.warning("A job was refused its input.", exc_info=True)
            error = one_sentence(problem)
        except Exception:
            logger.exception("A job failed.")
            error = UNEXPECTED
        with self._changed:
            if error is not None:
                job.error = error
                self._end(job, JobState.FAILED)
            else:
                self._end(job, JobState.STOPPED if control.heeded else JobState.DONE)
            self._evict(self._clock())


def one_sentence(problem: BaseException, limit: int = 300) -> str:
    """Return the first paragraph of an exception's message as one line with a full stop."""
    paragraph = str(problem).strip().split("\n\n", 1)[0]
    text = " ".join(paragraph.split())
    if not text:
        return UNEXPECTED
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    return text if text.endswith((".", "!", "?", "…")) else text + "."
