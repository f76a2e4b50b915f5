"""Column subset selection: the features that span the others best, greedily or by leverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from cspca.estimator import COUNT
from cspca.problem.reduction import EQUAL
from cspca.proximal import FloatArray, row_norms
from cspca.selection.base import FeatureSelector, Scores, varying
from cspca.selection.loadings import leading_components

_SPANNED = 1e-12
"""Share of its own squared norm up to which a feature is spanned: in single precision the sum of
others leaves 1e-14."""

_FADED = 1e-4
"""When this share of the squared norms is left, what was updated is computed anew."""


@dataclass(repr=False, eq=False)
class GreedySubset(FeatureSelector):
    """Greedy column subset selection: pick, again and again, what spans the others best.

    With the centred samples A and the projection P_S onto the picked columns it lowers
    ``‖A − P_S A‖²``; each pick is the single feature that lowers it most, of equal ones the one of
    which most is left. It ends when the picked span all, each to 1e-12 of its own squared norm;
    the rest follow by their norm. A copy is spanned by the other: it never goes before a feature
    that is not.

    No pick is taken back, so that this is no best subset: 30 of 512 pixels of the rendered faces
    leave 0.1047 of the variance, where a beam of three (fastcan 0.6) leaves 0.1008. Nor is it the
    better of the quick ones everywhere: there :class:`PivotedQR` leaves 0.1259, but of the digits,
    30 of 64 pixels, it leaves 0.0694 and CUR (skmatter 0.4) 0.0701, where this leaves 0.0715.

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

    Each pick is the feature of which the picked ones leave the longest residual; what is left is
    measured against the feature's own norm to say that it is spanned. On the digits it leaves less
    unexplained than :class:`GreedySubset`, on the rendered faces more; the figures are there.

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
        picks = order[: len(R)]
        own = np.einsum("ij,ij->j", centred, centred)[picks]
        return _picked(picks[np.diag(R) ** 2 > _SPANNED * own], centred, live)


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
        live, centred = varying(X)
        _, V = leading_components(centred, self.n_components or self.n_clusters)
        return Scores(row_norms(V) ** 2, among=live)


def _picked(
    picks: Sequence[int] | NDArray[np.intp], centred: FloatArray, live: NDArray[np.bool_]
) -> Scores:
    """Picks in their order; the others tie, told apart by their norm."""
    norms = row_norms(centred.T)
    scores = np.zeros(len(norms))
    scores[picks] = len(norms) - np.arange(len(picks))
    return Scores(scores, norms / norms.max(), live)


def _greedy_picks(A: FloatArray) -> Iterator[int]:
    """Columns of A, each with the largest ‖E_:j‖² / E_jj, E being AᵀA less what is spanned.

    Of each column what is not spanned is kept as it is, in R with E = RᵀR: its rounding goes with
    the column's own size, however large the others are.
    """
    n, d = A.shape
    # The triangle has the same inner products.
    R = np.array(np.linalg.qr(A, mode="r") if n > d else A)
    own = left = np.einsum("ij,ij->j", R, R)
    squares, size_at_refresh = _squares(R), left.sum()
    for _ in range(min(n, d)):
        gains = np.divide(squares, left, out=np.zeros(d), where=left > _SPANNED * own)
        # The last pick of few samples is free: one direction is left, and all hold the same of it.
        ahead = gains >= gains.max() * (1.0 - EQUAL)
        pick = int(np.where(ahead, left, -1.0).argmax())
        if gains[pick] <= 0.0:
            return
        yield pick
        direction = R[:, pick] / np.sqrt(left[pick])
        along = direction @ R
        R -= np.outer(direction, along)
        R[:, pick] = 0.0
        left = np.einsum("ij,ij->j", R, R)
        if left.sum() <= _FADED * size_at_refresh:
            # Differences of numbers this much larger have lost their digits.
            squares, size_at_refresh = _squares(R), left.sum()
        else:
            squares -= along * (along * (along @ along) + 2.0 * ((R @ along) @ R))


def _squares(R: FloatArray) -> FloatArray:
    """Squared norms of the columns of RᵀR."""
    squares: FloatArray = np.einsum("ij,ij->j", R, (R @ R.T) @ R)
    return squares
