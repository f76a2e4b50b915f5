"""The ways in: a file, a folder, bytes or pictures are named, weighed, and sent to the door.

Nothing is parsed here; names from a browser or an archive are never used as paths.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from cspca.datasets.files import door, limits, wire
from cspca.datasets.files.choices import ReadChoices, Recognised
from cspca.datasets.files.formats import (
    FORMATS,
    HEAD_BYTES,
    KINDS,
    PICTURE_SUFFIXES,
    SIGNATURES,
    is_picture,
)
from cspca.datasets.files.labels import clean_name, plain_parts
from cspca.datasets.files.limits import Cancelled, Progress, Watch
from cspca.datasets.recipe import Recipe
from cspca.datasets.record import Dataset, DatasetError

Source = str | os.PathLike[str] | bytes | IO[bytes]
NamedFile = tuple[str, bytes] | str | os.PathLike[str]

_MOST_NAMED = 12  # so many files are named one by one in a recipe


@dataclass(frozen=True)
class Brought:
    """What somebody brought, as it is sent to the process that parses."""

    request: dict[str, Any]
    recipe: Recipe  # without any choices
    parts: tuple[bytes, ...] = ()

    def recognise(self, choices: ReadChoices, watch: Watch) -> Recognised:
        """Have it read by these choices and, where there are none, by guesses."""
        answer = door.parse({**self.request, "choices": vars(choices)}, self.parts, watch)
        try:
            read = wire.unpacked(*answer)
        # Whatever it says: it comes from a process in which a foreign file was at work.
        except Exception as error:
            raise limits.damaged(watch.name) from error
        dataset = read.dataset.made_by(self.recipe.but(**choices.given))
        return replace(read, dataset=dataset, recipe=self.recipe, contents=self)


def load_file(file: Source, name: str | None = None, **choices: Any) -> Dataset:
    """Read an image set that a user brings.

    Parameters
    ----------
    file : path, bytes, or binary file object
        A ``.mat`` file of MATLAB 5 to 7.3 holding ``fea/gnd``, ``X/Y`` or train/test halves; a
        ``.npz`` or ``.npy`` holding (images, pixels) or (images, height, width[, colours]); a
        ``.csv`` table; a ``.zip`` of pictures in class folders; or a folder of them.
    name : str, optional
        What to call it; its suffix, or for bytes the first bytes, choose the reader.
    **choices
        What is not to be guessed, as for `ReadChoices`.

    Returns
    -------
    Dataset
        Pixels in [0, 1], upright and row by row, in double precision unless that takes more than
        256 MB; `Dataset.recognised` says what was understood. A file causes no error but a
        `DatasetError`, with one sentence: what is wrong and what to do.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.

    Examples
    --------
    >>> import io, numpy
    >>> file = io.BytesIO()
    >>> numpy.save(file, numpy.eye(36))
    >>> load_file(file, "eye.npy", image_shape=(4, 9))
    <Dataset 'eye': 36 images, 4 × 9, no labels>
    """
    return read_file(file, name, choices=ReadChoices(**choices)).dataset


def load_files(files: Sequence[NamedFile], name: str = "pictures", **choices: Any) -> Dataset:
    """Read picture files that come one by one.

    Parameters
    ----------
    files : sequence of paths or of (name, content)
        A path or name may say the folder, ``anna/1.png``, which is then the class.
    name : str, default="pictures"
        What to call them together.
    **choices
        As for `load_file`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    return read_files(files, name, choices=ReadChoices(**choices)).dataset


