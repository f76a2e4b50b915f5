"""Nearest neighbours, the samples' graph made of them, and the eigenvectors of its Laplacian.

The search is exhaustive, exact, deterministic and in little memory. Everything is sparse: nothing
here holds n_samples × n_samples numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh, splu
from sklearn.utils.validation import check_array

from cspca.proximal import FloatArray
from cspca.threads import blas_threads

WEIGHTS = ("heat", "binary", "cosine")

_SHIFT = 1e-4
"""How far below zero the Laplacian is inverted: it must stay positive definite."""

_CHUNK = 512
"""Rows searched at a time: a chunk of distances stays small and the products stay fast."""

IntArray = NDArray[np.intp]


def neighbor_graph(
    X: FloatArray,
    n_neighbors: int = 5,
    *,
    weight: str = "heat",
    width: str | float = "median",
) -> csr_array:
    """Affinity of each sample to its nearest neighbours.

    An edge joins two samples when either is among the `n_neighbors` nearest of the other
    (symmetrised by maximum). Copies of a sample are neighbours at distance 0; at equal distances
    the lower index comes first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_neighbors : int, default=5
        Neighbours of a sample, itself not counted.
    weight : {"heat", "binary", "cosine"}, default="heat"
        ``exp(−d² / 2σ²)``; 1; or the cosine, neighbours then being those of largest cosine (one
        that is not positive makes no edge, nor does a sample that is all zero).
    width : "median" or float, default="median"
        σ of the heat kernel, in the units of `X`; by default the median neighbour distance (of the
        positive ones when it is 0).

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Symmetric, float64, column indices sorted, the diagonal empty. Samples far from all others
        may be isolated: an affinity too small to be a number is no edge.

    Raises
    ------
    ValueError
        When there are not more samples than `n_neighbors`, or a parameter is out of range.
    """
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    if weight not in WEIGHTS:
        raise ValueError(f"weight must be one of {', '.join(WEIGHTS)}, got {weight!r}.")
    if width != "median" and (isinstance(width, str) or not width > 0):
        raise ValueError(f"width must be 'median' or a positive number, got {width!r}.")
    X = check_array(X, dtype=np.float64)
    n = len(X)
    members = np.arange(n)
    if weight == "cosine":
        norms = np.sqrt(np.einsum("ij,ij->i", X, X))
        members = np.flatnonzero(norms > 0)
        X = X[members] / norms[members, None]
    if n_neighbors >= len(members):
        of_what = "samples that are not all zero" if weight == "cosine" else "samples"
        raise too_few_samples(n_neighbors, n_neighbors + 1, len(members), of_what)
    with blas_threads():
        neighbors, distances = nearest_neighbors(X, n_neighbors)
    if weight == "heat":
        values = _heat(distances, width)
    elif weight == "cosine":
        values = np.maximum(1.0 - distances**2 / 2.0, 0.0)
    else:
        values = np.ones_like(distances)
    starts = np.zeros(n + 1, dtype=np.intp)
    starts[members + 1] = n_neighbors
    directed = csr_array(
        (values.ravel(), members[neighbors.ravel()], np.cumsum(starts)), shape=(n, n)
    )
    graph: csr_array = csr_array(directed.maximum(directed.T))
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def too_few_samples(
    n_neighbors: int, needed: int, present: int, what: str = "samples"
) -> ValueError:
    """The error for fewer samples than neighbours take."""
    return ValueError(
        f"n_neighbors={n_neighbors} needs at least {needed} {what}, but there are {present}: "
        "lower n_neighbors or give more samples."
    )


def _heat(distances: FloatArray, width: str | float) -> FloatArray:
    if isinstance(width, str):
        sigma = float(np.median(distances))
        if sigma == 0.0 and distances.any():
            sigma = float(np.median(distances[distances > 0]))
    else:
        sigma = float(width)
    if sigma == 0.0:  # every neighbour is an exact copy
        return np.ones_like(distances)
    values: FloatArray = np.exp(-0.5 * (distances / sigma) ** 2)
    return values


def resolve_graph(X: FloatArray, graph: Any, **making: Any) -> csr_array:
    """Return the affinity that is given (None: made of `X`), once it is sure to join samples."""
    affinity = neighbor_graph(X, **making) if graph is None else _checked(graph, len(X))
    off_diagonal = affinity.nnz - np.count_nonzero(affinity.diagonal())
    if off_diagonal == 0:
        cure = "raise width or n_neighbors" if graph is None else "give one with positive weights"
        raise ValueError(f"The graph joins no two samples, so it says nothing: {cure}.")
    return affinity


def _checked(graph: Any, n: int) -> csr_array:
    if not issparse(graph):
        raise ValueError(
            "graph must be a SciPy sparse matrix: wrap a dense one in scipy.sparse.csr_array."
        )
    untyped: Any = graph
    affinity: csr_array = csr_array(untyped, copy=True).astype(np.float64)
    if affinity.shape != (n, n):
        raise ValueError(
            f"graph must join the {n} samples of X, so be {n} × {n}, but it is "
            f"{affinity.shape[0]} × {affinity.shape[1]}."
        )
    affinity.sum_duplicates()
    affinity.eliminate_zeros()
    if not np.isfinite(affinity.data).all() or (affinity.data < 0).any():
        raise ValueError("graph must hold finite weights that are not negative.")
    asymmetry = abs(affinity - affinity.T)
    if asymmetry.nnz and asymmetry.max() > 1e-10 * affinity.max():
        raise ValueError("graph must be symmetric: pass graph.maximum(graph.T).")
    return affinity


def degrees(S: csr_array) -> FloatArray:
    """Sum of the weights of every sample, diagonal included; 0 for an isolated one."""
    sums: FloatArray = np.asarray(S.sum(axis=1), dtype=np.float64).ravel()
    return sums


def components(S: csr_array) -> list[IntArray]:
    """Sorted sample indices of each connected component with any weight, the largest first.

    Ordered by number of samples, total degree (to ten digits), lowest index: the order of the
    samples decides only between components that are alike in all else.
    """
    degree = degrees(S)
    count, labels = connected_components(S, directed=False)
    by_label = np.argsort(labels, kind="stable")
    groups = np.split(by_label, np.cumsum(np.bincount(labels, minlength=count))[:-1])
    weighty = [group for group in groups if degree[group].sum() > 0]

    def place(group: IntArray) -> tuple[int, float, int]:
        return (-len(group), -float(f"{degree[group].sum():.10e}"), int(group[0]))

    return sorted(weighty, key=place)


def smallest_eigenvectors(S: csr_array, k: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of ``L y = λ D y`` with the smallest λ, after the trivial one (y constant).

    D holds the degrees and L = D − S. Each connected component is decomposed by itself, so that
    nothing depends on how a numerical method happens to mix them. With m components λ = 0 has
    m dimensions; beside the constant vector the basis is fixed: the indicators of the components,
    largest first (see `components`), each made D-orthogonal to the constant and to those before it.

    The λ ascend in [0, 2]; the vectors, one a column, are D-orthonormal, and the entry of largest
    magnitude of each is positive. An isolated sample has 0 in all of them.
    """
    degree = degrees(S)
    groups = components(S)
    joined = sum(len(group) for group in groups)
    if k > joined - 1:
        raise ValueError(
            f"{k} eigenvectors were asked for, but a graph of {joined} joined samples has only "
            f"{max(joined - 1, 0)} beside the trivial one: ask for fewer."
        )
    null = _null_space(degree, groups)[:, :k]
    missing = k - null.shape[1]
    eigenpairs: list[tuple[float, int, FloatArray]] = []
    with blas_threads():
        for number, group in enumerate(groups):
            count = min(missing, len(group) - 1)
            if count:
                lambdas, parts = _positive_part(S[group][:, group], degree[group], count)
                eigenpairs += [
                    (value, number, part) for value, part in zip(lambdas, parts.T, strict=True)
                ]
    eigenpairs.sort(key=lambda pair: pair[:2])
    values, vectors = np.zeros(k), np.zeros((len(degree), k))
    vectors[:, : null.shape[1]] = null
    for place, (value, number, part) in enumerate(eigenpairs[:missing], start=null.shape[1]):
        values[place] = value
        vectors[groups[number], place] = part
    return values, vectors * _signs(vectors)


