"""Reading a set in the background: files, a remote set, or an opened one by other answers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cspca.datasets import (
    REMOTE,
    Answers,
    Dataset,
    DatasetError,
    ReadCancelledError,
    Reading,
    derivative,
    fetch,
    leave_out,
    read_files,
    resized,
    snv,
    standardised,
)
from cspca.datasets.files.door import keep_spare
from cspca.datasets.files.preview import Preview
from cspca.datasets.files.reading import preview_questions
from cspca.datasets.leaving import thinned
from cspca.datasets.resize import sizes_below
from cspca.experiments.jobs import Job, JobRegistry
from cspca.experiments.ledger import IDLE, LEDGER, FullError, Memory, parts_of
from cspca.experiments.log import hashed
from cspca.experiments.memory import owned, upload_age


@dataclass(frozen=True)
class Source:
    """What can be read: files as they came (name, content), a data set, or a set of `REMOTE`."""

    name: str
    files: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    dataset: Dataset | None = field(default=None, repr=False)
    remote: str = ""

    def read(self, answers: Answers, **watching: Any) -> Reading:
        """Read it by these answers; a DatasetError says why it cannot be.

        There is no question about what came ready: only its pictures are resized.
        """
        if self.dataset is None:
            return read_files(self.files, self.name, answers, with_previews=True, **watching)
        result = self.dataset
        sizes: tuple[tuple[int, int], ...] = ()
        if result.image_shape is not None:
            sizes = sizes_below(result.image_shape)
            if answers.size is not None:
                result = resized(result, answers.size, fit="crop" if answers.crop else "stretch")
        return Reading(
            file=self.name,
            format="data set",
            answers=answers,
            proposed=result,
            sentences=(result.recognised,),
            notes=(result.recognised,),
            sizes=sizes,
        )

    def previews(
        self, keys: Sequence[str], answers: Answers, **watching: Any
    ) -> dict[str, tuple[Preview, ...]]:
        """Return what each answer to these questions about the files would give."""
        return preview_questions(self.files, keys, self.name, answers, **watching)


_STEPS: Final[dict[str, Callable[..., Dataset]]] = {
    function.__name__: function
    for function in (leave_out, resized, standardised, snv, derivative, thinned)
}


@dataclass(frozen=True)
class Origin:
    """What a data set was made from, as its recipe tells it, and its fingerprint.

    `function` is what loads it, ``load_file`` for example, `names` are the files or the set, and
    `answers` those to the questions about it; `steps` are what was done with it afterwards, each
    with its arguments.
    """

    function: str
    names: tuple[str, ...]
    answers: Answers
    steps: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
    sha256: str

    @classmethod
    def of(cls, source: str, sha256: str) -> Origin | None:
        """Read the source of a recipe; None where it holds more than calls and their values."""
        try:
            calls = _calls(source)
            function, (first, *_), options = calls.pop()
            names = (first,) if isinstance(first, str) else tuple(map(str, first))
            is_upload = function in ("load_file", "load_files")
            answers = Answers.of(**options) if is_upload else Answers()
        # A DatasetError is a ValueError.
        except (ValueError, KeyError, TypeError, SyntaxError):
            return None
        if any(name not in _STEPS for name, *_ in calls):
            return None
        return cls(function, names, answers, tuple(reversed(calls)), sha256)

    @property
    def is_upload(self) -> bool:
        """Whether it was read from files, not built in or fetched."""
        return self.function in ("load_file", "load_files")

    def follow_steps(self, dataset: Dataset) -> Dataset:
        """Do with a data set what was done with this one after it was read."""
        for name, arguments, options in self.steps:
            dataset = _STEPS[name](dataset, *arguments, **options)
        return dataset

    def refusal(self, name: str) -> str:
        """Say that the file `name` is not the one that this data set was made from."""
        return (
            f"{name} holds other data than {files_in_words(self.names)}, from which this run was "
            "made: upload the same file as then."
        )


def _calls(source: str) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """The calls of a recipe, the outermost first, each without the data set that it is given."""
    calls = []
    node: ast.expr | None = ast.parse(source, mode="eval").body
    while node is not None:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            raise ValueError("A recipe consists of calls of named functions.")
        inner = node.args[0] if node.args and isinstance(node.args[0], ast.Call) else None
        positional = node.args[inner is not None :]
        arguments = tuple(ast.literal_eval(argument) for argument in positional)
        options = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
        calls.append((node.func.id, arguments, options))
        node = inner
    return calls


@dataclass(frozen=True)
class Opened:
    """A file that has been read, and everything needed to read it otherwise.

    Parameters
    ----------
    source : Source
        What was read.
    reading : Reading
        The questions about it with the answers in force, and the set that they give.
    before : Dataset, optional
        The pictures before they were resized.
    """

    source: Source
    reading: Reading
    before: Dataset | None = None

    @property
    def answers(self) -> Answers:
        """What the person has decided; everything else was proposed."""
        return self.reading.answers

    @property
    def proposed(self) -> Dataset | None:
        """The set as it would be now; None where an answer is missing to make one."""
        return self.reading.proposed

    @property
    def is_decided(self) -> bool:
        """Whether the set may be used: no question is open."""
        return self.proposed is not None and not self.reading.open_questions

    @property
    def dataset(self) -> Dataset:
        """The set itself; `UndecidedError` while a question is open."""
        return self.reading.dataset

    def of(self, owner: str) -> Opened:
        """Return it as the owner's, and with it all that is made of its pictures."""
        opened = self if self.proposed is None else self.with_set(owned(self.proposed, owner))
        before = None if self.before is None else owned(self.before, owner)
        return replace(opened, before=before)

    def with_previews(self, previews: Mapping[str, tuple[Preview, ...]]) -> Opened:
        """Return it with what each answer to some more questions would give."""
        reading = self.reading
        return replace(self, reading=replace(reading, previews={**reading.previews, **previews}))

    def with_set(self, dataset: Dataset) -> Opened:
        """Return it with another set in place of the proposed one."""
        return replace(self, reading=replace(self.reading, proposed=dataset))


