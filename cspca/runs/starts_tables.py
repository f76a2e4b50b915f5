"""The table and the curves of the seven initialisations, to take away: CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from cspca.evaluation.former.tables import escape_latex
from cspca.runs.starts_findings import START_NAMES, StartsFindings
from cspca.runs.sweeps import StartRow

__all__ = ["starts_csv", "starts_curves_csv", "starts_latex"]

_COLUMNS = (
    "solver", "init", "iterations", "n_iter", "seconds", "objective", "dual_objective", "gap",
    "above", "spearman", "overlap", "agreement", "accuracy", "accuracy_std", "nmi", "nmi_std",
    "regime", "rank", "n_zero",
)  # fmt: skip
_CURVES = ("number", "seconds", "objective", "dual_bound", "gap")


def starts_csv(found: StartsFindings) -> str:
    """Write one line a start, solver and number of iterations.

    Parameters
    ----------
    found : StartsFindings

    Returns
    -------
    str
        Numbers have all their digits; shares and scores are fractions. ``above`` is relative to
        the best lower bound of all runs; what is not known is empty.
    """
    lines: list[list[Any]] = [list(_COLUMNS)]
    for row in found.rows:
        values = [found.above(row) if name == "above" else getattr(row, name) for name in _COLUMNS]
        lines.append(["" if one is None or one != one else one for one in values])
    return _csv(lines)


def starts_curves_csv(found: StartsFindings) -> str:
    """Write one line an iteration of every run, of Algorithm 1 those of its longest.

    Parameters
    ----------
    found : StartsFindings

    Returns
    -------
    str
        The objective is empty where the certified solver took no check.
    """
    lines: list[list[Any]] = [["solver", "init", *_CURVES]]
    for row in longest(found.rows):
        columns = [row.history[name].tolist() for name in _CURVES]
        for values in zip(*columns, strict=True):
            number, *rest = ("" if one != one else one for one in values)
            lines.append([row.solver, row.init, int(number), *rest])
    return _csv(lines)


def starts_latex(found: StartsFindings, *, caption: str = "") -> str:
    r"""Write a booktabs table: a row a start, a group of columns a number of iterations.

    Parameters
    ----------
    found : StartsFindings
    caption : str, default=""
        Escaped.

    Returns
    -------
    str
        Per cent above the proven optimum, and ACC where it was measured. Needs
        ``\usepackage{booktabs}``.
    """
    steps: list[int | None] = [*found.checkpoints, None]
    scored = any(row.accuracy is not None for row in found.rows)
    width = 2 if scored else 1
    heads = [f"{step} iterations" if step is not None else "certified" for step in steps]
    groups = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{head}}}" for head in heads)
    under = " & ".join([r"above (\%)", *([r"ACC (\%)"] if scored else [])] * len(steps))
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
        rf"\begin{{tabular}}{{l{'r' * width * len(steps)}}}",
        r"\toprule",
        rf"Start & {groups} \\",
        rf" & {under} \\",
        r"\midrule",
    ]
    for init in found.inits:
        cells = []
        for step in steps:
            row = found.row(init, step)
            above = None if row is None else found.above(row)
            cells.append("--" if above is None or above != above else f"{100 * above:.2g}")
            if scored:
                cells.append(_score(row))
        lines.append(" & ".join([escape_latex(START_NAMES[init]), *cells]) + r" \\")
    lines += [
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"\smallskip",
        r"{\footnotesize Above: distance of the objective to the best lower bound that any run "
        r"proved, relative to it. Columns of iterations: the paper's Algorithm 1.}",
        r"\end{table}",
        "",
    ]
    return "\n".join(lines)


def longest(rows: Sequence[StartRow]) -> tuple[StartRow, ...]:
    """Return the longest run of every start and solver: its course holds the shorter ones.

    Parameters
    ----------
    rows : sequence of StartRow
    """
    found: dict[tuple[str, str], StartRow] = {}
    for row in rows:
        known = found.get((row.solver, row.init))
        if known is None or row.iterations > known.iterations:
            found[row.solver, row.init] = row
    return tuple(found.values())


def _score(row: StartRow | None) -> str:
    if row is None or row.accuracy is None:
        return "--"
    return rf"{100 * row.accuracy:.1f} $\pm$ {100 * (row.accuracy_std or 0.0):.1f}"


def _csv(lines: Sequence[Sequence[Any]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(lines)
    return stream.getvalue()
