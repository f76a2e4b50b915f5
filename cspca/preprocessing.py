"""From raw images to the paper's data: unit norms, centring, and the reduction of the result."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from cspca.problem import ReducedData
from cspca.proximal import FloatArray, row_norms
from cspca.threads import blas_threads


def image_norms(X: FloatArray) -> FloatArray:
    """Norm of each image as a column; 1 for a blank one, which stays blank.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, 1)
    """
    norms = row_norms(X)
    return np.where(norms > 0, norms, norms.dtype.type(1))[:, None]


def preprocess(X: FloatArray, center: bool, normalize: bool) -> tuple[FloatArray, FloatArray]:
    """The paper's Xᵀ from raw images: unit norms if asked for, then the mean image off.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    center, normalize : bool

    Returns
    -------
    A : ndarray of shape (n_samples, n_features), float64
    mean : ndarray of shape (n_features,), float64

    Raises
    ------
    ValueError
        When nothing is left to explain.
    """
    A, dtype = np.array(X, dtype=np.float64), X.dtype
    if normalize:
        A /= image_norms(A)
    mean = A.mean(axis=0) if center else np.zeros(A.shape[1])
    if not A.any():
        raise ValueError("Every value of X is zero: give images that show something.")
    if center:
        if len(A) == 1:
            raise ValueError(
                "X holds 1 sample: centring leaves nothing of a single image; give at least two "
                "images, or set center=False."
            )
        # A constant pixel must become exactly zero, not round-off (which unit norms leave in
        # pictures that differ in brightness alone).
        round_off = 8 * np.finfo(dtype).eps * np.abs(A).max() if normalize else 0.0
        same = (np.abs(A - A[0]) <= round_off).all(axis=0)
        mean[same] = A[0, same]
        A -= mean
        A[:, same] = 0.0
        if not A.any():
            raise ValueError(
                "All images in X are the same, so after centring nothing is left to explain: "
                "give images that differ, or set center=False."
            )
    return A, mean


def reduce_data(X: ArrayLike, center: bool = True, normalize: bool = False) -> ReducedData:
    """Preprocess and reduce `X` once, for many fits of ``CSPCA.iterate(X, reduced=…)``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    center, normalize : bool
        As in :class:`CSPCA`.

    Returns
    -------
    ReducedData

    Raises
    ------
    ValueError
        When `X` is not a finite two-dimensional array or nothing is left to explain.
    """
    samples: FloatArray = check_array(X, dtype=[np.float64, np.float32])
    A, _ = preprocess(samples, center, normalize)
    with blas_threads():
        return ReducedData(A)
