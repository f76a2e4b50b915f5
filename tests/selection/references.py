"""Reading the reference answers: graphs in their parts."""

import numpy as np
from scipy.sparse import csr_array


def graph_of(parts: dict[str, np.ndarray], prefix: str = "W_") -> csr_array:
    """The graph stored under ``prefix`` in compressed rows."""
    data, indices, indptr = (parts[f"{prefix}{part}"] for part in ("data", "indices", "indptr"))
    n = len(indptr) - 1
    return csr_array((data, indices, indptr), shape=(n, n))
