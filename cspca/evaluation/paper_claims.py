"""Each claim of the paper, judged by what was found: does it hold here?

A verdict rests on the data sets that were computed, and says which. Numbers of clusterings are
those of the best of the grid, as the paper reports them, so that the claim is met on its own
ground; whether a difference counts is decided by its paired interval over the starts of K-means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from cspca.evaluation.paper import METHODS_IN_PAPER
from cspca.evaluation.paper_evidence import Evidence, Runs, StartFacts
from cspca.evaluation.starts import FloatArray
from cspca.evaluation.statistics import RankTest, paired_difference, rank_test

__all__ = ["CLAIMS", "Claim", "Judged", "Verdict", "judge", "ranks_over"]


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    FAILS = "does not hold"
    UNTESTED = "not tested here"


@dataclass(frozen=True)
class Finding:
    """A verdict, our number, and one sentence."""

    verdict: Verdict
    number: str = "–"
    sentence: str = ""


@dataclass(frozen=True)
class Claim:
    """One thing that the paper says.

    Attributes
    ----------
    key : str
    says : str
        In the paper's sense, short.
    where : str
        Theorem, table or figure.
    needs : str
        Part of a reproduction that tests it: comparison, starts or checks.
    """

    key: str
    says: str
    where: str
    needs: str


@dataclass(frozen=True)
class Judged:
    """A claim and its verdict.

    Attributes
    ----------
    claim : Claim
    verdict : Verdict
    number : str
        Ours, in short.
    sentence : str
        What was found; empty where nothing that tests it is computed.
    """

    claim: Claim
    verdict: Verdict
    number: str
    sentence: str


_EXACT = 1e-8
"""Relative error below which two reconstructions are the same but for rounding."""

_CERTIFIED = 1e-3
"""Relative distance from a proven bound that counts as the optimum."""

_ROUNDING = 1e-6
"""Relative rise of an objective that is no rise."""

_WEIGHTY = 0.5
"""Percentage points of accuracy that the paper's own tables make something of."""

_PAPER_ITERATIONS = 10


# -- the theorems ---------------------------------------------------------------------------------


def _theorem_1(evidence: Sequence[Evidence]) -> Finding:
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


def _monotone(evidence: Sequence[Evidence]) -> Finding:
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
    said = f"The largest rise in one iteration is {_percent(rise)} of it. {smooth}"
    verdict = Verdict.PARTLY if rise <= _CERTIFIED else Verdict.FAILS
    return Finding(verdict, f"rises by {_percent(rise)}", said)


def _optimum(evidence: Sequence[Evidence]) -> Finding:
    rows = _algorithm(evidence)
    if not rows:
        return Finding(Verdict.UNTESTED)
    steps = max(row.iterations for row in rows)
    low, high = min(row.excess for row in rows), max(row.excess for row in rows)
    span = _percent(high) if high - low < 1e-5 else f"{_percent(low)} to {_percent(high)}"
    said = f"After {steps} iterations it is {span} above a bound that the certified solver proves. "
    if high <= 1e-4:
        return Finding(Verdict.HOLDS, f"{span} above", said)
    said += (
        "A curve that looks flat has not arrived: rows that have become small are held there by "
        "their own weights. The problem is convex, as the paper says, and its optimum is reached "
        "by other means."
    )
    verdict = Verdict.PARTLY if low <= 1e-4 else Verdict.FAILS
    return Finding(verdict, f"{span} above", said)


def _ten_iterations(evidence: Sequence[Evidence]) -> Finding:
    rows = _algorithm(evidence, _PAPER_ITERATIONS)
    if not rows:
        return Finding(Verdict.UNTESTED)
    excesses = sorted(row.excess for row in rows)
    near = sum(excess <= _CERTIFIED for excess in excesses)
    number = f"{_percent(excesses[0])} to {_percent(excesses[-1])} above"
    said = (
        f"After ten iterations {near} of {len(rows)} starts are within 0.1 % of the proven bound; "
        f"the nearest is {_percent(excesses[0])} above it, the farthest {_percent(excesses[-1])}."
    )
    if near == len(rows):
        return Finding(Verdict.HOLDS, number, said)
    verdict = Verdict.PARTLY if near or excesses[-1] <= 10 * _CERTIFIED else Verdict.FAILS
    return Finding(verdict, number, said)


