"""The kinds of sweeps: each is a plan of rankings and clusterings, made from what a user asks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from cspca.evaluation.former.cells import Cell, MethodPlan, Parameters, Plan, parameters_of
from cspca.runs.store import NewCell
from cspca.runs.sweeps.errors import SweepError
from cspca.solvers import SOLVERS, STARTS

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = [
    "CLUSTER",
    "KINDS",
    "RANK",
    "Sweep",
    "checks_sweep",
    "comparison_sweep",
    "fit_sweep",
    "rank_key",
    "ranked_by",
    "sensitivity_sweep",
    "starts_sweep",
]

KINDS = ("comparison", "sensitivity", "starts", "fit", "checks")

RANK, CLUSTER = "rank", "cluster"
"""The two steps: features are ranked, then samples are clustered on the best of them."""

_CHECKPOINTS = (10, 20, 50)
"""Iterations at which Algorithm 1 is looked at: the paper claims ten are enough."""


@dataclass(frozen=True)
class Sweep:
    """What is computed, all of it; equal sweeps of equal content give equal numbers.

    Attributes
    ----------
    kind : {"comparison", "sensitivity", "starts", "fit", "checks"}
    plan : Plan
        Rankings (a method and its parameters) and the clusterings made on them. A fit has a
        ranking and no clusterings; checks have, in place of methods, what is checked.
    labelled : bool
        Clusters are held against the labels; otherwise as if there were none.
    asked : mapping
        What a table or a figure of it is made from, plain values: the axes of the grid, …
    """

    kind: str
    plan: Plan
    labelled: bool = True
    asked: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __reduce__(self) -> tuple[Any, ...]:
        # It travels to other processes; a read-only view of a dictionary does not.
        return type(self), (self.kind, self.plan, self.labelled, dict(self.asked))

    @property
    def context(self) -> str:
        """What results depend on beside the data, the kind and the key of their cell."""
        plan = self.plan
        # What is read off a path may depend, in the last digit, on where it was looked at before.
        checkpoints = self.asked["checkpoints"] if self.kind == "starts" else []
        return json.dumps([self.labelled, plan.n_clusters, plan.silhouette, checkpoints])

    def rankings(self) -> Iterator[tuple[str, tuple[Parameters, ...]]]:
        """Rankings that are made together: one each, but for those along one path."""
        for method in self.plan.methods:
            if self.kind != "starts":
                yield from ((method.method, (parameters,)) for parameters in method.grid)
                continue
            paths: dict[Parameters, list[Parameters]] = {}
            for parameters in method.grid:
                of = tuple(pair for pair in parameters if pair[0] != "max_iter")
                paths.setdefault(of, []).append(parameters)
            yield from ((method.method, tuple(path)) for path in paths.values())

    def cells(self) -> Iterator[NewCell]:
        """All cells: every ranking, followed by its clusterings."""
        groups: dict[tuple[str, Parameters], list[tuple[Cell, ...]]] = {}
        for group in self.plan.groups():
            groups.setdefault((group.method, group.parameters), []).append(group.cells)
        for method, path in self.rankings():
            keys = [rank_key(method, parameters) for parameters in path]
            for key in keys:
                yield NewCell(key, RANK, keys[0], method)
            for key, parameters in zip(keys, path, strict=True):
                for cells in groups.get((method, parameters), ()):
                    unit = f"{key} {cells[0].n_features}"
                    for cell in cells:
                        yield NewCell(cell.key(), CLUSTER, unit, method, key)

    def to_record(self) -> dict[str, Any]:
        """Plain values (JSON) for a store."""
        return {
            "kind": self.kind,
            "plan": self.plan.to_record(),
            "labelled": self.labelled,
            "asked": dict(self.asked),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The sweep that :meth:`to_record` wrote, after a trip through JSON too."""
        plan = Plan.from_record(record["plan"])
        return cls(record["kind"], plan, record["labelled"], dict(record["asked"]))


def rank_key(method: str, parameters: Parameters) -> str:
    """Key of the cell that ranks features; its arrays have the order.

    Parameters
    ----------
    method : str
    parameters : Parameters
    """
    pairs = [list(pair) for pair in parameters]
    return json.dumps([RANK, method, pairs], separators=(",", ":"))


