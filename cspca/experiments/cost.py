"""What cells and fits will take: by the size of the data, and by what others of them took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cspca.experiments.experiment import Cell, Experiment, Results

if TYPE_CHECKING:
    from cspca.datasets import Dataset


LONG = 2.0
"""Seconds from which on a step is heavy, and computed in a process that can be killed."""


MANY, MOST = 20_000, 500_000
"""Cells from which on a plan is confirmed before it is begun, and at most."""


def outline(experiment: Experiment, data: Dataset) -> list[tuple[Cell, int]]:
    """Cells that stand for so many of what is asked; a ValueError where that is too much."""
    outlined, count = [], 0
    for cell, alike in experiment.outline(data):
        outlined.append((cell, alike))
        count += alike
        if count > MOST:
            raise ValueError(
                f"This asks for more than {MOST:,} fits, rankings and sets of clusterings, and a "
                "run has at most so many: ask for fewer numbers, parameters or pairs of halves."
            )
    return outlined


class Rates:
    """How much longer finished cells took than their size says, by step and title."""

    def __init__(self, data: Dataset, results: Results | None = None) -> None:
        self._data = data
        self._spent: dict[tuple[str, str], list[float]] = {}
        for cell, result in (results or {}).items():
            self.add(cell, result.seconds)

    def add(self, cell: Cell, seconds: float) -> None:
        """Note what a cell took."""
        for of in (cell.title, ""):
            spent = self._spent.setdefault((cell.step, of), [0.0, 0.0])
            spent[0] += seconds
            spent[1] += by_size(cell, self._data)

    def rate(self, step: str, title: str) -> float | None:
        """How much longer such cells took than their size says; None before any."""
        spent = self._spent.get((step, title)) or self._spent.get((step, ""))
        return None if spent is None else spent[0] / spent[1]

    def of(self, cell: Cell) -> float | None:
        """Seconds of a cell, by those of its title or else of its step; None before any."""
        rate = self.rate(cell.step, cell.title)
        return None if rate is None else by_size(cell, self._data) * rate

    def seconds(self, cells: Iterable[Cell]) -> float:
        """Seconds of computing that cells take together, on one core."""
        measured = ((cell, self.of(cell)) for cell in cells)
        return sum(
            by_size(cell, self._data) if seconds is None else seconds for cell, seconds in measured
        )


def reduction_by_size(data: Dataset) -> float:
    """A reduction: products, and an eigendecomposition of the smaller side."""
    n, d = data.n_samples, data.n_features
    few = min(n, d)
    return 3e-10 * few * (n * d + few**2)


def fit_by_size(data: Dataset) -> float:
    """A fit from the cold, where about half of the features are left."""
    n, d = data.n_samples, data.n_features
    # What is wide leaves the processor's cache.
    return 0.015 + 1.5e-8 * n * d * float(min(n, d) ** 0.5) + 6e-9 * d**2


def step_by_size(data: Dataset) -> float:
    """An iteration of Algorithm 1."""
    n, d = data.n_samples, data.n_features
    return 0.003 + 3.5e-8 * n * d + 1.6e-9 * d * min(n, d) ** 2


def by_size(cell: Cell, data: Dataset) -> float:
    """A rough guess: orders of growth with factors measured on a server of 2026, none exact."""
    parameters: Any = cell.parameters
    n, d = data.n_samples, data.n_features
    few, fit = min(n, d), fit_by_size(data)
    if cell.step == "cluster":
        work = n * parameters["n_clusters"] * (1.0 + 0.01 * min(parameters["n_features"], few))
        return 0.01 + cell.size * (5e-4 + 1e-7 * float(work))
    if cell.step == "haystack":
        size = parameters["n_samples"] * parameters["n_features"] ** 2
        return cell.size * (0.01 + (2e-7 if "beta" in parameters else 2e-8) * float(size))
    if cell.step == "planted":
        return 2.0 * fit * (4.0 if "beta" in parameters else 1.0)
    if cell.step == "halves":
        return fit
    if cell.step == "path" and parameters["solver"] == "reweighted":
        return int(max(parameters["checkpoints"])) * step_by_size(data)
    if cell.step == "path":
        # Small penalties and small tolerances take more iterations.
        return fit * (
            10.0 if parameters["tol"] < 1e-3 else 4.0 if parameters["beta"] < 0.01 else 1.0
        )
    if cell.step == "beside":
        work = 1e-9 * n * d * min(parameters["n_features"], n)
        return 0.02 + 1e-8 * min(n, 4000) ** 2 + float(work)
    graph = 0.01 + 5e-10 * n**2 * d
    by_method = {
        **dict.fromkeys(("all", "grid", "random", "scores"), 1e-3),
        "variance": 1e-3 + 1e-8 * n * d,
        "laplacian": graph,
        "spec": graph,
        "mcfs": graph + 2e-7 * n * d * int(parameters.get("n_clusters", 1)),
        "greedy": 0.01 + 1e-9 * d * few**2,
        "pivoted-qr": 0.01 + 2e-10 * n * d * few,
        "leverage": 0.01 + 5e-10 * n * d * few,
        "fspca": 0.02 + 1e-8 * d * few * min(few, 500),
        "spcafs": 0.05 + 1e-9 * d**3,
        "u2fs": 0.01 + 1e-10 * min(n, 3000) ** 3 + 4e-10 * d**3,
        "inf-fs": 0.01 + 1.5e-10 * d**3 + 1e-8 * n * d,
        "sogfs": min(20.0, 2e-8 * d**3) + 4e-10 * min(n, 3000) ** 3,
        # A grid's smallest penalties take most.
        "cspca": 4.0 * fit if parameters.get("parameters") else fit,
    }
    # Both halves together take what all samples do, as long as the work grows with their number.
    size = cell.size / 2 if cell.step == "rank-halves" else cell.size
    # Others solve a system of all features again and again.
    return size * by_method.get(parameters.get("method", "").partition(":")[0], graph + 1e-9 * d**3)