def _starts(evidence: Sequence[Evidence]) -> Finding:
    tested = [one for one in evidence if len(_algorithm([one], _PAPER_ITERATIONS)) > 1]
    if not tested:
        return Finding(Verdict.UNTESTED)
    parts, verdicts, numbers = [], [], []
    for one in tested:
        rows = _algorithm([one], _PAPER_ITERATIONS)
        apart = _spread([row.objective for row in rows])
        scores = [100 * row.accuracy for row in rows if row.accuracy is not None]
        accuracy = max(scores) - min(scores) if scores else 0.0
        proven = [row for row in one.starts if row.solver == "admm"]
        agree = _spread([row.objective for row in proven]) if proven else float("nan")
        allowed = max((row.gap for row in proven), default=0.0)
        same = apart <= _CERTIFIED and accuracy < 0.05
        numbers.append(f"ACC differs by {accuracy:.1f} points")
        text = (
            f"On {one.title}, ten iterations of Algorithm 1 end at objectives {_percent(apart)} "
            f"apart and at ACC {accuracy:.1f} points apart"
        )
        if proven:
            same_scores = {
                f"{100 * row.accuracy:.1f}" for row in proven if row.accuracy is not None
            }
            ends = " and its ACC is the same from all" if len(same_scores) == 1 else ""
            text += (
                f"; the certified solver’s objectives are {_percent(agree)} apart, within the "
                f"{_percent(allowed)} it proves{ends}"
                if agree <= allowed + 1e-9
                else f"; the certified solver’s objectives are {_percent(agree)} apart"
            )
        parts.append(f"{text}.")
        true_of_problem = bool(proven) and agree <= max(allowed, _CERTIFIED)
        verdicts.append(
            Verdict.HOLDS if same else Verdict.PARTLY if true_of_problem else Verdict.FAILS
        )
    verdict = _together(verdicts)
    if verdict is Verdict.PARTLY:
        parts.append("True of the problem, which has one optimum; not of ten iterations.")
    return Finding(verdict, "; ".join(numbers), " ".join(parts))


# -- the tables -----------------------------------------------------------------------------------


def _beats_all(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        for metric, scores in (("ACC", one.accuracy), ("NMI", one.nmi)):
            ours = scores.get("cspca")
            others = [key for key in METHODS_IN_PAPER if key != "cspca" and key in scores]
            if ours is None or not others:
                continue
            best = max(others, key=lambda key: scores[key].mean)
            verdict, lead, words = _against(ours, scores[best])
            verdicts.append(verdict)
            numbers.append(f"{metric} {_points(lead)}")
            parts.append(
                f"On {one.title} by {metric}, CSPCA ({_said(ours)}) {words} the best of the other "
                f"{len(others)}, {_TITLES[best]} ({_said(scores[best])})."
            )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    parts.append("The paper’s own table of NMI has one exception: LScore on ORL.")
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


def _pair(first: str, second: str) -> Callable[[Sequence[Evidence]], Finding]:
    """Judge of "the first beats the second"."""

    def judged(evidence: Sequence[Evidence]) -> Finding:
        verdicts, parts, numbers = [], [], []
        for one in evidence:
            if first not in one.accuracy or second not in one.accuracy:
                continue
            a, b = one.accuracy[first], one.accuracy[second]
            verdict, lead, words = _against(a, b)
            verdicts.append(verdict)
            numbers.append(_points(lead))
            parts.append(
                f"On {one.title}, {_TITLES[first]} ({_said(a)}) {words} {_TITLES[second]} "
                f"({_said(b)})."
            )
        if not verdicts:
            return Finding(Verdict.UNTESTED)
        return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))

    return judged