def ranked_by(key: str) -> tuple[str, Parameters]:
    """Method and parameters of a :func:`rank_key`.

    Parameters
    ----------
    key : str
    """
    _, method, pairs = json.loads(key)
    return method, tuple((name, value) for name, value in pairs)


def comparison_sweep(plan: Plan, *, labelled: bool = True) -> Sweep:
    """Sweep of a comparison.

    Parameters
    ----------
    plan : Plan
        From :func:`cspca.evaluation.make_plan`, of methods in the registry.
    labelled : bool, default=True

    Raises
    ------
    SweepError
        When a method is the user's own: a store cannot keep its code.
    """
    from cspca.selection import METHODS

    unknown = [one.method for one in plan.methods if one.method not in METHODS]
    if unknown:
        raise SweepError(
            f"{unknown[0]!r} is not a method of the registry and cannot be resumed later: use "
            "cspca.evaluation.compare for it."
        )
    return Sweep("comparison", plan, labelled)


def sensitivity_sweep(
    dataset: Dataset,
    alphas: Sequence[float],
    betas: Sequence[float],
    *,
    penalty_scale: str = "relative",
    n_features: int | None = None,
    n_seeds: int = 30,
    n_clusters: int | None = None,
    init: str = "random",
    tol: float = 1e-3,
    max_iter: int = 1000,
    center: bool = True,
    normalize: bool = False,
) -> Sweep:
    """Sweep of CSPCA over a grid of its penalties, each point fitted from a cold start.

    Parameters
    ----------
    dataset : Dataset
    alphas, betas : sequence of float
        Penalties ≥ 0, on the scale of `penalty_scale`.
    penalty_scale : {"relative", "absolute"}, default="relative"
    n_features : int or None, default=None
        Features that are selected for the clusterings; None is half of them.
    n_seeds : int, default=30
        Clusterings a point; 0 for none.
    n_clusters : int or None, default=None
        None is the number of classes.
    init : {"random", "k-means++"}, default="random"
    tol, max_iter, center, normalize
        As in :class:`cspca.CSPCA`.

    Raises
    ------
    SweepError or ValueError
        One sentence, when data and wishes do not fit together.
    """
    rows, columns = _axis(alphas, "alphas"), _axis(betas, "betas")
    common = {
        "penalty_scale": penalty_scale,
        "tol": tol,
        "max_iter": max_iter,
        "center": center,
        "normalize": normalize,
    }
    grid = [{"alpha": a, "beta": b, **common} for a in rows for b in columns]
    plan = _plan(dataset, grid, n_features, n_seeds, n_clusters, init)
    asked = {"alphas": rows, "betas": columns, "penalty_scale": penalty_scale}
    return Sweep("sensitivity", plan, dataset.target is not None, asked)


