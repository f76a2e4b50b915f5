"""Each claim of the paper, judged by what was found: does it hold here?

A verdict rests on the data sets that were computed, and says which. Numbers of clusterings are
those of the best of the grid, as the paper reports them, so that the claim is met on its own
ground; whether a difference counts is decided by its paired interval over the starts of K-means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cspca.evaluation.paper import METHODS_IN_PAPER
from cspca.evaluation.paper_claims.figures import best_below_all, comparable, few_hurt
from cspca.evaluation.paper_claims.orders import beats, beats_all, selection_helps, udfs_second
from cspca.evaluation.paper_claims.others import maps_unseen, robust
from cspca.evaluation.paper_claims.theorems import (
    independent_of_start,
    monotone,
    optimum,
    ten_iterations,
    theorem_1,
)
from cspca.evaluation.paper_claims.verdicts import TITLES, Claim, Finding, Judged, Verdict
from cspca.evaluation.paper_evidence import Evidence
from cspca.evaluation.statistics import RankTest, rank_test

__all__ = ["CLAIMS", "Claim", "Finding", "Judged", "Verdict", "judge", "ranks_over"]


_JUDGES: tuple[tuple[Claim, Callable[[Sequence[Evidence]], Finding]], ...] = (
    (
        Claim("theorem-1", "PCA equals a regression of rank k", "Theorem 1", "checks"),
        theorem_1,
    ),
    (
        Claim("monotone", "The objective falls monotonically", "Theorem 3", "starts"),
        monotone,
    ),
    (
        Claim("optimum", "Algorithm 1 reaches the global optimum", "Theorem 4", "starts"),
        optimum,
    ),
    (
        Claim("ten", "It does so within ten iterations", "Convergence figure", "starts"),
        ten_iterations,
    ),
    (
        Claim("starts", "The result does not depend on the start", "Table of starts", "starts"),
        independent_of_start,
    ),
    (
        Claim("beats", "CSPCA beats all six methods on every set", "ACC and NMI", "comparison"),
        beats_all,
    ),
    (Claim("second", "UDFS is second", "ACC and NMI", "comparison"), udfs_second),
    (
        Claim("mcfs-spec", "MCFS beats SPEC", "ACC and NMI", "comparison"),
        beats("mcfs", "spec"),
    ),
    (
        Claim("selection", "Selection usually beats all features", "ACC and NMI", "comparison"),
        selection_helps,
    ),
    (
        Claim("few", "Too few features hurt", "Number-of-features figure", "comparison"),
        few_hurt,
    ),
    (
        Claim("below", "The best number lies below all", "Number-of-features figure", "comparison"),
        best_below_all,
    ),
    (
        Claim("comparable", "α and β are best when comparable", "Sensitivity figure", "comparison"),
        comparable,
    ),
    (Claim("robust", "It is robust to outliers", "The ℓ2,1 loss", "checks"), robust),
    (Claim("unseen", "It maps unseen images", "Out of sample", "checks"), maps_unseen),
)

CLAIMS: tuple[Claim, ...] = tuple(claim for claim, _ in _JUDGES)
"""The paper's claims, in its order."""


def judge(evidence: Sequence[Evidence]) -> tuple[Judged, ...]:
    """Give every claim its verdict.

    Parameters
    ----------
    evidence : sequence of Evidence
        One a data set, each as far as it got. With several a claim holds when it does on all of
        them, does not when it does on none, and holds in part otherwise.

    Returns
    -------
    tuple of Judged
        In the order of :data:`CLAIMS`.
    """
    judged = []
    for claim, decide in _JUDGES:
        found = decide(evidence)
        judged.append(Judged(claim, found.verdict, found.number, found.sentence))
    return tuple(judged)


def ranks_over(evidence: Sequence[Evidence], metric: str = "accuracy") -> RankTest | None:
    """Rank the paper's methods over the data sets on which all of them are finished.

    Parameters
    ----------
    evidence : sequence of Evidence
    metric : {"accuracy", "nmi"}, default="accuracy"

    Returns
    -------
    RankTest or None
        None with fewer than two such data sets.
    """
    tables = [getattr(one, metric) for one in evidence]
    whole = [table for table in tables if all(key in table for key in METHODS_IN_PAPER)]
    if len(whole) < 2:
        return None
    scores = [[table[key].mean for key in METHODS_IN_PAPER] for table in whole]
    return rank_test(scores, [TITLES[key] for key in METHODS_IN_PAPER])
