"""Paper: its tables, figures and claims on one data set, as the cells of other experiments."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from cspca.evaluation import Comparison
from cspca.evaluation.comparison import parameters_text
from cspca.experiments import steps
from cspca.experiments.compare import Compare, curves
from cspca.experiments.convergence import Convergence
from cspca.experiments.experiment import Cell, Finding, Result, Results
from cspca.experiments.settings import again, setting
from cspca.experiments.steps import OnSteps
from cspca.experiments.suspects import exact_in_its_window
from cspca.figures.penalty_grid import penalty_grid
from cspca.figures.words import from_optimum, power
from cspca.paper import numbers
from cspca.paper.checks import CHECKS
from cspca.paper.claims import Evidence, Verdict, judge, points_of, unranked_points
from cspca.paper.numbers import METRIC_TITLES, recognised
from cspca.selection import PAPER_GRID
from cspca.selection.registry import METHODS_IN_PAPER

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.datasets import Dataset

PARTS: Mapping[str, str] = {
    "comparison": "Tables and sensitivity",
    "starts": "Seven starts and convergence",
    "checks": "Other claims",
}
"""Parts of the protocol, and their titles."""

OUTSIDE = "All features, evaluated by others"
"""The title of the table of what others have found."""

_TOLERANCE = 1e-3
"""Gap to which the comparison's fits are certified."""


_REVISIONS: Mapping[str, int] = {
    "theorem-1": 1,
    "unseen": 2,
    "outliers": 4,
    "large-norm": 2,
    "halves": 1,
}
"""Of the checks, raised when their numbers change."""

_LEAN: Mapping[str, Any] = {"n_draws": 0, "bootstrap": 0, "beside": False}
"""What the paper does not measure, chance too, is left to Compare."""


