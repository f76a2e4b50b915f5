"""What is taken away from a grid of α and β: CSV, arrays, a LaTeX table, the Python behind it."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from cspca.evaluation.former.tables import escape_latex
from cspca.runs.recipes import Made
from cspca.runs.sweeps import Sensitivity, Sweep

__all__ = ["sensitivity_arrays", "sensitivity_csv", "sensitivity_latex", "sensitivity_lines"]

_TITLES = {"accuracy": "ACC", "nmi": "NMI"}
_PER_CENT = ("accuracy", "nmi")


def sensitivity_csv(grid: Sensitivity) -> str:
    """Write one line a point; what is not computed is empty.

    Parameters
    ----------
    grid : Sensitivity

    Returns
    -------
    str
        Numbers have all their digits; scores are fractions, not per cent.
    """
    clustered = [f"{name}_{part}" for name in grid.means for part in ("mean", "std")]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        ["alpha", "beta", "penalty_scale", "n_features", *clustered, *grid.fits, "regime"]
    )
    for i, alpha in enumerate(grid.alphas):
        for j, beta in enumerate(grid.betas):
            values = [
                float(source[name][i, j])
                for name in grid.means
                for source in (grid.means, grid.stds)
            ] + [float(grid.fits[name][i, j]) for name in grid.fits]
            writer.writerow(
                [
                    alpha,
                    beta,
                    grid.penalty_scale,
                    "" if grid.n_features is None else grid.n_features,
                    *("" if value != value else value for value in values),
                    grid.regimes[i][j] or "",
                ]
            )
    return stream.getvalue()


def sensitivity_arrays(grid: Sensitivity) -> dict[str, Any]:
    """Return the grid as arrays of shape (n_alphas, n_betas), for an ``.npz``.

    Parameters
    ----------
    grid : Sensitivity

    Returns
    -------
    dict
        ``alphas``, ``betas``, ``regime``, what the fits say, and ``…_mean`` and ``…_std`` of
        what the clusterings do; NaN where nothing is computed.
    """
    arrays: dict[str, Any] = {"alphas": grid.alphas, "betas": grid.betas, **grid.fits}
    arrays |= {f"{name}_mean": values for name, values in grid.means.items()}
    arrays |= {f"{name}_std": values for name, values in grid.stds.items()}
    arrays["regime"] = [[one or "" for one in row] for row in grid.regimes]
    arrays["penalty_scale"] = grid.penalty_scale
    return arrays


def sensitivity_latex(grid: Sensitivity, name: str = "accuracy", *, caption: str = "") -> str:
    r"""Write the grid as a booktabs table: a row an α, a column a β, the best in bold.

    Parameters
    ----------
    grid : Sensitivity
    name : str, default="accuracy"
        Of `means` (then with the standard deviation, ACC and NMI in per cent) or of `fits`.
    caption : str, default=""
        Escaped.

    Returns
    -------
    str
        Needs ``\usepackage{booktabs}``.

    Raises
    ------
    ValueError
        When the grid has no such values.
    """
    if name not in grid.means and name not in grid.fits:
        known = ", ".join([*grid.means, *grid.fits])
        raise ValueError(f"The grid has no {name!r}: choose from {known}.")
    clustered = name in grid.means
    values = grid.means[name] if clustered else grid.fits[name]
    best = np.nanmax(values) if clustered and np.isfinite(values).any() else None
    relative = grid.penalty_scale == "relative"
    units = r"/\alpha_{\max}", r"/\beta_{\max}"
    rows, columns = (rf"${sign}{unit if relative else ''}$"
                     for sign, unit in zip((r"\alpha", r"\beta"), units, strict=True))  # fmt: skip
    heads = " & ".join([rf"{rows} \textbackslash\ {columns}", *(_power(b) for b in grid.betas)])
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
        rf"\begin{{tabular}}{{l{'r' * len(grid.betas)}}}",
        r"\toprule",
        rf"{heads} \\",
        r"\midrule",
    ]
    for i, alpha in enumerate(grid.alphas):
        cells = [
            _entry(
                float(values[i, j]),
                float(grid.stds[name][i, j]) if clustered else None,
                name,
                bold=best is not None and values[i, j] == best,
            )
            for j in range(len(grid.betas))
        ]
        lines.append(rf"{' & '.join([_power(alpha), *cells])} \\")
    what = _TITLES.get(name, name.replace("_", " "))
    unit = r" (\%)" if name in _PER_CENT else ""
    said = f"{what}{unit}" + (", mean ± standard deviation".replace("±", r"$\pm$") * clustered)
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        rf"\\[.5ex]\footnotesize {said}.",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def _entry(value: float, std: float | None, name: str, *, bold: bool) -> str:
    if not np.isfinite(value):
        return "--"
    factor, digits = (100.0, 1) if name in _PER_CENT else (1.0, 3)
    if std is None:
        return f"{value:.4g}" if "e" not in f"{value:.4g}" else rf"${_scientific(value)}$"
    mean = f"{factor * value:.{digits}f}"
    if bold:
        mean = rf"\textbf{{{mean}}}"
    return rf"{mean} $\pm$ {factor * std:.{digits}f}"


def _power(value: float) -> str:
    plain = f"{value:g}"
    return plain if "e" not in plain else f"${_scientific(value)}$"


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.3g}".split("e") if "e" in f"{value:.3g}" else (f"{value:g}", "0")
    power = rf"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \times {power}"


def sensitivity_lines(sweep: Sweep, recipe: Made) -> str:
    """Write the lines of Python that repeat a grid, number for number.

    Parameters
    ----------
    sweep : Sweep
        Of the kind "sensitivity".
    recipe : Made
        How the data set is made.

    Returns
    -------
    str
        Python source; ``table`` is a list of one record a point.
    """
    plan = sweep.plan
    fixed = _unusual(
        {name: value for name, value in plan.methods[0].grid[0] if name not in ("alpha", "beta")}
    )
    common = "".join(f", {name}={value!r}" for name, value in fixed.items())
    lines = [
        "from itertools import product",
        "from cspca import CSPCA",
        f"from cspca.datasets import {', '.join(recipe.names)}",
        *(["from cspca.evaluation import evaluate_selection"] if plan.seeds else []),
        f"d = {recipe.source}",
        f"alphas = {list(sweep.asked['alphas'])!r}",
        f"betas = {list(sweep.asked['betas'])!r}",
        "table = []",
        "for alpha, beta in product(alphas, betas):",
        f"    model = CSPCA(alpha=alpha, beta=beta{common})",
        "    for _ in model.iterate(d.data):  # as fit does, without its warning",
        "        pass",
        "    row = {",
        '        "alpha": alpha, "beta": beta, "objective": model.objective_,',
        '        "duality_gap": model.duality_gap_, "rank": model.rank_,',
        '        "n_zero": int((model.feature_scores_ == 0).sum()), "regime": model.regime_,',
        "    }",
    ]
    lines += [f"    {line}" for line in _clustering(sweep)]
    return "\n".join([*lines, "    table.append(row)", "    print(row)"])


def _clustering(sweep: Sweep) -> list[str]:
    """Write the lines that cluster on the best features of a ``model`` and add to a ``row``."""
    plan = sweep.plan
    if not plan.seeds:
        return []
    k = plan.methods[0].n_features[0]
    judged = "d.target" if sweep.labelled else "None"
    names = ("accuracy", "nmi") if sweep.labelled else ("stability", "reconstruction_error")
    return [
        "found = evaluate_selection(",
        f"    d.data, {judged}, model.feature_order_, n_features={k}, "
        f"{seeds_in_words(plan.seeds)},",
        f"    n_clusters={plan.n_clusters}, init={plan.init!r}, silhouette=False,",
        ")",
        f"for name in {names!r}:",
        '    row[name] = float(found.scores("selection", name).to_numpy().mean())',
    ]


def _unusual(parameters: dict[str, Any]) -> dict[str, Any]:
    """Leave out what CSPCA does by itself."""
    from cspca.estimator import CSPCA

    usual = CSPCA().get_params()
    return {name: value for name, value in parameters.items() if usual.get(name) != value}


def seeds_in_words(seeds: tuple[int, ...]) -> str:
    """Write the seeds as an argument of :func:`cspca.evaluation.compare`."""
    if seeds == tuple(range(len(seeds))):
        return f"n_seeds={len(seeds)}"
    return f"seeds={list(seeds)!r}"
