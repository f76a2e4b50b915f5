"""Keep about m pixels: find the α whose fit has m non-zero rows."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cspca.estimator import CSPCA, reduce_data
from cspca.preprocessing import is_dask, plain_samples
from cspca.problem import ReducedData
from cspca.solvers import Iterate
from cspca.stepwise import Stepwise

_LOWEST, _HIGHEST = math.log(1e-5), 0.0
"""Ends of the search in log α: practically no penalty, and W = 0."""

_MOST_TRIALS = 20
"""Largest number of α tried."""


def keep_features(
    X: ArrayLike,
    n_features: int,
    *,
    beta: float = 0.01,
    start: Stepwise | None = None,
    reduced: ReducedData | None = None,
    watch: float = float("inf"),
    **params: Any,
) -> Iterator[tuple[CSPCA, Iterate]]:
    """Search the relative α at which about `n_features` pixels have a non-zero row.

    A trial is a fit to a coarse gap, started warm from the last one; when its number of rows is
    near, it goes on to the wanted gap, so the answer is certified like any other. The number of
    rows falls with α, by and large; the search brackets it on a log scale and takes the nearest it
    has seen, up to 1 % of `n_features` away or one row.

    Yields model and iterate at every solver iteration, as :meth:`CSPCA.iterate` does, and those of
    the answer last; `start` is a fitted model, whose α is the first guess, `params` are of
    :class:`CSPCA`. A warning says where β = 0 and no fit that was tried keeps nearly as many.
    ValueError when `n_features` is no whole number, fewer pixels vary than are wanted, α is given
    in absolute terms, the solver is Algorithm 1, or no fit that was tried is better than W = 0.
    """
    if params.get("penalty_scale", "relative") != "relative":
        raise ValueError(
            "keep_features works with relative penalties: leave penalty_scale at 'relative'."
        )
    if params.get("solver") == "reweighted":
        raise ValueError(
            "Algorithm 1 (solver='reweighted') sets no row of W to exactly zero, so it keeps all "
            "pixels at every α: leave solver at 'admm'."
        )
    X = plain_samples(X)
    if is_dask(X):
        raise ValueError("fit_keeping needs an array in memory: give X.compute().")
    if reduced is None:
        reduced = reduce_data(X, params.get("center", True), params.get("normalize", False))
    live = int(np.count_nonzero(reduced.live))
    if not isinstance(n_features, Integral):
        raise ValueError(f"n_features must be a whole number of pixels, got {n_features!r}.")
    if not 1 <= n_features <= live:
        raise ValueError(
            f"n_features must be between 1 and {live}, the number of pixels that vary, "
            f"got {n_features}."
        )
    # None is never about as good as one.
    slack = min(max(1, n_features // 100), n_features - 1)
    low, high = (_LOWEST, float(live)), (_HIGHEST, 0.0)
    # Where a fitted model stands, else a rule of thumb.
    relative = min(0.7, max(1e-3, 0.4 * (1.0 - n_features / live) ** 2))
    if start is not None and 0 < start.fit_.alpha < start.fit_.alpha_max:
        relative = start.fit_.alpha / start.fit_.alpha_max
    guess = max(_LOWEST, math.log(relative))
    tol = float(params.pop("tol", 1e-3))
    near = max(8 * slack, n_features // 10)
    # At a gap of 5e-3 far is told from near; but rows about to vanish are counted until the gap is
    # small: many, where few are wanted.
    coarse = max(tol, 5e-3) if n_features > 0.1 * live else tol
    best: tuple[tuple[bool, int], CSPCA, Iterate] | None = None
    most = 0
    for trial in itertools.count(1):
        final = trial >= _MOST_TRIALS or high[0] - low[0] < 1e-3
        model = CSPCA(alpha=math.exp(guess), beta=beta, **params, warm_start=True)
        gaps = {coarse, tol}
        if high[0] - low[0] < 0.3:
            # Between two α so close, counts at a gap of tol differ by what is left of it.
            gaps.add(tol / 10)
        for gap in sorted(gaps, reverse=True):
            model.set_params(tol=gap)
            for iterate in model.iterate(X, start=start, reduced=reduced, watch=watch):
                yield model, iterate
            start = model
            distance = abs(iterate.n_kept - n_features)
            if distance > near and not final:
                # Far off: no need to know this count exactly.
                break
        # Where pixels enter by the dozen the nearest may be far, but it is no empty map.
        rank = (iterate.n_kept == 0, distance)
        if iterate.gap <= tol:
            most = max(most, iterate.n_kept)
        good = iterate.gap <= tol and (best is None or rank < best[0])
        if good or (final and best is None):
            best = (rank, model, iterate)
        if best is not None and (final or best[0] <= (False, slack)):
            if best[0][0] and best[2].gap <= tol:
                raise ValueError(
                    f"No α keeps about {n_features} pixels: W = 0 is as good at every one that was "
                    f"tried. Ask for more pixels, or for less than beta={beta:g} or tol={tol:g}."
                )
            if beta == 0.0 and most < n_features - slack:
                warnings.warn(
                    f"β = 0: nothing above {most} features was found; raise β.", stacklevel=2
                )
            yield best[1:]
            return
        if iterate.n_kept > n_features:
            low = (guess, float(iterate.n_kept))
        else:
            high = (guess, float(iterate.n_kept))
        guess = _between(low, high, float(n_features))


def fit_keeping(X: ArrayLike, n_features: int, **params: Any) -> CSPCA:
    """Fit CSPCA so that about `n_features` pixels are kept; see :func:`keep_features`.

    ``model.alpha`` is the relative α found.
    """
    *_, (model, _) = keep_features(X, n_features, **params)
    return model


def _between(low: tuple[float, float], high: tuple[float, float], n_features: float) -> float:
    """Point between two (log α, count) pairs: by interpolation, kept off both ends."""
    share = (low[1] - n_features) / max(low[1] - high[1], 1.0)
    if low[0] <= _LOWEST or high[0] >= _HIGHEST:
        # One end was never tried: its count is only nominal, so walk rather than jump.
        stride = math.log(2.5)
        target = high[0] - stride if low[0] <= _LOWEST else low[0] + stride
        if low[0] < target < high[0]:
            return target
    return low[0] + min(0.85, max(0.15, share)) * (high[0] - low[0])