def _null_space(degree: FloatArray, groups: list[IntArray]) -> FloatArray:
    """Basis of λ = 0 beside the constant vector: Gram–Schmidt on the indicators, in closed form."""
    basis = np.zeros((len(degree), max(len(groups) - 1, 0)))
    volumes = np.array([degree[group].sum() for group in groups])
    for c in range(len(groups) - 1):
        here, after = volumes[c], volumes[c + 1 :].sum()
        basis[groups[c], c] = np.sqrt(after / (here * (here + after)))
        rest = np.concatenate(groups[c + 1 :])
        basis[rest, c] = -np.sqrt(here / (after * (here + after)))
    return basis


def _positive_part(S: csr_array, degree: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """The `count` smallest positive λ of one component, and their vectors."""
    n = len(degree)
    root = np.sqrt(degree)
    scale = diags_array(1.0 / root)
    laplacian = diags_array(np.ones(n)) - scale @ S @ scale
    if n <= max(64, 3 * (count + 1)):
        values, vectors = eigh(laplacian.toarray(), subset_by_index=(1, count), driver="evr")
    else:
        # The trivial vector is known: it is taken out, so that it costs no accuracy of the others.
        trivial = root / np.linalg.norm(root)
        factor = splu(
            (laplacian + _SHIFT * diags_array(np.ones(n))).tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

        def solve(vector: FloatArray) -> FloatArray:
            flat = vector.ravel()
            answer: FloatArray = factor.solve(flat - trivial * (trivial @ flat))
            answer -= trivial * (trivial @ answer)
            return answer

        start = np.random.default_rng(0).standard_normal(n)
        inverse = LinearOperator((n, n), matvec=solve, dtype=np.float64)
        reciprocal, vectors = eigsh(inverse, k=count, which="LA", v0=start)
        order = np.argsort(-reciprocal, kind="stable")
        values, vectors = 1.0 / reciprocal[order] - _SHIFT, vectors[:, order]
    return np.clip(values, 0.0, 2.0), vectors / root[:, None]


def _signs(vectors: FloatArray) -> FloatArray:
    """±1 for each column: its first entry of largest magnitude becomes positive."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=0, initial=0.0) * (1 - 1e-9), axis=0)
    largest = vectors[first, np.arange(vectors.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


def nearest_neighbors(X: FloatArray, n_neighbors: int) -> tuple[IntArray, FloatArray]:
    """Indices and Euclidean distances of every sample's nearest others, nearest first.

    Products find a few candidates, with a bound on their rounding error, which are measured
    exactly. Ties come in the order of their index.
    """
    n, k = len(X), n_neighbors
    # A power of two, so that scaling is exact; squares then neither overflow nor vanish.
    exponent = int(np.frexp(np.abs(X).max(initial=0.0))[1])
    X = np.ldexp(X, -exponent)
    indices, squares = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    centred = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", centred, centred)
    # By products the squared distance of two samples is wrong by at most the two slacks together
    # (classical bound; in fact far less).
    slack = (X.shape[1] + 8) * np.finfo(np.float64).eps * norms
    for first in range(0, n, _CHUNK):
        rows = np.arange(first, min(first + _CHUNK, n))
        # ‖x‖² of the row changes nothing of its order, and is left out.
        above = (-2.0 * centred[rows]) @ centred.T
        above += norms + slack
        above[np.arange(len(rows)), rows] = np.inf
        reach = _kth_or_above(above, k) + 2.0 * slack[rows]
        above -= 2.0 * slack
        owner, candidate = np.divmod(np.flatnonzero(above <= reach[:, None]), n)
        exact = _measure(X, rows[owner], candidate)
        order = np.lexsort((candidate, exact, owner))
        starts = np.searchsorted(owner, np.arange(len(rows)))
        nearest = order[starts[:, None] + np.arange(k)]
        indices[rows], squares[rows] = candidate[nearest], exact[nearest]
    return indices, np.ldexp(np.sqrt(squares), exponent)


def _kth_or_above(values: FloatArray, k: int) -> FloatArray:
    """Bound the k-th least of every row: k groups with the least minima hold k values."""
    width = values.shape[1] // 32
    if width >= 4 * k:
        values = values[:, : width * 32].reshape(len(values), 32, width).min(axis=1)
    bound: FloatArray = np.partition(values, k - 1, axis=1)[:, k - 1]
    return bound


def _measure(X: FloatArray, left: IntArray, right: IntArray) -> FloatArray:
    """Squared distances of pairs, from differences: exact to rounding."""
    squares = np.empty(len(left))
    # So many differences of coordinates are held at a time.
    step = max(1, 4_000_000 // X.shape[1])
    for first in range(0, len(left), step):
        part = slice(first, first + step)
        difference = X[left[part]] - X[right[part]]
        squares[part] = np.einsum("ij,ij->i", difference, difference)
    return squares
