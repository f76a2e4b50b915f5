"""Nearest neighbours by exhaustive search: exact, deterministic, in little memory."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from cspca.proximal import FloatArray

_CHUNK = 512
"""Rows searched at a time: a chunk of distances stays small and the products stay fast."""

_GROUP = 32
"""Columns whose least distance is taken together when bounding the k-th distance."""

_FEW = 16
"""Candidates a neighbour (in the mean) that are measured one by one without regret."""

_PAIR_VALUES = 4_000_000
"""Coordinate differences held at a time while measuring pairs."""

IntArray = NDArray[np.intp]


def nearest_neighbors(X: FloatArray, n_neighbors: int) -> tuple[IntArray, FloatArray]:
    """Indices and Euclidean distances of every sample's nearest others, nearest first.

    Single-precision products find a few candidates, with a bound on their rounding error, which are
    measured exactly: the answer is that of double precision. Ties come in the order of their index.
    """
    n, k = len(X), n_neighbors
    # A power of two, so that scaling is exact; squares then neither overflow nor vanish.
    exponent = int(np.frexp(np.abs(X).max(initial=0.0))[1])
    X = np.ldexp(X, -exponent)
    indices, squares = np.empty((n, k), dtype=np.intp), np.zeros((n, k))
    rows, columns = _without_crowds(X, k, indices)
    centred = X - X.mean(axis=0)
    for first in range(0, len(rows), _CHUNK):
        chunk = rows[first : first + _CHUNK]
        owner, found = _candidates(centred, chunk, columns, k, np.float32)
        if len(found) > _FEW * k * len(chunk):
            # Far-off samples make single precision too coarse for the near ones.
            owner, found = _candidates(centred, chunk, columns, k, np.float64)
        apart = _measure(X, chunk[owner], found)
        order = np.lexsort((found, apart, owner))
        starts = np.searchsorted(owner, np.arange(len(chunk)))
        best = order[starts[:, None] + np.arange(k)]
        indices[chunk], squares[chunk] = found[best], apart[best]
    return indices, np.ldexp(np.sqrt(squares), exponent)


def _without_crowds(
    X: FloatArray, n_neighbors: int, indices: IntArray
) -> tuple[IntArray, IntArray]:
    """Settle samples with k or more exact copies; return who is left to search, and where."""
    copies: dict[bytes, list[int]] = defaultdict(list)
    for i, row in enumerate(np.ascontiguousarray(X + 0.0)):  # -0.0 + 0.0 is 0.0
        copies[row.tobytes()].append(i)
    settled = np.zeros(len(X), dtype=bool)
    needless = np.zeros(len(X), dtype=bool)
    for group in copies.values():
        if len(group) > n_neighbors:
            members = np.array(group)
            settled[members] = True
            needless[members[n_neighbors:]] = True
            indices[members] = members[:n_neighbors]
            for place in range(n_neighbors):
                indices[members[place], place:] = members[place + 1 : n_neighbors + 1]
    return np.flatnonzero(~settled), np.flatnonzero(~needless)


def _candidates(
    X: FloatArray, rows: IntArray, columns: IntArray, k: int, precision: type[np.floating]
) -> tuple[IntArray, IntArray]:
    """Pairs (place in rows, sample) among which the k nearest of every row certainly are."""
    X = X.astype(precision, copy=False)
    norms = np.einsum("ij,ij->i", X, X)
    # A product of two samples, doubled, and a norm are wrong by at most this much of
    # ‖x‖² + ‖y‖² together (classical bound; in fact far less).
    slack = (X.shape[1] + 8) * np.finfo(precision).eps * norms
    # ‖x_i‖² is the same along a row and changes nothing of the order: it is left out.
    above = (-2.0 * X[rows]) @ X[columns].T
    above += (norms + slack)[columns]
    above[np.arange(len(rows)), np.searchsorted(columns, rows)] = np.inf
    reach = _kth_or_more(above, k) + 2.0 * slack[rows]
    above -= 2.0 * slack[columns]  # now a lower bound
    owner, place = np.divmod(np.flatnonzero(above <= reach[:, None]), len(columns))
    return owner, columns[place]


def _kth_or_more(values: FloatArray, k: int) -> FloatArray:
    """Bound the k-th least of every row: k groups with the least minima hold k values."""
    width = values.shape[1] // _GROUP
    if width >= 4 * k:
        values = values[:, : width * _GROUP].reshape(len(values), _GROUP, width).min(axis=1)
    bound: FloatArray = np.partition(values, k - 1, axis=1)[:, k - 1]
    return bound


def _measure(X: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    """Squared distances of pairs, from differences: exact to rounding."""
    squares = np.empty(len(left))
    step = max(1, _PAIR_VALUES // X.shape[1])
    for first in range(0, len(left), step):
        part = slice(first, first + step)
        difference = X[left[part]] - X[right[part]]
        squares[part] = np.einsum("ij,ij->i", difference, difference)
    return squares
