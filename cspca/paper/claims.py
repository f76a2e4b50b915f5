"""Each claim of the paper, judged by what was found: does it hold here?

A verdict rests on the data sets that were computed, and says which. Numbers of clusterings are
those of the best of the grid, as the paper reports them, so that the claim is met on its own
ground; whether a difference counts is decided by its paired interval over the starts of K-means.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cspca.evaluation import METRICS, RankTest, paired_difference, rank_test
from cspca.evaluation.statistics import FEWEST_STARTS, NO_INTERVAL
from cspca.paper.numbers import percent
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER

if TYPE_CHECKING:
    from cspca.evaluation import Comparison

Runs = NDArray[np.float64]
"""One method's runs by one metric; run i of every method starts from the same samples."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that is known of one data set.

    `accuracy` and `nmi` are by method, with the choice that has the best mean, as the paper reports
    it; `points` are CSPCA's accuracies by α, β and number of features, `no_ranking` the reasons
    where there is none; `starts` has a row a start, solver and number of iterations (columns of
    :meth:`cspca.experiments.Convergence.rows`, and ``rise``, the largest relative rise of the
    objective in one iteration), and `checks` is by key of :data:`cspca.paper.checks.CHECKS`.
    """

    title: str
    papers_protocol: bool = True
    accuracy: Mapping[str, Runs] = field(default_factory=dict)
    nmi: Mapping[str, Runs] = field(default_factory=dict)
    points: Mapping[tuple[float, float, int], Runs] = field(default_factory=dict)
    no_ranking: Mapping[tuple[float, float, int], str] = field(default_factory=dict)
    starts: Sequence[Mapping[str, Any]] = ()
    checks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def curve(self) -> dict[int, Runs]:
        """Accuracies by number of features at α = β = 1, as the paper's figure fixes them."""
        return {k: runs for (*point, k), runs in self.points.items() if point == [1.0, 1.0]}

    @cached_property
    def best_count(self) -> int:
        """The number of features of the best point; 0 where there is none."""
        return max(self.points, key=lambda point: self.points[point].mean(), default=(0, 0, 0))[2]

    def grid(self, n_features: int) -> dict[tuple[float, float], Runs]:
        """Accuracies by α and β at one number of features."""
        return {(a, b): runs for (a, b, k), runs in self.points.items() if k == n_features}

    @property
    def unranked_at_unit_penalties(self) -> str:
        """Why there is no accuracy at α = β = 1 at any number of features; empty where there is."""
        reasons = [reason for (a, b, _), reason in self.no_ranking.items() if a == b == 1.0]
        return "" if self.curve else ", ".join(dict.fromkeys(reasons))


def points_of(done: Comparison) -> dict[tuple[float, float, int], Runs]:
    """CSPCA's accuracies by α, β and number of features, the fewest features first."""
    points_by_choice = {}
    if "accuracy" in done.metrics:
        for (text, k), runs in done.scores("cspca", "accuracy").iterrows():
            parameters = json.loads(text)
            points_by_choice[parameters["alpha"], parameters["beta"], int(k)] = runs.to_numpy()
    return dict(sorted(points_by_choice.items(), key=lambda pair: (pair[0][2], pair[0])))


def unranked_points(done: Comparison) -> dict[tuple[float, float, int], str]:
    """Why CSPCA has no ranking, by α, β and number of features."""
    table = done.results
    table = table[(table["method"] == "cspca") & (table["no_ranking"] != "")]
    table = table[["parameters", "n_features", "no_ranking"]].drop_duplicates()
    reasons = {}
    for text, k, reason in table.itertuples(index=False):
        parameters = json.loads(text)
        reasons[parameters["alpha"], parameters["beta"], int(k)] = str(reason)
    return reasons


