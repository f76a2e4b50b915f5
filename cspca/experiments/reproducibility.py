"""Reproducibility: which features do random halves of the samples select again?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import pandas as pd

from cspca.evaluation.halves import (
    FEWEST_IN_HALF,
    check_units,
    copies_across_groups_words,
    draw_pair,
)
from cspca.evaluation.reproducibility import (
    SelectionFrequencies,
    low_probability_bound,
    selection_reproducibility,
    unimodal_bound,
)
from cspca.experiments.experiment import Cell, Experiment, Finding, Result, Results
from cspca.experiments.exports import feature_table
from cspca.experiments.fit import Fit, feature_name, has_order
from cspca.experiments.halves_words import copies_words
from cspca.experiments.memory import reduction
from cspca.experiments.records import Described
from cspca.experiments.settings import again, setting, to_json
from cspca.experiments.steps import OnSteps
from cspca.figures.curves import value_curve
from cspca.figures.features import frequency_bars
from cspca.figures.pictures import MOST_POINTED, frequency_map
from cspca.figures.spread import spread
from cspca.fitted import ahead_of_cut, shared_places
from cspca.stepwise import Stepwise

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from cspca import fitted
    from cspca.datasets import Dataset, Nouns
    from cspca.evaluation.statistics import Interval

_LISTED: Final = 20

_ROUNDING: Final = 1e-9

_NO_RANKING: Final = {
    "zero": "W = 0 keeps no {feature}",
    "identity": "W = I is optimal, and all {features} that vary tie",
    "reproduced": "every {sample} is rebuilt exactly, so that scores do not say how the {samples} "
    "differ",
    "order": "all {features} tie",
    "tie": "a tie crosses the cut at {k:,}",
}
"""Why a half has no best features, after "On n of 50 halves"; the last is found at a cut."""


@dataclass(frozen=True, eq=False)
class HalfFits:
    """Fits to all halves, in the order of the pairs: first half, second half.

    Parameters
    ----------
    scores : ndarray of shape (n_halves, n_features)
        Norms of the rows of W.
    ranks : int array of shape (n_halves, n_features)
        Ranks from 1; features that tie share one.
    regimes : tuple of str
        Of each fit; "order" where a fit orders no feature before another.
    k : int
        Features that count as the best.
    """

    scores: NDArray[np.float64]
    ranks: NDArray[np.int64]
    regimes: tuple[str, ...]
    k: int

    @cached_property
    def kept(self) -> SelectionFrequencies:
        """How often the score of each feature is not zero."""
        return SelectionFrequencies(self.scores != 0.0)

    @cached_property
    def obstacles(self) -> tuple[str, ...]:
        """Why each half has no best k, a key of the reasons; "" where it has."""
        return tuple(
            regime
            if regime in _NO_RANKING
            else ("" if ahead_of_cut(ranks, self.k) == self.k else "tie")
            for regime, ranks in zip(self.regimes, self.ranks, strict=True)
        )

    @cached_property
    def best(self) -> SelectionFrequencies | None:
        """How often each feature is among the best k; None where fewer than two halves have any."""
        has_best = np.array([not obstacle for obstacle in self.obstacles])
        if np.count_nonzero(has_best) < 2:
            return None
        return SelectionFrequencies(self.ranks[has_best] <= self.k)


@dataclass(frozen=True, eq=False)
class Certainty:
    """Which features are proven to score little, and which are reproducible.

    A feature is reproducible where at least a share of the halves keep it, or leave it out; of one
    that is proven to score little, only where they leave it out (theory.md §14, §23).

    Parameters
    ----------
    frequency : ndarray of shape (n_features,)
        Share of the halves that keep each feature.
    ceilings : ndarray of shape (n_features,)
        Proven ceilings of the scores in every optimum, in per cent of the best score.
    ceiling : float
        Up to which a score counts as little, in the same unit.
    threshold : float
        Share of the halves.
    """

    frequency: NDArray[np.float64]
    ceilings: NDArray[np.float64]
    ceiling: float
    threshold: float

    @property
    def is_proven(self) -> NDArray[np.bool_]:
        """Marks features whose score is proven to be little."""
        return np.asarray(self.ceilings <= self.ceiling)

    @property
    def is_kept(self) -> NDArray[np.bool_]:
        """Marks features that enough halves keep."""
        return np.asarray(self.frequency >= self.threshold - _ROUNDING)

    @property
    def is_left_out(self) -> NDArray[np.bool_]:
        """Marks features that enough halves leave out."""
        return np.asarray(1.0 - self.frequency >= self.threshold - _ROUNDING)

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """Of each feature: 0 neither, 1 reproducible alone, 2 proven alone, 3 both."""
        reproducible = self.is_left_out | (self.is_kept & ~self.is_proven)
        return reproducible.astype(np.int64) + 2 * self.is_proven

    def words(self, nouns: Nouns, n_constant: int = 0) -> str:
        """How many are both, one of both, and neither, and what that means.

        So many features are the same in all samples: they are proven and left out by all halves.
        """
        neither, reproducible, proven, both = np.bincount(self.classes, minlength=4).tolist()
        n_selected = int(np.count_nonzero((self.classes == 1) & self.is_kept))
        share = f"at least {100 * self.threshold:.0f} % of the halves"
        constant = f" ({n_constant:,} of them never vary)" if n_constant else ""
        return (
            f"Of {nouns.count_features(len(self.frequency))} {both:,} are proven and reproducible: "
            f"in every optimum of these {nouns.samples} their score is at most {self.ceiling:g} % "
            f"of the best, and {share} leave them out{constant}. {proven:,} are only proven; "
            f"{reproducible:,} only reproducible, of which {share} keep {n_selected:,} and leave "
            f"out {reproducible - n_selected:,}; {neither:,} are neither. A ceiling proves that a "
            "score is small, never that it is large."
        )


@dataclass(frozen=True)
class Reproducibility(OnSteps):
    """Fits of convex sparse PCA to random halves of the samples, and how far they select the same.

    Complementary pairs: the samples are split into two halves, several times, and each half is
    fitted at the same relative penalties. Labels are not used; groups stay together.
    """

    question = "Do other {data.nouns.samples} select the same {data.nouns.features}? {data.name}"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"absolute": {"penalty_scale": "absolute"}}

    alpha: float = again(Fit, "alpha")
    beta: float = again(Fit, "beta")
    penalty_scale: str = again(
        Fit,
        "penalty_scale",
        help="Fractions of α_max and β_max, or the values of the formula for all samples; halves "
        "are fitted at the same fractions of their own limits.",
    )
    n_pairs: int = setting(
        25,
        label="Pairs of halves",
        limits=(1, 1000),
        help="How often the samples are split into two halves; each half is fitted.",
    )
    n_features: int | None = setting(
        None,
        label="Best features",
        limits=(1, math.inf),
        help="How many features count as the best; by default a tenth of all. It changes no fit.",
        query="k",
    )
    threshold: float = setting(
        0.9,
        label="Share of halves",
        limits=(0.51, 1.0),
        help="From this share of the halves on a feature counts as reproducible. It changes no "
        "fit.",
    )
    center: bool = again(Fit, "center")
    normalize: bool = again(Fit, "normalize")
    tol: float = again(Fit, "tol")
    max_iter: int = again(Fit, "max_iter")
    groups: tuple[int, ...] = setting(
        (),
        label="Groups of samples",
        help="Group of each sample: those of one group are in one half.",
        query="",
    )
    random_state: int = setting(
        0, label="Seed of the halves", limits=(0, math.inf), help="Draws the halves."
    )

    def words(self) -> str:
        """How many halves."""
        return f"{2 * self.n_pairs} halves"

    def protocol(self, data: Dataset) -> str:
        """Methods sentence for a paper."""
        samples, units = data.nouns.samples, data.nouns.samples
        if self.groups:
            units = "whole groups"
        elif self.together(data).n_copies:
            units = f"{samples}, copies together"
        if self.penalty_scale == "relative":
            penalties = f"α = {self.alpha:g} and β = {self.beta:g} of each half's own limits"
        else:
            penalties = (
                f"the fractions of each half's own limits that α = {self.alpha:g} and "
                f"β = {self.beta:g} are of those of all {samples}"
            )
        return (
            f"CSPCA was fitted to {2 * self.n_pairs} random halves of the {samples} "
            f"({self.n_pairs} complementary pairs of {units}, seed {self.random_state}), at "
            f"{penalties}."
        )

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """A pair of halves each."""
        check_units(self.together(data), data.nouns.samples)
        for number in range(self.n_pairs):
            yield Cell(
                "halves",
                self._fit_parameters() | self.drawn_by(halves=True) | {"pair": number},
                title=f"Pair {number + 1}",
                size=2,
            )

    def _fit_parameters(self) -> dict[str, Any]:
        names = ("alpha", "beta", "penalty_scale", "center", "normalize", "tol", "max_iter")
        settings = to_json(self)
        return {name: settings[name] for name in names}

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """Fit both halves of one pair, each from a cold start."""
        number = cell.parameters["pair"]
        halves = draw_pair(
            data.data,
            self.together(data),
            number,
            random_state=self.random_state,
            samples=data.nouns.samples,
        )
        parameters = self._fit_parameters() | {"penalty_scale": "relative"}
        if self.penalty_scale == "absolute":
            limits = reduction(data, self.center, self.normalize)
            parameters |= {
                "alpha": self.alpha / limits.alpha_max,
                "beta": self.beta / limits.beta_max,
            }
        fits = [_fit(data.data[rows], parameters) for rows in halves]
        rows = tuple(
            {
                "pair": number + 1,
                "half": half,
                "n_samples": len(halves[half - 1]),
                "n_kept": fit.n_kept,
                "rank": fit.rank,
                "regime": fit.regime,
                "has_order": has_order(fit),
                "duality_gap": fit.duality_gap,
                "converged": fit.converged,
            }
            for half, fit in enumerate(fits, start=1)
        )
        arrays = {
            "scores": np.stack([fit.feature_scores for fit in fits]).astype(np.float64),
            "ties": np.stack([fit.feature_ties for fit in fits]),
        }
        return Result(rows, arrays, sum(fit.seconds for fit in fits))

    def table(self, results: Results) -> pd.DataFrame:
        """One row a half."""
        return Experiment.table(self, results)

    def best_k(self, data: Dataset) -> int:
        """How many features count as the best."""
        k = self.n_features or max(1, data.n_features // 10)
        return min(k, data.n_features)

    def fits(self, results: Results, data: Dataset) -> HalfFits:
        """The fits to all halves that are done."""
        ties = np.concatenate([result.arrays["ties"] for result in results.values()])
        return HalfFits(
            np.concatenate([result.arrays["scores"] for result in results.values()]),
            np.stack([shared_places(groups) for groups in ties]),
            tuple(
                row["regime"] if row["has_order"] or row["regime"] in _NO_RANKING else "order"
                for result in results.values()
                for row in result.rows
            ),
            self.best_k(data),
        )

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Every feature, the most reproducible first."""
        fits = self.fits(results, data)
        frequency = fits.best.frequency if fits.best is not None else fits.kept.frequency
        ranks = _ranks_of(np.stack([frequency, fits.scores.mean(axis=0)]))
        columns = {
            "share_not_zero": fits.kept.frequency,
            f"share_best_{fits.k}": (
                np.full(data.n_features, math.nan) if fits.best is None else fits.best.frequency
            ),
            "score_mean": fits.scores.mean(axis=0),
            "score_std": fits.scores.std(axis=0, ddof=1),
        }
        return {"Features": feature_table(data, ranks, columns)}

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Title of the table of features."""
        return ("Features",)

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Counts, indices and bounds."""
        fits, nouns = self.fits(results, data), data.nouns
        lines = [_counted(f"{nouns.features.capitalize()} with a score", fits.kept)]
        if fits.best is not None:
            lines.append(_counted(f"Best {fits.k:,}", fits.best))
        frame = pd.DataFrame(lines)
        frame.attrs["note"] = (
            f"Sometimes: by some halves and not by others; in doubt: by a fifth to four fifths of "
            f"the halves. Reproducibility is Nogueira's index: 1 where all halves select the same "
            f"{nouns.features}, 0 where they agree as chance does. Its interval speaks of further "
            f"halves of these {nouns.samples} alone. "
        )
        # Of data that are not kept there is a description alone.
        constant = (
            np.zeros(0, bool) if isinstance(data, Described) else np.ptp(data.data, axis=0) == 0.0
        )
        if n_constant := int(np.count_nonzero(constant)):
            without = _index_of(fits.kept, ~constant)
            if fits.best is not None:
                without += f", of the best {fits.k:,} {_index_of(fits.best, ~constant)}"
            frame.attrs["note"] += (
                f"{nouns.count_features(n_constant)} with one value in all {nouns.samples} can "
                f"never be selected; counting them raises the index. Without them it is {without}."
            )
        return {"How far halves agree": frame}

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """Which features are selected again, and how many are kept by some halves only."""
        return {
            figure.layout.meta["title"]: figure
            for figure in self.keyed_figures(results, data).values()
        }

    def keyed_figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """The same by short names: kept, best and sometimes, as far as there are such."""
        fits, nouns, shape = self.fits(results, data), data.nouns, data.image_shape
        selections = {
            "kept": (f"Which {nouns.features} do halves keep?", fits.kept),
            "best": (f"Which {nouns.features} are among the best {fits.k:,} of a half?", fits.best),
        }
        figures: dict[str, go.Figure] = {}
        for key, (question, frequencies) in selections.items():
            if frequencies is None:
                continue
            shares = frequencies.frequency
            if shape is not None and data.n_features <= MOST_POINTED:
                figures[key] = frequency_map(shares.reshape(shape), frequencies.n_halves, question)
            elif data.axis is not None:
                figures[key] = value_curve(data.axis, shares, question, "Share of halves")
            elif data.kind != "pixels":
                order = np.lexsort((-fits.scores.mean(axis=0), -shares))[:_LISTED]
                names = [feature_name(data, feature) for feature in order.tolist()]
                figures[key] = frequency_bars(names, shares[order], question, nouns)
        partial = fits.kept.frequency[(fits.kept.frequency > 0) & (fits.kept.frequency < 1)]
        if partial.size:
            figures["sometimes"] = spread(
                partial,
                [],
                question=f"How often are {nouns.features} kept that some halves leave out?",
                axis="Share of halves that keep it",
                what=nouns.feature,
                several=nouns.features,
            )
        return figures

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """Counts, indices with their intervals, bounds, and what they do not say."""
        fits, nouns = self.fits(results, data), data.nouns
        frequencies = fits.kept
        counts = (
            f"{nouns.features.capitalize()} kept by every one of {frequencies.n_halves} halves of "
            f"the {nouns.samples}: {frequencies.n_always:,} of {data.n_features:,}; by none: "
            f"{frequencies.n_never:,}; by some: {frequencies.n_sometimes:,}, of which a fifth to "
            f"four fifths of the halves keep {frequencies.n_in_doubt:,}."
        )
        sentences = [_index_words(f"The {nouns.features} that halves keep", frequencies.index)]
        if fits.best is not None:
            sentences += self._best_words(fits, fits.best, data)
        sentences += self._obstacle_words(fits, data)
        sentences += self._warnings(results, data)
        sentences += [
            f"Each half has half of the {nouns.samples}, and halves of different pairs share about "
            "half of theirs: separate sets of that size agree less as a rule, and sets of the full "
            "size more.",
            f"This says which {nouns.features} other halves of these {nouns.samples} select, not "
            f"that they are the right ones: {nouns.features} of a background that varies in all "
            f"{nouns.samples} are reproducible too. A duality gap proves the optimum of these "
            f"{nouns.samples}; it says nothing about others.",
        ]
        numbers = {
            "n_always": frequencies.n_always,
            "n_never": frequencies.n_never,
            "n_sometimes": frequencies.n_sometimes,
            "index": frequencies.index.difference,
        }
        return [
            Finding(counts, numbers=numbers),
            *(Finding(sentence) for sentence in sentences if sentence),
        ]

    def _best_words(self, fits: HalfFits, best: SelectionFrequencies, data: Dataset) -> list[str]:
        """The index of the best k, and how many rarely selected features may be among them."""
        nouns, d, k, threshold = data.nouns, data.n_features, fits.k, self.threshold
        if k == d:
            return [f"All {nouns.features} count as the best {k:,}."]
        sentences = [_index_words(f"The best {k:,} {nouns.features} of the halves", best.index)]
        if k > fits.kept.size:
            sentences.append(
                f"A half keeps {fits.kept.size:,.0f} {nouns.features} on average; the rest of its "
                f"best {k:,} are those closest to being kept."
            )
        n_frequent = int(np.count_nonzero(best.frequency >= threshold))
        frequent = (
            f"{nouns.count_features(n_frequent).capitalize()} {'is' if n_frequent == 1 else 'are'} "
            f"among the best {k:,} of at least {100 * threshold:.0f} % of the {best.n_halves:,} "
            f"halves{' that have a best ' + format(k, ',') if any(fits.obstacles) else ''}."
        )
        if any(fits.obstacles):
            frequent += f" No bound is given: it needs the best {k:,} of both halves of every pair."
        elif n_frequent:
            frequent += f" {self._bound_words(best, n_frequent, k, data)}"
        return [*sentences, frequent]

    def _bound_words(
        self, best: SelectionFrequencies, n_frequent: int, k: int, data: Dataset
    ) -> str:
        """How many of the frequent features may be rarely selected ones, and what is assumed."""
        nouns, d = data.nouns, data.n_features
        rare_label = f"{nouns.features} with a selection probability below {k:,}/{d:,}"
        bound = low_probability_bound(best.size, d, self.threshold)
        tighter = unimodal_bound(best.size, d, self.threshold, best.n_halves // 2)
        is_tighter = tighter < min(bound, n_frequent)
        if bound >= n_frequent and not is_tighter:
            return (
                f"The bound says nothing here: it allows {bound:,.0f} {rare_label}, not fewer than "
                "were found."
            )
        together = self.together(data)
        units = f"different {nouns.samples}" if together.n_copies else nouns.samples
        if self.groups:
            units = "groups, of about one size,"
        bounds = []
        if bound < n_frequent:
            bounds.append(
                f"at most {bound:.1f} are expected to be {rare_label}, whatever the method "
                "(Meinshausen and Bühlmann 2010; Shah and Samworth 2013)"
            )
        if is_tighter:
            expected = "" if bounds else f" are expected to be {rare_label}"
            bounds.append(
                f"at most {tighter:.1f}{expected} if the number of pairs of which both halves "
                f"select such {nouns.a_feature} has a distribution with a single peak"
            )
        assume = "Both bounds assume" if len(bounds) == 2 else "The bound assumes"
        return (
            f"Of these, {'; '.join(bounds)}. {assume} that the {units} are independent draws of "
            f"one distribution, and that α, β, the number of best {nouns.features} and the share "
            "were chosen without them; the selection probability is that of a half of newly drawn "
            f"{nouns.samples}. There is no true set of {nouns.features} here, so none is called "
            "false."
        )

    def _obstacle_words(self, fits: HalfFits, data: Dataset) -> list[str]:
        """Which halves have no best features, and why."""
        nouns = data.nouns
        sentences = [
            f"On {fits.obstacles.count(key):,} of {len(fits.obstacles):,} halves "
            + reason.format(
                feature=nouns.feature,
                features=nouns.features,
                sample=nouns.sample,
                samples=nouns.samples,
                k=fits.k,
            )
            + "."
            for key, reason in _NO_RANKING.items()
            if key in fits.obstacles
        ]
        if sentences:
            sentences[-1] += (
                f" These have no best {fits.k:,} that could be reproduced, and are left out of its "
                "shares."
            )
        return sentences

    def _warnings(self, results: Results, data: Dataset) -> list[str]:
        """Copies, small classes, and fits that are not certified."""
        nouns, together = data.nouns, self.together(data)
        sentences = []
        if together.n_copies:
            words = copies_across_groups_words if together.explicit else copies_words
            sentences.append(words(together.n_copies, data.n_samples, nouns.samples))
        if data.has_classes and data.target is not None:
            smallest = int(np.unique(data.target, return_counts=True)[1].min())
            if smallest < 2 * FEWEST_IN_HALF:
                sentences.append(
                    f"Labels are not used, and the smallest class has "
                    f"{nouns.count_samples(smallest)}: some halves may have none of it."
                )
        table = self.table(results)
        if not table["converged"].all():
            worst = float(table["duality_gap"].max())
            sentences.append(
                f"{int((~table['converged']).sum()):,} of {len(table):,} fits ended above their "
                f"tolerance, the worst at a gap of {100 * worst:.2g} %: raise max_iter."
            )
        return sentences


def _fit(samples: NDArray[Any], parameters: Mapping[str, Any]) -> fitted.Fit:
    model = Stepwise(**parameters)
    for _ in model.iterate(samples):
        pass
    return model.fit_


def _index_of(frequencies: SelectionFrequencies, features: NDArray[np.bool_]) -> str:
    """The index over some of the features, in words."""
    index = selection_reproducibility(frequencies.selected[:, features]).difference
    return "none, since all others are selected" if math.isnan(index) else f"{index:.3f}"


def _ranks_of(keys: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks from 1 by the first key, then the second, the largest first; equal ones share one."""
    _, places = np.unique(-keys, axis=1, return_inverse=True)
    places = places.ravel()
    return shared_places(places.astype(np.int64))


def _index_words(selection: str, index: Interval) -> str:
    if math.isnan(index.difference):
        return ""
    interval = f" (95 % interval {index.low:.3f} to {index.high:.3f})" if index.has_ends else ""
    return (
        f"{selection} agree with an index of {index.difference:.3f}{interval}: 1 is the same in "
        "all halves, 0 is what chance would give."
    )


def _counted(name: str, frequencies: SelectionFrequencies) -> dict[str, str]:
    index = frequencies.index
    shown = "–" if math.isnan(index.difference) else f"{index.difference:.3f}"
    if index.has_ends:
        shown += f" ({index.low:.3f} to {index.high:.3f})"
    return {
        "Selected": name,
        "Always": f"{frequencies.n_always:,}",
        "Sometimes": f"{frequencies.n_sometimes:,}",
        "In doubt": f"{frequencies.n_in_doubt:,}",
        "Never": f"{frequencies.n_never:,}",
        "Mean number": f"{frequencies.size:,.1f}",
        "Halves": f"{frequencies.n_halves:,}",
        "Reproducibility": shown,
    }
