"""How well few features rebuild all of them, for one selection or for hundreds of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from cspca.evaluation.halves import MOST_SAMPLES, draw_halvings, sample_groups
from cspca.evaluation.kmeans import check_features, check_range, check_samples
from cspca.preprocessing import feature_ranges
from cspca.problem.reduction import check_scale
from cspca.proximal import FloatArray
from cspca.threads import blas_threads

Features = NDArray[np.intp]

MOST_FEATURES: Final = 2048
"""Features up to which products of d × d are made once, and each selection looks its part up."""


class Rebuilding:
    """All features predicted from few by ridge regression, each half of the samples by the other.

    The measure is that of :func:`cspca.evaluation.reconstruction_error` by its first halving, but
    for the penalty where more features are selected than samples fitted. Hundreds of selections
    share these halves, so that one halving tells them apart.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each sample (subject, replicate, video), which one half holds whole. None keeps
        copies together, rows that are equal in every feature.
    random_state : int, default=0
        Seed of the halves.
    ridge : float, default=0.1
        Penalty on the coefficients as a fraction of the mean squared norm of a selected feature,
        or of a fitted sample where there are fewer of them.

    Notes
    -----
    Errors of hundreds of selections share what does not depend on them. With K the half that is
    fitted and T the one that is measured, both centred by K's mean, G = KᵀK, H = TᵀT, and
    A = (G_SS + λI)⁻¹ of a selection S, the error is
    tr H − 2 tr A(GH)_SS + tr H_SS A(GG)_SS A: a few products of k × k. Where a half has at most a
    quarter as many samples as there are features, GG and GH are not made: (GG)_SS = K_Sᵀ(KKᵀ)K_S
    and (GH)_SS = K_Sᵀ(KTᵀ)T_S.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca.evaluation import Rebuilding
    >>> X, _ = load_digits(return_X_y=True)
    >>> few, more = Rebuilding(X).errors([range(20, 30), range(20, 40)])
    >>> bool(more < few)
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        random_state: int = 0,
        ridge: float = 0.1,
    ) -> None:
        samples = check_samples(X).astype(np.float64, copy=False)
        check_range(samples)
        n, self.n_features = samples.shape
        if n < 4:
            raise ValueError(f"Two halves need at least 4 samples, got {n}: give more.")
        widest = float(feature_ranges(samples).max())
        if not widest:
            raise ValueError("Nothing varies in X: there is nothing to rebuild.")
        check_scale(widest, 4, "The largest range of a feature")
        self.ridge, self._samples = ridge, samples
        self._small = bool(self.n_features <= MOST_FEATURES)
        together = sample_groups(samples, groups)
        self.n_samples, self.n_copies = n, together.n_copies
        # Of more features every selection costs more.
        most = MOST_SAMPLES if self._small else MOST_SAMPLES // 10
        (halving,) = draw_halvings(
            together.numbers, random_state=random_state, n_halvings=1, max_samples=most
        )
        self.first, self._halves = halving.first, halving.rows
        self.n_used = sum(map(len, self._halves))
        self._few = 2 * self.n_used <= self.n_features
        with blas_threads():
            self._ways = [self._products(fit, score) for fit, score in halving.ways]

    def _products(self, fit: Features, score: Features) -> tuple[FloatArray, ...]:
        """What errors of one direction need: products of the features, or of the samples."""
        mean = self._samples[fit].mean(axis=0)
        fitted, target = self._samples[fit] - mean, self._samples[score] - mean
        if self._small and self._few:
            return fitted, target, fitted @ fitted.T, fitted @ target.T
        if self._small:
            G, H = fitted.T @ fitted, target.T @ target
            return G, H, np.linalg.multi_dot([fitted.T, fitted, G]), np.linalg.multi_dot([G, H])
        # In single precision: shares of the variance are wanted to a tenth of a per cent.
        fitted, target = fitted.astype(np.float32), target.astype(np.float32)
        return fitted, target, fitted @ fitted.T, target @ fitted.T

    def errors(self, selections: Iterable[ArrayLike]) -> FloatArray:
        """Share of the variance that each selection of features leaves unexplained.

        0 is perfect, 1 no better than the mean of the other half.
        """
        errors, total = [], 0.0
        of_features = self._small and not self._few
        for _, target, *_ in self._ways:
            total += float(np.trace(target) if of_features else (target**2).sum())
        left = self._left_small if self._small else self._left_wide
        with blas_threads():
            for selection in selections:
                chosen = check_features(selection, self.n_features, "A selection")
                errors.append(sum(left(chosen, *products) for products in self._ways) / total)
        return np.array(errors)

    def rebuilt(self, sample: int, features: ArrayLike) -> FloatArray:
        """One sample from the chosen features alone, by the half that it does not belong to."""
        chosen = np.asarray(features, dtype=np.intp)
        others = self._samples[self._halves[1 if self.first[sample] else 0]]
        mean: FloatArray = others.mean(axis=0)
        fitted, seen = others - mean, self._samples[sample] - mean
        few = fitted[:, chosen]
        penalty = self._penalty(float((few**2).sum()), len(chosen))
        if penalty == 0.0:
            return mean
        # How much of each of the others: by whichever system is the smaller.
        with blas_threads():
            if len(chosen) <= len(few):
                own = few.T @ few + penalty * np.eye(len(chosen))
                shares = few @ linalg.solve(own, seen[chosen], assume_a="pos")
            else:
                own = few @ few.T + penalty * np.eye(len(few))
                shares = linalg.solve(own, few @ seen[chosen], assume_a="pos")
            rebuilt: FloatArray = mean + shares @ fitted
        return rebuilt

    def _penalty(self, size: float, k: int) -> float:
        """Of k features whose squares, over the fitted half, have the sum `size`."""
        return self.ridge * size / min(k, self.n_used // 2)

    def _left_small(self, chosen: Features, *products: FloatArray) -> float:
        if self._few:
            K, T, KK, KT = products
            few, seen, size = K[:, chosen], T[:, chosen], float((T**2).sum())
            own, measured = few.T @ few, seen.T @ seen
            twice, crossed = few.T @ (KK @ few), few.T @ (KT @ seen)
        else:
            part, size = np.ix_(chosen, chosen), float(np.trace(products[1]))
            own, measured, twice, crossed = (product[part] for product in products)
        penalty = self._penalty(float(np.trace(own)), len(chosen))
        if penalty == 0.0:
            return size
        own[np.diag_indices_from(own)] += penalty
        factor = linalg.cho_factor(own, overwrite_a=True, check_finite=False)

        def solve(right: FloatArray) -> FloatArray:
            solved: FloatArray = linalg.cho_solve(factor, right, check_finite=False)
            return solved

        explained = float(np.trace(solve(crossed)))
        return size - 2 * explained + float((solve(solve(twice).T) * measured).sum())

    def _left_wide(
        self, chosen: Features, K: FloatArray, T: FloatArray, KK: FloatArray, TK: FloatArray
    ) -> float:
        few = K[:, chosen]
        own = few @ few.T
        penalty = self._penalty(float(np.trace(own)), len(chosen))
        if penalty == 0.0:
            return float((T**2).sum())
        own[np.diag_indices_from(own)] += penalty
        # Which of the samples of K, and how much of each, a sample of T is rebuilt from.
        shares = linalg.solve(own, few @ T[:, chosen].T, assume_a="pos", check_finite=False).T
        return float((T**2).sum() - 2 * (shares * TK).sum() + ((shares @ KK) * shares).sum())
