"""From raw images to the paper's data: unit norms, centring, and the reduction of the result."""

from __future__ import annotations

import itertools
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.problem import ReducedData
from cspca.proximal import FloatArray
from cspca.solvers.blocks_data import LocalBlocks, Preparation
from cspca.threads import blas_threads


def preprocess(X: FloatArray, center: bool, normalize: bool) -> tuple[FloatArray, FloatArray]:
    """The paper's Xᵀ from raw images, and the mean image that was taken off."""
    whole = LocalBlocks(X, scratch=False, slices=[slice(None)])
    prepare, _ = Preparation.of(whole, center, normalize)
    return prepare(X), prepare.mean


LARGE = 2**24
"""Values from which tall data are gone over block by block instead of being copied."""

_WIDEST = 5000
"""Features up to which blocks of rows are worked on: d × d matrices are made of them."""


def plain_samples(X: Any) -> Any:
    """Return the array within a labelled one, and anything else as it is.

    Raises
    ------
    ValueError
        If values are masked, two columns have one name, or there are several arrays.
    """
    if type(X).__module__.partition(".")[0] == "xarray":
        if not hasattr(X, "data"):
            name = next(iter(getattr(X, "data_vars", ())), "name")
            raise ValueError(
                f'X is an xarray.{type(X).__name__}: give one of its arrays, such as X["{name}"].'
            )
        X = X.data
    if isinstance(X, np.ma.MaskedArray):
        n_masked = int(np.ma.getmaskarray(X).sum())
        if n_masked:
            values, them = ("value", "it") if n_masked == 1 else ("values", "them")
            raise ValueError(
                f"X has {n_masked:,} masked {values}: fill {them}, X.filled(…), or leave their "
                "samples or features out."
            )
        return X.data
    columns = getattr(X, "columns", None)
    if columns is not None and not getattr(columns, "is_unique", True):
        twice = columns[columns.duplicated()][0]
        raise ValueError(
            f"X has two columns of the name {twice!r}: rename one of them, or give X.to_numpy()."
        )
    return X


def is_dask(X: Any) -> bool:
    """Whether X is an array of Dask."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "chunks")


def large_blocks(X: Any) -> LocalBlocks | None:
    """Blocks of data that are too large to copy, or not on this machine; None for other data.

    A Dask array is worked on by the active ``distributed.Client``, or else computed here, block by
    block. A NumPy array or ``numpy.memmap`` has at least ``LARGE`` values and four times as many
    samples as features; what a fit keeps of each row is in memory or, for a memmap, in a temporary
    file.
    """
    if is_dask(X):
        return _dask_blocks(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fuib":
        return None
    n, d = X.shape
    if X.size < LARGE or n < 4 * d or d > _WIDEST:
        return None
    return LocalBlocks(X, scratch=isinstance(X, np.memmap))


def _dask_blocks(X: Any) -> LocalBlocks:
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

    X = X.rechunk({1: -1})
    ends = np.cumsum(X.chunks[0]).tolist()
    slices = [slice(a, b) for a, b in itertools.pairwise([0, *ends])]
    try:
        client = get_client()
    except ValueError:
        # No cluster: one block after the other, here.
        return LocalBlocks(X, scratch=False, slices=slices)
    return DaskBlocks(X, slices, client)


def reduce_data(X: ArrayLike, center: bool = True, normalize: bool = False) -> ReducedData:
    """Preprocess and reduce `X` once, for many fits of ``CSPCA.iterate(X, reduced=…)``."""
    return reduced(_floats(X), center, normalize)


def reduction_of(
    X: ArrayLike, center: bool, normalize: bool, at_hand: ReducedData | None
) -> ReducedData:
    """The reduction of `X`, or the one at hand once it is that of `X` with these settings."""
    if at_hand is None:
        return reduce_data(X, center, normalize)
    A, _ = preprocess(_floats(X), center, normalize)
    return checked(at_hand, A)


def _floats(X: ArrayLike) -> FloatArray:
    """X as finite floats in two dimensions; ValueError says what it is otherwise."""
    # It takes most of a second to load: a page that reduces what is checked does not wait for it.
    from sklearn.utils.validation import check_array

    floats: FloatArray = check_array(plain_samples(X), dtype=[np.float64, np.float32])
    return floats


def reduced(samples: FloatArray, center: bool, normalize: bool) -> ReducedData:
    """The same of floats that are known to be finite."""
    A, _ = preprocess(samples, center, normalize)
    with blas_threads():
        return ReducedData(A)


def checked(reduced: ReducedData, A: FloatArray) -> ReducedData:
    """Return a reduction, once it is one of A; ValueError where it was made of other data.

    Comparing costs one pass over A; the reduction takes a product with each of its rows.
    """
    if np.array_equal(reduced.A, A):
        return reduced
    raise ValueError(
        "reduced was made from other data than X, or with another center or normalize: make it "
        "with reduce_data(X, center=…, normalize=…) from the same X and settings, or leave it out."
    )


def feature_ranges(X: NDArray[Any]) -> FloatArray:
    """Largest less smallest value of each feature, in double precision; infinite beyond that."""
    with np.errstate(over="ignore"):
        ranges: FloatArray = X.max(axis=0).astype(np.float64) - X.min(axis=0)
    return ranges


def distinct_rows(X: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the rows that are no exact copy of one before; for every row, which of them it is.

    ``X[first][copy_of]`` is X.
    """
    number_of: dict[bytes, int] = {}
    copy_of = np.empty(len(X), dtype=np.intp)
    first: list[int] = []
    for place, row in enumerate(X):
        # Digests, so that no second X is held; adding zero makes 0 of −0.
        digest = blake2b((row + 0).tobytes(), digest_size=16).digest()
        number = number_of.setdefault(digest, len(number_of))
        if number == len(first):
            first.append(place)
        copy_of[place] = number
    return np.array(first, dtype=np.intp), copy_of
