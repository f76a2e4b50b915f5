"""The paper's result tables with ours beside: the best of the grid, and the honest figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cspca.evaluation.former.comparison import Comparison, Row
from cspca.evaluation.former.tables import escape_latex
from cspca.evaluation.paper import INDEPENDENT, PaperSet, Printed
from cspca.evaluation.statistics import Summary

__all__ = ["METRIC_TITLES", "PaperRow", "paper_rows", "to_csv", "to_latex"]

METRIC_TITLES = {"accuracy": "ACC", "nmi": "NMI"}
"""The two metrics of the paper, in its order."""


@dataclass(frozen=True)
class PaperRow:
    """One method of one of the paper's tables.

    Attributes
    ----------
    method, title : str
    printed : Printed or None
        In the paper, in per cent.
    best : Summary or None
        Ours as the paper reports it, a fraction: over all runs of the choice with the best mean.
        None where it is not computed.
    honest : Summary or None
        Ours with the choice made on other runs.
    label_free : Summary or None
        Ours with the choice made by the silhouette, which sees no label.
    independent : Printed or None
        In an independent evaluation, see :data:`cspca.evaluation.paper.INDEPENDENT_SOURCE`.
    n_choices : int
        Parameter sets × numbers of features that were chosen from.
    n_features : int or None
        Of the best choice.
    mark : {"best", "close", ""}
        By the honest figure.
    """

    method: str
    title: str
    printed: Printed | None
    best: Summary | None
    honest: Summary | None
    label_free: Summary | None
    independent: Printed | None
    n_choices: int
    n_features: int | None
    mark: str

    @property
    def difference(self) -> float | None:
        """Ours, as the paper reports it, less the paper's, in percentage points."""
        if self.printed is None or self.best is None:
            return None
        return 100.0 * self.best.mean - self.printed.mean


def paper_rows(
    paper_set: PaperSet | None, comparison: Comparison, metric: str = "accuracy"
) -> tuple[PaperRow, ...]:
    """Put a comparison beside the paper's table, one line a method of the plan.

    Parameters
    ----------
    paper_set : PaperSet or None
        Whose numbers are beside; None for data the paper does not have.
    comparison : Comparison
        As far as it got.
    metric : {"accuracy", "nmi"}, default="accuracy"
    """
    found: dict[str, Row] = {}
    if metric in comparison.metrics:
        found = {row.method: row for row in comparison.table(metric)}
    printed = {} if paper_set is None else getattr(paper_set, metric)
    others = {} if paper_set is None else INDEPENDENT.get(paper_set.key, {})
    rows = []
    for plan in comparison.plan.methods:
        ours = found.get(plan.method)
        other = others.get(plan.method)
        rows.append(
            PaperRow(
                method=plan.method,
                title=plan.title,
                printed=printed.get(plan.method),
                best=ours.best if ours else None,
                honest=ours.honest if ours else None,
                label_free=ours.label_free if ours else None,
                independent=other[metric == "nmi"] if other else None,
                n_choices=ours.n_choices if ours else 0,
                n_features=ours.best_choice.n_features if ours else None,
                mark=ours.mark if ours else "",
            )
        )
    return tuple(rows)


def to_csv(tables: Mapping[str, Sequence[PaperRow]]) -> str:
    """One line for every metric and method, in per cent; empty where there is no number.

    Parameters
    ----------
    tables : mapping of metric to rows
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["metric", "method", "paper", "paper_std", "ours_best_of_grid", "ours_std", "difference",
         "ours_honest", "ours_honest_std", "ours_without_labels", "ours_without_labels_std",
         "independent", "n_choices", "n_features", "n_runs"]
    )  # fmt: skip
    for metric, rows in tables.items():
        for row in rows:
            writer.writerow(
                [METRIC_TITLES[metric], row.title, *_printed(row.printed), *_ours(row.best),
                 "" if row.difference is None else row.difference, *_ours(row.honest),
                 *_ours(row.label_free), *_printed(row.independent)[:1], row.n_choices,
                 "" if row.n_features is None else row.n_features,
                 "" if row.best is None else row.best.n]
            )  # fmt: skip
    return out.getvalue()


def to_latex(tables: Mapping[str, Sequence[PaperRow]], *, caption: str = "") -> str:
    r"""A booktabs table: paper, ours, difference, honest; needs ``\usepackage{booktabs}``.

    Parameters
    ----------
    tables : mapping of metric to rows
    caption : str, default=""
        Escaped like every name.
    """
    titles = {row.method: row.title for rows in tables.values() for row in rows}
    entries: dict[str, list[str]] = {key: [] for key in titles}
    for rows in tables.values():
        by_method = {row.method: row for row in rows}
        for key in titles:
            row = by_method.get(key)
            apart = None if row is None else row.difference
            entries[key] += [
                _pair(row.printed.mean, row.printed.std) if row and row.printed else "--",
                _pair(100 * row.best.mean, 100 * row.best.std) if row and row.best else "--",
                "--" if apart is None else f"${apart:+.1f}$",
                _pair(100 * row.honest.mean, 100 * row.honest.std) if row and row.honest else "--",
            ]
    heads = " & ".join(
        rf"\multicolumn{{4}}{{c}}{{{METRIC_TITLES[metric]} (\%)}}" for metric in tables
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
        rf"\begin{{tabular}}{{l{'rrrr' * len(tables)}}}",
        r"\toprule",
        rf" & {heads} \\",
        "Method & " + " & ".join(["paper & ours & difference & honest"] * len(tables)) + r" \\",
        r"\midrule",
        *(f"{escape_latex(titles[key])} & {' & '.join(entries[key])} \\\\" for key in titles),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _printed(one: Printed | None) -> list[float | str]:
    return ["", ""] if one is None else [one.mean, "" if one.std is None else one.std]


def _ours(one: Summary | None) -> list[float | str]:
    return ["", ""] if one is None else [100 * one.mean, 100 * one.std]


def _pair(mean: float, std: float | None) -> str:
    return f"${mean:.1f}$" if std is None else rf"${mean:.1f} \pm {std:.1f}$"
