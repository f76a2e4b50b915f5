"""Features found by their names: those that a text lists, and those whose name has a text in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BETWEEN: Final = re.compile("[,;\t]")
"""What may stand between two names of a line."""


def features_from_text(text: str, names: Sequence[str]) -> NDArray[np.bool_]:
    """Mark the features that a person listed by name.

    Parameters
    ----------
    text : str
        Names with line breaks, commas or semicolons between them. Capitals count only where two
        names differ by nothing else.
    names : sequence of str
        Name of each feature; all features of one name are marked together.

    Returns
    -------
    array of bool, one a feature

    Raises
    ------
    ValueError
        One sentence: which name is not among them, and which one is near to it.

    Examples
    --------
    >>> features_from_text("tp53, SOX2", ["CD4", "SOX2", "TP53"]).tolist()
    [False, True, True]
    """
    exact: dict[str, list[int]] = {}
    folded: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        spaced = _spaced(name)
        exact.setdefault(spaced, []).append(place)
        folded.setdefault(spaced.casefold(), []).append(place)

    def places_of(entry: str) -> list[int]:
        entry = _spaced(entry)
        return exact.get(entry) or folded.get(entry.casefold()) or []

    # A name may have commas in it: up to as many parts as the longest has are tried as one.
    most_parts = 1 + max((len(_BETWEEN.findall(name)) for name in names), default=0)
    mask = np.zeros(len(names), dtype=bool)
    for line in text.splitlines():
        separators = [*_BETWEEN.finditer(line)]
        starts = [0, *(separator.end() for separator in separators)]
        ends = [*(separator.start() for separator in separators), len(line)]
        first = 0
        while first < len(starts):
            entry = line[starts[first] : ends[first]]
            if not entry.strip():
                first += 1
                continue
            for last in range(min(first + most_parts, len(ends)) - 1, first - 1, -1):
                places = places_of(line[starts[first] : ends[last]])
                if places:
                    mask[places] = True
                    first = last + 1
                    break
            else:
                raise ValueError(_unknown(entry.strip(), names))
    return mask


def _spaced(name: str) -> str:
    """Return a name with one plain space in place of every run of white space, none at its ends."""
    return " ".join(name.split())


def _unknown(entry: str, names: Sequence[str]) -> str:
    """Return the sentence about an entry that is no name, with the name that is near to it."""
    entry = entry[:60]
    by_folded = {name.strip().casefold(): name for name in names}
    near = get_close_matches(entry.casefold(), by_folded, 1)
    if not near:
        return f"“{entry}” is not among the {len(names):,} names."
    return (
        f"“{entry}” is not among the {len(names):,} names; the nearest is “{by_folded[near[0]]}”."
    )


def features_with(text: str, names: Sequence[str]) -> NDArray[np.bool_]:
    """Mark the features whose name has a text in it, whatever its capitals.

    Examples
    --------
    >>> features_with("sox", ["CD4", "SOX2", "SOX17"]).tolist()
    [False, True, True]
    """
    folded = text.strip().casefold()
    return np.array([folded in name.casefold() for name in names], dtype=bool)
