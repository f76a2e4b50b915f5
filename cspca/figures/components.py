"""Scree: what components explain, against the ceiling that PCA sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures import style
from cspca.figures.style import ACCENT, NEUTRAL

if TYPE_CHECKING:
    import plotly.graph_objects as go


def scree(ratios: ArrayLike, pca_ratios: ArrayLike, question: str) -> go.Figure:
    """Draw the explained share against the number of components.

    Parameters
    ----------
    ratios : array-like of shape (rank,)
        `explained_variance_ratio_` of a fit.
    pca_ratios : array-like of shape (n_axes,)
        The same of PCA, which no map of that rank can pass.
    question : str
        Title of the figure.
    """
    explained = np.cumsum(np.asarray(ratios, dtype=np.float64))
    ceiling = np.cumsum(np.asarray(pca_ratios, dtype=np.float64))
    n = len(explained)
    alt = "W = 0 has no component and explains nothing."
    if n:
        alt = (
            f"{n:,} components explain {100 * explained[-1]:.1f} %, the first "
            f"{100 * explained[0]:.1f} %; as many of PCA explain {100 * ceiling[n - 1]:.1f} %."
        )
    drawn = style.figure(question, alt, height=260)
    shown = ceiling[: max(2 * n, 10)]
    for name, shares, colour, dash in (
        ("PCA, the ceiling", shown, NEUTRAL, "dot"),
        ("CSPCA", explained, ACCENT, "solid"),
    ):
        drawn.add_scatter(
            x=np.arange(len(shares) + 1),
            y=np.concatenate([[0.0], shares]),
            name=name,
            mode="lines+markers" if len(shares) <= 30 else "lines",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"size": 5},
            hovertemplate="%{x} components<br>%{y:.1%} explained<extra></extra>",
            showlegend=True,
        )
    drawn.update_layout(showlegend=True)
    drawn.update_xaxes(title_text="Number of components", showgrid=False, tickformat=",d")
    drawn.update_yaxes(
        title_text="Explained share",
        tickformat=".0%",
        range=[min(0.0, float(explained.min(initial=0.0))), 1.02],
    )
    return drawn
