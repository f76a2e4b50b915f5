"""Each claim of the paper, judged by what was found: does it hold here?

A verdict rests on the data sets that were computed, and says which. Numbers of clusterings are
those of the best of the grid, as the paper reports them, so that the claim is met on its own
ground; whether a difference counts is decided by its paired interval over the starts of K-means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from cspca.evaluation.statistics import RankTest, paired_difference, rank_test
from cspca.paper.evidence import Evidence, Floats, Runs
from cspca.paper.numbers import METHODS_IN_PAPER
from cspca.selection import METHODS


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    OPEN = "no clear difference"
    FAILS = "does not hold"
    UNTESTED = "not tested here"


@dataclass(frozen=True)
class Claim:
    """One thing that the paper says, where, and which part of the protocol tests it."""

    key: str
    says: str
    where: str
    needs: str


@dataclass(frozen=True)
class Judged:
    """A claim, its verdict, our number in short, and what was found."""

    claim: Claim
    verdict: Verdict
    number: str = "–"
    sentence: str = ""

    @property
    def rests(self) -> str:
        """What of it rests on labels; empty where nothing does."""
        if self.verdict is Verdict.UNTESTED:
            return ""
        if self.claim.needs == "comparison":
            return "Rests on labels."
        return "Its ACC rests on labels." if self.claim.key == "starts" else ""


CERTIFIED = 1e-3
"""Relative distance from a proven bound that counts as the optimum."""

_WEIGHTY = 0.5
"""Percentage points of accuracy that the paper's own tables make something of."""

_EXACT = 1e-8
"""Relative error below which two reconstructions are the same but for rounding."""

_ROUNDING = 1e-6
"""Relative rise of an objective that is no rise."""

_PAPER_ITERATIONS = 10

Part = tuple[Verdict, str, str]
"""Verdict, number and sentence on one data set."""

Judge = Callable[[Sequence[Evidence]], tuple[Verdict, str, str]]

_UNTESTED = (Verdict.UNTESTED, "–", "")


def _each(judge: Callable[[Evidence], Iterator[Part]], last: str = "") -> Judge:
    """Judge data sets one by one and put the parts together."""

    def judged(evidence: Sequence[Evidence]) -> Part:
        parts = [part for one in evidence for part in judge(one)]
        if not parts:
            return _UNTESTED
        verdicts, numbers, sentences = zip(*parts, strict=True)
        said = " ".join([*sentences, last] if last else sentences)
        return together(verdicts), "; ".join(numbers), said

    return judged


def _of_the_paper(scores: Mapping[str, Runs], *leave: str) -> list[str]:
    """Methods of the paper that are finished, in its order."""
    return [key for key in METHODS_IN_PAPER if key not in leave and key in scores]


def _beats_all(one: Evidence) -> Iterator[Part]:
    for metric, scores in (("ACC", one.accuracy), ("NMI", one.nmi)):
        others = _of_the_paper(scores, "cspca")
        if "cspca" not in scores or not others:
            continue
        ours, best = scores["cspca"], max(others, key=lambda key: scores[key].mean)
        verdict, lead, words = against(ours, scores[best])
        sentence = (
            f"On {one.title} by {metric}, CSPCA ({said(ours)}) {words} the best of the other "
            f"{len(others)}, {_title(best)} ({said(scores[best])})."
        )
        yield verdict, f"{metric} {points(lead)}", sentence


def _mcfs_spec(one: Evidence) -> Iterator[Part]:
    if "mcfs" in one.accuracy and "spec" in one.accuracy:
        first, second = one.accuracy["mcfs"], one.accuracy["spec"]
        verdict, lead, words = against(first, second)
        sentence = f"On {one.title}, MCFS ({said(first)}) {words} SPEC ({said(second)})."
        yield verdict, points(lead), sentence


def _udfs_second(one: Evidence) -> Iterator[Part]:
    scores, rivals = one.accuracy, _of_the_paper(one.accuracy, "cspca", "udfs")
    if "udfs" not in scores or not rivals:
        return
    ours, best = scores["udfs"], max(rivals, key=lambda key: scores[key].mean)
    verdict, _, words = against(ours, scores[best])
    place = 1 + sum(runs.mean > ours.mean for runs in scores.values())
    sentence = (
        f"On {one.title}, UDFS ({said(ours)}) {words} the best of the rest, "
        f"{_title(best)} ({said(scores[best])})."
    )
    yield verdict, f"place {place} of {len(scores)}", sentence


