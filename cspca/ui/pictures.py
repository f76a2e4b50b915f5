"""Pictures on a page: of the data, beside a fit, and the known maps of rendered faces.

They have crisp pixels, a caption, a text alternative, and a dimmed state.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any, Final, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from cspca.datasets import Dataset, FacesTruth, Skeleton
from cspca.datasets.addresses import file_address
from cspca.experiments.fit import best_of, no_order_words
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import of_data
from cspca.figures import pictures as drawn
from cspca.figures.pictures import Picture, grey, image_alt
from cspca.figures.skeleton import pose_strip_svg, skeleton_svg
from cspca.figures.words import capitalised
from cspca.ui import fields, keys
from cspca.ui.components.stage import beside
from cspca.ui.plain import is_dark

_LONG_NAME: Final = 24
"""Characters of a name beyond which a list of names needs wide columns."""
_CURVE: Final = "#3d8fc9"
_CURVE_WIDTH, _CURVE_HEIGHT = 240, 60  # of the curves of a data set, in pixels


class Encoded(NamedTuple):
    """A picture as a page shows it: its ``data:`` address and its size in pixels."""

    source: str
    height: int
    width: int


def encode(picture: Picture) -> Encoded:
    """Encode a picture as PNG."""
    return Encoded(drawn.data_uri(picture), *picture.shape[:2])


def figure(picture: Picture | Encoded, alt: str, caption: str = "", *, kind: str = "") -> str:
    """Return the HTML of one picture, names from files escaped.

    `kind` is "stale", "blank" or "answer".
    """
    classes = f"cspca-figure cspca-{kind}" if kind else "cspca-figure"
    image = picture if isinstance(picture, Encoded) else encode(picture)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure class="{classes}"><img src="{image.source}" alt="{escape(alt)}" '
        f'width="{image.width}" height="{image.height}">{below}</figure>'
    )


def row(figures: Sequence[str]) -> None:
    """Draw figures side by side, all of one width."""
    st.html(f'<div class="cspca-row">{"".join(figures)}</div>')


def blank(shape: tuple[int, int], caption: str) -> str:
    """Return a placeholder for a picture that is not computed yet, in its size."""
    return figure(np.full(shape, 128, dtype=np.uint8), "Not there yet.", caption, kind="blank")


def spread_out(n: int, count: int) -> NDArray[np.intp]:
    """Choose `count` of `n` indices, or all, evenly spread, so that many classes are seen."""
    return np.linspace(0, n - 1, min(count, n)).astype(np.intp)


def strip(dataset: Dataset, count: int, columns: int) -> None:
    """Draw a contact strip of the data set; nothing if its samples cannot be drawn."""
    shows = "curves" if dataset.axis is not None else "images"
    if dataset.skeleton is not None:
        shows = "poses"
    alt = f"{min(count, dataset.n_samples)} {shows} of {dataset.name}."
    shown = _strip(dataset, alt, count, columns, is_dark())
    if shown:
        st.html(shown)


@of_data
def _strip(dataset: Dataset, alt: str, count: int, columns: int, dark: bool) -> str:
    chosen, skeleton = spread_out(dataset.n_samples, count), dataset.skeleton
    if skeleton is not None:
        # The descriptor begins with the coordinates, which lie around a half (see as_motion).
        joints = dataset.data[chosen, : 3 * skeleton.n_joints] - 0.5
        poses = joints.reshape(len(chosen), skeleton.n_joints, 3)
        svg = pose_strip_svg(poses, skeleton.bones, columns=columns, dark=dark, label=alt)
        # The SVG becomes an image, because `st.html` removes SVG.
        source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
        return f'<img src="{source}" alt="{escape(alt)}">'
    if dataset.axis is not None:
        points = spread_out(dataset.n_features, _CURVE_WIDTH // 2)
        samples = dataset.data[np.ix_(chosen, points)].tolist()
        return figure(curves(samples, _CURVE_WIDTH, _CURVE_HEIGHT), alt)
    if dataset.kind != "pixels":
        return ""
    return figure(drawn.contact_sheet(dataset.images[chosen], columns), alt)


def curves(samples: Sequence[Sequence[float]], width: int, height: int) -> Encoded:
    """Draw samples along their axis, in a colour that is seen on light and on dark."""
    low, high = min(map(min, samples)), max(map(max, samples))
    reach = (high - low) or 1.0
    lines = []
    for sample in samples:
        step = width / max(1, len(sample) - 1)
        points = " ".join(
            f"{number * step:.1f},{height * (high - value) / reach:.1f}"
            for number, value in enumerate(sample)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{_CURVE}"/>')
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {width + 2} {height + 2}" '
        f'width="{width}" height="{height}">{"".join(lines)}</svg>'
    )
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode('ascii')}"
    return Encoded(source, height, width)


@of_data
def mean_sample(dataset: Dataset) -> NDArray[np.float64]:
    """Return the mean of the samples."""
    return np.asarray(dataset.data.mean(axis=0, dtype=np.float64))


def body(scores: ArrayLike, skeleton: Skeleton) -> str:
    """Return the SVG of a body with its scores."""
    joints, bones, pose = skeleton.joints, skeleton.bones, skeleton.pose
    return skeleton_svg(scores, joints, bones, pose, dark=is_dark())


def choose(
    dataset: Dataset,
    key: str = keys.FACE_SLIDER,
    help: str = "",
) -> int:
    """Draw the choice of a sample and return its index."""
    if st.session_state.get(key, 1) > dataset.n_samples:
        st.session_state[key] = 1
    sample = dataset.nouns.sample
    help = help or f"Which {sample} of the data set is shown below."
    options: dict[str, Any] = {"help": help, "disabled": dataset.n_samples < 2}
    if dataset.sample_numbers is None:
        most = max(dataset.n_samples, 2)
        number = st.slider(capitalised(sample), 1, most, **fields.persistent(key), **options)
    else:
        number = st.select_slider(
            capitalised(sample),
            range(1, dataset.n_samples + 1),
            format_func=lambda place: f"{dataset.sample_number(place - 1)}",
            **fields.persistent(key),
            **options,
        )
    return min(int(number), dataset.n_samples) - 1


def masks_class(dataset: Dataset) -> str:
    """Return the CSS class of a grid of masks, or of lists of names, which may need more room."""
    longest = max(map(len, dataset.feature_names or ()), default=0)
    return "cspca-masks cspca-long" if longest > _LONG_NAME else "cspca-masks"


def original(dataset: Dataset, index: int) -> str:
    """Return the HTML of one picture of the data."""
    image = dataset.image(index)
    return figure(grey(image), image_alt(image), f"Original: {sample_name(dataset, index)}")


def sample_name(dataset: Dataset, index: int) -> str:
    """Return the number of a picture and its class, where there is one."""
    name = dataset.sample_name(index)
    if dataset.target is None:
        return name
    return f"{name}, {dataset.class_name(int(dataset.target[index]))}"


def sample_title(dataset: Dataset, index: int) -> str:
    """Return the sample's name with a capital; the name of its class stays as it was written."""
    return capitalised(sample_name(dataset, index))


