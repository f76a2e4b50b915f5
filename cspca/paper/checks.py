"""What the paper claims beside its tables, measured on given data: a few quick experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from cspca.estimator import CSPCA
from cspca.evaluation.halves import check_units, draw_halvings, draw_pair, sample_groups
from cspca.evaluation.reproducibility import SelectionFrequencies, selection_reproducibility
from cspca.evaluation.statistics import jaccard
from cspca.fitted import ahead_of_cut
from cspca.paper.claims import HALVES_ALPHA, HALVES_BETA, LARGE_NORM
from cspca.selection import MaxVariance, PCALoadings

Floats = NDArray[np.float64]

_RANK, _MOST, _PAIRS = 10, 200, 10


def theorem_1(X: NDArray[Any]) -> dict[str, float]:
    """Hold the solutions that Theorem 1 names against PCA's reconstruction.

    The best rank-k map is not unique where the data do not span the space. In rows the family is
    ``U₁U₁ᵀ + U⊥ B Qᵀ U₁ᵀ``, Q orthogonal and B arbitrary, with U⊥ spanning the null space of the
    data. With U⊥ the whole complement of U₁, as the words of the paper can be read, it fails.
    """
    A = np.asarray(X, dtype=np.float64)
    A = A - A.mean(axis=0)
    d = A.shape[1]
    _, s, Vt = linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > s[0] * max(A.shape) * np.finfo(float).eps)) if s[0] > 0 else 0
    if rank == 0:
        raise ValueError("All samples are equal: there is nothing to rebuild.")
    k = max(1, min(_RANK, rank - 1))
    U, rest = Vt[:k].T, Vt[k:rank].T
    pca_rebuilt = (A @ U) @ U.T
    size = float(np.linalg.norm(pca_rebuilt))
    rng = np.random.default_rng(0)
    errors = [0.0, 0.0]
    for _ in range(3):
        Q = linalg.qr(rng.standard_normal((k, k)))[0]
        # A random block outside the data's span, without a basis of it: what is left of noise.
        noise = rng.standard_normal((d, k))
        outside = noise - Vt[:rank].T @ (Vt[:rank] @ noise) if rank < d else np.zeros((d, k))
        for i, block in enumerate((outside, outside + rest @ (rest.T @ noise))):
            apart = (A @ (U + block @ Q.T)) @ U.T - pca_rebuilt
            errors[i] = max(errors[i], float(np.linalg.norm(apart)) / size)
    return {
        "k": float(k),
        "rank": float(rank),
        "null_space": float(d - rank),
        "error": errors[0],
        "error_as_printed": errors[1],
    }


def unseen(X: NDArray[Any]) -> dict[str, float]:
    """Fit on a random half of the samples and rebuild the rest."""
    seen, new = _halves(X)
    model, mean = _fitted(seen), seen.mean(axis=0)
    directions = linalg.svd(seen - mean, full_matrices=False)[2][: model.rank_]

    def error(rebuilt: Floats, samples: Floats) -> float:
        """Share of the variance around the mean of what was seen."""
        total = float(((samples - mean) ** 2).sum())
        return float(((rebuilt - samples) ** 2).sum()) / total if total > 0 else 0.0

    return {
        "error_seen": error(model.reconstruct(seen), seen),
        "error_unseen": error(model.reconstruct(new), new),
        "pca_unseen": error(mean + ((new - mean) @ directions.T) @ directions, new),
        "rank": float(model.rank_),
        "duality_gap": float(model.duality_gap_),
    }


def outliers(X: NDArray[Any]) -> dict[str, float]:
    """Replace a tenth of the samples by noise, fit, and see what that does to what is found.

    A ruined sample is black or white at random in every feature: the largest and the smallest
    value of the data.
    """
    seen, new = _halves(X)
    rng = np.random.default_rng(0)
    n_ruined = max(1, round(0.1 * len(seen)))
    at = np.sort(rng.choice(len(seen), n_ruined, replace=False))
    low, high = float(seen.min()), float(seen.max())
    spoilt = seen.copy()
    spoilt[at] = low + (high - low) * rng.integers(0, 2, (n_ruined, seen.shape[1]))
    clean = _fitted(seen)
    # At the same absolute penalties: noise is large, and fractions of its limits would be too.
    ruined = _fitted(spoilt, alpha=clean.alpha_, beta=clean.beta_, penalty_scale="absolute")
    worst = np.argsort(-ruined.sample_residuals_, kind="stable")[:n_ruined]
    # Without any method: the brightest, or the darkest, whichever finds more.
    norms = np.argsort(np.linalg.norm(spoilt, axis=1), kind="stable")
    by_norm = max(np.isin(end, at).mean() for end in (norms[:n_ruined], norms[-n_ruined:]))
    # How far from the mean of the others the ruined ones are, against these.
    away = np.linalg.norm(spoilt - np.delete(spoilt, at, axis=0).mean(axis=0), axis=1)
    half = max(1, seen.shape[1] // 2)

    def overlap(before: Any, after: Any) -> float:
        return jaccard(before.feature_order_[:half], after.feature_order_[:half])

    return {
        "n_ruined": float(n_ruined),
        "n_samples": float(len(seen)),
        "overlap": overlap(clean, ruined),
        "pca_overlap": overlap(PCALoadings().fit(seen), PCALoadings().fit(spoilt)),
        "variance_overlap": overlap(MaxVariance().fit(seen), MaxVariance().fit(spoilt)),
        "clean": _captured(clean.reconstruct(seen), new),
        "ruined": _captured(ruined.reconstruct(spoilt), new),
        "pca_clean": _captured(seen, new),
        "pca_ruined": _captured(spoilt, new),
        "found": float(np.isin(worst, at).mean()),
        "found_by_norm": float(by_norm),
        "norm_ratio": float(np.median(away[at]) / np.median(np.delete(away, at))),
        "duality_gap": float(max(clean.duality_gap_, ruined.duality_gap_)),
    }


def large_norm(X: NDArray[Any]) -> dict[str, float]:
    """Put one sample of a large norm among the others, fit, and see what becomes of the others.

    It is noise that takes the place of one: :data:`LARGE_NORM` times as far from the mean as the
    median sample, and as far as all samples together. Penalties stay what they were, as in the
    paper, or stay the same shares of their limits, which the sample raises. Of many samples
    200 are seen, drawn at random.
    """
    seen, new = _halves(X)
    seen = seen[:_MOST]
    rng = np.random.default_rng(0)
    at = int(rng.integers(len(seen)))
    mean = seen.mean(axis=0)
    away = np.linalg.norm(seen - mean, axis=1)
    noise = rng.standard_normal(seen.shape[1])
    noise /= float(np.linalg.norm(noise))
    clean = _fitted(seen)
    same = {"alpha": clean.alpha_, "beta": clean.beta_, "penalty_scale": "absolute"}
    distances = {"few": LARGE_NORM * float(np.median(away)), "all": float(away.sum())}
    check = {
        "n_samples": float(len(seen)),
        "rank": float(clean.rank_),
        "clean": _captured(clean.reconstruct(seen), new),
        "pca_clean": _captured(seen, new),
    }
    gap = clean.duality_gap_
    for distance, scale in (("few", "absolute"), ("all", "absolute"), ("all", "relative")):
        spoilt = seen.copy()
        spoilt[at] = mean + distances[distance] * noise
        fit = _fitted(spoilt, **(same if scale == "absolute" else {}))
        residuals, name = fit.sample_residuals_, f"{scale}_{distance}"
        check |= {
            name: _captured(fit.reconstruct(spoilt), new),
            f"{name}_place": float(1 + np.count_nonzero(residuals > residuals[at])),
            f"{name}_rank": float(fit.rank_),
            f"influence_{distance}": float(fit.sample_influence_[at]),
            f"pca_{distance}": _captured(spoilt, new),
        }
        gap = max(gap, fit.duality_gap_)
    return check | {"duality_gap": float(gap)}


def halves(X: NDArray[Any]) -> dict[str, float]:
    """Fit random halves of the samples, ten pairs, and see how far they select the same.

    As :class:`cspca.experiments.Reproducibility` does at these penalties; beside CSPCA's best tenth
    of the features stands that of the largest variance. An index is missing where there is nothing
    to agree on, or where a half has no ranking.
    """
    A = np.asarray(X, dtype=np.float64)
    together = sample_groups(A)
    check_units(together)
    d = A.shape[1]
    k = max(1, d // 10)
    selected, best, by_variance, gap = [], [], [], 0.0
    for number in range(_PAIRS):
        for rows in draw_pair(A, together, number):
            fit = _fitted(A[rows], alpha=HALVES_ALPHA, beta=HALVES_BETA).fit_
            selected.append(fit.feature_scores != 0.0)
            gap = max(gap, fit.duality_gap)
            if fit.regime in ("sparse", "dense") and ahead_of_cut(fit.ranks, k) == k:
                best.append(fit.ranks <= k)
            order = MaxVariance().fit(A[rows]).feature_order_
            by_variance.append(np.isin(np.arange(d), order[:k]))
    frequencies = SelectionFrequencies(np.array(selected))
    check = {
        "n_halves": float(frequencies.n_halves),
        "n_features": float(d),
        "k": float(k),
        "n_always": float(frequencies.n_always),
        "n_never": float(frequencies.n_never),
        "n_sometimes": float(frequencies.n_sometimes),
        "n_in_doubt": float(frequencies.n_in_doubt),
        "duality_gap": float(gap),
    }
    index = frequencies.index
    if not np.isnan(index.difference):
        check["kept_index"] = index.difference
    if index.has_ends:
        check |= {"kept_low": index.low, "kept_high": index.high}
    if len(best) == frequencies.n_halves and k < d:
        check["best_index"] = selection_reproducibility(best).difference
        check["variance_index"] = selection_reproducibility(by_variance).difference
    return check


def _captured(samples: Floats, new: Floats) -> float:
    """Share of the variance of `new` in the first directions of some samples."""
    _, sizes, right = linalg.svd(samples - samples.mean(axis=0), full_matrices=False)
    # What rounding leaves of a map of lower rank is no direction.
    directions = right[:_RANK][sizes[:_RANK] > 1e-9 * sizes[0]]
    around = new - new.mean(axis=0)
    total = float((around**2).sum())
    return float(((around @ directions.T) ** 2).sum()) / total if total > 0 else 0.0


def _halves(X: NDArray[Any]) -> tuple[Floats, Floats]:
    A = np.asarray(X, dtype=np.float64)
    if len(A) < 4:
        raise ValueError(f"Two halves need at least four samples, got {len(A)}.")
    (halving,) = draw_halvings(sample_groups(A).numbers, n_halvings=1)
    first, second = halving.rows
    return A[first], A[second]


def _fitted(A: Floats, **parameters: Any) -> CSPCA:
    # Relative penalties where a map is neither zero nor the identity on any data.
    model = CSPCA(**{"alpha": 0.1, "beta": 0.01, "random_state": 0} | parameters)
    # Without a warning where it is not certified: the gap is part of what is said.
    for _ in model.iterate(A):
        pass
    return model


CHECKS: Mapping[str, tuple[str, Callable[[NDArray[Any]], dict[str, float]]]] = {
    "theorem-1": ("Theorem 1", theorem_1),
    "unseen": ("Unseen samples", unseen),
    "outliers": ("Ruined samples", outliers),
    "large-norm": ("One sample of a large norm", large_norm),
    "halves": ("Random halves", halves),
}
"""Title and function by key."""
