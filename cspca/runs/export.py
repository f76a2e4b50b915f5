"""What a visitor takes away from a fit: scores as CSV, arrays, and the Python behind them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.runs.records import FitResult, FitSpec

if TYPE_CHECKING:
    from cspca.runs.recipes import Made

COLUMNS = (
    "feature", "name", "row", "column", "feature_score", "dual_score", "selection_score", "rank",
)  # fmt: skip

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def scores_csv(
    result: FitResult,
    image_shape: tuple[int, int] | None,
    feature_names: tuple[str, ...] | None = None,
) -> str:
    """Write one line a pixel or feature, best first.

    Parameters
    ----------
    result : FitResult
    image_shape : (height, width) or None
        Without it the columns ``row`` and ``column`` stay empty.
    feature_names : tuple of str, optional
        Without them the column ``name`` stays empty.

    Returns
    -------
    str
        CSV with the header `COLUMNS`; ``feature``, ``row`` and ``column`` count from 0, so that
        ``data[:, feature]`` and ``image[row, column]`` are what is meant; ``rank`` counts from 1.
        Numbers have all their digits. A name that a spreadsheet would take for a formula gets an
        apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for feature in result.order.tolist():
        place = divmod(feature, image_shape[1]) if image_shape is not None else ("", "")
        writer.writerow(
            [
                feature,
                "" if feature_names is None else _cell(feature_names[feature]),
                *place,
                repr(float(result.feature_scores[feature])),
                repr(float(result.dual_scores[feature])),
                repr(float(result.selection_scores[feature])),
                int(result.ranks[feature]),
            ]
        )
    return out.getvalue()


def _cell(name: str) -> str:
    """Keep a name from a file from being computed by the spreadsheet that opens it."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def python_lines(
    spec: FitSpec,
    recipe: Made,
    alpha: float | None = None,
    iterations: int | None = None,
) -> str:
    """Write the few lines of Python that repeat a fit.

    Parameters
    ----------
    spec : FitSpec
    recipe : Made
        How the data set is made.
    alpha : float, optional
        The relative α that was found, for a fit that was asked to keep a number of pixels.
    iterations : int, optional
        Iterations done, for the paper's Algorithm 1, which no tolerance ends.

    Returns
    -------
    str
        Python source.
    """
    options = [f"alpha={spec.alpha!r}", f"beta={spec.beta!r}"]
    if spec.keep is not None and alpha is not None:
        options[0] = f"alpha={alpha!r}"
    if spec.penalty_scale != "relative":
        options.append(f"penalty_scale={spec.penalty_scale!r}")
    if not spec.center:
        options.append("center=False")
    if spec.normalize:
        options.append("normalize=True")
    options.append(f"tol={spec.tol:.12g}")
    certified = f"CSPCA({', '.join(options)}).fit(d.data)"
    lines = [f"model = {certified}", "print(model.feature_order_[:10], model.duality_gap_)"]
    if spec.solver == "reweighted":
        options.append('solver="reweighted"')
        if iterations is not None:
            options.append(f"max_iter={iterations}")
        lines = [
            f"model = CSPCA({', '.join(options)}).fit(d.data)",
            f"bound = {certified}.dual_objective_",
            "print(model.feature_order_[:10], model.fit_.measured_by(bound).duality_gap)",
        ]
    return "\n".join(
        [
            "from cspca import CSPCA",
            f"from cspca.datasets import {', '.join(recipe.names)}",
            f"d = {recipe.source}",
            *lines,
        ]
    )


def fit_arrays(result: FitResult) -> dict[str, Any]:
    """Return a fit as arrays, for an ``.npz``.

    Parameters
    ----------
    result : FitResult

    Returns
    -------
    dict
        ``feature_scores``, ``dual_scores``, ``selection_scores``, ``feature_order``,
        ``sample_residuals``, ``components`` of shape (rank, n_features); the numbers of the fit
        by their names; of every solver ``history_SOLVER_COLUMN``.
    """
    model = result.model
    found: dict[str, Any] = {
        "feature_scores": result.feature_scores,
        "dual_scores": result.dual_scores,
        "selection_scores": np.asarray(result.selection_scores, dtype=np.float64),
        "feature_order": result.order,
        "sample_residuals": np.asarray(model.sample_residuals_),
        "components": np.asarray(model.components_),
        "regime": str(model.regime_),
    }
    for name in NUMBERS:
        found[name] = getattr(model, f"{name}_")
    for trace in result.traces:
        for name in ("number", "seconds", "objective", "dual_bound", "gap"):
            column = np.array(getattr(trace, name), dtype=np.float64)
            found[f"history_{trace.solver}_{name}"] = column
    return found


NUMBERS = (
    "objective", "dual_objective", "duality_gap", "n_iter", "rank", "alpha", "beta", "alpha_max",
    "beta_max",
)  # fmt: skip
"""What a fit says of itself in numbers: attributes of :class:`cspca.CSPCA` without underscore."""
