"""One bar a feature of a table, whatever the features are called."""

import numpy as np

from cspca.figures.features import (
    MOST_DRAWN,
    MOST_NAMED,
    feature_spread_alt,
    feature_spread_spec,
)


def test_each_feature_has_its_bar_though_long_names_are_cut():
    names = ["<b>" + 30 * "x" + str(k) for k in range(3)]
    spec = feature_spread_spec(names, np.array([0.3, 0.0, 0.5]), dark=False)
    rows = spec["data"]["values"]
    assert [row["deviation"] for row in rows] == [0.3, 0.0, 0.5]
    assert len({row["shown"] for row in rows}) == 3
    assert [row["name"] for row in rows] == names
    assert spec["encoding"]["y"]["field"] == "shown"


def test_many_features_are_numbered_and_bounded():
    count = MOST_DRAWN + 7
    spec = feature_spread_spec([str(k) for k in range(count)], np.ones(count), dark=True)
    assert len(spec["data"]["values"]) == MOST_DRAWN
    assert spec["encoding"]["x"]["field"] == "number"
    few = feature_spread_spec(MOST_NAMED * ["a"], np.ones(MOST_NAMED), dark=True)
    assert len({row["shown"] for row in few["data"]["values"]}) == MOST_NAMED


def test_the_sentence():
    assert feature_spread_alt(["a", "b"], [0.25, 0.5]) == (
        "Standard deviations run from 0.25 to 0.5 (b)."
    )
    assert feature_spread_alt(["a", "b"], [0, 0.5]) == (
        "Standard deviations run from 0 to 0.5 (b); 1 of 2 features never changes."
    )
    assert feature_spread_alt([], []) == "There are no features."