class Verdict(StrEnum):
    """What became of a claim, and a sign for it."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    OPEN = "no clear difference"
    FAILS = "does not hold"
    UNTESTED = "not tested here"

    @property
    def sign(self) -> str:
        """Fuller for more of it."""
        return "●◐≈○–"[list(Verdict).index(self)]


class Part(NamedTuple):
    """What decides a claim on one data set, or on all of them."""

    verdict: Verdict
    number: str
    sentence: str


Decide = Callable[[Sequence[Evidence]], Iterator[Part]]


@dataclass(frozen=True)
class Claim:
    """One thing that the paper says, where, and what decides it.

    `rests` says what of it rests on labels, and `remark` what holds whatever the data.
    """

    key: str
    says: str
    where: str
    decide: Decide = field(repr=False)
    rests: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Assessment:
    """What became of a claim: a verdict, ours in short as `number`, and the evidence."""

    claim: Claim
    verdict: Verdict = Verdict.UNTESTED
    number: str = ""
    sentence: str = ""

    @property
    def text(self) -> str:
        """Evidence and remark; empty where nothing was tested."""
        if self.verdict is Verdict.UNTESTED and not self.sentence:
            return ""
        return f"{self.sentence} {self.claim.remark}".strip()


def _on_each(decide: Callable[[Evidence], Iterator[Part]]) -> Decide:
    """Decide data set by data set."""
    return lambda evidence: (part for source in evidence for part in decide(source))


CERTIFIED = 1e-3
"""Relative distance from a proven bound that counts as the optimum."""

PRINTED_AS_ZERO = 0.05
"""Percentage points that are printed, with one digit, as no difference."""

LARGE_NORM = 10
"""How many times the usual norm one sample is given, to see what becomes of the others."""

HALVES_ALPHA, HALVES_BETA = 0.4, 0.02
"""Fractions of their limits at which halves of the samples are fitted."""

_LABELS = "Rests on labels."


def _theorem_1(evidence: Sequence[Evidence]) -> Iterator[Part]:
    checks = [source.checks["theorem-1"] for source in evidence if "theorem-1" in source.checks]
    if not checks:
        return
    error, printed = (
        max(check[name] for check in checks) for name in ("error", "error_as_printed")
    )
    # But for rounding.
    exact = 1e-8
    relative_error = f"{error:.0e}" if error else "0"
    sentence = (
        "Every map of the family rebuilds what PCA rebuilds, to a relative error of "
        f"{relative_error}"
    )
    if printed > exact:
        sentence += (
            "; with U⊥ read as the whole complement of the first k directions it misses by "
            f"{printed:.2g} times the size of the reconstruction"
        )
    number = f"relative error {relative_error}"
    yield Part(graded(error < exact), number, f"{sentence}.")


def _algorithm(evidence: Sequence[Evidence], iterations: int = 0) -> list[Mapping[str, Any]]:
    """Rows of Algorithm 1: at some number of iterations, or the longest runs."""
    rows = [row for source in evidence for row in source.starts if row["solver"] == "reweighted"]
    at = iterations or max((row["iterations"] for row in rows), default=0)
    return [row for row in rows if row["iterations"] == at]


def _excesses(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float, str]:
    """The least and the largest distance above the optimum, and both in words."""
    low, high = (pick(row["excess"] for row in rows) for pick in (min, max))
    ends = percent(low), percent(high)
    return low, high, " to ".join(dict.fromkeys(ends))


def _accuracies(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Accuracies in per cent, where there are any."""
    accuracies = (100 * row.get("accuracy_mean", np.nan) for row in rows)
    return [accuracy for accuracy in accuracies if not math.isnan(accuracy)]


def _monotone(evidence: Sequence[Evidence]) -> Iterator[Part]:
    rows = _algorithm(evidence)
    if not rows:
        return
    rise = max(row["rise"] for row in rows)
    number = f"rises by {percent(rise)}"
    sentence = f"The largest rise in one iteration is {percent(rise)} of it."
    never = rise <= 1e-6
    if never:
        number, steps = "no rise", rows[0]["iterations"]
        many = "one start" if len(rows) == 1 else f"{len(rows)} starts"
        sentence = f"It never rose in {steps} iterations from {many}."
    yield Part(graded(never, rise <= CERTIFIED), number, sentence)


def _optimum(evidence: Sequence[Evidence]) -> Iterator[Part]:
    rows = _algorithm(evidence)
    if not rows:
        return
    low, high, span = _excesses(rows)
    after = f"after {rows[0]['iterations']} iterations"
    sentence = (
        f"{after.capitalize()} it is {span} above a lower bound that the certified solver proves."
    )
    yield Part(graded(high <= CERTIFIED, low <= CERTIFIED), f"{span} above {after}", sentence)


