"""Which pictures show what an answer about picture files would give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.datasets.files import foreign
from cspca.datasets.files.parsed import Array
from cspca.datasets.files.question import NONE, Question
from cspca.datasets.files.questions import picture_files
from cspca.datasets.nouns import PICTURE_NOUNS

if TYPE_CHECKING:
    from cspca.datasets.files.containers.pictures import PictureFiles

Sample = tuple[int, int]
"""Number of a file, and of its page."""

_SAMPLES: Final = 4
_CLASSES: Final = 3
_OF_EACH_CLASS: Final = 2
_LONGEST_NAME: Final = 30


def shown_pictures(
    pictures: PictureFiles, question: Question, value: Any
) -> tuple[str, list[Array]]:
    """Return the number of samples or the classes in words, and grey levels of some of them."""
    if question.name == "colours":
        return "", pictures.planes(*pictures.samples[0], value)
    if question.name == "classes_from" and value != NONE:
        words, samples = _by_class(pictures, value)
    elif question.name == "data":
        chosen = picture_files.chosen_files(pictures, value)
        words, samples = PICTURE_NOUNS.count_samples(len(chosen)), [(file, 0) for file in chosen]
        samples = _spread(samples)
    elif question.name == "samples" and value == picture_files.PAGES:
        file = pictures.with_pages[0]
        words, samples = "", [(file, page) for page in range(_SAMPLES)]
    else:
        files = dict.fromkeys(file for file, _ in pictures.samples)
        words, samples = "", _spread([(file, 0) for file in files])
    return words, [plane for sample in samples for plane in pictures.planes(*sample, "luma")[:1]]


def _spread(samples: Sequence[Sample]) -> list[Sample]:
    """Return a few samples spread over all."""
    places = np.linspace(0, len(samples) - 1, min(_SAMPLES, len(samples))).astype(int)
    return [samples[place] for place in places]


def _by_class(pictures: PictureFiles, name: str) -> tuple[str, list[Sample]]:
    """Return the names of the first classes, and the first samples of each of these."""
    source = next(source for source in pictures.classes.sources if source.name == name)
    samples: list[Sample] = []
    for label in source.classes[:_CLASSES]:
        places = [place for place, other in enumerate(source.labels) if other == label]
        samples += [pictures.samples[place] for place in places[:_OF_EACH_CLASS]]
    names = [foreign.clean_name(label, _LONGEST_NAME) for label in source.classes]
    return foreign.listed(names, _CLASSES), samples
