"""Background jobs in one process: few workers shared fairly, a visible queue, Stop, snapshots.

A job is a function that receives its :class:`Job`. Whoever knows the unguessable id of a job
may look at it; nothing lists the jobs of others. The dashboard polls, the tests join.

Who waits goes in turns: what somebody asked for before what a page began by itself, and then the
visitor whose last turn is longest ago. A heavy job, which takes more than seconds, is one at a time
a visitor, leaves workers to the light ones, and gives way between its steps.
"""

from __future__ import annotations

import atexit
import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, Literal
from weakref import WeakSet

from cspca.experiments.ledger import LEDGER, FullError, Ledger, Memory
from cspca.experiments.ledger import Stopped as Stopped
from cspca.experiments.log import hashed

logger = logging.getLogger(__name__)

UNEXPECTED = (
    "The computation failed for a reason we did not foresee; the server's log has the details."
)

ABANDONED = 120.0
"""Seconds after which a job is stopped that nobody looks at."""

_SOON = 5.0
"""Seconds that a job waits for its next turn before it puts away what it holds."""

_CALM = 8
"""Sweeps without anything to do after which all is at rest."""

_STRETCH = 240
"""Sweeps after which memory is released although something was to do in each: a minute."""

_REMEMBERED = 10_000
"""Visitors of whom it is known when they had their last turn."""


_OPEN: Final[WeakSet[JobRegistry]] = WeakSet()
"""Registries whose jobs are stopped before the process ends."""

JobState = Literal["queued", "running", "stopped", "done", "failed"]


@dataclass(eq=False)
class Job:
    """A job as its own work has it, or a copy that shows what it looked like at one moment.

    The `owner` is a visitor and, after a space, the place where their jobs replace each other.
    `heavy` says whether it is, asked when it may begin: what it `makes` may be there by then. One
    that is given `calm` is at work only while it says so.
    `position` is its place in the queue, `error` one sentence. It is to stop because somebody
    "asked", because it is "superseded" by another one of its owner, or "unwatched"; one that was
    refused, since too many wait, is stopped for "busy".
    """

    work: Work | None = None
    owner: str = ""
    snapshot: Any = None
    pinned: bool = False
    asked: bool = True
    heavy: Callable[[], bool] = lambda: False
    calm: Callable[[], bool] | None = None
    makes: Hashable = None
    abandoned: float = ABANDONED
    registry: JobRegistry | None = None
    looked_at: float = field(default_factory=time.monotonic)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: JobState = "queued"
    position: int | None = None
    error: str | None = None
    n_published: int = 0
    stop_reason: str | None = None
    heeded: bool = False
    began: float = math.inf
    asked_at: float = math.inf
    ended: float = math.inf
    finished: threading.Event = field(default_factory=threading.Event)
    # Its turn: whether it has a worker, counts as heavy, when it had its last one, and what it
    # does before it waits for the next.
    at_work: bool = False
    weighs: bool = False
    turn: int = 0
    go: threading.Event = field(default_factory=threading.Event)
    rest: Callable[[], None] = lambda: None

    def publish(self, snapshot: object) -> None:
        """Make `snapshot` (immutable, please) the one that everybody sees from now on."""
        self.snapshot = snapshot
        self.n_published += 1

    def stop_requested(self) -> bool:
        """Whether the job should end now and keep what it has."""
        # A job that ends in the same moment without having seen the request is done.
        self.heeded = self.stop_reason is not None
        return self.heeded

    def give_way(self) -> bool:
        """Wait while it is the turn of others; whether the job should end now."""
        if self.registry is not None:
            self.registry.give_way(self)
        return self.stop_requested()

    def unwanted(self) -> bool:
        """Whether it is to stop and no other job wants what it makes."""
        return self.stop_reason is not None and not (
            self.registry is not None and self.registry.wants(self.makes)
        )

    @property
    def place(self) -> str:
        """Its place in the queue, in words."""
        return "yours is next" if self.position == 1 else f"{(self.position or 1) - 1:,} before you"

    @property
    def visitor(self) -> str:
        """Whose turn it takes."""
        return self.owner.partition(" ")[0]

    @property
    def told(self) -> dict[str, object]:
        """What the log and the operator learn of it: hashes, for its id would open it."""
        now = min(time.monotonic(), self.ended)
        return {
            "job": hashed(self.id)[:8],
            "visitor": hashed(self.visitor)[:8],
            "state": "stopping" if self.stopping else self.state,
            "seconds": round(max(0.0, now - self.began), 2),
        }

    @property
    def active(self) -> bool:
        """Whether it still has something to do."""
        return self.state in ("queued", "running")

    @property
    def stopping(self) -> bool:
        """Whether a stop was asked for and the job has not come round to it yet."""
        return self.state == "running" and self.stop_reason is not None