def _selection_helps(one: Evidence) -> Iterator[Part]:
    everything = one.accuracy.get("all")
    others = [one.accuracy[key] for key in _of_the_paper(one.accuracy, "all")]
    if everything is None or not others:
        return
    leads = [against(runs, everything) for runs in others]
    better = sum(verdict is Verdict.HOLDS for verdict, _, _ in leads)
    higher = sum(lead > 0 for _, lead, _ in leads)
    unsure = sum(verdict is Verdict.OPEN for verdict, _, _ in leads)
    verdict = Verdict.HOLDS
    if 2 * better <= len(others):  # what cannot be told decides only where there is enough of it
        verdict = Verdict.OPEN if 2 * (better + unsure) > len(others) else Verdict.FAILS
    sentence = (
        f"On {one.title}, {better} of {len(others)} methods are above all features "
        f"({said(everything)}) by more than the luck of the starts; {higher} have a higher mean "
        "at all."
    )
    yield verdict, f"{better} of {len(others)} methods", sentence


def _few_hurt(one: Evidence) -> Iterator[Part]:
    if len(one.curve) < 2:
        return
    runs = {k: as_runs(values) for k, values in one.curve.items()}
    fewest = min(runs)
    best, second = sorted(runs, key=lambda k: -runs[k].mean)[:2]
    where = f"On {one.title} at α = β = 1,"
    if best == fewest:
        _, lead, words = against(runs[fewest], runs[second])
        sentence = (
            f"{where} the fewest features ({fewest:,}) do best: {said(runs[fewest])} {words} "
            f"{said(runs[second])} with {second:,}, the next best number."
        )
        yield Verdict.FAILS, points(lead), sentence
        return
    verdict, lead, _ = against(runs[best], runs[fewest])
    sentence = (
        f"{where} {fewest:,} features give {said(runs[fewest])}, the best number ({best:,}) "
        f"{said(runs[best])}."
    )
    yield verdict, points(-lead), sentence


def _best_below_all(one: Evidence) -> Iterator[Part]:
    everything = one.accuracy.get("all")
    if everything is None or not one.curve:
        return
    k, values = max(one.curve.items(), key=lambda pair: float(pair[1].mean()))
    best = as_runs(values)
    verdict, lead, words = against(best, everything)
    sentence = (
        f"On {one.title} at α = β = 1, the best number ({k:,}) gives {said(best)}, which {words} "
        f"all features ({said(everything)})."
    )
    yield verdict, points(lead), sentence


def _comparable(one: Evidence) -> Iterator[Part]:
    grid = one.grid
    if grid is None or not np.isfinite(grid.runs).all() or min(grid.runs.shape[:2]) < 3:
        return
    steps = np.abs(np.subtract.outer(np.log10(grid.alphas), np.log10(grid.betas)))
    # Next to each other on the grid counts as comparable.
    near = steps <= float(np.diff(np.log10(grid.alphas)).max()) + 1e-9
    means = grid.runs.mean(axis=2)
    within = np.unravel_index(int(np.where(near, means, -1.0).argmax()), means.shape)
    beyond = np.unravel_index(int(np.where(near, -1.0, means).argmax()), means.shape)
    verdict, lead, words = against(as_runs(grid.runs[within]), as_runs(grid.runs[beyond]))
    sentence = (
        f"On {one.title} with {grid.n_features:,} features, the best comparable pair "
        f"(α = {grid.alphas[within[0]]:g}, β = {grid.betas[within[1]]:g}) gives "
        f"{100 * means[within]:.1f} %, which {words} the best of the other pairs "
        f"(α = {grid.alphas[beyond[0]]:g}, β = {grid.betas[beyond[1]]:g}), "
        f"{100 * means[beyond]:.1f} %; the whole grid spans {100 * means.min():.1f} to "
        f"{100 * means.max():.1f} %."
    )
    yield verdict, points(lead), sentence


