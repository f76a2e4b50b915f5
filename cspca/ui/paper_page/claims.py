"""Every claim with its verdict, our number, and what was found; then what does not reproduce."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Final

import streamlit as st

from cspca.evaluation.paper_claims import Judged, Verdict, judge, ranks_over
from cspca.evaluation.paper_evidence import Evidence
from cspca.evaluation.paper_words import plain_statement
from cspca.figures.words import power
from cspca.runs.paper import Findings
from cspca.ui import keys
from cspca.ui.paper_page.reading import best_of_each, findings
from cspca.ui.plain import plain

_MARKS: Final = {
    Verdict.HOLDS: ("●", "holds"),
    Verdict.PARTLY: ("◐", "partly"),
    Verdict.OPEN: ("≈", "open"),
    Verdict.FAILS: ("○", "fails"),
    Verdict.UNTESTED: ("–", "untested"),
}
_SEVERAL: Final = 2
_LABELLED: Final = (
    "ACC and NMI rest on labels. Where methods are compared they are the best of the grid, chosen "
    "by the labels, as in the paper. One is above another when the 95 % interval of their paired "
    "difference over the starts of K-means leaves out zero; the interval does not know of the "
    "choice, which favours methods with many parameters. Honest numbers: under Tables. What is "
    "said without ACC or NMI needs no labels."
)


def claims(known: Findings | None) -> None:
    """Draw the verdicts on one data set, or over all that are kept."""
    evidence = [] if known is None else [known.evidence]
    others = [] if known is None else _others(known)
    if others:
        over = st.toggle(
            f"Over all {len(others) + 1} data sets computed here",
            key=keys.PAPER_OVER,
            persist_state="session",
        )
        if over:
            evidence += [one.evidence for one in others]
    judged = judge(evidence)
    if known is not None:
        st.html(_summary(judged, evidence))
    with st.container(key=keys.BOX_PAPER_CLAIMS):
        st.html(f'<ol class="cspca-claims">{"".join(_line(one) for one in judged)}</ol>')
    if any(one.accuracy for one in evidence):
        st.caption(plain(_LABELLED))
    if len(evidence) >= _SEVERAL:
        _ranks(evidence)
    if known is not None:
        _plainly(known)


def _others(known: Findings) -> list[Findings]:
    own = known.reproduction
    return [findings(one) for one in best_of_each() if one.data != own.data]


def _summary(judged: tuple[Judged, ...], evidence: list[Evidence]) -> str:
    counts = Counter(one.verdict for one in judged)
    parts = [
        f'<span class="cspca-verdict cspca-{_MARKS[verdict][1]}">{_MARKS[verdict][0]} '
        f"<b>{counts[verdict]}</b> {verdict.value}</span>"
        for verdict in Verdict
        if counts[verdict]
    ]
    where = escape(", ".join(one.title for one in evidence))
    short = "" if all(one.papers_protocol for one in evidence) else ", by a shortened protocol"
    return f'<p class="cspca-verdicts">On {where}{short}: {" ".join(parts)}</p>'


def _line(one: Judged) -> str:
    mark, name = _MARKS[one.verdict]
    # A number and its sign stay on one line.
    sentence = escape(one.sentence).replace(" %", "\u00a0%")
    number = "" if one.number == "–" else f"<b>{escape(one.number)}</b>"
    return (
        f'<li><span class="cspca-verdict cspca-{name}">{mark} {one.verdict.value}</span>'
        f"<div><p><strong>{escape(one.claim.says)}</strong> "
        f"<small>{escape(one.claim.where)}</small>{number}</p>"
        f"{f'<p>{sentence}</p>' if sentence else ''}</div></li>"
    )


def _ranks(evidence: list[Evidence]) -> None:
    """Draw the methods' mean ranks over the data sets."""
    test = ranks_over(evidence)
    if test is None:
        return
    order = ", ".join(
        f"{method} {rank:.1f}" for method, rank in zip(test.methods, test.mean_ranks, strict=True)
    )
    alike = "may be luck" if test.p_value > 0.05 else "is hardly luck"
    st.markdown(
        f"**Ranks over {test.n_data_sets} data sets** (1 is best): {order}. That they differ at "
        f"all {alike} (Friedman, p = {test.p_value:.2g}); two methods differ when their ranks do "
        f"by more than {test.critical_difference:.1f} (Nemenyi, 5 %)."
    )


def _plainly(known: Findings) -> None:
    """Say what does not reproduce, and what is not proven."""
    said = list(plain_statement(known.recognition, known.tables.get("accuracy", ())))
    if known.uncertified:
        worst = known.uncertified[0]
        said.append(
            f"{known.n_fits - len(known.uncertified)} of {known.n_fits} fits of CSPCA are "
            f"certified to 0.1 %; the widest gap left is {100 * worst.gap:.2g} %, at "
            f"α = {power(worst.alpha)}, β = {power(worst.beta)}."
        )
    if said:
        st.subheader("In plain words", anchor=False)
        st.markdown("\n".join(f"- {plain(one)}" for one in said))
