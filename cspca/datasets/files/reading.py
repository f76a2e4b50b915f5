"""The ways in: a file, a folder, bytes or pictures are named, weighed, and sent to the door.

Nothing is parsed here; names from a browser or an archive are never used as paths.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from cspca.datasets.files import door, foreign
from cspca.datasets.files.containers import idx
from cspca.datasets.files.foreign import KINDS, Cancelled, Progress, Watch, clean_name
from cspca.datasets.files.preview import Preview, unpacked_preview
from cspca.datasets.files.question import Answer, Answers, Question, UndecidedError
from cspca.datasets.files.unread_kinds import unread_kind
from cspca.datasets.record import Dataset, DatasetError, Floats, Recipe, Skeleton

Source = str | os.PathLike[str] | bytes | IO[bytes]
NamedFile = tuple[str, bytes] | str | os.PathLike[str]


@dataclass(frozen=True)
class Reading:
    """A file as it was read: the set, and every question with its answers and evidence.

    Parameters
    ----------
    file, format : str
        Name of the file, and its kind, such as ``MATLAB file``.
    answers : Answers
        What the person had decided.
    questions : mapping of str to Question
        Every question about the file by its key, in the order in which they were settled.
    proposed : Dataset or None
        The set by the person's answers and the first answer of every other question; None where
        it cannot be made, see `refusal`.
    summary : str
        Its size in words.
    sentences : tuple of str
        What was done, a sentence each.
    notes : tuple of str
        Those of `sentences` that no question says.
    left_out : tuple of str
        What was passed over and why, a phrase each.
    sizes : tuple of (height, width)
        Sensible sizes to resize pictures to, the largest first.
    sample_names : tuple of str
        Name of each sample, such as that of its picture file; empty where they have none.
    refusal : str
        Why no set can be made until a question is answered otherwise.
    previews : mapping of str to tuple of Preview
        What the first answers of a question would give, by its key, where they were asked for.
    """

    file: str
    format: str
    answers: Answers
    questions: Mapping[str, Question] = field(default_factory=dict)
    proposed: Dataset | None = field(default=None, repr=False)
    summary: str = ""
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    sample_names: tuple[str, ...] = ()
    refusal: str = ""
    previews: Mapping[str, tuple[Preview, ...]] = field(default_factory=dict, repr=False)

    @property
    def open_questions(self) -> dict[str, Question]:
        """Questions that the person has to answer before the set is used."""
        return {key: question for key, question in self.questions.items() if question.is_open}

    @property
    def dataset(self) -> Dataset:
        """The set, once no question is open; `UndecidedError` before."""
        if self.open_questions:
            raise UndecidedError(self.file, self.open_questions)
        assert self.proposed is not None
        return self.proposed


@dataclass(frozen=True)
class FileColumns:
    """A table of a file, column by column.

    Parameters
    ----------
    file : str
        Name of the file.
    columns : tuple of (str, array or list of str)
        Header, empty where there is none, and numbers or words of each column.
    """

    file: str
    columns: tuple[tuple[str, Floats | list[str]], ...]


def load_file(file: Source, name: str | None = None, **answers: Any) -> Dataset:
    """Read an image set that a user brings.

    Parameters
    ----------
    file : path, bytes, or binary file object
        A ``.mat`` file of MATLAB 5 to 7.3 holding ``fea/gnd``, ``X/Y`` or train/test halves; a
        ``.npz`` or ``.npy`` holding (images, pixels) or (images, height, width[, colours]); a
        ``.csv`` table; a ``.zip`` of pictures in class folders; or a folder of them.
    name : str, optional
        What to call it; its suffix, or for bytes the first bytes, choose the reader.
    **answers
        Answers to questions about the file: ``data=, header=, samples=, pivot=, roles={column:
        role}, classes_from=, features=, colours=, order=, shape=, missing=, scale=``, and ``size=,
        crop=, class_names=`` for what to make of it.

    Returns
    -------
    Dataset
        Pixels in [0, 1], upright and row by row, in double precision unless that takes more than
        256 MB; `Dataset.recognised` says what was understood.

    Raises
    ------
    UndecidedError
        If the evidence in the file does not answer a question; its ``questions`` hold the answers
        that fit.
    DatasetError
        If the file cannot be read: one sentence, what is wrong and what to do. No file causes
        another error.

    Examples
    --------
    >>> import io, numpy
    >>> file = io.BytesIO()
    >>> numpy.save(file, numpy.eye(36))
    >>> load_file(file, "eye.npy", samples="rows", shape=(4, 9))
    <Dataset 'eye': 36 images, 4 × 9, no labels>
    """
    return read_file(file, name, Answers.of(**answers)).dataset


def load_files(files: Sequence[NamedFile], name: str = "pictures", **answers: Any) -> Dataset:
    """Read picture files that come one by one.

    Parameters
    ----------
    files : sequence of paths or of (name, content)
        A path or name may say the folder, ``anna/1.png``, which is then the class.
    name : str, default="pictures"
        What to call them together.
    **answers
        As for `load_file`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    return read_files(files, name, Answers.of(**answers)).dataset


