"""Where the seconds of one fit go, by what they are spent on."""

import cProfile
import pstats
import time
from collections.abc import Callable
from pathlib import PurePath

PARTS = {
    "reduction": {("reduction.py", "__init__")},
    "first guess": {("starts.py", "diagonal_guess")},
    "certificate and objective": {("solver.py", "_check"), ("few_columns.py", "check")},
    "scores and regime of the answer": {("fitted.py", "of")},
}
"""Functions, by file and name, whose time with all they call is one part."""

STEPS = {("state.py", "step"), ("few_columns.py", "explore")}
"""Iterations with all columns, with few, and the search for those that are missing."""

SHRINKAGE = ("proximal.py", "shrink_singular_values")
COPIES = ("state.py", "follow")
"""The step that shrinks in every iteration, with all columns or few."""


def _place(function: tuple[str, int, str]) -> tuple[str, str]:
    return PurePath(function[0]).name, function[2]


def shares(fit: Callable[[], object]) -> dict[str, float]:
    """Share of the CPU seconds of `fit` that each part takes; they add up to 1."""
    profile = cProfile.Profile(time.process_time)
    began = time.process_time()
    profile.runcall(fit)
    whole = time.process_time() - began
    found = dict.fromkeys(PARTS, 0.0)
    steps = shrinkage = 0.0
    for function, (*_, seconds, callers) in pstats.Stats(profile).stats.items():
        place = _place(function)
        steps += seconds * (place in STEPS)
        if place == SHRINKAGE:
            # Within a certificate it is the certificate's.
            shrinkage = sum(call[3] for by, call in callers.items() if _place(by) == COPIES)
        for part, places in PARTS.items():
            found[part] += seconds * (place in places)
    found["iterations: singular-value shrinkage"] = shrinkage
    found["iterations: products and shrinkage of rows"] = steps - shrinkage
    found["the rest"] = whole - sum(found.values())
    return {part: seconds / whole for part, seconds in found.items()}
