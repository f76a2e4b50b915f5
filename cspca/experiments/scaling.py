"""What the scale of the values does to a map: fits of one set on several scales, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import Dataset, DatasetError, derivative, snv, standardised
from cspca.datasets.numbering import correlation_text
from cspca.experiments.fit import Fit, best_of, feature_name, no_order_words
from cspca.figures.words import listed

if TYPE_CHECKING:
    import pandas as pd

    from cspca import fitted

LISTED: Final = 10
"""Best features of each map that are named."""


@dataclass(frozen=True, eq=False)
class ScaledMap:
    """The map of a set on one scale.

    Parameters
    ----------
    title : str
        What was done with the values.
    fit : fitted.Fit
    correlation : float
        Rank correlation of its scores with those of the set as it is.
    """

    title: str
    fit: fitted.Fit
    correlation: float

    @property
    def best(self) -> list[int]:
        """Its best features, `LISTED` at most; none where they have no order."""
        return best_of(self.fit, LISTED)


def scales(dataset: Dataset) -> Iterator[tuple[str, Callable[[], Dataset], bool]]:
    """Scales of a data set: a title, how it is made, and whether samples get unit norm."""
    nouns = dataset.nouns
    yield "As it is", lambda: dataset, False
    yield f"Every {nouns.feature} standardised", lambda: standardised(dataset), False
    yield f"Every {nouns.sample} of unit norm", lambda: dataset, True
    if dataset.kind in ("axis", "columns"):
        yield f"Every {nouns.sample} standardised (SNV)", lambda: snv(dataset), False
    if dataset.axis is not None:
        yield "First derivative", lambda: derivative(dataset), False
        yield "Second derivative", lambda: derivative(dataset, order=2), False


def scaled_maps(
    dataset: Dataset, settings: Fit, stop: Callable[[], bool] = lambda: False
) -> list[ScaledMap]:
    """Fit a data set on each of its scales by the same settings.

    Parameters
    ----------
    dataset : Dataset
    settings : Fit
        Penalties, or how many features to keep, and whether the mean is taken off; the certified
        solver is used, and unit norm is a scale of its own.
    stop : callable
        Asked between two fits.

    Returns
    -------
    list of ScaledMap
        The set as it is first; a scale that these data refuse is left out.
    """
    # Imported here, because SciPy's statistics take long to import.
    from cspca.evaluation.statistics import rank_correlation
    from cspca.experiments.runner import run

    maps: list[ScaledMap] = []
    first: NDArray[np.float64] | None = None
    for title, make, has_unit_norm in scales(dataset):
        if stop():
            break
        try:
            scaled = make()
        except DatasetError:
            continue
        fit_settings = replace(settings, solver="admm", normalize=has_unit_norm)
        results = run(fit_settings, scaled).results
        fit = next(iter(fit_settings.fits(results).values()))
        scores = np.asarray(fit.selection_scores, dtype=np.float64)
        first = scores if first is None else first
        maps.append(ScaledMap(title, fit, rank_correlation(first, scores)))
    return maps


def scaling_table(maps: list[ScaledMap], dataset: Dataset) -> pd.DataFrame:
    """Return a line a scale: its agreement with the set as it is, and its best features."""
    import pandas as pd

    nouns = dataset.nouns
    rows = []
    for shown in maps:
        if dataset.axis is not None and shown.best:
            best = dataset.axis.ranges_in_words(shown.best)
        else:
            names = [feature_name(dataset, feature) for feature in shown.best]
            best = listed(names) if names else no_order_words(shown.fit, nouns)
        rows.append(
            {
                "Values": shown.title,
                "Rank correlation": correlation_text(shown.correlation),
                f"{nouns.features.capitalize()} in use": f"{shown.fit.n_kept:,}",
                f"The best {LISTED}": best,
            }
        )
    return pd.DataFrame(rows)
