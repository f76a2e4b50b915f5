"""A fit of CSPCA: the one declaration of its parameters, and what is shown of it."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cspca.experiments.experiment import Cell, Experiment, Finding, Result, Results
from cspca.experiments.memory import of_data, once, reduction
from cspca.experiments.records import Described
from cspca.experiments.settings import declared, setting, to_json
from cspca.figures.words import capitalised, from_optimum, gap_in_words, percent
from cspca.fitted import ahead_of_cut
from cspca.solvers import SOLVERS
from cspca.solvers.iterate import PROVEN_GAP

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from cspca import fitted
    from cspca.datasets import Dataset, Nouns
    from cspca.solvers import Iterate
    from cspca.stepwise import Stepwise

CAUTIONS = {
    "zero": "W = 0 is within the proven gap of the optimum: this map keeps nothing, every "
    "{feature} is exactly zero. Lower α or β.",
    "identity": "Identity: the optimum is W = I, to 10⁻⁹ at least, so all {features} that vary tie "
    "and there is no ranking to read. Raise α or β.",
    "reproduced": "Every {sample} is rebuilt exactly: for a given α/β this map depends on the span "
    "of the {samples} alone, not on how they vary within it. The scale of {a_feature} does count.",
}
"""What must be said of a map before anybody reads it, by its regime."""

ZERO_IS_OPTIMAL = (
    "At these penalties the optimum is W = 0, to 10⁻⁹ at least: the best map keeps nothing, every "
    "{feature} is exactly zero. Lower α or β."
)
"""What is said in place of the caution on W = 0 where it is optimal but for round-off."""

NO_PENALTY = (
    "No penalty: every {sample} is rebuilt exactly, and by more than one W, so there is no ranking "
    "to read. Raise α or β."
)
"""What must be said of a map without penalties, unless it is W = I."""

NEAR = 1e-3
"""Share of a score within which others are said to be near it."""

PROOF = (
    "No W, by any method, has an objective below the lower bound. What lies between the two is all "
    "that could still be gained."
)
"""What a certificate says."""

INFLUENTIAL = 0.3
"""Influence from which a sample is worth a look; a smaller one is no clearance (theory.md §18)."""

_LISTED = 20


@dataclass(frozen=True)
class Fit(Experiment):
    """One fit of convex sparse PCA, by the certified solver, Algorithm 1, or both."""

    question = "Which {data.nouns.features} matter in {data.name}?"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"absolute": {"penalty_scale": "absolute"}}

    alpha: float = setting(
        0.1,
        label="α, fewer features on the whole",
        limits=(0.0, math.inf),
        help="Weight of ‖W‖₂,₁, the sum of the lengths of the rows of W, as a fraction of α_max. "
        "In the optimum a larger α never makes that sum larger; on the whole, not always, it sets "
        "more features to exactly zero. At 1 every feature is zero.",
    )
    beta: float = setting(
        0.01,
        label="β, lower rank on the whole",
        limits=(0.0, math.inf),
        help="Weight of the trace norm ‖W‖_*, the sum of the singular values of W, as a fraction "
        "of β_max. In the optimum a larger β never makes that sum larger; on the whole, not "
        "always, it lowers the rank of W. At 1 every feature is zero.",
    )
    keep: int | None = setting(
        None,
        label="Features to keep",
        limits=(1, math.inf),
        help="About this many features get a row of W that is not exactly zero; α is found by a "
        "few warm fits.",
    )
    penalty_scale: str = setting(
        "relative",
        label="Scale of α and β",
        choices=("relative", "absolute"),
        help="Fractions of α_max and β_max, or the values of the formula.",
        query="scale",
    )
    solver: str = setting(
        "admm",
        label="Solver",
        choices=(*SOLVERS, "both"),
        help="Certified: ADMM with a duality gap. Plain: the same without anything that makes it "
        "faster. Algorithm 1: the paper's reweighted least squares. Both: Algorithm 1 and the "
        "certified one on one chart, taking turns.",
    )
    center: bool = setting(
        True,
        label="Subtract the mean sample",
        help="As PCA does. The paper's experiments do not say.",
        query="centre",
    )
    normalize: bool = setting(
        False,
        label="Scale every sample to unit norm",
        help="Small and large samples then count the same.",
        query="normalise",
    )
    tol: float = setting(
        1e-3,
        label="Stop when proven within",
        limits=(0.0, 1.0),
        help="The gap at which a fit is done: how far its objective may be above the lower "
        "limit, as a share of the objective.",
    )
    max_iter: int = setting(
        1000, label="Iterations at most", limits=(1, math.inf), help="Of a solver.", query=""
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keep is None:
            return
        if self.penalty_scale != "relative":
            raise ValueError("keep finds a relative alpha: leave penalty_scale at 'relative'.")
        if self.solver != "admm":
            raise ValueError(
                "keep finds alpha by fits of the certified solver, and Algorithm 1 has no exact "
                "zeros to count: leave solver at 'admm'."
            )
        # α plays no part when it is found: two that ask for the same must be equal.
        object.__setattr__(self, "alpha", declared(Fit)["alpha"].default)

    @property
    def solvers(self) -> tuple[str, ...]:
        """The solvers that are shown, the one that the numbers are of first."""
        return ("admm", "reweighted") if self.solver == "both" else (self.solver,)

    def model_arguments(self, solver: str) -> dict[str, Any]:
        """Arguments of :class:`cspca.CSPCA` for one of the solvers."""
        arguments = to_json(self) | {"solver": solver}
        del arguments["keep"]
        if solver == "reweighted":
            # It has stalled long before.
            arguments["max_iter"] = min(self.max_iter, 40)
        return arguments

    def relative(self, limits: Mapping[str, Any]) -> Self:
        """The same fit in fractions of the `alpha_max` and `beta_max` of its data."""
        if self.penalty_scale == "relative":
            return self
        return replace(
            self,
            penalty_scale="relative",
            alpha=self.alpha / limits["alpha_max"],
            beta=self.beta / limits["beta_max"],
        )

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """The certified fit, and the other solver's, which it measures."""
        parameters = self.model_arguments("admm") | {"keep": self.keep}
        certified = Cell("fit", parameters, revision=3, title=SOLVERS["admm"].title)
        yield certified
        for solver in self.solvers:
            if solver != "admm":
                # The bound that it is measured by is proven to this.
                parameters = self.model_arguments(solver) | {"keep": None, "proven": self.tol}
                yield Cell("fit", parameters, 2, needs=(certified,), title=SOLVERS[solver].title)

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """Fit from a cold start."""
        for model, _ in course(data.data, cell.parameters):
            last = model
        result: fitted.Fit = last.fit_
        for result_needed in needed.values():
            result = result.measured_by(result_needed.rows[0]["dual_objective"])
        return result_of(result)

    def fits(self, results: Results) -> dict[str, fitted.Fit]:
        """The fits by solver, that of the numbers first; Algorithm 1 has its judge beside it."""
        from cspca.fitted import Fit as Fitted

        fits = {cell.parameters["solver"]: result for cell, result in results.items()}
        return {
            solver: Fitted.from_arrays(fits[solver].arrays, fits[solver].rows[0])
            for solver in dict.fromkeys((*self.solvers, "admm"))
            if solver in fits
        }

    def comparable(self, other: Experiment, name: str) -> bool:
        """Objectives of other penalties, or of data prepared otherwise, are of other problems."""
        deciding = ("alpha", "beta", "keep", "penalty_scale", "center", "normalize")
        same = all(getattr(self, field) == getattr(other, field) for field in deciding)
        return same or "objective" not in name

    def importance(self, results: Results) -> NDArray[Any] | None:
        """The scores of the fit that is shown first."""
        return next((fit.feature_scores for fit in self.fits(results).values()), None)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a solver, the one that the numbers are of first."""
        rows = super().table(results)
        return rows if self.solvers[0] == "admm" else rows.iloc[::-1].reset_index(drop=True)

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Every feature by its rank; the course; every sample, the worst rebuilt first."""
        import pandas as pd

        from cspca.experiments.exports import feature_table, sample_columns

        fits = self.fits(results)
        fit = next(iter(fits.values()))
        names = ("feature_score", "dual_score", "selection_score", "feature_score_bound")
        scores = {name: np.asarray(getattr(fit, f"{name}s")) for name in names}
        courses = [
            pd.DataFrame(solver_fit.history).assign(solver=solver)
            for solver, solver_fit in fits.items()
            if solver in self.solvers
        ]
        errors = pd.DataFrame(
            sample_columns(data)
            | {"error": fit.sample_residuals, "influence": fit.sample_influence}
        )
        return {
            "Scores": feature_table(data, shown_ranks(fit), scores),
            "Iterations": pd.concat(courses, ignore_index=True),
            "Errors": errors.sort_values("error", ascending=False, ignore_index=True),
        }

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables: a fit has them all."""
        return "Scores", "Iterations", "Errors"

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The numbers, and the best features where they have an order."""
        import pandas as pd

        fits, nouns = self.fits(results), data.nouns
        fit = next(iter(fits.values()))
        facts = {
            "Distance from optimum, at most": gap_in_words(fit.duality_gap),
            f"{nouns.features.capitalize()} used": f"{fit.n_kept:,}",
            "Rank of W": f"{fit.rank:,}",
            "Iterations": f"{fit.n_iter:,}",
            "α": _penalty(fit.alpha, fit.alpha_max, "α"),
            "β": _penalty(fit.beta, fit.beta_max, "β"),
            "Objective": f"{fit.objective:.10g}",
            "Lower bound": f"{fit.dual_objective:.10g}",
            "Gap, (P − D) / P": f"{fit.duality_gap:.3e}",
            "Within its tolerance": "yes" if fit.converged else "no",
            f"In every optimum, single {nouns.features}": proven(fits["admm"], nouns)[2],
            f"Largest influence of one {nouns.sample}": _largest_influence(fit, data),
        }
        numbers = pd.DataFrame({"Number": list(facts), "Value": list(facts.values())})
        numbers.attrs["note"] = PROOF
        tables = {"The answer in numbers": numbers}
        best = best_of(fit, _LISTED)
        if best:
            columns = {
                nouns.feature.capitalize(): [feature_name(data, feature) for feature in best],
                "Rank": [f"{fit.ranks[feature]:,}" for feature in best],
                "Column, from 1": [f"{feature + 1:,}" for feature in best],
                "Score ‖w_j‖": [f"{fit.feature_scores[feature]:.6g}" for feature in best],
            }
            listed = pd.DataFrame(columns)
            listed.attrs["note"] = tie_at_cut_words(fit, _LISTED, nouns)
            tables[f"The best {nouns.features}"] = listed
        return tables

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """Which features, how fast they fall off, and how close it is to the optimum."""
        from cspca.figures.convergence import Course, convergence
        from cspca.figures.features import best_features, score_curve
        from cspca.figures.pictures import MOST_POINTED, importance_map

        fits, nouns = self.fits(results), data.nouns
        fit = next(iter(fits.values()))
        drawn, shape, best = {}, data.image_shape, best_of(fit, _LISTED)
        if data.axis is not None:
            from cspca.figures.curves import importance_curve

            used = features_in_use(fit)
            # A run is described without its samples.
            mean = data.data.mean(axis=0) if hasattr(data, "data") else None
            ranges, words = data.axis.ranges(used), data.axis.ranges_in_words(used)
            drawn["Where along the axis?"] = importance_curve(
                data.axis, fit.feature_scores, ranges, words, mean
            )
        if data.kind != "pixels" and best:
            drawn[f"Which {nouns.features}?"] = best_features(
                [feature_name(data, feature) for feature in best], fit.feature_scores[best], nouns
            )
        elif shape is not None and data.n_features <= MOST_POINTED:
            drawn[f"Which {nouns.features}?"] = importance_map(
                fit.feature_scores.reshape(shape), shown_ranks(fit).reshape(shape)
            )
        drawn["How fast does importance fall off?"] = score_curve(
            np.sort(fit.feature_scores)[::-1], nouns=nouns
        )
        courses = [
            Course(SOLVERS[solver].title, SOLVERS[solver].colour, solver_fit.history)
            for solver, solver_fit in fits.items()
            if solver in self.solvers
        ]
        drawn["How close is this to the optimum?"] = convergence(courses)
        return drawn

    def name(self, data: Dataset) -> str:
        """What a kept fit is called."""
        what = f"α = {self.alpha:.3g}"
        if self.keep is not None:
            what = f"about {data.nouns.count_features(self.keep)}"
        marks = {
            SOLVERS[self.solvers[-1]].title: self.solver != "admm",
            "absolute": self.penalty_scale == "absolute",
            "mean left in": not self.center,
            "unit norm": self.normalize,
        }
        return ", ".join(
            ["Fit", what, f"β = {self.beta:.3g}", *(mark for mark in marks if marks[mark])]
        )

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """What is used, how sure that is, and what would say more."""
        fits = self.fits(results)
        fit, judge, nouns = next(iter(fits.values())), fits["admm"], data.nouns
        numbers = {"n_kept": fit.n_kept, "duality_gap": fit.duality_gap}
        sure = "No lower bound of the optimum was proven."
        if math.isfinite(fit.duality_gap):
            sure = f"Proven: this fit is {from_optimum(fit.duality_gap)}."
        findings = []
        if len(self.solvers) > 1 and "reweighted" in fits:
            findings.append(distance_words(fits["reweighted"], judge.dual_objective))
        findings.append(influence_words(fit, data, self.center))
        findings += [tie_words(fit, nouns), near_words(fit, nouns)]
        # A run whose set is gone has no samples, of which the bounds are made.
        if not isinstance(data, Described):
            findings.append(identity_words(judge, data, self.center, self.normalize))
        regime = regime_words(judge, data, self.center)
        first = Finding(f"{regime} {sure}", numbers=numbers)
        return [first, *(Finding(sentence) for sentence in findings if sentence)]

    def snippet(self, data: Dataset) -> str:
        """Lines of Python that repeat it from a cold start."""
        recipe = data.recipe
        if recipe is None or self.keep is not None or self.solver == "both":
            return super().snippet(data)
        usual = declared(Fit)
        options = [
            f"{name}={value!r}"
            for name, value in self.model_arguments(self.solver).items()
            if name in ("alpha", "beta", "tol") or value != usual[name].default
        ]
        bound, gap = "", "model.duality_gap_"
        if self.solver != "admm":
            judge = [option for option in options if not option.startswith(("solver", "max_iter"))]
            bound = f"bound = CSPCA({', '.join(judge)}).fit(d.data).dual_objective_\n"
            gap = "model.fit_.measured_by(bound).duality_gap"
        return (
            "from cspca import CSPCA\n"
            f"from cspca.datasets import {', '.join(recipe.names)}\n"
            f"d = {recipe.source}\n"
            f"model = CSPCA({', '.join(options)}).fit(d.data)\n"
            f"{bound}print(model.feature_order_[:10], {gap})"
        )


