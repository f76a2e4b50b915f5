"""What a fit in the dashboard is asked for, what it shows while it runs, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cspca.estimator import CSPCA

FloatArray = NDArray[np.floating[Any]]
Solver = Literal["admm", "reweighted"]
SolverChoice = Literal["admm", "reweighted", "both"]
Phase = Literal["waiting", "reducing", "solving", "finished"]


@dataclass(frozen=True)
class FitSpec:
    """The parameters of a fit; equal specs of equal content give equal results.

    Attributes
    ----------
    sha256 : str
        Fingerprint of the data set's content.
    alpha, beta : float
        Penalties, as fractions of α_max and β_max (``penalty_scale="relative"``) or as they are.
    penalty_scale : {"relative", "absolute"}
    keep : int or None
        Find α so that about this many pixels are kept; `alpha` is not used then.
    solver : {"admm", "reweighted", "both"}
    center, normalize : bool
        Preprocessing, see :class:`cspca.CSPCA`.
    tol : float
        Certified relative gap to stop at.
    max_iter : int
        Iterations at most.
    """

    sha256: str
    alpha: float
    beta: float
    penalty_scale: Literal["relative", "absolute"] = "relative"
    keep: int | None = None
    solver: SolverChoice = "admm"
    center: bool = True
    normalize: bool = False
    tol: float = 1e-3
    max_iter: int = 1000

    def __post_init__(self) -> None:
        # α plays no part when it is to be found: two such specs must be equal whatever it is.
        if self.keep is not None and self.alpha != 0.0:
            object.__setattr__(self, "alpha", 0.0)

    @property
    def solvers(self) -> tuple[Solver, ...]:
        """The solvers that run."""
        return ("admm", "reweighted") if self.solver == "both" else (self.solver,)

    @property
    def loose(self) -> FitSpec:
        """The same fit whatever accuracy was asked for."""
        return replace(self, tol=0.0, max_iter=0)


@dataclass(frozen=True)
class Trace:
    """The course of one solver: one entry each time its objective was evaluated.

    `seconds` counts the time inside this solver alone, so that two solvers that take turns can be
    drawn on one axis.
    """

    solver: Solver
    number: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()
    objective: tuple[float, ...] = ()
    dual_bound: tuple[float, ...] = ()
    gap: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fit as far as it got. Arrays are read-only; the model is shared, never refit it in place.

    Attributes
    ----------
    spec : FitSpec
    model : CSPCA
        Fitted.
    other : CSPCA or None
        The paper's Algorithm 1 next to the certified solver, when both were run.
    judge : CSPCA
        The certified solver's: `model`, but beside Algorithm 1 alone another one, whose bound that
        is measured by and from which the regime is read.
    complete : bool
        It reached its tolerance or its iterations; nobody stopped it.
    feature_scores, dual_scores, selection_scores : ndarray of shape (n_features,)
    ranks : ndarray of int, shape (n_features,)
        Place of every pixel, 1 for the best.
    traces : tuple of Trace
    seconds : float
        Inside the (first) solver.
    warm : bool
        It started from another fit.
    """

    spec: FitSpec
    model: CSPCA
    other: CSPCA | None
    judge: CSPCA
    complete: bool
    feature_scores: FloatArray
    dual_scores: FloatArray
    selection_scores: FloatArray
    order: NDArray[np.int64]
    ranks: NDArray[np.int64]
    traces: tuple[Trace, ...]
    seconds: float
    warm: bool

    @property
    def models(self) -> dict[Solver, CSPCA]:
        """The fitted model of each solver that ran."""
        found = (self.model, self.other)
        return {s: m for s, m in zip(self.spec.solvers, found, strict=False) if m is not None}

    @property
    def n_kept(self) -> int:
        """Pixels with a row that is not exactly zero."""
        return int(np.count_nonzero(self.feature_scores))

    @property
    def gap(self) -> float:
        """Certified relative distance to the global optimum."""
        return float(self.model.duality_gap_)

    @property
    def certified(self) -> bool:
        """Whether the gap is within the tolerance."""
        return self.gap <= self.spec.tol


@dataclass(frozen=True, eq=False)
class FitSnapshot:
    """What a page can draw at one moment of a fit.

    Attributes
    ----------
    phase : {"waiting", "reducing", "solving", "finished"}
    traces : tuple of Trace
        One for each solver that has started.
    scores : ndarray of shape (n_features,) or None
        Current importance of every pixel, ``‖w_j‖``.
    gap : float
        Best certified relative gap so far; infinite before the first certificate.
    rank, iterations : int or None, int
    alpha, beta, alpha_max, beta_max : float
        Absolute penalties at work and the ends of their scales; NaN until known.
    warm : bool
        It started from a finished fit.
    result : FitResult or None
        At the end.
    """

    spec: FitSpec
    phase: Phase = "waiting"
    traces: tuple[Trace, ...] = ()
    scores: FloatArray | None = None
    gap: float = float("inf")
    rank: int | None = None
    iterations: int = 0
    seconds: float = 0.0
    alpha: float = float("nan")
    beta: float = float("nan")
    alpha_max: float = float("nan")
    beta_max: float = float("nan")
    warm: bool = False
    result: FitResult | None = field(default=None, repr=False)

    @property
    def certified(self) -> bool:
        """Whether the gap is within the tolerance already."""
        return self.gap <= self.spec.tol
