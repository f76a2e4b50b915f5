"""Components of a fit beside those of PCA on the same prepared samples, and files of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cspca.experiments.exports import MANY_NUMBERS, File, npz_bytes, sample_columns, to_csv
from cspca.experiments.film import MOST_AXES, MOST_SENT, VALUES
from cspca.experiments.fit import feature_name
from cspca.experiments.memory import reduction
from cspca.figures.words import from_optimum

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from numpy.typing import NDArray

    from cspca import fitted
    from cspca.datasets import Dataset, Nouns
    from cspca.experiments.film import Film
    from cspca.experiments.fit import Fit
    from cspca.figures.components import Captioned

PICTURED: Final = 12
"""Most components in a picture that is saved."""


@dataclass(frozen=True, eq=False)
class ComponentPairs:
    """Components of a fit, each beside the principal component of the same number.

    Parameters
    ----------
    components : ndarray of shape (rank, n_features)
        `components_` of the fit.
    pca : ndarray of shape (n_axes, n_features)
        Principal axes of the prepared samples, at least as many; the largest entry of each is
        positive, and a component points along the one that it is nearest to.
    ratios : ndarray of shape (rank,)
        `explained_variance_ratio_` of the fit.
    pca_ratios : ndarray of shape (n_axes,)
        The same of PCA.
    singular_values : ndarray of shape (rank,)
        Of the rebuilt samples.
    """

    components: NDArray[np.float64]
    pca: NDArray[np.float64]
    ratios: NDArray[np.float64]
    pca_ratios: NDArray[np.float64]
    singular_values: NDArray[np.float64]

    @cached_property
    def cosines(self) -> NDArray[np.float64]:
        """Cosine of each component with that of PCA of the same number, without its sign.

        Shape (rank,). The sign of an axis means nothing.
        """
        cosines: NDArray[np.float64] = np.sum(
            self.components * self.pca[: len(self.components)], axis=1
        )
        return np.abs(cosines)

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
    pca *= np.sign(np.take_along_axis(pca, np.abs(pca).argmax(axis=1)[:, None], axis=1))
    return ComponentPairs(
        components,
        pca,
        np.asarray(fit.explained_variance_ratio),
        reduced.singular_values**2 / total,
        np.asarray(fit.singular_values),
    )


def explained_words(nouns: Nouns) -> str:
    """Say what the shares of components mean, and what they do not (§22)."""
    return (
        f"Each component takes its share off what is left unexplained of the {nouns.samples}. "
        f"They stand in the order of how much of the rebuilt {nouns.samples} lies along them, "
        "so a share may be out of order or, since the penalties shrink W, negative. No map of "
        "the same rank can explain more than PCA. On the whole a larger β ends the list "
        "earlier, and a larger α sets more weights to zero, in all components at once; the "
        f"components themselves are not sparse, for {nouns.a_feature} that is not read is "
        "still rebuilt from the others. An explained share is no accuracy: what varies "
        "most need not tell classes apart (Theory, section 22)."
    )


def loadings(pairs: ComponentPairs, data: Dataset) -> pd.DataFrame:
    """One row a feature, one column a component."""
    import pandas as pd

    columns = {f"component_{number}": axis for number, axis in enumerate(pairs.components, start=1)}
    names = [feature_name(data, feature) for feature in range(data.n_features)]
    return pd.DataFrame({"feature_from_0": np.arange(data.n_features), "name": names, **columns})


def coordinates(fit: fitted.Fit, data: Dataset) -> pd.DataFrame:
    """One row a sample: its number, its row of `Dataset.data`, its class, and its coordinates."""
    import pandas as pd

    table: dict[str, Any] = dict(sample_columns(data))
    columns = fit.transform(data.data).T
    table |= {f"component_{number}": column for number, column in enumerate(columns, start=1)}
    return pd.DataFrame(table)


def component_files(fit: fitted.Fit, settings: Fit, data: Dataset) -> tuple[File, ...]:
    """Everything that can be made of the components of a fit; none is made to name it.

    Parameters
    ----------
    fit : fitted.Fit
        The fit; with W = 0 there is no component, and no file.
    settings : Fit
        Its settings.
    data : Dataset
        The samples.
    """
    if not len(fit.components):
        return ()
    pairs, nouns = partial(component_pairs, fit, settings, data), data.nouns
    files = [
        File(
            "Components, CSV",
            "components.csv",
            lambda: to_csv(loadings(pairs(), data)),
            f"One line {nouns.a_feature}, one column a component.",
            is_large=fit.components.size > MANY_NUMBERS,
        ),
        File(
            "Coordinates, CSV",
            "coordinates.csv",
            lambda: to_csv(coordinates(fit, data)),
            f"One line {nouns.a_sample}, one column a component.",
            is_large=data.n_samples * len(fit.components) > MANY_NUMBERS,
        ),
        File(
            "Shares, CSV",
            "component-shares.csv",
            lambda: to_csv(pairs().table()),
            "One line a component: what it explains, beside PCA.",
        ),
        File(
            "Arrays, NPZ",
            "components.npz",
            lambda: npz_bytes(_arrays(pairs(), fit, data)),
            "For numpy.load: components, weights, coordinates, mean, shares, and those of PCA.",
            is_large=True,
        ),
    ]
    if (shape := data.image_shape) is not None:
        from cspca.figures.components import sheet_png, sheet_svg

        description = f"The first {PICTURED} components above those of PCA, on white."
        for form, drawn in (("PNG", sheet_png), ("SVG", sheet_svg)):
            files.append(
                File(
                    f"Pictures, {form}",
                    f"components.{form.lower()}",
                    partial(_pictures, drawn, pairs, shape),
                    description,
                )
            )
    return tuple(files)


def _pictures(
    drawn: Callable[..., Any], pairs: Callable[[], ComponentPairs], shape: tuple[int, int]
) -> str | bytes:
    content: str | bytes = drawn(captioned(pairs(), PICTURED, shape))
    return content


def captioned(
    pairs: ComponentPairs,
    count: int,
    shape: tuple[int, int],
    axes: NDArray[np.float64] | None = None,
) -> tuple[list[Captioned], list[Captioned]]:
    """The first components as pictures, and those of PCA of the same numbers on the same scales.

    Parameters
    ----------
    pairs : ComponentPairs
        The components.
    count : int
        How many, at most.
    shape : tuple of int
        Height and width of an image.
    axes : ndarray of shape (rank, n_features), optional
        What is drawn in place of the components, such as their weights.
    """
    from cspca.figures.components import Captioned

    axes = pairs.components if axes is None else axes
    pictures, pca_pictures = [], []
    for at in range(min(count, len(axes))):
        reach = float(max(np.abs(axes[at]).max(), np.abs(pairs.pca[at]).max()))
        caption = share_words(at, pairs.ratios[at])
        pictures.append(Captioned(axes[at].reshape(shape), (caption,), reach))
        lines = pca_words(at, pairs.pca_ratios[at], pairs.cosines[at])
        pca_pictures.append(Captioned(pairs.pca[at].reshape(shape), lines, reach))
    return pictures, pca_pictures


def n_played(count: int, shape: tuple[int, int]) -> int:
    """How many of `count` components a film can show of images of a shape, in bytes; perhaps 0."""
    return min(count, MOST_AXES, MOST_SENT // (len(VALUES) * shape[0] * shape[1]))


def component_film(
    film: Film,
    pairs: ComponentPairs,
    count: int,
    shape: tuple[int, int],
    *,
    weights: bool = False,
) -> dict[str, Any]:
    """What a script needs to play the components along a film, as far as it is there.

    Parameters
    ----------
    film : Film
        A film along a penalty.
    pairs : ComponentPairs
        Of the page's fit: PCA's axes, which are the same in all frames.
    count : int
        How many components are shown, at most.
    shape : tuple of int
        Height and width of an image.
    weights : bool, default=False
        Take the weights in place of the components.

    Returns
    -------
    dict
        The values of the film and the indices that are there; how many components it shows; of
        each frame the pictures as places in a table of 256 colours, where the scale of each pair
        ends, captions of both (those of components beyond the rank say so), and a line of words.
    """
    from cspca.figures.pictures import signed_levels

    played = n_played(count, shape)
    frame_axes = [frame.axes for frame in film.frames if frame.axes is not None]
    levels = np.full((len(frame_axes), played, shape[0] * shape[1]), 128, dtype=np.uint8)
    reaches = np.tile(np.abs(pairs.pca[:played]).max(axis=1), (len(frame_axes), 1))
    captions, pca_captions = [], []
    for frame, axes in enumerate(frame_axes):
        drawn = axes.weights if weights else axes.components
        rank = min(played, len(drawn))
        cosines = np.abs(np.sum(axes.components[:rank] * pairs.pca[:rank], axis=1))
        for number in range(rank):
            reaches[frame, number] = max(reaches[frame, number], np.abs(drawn[number]).max())
            levels[frame, number] = signed_levels(drawn[number], reaches[frame, number])
        captions.append(
            [share_words(at, axes.ratios[at]) for at in range(rank)]
            + [f"No component {at + 1}" for at in range(rank, played)]
        )
        pca_captions.append(
            [
                ", ".join(pca_words(at, pairs.pca_ratios[at], cosines[at] if at < rank else None))
                for at in range(played)
            ]
        )
    return {
        "along": film.along,
        "values": list(film.values),
        "there": list(film.there),
        "n_played": played,
        "components": levels,
        "reaches": reaches.tolist(),
        "captions": captions,
        "pca_captions": pca_captions,
        "words": [
            film_words(frame.axes.ratios, frame.used, frame.scores.size, frame.gap)
            for frame in film.frames
            if frame.axes is not None
        ],
    }


def pca_words(number: int, ratio: float, cosine: float | None) -> tuple[str, ...]:
    """Lines below a component of PCA, by its number from 0."""
    share = f"PCA {number + 1}: {100 * ratio:.1f} %"
    return (share,) if cosine is None else (share, f"cosine of the components {cosine:.3f}")


def share_words(number: int, ratio: float) -> str:
    """Caption of a component, by its number from 0."""
    return f"CSPCA {number + 1}: {100 * ratio:.1f} %"


def film_words(ratios: NDArray[np.float64], n_kept: int, n_features: int, gap: float) -> str:
    """Say in one line what all components of a fit explain, and how sure the fit is."""
    rank, sure = len(ratios), from_optimum(gap)
    if not rank:
        return f"W = 0: no component; {sure}."
    many = "1 component explains" if rank == 1 else f"{rank:,} components explain"
    share = 100 * float(ratios.sum())
    return f"{many} {share:.1f} %; {n_kept:,} of {n_features:,} in use; {sure}."


def _arrays(pairs: ComponentPairs, fit: fitted.Fit, data: Dataset) -> dict[str, Any]:
    return {
        "components": pairs.components,
        "weights": fit.coordinate_weights().T,
        "coordinates": fit.transform(data.data),
        "mean": fit.mean,
        "explained_variance_ratio": pairs.ratios,
        "singular_values": pairs.singular_values,
        "pca_components": pairs.pca[: len(pairs.components)],
        "pca_explained_variance_ratio": pairs.pca_ratios[: len(pairs.components)],
        "cosine_with_pca": pairs.cosines,
    }
