"""What is drawn along an axis that may fall: curves, shaded ranges, components, choices."""

import numpy as np

from cspca.datasets.axis import Axis
from cspca.figures.curves import (
    component_curves,
    edges_of,
    importance_curve,
    rebuilt_curve,
    sample_curves,
    selected_ranges,
    value_curve,
)
from cspca.figures.features import feature_spread
from cspca.figures.style import HEAD

FALLING = Axis(tuple(np.arange(4000.0, 3900, -4).tolist()), "cm-1")
N = len(FALLING.values)


def alt(figure):
    return figure.layout.meta["alt"]


def test_samples_and_their_spread_run_as_the_axis_does():
    figure = sample_curves(FALLING, np.ones((3, N)), 9)
    assert alt(figure) == ("3 of 9 spectra, from 4000 cm-1 to 3904 cm-1, with values from 1 to 1.")
    spread = feature_spread([*map(str, FALLING.values)], np.ones(N), FALLING)
    for drawn, count in ((figure, 3), (spread, 1)):
        assert len(drawn.data) == count
        assert list(drawn.data[0].x) == list(FALLING.values)
        assert drawn.layout.xaxis.range == (4000, 3904)
        assert drawn.layout.xaxis.title.text == "Wavenumber (cm-1)"


def test_ranges_in_use_are_shaded_to_halfway_to_their_neighbours():
    assert edges_of(FALLING)[:2].tolist() == [4002, 3998]
    assert len(edges_of(FALLING)) == N + 1
    scores = np.zeros(N)
    scores[3:6] = 1, 3, 2
    words = FALLING.ranges_in_words(np.flatnonzero(scores))
    figure = importance_curve(FALLING, scores, [(3, 5)], words, np.ones(N))
    shade = figure.layout.shapes[0]
    assert (shade.x0, shade.x1) == (3990, 3978)
    assert alt(figure) == ("The highest score, 3, is at 3984 cm-1; in use: 3988 – 3980 cm-1.")
    empty = importance_curve(FALLING, np.zeros(N), [], "")
    assert not empty.layout.shapes
    assert alt(empty) == "All scores are exactly zero."


def test_a_sample_is_drawn_with_what_is_rebuilt_of_it():
    sample = np.linspace(0, 1, N)
    rebuilt = sample.copy()
    rebuilt[7] += 0.25
    figure = rebuilt_curve(FALLING, sample, rebuilt, [(0, 2)], "Sample <7>")
    assert alt(figure) == (
        "Sample <7>, rebuilt with a mean error of 0.01; it is farthest off, by 0.25, at 3972 cm-1."
    )
    assert [curve.name for curve in figure.data] == ["Measured", "Rebuilt"]


def test_components_share_one_scale_and_the_axis():
    ours, pca = np.eye(3, N), -np.eye(3, N)
    figure = component_curves(FALLING, ours, pca, ["first", "<b>", "third"])
    ranges = {getattr(figure.layout, f"yaxis{n}").range for n in ("", 2, 3)}
    assert len(ranges) == 1
    assert [note.text for note in figure.layout.annotations] == ["first", "&lt;b&gt;", "third"]
    assert alt(figure).endswith("at 4000 cm-1, 3996 cm-1, 3992 cm-1.")


def test_a_single_component_has_as_much_room_as_each_of_several():
    heights = [
        component_curves(FALLING, np.eye(n, N), np.eye(n, N), ["title"] * n).layout.height - HEAD
        for n in (1, 2, 6)
    ]
    panel = heights[1] - heights[0]
    assert heights[2] - heights[0] == 5 * panel
    # Margins take 58 pixels, the title of the axis and the legend about 50.
    assert heights[0] - panel > 100


def test_each_method_has_a_row_of_its_ranges():
    chosen = {"One": ([(0, 2), (5, 5)], "#aa0000"), "Two": ([], "#00aa00")}
    figure = selected_ranges(FALLING, chosen, np.ones(N), "In words.")
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(-0.32, 0.32)] * 2
    assert list(figure.layout.yaxis.ticktext) == ["One", "Two"]


def test_numbers_of_features_are_a_curve_with_gaps():
    shares = np.linspace(0, 1, N)
    shares[4] = np.nan
    figure = value_curve(FALLING, shares, "Which?", "Share of halves", [(0, 1)])
    assert alt(figure) == "Share of halves: from 0 at 4000 cm-1 to 1 at 3904 cm-1."
    assert len(figure.layout.shapes) == 1
    none = value_curve(FALLING, np.full(N, np.nan), "Which?", "Share of halves")
    assert alt(none) == "No wavenumber has a number."


def test_no_spike_of_many_points_is_lost():
    values = np.zeros(10_000)
    spikes = [17, 4_321, 4_330, 9_998]
    values[spikes] = 1, -2, 3, 4
    axis = Axis(tuple(range(10_000)))
    drawn = value_curve(axis, values, "Where?", "Score").data[0]
    assert len(drawn.x) <= 2_000
    shown = dict(zip(drawn.x, drawn.y, strict=True))
    assert [shown[spike] for spike in spikes] == [1, -2, 3, 4]