def proven(fit: fitted.Fit | None, nouns: Nouns) -> tuple[NDArray[Any], int | None, str]:
    """Ceilings of the scores in every optimum, a share that they are shown by, words for the two.

    In per cent of the highest score; ceilings are rounded up, or infinite above the largest share.
    Theirs is the least under which half of the exact zeros are, or the largest; None where nothing
    is proven, or there is no certified fit yet.
    """
    ceilings, share = np.empty(0), None
    if fit is not None:
        percentages = (
            100.0 * fit.feature_score_bounds / (float(fit.feature_scores.max()) or math.nan)
        )
        some, ceilings = percentages <= _SHARES[-1], np.full(len(percentages), np.inf)
        step = 10.0 ** np.floor(np.log10(percentages[some]) - 1.0)
        ceilings[some] = np.ceil(percentages[some] / step) * step
        zeros = ceilings[fit.feature_scores == 0.0]
        if np.isfinite(zeros).any():
            half = [
                candidate
                for candidate in _SHARES
                if 2 * np.count_nonzero(zeros <= candidate) >= len(zeros)
            ]
            share = (half or _SHARES[-1:])[0]
    if share is None:
        why = " at α = 0" if fit is not None and fit.alpha == 0.0 else ""
        return ceilings, None, f"Nothing is proven of single {nouns.features}{why}"
    count = int(np.count_nonzero(ceilings <= share))
    counted = nouns.count_features(count)
    return ceilings, share, f"{counted}: at most {share} % of the best score (proven)"


