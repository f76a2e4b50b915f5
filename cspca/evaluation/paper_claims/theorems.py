"""The theorems, the convergence and the seven starts."""

from __future__ import annotations

from collections.abc import Sequence

from cspca.evaluation.paper_claims.verdicts import (
    CERTIFIED,
    Finding,
    Verdict,
    percent,
    spread,
    together,
)
from cspca.evaluation.paper_evidence import Evidence, StartFacts

_EXACT = 1e-8
"""Relative error below which two reconstructions are the same but for rounding."""

_ROUNDING = 1e-6
"""Relative rise of an objective that is no rise."""

_PAPER_ITERATIONS = 10


def theorem_1(evidence: Sequence[Evidence]) -> Finding:
    """Judge: PCA equals a regression of rank k."""
    found = [one.checks["theorem-1"] for one in evidence if "theorem-1" in one.checks]
    if not found:
        return Finding(Verdict.UNTESTED)
    error = max(one["error"] for one in found)
    printed = max(one["error_as_printed"] for one in found)
    sentence = (
        "Every map of the family rebuilds what PCA rebuilds, when U⊥ is read as a basis of the "
        "null space of the data."
    )
    if printed > _EXACT:
        sentence += (
            " Read as the whole complement of the first k directions, which the words allow, the "
            f"family misses by {printed:.2g} times the size of the reconstruction: a slip of the "
            "pen, easily mended."
        )
    verdict = Verdict.HOLDS if error < _EXACT else Verdict.FAILS
    return Finding(verdict, f"relative error {error:.0e}", sentence)


def _algorithm(evidence: Sequence[Evidence], iterations: int | None = None) -> list[StartFacts]:
    """Rows of Algorithm 1: at some number of iterations, or the longest runs."""
    rows = [row for one in evidence for row in one.starts if row.solver == "reweighted"]
    if not rows:
        return []
    wanted = max(row.iterations for row in rows) if iterations is None else iterations
    return [row for row in rows if row.iterations == wanted]


def monotone(evidence: Sequence[Evidence]) -> Finding:
    """Judge: The objective falls monotonically."""
    rows = _algorithm(evidence)
    if not rows:
        return Finding(Verdict.UNTESTED)
    rise = max(row.rise for row in rows)
    steps = max(row.iterations for row in rows)
    smooth = (
        "As printed the algorithm divides by zero, so its norms are smoothed (ε = 10⁻⁴); what is "
        "shown is the true objective."
    )
    if rise <= _ROUNDING:
        said = f"It never rose in {steps} iterations from {len(rows)} starts. {smooth}"
        return Finding(Verdict.HOLDS, "no rise", said)
    said = f"The largest rise in one iteration is {percent(rise)} of it. {smooth}"
    verdict = Verdict.PARTLY if rise <= CERTIFIED else Verdict.FAILS
    return Finding(verdict, f"rises by {percent(rise)}", said)


def optimum(evidence: Sequence[Evidence]) -> Finding:
    """Judge: Algorithm 1 reaches the global optimum."""
    rows = _algorithm(evidence)
    if not rows:
        return Finding(Verdict.UNTESTED)
    steps = max(row.iterations for row in rows)
    low, high = min(row.excess for row in rows), max(row.excess for row in rows)
    span = percent(high) if high - low < 1e-5 else f"{percent(low)} to {percent(high)}"
    said = f"After {steps} iterations it is {span} above a bound that the certified solver proves. "
    if high <= CERTIFIED:
        return Finding(Verdict.HOLDS, f"{span} above", said)
    said += (
        "A curve that looks flat need not have arrived: rows that have become small are held back "
        "by their own weights, and move slowly. Where many more iterations would take it is not "
        "looked at. The problem is convex, as the paper says, and the certified solver "
        "reaches its optimum."
    )
    verdict = Verdict.PARTLY if low <= CERTIFIED else Verdict.FAILS
    return Finding(verdict, f"{span} above", said)


def ten_iterations(evidence: Sequence[Evidence]) -> Finding:
    """Judge: It does so within ten iterations."""
    rows = _algorithm(evidence, _PAPER_ITERATIONS)
    if not rows:
        return Finding(Verdict.UNTESTED)
    excesses = sorted(row.excess for row in rows)
    near = sum(excess <= CERTIFIED for excess in excesses)
    number = f"{percent(excesses[0])} to {percent(excesses[-1])} above"
    said = (
        f"After ten iterations {near} of {len(rows)} starts are within 0.1 % of the proven bound; "
        f"the nearest is {percent(excesses[0])} above it, the farthest {percent(excesses[-1])}."
    )
    if near == len(rows):
        return Finding(Verdict.HOLDS, number, said)
    verdict = Verdict.PARTLY if near or excesses[-1] <= 10 * CERTIFIED else Verdict.FAILS
    return Finding(verdict, number, said)


def independent_of_start(evidence: Sequence[Evidence]) -> Finding:
    """Judge: The result does not depend on the start."""
    tested = [one for one in evidence if len(_algorithm([one], _PAPER_ITERATIONS)) > 1]
    if not tested:
        return Finding(Verdict.UNTESTED)
    parts, verdicts, numbers = [], [], []
    for one in tested:
        rows = _algorithm([one], _PAPER_ITERATIONS)
        apart = spread([row.objective for row in rows])
        scores = [100 * row.accuracy for row in rows if row.accuracy is not None]
        accuracy = max(scores) - min(scores) if scores else 0.0
        proven = [row for row in one.starts if row.solver == "admm"]
        agree = spread([row.objective for row in proven]) if proven else float("nan")
        allowed = max((row.gap for row in proven), default=0.0)
        same = apart <= CERTIFIED and accuracy < 0.05
        numbers.append(f"ACC differs by {accuracy:.1f} points")
        text = (
            f"On {one.title}, ten iterations of Algorithm 1 end at objectives {percent(apart)} "
            f"apart and at ACC {accuracy:.1f} points apart"
        )
        if proven:
            same_scores = {
                f"{100 * row.accuracy:.1f}" for row in proven if row.accuracy is not None
            }
            ends = " and its ACC is the same from all" if len(same_scores) == 1 else ""
            text += (
                f"; the certified solver’s objectives are {percent(agree)} apart, within the "
                f"{percent(allowed)} it proves{ends}"
                if agree <= allowed + 1e-9
                else f"; the certified solver’s objectives are {percent(agree)} apart"
            )
        parts.append(f"{text}.")
        true_of_problem = bool(proven) and agree <= max(allowed, CERTIFIED)
        verdicts.append(
            Verdict.HOLDS if same else Verdict.PARTLY if true_of_problem else Verdict.FAILS
        )
    verdict = together(verdicts)
    if verdict is Verdict.PARTLY:
        parts.append("True of the problem, which has one optimum; not of ten iterations.")
    return Finding(verdict, "; ".join(numbers), " ".join(parts))
