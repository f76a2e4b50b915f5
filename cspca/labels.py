"""Labels: which values are classes, which say that a sample has no label, and what is neither.

One rule for everything that is given as labels: `y` in Python, a field or a column of a file.

- Missing in any type: None, an empty text, NaN, ``pd.NA``, ``pd.NaT``, masked entries, and the text
  that NumPy makes of NaN. They are never a class; such samples are unlabelled.
- Text, booleans and categories are classes. So are dates, by their text.
- Whole numbers are classes too, also as floats. Where more than fifty differ and fewer than three
  samples share one on average, they may as well be a measured target: `Labels.unsure`.
- Numbers that are not whole are a measured target: `Labels.measured`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNLABELLED: Final = -1
"""Number of a sample without a label, where classes are numbered from 0."""

MOST_UNASKED: Final = 50
"""Different whole numbers up to which they are classes, however few samples share one."""

FEWEST_SHARING: Final = 3
"""Samples a whole number, on average, from which on any number of them are classes."""

FEWEST_SCORED: Final = 1.5
"""Samples a class, on average, below which agreement of clusters with classes says nothing: with
as many clusters, nearly every sample has a cluster of its own whatever the features are."""

MISSING_WORDS: Final = frozenset({"na", "n/a", "#n/a", "nan", "<na>", "nat", "none", "null", "?"})
"""Words, in small letters, by which a file of text says that a label is missing."""

DOUBTFUL_WORDS: Final = frozenset({"na", "n/a", "nan", "none", "null"})
"""Those of `MISSING_WORDS` that name a class elsewhere: no treatment, a null mutant, Namibia."""

WORDS_OF_CLASSES: Final = frozenset({"none", "null"})
"""Those of `DOUBTFUL_WORDS` that are likelier a class than a missing label."""

_FREQUENT: Final = 0.5
"""Samples of the rarest class, as a share of them, from which on a doubtful word may be one."""

_TEXTS_OF_MISSING: Final = frozenset({"", "nan", "<NA>", "NaT"})
"""What a missing label is once NumPy or pandas have made text of it."""


def frequent_doubtful_words(counts: Mapping[str, int]) -> list[str]:
    """Return the words that may be a class by how often they come, the commonest first.

    Parameters
    ----------
    counts : mapping of str to int
        How often each word comes as a label.

    Returns
    -------
    list of str
        Those of `DOUBTFUL_WORDS` that come at least half as often as the rarest other word.

    Examples
    --------
    >>> frequent_doubtful_words({"mite": 20, "aphid": 18, "none": 19, "NA": 2})
    ['none']
    """
    classes = [n for word, n in counts.items() if word and word.lower() not in MISSING_WORDS]
    least = _FREQUENT * min(classes, default=1)
    frequent = [word for word, n in counts.items() if word.lower() in DOUBTFUL_WORDS and n >= least]
    return sorted(frequent, key=lambda word: -counts[word])


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels, numbered.

    Parameters
    ----------
    numbers : int array of shape (n_samples,)
        Class of each sample, from 0 in the sorted order of `classes`, or `UNLABELLED`.
    classes : array of shape (n_classes,)
        The different labels, sorted.
    words : tuple of str
        Words of the file that were taken for missing labels.
    """

    numbers: NDArray[np.intp]
    classes: NDArray[Any]
    words: tuple[str, ...] = ()

    @property
    def numeric(self) -> bool:
        """Whether they are numbers; booleans, categories and text are not."""
        return self.classes.dtype.kind in "fiu"

    @property
    def n_unlabelled(self) -> int:
        """Number of samples without a label."""
        return int(np.count_nonzero(self.numbers == UNLABELLED))

    @property
    def n_labelled(self) -> int:
        """Number of samples with a label."""
        return len(self.numbers) - self.n_unlabelled

    @property
    def measured(self) -> bool:
        """Whether they are numbers that are not all whole: a target, no classes."""
        return self.numeric and not _are_whole(self.classes)

    @property
    def unsure(self) -> bool:
        """Whether they are whole numbers of which too many differ to be classes for sure."""
        many = len(self.classes) > MOST_UNASKED
        few_each = self.n_labelled < FEWEST_SHARING * len(self.classes)
        return self.numeric and not self.measured and many and few_each

    @property
    def example(self) -> str:
        """A number that is not whole, as text; for a sentence about measured labels."""
        broken = self.classes[self.classes != np.rint(self.classes)]
        return f"{float(broken[0] if len(broken) else self.classes[-1]):.6g}"

    @property
    def names(self) -> tuple[str, ...]:
        """The classes as text; 1.0 is "1"."""
        if self.classes.dtype.kind == "f" and not self.measured:
            return tuple(str(int(value)) for value in self.classes)
        return tuple(str(value) for value in self.classes)


