"""Every method that is asked who the outliers are, by key; and one question for them all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import qr, svd
from sklearn.decomposition import SparsePCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

from cspca.estimator import CSPCA
from cspca.method import MethodEntry
from cspca.proximal import FloatArray, row_norms
from cspca.robust.coherence import CoherencePursuit
from cspca.robust.fms import FastMedianSubspace
from cspca.robust.gms import GeometricMedianSubspace
from cspca.robust.outlier_pursuit import OutlierPursuit
from cspca.robust.pca import PlainPCA
from cspca.robust.pcp import PCP
from cspca.robust.r1pca import R1PCA

_NEIGHBOURS = 10


@dataclass(frozen=True)
class RobustSettings:
    """Settings of all methods, none of them from labels: a method ignores what it has no use for.

    `rank` is the dimension of the subspace; `beta` CSPCA's penalty on the rank, as a fraction of
    its limit (α is 0); `tol` its certified gap; `center` takes the mean off first.
    """

    rank: int
    beta: float = 0.5
    tol: float = 1e-7
    center: bool = False


@dataclass(frozen=True, eq=False)
class Explained:
    """What a method makes of samples: scores (large for outliers), and a subspace if it has one.

    `directions` are columns, those that matter most first; `rebuilt` are the samples as it explains
    them. `gap` is that of a certificate.
    """

    scores: FloatArray
    rank: int | None = None
    directions: FloatArray | None = None
    rebuilt: FloatArray | None = None
    gap: float | None = None
    seconds: float = 0.0


Explain = Callable[[FloatArray, RobustSettings], Explained]


@dataclass(frozen=True)
class RobustEntry(MethodEntry):
    """One entry of the registry of robust methods.

    Parameters
    ----------
    key, title, colour, marker, note, revision
        As of every method.
    explain : callable
        Scores of samples, by the settings.
    needs_rank : bool, default=False
        Whether the dimension must be given.
    certified : bool, default=False
        Whether it proves how far it is from its optimum.
    """

    explain: Explain = field(repr=False)
    _: KW_ONLY
    needs_rank: bool = False
    certified: bool = False


def _cspca(loss: str, solver: str) -> Explain:
    def explain(X: FloatArray, settings: RobustSettings) -> Explained:
        model = CSPCA(
            0.0, settings.beta, center=settings.center, loss=loss, solver=solver, tol=settings.tol,
            max_iter=10_000,
        ).fit(X)  # fmt: skip
        Z = model.fit_.map[0]
        return Explained(
            model.sample_residuals_,
            model.rank_,
            # Of W = Z Uᵀ the left singular vectors: what it looks at.
            svd(Z, full_matrices=False, check_finite=False)[0][:, : model.rank_],
            model.reconstruct(X),
            model.duality_gap_,
        )

    return explain


def _subspace(method: type[Any], needs_rank: bool = True) -> Explain:
    def explain(X: FloatArray, settings: RobustSettings) -> Explained:
        options = {"n_components": settings.rank} if needs_rank else {}
        model = method(center=settings.center, **options).fit(X)
        gap = getattr(model, "duality_gap_", None)
        return Explained(
            model.sample_residuals_, model.rank_, model.components_.T, model.low_rank_, gap
        )

    return explain


def _sparse_pca(X: FloatArray, settings: RobustSettings) -> Explained:
    model = SparsePCA(min(settings.rank, *X.shape), method="cd", max_iter=100, random_state=0).fit(
        X
    )
    directions = qr(model.components_.T, mode="economic", check_finite=False)[0]
    # It takes the mean off by itself.
    mean = X.mean(axis=0)
    rebuilt = ((X - mean) @ directions) @ directions.T + mean
    return Explained(row_norms(X - rebuilt), directions.shape[1], directions, rebuilt)


def _norm(X: FloatArray, settings: RobustSettings) -> Explained:
    return Explained(row_norms(X))


def _in_usual_unit(X: FloatArray) -> FloatArray:
    """Samples whose largest value is about 1, by a power of 2, where it is far from that.

    Trees compare in single precision and take a range of 1e-7 for none; the local outlier factor
    adds 1e-10 to distances.
    """
    largest = float(np.abs(X).max())
    if not largest or 1e-2 <= largest <= 1e30:
        return X
    usual: FloatArray = np.ldexp(X, -np.frexp(largest)[1])
    return usual


def _forest(X: FloatArray, settings: RobustSettings) -> Explained:
    X = _in_usual_unit(X)
    # Here, not above: pages only name it, and it takes 2 MB.
    from sklearn.ensemble import IsolationForest

    return Explained(-IsolationForest(random_state=0).fit(X).score_samples(X))


def _local(X: FloatArray, settings: RobustSettings) -> Explained:
    model = LocalOutlierFactor(min(20, len(X) - 1)).fit(_in_usual_unit(X))
    return Explained(-model.negative_outlier_factor_)


def _neighbours(X: FloatArray, settings: RobustSettings) -> Explained:
    model = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(X) - 1)).fit(X)
    return Explained(model.kneighbors()[0][:, -1])


# Okabe and Ito's colours as those of feature selection; methods of both have the same in both.
_ALL = (
    RobustEntry("cspca", "CSPCA", "#0072B2", "circle",
        "A map of low rank that rebuilds every sample, errors counted by their norms; not told the "
        "rank.", _cspca("norms", "admm"), certified=True),
    RobustEntry("squared", "CSPCA, squared loss", "#3A9AD6", "circle-open",
        "The same with squared errors: the difference is what not squaring them does.",
        _cspca("squared", "plain"), certified=True),
    RobustEntry("pca", "PCA", "#A3386C", "square",
        "The subspace with the least squared distances.", _subspace(PlainPCA), needs_rank=True),
    RobustEntry("pcp", "PCP", "#009E73", "triangle-up",
        "Low rank and few wrong values (ℓ1 and nuclear norm); only of the samples at hand, where "
        "every sample twice is another λ if they are fewer than features.",
        _subspace(PCP, False), certified=True, revision=3),
    RobustEntry("op", "Outlier pursuit", "#D55E00", "cross",
        "Low rank and few wrong samples (ℓ2,1 and nuclear norm); only of the samples at hand, "
        "where every sample twice is another λ.",
        _subspace(OutlierPursuit, False), certified=True, revision=2),
    RobustEntry("r1pca", "R1-PCA", "#C27F00", "diamond",
        "PCA in which samples weigh less the farther they are from the subspace: one of large norm "
        "draws the subspace to itself and keeps its whole weight.",
        _subspace(R1PCA), needs_rank=True),
    RobustEntry("fms", "FMS", "#8A6FDF", "triangle-right",
        "The subspace with the least distances, samples of unit norm.",
        _subspace(FastMedianSubspace), needs_rank=True),
    RobustEntry("coherence", "Coherence pursuit", "#5E8C31", "triangle-left",
        "The span of the samples that are most like others; copies of a sample count as one.",
        _subspace(CoherencePursuit), needs_rank=True, revision=2),
    RobustEntry("gms", "GMS", "#C8709F", "triangle-down",
        "Where a convex map of trace 1 leaves the samples; its optimum is t*. Its theory wants "
        "outliers that fill the complement: a single one may be taken for a direction.",
        _subspace(GeometricMedianSubspace), needs_rank=True, certified=True, revision=2),
    RobustEntry("sparse-pca", "Sparse PCA", "#5A6B1E", "diamond-open",
        "Directions of few features (scikit-learn); sparse, not robust.",
        _sparse_pca, needs_rank=True),
    RobustEntry("norm", "Norm alone", "#767c85", "line-ew",
        "How long a sample is: no method at all, and the control of all others.", _norm),
    RobustEntry("forest", "Isolation forest", "#8C6D00", "star",
        "How few random cuts set a sample apart (scikit-learn).", _forest),
    RobustEntry("lof", "Local outlier factor", "#4F6D7A", "hexagon",
        "How thinly populated the place of a sample is (scikit-learn).", _local),
    RobustEntry("knn", "Distance to neighbours", "#7A4B2A", "pentagon",
        "Distance to the tenth nearest sample.", _neighbours),
)  # fmt: skip

ROBUST: Mapping[str, RobustEntry] = {entry.key: entry for entry in _ALL}
"""Every method by key, ours first, then the subspaces and splits, then what knows none."""


def explain(method: str, X: FloatArray, settings: RobustSettings) -> Explained:
    """Ask a method of the registry who the outliers are.

    Parameters
    ----------
    method : str
        Its key.
    X : array-like of shape (n_samples, n_features)
    settings : RobustSettings

    Returns
    -------
    Explained
        A fit that ends before its tolerance says so by its gap, not by a warning.
    """
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        outcome = ROBUST[method].explain(np.asarray(X, dtype=np.float64), settings)
    return replace(outcome, seconds=time.perf_counter() - began)
