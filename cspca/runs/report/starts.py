"""The report of the seven initialisations: where each solver gets to from each of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from cspca.figures.colours import SERIES
from cspca.figures.convergence import Course, convergence
from cspca.figures.words import percent
from cspca.runs.report.about import About, closing
from cspca.runs.report.blocks import Block, Chart, Section, Table, Words
from cspca.runs.report.document import document
from cspca.runs.report.fit import SOLVERS
from cspca.runs.report.names import stem_of
from cspca.runs.sweeps import StartRow

__all__ = ["courses", "starts_report", "starts_table"]


def starts_report(rows: Sequence[StartRow], about: About) -> str:
    """Write the report of the initialisations.

    Parameters
    ----------
    rows : sequence of StartRow
        What is finished.
    about : About

    Returns
    -------
    str
        HTML that needs nothing beside it.
    """
    sections = [Section("From every start", [starts_table(rows)]), *courses(rows), *closing(about)]
    return document(
        f"Does the start matter in {about.data.name}?",
        _lead(rows),
        sections,
        stem=stem_of(about.data.name),
    )


def _lead(rows: Sequence[StartRow]) -> str:
    certified = [row.excess for row in rows if row.solver == "admm"]
    printed = [row.excess for row in rows if row.solver == "reweighted"]
    said = []
    if certified:
        said.append(
            f"The certified solver ends within {percent(max(certified))} of the best proven bound "
            f"from each of {len(certified)} starts."
        )
    if printed:
        fewest = min(row.n_iter for row in rows if row.solver == "reweighted")
        early = [row.excess for row in rows if row.solver == "reweighted" and row.n_iter == fewest]
        said.append(
            f"The paper’s Algorithm 1 is up to {percent(max(early))} above it after {fewest} "
            "iterations."
        )
    return " ".join(said) or "Nothing is finished yet."


def starts_table(rows: Sequence[StartRow]) -> Table:
    """Return one line a start, solver and number of iterations.

    Parameters
    ----------
    rows : sequence of StartRow
    """
    scored = any(row.accuracy is not None for row in rows)
    heads = [
        "Start", "Solver", "Iterations", "Objective", "Own gap", "Above bound", "Agreement",
        *(["ACC %", "NMI %"] if scored else []),
    ]  # fmt: skip
    words = (
        "Above bound: relative distance to the best lower bound that any of these runs proved. "
        "Agreement: overlap of the best features with those of the most accurate run."
        + (" ACC and NMI rest on labels; no fit has seen them." if scored else "")
    )
    return Table(
        heads,
        [
            [
                row.init,
                "certified" if row.solver == "admm" else "Algorithm 1",
                f"{row.n_iter:,}",
                f"{row.objective:.8g}",
                f"{row.gap:.1e}",
                percent(row.excess),
                "–" if row.agreement is None else f"{100 * row.agreement:.0f} %",
                *(
                    [_score(row.accuracy, row.accuracy_std), _score(row.nmi, row.nmi_std)]
                    if scored
                    else []
                ),
            ]
            for row in rows
        ],
        caption=words,
    )


def _score(mean: float | None, std: float | None) -> str:
    if mean is None:
        return "–"
    return f"{100 * mean:.1f}" + ("" if std is None else f" ± {100 * std:.1f}")


def courses(rows: Sequence[StartRow]) -> list[Section]:
    """Return a figure a solver: its objective from every start.

    Parameters
    ----------
    rows : sequence of StartRow
    """
    sections = []
    for solver, (name, _) in SOLVERS.items():
        longest: dict[str, StartRow] = {}
        for row in rows:
            known = longest.get(row.init)
            if row.solver == solver and (known is None or row.n_iter > known.n_iter):
                longest[row.init] = row
        curves = [
            Course(row.init, colour, row.history)
            for row, colour in zip(longest.values(), cycle(SERIES), strict=False)
            if row.history
        ]
        if not curves:
            continue
        blocks: list[Block] = [
            Words("Objective of every start against the iteration; dashed: the proven bound."),
            _chart(solver, curves),
        ]
        sections.append(Section(f"The course of {'the ' * (solver == 'admm')}{name}", blocks))
    return sections


def _chart(solver: str, curves: Sequence[Course]) -> Chart:
    return Chart(
        f"convergence-{solver}",
        lambda dark: convergence(curves, dark=dark, log_x=True, log_y=True),
    )
