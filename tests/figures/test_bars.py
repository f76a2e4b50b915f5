"""One bar a name, whatever the classes and features are called."""

import numpy as np

from cspca.figures.features import (
    MOST_BARS,
    MOST_DRAWN,
    best_features,
    class_sizes,
    feature_spread,
)

HOSTILE = ["<b>" + 30 * "x" + str(k) for k in range(3)]


def test_each_class_has_its_bar_though_long_names_are_cut():
    figure = class_sizes(HOSTILE, [3, 0, 5])
    (bars,) = figure.data
    assert list(bars.y) == [3, 0, 5]
    assert len(set(bars.x)) == 3
    assert all(len(text) < 30 for text in figure.layout.xaxis.ticktext)
    assert "<b>x" not in figure.to_json()
    assert 30 * "x" + "2" in bars.hovertext[2], "in full on hover"


def test_each_feature_has_its_bar_beside_its_name():
    figure = feature_spread(HOSTILE, np.array([0.3, 0.0, 0.5]))
    (bars,) = figure.data
    assert list(bars.x) == [0.3, 0.0, 0.5]
    assert len(set(bars.y)) == len(figure.layout.yaxis.ticktext) == 3


def test_many_are_numbered_and_bounded():
    count = MOST_DRAWN + 7
    names = [str(k) for k in range(count)]
    figure = class_sizes(names, count * [2])
    (bars,) = figure.data
    assert len(bars.x) == MOST_DRAWN
    assert (bars.x[0], bars.x[-1]) == (1, MOST_DRAWN)
    assert "(number)" in figure.layout.xaxis.title.text
    assert len(class_sizes(40 * ["a"], 40 * [2]).layout.xaxis.ticktext) == 40
    assert len(feature_spread(16 * ["a"], np.ones(16)).layout.yaxis.ticktext) == 16


def test_names_of_features_are_never_markup():
    names = [f"<b>{number}</b>$x$" for number in range(40)]
    drawn = best_features(names, np.arange(40.0)[::-1])
    assert len(drawn.data[0].x) == len(drawn.layout.yaxis.ticktext) == MOST_BARS
    assert not any("<b>" in text or "$" in text for text in drawn.layout.yaxis.ticktext)
    assert all(text.count("<b>") == 1 for text in drawn.data[0].hovertext)
    assert "<b>0</b>$x$ with a score of 39" in drawn.layout.meta["alt"]


def test_the_sentences():
    def said(figure):
        return figure.layout.meta["alt"]

    assert said(class_sizes(["a", "b"], [4, 4])) == "Both classes have 4 samples each."
    assert said(class_sizes(["a", "b"], [4, 9])) == "2 classes of 4 to 9 samples."
    assert said(class_sizes([], [])) == "There are no classes."
    assert said(feature_spread(["a", "b"], [0.25, 0.5])) == (
        "Standard deviations run from 0.25 to 0.5 (b)."
    )
    assert said(feature_spread(["a", "b"], [0, 0.5])) == (
        "Standard deviations run from 0 to 0.5 (b); 1 of 2 features never changes."
    )
    assert said(feature_spread([], [])) == "There are no features."


def test_the_best_feature_is_not_named_where_it_ties():
    alt = best_features(["a", "b", "c"], [2.0, 2.0, 1.0]).layout.meta["alt"]
    assert alt == "The first 2 features tie with a score of 2."


def test_of_too_many_features_those_that_vary_most_are_drawn_by_name():
    deviation = np.arange(2000.0)
    figure = feature_spread([f"gene {number}" for number in range(2000)], deviation)
    (bars,) = figure.data
    assert sorted(bars.x, reverse=True) == list(deviation[:-13:-1])
    assert "gene 1999" in figure.layout.yaxis.ticktext
    assert "The 12 that vary most are drawn." in figure.layout.meta["alt"]
