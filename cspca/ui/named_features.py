"""Features found by their names: those that a text lists, and those whose name has a text in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray


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
    places: dict[str, list[int]] = {}
    folded_places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name.strip(), []).append(place)
        folded_places.setdefault(name.strip().casefold(), []).append(place)
    mask = np.zeros(len(names), dtype=bool)
    for line in text.splitlines():
        # A name may have a comma in it.
        listed = [line] if line.strip() in places else re.split("[,;\t]", line)
        for entry in filter(None, map(str.strip, listed)):
            matches = places.get(entry) or folded_places.get(entry.casefold())
            if matches is None:
                raise ValueError(_unknown(entry, names))
            mask[matches] = True
    return mask


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
