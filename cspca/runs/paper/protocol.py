"""The paper's protocol on one data set, as sweeps: what is computed, whole or shortened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from cspca.evaluation.former import make_plan
from cspca.evaluation.paper import GRID, METHODS_IN_PAPER, N_STARTS
from cspca.evaluation.paper_recognition import Recognition, feature_counts, recognise
from cspca.runs.sweeps import Sweep, SweepError, checks_sweep, comparison_sweep, starts_sweep
from cspca.solvers import STARTS

if TYPE_CHECKING:
    from cspca.datasets import Dataset

__all__ = ["MARK", "PAPER", "PARTS", "QUICK", "Protocol", "recognised", "sweeps_of"]

PARTS: Mapping[str, str] = {
    "comparison": "Tables and sensitivity",
    "starts": "Seven starts and convergence",
    "checks": "Other claims",
}
"""Parts of a reproduction: the kinds of their runs, and their titles."""

MARK = "paper"
"""Name under which a sweep says what part of which protocol it is."""

_SHORT_GRID = (1e-2, 1.0, 1e2)
_SHORT_STARTS = ("diagonal-1", "constant-1", "random")
_TOL = 1e-4


@dataclass(frozen=True)
class Protocol:
    """How much of the paper's protocol is computed.

    Attributes
    ----------
    n_seeds : int, default=30
        Starts of K-means.
    grid : tuple of float
        Values of every parameter of every method; α and β absolute, as printed.
    n_counts : int or None, default=None
        How many of the paper's numbers of features, evenly chosen; None is all.
    starts : tuple of str
        Initialisations.
    """

    n_seeds: int = N_STARTS
    grid: tuple[float, ...] = GRID
    n_counts: int | None = None
    starts: tuple[str, ...] = tuple(STARTS)

    def __post_init__(self) -> None:
        if self.n_seeds < 2:
            raise SweepError("The paper's tables need at least two starts of K-means.")
        if 1.0 not in self.grid:
            raise SweepError("The grid must hold 1: figures of the paper fix α = β = 1.")

    @property
    def is_the_papers(self) -> bool:
        """Whether nothing is shortened."""
        return self == PAPER

    @property
    def title(self) -> str:
        """What it is called."""
        if self.is_the_papers:
            return "The paper’s protocol"
        return "A quick look" if self == QUICK else "A shortened protocol"

    def words(self) -> str:
        """Say what it takes, and what it leaves out."""
        counts = "all of the protocol’s" if self.n_counts is None else f"{self.n_counts}"
        n = len(self.grid)
        text = (
            f"{self.n_seeds} starts of K-means, {n} values of every parameter ({n} × {n} pairs of "
            f"α and β), {counts} numbers of features, {len(self.starts)} initialisations."
        )
        return text if self.is_the_papers else f"{text} This is not the paper’s protocol."

    def counts(self, recognition: Recognition, n_features: int) -> tuple[int, ...]:
        """Numbers of features to cluster on.

        Parameters
        ----------
        recognition : Recognition
        n_features : int
        """
        every = feature_counts(recognition, n_features)
        if self.n_counts is None or self.n_counts >= len(every):
            return every
        if self.n_counts == 1:
            return (_middle(every),)
        step = (len(every) - 1) / (self.n_counts - 1)
        return tuple(every[int(i * step + 0.5)] for i in range(self.n_counts))

    def to_record(self) -> dict[str, Any]:
        """Plain values for a store."""
        return asdict(self) | {"grid": list(self.grid), "starts": list(self.starts)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The protocol that :meth:`to_record` wrote."""
        return cls(
            record["n_seeds"], tuple(record["grid"]), record["n_counts"], tuple(record["starts"])
        )


PAPER = Protocol()
"""Nothing shortened."""

QUICK = Protocol(5, _SHORT_GRID, 3, _SHORT_STARTS)
"""Enough to see how the page looks, in seconds on small data."""


def recognised(dataset: Dataset) -> Recognition:
    """What some data are to the paper.

    Parameters
    ----------
    dataset : Dataset
    """
    return recognise(dataset.n_samples, dataset.n_features, dataset.n_classes, dataset.name)


def sweeps_of(
    dataset: Dataset, protocol: Protocol = PAPER, parts: Sequence[str] = tuple(PARTS)
) -> dict[str, Sweep]:
    """Return what is to be computed on some data, by part.

    The figures for the number of features and for the sensitivity are slices of the comparison,
    and those for the convergence are read off the starts: nothing is computed twice.

    Parameters
    ----------
    dataset : Dataset
        With labels.
    protocol : Protocol, default=PAPER
    parts : sequence of str
        Of :data:`PARTS`.

    Raises
    ------
    SweepError
        Without labels, or when there is no such part.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown or not parts:
        wrong = f"{unknown[0]!r} is no part" if unknown else "There is no part to run"
        raise SweepError(f"{wrong}: choose parts from {', '.join(PARTS)}.")
    if dataset.target is None or dataset.n_classes < 2:
        raise SweepError(
            f"{dataset.name} has no classes, and the paper's tables need them: bring labels too."
        )
    counts = protocol.counts(recognised(dataset), dataset.n_features)
    made: dict[str, Sweep] = {}
    for part in parts:
        if part == "comparison":
            sweep = comparison_sweep(_plan(dataset, protocol, counts))
        elif part == "starts":
            sweep = starts_sweep(
                dataset, 1.0, 1.0, penalty_scale="absolute", inits=protocol.starts,
                n_features=_middle(counts), n_seeds=protocol.n_seeds, tol=_TOL,
            )  # fmt: skip
        else:
            sweep = checks_sweep()
        asked = {**sweep.asked, MARK: protocol.to_record()}
        made[part] = replace(sweep, asked=asked)
    return made


def _plan(dataset: Dataset, protocol: Protocol, counts: tuple[int, ...]) -> Any:
    grid = protocol.grid
    pairs = [(one, other) for one in grid for other in grid]
    return make_plan(
        dataset.data,
        dataset.target,
        METHODS_IN_PAPER,
        counts,
        n_seeds=protocol.n_seeds,
        grids={
            # Its φ₂ is the Laplacian Score once more; the paper does not say which it takes.
            "spec": [{"function": "phi1"}],
            "udfs": [{"gamma": one, "regularization": other} for one, other in pairs],
            "cspca": [
                {"alpha": one, "beta": other, "penalty_scale": "absolute"} for one, other in pairs
            ],
        },
    )


def _middle(counts: Sequence[int]) -> int:
    return counts[len(counts) // 2]