def read_file(
    file: Source,
    name: str | None = None,
    *,
    choices: ReadChoices | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Recognised:
    """Read an image set and lay open every guess, so that each can be changed.

    Where several arrays might be meant, a `ChoiceNeededError` says which.

    Parameters
    ----------
    file, name
        As for `load_file`.
    choices : ReadChoices, optional
        What is not to be guessed.
    progress : callable, optional
        Called with a fraction from 0 to 1 and a few words, from the calling thread.
    cancelled : callable, optional
        Asked often; True ends the reading with `ReadCancelledError`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    choices = choices or ReadChoices()
    if isinstance(file, (str, os.PathLike)) and _is_folder(file):
        folder = Path(file).resolve()
        name = _plain_name(name or folder.name or "folder")
        recipe = Recipe("load_file", (name,), bring=f"the folder {name}")
        brought = Brought({"several": True, "folder": str(folder)}, recipe)
        return brought.recognise(choices, Watch(name, progress, cancelled))
    content, name = _content(file, name)
    if not content:
        raise DatasetError(f"{name} is empty (0 bytes): choose another file, or save it again.")
    suffix = _suffix(content, name)
    if suffix not in FORMATS:
        one = [(name, content)]
        return read_files(one, name, choices=choices, progress=progress, cancelled=cancelled)
    request = {"module": FORMATS[suffix], "several": suffix == ".zip"}
    brought = Brought(request, Recipe("load_file", (name,), bring=name), (content,))
    return brought.recognise(choices, Watch(name, progress, cancelled))


def read_files(
    files: Sequence[NamedFile],
    name: str = "pictures",
    *,
    choices: ReadChoices | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Recognised:
    """Read picture files that come one by one, and lay open every guess.

    Parameters
    ----------
    files : sequence of paths or of (name, content)
        As for `load_files`. One file that is not a picture is read as by `read_file`.
    name, choices, progress, cancelled
        As for `load_files` and `read_file`.

    Raises
    ------
    DatasetError
        The only error that a file can cause: one sentence, what is wrong and what to do.
    """
    choices = choices or ReadChoices()
    if not files:
        raise DatasetError("There are no files: choose some pictures.")
    named = _named(files)
    if len(named) == 1 and not is_picture(named[0][1][:HEAD_BYTES]):
        one_name, content = named[0]
        return read_file(content, one_name, choices=choices, progress=progress, cancelled=cancelled)
    _check_together(named)
    name = _plain_name(name)
    if len(files) > limits.MAX_ENTRIES:
        raise DatasetError(f"{name}: {len(files):,} files are too many: bring fewer at a time.")
    limits.check_file(sum(len(content) for _, content in named), name)
    names, parts = zip(*named, strict=True)
    brought = Brought({"several": True, "names": names}, _recipe_of(names), parts)
    return brought.recognise(choices, Watch(name, progress, cancelled))


def _named(files: Sequence[NamedFile]) -> list[tuple[str, bytes]]:
    """Read those that are given by their path."""
    named: list[tuple[str, bytes]] = []
    total = 0
    for file in files:
        if isinstance(file, tuple):
            named.append(file)
            continue
        content, _ = _content(file, None)
        total += len(content)
        limits.check_file(total, f"What {len(files):,} files hold together")
        named.append((os.fspath(file), content))
    return named


def _check_together(named: Sequence[tuple[str, bytes]]) -> None:
    """Refuse data files that come together: each is a set of its own."""
    data = [_plain_name(one) for one, _ in named if Path(one).suffix.lower() in FORMATS]
    n_pictures = sum(is_picture(content[:HEAD_BYTES]) for _, content in named)
    if data and n_pictures < 2:
        more = f" and {len(named) - 2:,} more" if len(named) > 2 else ""
        others = [_plain_name(one) for one, _ in named if _plain_name(one) != data[0]]
        raise DatasetError(
            f"{data[0]} came together with {(others or data)[0]}{more}: bring a data file by "
            "itself, or at least two pictures."
        )


def _recipe_of(names: Sequence[str]) -> Recipe:
    """Write how to read picture files again: by the folder they share, by name, or in a folder."""
    parts = [plain_parts(name) for name in names]
    tops = {part[0] if len(part) > 1 else None for part in parts}
    top = next(iter(tops)) if len(tops) == 1 else None
    if top is not None:
        return Recipe("load_file", (top,), bring=f"the folder {top}")
    plain = ["/".join(part) for part in parts]
    if len(plain) <= _MOST_NAMED and len(set(plain)) == len(plain):
        return Recipe("load_files", (plain,), bring=f"these {len(plain)} picture files")
    words = f"a folder called pictures that holds the {len(plain):,} picture files and no others"
    return Recipe("load_file", ("pictures",), bring=words)


def _is_folder(file: str | os.PathLike[str]) -> bool:
    try:
        return Path(file).is_dir()
    except (OSError, ValueError):  # ValueError: a null byte in the path
        return False


def _content(file: Source, name: str | None) -> tuple[bytes, str]:
    if isinstance(file, (bytes, bytearray, memoryview)):
        name = _plain_name(name or "upload")
        content = bytes(file)
    elif isinstance(file, (str, os.PathLike)):
        path = Path(file)
        name = _plain_name(name or path.name)
        try:
            limits.check_file(path.stat().st_size, name)
            content = path.read_bytes()
        except DatasetError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a null byte in the path
            why = getattr(error, "strerror", None) or str(error)
            raise DatasetError(f"{name} cannot be opened ({why}): check the path.") from error
    else:
        name = _plain_name(name or str(getattr(file, "name", "upload")))
        content = _read_stream(file, name)
    limits.check_file(len(content), name)
    return content, name


def _plain_name(name: str) -> str:
    """Only the last part: a name from a browser or an archive is never used as a path."""
    return clean_name(name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1], 10_000) or "upload"


def _read_stream(file: IO[bytes], name: str) -> bytes:
    """Read from the beginning, wherever an earlier reader may have left off."""
    try:
        if file.seekable():
            file.seek(0)
        content = file.read(limits.MAX_BYTES + 1)
    except (AttributeError, OSError, ValueError) as error:
        raise DatasetError(
            f"{name} cannot be read ({error}): give a path, bytes or an open binary file."
        ) from error
    if not isinstance(content, bytes):
        raise DatasetError(f"{name} was opened as text: open it in binary mode.")
    return content


def _suffix(content: bytes, name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix in FORMATS:
        return suffix
    if is_picture(content[:HEAD_BYTES]):
        return PICTURE_SUFFIXES[0]
    if suffix in PICTURE_SUFFIXES:
        raise DatasetError(
            f"{name} is not a {KINDS} picture, whatever its name says: save it again as PNG."
        )
    if not suffix:
        for signature, found in SIGNATURES:
            if content.startswith(signature):
                return found
    known = ", ".join(FORMATS)
    raise DatasetError(
        f"{name} is of a kind that is not read here: bring one of {known}, or {KINDS} pictures."
    )
