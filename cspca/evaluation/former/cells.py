"""The grain of every comparison and sweep: one clustering, of one selection, from one start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from cspca.evaluation.starts import FloatArray, IntArray

__all__ = [
    "METRICS",
    "Cell",
    "CellResult",
    "Group",
    "MethodPlan",
    "Parameters",
    "Plan",
    "Ranking",
    "parameters_of",
]

Parameters = tuple[tuple[str, Any], ...]
"""Parameters of a method as (name, value) pairs, sorted by name."""

METRICS: Mapping[str, bool] = {
    "accuracy": True,
    "nmi": True,
    "nmi_max": True,
    "silhouette": True,
    "stability": True,
    "reconstruction_error": False,
}
"""What a result holds, and whether large is good."""


def parameters_of(values: Mapping[str, Any]) -> Parameters:
    """A mapping as :data:`Parameters`; NumPy numbers become Python's."""
    return tuple(
        (name, value.item() if isinstance(value, np.generic) else value)
        for name, value in sorted(values.items())
    )


@dataclass(frozen=True)
class Cell:
    """All that decides one result, but for the data: the same cell gives the same numbers.

    Attributes
    ----------
    method : str
        Key of the method.
    parameters : Parameters
        What its selector was given beside the number of clusters.
    n_features : int
        Number of selected features.
    seed : int
        Start of K-means.
    n_clusters : int
        Of K-means, and of the methods that have such a parameter.
    init : {"random", "k-means++"}
    """

    method: str
    parameters: Parameters
    n_features: int
    seed: int
    n_clusters: int
    init: str = "random"

    def key(self) -> str:
        """One line of JSON that names the cell, for a store; see :meth:`from_key`."""
        return json.dumps(
            [
                self.method,
                [list(pair) for pair in self.parameters],
                self.n_features,
                self.seed,
                self.n_clusters,
                self.init,
            ],
            separators=(",", ":"),
        )

    @classmethod
    def from_key(cls, key: str) -> Self:
        """The cell that :meth:`key` named."""
        method, parameters, *rest = json.loads(key)
        return cls(method, tuple((name, value) for name, value in parameters), *rest)


@dataclass(frozen=True)
class CellResult:
    """What one clustering was worth; None where it was not measured.

    Attributes
    ----------
    cell : Cell
    inertia : float
        Within the selected features.
    n_iter : int
    seconds : float
        This cell's share of the clusterings that ran together.
    accuracy, nmi, nmi_max : float or None
        Against the labels; mutual information over the geometric mean of the entropies (the
        paper's) and over the larger one.
    silhouette : float or None
        In the space of all features, see :class:`cspca.evaluation.Silhouette`.
    stability : float or None
        Adjusted Rand index with the clustering from a second start that belongs to this seed
        alone; the mean over seeds estimates the agreement of two random runs.
    reconstruction_error : float or None
        Of all features from the selected ones, see
        :func:`cspca.evaluation.reconstruction_error`; the same for all seeds.
    """

    cell: Cell
    inertia: float
    n_iter: int
    seconds: float
    accuracy: float | None = None
    nmi: float | None = None
    nmi_max: float | None = None
    silhouette: float | None = None
    stability: float | None = None
    reconstruction_error: float | None = None

    def to_record(self) -> dict[str, Any]:
        """Plain values for a table or a store, the cell as its key."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "cell"}
        return {"cell": self.cell.key(), **values}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The result that :meth:`to_record` wrote."""
        values = dict(record)
        return cls(cell=Cell.from_key(values.pop("cell")), **values)


@dataclass(frozen=True, eq=False)
class Ranking:
    """What a method said of the features.

    Attributes
    ----------
    method : str
    parameters : Parameters
    order : ndarray of shape (n_features_in,)
        Features, best first.
    scores : ndarray of shape (n_features_in,)
        The order in numbers, large is good; equal ones tie.
    seconds : float
        Time of the fit.
    details : mapping
        What the fit said of itself, where it did: duality_gap, rank, objective, n_iter, and
        n_zero, the number of features scored exactly zero.
    """

    method: str
    parameters: Parameters
    order: IntArray
    scores: FloatArray
    seconds: float
    details: Mapping[str, float]


@dataclass(frozen=True)
class Group:
    """Cells that differ in their seed alone: clustered together.

    Attributes
    ----------
    method, parameters, n_features
        As in :class:`Cell`.
    cells : tuple of Cell
    """

    method: str
    parameters: Parameters
    n_features: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class MethodPlan:
    """What is asked of one method.

    Attributes
    ----------
    method : str
        Key.
    title : str
        Name on screen.
    grid : tuple of Parameters
        Parameter sets tried; the empty one is the method's defaults.
    n_features : tuple of int
        Numbers of features selected.
    keeps_all : bool
        Whether it is the baseline with all features.
    """

    method: str
    title: str
    grid: tuple[Parameters, ...]
    n_features: tuple[int, ...]
    keeps_all: bool = False


@dataclass(frozen=True)
class Plan:
    """A comparison to run: every method × parameters × number of features × seed.

    Attributes
    ----------
    methods : tuple of MethodPlan
    seeds : tuple of int
    n_clusters : int
    init : {"random", "k-means++"}
    silhouette : bool
        Whether silhouettes are measured although there are labels: a choice without labels needs
        them.
    """

    methods: tuple[MethodPlan, ...]
    seeds: tuple[int, ...]
    n_clusters: int
    init: str = "random"
    silhouette: bool = True

    def groups(self) -> Iterator[Group]:
        """Groups in a fixed order: by method, parameters, then number of features."""
        for plan in self.methods:
            for parameters in plan.grid:
                for k in plan.n_features:
                    shared = (plan.method, parameters, k)
                    cells = tuple(
                        Cell(*shared, seed, self.n_clusters, self.init) for seed in self.seeds
                    )
                    yield Group(*shared, cells)

    def cells(self) -> Iterator[Cell]:
        """All cells, in the order of :meth:`groups`, then by seed."""
        for group in self.groups():
            yield from group.cells

    @property
    def n_cells(self) -> int:
        """How many there are."""
        groups = sum(len(plan.grid) * len(plan.n_features) for plan in self.methods)
        return groups * len(self.seeds)

    def method(self, key: str) -> MethodPlan:
        """The plan of one method; KeyError when it is not part of this."""
        for plan in self.methods:
            if plan.method == key:
                return plan
        raise KeyError(key)

    def to_record(self) -> dict[str, Any]:
        """Plain values (JSON) for a store."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The plan that :meth:`to_record` wrote, after a trip through JSON too."""
        methods = tuple(
            MethodPlan(
                one["method"],
                one["title"],
                tuple(tuple((name, value) for name, value in p) for p in one["grid"]),
                tuple(one["n_features"]),
                one["keeps_all"],
            )
            for one in record["methods"]
        )
        return cls(
            methods,
            tuple(record["seeds"]),
            record["n_clusters"],
            record["init"],
            record["silhouette"],
        )
