"""CSPCA as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from cspca.fitted import Fit, advice
from cspca.preprocessing import (
    feature_ranges,
    is_dask,
    large_blocks,
    plain_samples,
    reduce_data,
)
from cspca.problem import ReducedData, Reduction
from cspca.problem.reduction import check_scale
from cspca.problem.terms import LOSSES
from cspca.proximal import FloatArray
from cspca.solvers import SOLVERS, STARTS, Iterate
from cspca.solvers.blocks_data import BlockData
from cspca.stepwise import Parameters, Stepwise
from cspca.threads import blas_threads

__all__ = ["CSPCA", "reduce_data"]


COUNT = [Interval(Integral, 1, None, closed="left")]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]


class Parametrised(BaseEstimator):
    """An estimator whose parameters are fields, each with what it may be beside its type."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        """Collect what the parameters may be where scikit-learn looks for it."""
        super().__init_subclass__(**options)
        hints = get_type_hints(cls, include_extras=True)
        own = {
            name: list(hint.__metadata__[0])
            for name, hint in hints.items()
            if hasattr(hint, "__metadata__")
        }
        cls._parameter_constraints = cls._parameter_constraints | own


class Unsupervised(Parametrised):
    """One that is fitted to images that differ, as a subclass does in `_fit`."""

    _alike: ClassVar[str]
    """What is said of images that are all the same."""

    _power: ClassVar[int] = 2
    """Highest power of the data that a fit computes with, 2 or 4."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit to images; labels are never used.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images as rows.
        y : ignored

        Returns
        -------
        self
        """
        samples: FloatArray = validate_data(
            self, plain_samples(X), dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        ranges = feature_ranges(samples)
        varies = ranges > 0.0
        if not varies.any():
            raise ValueError(f"{self._alike} Give samples that differ.")
        check_scale(float(ranges.max()), self._power, "The largest range of a feature")
        with blas_threads():
            self._fit(samples, varies)
        return self

    @abstractmethod
    def _fit(self, samples: FloatArray, varies: NDArray[np.bool_]) -> None:
        """Set what is fitted; at least one of the features `varies`."""


class Estimator(TransformerMixin, Parametrised):
    """One that transforms, too."""

    def _samples(self, X: ArrayLike) -> FloatArray:
        """Raw images, checked to be like those fitted."""
        check_is_fitted(self)
        samples: FloatArray = validate_data(
            self, plain_samples(X), dtype=[np.float64, np.float32], reset=False
        )
        return samples

    def _coordinates(self, X: ArrayLike) -> FloatArray:
        """Coordinates, checked to be as many as ``transform`` gives."""
        check_is_fitted(self)
        coordinates: FloatArray = check_array(
            X, dtype=[np.float64, np.float32], ensure_min_features=0
        )
        if coordinates.shape[1] != self.rank_:
            raise ValueError(
                f"X must have rank_ = {self.rank_} columns, as transform returns, "
                f"got {coordinates.shape[1]}."
            )
        return coordinates

    def __sklearn_tags__(self) -> Tags:
        """Single precision in, single precision out."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Penalised(Estimator, Parameters):
    """The parameters of CSPCA, as a transformer and as a selector."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": NOT_NEGATIVE,
        "beta": NOT_NEGATIVE,
        "penalty_scale": [StrOptions({"relative", "absolute"})],
        "center": ["boolean"],
        "normalize": ["boolean"],
        "solver": [StrOptions(set(SOLVERS))],
        "loss": [StrOptions(set(LOSSES))],
        "init": [StrOptions(set(STARTS)), "array-like", None],
        "smoothing": [*POSITIVE, tuple],
        "tol": NOT_NEGATIVE,
        "max_iter": COUNT,
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }


class CSPCA(CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, Penalised, Stepwise):
    """Convex sparse PCA, solved to a certified distance from its global optimum.

    Minimises, with rows of `X` as samples (the paper's X is the transpose) and ``A`` the
    preprocessed `X`, ::

        ‖A W − A‖₂,₁ + α ‖W‖₂,₁ + β ‖W‖_*

    The importance of feature j is ``‖w_j‖``, the norm of row j of W: how much the map uses the
    feature, for itself and for others, at these penalties. It is often most where the others cannot
    stand in for it, which is no theorem (theory.md §14).

    Parameters
    ----------
    alpha : float, default=0.1
        Weight of the row-sparsity penalty, ≥ 0. ``‖W‖₂,₁`` of the optimum never rises with it
        (theory.md §13); the number of features in use falls on the whole, not always. See
        `penalty_scale`.
    beta : float, default=0.01
        Weight of the low-rank penalty, ≥ 0. ``‖W‖_*`` of the optimum never rises with it
        (theory.md §13); the rank falls on the whole, not always. See `penalty_scale`.
    penalty_scale : {"relative", "absolute"}, default="relative"
        Whether `alpha` and `beta` are fractions of ``alpha_max_`` and ``beta_max_`` (``W = 0``
        once they sum to 1) or the weights themselves, as the paper prints them.
    center : bool, default=True
        Subtract the mean image, as PCA does.
    normalize : bool, default=False
        Scale every image to unit norm first.
    solver : {"admm", "plain", "reweighted"}, default="admm"
        The certified solver, the same as a textbook has it, or the paper's Algorithm 1 (smoothed).
    loss : {"norms", "squared"}, default="norms"
        What errors cost: the sum of their norms, or ``½ ‖A W − A‖_F²``, in which a large
        error counts more, with ``solver="plain"`` only. The penalties' limits are the loss's own.
        Neither keeps one sample of a large norm from deciding W: see `sample_influence_`.
    init : None, str or ndarray of shape (n_features, n_features), default=None
        Start W₀: one of the paper's seven by name (``"diagonal-0.5"``, ``"diagonal-1"``,
        ``"diagonal-2"``, ``"constant-0.5"``, ``"constant-1"``, ``"constant-2"``, ``"random"``) or
        a matrix. None is the solver's own: for admm the best map that is diagonal in the basis of
        the data, 0 for plain, ½ I for reweighted.
    smoothing : float or tuple (first, last, n_steps), default=1e-4
        ε of the smoothed norms of ``solver="reweighted"``, in the unit of the preprocessed data; a
        tuple continues it geometrically.
    tol : float, default=1e-3
        Stop when the certified relative gap to the global optimum is at most this.
    max_iter : int, default=1000
        Largest number of iterations of one call of `fit`.
    warm_start : bool, default=False
        Keep the solver's state and continue from it in the next `fit`: exactly, multipliers
        included, when data and penalties are the same; as a starting point otherwise.
    random_state : int, RandomState instance or None, default=None
        Seeds ``init="random"``.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``‖w_j‖``, how much the map uses a pixel, for itself and for others, at these penalties: of
        k copies each shows a k-th of what all show together (theory.md §19), and independent noise
        can stand first (§14). Exactly 0 for pixels left out (not with ``solver="reweighted"``).
    dual_scores_ : ndarray of shape (n_features,)
        How close a pixel is to entering the model, in [0, 1]: 1 for those in it, 0 for constant
        ones.
    signed_scores_ : ndarray of shape (n_features,)
        The scores behind the order: `feature_scores_` where positive, `dual_scores_` − 1 elsewhere.
    selection_scores_ : ndarray of shape (n_features,)
        The order alone, as numbers in [0, 1] that stay in order when they are squared: 1 for the
        best group of `feature_ties_`, in even steps down, 0 for constant pixels (with
        ``center=False``: for those that are always 0). Made for ``SelectFromModel(CSPCA(…),
        importance_getter="selection_scores_", threshold=-np.inf, max_features=m)`` and for ``RFE``.
    feature_order_ : ndarray of shape (n_features,)
        Feature indices, best first. Within a group of `feature_ties_` the order is that of the
        columns, and says nothing; nor does that of scores closer than a thousandth of `tol`.
    feature_ties_ : ndarray of shape (n_features,)
        The number of each feature's group, counted from 0 in that order. Features of one group are
        not told apart: in an optimum they tie (W = I, columns that are equal but for their sign,
        every sample reproduced with rows of U Uᵀ of one length; theory.md §10, §12), or they score
        the same, as all do that have no score in the zero regime.
    feature_score_bounds_ : ndarray of shape (n_features,)
        Proven ceilings of ``‖w_j‖`` in *every* optimum (theory.md §14); low ones take a small
        gap, ``tol=1e-5``. inf where nothing is proven: of pixels in use, with α = 0, in a regime
        that is known without multipliers, and with ``solver="plain"``.
    objective_, dual_objective_ : float
        Objective reached, and the best proven lower bound of the global optimum.
    duality_gap_ : float
        ``(objective_ − dual_objective_) / objective_``. With ``solver="reweighted"`` it is what
        the smoothed norms of that run prove by themselves, which is loose: hold the run against a
        certified one by ``model.fit_.measured_by(certified.dual_objective_)``.
    converged_ : bool
        Whether `duality_gap_` is at most `tol`.
    n_iter_ : int
        Iterations done, over warm-started calls on the same problem too.
    rank_ : int
        Rank of W: how many singular values are above 1e-6 of the largest (theory.md §14).
    regime_ : {"zero", "identity", "reproduced", "sparse", "dense"}
        The first that fits. No pixel kept; W = I, proven to be optimal or optimal to 1e-9, so that
        all pixels tie; every sample rebuilt exactly, each to 1e-6 of its norm, so that W depends on
        the span of the samples alone for a given ratio of the penalties, not on how they vary
        within it (theory.md §11, §20, §21); some pixels exactly zero; none exactly zero.
    alpha_, beta_ : float
        Absolute penalties used; 0 where one is below 1e-14 of its limit, `alpha_max_` or
        `beta_max_`, which double precision cannot tell from 0.
    alpha_max_, beta_max_ : float
        ``W = 0`` is optimal whenever ``alpha_/alpha_max_ + beta_/beta_max_ ≥ 1``.
    mean_ : ndarray of shape (n_features,)
        Mean image subtracted; zeros without centring.
    components_ : ndarray of shape (rank_, n_features)
        Principal axes of the images that W rebuilds, orthonormal, most variance first, each
        pointing along the axis of PCA that it is nearest to (whose largest entry is positive, as in
        scikit-learn): :meth:`transform` gives coordinates on them, which for the training images
        are uncorrelated with ``center=True``.
    explained_variance_ratio_ : ndarray of shape (rank_,)
        What each component takes off the unexplained share of the images' squares. They add up to
        ``1 − ‖A − A W‖_F² / ‖A‖_F²``; the first k never explain more than the first k of PCA. The
        penalties shrink W, so a single one may be negative or out of order. It is no accuracy.
    singular_values_ : ndarray of shape (rank_,)
        Singular values of the rebuilt images ``A W``, of each component in turn.
    weight_singular_values_ : ndarray of shape (rank_,)
        Singular values of W, which the trace norm adds up, largest first; not by component.
    history_ : structured ndarray
        One record an iteration, ``pandas.DataFrame(history_)`` is the table: number, seconds,
        objective (NaN where not evaluated), best_objective, dual_bound, gap, n_kept (rows that
        are not exactly zero), rank (of the copy that the solver shrinks to low rank) and
        smoothed_objective; the last two are NaN where the solver has none.
    sample_residuals_ : ndarray of shape (n_samples,)
        Reconstruction error ``‖e_i‖`` of every training image. Large for images that
        their fellows do not explain and that β is too large to give a direction of their own;
        small is no evidence that an image belongs (theory.md §18).
    sample_influence_ : ndarray of shape (n_samples,)
        Norm of every training image over the sum of the norms of all others; with ``center=True``
        measured from the mean of the others. Above 0.3 it is a reason to look: the image may be
        rebuilt for its weight alone. A small one is no clearance, neither for an image in a
        direction of its own nor for several that hide each other (theory.md §18). Exact from 0.11
        on and without centring; a smaller v stands for a number from v / (1 + v) to v / (1 − v).
    fit_ : cspca.fitted.Fit
        All of this as one record, which can be written down and read back.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    X. Chang, F. Nie, Y. Yang, H. Huang, A Convex Sparse PCA for Feature Analysis,
    arXiv 1411.6233, eq. 7 and Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca import CSPCA
    >>> model = CSPCA(alpha=0.1, beta=0.01).fit(load_digits().data / 16)
    >>> model.converged_
    True
    """

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit to the certified gap `tol`, or for `max_iter` iterations, with a ConvergenceWarning.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images as rows. With ``solver="admm"``, a large tall array (``numpy.memmap`` included)
            is gone over block by block and not copied, and a Dask array is fitted on the cluster
            of the active ``distributed.Client`` (or here, one block at a time, without one). Then
            ``warm_start`` starts from the last W, not from the solver's whole state.
        y : ignored

        Raises
        ------
        ValueError
            When `X` holds nothing to explain (a constant set, one centred image, NaN, …) or a
            parameter is out of range; the sentence says what to do.
        """
        context = self._init_callback_context(max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        stopped = False
        with closing(self._run(X)) as run:
            for iterate, fitted in run:
                describe = partial(_attributes, fitted)
                step = context.subcontext(task_name="iteration")
                step.call_on_fit_task_begin(estimator=self, X=X, y=y)
                stopped = step.call_on_fit_task_end(
                    estimator=self,
                    X=X,
                    y=y,
                    metadata={"gap": iterate.gap, "objective": iterate.best_objective},
                    reconstruction_attributes=describe,
                )
                if stopped:
                    break
        context.call_on_fit_task_end(estimator=self, X=X, y=y, reconstruction_attributes=describe)
        if not self.converged_ and not stopped:
            todo = advice(iterate.state.problem.data, self.objective_, self.dual_objective_)
            if self.solver == "reweighted":
                todo = (
                    'its own bound is loose, so fit with solver="admm" too and see '
                    "fit_.measured_by(certified.dual_objective_)."
                )
            warnings.warn(
                f"CSPCA stopped after {self.n_iter_} iterations at a certified gap of "
                f"{self.duality_gap_:.1e}, above tol={self.tol:.1e}: {todo}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def iterate(
        self,
        X: ArrayLike,
        *,
        start: Stepwise | Fit | None = None,
        reduced: ReducedData | None = None,
        watch: float = float("inf"),
    ) -> Iterator[Iterate]:
        """Fit step by step: the iterator that :meth:`fit` itself consumes.

        The model is fitted, as far as it got, when the loop over it ends, by ``break`` too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for :meth:`fit`, with the same errors.
        start : CSPCA, Fit or None, default=None
            A model fitted on images of the same size, or its record: start from its W. If a model
            was fitted with ``warm_start=True``, on the same data and by the same solver, start
            from where that stands, multipliers included. Its penalties may differ.
        reduced : ReducedData or None, default=None
            What :func:`reduce_data` makes of `X`, to save making it again.
        watch : float, default=inf
            Seconds after which the objective is evaluated, for a live curve, although no
            certificate is due (admm). It changes nothing of the fit.

        Yields
        ------
        Iterate
            One an iteration, until the gap is at most `tol` or `max_iter` iterations are done.
        """
        self._validate_params()
        yield from super().iterate(X, start=start, reduced=reduced, watch=watch)

    def _keep(self, fit: Fit) -> None:
        for name, value in _attributes(lambda: fit).items():
            setattr(self, name, value)

    def _reduced(
        self, X: ArrayLike, start: Stepwise | Fit | None, reduced: ReducedData | None
    ) -> tuple[Reduction, FloatArray, np.dtype[Any]]:
        """The reduction of X, the mean image, and the precision of what is fitted."""
        if self.loss != "norms" and self.solver != "plain":
            raise ValueError(
                f'loss="{self.loss}" is for the plain solver only: use solver="plain" with it.'
            )
        X = plain_samples(X)
        blocks = large_blocks(X) if reduced is None and self.solver == "admm" else None
        if blocks is None:
            if is_dask(X):
                raise ValueError(
                    'A Dask array is fitted by the certified solver only: use solver="admm" and '
                    "no reduced, or give X.compute()."
                )
            samples: FloatArray = validate_data(self, X, dtype=[np.float64, np.float32])
            return super()._reduced(samples, start, reduced)
        # Only the number of features is taken note of: every block is checked when it is read.
        validate_data(self, np.zeros((1, blocks.shape[1])))
        with blas_threads():
            data = BlockData(blocks, self.center, self.normalize)
        single = blocks.dtype == np.float32
        return data, data.prepare.mean, np.dtype(np.float32 if single else np.float64)

    def transform(self, X: ArrayLike) -> FloatArray:
        """Coordinates of images, unseen ones too (``Wᵀx`` in the paper): (n_samples, `rank_`)."""
        samples = self._samples(X)
        return self.fit_.transform(samples)

    def inverse_transform(self, X: ArrayLike) -> FloatArray:
        """Images (n_samples, n_features) from the coordinates `X` that :meth:`transform` gives.

        On the scale on which images have unit norm when ``normalize=True``: the norms that they had
        are not among the coordinates.
        """
        coordinates = self._coordinates(X)
        return self.fit_.inverse_transform(coordinates)

    def reconstruct(self, X: ArrayLike) -> FloatArray:
        """Apply W: images (n_samples, n_features) as the kept pixels explain them, in pixels."""
        samples = self._samples(X)
        return self.fit_.reconstruct(samples)

    def weight_row(self, feature: int) -> FloatArray:
        """Row of W, (n_features,): what one pixel, from 0, contributes to every other one.

        IndexError when there is no such pixel.
        """
        check_is_fitted(self)
        return self.fit_.weight_row(feature)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the solver's state and the data behind: a pickled model does not resume."""
        state: dict[str, Any] = super().__getstate__()
        return {k: v for k, v in state.items() if k not in ("_state", "_data")}


def _attributes(fitted: Callable[[], Fit]) -> dict[str, Any]:
    """The attributes of a fitted model."""
    fit = fitted()
    # What it was asked for is said by the parameters, and the map is its own.
    left_out = ("solver", "normalize", "tol", "Z", "U")
    names = [record.name for record in fields(fit) if record.name not in left_out]
    attributes = {f"{name}_": getattr(fit, name) for name in [*names, "selection_scores"]}
    return attributes | {"fit_": fit, "_n_features_out": fit.rank}