_SHARES = (1, 2, 5, 10, 20)


Steps = Generator[tuple["Stepwise", "Iterate"], None, None]


def course(data: NDArray[Any], parameters: Mapping[str, Any], **options: Any) -> Steps:
    """Model and iterate at every iteration of a cell's fit or search; the last is the answer.

    Closed before its end, it leaves the model as far as it got. `options` is for
    :meth:`cspca.CSPCA.iterate`: what to start from, and what is at hand.
    """
    from cspca.stepwise import Stepwise

    arguments = dict(parameters)
    keep, _ = arguments.pop("keep"), arguments.pop("proven", None)
    # The objective at every iteration: a curve to look at, which changes no number. It knows no
    # clock, so a course that is repeated is the same.
    options = {"watch": 0.0} | options
    if keep is None:
        # It keeps the solver's state, from which the fit can go on or another one start.
        model = Stepwise(**arguments, warm_start=True)
        iterates: Any = model.iterate(data, **options)
        with closing(iterates):
            for iterate in iterates:
                yield model, iterate
        return
    # It loads scikit-learn, which a first picture does not wait for.
    from cspca.keep import keep_features

    for name in ("alpha", "solver", "penalty_scale"):
        del arguments[name]
    yield from keep_features(data, keep, **arguments, **options)


