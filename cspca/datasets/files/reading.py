"""The ways in: a file, a folder, bytes or pictures are named, weighed, and sent to the door.

Nothing is parsed here; names from a browser or an archive are never used as paths.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import door, foreign
from cspca.datasets.files.containers import idx
from cspca.datasets.files.foreign import KINDS, Cancelled, Progress, Watch, clean_name
from cspca.datasets.files.packing import packed as packed_steps
from cspca.datasets.files.packing import unpacked as unpacked_steps
from cspca.datasets.files.preview import Preview, unpacked_preview
from cspca.datasets.files.question import Answer, Answers, Question, UndecidedError
from cspca.datasets.files.unread_kinds import unread_kind
from cspca.datasets.numbering import correlation_text
from cspca.datasets.record import Dataset, DatasetError, Floats, Recipe, Skeleton

Source = str | os.PathLike[str] | bytes | IO[bytes]
NamedFile = tuple[str, bytes] | str | os.PathLike[str]


_OF_SPREADSHEETS = (".xls", ".xlsb", ".ods", ".fods", ".numbers")


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
    previewed : tuple of str
        Keys of the questions for which `preview_questions` shows that.
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
    previewed: tuple[str, ...] = ()

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
        Answers to questions about the file: ``data=, header=, commas=, samples=, pivot=,
        roles={column: role}, classes_from=, features=, colours=, order=, shape=, missing=,
        scale=``, and ``size=, crop=, class_names=`` for what to make of it.

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


def load_files(files: Sequence[NamedFile], name: str | None = None, **answers: Any) -> Dataset:
    """Read picture files, or arrays with their labels, that come one by one.

    Parameters
    ----------
    files : sequence of paths or of (name, content)
        A path or name may say the folder, ``anna/1.png``, which is then the class.
    name : str, optional
        What to call them together; by default after the largest array, or ``pictures``.
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
        Whether to show what each answer to an open question would give.
    progress : callable, optional
        Called with a fraction from 0 to 1 and a few words, from the calling thread.
    cancelled : callable, optional
        Asked often; True ends the reading with `ReadCancelledError`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    name, request, parts, recipe = _request_of(file, name)
    request["with_previews"] = with_previews
    watch = Watch(name, progress, cancelled)
    return _read(request, parts, recipe, answers or Answers(), watch)


