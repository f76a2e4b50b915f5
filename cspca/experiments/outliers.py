"""Outliers: where a subspace is found exactly, and whether wrong pictures stand out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from cspca.datasets import BUILTIN, DatasetError, load
from cspca.datasets.scenes import MOST, WRONGS, Scene, make_haystack, plant_outliers
from cspca.evaluation.outliers import (
    EXACT,
    SCORES,
    clean_error,
    numbers_of,
    ranking_quality,
    subspace_sine,
    three_scores,
)
from cspca.experiments.experiment import Cell, Experiment, Finding, Result, Results
from cspca.experiments.settings import setting
from cspca.figures.outliers import phase_map, ranking_rows
from cspca.figures.words import listed
from cspca.robust import ROBUST, Explained, RobustSettings, explain

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.datasets import Dataset

PENALISED = ("cspca", "squared")
"""Methods that β is a setting of."""

_AXES = {"rank": "Rank of the subspace", "beta": "β ÷ β_max"}
_PICTURES = ("cspca", "squared", "pca", "pcp", "op", "r1pca", "fms", "norm")


@dataclass(frozen=True)
class Outliers(Experiment):
    """A phase map of exact recovery, and the pictures of the data with a share of them made wrong.

    The map is of haystacks, which the data have no part in: inliers within a subspace, outliers
    anywhere, both of the same energy.
    """

    question = "Who are the outliers?"
    told_apart = ("title", "share", "rank", "beta")
    usual_data = "faces"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "window": {"parts": ("map",), "across": "beta"}
    }

    parts: tuple[str, ...] = setting(
        ("map", "pictures"),
        label="Parts",
        choices=("map", "pictures"),
        help="The phase map of hidden subspaces, and the images of the data with some made wrong.",
    )
    methods: tuple[str, ...] = setting(
        ("cspca", "pca", "fms", "op"),
        label="Methods of the map",
        choices=tuple(key for key in ROBUST if key not in ("norm", "forest", "lof", "knn")),
        help="Who looks for the subspace; PCA, FMS and the like are told its dimension.",
    )
    across: str = setting(
        "rank",
        label="Share of outliers against",
        choices=tuple(_AXES),
        help="The rank of the subspace at one β, or β at one rank: too small a β rebuilds the "
        "outliers too, too large a one loses the inliers.",
    )
    shares: tuple[float, ...] = setting(
        tuple(round(0.1 * k, 1) for k in range(10)),
        label="Shares of outliers",
        limits=(0.0, MOST),
        help="Of the samples of a repetition.",
    )
    ranks: tuple[int, ...] = setting(
        tuple(range(1, 11)), label="Ranks", limits=(1, 99), help="Dimensions of the subspace."
    )
    betas: tuple[float, ...] = setting(
        (0.05, *(round(0.1 * k, 1) for k in range(1, 10))),
        label="β of the map",
        limits=(0.0, 1.0),
        help="Where the map is of β, as fractions of β_max.",
    )
    rank: int = setting(5, label="Rank", limits=(1, 99), help="Where the map is of β.")
    beta: float = setting(
        0.5, label="β", limits=(0.0, 1.0), help="Where the map is of ranks, of β_max; α is 0."
    )
    n_features: int = setting(30, label="Features", limits=(5, 200), help="Of a sample.")
    n_samples: int = setting(200, label="Samples", limits=(10, 5000), help="Of a repetition.")
    equal_energy: bool = setting(
        True,
        label="Equal norms",
        help="Every sample has norm 1. Without it outliers are longer: the window of β is narrower "
        "or gone, and the rank is not found.",
    )
    n_seeds: int = setting(
        10, label="Repetitions", limits=(1, 1000), help="Random samples a cell of the map."
    )
    judges: tuple[str, ...] = setting(
        _PICTURES,
        label="Methods on pictures",
        choices=tuple(ROBUST),
        help="Who ranks the pictures.",
    )
    wrong: str = setting(
        "blocks",
        label="What is wrong with them",
        choices=tuple(WRONGS),
        help="; ".join(f"{name}: {what}" for name, what in WRONGS.items()) + ".",
    )
    wrong_share: float = setting(
        0.1,
        label="Share of wrong images",
        limits=(0.0001, MOST),
        help="Of the data; at least one image.",
    )
    strangers: str = setting(
        "digits",
        label="Strangers from",
        choices=tuple(name for name, entry in BUILTIN.items() if entry.has_images),
        help="The set whose pictures are mixed in.",
    )
    components: int = setting(
        20,
        label="Components",
        limits=(1, 1000),
        help="What PCA, FMS and R1-PCA keep of pictures; the others are not told.",
    )
    picture_beta: float = setting(
        0.02, label="β on pictures", limits=(0.0, 1.0), help="Of β_max; α is 0."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("shares", "ranks", "betas"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))

    def words(self) -> str:
        """How much is asked for."""
        size = f"{len(self.shares)} × {len(self.others)} cells of {self.n_seeds} repetitions"
        words_by_part = {
            "map": size,
            "pictures": f"{100 * self.wrong_share:g} % of the pictures wrong",
        }
        return ", ".join(words_by_part[part] for part in words_by_part if part in self.parts)

    def idle(self) -> dict[str, str]:
        """What the part that is left out would have been told."""
        names = [parameter.name for parameter in fields(self)]
        first = names.index("judges")
        of = {"map": names[1:first], "pictures": names[first:]}
        return {name: "parts" for part in of if part not in self.parts for name in of[part]}

    @property
    def others(self) -> tuple[float, ...]:
        """Values of the map's second axis."""
        return self.ranks if self.across == "rank" else self.betas

    def cells(self, data: Dataset) -> Iterator[Cell]:
        """Method by method: a cell of the map with all its repetitions, or a ranking."""
        if "map" in self.parts:
            for share in self.shares:
                # What cannot be hidden is said before anything is computed.
                hardest = max(self.ranks) if self.across == "rank" else self.rank
                make_haystack(share, hardest, self.n_samples, self.n_features)
            for method in self.methods:
                yield from self._map(method)
        if "pictures" in self.parts and data.kind == "pixels":
            for method in self.judges:
                parameters: dict[str, Any] = {"method": method, "rank": self.components}
                parameters |= {"beta": self.picture_beta} if method in PENALISED else {}
                scene = {"wrong": self.wrong, "share": self.wrong_share, "seed": 0}
                scene |= {"strangers": self.strangers} if self.wrong == "strangers" else {}
                yield Cell("planted", parameters | scene, **_about(method))

    def _map(self, method: str) -> Iterator[Cell]:
        same = {"method": method, "n_samples": self.n_samples, "n_features": self.n_features}
        repetitions = {"equal_energy": self.equal_energy, "seeds": list(range(self.n_seeds))}
        for share in self.shares:
            for rank in self.ranks if self.across == "rank" else (self.rank,):
                point: dict[str, Any] = same | repetitions | {"share": share, "rank": rank}
                if method not in PENALISED:
                    yield Cell("haystack", point, size=self.n_seeds, **_about(method))
                    continue
                for beta in (self.beta,) if self.across == "rank" else self.betas:
                    point = point | {"beta": beta}
                    yield Cell("haystack", point, size=self.n_seeds, **_about(method))

    def compute(self, cell: Cell, data: Dataset, needed: Results) -> Result:
        """Find the subspace in every repetition, or rank the pictures."""
        return _haystacks(cell) if cell.step == "haystack" else _planted(cell, data)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a haystack and method, or a picture score and method."""
        rows = [
            {"part": cell.step, "title": cell.title, **_described(cell), **row}
            for cell, result in results.items()
            for row in result.rows
        ]
        return pd.DataFrame(rows)

    def map(self, results: Results) -> pd.DataFrame:
        """One row a cell of the map and method: the share of exact recoveries, and what else.

        `exact_low` and `exact_high` are the ends of its 95 % interval (Wilson). A method that β is
        no setting of has one row for every β.
        """
        rows = self.table(
            {cell: result for cell, result in results.items() if cell.step == "haystack"}
        )
        if rows.empty:
            return rows
        keys = [name for name in ("method", "title", "share", "rank", "beta") if name in rows]
        groups = rows.groupby(keys, sort=False, dropna=False)
        hits, n = groups["exact"].sum(), groups["seed"].count()
        ends = [
            binomtest(*counts).proportion_ci(method="wilson")
            for counts in zip(hits, n, strict=True)
        ]
        columns = {
            "exact": hits / n,
            "exact_low": [interval.low for interval in ends],
            "exact_high": [interval.high for interval in ends],
            "rank_right": groups["rank_right"].mean(),
            "sine": groups["sine"].median(),
            "n": n,
        }
        return pd.DataFrame(columns).reset_index()

    def exact(self, results: Results, method: str) -> dict[tuple[float, float], float]:
        """The share of exact recoveries of a method by both axes of the map."""
        map_rows = self.map(results)
        if map_rows.empty:
            return {}
        shares: dict[tuple[float, float], float] = {}
        for row in map_rows[map_rows["method"] == method].to_dict("records"):
            coordinate = row.get(self.across, math.nan)
            for at in self.others if coordinate != coordinate else (coordinate,):
                shares[row["share"], at] = row["exact"]
        return shares

    def rankings(self, results: Results) -> pd.DataFrame:
        """One row a method and score on pictures."""
        return self.table(
            {cell: result for cell, result in results.items() if cell.step == "planted"}
        )

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The map and the rankings, one row a cell or a score."""
        frames = {"Phase map": self.map(results), "Rankings": self.rankings(results)}
        return {title: frame for title, frame in frames.items() if not frame.empty}

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables, by what was computed."""
        steps = {cell.step for cell in results}
        titles = {"haystack": "Phase map", "planted": "Rankings"}
        return tuple(title for step, title in titles.items() if step in steps)

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """The map of each method, and the rankings of pictures with their intervals."""
        tables: dict[str, pd.DataFrame] = {}
        for method in self.methods:
            exact = self.exact(results, method)
            if exact:
                lines = [
                    [
                        f"{coordinate:g}",
                        *(_percent(exact.get((x, coordinate))) for x in self.shares),
                    ]
                    for coordinate in self.others
                ]
                head = [_AXES[self.across], *(f"{100 * share:g} %" for share in self.shares)]
                frame = pd.DataFrame(lines, columns=head)
                frame.attrs["note"] = "Exact recoveries, in per cent, by the share of outliers."
                tables[f"Exact: {ROBUST[method].title}"] = frame
        rows = self.rankings(results)
        if not rows.empty:
            # The norm is the same for all of them.
            once = ~(rows["score"] == "norm") | ~rows["score"].duplicated(keep="last")
            score_lines = [_ranked(row) for row in _records(rows[once])]
            tables["Rankings of pictures"] = pd.DataFrame(score_lines)
        return tables

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """A map a method, and the rankings."""
        drawn: dict[str, go.Figure] = {}
        for method in self.methods:
            exact = self.exact(results, method)
            if exact:
                title, axis = ROBUST[method].title, _AXES[self.across]
                figure = phase_map(self.shares, self.others, exact, method=title, axis=axis)
                drawn[f"Where is {title} exact?"] = figure
        rows = self.rankings(results)
        if not rows.empty:
            drawn["Who ranks the wrong pictures first?"] = ranking_rows(
                [
                    {
                        "title": row["title"],
                        "colour": ROBUST[row["method"]].colour,
                        "score": row["score"],
                        "value": row["auc"],
                        "low": row["auc_low"],
                        "high": row["auc_high"],
                    }
                    for row in _records(rows)
                ],
                SCORES,
            )
        return drawn

    def called(self, values: Mapping[str, Any]) -> str:
        """A method at a point of the map, in words."""
        at = f"{100 * values['share']:g} % outliers, rank {values['rank']:g}"
        return f"{values['title']}, {at}"

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """Where it is exact, and whether a norm does as well on pictures."""
        return [*self._of_the_map(results), *self._of_pictures(results, data)]

    def _of_the_map(self, results: Results) -> Iterator[Finding]:
        map_rows = self.map(results)
        for method in self.methods if not map_rows.empty else ():
            own = map_rows[map_rows["method"] == method]
            if own.empty:
                continue
            some = own[own["share"] > 0.0]
            always = int((own["exact"] == 1.0).sum())
            entry = ROBUST[method]
            rank_words = ", told the rank," if entry.needs_rank else ""
            sentence = (
                f"{entry.title}{rank_words} finds the hidden subspace exactly every time in "
                f"{always} of {len(own)} cells"
            )
            if method in PENALISED and self.across == "rank":
                sentence += f" at β = {self.beta:g} β_max"
            if not some.empty:
                typical = math.degrees(math.asin(min(1.0, float(some["sine"].median()))))
                angle = "below 0.01" if typical < 0.01 else f"{typical:.2g}"
                sentence += f"; where there are outliers its angle is {angle}° in the median"
            numbers = {"always": always, "cells": len(own)}
            yield Finding(f"{sentence}.", numbers=numbers)

    def _of_pictures(self, results: Results, data: Dataset) -> Iterator[Finding]:
        rows = self.rankings(results)
        if rows.empty:
            return
        norm = rows[rows["score"] == "norm"]["auc"].iloc[0]
        residual = rows[rows["score"] == "residual"]
        scores = [f"{row['title']} {row['auc']:.3f}" for row in _records(residual)]
        sentence = (
            f"{100 * self.wrong_share:g} % of the pictures of {data.name} made wrong ({self.wrong}"
            f"): AUC of the ranking by residual: {', '.join(scores)}; by the norm of the picture "
            f"alone, without any method, {norm:.3f}."
        )
        yield Finding(sentence, numbers={"norm": float(norm)})
        by_method = {row["method"]: row for row in _records(residual)}
        if len(by_method) > 1 and "pca" in by_method:
            plain = by_method["pca"]
            first = [row["title"] for row in by_method.values() if ahead(row, plain)]
            yield Finding(
                f"{listed(first) or 'None of them'} {'is' if len(first) < 2 else 'are'} ahead of "
                "plain PCA by more than the intervals. β and the number of components were set "
                "beforehand, by no label."
            )


def ahead(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether a ranking is better than another by more than the intervals of both."""
    return bool(first["auc_low"] > second["auc_high"])