def result_of(fit: fitted.Fit, seconds: float = 0.0) -> Result:
    """A fit as the result of its cell."""
    return Result((fit.numbers(),), fit.to_arrays(), seconds)


def features_in_use(fit: fitted.Fit) -> list[int]:
    """Features whose score is not exactly zero."""
    return np.flatnonzero(fit.feature_scores).tolist()


def feature_name(data: Dataset, feature: int) -> str:
    """The name of a feature, its place in the picture, or its number from 1."""
    if data.image_shape is not None:
        row, column = divmod(feature, data.image_shape[1])
        return f"row {row + 1}, column {column + 1}"
    if data.feature_names is not None:
        return data.feature_names[feature]
    return f"{data.nouns.feature} {feature + 1}" if data.axis is None else data.axis.name(feature)


@of_data
def feature_names(data: Dataset) -> tuple[str, ...]:
    """The names of all features, made once: there may be thousands."""
    return tuple(feature_name(data, feature) for feature in range(data.n_features))


def count_near(scores: NDArray[Any], k: int) -> int:
    """Count the scores within a thousandth of the k-th best; 0 where that one is 0."""
    last = float(np.sort(scores)[-k])
    return int(np.count_nonzero(np.abs(scores - last) <= NEAR * last)) if last > 0.0 else 0


