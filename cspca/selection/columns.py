"""Column subset selection: the features that span the others best, greedily or by leverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from cspca.estimator import COUNT
from cspca.proximal import FloatArray, row_norms
from cspca.selection.base import FeatureSelector, Scores, varying
from cspca.selection.loadings import leading_components

_SPANNED = 1e-8
"""What is left of a feature, by its squared norm against the largest: below it, only rounding."""


@dataclass(repr=False, eq=False)
class GreedySubset(FeatureSelector):
    """Greedy column subset selection: pick, again and again, what spans the others best.

    With the centred samples A and the projection P_S onto the picked columns it lowers
    ``‖A − P_S A‖²``; each pick is the single feature that lowers it most. It ends when the picked
    span all; the rest follow by their norm.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        Features that vary less the picks before; 0 for features that the picked ones span.

    References
    ----------
    A. K. Farahat, A. Ghodsi, M. S. Kamel, An Efficient Greedy Method for Unsupervised Feature
    Selection, ICDM 2011; Efficient Greedy Feature Selection for Unsupervised Learning, KAIS 2013.
    """

    n_features_to_select: int | None = None

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        return _picked(list(_greedy_picks(centred)), centred, live)


@dataclass(repr=False, eq=False)
class PivotedQR(FeatureSelector):
    """Column subset selection by a QR decomposition with pivoting.

    Each pick is the feature of which the picked ones leave the longest residual.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        As in :class:`GreedySubset`.

    References
    ----------
    P. Businger, G. H. Golub, Linear Least Squares Solutions by Householder Transformations,
    Numerische Mathematik 1965.
    """

    n_features_to_select: int | None = None

    def _score(self, X: FloatArray) -> Scores:
        live, centred = varying(X)
        R, order = qr(centred, mode="r", pivoting=True, check_finite=False)
        left = np.diag(R) ** 2
        return _picked(order[: len(left)][left > _SPANNED * left[0]], centred, live)


@dataclass(repr=False, eq=False)
class LeverageScores(FeatureSelector):
    """Keep the features with the largest part in the leading principal directions.

    The score of feature j is ``Σ_i v_ij²`` over the r leading principal directions v_i, whatever
    their variance; together the scores sum to r.

    Parameters
    ----------
    n_clusters : int, default=5
        r where `n_components` is None.
    n_components : int or None, default=None
        r, the directions counted.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    References
    ----------
    M. W. Mahoney, P. Drineas, CUR Matrix Decompositions for Improved Data Analysis, PNAS 2009. Here
    the largest are kept in place of a draw.
    """

    n_clusters: Annotated[int, COUNT] = 5
    n_components: Annotated[int | None, [*COUNT, None]] = None

    def _score(self, X: FloatArray) -> Scores:
        _, V = leading_components(X - X.mean(axis=0), self.n_components or self.n_clusters)
        return Scores(row_norms(V) ** 2)


def _picked(
    picks: Sequence[int] | NDArray[np.intp], centred: FloatArray, live: NDArray[np.bool_]
) -> Scores:
    """Picks in their order; the others tie, told apart by their norm."""
    norms = row_norms(centred.T)
    scores = np.zeros(len(norms))
    scores[picks] = len(norms) - np.arange(len(picks))
    return Scores(scores, norms / norms.max(), live)


def _greedy_picks(A: FloatArray) -> Iterator[int]:
    """Columns of A, each with the largest ‖E_:j‖² / E_jj, E being AᵀA less what is spanned."""
    n, d = A.shape
    if n > d:  # the triangle has the same inner products
        A = np.asarray(np.linalg.qr(A, mode="r"))
    left = np.einsum("ij,ij->j", A, A)
    squares = np.einsum("ij,ij->j", A, (A @ A.T) @ A)
    spanned = _SPANNED * left.max()
    found = np.empty((min(n, d), d))
    for done, new in enumerate(found):
        gains = np.divide(squares, left, out=np.zeros(d), where=left > spanned)
        pick = int(gains.argmax())
        if gains[pick] <= 0.0:
            return
        yield pick
        before = found[:done]
        column = A[:, pick] @ A - before[:, pick] @ before
        new[:] = column / np.sqrt(column[pick])
        ahead = (A @ new) @ A - (before @ new) @ before
        squares += new * (new * (new @ new) - 2.0 * ahead)
        left -= new**2
        left[pick] = 0.0
