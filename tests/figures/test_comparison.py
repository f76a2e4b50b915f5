"""Figures that compare methods hold the numbers they were given, and survive odd ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from cspca.evaluation import METRICS
from cspca.figures.comparison import (
    comparison_bars,
    comparison_curves,
    comparison_overlap,
    comparison_times,
    printed_leads,
)
from cspca.figures.style import (
    escape,
    on_dark,
    on_page,
)
from cspca.selection import METHODS

NAN = float("nan")
GREY, BLUE, ORANGE = "#767c85", "#0072B2", "#D55E00"
HOSTILE = "<a href='javascript:alert(1)'>$x$ & <b>" + "W" * 80


ACCURACY, NMI = METRICS["accuracy"], METRICS["nmi"]
OVERLAP = "Do they choose the same?"


def records(names: str, *rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


def bars(*rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return records("title colour mean std mark", *rows)


def curves(*rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return records("title colour marker n_features mean std", *rows)


def times(*rows: tuple[Any, ...]) -> list[dict[str, Any]]:
    return records("title colour selection clustering", *rows)


def said(figure: go.Figure) -> str:
    return figure.layout.meta["alt"]


BARS = bars(
    ("All features", GREY, 0.690, 0.017, ""),
    ("UDFS", ORANGE, 0.699, 0.012, "close"),
    ("CSPCA", BLUE, 0.713, 0.010, "best"),
)
CURVES = curves(
    ("All features", GREY, "line-ew", [1024], [0.69], [0.017]),
    ("CSPCA", BLUE, "circle", [100, 200, 300], [0.60, 0.71, 0.72], [0.02, 0.03, 0.01]),
    ("MCFS", ORANGE, "cross", [100, 300], [0.5, 0.7], [0.01, 0.01]),
)
STANDING = {"level": "All features", "band": "CSPCA"}


def texts(part: Any) -> list[str]:
    """Every string in a figure, however deep."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, dict):
        return [t for value in part.values() for t in texts(value)]
    if isinstance(part, list | tuple):
        return [t for value in part for t in texts(value)]
    return []


def words(figure: go.Figure) -> str:
    return " | ".join(texts(figure.to_plotly_json()["layout"].get("annotations", [])))


def drawn(figure: go.Figure, name: str) -> Any:
    return next(trace for trace in figure.data if trace.name == name and trace.hovertext)


def is_harmless(figure: go.Figure) -> None:
    """Only our own markup is left in any text."""
    for text in texts(figure.to_plotly_json()):
        bare = text
        for own in ("<b>", "</b>", "<br>", "<span style='font-size:12px'>", "</span>"):
            bare = bare.replace(own, "")
        assert not set(bare) & set("<>$"), text


def test_bars_hold_means_spreads_and_colours() -> None:
    figure = comparison_bars(BARS, ACCURACY)
    (drawn,) = figure.data
    np.testing.assert_allclose(drawn.x, [69.0, 69.9, 71.3])
    np.testing.assert_allclose(drawn.error_x.array, [1.7, 1.2, 1.0])
    assert list(drawn.y) == [0, 1, 2]
    top, bottom = figure.layout.yaxis.range[1], figure.layout.yaxis.range[0]
    assert top < 0 < 2 < bottom
    for dark, one in enumerate((figure, on_dark(figure))):
        assert list(one.data[0].marker.color) == [on_page(row["colour"], dark) for row in BARS]
    assert figure.layout.xaxis.title.text.startswith("Accuracy (ACC) (%)")
    assert figure.layout.xaxis.rangemode == "tozero"


def test_marks_are_said_in_text() -> None:
    figure = comparison_bars(BARS, ACCURACY)
    assert "<b>CSPCA</b>" in words(figure)
    assert "<b>71.3 ± 1.0 % · best</b>" in words(figure)
    assert "69.9 ± 1.2 % · ≈ best" in words(figure)
    assert "not significantly worse" in figure.layout.xaxis.title.text
    assert "not significantly worse" in figure.data[0].hovertext[1]
    alone = comparison_bars(bars(("CSPCA", BLUE, 0.7, 0.1, "best")), ACCURACY)
    assert "significantly" not in alone.layout.xaxis.title.text


def test_the_line_of_chance_crosses_no_number() -> None:
    """A row is 46 pixels high; its words stand 4 to 20 pixels above it, its bar below."""
    figure = comparison_bars(BARS, ACCURACY, (0.97, 0.95, 0.99, 30))
    lines = [shape for shape in figure.layout.shapes if shape.x0 == shape.x1]
    assert [(line.x0, round(line.y0), round(line.y1)) for line in lines] == [
        (97, row, row) for row in range(len(BARS))
    ]
    for row, line in enumerate(lines):
        assert -4 < 46 * (line.y0 - row) <= 46 * 0.02, "from the words to the bar"
        assert 46 * 0.32 <= 46 * (line.y1 - row) < 46 - 20, "over the bar, to the next words"