def caution(regime: str, nouns: Nouns, gap: float) -> str:
    """What must be said of a map in this regime; empty where its scores are read as they are.

    W = 0 counts as optimal where the gap is round-off, as it is wherever theory.md §10 proves it.
    """
    words = CAUTIONS.get(regime, "")
    if regime == "zero" and gap <= PROVEN_GAP:
        words = ZERO_IS_OPTIMAL
    return words.format(
        sample=nouns.sample,
        samples=nouns.samples,
        feature=nouns.feature,
        features=nouns.features,
        a_feature=nouns.a_feature,
    )


def has_order(fit: fitted.Fit) -> bool:
    """Whether a fit puts any feature that varies before another."""
    if fit.regime in ("zero", "identity") or fit.alpha == 0 == fit.beta:
        return False
    ranks = fit.ranks[~fit.is_constant]
    return len(ranks) < 2 or bool((ranks > 1).any())


def no_order_words(fit: fitted.Fit, nouns: Nouns) -> str:
    """Say why a fit puts no feature before another; empty where it orders them."""
    if has_order(fit):
        return ""
    if fit.regime in ("zero", "identity"):
        return caution(fit.regime, nouns, fit.duality_gap)
    if fit.alpha == 0 == fit.beta:
        if fit.regime == "reproduced":
            return NO_PENALTY.format(sample=nouns.sample)
        return "Without a penalty there is no ranking to read. Raise α or β."
    scores = fit.feature_scores[~fit.is_constant]
    if fit.regime == "dense" and (scores == 1.0).all():
        return (
            "The map is W = I, which is not proven to be the optimum: all "
            f"{nouns.count_features(len(scores))} that vary are kept; whether they tie is open."
        )
    return (
        f"All {nouns.count_features(len(scores))} that vary tie: they have the same importance, so "
        "there is no ranking to read."
    )


