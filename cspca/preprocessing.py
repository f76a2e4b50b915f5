"""From raw images to the paper's data: unit norms, centring, and the reduction of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from cspca.problem import ReducedData
from cspca.proximal import FloatArray, row_norms
from cspca.solvers.blocks_data import Blocks, LocalBlocks
from cspca.threads import blas_threads


def image_norms(X: FloatArray) -> FloatArray:
    """Norm of each image as a column; 1 for a blank one, which stays blank."""
    norms = row_norms(X)
    return np.where(norms > 0, norms, norms.dtype.type(1))[:, None]


def preprocess(X: FloatArray, center: bool, normalize: bool) -> tuple[FloatArray, FloatArray]:
    """The paper's Xᵀ from raw images, unit norms if asked for, then the mean image off; and that
    mean.
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


LARGE = 2**24
"""Values from which tall data are gone over block by block instead of being copied."""

_WIDEST = 5000
"""Features up to which blocks of rows are worked on: d × d matrices are made of them."""


def large_blocks(X: Any) -> Blocks | None:
    """Blocks of data that are too large to copy, or not on this machine; None for other data.

    A Dask array is worked on by the active ``distributed.Client``, or else computed here, block by
    block. A NumPy array or ``numpy.memmap`` has at least ``LARGE`` values and four times as many
    samples as features; what a fit keeps of each row is in memory or, for a memmap, in a temporary
    file.
    """
    if type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "chunks"):
        return _dask_blocks(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fuib":
        return None
    n, d = X.shape
    if X.size < LARGE or n < 4 * d or d > _WIDEST:
        return None
    return LocalBlocks(X, scratch=isinstance(X, np.memmap))


def _dask_blocks(X: Any) -> Blocks:
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table of shape (n_samples, n_features), got {X.ndim} dimensions: "
            "reshape it to one row an image."
        )
    if np.isnan(X.shape).any():
        raise ValueError("The Dask array X does not know its size: call X.compute_chunk_sizes().")
    if X.dtype.kind not in "fuib":
        raise ValueError(f"X must hold numbers, got the data type {X.dtype}.")
    if 0 in X.shape:
        raise ValueError(f"X must not be empty, got an array of shape {X.shape}.")
    if X.shape[1] > _WIDEST:
        raise ValueError(
            f"X is a Dask array of {X.shape[1]} features, and row blocks are worked on up to "
            f"{_WIDEST}: give X.compute(), whose fit is limited by the smaller side."
        )
    try:
        from distributed import get_client
    except ImportError as missing:
        raise ImportError(
            'A Dask array needs the extra "dask": pip install "cspca[dask]".'
        ) from missing
    from cspca.solvers.distributed.blocks import DaskBlocks

    try:
        client = get_client()
    except ValueError:
        # No cluster: one block after the other, here.
        X = X.rechunk({1: -1})
        ends = np.cumsum(X.chunks[0]).tolist()
        slices = [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]
        return LocalBlocks(X, scratch=False, slices=slices)
    return DaskBlocks(X, client)


def reduce_data(X: ArrayLike, center: bool = True, normalize: bool = False) -> ReducedData:
    """Preprocess and reduce `X` once, for many fits of ``CSPCA.iterate(X, reduced=…)``."""
    samples: FloatArray = check_array(X, dtype=[np.float64, np.float32])
    A, _ = preprocess(samples, center, normalize)
    with blas_threads():
        return ReducedData(A)