def beside_map(
    dataset: Dataset, result: LiveFit | None, index: int, *, fresh: bool
) -> dict[str, Any] | None:
    """Return one picture, its reconstruction and the picked pixel's row of W, for the stage."""
    shape = dataset.image_shape
    if shape is None:
        return None
    options: dict[str, Any] = {}
    if result is not None:
        options["rebuilt"] = rebuilt(dataset, result, index)
        options["weights"] = _row_of_w(dataset, result, shape)
    name = sample_title(dataset, index)
    return beside(dataset.image(index), name, fresh=fresh, **options)


def rebuilt(dataset: Dataset, result: LiveFit, index: int) -> np.ndarray:
    """Return one picture as the fit reconstructs it."""
    reconstruction = result.fit.reconstruct(dataset.data[index : index + 1])
    return np.reshape(reconstruction, dataset.image(index).shape)


def _row_of_w(
    dataset: Dataset, result: LiveFit, shape: tuple[int, int]
) -> tuple[Picture, str, str]:
    fit = result.fit
    choice: Any = st.session_state.get(keys.SELECTED_PIXEL)
    picked = choice is not None and choice < fit.feature_scores.size
    pixel = choice if picked else int(fit.feature_order[0])
    row, column = (number + 1 for number in divmod(pixel, shape[1]))
    weights = fit.weight_row(pixel).reshape(shape)
    address = file_address(dataset, pixel)
    signs = "orange\N{NO-BREAK SPACE}+, blue\N{NO-BREAK SPACE}−"
    place = f"row {row}, column {column}" + (f" ({address})" if address else "")
    words = f"{capitalised(place)} helps rebuild: {signs}"
    if not picked and best_of(fit, 1):
        words = f"Best pixel, {place}, helps rebuild: {signs}"
    if not weights.any():
        words = f"{capitalised(place)} is not used at all"
    name = f"Weights of the pixel at row {row}, column {column}"
    return drawn.signed_rgb(weights, dark=is_dark()), drawn.signed_alt(weights, name), words


def truth(dataset: Dataset, result: LiveFit | None, *, stale: bool) -> None:
    """Draw the map of the fit and the true maps of rendered faces, with their rank correlations."""
    shape, faces = dataset.image_shape, dataset.truth
    if not isinstance(faces, FacesTruth) or shape is None:
        return
    if not st.session_state.get(keys.VIEW_TRUTH):
        return
    st.header("Does it find what tells people apart?", anchor=False)
    shown = [blank(shape, "Found by the fit")]
    reason = "" if result is None else no_order_words(result.fit, dataset.nouns)
    if reason:
        st.caption(reason)
    if result is not None:
        fit_map = result.fit.feature_scores.reshape(shape)
        colours, alt = drawn.importance_rgb(fit_map), drawn.importance_alt(fit_map)
        shown = [figure(colours, alt, "Found by the fit", kind="stale" if stale else "")]
    varies = np.ptp(dataset.data, axis=0) > 0
    variance = dataset.data.var(axis=0)[varies]
    sources = {
        "identity": "from person to person",
        "light": "with the light",
        "expression": "with the expression",
    }
    for name, words in sources.items():
        truth_map = np.asarray(getattr(faces, name))
        caption = f"Known: how much a pixel changes {words}"
        if result is not None and not reason:
            # Imported here, because SciPy's statistics take long to import.
            from cspca.evaluation.statistics import rank_correlation

            # Only over the pixels that vary: a constant background agrees with any map.
            there = truth_map.ravel()[varies]
            scores = np.asarray(result.fit.selection_scores)[varies]
            caption += (
                f". Agreement of the order: {rank_correlation(scores, there):.2f}; of plain "
                f"variance: {rank_correlation(variance, there):.2f} "
                f"(rank correlation over the {int(varies.sum()):,} pixels that vary)"
            )
        colours = drawn.importance_rgb(truth_map, zeros=None)
        shown.append(figure(colours, drawn.importance_alt(truth_map), caption))
    with st.container(key="truth_row"):
        row(shown)
