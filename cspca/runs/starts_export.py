"""The lines of Python behind the seven initialisations."""

from __future__ import annotations

from cspca.runs.recipes import Made
from cspca.runs.sweeps import Sweep

__all__ = ["starts_lines"]


def starts_lines(sweep: Sweep, recipe: Made) -> str:
    """Write the lines of Python that repeat the fits of a sweep of starts.

    Parameters
    ----------
    sweep : Sweep
        Of the kind "starts".
    recipe : Made
        How the data set is made.

    Returns
    -------
    str
        Python source; ``table`` is a list of one record a start, solver and number of iterations.
    """
    grid = [dict(parameters) for parameters in sweep.plan.methods[0].grid]
    moving = ("solver", "init", "max_iter", "tol")
    common = ", ".join(f"{k}={v!r}" for k, v in grid[0].items() if k not in moving)
    asked = sweep.asked
    certified = next((one for one in grid if one["solver"] == "admm"), None)
    lines = [
        "from cspca import CSPCA",
        f"from cspca.datasets import {', '.join(recipe.names)}",
        f"d = {recipe.source}",
        "runs = [",
    ]
    if "reweighted" in asked["solvers"]:
        lines.append(
            '    *(("reweighted", number, 0.0) for number in '
            f"{tuple(asked['checkpoints'])!r}),  # Algorithm 1"
        )
    if certified is not None:
        lines.append(f'    ("admm", {certified["max_iter"]}, {certified["tol"]!r}),')
    lines += [
        "]",
        "table = []",
        f"for start in {tuple(asked['inits'])!r}:",
        "    for solver, most, tol in runs:",
        "        model = CSPCA(",
        f"            {common},",
        "            solver=solver, init=start, max_iter=most, tol=tol, random_state=0,",
        "        )",
        "        for _ in model.iterate(d.data):  # as fit does, without its warning",
        "            pass",
        '        row = {"solver": solver, "start": start, "iterations": most,',
        '               "objective": model.objective_, "gap": model.duality_gap_}',
        "        table.append(row)",
        "        print(row)",
    ]
    return "\n".join(lines)
