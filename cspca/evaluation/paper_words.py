"""In plain words: how far our numbers are from the paper's, and what can and cannot explain it."""

from __future__ import annotations

from collections.abc import Sequence

from cspca.evaluation.paper import Printed
from cspca.evaluation.paper_recognition import Recognition
from cspca.evaluation.paper_tables import PaperRow
from cspca.evaluation.statistics import Summary

__all__ = ["plain_statement", "say_difference", "say_ours", "say_printed"]

_SAME = 1.0
"""Percentage points within which a printed number counts as reproduced."""


def plain_statement(recognition: Recognition, rows: Sequence[PaperRow]) -> tuple[str, ...]:
    """Say what of the paper's accuracies does not reproduce, and the evidence.

    Parameters
    ----------
    recognition : Recognition
    rows : sequence of PaperRow
        Of the accuracy.

    Returns
    -------
    tuple of str
        Sentences; empty before every method has a number.
    """
    found = [row for row in rows if row.best is not None]
    if not found or len(found) < len(rows):
        return ()
    said = []
    of = recognition.paper_set
    apart = [row for row in found if row.difference is not None]
    if of is not None and recognition.same_data and apart:
        near = [row for row in apart if abs(row.difference or 0.0) <= _SAME]
        low, high = (pick(row.difference or 0.0 for row in apart) for pick in (min, max))
        said.append(
            f"{len(near)} of {len(apart)} printed accuracies reproduce to a percentage point; "
            f"ours are {say_difference(low)} to {say_difference(high)} points from them."
        )
        said += _baseline(of.title, apart)
    said += _spread(found, same_data=recognition.same_data)
    said += _choices(found)
    return tuple(said)


def _baseline(title: str, rows: Sequence[PaperRow]) -> list[str]:
    """All features: no method, no parameter, only the data and K-means."""
    row = next((one for one in rows if one.method == "all"), None)
    if row is None or row.best is None or row.printed is None:
        return []
    text = (
        f"All features on {title} need no method and no parameter, only K-means: the paper prints "
        f"{row.printed.mean:.1f} %, ours is {_of(row.best.mean)} ± {100 * row.best.std:.1f} %."
    )
    if abs(row.difference or 0.0) > _SAME:
        text += (
            " So the distance comes from the data or from the clustering, not from any method of "
            "selection."
        )
    if row.independent is not None:
        text += (
            f" An independent evaluation with the same protocol has {row.independent.mean:.1f} %."
        )
    return [text]


def _spread(rows: Sequence[PaperRow], *, same_data: bool) -> list[str]:
    means = [100 * row.best.mean for row in rows if row.best is not None]
    noise = [100 * row.best.std for row in rows if row.best is not None]
    printed = [row.printed.mean for row in rows if row.printed is not None]
    text = f"Our {len(means)} methods lie within {max(means) - min(means):.1f} points of each other"
    if printed and same_data:
        text += f", the paper’s within {max(printed) - min(printed):.1f}"
    usual = sorted(noise)[len(noise) // 2]
    return [f"{text}; the starts of K-means alone spread a number by ± {usual:.1f}."]


def _choices(rows: Sequence[PaperRow]) -> list[str]:
    ours = next((row for row in rows if row.method == "cspca"), None)
    if ours is None or ours.best is None or ours.honest is None:
        return []
    fewest = min(row.n_choices for row in rows)
    return [
        f"CSPCA’s number is the best of {ours.n_choices:,} choices, that of other methods of as "
        f"few as {fewest:,}: the largest of many numbers is too good. Chosen on one half of the "
        f"starts and scored on the other, CSPCA has {_of(ours.honest.mean)} % in place of "
        f"{_of(ours.best.mean)} %."
    ]


def _of(share: float) -> str:
    return f"{100 * share:.1f}"


def say_printed(one: Printed | None) -> str:
    """Write a printed number, in percent; a dash where the paper has none.

    Parameters
    ----------
    one : Printed or None

    Returns
    -------
    str
    """
    if one is None:
        return "–"
    return f"{one.mean:.1f}" if one.std is None else f"{one.mean:.1f} ± {one.std:.1f}"


def say_ours(one: Summary | None) -> str:
    """Write a number of ours, in percent; a dash where it is not computed.

    Parameters
    ----------
    one : Summary or None

    Returns
    -------
    str
    """
    return "–" if one is None else f"{100 * one.mean:.1f} ± {100 * one.std:.1f}"


def say_difference(points: float | None) -> str:
    """Write a difference with its sign; a dash where there is none.

    Parameters
    ----------
    points : float or None
        Percentage points.

    Returns
    -------
    str
    """
    return "–" if points is None else f"{points:+.1f}".replace("-", "−")
