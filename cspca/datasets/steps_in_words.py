"""The steps by which a data set was read, as sentences with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cspca.datasets.files.channels import WEIGHTS, Grey
from cspca.datasets.files.containers.pictures import DEPTH_WORDS
from cspca.datasets.files.foreign import listed
from cspca.datasets.files.parsed import UNNAMED_ARRAY
from cspca.datasets.files.questions.missing import KEEP
from cspca.datasets.files.questions.pivot import PAIRS
from cspca.datasets.files.questions.scale import RANGES, shown
from cspca.datasets.numbering import numbers_as_text
from cspca.datasets.resize import resized_in_words

if TYPE_CHECKING:
    from cspca.datasets.record import Dataset
    from cspca.datasets.steps import Array, Steps

_NAMED: Final = 3  # columns that are listed with their numbers
_LONGEST_NUMBERS: Final = 120  # letters of a list of numbers of samples


def sentences_of_steps(dataset: Dataset) -> tuple[str, ...]:
    r"""Say in sentences by which steps the values of a data set were made, with every number.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    tuple of str
        In the order in which they were done; empty where nothing is known of them.

    Examples
    --------
    >>> from cspca.datasets import load_file
    >>> table = b"name,height,width\nann,1,20\nbob,2,40\ncid,3,10\n"
    >>> for sentence in sentences_of_steps(load_file(table, "people.csv", scale="columns")):
    ...     print(sentence)
    Samples are the rows of the table; its first row holds names.
    2 of 3 columns are features; the other one is name.
    Each feature was scaled by itself, from its least to its greatest value: height 1 – 3, width 10 – 40.
    """  # noqa: E501 (the last sentence is printed on one line)
    steps = dataset.steps
    # The record of a run that was not asked for knows no steps.
    if steps is None:
        return ()
    parts: Sequence[Callable[[Steps], Iterator[str]]] = (
        _source,
        _columns,
        _pixels,
        _missing,
        _scale,
        _after,
    )
    sentences = [sentence for part in parts for sentence in part(steps)]
    return (*sentences, *_left_out_samples(dataset))


def _source(steps: Steps) -> Iterator[str]:
    """Say what the file holds, and where the samples are in it."""
    if steps.source == "values":
        yield steps.preparation or "Values of 0 – 1 were taken as they came."
    elif steps.source == "pictures":
        yield from _picture_files(steps)
    elif steps.source == "table":
        yield from _table(steps)
    else:
        yield from _array(steps)
    if steps.joints is not None:
        yield (
            f"Poses are described by the coordinates from joint {steps.joints.root + 1}, the root, "
            "on, and by the distances between all joints."
        )


def _array(steps: Steps) -> Iterator[str]:
    is_stack = len(steps.sample_shape) > 1
    is_named = steps.array not in ("", UNNAMED_ARRAY)
    array = f"the array {steps.array}" if is_named else "the array"
    yield {
        "rows": f"Samples lie along the first side of {array}."
        if is_stack
        else f"Samples are the rows of {array}.",
        "columns": f"Samples lie along the last side of {array}."
        if is_stack
        else f"Samples are the columns of {array}.",
        "layers": f"Samples lie along the second side of {array}, one class each of the last.",
        "places": f"Samples are the places of the map in {array}, with its values along the axis.",
    }[steps.samples or "rows"]


def _picture_files(steps: Steps) -> Iterator[str]:
    which = {"masks": "masks alone", "all": "pictures and masks"}.get(steps.files, "picture files")
    yield f"Samples are the {which}."
    if steps.samples == "pages":
        yield "Every picture in each file is a sample."
    if steps.depths_are_mixed:
        words = {str(depth): words for depth, words in DEPTH_WORDS.items()}
        for depth, white in steps.whites.items():
            yield f"Pictures of {words[depth]} were divided by {shown(white)}, their white."


def _table(steps: Steps) -> Iterator[str]:
    sheet = f"the table {steps.array}" if steps.array else "the table"
    side = "columns" if steps.samples == "columns" else "rows"
    first_row = {
        "names": "; its first row holds names",
        "axis": "; its first row is an axis",
        "sample": "; it has no names",
    }.get(steps.header, "")
    if steps.pivot == PAIRS:
        yield f"Columns of {sheet} are pairs of an axis and a curve, and each curve is a sample."
    elif steps.pivot not in ("", "none"):
        yield f"Rows of {sheet} were put together, samples × features: {steps.pivot}."
    else:
        yield f"Samples are the {side} of {sheet}{first_row}."
    if steps.comma == "thousands":
        yield "A comma in a number groups thousands."
    elif steps.comma == "decimal":
        yield "A comma in a number is the decimal mark."


def _columns(steps: Steps) -> Iterator[str]:
    """Say which columns are features."""
    if steps.source != "table" or steps.places is None:
        return
    n_features = len(steps.places)
    if steps.beside and steps.n_columns:
        lines = "rows" if steps.samples == "columns" else "columns"
        are = "is a feature" if n_features == 1 else "are features"
        others = "the other one is" if len(steps.beside) == 1 else "the others are"
        names = listed(steps.beside, _NAMED)
        yield f"{n_features:,} of {steps.n_columns:,} {lines} {are}; {others} {names}."


def _pixels(steps: Steps) -> Iterator[str]:
    """Say what was made of channels, and how pixels follow each other."""
    if steps.colours in WEIGHTS:
        weights = WEIGHTS[_grey(steps.colours)]
        parts = zip(weights, ("red", "green", "blue"), strict=True)
        sums = " + ".join(f"{weight:.3g} {name}" for weight, name in parts if weight)
        # Colours of pictures that have none are what was proposed, and nothing was done.
        if steps.source == "arrays" or steps.flat_channels is not None:
            yield f"Colours were turned to grey: {sums}."
        else:
            yield f"Colours, where a picture has them, were turned to grey: {sums}."
    elif steps.colours == "separate":
        yield "The channels of a pixel are features of their own."
    elif steps.colours:
        yield f"Of several channels, {steps.colours} was taken."
    if steps.shape is not None and steps.source in ("arrays", "table"):
        size = f"{steps.shape[0]} × {steps.shape[1]}"
        if steps.order == "column":
            yield f"Pixels run down columns, and pictures of {size} were turned upright."
        else:
            yield f"Pixels run along the rows of pictures of {size}."


def _grey(colours: str) -> Grey:
    return next(name for name in WEIGHTS if name == colours)


def _missing(steps: Steps) -> Iterator[str]:
    """Say what was done where values are missing."""
    nouns = steps.nouns
    if steps.coded is not None and len(steps.coded):
        codes = " and ".join(shown(code) for code in steps.codes)
        stand = "stands" if len(steps.codes) == 1 else "stand"
        count = nouns.count_features(len(steps.coded))
        yield f"{codes} {stand} for a missing value in {count}."
    if steps.padded is not None and steps.fill is not None and len(steps.padded):
        count = nouns.count_features(len(steps.padded))
        value = shown(float(steps.fill[steps.padded[0]]))
        is_one = len(steps.padded) == 1
        yield (
            f"{count} of padding was filled with {value}, the {steps.missing} of all others."
            if is_one
            else f"{count} of padding were filled with {value}, the {steps.missing} of all others."
        )
    elif steps.fill is not None:
        yield (
            f"Missing values were filled with the {steps.missing} of their {nouns.feature}"
            f"{_by_feature(steps, [steps.fill])}."
        )
    elif steps.missing == "rows":
        yield f"{nouns.samples.capitalize()} with missing values were left out."
    elif steps.missing == "number":
        yield "The numbers in cells with a mark, such as < or a comma, were taken."
    if steps.remaining is not None:
        n_left = steps.n_features - len(steps.remaining)
        are = "was" if n_left == 1 else "were"
        yield f"{nouns.count_features(n_left)} with missing values {are} left out."
    elif steps.missing == KEEP:
        yield "Numbers that may stand for missing values were kept as values."


def _scale(steps: Steps) -> Iterator[str]:
    """Say how values became 0 – 1."""
    low, high = steps.low, steps.high
    if steps.source == "values":
        return
    if steps.scale == "length":
        yield f"All lengths were divided by {shown(float(high[0]))}, and coordinates moved by 0.5."
    elif steps.scale == "unit":
        yield "Values in 0 – 1 were taken as they are."
    elif steps.scale == "signed":
        yield "−1 … 1 was moved to 0 – 1."
    elif steps.scale in RANGES:
        yield f"Values were divided by {shown(float(high[0]))}."
    elif len(low) > 1 or steps.scale == "columns":
        noun = steps.nouns.feature
        yield (
            f"Each {noun} was scaled by itself, from its least to its greatest value"
            f"{_by_feature(steps, [low, high])}."
        )
    elif float(low[0]) == float(high[0]):
        yield f"Every value is {shown(float(low[0]))}, and was set to 0."
    else:
        least, greatest = shown(float(low[0])), shown(float(high[0]))
        yield f"The least of all values, {least}, became 0, and the greatest, {greatest}, became 1."


def _by_feature(steps: Steps, numbers: Sequence[Array]) -> str:
    """Numbers of the first features, or of all: ``: height 1 – 3, width 10 – 40``."""
    names = _names_of_scaled(steps, len(numbers[0]))
    spans = [
        f"{name} {' – '.join(shown(float(values[at])) for values in numbers)}"
        for at, name in enumerate(names[:_NAMED])
    ]
    more = len(numbers[0]) - len(spans)
    if not spans:
        return ""
    return f": {', '.join(spans)}{f' and {more:,} more' if more else ''}"


def _names_of_scaled(steps: Steps, count: int) -> Sequence[str]:
    """Names of the features that are scaled; numbers where they have none."""
    names = steps.columns
    if names is not None and steps.remaining is not None and len(steps.remaining) == count:
        names = tuple(names[place] for place in steps.remaining.tolist())
    if names is None or len(names) != count:
        noun = steps.nouns.feature
        return [f"{noun} {number}" for number in range(1, count + 1)]
    return names


def _after(steps: Steps) -> Iterator[str]:
    """Say what was done with the values afterwards."""
    if steps.shape is not None and steps.size is not None:
        words = resized_in_words(steps.shape, steps.size, cropped=steps.crop)
        yield f"Pictures were {words}."
    if steps.dtype == "float32":
        yield "Values are kept in single precision."
    for change in steps.changes:
        yield change.sentence


def _left_out_samples(dataset: Dataset) -> Iterator[str]:
    """Say which samples remain of a set of which some were left out."""
    if dataset.sample_numbers is None:
        return
    nouns = dataset.nouns
    numbers = numbers_as_text(dataset.sample_numbers)
    if len(numbers) > _LONGEST_NUMBERS:
        first, last = dataset.sample_numbers[0], dataset.sample_numbers[-1]
        count = nouns.count_samples(len(dataset.sample_numbers))
        yield f"{count} of the numbers {first:,} to {last:,} remain, and others were left out."
    else:
        yield f"Some {nouns.samples} were left out; these numbers remain: {numbers}."
