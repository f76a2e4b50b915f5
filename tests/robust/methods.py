"""The six robust methods, by key."""

from sklearn.base import BaseEstimator

from cspca.robust import (
    PCP,
    R1PCA,
    CoherencePursuit,
    FastMedianSubspace,
    GeometricMedianSubspace,
    OutlierPursuit,
)


def robust_methods(n_components: int) -> dict[str, BaseEstimator]:
    """Each with so many directions, where it is told their number."""
    return {
        "r1pca": R1PCA(n_components=n_components),
        "fms": FastMedianSubspace(n_components=n_components),
        "coherence": CoherencePursuit(n_components=n_components),
        "gms": GeometricMedianSubspace(n_components=n_components),
        "pcp": PCP(),
        "op": OutlierPursuit(),
    }