Work = Callable[[Job], None]


class JobRegistry:
    """A process-wide pool of `max_workers` threads with a visible queue.

    `spare` of the workers are for light jobs alone, if there are so many and one more. At most
    `queue` jobs wait, and `each` of one visitor, of whom `at_once` run (None: as many as there are
    workers). Finished jobs are kept for a while after the last look, as far as their visitor has
    room for what they hold. `release` is called once whenever no job has had anything to do for two
    seconds, and every minute for as long as one has.
    """

    def __init__(
        self,
        max_workers: int = 2,
        *,
        spare: int = 1,
        queue: int = 64,
        each: int = 16,
        at_once: int | None = None,
        ledger: Ledger = LEDGER,
        release: Callable[[], object] = lambda: None,
    ) -> None:
        self._max_workers = max_workers
        self._max_heavy = max(1, max_workers - spare)
        self._queue, self._each, self._at_once = queue, each, at_once or max_workers
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._names: dict[str, str] = {}
        self._kept: Memory[str, object] = Memory(ledger, idle=math.inf)
        # When each visitor had the last turn, by a clock that counts turns.
        self._turns: dict[str, int] = {}
        self._clock = count(1)
        self._closing = threading.Event()
        # Sweeps since something was to do; nothing was yet.
        self._release, self._calm = release, _CALM
        _OPEN.add(self)
        threading.Thread(target=self._tidy, daemon=True).start()

    def submit(
        self,
        work: Work | None,
        *,
        name: str = "",
        owner: str = "",
        pinned: bool = False,
        asked: bool = True,
        heavy: Callable[[], bool] = lambda: False,
        calm: Callable[[], bool] | None = None,
        makes: Hashable = None,
        abandoned: float = ABANDONED,
        snapshot: object | None = None,
    ) -> str:
        """Queue `work`; return the unguessable id of its job, or of the unfinished one of `name`.

        It replaces every unfinished one of the same `owner`, of whose ended ones the last is kept;
        one that is not `pinned` is stopped when nobody has looked for `abandoned` seconds. None is
        work that was done already. Where too many wait the job is stopped at once, and its error
        says so.
        """
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("The job registry is closed.")
            before = self._find(name)
            if before is not None and before.active:
                return before.id
            jobs_before = [
                job_before
                for job_before in self._jobs.values()
                if owner and job_before.owner == owner
            ]
            for job_before in jobs_before:
                self.cancel(job_before.id, "superseded")
            # The last one is what the new one may start from.
            for job_before in jobs_before[:-1]:
                job_before.looked_at = -math.inf
            job = Job(work, owner, snapshot, pinned, asked, heavy, calm, makes, abandoned, self)
            job.turn = next(self._clock)
            self._jobs[job.id] = job
            if name:
                self._names[name] = job.id
            if work is None:
                self._end(job, "done")
            self._advance()
            if job.state == "queued":
                self._admit(job)
        return job.id

    def view(self, job_id: str | None) -> Job | None:
        """Look at a job by id or name, which also keeps it alive; None when there is none."""
        with self._lock:
            job = self._find(job_id)
            if job is None:
                return None
            job.looked_at = time.monotonic()
            self._kept.get(job.id)
            queued = job.state == "queued"
            position = self._waiting().index(job) + 1 if queued else None
            return replace(job, work=None, registry=None, position=position)

    def of_visitor(self, visitor: str) -> list[Job]:
        """Copies of a visitor's jobs, the last one first: to look at them keeps none alive."""
        return sorted(
            (job for job in self.all() if job.visitor == visitor), key=lambda job: -job.turn
        )

    def cancel(self, job_id: str, reason: str = "asked") -> bool:
        """Ask a job to stop and keep what it has; False when it had ended or does not exist."""
        with self._lock:
            job = self._find(job_id)
            if job is None or not job.active:
                return False
            if job.stop_reason is None:
                job.stop_reason, job.asked_at = reason, time.monotonic()
            # One that has begun sees it, whether it is at work or gives way.
            job.go.set()
            if job.state == "queued":
                self._end(job, "stopped")
            return True

    def forget(self, visitor: str) -> None:
        """Stop all jobs of a visitor, and forget them with what they have found."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.visitor == visitor]
            for job in jobs:
                self.cancel(job.id)
                job.stop_reason = "erased"
        for job in jobs:
            job.finished.wait(5.0)
        with self._lock:
            self._evict()

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait until the job has ended; True when it has (or is not known any more)."""
        job = self._find(job_id)
        return job is None or job.finished.wait(timeout)

    def give_way(self, job: Job) -> None:
        """Let others have the worker of a job, where it is their turn, until it is its own."""
        with self._lock:
            if job.stop_reason is not None:
                return
            job.at_work = False
            job.go.clear()
            self._advance()
        # A turn that comes again soon is not worth putting everything away.
        if not job.go.wait(_SOON):
            job.rest()
            job.go.wait()

    def wants(self, product: Hashable) -> bool:
        """Whether there is a job, not about to stop, that is to make this product."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.active and job.stop_reason is None]
            return any(job.makes == product is not None for job in jobs)

    @property
    def busy(self) -> bool:
        """Whether somebody waits for what is quick."""
        with self._lock:
            return any(job.active and job.asked and not job.weighs for job in self._jobs.values())

    def active(self, *, heavy: bool) -> int:
        """How many of the heavy jobs, or of the light ones, still have something to do."""
        with self._lock:
            return sum(job.active and job.weighs == heavy for job in self._jobs.values())

    def all(self) -> list[Job]:
        """Copies of all jobs, for the operator: to look at them keeps none alive."""
        with self._lock:
            return [replace(job, work=None, registry=None) for job in self._jobs.values()]

    @property
    def stuck(self) -> int:
        """How many workers a job holds that was asked to stop long ago."""
        latest = time.monotonic() - ABANDONED
        late = [job for job in self.all() if job.state == "running" and job.asked_at < latest]
        return sum(not self.wants(job.makes) for job in late)

    def sweep(self) -> None:
        """Stop what nobody looks at, forget what ended long ago, wake what waited for calm."""
        with self._lock:
            now = time.monotonic()
            for job in list(self._jobs.values()):
                if not job.pinned and job.looked_at < now - job.abandoned:
                    self.cancel(job.id, "unwatched")
            self._evict()
            self._advance()

    def close(self) -> None:
        """Stop every job and wait for each; nothing can be submitted afterwards."""
        self._closing.set()
        with self._lock:
            jobs = list(self._jobs.values())
            # The last first, so that none moves up to a worker meanwhile.
            for job in reversed(jobs):
                self.cancel(job.id)
        for job in jobs:
            job.finished.wait(5.0)
        _OPEN.discard(self)

    # -- inside; the lock is held ----------------------------------------------------------------

    def _find(self, name: str | None) -> Job | None:
        """Return the job of an id, or of a name: what it works on outlives it."""
        key = name or ""
        return self._jobs.get(self._names.get(key, key))

    def _waiting(self) -> list[Job]:
        """Who waits for a worker, in the order of their turns."""
        jobs = [job for job in self._jobs.values() if job.active and not job.at_work]
        turns = self._turns
        return sorted(jobs, key=lambda job: (not job.asked, turns.get(job.visitor, 0), job.turn))

    def _may_begin(self, job: Job) -> bool:
        job.weighs = job.heavy()
        at_work = [active_job for active_job in self._jobs.values() if active_job.at_work]
        visitor_jobs = [active_job for active_job in at_work if active_job.visitor == job.visitor]
        if len(at_work) >= self._max_workers or len(visitor_jobs) >= self._at_once:
            return False
        if job.calm is not None and (self._rest_enough(job) or not job.calm()):
            return False
        if not job.weighs:
            return True
        heavy = [active_job for active_job in at_work if active_job.weighs]
        if len(heavy) >= self._max_heavy or any(
            heavy_job.visitor == job.visitor for heavy_job in heavy
        ):
            return False
        # Who wants the same is served when it is there.
        return job.makes is None or all(heavy_job.makes != job.makes for heavy_job in heavy)

    def _rest_enough(self, job: Job) -> bool:
        """Whether as many have begun and wait for calm as there are workers: each holds memory."""
        others = [
            waiting
            for waiting in self._jobs.values()
            if waiting is not job and waiting.calm is not None
        ]
        begun = sum(waiting.state == "running" for waiting in others)
        return job.state == "queued" and begun >= self._max_workers

    def _advance(self) -> None:
        """Give workers to those whose turn it is."""
        while job := next(filter(self._may_begin, self._waiting()), None):
            job.at_work, job.turn = True, next(self._clock)
            self._turns.pop(job.visitor, None)
            self._turns[job.visitor] = job.turn
            if len(self._turns) > _REMEMBERED:
                del self._turns[next(iter(self._turns))]
            job.go.set()
            if job.state == "queued":
                job.state, job.began = "running", time.monotonic()
                logger.info("A job begins.", extra=job.told)
                threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _admit(self, job: Job) -> None:
        """Refuse what has to wait where too many do."""
        others = [
            queued
            for queued in self._jobs.values()
            if queued.state == "queued" and queued is not job
        ]
        n_queued = sum(queued.visitor == job.visitor for queued in others)
        if len(others) >= self._queue:
            wait = f"The server is busy: {_jobs(len(others))} before yours"
        elif n_queued >= self._each:
            wait = f"{_jobs(n_queued)} here that you have asked for already"
        else:
            return
        job.error, job.stop_reason = f"{wait}; try again in a moment.", "busy"
        self._end(job, "stopped")

    def _end(self, job: Job, state: JobState) -> None:
        # The closure holds data sets and models: a finished job keeps only its snapshot.
        job.state, job.ended, job.at_work = state, time.monotonic(), False
        self._calm = 0
        job.work, job.heavy, job.calm = None, Job.heavy, None
        try:
            self._kept.put(job.id, job.snapshot, hashed(job.visitor))
        except FullError as problem:
            job.state, job.error = "failed", job.error or str(problem)
        job.finished.set()
        logger.info("A job has ended.", extra=job.told)
        self._evict()

    def _evict(self) -> None:
        now = time.monotonic()
        for job in [job for job in self._jobs.values() if not job.active]:
            # What was refused or left goes soon, and what made way for other things of its visitor
            # now: each is looked through whenever somebody's turn comes.
            refused = job.stop_reason == "busy"
            left = job.stop_reason in ("unwatched", "superseded")
            longest = 2 * job.abandoned if left else ABANDONED if refused else 15 * ABANDONED
            stays = job.id in self._kept.entries or refused or job.state == "failed"
            is_forgotten = job.stop_reason == "erased" or not stays
            if is_forgotten or job.looked_at < now - longest:
                del self._jobs[job.id]
                self._kept.drop(job.id)
        self._names = {name: of for name, of in self._names.items() if of in self._jobs}

    # -- threads ---------------------------------------------------------------------------------

    def _tidy(self) -> None:
        stretch = 0
        while not self._closing.wait(0.25):
            self.sweep()
            with self._lock:
                works = any(job.active for job in self._jobs.values())
                self._calm = 0 if works else self._calm + 1
            stretch = stretch + 1 if works else 0
            if self._calm == _CALM or stretch == _STRETCH:
                stretch = 0
                self._release()

    def _run(self, job: Job) -> None:
        assert job.work is not None
        state: JobState = "failed"
        try:
            job.work(job)
            state = "stopped" if job.heeded else "done"
        except Stopped:
            state = "stopped"
        except ValueError as problem:
            # The library's own ValueErrors are one sentence for the person at the screen.
            logger.warning("A job was refused its input.", exc_info=True, extra=job.told)
            job.error = one_sentence(problem)
        except Exception:
            logger.exception("A job failed.", extra=job.told)
            job.error = UNEXPECTED
        with self._lock:
            self._end(job, state)
            self._advance()


def _jobs(number: int) -> str:
    return "1 job waits" if number == 1 else f"{number:,} jobs wait"


def one_sentence(problem: BaseException) -> str:
    """Return the first paragraph of an exception's message as one line with a full stop."""
    paragraph = str(problem).strip().split("\n\n", 1)[0]
    text = " ".join(paragraph.split())
    if len(text) > 300:
        text = text[:299].rstrip() + "…"
    if not text:
        return UNEXPECTED
    return text if text.endswith((".", "!", "?", "…")) else text + "."


@atexit.register
def _close_all() -> None:
    """Stop all jobs: one in the midst of native code as Python ends can abort the process."""
    for registry in list(_OPEN):
        registry.close()
