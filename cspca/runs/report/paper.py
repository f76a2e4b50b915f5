"""The report of a reproduction of the paper: claims, tables, figures, starts, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cspca.evaluation.paper import INDEPENDENT_SOURCE
from cspca.evaluation.paper_claims import Judged, Verdict, judge
from cspca.evaluation.paper_tables import METRIC_TITLES, PaperRow
from cspca.evaluation.paper_words import (
    plain_statement,
    say_difference,
    say_ours,
    say_printed,
)
from cspca.figures.words import power
from cspca.runs.paper import PARTS, Findings
from cspca.runs.report import blocks
from cspca.runs.report.about import About, closing
from cspca.runs.report.blocks import Block, Code, Facts, Section, Table, Words
from cspca.runs.report.claims import Claims
from cspca.runs.report.document import document
from cspca.runs.report.names import stem_of
from cspca.runs.report.paper_figures import paper_figures
from cspca.runs.report.said import said_plan
from cspca.runs.report.starts import courses, starts_table
from cspca.runs.store import DataRecord

__all__ = ["about_reproduction", "paper_report"]

_LABELLED = (
    "ACC and NMI rest on labels. Where methods are compared they are the best of the grid, chosen "
    "by the labels, as in the paper. One is above another when the 95 % interval of their paired "
    "difference over the starts of K-means leaves out zero; the interval does not know of the "
    "choice, which favours methods with many parameters."
)


def paper_report(found: Findings, about: About, *, command: str = "", alone: bool = False) -> str:
    """Write the report of a reproduction, as far as it got.

    Parameters
    ----------
    found : Findings
    about : About
        From :func:`about_reproduction`.
    command : str, default=""
        That computes the same from a shell.
    alone : bool, default=False
        Leave out claims that rest on parts that are not there.

    Returns
    -------
    str
        HTML that needs nothing beside it.
    """
    parts = found.reproduction.parts
    judged = [one for one in judge([found.evidence]) if not alone or one.claim.needs in parts]
    sections = [
        _claims(judged, found),
        *_plainly(found),
        *_tables(found),
        *_figures(found, about),
        *_starts(found),
        _missing(judged, found),
    ]
    if command:
        said = Words("What it computes is found by the dashboard too.", small=True)
        sections.append(Section("The same from a shell", [Code(command), said]))
    return document(
        f"Does the paper hold on {about.data.name}?",
        _lead(judged, found),
        [*sections, *closing(about)],
        stem=stem_of(about.data.name),
    )


def about_reproduction(
    found: Findings, *, lines: str, bring: str, data: DataRecord | None = None
) -> About:
    """Return what a report says of a reproduction beside its results.

    Parameters
    ----------
    found : Findings
    lines, bring : str
        The Python that gives the same numbers, and what has to lie beside it.
    data : DataRecord or None, default=None
        None is what the store says of them.
    """
    known = found.reproduction
    runs = list(known.parts.values())
    versions: list[Mapping[str, str]] = []
    for run in runs:
        versions += [one for one in run.versions if one not in versions]
    return About(
        data=runs[0].data if data is None else data,
        settings=_settings(found),
        lines=lines,
        bring=bring,
        notes=("These lines give the same numbers; only times differ.",),
        seeds=sorted({seed for run in runs if run.kind != "checks" for seed in run.seeds}),
        versions=versions,
        made=known.updated,
        seconds=known.seconds,
    )


def _settings(found: Findings) -> list[tuple[str, str]]:
    known = found.reproduction
    pairs = []
    if set(known.parts) != {"checks"}:
        protocol = known.protocol
        pairs += [
            ("Protocol", f"{protocol.title}: {protocol.words()}"),
            ("Values of every parameter", ", ".join(f"{one:g}" for one in protocol.grid)),
            ("Scale of α and β", "absolute, as printed"),
        ]
    if found.comparison is not None:
        pairs += said_plan(found.comparison.plan)
    pairs += [
        (PARTS[part], f"{run.n_done:,} of {run.n_cells:,} cells")
        for part, run in known.parts.items()
    ]
    return pairs


def _lead(judged: Sequence[Judged], found: Findings) -> str:
    counts = Counter(one.verdict for one in judged)
    said = ", ".join(f"{counts[one]} {one.value}" for one in Verdict if counts[one])
    shortened = set(found.reproduction.parts) != {"checks"} and (
        not found.reproduction.protocol.is_the_papers
    )
    how = ", by a shortened protocol" if shortened else ""
    return f"{len(judged)} claims of the paper{how}: {said}. {found.recognition.sentence}"


def _claims(judged: Sequence[Judged], found: Findings) -> Section:
    inner: list[Block] = [Claims(judged)]
    if found.evidence.accuracy:
        inner.append(Words(_LABELLED, small=True))
    return Section("What does the paper claim, and does it hold?", inner)


def _plainly(found: Findings) -> list[Section]:
    said = plain_statement(found.recognition, found.tables.get("accuracy", ()))
    return [Section("In plain words", [Words(one) for one in said])] if said else []


def _tables(found: Findings) -> list[Section]:
    return [
        Section(_titled(rows, metric), _table(rows, metric, found))
        for metric, rows in found.tables.items()
        if any(row.best for row in rows)
    ]


def _titled(rows: Sequence[PaperRow], metric: str) -> str:
    beside = ", the paper’s and ours" if any(row.printed for row in rows) else " of every method"
    return METRIC_TITLES[metric] + beside


def _table(rows: Sequence[PaperRow], metric: str, found: Findings) -> list[Block]:
    printed = any(row.printed for row in rows)
    other = any(row.independent for row in rows)
    columns = {
        "Paper": [say_printed(row.printed) for row in rows] if printed else [],
        "Ours": [say_ours(row.best) for row in rows],
        "Difference": (
            [say_difference(row.difference) for row in rows]
            if printed and found.recognition.same_data
            else []
        ),
        "Honest": [say_ours(row.honest) + " (best)" * (row.mark == "best") for row in rows],
        "Without labels": [say_ours(row.label_free) for row in rows],
        "Independent": [say_printed(row.independent) for row in rows] if other else [],
        "Features": ["–" if row.n_features is None else f"{row.n_features:,}" for row in rows],
        "Choices": [f"{row.n_choices:,}" if row.n_choices else "–" for row in rows],
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    lines = list(zip([row.title for row in rows], *shown.values(), strict=True))
    runs = next((row.best.n for row in rows if row.best), 0)
    words = (
        f"{METRIC_TITLES[metric]} in per cent, mean ± standard deviation over {runs} starts of "
        "K-means, the same for every method; it rests on labels. Ours is the best of the grid, as "
        "the paper reports it: the labels choose parameters and number of features on the very "
        "runs that are shown. Honest: they choose on one half of the runs, and the other half is "
        "shown. Without labels: the silhouette chooses. SPEC is its φ₁."
    )
    if "Difference" in shown:
        words += " Difference: ours less the paper’s, in percentage points."
    if other:
        words += f" Independent: {INDEPENDENT_SOURCE}"
    bold = [row.method == "cspca" for row in rows]
    return [Table(["Method", *shown], lines, bold), Words(words, small=True)]


def _figures(found: Findings, about: About) -> list[Section]:
    drawn = paper_figures(found.comparison, found.starts, about.nouns.features)
    return [Section("The paper’s figures", [blocks.Row(drawn)])] if drawn else []


def _starts(found: Findings) -> list[Section]:
    if not found.starts:
        return []
    words = (
        "α = β = 1, absolute, as in the paper. As printed Algorithm 1 divides by zero; its norms "
        "are smoothed with ε = 10⁻⁴."
    )
    of = found.recognition.paper_set
    if of is not None:
        words += f" The paper prints ACC {of.every_start:.1f} % from all seven starts."
    inner: list[Block] = [starts_table(found.starts), Words(words, small=True)]
    return [Section("From every start", inner), *courses(found.starts)]


def _missing(judged: Sequence[Judged], found: Findings) -> Section:
    known = found.reproduction
    pairs = []
    for part, title in PARTS.items():
        run = known.parts.get(part)
        if run is None:
            pairs.append((title, "Not in this report: not run, or a run of its own."))
            continue
        if run.n_failed:
            pairs.append((title, f"{run.n_failed:,} of {run.n_cells:,} cells failed."))
        left = run.n_cells - run.n_done - run.n_failed
        if left:
            pairs.append((title, f"{left:,} of {run.n_cells:,} cells are still to be computed."))
    untested = [one.claim.says for one in judged if one.verdict is Verdict.UNTESTED]
    if untested:
        pairs.append(("Claims not tested", "; ".join(untested)))
    if found.uncertified:
        worst = found.uncertified[0]
        pairs.append(
            (
                "Fits not certified to 0.1 %",
                f"{len(found.uncertified):,} of {found.n_fits:,}; the widest gap is "
                f"{100 * worst.gap:.2g} %, at α = {power(worst.alpha)}, β = {power(worst.beta)}.",
            )
        )
    if found.recognition.paper_set is None:
        pairs.append(("Printed numbers", "The paper has none for these data."))
    whole: Block = Facts(pairs) if pairs else Words("Nothing: all of the protocol is computed.")
    return Section("What is missing?", [whole])
