"""Steps that experiments share, as cells: features ranked, CSPCA fitted, clusters on the best."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from cspca.estimator import CSPCA
from cspca.evaluation import METRICS, Silhouette
from cspca.evaluation.comparison import WITHIN, Ranking, long_table, parameters_text
from cspca.evaluation.halves import (
    SampleGroups,
    draw_pair,
    number_groups,
    sample_groups,
)
from cspca.evaluation.steps import beside, close_cuts, cluster, near_cuts, rank_features
from cspca.experiments.experiment import Cell, Experiment, Result, Results
from cspca.experiments.fit import Fit
from cspca.experiments.halves_words import halves_words
from cspca.experiments.memory import once, reduction
from cspca.experiments.records import Described
from cspca.experiments.settings import again, setting
from cspca.fitted import ahead_of_cut
from cspca.labels import compact
from cspca.selection.registry import method_of
from cspca.solvers import SOLVERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cspca import fitted
    from cspca.datasets import Dataset

COURSE = ("number", "seconds", "objective", "dual_bound", "gap")
"""What is kept of a fit at every iteration."""

_NUMBERS = (
    "n_iter", "objective", "dual_objective", "duality_gap", "rank", "n_zero", "regime", "converged",
    "alpha_max", "beta_max",
)  # fmt: skip
_MEASURED = ("accuracy", "nmi", "cluster_stability", "reconstruction_error")

_HALVES = 2
"""Revision of the cells that measure by halves, raised when these are drawn in another way."""

_WITHOUT_LABELS = 3
"""Revision of the clusterings without labels, which measure by halves too."""


def labels_digest(data: Dataset) -> str | None:
    """A fingerprint of the labels, which are no part of what a method sees; None without any."""
    if data.target is None or not data.has_classes:
        return None
    return hashlib.sha256(data.target.astype("<i8").tobytes()).hexdigest()[:16]


def _digest(groups: Sequence[int]) -> str:
    """A fingerprint of groups."""
    return hashlib.sha256(np.asarray(groups, "<i8").tobytes()).hexdigest()[:16]


def rank_cell(method: str, parameters: Mapping[str, Any], n_clusters: int) -> Cell:
    """The features ranked by a method of the registry, told the number of clusters if it asks."""
    entry = method_of(method)
    cell_parameters: dict[str, Any] = {"method": method, "parameters": dict(parameters)}
    if entry.needs_clusters:
        cell_parameters["n_clusters"] = n_clusters
    return Cell("rank", cell_parameters, entry.revision, title=entry.title)


def halves_cell(ranking: Cell, pair: int, **drawn: Any) -> Cell:
    """The features ranked anew on both halves of a pair; `drawn` says how the samples were."""
    parameters = {**ranking.parameters, "pair": pair, **drawn}
    return Cell("rank-halves", parameters, ranking.revision, title=ranking.title, size=2)


def cluster_cell(ranking: Cell, seeds: Sequence[int], **options: Any) -> Cell:
    """K-means from all seeds on the best of a ranking; `row` is that of one that has several.

    Without labels the selection is measured by halves too.
    """
    options["ranking"] = [ranking.step, ranking.revision, ranking.parameters]
    options["seeds"] = list(seeds)
    revision = _WITHOUT_LABELS if options.get("labels", "") is None else 1
    return Cell("cluster", options, revision, (ranking,), ranking.title, len(seeds))


def beside_cell(ranking: Cell, n_features: int, labels: Any, **halves: Any) -> Cell:
    """What else the best of a ranking are good for than for clusters; `halves` say how drawn."""
    parameters: dict[str, Any] = {"n_features": n_features, "labels": labels, **halves}
    parameters["ranking"] = [ranking.step, ranking.revision, ranking.parameters]
    return Cell("beside", parameters, _HALVES, (ranking,), ranking.title)


class OnSteps(Experiment):
    """An experiment whose cells are these steps.

    Its settings may hold the group of each sample and a seed of halves; samples of one group are
    in one half and one resample together.
    """

    groups: tuple[int, ...] = ()
    random_state: int = 0

    def __post_init__(self) -> None:
        # What groups are called is the user's own: numbers tell them apart.
        groups: Any = () if self.groups is None else self.groups
        if np.size(groups) and not isinstance(groups, str):
            groups = tuple(number_groups(groups).tolist())
        object.__setattr__(self, "groups", groups)
        super().__post_init__()

    def drawn_by(self, *, halves: bool) -> dict[str, Any]:
        """Parameters that say how samples were drawn, of a cell that has halves or not."""
        drawn: dict[str, Any] = {"random_state": self.random_state} if halves else {}
        if self.groups:
            drawn["groups"] = _digest(self.groups)
        return drawn

    def together(self, data: Dataset) -> SampleGroups:
        """Samples that stay together: of one group where there are groups, else copies.

        Of data of which there is a description alone no copies are known.
        """
        groups = self.groups or None
        if isinstance(data, Described):
            numbers = np.arange(data.n_samples) if groups is None else np.array(groups)
            return SampleGroups(numbers, 0, explicit=groups is not None)
        key = "sample groups", groups and _digest(groups)
        return once(data, lambda: sample_groups(data.data, groups), *key)

    def compute(self, cell: Cell, data: Dataset, needed: Results) -> Result:
        """Rank, fit along a path, cluster, or measure what else a selection is good for."""
        parameters = cell.parameters
        if cell.step == "rank-halves":
            return _rank_halves(cell, data, self.together(data))
        if cell.step == "path":
            return _path(cell, data)
        if cell.step == "beside":
            order, k = needed[cell.needs[0]].arrays["order"], parameters["n_features"]
            classes = compact(np.asarray(data.target))
            drawn = self.together(data), parameters["random_state"]
            return Result((beside(data.data, classes, order, k, *drawn),))
        grouped = "groups" in parameters or "random_state" in parameters
        together = self.together(data) if grouped else None
        if cell.step == "cluster":
            return _cluster(cell, data, needed, together)
        return ranked(_selector(cell), data.data)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a clustering on a ranking, see :data:`cspca.evaluation.COLUMNS`."""
        rows: list[dict[str, Any]] = []
        rows_beside = {
            (cell.needs[0], cell.parameters["n_features"]): result.rows[0]
            for cell, result in of(results, "beside")
        }
        for cell, result in of(results, "cluster", "rank"):
            (ranking,) = cell.needs
            about = dict(ranking.parameters, title=cell.title)
            about["parameters"] = parameters_text(about["parameters"])
            if ranking in results:
                about["selection_seconds"] = results[ranking].seconds
            about |= rows_beside.get((ranking, cell.parameters["n_features"]), {})
            rows += [about | row for row in result.rows]
        return long_table(rows)