def _ten_iterations(evidence: Sequence[Evidence]) -> Iterator[Part]:
    rows = _algorithm(evidence, 10)
    if not rows:
        return
    near = sum(row["excess"] <= CERTIFIED for row in rows)
    _, high, span = _excesses(rows)
    sentence = (
        f"After ten iterations the objective is {span} above the lower bound; from {near} of "
        f"{len(rows)} starts it is within 0.1 %."
    )
    partly = near > 0 or high <= 10 * CERTIFIED
    yield Part(graded(near == len(rows), partly), f"{span} above", sentence)


def _same_from_all_starts(source: Evidence) -> Iterator[Part]:
    rows = _algorithm([source], 10)
    if len(rows) < 2:
        return
    apart = spread(rows)
    scores = _accuracies(rows)
    accuracy = max(scores) - min(scores) if scores else 0.0
    proven = [row for row in source.starts if row["solver"] == "admm"]
    text = (
        f"On {source.title}, ten iterations of Algorithm 1 end at objectives {percent(apart)} apart"
    )
    text += f" and at ACC {accuracy:.1f} points apart" if scores else ""
    verdict = graded(apart <= CERTIFIED and accuracy < 0.05)
    if proven:
        agree = spread(proven)
        allowed = max(row["duality_gap"] for row in proven)
        text += f"; the certified solver’s objectives are {percent(agree)} apart"
        if agree <= allowed + 1e-9:
            alike = {f"{score:.1f}" for score in _accuracies(proven)}
            same = " and its ACC is the same from all" if len(alike) == 1 else ""
            text += f", within the {percent(allowed)} it proves{same}"
        if verdict is Verdict.FAILS and agree <= max(allowed, CERTIFIED):
            verdict = Verdict.PARTLY
    yield Part(verdict, f"ACC differs by {accuracy:.1f} points", f"{text}.")


def _of_the_paper(scores: Mapping[str, Runs], *leave: str) -> list[str]:
    """Methods of the paper that are finished, the best first."""
    finished = [key for key in METHODS_IN_PAPER if key not in leave and key in scores]
    return sorted(finished, key=lambda key: -scores[key].mean())


def _compared(where: str, name: str, runs: Runs, against_name: str, reference: Runs) -> Part:
    """One number against another: whose is above, by how much."""
    verdict, lead, words = against(runs, reference)
    sentence = (
        f"{where}, {name} ({mean_words(runs)}) {words} {against_name} "
        f"({mean_words(reference)}){_too_few(runs)}."
    )
    return Part(verdict, points(lead), sentence)


def _beats_all(source: Evidence) -> Iterator[Part]:
    for metric, scores in (("ACC", source.accuracy), ("NMI", source.nmi)):
        others = _of_the_paper(scores, "cspca")
        if "cspca" in scores and others:
            best = f"the best of the other {len(others)}, {METHODS[others[0]].title}"
            where = f"On {source.title} by {metric}"
            verdict, number, sentence = _compared(
                where, "CSPCA", scores["cspca"], best, scores[others[0]]
            )
            yield Part(verdict, f"{metric} {number}", sentence)


def _udfs_second(source: Evidence) -> Iterator[Part]:
    scores, rivals = source.accuracy, _of_the_paper(source.accuracy, "cspca", "udfs")
    if scores.keys() >= set(METHODS_IN_PAPER):
        udfs, best = scores["udfs"], f"the best of the rest, {METHODS[rivals[0]].title}"
        verdict, _, sentence = _compared(
            f"On {source.title}", "UDFS", udfs, best, scores[rivals[0]]
        )
        place = 1 + sum(runs.mean() > udfs.mean() for runs in scores.values())
        yield Part(verdict, f"place {place} of {len(scores)}", sentence)


def _mcfs_spec(source: Evidence) -> Iterator[Part]:
    scores = source.accuracy
    if "mcfs" in scores and "spec" in scores:
        yield _compared(f"On {source.title}", "MCFS", scores["mcfs"], "SPEC", scores["spec"])


