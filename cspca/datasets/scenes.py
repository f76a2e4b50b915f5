"""Scenes in which it is known who the outliers are: a hidden subspace, and pictures that are wrong.

What is planted is known here and told to no method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.faces import ruin
from cspca.datasets.record import DatasetError, Floats, check_count
from cspca.datasets.resize import resized

if TYPE_CHECKING:
    from cspca.datasets.record import Dataset

WRONGS = {
    "ruined": "a block, noise or waves, in turn",
    "blocks": "a black or white block over a part",
    "noise": "half of the pixels by chance",
    "swapped": "upper and lower half exchanged, so that its norm stays what it is",
    "strangers": "a picture of another set in its place",
}
"""What can be wrong with a picture, and what is done to it."""

MOST = 0.9
"""The largest share of outliers."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Samples as a method sees them, and what it does not see.

    Parameters
    ----------
    X : (n_samples, n_features)
    outlier : bool (n_samples,) which of them are outliers.
    clean : like X, or None
        The pictures before anything was done to them; None where there are none.
    basis : (n_features, rank) or None
        Orthonormal directions of the inliers, where they have a subspace.
    """

    X: Floats
    outlier: NDArray[np.bool_]
    clean: Floats | None = None
    basis: Floats | None = None


def make_haystack(
    share: float = 0.5,
    rank: int = 5,
    n_samples: int = 200,
    n_features: int = 50,
    equal_energy: bool = True,
    random_state: int = 0,
) -> Scene:
    """Hide a subspace: inliers are Gaussian within it, outliers in all directions.

    Parameters
    ----------
    share : float in [0, 0.9], default=0.5
        Share of the samples that are outliers.
    rank : int, default=5
        Dimension of the subspace, below the number of inliers and of features.
    n_samples, n_features : int, default=200 and 50
    equal_energy : bool, default=True
        Scale every sample to unit norm. Without it every coordinate has variance 1, so that
        outliers are longer than inliers, by √(n_features / rank) on average.
    random_state : int, default=0

    Returns
    -------
    Scene
        Inliers first.
    """
    n_outliers = _planted(share, n_samples)
    n_inliers = n_samples - n_outliers
    check_count("rank", rank, 1)
    if rank >= min(n_inliers, n_features):
        raise DatasetError(
            f"A subspace of dimension {rank} cannot be hidden among {n_features} features by "
            f"{n_inliers} inliers: give a smaller rank, a smaller share of outliers, or more "
            "samples."
        )
    rng = np.random.default_rng(random_state)
    basis, _ = np.linalg.qr(rng.normal(size=(n_features, rank)))
    inliers = rng.normal(size=(n_inliers, rank)) @ basis.T
    X = np.vstack([inliers, rng.normal(size=(n_outliers, n_features))])
    if equal_energy:
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    return Scene(X, np.arange(n_samples) >= n_inliers, None, basis)


def plant_outliers(
    data: Dataset,
    wrong: str = "ruined",
    share: float = 0.1,
    strangers: Dataset | None = None,
    random_state: int = 0,
) -> Scene:
    """Make a share of the pictures of a data set wrong.

    Parameters
    ----------
    data : Dataset
        Of pictures; rendered faces, say.
    wrong : {"ruined", "blocks", "noise", "swapped", "strangers"}, default="ruined"
        What is wrong with them, see :data:`WRONGS`.
    share : float in [0, 0.9], default=0.1
        Share of the pictures: at least one, where it is above 0.
    strangers : Dataset or None, default=None
        The other set, for ``wrong="strangers"``; brought to the size of these pictures.
    random_state : int, default=0
        Chooses the pictures and what is done to each.

    Returns
    -------
    Scene
        In the order of the data, with the pictures as they were.
    """
    if wrong not in WRONGS:
        raise DatasetError(f"wrong is {wrong!r}: choose one of {', '.join(WRONGS)}.")
    if data.image_shape is None:
        raise DatasetError(f"{data.name} has no pictures that could be made wrong.")
    rng = np.random.default_rng(random_state)
    least = 1 if share > 0.0 else 0
    n_wrong = max(least, _planted(share, data.n_samples))
    chosen = rng.permutation(data.n_samples)[:n_wrong]
    clean = data.data.astype(np.float64)
    X = clean.copy()
    pictures = X.reshape(-1, *data.image_shape)
    kinds = {"ruined": (0, 1, 2), "blocks": (0,), "noise": (1,)}.get(wrong, ())
    others = None if wrong != "strangers" else _strangers(strangers, data.image_shape)
    for turn, index in enumerate(chosen):
        if kinds:
            ruin(pictures[index], kinds[turn % len(kinds)], rng)
        elif others is None:
            pictures[index] = np.roll(pictures[index], data.image_shape[0] // 2, axis=0)
        else:
            X[index] = others[rng.integers(len(others))]
    return Scene(X, np.isin(np.arange(len(X)), chosen), clean)


def _strangers(data: Dataset | None, shape: tuple[int, int]) -> Floats:
    """Pictures of another set, in this size."""
    if data is None or data.image_shape is None:
        raise DatasetError("Strangers are pictures of another set: give one as strangers.")
    same = data if data.image_shape == shape else resized(data, shape)
    return same.data.astype(np.float64)


def _planted(share: float, n_samples: int) -> int:
    """How many outliers a share is, if enough inliers are left."""
    check_count("n_samples", n_samples, 2)
    if not 0.0 <= share <= MOST:
        raise DatasetError(
            f"A share of {share:g} outliers leaves no inliers to speak of: give 0 to {MOST:g}."
        )
    found = round(share * n_samples)
    if n_samples - found < 2:
        raise DatasetError(
            f"{found} outliers among {n_samples} samples leave no two inliers: give a smaller "
            "share, or more samples."
        )
    return found
