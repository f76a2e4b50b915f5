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
    Recognised,
    fetch,
    read_file,
    read_files,
    resized,
)
from cspca.datasets.files import FITS, Cancelled, Progress, Watch, keep_spare, sizes_below
from cspca.experiments.jobs import Job, JobRegistry, JobState
from cspca.experiments.memory import Memory

MOST_BEFORE = 128 << 20
"""Bytes up to which the pictures are kept as they were before they were made smaller."""


@dataclass(frozen=True)
class Known:
    """A data set that came ready, in the words of `Recognised`: only its size can be chosen."""

    dataset: Dataset
    used: ReadChoices
    options: Options
    said: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset, choices: ReadChoices, watch: Watch) -> Known:
        """Bring it to the size that is chosen."""
        watch.tell(0.1, "Making the pictures smaller")
        fit = choices.fit or "stretch"
        shape, result = dataset.image_shape, dataset
        if shape is not None and choices.size is not None:
            result = resized(dataset, choices.size, fit=fit)
        watch.tell(1.0, "Read")
        return cls(
            dataset=result,
            used=ReadChoices(size=result.image_shape, fit=fit),
            options=Options() if shape is None else Options(sizes=sizes_below(shape), fits=FITS),
            said=(result.recognised.removesuffix("."),),
        )


@dataclass(frozen=True)
class Source:
    """What can be read: files as they came (name, content), or a data set that is known."""

    name: str
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    dataset: Dataset | None = field(default=None, repr=False)

    def read(
        self, choices: ReadChoices, progress: Progress, cancelled: Cancelled
    ) -> Recognised | Known:
        """Read it by these choices; a DatasetError says why it cannot be."""
        if self.dataset is not None:
            return Known.of(self.dataset, choices, Watch(self.name, progress, cancelled))
        if len(self.files) == 1:
            name, content = self.files[0]
            return read_file(content, name, choices=choices, progress=progress, cancelled=cancelled)
        return read_files(
            self.files, self.name, choices=choices, progress=progress, cancelled=cancelled
        )


@dataclass(frozen=True)
class Opened:
    """A set that has been read, and everything needed to read it otherwise.

    `choices` are those of the person, the rest was guessed; `before` are the pictures before they
    were made smaller.
    """

    source: Source
    choices: ReadChoices
    recognised: Recognised | Known
    before: Dataset | None = None

    @property
    def dataset(self) -> Dataset:
        """The set itself."""
        return self.recognised.dataset

    def again(self, choices: ReadChoices, progress: Progress, cancelled: Cancelled) -> Opened:
        """Read it by all that the person has decided; a DatasetError says why it cannot be."""
        if isinstance(self.recognised, Known):
            known = self.source.read(choices, progress, cancelled)
            before = None if choices.size is None else self.source.dataset
            return Opened(self.source, choices, known, before)
        new = self.recognised.again(choices, progress=progress, cancelled=cancelled)
        before = None
        if choices.size is not None and _but_for_size(choices) == _but_for_size(self.choices):
            before = self.dataset if self.choices.size is None else self.before
            if before is not None and before.data.nbytes > MOST_BEFORE:
                before = None
        return Opened(self.source, choices, new, before)


def _but_for_size(choices: ReadChoices) -> ReadChoices:
    return replace(choices, size=None, fit=None)