def _selection_helps(source: Evidence) -> Iterator[Part]:
    everything = source.accuracy.get("all")
    others = [source.accuracy[key] for key in _of_the_paper(source.accuracy, "all")]
    if everything is None or len(others) < len(METHODS_IN_PAPER) - 1:
        return
    leads = [against(runs, everything) for runs in others]
    better = sum(verdict is Verdict.HOLDS for verdict, _, _ in leads)
    higher = sum(lead > 0 for _, lead, _ in leads)
    unsure = sum(verdict is Verdict.OPEN for verdict, _, _ in leads)
    verdict = graded(2 * better > len(others))
    if verdict is Verdict.FAILS and 2 * (better + unsure) > len(others):
        # What cannot be told decides only where there is enough of it.
        verdict = Verdict.OPEN
    sentence = (
        f"On {source.title}, {better} of {len(others)} methods are above all features "
        f"({mean_words(everything)}) by more than the luck of the starts; {higher} have a higher "
        f"mean{_too_few(everything)}."
    )
    yield Part(verdict, f"{better} of {len(others)} methods", sentence)


_FIGURE = "Number-of-features figure"


def _not_ranked(source: Evidence) -> Part:
    """What is said where the fit at α = β = 1 ranks nothing."""
    sentence = (
        f"On {source.title} at α = β = 1 there is no ranking: {source.unranked_at_unit_penalties}."
    )
    return Part(Verdict.UNTESTED, "no ranking", sentence)


def _few_hurt(source: Evidence) -> Iterator[Part]:
    runs = source.curve
    if source.unranked_at_unit_penalties:
        yield _not_ranked(source)
    if len(runs) < 2:
        return
    fewest = min(runs)
    # The fewest may be best: they are held against the best of the others all the same.
    best = max((k for k in runs if k != fewest), key=lambda k: runs[k].mean())
    verdict, lead, _ = against(runs[best], runs[fewest])
    sentence = (
        f"On {source.title} at α = β = 1, {fewest:,} features give {mean_words(runs[fewest])}, the "
        f"best larger number ({best:,}) {mean_words(runs[best])}{_too_few(runs[best])}."
    )
    yield Part(verdict, points(-lead), sentence)


def _best_below_all(source: Evidence) -> Iterator[Part]:
    everything, curve = source.accuracy.get("all"), source.curve
    if source.unranked_at_unit_penalties:
        yield _not_ranked(source)
    if everything is not None and curve:
        k = max(curve, key=lambda k: curve[k].mean())
        where, name = f"On {source.title} at α = β = 1", f"the best number of features, {k:,}"
        yield _compared(where, name, curve[k], "all features", everything)


def _comparable(source: Evidence) -> Iterator[Part]:
    grid = source.grid(source.best_count)
    unranked = {(a, b) for a, b, k in source.no_ranking if k == source.best_count}
    alphas, betas = (sorted({point[i] for point in {*grid, *unranked}}) for i in (0, 1))
    whole = len(grid) + len(unranked) == len(alphas) * len(betas)
    if min(len(alphas), len(betas)) < 3 or not whole:
        return
    # Next to each other on the grid counts as comparable.
    step = float(np.diff(np.log10(alphas)).max()) + 1e-9
    ranked = sorted(grid, key=lambda point: -grid[point].mean())
    near = [point for point in ranked if abs(np.diff(np.log10(point))[0]) <= step]
    far = [point for point in ranked if point not in near]
    if not near or not far:
        return
    near_words, far_words = (f"α = {alpha:g} and β = {beta:g}" for alpha, beta in (near[0], far[0]))
    verdict, number, sentence = _compared(
        f"On {source.title} with {source.best_count:,} features",
        f"the best pair at most {10**step:,.0f}-fold apart, {near_words}",
        grid[near[0]],
        f"the best of the other pairs, {far_words}",
        grid[far[0]],
    )
    low, high = 100 * grid[ranked[-1]].mean(), mean_words(grid[ranked[0]])
    sentence += f" The whole grid spans {low:.1f} to {high}."
    if unranked:
        n_pairs = len(alphas) * len(betas)
        sentence += f" {len(unranked)} of its {n_pairs} pairs have no ranking, so no score."
    yield Part(verdict, number, sentence)


def _robust_subspace(evidence: Sequence[Evidence]) -> Iterator[Part]:
    # The data have no part in it: one answer is that of all.
    check = next(
        (source.checks["haystack"] for source in evidence if "haystack" in source.checks), None
    )
    if check is None:
        return
    n, exact = int(check["n_seeds"]), int(check["exact"])
    sentence = (
        f"A subspace of dimension 5 among as many outliers of equal energy (not centred, α = 0, "
        f"β = 0.5 β_max) is found exactly {exact} of {n} times, and its dimension, which nobody "
        f"tells, "
        f"{check['rank_right']:.0f} times; PCA, told it, is off by {check['pca_degrees']:.1f}°. "
        f"That is a window of β: at 0.9 β_max it is exact {check['exact_beyond']:.0f} of {n} times."
    )
    # Five draws, without centring and α, show no more than that it can be so.
    yield Part(graded(False, exact > 0), f"exact {exact} of {n} times", sentence)