def parse_labels(
    labels: ArrayLike,
    name: str = "y",
    *,
    missing_words: Container[str] = (),
    class_words: Container[str] = (),
) -> Labels:
    """Tell labels apart: which are missing, and which are the same.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Of any type; nullable and categorical ones of pandas and masked arrays too.
    name : str, default="y"
        What they are called in an error message.
    missing_words : container of str, default=()
        Words in small letters that stand for a missing label, such as `MISSING_WORDS`.
    class_words : container of str, default=()
        Words, as they are written, that are classes although they may say that a label is missing.

    Raises
    ------
    ValueError
        If they are no list with one label a sample, or mix numbers with text.
    """
    values, missing = _values(labels)
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"{name} must be a non-empty list of labels, one a sample, got shape {values.shape}."
        )
    words: tuple[str, ...] = ()
    if values.dtype.kind in "OT":
        values, missing = _plain(values, missing, name)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if values.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers: give one class a sample.")
    if values.dtype.kind in "Mm":
        missing = missing | np.isnat(values)
        values = values.astype(str)
    if values.dtype.kind in "fiu":
        missing = missing | np.isnan(values)
    if values.dtype.kind == "U":
        different, inverse = np.unique(values, return_inverse=True)
        stripped = [word.strip() for word in different.tolist()]
        is_class = np.array([word in class_words for word in stripped])
        is_text_of_missing = np.array([word in _TEXTS_OF_MISSING for word in stripped]) & ~is_class
        is_missing_word = np.array([word.lower() in missing_words for word in stripped]) & ~is_class
        words = tuple(different[is_missing_word].tolist())
        missing = missing | (is_text_of_missing | is_missing_word)[inverse.ravel()]
    numbers = np.full(len(values), UNLABELLED, dtype=np.intp)
    classes, numbers[~missing] = np.unique(values[~missing], return_inverse=True)
    return Labels(numbers, classes, words)


def class_numbers(labels: ArrayLike, name: str = "y") -> NDArray[np.intp]:
    """Number the classes of labels from 0, in their sorted order.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        One class a sample; see this module for what is a class.
    name : str, default="y"
        The argument that they were given as, for the error message.

    Raises
    ------
    ValueError
        If a label is missing, or they may be a measured target; the sentence names the argument.
    """
    parsed = parse_labels(labels, name)
    _check_labelled(parsed, name)
    if parsed.unsure:
        raise ValueError(
            f"{name} holds {len(parsed.classes)} different whole numbers for {parsed.n_labelled} "
            "samples, which may be a measured target. Where they are classes, give them as text: "
            f"numpy.asarray({name}).astype(str)."
        )
    return parsed.numbers


def cluster_numbers(labels: ArrayLike, name: str = "y_pred") -> NDArray[np.intp]:
    """Number clusters from 0: as `class_numbers`, but any number of them is right."""
    parsed = parse_labels(labels, name)
    _check_labelled(parsed, name)
    return parsed.numbers


def compact(numbers: NDArray[Any]) -> NDArray[np.intp]:
    """Number classes from 0 without gaps; samples without a label stay `UNLABELLED`."""
    there, inverse = np.unique(numbers, return_inverse=True)
    return (inverse.ravel() - np.count_nonzero(there == UNLABELLED)).astype(np.intp)


def nearly_one_each(n_samples: int, n_classes: int) -> bool:
    """Whether so few samples share a class that clusters cannot be scored against the classes."""
    return n_classes > 1 and n_samples < FEWEST_SCORED * n_classes


def _check_labelled(parsed: Labels, name: str) -> None:
    if parsed.n_unlabelled:
        raise ValueError(
            f"{name} has missing labels, {parsed.n_unlabelled} of {len(parsed.numbers)}: leave "
            "those samples out, or label them."
        )
    if parsed.measured:
        raise ValueError(
            f"{name} holds numbers that are not whole, such as {parsed.example}: a measured "
            "target, no classes. Give one class a sample, as whole numbers or text."
        )


def _values(labels: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return labels as an array, and which of them their container says are missing."""
    if isinstance(labels, np.ma.MaskedArray):
        return np.asarray(labels.data), np.ma.getmaskarray(labels)
    if not hasattr(labels, "isna") or getattr(labels, "ndim", 1) != 1:
        values = np.asarray(labels)
        if values.dtype.kind in "US" and isinstance(labels, list | tuple):
            # NumPy has made text of None and of numbers among text.
            values = np.array(labels, dtype=object)
        return values, np.zeros(values.shape, dtype=bool)
    # A Series, Index or array of pandas; categories are classes whatever their values are.
    array = getattr(labels, "array", labels)
    missing = np.asarray(array.isna(), dtype=bool)
    if hasattr(array, "categories"):
        texts = np.array([str(category) for category in array.categories], dtype=object)
        values = np.full(len(array), None, dtype=object)
        values[~missing] = texts[np.asarray(array.codes)[~missing]]
        return values, missing
    values = np.full(len(array), None, dtype=object) if missing.any() else np.asarray(array)
    if missing.any():
        values[~missing] = np.asarray(array[~missing], dtype=object)
    return values, missing


def _plain(
    values: NDArray[Any], missing: NDArray[np.bool_], name: str
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Bring Python objects to one type: text, booleans or numbers; the missing ones are filled."""
    missing = missing | np.array([_is_missing(value) for value in values], dtype=bool)
    there = values[~missing].tolist()
    if all(isinstance(value, bool | np.bool_) for value in there):
        plain: NDArray[Any] = np.array(there, dtype=bool)
    elif all(isinstance(value, Integral) for value in there):
        plain = np.array([int(value) for value in there])
        if plain.dtype.kind not in "iu":
            # Too large for NumPy: told apart by their digits.
            plain = np.array([str(value) for value in there])
    elif all(isinstance(value, Real | Decimal) for value in there):
        plain = np.array([float(value) for value in there])
    elif any(isinstance(value, Real) and not isinstance(value, bool) for value in there):
        raise ValueError(f"{name} mixes numbers with text: give all labels as text, or none.")
    else:
        plain = np.array([_text(value) for value in there], dtype=str)
    filled = np.zeros(len(values), dtype=plain.dtype)
    filled[~missing] = plain
    return filled, missing


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, str | bytes):
        return not value.strip()
    try:
        return bool(value != value)  # NaN and NaT
    except (TypeError, ValueError):
        return True  # pd.NA


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _are_whole(values: NDArray[Any]) -> bool:
    return bool(np.isfinite(values).all() and (values == np.rint(values)).all())
