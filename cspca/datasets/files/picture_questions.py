"""Questions about picture files: which are samples, what pages and channels are, the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.file_names import (
    FOLDER_ALONE,
    TOP_FOLDER,
    ClassSource,
    NamedClasses,
    distinct_sources,
    folder_sources,
    name_classes,
)
from cspca.datasets.files.question import NONE, Answer, Confidence, Question

if TYPE_CHECKING:
    from cspca.datasets.files.containers.pictures import PictureFiles

PICTURES: Final = "pictures"
MASKS: Final = "masks"
ALL: Final = "all"
FIRST: Final = "first"
PAGES: Final = "pages"
FILE: Final = "file"

_LABEL_COLUMNS: Final = (
    "label", "labels", "class", "classes", "target", "category", "species", "subject", "person",
    "identity", "id", "dx", "diagnosis",
)  # fmt: skip


# Which files are samples


def propose_files(pictures: PictureFiles) -> list[Question]:
    """Leave masks out that lie beside the picture of their name, and say so."""
    masks = sorted(pictures.masks)
    if not masks:
        return []
    count, n_others = len(masks), len(pictures.infos) - len(masks)
    example = pictures.shown(masks[0])
    evidence = f"{example} is called a mask, and lies beside the picture of its name."
    options = (
        Answer(PICTURES, "The pictures without masks", evidence, "declared", f"{n_others:,}"),
        Answer(MASKS, "The masks alone", example=f"{count:,}"),
        Answer(ALL, "Pictures and masks", example=f"{count + n_others:,}"),
    )
    are = "mask is no sample" if count == 1 else "masks are no samples"
    sentence = f"{count:,} {are}: {evidence}"
    return [Question("data", "Which pictures are samples?", options, "sure", sentence=sentence)]


def apply_files(pictures: PictureFiles, value: str) -> None:
    """Keep the files that are samples."""
    masks = pictures.masks
    if value != ALL:
        pictures.take_files(
            [number for number in pictures.infos if (number in masks) is (value == MASKS)]
        )


# What pages are


def propose_pages(pictures: PictureFiles) -> list[Question]:
    """Ask whether frames are samples; the pages of a file that came alone are."""
    several = pictures.with_pages
    if not several:
        return []
    example = pictures.shown(several[0])
    if len(pictures.samples) == 1:
        evidence = "The file came alone and holds several pictures."
        only = Answer(PAGES, "Each picture in the file is a sample", evidence, "declared")
        sentence = "Each picture in the file is a sample."
        return [Question("samples", "What are samples?", (only,), "sure", sentence=sentence)]
    hold = "1 file holds" if len(several) == 1 else f"{len(several):,} files hold"
    options = (
        Answer(FIRST, "The first picture of each file", example=f"{len(pictures.samples):,} files"),
        Answer(PAGES, "Every picture of each file"),
    )
    text = f"{hold} several pictures, such as {example}. Which are samples?"
    return [Question("samples", text, options, "open")]


def apply_pages(pictures: PictureFiles, value: str) -> None:
    """Make a sample of every page, where that was chosen."""
    if value == PAGES:
        pictures.take_pages()


# What channels are


def propose_channels(pictures: PictureFiles) -> list[Question]:
    """Ask what to do with channels that are not declared to be colours."""
    count = pictures.n_channels
    if count == 1:
        return []
    options = [
        Answer(f"channel {number}", f"Channel {number} alone") for number in range(1, count + 1)
    ]
    apart = Answer("separate", "Keep the channels apart", example=f"{count} features a pixel")
    text = f"Pictures have {count} channels, which are not declared to be colours. What of them?"
    return [Question("colours", text, (apart, *options), "open")]


# Classes


@dataclass(frozen=True)
class PictureClasses:
    """Everything that may be classes, the likeliest first; how sure that is, and why."""

    sources: tuple[ClassSource, ...] = ()
    confidence: Confidence = "default"
    evidence: str = ""
    has_first: bool = False


def classes_of(pictures: PictureFiles) -> PictureClasses:
    """Return what may be classes: columns of tables, folders, parts of the names of files."""
    paths = pictures.paths
    columns = [ClassSource(column.title, column.labels) for column in pictures.label_columns()]
    folders = folder_sources(paths)
    names = _by_names(pictures)
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


def _by_names(pictures: PictureFiles) -> NamedClasses:
    """Parts of the names of files; where files hold several pictures, each file too."""
    files = list(dict.fromkeys(pictures.paths))
    names = name_classes([path[-1] for path in files])
    if len(files) == len(pictures.paths):
        return names
    places = {path: place for place, path in enumerate(files)}
    sources = [
        ClassSource(source.name, tuple(source.labels[places[path]] for path in pictures.paths))
        for source in names.sources
    ]
    sources.append(ClassSource(FILE, tuple("/".join(path) for path in pictures.paths)))
    return NamedClasses(tuple(sources), names.is_settled, names.evidence, names.has_first)


def _by_table(
    columns: list[ClassSource], folders: list[ClassSource], every: list[ClassSource]
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


def propose_classes(pictures: PictureFiles) -> list[Question]:
    """Propose the classes that one table, one level of folders or one part of the names gives."""
    classes = pictures.classes
    if not classes.sources:
        return []
    first = classes.sources[0] if classes.has_first else None
    options = [
        Answer(
            source.name,
            _in_words(source.name),
            classes.evidence if source is first else "",
            "declared" if source is first else "custom",
            source.example,
        )
        for source in classes.sources
    ]
    none = Answer(NONE, "No classes")
    options = [*options, none] if first else [none, *options]
    sentence = ""
    if first is not None and classes.confidence != "open":
        sentence = f"Classes are by {_phrase(first.name)}: {_listed(first)}."
    text = "What says the class of each sample?"
    return [Question("classes_from", text, tuple(options), classes.confidence, sentence=sentence)]


def _listed(source: ClassSource) -> str:
    return foreign.listed([foreign.clean_name(name, 30) for name in source.classes], 2)


def _in_words(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


def _phrase(name: str) -> str:
    return f"the {name}" if name.startswith(("file name", TOP_FOLDER, FOLDER_ALONE)) else name