def _robust(source: Evidence) -> Iterator[Part]:
    check = source.checks.get("outliers")
    if check is None:
        return
    loss = check["clean"] - check["ruined"]
    pca_loss = check["pca_clean"] - check["pca_ruined"]
    stable = check["overlap"] > check["pca_overlap"] + 0.01
    verdict = graded(stable and loss < pca_loss - 0.005, stable or loss <= pca_loss + 0.005)
    by_norm = check.get("found_by_norm")
    # Older runs do not know it.
    far = ""
    if "norm_ratio" in check:
        ratio = f"{check['norm_ratio']:.1f}"
        far = f" ({ratio} times as far from the mean of the others as these are)"
    control = ""
    if by_norm is not None:
        control = f" (the norm of a sample alone, without any fit, {100 * by_norm:.0f} %)"
        if by_norm >= check["found"] and verdict is not Verdict.FAILS:
            # What the norm shows as well is not shown by the loss.
            verdict = Verdict.OPEN
    sentence = (
        f"On {source.title} with {check['n_ruined']:.0f} of {check['n_samples']:.0f} samples "
        f"ruined{far}, the better half of the features stays the same to {check['overlap']:.2f} "
        f"(PCA’s loadings {check['pca_overlap']:.2f}), the first ten directions lose "
        f"{100 * loss:.1f} points of what they captured (PCA {100 * pca_loss:.1f}), and "
        f"{100 * check['found']:.0f} % of the ruined samples have the largest residuals{control}."
    )
    yield Part(
        verdict, f"overlap {check['overlap']:.2f} against {check['pca_overlap']:.2f}", sentence
    )


def _robust_norm(evidence: Sequence[Evidence]) -> Iterator[Part]:
    if not any(source.checks for source in evidence):
        return
    measured = [
        _with_large_norm(source.title, source.checks["large-norm"])
        for source in evidence
        if "large-norm" in source.checks
    ]
    yield Part(Verdict.FAILS, "does not protect the residual", " ".join(measured))


def _with_large_norm(title: str, check: Mapping[str, Any]) -> str:
    """What one sample of a large norm did on some data."""
    n = f"{check['n_samples']:.0f}"
    few, every = (f"{check[f'absolute_{name}_place']:.0f}" for name in ("few", "all"))

    def captured(name: str) -> str:
        return f"{100 * check[name]:.1f} %"

    return (
        f"On {title} noise in place of one of {n} samples, {LARGE_NORM} times as far from the mean "
        f"as usual, is number {few} of {n} by its residual; as far as all samples together, number "
        f"{every}. Then the first ten directions capture {captured('absolute_all')} of the "
        f"variance of other samples at the same α and β, {captured('relative_all')} where these "
        "are the same shares of their limits, which the noise raises, and without the noise "
        f"{captured('clean')}. PCA’s go from {captured('pca_clean')} to {captured('pca_all')}."
    )


_FAIR, _HIGH = 0.4, 0.75
"""Ends of fair agreement, which Nogueira, Sechidis and Brown (2018) take from Fleiss."""


