"""Classes: numbered from 0 in the order a person would list them, and guessed from file names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.record import DatasetError

Array = NDArray[Any]

_LONGEST_NAME = 80
_MOST_CLASSES = 100_000
_NUMBER = re.compile(r"(\d+)")
_PARTS = re.compile(r"[_.\-\s]+")


def number_labels(labels: Array, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Number classes from 0, in natural order, and name each after its label."""
    flat = np.asarray(labels).ravel()
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        raise DatasetError(
            f"{name}: some labels are NaN or infinite: give each sample a class "
            "or leave those samples out."
        )
    if flat.dtype.kind == "S":
        flat = np.char.decode(flat, "utf-8", "replace")
    classes, numbers = np.unique(flat, return_inverse=True)
    limits.check_most(len(classes), _MOST_CLASSES, "different labels", name)
    numbers = numbers.astype(np.int64).ravel()
    if flat.dtype.kind in "UO":
        order = sorted(range(len(classes)), key=lambda one: natural_key(str(classes[one])))
        classes, numbers = classes[order], np.argsort(order)[numbers]
    names = [clean_name(str(value)) for value in classes]
    if flat.dtype.kind == "f":
        names = [one.removesuffix(".0") for one in names]
    return numbers, tuple(names)


def plain_label(labels: Array, n_samples: int) -> Array | None:
    """One label a sample from a vector, or from one column a class; None if it is neither."""
    if labels.size == n_samples:
        return labels.ravel()
    if labels.ndim != 2 or n_samples not in labels.shape or labels.dtype.kind not in "fiub":
        return None
    by_sample = labels if labels.shape[0] == n_samples else labels.T
    # One column a class, 1 (against 0 or −1) where it is the sample's.
    is_class = by_sample == 1
    rest = np.unique(by_sample[~is_class])
    if len(rest) != 1 or rest[0] not in (0, -1) or not (is_class.sum(axis=1) == 1).all():
        return None
    numbers: Array = is_class.argmax(axis=1)
    return numbers


def classes_from_names(stems: Sequence[str]) -> list[str] | None:
    """Guess classes from file names: ``obj1__0`` is of obj1, ``cat12`` of cat; else None."""
    found = []
    for stem in stems:
        first, *rest = [part for part in _PARTS.split(stem) if part] or [""]
        found.append(first if rest else first.rstrip("0123456789"))
    return found if all(found) and len(set(found)) > 1 else None


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts ``s2`` before ``s10``."""
    return tuple(
        # Absurdly long digits stay text: turning them to numbers takes quadratic time.
        (0, int(part), "") if part.isdecimal() and len(part) < 19 else (1, 0, part)
        for part in _NUMBER.split(text)
        if part
    )


def plain_parts(name: str) -> tuple[str, ...]:
    """Split a name into folders and file, leaving out what would climb or start at the root."""
    parts = name.replace("\\", "/").split("/")
    return tuple(part for part in parts if part.strip() not in ("", ".", ".."))


def clean_name(text: str, longest: int = _LONGEST_NAME) -> str:
    """Show a name from a file as it is, but for what cannot be printed, and not endlessly long."""
    cleaned = "".join(letter if letter.isprintable() else "�" for letter in text[: 4 * longest])
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Clean several names and keep them distinct."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        cleaned = clean_name(name) or "(no name)"
        seen[cleaned] = seen.get(cleaned, 0) + 1
        result.append(cleaned if seen[cleaned] == 1 else f"{cleaned} ({seen[cleaned]})")
    return tuple(result)


def kind_in_words(array: Array) -> str:
    """Say what an array that does not hold real numbers does hold."""
    kinds = {"O": "objects", "c": "complex numbers", "U": "text", "S": "text", "V": "records"}
    return kinds.get(array.dtype.kind, array.dtype.name)