def _open(source: Source, answers: Answers, old: Opened | None, **watching: Any) -> Opened:
    if source.remote:
        ready = fetch(source.remote, **watching)
        source = Source(ready.name, dataset=ready)
    reading, before = source.read(answers, **watching), source.dataset
    if reading.proposed is None and old is not None and old.proposed is not None:
        # There was a set before this answer: the answer is refused, and that set stays.
        raise DatasetError(reading.refusal)
    # The pictures in their own size, where they are at hand and not too large to keep.
    if before is None and old is not None and _differ_by_size_alone(old.answers, answers):
        before = old.proposed if old.answers.size is None else old.before
        if before is not None and before.data.nbytes > 128 << 20:
            before = None
    return Opened(source, reading, None if answers.size is None else before)


def _differ_by_size_alone(old: Answers, new: Answers) -> bool:
    return replace(old, size=new.size, crop=new.crop) == new


def _same_as(origin: Origin, opened: Opened, owner: str) -> Opened:
    """Return what was opened, made what it was then; a DatasetError says that it is another."""
    dataset = owned(origin.follow_steps(opened.dataset), owner)
    if dataset.sha256 != origin.sha256:
        raise DatasetError(origin.refusal(opened.source.name))
    return opened.with_set(dataset)


@dataclass(frozen=True)
class LoadSnapshot:
    """One moment of reading: what, how far (0 – 1), what is being done, and by which answers."""

    name: str
    fraction: float = 0.0
    words: str = "Waiting"
    answers: Answers = field(default_factory=Answers)


