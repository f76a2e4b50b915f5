"""From the arrays found in a file to a data set: orientation, scale, labels, and what was done."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import record
from cspca.datasets.files import foreign, guesses
from cspca.datasets.files.choices import (
    NO_LABELS,
    NOT_PICTURES,
    OFFERED,
    Candidate,
    ChoiceNeededError,
    Fit,
    Grey,
    Options,
    PixelOrder,
    ReadChoices,
    Scale,
    sizes_below,
)
from cspca.datasets.files.foreign import Watch, clean_name, natural_key
from cspca.datasets.files.guesses import Array, Size
from cspca.datasets.record import DatasetError, Floats, Nouns
from cspca.datasets.resize import check_size, resize_all, resized_in_words
from cspca.labels import MISSING_WORDS, UNLABELLED, Labels, parse_labels

FLOAT32_FROM = 256 * 2**20
"""Data that would take more bytes than this in double precision are kept in single precision."""


@dataclass
class Found:
    """Samples and labels as a reader found them, and what it has to say about them."""

    data: Array  # (n, d), (n, h, w), (n, h, w, 3) or (n, h, w, 4); its last user may change it
    format: str
    labels: Array | None = None
    missing_words: frozenset[str] = MISSING_WORDS  # by which its text says that a label is missing
    labels_note: str = ""  # that is said where the labels are classes
    order: PixelOrder = "row"  # of a row of 2-D data, as is custom where it comes from
    scale: Scale | None = None  # that the file itself tells, such as eight bits a pixel
    source: str = "file"
    pictures: bool = True  # whether rows of 2-D data may be pictures
    resized: bool = False  # whether they have the size already that was chosen
    feature_names: tuple[str, ...] | None = None
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    # Every question by its field of `ReadChoices`: the answer, and what else there is to choose.
    asked: dict[str, tuple[Any, Any]] = field(default_factory=dict)


def assemble(
    found: Found, choices: ReadChoices, watch: Watch
) -> tuple[dict[str, Any], list[Array]]:
    """Say what a data set is made of, by choice or by guess, as it is sent to who asked."""
    name, said, skeleton = watch.name, found.notes, None
    shape_found, may_be = found.data.shape, not found.resized
    posed, poses_offered = guesses.poses_wanted(shape_found, choices, name, may_be=may_be)
    if posed:
        found.data, skeleton = guesses.described(found.data, found.feature_names, name)
        found.feature_names, found.pictures = skeleton.feature_names, False
        # The questions about pictures and scales have no meaning then.
        choices, found.scale = replace(choices, image_shape=None, scale=None), "unit"
        said.append(f"3-D poses: {skeleton.reading}; all divided by one length to fit 0 – 1")
    asked, grey = found.asked, choices.grey or "luma"
    if found.data.ndim == 4:
        asked["grey"] = grey, get_args(Grey)
    as_stored = _flatten(found, grey, name)
    n_features = found.data.shape[1]
    shape, order = _shape(as_stored, found, choices, name)
    foreign.check_values(found.data.shape, name)
    dtype = precision(found.data.size)
    # In place of what the reader held: a large array must not be kept twice.
    found.data = np.require(found.data.astype(dtype, order="C", copy=False), requirements="W")
    _finite(found, choices, name, record.nouns_of(shape))
    values: Floats = found.data
    watch.tell(0.85, "Setting pixels upright")
    if shape is not None and as_stored is None and choices.order is None:
        told = choices.image_shape is not None
        order, shape, sure = guesses.pixel_order(values, shape, order, told=told)
        found.unsure += [] if sure else ["order"]
    file_columns: list[int] | None = None
    if shape is not None and order == "column" and as_stored is None:
        file_columns = np.arange(n_features).reshape(shape[::-1]).T.ravel().tolist()
    if shape is not None and order == "column":
        for row in values:  # in place: a large array must not be kept twice
            row[...] = row.reshape(shape[::-1]).T.ravel()
        said.append(
            "stored column by column, turned upright"
            if as_stored is None
            else "every image turned over its diagonal"
        )
    for one in found.unsure:
        what = "samples are in" if one == "samples" else "pixels run along"
        said.append(f"not sure whether {what} rows or columns: look at the images and choose")
    watch.tell(0.9, "Scaling to 0 – 1")
    measured = shape is None
    values, how, scale = guesses.scale_to_unit(
        values,
        choices.scale or found.scale,
        name,
        measured=measured,
        named=measured and found.feature_names is not None,
    )
    if not posed:
        said.append(how)
    stored_shape, size = shape, choices.size
    if shape is not None and size not in (None, shape) and not found.resized:
        check_size(size, name)
        foreign.check_values((len(values), *size), name)
        crop = choices.fit == "crop"
        values = resize_all(values.reshape(-1, *shape), size, crop=crop)
        said.append(resized_in_words(shape, size, cropped=crop))
        shape, file_columns = size, None
    if dtype is np.float32:
        said.append("kept in single precision for its size")
    arrays: list[Array] = [values]
    names: tuple[str, ...] | None = None
    n_unlabelled = 0
    target = None if found.labels is None else _target(found, choices, name)
    if target is not None:
        numbers, names = target
        arrays.append(numbers)
        n_unlabelled = int(np.count_nonzero(numbers == UNLABELLED))
        if choices.class_names is not None:
            if len(choices.class_names) != len(names):
                raise DatasetError(
                    f"{name}: there are {len(choices.class_names)} class names for {len(names)} "
                    "classes: give one name a class."
                )
            names = tuple(clean_name(one) for one in choices.class_names)
    summary = record.shape_in_words(
        *(len(values), values.shape[1], shape, len(names or ())), n_unlabelled=n_unlabelled
    )
    of_pictures, of_rows = shape is not None, as_stored is None and not posed
    sizes = sizes_below(stored_shape) if stored_shape is not None else ()
    shapes = guesses.image_shapes(n_features) if of_rows else ()
    asked |= {
        "order": (order, get_args(PixelOrder) if of_pictures else ()),
        "image_shape": (stored_shape or NOT_PICTURES, shapes),
        "size": (shape, asked["size"][1] if "size" in asked else sizes),
        "scale": (scale, () if posed else get_args(Scale)),
        "fit": (choices.fit or "stretch", get_args(Fit) if of_pictures else ()),
        "poses": (posed if poses_offered else None, poses_offered),
    }
    used = {one: answer for one, (answer, _) in asked.items()}
    used |= {"class_names": names, "drop_bad": choices.drop_bad}
    options = {OFFERED.get(one, one): among for one, (_, among) in asked.items()}
    dataset = {
        "image_shape": shape,
        "target_names": names,
        "name": name.rsplit(".", 1)[0] or name,
        "source": f"{found.source} {name}",
        "licence": "as the file's owner says",
        "recognised": "; ".join([summary, *said]) + ".",
        "feature_names": found.feature_names if shape is None else None,
        "file_columns": file_columns,
    }
    header = {
        "read": {
            "file": name,
            "format": found.format,
            "said": (summary, *said),
            "left_out": found.left_out,
            "unsure": found.unsure,
        },
        "used": used,
        "options": asdict(Options(**options)),
        "dataset": dataset,
        "skeleton": skeleton and asdict(skeleton) | {"pose": skeleton.pose.tolist()},
        "arrays": [(one.dtype.name, one.shape) for one in arrays],
    }
    watch.tell(1.0, "Read")
    return header, arrays


def precision(n_values: int) -> type[np.floating[Any]]:
    """Double, or single where double takes too much memory."""
    return np.float32 if n_values * 8 > FLOAT32_FROM else np.float64


def _flatten(found: Found, grey: Grey, name: str) -> Size | None:
    """Make one row of each sample; return its (height, width) if it was stored as a picture."""
    data = found.data
    if data.ndim == 2:
        return None
    channels = (1, 3, 4)
    if data.ndim == 4 and data.shape[3] not in channels and data.shape[1] in channels:
        data = np.moveaxis(data, 1, 3)
    if data.ndim == 4 and data.shape[3] in channels:
        if data.shape[3] > 1:
            dtype = precision(math.prod(data.shape[:3]))
            data = guesses.weighed(data, grey, dtype)
            found.notes.append("colours turned to grey")
        else:
            data = data[..., 0]
    if data.ndim != 3:
        words = " × ".join(str(side) for side in data.shape)
        raise DatasetError(
            f"{name}: the data are {words or 'a single number'}: give (images, pixels) or "
            "(images, height, width)."
        )
    found.data = data.reshape(len(data), -1)
    return data.shape[1], data.shape[2]


def _finite(found: Found, choices: ReadChoices, name: str, nouns: Nouns) -> None:
    """Refuse or, if so chosen, leave out samples with values that are not finite."""
    if found.data.size and not choices.drop_bad:
        record.check_finite(found.data, name, nouns)
    elif found.data.size:
        good = np.isfinite(found.data).all(axis=1)
        if not good.all():
            found.data = found.data[good]
            found.labels = None if found.labels is None else found.labels[good]
            found.notes.append(f"{(~good).sum()} with NaN or infinite values left out")
    n_samples, n_features = found.data.shape
    if n_samples < 2 or n_features < 1:
        raise DatasetError(
            f"{name} holds {'only one' if n_samples else 'no'} {nouns.sample} (of "
            f"{nouns.count_features(n_features)}): bring at least two {nouns.samples}."
        )


def _shape(
    as_stored: Size | None, found: Found, choices: ReadChoices, name: str
) -> tuple[Size | None, PixelOrder]:
    """Return the upright shape, and the order of pixels as they are stored."""
    n_features = found.data.shape[1]
    if as_stored is not None:
        order = choices.order or "row"
        return as_stored if order == "row" else (as_stored[1], as_stored[0]), order
    order = choices.order or found.order
    wanted = choices.image_shape
    if wanted is None:
        return guesses.guess_image_shape(n_features) if found.pictures else None, order
    if wanted == NOT_PICTURES:
        return None, order
    return record.checked_shape(wanted, n_features, name), order


def _target(
    found: Found, choices: ReadChoices, name: str
) -> tuple[NDArray[np.int64], tuple[str, ...]] | None:
    """Number the classes and name them; None where the labels are none, which is then said.

    What nobody has chosen and may be a measured target is left out; where it is chosen, whole
    numbers are classes, and other numbers are refused.
    """
    assert found.labels is not None
    source, offered = found.asked.get("labels", ("the labels", ()))
    try:
        parsed = parse_labels(
            found.labels.ravel(), f"{name}: {source}", missing_words=found.missing_words
        )
    except ValueError as error:
        raise DatasetError(str(error)) from error
    foreign.check_most(len(parsed.classes), 100_000, "different labels", name)
    chosen = choices.labels is not None
    why = _no_classes(parsed, source, chosen=chosen)
    if parsed.measured and chosen:
        others = (*offered, Candidate(NO_LABELS))
        raise ChoiceNeededError(
            f"{name}: {why}. Choose another column or field, or Classes: none.",
            Options(labels=others),
        )
    if why:
        found.asked["labels"] = NO_LABELS, offered
        found.notes.append(why)
        if parsed.unsure:
            found.unsure.append("labels")
        return None
    if parsed.n_unlabelled:
        words = f" ({', '.join(parsed.words)})" if parsed.words else ""
        are = "it is" if parsed.n_unlabelled == 1 else "they are"
        found.notes.append(
            f"{parsed.n_unlabelled:,} without a label{words}: {are} left out of scores"
        )
    if found.labels_note:
        found.notes.insert(0, found.labels_note)
    return number_labels(parsed)


def _no_classes(parsed: Labels, source: str, *, chosen: bool) -> str:
    """Why labels are not taken for classes, as a clause; empty where they are."""
    if not parsed.n_labelled:
        return f"{source} holds no label"
    if parsed.measured:
        example = parsed.example.replace("-", "−")
        return (
            f"{source} holds numbers that are not whole, such as {example}: a measured target, "
            "no classes"
        )
    if parsed.unsure and not chosen:
        return (
            f"not sure whether {source} holds classes, for {len(parsed.classes):,} different whole "
            f"numbers stand beside {parsed.n_labelled:,} samples: left out, unless you choose it"
        )
    return ""


def number_labels(parsed: Labels) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Numbers and names of the classes; those of text in natural order, a2 before a10."""
    names, numbers = parsed.names, parsed.numbers
    if not parsed.numeric:
        order = sorted(range(len(names)), key=lambda at: natural_key(names[at]))
        places = np.argsort(order)
        numbers = np.where(numbers == UNLABELLED, UNLABELLED, places[numbers])
        names = tuple(names[at] for at in order)
    return numbers.astype(np.int64), tuple(clean_name(one) for one in names)
