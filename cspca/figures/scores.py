"""The score curve: all scores from best to worst, the cut at k, and the exact zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, NEUTRAL, on_page
from cspca.figures.convergence import MAX_POINTS, thin
from cspca.figures.style import SMALL, axis, figure, palette, see_through

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]


def score_curve(
    scores_sorted: ArrayLike,
    k: int | None = None,
    *,
    feature: str = "feature",
    height: int = 260,
    dark: bool = False,
) -> go.Figure:
    """Draw scores in descending order, the best `k` filled, the exact zeros apart."""
    scores = np.asarray(scores_sorted, dtype=np.float64)
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(f"The scores have shape {scores.shape}; give one row of finite numbers.")
    if (np.diff(scores) > 0).any():
        raise ValueError("The scores are not sorted; give them in descending order.")
    cut = None if k is None else min(max(int(k), 0), scores.size)
    accent, look = on_page(ACCENT, dark), palette(dark)
    alt = _alt(scores, cut, feature)
    drawn = figure("How fast does importance fall off?", alt, dark=dark, height=height)
    places = _places(scores, cut)

    def line(kept: NDArray[np.bool_], colour: str, width: float, fill: str) -> None:
        drawn.add_scatter(
            x=places[kept] + 1,
            y=scores[places][kept],
            mode="lines",
            line={"color": colour, "width": width},
            fill=fill,
            fillcolor=see_through(accent, 0.22),
            hovertemplate="rank %{x:,}<br>score %{y:.4g}<extra></extra>",
        )

    line(np.ones(places.size, dtype=bool), accent, 2.0, "none")
    if cut is not None:
        line(places < cut, accent, 2.0, "tozeroy")
    if (scores == 0).any():
        line(scores[places] == 0, on_page(NEUTRAL, dark), 5.0, "none")
    note = _note(scores)
    common = {"showarrow": False, "font": {"size": SMALL, "color": look.ink}, "yref": "paper"}
    if note:
        # Flush right, or left of the rule when that stands in the way.
        beside = cut is not None and scores.size / 2 < cut < scores.size
        right = {"x": cut, "xshift": -6} if beside else {"x": 1, "xref": "paper"}
        drawn.add_annotation(text=note, y=0.2, xanchor="right", align="right", **right, **common)
    if cut:
        drawn.add_vline(x=cut, line={"color": look.ink, "width": 1.5, "dash": "dot"})
        # The label stands on the side of the rule that has room.
        late = cut > scores.size / 2
        drawn.add_annotation(
            x=cut, y=1, text=f"<b>k = {cut:,}</b>", xanchor="right" if late else "left",
            yanchor="top", xshift=-6 if late else 6, **common,
        )  # fmt: skip
    drawn.update_xaxes(axis(dark, f"Rank of the {feature}", grid=False, tickformat=",d"))
    drawn.update_yaxes(axis(dark, "Score ‖w_j‖", rangemode="tozero", nticks=5))
    return drawn


def _alt(scores: Floats, k: int | None, feature: str) -> str:
    if not scores.size:
        return "No scores yet."
    zero = int((scores == 0).sum())
    if zero == scores.size:
        return f"All {scores.size:,} scores are exactly zero."
    if scores[0] == scores[-1]:
        return f"All {scores.size:,} scores are {scores[0]:.4g}: the order says nothing."
    text = (
        f"Scores of {scores.size:,} {feature}s, from {scores[0]:.4g} down to {scores[-1]:.4g}; "
        f"{zero:,} are exactly zero"
    )
    if k and scores.sum() > 0:
        share = 100 * scores[:k].sum() / scores.sum()
        text += f", and the best {k:,} hold {share:.0f} % of the sum"
    return f"{text}."


def _note(scores: Floats) -> str:
    zero = int((scores == 0).sum())
    if not scores.size:
        return "No scores yet"
    if zero == scores.size:
        return f"all {zero:,} scores are exactly zero"
    if scores[0] == scores[-1] and scores.size > 1:
        return f"all {scores.size:,} scores are equal:<br>the order says nothing"
    if zero:
        return "1 exact zero" if zero == 1 else f"{zero:,} exact zeros"
    return ""


def _places(scores: Floats, k: int | None) -> NDArray[np.intp]:
    """Choose what is drawn: evenly, with the ends of the filled part and of the zeros."""
    zero = int((scores == 0).sum())
    corners = np.array([scores.size - zero - 1, scores.size - zero, (k or 0) - 1], dtype=np.intp)
    inside = corners[(corners >= 0) & (corners < scores.size)]
    return np.union1d(thin(scores.size, MAX_POINTS - 3), inside)