def _about(method: str) -> dict[str, Any]:
    entry = ROBUST[method]
    return {"revision": entry.revision, "title": entry.title}


def _described(cell: Cell) -> dict[str, Any]:
    """What a row should say of its cell."""
    names = ("method", "share", "rank", "beta", "wrong")
    return {name: cell.parameters[name] for name in names if name in cell.parameters}


def _haystacks(cell: Cell) -> Result:
    """One row a repetition: how near the subspace is."""
    parameters = cell.parameters
    names = ("share", "rank", "n_samples", "n_features", "equal_energy")
    rows = []
    for seed in parameters["seeds"]:
        robust_settings = RobustSettings(parameters["rank"], parameters.get("beta", 0.0))
        haystack = {name: parameters[name] for name in names} | {"random_state": seed}
        _, explained, sine = searched(parameters["method"], robust_settings, haystack)
        rows.append(
            {
                "seed": seed,
                "sine": sine,
                "exact": int(sine < EXACT),
                "rank_found": explained.rank,
                "rank_right": int(explained.rank == parameters["rank"]),
                "gap": math.nan if explained.gap is None else explained.gap,
                "seconds": explained.seconds,
            }
        )
    return Result(tuple(rows))


def searched(
    method: str, robust_settings: RobustSettings, haystack: Mapping[str, Any]
) -> tuple[Scene, Explained, float]:
    """A haystack, what a method makes of it, and how far its subspace is from the true one."""
    scene = make_haystack(**haystack)
    explained = explain(method, scene.X, robust_settings)
    # Whoever looks for a subspace has one.
    assert scene.basis is not None
    assert explained.directions is not None
    return scene, explained, subspace_sine(scene.basis, explained.directions)


