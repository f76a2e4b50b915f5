"""Two kept runs of one kind beside each other: what was asked differently, what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.evaluation.former import METRICS, Comparison, Interval, honest_score, paired_difference
from cspca.runs.store import RunRecord, Store, StoreError
from cspca.runs.sweeps import Sweep, comparison_of, fit_of, sweep_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Differences", "Line", "Setting", "differences"]

_MOVING: Mapping[str, tuple[str, ...]] = {
    "sensitivity": ("alpha", "beta"),
    "starts": ("solver", "init", "max_iter"),
}
"""Parameters by which the points of a run are told apart."""

_SIGNS = {"alpha": "α", "beta": "β"}

_FIT = (
    ("objective", "Objective"),
    ("dual_objective", "Lower bound"),
    ("duality_gap", "Certified gap"),
    ("rank", "Rank of W"),
    ("n_zero", "Exact zeros"),
    ("n_iter", "Iterations"),
)


@dataclass(frozen=True)
class Setting:
    """Something that was asked of both.

    Attributes
    ----------
    name, first, second : str
        In words; empty where one of them knows no such thing.
    """

    name: str
    first: str
    second: str

    @property
    def same(self) -> bool:
        """Whether both were asked the same."""
        return self.first == self.second


@dataclass(frozen=True)
class Line:
    """One number of both.

    Attributes
    ----------
    label : str
        Whose: a method, a point of a grid, a start; what it is, for a fit.
    first, second : float
    difference : Interval or None
        Second minus first, paired over the seeds that both have; None with fewer than two.
    """

    label: str
    first: float
    second: float
    difference: Interval | None


@dataclass(frozen=True)
class Differences:
    """Two runs beside each other.

    Attributes
    ----------
    settings : tuple of Setting
        All of them, also those that are the same.
    metrics : tuple of str
        What both measured; empty for fits.
    metric : str
        The one of `lines`; empty for fits, whose lines are their numbers.
    lines : tuple of Line
    n_shared : int
        Seeds that both have.
    """

    settings: tuple[Setting, ...]
    metrics: tuple[str, ...]
    metric: str
    lines: tuple[Line, ...]
    n_shared: int


def differences(store: Store, first: str, second: str, metric: str = "") -> Differences:
    """Hold two runs of one kind beside each other, as far as both got.

    Parameters
    ----------
    store : Store
    first, second : str
        Their ids.
    metric : str, default=""
        What is compared; the first that both measured where they have no such one.

    Raises
    ------
    StoreError
        When they are of different kinds, or something of them is damaged.
    """
    runs = store.get(first), store.get(second)
    if runs[0].kind != runs[1].kind:
        raise StoreError(
            f"{runs[0].name} is a {runs[0].kind} and {runs[1].name} a {runs[1].kind}: choose two "
            "of one kind."
        )
    sweeps = sweep_of(store, first), sweep_of(store, second)
    settings = _settings(runs, sweeps)
    if runs[0].kind == "fit":
        return Differences(settings, (), "", _of_fits(store, first, second), 0)
    if not all(one.plan.seeds for one in sweeps):
        return Differences(settings, (), "", (), 0)
    found = comparison_of(store, first), comparison_of(store, second)
    shared = [seed for seed in sweeps[0].plan.seeds if seed in sweeps[1].plan.seeds]
    metrics = tuple(
        name for name in METRICS if name in found[0].metrics and name in found[1].metrics
    )
    if not metrics:
        return Differences(settings, (), "", (), len(shared))
    chosen = metric if metric in metrics else metrics[0]
    lines = _lines(runs[0].kind, found, chosen, shared)
    return Differences(settings, metrics, chosen, lines, len(shared))


def _settings(
    runs: tuple[RunRecord, RunRecord], sweeps: tuple[Sweep, Sweep]
) -> tuple[Setting, ...]:
    said = [_said(run, sweep) for run, sweep in zip(runs, sweeps, strict=True)]
    names = list(dict.fromkeys([*said[0], *said[1]]))
    return tuple(Setting(name, said[0].get(name, ""), said[1].get(name, "")) for name in names)


def _said(run: RunRecord, sweep: Sweep) -> dict[str, str]:
    from cspca.runs.report.stored import about_run

    data = run.data
    asked = dict(about_run(run, sweep).settings)
    asked.pop("Run", None)
    made = "; ".join(", ".join(f"{k} {v}" for k, v in one.items()) for one in run.versions)
    seeds = run.seeds if sweep.plan.seeds else ()
    return {
        "Data": f"{data.name}, {data.n_samples:,} × {data.n_features:,} ({data.sha256[:8]})",
        **asked,
        **({"Repetitions": f"{len(seeds):,}"} if seeds else {}),
        **({"Labels": "used" if sweep.labelled else "not used"} if seeds else {}),
        "Made with": made,
    }


def _lines(
    kind: str, found: tuple[Comparison, Comparison], metric: str, shared: Sequence[int]
) -> tuple[Line, ...]:
    if kind == "comparison":
        titles = {one.method: one.title for one in found[0].plan.methods}
        both = [one.method for one in found[1].plan.methods if one.method in titles]
        lines = []
        for method in both:
            runs = [_honest(one, method, metric, shared) for one in found]
            if runs[0] is not None and runs[1] is not None:
                lines.append(_line(titles[method], runs[0], runs[1], len(shared)))
        return tuple(lines)
    points = [_points(kind, one, metric, shared) for one in found]
    labels = [label for label in points[0] if label in points[1]]
    lines = [_line(label, points[0][label], points[1][label], len(shared)) for label in labels]
    if len(lines) > 1:
        means = [np.mean([of[label] for label in labels], axis=0) for of in points]
        title = f"Mean of the {len(lines):,} that both have"
        lines.insert(0, _line(title, means[0], means[1], len(shared)))
    return tuple(lines)


def _honest(one: Comparison, method: str, metric: str, shared: Sequence[int]) -> Floats | None:
    """Runs of a method, its choice made on the half of the shared seeds that each is not in."""
    choices, table = one.scores(method, metric)
    if not choices:
        return None
    if len(shared) < 2:
        larger = METRICS[metric]
        means = table.mean(axis=1)
        best: Floats = table[int(means.argmax() if larger else means.argmin())]
        return best
    columns = [one.plan.seeds.index(seed) for seed in shared]
    return honest_score(table[:, columns], larger_is_better=METRICS[metric]).runs


def _points(kind: str, one: Comparison, metric: str, shared: Sequence[int]) -> dict[str, Floats]:
    moving = _MOVING.get(kind, ())
    columns = [one.plan.seeds.index(seed) for seed in shared] or slice(None)
    found = {}
    for method in one.plan.methods:
        choices, table = one.scores(method.method, metric)
        for choice, runs in zip(choices, table, strict=True):
            given = dict(choice.parameters)
            label = ", ".join(
                f"{_SIGNS.get(name, name)} = {_short(given[name])}" for name in moving
            )
            found[label] = runs[columns]
    return found


def _line(label: str, first: Floats, second: Floats, n_shared: int) -> Line:
    apart = paired_difference(second, first) if n_shared > 1 else None
    return Line(label, float(np.mean(first)), float(np.mean(second)), apart)


def _of_fits(store: Store, first: str, second: str) -> tuple[Line, ...]:
    found = fit_of(store, first)[0], fit_of(store, second)[0]
    return tuple(
        Line(label, float(found[0][name]), float(found[1][name]), None) for name, label in _FIT
    )


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
