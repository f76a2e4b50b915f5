"""Comparisons as text to take away: CSV and LaTeX, safe against hostile names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cspca.evaluation.former.cells import METRICS, CellResult, Parameters

if TYPE_CHECKING:
    from cspca.evaluation.former.comparison import Row

__all__ = ["cells_csv", "latex", "summary_csv"]

_HEADINGS = {
    "accuracy": "ACC (\\%)",
    "nmi": "NMI (\\%)",
    "nmi_max": "NMI, max (\\%)",
    "silhouette": "Silhouette",
    "stability": "Stability (ARI)",
    "reconstruction_error": "Reconstruction error",
}

_PER_CENT = ("accuracy", "nmi", "nmi_max")

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\n": " ",
        "\r": " ",
    }
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def summary_csv(tables: Mapping[str, Sequence[Row]]) -> str:
    """One line a metric and method; the header names the columns."""
    lines: list[list[Any]] = [
        [
            "metric",
            "method",
            "title",
            "best_mean",
            "best_std",
            "best_n_features",
            "best_parameters",
            "honest_mean",
            "honest_std",
            "label_free_mean",
            "label_free_std",
            "label_free_n_features",
            "label_free_parameters",
            "difference_to_all",
            "difference_low",
            "difference_high",
            "confidence",
            "mark",
            "n_runs",
            "n_choices",
            "selection_seconds",
            "clustering_seconds",
        ]
    ]
    for metric, rows in tables.items():
        for row in rows:
            honest, free, choice = row.honest, row.label_free, row.label_free_choice
            apart = row.difference
            lines.append(
                [
                    metric,
                    row.method,
                    row.title,
                    row.best.mean,
                    row.best.std,
                    row.best_choice.n_features,
                    _json(row.best_choice.parameters),
                    honest and honest.mean,
                    honest and honest.std,
                    free and free.mean,
                    free and free.std,
                    choice and choice.n_features,
                    choice and _json(choice.parameters),
                    apart and apart.difference,
                    apart and apart.low,
                    apart and apart.high,
                    apart and apart.confidence,
                    row.mark,
                    row.best.n,
                    row.n_choices,
                    row.selection_seconds,
                    row.clustering_seconds,
                ]
            )
    return _csv(lines)


def cells_csv(results: Iterable[CellResult]) -> str:
    """One line a cell; the header names the columns."""
    measured = [*METRICS, "inertia", "n_iter", "seconds"]
    lines: list[list[Any]] = [
        ["method", "parameters", "n_features", "seed", "n_clusters", "init", *measured]
    ]
    lines += [
        [
            one.cell.method,
            _json(one.cell.parameters),
            one.cell.n_features,
            one.cell.seed,
            one.cell.n_clusters,
            one.cell.init,
            *(getattr(one, name) for name in measured),
        ]
        for one in results
    ]
    return _csv(lines)


def latex(
    tables: Mapping[str, Sequence[Row]],
    *,
    caption: str = "",
    n_runs: int,
    confidence: float,
) -> str:
    r"""A booktabs table with one line a method; needs ``\usepackage{booktabs}``."""
    titles: dict[str, str] = {}
    cells: dict[tuple[str, str], str] = {}
    for metric, rows in tables.items():
        for row in rows:
            titles[row.method] = row.title
            cells[row.method, metric] = _entry(row, metric)
    heads = [head for metric in tables for head in (_HEADINGS[metric], "best of grid")]
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
        rf"\begin{{tabular}}{{l{'rr' * len(tables)}}}",
        r"\toprule",
        " & ".join(["Method", *heads]) + r" \\",
        r"\midrule",
    ]
    for key, title in titles.items():
        entries = [cells.get((key, metric), "-- & --") for metric in tables]
        lines.append(" & ".join([escape_latex(title), *entries]) + r" \\")
    level = f"{100 * (1 - confidence):g}"
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip",
        rf"{{\footnotesize Mean $\pm$ standard deviation over {n_runs} runs of K-means with the "
        r"same starts for every method; parameters and number of features are chosen on the other "
        r"half of the runs; \emph{best of grid} chooses on the runs it reports. Bold: best. "
        rf"$^\ast$: not significantly worse (paired bootstrap, {level}\,\% level).}}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def escape_latex(text: str) -> str:
    """Text as LaTeX prints it, on one line."""
    return text.translate(_LATEX)


def _entry(row: Row, metric: str) -> str:
    factor, digits = (100.0, 1) if metric in _PER_CENT else (1.0, 3)
    shown = row.honest or row.best
    mean = f"{factor * shown.mean:.{digits}f}"
    if row.mark == "best":
        mean = rf"\textbf{{{mean}}}"
    star = r"$^\ast$" if row.mark == "close" else ""
    return (
        rf"{mean}{star} $\pm$ {factor * shown.std:.{digits}f} & "
        rf"{factor * row.best.mean:.{digits}f} $\pm$ {factor * row.best.std:.{digits}f}"
    )


def _json(parameters: Parameters) -> str:
    return json.dumps(dict(parameters)) if parameters else ""


def _csv(lines: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for line in lines:
        writer.writerow([_harmless(value) for value in line])
    return text.getvalue()


def _harmless(value: Any) -> Any:
    """Quote text that a spreadsheet would run as a formula; None becomes empty."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return "" if value is None else value
