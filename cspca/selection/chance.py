"""What every selection is held against: features drawn at random, and a grid of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from scipy.spatial import KDTree
from sklearn.utils import check_random_state

from cspca.proximal import FloatArray
from cspca.selection.base import FeatureSelector, Scores


@dataclass(repr=False, eq=False)
class RandomSelection(FeatureSelector):
    """Draw the features at random: what a method must beat to have found anything.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Seeds the draw; another seed is another selection.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        Uniform in [0, 1), so that the selections of one draw are nested.
    """

    random_state: Annotated[Any, ["random_state"]] = None

    def _score(self, X: FloatArray) -> Scores:
        return Scores(check_random_state(self.random_state).random_sample(X.shape[1]))


@dataclass(repr=False, eq=False)
class GridSelection(FeatureSelector):
    """Keep the pixels on a regular grid, whatever they show; evenly spaced features without images.

    Of the grids of at least as many places as features are selected, the one whose cells are
    nearest to square; surplus places are left out from the outside in. The selection for one number
    of features is no part of that for a larger one.

    Parameters
    ----------
    image_shape : tuple of two int or None, default=None
        Rows and columns of an image, whose pixels are stored row by row; None is one row.
    n_features_to_select : int or None, default=None
        How many features to keep; None keeps half.

    Attributes
    ----------
    feature_scores_ : ndarray of shape (n_features,)
        ``1 / (1 + distance to the grid)``, in pixels; those on the grid tie at 1.
    """

    nested = False

    image_shape: Annotated[tuple[int, int] | None, [tuple, None]] = None

    def _score(self, X: FloatArray) -> Scores:
        height, width = self.image_shape or (1, X.shape[1])
        if height * width != X.shape[1]:
            raise ValueError(
                f"image_shape={self.image_shape} is an image of {height * width} pixels, but X has "
                f"{X.shape[1]} features: give rows and columns of the images in X."
            )
        grid = _grid(height, width, self._n_selected())
        places = np.argwhere(np.ones((height, width)))
        distance, _ = KDTree(grid).query(places)
        return Scores(1.0 / (1.0 + np.asarray(distance)))


def _grid(height: int, width: int, count: int) -> FloatArray:
    """Row and column of so many places, evenly over an image."""
    sizes = [(rows, -(-count // rows)) for rows in range(1, height + 1)]
    sizes = [(rows, columns) for rows, columns in sizes if columns <= width]
    rows, columns = min(sizes, key=lambda size: abs(np.log(height * size[1] / width / size[0])))
    centres = np.argwhere(np.ones((rows, columns))) + 0.5
    cell = np.array([height / rows, width / columns])
    outwards = np.linalg.norm(centres * cell - np.array([height, width]) / 2, axis=1)
    nearest = np.argsort(np.round(outwards, 9), kind="stable")[:count]
    places: FloatArray = np.floor(centres[np.sort(nearest)] * cell)
    return places