def test_the_legend_has_room_for_whole_names_of_methods() -> None:
    names = [method.title for method in METHODS.values()]
    drawn_curves = curves(*((name, BLUE, "circle", [10], [0.5], [0.1]) for name in names))
    figure = comparison_curves(drawn_curves, ACCURACY)
    assert {trace.name for trace in figure.data if trace.showlegend} == set(names)
    # Saved, it is set in the viewer's own sans serif: up to 6.8 px a letter.
    assert figure.layout.legend.entrywidth >= 6.8 * max(map(len, names))


def test_scores_below_zero_and_of_one_run() -> None:
    table = bars(("a", GREY, -0.2, NAN, ""), ("c", GREY, 0.1, 0.3, ""))
    figure = comparison_bars(table, METRICS["silhouette"])
    np.testing.assert_allclose(figure.data[0].x, [-0.2, 0.1])
    np.testing.assert_allclose(figure.data[0].error_x.array, [np.nan, 0.3])
    assert figure.layout.xaxis.title.text == "Silhouette"
    assert said(figure) == "Silhouette, mean ± standard deviation: a −0.200; c 0.100 ± 0.300."


def test_curves_hold_their_points_in_order() -> None:
    figure = comparison_curves(CURVES, NMI, **STANDING)
    cspca, mcfs = drawn(figure, "CSPCA"), drawn(figure, "MCFS")
    assert list(cspca.x) == [100, 200, 300]
    np.testing.assert_allclose(cspca.y, [60, 71, 72])
    assert list(mcfs.x) == [100, 300]
    np.testing.assert_allclose(mcfs.y, [50, 70])
    assert cspca.line.color == BLUE
    assert (cspca.marker.symbol, mcfs.marker.symbol) == ("circle", "cross")
    assert cspca.line.width > mcfs.line.width
    assert figure.data[-1] is cspca
    assert cspca.legendrank < mcfs.legendrank
    assert "71.0 ± 3.0 %" in cspca.hovertext[1]


def test_all_features_is_a_dashed_level_that_does_not_stretch_the_axis() -> None:
    figure = comparison_curves(CURVES, NMI, **STANDING)
    level = drawn(figure, "All features")
    assert level.line.dash == "dash"
    np.testing.assert_allclose(level.y, 69)
    low, high = figure.layout.xaxis.range
    assert (level.x[0], level.x[-1]) == (low, high)
    assert high < 400
    assert "1,024 features" in level.hovertext


def test_bands_are_one_std_wide() -> None:
    bands = [t for t in comparison_curves(CURVES, NMI, **STANDING).data if t.fill == "toself"]
    assert len(bands) == 2  # all features, CSPCA
    np.testing.assert_allclose(sorted(set(bands[0].y)), [67.3, 70.7])
    np.testing.assert_allclose(bands[1].y, [58, 68, 71, 73, 74, 62])
    assert all(band.hoverinfo == "skip" for band in bands)


def test_one_point_has_whiskers_in_place_of_a_band() -> None:
    figure = comparison_curves(
        curves(("CSPCA", BLUE, "circle", [20], [0.7], [0.02])), NMI, band="CSPCA"
    )
    (trace,) = figure.data
    np.testing.assert_allclose(trace.error_y.array, [2])
    assert figure.layout.xaxis.range[0] < 20 < figure.layout.xaxis.range[1]
    assert not figure.layout.showlegend
    assert figure.layout.xaxis.dtick == 1  # not 20, 20, 20, 21 with a comma for thousands


def test_overlaps_are_printed() -> None:
    table = np.array([[1, 0.004, 0.5], [0.004, 1, 0.999], [0.5, 0.999, 1]])
    figure = comparison_overlap(["A", "B", "C"], table, title=OVERLAP)
    heat, *printed = figure.data
    np.testing.assert_allclose(heat.z, 100 * np.where(np.eye(3), np.nan, table))
    assert (heat.zmin, heat.zmax) == (0, 100)
    texts = {
        (y, x): text for one in printed for x, y, text in zip(one.x, one.y, one.text, strict=True)
    }
    # 0 and 100 are said of disjoint and of equal selections only.
    said = [texts[cell] for cell in np.ndindex(3, 3)]
    assert said == ["–", "1", "50", "1", "–", "99", "50", "99", "–"]
    assert [text.split()[0] for text in figure.layout.yaxis.ticktext] == ["A", "B", "C"]


