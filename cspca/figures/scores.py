"""The score curve: all scores from best to worst, the cut at k, and the exact zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, NEUTRAL
from cspca.figures.convergence import MAX_POINTS, thin
from cspca.figures.style import LIGHT, SMALL, figure, see_through

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]


def score_curve(
    scores_sorted: ArrayLike, k: int | None = None, *, feature: str = "feature"
) -> go.Figure:
    """Draw scores in descending order, the best `k` filled, the exact zeros apart."""
    scores = np.asarray(scores_sorted, dtype=np.float64)
    cut = None if k is None else min(max(int(k), 0), scores.size)
    note, alt = _words(scores, cut, feature)
    drawn = figure("How fast does importance fall off?", alt, height=260)
    places = _places(scores, cut)

    def line(kept: NDArray[np.bool_], colour: str, width: float, fill: str = "none") -> None:
        drawn.add_scatter(
            x=places[kept] + 1,
            y=scores[places][kept],
            mode="lines",
            line={"color": colour, "width": width},
            fill=fill,
            fillcolor=see_through(ACCENT, 0.22),
            hovertemplate="rank %{x:,}<br>score %{y:.4g}<extra></extra>",
        )

    line(np.ones(places.size, dtype=bool), ACCENT, 2.0)
    if cut is not None:
        line(places < cut, ACCENT, 2.0, "tozeroy")
    if (scores == 0).any():
        line(scores[places] == 0, NEUTRAL, 5.0)
    common = {"font_size": SMALL, "yref": "paper"}
    if note:
        # Flush right, or left of the rule when that stands in the way.
        beside = cut is not None and scores.size / 2 < cut < scores.size
        right = {"x": cut, "xshift": -6} if beside else {"x": 1, "xref": "paper"}
        drawn.add_annotation(text=note, y=0.2, xanchor="right", align="right", **right, **common)
    if cut:
        drawn.add_vline(x=cut, line={"color": LIGHT.ink, "width": 1.5, "dash": "dot"})
        # The label stands on the side of the rule that has room.
        late = cut > scores.size / 2
        drawn.add_annotation(
            x=cut, y=1, text=f"<b>k = {cut:,}</b>", xanchor="right" if late else "left",
            yanchor="top", xshift=-6 if late else 6, **common,
        )  # fmt: skip
    drawn.update_xaxes(title_text=f"Rank of the {feature}", showgrid=False, tickformat=",d")
    drawn.update_yaxes(title_text="Score ‖w_j‖", rangemode="tozero", nticks=5)
    return drawn


def _words(scores: Floats, k: int | None, feature: str) -> tuple[str, str]:
    """Say what there is to note on the chart, and the whole of it in a sentence."""
    size, zero = scores.size, int((scores == 0).sum())
    if not size:
        return "No scores yet", "No scores yet."
    if zero == size:
        return f"all {size:,} scores are exactly zero", f"All {size:,} scores are exactly zero."
    if scores[0] == scores[-1]:
        note = f"all {size:,} scores are equal:<br>the order says nothing" if size > 1 else ""
        return note, f"All {size:,} scores are {scores[0]:.4g}: the order says nothing."
    alt = (
        f"Scores of {size:,} {feature}s, from {scores[0]:.4g} down to {scores[-1]:.4g}; "
        f"{zero:,} are exactly zero"
    )
    if k and scores.sum() > 0:
        share = 100 * scores[:k].sum() / scores.sum()
        alt += f", and the best {k:,} hold {share:.0f} % of the sum"
    note = f"{zero:,} exact zero{'' if zero == 1 else 's'}" if zero else ""
    return note, f"{alt}."


def _places(scores: Floats, k: int | None) -> NDArray[np.intp]:
    """Choose what is drawn: evenly, with the ends of the filled part and of the zeros."""
    zero = int((scores == 0).sum())
    corners = np.array([scores.size - zero - 1, scores.size - zero, (k or 0) - 1], dtype=np.intp)
    inside = corners[(corners >= 0) & (corners < scores.size)]
    return np.union1d(thin(scores.size, MAX_POINTS - 3), inside)