def _robust(one: Evidence) -> Iterator[Part]:
    found = one.checks.get("outliers")
    if found is None:
        return
    loss = found["clean"] - found["ruined"]
    pca_loss = found["pca_clean"] - found["pca_ruined"]
    more_stable = found["overlap"] > found["pca_overlap"] + 0.01
    better_map, worse_map = loss < pca_loss - 0.005, loss > pca_loss + 0.005
    verdict = Verdict.FAILS if worse_map and not more_stable else Verdict.PARTLY
    if more_stable and better_map:
        verdict = Verdict.HOLDS
    sentence = (
        f"On {one.title} with {found['n_ruined']:.0f} of {found['n_samples']:.0f} samples ruined, "
        f"the better half of the features stays the same to {found['overlap']:.2f} (PCA’s "
        f"loadings {found['pca_overlap']:.2f}), the first ten directions lose {100 * loss:.1f} "
        f"points of what they captured (PCA {100 * pca_loss:.1f}), and "
        f"{100 * found['found']:.0f} % of the ruined samples have the largest residuals."
    )
    yield verdict, f"overlap {found['overlap']:.2f} against {found['pca_overlap']:.2f}", sentence


def _maps_unseen(one: Evidence) -> Iterator[Part]:
    found = one.checks.get("unseen")
    if found is None:
        return
    rest = found["error_unseen"]
    verdict = Verdict.HOLDS if rest < 0.5 else Verdict.PARTLY if rest < 1.0 else Verdict.FAILS
    sentence = (
        f"On {one.title}, a map of rank {found['rank']:.0f} fitted on half of the samples rebuilds "
        f"{100 * (1 - rest):.1f} % of the variance of the other half "
        f"({100 * (1 - found['error_seen']):.1f} % of its own; PCA of that rank "
        f"{100 * (1 - found['pca_unseen']):.1f} % of the other)."
    )
    yield verdict, f"{100 * (1 - rest):.1f} % of the variance", sentence


def _theorem_1(evidence: Sequence[Evidence]) -> Part:
    found = [one.checks["theorem-1"] for one in evidence if "theorem-1" in one.checks]
    if not found:
        return _UNTESTED
    error = max(one["error"] for one in found)
    printed = max(one["error_as_printed"] for one in found)
    sentence = (
        "Every map of the family rebuilds what PCA rebuilds, when U⊥ is read as a basis of the "
        "null space of the data."
    )
    if printed > _EXACT:
        sentence += (
            " Read as the whole complement of the first k directions, which the words allow, the "
            f"family misses by {printed:.2g} times the size of the reconstruction: a small error "
            "in the paper, easily mended."
        )
    verdict = Verdict.HOLDS if error < _EXACT else Verdict.FAILS
    return verdict, f"relative error {error:.0e}", sentence


Row = Mapping[str, Any]


def _algorithm(evidence: Sequence[Evidence], iterations: int | None = None) -> list[Row]:
    """Rows of Algorithm 1: at some number of iterations, or the longest runs."""
    rows = [row for one in evidence for row in one.starts if row["solver"] == "reweighted"]
    if not rows:
        return []
    wanted = max(row["iterations"] for row in rows) if iterations is None else iterations
    return [row for row in rows if row["iterations"] == wanted]


def _monotone(evidence: Sequence[Evidence]) -> Part:
    rows = _algorithm(evidence)
    if not rows:
        return _UNTESTED
    rise = max(row["rise"] for row in rows)
    steps = max(row["iterations"] for row in rows)
    smooth = (
        "As printed the algorithm divides by zero, so its norms are smoothed (ε = 10⁻⁴); what is "
        "shown is the true objective."
    )
    if rise <= _ROUNDING:
        sentence = f"It never rose in {steps} iterations from {len(rows)} starts. {smooth}"
        return Verdict.HOLDS, "no rise", sentence
    verdict = Verdict.PARTLY if rise <= CERTIFIED else Verdict.FAILS
    sentence = f"The largest rise in one iteration is {percent(rise)} of it. {smooth}"
    return verdict, f"rises by {percent(rise)}", sentence


