"""Questions about picture files: which are samples, what pages and channels are, the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cspca.datasets.files import foreign
from cspca.datasets.files.containers.file_names import FOLDER_ALONE, TOP_FOLDER, ClassSource
from cspca.datasets.files.question import NONE, Answer, Question, ranked_answers

if TYPE_CHECKING:
    from cspca.datasets.files.containers.pictures import PictureFiles

PICTURES: Final = "pictures"
MASKS: Final = "masks"
ALL: Final = "all"
FIRST: Final = "first"
PAGES: Final = "pages"

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


def chosen_files(pictures: PictureFiles, value: str) -> list[int]:
    """Return the numbers of the files that are samples by an answer."""
    masks = pictures.masks
    return [
        number for number in pictures.infos if value == ALL or (number in masks) is (value == MASKS)
    ]


def apply_files(pictures: PictureFiles, value: str) -> None:
    """Keep the files that are samples."""
    if value != ALL:
        pictures.take_files(chosen_files(pictures, value))


# What pages are


def propose_pages(pictures: PictureFiles) -> list[Question]:
    """Ask whether frames are samples; the pages of a file that came alone are."""
    several = pictures.with_pages
    if not several:
        return []
    if len(pictures.samples) == 1:
        evidence = "The file came alone and holds several pictures."
        only = Answer(PAGES, "Each picture in the file is a sample", evidence, "declared")
        sentence = "Each picture in the file is a sample."
        return [Question("samples", "What are samples?", (only,), "sure", sentence=sentence)]
    options = (
        Answer(FIRST, "The first picture of each file", example=f"{len(pictures.samples):,} files"),
        Answer(PAGES, "Every picture of each file"),
    )
    text = f"{about_pages(pictures)}. Which are samples?"
    return [Question("samples", text, options, "open")]


def about_pages(pictures: PictureFiles) -> str:
    """How many files hold several pictures, and one of them, as a clause."""
    several = pictures.with_pages
    hold = "1 file holds" if len(several) == 1 else f"{len(several):,} files hold"
    return f"{hold} several pictures, such as {pictures.shown(several[0])}"


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


def propose_classes(pictures: PictureFiles) -> list[Question]:
    """Propose the classes that one table, one level of folders or one part of the names gives."""
    classes = pictures.classes
    if not classes.sources:
        return []
    first = classes.sources[0] if classes.has_first else None
    words = {
        source.name: f"{source.name[:1].upper()}{source.name[1:]}" for source in classes.sources
    }
    words |= {NONE: "No classes"}
    examples = {source.name: source.example for source in classes.sources}
    proposed = first.name if first else NONE
    options = ranked_answers(words, proposed, classes.evidence, "declared", examples)
    sentence = ""
    if first is not None and classes.confidence != "open":
        sentence = f"Classes are by {_phrase(first.name)}: {_listed(first)}."
    text = "What says the class of each sample?"
    return [Question("classes_from", text, options, classes.confidence, sentence=sentence)]


def _listed(source: ClassSource) -> str:
    return foreign.listed([foreign.clean_name(name, 30) for name in source.classes], 2)


def _phrase(name: str) -> str:
    return f"the {name}" if name.startswith(("file name", TOP_FOLDER, FOLDER_ALONE)) else name
