"""The lines of Python behind a comparison."""

from __future__ import annotations

from cspca.datasets import Recipe
from cspca.runs.comparison_records import ComparisonRequest


def comparison_lines(request: ComparisonRequest, recipe: Recipe) -> str:
    """Write the few lines of Python that repeat a comparison, number for number.

    Parameters
    ----------
    request : ComparisonRequest
    recipe : Recipe
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