def _halves(source: Evidence) -> Iterator[Part]:
    check = source.checks.get("halves")
    if check is None:
        return
    n, k = f"{check['n_halves']:.0f}", f"{check['k']:,.0f}"
    settings = f"α = {HALVES_ALPHA:g} α_max, β = {HALVES_BETA:g} β_max"
    sentence = (
        f"On {source.title} {check['n_always']:,.0f} of {check['n_features']:,.0f} features are "
        f"kept by all of {n} random halves of the samples, {check['n_never']:,.0f} by none and "
        f"{check['n_sometimes']:,.0f} by some ({settings})"
    )
    if "kept_index" not in check:
        yield Part(Verdict.UNTESTED, "no ranking", f"{sentence}: there is nothing to agree on.")
        return
    index = check["kept_index"]
    sentence += f": index {index:.3f}"
    if "kept_low" in check:
        sentence += f" ({check['kept_low']:.3f} to {check['kept_high']:.3f})"
    sentence += "."
    if "best_index" in check:
        sentence += (
            f" The best {k} of the halves: {check['best_index']:.3f}; those of the largest "
            f"variance {check['variance_index']:.3f}."
        )
    elif check["k"] >= check["n_features"]:
        sentence += f" The best {k} are all features: there is nothing to agree on."
    else:
        # The check says that there is none, and not which of these it is.
        sentence += (
            f" The best {k} have no index: on at least one half they are no selection (W = 0, "
            "W = I, a tie at the cut, or every sample rebuilt exactly)."
        )
    lower = min(index, check.get("best_index", index))
    yield Part(graded(lower >= _HIGH, lower >= _FAIR), f"index {lower:.2f}", sentence)


def _maps_unseen(source: Evidence) -> Iterator[Part]:
    check = source.checks.get("unseen")
    if check is None:
        return
    rest, own, pca = (
        f"{100 * (1 - check[name]):.1f} %" for name in ("error_unseen", "error_seen", "pca_unseen")
    )
    sentence = (
        f"On {source.title}, a map of rank {check['rank']:.0f} fitted on half of the samples "
        f"rebuilds {rest} of the variance of the other half ({own} of its own; PCA of that rank "
        f"{pca} of the other)."
    )
    error = check["error_unseen"]
    yield Part(graded(error < 0.5, error < 1.0), f"{rest} of the variance", sentence)


CLAIMS = (
    Claim("theorem-1", "PCA equals a regression of rank k", "Theorem 1", _theorem_1,
        remark="U⊥ is a basis of the null space of the data. That the words allow the whole "
        "complement of the first k directions as well is a small error in the paper, "
        "easily mended."),
    Claim("monotone", "The objective falls monotonically", "Theorem 3", _monotone,
        remark="As printed the algorithm divides by zero, so its norms are smoothed (ε = 10⁻⁴); "
        "what is shown is the true objective."),
    Claim("optimum", "Algorithm 1 reaches the global optimum", "Theorem 4", _optimum,
        remark="So much is judged here; Theorem 4 speaks of the limit, which no run shows. A "
        "curve that looks flat need not have arrived: rows that have become small are held "
        "back by their own weights, and move slowly. The problem is convex, as the paper "
        "says, and the certified solver reaches its optimum."),
    Claim("ten", "It does so within ten iterations", "Convergence figure", _ten_iterations),
    Claim("starts", "The result does not depend on the start",
        "Table of starts", _on_each(_same_from_all_starts), rests="Its ACC rests on labels.",
        remark="True of the optimal objective, which ten iterations need not reach. The map that "
        "has it need not be the only one: two equal features at β = 0 share their weight "
        "in any proportion."),
    Claim("beats", "CSPCA beats all six methods on every set",
        "ACC and NMI", _on_each(_beats_all), rests=_LABELS,
        remark="The paper’s own table of NMI has one exception: LScore on ORL."),
    Claim("second", "UDFS is second", "ACC and NMI", _on_each(_udfs_second), rests=_LABELS),
    Claim("mcfs-spec", "MCFS beats SPEC", "ACC and NMI", _on_each(_mcfs_spec), rests=_LABELS),
    Claim("selection", "Selection usually beats all features",
        "ACC and NMI", _on_each(_selection_helps), rests=_LABELS),
    Claim("few", "Too few features hurt", _FIGURE, _on_each(_few_hurt), rests=_LABELS),
    Claim("below", "The best number lies below all",
        _FIGURE, _on_each(_best_below_all), rests=_LABELS),
    Claim("comparable", "α and β are best when comparable",
        "Sensitivity figure", _on_each(_comparable), rests=_LABELS),
    Claim("robust-subspace", "It is robust to outliers of usual norm: in a simulation",
        "The ℓ2,1 loss", _robust_subspace),
    Claim("robust", "It is robust to outliers of usual norm: on these data",
        "The ℓ2,1 loss", _on_each(_robust)),
    Claim("robust-norm", "It is robust to one outlier of a large norm",
        "The ℓ2,1 loss", _robust_norm,
        remark="At fixed absolute penalties a sample whose norm is large enough (not centred: "
        "above those of all others together + α√d + β; centred: n times that, all measured "
        "from the mean of the others) is rebuilt exactly in every optimum: its residual "
        "does not tell it. A bound on the objective of the others does not grow with its "
        "norm (Theory, section 18); they may lose a whole direction all the same. Relative "
        "penalties grow with it, until W = 0, or until the others keep what lies along it "
        "and nothing else (not centred, α = 0)."),
    Claim("halves", "Would other images select the same? (asked here, not claimed)",
        "Global optimum", _on_each(_halves),
        remark="A global optimum, whatever the start and whatever a few outliers do, is one of "
        "these images. That others select the same does not follow: halves ask it (Theory, "
        "section 23). In part: an index from 0.4 to 0.75. Reproducible is not right: a "
        "background that varies is selected again too."),
    Claim("unseen", "It maps unseen images", "Out of sample", _on_each(_maps_unseen)),
)  # fmt: skip
"""The paper's claims, in its order."""


