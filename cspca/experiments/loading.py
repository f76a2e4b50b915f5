"""Reading a set in the background: files, a remote set, or an opened one by other choices."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from cspca.datasets import (
    NO_LABELS,
    NOT_PICTURES,
    REMOTE,
    ChoiceNeededError,
    Dataset,
    DatasetError,
    Options,
    ReadCancelledError,
    ReadChoices,
    Recognised,
    fetch,
    leave_out,
    read_files,
    resized,
    standardised,
)
from cspca.datasets.files.choices import Fit, sizes_below
from cspca.datasets.files.door import keep_spare
from cspca.datasets.leaving import thinned
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

    def read(self, choices: ReadChoices, **how: Any) -> Recognised:
        """Read it by these choices; a DatasetError says why it cannot be.

        What came ready is brought to the size that is chosen: nothing else of it can be.
        """
        if self.dataset is None:
            return read_files(self.files, self.name, choices=choices, **how)
        fit, result, options = choices.fit or "stretch", self.dataset, Options()
        if result.image_shape is not None:
            fits = get_args(Fit) if choices.size else ()
            options = Options(sizes=sizes_below(result.image_shape), fits=fits)
            if choices.size is not None:
                result = resized(result, choices.size, fit=fit)
        return Recognised(
            dataset=result,
            file=self.name,
            format="data set",
            used=ReadChoices(size=result.image_shape, fit=fit),
            options=options,
            said=(result.recognised.removesuffix("."),),
        )


_CONSTANTS: Final = {"NO_LABELS": NO_LABELS, "NOT_PICTURES": NOT_PICTURES}
_STEPS: Final[dict[str, Callable[..., Dataset]]] = {
    function.__name__: function for function in (leave_out, resized, standardised, thinned)
}


@dataclass(frozen=True)
class Origin:
    """What a data set was made from, as its recipe tells it, and its fingerprint.

    `function` is what loads it, ``load_file`` for example, and `names` are the files or the set;
    `steps` are what was done with it afterwards, each with its arguments.
    """

    function: str
    names: tuple[str, ...]
    choices: ReadChoices
    steps: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]
    sha256: str

    @classmethod
    def of(cls, source: str, sha256: str) -> Origin | None:
        """Read the source of a recipe; None where it holds more than calls and their values."""
        try:
            calls = _calls(source)
            function, (first, *_), options = calls.pop()
            names = (first,) if isinstance(first, str) else tuple(map(str, first))
            choices = ReadChoices(**options) if function in ("load_file", "load_files") else None
        except (ValueError, KeyError, TypeError, SyntaxError):
            return None
        if any(name not in _STEPS for name, *_ in calls):
            return None
        return cls(function, names, choices or ReadChoices(), tuple(reversed(calls)), sha256)

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
        arguments = tuple(_value(one) for one in node.args[inner is not None :])
        options = {str(one.arg): _value(one.value) for one in node.keywords}
        calls.append((node.func.id, arguments, options))
        node = inner
    return calls


def _value(node: ast.expr) -> Any:
    return _CONSTANTS[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)


@dataclass(frozen=True)
class Opened:
    """A set that has been read, and everything needed to read it otherwise.

    `choices` are those of the person, the rest was guessed; `before` are the pictures before they
    were made smaller.
    """

    source: Source
    choices: ReadChoices
    recognised: Recognised
    before: Dataset | None = None

    @property
    def dataset(self) -> Dataset:
        """The set itself."""
        return self.recognised.dataset

    def of(self, owner: str) -> Opened:
        """Return it as the owner's, and with it all that is made of its pictures."""
        recognised = replace(self.recognised, dataset=owned(self.dataset, owner))
        before = None if self.before is None else owned(self.before, owner)
        return replace(self, recognised=recognised, before=before)


def _open(source: Source, choices: ReadChoices, old: Opened | None, **how: Any) -> Opened:
    if source.remote:
        ready = fetch(source.remote, **how)
        source = Source(ready.name, dataset=ready)
    found, before = source.read(choices, **how), source.dataset
    # The pictures in their own size, where they are at hand and not too large to keep.
    asked = None if old is None else replace(old.choices, size=choices.size, fit=choices.fit)
    if before is None and old is not None and asked == choices:
        before = old.dataset if old.choices.size is None else old.before
        if before is not None and before.data.nbytes > 128 << 20:
            before = None
    return Opened(source, choices, found, None if choices.size is None else before)


def _same_as(origin: Origin, opened: Opened, owner: str) -> Opened:
    """Return what was opened, made what it was then; a DatasetError says that it is another."""
    dataset = owned(origin.follow_steps(opened.dataset), owner)
    if dataset.sha256 != origin.sha256:
        raise DatasetError(origin.refusal(opened.source.name))
    return replace(opened, recognised=replace(opened.recognised, dataset=dataset))


@dataclass(frozen=True)
class LoadSnapshot:
    """One moment of reading: what, how far (0 – 1), and what is being done.

    Where a choice would mend why nothing was read, `options` are what there is to choose between
    and `source` is what to read again.
    """

    name: str
    fraction: float = 0.0
    words: str = "Waiting"
    choices: ReadChoices = field(default_factory=ReadChoices)
    source: Source | None = None
    options: Options | None = None


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
        return self.read(Source(title, remote=name), ReadChoices(), owner)

    def read(
        self,
        source: Source,
        choices: ReadChoices,
        owner: str = "",
        old: Opened | None = None,
        origin: Origin | None = None,
    ) -> str:
        """Read what there is, or resize a set that came ready; return the id of the job.

        It replaces the unfinished one of the same owner; `old` is the same read by other choices.
        With an `origin`, files of any other content than its fingerprint says are refused.
        A FullError says that there is no room for what is to be read.
        """
        who = hashed(owner.partition(" ")[0])
        LEDGER.make_room(who, parts_of(source), source.name)
        first = LoadSnapshot(source.name, choices=choices)

        def work(job: Job) -> None:
            def progress(fraction: float, words: str) -> None:
                job.publish(replace(first, fraction=fraction, words=words))

            doing = "Opening" if source.dataset is None else "Making the images smaller"
            progress(0.0, doing)
            try:
                how = {"progress": progress, "cancelled": job.stop_requested}
                opened = _open(source, choices, old, **how).of(who)
                if origin is not None:
                    opened = _same_as(origin, opened, who)
                check_varies(opened.dataset, first.name)
                # Now, not while a page is drawn: hashing a large set takes a moment.
                _ = opened.dataset.sha256
                if job.stop_requested():
                    return
                self.drafts.put(job.id, opened, who, first.name)
            except ReadCancelledError:
                return
            except (DatasetError, FullError) as problem:
                job.error = str(problem)
                if origin is not None and isinstance(problem, DatasetError):
                    # It was read by these choices then: what cannot be is another file.
                    job.error = origin.refusal(source.name)
                elif isinstance(problem, ChoiceNeededError):
                    job.publish(replace(first, source=source, options=problem.options))
                return
            progress(1.0, "Read")

        # A download goes on while its visitor looks at another page; it is kept for everybody.
        far = bool(source.remote)
        return self.jobs.submit(work, owner=owner, pinned=far, heavy=lambda: far, snapshot=first)


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
