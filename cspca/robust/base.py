"""What all robust methods share: what they take and refuse, and what a fit says of itself."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from cspca.estimator import COUNT, Estimator, Unsupervised
from cspca.preprocessing import preprocess
from cspca.problem.reduction import check_scale, image_norms, range_basis
from cspca.proximal import FloatArray, gram, row_norms


@dataclass(repr=False, eq=False)
class RobustMethod(Unsupervised):
    """Split images into what a subspace of low dimension explains, and the rest.

    A method is a subclass with one more function, `_split`; labels are never used.

    Pixels that are zero in every sample take no part, nor do constant ones with ``center=True``;
    without it a constant pixel is one like others. Unless the method says otherwise, the order of
    samples and of pixels, the unit of the data and a copy of every sample change nothing. A single
    sample that is there twice counts twice.

    Parameters
    ----------
    center : bool, default=False
        Subtract the mean image first, which outliers pull along; what is proven of these methods
        is of subspaces through 0.

    Attributes
    ----------
    components_ : ndarray of shape (rank_, n_features)
        Orthonormal directions of the inliers.
    rank_ : int
        How many they are.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        The training images as they are rebuilt, in pixels, and what that leaves of them.
    sample_residuals_ : ndarray of shape (n_samples,)
        Norms of the rows of `sparse_`: large for outliers.
    mean_ : ndarray of shape (n_features,)
        Mean image subtracted; zeros without centring.
    n_iter_ : int
        Iterations done.
    n_features_in_, feature_names_in_
        What was fitted.
    """

    _: KW_ONLY
    center: Annotated[bool, ["boolean"]] = False

    _alike = "All samples of X are equal, so none of them is an outlier."

    def _fit(self, samples: FloatArray, varies: NDArray[np.bool_]) -> None:
        A, self.mean_ = preprocess(samples.astype(np.float64), self.center, normalize=False)
        check_scale(float(np.abs(A).max()))
        # A pixel that is zero in every sample is rebuilt by any method, and takes no part.
        live: NDArray[np.bool_] = np.any(A != 0.0, axis=0)
        low_rank, sparse = self._split(np.ascontiguousarray(A[:, live]))
        self.components_: FloatArray = _widened(self.components_, live)
        self.low_rank_ = _widened(low_rank, live) + self.mean_
        self.sparse_ = _widened(sparse, live)
        self.sample_residuals_ = row_norms(self.sparse_)

    @property
    def rank_(self) -> int:
        """Dimension of the subspace."""
        check_is_fitted(self)
        return len(self.components_)

    @abstractmethod
    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Two parts of finite rows that differ, no column zero; sets `components_`, `n_iter_`."""


@dataclass(repr=False, eq=False)
class RobustSubspace(ClassNamePrefixFeaturesOutMixin, RobustMethod, Estimator):
    """A subspace of a dimension that is given: unseen images are projected on it, too.

    Parameters
    ----------
    n_components : int, default=10
        Dimension of the subspace; at most the rank of the data are used.
    center : bool, default=False
        As in `RobustMethod`.
    """

    n_components: Annotated[int, COUNT] = 10

    def _directions(self, A: FloatArray, k: int) -> FloatArray:
        """Orthonormal columns, shape (n_features, k), of A of full column rank; sets `n_iter_`."""
        raise NotImplementedError

    def _settled(
        self, V: FloatArray, step: Callable[[FloatArray], FloatArray], tol: float, max_iter: int
    ) -> FloatArray:
        """Renew a subspace until a step turns it by no more than `tol`; sets `n_iter_`."""
        for number in range(1, max_iter + 1):
            self.n_iter_ = number
            before, V = V, step(V)
            # Sine of the largest principal angle between the two.
            if np.linalg.norm(V - before @ (before.T @ V), 2) <= tol:
                return V
        say_unfinished(self, f"the subspace still moves by more than tol = {tol:g}")
        return V

    def _split(self, A: FloatArray) -> tuple[FloatArray, FloatArray]:
        # Outside the span of the data there is nothing to find, and few samples make it small.
        basis, values, _ = range_basis(A)
        return self._onto(
            A, basis @ self._directions(A @ basis, min(self.n_components, len(values)))
        )

    def _onto(self, A: FloatArray, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Take the span of orthonormal columns; what it explains, and the rest."""
        self.components_ = np.ascontiguousarray(V.T)
        low_rank = (A @ V) @ V.T
        return low_rank, A - low_rank

    @property
    def _n_features_out(self) -> int:
        return self.rank_

    def transform(self, X: ArrayLike) -> FloatArray:
        """Coordinates of images, unseen ones too, shape (n_samples, `rank_`)."""
        samples = self._samples(X)
        coordinates: FloatArray = (samples - self.mean_) @ self.components_.T
        return coordinates.astype(samples.dtype, copy=False)

    def inverse_transform(self, X: ArrayLike) -> FloatArray:
        """Images (n_samples, n_features) from the coordinates `X` that :meth:`transform` gives."""
        coordinates = self._coordinates(X)
        rebuilt: FloatArray = coordinates @ self.components_ + self.mean_
        return rebuilt.astype(coordinates.dtype, copy=False)

    def reconstruct(self, X: ArrayLike) -> FloatArray:
        """Images, unseen ones too, as the subspace rebuilds them, shape (n_samples, n_features)."""
        return self.inverse_transform(self.transform(X))


def _widened(B: FloatArray, live: NDArray[np.bool_]) -> FloatArray:
    """B with columns of zeros where pixels are not `live`."""
    if live.all():
        return B
    wide = np.zeros((len(B), len(live)))
    wide[:, live] = B
    return wide


def on_the_sphere(A: FloatArray) -> FloatArray:
    """Rows of unit norm; those of zeros stay what they are."""
    return A / image_norms(A)


def principal_directions(A: FloatArray, k: int, weights: FloatArray | None = None) -> FloatArray:
    """The k leading right singular vectors of A, its rows weighted by `weights`, as columns."""
    moment = gram(A if weights is None else A * np.sqrt(weights)[:, None])
    last = len(moment) - 1
    vectors = eigh(moment, subset_by_index=(last - k + 1, last), check_finite=False)[1]
    return np.ascontiguousarray(vectors[:, ::-1])


def distances(A: FloatArray, V: FloatArray) -> FloatArray:
    """How far each row of A is from the span of orthonormal columns V."""
    return row_norms(A - (A @ V) @ V.T)


def say_unfinished(method: object, why: str) -> None:
    """Warn that the last iteration was reached."""
    warnings.warn(
        f"{type(method).__name__} stopped at max_iter, where {why}: raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=2,
    )