def judge(evidence: Sequence[Evidence]) -> tuple[Assessment, ...]:
    """Give every claim its verdict.

    With several data sets a claim holds when it does on all of them, does not when it does on
    none, and holds in part otherwise.
    """
    return tuple(_assess(claim, list(claim.decide(evidence))) for claim in CLAIMS)


def _assess(claim: Claim, parts: Sequence[Part]) -> Assessment:
    if not parts:
        return Assessment(claim)
    verdicts = {part.verdict for part in parts}
    # What was not tested decides nothing beside what was.
    tested = verdicts - {Verdict.UNTESTED} or verdicts
    # Shown on some of them, or on none: what is open decides nothing beside others.
    shown_on_some = graded(False, not tested.isdisjoint({Verdict.HOLDS, Verdict.PARTLY}))
    return Assessment(
        claim,
        verdict=shown_on_some if len(tested) > 1 else tested.pop(),
        number="; ".join(part.number for part in parts),
        sentence=" ".join(part.sentence for part in parts),
    )


def graded(holds: bool, partly: bool = False) -> Verdict:
    """Whether a claim holds, or at least in part."""
    return Verdict.HOLDS if holds else Verdict.PARTLY if partly else Verdict.FAILS


def ranks_over(evidence: Sequence[Evidence]) -> RankTest | None:
    """Rank the paper's methods over the data sets on which all are finished; None below two."""
    whole = [
        source.accuracy for source in evidence if source.accuracy.keys() >= set(METHODS_IN_PAPER)
    ]
    if len(whole) < 2:
        return None
    scores = [[float(table[key].mean()) for key in METHODS_IN_PAPER] for table in whole]
    return rank_test(scores, [METHODS[key].title for key in METHODS_IN_PAPER])


def against(runs: Runs, reference: Runs) -> tuple[Verdict, float, str]:
    """Whether ours is above; the lead in points; and the words between the two numbers.

    A lead that is printed as 0.0 points is no difference.
    """
    lead = 100.0 * float(runs.mean() - reference.mean())
    sure = paired_difference(runs, reference).excludes_zero
    if sure and abs(lead) < PRINTED_AS_ZERO:
        return Verdict.OPEN, lead, "is within 0.05 points of"
    if sure and lead > 0:
        return Verdict.HOLDS, lead, "is above"
    if sure:
        return Verdict.FAILS, lead, "is below"
    if np.array_equal(runs, reference):
        return Verdict.FAILS, lead, "is the same as"
    # Within the luck of the starts the sign of a lead is luck too: it decides nothing either way.
    return Verdict.OPEN, lead, "shows no clear difference from"


def _too_few(runs: Runs) -> str:
    """Why no difference is clear, where it is for too few starts; empty otherwise."""
    return f": {NO_INTERVAL}" if len(runs) < FEWEST_STARTS else ""


def mean_words(runs: Runs) -> str:
    """Say a mean in per cent."""
    return f"{100 * runs.mean():.1f} %"


def points(lead: float) -> str:
    """A difference in percentage points."""
    return f"{METRICS['accuracy'].say(lead / 100, '+')} points"


def spread(rows: Sequence[Mapping[str, Any]]) -> float:
    """Relative distance of the largest objective from the smallest."""
    values = [row["objective"] for row in rows]
    low, high = min(values), max(values)
    return (high - low) / abs(low) if low else 0.0
