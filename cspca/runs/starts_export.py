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
    plan, asked = sweep.plan, sweep.asked
    grid = [dict(parameters) for parameters in plan.methods[0].grid]
    moving = ("solver", "init", "max_iter", "tol")
    common = ", ".join(f"{k}={v!r}" for k, v in grid[0].items() if k not in moving)
    certified = next((one for one in grid if one["solver"] == "admm"), None)
    clustered = bool(plan.seeds) and sweep.labelled
    runs = []
    if certified is not None:
        runs.append(f'    ("admm", {certified["max_iter"]}, {certified["tol"]!r}),')
    if "reweighted" in asked["solvers"]:
        runs.append(
            '    *(("reweighted", number, 0.0) for number in '
            f"{tuple(asked['checkpoints'])!r}),  # Algorithm 1"
        )
    counts = plan.methods[0].n_features
    half = "d.n_features // 2"
    return "\n".join(
        [
            "from scipy.stats import spearmanr",
            "from cspca import CSPCA",
            f"from cspca.datasets import {', '.join(recipe.names)}",
            *(["from cspca.evaluation import evaluate_selection"] if clustered else []),
            f"d = {recipe.source}",
            f"k = {counts[0] if counts else half}",
            "runs = [",
            *runs,
            "]",
            "table, models = [], []",
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
            *(_clustering(sweep) if clustered else []),
            "        table.append(row)",
            "        models.append(model)",
            "best = min(models, key=lambda model: model.duality_gap_)",
            "for row, model in zip(table, models):",
            '    row["spearman"] = spearmanr(',
            "        model.selection_scores_, best.selection_scores_).statistic",
            '    row["overlap"] = len(',
            "        set(model.feature_order_[:k]) & set(best.feature_order_[:k])) / k",
            "    print(row)",
        ]
    )


def _clustering(sweep: Sweep) -> list[str]:
    plan = sweep.plan
    settings = [f"n_seeds={len(plan.seeds)}", f"n_clusters={plan.n_clusters}", "silhouette=False"]
    if plan.init != "random":
        settings.append(f"init={plan.init!r}")
    return [
        "        done = evaluate_selection(",
        f"            d.data, d.target, model, k, {', '.join(settings)})",
        '        row["accuracy"] = done.scores("selection", "accuracy").to_numpy().mean()',
    ]