@dataclass(frozen=True)
class Paper(OnSteps):
    """The paper's protocol on one data set with classes, whole or shortened.

    The figures for the number of features and for the sensitivity are slices of the comparison,
    and those for the convergence are read off the starts: nothing is computed twice.
    """

    question = "Does the paper hold on {data.name}?"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "quick": {
            "n_seeds": 5,
            "grid": (1e-2, 1.0, 1e2),
            "n_counts": 3,
            "starts": ("diagonal-1", "constant-1", "random"),
        }
    }

    parts: tuple[str, ...] = setting(
        tuple(PARTS), label="Parts", choices=tuple(PARTS), help="What is computed."
    )
    n_seeds: int = again(
        Compare,
        "n_seeds",
        limits=(2, 1000),
        help="Starts of K-means; the paper’s protocol takes 30.",
    )
    grid: tuple[float, ...] = setting(
        PAPER_GRID,
        label="Values of every parameter",
        limits=(0.0, 1e12),
        help="Tried for every parameter of every method; must hold 1.",
    )
    n_counts: int | None = setting(
        None,
        label="Numbers of features",
        limits=(1, 100),
        help="How many of the paper’s; all by default.",
    )
    starts: tuple[str, ...] = again(Convergence, "inits")

    def __post_init__(self) -> None:
        super().__post_init__()
        if 1.0 not in self.grid:
            raise ValueError("The grid must hold 1: figures of the paper fix α = β = 1.")

    @property
    def is_the_papers(self) -> bool:
        """Whether nothing is shortened, whatever parts are run."""
        return self == Paper(parts=self.parts)

    def words(self) -> str:
        """Say what the protocol takes, and what it leaves out."""
        counts = "all of the protocol’s" if self.n_counts is None else f"{self.n_counts}"
        n = len(self.grid)
        text = (
            f"{self.n_seeds} starts of K-means, {n} values of every parameter ({n} × {n} pairs of "
            f"α and β), {counts} numbers of features, {len(self.starts)} initialisations."
        )
        return text if self.is_the_papers else f"{text} This is not the paper’s protocol."

    def counts(self, data: Dataset) -> tuple[int, ...]:
        """Numbers of features to cluster on."""
        every = numbers.feature_counts(recognised(data).paper_set, data.n_features)
        if self.n_counts is None or self.n_counts >= len(every):
            return every
        places = np.linspace(0, len(every) - 1, self.n_counts) + 0.5
        if self.n_counts == 1:
            places += len(every) // 2
        return tuple(every[int(place)] for place in places)

    def comparison(self, data: Dataset) -> Compare:
        """The comparison behind the tables."""
        # Its φ₂ is the Laplacian Score once more; the paper does not say which it takes.
        grids: dict[str, list[dict[str, Any]]] = {"spec": [{"function": "phi1"}]}
        grids |= {"udfs": [], "cspca": []}
        for first, second in itertools.product(self.grid, repeat=2):
            grids["udfs"].append({"gamma": first, "regularization": second})
            grids["cspca"].append({"alpha": first, "beta": second, "penalty_scale": "absolute"})
        counts = self.counts(data)
        settings: dict[str, Any] = {**_LEAN, "n_seeds": self.n_seeds}
        return Compare(METHODS_IN_PAPER, n_features=counts, grids=grids, **settings)

    def spread(self, data: Dataset) -> Compare | None:
        """All features from starts of k-means++, where others have done the same."""
        of, same, _ = recognised(data)
        if of is None or of.fseval is None or not same:
            return None
        settings: dict[str, Any] = {**_LEAN, "n_seeds": self.n_seeds}
        return Compare(("all",), init="k-means++", **settings)

    def initialisations(self, data: Dataset) -> Convergence:
        """The starts behind the convergence figure and the table of seven."""
        counts = self.counts(data)
        k = counts[len(counts) // 2]
        return Convergence(inits=self.starts, n_features=k, n_seeds=self.n_seeds, center=True)

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """Those of the comparison, of the starts, and a cell a check."""
        if not data.has_classes:
            if data.target is None:
                raise ValueError(
                    f"{data.name} has no classes, and the paper's tables need them: bring labels "
                    "too."
                )
            raise ValueError(f"{data.without_scores}, and the paper's tables need classes.")
        if "comparison" in self.parts:
            yield from self.comparison(data).cells(data)
            spread = self.spread(data)
            if spread is not None:
                # All features are ranked, which takes nothing, by the comparison.
                yield from (cell for cell in spread.cells(data) if cell.step == "cluster")
        if "starts" in self.parts:
            yield from self.initialisations(data).cells(data)
        if "checks" in self.parts:
            for key, (title, _) in CHECKS.items():
                yield Cell("check", {"check": key}, revision=_REVISIONS[key], title=title)
            yield Cell("check", {"check": "haystack"}, title="Hidden subspaces")

    def compute(self, cell: Cell, data: Dataset, needed: Results) -> Result:
        """Rank, cluster, fit along a path, or check."""
        if cell.step != "check":
            return super().compute(cell, data, needed)
        key = cell.parameters["check"]
        if key == "haystack":
            # The data have no part in it.
            return Result(({"check": key, **exact_in_its_window()},))
        return Result(({"check": key, **CHECKS[key][1](data.data)},))

    def compared(self, results: Results, data: Dataset) -> Comparison:
        """What is there of the comparison."""
        return self.comparison(data).comparison(results, data)

    def paper_tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The paper's two result tables with ours beside, by metric."""
        done, of = self.compared(results, data), recognised(data).paper_set
        spread, tables = self.spread(data), {}
        far = None if spread is None else spread.comparison(results, data)
        for metric in METRIC_TITLES:
            if metric in done.metrics:
                alike = done.table("nmi_max") if metric == "nmi" else None
                far_rows = far.table(metric) if far is not None and metric in far.metrics else ()
                rows = done.table(metric)
                tables[metric] = numbers.paper_table(
                    rows, of, metric, alike=alike, spread=far_rows, unranked=done.unranked()
                )
        return tables

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Tables beside the paper's, starts, checks and verdicts."""
        tables, evidence = {}, self.evidence(results, data)
        both = [
            rows.assign(metric=METRIC_TITLES[metric])
            for metric, rows in self.paper_tables(results, data).items()
        ]
        if both:
            tables["Paper"] = pd.concat(both, ignore_index=True)
        tables |= self.initialisations(data).tables(results, data)
        if evidence.checks:
            tables["Checks"] = pd.DataFrame(list(evidence.checks.values()))
        claims = [
            (
                assessment.claim.key,
                assessment.claim.says,
                assessment.verdict.value,
                assessment.number,
                assessment.text,
            )
            for assessment in judge([evidence])
        ]
        names = ["claim", "says", "verdict", "number", "sentence"]
        tables["Claims"] = pd.DataFrame(claims, columns=names)
        return tables

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables, by what was computed."""
        compared = any(cell.step == "cluster" and cell.needs[0].step == "rank" for cell in results)
        checked = any(cell.step == "check" for cell in results)
        return (
            *(["Paper"] if compared else []),
            *self.initialisations(data).table_titles(results, data),
            *(["Checks"] if checked else []),
            "Claims",
        )

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The paper's tables with ours beside, and where each start leads."""
        same = recognised(data).same_data
        printed_tables, tables = {}, self.paper_tables(results, data)
        for metric, rows in tables.items():
            if rows["ours_best_of_grid"].notna().any():
                shown = numbers.printed_table(rows, metric, same_data=same)
                printed_tables[f"{METRIC_TITLES[metric]}, the paper’s and ours"] = shown
        outside = numbers.outside_table(tables) if same else pd.DataFrame()
        if len(outside):
            printed_tables[OUTSIDE] = outside
        return printed_tables | self.initialisations(data).printed(results, data)

    def evidence(self, results: Results, data: Dataset) -> Evidence:
        """What the claims are judged by."""
        done, runs = self.compared(results, data), {}
        for metric in METRIC_TITLES:
            if metric in done.metrics:
                runs[metric] = {key: best.runs for key, best in done.best(metric).items()}
        checks = (result.rows[0] for _, result in steps.of(results, "check"))
        return Evidence(
            title=data.name,
            papers_protocol=self.is_the_papers,
            **runs,
            points=points_of(done),
            no_ranking=unranked_points(done),
            starts=self.initialisations(data).evidence(results),
            checks={row["check"]: row for row in checks},
        )

    def plainly(self, results: Results, data: Dataset) -> list[str]:
        """What does not reproduce, and what is not proven."""
        return plain_words(data, self.paper_tables(results, data), gaps_of(results))

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """The count of verdicts, every claim with its verdict, and the numbers in plain words."""
        judged = judge([self.evidence(results, data)])
        counts = Counter(assessment.verdict for assessment in judged)
        counted = ", ".join(
            f"{verdict.value} {counts[verdict]}" for verdict in Verdict if counts[verdict]
        )
        protocol = "" if self.is_the_papers else ", by a shortened protocol"
        sentence = recognised(data).sentence
        first = Finding(f"{len(judged)} claims of the paper{protocol}: {counted}. {sentence}")
        claims = [
            Finding(
                assessment.text,
                assessment.verdict.name.lower(),
                claim=assessment.claim.says,
                where=assessment.claim.where,
                number=assessment.number,
                rests=assessment.claim.rests if assessment.text else "",
            )
            for assessment in judged
        ]
        return [first, *claims, *(Finding(text) for text in self.plainly(results, data))]

    def importance(self, results: Results) -> None:
        """None: no single fit is its result."""

    def feature_figure(self, results: Results, data: Dataset) -> go.Figure | None:
        """CSPCA at α = β = 1 against the number of features, as the paper's figure fixes them."""
        done = self.compared(results, data)
        unit_penalties = parameters_text({"alpha": 1.0, "beta": 1.0, "penalty_scale": "absolute"})
        rows = done.results[done.results["method"].isin(("all", "cspca"))]
        rows = rows[rows["parameters"].isin(("", unit_penalties))]
        if "accuracy" not in done.metrics or "cspca" not in set(rows["method"]):
            return None
        return curves(Comparison(done.plan, rows), "accuracy", data)

    def grid_figure(
        self, results: Results, data: Dataset, *, n_features: int = 0, bars: bool = False
    ) -> go.Figure | None:
        """ACC over α and β at one number of features, that of the best choice unless given."""
        done = self.compared(results, data)
        evidence = Evidence(data.name, points=points_of(done), no_ranking=unranked_points(done))
        every = {*evidence.points, *evidence.no_ranking}
        if not every:
            return None
        k = n_features or evidence.best_count or max(count for *_, count in every)
        runs = evidence.grid(k)
        alphas, betas = (sorted({point[i] for point in every}) for i in (0, 1))
        unranked = {
            (a, b): reason for (a, b, count), reason in evidence.no_ranking.items() if count == k
        }
        means = {point: 100.0 * accuracies.mean() for point, accuracies in runs.items()}
        regimes = self.regimes(results)
        return penalty_grid(
            alphas,
            betas,
            means,
            regimes,
            value_title="ACC, %",
            bars=bars,
            no_ranking=unranked,
            nouns=data.nouns,
        )

    def regimes(self, results: Results) -> dict[tuple[float, float], str]:
        """The regime of every fit of the comparison, by α and β."""
        regimes = {}
        for point, result in _fits(results).items():
            scores, details = result.arrays["scores"], result.rows[0]
            used = scores[scores > 0]
            full = details.get("rank", 0) == len(used)
            regimes[point] = "sparse" if details.get("n_zero", 0) > 0 else "dense"
            if not len(used):
                regimes[point] = "zero"
            elif full and (used == 1.0).all():
                # Rows of W of norm 1, all, are the identity.
                regimes[point] = "identity"
        return regimes

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """The paper's three figures, as far as there is something to draw."""
        figures = {
            f"How many {data.nouns.features}?": self.feature_figure(results, data),
            "Effect of α and β": self.grid_figure(results, data),
        }
        drawn = {question: figure for question, figure in figures.items() if figure is not None}
        return drawn | self.initialisations(data).figures(results, data)


def plain_words(
    data: Dataset, tables: Mapping[str, pd.DataFrame], gaps: Mapping[tuple[float, float], float]
) -> list[str]:
    """What does not reproduce, and what is not proven, by the paper's tables and all gaps."""
    if "accuracy" not in tables:
        return []
    sentences = numbers.plain_statement(recognised(data), tables["accuracy"])
    proven = sum(gap <= _TOLERANCE for gap in gaps.values())
    if proven < len(gaps):
        alpha, beta = max(gaps, key=gaps.__getitem__)
        sentences.append(
            f"{proven} of {len(gaps)} fits of CSPCA are certified to 0.1 %; the furthest is "
            f"{from_optimum(gaps[alpha, beta])}, at α = {power(alpha)}, β = {power(beta)}."
        )
    return sentences


def gaps_of(results: Results) -> dict[tuple[float, float], float]:
    """Duality gaps of the comparison's fits of CSPCA, by α and β."""
    return {point: fit.rows[0]["duality_gap"] for point, fit in _fits(results).items()}


def _fits(results: Results) -> dict[tuple[float, float], Result]:
    """Fits of CSPCA in the comparison, by α and β."""
    fits = {}
    for cell in results:
        if cell.step == "rank" and cell.parameters["method"] == "cspca":
            parameters = cell.parameters["parameters"]
            fits[parameters["alpha"], parameters["beta"]] = results[cell]
    return fits