def test_overlaps_of_equal_names_and_unknown_values() -> None:
    figure = comparison_overlap(["A", "A"], [[1, NAN], [NAN, 1]], title=OVERLAP)
    assert len(set(figure.layout.yaxis.ticktext)) == 2
    assert "not known" in figure.data[0].hovertext[0][1]
    assert comparison_overlap(["A"], [[1]], title=OVERLAP).data[1].text == ("–",)


def test_times_stand_on_a_log_axis() -> None:
    figure = comparison_times(
        times(("All", GREY, None, 4.0), ("UDFS", ORANGE, 120.0, 5.0), ("SPEC", BLUE, 0.0, 2.0))
    )
    assert figure.layout.xaxis.type == "log"
    selection, clustering = drawn(figure, "Selection"), drawn(figure, "Clustering")
    np.testing.assert_array_equal(selection.x, [NAN, 120.0, 1e-4])
    assert list(clustering.x) == [4.0, 5.0, 2.0]
    assert list(selection.marker.color) == [GREY, ORANGE, BLUE]
    assert "– + 4 s" in words(figure)
    assert "2 min + 5 s" in words(figure)


def test_hostile_names_are_text_everywhere() -> None:
    hostile = replace(ACCURACY, title=HOSTILE)
    figures = [
        comparison_bars(bars((HOSTILE, GREY, 0.5, 0.1, "close")), hostile),
        comparison_curves(
            curves((HOSTILE, GREY, "circle", [1, 2], [0.5, 0.5], [0.1, 0.1])), hostile, band=HOSTILE
        ),
        comparison_overlap([HOSTILE, HOSTILE], np.full((2, 2), 0.5), title=HOSTILE),
        comparison_times(times((HOSTILE, GREY, 1, 2))),
    ]
    for figure in figures:
        # The alternative is no markup: the page escapes it.
        assert HOSTILE in said(figure)
        figure.layout.meta = None
        is_harmless(figure)
        assert escape(HOSTILE) in " ".join(texts(figure.to_plotly_json()))  # in full, on hover
        assert "</script" not in figure.to_json()


def test_sentences() -> None:
    assert said(comparison_bars(BARS, ACCURACY)) == (
        "Accuracy (ACC), mean ± standard deviation: All features 69.0 ± 1.7 %; UDFS 69.9 ± 1.2 % "
        "· not significantly worse; CSPCA 71.3 ± 1.0 % · best."
    )
    assert said(comparison_curves(CURVES, NMI, **STANDING)) == (
        "Normalised mutual information (NMI) against the number of features: All features 69.0 %; "
        "CSPCA from 60.0 % with 100 to 72.0 % with 300; MCFS from 50.0 % with 100 to 70.0 % with "
        "300."
    )
    pixels = comparison_curves(CURVES, NMI, features="pixels")
    assert "against the number of pixels" in said(pixels)
    assert pixels.layout.title.text == "How many pixels are enough?"
    table = [[1, 0.2, 0.5], [0.2, 1, 0.9], [0.5, 0.9, 1]]
    assert said(comparison_overlap(["A", "B", "C"], table, title=OVERLAP)) == (
        "Jaccard overlap: most between B and C (90 %), least between A and B (20 %)."
    )
    assert said(comparison_times(times(("A", GREY, 0.5, 2), ("B", GREY, None, 3)))) == (
        "Time of each method: A selection 0.5 s, clustering 2 s; B clustering 3 s."
    )
    assert (
        said(comparison_overlap(["A"], [[1]], title=OVERLAP))
        == "There are no two selections to compare."
    )
    assert said(comparison_times(times())) == "No time was measured yet."


def test_printed_leads_are_points_above_the_first_method():
    look = {"colour": "#123456", "marker": "circle"}
    sets = {
        name: [
            {"title": title, "mean": mean, **look} for title, mean in zip("AB", means, strict=True)
        ]
        for name, means in {"<One>": (10.0, 12.5), "Two": (50.0, 49.0)}.items()
    }
    drawn = printed_leads(sets, "What?", "ACC")
    assert all(one.showlegend for one in drawn.data)
    assert [list(one.x) for one in drawn.data] == [[0.0, 0.0], [2.5, -1.0]]
    assert drawn.layout.meta["alt"] == "ACC, points above A, of B: <One> +2.5, Two -1.0."
    assert "&lt;One&gt;" in drawn.data[0].hovertext[0]
    assert {one.marker.line.color for one in drawn.data} == {"#123456"}
