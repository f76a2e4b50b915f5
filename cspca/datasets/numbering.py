"""Numbers of samples as text, counted from 1 as on screen: ``1-12, 40``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cspca.datasets.nouns import Nouns


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """First and last of each run of whole numbers that follow each other; they rise.

    Examples
    --------
    >>> runs_of([1, 2, 3, 7, 9, 10])
    [(1, 3), (7, 7), (9, 10)]
    """
    values = np.fromiter(numbers, dtype=np.int64)
    runs = np.split(values, np.flatnonzero(np.diff(values) != 1) + 1) if len(values) else []
    return [(int(run[0]), int(run[-1])) for run in runs]


def numbers_as_text(numbers: Iterable[int]) -> str:
    """Write whole numbers from 0 one by one, and those that follow each other as a range.

    Examples
    --------
    >>> numbers_as_text([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    return ", ".join(
        f"{first}-{last}" if last > first else f"{first}" for first, last in runs_of(numbers)
    )


def correlation_text(value: float) -> str:
    """Write a correlation with two digits and a true minus.

    Examples
    --------
    >>> correlation_text(-0.004), correlation_text(-0.12)
    ('0.00', '−0.12')
    """
    rounded = round(value, 2) + 0.0
    return f"{rounded:.2f}" if rounded >= 0 else f"−{-rounded:.2f}"


def numbers_from_text(text: str) -> list[int]:
    """Read what `numbers_as_text` wrote.

    Examples
    --------
    >>> numbers_from_text("1-3, 7")
    [1, 2, 3, 7]
    """
    numbers: list[int] = []
    for part in filter(None, text.split(", ")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def samples_in_text(text: str, numbers: NDArray[np.int64], nouns: Nouns) -> NDArray[np.bool_]:
    """Mark the samples whose numbers, or ranges of them, a person wrote.

    Parameters
    ----------
    text : str
        Such as ``3, 17, 40-45``.
    numbers : ndarray of shape (n_samples,)
        `Dataset.numbers`: the number of every sample; they rise.
    nouns : Nouns
        What samples are called.

    Raises
    ------
    ValueError
        One sentence: which of them there is not.
    """
    mask = np.zeros(len(numbers), dtype=bool)
    for part in filter(None, re.split(r"[,;\s]+", re.sub(r"\s*[-–]\s*", "-", text.strip()))):
        match = re.fullmatch(r"(\d{1,7})(?:-(\d{1,7}))?", part)
        if match is None:
            raise ValueError(f"{part[:20]!r} is no number: give some such as 3, 17, 40-45.")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise ValueError(f"“{part}” runs backwards: write the smaller number first.")
        for number in (first, last):
            if not 1 <= number <= numbers[-1]:
                raise ValueError(
                    f"There is no {nouns.sample} {number:,}: {nouns.samples} run from "
                    f"{numbers[0]:,} to {numbers[-1]:,}."
                )
        within = (numbers >= first) & (numbers <= last)
        if not within.any():
            is_one = first == last
            raise ValueError(
                f"{nouns.sample.capitalize()} {first:,} is left out already: write another number."
                if is_one
                else f"{nouns.samples.capitalize()} {part} are left out already: write other "
                "numbers."
            )
        mask |= within
    return mask