def tie_at_cut_words(fit: fitted.Fit, k: int, nouns: Nouns) -> str:
    """Say why a fit has no best k features; empty where it has, or orders none at all."""
    ahead = ahead_of_cut(fit.ranks, k)
    last = int(np.count_nonzero(fit.ranks <= k))
    if ahead == last or not has_order(fit):
        return ""
    return (
        f"{nouns.count_features(last - ahead)} tie at places {ahead + 1:,} to {last:,}: which of "
        f"them are among the best {k:,} means nothing."
    )


def best_of(fit: fitted.Fit, k: int) -> list[int]:
    """List the best k features, without a tie that the list would cut; none without an order."""
    if not has_order(fit):
        return []
    best: list[int] = fit.feature_order[: ahead_of_cut(fit.ranks, k)].tolist()
    return best


def shown_ranks(fit: fitted.Fit) -> NDArray[np.int64]:
    """Ranks of all features as they are shown: 1 for each where there is no order."""
    return fit.ranks if has_order(fit) else np.ones_like(fit.ranks)


def tie_words(fit: fitted.Fit, nouns: Nouns) -> str:
    """Say which features in use tie, where the regime does not say it."""
    if fit.regime in ("zero", "identity") or fit.alpha == 0 == fit.beta:
        return ""
    if reason := no_order_words(fit, nouns):
        return reason
    return _shared_places_words(fit, nouns)


def near_words(fit: fitted.Fit, nouns: Nouns) -> str:
    """Say how many features in use are nearer to a neighbour in the order than the gap."""
    if not has_order(fit):
        return ""
    order = fit.feature_order[fit.feature_scores[fit.feature_order] > 0.0]
    scores, groups = fit.feature_scores[order].astype(np.float64), fit.feature_ties[order]
    is_near = (groups[1:] != groups[:-1]) & (
        np.abs(np.diff(scores)) <= fit.duality_gap * scores[:-1]
    )
    n_near = int(np.count_nonzero(np.r_[is_near, False] | np.r_[False, is_near]))
    if n_near == 0 or not math.isfinite(fit.duality_gap):
        return ""
    return (
        f"{n_near:,} of {nouns.count_features(len(order))} in use differ from a neighbour in the "
        f"order by at most {percent(fit.duality_gap)}: a tighter fit may order them otherwise. The "
        "gap bounds the objective, not the scores: wider differences are not proven either."
    )