def _selector(cell: Cell) -> Any:
    """The method of a ranking, with its parameters."""
    parameters = cell.parameters
    return method_of(parameters["method"]).make(
        parameters.get("n_clusters"), **parameters["parameters"]
    )


def _rank_halves(cell: Cell, data: Dataset, together: SampleGroups) -> Result:
    """Rank the features on both halves of a pair: a row a half, and arrays of both."""
    parameters = cell.parameters
    pair = draw_pair(
        data.data,
        together,
        parameters["pair"],
        random_state=parameters["random_state"],
        samples=data.nouns.samples,
    )
    results = [ranked(_selector(cell), data.data[half]) for half in pair]
    return Result(
        tuple(result.rows[0] for result in results),
        {name: np.stack([result.arrays[name] for result in results]) for name in results[0].arrays},
        sum(result.seconds for result in results),
    )


def ranked(selector: Any, samples: NDArray[Any]) -> Result:
    """The features ranked by a selector."""
    ranking = rank_features(selector, samples)
    arrays: dict[str, NDArray[Any]] = {"order": ranking.order, "scores": ranking.scores}
    arrays["ties"] = ranking.groups
    arrays["close"] = _mask(ranking.unsettled, len(ranking.order))
    return Result((dict(ranking.details),), arrays, ranking.seconds)


