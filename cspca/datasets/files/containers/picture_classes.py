"""What may be the classes of pictures: columns of tables, folders, parts of the names of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cspca.datasets.files.containers.file_names import (
    FOLDER_ALONE,
    TOP_FOLDER,
    ClassSource,
    NamedClasses,
    distinct_sources,
    folder_sources,
    name_classes,
)
from cspca.datasets.files.question import Confidence

FILE: Final = "file"

_LABEL_COLUMNS: Final = (
    "label", "labels", "class", "classes", "target", "category", "species", "subject", "person",
    "identity", "id", "dx", "diagnosis",
)  # fmt: skip


@dataclass(frozen=True)
class PictureClasses:
    """Everything that may be classes, the likeliest first; how sure that is, and why."""

    sources: tuple[ClassSource, ...] = ()
    confidence: Confidence = "default"
    evidence: str = ""
    has_first: bool = False


def classes_of(paths: Sequence[tuple[str, ...]], columns: Sequence[ClassSource]) -> PictureClasses:
    """Return what may be classes: columns of tables, folders, parts of the names of files."""
    folders = folder_sources(paths)
    names = _by_names(paths)
    repeating = [source for source in folders if source.repeats]
    # A folder of few pictures each is a class all the same where no other folder is.
    if not repeating and len(folders) == 1 and len(folders[0].classes) < len(paths):
        repeating = folders[:1]
    every = distinct_sources([*columns, *repeating, *names.sources, *folders])
    every = [source for source in every if len(source.classes) > 1]
    if columns:
        return _by_table(columns, repeating, every)
    if repeating:
        return _by_folder(repeating, every)
    if names.has_first:
        if names.is_settled:
            return PictureClasses(tuple(every), "sure", names.evidence, has_first=True)
        return PictureClasses(tuple(every), "open", names.evidence, has_first=True)
    return PictureClasses(tuple(every))


def _by_names(paths: Sequence[tuple[str, ...]]) -> NamedClasses:
    """Parts of the names of files; where files hold several pictures, each file too."""
    files = list(dict.fromkeys(paths))
    names = name_classes([path[-1] for path in files])
    if len(files) == len(paths):
        return names
    places = {path: place for place, path in enumerate(files)}
    sources = [
        ClassSource(source.name, tuple(source.labels[places[path]] for path in paths))
        for source in names.sources
    ]
    sources.append(ClassSource(FILE, tuple("/".join(path) for path in paths)))
    return NamedClasses(tuple(sources), names.is_settled, names.evidence, names.has_first)


def _by_table(
    columns: Sequence[ClassSource], folders: list[ClassSource], every: list[ClassSource]
) -> PictureClasses:
    named = [
        source for source in columns if source.name.rpartition(": ")[2].lower() in _LABEL_COLUMNS
    ]
    first = (named or columns)[0]
    sources = (first, *(source for source in every if source is not first))
    table = first.name.rpartition(": ")[0] or first.name
    evidence = f"{table} gives one for each file by its name."
    is_settled = (len(columns) == 1 or len(named) == 1) and len(
        distinct_sources([first, *folders])
    ) == 1
    return PictureClasses(sources, "sure" if is_settled else "open", evidence, has_first=True)


def _by_folder(folders: list[ClassSource], every: list[ClassSource]) -> PictureClasses:
    first = folders[0]
    nested = [source for source in folders if source.name not in (FOLDER_ALONE, TOP_FOLDER)]
    others = [
        source
        for source in folders[1:]
        if source.name != FOLDER_ALONE or len(source.classes) < len(first.classes)
    ]
    evidence = f"{first.labels[0] or first.classes[0]} is the name of a folder of pictures."
    confidence: Confidence = "open" if others or len(nested) > 1 else "sure"
    sources = (first, *(source for source in every if source is not first))
    return PictureClasses(sources, confidence, evidence, has_first=True)
