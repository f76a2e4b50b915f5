"""Sensitivity: CSPCA over a grid of its penalties, each point from a cold start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS
from cspca.experiments.experiment import Cell, Finding, Results
from cspca.experiments.settings import setting
from cspca.experiments.steps import Measure, OnFits, told
from cspca.figures.penalty_grid import REGIMES, penalty_grid
from cspca.figures.words import above, from_optimum, gap_in_words, power
from cspca.selection import PAPER_GRID, RELATIVE_GRID

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.datasets import Dataset


_JUDGED = (
    "Rests on labels: the fits never see them, but the clusters are held against them, so a choice "
    "of α and β by this figure is made by labels."
)

MEASURES = {
    "accuracy_mean": Measure(
        METRICS["accuracy"].unit,
        _JUDGED,
        METRICS["accuracy"].say,
        "Where do clusters agree with classes?",
    ),
    "nmi_mean": Measure(
        METRICS["nmi"].unit,
        _JUDGED,
        METRICS["nmi"].say,
        "Where do they share most information (NMI)?",
    ),
    "n_zero": Measure(
        "Exact zeros",
        "Number of {features} whose row of W is exactly zero. Needs no labels.",
        "{:,}".format,
        "Where is W sparse?",
    ),
    "rank": Measure(
        "Rank", "Rank of W. Needs no labels.", "{:,}".format, "Where is W of low rank?"
    ),
    "duality_gap": Measure(
        "Distance from optimum",
        "How far the objective of each fit is above the optimum, at most: its own lower bound "
        "proves it. Needs no labels. Fits end at about 0.1 %.",
        gap_in_words,
    ),
    "objective": Measure(
        "Objective",
        "The value that is minimised. It grows with α and β, so it says nothing about which point "
        "is better. Needs no labels.",
        "{:,.6g}".format,
    ),
}


@dataclass(frozen=True)
class Sensitivity(OnFits):
    """A grid of α and β, and what clusters on the best features of each fit are worth."""

    question = "What is the effect of α and β on {data.name}?"
    told_apart = ("alpha", "beta")
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "absolute": {"penalty_scale": "absolute", "alphas": PAPER_GRID, "betas": PAPER_GRID}
    }

    alphas: tuple[float, ...] = setting(
        RELATIVE_GRID, label="α", limits=(0.0, math.inf), help="Penalties on rows (sparsity)."
    )
    betas: tuple[float, ...] = setting(
        RELATIVE_GRID, label="β", limits=(0.0, math.inf), help="Penalties on the rank."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("alphas", "betas"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    def words(self) -> str:
        """How many points and starts."""
        points = f"{len(self.alphas)} × {len(self.betas)} pairs of α and β"
        return f"{points}, {self.n_seeds} starts of K-means" if self.n_seeds else points

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """A fit a point, each followed by its clusterings."""
        for alpha in self.alphas:
            for beta in self.betas:
                yield from self.path(data, [self.max_iter], alpha=alpha, beta=beta, solver="admm")

    def outline(self, data: Dataset) -> Iterator[tuple[Cell, int]]:
        """A point a β stands for those of every α."""
        for beta in self.betas:
            given = {"alpha": self.alphas[0], "beta": beta, "solver": "admm"}
            for cell in self.path(data, [self.max_iter], **given):
                yield cell, len(self.alphas)

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The grid, one row a point."""
        return {"Grid": self.means(results)}

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Title of the grid."""
        return ("Grid",)

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The grid of each measure, α down and β across, and every point."""
        rows = self.means(results).to_dict("records")
        relative = "/max" if self.penalty_scale == "relative" else ""
        head = [f"α{relative} \\ β{relative}", *map(power, self.betas)]
        lines = {(row["alpha"], row["beta"]): said(row) for row in rows}
        found = {}
        for title in (METRICS[name].unit for name in ("accuracy", "nmi")):
            texts = {point: line[title] for point, line in lines.items() if title in line}
            if texts:
                square = []
                for alpha in self.alphas:
                    cells = (texts.get((alpha, beta), "–") for beta in self.betas)
                    square.append([power(alpha), *cells])
                frame = pd.DataFrame(square, columns=head)
                frame.attrs["note"] = f"{title}, mean ± standard deviation."
                found[f"{title} over the grid"] = frame
        points = [{"α": power(a), "β": power(b), **line} for (a, b), line in lines.items()]
        return found | {"Every point": pd.DataFrame(points)}

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """The grid by each measure, and ACC as the paper draws it."""
        points = self.means(results)
        found = {
            one.question: self.figure(results, name, nouns=data.nouns)
            for name, one in MEASURES.items()
            if one.question and name in points
        }
        if "accuracy_mean" in points:
            bars = self.figure(results, "accuracy_mean", bars=True, nouns=data.nouns)
            found["ACC as the paper draws it"] = bars
        return found

    def figure(self, results: Results, name: str, **look: Any) -> go.Figure:
        """The grid coloured by one measure, flat with a cell outlined, or as the paper's bars."""
        rows = self.means(results).to_dict("records")
        points = {(row["alpha"], row["beta"]): row for row in rows}
        title, proven = MEASURES[name].label, name == "duality_gap"
        title += ", at most (%)" if proven else ""
        factor = 100.0 if "%" in title else 1.0
        values = {
            at: factor * (above(row[name]) if proven else row[name])
            for at, row in points.items()
            if name in row
        }
        regimes = {at: row["regime"] for at, row in points.items()}
        if name.removesuffix("_mean") in METRICS:
            look["no_ranking"] = {
                at: row["no_ranking"] for at, row in points.items() if row.get("no_ranking")
            }
        return penalty_grid(self.alphas, self.betas, values, regimes, value_title=title, **look)

    def called(self, values: Mapping[str, Any]) -> str:
        """A point of the grid, in words."""
        return f"α = {power(values['alpha'])}, β = {power(values['beta'])}"

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """How sure the fits are, and what the best of the grid is worth."""
        points = self.means(results)
        total, known = len(self.alphas) * len(self.betas), len(points)
        done = f"{total} points" if known == total else f"{known} of {total} points so far"
        relative = self.penalty_scale == "relative"
        unit = "fractions of α_max and β_max" if relative else "absolute values"
        gap = float(points["duality_gap"].max())
        sentence = (
            f"CSPCA at {done} of a grid of α and β, {unit}, each from a cold start. Every fit "
            f"is {from_optimum(gap)} (proven)."
        )
        found = [Finding(sentence, numbers={"points": known, "gap": gap})]
        best_points = self._best_points(points)
        if len(best_points):
            means, stds = 100 * points["accuracy_mean"], 100 * points["accuracy_std"]
            best, noise = best_points.index[0], float(stds.median())
            shared = ""
            if len(best_points) > 1:
                shared = f", one of {len(best_points)} cells with this score"
            sentence = (
                f"Best of the grid: ACC {means[best]:.1f} ± {stds[best]:.1f} % at "
                f"{self.called(points.loc[best])}{shared}. Over {means.count()} points it goes "
                f"from {means.min():.1f} to {means.max():.1f} %; the starts of K-means alone "
                f"spread it by ± {noise:.1f} at a usual point. The best of {means.count()} "
                "tries is partly "
                "luck, and it is chosen by the labels: a figure to quote chooses α and β on other "
                "starts, as Compare does."
            )
            numbers = {"accuracy": means[best] / 100, "spread": noise / 100}
            found.append(Finding(sentence, numbers=numbers))
        if "no_ranking" in points:
            reasons = points["no_ranking"].value_counts().drop("", errors="ignore")
            if len(reasons):
                counted = ", ".join(f"{reason} at {n}" for reason, n in reasons.items())
                sentence = (
                    f"No ranking and no score at {reasons.sum()} of {known} points: {counted}."
                )
                found.append(Finding(sentence, numbers={"no_ranking": int(reasons.sum())}))
        counts = points["regime"].value_counts()
        words = [f"{counts[one]} {name}" for one, (_, name, _) in REGIMES.items() if one in counts]
        found.append(Finding(f"Regimes of W over the grid: {', '.join(words)}."))
        reproduced = int(counts.get("reproduced", 0))
        if reproduced:
            nouns = data.nouns
            sentence = (
                f"At {reproduced} of {known} points every {nouns.sample} is rebuilt exactly: "
                f"there the map, for a given α/β, depends on the span of the {nouns.samples} "
                "alone, not on how they vary within it."
            )
            found.append(Finding(sentence, numbers={"reproduced": reproduced}))
        if halves := self.about_halves(results, data):
            found.append(Finding(halves))
        return found

    def best(self, results: Results) -> tuple[int, int] | None:
        """The first of the cells with the largest mean accuracy; None where no cell has one."""
        points = self._best_points(self.means(results))
        if points.empty:
            return None
        first = points.iloc[0]
        return self.alphas.index(first["alpha"]), self.betas.index(first["beta"])

    def _best_points(self, points: pd.DataFrame) -> pd.DataFrame:
        """The points with the largest mean accuracy; not all fits need be clustered yet."""
        if "accuracy_mean" not in points or points["accuracy_mean"].isna().all():
            return points[:0]
        means = points["accuracy_mean"]
        return points[np.isclose(means, means.max(), rtol=1e-12, atol=0.0)]


def said(row: Mapping[str, Any]) -> dict[str, str]:
    """What a point of the grid says, by the heads of a table."""
    more = {"Iterations": f"{row['n_iter']:,}", "Regime": REGIMES[row["regime"]][1]}
    return told(row, MEASURES) | more