def _path(cell: Cell, data: Dataset) -> Result:
    """Fit; one row a checkpoint, and their orders, scores and course as arrays."""
    parameters = dict(cell.parameters)
    checkpoints = parameters.pop("checkpoints")
    reduced = reduction(data, parameters["center"], parameters["normalize"])
    model = CSPCA(random_state=0, **parameters, warm_start=len(checkpoints) > 1)
    # What starts are told apart by is drawn, iteration by iteration; that changes no number.
    watch = 0.0 if "init" in parameters else math.inf
    path_fits: list[fitted.Fit] = []
    rows: list[dict[str, Any]] = []
    for n_iterations in checkpoints:
        reached = path_fits[-1].n_iter if path_fits else 0
        if not path_fits or (reached < n_iterations and not path_fits[-1].converged):
            model.set_params(max_iter=n_iterations - reached)
            # Fitted when the loop is over; and no warning, for the gap is part of the result.
            for _ in model.iterate(data.data, reduced=reduced, watch=watch):
                pass
        fit = model.fit_
        path_fits.append(fit)
        row = {"iterations": n_iterations, "alpha_absolute": fit.alpha, "beta_absolute": fit.beta}
        rows.append(row | {name: getattr(fit, name) for name in _NUMBERS})
    arrays = {
        name: np.stack([getattr(fit, f"feature_{name}") for fit in path_fits])
        for name in ("order", "ties")
    }
    arrays["close"] = np.stack([_close_cuts(fit) for fit in path_fits])
    for name in ("signed_scores", "feature_scores", "sample_residuals"):
        each = [getattr(fit, name) for fit in path_fits]
        arrays[name.removeprefix("signed_")] = np.stack(each).astype(np.float64)
    for name in COURSE:
        arrays[f"history_{name}"] = fit.history[name].astype(np.float64)
    return Result(tuple(rows), arrays)


def _close_cuts(fit: fitted.Fit) -> NDArray[np.bool_]:
    """Mark the numbers of features at which two scores are closer than the tolerance tells."""
    order, scores = fit.feature_order, fit.signed_scores
    ranking = Ranking(order, scores, 0.0, {}, fit.feature_ties)
    return _mask(() if fit.solver == "reweighted" else close_cuts(ranking, fit.tol), len(order))


def _mask(cuts: Sequence[int], n_features: int) -> NDArray[np.bool_]:
    """Mark some numbers of features."""
    mask = np.zeros(n_features, dtype=bool)
    mask[list(cuts)] = True
    return mask


def _cluster(cell: Cell, data: Dataset, needed: Results, together: SampleGroups | None) -> Result:
    parameters, silhouette, classes = cell.parameters, None, None
    order = needed[cell.needs[0]].arrays["order"]
    if parameters["silhouette"] or parameters["labels"] is None:
        silhouette = once(data, lambda: Silhouette(data.data), "silhouette")
    if parameters["labels"] is not None and data.target is not None:
        classes = compact(data.target)
    which = order[parameters["row"]] if "row" in parameters else order
    selection = (parameters[name] for name in ("n_features", "seeds", "n_clusters"))
    options: Any = {"init": parameters["init"], "silhouette": silhouette}
    options |= {"bootstrap": parameters.get("bootstrap", 0), "together": together}
    options["random_state"] = parameters.get("random_state", 0)
    rows, resampled = cluster(data.data, classes, which, *selection, **options)
    if parameters.get("settle") and _is_unsettled(cell, data, needed[cell.needs[0]]):
        rows = [row | {"no_ranking": WITHIN} for row in rows]
    return Result(tuple(rows), resampled)


def _is_unsettled(clustering: Cell, data: Dataset, ranking: Result) -> bool:
    """Whether a tighter fit of CSPCA selects other features than a clustering was made on.

    It is fitted again only where the two scores at the cut are near each other.
    """
    (cell,), k = clustering.needs, clustering.parameters["n_features"]
    if not near_cuts(ranking_of(ranking), [k]):
        return False
    selector = method_of("cspca").make(None, **cell.parameters["parameters"])
    return k in rank_features(selector, data.data, [k]).unsettled


def ranking_of(result: Result) -> Ranking:
    """What the result of a ranking says of the features."""
    return _ranking(result.arrays, result.rows[0], result.seconds)


def rankings_of_halves(result: Result) -> list[Ranking]:
    """What the result of a ranking on a pair of halves says of the features on each."""
    return [
        _ranking(
            {name: both[half] for name, both in result.arrays.items()}, row, result.seconds / 2
        )
        for half, row in enumerate(result.rows)
    ]


def _ranking(
    arrays: Mapping[str, NDArray[Any]], details: Mapping[str, Any], seconds: float
) -> Ranking:
    return Ranking(
        arrays["order"],
        arrays["scores"],
        seconds,
        details,
        arrays.get("ties"),
        tuple(np.flatnonzero(arrays.get("close", [])).tolist()),
    )