def read_file(
    file: Source,
    name: str | None = None,
    answers: Answers | None = None,
    *,
    with_previews: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reading:
    """Read a file, with every question about it and its evidence.

    Parameters
    ----------
    file, name
        As for `load_file`.
    answers : Answers, optional
        What the person has decided.
    with_previews : bool, default=False
        Whether to show what other answers would give.
    progress : callable, optional
        Called with a fraction from 0 to 1 and a few words, from the calling thread.
    cancelled : callable, optional
        Asked often; True ends the reading with `ReadCancelledError`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    if isinstance(file, (str, os.PathLike)) and os.path.isdir(file):
        folder = Path(file).resolve()
        name = _plain_name(name or folder.name or "folder")
        recipe = Recipe("load_file", (name,), bring=f"the folder {name}")
        watch = Watch(name, progress, cancelled)
        request = {"folder": str(folder), "with_previews": with_previews}
        return _read(request, (), recipe, answers or Answers(), watch)
    named = _content(file, name)
    return read_files(
        [named],
        answers=answers,
        with_previews=with_previews,
        progress=progress,
        cancelled=cancelled,
    )


def read_files(
    files: Sequence[NamedFile],
    name: str = "pictures",
    answers: Answers | None = None,
    *,
    with_previews: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reading:
    """Read picture files that come one by one, with every question about them.

    Parameters
    ----------
    files : sequence of paths or of (name, content)
        As for `load_files`. One file that is not a picture is read as by `read_file`.
    name, answers, with_previews, progress, cancelled
        As for `load_files` and `read_file`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    if not files:
        raise DatasetError("There are no files: choose some images.")
    named: list[tuple[str, bytes]] = []
    total = 0
    for file in files:
        named.append(file if isinstance(file, tuple) else (os.fspath(file), _content(file)[1]))
        total += len(named[-1][1])
        foreign.check_most(total, foreign.MAX_BYTES, "bytes", _plain_name(name))
    name = _plain_name(named[0][0] if len(named) == 1 else name)
    names, parts = zip(*named, strict=True)
    module = _module(parts[0], name) if len(named) == 1 else None
    if module is not None:
        request: door.Header = {"module": module}
        recipe = Recipe("load_file", (name,), bring=name)
    elif all(map(idx.is_idx, parts)):
        request, recipe = {"module": foreign.FORMATS[".idx"], "names": names}, _recipe_of(names)
    else:
        _check_together(named)
        request, recipe = {"names": names}, _recipe_of(names)
    request["with_previews"] = with_previews
    watch = Watch(name, progress, cancelled)
    return _read(request, parts, recipe, answers or Answers(), watch)


def read_columns(
    file: Source,
    name: str | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> FileColumns:
    """Read a table that is no set of samples, column by column.

    Parameters
    ----------
    file : path, bytes, or binary file object
        A table of text, an Excel workbook, a Parquet or Feather file, or JSON.
    name, progress, cancelled
        As for `read_file`.

    Returns
    -------
    FileColumns
        Columns in the order of the file; a header is empty where the file has none.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    name, content = _content(file, name)
    foreign.check_most(len(content), foreign.MAX_BYTES, "bytes", name)
    request = {"module": _columns_module(content, name), "as_is": True}
    answer, arrays = door.parse(request, [content], Watch(name, progress, cancelled))
    if "refused" in answer:
        raise door.refusal(answer)
    try:
        columns: dict[int, tuple[str, Floats | list[str]]] = {}
        for at, (place, header) in enumerate(answer["numeric"]):
            columns[place] = clean_name(header), arrays[0][:, at]
        for place, header, words in answer["text"]:
            columns[place] = clean_name(header), [str(word) for word in words]
        lengths = {len(values) for _, values in columns.values()}
    # Whatever it says: it comes from a process in which a foreign file was at work.
    except Exception as error:
        raise foreign.damaged(name) from error
    if len(lengths) > 1:
        raise foreign.damaged(name)
    return FileColumns(name, tuple(columns[place] for place in sorted(columns)))


def _columns_module(content: bytes, name: str) -> str:
    """Return what reads the columns of a table, by its suffix."""
    suffix = Path(name).suffix.lower()
    if suffix == ".json":
        return foreign.JSON_COLUMNS
    if content.startswith((b"PAR1", b"ARROW1")) or suffix in (".parquet", ".feather", ".arrow"):
        return foreign.FORMATS[".parquet"]
    if suffix in (".xlsx", ".xlsm"):
        return foreign.FORMATS[".xlsx"]
    return foreign.FORMATS[".csv"]


def _read(
    request: door.Header,
    parts: Sequence[bytes],
    recipe: Recipe,
    answers: Answers,
    watch: Watch,
) -> Reading:
    """Have it parsed, settled by these answers, and built in a process of its own."""
    header, arrays = door.parse({**request, "answers": asdict(answers)}, parts, watch)
    try:
        return unpacked(header, arrays, watch.name, answers, recipe)
    except DatasetError:
        raise
    # Whatever it says: it comes from a process in which a foreign file was at work.
    except Exception as error:
        raise foreign.damaged(watch.name) from error


def unpacked(
    header: door.Header, arrays: Sequence[Any], file: str, answers: Answers, recipe: Recipe
) -> Reading:
    """Return what an answer of the process says; raise its refusal."""
    if "refused" in header:
        raise door.refusal(header)
    questions = [
        Question(**sent | {"answers": tuple(Answer(**answer) for answer in sent["answers"])})
        for sent in header["questions"]
    ]
    by_key = {question.key: question for question in questions}
    previews = {
        key: tuple(unpacked_preview(preview) for preview in sent)
        for key, sent in header.get("previews", {}).items()
    }
    if header.get("refusal"):
        refusal = clean_name(header["refusal"], 1000)
        return Reading(file, header["format"], answers, by_key, refusal=refusal, previews=previews)
    skeleton = header["skeleton"] and Skeleton(**header["skeleton"])
    data, target = (*arrays, None)[:2]
    dataset = Dataset(data, target, skeleton=skeleton, **header["dataset"])
    dataset = dataset.made_by(recipe.but(**answers.arguments))
    return Reading(
        answers=answers, questions=by_key, proposed=dataset, previews=previews, **header["read"]
    )


def _check_together(named: Sequence[tuple[str, bytes]]) -> None:
    """Refuse data files that come together, but for those that may be one sample each."""
    suffixes = {Path(file_name).suffix.lower() for file_name, _ in named}
    if suffixes == {".npy"} or suffixes <= foreign.TEXT_SUFFIXES:
        return
    data = [
        _plain_name(file_name)
        for file_name, _ in named
        if Path(file_name).suffix.lower() in foreign.FORMATS
    ]
    n_pictures = sum(foreign.is_picture(content) for _, content in named)
    if data and n_pictures < 2:
        further = f" and {len(named) - 2:,} more" if len(named) > 2 else ""
        beside = [
            name for name in (_plain_name(file_name) for file_name, _ in named) if name != data[0]
        ]
        raise DatasetError(
            f"{data[0]} came together with {(beside or data)[0]}{further}: bring a data file by "
            "itself, or at least two images."
        )


def _recipe_of(names: Sequence[str]) -> Recipe:
    """Write how to read picture files again: by the folder they share, by name, or in a folder."""
    parts = [foreign.plain_parts(name) for name in names]
    tops = {part[0] if len(part) > 1 else None for part in parts}
    top = next(iter(tops)) if len(tops) == 1 else None
    if top is not None:
        return Recipe("load_file", (top,), bring=f"the folder {top}")
    plain = ["/".join(part) for part in parts]
    if len(plain) <= 12 and len(set(plain)) == len(plain):
        return Recipe("load_files", (plain,), bring=f"these {len(plain)} image files")
    words = f"a folder called pictures that holds the {len(plain):,} image files and no others"
    return Recipe("load_file", ("pictures",), bring=words)


def _content(file: Source, name: str | None = None) -> tuple[str, bytes]:
    """Name and content; what is open is read from its beginning, whoever read it before."""
    if isinstance(file, (bytes, bytearray, memoryview)):
        return name or "upload", bytes(file)
    stream: Any = file
    path = Path(file) if isinstance(file, (str, os.PathLike)) else None
    name = _plain_name(name or (path.name if path else str(getattr(file, "name", "upload"))))
    try:
        if path is not None:
            foreign.check_most(path.stat().st_size, foreign.MAX_BYTES, "bytes", name)
            return name, path.read_bytes()
        if stream.seekable():
            stream.seek(0)
        return name, bytes(stream.read(foreign.MAX_BYTES + 1))
    except DatasetError:
        raise
    # ValueError: a null byte in the path, or a closed file; TypeError: it was opened as text.
    except (AttributeError, OSError, TypeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DatasetError(
            f"{name} cannot be opened ({why}): check the path, or give an open binary file."
        ) from error


def _plain_name(name: str) -> str:
    """Only the last part: a name from a browser or an archive is never used as a path."""
    return clean_name(name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1], 10_000) or "upload"


def _module(content: bytes, name: str) -> str | None:
    """Return what reads a file, by its suffix, else by its first bytes; None for a picture."""
    if not content:
        raise DatasetError(f"{name} is empty (0 bytes): choose another file, or save it again.")
    if idx.is_idx(content):
        return foreign.FORMATS[".idx"]
    # A picture that is called otherwise is a picture.
    kind = None if foreign.is_picture(content) else unread_kind(content, name)
    if kind is not None:
        raise kind.refusal(name)
    suffix = Path(name).suffix.lower()
    if not suffix:
        starts = ((b"\x93NUMPY", ".npy"), (b"PK", ".zip"), (b"MATLAB", ".mat"))
        suffix = next((ending for start, ending in starts if content.startswith(start)), "")
    if suffix in foreign.FORMATS:
        return foreign.FORMATS[suffix]
    if foreign.is_picture(content):
        return None
    if suffix in foreign.PICTURE_SUFFIXES:
        raise DatasetError(
            f"{name} is not a {KINDS} image, whatever its name says: save it again as PNG."
        )
    suffixes = ", ".join(foreign.FORMATS)
    raise DatasetError(
        f"{name} is of a kind that is not read here: bring one of {suffixes}, or {KINDS} images."
    )
