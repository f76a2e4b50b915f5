"""How well outliers are told from inliers, and how near a subspace is to the true one.

AUC alone hides whether a subspace was found: plain PCA ranks the outliers of a haystack first, too,
and is off by 5 to 25 degrees. So angle and ranking stand side by side; and so does the norm of the
samples, which may rank them without any method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from cspca.evaluation.kmeans import FloatArray

SCORES = {
    "residual": "Residual",
    "relative": "Residual ÷ norm",
    "norm": "Norm alone",
}
"""The three scores of every method, the last one the control."""

EXACT = 1e-5
"""Below this sine of the largest principal angle a subspace counts as found."""


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RankingQuality:
    """How well a ranking puts outliers first.

    `auc` is the share of pairs of an outlier and an inlier in the right order (ROC), 0.5 by chance;
    `average_precision` that under the curve of precision over recall, the share of outliers by
    chance; `precision` that of outliers among as many samples as outliers were planted.
    """

    auc: Estimate
    average_precision: Estimate
    precision: Estimate


@dataclass(frozen=True, eq=False)
class RankingCurve:
    """The ROC and precision curves, from the most suspicious on, a point a distinct score."""

    false_alarms: FloatArray
    recall: FloatArray
    precision: FloatArray


def three_scores(X: ArrayLike, residuals: ArrayLike) -> dict[str, FloatArray]:
    """Score samples by residual, residual ÷ norm, and norm alone; large is suspicious.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples as they are, whatever the method made of them first.
    residuals : array-like of shape (n_samples,)
        Of the method.
    """
    norms = np.linalg.norm(np.asarray(X, dtype=np.float64), axis=1)
    errors = np.asarray(residuals, dtype=np.float64)
    relative = np.divide(errors, norms, out=np.zeros_like(errors), where=norms > 0.0)
    return {"residual": errors, "relative": relative, "norm": norms}


def ranking_quality(
    outlier: ArrayLike, scores: ArrayLike, *, confidence: float = 0.95
) -> RankingQuality:
    """Judge a ranking of samples, with intervals that speak of other samples like these.

    Samples of equal score share their places. The intervals do not shrink to nothing where a
    ranking is perfect, as those of a bootstrap would: five outliers of five found are no proof.

    Parameters
    ----------
    outlier : array-like of bool, shape (n_samples,)
        The truth; both kinds must be there.
    scores : array-like of shape (n_samples,)
        Large is suspicious.
    confidence : float, default=0.95

    Returns
    -------
    RankingQuality

    References
    ----------
    R. Newcombe, Confidence intervals for an effect size measure based on the Mann–Whitney
    statistic, part 2, Statistics in Medicine 25 (2006), method 5, of the AUC. K. Boyd, K. Eng,
    C. Page, Area under the precision-recall curve, ECML 2013, the binomial interval of as many
    trials as there are outliers, here by Wilson's score.
    """
    planted, values = _checked(outlier, scores)
    n_outliers = int(planted.sum())
    n_inliers = planted.size - n_outliers
    false_alarms, recall, _ = roc_curve(planted, values, drop_intermediate=False)
    # Of a group of equal scores that does not fit in as a whole, its share.
    n_taken = n_outliers * recall + n_inliers * false_alarms
    precision = float(np.interp(n_outliers, n_taken, recall))
    z = float(norm.ppf(0.5 + confidence / 2))
    n_star = planted.size / 2 - 1

    def of_auc(at: float) -> float:
        spread = 1 + n_star * (1 - at) / (2 - at) + n_star * at / (1 + at)
        return at * (1 - at) * spread / (n_outliers * n_inliers)

    def binomial(at: float) -> float:
        return at * (1 - at) / n_outliers

    return RankingQuality(
        _interval(float(roc_auc_score(planted, values)), z, of_auc),
        _interval(float(average_precision_score(planted, values)), z, binomial),
        _interval(precision, z, binomial),
    )


_OFF_THE_ENDS = 1e-13
"""Distance from 0 and 1 at which the search begins for the end of a share that is 0 or 1."""

_END_TOLERANCE = 1e-15
"""To which the ends of an interval are found."""


def _interval(value: float, z: float, variance: Callable[[float], float]) -> Estimate:
    """The shares that a measured one is within z standard deviations of, theirs (Wilson)."""

    def beyond(at: float) -> float:
        return abs(at - value) - z * math.sqrt(max(0.0, variance(at)))

    # At 0 and 1 nothing varies, so that a share between them is beyond them, and is not beyond
    # itself: an end lies between. A share of 0 or 1 is a root itself, which the search leaves out.
    below, above = min(value, 1 - _OFF_THE_ENDS), max(value, _OFF_THE_ENDS)
    low = brentq(beyond, 0.0, below, xtol=_END_TOLERANCE) if value > 0.0 else 0.0
    high = brentq(beyond, above, 1.0, xtol=_END_TOLERANCE) if value < 1.0 else 1.0
    return Estimate(value, low, high)


def ranking_curve(outlier: ArrayLike, scores: ArrayLike) -> RankingCurve:
    """Find both curves of a ranking.

    Parameters
    ----------
    outlier : array-like of bool, shape (n_samples,)
    scores : array-like of shape (n_samples,)
        Large is suspicious.
    """
    planted, values = _checked(outlier, scores)
    curve = roc_curve(planted, values, drop_intermediate=False)
    false_alarms, recall = curve[0][1:], curve[1][1:]
    hits = planted.sum() * recall
    precision = hits / (hits + (~planted).sum() * false_alarms)
    return RankingCurve(false_alarms, recall, precision)


def _checked(outlier: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], FloatArray]:
    """Outliers and scores, once both kinds are there; scores that differ by rounding are equal."""
    planted = np.asarray(outlier, dtype=bool)
    values = np.asarray(scores, dtype=np.float64)
    if planted.shape != values.shape or planted.ndim != 1:
        raise ValueError(
            f"There are {values.size} scores for {planted.size} samples: give one a sample."
        )
    if planted.all() or not planted.any():
        raise ValueError("A ranking is judged by outliers and inliers: there must be both.")
    # The norms of samples of unit norm differ by rounding alone.
    unit = 1e-12 * float(np.abs(values).max())
    return planted, np.round(values / (unit or 1.0))


def subspace_sine(basis: ArrayLike, directions: ArrayLike) -> float:
    """Sine of the largest principal angle between a subspace and what was found of it.

    Parameters
    ----------
    basis : array-like of shape (n_features, rank)
        Orthonormal, the truth.
    directions : array-like of shape (n_features, m)
        Orthonormal, those that matter most first; the first `rank` of them are taken. Fewer miss
        a direction: the sine is 1.
    """
    true, leading = np.asarray(basis), np.asarray(directions)
    if leading.shape[1] < true.shape[1]:
        return 1.0
    leading = leading[:, : true.shape[1]]
    return min(1.0, float(np.linalg.norm(true - leading @ (leading.T @ true), 2)))


def clean_error(clean: ArrayLike, rebuilt: ArrayLike) -> float:
    """Error of clean samples, relative to what their mean leaves of them.

    Parameters
    ----------
    clean, rebuilt : array-like of shape (n_samples, n_features)
    """
    true = np.asarray(clean, dtype=np.float64)
    spread = float(np.linalg.norm(true - true.mean(axis=0)))
    return float(np.linalg.norm(true - np.asarray(rebuilt))) / (spread or 1.0)


def numbers_of(quality: RankingQuality) -> Mapping[str, float]:
    """A quality as numbers by name, for a table."""
    return {
        f"{name}{end}": getattr(estimate, part)
        for name, estimate in vars(quality).items()
        for end, part in (("", "value"), ("_low", "low"), ("_high", "high"))
    }
