"""Pictures on a page: crisp pixels, a caption, a text alternative, and a dimmed state."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.figures.pictures import Picture, contact_sheet, data_uri, sheet_alt


def figure(picture: Picture, alt: str, caption: str = "", *, stale: bool = False) -> str:
    """Return the HTML of one picture; names from files are escaped here."""
    classes = "cspca-figure cspca-stale" if stale else "cspca-figure"
    height, width = picture.shape[:2]
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure class="{classes}"><img src="{data_uri(picture)}" alt="{escape(alt, quote=True)}" '
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


def some_faces(dataset: Dataset, count: int) -> NDArray[np.intp]:
    """Choose `count` pictures spread over the data set, so that many classes are seen."""
    count = min(count, dataset.n_samples)
    return np.unique(np.linspace(0, dataset.n_samples - 1, count).astype(np.intp))


def strip(dataset: Dataset, count: int, columns: int) -> None:
    """Draw a contact strip of the data set; nothing where the samples are not pictures."""
    if dataset.image_shape is None:
        return
    chosen = some_faces(dataset, count)
    sheet = contact_sheet(dataset.images[chosen], columns, gap=1)
    alt = sheet_alt(len(chosen), columns, f"images of {dataset.name}")
    st.html(f'<div class="cspca-strip">{figure(sheet, alt)}</div>')


def dim(box: str, stale: bool) -> None:
    """Dim a keyed container while what it shows is being made anew; its node stays."""
    st.html(f"<style>.st-key-{box} {{ opacity: {0.4 if stale else 1} }}</style>")


def chart(spec: dict[str, Any], key: str, alt: str) -> None:
    """Draw a vega-lite chart that keeps its node between runs, with a text alternative."""
    # Streamlit puts `alt` in this place and warns when there is something already.
    spec.pop("description", None)
    st.vega_lite_chart(spec=spec, key=key, alt=alt)