def _optimum(evidence: Sequence[Evidence]) -> Part:
    rows = _algorithm(evidence)
    if not rows:
        return _UNTESTED
    steps = max(row["iterations"] for row in rows)
    low, high = (pick(row["excess"] for row in rows) for pick in (min, max))
    span = percent(high) if high - low < 1e-5 else f"{percent(low)} to {percent(high)}"
    sentence = f"After {steps} iterations it is {span} above a bound that the certified solver "
    sentence += "proves."
    if high <= CERTIFIED:
        return Verdict.HOLDS, f"{span} above", sentence
    sentence += (
        " A curve that looks flat need not have arrived: rows that have become small are held "
        "back by their own weights, and move slowly. Where many more iterations would take it is "
        "not looked at. The problem is convex, as the paper says, and the certified solver "
        "reaches its optimum."
    )
    verdict = Verdict.PARTLY if low <= CERTIFIED else Verdict.FAILS
    return verdict, f"{span} above", sentence


def _ten_iterations(evidence: Sequence[Evidence]) -> Part:
    rows = _algorithm(evidence, _PAPER_ITERATIONS)
    if not rows:
        return _UNTESTED
    excesses = sorted(row["excess"] for row in rows)
    near = sum(excess <= CERTIFIED for excess in excesses)
    number = f"{percent(excesses[0])} to {percent(excesses[-1])} above"
    sentence = (
        f"After ten iterations {near} of {len(rows)} starts are within 0.1 % of the proven bound; "
        f"the nearest is {percent(excesses[0])} above it, the farthest {percent(excesses[-1])}."
    )
    if near == len(rows):
        return Verdict.HOLDS, number, sentence
    verdict = Verdict.PARTLY if near or excesses[-1] <= 10 * CERTIFIED else Verdict.FAILS
    return verdict, number, sentence


def _one_start(one: Evidence) -> Iterator[Part]:
    rows = _algorithm([one], _PAPER_ITERATIONS)
    if len(rows) < 2:
        return
    apart = spread([row["objective"] for row in rows])
    scores = [100 * row["accuracy"] for row in rows if row["accuracy"] is not None]
    accuracy = max(scores) - min(scores) if scores else 0.0
    proven = [row for row in one.starts if row["solver"] == "admm"]
    agree = spread([row["objective"] for row in proven]) if proven else float("nan")
    allowed = max((row["gap"] for row in proven), default=0.0)
    text = (
        f"On {one.title}, ten iterations of Algorithm 1 end at objectives {percent(apart)} "
        f"apart and at ACC {accuracy:.1f} points apart"
    )
    if proven:
        text += f"; the certified solver’s objectives are {percent(agree)} apart"
        if agree <= allowed + 1e-9:
            said_alike = {f"{100 * r['accuracy']:.1f}" for r in proven if r["accuracy"] is not None}
            same = " and its ACC is the same from all" if len(said_alike) == 1 else ""
            text += f", within the {percent(allowed)} it proves{same}"
    verdict = Verdict.FAILS
    if proven and agree <= max(allowed, CERTIFIED):
        verdict = Verdict.PARTLY
    if apart <= CERTIFIED and accuracy < 0.05:
        verdict = Verdict.HOLDS
    yield verdict, f"ACC differs by {accuracy:.1f} points", f"{text}."


def _independent_of_start(evidence: Sequence[Evidence]) -> Part:
    verdict, number, sentence = _each(_one_start)(evidence)
    if verdict is Verdict.PARTLY:
        sentence += " True of the problem, which has one optimum; not of ten iterations."
    return verdict, number, sentence


_EXCEPTION = "The paper’s own table of NMI has one exception: LScore on ORL."

_FIGURE = "Number-of-features figure"

