"""What a visitor takes away from a fit: the scores as CSV and the lines of Python behind them."""

from __future__ import annotations

import csv
import io

from cspca.datasets import BUILTIN
from cspca.runs.records import FitResult, FitSpec

COLUMNS = ("pixel", "row", "column", "feature_score", "dual_score", "selection_score", "rank")


def scores_csv(result: FitResult, image_shape: tuple[int, int] | None) -> str:
    """Write one line a pixel, best first.

    Parameters
    ----------
    result : FitResult
    image_shape : (height, width) or None
        Without it the columns ``row`` and ``column`` stay empty.

    Returns
    -------
    str
        CSV with the header `COLUMNS`; ``pixel``, ``row`` and ``column`` count from 0, ``rank``
        from 1. Numbers have all their digits.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pixel in result.order.tolist():
        place = divmod(pixel, image_shape[1]) if image_shape is not None else ("", "")
        writer.writerow(
            [
                pixel,
                *place,
                repr(float(result.feature_scores[pixel])),
                repr(float(result.dual_scores[pixel])),
                repr(float(result.selection_scores[pixel])),
                int(result.ranks[pixel]),
            ]
        )
    return out.getvalue()


def python_lines(
    spec: FitSpec,
    data: str,
    name: str,
    alpha: float | None = None,
    iterations: int | None = None,
) -> str:
    """Write the five lines of Python that repeat a fit.

    Parameters
    ----------
    spec : FitSpec
    data : str
        Name or id of the data set in the library.
    name : str
        What the data set is called; for an upload the name of its file.
    alpha : float, optional
        The relative α that was found, for a fit that was asked to keep a number of pixels.
    iterations : int, optional
        Iterations done, for the paper's Algorithm 1, which no tolerance ends.

    Returns
    -------
    str
        Python source.
    """
    source = ("load", data) if data in BUILTIN else ("load_file", name)
    options = [f"alpha={spec.alpha!r}", f"beta={spec.beta!r}"]
    if spec.keep is not None and alpha is not None:
        options[0] = f"alpha={alpha!r}"
    if spec.penalty_scale != "relative":
        options.append(f"penalty_scale={spec.penalty_scale!r}")
    if not spec.center:
        options.append("center=False")
    if spec.normalize:
        options.append("normalize=True")
    if spec.solver == "reweighted":
        options.append('solver="reweighted"')
    options.append(f"tol={spec.tol:.12g}")
    if spec.solver == "reweighted" and iterations is not None:
        options.append(f"max_iter={iterations}")
    return "\n".join(
        [
            "from cspca import CSPCA",
            f"from cspca.datasets import {source[0]}",
            f"d = {source[0]}({source[1]!r})",
            f"model = CSPCA({', '.join(options)}).fit(d.data)",
            "print(model.feature_order_[:10], model.duality_gap_)",
        ]
    )