def _shared_places_words(fit: fitted.Fit, nouns: Nouns) -> str:
    """Say which features in use tie, in one group or several."""
    places, counts = np.unique(fit.ranks[fit.feature_scores > 0], return_counts=True)
    shared = counts > 1
    if shared.any():
        largest = int(counts.argmax())
        first, size = int(places[largest]), int(counts[largest])
        where = f"places {first:,} to {first + size - 1:,}"
        if np.count_nonzero(shared) == 1:
            return f"{nouns.count_features(size)} tie at {where}: none of them is before another."
        return (
            f"{nouns.count_features(int(counts[shared].sum()))} tie, in "
            f"{np.count_nonzero(shared):,} groups, the largest of {size:,} at {where}: inside a "
            "group none is before another."
        )
    return ""


def explained_share(fit: fitted.Fit, data: Dataset, center: bool) -> float:
    """Share of the variation that a fit explains: ``1 − ‖A W − A‖²_F / ‖A‖²_F``.

    A are the samples as the fit sees them, centred and scaled if it does so.
    """
    from cspca.preprocessing import preprocess

    def variation() -> float:
        A, _ = preprocess(data.data, center, fit.normalize)
        return float(np.square(A, dtype=np.float64).sum())

    total = once(data, variation, "variation", center, fit.normalize)
    residual = float(np.square(fit.sample_residuals, dtype=np.float64).sum())
    return 1.0 - residual / total if total > 0.0 else 0.0


def _share_in_words(share: float) -> str:
    """A share in whole per cent; next to all and to nothing it says so."""
    if share > 0.99:
        return "more than 99 %"
    return f"{100 * share:.0f} %" if share >= 0.01 else "less than 1 %"


def regime_words(fit: fitted.Fit, data: Dataset, center: bool) -> str:
    """Say in words which regime the map of a certified fit is in, and what to do."""
    nouns = data.nouns
    many, n_used = nouns.features, fit.n_kept
    n_features = len(fit.feature_scores)
    if fit.regime == "reproduced" and fit.alpha == 0 == fit.beta:
        return NO_PENALTY.format(sample=nouns.sample)
    if fit.regime == "reproduced":
        verb = "is" if n_used == 1 else "are"
        return (
            f"{caution(fit.regime, nouns, fit.duality_gap)} {n_used:,} of {n_features:,} {many} "
            f"{verb} in use. Raise α or β."
        )
    if fit.regime in CAUTIONS:
        return caution(fit.regime, nouns, fit.duality_gap)
    zero = n_features - n_used
    if fit.regime == "dense":
        others = f", the other {zero:,} never change" if zero else ""
        return (
            f"Dense: all {n_used:,} {many} that vary are in use{others}; raise α to leave some out."
        )
    if not hasattr(data, "data"):
        # A run is described without its samples.
        return (
            f"Sparse: {n_used:,} of {n_features:,} {many} {'is' if n_used == 1 else 'are'} in use; "
            f"{zero:,} {'is' if zero == 1 else 'are'} exactly zero."
        )
    return (
        f"Sparse: {n_used:,} of {n_features:,} {many} {'explains' if n_used == 1 else 'explain'} "
        f"{_share_in_words(explained_share(fit, data, center))} of the variation of the "
        f"{nouns.samples}; {zero:,} {'is' if zero == 1 else 'are'} exactly zero."
    )


def influence_words(fit: fitted.Fit, data: Dataset, center: bool) -> str:
    """Say of the sample of most influence what it may do; empty where none has that much."""
    samples = influential(fit)
    if not len(samples):
        return ""
    sample, nouns = int(samples[0]), data.nouns
    name = data.sample_name(sample)
    if math.isinf(fit.sample_influence[sample]):
        return f"But for {name} all {nouns.samples} are the same: it decides this map alone."
    weight = weight_words(fit, sample, nouns, center)
    if fit.regime == "reproduced":
        return (
            f"{capitalised(name)} weighs much: {weight}. Beside its size their errors may "
            "look like nothing in a sum: look at them one by one."
        )
    if not is_rebuilt_well(fit, sample):
        return f"{capitalised(name)} weighs much: {weight}. Its own error is not small."
    return (
        f"{capitalised(name)} may decide this map: {weight}. It may be rebuilt for its weight "
        "alone: its small error is no evidence that it belongs. The proven gap is a share of the "
        f"whole objective, and says little of the other {nouns.samples}."
    )


