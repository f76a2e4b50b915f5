"""Matrix of the paper's claims by data set, with a mark in each cell and evidence for each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cspca.paper.claims import Assessment, Verdict

STILL_TO_COME = "still to come"


@dataclass(frozen=True)
class Column:
    """Verdicts on all claims for one data set, or over all of them.

    Parameters
    ----------
    title : str
        Name of the data set.
    assessments : sequence of Assessment
        Every claim of the paper with its verdict, in the paper's order.
    complete : bool
        Whether the run has ended: untested claims of an unfinished run are still to come.
    """

    title: str
    assessments: Sequence[Assessment]
    complete: bool = True

    def words(self, verdict: Verdict) -> str:
        """Return the meaning of a mark in this column."""
        untested = verdict is Verdict.UNTESTED
        return STILL_TO_COME if untested and not self.complete else verdict.value


def matrix(
    data_sets: Sequence[Column],
    over_all: Column | None = None,
    *,
    evidence_of: int | None = None,
) -> str:
    """Return the HTML of the matrix.

    A row is a ``<details>``: its summary has the claim and a mark for each column; inside are the
    evidence, a paragraph for each sentence with the data sets that it holds for, and the remark.

    Parameters
    ----------
    data_sets : sequence of Column
        One or more data sets.
    over_all : Column, optional
        The verdicts over all of them, as the last column.
    evidence_of : int, optional
        Number of the only claim with its evidence, counted from 1; 0 for none of them.
    """
    columns = [*data_sets, *([over_all] if over_all else [])]
    names = "".join(f"<span>{escape(column.title)}</span>" for column in columns)
    rows = "".join(
        _row(at, data_sets, columns, with_evidence=evidence_of in (None, at + 1))
        for at in range(len(columns[0].assessments))
    )
    return (
        f'<div class="cspca-claims" style="--columns:{len(columns)}">'
        f'<div class="cspca-claims-head"><span>The paper says</span>{names}</div>{rows}</div>'
    )


def legend(data_sets: Sequence[Column]) -> str:
    """Return the HTML of all marks, with their meanings and the number of cells of each."""
    cells = Counter(
        (assessment.verdict, column.words(assessment.verdict))
        for column in data_sets
        for assessment in column.assessments
    )
    marks = "".join(
        f"<span>{_sign(verdict)} {words} <b>{cells[verdict, words]}</b></span>"
        for verdict in Verdict
        for words in (verdict.value, STILL_TO_COME)
        if words == verdict.value or cells[verdict, words]
    )
    n_claims, n_sets = len(data_sets[0].assessments), len(data_sets)
    sets = "data set" if n_sets == 1 else "data sets"
    return (
        f'<div class="cspca-facts"><span>{n_claims} claims on {n_sets} {sets}:</span>{marks}</div>'
    )


def _row(
    at: int, data_sets: Sequence[Column], columns: Sequence[Column], *, with_evidence: bool
) -> str:
    claim = columns[0].assessments[at].claim
    marks = "".join(_mark(column, column.assessments[at].verdict) for column in columns)
    head = (
        f"<summary><span>{escape(claim.says)} <small>{escape(claim.where)}</small></span>"
        f"{marks}</summary>"
    )
    if not with_evidence:
        return f"<details>{head}</details>"
    # Data sets by mark and sentence, so that a sentence that holds for several is shown once.
    owners: dict[tuple[Verdict, str], list[str]] = {}
    for column in data_sets:
        judged = column.assessments[at]
        if judged.sentence:
            owners.setdefault((judged.verdict, judged.sentence), []).append(column.title)
    evidence = "".join(
        f"<p><b>{escape(', '.join(titles))}</b> {_text(sentence)}</p>"
        for (_, sentence), titles in owners.items()
    )
    is_tested = any(column.assessments[at].text for column in data_sets)
    if is_tested and claim.remark:
        evidence += f"<p>{_text(claim.remark)}</p>"
    return f"<details>{head}{evidence or '<p>Not tested yet.</p>'}</details>"


def _mark(column: Column, verdict: Verdict) -> str:
    label = escape(f"{column.title}: {column.words(verdict)}")
    return f'<i class="cspca-{verdict.name.lower()}" role="img" title="{label}">{verdict.sign}</i>'


def _sign(verdict: Verdict) -> str:
    return f'<i class="cspca-{verdict.name.lower()}" aria-hidden="true">{verdict.sign}</i>'


def _text(sentence: str) -> str:
    # A number and its sign stay on one line.
    return escape(sentence).replace(" %", "\u00a0%")
