"""Reading a set in the background: files, a remote set, or an opened one by other choices."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from cspca.datasets import (
    REMOTE,
    ChoiceNeededError,
    Dataset,
    DatasetError,
    Options,
    ReadCancelledError,
    ReadChoices,
    fetch,
)
from cspca.datasets.files import Cancelled, Progress, keep_spare
from cspca.experiments.jobs import Control, JobRegistry, JobState, JobView
from cspca.runs.opened import Opened, Shelf, Source, check_varies, reopen

Open = Callable[[Progress, Cancelled], Opened]


@dataclass(frozen=True)
class LoadSnapshot:
    """One moment of reading a set.

    Attributes
    ----------
    name : str
        What is being read; comes from a file.
    fraction : float
        How far it is, 0 – 1.
    words : str
        What is being done.
    choices : ReadChoices
        What was decided beforehand.
    refusal : str or None
        The sentence that says why it was not read.
    source : Source or None
        With a refusal that a choice would mend: what to read again.
    options : Options or None
        With such a refusal: what there is to choose between.
    """

    name: str
    fraction: float = 0.0
    words: str = "Waiting"
    choices: ReadChoices = field(default_factory=ReadChoices)
    refusal: str | None = None
    source: Source | None = None
    options: Options | None = None


@dataclass(frozen=True)
class LoadProgress:
    """A job that reads, as a page sees it."""

    job: JobView
    snapshot: LoadSnapshot

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.job.state.active

    @property
    def cancelled(self) -> bool:
        """Whether somebody stopped it before it had read anything."""
        return self.job.state is JobState.STOPPED

    @property
    def refusal(self) -> str | None:
        """The one sentence that says why nothing was read."""
        return self.snapshot.refusal or self.job.error


class LoadingService:
    """Reads sets in the background and keeps what was read until it is taken in use.

    Parameters
    ----------
    registry : JobRegistry
    shelf : Shelf, optional
    fetcher : callable, default=cspca.datasets.fetch
        How a remote set is fetched.
    """

    def __init__(
        self,
        registry: JobRegistry,
        shelf: Shelf | None = None,
        *,
        fetcher: Callable[..., Dataset] = fetch,
    ) -> None:
        self._registry = registry
        self._shelf = shelf or Shelf()
        self._fetcher = fetcher
        keep_spare()

    def read(
        self,
        source: Source,
        *,
        choices: ReadChoices | None = None,
        owner: str = "",
    ) -> str:
        """Read files, or resize a set that is known; return the id of the job.

        Parameters
        ----------
        source : Source
        choices : ReadChoices, optional
            What is not to be guessed.
        owner : str, default=""
            A new job replaces the unfinished one of the same owner.
        """
        chosen = choices or ReadChoices()

        def open_it(progress: Progress, cancelled: Cancelled) -> Opened:
            recognised = source.read(chosen, progress, cancelled)
            before = None if chosen.size is None else source.dataset
            return Opened(source, chosen, recognised, before)

        first = LoadSnapshot(source.name, choices=chosen)
        return self._submit(first, open_it, owner, source)

    def fetch(self, name: str, *, owner: str = "") -> str:
        """Fetch a remote set, or take it from the cache; return the id of the job.

        Parameters
        ----------
        name : str
            A key of `cspca.datasets.REMOTE`.
        owner : str, default=""
        """

        def open_it(progress: Progress, cancelled: Cancelled) -> Opened:
            dataset = self._fetcher(name, progress=progress, cancelled=cancelled)
            source = Source(dataset.name, dataset=dataset)
            recognised = source.read(ReadChoices(), _quiet, cancelled)
            return Opened(source, ReadChoices(), recognised)

        title = REMOTE[name].title if name in REMOTE else name
        # A download goes on while its visitor looks at another page; it is kept for everybody.
        return self._submit(LoadSnapshot(title), open_it, owner, pinned=True)

    def again(self, key: str, choices: ReadChoices, *, owner: str = "") -> str | None:
        """Read an opened set by other choices; None when it is not kept any more.

        Parameters
        ----------
        key : str
            Id of the job that opened it.
        choices : ReadChoices
            All that the person has decided.
        owner : str, default=""
        """
        old = self._shelf.get(key)
        if old is None:
            return None
        first = LoadSnapshot(old.source.name, choices=choices)
        return self._submit(
            first, lambda progress, cancelled: reopen(old, choices, progress, cancelled), owner
        )

    def progress(self, job_id: str | None) -> LoadProgress | None:
        """Look at a job; None when there is none of that id (any more)."""
        view = self._registry.view(job_id)
        if view is None or not isinstance(view.snapshot, LoadSnapshot):
            return None
        return LoadProgress(view, view.snapshot)

    def opened(self, job_id: str | None) -> Opened | None:
        """Return what a job has read, if it has and it is still kept."""
        return self._shelf.get(job_id)

    def put_away(self, job_id: str) -> None:
        """Let go what a job has read."""
        self._shelf.drop(job_id)

    def cancel(self, job_id: str) -> bool:
        """Stop a job; nothing of it is left behind."""
        return self._registry.cancel(job_id)

    def join(self, job_id: str, timeout: float | None = None) -> bool:
        """Wait for the end of a job; True when it has ended."""
        return self._registry.join(job_id, timeout)

    def close(self) -> None:
        """Stop all jobs; nothing can be read afterwards."""
        self._registry.close()

    def _submit(
        self,
        first: LoadSnapshot,
        open_it: Open,
        owner: str,
        source: Source | None = None,
        *,
        pinned: bool = False,
    ) -> str:
        # The work needs its own id to put the result under: it waits until that is known.
        ready: queue.SimpleQueue[str] = queue.SimpleQueue()

        def work(control: Control) -> None:
            def progress(fraction: float, words: str) -> None:
                control.publish(replace(first, fraction=fraction, words=words))

            control.publish(replace(first, words="Opening"))
            try:
                opened = open_it(progress, lambda: control.stop_requested)
                check_varies(opened.dataset, first.name)
                # Now, not while a page is drawn: hashing a large set takes a moment.
                _ = opened.dataset.sha256
            except ReadCancelledError:
                return
            except ChoiceNeededError as problem:
                needs = replace(first, refusal=str(problem), source=source)
                control.publish(replace(needs, options=problem.options))
                return
            except DatasetError as problem:
                control.publish(replace(first, refusal=str(problem)))
                return
            if not control.stop_requested:
                control.publish(replace(first, fraction=1.0, words="Read"))
                self._shelf.put(ready.get(), opened)

        job = self._registry.submit(work, owner=owner, pinned=pinned, snapshot=first)
        ready.put(job)
        return job


def _quiet(fraction: float, words: str) -> None:
    """Hear of progress and say nothing: the fetching has told it all."""


def files_in_words(names: Sequence[str]) -> str:
    """Name several files together: the one, the folder they share, or their number.

    Parameters
    ----------
    names : sequence of str
    """
    if len(names) == 1:
        return names[0]
    tops = {name.replace("\\", "/").split("/")[0] for name in names if "/" in name}
    if len(tops) == 1:
        return tops.pop()
    return f"{len(names):,} files"