@dataclass(frozen=True)
class LoadSnapshot:
    """One moment of reading: what, how far (0 – 1), and what is being done.

    A `refusal` says why nothing was read; where a choice would mend it, `options` are what there is
    to choose between and `source` is what to read again.
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

    job: Job
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
    """Reads sets in the background; each is kept under the id of its job until it is used."""

    def __init__(
        self,
        registry: JobRegistry,
        drafts: Memory[str, Opened] | None = None,
        *,
        fetcher: Callable[..., Dataset] = fetch,
    ) -> None:
        self._registry = registry
        self._drafts = drafts or Memory(16, 1 << 30, max_age=3600.0)
        self._fetcher = fetcher
        keep_spare()

    def read(self, source: Source, *, choices: ReadChoices | None = None, owner: str = "") -> str:
        """Read files, or resize a set that is known; return the id of the job.

        It replaces the unfinished one of the same owner.
        """
        chosen = choices or ReadChoices()

        def open_it(progress: Progress, cancelled: Cancelled) -> Opened:
            recognised = source.read(chosen, progress, cancelled)
            before = None if chosen.size is None else source.dataset
            return Opened(source, chosen, recognised, before)

        return self._submit(LoadSnapshot(source.name, choices=chosen), open_it, owner, source)

    def fetch(self, name: str, *, owner: str = "") -> str:
        """Fetch a set of `REMOTE`, or take it from the cache; return the id of the job."""

        def open_it(progress: Progress, cancelled: Cancelled) -> Opened:
            dataset = self._fetcher(name, progress=progress, cancelled=cancelled)
            source = Source(dataset.name, dataset=dataset)
            # The fetching has told of its progress.
            recognised = source.read(ReadChoices(), lambda fraction, words: None, cancelled)
            return Opened(source, ReadChoices(), recognised)

        title = REMOTE[name].title if name in REMOTE else name
        # A download goes on while its visitor looks at another page; it is kept for everybody.
        return self._submit(LoadSnapshot(title), open_it, owner, pinned=True)

    def again(self, key: str, choices: ReadChoices, *, owner: str = "") -> str | None:
        """Read what a job has opened by other choices; None when it is not kept any more."""
        old = self._drafts.get(key)
        if old is None:
            return None
        first = LoadSnapshot(old.source.name, choices=choices)
        return self._submit(
            first, lambda progress, cancelled: old.again(choices, progress, cancelled), owner
        )

    def progress(self, job_id: str | None) -> LoadProgress | None:
        """Look at a job; None when there is none of that id (any more)."""
        view = self._registry.view(job_id)
        if view is None or not isinstance(view.snapshot, LoadSnapshot):
            return None
        return LoadProgress(view, view.snapshot)

    def opened(self, job_id: str | None) -> Opened | None:
        """Return what a job has read, if it has and it is still kept."""
        return self._drafts.get(job_id)

    def put_away(self, job_id: str) -> None:
        """Let go what a job has read."""
        self._drafts.drop(job_id)

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
        open_it: Callable[[Progress, Cancelled], Opened],
        owner: str,
        source: Source | None = None,
        *,
        pinned: bool = False,
    ) -> str:
        # The work needs its own id to put the result under: it waits until that is known.
        ready: queue.SimpleQueue[str] = queue.SimpleQueue()

        def work(control: Job) -> None:
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
                self._drafts.put(ready.get(), opened)

        job = self._registry.submit(work, owner=owner, pinned=pinned, snapshot=first)
        ready.put(job)
        return job


def files_in_words(names: Sequence[str]) -> str:
    """Name several files together: the one, the folder they share, or their number."""
    if len(names) == 1:
        return names[0]
    tops = {name.replace("\\", "/").split("/")[0] for name in names if "/" in name}
    if len(tops) == 1:
        return tops.pop()
    return f"{len(names):,} files"


def check_varies(dataset: Dataset, name: str) -> None:
    """Refuse what no fit could explain: one image only, or all the same."""
    if dataset.n_samples < 2:
        raise DatasetError(
            f"{name} holds one {dataset.nouns.sample} only: choose a file with several that differ."
        )
    # One at a time, up to the first that differs: no second copy of a large set.
    first = dataset.data[0]
    if all((row == first).all() for row in dataset.data[1:]):
        raise DatasetError(
            f"{name}: all {dataset.nouns.count_samples(dataset.n_samples)} are the same, so there "
            f"is nothing to explain: choose a file with {dataset.nouns.samples} that differ."
        )
