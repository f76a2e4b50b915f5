"""Background jobs in one process: a small pool, a visible queue, cancel, immutable snapshots.

A job is a function that receives its :class:`Job`. Whoever knows the unguessable id of a job
may look at it; nothing lists the jobs of others. The dashboard polls, the tests join.
"""

from __future__ import annotations

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cspca.experiments.log import hashed

logger = logging.getLogger(__name__)

UNEXPECTED = (
    "The computation failed for a reason we did not foresee; the server's log has the details."
)

ABANDONED = 120.0
"""Seconds after which a job is stopped that nobody looks at."""


JobState = Literal["queued", "running", "stopped", "done", "failed"]


@dataclass(eq=False)
class Job:
    """A job as its own work has it, or a copy that shows what it looked like at one moment.

    `position` is its place in the queue, `error` one sentence. It is to stop because somebody
    "asked", because it is "superseded" by another one of its owner, or "unwatched".
    """

    work: Work | None = None
    owner: str = ""
    snapshot: Any = None
    pinned: bool = False
    looked_at: float = field(default_factory=time.monotonic)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: JobState = "queued"
    position: int | None = None
    error: str | None = None
    stop_reason: str | None = None
    heeded: bool = False
    began: float = math.inf
    asked_at: float = math.inf
    ended: float = math.inf
    finished: threading.Event = field(default_factory=threading.Event)

    def publish(self, snapshot: object) -> None:
        """Make `snapshot` (immutable, please) the one that everybody sees from now on."""
        self.snapshot = snapshot

    def stop_requested(self) -> bool:
        """Whether the job should end now and keep what it has."""
        # A job that ends in the same moment without having seen the request is done.
        self.heeded = self.stop_reason is not None
        return self.heeded

    @property
    def told(self) -> dict[str, object]:
        """What the log and the operator learn of it: its visitor is known by a hash."""
        now = min(time.monotonic(), self.ended)
        return {
            "job": self.id[:8],
            "visitor": hashed(self.owner.partition(" ")[0])[:8],
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

    Finished jobs are kept for a while after the last look, `max_finished` at most; a job that is
    not pinned and that nobody looks at any more, for so many seconds, is stopped.
    """

    def __init__(
        self, max_workers: int = 2, max_finished: int = 64, abandoned: float | None = None
    ) -> None:
        self._max_workers, self._max_finished = max_workers, max_finished
        self._abandoned = ABANDONED if abandoned is None else abandoned
        self._lock = threading.RLock()
        # In the order in which they were submitted, which is that of the queue.
        self._jobs: dict[str, Job] = {}
        self._names: dict[str, str] = {}
        self._closing = threading.Event()
        threading.Thread(target=self._tidy, daemon=True).start()

    def submit(
        self,
        work: Work | None,
        *,
        name: str = "",
        owner: str = "",
        pinned: bool = False,
        snapshot: object | None = None,
    ) -> str:
        """Queue `work`; return the unguessable id of its job, or of the unfinished one of `name`.

        It replaces every unfinished one of the same `owner`; a `pinned` one runs on when nobody
        looks. None is work that was done already.
        """
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("The job registry is closed.")
            before = self._find(name)
            if before is not None and before.active:
                return before.id
            for other in list(self._jobs.values()):
                if owner and other.owner == owner:
                    self.cancel(other.id, "superseded")
            job = Job(work, owner, snapshot, pinned)
            self._jobs[job.id] = job
            if name:
                self._names[name] = job.id
            if work is None:
                self._end(job, "done")
            self._advance()
        return job.id

    def view(self, job_id: str | None) -> Job | None:
        """Look at a job by id or name, which also keeps it alive; None when there is none."""
        with self._lock:
            job = self._find(job_id)
            if job is None:
                return None
            job.looked_at = time.monotonic()
            queue = self._in("queued")
            position = queue.index(job) + 1 if job in queue else None
            return replace(job, work=None, position=position)

    def name(self, name: str, job_id: str) -> None:
        """Let a name find a job, in place of the one that it found before."""
        with self._lock:
            self._names[name] = job_id

    def cancel(self, job_id: str, reason: str = "asked") -> bool:
        """Ask a job to stop and keep what it has; False when it had ended or does not exist."""
        with self._lock:
            job = self._find(job_id)
            if job is None or not job.active:
                return False
            if job.stop_reason is None:
                job.stop_reason, job.asked_at = reason, time.monotonic()
            if job.state == "queued":
                self._end(job, "stopped")
            return True

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait until the job has ended; True when it has (or is not known any more)."""
        job = self._find(job_id)
        return job is None or job.finished.wait(timeout)

    @property
    def busy(self) -> bool:
        """Whether a job waits or is at work."""
        with self._lock:
            return any(job.active for job in self._jobs.values())

    def all(self) -> list[Job]:
        """Copies of all jobs, for the operator: to look at them keeps none alive."""
        with self._lock:
            return [replace(job, work=None) for job in self._jobs.values()]

    @property
    def stuck(self) -> int:
        """How many workers a job holds that was asked to stop long ago."""
        latest = time.monotonic() - ABANDONED
        return sum(job.state == "running" and job.asked_at < latest for job in self.all())

    def sweep(self) -> None:
        """Stop the jobs nobody has looked at and forget the finished ones that are too old."""
        with self._lock:
            latest = time.monotonic() - self._abandoned
            for job in list(self._jobs.values()):
                if not job.pinned and job.looked_at < latest:
                    self.cancel(job.id, "unwatched")
            self._evict()

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

    # -- inside; the lock is held ----------------------------------------------------------------

    def _find(self, name: str | None) -> Job | None:
        """Return the job of an id, or of a name: what it works on outlives it."""
        known = name or ""
        return self._jobs.get(self._names.get(known, known))

    def _in(self, state: JobState) -> list[Job]:
        # What somebody asked for goes before what a page began by itself.
        jobs = sorted(self._jobs.values(), key=lambda job: not job.pinned)
        return [job for job in jobs if job.state is state]

    def _end(self, job: Job, state: JobState) -> None:
        # The closure holds data sets and models: a finished job keeps only its snapshot.
        job.state, job.work, job.ended = state, None, time.monotonic()
        job.finished.set()
        logger.info("A job has ended.", extra=job.told)
        self._evict()

    def _evict(self) -> None:
        finished = [job for job in self._jobs.values() if not job.active]
        finished.sort(key=lambda job: job.looked_at)
        excess = len(finished) - self._max_finished
        for rank, job in enumerate(finished):
            if rank < excess or job.looked_at < time.monotonic() - 15 * ABANDONED:
                del self._jobs[job.id]
        self._names = {name: of for name, of in self._names.items() if of in self._jobs}

    def _advance(self) -> None:
        """Begin what waits, as far as there is a worker for it."""
        free = self._max_workers - len(self._in("running"))
        for job in self._in("queued")[:free]:
            job.state, job.began = "running", time.monotonic()
            logger.info("A job begins.", extra=job.told)
            threading.Thread(target=self._run, args=(job,), daemon=True).start()

    # -- threads ---------------------------------------------------------------------------------

    def _tidy(self) -> None:
        while not self._closing.wait(min(5.0, self._abandoned / 4)):
            self.sweep()

    def _run(self, job: Job) -> None:
        assert job.work is not None
        state: JobState = "failed"
        try:
            job.work(job)
            state = "stopped" if job.heeded else "done"
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


def one_sentence(problem: BaseException) -> str:
    """Return the first paragraph of an exception's message as one line with a full stop."""
    paragraph = str(problem).strip().split("\n\n", 1)[0]
    text = " ".join(paragraph.split())
    if len(text) > 300:
        text = text[:299].rstrip() + "…"
    if not text:
        return UNEXPECTED
    return text if text.endswith((".", "!", "?", "…")) else text + "."
