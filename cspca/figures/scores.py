"""The score curve: all scores from best to worst, the cut at k, and the exact zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import ACCENT, NEUTRAL, on_page
from cspca.figures.convergence import MAX_POINTS, thin
from cspca.figures.vega import Spec, frame, ink, quiet

HEIGHT = 240


def ranks(order: ArrayLike) -> NDArray[np.int64]:
    """Turn an order of the features into the rank of each.

    Parameters
    ----------
    order : array-like of shape (d,), int
        Feature indices, best first (``feature_order_``).

    Returns
    -------
    ndarray of shape (d,), int64
        ``ranks(order)[j]`` is 1 for the best feature and d for the last.

    Raises
    ------
    ValueError
        If `order` does not hold each of 0 … d − 1 once.
    """
    features = np.asarray(order)
    if features.ndim != 1 or not np.array_equal(np.sort(features), np.arange(features.size)):
        raise ValueError("The order must hold each feature index 0 … d − 1 exactly once.")
    result = np.empty(features.size, dtype=np.int64)
    result[features] = np.arange(1, features.size + 1)
    return result


def score_curve_spec(
    scores_sorted: ArrayLike,
    k: int | None = None,
    n_zero: int | None = None,
    dark: bool = False,
    *,
    height: int = HEIGHT,
    standalone: bool = False,
    feature: str = "feature",
) -> Spec:
    """Draw the scores from best to worst.

    Parameters
    ----------
    scores_sorted : array-like of shape (d,)
        Scores in descending order; may be empty.
    k : int, optional
        How many features are taken: a vertical rule, and the part left of it filled.
    n_zero : int, optional
        How many scores are exactly zero; counted when not given.
    dark : bool, default False
        Whether the page is dark.
    height : int, default 240
        Height in pixels.
    standalone : bool, default False
        Write text colours into the chart too (for a report without Streamlit's theme).
    feature : str, default "feature"
        What one of them is called, such as ``pixel``.

    Returns
    -------
    dict
        A vega-lite spec with at most 500 rows of data; the spec is the same for all data.

    Raises
    ------
    ValueError
        If the scores are not in descending order or not one row of finite numbers.
    """
    scores = _checked(scores_sorted)
    accent, plain = on_page(ACCENT, dark), on_page(NEUTRAL, dark)
    what = f"Curve of the scores of all {feature}s, from the best to the worst."
    numbers = score_curve_alt(scores, k, n_zero, feature=feature)
    spec = frame("How fast does importance fall off?", height, dark, standalone, what, numbers)
    spec["data"] = {"values": _rows(scores, k, n_zero)}
    x: Spec = {
        "field": "rank",
        "type": "quantitative",
        "title": f"Rank of the {feature}",
        "scale": {"nice": False, "zero": False},
        "axis": {"tickMinStep": 1, "format": ",.9~g"},
    }
    y: Spec = {
        "field": "score",
        "type": "quantitative",
        "title": "Score",
        "scale": {"zero": True, "nice": True},
        "axis": {"format": ".4~g"},
    }
    tooltip = [
        {"field": "rank", "type": "quantitative", "title": "Rank", "format": ","},
        {"field": "text", "type": "nominal", "title": "Score"},
    ]
    text_ink = ink(dark)
    spec["layer"] = [
        {
            "transform": [{"filter": "datum.kind === 'score' && datum.kept"}],
            "mark": {"type": "area", "color": accent, "opacity": 0.22},
            "encoding": {"x": x, "y": y},
        },
        {
            "transform": [{"filter": "datum.kind === 'score'"}],
            "mark": {"type": "line", "color": accent, "strokeWidth": 2},
            "encoding": {"x": x, "y": y},
        },
        {
            "transform": [{"filter": "datum.kind === 'score' && datum.zero"}],
            "mark": {"type": "line", "color": plain, "strokeWidth": 5, "strokeCap": "butt"},
            "encoding": {"x": x, "y": y},
        },
        {
            "transform": [{"filter": "datum.kind === 'score'"}],
            "params": [
                {
                    "name": "nearest",
                    "select": {
                        "type": "point",
                        "on": "pointerover",
                        "nearest": True,
                        "clear": "pointerout",
                    },
                }
            ],
            "mark": {"type": "point", "filled": True, "size": 60, "color": accent, "aria": False},
            "encoding": {
                "x": x,
                "y": y,
                "opacity": {
                    "condition": {"param": "nearest", "empty": False, "value": 1},
                    "value": 0,
                },
                "tooltip": tooltip,
            },
        },
        {
            "transform": [{"filter": "datum.kind === 'cut'"}],
            "mark": {"type": "rule", "color": text_ink, "strokeWidth": 1.5, "strokeDash": [2, 2]},
            "encoding": {"x": x},
        },
        *(
            {
                "transform": [{"filter": f"datum.kind === 'cut' && {side}"}],
                "mark": {
                    "type": "text",
                    "align": align,
                    "baseline": "top",
                    "dx": dx,
                    "y": 2,
                    "fontSize": 12,
                    "fontWeight": 600,
                    "color": text_ink,
                },
                "encoding": {"x": x, "text": {"field": "text", "type": "nominal"}},
            }
            # The label stands on the side of the rule that has room.
            for side, align, dx in (("datum.late", "right", -6), ("!datum.late", "left", 6))
        ),
        {
            "transform": [{"filter": "datum.kind === 'note'"}],
            "mark": {
                "type": "text",
                "align": "right",
                "baseline": "bottom",
                "dy": -8,
                "lineBreak": "\n",
                "fontSize": 12,
                "color": text_ink,
            },
            "encoding": {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}},
        },
        {
            "transform": [{"filter": "datum.kind === 'wait'"}],
            "mark": {
                "type": "text",
                "fontSize": 13,
                "color": quiet(dark),
                "x": {"expr": "width / 2"},
                "y": {"expr": "height / 2"},
            },
            "encoding": {"text": {"field": "text", "type": "nominal"}},
        },
    ]
    return spec


def score_curve_alt(
    scores_sorted: ArrayLike,
    k: int | None = None,
    n_zero: int | None = None,
    *,
    feature: str = "feature",
) -> str:
    """Describe the score curve in one sentence.

    Parameters
    ----------
    scores_sorted, k, n_zero, feature
        As for `score_curve_spec`.

    Returns
    -------
    str
    """
    scores = _checked(scores_sorted)
    if not scores.size:
        return "No scores yet."
    zero = int((scores == 0).sum()) if n_zero is None else int(n_zero)
    if zero == scores.size:
        return f"All {scores.size:,} scores are exactly zero."
    if scores[0] == scores[-1]:
        return f"All {scores.size:,} scores are {scores[0]:.4g}: the order says nothing."
    text = (
        f"Scores of {scores.size:,} {feature}s, from {scores[0]:.4g} down to {scores[-1]:.4g}; "
        f"{zero:,} are exactly zero"
    )
    if k is not None and scores.sum() > 0 and 0 < k <= scores.size:
        text += (
            f", and the best {k:,} hold {100 * scores[:k].sum() / scores.sum():.0f} % of the sum"
        )
    return text + "."


def _checked(scores_sorted: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(scores_sorted, dtype=np.float64)
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(f"The scores have shape {scores.shape}; give one row of finite numbers.")
    if (np.diff(scores) > 0).any():
        raise ValueError("The scores are not sorted; give them in descending order.")
    return scores


def _rows(scores: NDArray[np.float64], k: int | None, n_zero: int | None) -> list[dict[str, Any]]:
    size = scores.size
    if not size:
        # One row keeps the columns known, and with them the spec and its axes.
        return [{"kind": "wait", "rank": 1, "score": 0.0, "text": "No scores yet"}]
    zero = int((scores == 0).sum()) if n_zero is None else int(n_zero)
    cut = None if k is None else min(max(int(k), 0), size)
    # The ends of the filled part and of the flat tail must survive thinning.
    corners = [size - zero - 1, size - zero]
    if cut is not None:
        corners += [cut - 1]
    inside = [c for c in corners if 0 <= c < size]
    places = np.unique(
        np.concatenate([thin(size, MAX_POINTS - 6), np.array(inside, dtype=np.intp)])
    )
    rows: list[dict[str, Any]] = [
        {
            "kind": "score",
            "rank": int(i) + 1,
            "score": float(scores[i]),
            "text": "exactly zero" if scores[i] == 0 else f"{scores[i]:.4g}",
            "zero": bool(scores[i] == 0),
            "kept": cut is not None and bool(i < cut),
        }
        for i in places
    ]
    if cut is not None:
        rows.append(
            {"kind": "cut", "rank": max(cut, 1), "text": f"k = {cut:,}", "late": cut > size / 2}
        )
    note = _note(scores, zero)
    if note:
        # Under a line that is level all along there is room only half-way down.
        level = float(scores[-1]) / 2
        # Flush right, or left of the rule when that stands in the way.
        right = cut * 0.97 if cut is not None and size / 2 < cut < size else size
        rows.append({"kind": "note", "rank": right, "score": level, "text": note})
    return rows


def _note(scores: NDArray[np.float64], zero: int) -> str | None:
    if zero == scores.size:
        return f"all {zero:,} scores are exactly zero"
    if scores[0] == scores[-1] and scores.size > 1:
        return f"all {scores.size:,} scores are equal:\nthe order says nothing"
    if zero:
        return "1 exact zero" if zero == 1 else f"{zero:,} exact zeros"
    return None
