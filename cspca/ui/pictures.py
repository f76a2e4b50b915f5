"""Pictures on a page: crisp pixels, a caption, a text alternative, and a dimmed state."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.figures.pictures import Picture, contact_sheet, data_uri, sheet_alt
from cspca.figures.skeleton import pose_strip_svg
from cspca.ui.plain import is_dark


def figure(picture: Picture, alt: str, caption: str = "", *, stale: bool = False) -> str:
    """Return the HTML of one picture; names from files are escaped here."""
    classes = "cspca-figure cspca-stale" if stale else "cspca-figure"
    height, width = picture.shape[:2]
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure class="{classes}"><img src="{data_uri(picture)}" alt="{escape(alt)}" '
        f'width="{width}" height="{height}">{below}</figure>'
    )


def placeholder(shape: tuple[int, int], caption: str = "") -> str:
    """Return the HTML of a picture that is still to come; it takes the same room."""
    blank = np.full(shape, 128, dtype=np.uint8)
    html = figure(blank, "Not there yet.", caption)
    return html.replace("cspca-figure", "cspca-figure cspca-blank", 1)


def row(figures: Sequence[str]) -> None:
    """Draw figures beside each other, all of one width."""
    st.html(f'<div class="cspca-row">{"".join(figures)}</div>')


def spread_out(n: int, count: int) -> NDArray[np.intp]:
    """Choose `count` of `n`, or all, spread over them, so that many classes are seen."""
    return np.linspace(0, n - 1, min(count, n)).astype(np.intp)


def strip(dataset: Dataset, count: int, columns: int) -> None:
    """Draw a contact strip of the data set; nothing where the samples cannot be drawn."""
    chosen, skeleton = spread_out(dataset.n_samples, count), dataset.skeleton
    if skeleton is not None:
        # The descriptor begins with the coordinates, which lie around a half (see as_motion).
        joints = dataset.data[chosen, : 3 * skeleton.n_joints] - 0.5
        poses = joints.reshape(len(chosen), skeleton.n_joints, 3)
        alt = f"{len(chosen)} poses of {dataset.name}."
        svg = pose_strip_svg(poses, skeleton.bones, columns=columns, dark=is_dark(), label=alt)
        # As a picture: no SVG passes through `st.html`.
        source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
        drawn = f'<img src="{source}" alt="{escape(alt)}">'
    elif dataset.image_shape is not None:
        alt = sheet_alt(len(chosen), columns, f"images of {dataset.name}")
        drawn = figure(contact_sheet(dataset.images[chosen], columns), alt)
    else:
        return
    st.html(f'<div class="cspca-strip">{drawn}</div>')