def starts_sweep(
    dataset: Dataset,
    alpha: float,
    beta: float,
    *,
    penalty_scale: str = "relative",
    inits: Sequence[str] = tuple(STARTS),
    solvers: Sequence[str] = ("admm", "reweighted"),
    checkpoints: Sequence[int] = _CHECKPOINTS,
    n_features: int | None = None,
    n_seeds: int = 30,
    n_clusters: int | None = None,
    init: str = "random",
    tol: float = 1e-4,
    max_iter: int = 2000,
    center: bool = True,
    normalize: bool = False,
) -> Sweep:
    """Sweep of the paper's seven initialisations: where each solver gets to from each of them.

    Parameters
    ----------
    dataset : Dataset
    alpha, beta : float
        Penalties, on the scale of `penalty_scale`.
    penalty_scale : {"relative", "absolute"}, default="relative"
    inits : sequence of str, default=all seven
        Keys of :data:`cspca.solvers.STARTS`.
    solvers : sequence of {"admm", "reweighted"}, default=both
    checkpoints : sequence of int, default=(10, 20, 50)
        Iterations at which Algorithm 1 is looked at, along one path. The certified solver runs
        to `tol`.
    n_features, n_seeds, n_clusters, init, center, normalize
        As in :func:`sensitivity_sweep`.
    tol : float, default=1e-4
        Certified gap to which the certified solver runs: small, so that objectives can be told
        apart.
    max_iter : int, default=2000
        Of the certified solver.

    Raises
    ------
    SweepError or ValueError
        One sentence, when data and wishes do not fit together.
    """
    unknown = [name for name in (*inits, *solvers) if name not in STARTS and name not in SOLVERS]
    if unknown or not inits or not solvers:
        raise SweepError(
            f"{unknown[0]!r} is no start or solver: choose from {', '.join((*STARTS, *SOLVERS))}."
            if unknown
            else "Choose at least one start and one solver."
        )
    steps = sorted({int(number) for number in checkpoints})
    if not steps or steps[0] < 1:
        raise SweepError("checkpoints must be whole numbers of iterations from 1.")
    common = {
        "alpha": float(alpha),
        "beta": float(beta),
        "penalty_scale": penalty_scale,
        "center": center,
        "normalize": normalize,
    }
    grid = [
        {**common, "solver": solver, "init": start, "max_iter": number, "tol": accuracy}
        # Start by start: what is shown first is whole, and the time that is left is known soon.
        for start in inits
        for solver in solvers
        for number, accuracy in (
            [(number, 0.0) for number in steps] if solver == "reweighted" else [(max_iter, tol)]
        )
    ]
    plan = _plan(dataset, grid, n_features, n_seeds, n_clusters, init)
    asked = {
        "alpha": float(alpha),
        "beta": float(beta),
        "penalty_scale": penalty_scale,
        "inits": list(inits),
        "solvers": list(solvers),
        "checkpoints": steps,
    }
    return Sweep("starts", plan, dataset.target is not None, asked)


def fit_sweep(alpha: float, beta: float, **parameters: Any) -> Sweep:
    """One fit, kept.

    Parameters
    ----------
    alpha, beta : float
    **parameters
        Further parameters of :class:`cspca.CSPCA`, plain values.
    """
    given = parameters_of({"alpha": float(alpha), "beta": float(beta), **parameters})
    plan = Plan((MethodPlan("cspca", "CSPCA", (given,), ()),), (), 1, silhouette=False)
    return Sweep("fit", plan, labelled=False, asked=dict(given))


def checks_sweep(names: Sequence[str] | None = None) -> Sweep:
    """Sweep of the experiments behind the paper's other claims, one cell each.

    Parameters
    ----------
    names : sequence of str or None, default=None
        Keys of :data:`cspca.evaluation.paper_checks.CHECKS`; None is all.

    Raises
    ------
    SweepError
        When there is no such check.
    """
    from cspca.evaluation.paper_checks import CHECKS

    chosen = tuple(CHECKS) if names is None else tuple(names)
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown or not chosen:
        raise SweepError(f"Choose checks from {', '.join(CHECKS)}.")
    plans = tuple(MethodPlan(name, CHECKS[name][0], ((),), ()) for name in chosen)
    return Sweep("checks", Plan(plans, (), 1, silhouette=False), labelled=False)


def _axis(values: Sequence[float], name: str) -> list[float]:
    points = sorted({float(value) for value in values})
    if not points or not 0.0 <= points[0] <= points[-1] < float("inf"):
        raise SweepError(f"{name} must be at least one finite penalty, none below 0.")
    return points


def _plan(
    dataset: Dataset,
    grid: Sequence[Mapping[str, Any]],
    n_features: int | None,
    n_seeds: int,
    n_clusters: int | None,
    init: str,
) -> Plan:
    from cspca.evaluation.former import make_plan

    if n_seeds == 0:
        points = tuple(parameters_of(point) for point in grid)
        return Plan((MethodPlan("cspca", "CSPCA", points, ()),), (), 1, init, silhouette=False)
    return make_plan(
        dataset.data,
        dataset.target,
        ["cspca"],
        max(1, dataset.n_features // 2) if n_features is None else n_features,
        n_seeds=n_seeds,
        n_clusters=n_clusters,
        init=init,
        grids={"cspca": grid},
        silhouette=False,
    )