_JUDGES: tuple[tuple[Claim, Judge], ...] = tuple(
    (Claim(key, says, where, needs), judge)
    for key, says, where, needs, judge in (
        ("theorem-1", "PCA equals a regression of rank k", "Theorem 1", "checks", _theorem_1),
        ("monotone", "The objective falls monotonically", "Theorem 3", "starts", _monotone),
        ("optimum", "Algorithm 1 reaches the global optimum", "Theorem 4", "starts", _optimum),
        ("ten", "It does so within ten iterations", "Convergence figure", "starts",
         _ten_iterations),
        ("starts", "The result does not depend on the start", "Table of starts", "starts",
         _independent_of_start),
        ("beats", "CSPCA beats all six methods on every set", "ACC and NMI", "comparison",
         _each(_beats_all, _EXCEPTION)),
        ("second", "UDFS is second", "ACC and NMI", "comparison", _each(_udfs_second)),
        ("mcfs-spec", "MCFS beats SPEC", "ACC and NMI", "comparison", _each(_mcfs_spec)),
        ("selection", "Selection usually beats all features", "ACC and NMI", "comparison",
         _each(_selection_helps)),
        ("few", "Too few features hurt", _FIGURE, "comparison", _each(_few_hurt)),
        ("below", "The best number lies below all", _FIGURE, "comparison",
         _each(_best_below_all)),
        ("comparable", "α and β are best when comparable", "Sensitivity figure", "comparison",
         _each(_comparable)),
        ("robust", "It is robust to outliers", "The ℓ2,1 loss", "checks", _each(_robust)),
        ("unseen", "It maps unseen images", "Out of sample", "checks", _each(_maps_unseen)),
    )
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = tuple(claim for claim, _ in _JUDGES)
"""The paper's claims, in its order."""


def judge(evidence: Sequence[Evidence]) -> tuple[Judged, ...]:
    """Give every claim its verdict.

    With several data sets a claim holds when it does on all of them, does not when it does on
    none, and holds in part otherwise.
    """
    return tuple(Judged(claim, *decide(evidence)) for claim, decide in _JUDGES)


def ranks_over(evidence: Sequence[Evidence], metric: str = "accuracy") -> RankTest | None:
    """Rank the paper's methods over the data sets on which all are finished; None below two."""
    tables = [getattr(one, metric) for one in evidence]
    whole = [table for table in tables if all(key in table for key in METHODS_IN_PAPER)]
    if len(whole) < 2:
        return None
    scores = [[table[key].mean for key in METHODS_IN_PAPER] for table in whole]
    return rank_test(scores, [_title(key) for key in METHODS_IN_PAPER])


def against(ours: Runs, other: Runs) -> tuple[Verdict, float, str]:
    """Whether ours is above; the lead in points; and the words between the two numbers."""
    lead = 100.0 * (ours.mean - other.mean)
    if len(ours.best) < 2 or len(ours.best) != len(other.best):
        sure = abs(lead) > _WEIGHTY
    else:
        sure = paired_difference(ours.best, other.best).excludes_zero
    if sure and lead > 0:
        return Verdict.HOLDS, lead, "is above"
    if sure:
        return Verdict.FAILS, lead, "is below"
    if np.array_equal(ours.best, other.best):
        return Verdict.FAILS, lead, "is the same as"
    # Within the luck of the starts the sign of a lead is luck too: it decides nothing either way.
    return Verdict.OPEN, lead, "cannot be told from"


def _title(key: str) -> str:
    """A method as a sentence names it."""
    return str(METHODS[key].title)


def said(runs: Runs) -> str:
    """Say a mean in per cent."""
    return f"{100 * runs.mean:.1f} %"


def points(lead: float) -> str:
    """A difference in percentage points."""
    text = f"{lead:+.1f}"
    return f"{text[1:] if float(text) == 0 else text} points".replace("-", "−")


def as_runs(values: Floats) -> Runs:
    """Runs that nothing was chosen for."""
    return Runs(values, values)


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict over several data sets: theirs, where they agree.

    Where they do not, a claim that is shown on some of them holds in part, and one that is shown
    on none does not hold.
    """
    kinds = set(verdicts)
    if len(kinds) == 1:
        return verdicts[0]
    return Verdict.PARTLY if kinds & {Verdict.HOLDS, Verdict.PARTLY} else Verdict.FAILS


def spread(values: Sequence[float]) -> float:
    """Relative distance of the largest from the smallest."""
    low, high = min(values), max(values)
    return (high - low) / abs(low) if low else 0.0


def percent(share: float) -> str:
    """Say a share, small ones with two digits."""
    if share <= 0.0:
        return "0 %"
    if share < 5e-6:
        return "under 0.0005 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"