def _ranking_on_path(path: Result, row: int) -> Ranking:
    """What a fit on a path says of the features.

    Paths that were kept before they knew groups of ties have those of equal scores.
    """
    arrays, numbers = path.arrays, path.rows[row]
    details = {"n_zero": float(numbers["n_zero"])}
    details["identity"] = float(numbers["regime"] == "identity")
    ties = arrays["ties"][row] if "ties" in arrays else None
    close = arrays["close"][row] if "close" in arrays else []
    unsettled = tuple(np.flatnonzero(close).tolist())
    return Ranking(arrays["order"][row], arrays["scores"][row], 0.0, details, ties, unsettled)


def of(results: Results, step: str, over: str = "") -> Iterator[tuple[Cell, Result]]:
    """Results of a step; of clusterings those on rankings, or on paths."""
    # Only those are looked up: a result of the record is unpacked then.
    for cell in results:
        if cell.step == step and (not over or cell.needs[0].step == over):
            yield cell, results[cell]


@dataclass(frozen=True, kw_only=True)
class OnFits(OnSteps):
    """What all experiments on fits of CSPCA are asked alike: of the fits and their clusterings."""

    penalty_scale: str = again(Fit, "penalty_scale")
    n_features: int | None = setting(
        None,
        label="Best features",
        limits=(1, math.inf),
        help="How many of the best features rankings are compared by and K-means sees; half of "
        "them by default.",
    )
    n_seeds: int = setting(
        10,
        label="Repetitions",
        limits=(0, 1000),
        help="Starts of K-means a fit, the same for every fit; 0 for none. The paper takes 30.",
    )
    n_clusters: int | None = setting(
        None,
        label="Clusters",
        limits=(1, math.inf),
        help="The number of classes by default; without either nothing is clustered.",
    )
    groups: tuple[int, ...] = setting(
        (),
        label="Groups",
        limits=(0, math.inf),
        query="",
        help="Group of each sample (subject, replicate, video), kept whole where samples are split "
        "in halves, which only data without labels are; only numbers are kept. Without groups "
        "copies are kept together.",
    )
    random_state: int = setting(
        0,
        label="Seed of the halves",
        limits=(0, math.inf),
        help="Halves of the samples, each measured by the other, are drawn at random.",
    )
    init: str = setting(
        "random",
        label="Starts of K-means",
        choices=("random", "k-means++"),
        help="Random: the same random samples every time, as in the paper. k-means++: samples far "
        "from each other.",
    )
    tol: float = again(Fit, "tol")
    max_iter: int = again(Fit, "max_iter")
    center: bool = again(Fit, "center")
    normalize: bool = again(Fit, "normalize")

    def path(self, data: Dataset, checkpoints: Sequence[int], **parameters: Any) -> Iterator[Cell]:
        """CSPCA of some parameters, looked at after numbers of iterations; then its clusterings."""
        labels = labels_digest(data)
        if self.groups:
            number_groups(self.groups, data.n_samples)
            if labels is not None:
                raise ValueError(
                    "groups has no effect where clusters are held against labels: leave it out."
                )
        same = ("penalty_scale", "center", "normalize", "tol")
        path_parameters = {name: getattr(self, name) for name in same} | parameters
        path_parameters["checkpoints"] = sorted(checkpoints)
        # The revision is raised when the numbers of a fit change.
        title = SOLVERS[parameters["solver"]].title
        path = Cell("path", path_parameters, revision=6, title=title, size=len(checkpoints))
        yield path
        n_clusters = self.n_clusters or (data.n_classes if data.has_classes else 0)
        if not self.n_seeds or not n_clusters:
            return
        k = self.n_features or max(1, data.n_features // 2)
        if k > data.n_features:
            raise ValueError(
                f"n_features must be at most {data.n_features}, the number of "
                f"{data.nouns.features}, got {k}."
            )
        clustering = {
            "n_features": k,
            "n_clusters": n_clusters,
            "init": self.init,
            "labels": labels,
        }
        clustering |= {"silhouette": False}
        if labels is None:
            clustering |= self.drawn_by(halves=True)
        for row in range(len(checkpoints)):
            yield cluster_cell(path, range(self.n_seeds), row=row, **clustering)

    def table(self, results: Results) -> pd.DataFrame:
        """One row a clustering, or a fit where nothing is clustered."""
        table, runs = fits(results), self._clustered(results)
        if runs.empty or table.empty:
            return table
        new = [name for name in runs if name in self.told_apart or name not in table]
        return table.merge(runs[new], on=list(self.told_apart), how="left")

    def means(self, results: Results) -> pd.DataFrame:
        """One row a fit, with mean and standard deviation of what its clusterings measured."""
        table, runs = fits(results), self._clustered(results)
        if runs.empty or table.empty:
            return table
        keys = list(self.told_apart)
        groups = runs.groupby(keys, sort=False)
        columns = {name: groups[name].first() for name in ("n_features", "no_ranking")}
        for name in _MEASURED:
            if name in runs:
                columns[f"{name}_mean"] = groups[name].mean()
                columns[f"{name}_std"] = groups[name].std(ddof=1).fillna(0.0)
                columns[f"{name}_std"] = columns[f"{name}_std"].where(columns["no_ranking"] == "")
        table = table.merge(pd.DataFrame(columns).reset_index(), on=keys, how="left")
        return table.assign(no_ranking=table["no_ranking"].fillna(""))

    def about_halves(self, results: Results, data: Dataset) -> str:
        """What groups and copies do to held-out halves, where reconstruction was measured."""
        rows = [result.rows[0] for _, result in of(results, "cluster", "path")]
        if not any("reconstruction_error" in row for row in rows):
            return ""
        n_copies = max(int(row.get("n_copies", 0)) for row in rows)
        return halves_words(len(set(self.groups)), n_copies, data.n_samples, data.nouns.samples)

    def _clustered(self, results: Results) -> pd.DataFrame:
        """One row a clustering, with what tells apart the fits whose rankings they rest on."""
        rows = []
        for cell, result in of(results, "cluster", "path"):
            (path,) = cell.needs
            at = path.parameters["checkpoints"][cell.parameters["row"]]
            point = {**path.parameters, "iterations": at}
            # A fit's start is no start of K-means, which has the same name.
            labels = {name: point[name] for name in self.told_apart}
            fit, k = results.get(path), cell.parameters["n_features"]
            labels["no_ranking"] = ""
            if fit is not None:
                labels["no_ranking"] = no_ranking_of(fit, cell.parameters["row"], k)
            if labels["no_ranking"]:
                labels |= {name: math.nan for name in METRICS if name in result.rows[0]}
            rows += [row | labels for row in result.rows]
        return pd.DataFrame(rows)


def no_ranking_of(path: Result, row: int, n_features: int) -> str:
    """Why the best features of a fit on a path are no selection; empty where they are one."""
    return _ranking_on_path(path, row).no_ranking(n_features)


def n_tied_at_cut(path: Result, row: int, n_features: int) -> int:
    """Count the features of a fit on a path that tie at a cut; 0 where none do."""
    ranks = _ranking_on_path(path, row).ranks
    return int(np.count_nonzero(ranks <= n_features)) - ahead_of_cut(ranks, n_features)


def fits(results: Results) -> pd.DataFrame:
    """One row a checkpoint of every path: its parameters and what the fit says of itself."""
    paths = of(results, "path")
    rows = [{**cell.parameters, **row} for cell, result in paths for row in result.rows]
    return pd.DataFrame(rows).drop(columns="checkpoints", errors="ignore")


class Measure(NamedTuple):
    """What fits are looked at by, how a number of it is said, and what a picture of it answers."""

    label: str
    meaning: str
    say: Callable[[float], str]
    question: str = ""


def told(row: Mapping[str, Any], measures: Mapping[str, Measure]) -> dict[str, str]:
    """What a row of the means says by some measures, and what clusterings measured on it."""
    texts = {
        measure.label: measure.say(row[name]) for name, measure in measures.items() if name in row
    }
    for name in _MEASURED:
        if f"{name}_mean" in row:
            mean, std = row[f"{name}_mean"], row[f"{name}_std"]
            metric = METRICS[name]
            missing = f"no ranking: {row['no_ranking']}" if row.get("no_ranking") else "–"
            texts[metric.unit] = metric.spread(mean, std) if mean == mean else missing
    return texts
