"""Convergence: the paper's seven initialisations, where both solvers get to from each of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from cspca.evaluation import METRICS
from cspca.evaluation.statistics import rank_correlation
from cspca.experiments.experiment import Cell, Finding, Result, Results
from cspca.experiments.fit import caution, count_near
from cspca.experiments.settings import again, setting
from cspca.experiments.steps import (
    COURSE,
    Measure,
    OnFits,
    fits,
    n_tied_at_cut,
    no_ranking_of,
    of,
    told,
)
from cspca.figures.convergence import Across, Course, reached, starts
from cspca.figures.words import duration, gap_in_words, percent
from cspca.paper.claims import Evidence, judge
from cspca.paper.numbers import percent as share
from cspca.solvers import SOLVERS, STARTS

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.datasets import Dataset

START_NAMES = {
    "diagonal-0.5": "Diagonal 0.5",
    "diagonal-1": "Diagonal 1",
    "diagonal-2": "Diagonal 2",
    "constant-0.5": "All elements 0.5",
    "constant-1": "All elements 1",
    "constant-2": "All elements 2",
    "random": "Random",
}
"""The paper's starts, in its order."""

MEASURES = {
    "above": Measure(
        "Distance from optimum",
        "How far the objective is above the optimum, at most: above the best lower bound "
        "that any run proved. Needs no labels.",
        share,
    ),
    "objective": Measure("Objective", "The value that is minimised.", "{:,.8g}".format),
    "duality_gap": Measure(
        "Distance by own bound",
        "How far it is above the optimum, at most, by the lower bound that each run proves by "
        "itself, without the others. Algorithm 1 does not stop by it: its own bound is taken from "
        "its weights.",
        gap_in_words,
    ),
    "overlap": Measure(
        "Ranking",
        "Share of the k best {features} that are also among those of the most accurate certified "
        "run, and the rank correlation (Spearman) of all scores with it. Needs no labels.",
        share,
    ),
    "accuracy_mean": Measure(
        METRICS["accuracy"].unit,
        "Mean ± standard deviation over the starts of K-means, in per cent. Rests on labels: the "
        "fits never see them, but the clusters are held against them.",
        METRICS["accuracy"].say,
    ),
}

_WORDS = dict(enumerate(("no", "one", "two", "three", "four", "five", "six", "seven")))
_WORDS |= {10: "ten", 20: "twenty", 50: "fifty"}


