"""What is taken away from a comparison beside its tables: the Python behind it, and arrays."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np

from cspca.evaluation.former import Comparison
from cspca.evaluation.former.cells import MethodPlan, Parameters, Plan, parameters_of
from cspca.runs.comparison_records import ComparisonRequest
from cspca.runs.recipes import Made

__all__ = ["comparison_arrays", "comparison_lines", "plan_lines"]


def comparison_lines(request: ComparisonRequest, recipe: Made) -> str:
    """Write the few lines of Python that repeat a comparison, number for number.

    Parameters
    ----------
    request : ComparisonRequest
    recipe : Made
        How the data set is made.

    Returns
    -------
    str
        Python source.
    """
    lines = [
        "d.data",
        "d.target" if request.labelled else "None",
        f"methods={list(request.methods)!r}",
        f"n_features={list(request.n_features)!r}",
        f"n_seeds={request.n_seeds}",
        f"n_clusters={request.n_clusters}",
    ]
    if request.init != "random":
        lines.append(f"init={request.init!r}")
    if request.tune:
        lines.append("tune=True")
    if request.grids:
        lines.append(f"grids={request.grids!r}")
    return "\n".join(
        [
            f"from cspca.datasets import {', '.join(recipe.names)}",
            "from cspca.evaluation import compare",
            f"d = {recipe.source}",
            "done = compare(",
            f"    {', '.join(lines[:2])},",
            *(f"    {line}," for line in lines[2:]),
            ")",
            "print(done.to_csv())",
        ]
    )


def plan_lines(plan: Plan, labelled: bool, recipe: Made) -> str:
    """Write the lines of Python that repeat a comparison that is known by its plan.

    Parameters
    ----------
    plan : Plan
        Of methods in the registry.
    labelled : bool
        Whether clusters were held against the labels.
    recipe : Made
        How the data set is made.

    Returns
    -------
    str
        Python source.
    """
    counts = sorted({k for one in plan.methods if not one.keeps_all for k in one.n_features})
    seeds = list(plan.seeds)
    as_usual = seeds == list(range(len(seeds)))
    lines = [
        f"methods={[one.method for one in plan.methods]!r}",
        *([f"n_features={counts!r}"] if counts else []),
        f"n_seeds={len(seeds)}" if as_usual else f"seeds={seeds!r}",
        f"n_clusters={plan.n_clusters}",
        *([f"init={plan.init!r}"] if plan.init != "random" else []),
        *([] if plan.silhouette else ["silhouette=False"]),
    ]
    tuned = {one.method: one.grid for one in plan.methods if one.grid != ((),)}
    if tuned and all(_usual(one) == one.grid for one in plan.methods):
        lines.append("tune=True")
    elif tuned:
        grids = {key: [dict(parameters) for parameters in grid] for key, grid in tuned.items()}
        lines.append(f"grids={grids!r}")
    return "\n".join(
        [
            f"from cspca.datasets import {', '.join(recipe.names)}",
            "from cspca.evaluation import compare",
            f"d = {recipe.source}",
            "done = compare(",
            f"    d.data, {'d.target' if labelled else 'None'},",
            *(f"    {line}," for line in lines),
            ")",
            "print(done.to_csv())",
        ]
    )


def _usual(one: MethodPlan) -> tuple[Parameters, ...]:
    """What the registry would try of a method that is tuned."""
    from cspca.selection import METHODS

    grid = METHODS[one.method].grid if one.method in METHODS else {}
    names = sorted(grid)
    points = itertools.product(*(grid[name] for name in names))
    return tuple(parameters_of(dict(zip(names, point, strict=True))) for point in points)


def comparison_arrays(comparison: Comparison) -> dict[str, Any]:
    """Return every run and every ranking as arrays, for an ``.npz``.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
        ``seeds``; of every method ``METHOD/METRIC`` of shape (n_choices, n_seeds) with
        ``METHOD/n_features`` and ``METHOD/parameters`` of its choices; of every ranking
        ``METHOD/order`` and ``METHOD/scores`` of shape (n_rankings, n_features) with
        ``METHOD/ranked_by``, its parameters.
    """
    found: dict[str, Any] = {"seeds": np.array(comparison.plan.seeds)}
    for one in comparison.plan.methods:
        for metric in comparison.metrics:
            choices, table = comparison.scores(one.method, metric)
            found[f"{one.method}/{metric}"] = table
        if comparison.metrics:
            found[f"{one.method}/n_features"] = [choice.n_features for choice in choices]
            found[f"{one.method}/parameters"] = _said(choice.parameters for choice in choices)
        ranked = [r for r in comparison.rankings if r.method == one.method]
        if ranked:
            found[f"{one.method}/order"] = np.stack([r.order for r in ranked])
            found[f"{one.method}/scores"] = np.stack([r.scores for r in ranked])
            found[f"{one.method}/ranked_by"] = _said(r.parameters for r in ranked)
    return found


def _said(parameters: Any) -> Any:
    return np.array([json.dumps(dict(one)) for one in parameters], dtype=str)
