"""Paper: its tables, figures and claims on one data set, as the cells of other experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cspca.experiments import paths
from cspca.experiments.compare import Compare, look
from cspca.experiments.experiment import Cell, Experiment, Finding, Result, Results
from cspca.experiments.settings import clean, setting
from cspca.experiments.starts import Starts
from cspca.experiments.steps import clusterings
from cspca.paper.claims import Judged, Verdict, judge
from cspca.paper.evidence import Evidence, curve_at, grid_at, runs_of
from cspca.paper.numbers import GRID, METHODS_IN_PAPER, N_STARTS
from cspca.paper.recognition import Recognition, feature_counts, recognise
from cspca.paper.tables import METRIC_TITLES, paper_table, plain_statement, printed_table
from cspca.solvers import STARTS

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from cspca.datasets import Dataset

PARTS: Mapping[str, str] = {
    "comparison": "Tables and sensitivity",
    "starts": "Seven starts and convergence",
    "checks": "Other claims",
}
"""Parts of the protocol, and their titles."""

_TOLERANCE = 1e-3
"""Gap to which the comparison's fits are certified."""

_QUICK: dict[str, Any] = {
    "n_seeds": 5,
    "grid": (1e-2, 1.0, 1e2),
    "n_counts": 3,
    "starts": ("diagonal-1", "constant-1", "random"),
}