def _udfs_second(evidence: Sequence[Evidence]) -> Finding:
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
        verdict, _, words = _against(ours, rivals[best])
        place = 1 + sum(runs.mean > ours.mean for runs in one.accuracy.values())
        verdicts.append(verdict)
        numbers.append(f"place {place} of {len(one.accuracy)}")
        parts.append(
            f"On {one.title}, UDFS ({_said(ours)}) {words} the best of the rest, "
            f"{_TITLES[best]} ({_said(rivals[best])})."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


def _selection_helps(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        everything = one.accuracy.get("all")
        others = [
            one.accuracy[key] for key in METHODS_IN_PAPER if key != "all" and key in one.accuracy
        ]
        if everything is None or not others:
            continue
        leads = [_against(runs, everything) for runs in others]
        better = sum(verdict is Verdict.HOLDS for verdict, _, _ in leads)
        higher = sum(lead > 0 for _, lead, _ in leads)
        numbers.append(f"{better} of {len(others)} methods")
        parts.append(
            f"On {one.title}, {better} of {len(others)} methods are surely above all features "
            f"({_said(everything)}); {higher} have a higher mean at all."
        )
        if 2 * better > len(others):
            verdicts.append(Verdict.HOLDS)
        else:
            verdicts.append(Verdict.PARTLY if 2 * higher > len(others) else Verdict.FAILS)
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


# -- the figures ----------------------------------------------------------------------------------


def _few_hurt(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        if len(one.curve) < 2:
            continue
        best = max(one.curve, key=lambda k: float(one.curve[k].mean()))
        fewest = min(one.curve)
        verdict, lead, _ = _against(_as_runs(one.curve[best]), _as_runs(one.curve[fewest]))
        if best == fewest:
            verdict = Verdict.FAILS
        verdicts.append(verdict)
        numbers.append(_points(-lead))
        parts.append(
            f"On {one.title} at α = β = 1, {fewest:,} features give "
            f"{100 * one.curve[fewest].mean():.1f} %, the best number ({best:,}) "
            f"{100 * one.curve[best].mean():.1f} %."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


def _best_below_all(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        everything = one.accuracy.get("all")
        if everything is None or not one.curve:
            continue
        best = max(one.curve, key=lambda k: float(one.curve[k].mean()))
        verdict, lead, words = _against(_as_runs(one.curve[best]), everything)
        verdicts.append(verdict)
        numbers.append(_points(lead))
        parts.append(
            f"On {one.title} at α = β = 1, the best number ({best:,}) gives "
            f"{100 * one.curve[best].mean():.1f} %, which {words} all features "
            f"({_said(everything)})."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


def _comparable(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        grid = one.grid
        if grid is None or not np.isfinite(grid.runs).all() or min(grid.runs.shape[:2]) < 3:
            continue
        steps = np.abs(np.subtract.outer(np.log10(grid.alphas), np.log10(grid.betas)))
        # Next to each other on the grid counts as comparable.
        near = steps <= float(np.diff(np.log10(grid.alphas)).max()) + 1e-9
        means = grid.runs.mean(axis=2)
        within = np.unravel_index(int(np.where(near, means, -1.0).argmax()), means.shape)
        beyond = np.unravel_index(int(np.where(near, -1.0, means).argmax()), means.shape)
        verdict, lead, words = _against(_as_runs(grid.runs[within]), _as_runs(grid.runs[beyond]))
        verdicts.append(verdict)
        numbers.append(_points(lead))
        parts.append(
            f"On {one.title} with {grid.n_features:,} features, the best comparable pair "
            f"(α = {grid.alphas[within[0]]:g}, β = {grid.betas[within[1]]:g}) gives "
            f"{100 * means[within]:.1f} %, which {words} the best of the other pairs "
            f"(α = {grid.alphas[beyond[0]]:g}, β = {grid.betas[beyond[1]]:g}), "
            f"{100 * means[beyond]:.1f} %; the whole grid spans {100 * means.min():.1f} to "
            f"{100 * means.max():.1f} %."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


# -- the other claims -----------------------------------------------------------------------------


def _robust(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        found = one.checks.get("outliers")
        if found is None:
            continue
        more_stable = found["overlap"] > found["pca_overlap"] + 0.01
        loss = found["clean"] - found["ruined"]
        pca_loss = found["pca_clean"] - found["pca_ruined"]
        better_map = loss < pca_loss - 0.005
        worse_map = loss > pca_loss + 0.005
        numbers.append(f"overlap {found['overlap']:.2f} against {found['pca_overlap']:.2f}")
        if more_stable and better_map:
            verdicts.append(Verdict.HOLDS)
        elif more_stable or better_map:
            verdicts.append(Verdict.PARTLY)
        else:
            verdicts.append(Verdict.PARTLY if not worse_map else Verdict.FAILS)
        parts.append(
            f"On {one.title} with {found['n_ruined']:.0f} of {found['n_samples']:.0f} samples "
            f"ruined, the better half of the features stays the same to {found['overlap']:.2f} "
            f"(PCA’s loadings {found['pca_overlap']:.2f}), the first ten directions lose "
            f"{100 * loss:.1f} points of what they captured (PCA {100 * pca_loss:.1f}), and "
            f"{100 * found['found']:.0f} % of the ruined samples have the largest residuals."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


def _maps_unseen(evidence: Sequence[Evidence]) -> Finding:
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        found = one.checks.get("unseen")
        if found is None:
            continue
        rest = found["error_unseen"]
        verdicts.append(
            Verdict.HOLDS if rest < 0.5 else Verdict.PARTLY if rest < 1.0 else Verdict.FAILS
        )
        numbers.append(f"{100 * (1 - rest):.0f} % of the variance")
        parts.append(
            f"On {one.title}, a map of rank {found['rank']:.0f} fitted on half of the samples "
            f"rebuilds {100 * (1 - rest):.1f} % of the variance of the other half "
            f"({100 * (1 - found['error_seen']):.1f} % of its own; PCA of that rank "
            f"{100 * (1 - found['pca_unseen']):.1f} % of the other)."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(_together(verdicts), "; ".join(numbers), " ".join(parts))


_JUDGES: tuple[tuple[Claim, Callable[[Sequence[Evidence]], Finding]], ...] = (
    (
        Claim("theorem-1", "PCA equals a regression of rank k", "Theorem 1", "checks"),
        _theorem_1,
    ),
    (
        Claim("monotone", "The objective falls monotonically", "Theorem 3", "starts"),
        _monotone,
    ),
    (
        Claim("optimum", "Algorithm 1 reaches the global optimum", "Theorem 4", "starts"),
        _optimum,
    ),
    (
        Claim("ten", "It does so within ten iterations", "Convergence figure", "starts"),
        _ten_iterations,
    ),
    (
        Claim("starts", "The result does not depend on the start", "Table of starts", "starts"),
        _starts,
    ),
    (
        Claim("beats", "CSPCA beats all six methods on every set", "ACC and NMI", "comparison"),
        _beats_all,
    ),
    (Claim("second", "UDFS is second", "ACC and NMI", "comparison"), _udfs_second),
    (
        Claim("mcfs-spec", "MCFS beats SPEC", "ACC and NMI", "comparison"),
        _pair("mcfs", "spec"),
    ),
    (
        Claim("selection", "Selection usually beats all features", "ACC and NMI", "comparison"),
        _selection_helps,
    ),
    (
        Claim("few", "Too few features hurt", "Number-of-features figure", "comparison"),
        _few_hurt,
    ),
    (
        Claim("below", "The best number lies below all", "Number-of-features figure", "comparison"),
        _best_below_all,
    ),
    (
        Claim("comparable", "α and β are best when comparable", "Sensitivity figure", "comparison"),
        _comparable,
    ),
    (Claim("robust", "It is robust to outliers", "The ℓ2,1 loss", "checks"), _robust),
    (Claim("unseen", "It maps unseen images", "Out of sample", "checks"), _maps_unseen),
)

CLAIMS: tuple[Claim, ...] = tuple(claim for claim, _ in _JUDGES)
"""The paper's claims, in its order."""

_TITLES = {
    "all": "All features",
    "variance": "Max variance",
    "laplacian": "Laplacian Score",
    "spec": "SPEC",
    "mcfs": "MCFS",
    "udfs": "UDFS",
    "cspca": "CSPCA",
}


def judge(evidence: Sequence[Evidence]) -> tuple[Judged, ...]:
    """Give every claim its verdict.

    Parameters
    ----------
    evidence : sequence of Evidence
        One a data set, each as far as it got. With several a claim holds when it does on all of
        them, does not when it does on none, and holds in part otherwise.

    Returns
    -------
    tuple of Judged
        In the order of :data:`CLAIMS`.
    """
    judged = []
    for claim, decide in _JUDGES:
        found = decide(evidence)
        judged.append(Judged(claim, found.verdict, found.number, found.sentence))
    return tuple(judged)


def ranks_over(evidence: Sequence[Evidence], metric: str = "accuracy") -> RankTest | None:
    """Rank the paper's methods over the data sets on which all of them are finished.

    Parameters
    ----------
    evidence : sequence of Evidence
    metric : {"accuracy", "nmi"}, default="accuracy"

    Returns
    -------
    RankTest or None
        None with fewer than two such data sets.
    """
    tables = [getattr(one, metric) for one in evidence]
    whole = [table for table in tables if all(key in table for key in METHODS_IN_PAPER)]
    if len(whole) < 2:
        return None
    scores = [[table[key].mean for key in METHODS_IN_PAPER] for table in whole]
    return rank_test(scores, [_TITLES[key] for key in METHODS_IN_PAPER])


def _against(ours: Runs, other: Runs) -> tuple[Verdict, float, str]:
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
    # A lead within the luck of the starts is something, but no proof; none at all is nothing.
    return Verdict.PARTLY if lead > 0 else Verdict.FAILS, lead, "cannot be told from"


def _said(runs: Runs) -> str:
    return f"{100 * runs.mean:.1f} %"


def _points(lead: float) -> str:
    """A difference in percentage points."""
    text = f"{lead:+.1f}"
    return f"{text[1:] if float(text) == 0 else text} points".replace("-", "−")


def _as_runs(values: FloatArray) -> Runs:
    return Runs(values, values)


def _together(verdicts: Sequence[Verdict]) -> Verdict:
    return verdicts[0] if len(set(verdicts)) == 1 else Verdict.PARTLY


def _spread(values: Sequence[float]) -> float:
    """Relative distance of the largest from the smallest."""
    low, high = min(values), max(values)
    return (high - low) / abs(low) if low else 0.0


def _percent(share: float) -> str:
    if share < 5e-6:
        return "0 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:,.0f} %"
