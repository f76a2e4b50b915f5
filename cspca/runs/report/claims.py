"""The paper's claims in a report, each with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from cspca.evaluation.paper_claims import Judged, Verdict
from cspca.runs.report.blocks import Chart

__all__ = ["Claims", "labels_of"]

_MARKS: Final = {
    Verdict.HOLDS: "●",
    Verdict.PARTLY: "◐",
    Verdict.OPEN: "≈",
    Verdict.FAILS: "○",
    Verdict.UNTESTED: "–",
}


def labels_of(one: Judged) -> str:
    """Say what of a verdict rests on labels; empty where nothing does.

    Parameters
    ----------
    one : Judged
    """
    if one.verdict is Verdict.UNTESTED:
        return ""
    if one.claim.needs == "comparison":
        return "Rests on labels."
    return "Its ACC rests on labels." if one.claim.key == "starts" else ""


@dataclass(frozen=True)
class Claims:
    """Claims below each other.

    Attributes
    ----------
    judged : sequence of Judged
    """

    judged: Sequence[Judged]

    @property
    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()

    def html(self) -> str:
        """Its HTML."""
        return f'<ol class="claims">{"".join(_line(one) for one in self.judged)}</ol>'


def _line(one: Judged) -> str:
    number = "" if one.number == "–" else f" <b>{escape(one.number)}</b>"
    # A number and its sign stay on one line.
    said = [
        f"<p>{escape(text).replace(' %', chr(0xA0) + '%')}</p>" if kind == "" else
        f'<p class="{kind}">{escape(text)}</p>'
        for kind, text in (("", one.sentence), ("small", labels_of(one)))
        if text
    ]  # fmt: skip
    return (
        f'<li><span class="verdict">{_MARKS[one.verdict]} {escape(one.verdict.value)}</span>'
        f"<div><p><strong>{escape(one.claim.says)}</strong> "
        f'<span class="small">{escape(one.claim.where)}</span>{number}</p>'
        f"{''.join(said)}</div></li>"
    )