class LoadingService:
    """Reads sets as `jobs`; each is among the `drafts` under its job's id until it is used."""

    def __init__(self, jobs: JobRegistry) -> None:
        self.jobs = jobs
        self.drafts: Memory[str, Opened] = Memory(brought=True, idle=IDLE, age=upload_age)
        # Files that wait for what they are mapped by, by the window that they came to.
        self.files: Memory[str, tuple[tuple[str, bytes], ...]] = Memory(
            brought=True, age=upload_age
        )
        keep_spare()

    def fetch(self, name: str, *, owner: str = "") -> str:
        """Fetch a set of `REMOTE`, or take it from the cache; return the id of the job."""
        title = REMOTE[name].title if name in REMOTE else name
        return self.read(Source(title, remote=name), Answers(), owner)

    def read(
        self,
        source: Source,
        answers: Answers,
        owner: str = "",
        old: Opened | None = None,
        origin: Origin | None = None,
    ) -> str:
        """Read what there is, or resize a set that came ready; return the id of the job.

        It replaces the unfinished one of the same owner; `old` is the same read by other answers.
        With an `origin`, files of any other content than its fingerprint says are refused.
        A FullError says that there is no room for what is to be read.
        """
        owner_hash = hashed(owner.partition(" ")[0])
        LEDGER.make_room(owner_hash, parts_of(source), source.name)
        first = LoadSnapshot(source.name, answers=answers)

        def work(job: Job) -> None:
            def progress(fraction: float, words: str) -> None:
                job.publish(replace(first, fraction=fraction, words=words))

            doing = "Opening" if source.dataset is None else "Making the images smaller"
            progress(0.0, doing)
            try:
                watching = {"progress": progress, "cancelled": job.stop_requested}
                opened = _open(source, answers, old, **watching).of(owner_hash)
                if origin is not None:
                    opened = _same_as(origin, opened, owner_hash)
                if opened.proposed is not None:
                    check_varies(opened.proposed, first.name)
                    # Now, not while a page is drawn: hashing a large set takes a moment.
                    _ = opened.proposed.sha256
                if job.stop_requested():
                    return
                self.drafts.put(job.id, opened, owner_hash, first.name)
            except ReadCancelledError:
                return
            except (DatasetError, FullError) as problem:
                job.error = str(problem)
                if origin is not None and isinstance(problem, DatasetError):
                    # It was read by these answers then: what cannot be is another file.
                    job.error = origin.refusal(source.name)
                return
            progress(1.0, "Read")

        # A download goes on while its owner_hash looks at another page; it is kept for everybody.
        far = bool(source.remote)
        return self.jobs.submit(work, owner=owner, pinned=far, heavy=lambda: far, snapshot=first)

    def preview(self, draft: str, keys: Sequence[str], owner: str = "") -> str:
        """Add to a draft what each answer to some questions would give; return the id of the job.

        It replaces the unfinished job of the same owner. The draft keeps its id.
        """
        opened = self.drafts.get(draft)
        if opened is None:
            raise ValueError("This set is no longer on the server: upload its file again.")
        first = LoadSnapshot(opened.source.name, answers=opened.answers)

        def work(job: Job) -> None:
            def progress(fraction: float, words: str) -> None:
                job.publish(replace(first, fraction=fraction, words=words))

            try:
                watching = {"progress": progress, "cancelled": job.stop_requested}
                previews = opened.source.previews(keys, opened.answers, **watching)
            except ReadCancelledError:
                return
            except DatasetError as problem:
                job.error = str(problem)
                return
            # A question whose answers are not shown has none to wait for.
            self.drafts.replace(draft, opened.with_previews(dict.fromkeys(keys, ()) | previews))
            progress(1.0, "Read")

        return self.jobs.submit(work, owner=owner, snapshot=first)


def files_in_words(names: Sequence[str]) -> str:
    """Name several files together: the one, the folder they share, or their number."""
    if len(names) == 1:
        return names[0]
    tops = {name.replace("\\", "/").split("/")[0] for name in names if "/" in name}
    if len(tops) == 1:
        return tops.pop()
    return f"{len(names):,} files"


def check_varies(dataset: Dataset, name: str) -> None:
    """Refuse what no fit could explain: images that are all the same."""
    # One at a time, up to the first that differs: no second copy of a large set.
    first = dataset.data[0]
    if all((row == first).all() for row in dataset.data[1:]):
        raise DatasetError(
            f"{name}: all {dataset.nouns.count_samples(dataset.n_samples)} are the same, so there "
            f"is nothing to explain: choose a file with {dataset.nouns.samples} that differ."
        )