@dataclass(frozen=True)
class Paper(Experiment):
    """The paper's protocol on one data set with classes, whole or shortened.

    The figures for the number of features and for the sensitivity are slices of the comparison,
    and those for the convergence are read off the starts: nothing is computed twice.

    Parameters
    ----------
    parts : tuple of {"comparison", "starts", "checks"}
    n_seeds : int, default=30
    grid : tuple of float
        Of every parameter of every method; α and β absolute, as printed.
    n_counts : int or None, default=None
        How many of the paper's numbers of features, evenly chosen; None is all.
    starts : tuple of str
    """

    kind: ClassVar[str] = "paper"
    title: ClassVar[str] = "Paper"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"quick": _QUICK}

    parts: tuple[str, ...] = setting(
        tuple(PARTS), label="Parts", choices=tuple(PARTS), help="What is computed."
    )
    n_seeds: int = setting(
        N_STARTS,
        label="Repetitions",
        limits=(2, 1000),
        help="Starts of K-means; other than 30 is not the paper’s protocol.",
    )
    grid: tuple[float, ...] = setting(
        GRID,
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
    starts: tuple[str, ...] = setting(
        tuple(STARTS), label="Starts", choices=tuple(STARTS), help="Initialisations of W."
    )

    def __post_init__(self) -> None:
        clean(self)
        if 1.0 not in self.grid:
            raise ValueError("The grid must hold 1: figures of the paper fix α = β = 1.")
        if not self.parts:
            raise ValueError(f"There is no part to run: choose parts from {', '.join(PARTS)}.")

    @property
    def is_the_papers(self) -> bool:
        """Whether nothing is shortened, whatever parts are run."""
        return self == Paper(parts=self.parts)

    @property
    def protocol(self) -> str:
        """What the protocol is called."""
        if self.is_the_papers:
            return "The paper’s protocol"
        short = self.grid == QUICK.grid and self.n_seeds == QUICK.n_seeds
        return "A quick look" if short else "A shortened protocol"

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
        every = feature_counts(recognised(data), data.n_features)
        if self.n_counts is None or self.n_counts >= len(every):
            return every
        if self.n_counts == 1:
            return (_middle(every),)
        step = (len(every) - 1) / (self.n_counts - 1)
        return tuple(every[int(i * step + 0.5)] for i in range(self.n_counts))

    def comparison(self, data: Dataset) -> Compare:
        """The comparison behind the tables."""
        pairs = [(one, other) for one in self.grid for other in self.grid]
        return Compare(
            methods=METHODS_IN_PAPER,
            n_features=self.counts(data),
            n_seeds=self.n_seeds,
            grids={
                # Its φ₂ is the Laplacian Score once more; the paper does not say which it takes.
                "spec": [{"function": "phi1"}],
                "udfs": [{"gamma": one, "regularization": other} for one, other in pairs],
                "cspca": [
                    {"alpha": one, "beta": other, "penalty_scale": "absolute"}
                    for one, other in pairs
                ],
            },
        )

    def initialisations(self, data: Dataset) -> Starts:
        """The starts behind the convergence figure and the table of seven."""
        return Starts(
            inits=self.starts,
            n_features=_middle(self.counts(data)),
            n_seeds=self.n_seeds,
            center=True,
        )

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """Those of the comparison, of the starts, and a cell a check."""
        from cspca.paper.checks import CHECKS

        if data.target is None or data.n_classes < 2:
            raise ValueError(
                f"{data.name} has no classes, and the paper's tables need them: bring labels too."
            )
        if "comparison" in self.parts:
            yield from self.comparison(data).cells(data)
        if "starts" in self.parts:
            yield from self.initialisations(data).cells(data)
        if "checks" in self.parts:
            for key, (title, _) in CHECKS.items():
                yield Cell("check", {"check": key}, title=title)

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """Rank, cluster, fit along a path, or check."""
        if cell.step == "check":
            from cspca.paper.checks import CHECKS

            key = cell.parameters["check"]
            return Result(({"check": key, **CHECKS[key][1](data.data)},))
        return paths.compute(cell, data, needed)

    def of_starts(self, results: Results) -> dict[Cell, Result]:
        """What is there of the starts."""
        return _of(results, "path")

    def table(self, results: Results) -> pd.DataFrame:
        """The long table of the comparison."""
        return clusterings(_of(results, "rank"))

    def starts_rows(self, results: Results, data: Dataset) -> pd.DataFrame:
        """Rows of the table of starts; empty before any is finished."""
        return self.initialisations(data).rows(self.of_starts(results))

    def paper_tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The paper's two result tables with ours beside, by metric."""
        table = self.table(results)
        of = recognised(data).paper_set
        if table.empty:
            return {}
        return {metric: paper_table(table, of, metric) for metric in METRIC_TITLES}

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Tables beside the paper's, starts, checks and verdicts."""
        import pandas as pd

        found = {METRIC_TITLES[m]: rows for m, rows in self.paper_tables(results, data).items()}
        if found:
            both = [rows.assign(metric=name) for name, rows in found.items()]
            found = {"Paper": pd.concat(both, ignore_index=True)}
        starts = self.of_starts(results)
        if starts:
            found |= self.initialisations(data).tables(starts, data)
        checks = [row for result in _of(results, "check").values() for row in result.rows]
        if checks:
            found["Checks"] = pd.DataFrame(checks)
        claims = [
            (one.claim.key, one.claim.says, one.verdict.value, one.number, one.sentence)
            for one in self.judged(results, data)
        ]
        names = ["claim", "says", "verdict", "number", "sentence"]
        found["Claims"] = pd.DataFrame(claims, columns=names)
        return found

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The paper's tables with ours beside, and where each start leads."""
        recognition = recognised(data)
        found = {
            f"{METRIC_TITLES[metric]}, the paper’s and ours": printed_table(
                rows, metric, same_data=recognition.same_data
            )
            for metric, rows in self.paper_tables(results, data).items()
            if rows["ours_best_of_grid"].notna().any()
        }
        starts = self.of_starts(results)
        if starts:
            found |= self.initialisations(data).printed(starts, data)
        return found

    def evidence(self, results: Results, data: Dataset) -> Evidence:
        """What the claims are judged by."""
        table = self.table(results)
        return Evidence(
            title=data.name,
            recognition=recognised(data),
            papers_protocol=self.is_the_papers,
            accuracy=runs_of(table, "accuracy"),
            nmi=runs_of(table, "nmi"),
            curve=curve_at(table),
            grid=grid_at(table),
            starts=tuple(self._facts(results, data)),
            checks={r.rows[0]["check"]: r.rows[0] for r in _of(results, "check").values()},
        )

    def _facts(self, results: Results, data: Dataset) -> Iterator[dict[str, Any]]:
        rows = self.starts_rows(results, data)
        if rows.empty:
            return
        bound = float(rows["dual_objective"].max())
        rises = {
            (cell.parameters["solver"], cell.parameters["init"]): _rise(result)
            for cell, result in results.items()
            if cell.step == "path"
        }
        for row in rows.to_dict("records"):
            objective, accuracy = row["objective"], row.get("accuracy_mean", float("nan"))
            yield {
                **{name: row[name] for name in ("solver", "init", "iterations", "objective")},
                "gap": row["duality_gap"],
                "excess": max(0.0, (objective - bound) / objective) if objective > 0 else 0.0,
                "accuracy": accuracy if accuracy == accuracy else None,
                "rise": rises[row["solver"], row["init"]],
            }

    def judged(self, results: Results, data: Dataset) -> tuple[Judged, ...]:
        """Every claim with its verdict."""
        return judge([self.evidence(results, data)])

    def _fits(self, results: Results) -> Iterator[tuple[Mapping[str, Any], Result]]:
        """Fits of CSPCA in the comparison, with their parameters."""
        for cell, result in results.items():
            if cell.step == "rank" and cell.parameters["method"] == "cspca":
                yield cell.parameters["parameters"], result

    def uncertified(self, results: Results) -> pd.DataFrame:
        """Fits of the comparison that are not proven to 0.1 %, the largest gap first."""
        import pandas as pd

        rows = [{**given, **result.rows[0]} for given, result in self._fits(results)]
        found = pd.DataFrame(rows, columns=["alpha", "beta", "duality_gap", "n_iter"])
        worse = found[found["duality_gap"] > _TOLERANCE].sort_values("duality_gap", ascending=False)
        worse.attrs["n_fits"] = len(found)
        return worse

    def plainly(self, results: Results, data: Dataset) -> list[str]:
        """What does not reproduce, and what is not proven."""
        from cspca.figures.words import power

        tables = self.paper_tables(results, data)
        if "accuracy" not in tables:
            return []
        said = plain_statement(recognised(data), tables["accuracy"])
        open_fits = self.uncertified(results)
        if len(open_fits):
            worst, n = open_fits.iloc[0], open_fits.attrs["n_fits"]
            said.append(
                f"{n - len(open_fits)} of {n} fits of CSPCA are certified to 0.1 %; the widest gap "
                f"left is {100 * worst['duality_gap']:.2g} %, at α = {power(worst['alpha'])}, "
                f"β = {power(worst['beta'])}."
            )
        return said

    def question(self, data: Dataset) -> str:
        """What a reproduction answers."""
        return f"Does the paper hold on {data.name}?"

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """The count of verdicts, every claim with its verdict, and the numbers in plain words."""
        judged = self.judged(results, data)
        counts = Counter(one.verdict for one in judged)
        said = ", ".join(f"{counts[one]} {one.value}" for one in Verdict if counts[one])
        how = "" if self.is_the_papers else ", by a shortened protocol"
        sentence = recognised(data).sentence
        first = Finding(f"{len(judged)} claims of the paper{how}: {said}. {sentence}")
        claims = [
            Finding(
                one.sentence,
                one.verdict.name.lower(),
                claim=one.claim.says,
                where=one.claim.where,
                number="" if one.number == "–" else one.number,
                rests=one.rests,
            )
            for one in judged
        ]
        return [first, *claims, *(Finding(one) for one in self.plainly(results, data))]

    def feature_figure(self, results: Results, data: Dataset) -> go.Figure | None:
        """CSPCA at α = β = 1 against the number of features, as the paper's figure fixes them."""
        from cspca.evaluation import METRICS
        from cspca.figures.comparison import comparison_curves
        from cspca.selection import METHODS

        evidence = self.evidence(results, data)
        if not evidence.curve:
            return None
        drawn = {"cspca": dict(sorted(evidence.curve.items()))}
        if "all" in evidence.accuracy:
            drawn["all"] = {data.n_features: evidence.accuracy["all"].best}
        curves = [
            look(key)
            | {
                "n_features": list(of),
                "mean": [runs.mean() for runs in of.values()],
                "std": [runs.std(ddof=1) for runs in of.values()],
            }
            for key, of in drawn.items()
        ]
        return comparison_curves(
            curves,
            METRICS["accuracy"],
            level=METHODS["all"].title,
            band=METHODS["cspca"].title,
            features=data.nouns.features,
        )

    def grid_figure(
        self, results: Results, *, n_features: int | None = None, bars: bool = False
    ) -> go.Figure | None:
        """ACC over α and β at one number of features, that of the best choice unless given."""
        from cspca.figures.penalty_grid import penalty_grid

        grid = grid_at(self.table(results), n_features)
        if grid is None:
            return None
        known = np.isfinite(grid.runs).all(axis=2)
        values = np.where(known, 100.0 * grid.runs.mean(axis=2), np.nan)
        regimes = self.regimes(results, grid.alphas, grid.betas)
        return penalty_grid(
            grid.alphas, grid.betas, values, regimes, value_title="ACC, %", bars=bars
        )

    def regimes(
        self, results: Results, alphas: Sequence[float], betas: Sequence[float]
    ) -> list[list[str | None]]:
        """The regime of every point of the grid; None where it is not computed."""
        found: list[list[str | None]] = [[None] * len(betas) for _ in alphas]
        for given, result in self._fits(results):
            # While it runs fits are there beside which nothing is clustered yet.
            if given["alpha"] in alphas and given["beta"] in betas:
                found[alphas.index(given["alpha"])][betas.index(given["beta"])] = _regime(result)
        return found

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """The paper's three figures, as far as there is something to draw."""
        found = {}
        features = self.feature_figure(results, data)
        if features is not None:
            found[f"How many {data.nouns.features}?"] = features
        grid = self.grid_figure(results)
        if grid is not None:
            found["Where do α and β matter?"] = grid
        starts = self.of_starts(results)
        if starts:
            kind = self.initialisations(data)
            found["Does it converge?"] = kind.figure(starts, near=False)
            found["Near the optimum"] = kind.figure(starts, near=True)
        return found


def _of(results: Results, step: str) -> dict[Cell, Result]:
    """Results of a step, and of what rests on it."""
    return {
        cell: result
        for cell, result in results.items()
        if step in (cell.step, *(need.step for need in cell.needs))
    }


def recognised(data: Dataset) -> Recognition:
    """What some data are to the paper."""
    return recognise(data.n_samples, data.n_features, data.n_classes, data.name)


def _middle(counts: Sequence[int]) -> int:
    return counts[len(counts) // 2]


def _regime(result: Result) -> str:
    """Read off the scores what kind of a map it is; rows of W of norm 1, all, are the identity."""
    scores, details = result.arrays["scores"], result.rows[0]
    used = scores[scores > 0]
    if not len(used):
        return "zero"
    full = details.get("rank", 0) == len(used)
    if full and float(np.abs(used - 1.0).max()) < _TOLERANCE:
        return "identity"
    return "sparse" if details.get("n_zero", 0) > 0 else "dense"


def _rise(result: Result) -> float:
    """The largest relative rise of the objective from one iteration to the next."""
    numbers, objective = result.arrays["history_number"], result.arrays["history_objective"]
    values = objective[np.isfinite(objective) & (numbers >= 1)]
    rises = np.diff(values) / np.abs(values[:-1]) if len(values) > 1 else np.zeros(1)
    return max(0.0, float(rises.max()))


QUICK = Paper(**_QUICK)
"""Enough to see how the page looks, in seconds on small data."""
