"""Components of a fit beside those of PCA on the same prepared samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cspca.experiments.memory import reduction

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from cspca import fitted
    from cspca.datasets import Dataset
    from cspca.experiments.fit import Fit


@dataclass(frozen=True, eq=False)
class ComponentPairs:
    """Components of a fit, each beside the principal component of the same number.

    Parameters
    ----------
    components : ndarray of shape (rank, n_features)
        `components_` of the fit.
    weights : ndarray of shape (rank, n_features)
        Weights with which the coordinates of a sample are read off its features, a column of
        ``W V`` each: exactly zero for features that the map does not use, unlike the components.
    pca : ndarray of shape (n_axes, n_features)
        Principal axes of the prepared samples, at least as many, with the sign of those of the fit.
    ratios : ndarray of shape (rank,)
        `explained_variance_ratio_` of the fit.
    pca_ratios : ndarray of shape (n_axes,)
        The same of PCA.
    singular_values : ndarray of shape (rank,)
        Of the rebuilt samples.
    """

    components: NDArray[np.float64]
    weights: NDArray[np.float64]
    pca: NDArray[np.float64]
    ratios: NDArray[np.float64]
    pca_ratios: NDArray[np.float64]
    singular_values: NDArray[np.float64]

    @property
    def cosines(self) -> NDArray[np.float64]:
        """Cosine of each component with that of PCA of the same number, shape (rank,)."""
        cosines: NDArray[np.float64] = np.sum(
            self.components * self.pca[: len(self.components)], axis=1
        )
        return cosines

    def table(self) -> pd.DataFrame:
        """One row a component, with all digits."""
        import pandas as pd

        rank = len(self.components)
        return pd.DataFrame(
            {
                "component": np.arange(1, rank + 1),
                "explained_variance_ratio": self.ratios,
                "cumulative": np.cumsum(self.ratios),
                "pca_explained_variance_ratio": self.pca_ratios[:rank],
                "pca_cumulative": np.cumsum(self.pca_ratios)[:rank],
                "cosine_with_pca": self.cosines,
                "singular_value": self.singular_values,
            }
        )


def component_pairs(fit: fitted.Fit, settings: Fit, data: Dataset) -> ComponentPairs:
    """Put the components of a fit beside PCA's.

    Parameters
    ----------
    fit : fitted.Fit
        The fit.
    settings : Fit
        Its settings, which say how the samples were prepared.
    data : Dataset
        The samples.
    """
    reduced = reduction(data, settings.center, settings.normalize)
    components = np.asarray(fit.components, dtype=np.float64)
    # The basis of the reduction is that of the right singular vectors, in falling order.
    pca = reduced.U.T.copy()
    total = float(np.square(reduced.sample_norms).sum())
    signs = np.sign(np.sum(components * pca[: len(components)], axis=1))
    pca[: len(components)] *= np.where(signs == 0.0, 1.0, signs)[:, None]
    return ComponentPairs(
        components,
        fit.coordinate_weights().T,
        pca,
        np.asarray(fit.explained_variance_ratio),
        reduced.singular_values**2 / total,
        np.asarray(fit.singular_values),
    )
