"""Verdicts, and the small questions that every judge asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from cspca.evaluation.paper_evidence import Runs
from cspca.evaluation.starts import FloatArray
from cspca.evaluation.statistics import paired_difference

__all__ = [
    "CERTIFIED", "TITLES", "Claim", "Finding", "Judged", "Verdict", "against", "as_runs",
    "percent", "points", "said", "spread", "together",
]  # fmt: skip


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    OPEN = "cannot be told"
    FAILS = "does not hold"
    UNTESTED = "not tested here"


@dataclass(frozen=True)
class Finding:
    """A verdict, our number, and one sentence."""

    verdict: Verdict
    number: str = "–"
    sentence: str = ""


@dataclass(frozen=True)
class Claim:
    """One thing that the paper says.

    Attributes
    ----------
    key : str
    says : str
        In the paper's sense, short.
    where : str
        Theorem, table or figure.
    needs : str
        Part of a reproduction that tests it: comparison, starts or checks.
    """

    key: str
    says: str
    where: str
    needs: str


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict.

    Attributes
    ----------
    claim : Claim
    verdict : Verdict
    number : str
        Ours, in short.
    sentence : str
        What was found; empty where nothing that tests it is computed.
    """

    claim: Claim
    verdict: Verdict
    number: str
    sentence: str


CERTIFIED = 1e-3
"""Relative distance from a proven bound that counts as the optimum."""

_WEIGHTY = 0.5
"""Percentage points of accuracy that the paper's own tables make something of."""

TITLES = MappingProxyType(
    {
        "all": "All features",
        "variance": "Max variance",
        "laplacian": "Laplacian Score",
        "spec": "SPEC",
        "mcfs": "MCFS",
        "udfs": "UDFS",
        "cspca": "CSPCA",
    }
)
"""Methods as a sentence names them."""


def against(ours: Runs, other: Runs) -> tuple[Verdict, float, str]:
    """Whether ours is above; the lead in points; and the words between the two numbers."""
    lead = 100.0 * (ours.mean - other.mean)
    if len(ours.best) < 2 or len(ours.best) != len(other.best):
        sure = abs(lead) > _WEIGHTY
    else:
        sure = paired_difference(ours.best, other.best).excludes_zero
    if sure and lead > 0:
        return Verdict.HOLDS, lead, "is above"
    if sure:
        return Verdict.FAILS, lead, "is below"
    if np.array_equal(ours.best, other.best):
        return Verdict.FAILS, lead, "is the same as"
    # Within the luck of the starts the sign of a lead is luck too: it decides nothing either way.
    return Verdict.OPEN, lead, "cannot be told from"


def said(runs: Runs) -> str:
    """Say a mean in per cent."""
    return f"{100 * runs.mean:.1f} %"


def points(lead: float) -> str:
    """A difference in percentage points."""
    text = f"{lead:+.1f}"
    return f"{text[1:] if float(text) == 0 else text} points".replace("-", "−")


def as_runs(values: FloatArray) -> Runs:
    """Runs that nothing was chosen for."""
    return Runs(values, values)


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict over several data sets: theirs, where they agree.

    Where they do not, a claim that is shown on some of them holds in part, and one that is shown
    on none does not hold.
    """
    kinds = set(verdicts)
    if len(kinds) == 1:
        return verdicts[0]
    return Verdict.PARTLY if kinds & {Verdict.HOLDS, Verdict.PARTLY} else Verdict.FAILS


def spread(values: Sequence[float]) -> float:
    """Relative distance of the largest from the smallest."""
    low, high = min(values), max(values)
    return (high - low) / abs(low) if low else 0.0


def percent(share: float) -> str:
    """Say a share, small ones with two digits."""
    if share <= 0.0:
        return "0 %"
    if share < 5e-6:
        return "under 0.0005 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"