@dataclass(frozen=True)
class Convergence(OnFits):
    """Both solvers from the paper's seven starts, at one pair of penalties.

    The paper claims that ten iterations of Algorithm 1 are enough. `tol` is small, so that
    objectives can be told apart, and nothing is centred: the paper does not say that it is.
    """

    title = "Convergence"
    question = "Does the start matter in {data.name}?"
    told_apart = ("solver", "init", "iterations")
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"absolute": {"penalty_scale": "absolute"}}

    alpha: float = setting(1.0, label="α", limits=(0.0, 1e9), help="Penalty on rows.")
    beta: float = setting(1.0, label="β", limits=(0.0, 1e9), help="Penalty on the rank.")
    penalty_scale: str = again(OnFits, "penalty_scale", "absolute")
    inits: tuple[str, ...] = setting(
        tuple(STARTS), label="Starts", choices=tuple(STARTS), help="Starts of W."
    )
    solvers: tuple[str, ...] = setting(
        ("admm", "reweighted"),
        label="Solvers",
        choices=tuple(SOLVERS),
        help="Who starts there.",
    )
    checkpoints: tuple[int, ...] = setting(
        (10, 20, 50),
        label="Algorithm 1 looked at after",
        limits=(1, 100_000),
        help="Numbers of iterations of Algorithm 1.",
    )
    tol: float = again(OnFits, "tol", 1e-4)
    max_iter: int = again(OnFits, "max_iter", 2000)
    center: bool = again(OnFits, "center", False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "checkpoints", tuple(sorted(set(self.checkpoints))))

    def words(self) -> str:
        """How many starts, and how long Algorithm 1 runs."""
        many = f"{_in_words(len(self.inits))} of the paper’s seven starts"
        return f"{many}, {self.checkpoints[-1]} iterations of Algorithm 1"

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """Start by start: what is shown first is whole, and the time left is known soon."""
        penalties = {"alpha": self.alpha, "beta": self.beta}
        for init in self.inits:
            for solver in self.solvers:
                parameters = {**penalties, "solver": solver, "init": init}
                if solver == "reweighted":
                    yield from self.path(data, self.checkpoints, **parameters, tol=0.0)
                else:
                    yield from self.path(data, [self.max_iter], **parameters)

    def rows(self, results: Results) -> pd.DataFrame:
        """One row a start, solver and number of iterations, held against the proven optimum.

        ``above`` is relative to the best lower bound of all runs (NaN while that is not known to a
        hundredth), ``overlap``, ``agreement`` (Jaccard) and ``spearman`` are with the most accurate
        run (NaN where features tie at the cut in either), ``n_tied`` counts the features that tie
        there, ``n_near`` those whose score is within a thousandth of the last one's before it.
        """
        table = self.means(results)
        if table.empty:
            return table
        paths = [(path, at) for _, path in of(results, "path") for at in range(len(path.rows))]
        surest, row = paths[int(table["duality_gap"].argmin())]
        order, scores = surest.arrays["order"][row], surest.arrays["scores"][row]
        k = self.n_features or max(1, len(order) // 2)
        surest_selects = not no_ranking_of(surest, row, k)
        bound, _ = self.optimum(results) or (math.nan, math.nan)
        lines = []
        for (path, at), n_iter in zip(paths, table["n_iter"], strict=True):
            arrays, selects = path.arrays, surest_selects and not no_ranking_of(path, at, k)
            shared = len(np.intersect1d(order[:k], arrays["order"][at][:k]))
            alike = math.nan
            if selects:
                alike = rank_correlation(arrays["scores"][at], scores)
            spent = arrays["history_seconds"][arrays["history_number"] <= n_iter]
            line = {
                "overlap": shared / k if selects else math.nan,
                "agreement": shared / (2 * k - shared) if selects else math.nan,
                "spearman": alike,
                "n_tied": n_tied_at_cut(path, at, k),
                "n_near": count_near(arrays["feature_scores"][at], k),
                "k": k,
                "seconds": float(spent.max(initial=0.0)),
            }
            lines.append(line)
        above = (table["objective"] / bound - 1.0).clip(lower=0.0)
        return pd.concat([table.assign(above=above), pd.DataFrame(lines)], axis=1)

    def optimum(self, results: Results) -> tuple[float, float] | None:
        """The best bound and objective of all runs; None until they are within a hundredth."""
        table = fits(results)
        if table.empty:
            return None
        low, high = float(table["dual_objective"].max()), float(table["objective"].min())
        is_tight = low > 0.0 and high - low <= 0.01 * high
        return (low, max(high, low)) if is_tight else None

    def curves(self, results: Results, start: str | None = None) -> list[Course]:
        """The courses from one start, or from all; those of Algorithm 1 last."""
        courses = []
        for cell, result in of(results, "path"):
            history = {name: result.arrays[f"history_{name}"] for name in COURSE}
            if start in (None, cell.parameters["init"]) and history["number"].size:
                solver = SOLVERS[cell.parameters["solver"]]
                courses.append(Course(solver.title, solver.colour, history))
        return sorted(courses, key=lambda course: course.name == SOLVERS["reweighted"].title)

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The starts, and one row an iteration of every course."""
        curves = []
        for cell, result in of(results, "path"):
            course = {name: cell.parameters[name] for name in ("solver", "init")}
            course |= {name: result.arrays[f"history_{name}"] for name in COURSE}
            curves.append(pd.DataFrame(course).astype({"number": int}))
        if not curves:
            return {}
        return {"Starts": self.rows(results), "Curves": pd.concat(curves, ignore_index=True)}

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables: there are some once there is a path."""
        return ("Starts", "Curves") if any(cell.step == "path" for cell in results) else ()

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Where each solver gets to from each start."""
        lines = []
        for row in self.rows(results).to_dict("records"):
            line = {"Start": START_NAMES[row["init"]], "Solver": SOLVERS[row["solver"]].title}
            line["Iterations"] = f"{row['n_iter']:,}"
            lines.append(line | said(row))
        if not lines:
            return {}
        frame = pd.DataFrame(lines)
        meanings = [
            f"{measure.label}: {measure.meaning}"
            for measure in MEASURES.values()
            if measure.label in frame
        ]
        frame.attrs["note"] = " ".join(meanings).format(features=data.nouns.features)
        return {"From every start": frame}

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """The paper's convergence figure, and the same curves near the optimum."""
        if not self.curves(results):
            return {}
        return {
            "Does it converge?": self.figure(results, near=False),
            "Who arrives at the optimum?": self.figure(results, near=True),
        }

    def figure(
        self, results: Results, *, near: bool, start: str | None = None, x: Across = "iteration"
    ) -> go.Figure:
        """The courses from one start, or from all, from afar or near the optimum."""
        curves = self.curves(results, start)
        optimum, last = self.optimum(results), self._end(curves, x)
        return starts(curves, optimum, near=near, x=x, last=last)

    def _end(self, curves: Sequence[Course], x: Across) -> float | None:
        """Where the axis ends: with Algorithm 1, or a little later if the other takes longer."""
        ends = [(curve.name, reached(curve)[x][-1:].max(initial=0.0)) for curve in curves]
        least = float(self.checkpoints[-1]) if x == "iteration" else 0.0
        title = SOLVERS["reweighted"].title
        printed = max([least, *(end for name, end in ends if name == title)])
        longest = max((end for _, end in ends), default=0.0)
        return float(min(longest or printed, 2 * printed)) if printed else None

    def pace(self, results: Results) -> str:
        """What an iteration of each solver takes, for one is not worth another."""
        spent: dict[str, list[float]] = {}
        for cell, result in of(results, "path"):
            title = SOLVERS[cell.parameters["solver"]].title
            seconds = float(result.arrays["history_seconds"].max(initial=0.0))
            spent.setdefault(title, []).append(seconds / max(1, result.rows[-1]["n_iter"]))
        if len(spent) < 2:
            return ""
        each = [f"{title} {duration(float(np.median(took)))}" for title, took in spent.items()]
        return f"One iteration takes {', '.join(each)}: who is first by the clock, seconds show."

    def called(self, values: Mapping[str, Any]) -> str:
        """A start, solver and number of iterations, in words."""
        solver, start = SOLVERS[values["solver"]].title, START_NAMES[values["init"]]
        if values["solver"] != "reweighted":
            # It ends when it is proven to be there: its number is the most that is allowed.
            return f"{solver}, {start}"
        return f"{solver}, {start}, {values['iterations']:,} iterations"

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """What is found of the starts, plainly; what is not finished is not spoken of."""
        rows = self.rows(results)
        if rows.empty:
            return []
        certified, printed = rows[rows["solver"] == "admm"], rows[rows["solver"] == "reweighted"]
        # That the start does not matter is judged as the paper's other claims are.
        judged = judge([Evidence(data.name, starts=self.evidence(results))])
        sentences = [
            next(filter(None, (self.headline(rows, init) for init in self.inits)), ""),
            self.warning(results, data),
            self._printed(printed),
            self._shared(certified, printed, data),
            *(assessment.sentence for assessment in judged if assessment.claim.key == "starts"),
            self.about_halves(results, data),
        ]
        return [Finding(sentence) for sentence in sentences if sentence]

    def evidence(self, results: Results) -> list[dict[str, Any]]:
        """The rows, with what the paper's claims ask besides."""
        rows = self.rows(results)
        if rows.empty:
            return []
        excess = (rows["objective"] / rows["dual_objective"].max() - 1.0).clip(lower=0.0)
        rises = [_rise(result) for _, result in of(results, "path") for _ in result.rows]
        records: list[dict[str, Any]] = rows.assign(excess=excess, rise=rises).to_dict("records")
        return records

    def headline(self, rows: pd.DataFrame, start: str | None = None) -> str:
        """The measured answer, from one start or over all from which both solvers have come."""
        if rows.empty:
            return ""
        number = 10 if 10 in self.checkpoints else self.checkpoints[0]
        printed = rows[(rows["solver"] == "reweighted") & (rows["iterations"] == number)]
        certified = rows[rows["solver"] == "admm"].dropna(subset="above")
        both = certified.merge(printed, on="init", suffixes=("", "_printed"))
        if start is not None:
            both = both[both["init"] == start]
        if both.empty:
            return ""
        low, high = share(both["above_printed"].min()), share(both["above_printed"].max())
        worst = both.loc[both["above"].idxmax()]
        after = f"After {_in_words(number)} iterations Algorithm 1 stands"
        if len(both) == 1:
            return (
                f"{after} {low} above the lower bound from the start "
                f"“{START_NAMES[worst['init']]}”; the certified solver at most "
                f"{percent(worst['above'])} above the optimum after {worst['n_iter']:,}."
            )
        return (
            f"{after} {low} to {high} above the lower bound, depending on which of "
            f"{_in_words(len(both))} starts it is given; the certified solver at most "
            f"{percent(worst['above'])} above the optimum, from each of them."
        )

    def warning(self, results: Results, data: Dataset) -> str:
        """What must be said of the map, by its regime, and where features tie at the cut."""
        rows, nouns = self.rows(results), data.nouns
        certified = rows[rows["solver"] == "admm"] if not rows.empty else rows
        if certified.empty:
            return ""
        surest = certified.loc[certified["duality_gap"].idxmin()]
        sentences = [caution(surest["regime"], nouns, surest["duality_gap"])]
        chosen = f"the best {self.n_features:,}" if self.n_features else "the better half"
        of_all = f"of {nouns.count_features(data.n_features)}"
        if surest["regime"] in ("zero", "identity"):
            pass
        elif surest["n_tied"]:
            sentences.append(
                f"At these penalties {surest['n_tied']:,} {of_all} tie where {chosen} would end: "
                "which of them are among them means nothing, so nothing is measured of it."
            )
        elif surest["n_near"] > max(3, 0.1 * data.n_features):
            sentences.append(
                f"At these penalties {surest['n_near']:,} {of_all} have an importance within a "
                f"thousandth of the last one of {chosen}: a smaller tolerance may choose others, "
                "and an ACC that rests on them may change."
            )
        return " ".join(filter(None, sentences))

    def _printed(self, rows: pd.DataFrame) -> str:
        parts: list[str] = []
        for number in sorted({self.checkpoints[0], self.checkpoints[-1]}):
            above = rows.loc[rows["iterations"] == number, "above"]
            if len(above) < 2 or not np.isfinite(above).all():
                return ""
            low, high = share(above.min()), share(above.max())
            much = low if low == high else f"{low.removesuffix(' %')} to {high}"
            template = " after {}" if parts else " above it after {} iterations"
            parts.append(much + template.format(_in_words(number)))
        return f"Algorithm 1 stands {', depending on the start, and '.join(parts)}."

    def _shared(self, certified: pd.DataFrame, printed: pd.DataFrame, data: Dataset) -> str:
        """What the rankings have in common."""
        first = printed[printed["iterations"] == self.checkpoints[0]]
        certified_overlap, first_overlap = (rows["overlap"].dropna() for rows in (certified, first))
        if min(len(certified_overlap), len(first_overlap)) < 2:
            return ""
        least = (
            "all"
            if certified_overlap.min() == 1.0
            else f"at least {100 * certified_overlap.min():.0f} %"
        )
        low, high = (f"{100 * end:.0f}" for end in (first_overlap.min(), first_overlap.max()))
        span = low if low == high else f"{low} to {high}"
        many, k = data.nouns.features, self.n_features
        best = f"the best {k:,} {many}" if k else f"the better {many}"
        return (
            f"Of {best} the certified rankings share {least}; those of Algorithm 1 after "
            f"{_in_words(self.checkpoints[0])} iterations share {span} % with them."
        )


def _in_words(number: int) -> str:
    return _WORDS.get(number, f"{number:,}")


def _rise(result: Result) -> float:
    """The largest relative rise of the objective from one iteration to the next."""
    numbers, objective = result.arrays["history_number"], result.arrays["history_objective"]
    values = objective[np.isfinite(objective) & (numbers >= 1)]
    rises = np.diff(values) / np.abs(values[:-1])
    return float(rises.max(initial=0.0))


def said(row: Mapping[str, Any]) -> dict[str, str]:
    """What a start has come to, by the labels of the measures."""
    texts = told(row, MEASURES)
    if row["spearman"] == row["spearman"]:
        texts["Ranking"] += f" ({row['spearman']:.3f})"
    return texts
