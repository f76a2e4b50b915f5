"""Bar charts of classes and features, and the curve of the sorted scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures import style
from cspca.figures.convergence import MAX_POINTS, thin
from cspca.figures.curves import Axis, add_curve
from cspca.figures.style import ACCENT, LIGHT, SMALL, named_axis, short
from cspca.figures.words import PLAIN, Nouns, capitalised

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]

MOST_BARS = 30  # most features listed as the best
MOST_DRAWN = 500  # most bars in a chart; of more features the first are drawn
MOST_VARYING = 12  # features that vary most, where there are too many to draw all


def class_sizes(names: Sequence[str], counts: Sequence[int], nouns: Nouns = PLAIN) -> go.Figure:
    """Draw how many samples each class has; up to 40 classes are named, more are numbered."""
    sizes = np.array(counts, dtype=np.float64)
    noun, plural = nouns.sample, nouns.samples
    alt = "There are no classes."
    if sizes.size and np.ptp(sizes) == 0:
        classes = {1: "The only class has", 2: "Both classes have"}
        have = classes.get(sizes.size, f"All {sizes.size} classes have")
        each = "" if sizes.size == 1 else " each"
        alt = f"{have} {sizes[0]:,.0f} {noun if sizes[0] == 1 else plural}{each}."
    elif sizes.size:
        alt = f"{sizes.size} classes of {sizes.min():,.0f} to {sizes.max():,.0f} {plural}."
    drawn = style.figure("Are the classes of one size?", alt, height=240)
    many = "Class" if sizes.size > 40 else ""
    _add_bars(drawn, names, sizes, f"{{:,.0f}} {plural}", plural.capitalize(), many)
    if not many:
        turned = -40 if sizes.size > 24 or sum(map(len, names)) > 90 else 0
        drawn.update_xaxes(named_axis([short(name, 18) for name in names], tickangle=turned))
    return drawn


def feature_spread(
    names: Sequence[str], deviation: ArrayLike, axis: Axis | None = None, nouns: Nouns = PLAIN
) -> go.Figure:
    """Draw the standard deviation of every feature; up to 16 are named, more are numbered.

    Features that are points of an axis are drawn as a curve along it. Of more than `MOST_DRAWN`
    others those that vary most are drawn, by name.
    """
    values = np.asarray(deviation, dtype=np.float64)
    alt = f"There are no {nouns.features}."
    if values.size:
        still = int((values == 0).sum())
        alt = (
            f"Standard deviations run from {values.min():.3g} to {values.max():.3g} "
            f"({names[int(values.argmax())]})"
        )
        if still:
            verb = "never changes" if still == 1 else "never change"
            alt += f"; {still:,} of {values.size:,} {nouns.features} {verb}"
        alt += "."
    if axis is None and values.size > MOST_DRAWN:
        alt += f" The {MOST_VARYING} that vary most are drawn."
        question = f"Which {nouns.features} vary most?"
        drawn = style.figure(question, alt, height=24 * MOST_VARYING + 64)
        most = np.argsort(-values, kind="stable")[:MOST_VARYING]
        some_names = [names[feature] for feature in most.tolist()]
        _add_bars(drawn, some_names, values[most], "{:.3g}", "Standard deviation", longest=34)
        return drawn
    drawn = style.figure(f"Which {nouns.features} vary most?", alt, height=240)
    if axis is not None:
        add_curve(drawn, axis, values, ACCENT)
        drawn.update_yaxes(title_text="Standard deviation", nticks=5, rangemode="tozero")
        return drawn
    many = {"many": capitalised(nouns.feature)} if values.size > 16 else {"longest": 24}
    _add_bars(drawn, names, values, "{:.3g}", "Standard deviation", **many)
    return drawn


def best_features(names: Sequence[str], scores: ArrayLike, nouns: Nouns = PLAIN) -> go.Figure:
    """Draw the best features by name, best first, `MOST_BARS` at most."""
    values = np.asarray(scores, dtype=np.float64)[:MOST_BARS]
    shown = list(names)[: values.size]
    alt = f"There are no {nouns.features}."
    if shown:
        alt = f"The best {nouns.feature} is {shown[0]} with a score of {values[0]:.4g}."
        first = np.count_nonzero(values == values[0])
        if first > 1:
            alt = f"The first {first} {nouns.features} tie with a score of {values[0]:.4g}."
    height = 24 * max(values.size, 3) + 64
    drawn = style.figure(f"Which {nouns.features} are best?", alt, height=height)
    _add_bars(drawn, shown, values, "score {:.4g}", "Score ‖w<sub>j</sub>‖", longest=34)
    return drawn


def frequency_bars(
    names: Sequence[str], shares: ArrayLike, question: str, nouns: Nouns = PLAIN
) -> go.Figure:
    """Draw the share of halves that select each feature, the most frequent first."""
    values = np.asarray(shares, dtype=np.float64)[:MOST_BARS]
    n_always = np.count_nonzero(values == 1.0)
    verb = "is" if n_always == 1 else "are"
    alt = (
        f"{n_always:,} of the {values.size:,} most frequent {nouns.features} {verb} selected by "
        "all halves."
    )
    drawn = style.figure(question, alt, height=24 * max(values.size, 3) + 64)
    _add_bars(drawn, list(names), values, "{:.0%} of halves", "Share of halves", longest=34)
    drawn.update_xaxes(tickformat=".0%", nticks=3, tickangle=0)
    return drawn


def _add_bars(
    drawn: go.Figure,
    names: Sequence[str],
    values: Floats,
    line_format: str,
    unit: str,
    many: str = "",
    longest: int = 0,
) -> None:
    """Add upright bars or, with `longest`, horizontal ones beside names cut to that length.

    With `many`, the noun for a bar, bars are numbered from 1 and only the first are drawn.
    """
    some = values[:MOST_DRAWN]
    places = np.arange(some.size) + bool(many)
    lines = [line_format.format(value) for value in some.tolist()]
    bars = {"marker": {"color": ACCENT}, "hovertext": style.on_hover(names, lines)}
    measured = {"title_text": unit, "nticks": 6 if longest else 5, "rangemode": "tozero"}
    if longest:
        # Names beside horizontal bars are easy to read.
        drawn.add_bar(x=some, y=places, orientation="h", **bars)
        ends = [max(len(names), 1) - 0.4, -0.6]
        drawn.update_yaxes(named_axis([short(name, longest) for name in names], range=ends))
        drawn.update_xaxes(measured)
    else:
        drawn.add_bar(x=places, y=some, **bars)
        drawn.update_yaxes(measured)
    if many:
        drawn.update_xaxes(title_text=f"{many} (number)", showgrid=False, tickformat=",d")


def score_curve(
    scores_sorted: ArrayLike, k: int | None = None, *, nouns: Nouns = PLAIN
) -> go.Figure:
    """Draw scores in descending order, the best `k` filled, exact zeros in a neutral colour."""
    scores = np.asarray(scores_sorted, dtype=np.float64)
    cut = None if k is None else min(max(int(k), 0), scores.size)
    note, alt = _words(scores, cut, nouns.features)
    drawn = style.figure("How fast does importance fall off?", alt, height=260)
    # Evenly spaced points, and the ends of the filled part and of the zeros.
    zero = int((scores == 0).sum())
    corners = np.array([scores.size - zero - 1, scores.size - zero, (cut or 0) - 1])
    inside = corners[(corners >= 0) & (corners < scores.size)]
    places = np.union1d(thin(scores.size, MAX_POINTS - 3), inside)

    def line(selected: NDArray[np.bool_], colour: str, width: float, fill: str = "none") -> None:
        drawn.add_scatter(
            x=places[selected] + 1,
            y=scores[places][selected],
            mode="lines",
            line={"color": colour, "width": width},
            fill=fill,
            fillcolor=style.see_through(ACCENT, 0.22),
            hovertemplate="number %{x:,}<br>score %{y:.4g}<extra></extra>",
        )

    line(np.ones(places.size, dtype=bool), ACCENT, 2.0)
    if cut is not None:
        line(places < cut, ACCENT, 2.0, "tozeroy")
    if zero:
        line(scores[places] == 0, style.NEUTRAL, 5.0)
    common = {"font_size": SMALL, "yref": "paper"}
    if note:
        # Flush right, or left of the rule where the rule is in the way.
        beside = cut is not None and scores.size / 2 < cut < scores.size
        right = {"x": cut, "xshift": -6} if beside else {"x": 1, "xref": "paper"}
        drawn.add_annotation(text=note, y=0.2, xanchor="right", align="right", **right, **common)
    if cut:
        rule = {"color": LIGHT.ink, "width": 1.5, "dash": "dot"}
        drawn.add_shape(x0=cut, x1=cut, y0=0, y1=1, yref="paper", line=rule)
        # The label stands on the side of the rule that has room.
        late = cut > scores.size / 2
        drawn.add_annotation(
            x=cut, y=1, text=f"<b>k = {cut:,}</b>", xanchor="right" if late else "left",
            yanchor="top", xshift=-6 if late else 6, **common,
        )  # fmt: skip
    in_use = scores[scores > 0]
    tied = in_use.size != 1 and (in_use == scores.max(initial=0.0)).all()
    along = capitalised(nouns.features) if tied else f"{capitalised(nouns.features)}, best first"
    # Setting an axis takes a tenth of the time of updating it; every move of a slider draws this.
    drawn.layout.xaxis = {"title": {"text": along}, "showgrid": False, "tickformat": ",d"}
    title = {"text": "Score ‖w<sub>j</sub>‖"}
    drawn.layout.yaxis = {"title": title, "rangemode": "tozero", "nticks": 5}
    return drawn


def _words(scores: Floats, k: int | None, features: str) -> tuple[str, str]:
    """Return the note on the chart, and its text alternative."""
    size, zero = scores.size, int((scores == 0).sum())
    if not size:
        return "No scores yet", "No scores yet."
    if zero == size:
        return f"all {size:,} scores are exactly zero", f"All {size:,} scores are exactly zero."
    if scores[0] == scores[-1]:
        note = f"all {size:,} scores are equal:<br>the order says nothing" if size > 1 else ""
        return note, f"All {size:,} scores are {scores[0]:.4g}: the order says nothing."
    in_use = scores[scores > 0]
    zeros = f"{zero:,} exact zero{'' if zero == 1 else 's'}" if zero else ""
    if in_use.size > 1 and in_use[0] == in_use[-1] and in_use.size + zero == size:
        alt = (
            f"Of {size:,} scores {in_use.size:,} are {scores[0]:.4g}, and their order says "
            f"nothing; {zero:,} {'is' if zero == 1 else 'are'} exactly zero."
        )
        return f"{in_use.size:,} scores are equal:<br>their order says nothing<br>{zeros}", alt
    alt = (
        f"Scores of {size:,} {features}, from {scores[0]:.4g} down to {scores[-1]:.4g}; "
        f"{zero:,} are exactly zero"
    )
    if k and scores.sum() > 0:
        share = 100 * scores[:k].sum() / scores.sum()
        alt += f", and the best {k:,} hold {share:.0f} % of the sum"
    return zeros, f"{alt}."
