"""Settings and plans in words, for every report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cspca.evaluation.former.cells import Plan
from cspca.runs.report.about import in_words

__all__ = ["said_plan", "said_settings"]

_NAMES: Final = {
    "alpha": "α",
    "beta": "β",
    "alphas": "α",
    "betas": "β",
    "penalty_scale": "Scale of α and β",
    "center": "Mean sample subtracted",
    "normalize": "Samples of unit norm",
    "solver": "Solver",
    "solvers": "Solvers",
    "tol": "Tolerance, relative gap",
    "max_iter": "Iterations at most",
    "inits": "Starts",
    "checkpoints": "Algorithm 1 looked at after",
}


def said_settings(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Write parameters in words.

    Parameters
    ----------
    asked : mapping of str to plain values
        Of :class:`cspca.CSPCA`, or of a sweep of it; others are left out.
    """
    return [(_NAMES[name], in_words(asked[name])) for name in _NAMES if name in asked]


def said_plan(plan: Plan) -> list[tuple[str, str]]:
    """Write a plan in words.

    Parameters
    ----------
    plan : Plan
    """
    pairs = []
    if len(plan.methods) > 1:
        pairs.append(("Methods", ", ".join(one.title for one in plan.methods)))
        tried = sum(len(one.grid) for one in plan.methods)
        pairs.append(("Parameter sets", f"{tried:,}"))
    counts = sorted({k for one in plan.methods for k in one.n_features})
    if counts:
        pairs.append(("Numbers of features", in_words(counts)))
    if plan.seeds:
        pairs += [("Clusters", f"{plan.n_clusters:,}"), ("Starts of K-means", plan.init)]
    return pairs
