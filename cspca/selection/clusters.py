"""Checks shared by the methods that are told a number of clusters."""

from __future__ import annotations

from cspca.proximal import FloatArray

__all__ = ["check_n_clusters"]


def check_n_clusters(n_clusters: int, X: FloatArray) -> None:
    """Refuse more clusters than samples.

    Parameters
    ----------
    n_clusters : int
    X : ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
    """
    if n_clusters > len(X):
        raise ValueError(
            f"n_clusters={n_clusters} but X has only {len(X)} samples: lower n_clusters or give "
            "more samples."
        )
