"""The order of the methods in the paper's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cspca.evaluation.paper import METHODS_IN_PAPER
from cspca.evaluation.paper_claims.verdicts import (
    TITLES,
    Finding,
    Verdict,
    against,
    points,
    said,
    together,
)
from cspca.evaluation.paper_evidence import Evidence


def beats_all(evidence: Sequence[Evidence]) -> Finding:
    """Judge: CSPCA beats all six methods on every set."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        for metric, scores in (("ACC", one.accuracy), ("NMI", one.nmi)):
            ours = scores.get("cspca")
            others = [key for key in METHODS_IN_PAPER if key != "cspca" and key in scores]
            if ours is None or not others:
                continue
            best = max(others, key=lambda key: scores[key].mean)
            verdict, lead, words = against(ours, scores[best])
            verdicts.append(verdict)
            numbers.append(f"{metric} {points(lead)}")
            parts.append(
                f"On {one.title} by {metric}, CSPCA ({said(ours)}) {words} the best of the other "
                f"{len(others)}, {TITLES[best]} ({said(scores[best])})."
            )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    parts.append("The paper’s own table of NMI has one exception: LScore on ORL.")
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))


def beats(first: str, second: str) -> Callable[[Sequence[Evidence]], Finding]:
    """Return the judge of: one method beats another."""

    def judged(evidence: Sequence[Evidence]) -> Finding:
        verdicts, parts, numbers = [], [], []
        for one in evidence:
            if first not in one.accuracy or second not in one.accuracy:
                continue
            a, b = one.accuracy[first], one.accuracy[second]
            verdict, lead, words = against(a, b)
            verdicts.append(verdict)
            numbers.append(points(lead))
            parts.append(
                f"On {one.title}, {TITLES[first]} ({said(a)}) {words} {TITLES[second]} ({said(b)})."
            )
        if not verdicts:
            return Finding(Verdict.UNTESTED)
        return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))

    return judged


def udfs_second(evidence: Sequence[Evidence]) -> Finding:
    """Judge: UDFS is second."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        rivals = {
            key: one.accuracy[key]
            for key in METHODS_IN_PAPER
            if key not in ("cspca", "udfs") and key in one.accuracy
        }
        if "udfs" not in one.accuracy or not rivals:
            continue
        ours = one.accuracy["udfs"]
        best = max(rivals, key=lambda key: rivals[key].mean)
        verdict, _, words = against(ours, rivals[best])
        place = 1 + sum(runs.mean > ours.mean for runs in one.accuracy.values())
        verdicts.append(verdict)
        numbers.append(f"place {place} of {len(one.accuracy)}")
        parts.append(
            f"On {one.title}, UDFS ({said(ours)}) {words} the best of the rest, "
            f"{TITLES[best]} ({said(rivals[best])})."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))


def selection_helps(evidence: Sequence[Evidence]) -> Finding:
    """Judge: Selection usually beats all features."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        everything = one.accuracy.get("all")
        others = [
            one.accuracy[key] for key in METHODS_IN_PAPER if key != "all" and key in one.accuracy
        ]
        if everything is None or not others:
            continue
        leads = [against(runs, everything) for runs in others]
        better = sum(verdict is Verdict.HOLDS for verdict, _, _ in leads)
        higher = sum(lead > 0 for _, lead, _ in leads)
        numbers.append(f"{better} of {len(others)} methods")
        parts.append(
            f"On {one.title}, {better} of {len(others)} methods are above all features "
            f"({said(everything)}) by more than the luck of the starts; "
            f"{higher} have a higher mean at all."
        )
        unsure = sum(verdict is Verdict.OPEN for verdict, _, _ in leads)
        if 2 * better > len(others):
            verdicts.append(Verdict.HOLDS)
        else:  # what cannot be told decides only where there is enough of it
            could = 2 * (better + unsure) > len(others)
            verdicts.append(Verdict.OPEN if could else Verdict.FAILS)
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))
