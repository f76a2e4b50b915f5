"""What a comparison in the dashboard is asked for, and what it shows while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.jobs import JobState, JobView

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.evaluation.former import Comparison, Plan


@dataclass(frozen=True)
class ComparisonRequest:
    """What is compared, on which content; equal requests give equal numbers.

    Attributes
    ----------
    sha256 : str
        Fingerprint of the data set's content.
    methods : tuple of str
        Keys of :data:`cspca.selection.METHODS`.
    n_features : tuple of int
        Numbers of selected features.
    n_seeds : int
        Repetitions of K-means.
    n_clusters : int
    init : {"random", "k-means++"}
        Starts of K-means.
    tune : bool
        The paper's grid of parameters instead of the defaults.
    labelled : bool
        Clusters are held against the labels; otherwise as if there were none.
    spec_function : {"phi1", "phi2", "phi3"}
        Which of SPEC's functions is meant; φ₂ equals the Laplacian Score.
    """

    sha256: str
    methods: tuple[str, ...]
    n_features: tuple[int, ...]
    n_seeds: int
    n_clusters: int
    init: str = "random"
    tune: bool = False
    labelled: bool = True
    spec_function: str = "phi1"

    @property
    def content(self) -> str:
        """What the numbers of a cell depend on beside the cell: the data, and their labels."""
        return f"{self.sha256}, {'with' if self.labelled else 'without'} labels"

    @property
    def grids(self) -> dict[str, list[dict[str, Any]]]:
        """Parameter sets that differ from what the registry would try."""
        if "spec" not in self.methods or self.spec_function == "phi2":
            return {}
        return {"spec": [{"function": self.spec_function}]}

    def plan(self, dataset: Dataset) -> Plan:
        """Plan the cells.

        Parameters
        ----------
        dataset : Dataset

        Raises
        ------
        ValueError
            One sentence, when request and data do not fit together.
        """
        from cspca.evaluation.former import make_plan

        return make_plan(
            dataset.data,
            dataset.target if self.labelled else None,
            self.methods,
            self.n_features,
            n_seeds=self.n_seeds,
            n_clusters=self.n_clusters,
            init=self.init,
            tune=self.tune,
            grids=self.grids,
        )

    def _sizes(self) -> Iterator[tuple[int, int]]:
        """Parameter sets and numbers of features of every method."""
        from cspca.selection import METHODS

        for key in self.methods:
            grid: Mapping[str, Sequence[Any]] = METHODS[key].grid if self.tune else {}
            sets = math.prod(len(values) for values in grid.values())
            yield sets, 1 if key == "all" else len(set(self.n_features))

    @property
    def n_cells(self) -> int:
        """Clusterings that the request takes."""
        return self.n_seeds * sum(sets * counts for sets, counts in self._sizes())

    @property
    def n_rankings(self) -> int:
        """Fits of methods that it takes."""
        return sum(sets for sets, _ in self._sizes())


def has_classes(dataset: Dataset) -> bool:
    """Whether labels can be held against clusters: there are some, and not all are the same."""
    return dataset.target is not None and bool(np.ptp(dataset.target) > 0)


@dataclass(frozen=True)
class Pace:
    """How long things have taken, from which the rest is estimated.

    Attributes
    ----------
    ranking : mapping of str to (count, seconds)
        Fits of every method so far.
    n_cells, cell_seconds : int, float
        Clusterings so far, measuring included, and their time.
    """

    ranking: Mapping[str, tuple[int, float]]
    n_cells: int = 0
    cell_seconds: float = 0.0

    def with_group(
        self, method: str, ranking_seconds: float | None, n_cells: int, seconds: float
    ) -> Pace:
        """Return the pace after another group.

        Parameters
        ----------
        method : str
        ranking_seconds : float or None
            Time of its fit, when it was made for this group.
        n_cells : int
        seconds : float
            From the end of the group before to the end of this one.
        """
        ranking = dict(self.ranking)
        if ranking_seconds is not None:
            count, total = ranking.get(method, (0, 0.0))
            ranking[method] = count + 1, total + ranking_seconds
        clustering = max(seconds - (ranking_seconds or 0.0), 0.0)
        return replace(
            self,
            ranking=ranking,
            n_cells=self.n_cells + n_cells,
            cell_seconds=self.cell_seconds + clustering,
        )

    def remaining(self, rankings: Mapping[str, int], n_cells: int) -> float | None:
        """Estimate the seconds for the rest; None before anything was measured.

        Parameters
        ----------
        rankings : mapping of str to int
            Fits left of every method. A method not yet measured counts as the mean of the others.
        n_cells : int
            Clusterings left.
        """
        if not self.n_cells or (rankings and not self.ranking):
            return None
        means = {key: total / count for key, (count, total) in self.ranking.items()}
        usual = sum(means.values()) / max(len(means), 1)
        fits = sum(left * means.get(key, usual) for key, left in rankings.items())
        return fits + n_cells * self.cell_seconds / self.n_cells


@dataclass(frozen=True, eq=False)
class ComparisonSnapshot:
    """What a page can draw at one moment of a comparison.

    Attributes
    ----------
    request : ComparisonRequest
    data : str
        Name or id of the data set in the library.
    comparison : Comparison or None
        All that has finished so far; None before the plan was made.
    n_done, n_cells : int
        Clusterings done, or given up with their method, and all of them.
    n_finished : int
        Methods of which everything is done or given up.
    doing : str
        The method at work.
    ranking : bool
        Whether it ranks the features now; otherwise its choices are clustered.
    remaining : float or None
        Seconds that the rest would take, when this was published.
    unmeasured : bool
        Some of the methods still to come have not been timed yet: it may well take longer.
    at : float
        When that was, by :func:`time.monotonic`.
    note : str
        One sentence when it is not kept on disk, or not to its end; empty otherwise.
    askable : bool
        Whether `request` says all of it; a comparison from Python or a shell may go further.
    """

    request: ComparisonRequest
    data: str
    comparison: Comparison | None = None
    n_done: int = 0
    n_cells: int = 0
    n_finished: int = 0
    doing: str = ""
    ranking: bool = False
    remaining: float | None = None
    unmeasured: bool = False
    at: float = 0.0
    note: str = ""
    askable: bool = True

    def left(self, now: float | None = None) -> float | None:
        """Seconds still to go by now; None before anything was measured.

        Parameters
        ----------
        now : float, optional
            By :func:`time.monotonic`.
        """
        if self.remaining is None:
            return None
        moment = time.monotonic() if now is None else now
        return max(self.remaining - (moment - self.at), 0.0)


@dataclass(frozen=True)
class ComparisonProgress:
    """A comparison as a page sees it: where its job stands and what there is to draw.

    Attributes
    ----------
    job : JobView
        Of this server; made up for one that another program works on, or nobody any more.
    snapshot : ComparisonSnapshot
    id : str
        The name it is found by: of the run where it is kept, else of the job.
    here : bool
        Whether this server works on it, or is about to: then it can be stopped here.
    computed : float or None
        Seconds of computing that were kept, for one that nobody works on.
    """

    job: JobView
    snapshot: ComparisonSnapshot
    id: str = ""
    here: bool = True
    computed: float | None = None

    @property
    def active(self) -> bool:
        """Whether the job waits or runs."""
        return self.job.state.active

    @property
    def failed(self) -> bool:
        """Whether the job ended with an error, which ``job.error`` says in one sentence."""
        return self.job.state is JobState.FAILED

    @property
    def can_resume(self) -> bool:
        """Whether something was left undone."""
        return not self.active and self.job.state is JobState.STOPPED