def _planted(cell: Cell, data: Dataset) -> Result:
    """One row a score of a method on pictures; what each picture has, as arrays."""
    parameters = cell.parameters
    strangers = load(parameters["strangers"]) if "strangers" in parameters else None
    if strangers is not None and strangers.sha256 == data.sha256:
        raise DatasetError(
            f"Pictures of {data.name} are no strangers among themselves: take strangers from "
            "another set."
        )
    scene = plant_outliers(
        data, parameters["wrong"], parameters["share"], strangers, parameters["seed"]
    )
    explained, rows = judged(
        parameters["method"], scene, RobustSettings(parameters["rank"], parameters.get("beta", 0.0))
    )
    return Result(rows, {"residuals": explained.scores, "outlier": scene.outlier})


def judged(
    method: str, scene: Scene, robust_settings: RobustSettings
) -> tuple[Explained, tuple[dict[str, Any], ...]]:
    """What a method makes of pictures of which some are wrong; one row a score, how well it did."""
    robust_settings = replace(robust_settings, tol=1e-3, center=True)
    explained = explain(method, scene.X, robust_settings)
    clean = scene.X[~scene.outlier]
    errors = math.nan, math.nan
    if explained.rebuilt is not None:
        # Beside it that of a fit that never saw the wrong ones.
        alone = np.asarray(explain(method, clean, robust_settings).rebuilt)
        errors = clean_error(clean, explained.rebuilt[~scene.outlier]), clean_error(clean, alone)
    numbers = {
        "clean_error": errors[0],
        "clean_error_alone": errors[1],
        "rank_found": math.nan if explained.rank is None else explained.rank,
        "gap": math.nan if explained.gap is None else explained.gap,
        "seconds": explained.seconds,
    }
    rows = [
        {"score": score, **numbers, **numbers_of(ranking_quality(scene.outlier, values))}
        for score, values in three_scores(scene.X, explained.scores).items()
        # Of the norm itself the other two say nothing.
        if score == "norm" or method != "norm"
    ]
    return explained, tuple(rows)


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = rows.to_dict("records")
    return records


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f}"


def _ranked(row: Mapping[str, Any]) -> dict[str, str]:
    """A score of a method on pictures, by the heads of a table."""

    def interval(name: str) -> str:
        return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"

    def error(name: str) -> str:
        return f"{row[name]:.3f}" if np.isfinite(row[name]) else "–"

    return {
        "Method": row["title"],
        "Score": SCORES[row["score"]],
        "AUC": interval("auc"),
        "Average precision": interval("average_precision"),
        "Of the first, wrong": interval("precision"),
        "Error on clean ones": error("clean_error"),
        "Never saw the wrong": error("clean_error_alone"),
    }