def read_files(
    files: Sequence[NamedFile],
    name: str | None = None,
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
    name, request, parts, recipe = _request_for(files, name)
    request["with_previews"] = with_previews
    watch = Watch(name, progress, cancelled)
    return _read(request, parts, recipe, answers or Answers(), watch)


def preview_questions(
    files: Sequence[NamedFile],
    keys: Sequence[str],
    name: str = "pictures",
    answers: Answers | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> dict[str, tuple[Preview, ...]]:
    """Show what the first answers to some questions about files would give, by their keys.

    Parameters
    ----------
    keys : sequence of str
        Keys of questions, each among `Reading.previewed`.
    files, name, answers, progress, cancelled
        As for `read_files`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    name, request, parts, _ = _request_for(files, name)
    request |= {"previewed": list(keys), "answers": asdict(answers or Answers())}
    header, _ = door.parse(request, parts, Watch(name, progress, cancelled))
    try:
        if "refused" in header:
            raise door.refusal(header)
        return _unpacked_previews(header["previews"])
    except DatasetError:
        raise
    # Whatever it says: it comes from a process in which a foreign file was at work.
    except Exception as error:
        raise foreign.damaged(name) from error


@dataclass(frozen=True, eq=False)
class NewSamples:
    """Samples that came after a data set, as its steps made them.

    Parameters
    ----------
    data : array of shape (n_samples, n_features)
        Values in the unit of the set; beyond 0 – 1 where they lie beyond its range.
    names : tuple of str
        Name of each sample; empty where they have none.
    numbers : tuple of int
        Number of each sample in its file, from 1: those with missing values are left out.
    sentences : tuple of str
        What was done with them, a sentence each.
    """

    data: Floats
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    sentences: tuple[str, ...]


def read_like(
    file: Source | Sequence[NamedFile],
    dataset: Dataset,
    name: str | None = None,
    *,
    crop: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> NewSamples:
    r"""Read new samples of a data set: by the same steps as its file, with the same numbers.

    Parameters
    ----------
    file : path, bytes, binary file object, or a sequence of paths or of (name, content)
        One sample or several, with labels or without. Columns are matched by their names where the
        file and the set have names, else by their places.
    dataset : Dataset
        Its `Dataset.steps` say what is done. Of a set that was not read from a file, pictures are
        divided by the white of their files, and other values have to lie in 0 – 1.
    name : str, optional
        What to call it, as for `load_file`.
    crop : bool, default=False
        Crop pictures of other proportions rather than stretch them.
    progress, cancelled : callable, optional
        As for `read_file`.

    Returns
    -------
    NewSamples
        What `reconstruct` of a fit of `dataset` takes. The file of the set itself gives
        ``dataset.data``, but for samples that were left out.

    Raises
    ------
    DatasetError
        If the file cannot be read, or holds no samples of that kind: one sentence, what is wrong
        and what to do.

    Examples
    --------
    >>> table = b"height,width\n1,20\n2,40\n3,10\n4,30\n"
    >>> dataset = load_file(table, "plants.csv", scale="columns")
    >>> read_like(b"width,height\n40,2.5\n", dataset, "new.csv").data
    array([[0.5, 1. ]])
    """
    if isinstance(file, Sequence) and not isinstance(file, (str, bytes)):
        name, request, parts, _ = _request_for(file, name or f"{len(file)} files")
    else:
        name, request, parts, _ = _request_of(file, name)
    arrays: list[NDArray[Any]] = []
    request |= {"crop": crop, "steps": packed_steps(dataset.steps, arrays)}
    request["step_arrays"] = [(array.dtype.name, array.shape) for array in arrays]
    watch = Watch(name, progress, cancelled)
    header, results = door.parse(request, [*parts, *(array.tobytes() for array in arrays)], watch)
    if "refused" in header:
        raise door.refusal(header)
    try:
        names = tuple(clean_name(text) for text in header["names"])
        numbers = tuple(int(number) for number in header["numbers"])
        sentences = tuple(clean_name(text, 1000) for text in header["sentences"])
        candidates = [dataset.steps.changed(values) for values in results]
        values = candidates[0]
        if header["flat_order"] is not None:
            values, about_order = _likelier_order(candidates, dataset, header, name)
            sentences = (*sentences, *about_order)
        if values.shape[1] != dataset.n_features or not np.isfinite(values).all():
            raise foreign.damaged(name)
        if len(numbers) != len(values):
            raise foreign.damaged(name)
        return NewSamples(values, names, numbers, sentences)
    except DatasetError:
        raise
    # Whatever it says: it comes from a process in which a foreign file was at work.
    except Exception as error:
        raise foreign.damaged(name) from error


def _request_of(file: Source, name: str | None) -> tuple[str, door.Header, Sequence[bytes], Recipe]:
    """Return what `_request_for` does, of one file or of a folder."""
    if not isinstance(file, (str, os.PathLike)) or not os.path.isdir(file):
        return _request_for([_content(file, name)], None)
    folder = Path(file).resolve()
    name = _plain_name(name or folder.name or "folder")
    recipe = Recipe("load_file", (name,), bring=f"the folder {name}")
    return name, {"folder": str(folder)}, (), recipe


_SURE_OF_ORDER = 0.1  # by which pictures are more like those of the set in one order
_FEWEST_TO_COMPARE = 5  # pictures whose mean tells an order


def _likelier_order(
    candidates: Sequence[Floats], dataset: Dataset, header: door.Header, name: str
) -> tuple[Floats, tuple[str, ...]]:
    """Choose how the pixels of flat pictures follow each other, and say so where it was open.

    `candidates` are the values in the order of the set, else in that of such files, and in the
    other one: the mean picture of the set tells which of them it is like.
    """
    taken, turned = candidates
    order: str = header["flat_order"]
    other = "row" if order == "column" else "column"
    words = {"row": "along rows", "column": "down columns"}
    alike, alike_turned = _likeness(taken, dataset), _likeness(turned, dataset)
    is_turned = alike_turned > alike + _SURE_OF_ORDER and len(taken) >= _FEWEST_TO_COMPARE
    correlations = (
        "their mean and that of the set correlate by "
        f"{correlation_text(max(alike, alike_turned))} so, and by "
        f"{correlation_text(min(alike, alike_turned))} the other way."
    )
    if header["is_order_of_set"]:
        if not is_turned:
            return taken, ()
        return taken, (
            f"Pixels are taken to run {words[order]}, as in the file of the set, but these images "
            f"look turned: {words[other]} their mean and that of the set correlate by "
            f"{correlation_text(alike_turned)}, and as they are taken by "
            f"{correlation_text(alike)}.",
        )
    if is_turned:
        return turned, (f"Pixels of {name} run {words[other]}: {correlations}",)
    if alike > alike_turned + _SURE_OF_ORDER:
        sentence = f"Pixels of {name} run {words[order]}: {correlations}"
        return taken, (sentence,) if order == "column" else ()
    return taken, (
        f"Pixels of {name} are taken to run {words[order]}, which its values do not tell: look at "
        "the images, and bring them upright, as a stack, where they are turned.",
    )


def _likeness(values: Floats, dataset: Dataset) -> float:
    """Correlation of the mean picture with that of the set; 0 where one of them is even."""
    means = np.array([values.mean(axis=0), dataset.data.mean(axis=0)], dtype=np.float64)
    centred = means - means.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(centred, axis=1)
    return float(centred[0] @ centred[1] / norms.prod()) if norms.all() else 0.0


def _request_for(
    files: Sequence[NamedFile], name: str | None
) -> tuple[str, door.Header, Sequence[bytes], Recipe]:
    """Return the name of files together, what is requested of them, their contents, the recipe."""
    if not files:
        raise DatasetError("There are no files: choose some images.")
    named: list[tuple[str, bytes]] = []
    total = 0
    for file in files:
        named.append(file if isinstance(file, tuple) else (os.fspath(file), _content(file)[1]))
        total += len(named[-1][1])
        foreign.check_most(total, foreign.MAX_BYTES, "bytes", _plain_name(name or "pictures"))
    name = _plain_name(named[0][0] if len(named) == 1 else name or _name_together(named))
    names, parts = zip(*named, strict=True)
    module = _module(parts[0], name) if len(named) == 1 else None
    if module is not None:
        request: door.Header = {"module": module}
        recipe = Recipe("load_file", (name,), bring=name)
    elif all(map(idx.is_idx, parts)):
        request, recipe = {"module": foreign.FORMATS[".idx"], "names": names}, _recipe_of(names)
    else:
        _check_together(named)
        noun = "files" if Path(names[0]).suffix.lower() in foreign.FORMATS else "image files"
        request, recipe = {"names": names}, _recipe_of(names, noun)
    return name, request, parts, recipe


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
    previews = _unpacked_previews(header["previews"])
    previewed = tuple(key for key in by_key if key in header["previewed"])
    if header.get("refusal"):
        return Reading(
            file,
            header["format"],
            answers,
            by_key,
            refusal=clean_name(header["refusal"], 1000),
            previews=previews,
            previewed=previewed,
        )
    skeleton = header["skeleton"] and Skeleton(**header["skeleton"])
    columns = unpacked_steps(header["dataset"].pop("file_columns"), ())
    data, target = (*arrays[: header["steps"]["n_arrays_before"]], None)[:2]
    steps = unpacked_steps(header["steps"]["steps"], arrays)
    dataset = Dataset(
        data,
        target,
        skeleton=skeleton,
        steps=steps,
        file_columns=columns,
        **header["dataset"],
    )
    dataset = dataset.made_by(recipe.but(**answers.arguments))
    return Reading(
        answers=answers,
        questions=by_key,
        proposed=dataset,
        previews=previews,
        previewed=previewed,
        **header["read"],
    )


def _unpacked_previews(sent: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Preview, ...]]:
    return {key: tuple(unpacked_preview(preview) for preview in few) for key, few in sent.items()}


def _check_together(named: Sequence[tuple[str, bytes]]) -> None:
    """Refuse a data file that comes together with what is neither data nor a set of pictures."""
    is_data = [Path(file_name).suffix.lower() in foreign.FORMATS for file_name, _ in named]
    n_pictures = sum(foreign.is_picture(content) for _, content in named)
    for file_name, content in named if n_pictures < 2 else ():
        kind = unread_kind(content, file_name)
        if kind is not None:
            raise kind.refusal(_plain_name(file_name))
    if not any(is_data) or n_pictures > 1 or (n_pictures == 0 and all(is_data)):
        return
    names = [_plain_name(file_name) for file_name, _ in named]
    data = names[is_data.index(True)]
    others = sorted(names, key=lambda name: name == data)
    raise foreign.came_together([data, *others[: max(1, len(names) - 1)]])


def _name_together(named: Sequence[tuple[str, bytes]]) -> str:
    """Name of several files: that of the largest array among them, or ``pictures``."""
    arrays = [(len(content), file_name) for file_name, content in named]
    arrays = [(size, file_name) for size, file_name in arrays if file_name.lower().endswith(".npy")]
    if len(arrays) in (0, len(named)) and len(arrays) != 2:
        return "pictures"
    return max(arrays)[1]


def _recipe_of(names: Sequence[str], noun: str = "image files") -> Recipe:
    """Write how to read several files again: by the folder they share, by name, or in a folder."""
    parts = [foreign.plain_parts(name) for name in names]
    tops = {part[0] if len(part) > 1 else None for part in parts}
    top = next(iter(tops)) if len(tops) == 1 else None
    if top is not None:
        return Recipe("load_file", (top,), bring=f"the folder {top}")
    plain = ["/".join(part) for part in parts]
    if len(plain) <= 12 and len(set(plain)) == len(plain):
        return Recipe("load_files", (plain,), bring=f"these {len(plain)} {noun}")
    words = f"a folder called pictures that holds the {len(plain):,} {noun} and no others"
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
    if not suffix and content.startswith(b"PK"):
        suffix = ".zip"
    if suffix not in foreign.FORMATS and suffix not in foreign.PICTURE_SUFFIXES:
        suffix = _suffix_of(content)
    if suffix in foreign.FORMATS:
        return foreign.FORMATS[suffix]
    if foreign.is_picture(content):
        return None
    if suffix in foreign.PICTURE_SUFFIXES:
        raise DatasetError(
            f"{name} is not a {KINDS} image, whatever its name says: save it again as PNG."
        )
    if Path(name).suffix.lower() in _OF_SPREADSHEETS:
        raise DatasetError(
            f"{name} is no workbook that is read here, whatever its name says: save it as .xlsx, "
            "or export the sheet as .csv."
        )
    suffixes = ", ".join(foreign.FORMATS)
    raise DatasetError(
        f"{name} is of a kind that is not read here: bring one of {suffixes}, or {KINDS} images."
    )


def _suffix_of(content: bytes) -> str:
    """Suffix of what a file with another one holds, by its first bytes; empty where none tells."""
    starts = (
        (b"\x93NUMPY", ".npy"),
        (b"MATLAB", ".mat"),
        (b"\x89HDF\r\n\x1a\n", ".h5"),
    )
    for start, suffix in starts:
        if content.startswith(start):
            return suffix
    return ".txt" if _is_text(content) else ""


def _is_text(content: bytes) -> bool:
    """Whether a file begins with lines of text, as tables do."""
    start = content[:4096]
    control = bytes(code for code in range(32) if code not in b"\t\n\r\x0c")
    return b"\n" in start and start.translate(None, control) == start