def weight_words(fit: fitted.Fit, sample: int, nouns: Nouns, center: bool) -> str:
    """Say the influence of a sample as a clause on its norm."""
    measured = f", measured from the mean of the other {nouns.samples}," if center else ""
    influence = influence_text(float(fit.sample_influence[sample]))
    return f"its norm{measured} is {influence} times the norms of all others together"


def influential(fit: fitted.Fit) -> NDArray[np.intp]:
    """Samples whose influence is worth a look, the largest first.

    It is above :data:`INFLUENTIAL`, and twice that of samples of one norm. There are none in W = 0
    and W = I.
    """
    influence = fit.sample_influence
    if fit.regime in ("zero", "identity"):
        return np.empty(0, dtype=np.intp)
    least = max(INFLUENTIAL, 2.0 / max(len(influence) - 1, 1))
    order = np.argsort(-influence, kind="stable")
    return order[influence[order] > least]


def is_rebuilt_well(fit: fitted.Fit, sample: int) -> bool:
    """Whether a sample's error is at most half of its share, by norm, of the errors of others."""
    influence = float(fit.sample_influence[sample])
    if math.isinf(influence):
        return True
    others = float(np.delete(fit.sample_residuals, sample).sum())
    return float(fit.sample_residuals[sample]) <= 0.5 * influence * others


def influence_text(influence: float) -> str:
    """An influence with as many digits as count."""
    if math.isinf(influence):
        return "∞"
    return f"{influence:.2g}" if influence < 10 else f"{influence:,.0f}"


def _largest_influence(fit: fitted.Fit, data: Dataset) -> str:
    influence = fit.sample_influence
    sample = int(np.argmax(influence))
    return f"{influence_text(float(influence[sample]))}, {data.sample_name(sample)}"


def identity_words(
    fit: fitted.Fit, data: Dataset, center: bool, normalize: bool, *, quick: bool = False
) -> str:
    """Say where W = I ends to be the optimum, of a fit in that regime or next to it.

    In seconds, where the data are large; `quick` takes the two bounds that need no iteration.
    """
    from cspca.problem.identity import identity_edge

    total = fit.alpha + fit.beta
    if fit.regime not in ("identity", "reproduced", "dense") or total == 0.0:
        return ""
    reduced = reduction(data, center, normalize)
    steps = {"max_iter": 0} if quick else {}
    cache_key = "identity", center, normalize, quick
    edge = once(data, lambda: identity_edge(reduced, **steps), *cache_key)
    if edge.high == 0.0 or total > 2.0 * edge.high:
        return ""
    low = max(edge.low, total) if fit.regime == "identity" else edge.low
    least, most = f"{low:.5g}", f"{max(low, edge.high):.5g}"
    proven = f"to lie between {least} and {most}" if least != most else f"to be {least}"
    return (
        f"W = I is the optimum up to α + β = t*, which is proven {proven}; here α + β = "
        f"{total:.5g}, absolute."
    )


def distance_words(paper: fitted.Fit, bound: float) -> str:
    """Say how far Algorithm 1 ended above a bound that the certified solver has proven."""
    if bound <= 0:
        return ""
    return (
        f"After {paper.n_iter} iterations Algorithm 1 stands {percent(paper.objective / bound - 1)}"
        " above the lower bound."
    )


def _penalty(value: float, largest: float, sign: str) -> str:
    """Say a penalty as a fraction of the one at which nothing is left, and absolute."""
    if largest <= 0:
        return f"{value:.4g}, absolute"
    return f"{value / largest:.4g} of {sign}_max; {value:.5g}, absolute"
