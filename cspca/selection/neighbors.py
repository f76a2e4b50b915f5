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
    n = len(X)
    # A power of two, so that scaling is exact; squares then neither overflow nor vanish.
    exponent = int(np.frexp(np.abs(X).max(initial=0.0))[1])
    X = np.ldexp(X, -exponent)
    indices = np.empty((n, n_neighbors), dtype=np.intp)
    squares = np.zeros((n, n_neighbors))
    rows, columns = _without_crowds(X, n_neighbors, indices)
    search = _Search(X, columns, n_neighbors)
    for first in range(0, len(rows), _CHUNK):
        chunk = rows[first : first + _CHUNK]
        indices[chunk], squares[chunk] = search.nearest(chunk)
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


class _Search:
    """The columns to search among, in both precisions."""

    def __init__(self, X: FloatArray, columns: IntArray, n_neighbors: int) -> None:
        self.X = X
        self.columns = columns
        self.k = n_neighbors
        self.centred = X - X.mean(axis=0)
        self.position = np.full(len(X), -1, dtype=np.intp)
        self.position[columns] = np.arange(len(columns))
        self.prepared: dict[type, tuple[FloatArray, FloatArray, FloatArray, FloatArray]] = {}

    def nearest(self, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Neighbours of some samples, and the squared distances."""
        candidates = self._candidates(rows, np.float32)
        if len(candidates[0]) > _FEW * self.k * len(rows):
            # Far-off samples make single precision too coarse for the near ones.
            candidates = self._candidates(rows, np.float64)
        owner, found = candidates
        squares = self._measure(rows[owner], found)
        order = np.lexsort((found, squares, owner))
        starts = np.searchsorted(owner, np.arange(len(rows)))
        best = order[starts[:, None] + np.arange(self.k)]
        return found[best], squares[best]

    def _candidates(
        self, rows: IntArray, precision: type[np.floating]
    ) -> tuple[IntArray, IntArray]:
        """Pairs (place in rows, sample) among which the k nearest of every row certainly are."""
        if precision not in self.prepared:
            working = self.centred.astype(precision)
            norms = np.einsum("ij,ij->i", working, working)
            # A product of two samples, doubled, and a norm are wrong by at most this much of
            # ‖x‖² + ‖y‖² together (classical bound; in fact far less).
            slack = (working.shape[1] + 8) * np.finfo(precision).eps * norms
            self.prepared[precision] = (working, working[self.columns].T, norms, slack)
        working, among, norms, slack = self.prepared[precision]
        columns = self.columns
        # ‖x_i‖² is the same along a row and changes nothing of the order: it is left out.
        above = (-2.0 * working[rows]) @ among
        above += (norms + slack)[columns]
        own = self.position[rows]
        here = np.flatnonzero(own >= 0)
        above[here, own[here]] = np.inf
        # k groups with the least minima hold k columns: the largest of the k bounds the k-th.
        width = len(columns) // _GROUP
        grouped = width >= 4 * self.k
        minima = (
            above[:, : width * _GROUP].reshape(len(rows), _GROUP, width).min(axis=1)
            if grouped
            else above
        )
        reach = np.partition(minima, self.k - 1, axis=1)[:, self.k - 1] + 2.0 * slack[rows]
        above -= 2.0 * slack[columns]  # now a lower bound
        owner, place = np.divmod(np.flatnonzero(above <= reach[:, None]), len(columns))
        return owner, columns[place]

    def _measure(self, left: IntArray, right: IntArray) -> FloatArray:
        """Squared distances of pairs, from differences: exact to rounding."""
        squares = np.empty(len(left))
        step = max(1, _PAIR_VALUES // self.X.shape[1])
        for first in range(0, len(left), step):
            part = slice(first, first + step)
            difference = self.X[left[part]] - self.X[right[part]]
            squares[part] = np.einsum("ij,ij->i", difference, difference)
        return squares
